"""The errors of the library: each message says what was given, what is allowed and what to do."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

__all__ = [
    "CONTROLS",
    "DataError",
    "DataTypeError",
    "DependencyError",
    "FileError",
    "ModelKindError",
    "ParameterError",
    "QuercusError",
    "choice_message",
    "did_you_mean",
    "missing_extra",
    "shorten",
    "shown_list",
    "visible",
]

#: What a terminal obeys instead of showing it: C0 (but not line ends and tabs), DEL, C1, line separators and the marks
#: that turn the direction of writing.
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class QuercusError(ValueError):
    """Base of every error that the library raises itself; a ``ValueError``, as scikit-learn's tools expect."""


class DataError(QuercusError):
    """A table, a column or a target that cannot be used as it was given."""


class DataTypeError(DataError, TypeError):
    """Data of a type that cannot be used at all (a sparse matrix, a dictionary as a value); also a ``TypeError``."""


class ParameterError(QuercusError):
    """A parameter outside of what is allowed."""


class ModelKindError(ParameterError, AttributeError):
    """A question to a model of another kind, to rules for the leaves of a tree, say; also an ``AttributeError``."""


class FileError(DataError):
    """A file that cannot be read or written; the message starts with the file, and the line and column if known."""


class DependencyError(QuercusError, ImportError):
    """A library is missing that one of Quercus' extras installs; also an ``ImportError``."""


def missing_extra(module: str, extra: str) -> DependencyError:
    """Make the error that tells which extra of Quercus brings a library that is not installed.

    Where the import fails: ``except ImportError as error: raise missing_extra("pyarrow", "files") from error``.

    >>> print(missing_extra("pyarrow", "files"))
    This needs the library 'pyarrow', which is not installed. Install it with: pip install "quercus[files]"
    """
    return DependencyError(
        f'This needs the library {module!r}, which is not installed. Install it with: pip install "quercus[{extra}]"'
    )


def shorten(value: object, limit: int = 60) -> str:
    """Show any value in a message, at most ``limit`` characters long.

    >>> shorten("a" * 100, limit=10)
    "'aaaaaa..."
    """
    try:
        text = repr(value)
    except Exception:  # a value may be of a class whose repr fails; the message must still be made
        text = f"<{type(value).__name__}>"
    text = text.replace("\n", " ")
    return text if len(text) <= limit else text[: limit - 3] + "..."


def visible(text: str, one_line: bool = False) -> str:
    r"""The text with its control characters escaped, so that no name or value of the data can command a terminal.

    Line ends and tabs stay, unless the text is to be one line.

    >>> print(visible("a\x1b[31m red"), visible("two\nlines", one_line=True), visible("\u202egnp.exe"))
    a\x1b[31m red two\nlines \u202egnp.exe
    """
    shown = CONTROLS.sub(lambda found: ascii(found[0])[1:-1], text)
    return shown.replace("\n", "\\n").replace("\t", "\\t") if one_line else shown


def shown_list(values: Sequence[object], limit: int = 10) -> str:
    """Show the first values of a sequence, and how many more there are.

    >>> shown_list(["a", "b", "c"], limit=2)
    "'a', 'b' and 1 more"
    """
    shown = ", ".join(shorten(value) for value in values[:limit])
    more = len(values) - limit
    return f"{shown} and {more} more" if more > 0 else shown


def did_you_mean(given: object, allowed: Iterable[object]) -> str:
    """Return a hint with the nearest allowed name, or nothing.

    >>> did_you_mean("Outlok", ["Outlook", "Wind"])
    " Did you mean 'Outlook'?"
    """
    near = difflib.get_close_matches(str(given), [str(name) for name in allowed], n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


def choice_message(parameter: str, given: object, allowed: Sequence[object]) -> str:
    """Say that a parameter takes one of a few values.

    >>> choice_message("kind", "categorical", ["nominal", "numeric"])
    "kind is 'categorical', but must be one of 'nominal', 'numeric'."
    """
    return f"{parameter} is {shorten(given)}, but must be one of {shown_list(allowed)}.{did_you_mean(given, allowed)}"

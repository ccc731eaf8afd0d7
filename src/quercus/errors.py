"""The errors of the library: each message says which input was wrong, what is allowed and what to do."""

from __future__ import annotations

import difflib
import inspect
import operator
import re
import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "DataError",
    "DataTypeError",
    "DependencyError",
    "FileError",
    "ModelKindError",
    "ParameterError",
    "QuercusError",
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


class ExportError(ParameterError):
    """A format of export cannot express a model; the message names the place and says what to do."""


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
    shown = CONTROLS.sub(lambda match: ascii(match[0])[1:-1], text)
    return shown.replace("\n", "\\n").replace("\t", "\\t") if one_line else shown


def shown_list(values: Sequence[object], limit: int = 10) -> str:
    """Show the first values of a sequence, and how many more there are.

    >>> shown_list(["a", "b", "c"], limit=2)
    "'a', 'b' and 1 more"
    """
    shown = ", ".join(shorten(value) for value in values[:limit])
    more = len(values) - limit
    return f"{shown} and {more} more" if more > 0 else shown


def did_you_mean(value: object, allowed: Iterable[object]) -> str:
    """Return a hint with the nearest allowed name, or nothing.

    >>> did_you_mean("Outlok", ["Outlook", "Wind"])
    " Did you mean 'Outlook'?"
    """
    near = difflib.get_close_matches(
        value if isinstance(value, str) else shorten(value), [str(name) for name in allowed], n=1
    )
    return f" Did you mean {near[0]!r}?" if near else ""


def choice_message(parameter: str, value: object, allowed: Sequence[object]) -> str:
    """Say that a parameter takes one of a few values.

    >>> choice_message("kind", "categorical", ["nominal", "numeric"])
    "kind is 'categorical', but must be one of 'nominal', 'numeric'."
    """
    return f"{parameter} is {shorten(value)}, but must be one of {shown_list(allowed)}.{did_you_mean(value, allowed)}"


def checked_place(what: str, value: object, allowed: range | Collection[int], whole: str) -> int:
    """A number of something, such as a node or a row; refused unless it is a whole number and there is such a one.

    what: the word for the thing. value: its number. allowed: the numbers that there are. whole: the words for them.

    >>> checked_place("node", 3, range(8), "the tree's nodes are 0 … 7")
    3
    """
    try:
        number = None if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None:
        raise ParameterError(f"{what} is {shorten(value)}, but must be a whole number; {whole}.")
    if number not in allowed:
        raise ParameterError(f"There is no {what} {number}; {whole}.")
    return number


def checked_choice(parameter: str, value: Any, allowed: Iterable[str]) -> Any:
    """Return a parameter that is one of a few words.

    >>> checked_choice("kind", "nominal", ["nominal", "numeric"])
    'nominal'
    """
    words = tuple(allowed)
    if not isinstance(value, str) or value not in words:
        raise ParameterError(choice_message(parameter, value, words))
    return value


def checked_number(
    name: str,
    value: Any,
    allowed: str,
    accepts: Callable[[float], bool] = lambda number: True,
    error: type[QuercusError] = ParameterError,
) -> float:
    """Return an argument that is a number as a float. A text is no number. allowed: the numbers it accepts, in words.

    >>> checked_number("share", "half", "a number from 0 to 1", lambda share: 0 <= share <= 1)
    Traceback (most recent call last):
    quercus.errors.ParameterError: share must be a number from 0 to 1, but 'half' was given.
    """
    several = isinstance(value, (str, bytes, bytearray)) or getattr(value, "ndim", 0) != 0
    try:
        number = None if several else float(value)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None or not accepts(number):
        raise error(f"{name} must be {allowed}, but {shorten(value)} was given.")
    return number


def checked_whole(name: str, value: Any, allowed: str, least: int, most: float = float("inf")) -> int:
    """Return an argument that is a whole number from least to most. allowed: these numbers in words.

    >>> checked_whole("repeats", 2.5, "a whole number of at least 1", 1)
    Traceback (most recent call last):
    quercus.errors.ParameterError: repeats must be a whole number of at least 1, but 2.5 was given.
    """
    return int(checked_number(name, value, allowed, lambda number: number.is_integer() and least <= number <= most))


def checked_list(name: str, values: Any) -> list[Any]:
    """Return an argument that holds several values, a column or a list, as a list.

    >>> checked_list("labels", None)
    Traceback (most recent call last):
    quercus.errors.DataTypeError: labels must be a list, an array or a column of values, but None was given.
    """
    try:
        return list(values)
    except TypeError as error:
        raise DataTypeError(
            f"{name} must be a list, an array or a column of values, but {shorten(values)} was given."
        ) from error


def checked_function(name: str, function: Any, *arguments: object, **keywords: object) -> Any:
    """Return an argument that is a function which can be called with these arguments.

    >>> checked_function("impurity", "gini", [9, 5])
    Traceback (most recent call last):
    quercus.errors.ParameterError: impurity must be a function, but 'gini' was given.
    """
    if not callable(function):
        raise ParameterError(f"{name} must be a function, but {shorten(function)} was given.")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some functions that are not written in Python do not tell their parameters
        return function
    try:
        signature.bind(*arguments, **keywords)
    except TypeError as error:
        call = ", ".join([*("..." for _ in arguments), *(f"{keyword}=..." for keyword in keywords)])
        raise ParameterError(
            f"{name} must be a function that can be called as {name}({call}), but {shorten(function)} cannot ({error})."
        ) from error
    return function


def checked_random(name: str, seed: Any) -> np.random.Generator:
    """Return the random numbers of a seed: the same for the same seed, on every machine."""
    import numpy as np

    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"{name}={shorten(seed)} is not allowed; give a whole number of at least 0, or a Generator."
        ) from error


@dataclass(frozen=True)
class Renamed:
    """An old name that still works. what: it names. ends: the version that will not know it any more."""

    what: str
    old: str
    new: str
    ends: str

    @property
    def message(self) -> str:
        """What to write instead, and until when the old name works."""
        return f'{self.what} "{self.old}" is called "{self.new}" now; version {self.ends} ends the old name.'


#: The old names that still work (``docs/public_names.md``: how a name is taken away).
RENAMED = {
    row.old: row
    for row in (
        Renamed("The pruning method", "validation", "stop_by_validation", "0.3"),
        Renamed("The option", "--data", "DATA, behind MODEL", "0.3"),
        Renamed("The class", "quercus.tree.Step", "quercus.tree.BranchTaken", "0.3"),
    )
}


def warn_renamed(old: str) -> None:
    """Warn of an old name, at the line outside of the library that uses it."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "quercus":
        level, frame = level + 1, frame.f_back
    warnings.warn(RENAMED[old].message, FutureWarning, stacklevel=level)

"""What a command prints: text for people, or with ``--json`` one JSON document and nothing else."""

from __future__ import annotations

import json
import os
import shutil
import sys
from typing import Any

import typer

from quercus.errors import CONTROLS, visible


def on_terminal(stream: Any = None) -> bool:
    """Whether people read along; NO_COLOR and TERM=dumb ask for plain text."""
    stream = sys.stdout if stream is None else stream
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return not plain and bool(getattr(stream, "isatty", lambda: False)())


#: Whether standard output holds data, a model for example, so that text for people goes to standard error.
_taken: list[bool] = []


def leave_standard_output() -> None:
    """Send text for people to standard error until the command ends."""
    _taken[:] = [True]


def back_to_standard_output() -> None:
    """Send text for people to standard output again, as each command begins."""
    _taken.clear()


def say(text: str = "", heading: bool = False, fold: bool = False) -> None:
    """Print text for people, control characters escaped; a heading is bold on a terminal.

    fold: sentences and rules, whose long lines are broken to the width of a terminal; a pipe gets them as they are.
    """
    stream = sys.stderr if _taken else sys.stdout
    shown = visible(text)
    if fold and on_terminal(stream):
        from quercus.tree.lines import folded

        shown = folded(shown, max(40, shutil.get_terminal_size().columns))
    print(typer.style(shown, bold=True) if heading and on_terminal(stream) else shown, file=stream)


def ask(text: str) -> None:
    """Print a question for people, bold on a terminal; the answer follows on the same line."""
    shown = visible(text)
    print(typer.style(shown, bold=True) if on_terminal() else shown, end=" ", flush=True)


def note(text: str) -> None:
    """Tell people something beside the output, which may go into a pipe."""
    print(visible(text), file=sys.stderr)


def give(text: str) -> None:
    """Write data, such as CSV, to standard output: to a pipe as they are; on a terminal controls are escaped."""
    shown = visible(text) if getattr(sys.stdout, "isatty", lambda: False)() else text
    sys.stdout.write(shown)


def say_json(data: Any) -> None:
    """Print one strict JSON document; numbers that are not finite have been made None before."""
    print(json_text(data))


def json_text(data: Any) -> str:
    r"""Data as strict JSON; control characters in texts are written as JSON escapes them.

    >>> print(json_text(["größe", "a\x9b b"]))
    [
      "größe",
      "a\u009b b"
    ]
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, indent=2)
    return CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def strict(value: Any) -> Any:
    """Any data as strict JSON can hold it: NaN and infinities become None, tuples lists, other objects their text.

    >>> strict({"gain": float("nan"), "branches": (1, 2.5)})
    {'gain': None, 'branches': [1, 2.5]}
    """
    import numpy as np

    if isinstance(value, dict):
        return {str(key): strict(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [strict(entry) for entry in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)

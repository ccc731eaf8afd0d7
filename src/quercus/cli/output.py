"""What a command prints: text for people, or with ``--json`` one JSON document and nothing else."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import typer


def on_terminal(stream: Any = None) -> bool:
    """Whether people read along; NO_COLOR and TERM=dumb ask for plain text."""
    stream = sys.stdout if stream is None else stream
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return not plain and bool(getattr(stream, "isatty", lambda: False)())


def bold(text: str) -> str:
    """The text in bold on a terminal, as it is elsewhere."""
    return typer.style(text, bold=True) if on_terminal() else text


def say(text: str = "") -> None:
    """Print text for people."""
    print(text)


def note(text: str) -> None:
    """Tell people something beside the output, which may go into a pipe."""
    print(text, file=sys.stderr)


def say_json(data: Any) -> None:
    """Print one strict JSON document; numbers that are not finite have been made None before."""
    print(json.dumps(data, ensure_ascii=False, allow_nan=False, indent=2))


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

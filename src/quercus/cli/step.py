"""``quercus explain --step``: the growing of a tree, a node at a time, forward and back with keys."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from quercus.cli.output import on_terminal, say

KEYS = "Enter or n: next, b: back, a number: that node, r: the root, q: quit"
FORWARD = frozenset({"", "n", "next", "f", " "})


def walk(trace: Any, start: int | None = None) -> None:
    """Show one node after the other; commands come from the keyboard, or line by line from a pipe."""
    from quercus.explain import TraceWalk

    place = TraceWalk(trace, start)
    with single_keys() as read:
        _show(place)
        while (key := read()) not in ("q", "quit", "x", "\x04", None):
            remark = _moved(place, str(key))
            if remark:
                say(remark)
            else:
                _show(place)


def _moved(place: Any, key: str) -> str:
    """Go where a key leads; what to say if it leads nowhere."""
    from quercus.errors import ParameterError

    if key in FORWARD:
        if place.is_last:
            return "This was the last node."
        place.forward()
    elif key in ("b", "back", "p"):
        if place.is_first:
            return "This is the first node."
        place.back()
    elif key in ("r", "root"):
        place.go(place.order[0])
    elif key.isdigit():
        try:
            place.go(int(key))
        except ParameterError as error:
            return str(error)
    else:
        return KEYS
    return ""


def _show(place: Any) -> None:
    if on_terminal():
        print("\x1b[2J\x1b[H", end="")  # a fresh screen for each node
    say(f"Step {place.progress}", heading=True)
    say(place.to_text())
    say()
    if sys.stdin.isatty():
        print(f"[{KEYS}] ", end="", flush=True)


@contextmanager
def single_keys() -> Iterator[Callable[[], str | None]]:
    """Give a function that reads one key of a terminal (digits up to Enter), or one line of a pipe; None at its end."""
    try:
        import termios
        import tty
    except ImportError:  # not a POSIX system: lines instead of keys
        yield _line
        return
    if not sys.stdin.isatty():
        yield _line
        return
    stream = sys.stdin.fileno()
    before = termios.tcgetattr(stream)
    try:
        tty.setcbreak(stream, termios.TCSANOW)
        yield lambda: _key(stream)
    finally:
        termios.tcsetattr(stream, termios.TCSADRAIN, before)


def _line() -> str | None:
    line = sys.stdin.readline()
    return line.strip().lower() if line else None


def _key(stream: int) -> str | None:
    """A key without waiting for Enter; arrows move, digits are gathered until Enter."""
    digits = ""
    while text := os.read(stream, 8).decode(errors="replace"):
        if text.startswith("\x1b["):
            return {"C": "n", "B": "n", "6": "n", "D": "b", "A": "b", "5": "b"}.get(text[2:3], "h")
        for key in text:
            if key.isdigit():
                digits += key
                print(key, end="", flush=True)
            elif key in "\r\n":
                print()
                return digits
            elif digits and key in "\x7f\b":
                digits = digits[:-1]
                print("\b \b", end="", flush=True)
            else:
                print()
                return key.lower()
    return None

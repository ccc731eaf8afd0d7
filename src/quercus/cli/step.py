"""``quercus explain --step``: the growing of a tree, a node at a time, forward and back with keys."""

from __future__ import annotations

import sys
from typing import Any

from quercus.cli.output import bold, on_terminal, say

KEYS = "Enter or n: next, b: back, a number: that node, r: the root, q: quit"
FORWARD = frozenset({"", "n", "next", "f", " "})


def walk(trace: Any, start: int | None = None) -> None:
    """Show one node after the other; commands come from the keyboard, or line by line from a pipe."""
    from quercus.errors import ParameterError
    from quercus.explain import TraceWalk

    place = TraceWalk(trace, start)
    _show(place)
    while (key := read_key()) not in ("q", "quit", "x", "\x03", "\x04", None):
        if key in FORWARD:
            if place.is_last:
                say("This was the last node.")
                continue
            place.forward()
        elif key in ("b", "back", "p"):
            if place.is_first:
                say("This is the first node.")
                continue
            place.back()
        elif key in ("r", "root"):
            place.go(place.order[0])
        elif key is not None and key.isdigit():
            try:
                place.go(int(key))
            except ParameterError as error:
                say(str(error))
                continue
        else:
            say(KEYS)
            continue
        _show(place)


def _show(place: Any) -> None:
    if on_terminal():
        print("\x1b[2J\x1b[H", end="")  # a fresh screen for each node
    say(bold(f"Step {place.progress}"))
    say(place.to_text())
    say()
    if sys.stdin.isatty():
        print(f"[{KEYS}] ", end="", flush=True)


def read_key() -> str | None:
    """One key of a terminal (digits up to Enter), or one line of a pipe; None at its end."""
    if not sys.stdin.isatty():
        line = sys.stdin.readline()
        return line.strip().lower() if line else None
    try:
        key = _terminal_key()
    except ImportError:  # not a POSIX system: lines instead of keys
        line = sys.stdin.readline()
        return line.strip().lower() if line else None
    say()
    return key


def _terminal_key() -> str:
    """A key without waiting for Enter; arrows move, digits are gathered until Enter."""
    import os
    import termios
    import tty

    stream = sys.stdin.fileno()
    before = termios.tcgetattr(stream)
    try:
        tty.setcbreak(stream)
        digits = ""
        while True:
            given = os.read(stream, 8).decode(errors="replace")
            if given.startswith("\x1b["):
                return {"C": "n", "B": "n", "6": "n", "D": "b", "A": "b", "5": "b"}.get(given[2:3], "h")
            for key in given:
                if key.isdigit():
                    digits += key
                    print(key, end="", flush=True)
                elif key in "\r\n":
                    return digits
                elif digits and key in "\x7f\b":
                    digits = digits[:-1]
                    print("\b \b", end="", flush=True)
                else:
                    return key.lower()
            if not given:
                return "q"
    finally:
        termios.tcsetattr(stream, termios.TCSADRAIN, before)

"""Lines that fit: long lines of text are broken between their parts, and what follows is indented."""

from __future__ import annotations

#: Where a line is broken first: between conditions, steps and alternatives, then behind commas, then at any blank.
_MARKS = (" THEN ", " AND ", " ∨ ", " → ", ", ", " ")


def folded(text: str, width: int | None, hang: int = 4) -> str:
    """The text with every line of at most ``width`` characters, as far as it has blanks; None: as it is.

    A line is broken where a part ends, and goes on below, ``hang`` characters further in than it began.

    >>> print(folded("1. IF Outlook = Sunny AND Humidity = High THEN No (3, 1.00)", 44))
    1. IF Outlook = Sunny AND Humidity = High
        THEN No (3, 1.00)
    """
    if width is None:
        return text
    return "\n".join(part for line in text.split("\n") for part in _parts(line, width, hang))


def _parts(line: str, width: int, hang: int) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip(" ")) + hang)
    if len(indent) > width // 2:  # indented too far to break with profit
        return [line]
    parts = []
    while len(line) > width:
        place = _break(line, width, len(line) - len(line.lstrip(" ")))
        if place is None:
            break
        parts.append(line[:place].rstrip())
        line = indent + line[place:].lstrip()
    return [*parts, line]


def _break(line: str, width: int, start: int) -> int | None:
    """Where to break a line that is too long: before a word between parts, behind a comma or a blank; None: nowhere."""
    least = start + (width - start) // 3
    for mark in _MARKS:
        behind = len(mark) if mark in (", ", " ") else 1
        place = line.rfind(mark, start, width + len(mark) - 1 if mark in (", ", " ") else width + 1)
        if place > (least if mark != " " else start):
            return place + behind
    place = line.find(" ", max(start, 1))
    return place + 1 if place > start else None

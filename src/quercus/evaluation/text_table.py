"""Aligned text: a header and rows of cells under each other, names to the left and numbers to the right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from quercus.results import Cells


def text_table(rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)) -> str:
    """Rows of cells as lines; the columns of ``left`` start at the left, the others end at the right.

    >>> print(text_table([["class", "support"], ["No", "5"], ["Maybe", "12"]]))
    class  support
    No           5
    Maybe       12
    """
    return Cells(rows, left).text()


def indented(text: str, by: int = 2) -> str:
    """Every line of a text moved to the right."""
    return "\n".join(" " * by + line if line else line for line in text.splitlines())


def share_text(number: float | None, places: int = 3) -> str:
    """A share or score with a few decimals; a dash where there is none.

    >>> share_text(0.64286), share_text(None), share_text(float("nan"))
    ('0.643', '–', '–')
    """
    return "–" if number is None or math.isnan(number) else f"{number:.{places}f}"


def json_number(number: float | None) -> float | None:
    """A number that strict JSON can hold: what is not finite becomes None."""
    return None if number is None or not math.isfinite(number) else float(number)


def json_numbers(numbers: Any) -> list[Any]:
    """An array as nested lists of numbers that strict JSON can hold."""
    return [json_numbers(entry) if isinstance(entry, list) else json_number(entry) for entry in list(numbers)]

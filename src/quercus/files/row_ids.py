"""Columns that number or name the rows: a tree that asks for them learns the rows by heart."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from quercus.data.column import Column

__all__ = ["is_row_index", "names_rows"]

_FEWEST_ROWS = 10  # of fewer rows all values differ by chance too often
_ID_NAME = re.compile(
    r"(?:^|[\W_])(?:id|ids|uuid|guid|key|index|idx|rownames?|row|no|nr|number)(?:$|[\W_])|[a-z]I[Dd]$"
)


def names_rows(name: str, column: Column) -> bool:
    """Whether a column holds another value in every row, and looks as if it numbered or named the rows.

    Text does. Whole numbers do if they are consecutive, or rise or fall from row to row, or if their name says so (id,
    number, key); other whole numbers may be measurements. Fractions and dates are never taken for names of rows.

    >>> names_rows("Day", Column("Day", None, codes=np.arange(14, dtype=np.int32), values=tuple(range(14))))
    True
    >>> names_rows("income", Column("income", "numeric", numbers=np.array([7, 4, 19, 2, 15, 3, 99, 54, 33, 71])))
    False
    """
    if len(column) < _FEWEST_ROWS:
        return False
    if column.numbers is None:
        return column.kind in (None, "nominal") and len(column.values) == len(column) and _all_known(column)
    if column.kind != "numeric" or not _whole_and_different(column):
        return False
    steps = np.diff(column.numbers.astype(np.float64))
    spread = float(column.numbers.max()) - float(column.numbers.min())
    in_order = bool((steps > 0).all() or (steps < 0).all())
    return in_order or spread < 2 * len(column) or _ID_NAME.search(_spaced(name)) is not None


def is_row_index(column: Column) -> bool:
    """Whether a column without a name numbers or names the rows: whole numbers or texts, all different.

    >>> is_row_index(Column("x0", "numeric", numbers=np.array([0, 1, 2])))
    True
    """
    if column.numbers is None:
        return len(column.values) == len(column) and _all_known(column)
    return column.kind == "numeric" and _whole_and_different(column)


def _spaced(name: str) -> str:
    return name if re.search(r"[a-z]I[Dd]$", name) else name.lower()


def _all_known(column: Column) -> bool:
    return column.codes is not None and not bool((column.codes < 0).any())


def _whole_and_different(column: Column) -> bool:
    """Whether a column has only whole numbers, no two alike; mostly its range or its first rows decide."""
    numbers: Any = column.numbers
    if numbers.dtype.kind not in "iu" or (column.missing is not None and bool(column.missing.any())):
        return False
    if int(numbers.max()) - int(numbers.min()) < len(numbers) - 1:
        return False
    parts = (np.sort(numbers[: 1 << size]) for size in (10, 13, 16, 63))
    return not any(bool((part[1:] == part[:-1]).any()) for part in parts)

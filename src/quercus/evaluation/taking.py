"""Taking rows out of a table of any kind, as cross-validation needs it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from quercus.arrays import Integers


def take_rows(table: Any, rows: Integers) -> Any:
    """Some rows of a table, by position; the table keeps its kind.

    >>> take_rows({"x": [1, 2, 3], "y": np.array([4, 5, 6])}, np.array([0, 2]))
    {'x': [1, 3], 'y': array([4, 6])}
    """
    if isinstance(table, Mapping):
        return {name: take_rows(column, rows) for name, column in table.items()}
    if hasattr(table, "iloc"):
        return table.iloc[rows]
    if isinstance(table, list | tuple):
        return [table[row] for row in rows.tolist()]
    if isinstance(table, np.ndarray):
        return table[rows]
    if hasattr(table, "take"):  # pyarrow
        return table.take(rows)
    return table[rows] if hasattr(table, "__getitem__") else np.asarray(table)[rows]

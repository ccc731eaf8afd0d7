"""Columns as text: how the tables of pruning, tuning and curves are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.tree.names import significant


def column_text(columns: Mapping[str, NDArray[Any] | Sequence[Any]], limit: int = 20) -> str:
    """Columns as aligned text; of more lines than the limit the first and last.

    >>> print(column_text({"leaves": [1, 20], "error": [0.5, 0.25]}))
    leaves  error
         1  0.5
        20  0.25
    """
    length = len(next(iter(columns.values())))
    hidden = length > limit
    places = [*range(limit // 2), *range(length - limit // 2, length)] if hidden else [*range(length)]
    texts = []
    for name, column in columns.items():
        cells = [column[place] for place in places]
        whole = all(isinstance(cell, int | np.integer) for cell in cells)
        shown = [
            cell if isinstance(cell, str) else f"{cell:,}" if whole else significant(float(cell)) for cell in cells
        ]
        width = max(map(len, [name, *shown]))
        texts.append([text.rjust(width) if whole else text.ljust(width) for text in (name, *shown)])
    lines = ["  ".join(row).rstrip() for row in zip(*texts, strict=True)]
    if hidden:
        lines.insert(1 + limit // 2, f"… {length - limit:,} more")
    return "\n".join(lines)

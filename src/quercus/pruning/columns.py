"""Columns as text: how the tables of pruning, tuning and curves are shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.tree.names import significant


def column_text(
    columns: Mapping[str, NDArray[Any] | Sequence[Any]], limit: int = 20, always: Iterable[int] = ()
) -> str:
    """Columns as aligned text; of more lines than the limit the first and last, and those of ``always``.

    >>> print(column_text({"leaves": [1, 20], "error": [0.5, 0.25]}))
    leaves  error
         1  0.5
        20  0.25
    """
    length = len(next(iter(columns.values())))
    places = [*range(length)]
    if length > limit:
        places = sorted({*range(limit // 2), *range(length - limit // 2, length), *always})
    texts = []
    for name, column in columns.items():
        cells = [column[place] for place in places]
        whole = all(isinstance(cell, int | np.integer) for cell in cells)
        shown = [
            cell if isinstance(cell, str) else f"{cell:,}" if whole else significant(float(cell)) for cell in cells
        ]
        width = max(map(len, [name, *shown]))
        texts.append([text.rjust(width) if whole else text.ljust(width) for text in (name, *shown)])
    head, *rows = ["  ".join(row).rstrip() for row in zip(*texts, strict=True)]
    lines = [head]
    for before, place, row in zip([-1, *places[:-1]], places, rows, strict=True):
        lines += [f"… {place - before - 1:,} more"] if place > before + 1 else []
        lines.append(row)
    return "\n".join(lines)

"""Columns as text: how the tables of pruning, tuning and curves are shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.data.names import significant
from quercus.results import Cells


def column_cells(
    columns: Mapping[str, NDArray[Any] | Sequence[Any]], limit: int = 20, always: Iterable[int] = (), title: str = ""
) -> Cells:
    """Columns as cells: whole numbers end at the right, everything else begins at the left.

    Of more lines than the limit the first and last are shown, and those of ``always``.

    >>> print(column_cells({"leaves": [1, 20], "error": [0.5, 0.25]}).text())
    leaves  error
         1  0.5
        20  0.25
    """
    length = len(next(iter(columns.values())))
    places = [*range(length)]
    if length > limit:
        places = sorted({*range(limit // 2), *range(length - limit // 2, length), *always})
    texts, left = [], []
    for position, (name, column) in enumerate(columns.items()):
        cells = [column[place] for place in places]
        whole = all(isinstance(cell, int | np.integer) for cell in cells)
        left += [] if whole else [position]
        shown = [
            cell if isinstance(cell, str) else f"{cell:,}" if whole else significant(float(cell)) for cell in cells
        ]
        texts.append([name, *shown])
    head, *lines = (list(line) for line in zip(*texts, strict=True))
    rows: list[Sequence[str] | str] = [head]
    for before, place, line in zip([-1, *places[:-1]], places, lines, strict=True):
        rows += [f"… {place - before - 1:,} more"] if place > before + 1 else []
        rows.append(line)
    return Cells(rows, left, title)

"""Rows for which a forest is asked: the rows of the table, and new ones made from their values."""

from __future__ import annotations

import numpy as np

from quercus.data.dataset import Dataset
from quercus.errors import DataError, ParameterError


def synthetic_rows(dataset: Dataset, count: int, *, swap: float = 0.5, seed: int = 0) -> Dataset:
    """The dataset's rows, then so many made ones.

    Each made row is one of the rows in which every value is exchanged, by the chance swap, for the value that another
    row, drawn for it, has in this column. With swap=1 all columns are drawn by themselves; unknown values are drawn as
    often as they occur. The same seed gives the same rows.

    >>> from quercus.data import encode
    >>> made = synthetic_rows(encode({"x": [1, 2, 3], "y": ["a", "b", "c"]}), 4, seed=1)
    >>> made.n_rows, made.columns[0][:3].tolist(), bool(np.isin(made.columns[0], [1, 2, 3]).all())
    (7, [1.0, 2.0, 3.0], True)
    """
    if not 0.0 <= swap <= 1.0:
        raise ParameterError(f"swap={swap!r} is not allowed; give a chance from 0 to 1.")
    if count < 0:
        raise ParameterError(f"count={count!r} is not allowed; give a number of rows, 0 or more.")
    if count == 0:
        return dataset
    if dataset.n_rows == 0:
        raise DataError("There are no rows to make others of.")
    random = np.random.default_rng(seed)
    base = random.integers(dataset.n_rows, size=count)
    columns = []
    for column in dataset.columns:
        other = random.integers(dataset.n_rows, size=count)
        rows = np.where(random.random(count) < swap, other, base)
        columns.append(np.concatenate([column, column[rows]]))
    return Dataset(dataset.schema, tuple(columns), dataset.n_rows + count)

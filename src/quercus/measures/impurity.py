"""Impurity reduction: the one form all gains share, for any impurity, user-written ones too."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from quercus.arrays import Floats
from quercus.criteria import RowImpurity, shares
from quercus.errors import checked_function, checked_number
from quercus.measures.counts import as_split


def reduction(branches: ArrayLike, impurity: RowImpurity, *, unknown: ArrayLike = 0.0) -> float:
    """Fall of a concave impurity by a split, never below 0 (see :func:`impurity_reduction`)."""
    return max(0.0, _reduction(*as_split(branches, unknown), impurity))


def impurity_reduction(branches: ArrayLike, impurity: Callable[[Floats], float], *, unknown: ArrayLike = 0.0) -> float:
    """Fall of any impurity from a node to its branches.

    Formula: ``(K/N)·[I(known) − Σ (n_v/K)·I(v)]``, where K is the weight of the known examples, N of all, n_v of
    branch v. Information gain, Gini gain and accuracy gain are this with their impurity.

    Parameters
    ----------
    branches : table branches × classes of the examples whose value is known.
    impurity : function of the class counts of one node (an array) that gives its impurity.
    unknown : weight (or class counts) of the examples whose value is unknown.

    >>> from quercus.measures import entropy
    >>> round(impurity_reduction([[2, 3], [4, 0], [3, 2]], entropy), 4)
    0.2467
    """
    table, unknown_weight = as_split(branches, unknown)
    impurity = checked_function("impurity", impurity, table[0])

    def of_rows(rows: Floats) -> Floats:
        values = [checked_number("The result of impurity", impurity(row), "a number") for row in np.atleast_2d(rows)]
        return np.asarray(values, dtype=np.float64).reshape(rows.shape[:-1])

    return _reduction(table, unknown_weight, of_rows)


def _reduction(table: Floats, unknown: float, impurity: RowImpurity) -> float:
    sizes = table.sum(axis=1)
    known = float(sizes.sum())
    if known == 0.0:
        return 0.0
    occupied = sizes > 0
    after = float(shares(sizes[occupied]) @ impurity(table[occupied]))
    return known / (known + unknown) * (float(impurity(table.sum(axis=0))) - after)

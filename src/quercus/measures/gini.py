"""Gini impurity: how often two examples drawn at random differ in class, and how much a split lowers that."""

from __future__ import annotations

from numpy.typing import ArrayLike

from quercus.criteria import gini_of_rows
from quercus.measures.counts import as_counts
from quercus.measures.impurity import reduction


def gini(counts: ArrayLike) -> float:
    """Gini impurity of a node.

    Formula: ``1 − Σ p²``, computed as ``Σ p·(1 − p)``, which loses no digits near 0.

    Parameters
    ----------
    counts : class counts, weights or probabilities; only their ratios matter. All zero: impurity 0.

    >>> gini([1, 1])
    0.5
    >>> round(gini([9, 5]), 3)
    0.459
    """
    return float(gini_of_rows(as_counts(counts)))


def gini_gain(branches: ArrayLike, *, unknown: ArrayLike = 0.0) -> float:
    """Gini gain of a split: the fall of the Gini impurity from the node to its branches.

    Formula: ``(K/N)·[G(known) − Σ (n_v/K)·G(v)]``.

    Parameters
    ----------
    branches : table branches × classes of the examples whose value is known.
    unknown : weight (or class counts) of the examples whose value is unknown.

    >>> round(gini_gain([[2, 3], [4, 0], [3, 2]]), 4)  # Outlook in PlayTennis
    0.1163
    """
    return reduction(branches, gini_of_rows, unknown=unknown)

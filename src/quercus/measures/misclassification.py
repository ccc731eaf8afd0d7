"""Misclassification error: the share that a majority label gets wrong; and accuracy gain, its decrease by a split."""

from __future__ import annotations

from numpy.typing import ArrayLike

from quercus.criteria import misclassification_of_rows
from quercus.measures.counts import as_counts
from quercus.measures.impurity import reduction


def misclassification_error(counts: ArrayLike) -> float:
    """Misclassification error of a node that is labelled with its most common class.

    Formula: ``1 − max p``.

    Parameters
    ----------
    counts : class counts, weights or probabilities; only their ratios matter. All zero: error 0.

    >>> misclassification_error([6, 2])
    0.25
    """
    return float(misclassification_of_rows(as_counts(counts)))


def accuracy_gain(branches: ArrayLike, *, unknown: ArrayLike = 0.0) -> float:
    """Accuracy gain of a split: how much more accurate majority labels become.

    Formula: ``(K/N)·[E(known) − Σ (n_v/K)·E(v)]``. A poor measure for growing: it is 0 whenever no branch
    changes its majority, however much purer the branches are.

    Parameters
    ----------
    branches : table branches × classes of the examples whose value is known.
    unknown : weight (or class counts) of the examples whose value is unknown.

    >>> accuracy_gain([[50, 0], [50, 49]])  # lemons and oranges: information gain is 0.249 bits
    0.0
    """
    return reduction(branches, misclassification_of_rows, unknown=unknown)

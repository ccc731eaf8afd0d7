"""Errors of a numeric target: squared error, absolute error and Poisson deviance of a node, and their decrease."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from quercus.arrays import Floats
from quercus.errors import DataError, checked_function, checked_list, checked_number
from quercus.measures.counts import as_numbers, as_weights


def _targets_and_weights(y: ArrayLike, weights: ArrayLike | None, name: str = "y") -> tuple[Floats, Floats]:
    """Return the targets of a node and their weights, all 1 if none are given. name: of the targets, in a message."""
    targets = as_numbers(y, name)
    if targets.ndim != 1:
        raise DataError(f"{name} must be one column of numbers, but the shape {targets.shape} was given.")
    weight = np.ones_like(targets) if weights is None else as_weights(weights, "weights")
    if weight.shape != targets.shape:
        raise DataError(
            f"weights must match {name}: {targets.size} numbers are needed, but the shape {weight.shape} was given."
        )
    return targets, weight


def _weighted(y: ArrayLike, weights: ArrayLike | None) -> tuple[Floats, Floats]:
    """Return the targets of a node and their shares of its weight; both empty if nothing weighs anything."""
    targets, weight = _targets_and_weights(y, weights)
    present = weight > 0
    if not present.any():
        return targets[:0], weight[:0]
    relative = weight[present] / weight.max()
    return targets[present], relative / relative.sum()


def lower_median(y: ArrayLike, *, weights: ArrayLike | None = None) -> float:
    """Lower weighted median: the smallest y at or below which at least half of the weight lies.

    >>> lower_median([3, 1, 2, 10])
    2.0
    """
    targets, share = _weighted(y, weights)
    if targets.size == 0:
        raise DataError("y must hold at least one number of weight above 0 to have a median, but holds none.")
    order = np.argsort(targets, kind="stable")
    reached = np.flatnonzero(np.cumsum(share[order]) >= 0.5 - 1e-9)
    return float(targets[order][reached[0]])


def squared_error(y: ArrayLike, *, weights: ArrayLike | None = None) -> float:
    """Mean squared error of a node that predicts its mean: the variance of y.

    Formula: ``Σ w·(y − ȳ)² / Σ w``.

    Parameters
    ----------
    y : the numbers at the node; none: error 0.
    weights : weight of each number, all 1 if not given.

    >>> squared_error([1, 2, 3, 6])
    3.5
    """
    targets, share = _weighted(y, weights)
    centred = targets - share @ targets
    return float(share @ (centred - share @ centred) ** 2)


def absolute_error(y: ArrayLike, *, weights: ArrayLike | None = None) -> float:
    """Mean absolute error of a node that predicts its median.

    Formula: ``Σ w·|y − median| / Σ w``; every median gives the same sum.

    Parameters
    ----------
    y : the numbers at the node; none: error 0.
    weights : weight of each number, all 1 if not given.

    >>> absolute_error([1, 2, 3, 6])
    1.5
    """
    targets, share = _weighted(y, weights)
    if targets.size == 0:
        return 0.0
    return float(share @ np.abs(targets - lower_median(targets, weights=share)))


def poisson_deviance(y: ArrayLike, *, weights: ArrayLike | None = None) -> float:
    """Mean Poisson deviance of a node of counts that predicts its mean rate.

    Formula: ``2·Σ w·(y·ln(y/ȳ) − y + ȳ) / Σ w``, with 0·ln 0 = 0. The criterion ``"poisson"`` of a tree uses half
    of it, as is usual; this changes no choice of split.

    Parameters
    ----------
    y : the counts (numbers ≥ 0) at the node; none, or all 0: deviance 0.
    weights : weight of each count, all 1 if not given.

    >>> round(poisson_deviance([1, 2, 3, 6]), 4)
    1.1247
    """
    as_weights(y, "y (for Poisson deviance)")
    targets, share = _weighted(y, weights)
    mean = float(share @ targets)
    if mean == 0.0:
        return 0.0
    ratios = targets / mean
    logarithms = np.log(ratios, out=np.zeros_like(ratios), where=ratios > 0)
    return max(0.0, 2.0 * float(share @ (targets * logarithms - targets + mean)))


def error_reduction(
    branches: Sequence[ArrayLike],
    error: Callable[..., float],
    *,
    weights: Sequence[ArrayLike] | None = None,
    unknown: float = 0.0,
) -> float:
    """Fall of any numeric error from a node to its branches.

    Formula: ``(K/N)·[E(known) − Σ (n_v/K)·E(v)]``, with K the weight of the known examples, N of all.

    Parameters
    ----------
    branches : for each branch the numbers y of its examples.
    error : ``squared_error``, ``absolute_error``, ``poisson_deviance`` or a function called the same way.
    weights : for each branch the weights of its examples, all 1 if not given.
    unknown : weight of the examples whose value is unknown.

    >>> error_reduction([[1, 2], [5, 8]], absolute_error)
    1.5
    """
    columns = checked_list("branches", branches)
    if not columns:
        raise DataError("branches must hold the numbers of at least one branch, but none was given.")
    weight_columns = [None] * len(columns) if weights is None else checked_list("weights", weights)
    if len(weight_columns) != len(columns):
        raise DataError(
            f"weights must match branches: {len(columns)} are needed, but {len(weight_columns)} were given."
        )
    nodes = [
        _targets_and_weights(column, weight, "each branch")
        for column, weight in zip(columns, weight_columns, strict=True)
    ]
    unknown_weight = checked_number(
        "unknown",
        unknown,
        "a finite number ≥ 0, the weight of the unknown examples",
        lambda n: 0 <= n < np.inf,
        DataError,
    )
    error = checked_function("error", error, columns[0], weights=weight_columns[0])

    def error_of(targets: Floats, weight: Floats) -> float:
        return checked_number("The result of error", error(targets, weights=weight), "a number")

    sizes = [float(weight.sum()) for _, weight in nodes]
    known = sum(sizes)
    if known == 0.0:
        return 0.0
    before = error_of(
        np.concatenate([targets for targets, _ in nodes]), np.concatenate([weight for _, weight in nodes])
    )
    after = sum(size / known * error_of(*node) for size, node in zip(sizes, nodes, strict=True) if size)
    return known / (known + unknown_weight) * (before - after)


def squared_error_reduction(
    branches: Sequence[ArrayLike], *, weights: Sequence[ArrayLike] | None = None, unknown: float = 0.0
) -> float:
    """Squared-error reduction of a split, CART's measure for regression: how much of the variance it explains.

    Formula: ``(K/N)·[Var(known) − Σ (n_v/K)·Var(v)]``.

    Parameters
    ----------
    branches : for each branch the numbers y of its examples.
    weights : for each branch the weights of its examples, all 1 if not given.
    unknown : weight of the examples whose value is unknown.

    >>> squared_error_reduction([[1, 2], [5, 8]])
    6.25
    """
    return max(0.0, error_reduction(branches, squared_error, weights=weights, unknown=unknown))

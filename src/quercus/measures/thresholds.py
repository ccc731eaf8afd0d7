"""Thresholds: where a numeric attribute can be cut in two, where it is worth it, and the best cut."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.arrays import Floats
from quercus.criteria import CLASS_CRITERIA, RowImpurity, entropy_of_rows, shares
from quercus.errors import DataError, checked_choice
from quercus.measures.contingency import as_column, encode_labels, row_weights
from quercus.measures.counts import as_numbers
from quercus.measures.numeric_error import absolute_error, poisson_deviance, squared_error
from quercus.results import Result

_T = TypeVar("_T", bound=np.generic)


def _half_poisson_deviance(y: Floats, *, weights: Floats) -> float:
    return poisson_deviance(y, weights=weights) / 2


#: Errors of numbers by the name of their criterion.
ERRORS: Mapping[str, Callable[..., float]] = MappingProxyType(
    {"squared_error": squared_error, "absolute_error": absolute_error, "poisson": _half_poisson_deviance}
)


@dataclass(frozen=True)
class BestThreshold(Result):
    """The best cut of a numeric attribute: x ≤ threshold against x > threshold.

    value: the gain (fall of the criterion) of the cut, or its gain ratio. n_thresholds: how many cuts there were.
    """

    threshold: float
    value: float
    n_thresholds: int


def all_thresholds(x: Iterable[object]) -> Floats:
    """Every threshold: the midpoints between neighbouring distinct values (unknown values are left out).

    x: the numbers of a column.

    >>> all_thresholds([40, 48, 60, 72, 80, 90]).tolist()
    [44.0, 54.0, 66.0, 76.0, 85.0]
    """
    column = as_column(x)
    return _midpoints(np.unique(column[~np.isnan(column)]))


def candidate_thresholds(x: Iterable[object], y: Iterable[object], *, weights: ArrayLike | None = None) -> Floats:
    """Candidate thresholds: only those where the class changes.

    A midpoint between two neighbouring values is left out if all examples at both have one and the same class.
    Gain is convex between class changes, so that the best cut is always among the candidates.

    Parameters
    ----------
    x : the attribute's column; NaN and None are unknown and left out.
    y : the class of each example.
    weights : weight of each example; those of weight 0 are left out.

    >>> candidate_thresholds([40, 48, 60, 72, 80, 90], ["No", "No", "Yes", "Yes", "Yes", "No"]).tolist()
    [54.0, 85.0]
    """
    column, labels, _ = _known_rows(as_column(x), encode_labels(y)[1], weights)
    distinct, groups = np.unique(column, return_inverse=True)
    lowest = np.full(distinct.size, np.iinfo(np.int64).max)
    highest = np.full(distinct.size, -1, dtype=np.int64)
    np.minimum.at(lowest, groups, labels)
    np.maximum.at(highest, groups, labels)
    pure_and_same = (lowest[:-1] == highest[:-1]) & (lowest[1:] == highest[1:]) & (lowest[:-1] == lowest[1:])
    return np.asarray(_midpoints(distinct)[~pure_and_same], dtype=np.float64)


def best_threshold(
    x: Iterable[object], y: ArrayLike, criterion: str = "entropy", *, weights: ArrayLike | None = None
) -> BestThreshold | None:
    """Best threshold of a numeric attribute; None if the attribute has fewer than two distinct known values.

    Every cut is tried; of equally good ones (within 1e-12; for numbers 1e-10 of the node's error) the lowest is
    taken. Unknown values lower the gain by the share K/N that is known.

    Parameters
    ----------
    x : the attribute's column; NaN and None are unknown.
    y : the class of each example, or a number for the criteria of numbers.
    criterion : a name in ``quercus.criteria.CRITERIA``, or ``"gain_ratio"``. Of ``"poisson"`` it is half the
        deviance; a tree never makes a branch of zeros only, here it may be the best.
    weights : weight of each example, all 1 if not given.

    >>> best = best_threshold([40, 48, 60, 72, 80, 90], ["No", "No", "Yes", "Yes", "Yes", "No"])
    >>> best.threshold, round(best.value, 3)
    (54.0, 0.459)
    """
    column = as_column(x)
    checked_choice("criterion", criterion, [*CLASS_CRITERIA, "gain_ratio", *ERRORS])
    if criterion in ERRORS:
        targets = as_numbers(y, "y")
        known_x, known_y, weight = _known_rows(column, targets, weights)
        unknown = float(row_weights(weights, column.size).sum() - weight.sum())
        return _best_of_numbers(known_x, known_y, weight, unknown, ERRORS[criterion])
    classes, codes = encode_labels(y)  # type: ignore[arg-type]
    known_x, known_codes, weight = _known_rows(column, codes, weights)
    unknown = float(row_weights(weights, column.size).sum() - weight.sum())
    left, right = cumulative_counts(known_x, known_codes, weight, len(classes))
    impurity = CLASS_CRITERIA["entropy" if criterion == "gain_ratio" else criterion].impurity
    gains = cut_gains(left, right, unknown, impurity)
    if criterion == "gain_ratio":
        sizes = np.column_stack([left.sum(axis=1), right.sum(axis=1), np.full(len(left), unknown)])
        gains = gains / entropy_of_rows(sizes)
    return _first_best(_midpoints(np.unique(known_x)), gains, 1e-12)


def cumulative_counts(x: Floats, codes: NDArray[np.int64], weight: Floats, n_classes: int) -> tuple[Floats, Floats]:
    """Return the class counts at or below and above each cut of a known column, cuts ascending."""
    distinct, groups = np.unique(x, return_inverse=True)
    counts = np.zeros((distinct.size, n_classes))
    np.add.at(counts, (groups, codes), weight)
    below = np.cumsum(counts, axis=0)
    above = np.cumsum(counts[::-1], axis=0)[::-1]
    return below[:-1], above[1:]


def cut_gains(left: Floats, right: Floats, unknown: float, impurity: RowImpurity) -> Floats:
    """Return the gain of each cut from the class counts on both sides of it."""
    if len(left) == 0:
        return np.zeros(0)
    sizes = np.column_stack([left.sum(axis=1), right.sum(axis=1)])
    share = shares(sizes)
    after = share[:, 0] * impurity(left) + share[:, 1] * impurity(right)
    known = sizes.sum(axis=1)
    gains = known / (known + unknown) * (impurity(left + right) - after)
    return np.asarray(np.maximum(gains, 0.0), dtype=np.float64)


def _best_of_numbers(
    x: Floats, y: Floats, weight: Floats, unknown: float, error: Callable[..., float]
) -> BestThreshold | None:
    distinct = np.unique(x)
    if distinct.size < 2:
        return None
    known = float(weight.sum())
    before = error(y, weights=weight)
    reductions = []
    for highest in distinct[:-1]:
        low = x <= highest
        low_share = float(weight[low].sum()) / known
        after = low_share * error(y[low], weights=weight[low]) + (1 - low_share) * error(y[~low], weights=weight[~low])
        reductions.append(known / (known + unknown) * (before - after))
    return _first_best(_midpoints(distinct), np.maximum(reductions, 0.0), 1e-10 * before)


def _first_best(thresholds: Floats, gains: Floats, tolerance: float) -> BestThreshold | None:
    if gains.size == 0:
        return None
    position = int(np.flatnonzero(gains >= gains.max() - tolerance)[0])
    return BestThreshold(float(thresholds[position]), float(gains[position]), gains.size)


def _known_rows(x: Floats, y: NDArray[_T], weights: ArrayLike | None) -> tuple[Floats, NDArray[_T], Floats]:
    """Return the rows whose value is known and whose weight is above 0."""
    if y.shape != x.shape:
        raise DataError(f"x and y must be columns of one length, but have the shapes {x.shape} and {y.shape}.")
    weight = row_weights(weights, x.size)
    kept = ~np.isnan(x) & (weight > 0)
    return x[kept], y[kept], weight[kept]


def _midpoints(distinct: Floats) -> Floats:
    """Return the midpoints of ascending values; the lower value where rounding leaves no number between."""
    low, high = distinct[:-1], distinct[1:]
    middle = low / 2 + high / 2
    return np.where((middle >= low) & (middle < high), middle, low)

"""Costs: attribute-selection measures that weigh gain against the price of a test, and the price of wrong labels."""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from quercus.arrays import Floats
from quercus.errors import DataError, checked_number
from quercus.measures.counts import as_counts, as_weights


def _result(values: Floats) -> float | Floats:
    """Return a float for a single number, else the array."""
    return float(values) if values.ndim == 0 else values


def _price(cost: ArrayLike, measure: str) -> Floats:
    """Return costs that are divided by, which must be above 0."""
    price = as_weights(cost, "cost")
    if (price == 0).any():
        raise DataError(f"cost must be above 0 for {measure}, which divides by it, but 0 was given; use nunez or eg2.")
    return price


@overload
def tan_schlimmer(gain: float, cost: float) -> float: ...
@overload
def tan_schlimmer(gain: Floats, cost: Floats) -> Floats: ...
def tan_schlimmer(gain: ArrayLike, cost: ArrayLike) -> float | Floats:
    """Tan & Schlimmer's measure (CS-ID3), made for a robot whose sonar readings take seconds.

    Formula: ``gain² / cost``.

    Parameters
    ----------
    gain : information gain in bits, a number or an array.
    cost : cost of testing the attribute, above 0.

    >>> tan_schlimmer(0.5, 2.0)
    0.125
    """
    return _result(as_weights(gain, "gain") ** 2 / _price(cost, "tan_schlimmer"))


@overload
def nunez(gain: float, cost: float, w: float = 1.0) -> float: ...
@overload
def nunez(gain: Floats, cost: Floats, w: float = 1.0) -> Floats: ...
def nunez(gain: ArrayLike, cost: ArrayLike, w: float = 1.0) -> float | Floats:
    """Nunez's measure, made for medical tests: useful over useless information, per cost.

    Formula: ``(2^gain − 1) / (cost + 1)^w``.

    Parameters
    ----------
    gain : information gain in bits, a number or an array.
    cost : cost of testing the attribute, from 0 (a pulse) up (a blood test, 150).
    w : importance of cost, from 0 (ignored: the order is that of gain) to 1.

    >>> nunez(1.0, 0.0, w=1)
    1.0
    >>> nunez(1.0, 3.0, w=0.5)
    0.5
    """
    w = checked_number("w", w, "from 0 (cost ignored) to 1", lambda number: 0.0 <= number <= 1.0)
    useful = np.expm1(as_weights(gain, "gain") * np.log(2.0))
    return _result(np.asarray(useful / (as_weights(cost, "cost") + 1.0) ** w, dtype=np.float64))


@overload
def eg2(gain: float, cost: float) -> float: ...
@overload
def eg2(gain: Floats, cost: Floats) -> Floats: ...
def eg2(gain: ArrayLike, cost: ArrayLike) -> float | Floats:
    """EG2's information cost function as commonly compared: Nunez's measure with cost at full importance.

    Formula: ``(2^gain − 1) / (cost + 1)``. (EG2 also generalises values by a hierarchy; that is no part of a measure.)

    Parameters
    ----------
    gain : information gain in bits, a number or an array.
    cost : cost of testing the attribute, from 0.

    >>> eg2(1.0, 3.0)
    0.25
    """
    return nunez(as_weights(gain, "gain"), as_weights(cost, "cost"), w=1.0)


@overload
def idx(gain: float, cost: float) -> float: ...
@overload
def idx(gain: Floats, cost: Floats) -> Floats: ...
def idx(gain: ArrayLike, cost: ArrayLike) -> float | Floats:
    """IDX's measure (Norton): bits per unit of cost.

    Formula: ``gain / cost``.

    Parameters
    ----------
    gain : information gain in bits, a number or an array.
    cost : cost of testing the attribute, above 0.

    >>> idx(0.5, 2.0)
    0.25
    """
    return _result(as_weights(gain, "gain") / _price(cost, "idx"))


def _loss(cost_matrix: ArrayLike) -> Floats:
    loss = as_weights(cost_matrix, "cost_matrix")
    if loss.ndim != 2 or loss.shape[0] != loss.shape[1] or loss.size == 0:
        raise DataError(f"cost_matrix must be square, classes × classes, but the shape {loss.shape} was given.")
    if np.diagonal(loss).any():
        raise DataError("cost_matrix must be 0 on its diagonal: a right label costs nothing.")
    return loss


def expected_costs(counts: ArrayLike, cost_matrix: ArrayLike) -> Floats:
    """Expected cost of each label at a node, under a misclassification cost matrix.

    Formula: cost of label j ``= Σ_i p_i·L(i, j)``; the label of a node is the first of least expected cost. With
    L = 1 off the diagonal it is the misclassification error of each label.

    Parameters
    ----------
    counts : class counts, weights or probabilities at the node.
    cost_matrix : L(i, j), the cost of calling an example of class i (row) a j (column); 0 on the diagonal.

    >>> expected_costs([8, 2], [[0, 1], [10, 0]])  # missing one of the second class costs 10
    array([2. , 0.8])
    """
    row, loss = as_counts(counts), _loss(cost_matrix)
    if row.size != len(loss):
        raise DataError(f"counts must match cost_matrix: {len(loss)} classes are needed, but {row.size} were given.")
    if not row.sum() > 0:
        raise DataError("counts must not all be 0: an empty node has no expected cost.")
    return np.asarray(row / row.sum() @ loss, dtype=np.float64)


def cost_multipliers(cost_matrix: ArrayLike) -> Floats:
    """Class multipliers of a cost matrix: how much heavier a class weighs in growing, so that its errors cost more.

    Formula: multiplier of class i ``= k·Σ_j L(i, j) / Σ_ij L(i, j)``, k the number of classes; their mean is 1. For two
    classes this is exact (altered priors); for more it is the usual reduction of the matrix to one number per class.

    Parameters
    ----------
    cost_matrix : L(i, j), the cost of calling an example of class i (row) a j (column); 0 on the diagonal.

    >>> cost_multipliers([[0, 1], [3, 0]])
    array([0.5, 1.5])
    """
    loss = _loss(cost_matrix)
    if not loss.sum() > 0:
        raise DataError("cost_matrix must hold at least one cost above 0.")
    return np.asarray(len(loss) * loss.sum(axis=1) / loss.sum(), dtype=np.float64)

"""Labels: from class shares to one class, by the most likely, the least expected cost or a decision threshold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus import _core
from quercus.data.costs import MOST_COST, are_costs
from quercus.errors import ParameterError

#: Shares this close are tied: sums over several leaves may differ in their last bits.
TIE = 1e-12


def label_codes(
    distribution: NDArray[np.float64], cost_matrix: ArrayLike | None = None, threshold: float | None = None
) -> NDArray[np.intp]:
    r"""The position of the class to answer for each row of class shares.

    distribution: class shares, rows × classes. threshold: a share that the second of two classes must reach.

    The most likely class; with costs L(i, j) of predicting j when i is true the class j of least expected cost
    :math:`\sum_i p_i L(i, j)`; with a threshold, for two classes, the second if its share is at least that. Ties (to
    1e-12) go to the first class.

    >>> p = np.array([[0.375, 0.625]])
    >>> label_codes(p), label_codes(p, threshold=0.6), label_codes(p, threshold=0.7)
    (array([1]), array([1]), array([0]))
    >>> label_codes(p, cost_matrix=[[0, 10], [1, 0]])
    array([0])
    """
    shares = np.asarray(distribution, dtype=np.float64)
    if shares.ndim != 2 or shares.shape[1] == 0:
        raise ParameterError(f"distribution has the shape {shares.shape}, but must be rows × classes.")
    if threshold is not None:
        if cost_matrix is not None:
            raise ParameterError("threshold and cost_matrix are two ways to choose a class. Give one of them.")
        return _above(shares, threshold)
    if cost_matrix is not None:
        costs = checked_costs(cost_matrix, shares.shape[1])
        expected = shares @ costs
        return _first_largest(-expected, TIE * max(1.0, float(np.abs(costs).max())))
    return _first_largest(shares, TIE)


def labels_from(
    distribution: NDArray[np.float64],
    classes: Any,
    cost_matrix: ArrayLike | None = None,
    threshold: float | None = None,
) -> NDArray[Any]:
    """The class to answer for each row of class shares; parameters as in :func:`label_codes`.

    classes: the names of the columns of the distribution.

    >>> labels_from(np.array([[0.375, 0.625], [0.5, 0.5]]), ("No", "Yes"), threshold=0.6)
    array(['Yes', 'No'], dtype='<U3')
    """
    codes = label_codes(distribution, cost_matrix, threshold)
    names = _as_array(classes)
    if len(names) != np.shape(distribution)[1]:
        raise ParameterError(
            f"There are {len(names)} classes for {np.shape(distribution)[1]} columns: give one per column."
        )
    return names[codes]


def _first_largest(scores: NDArray[np.float64], tolerance: float) -> NDArray[np.intp]:
    return np.asarray(_core.first_largest(np.ascontiguousarray(scores), tolerance), dtype=np.intp)


def _above(shares: NDArray[np.float64], threshold: float) -> NDArray[np.intp]:
    if shares.shape[1] != 2:
        raise ParameterError(f"threshold={threshold!r} decides between two classes, but there are {shares.shape[1]}.")
    if not 0.0 <= threshold <= 1.0:
        raise ParameterError(f"threshold is {threshold!r}, but must be a share from 0 to 1.")
    return np.asarray(shares[:, 1] >= threshold - TIE, dtype=np.intp)


def checked_costs(cost_matrix: ArrayLike, n_classes: int, *, negative: bool = True) -> NDArray[np.float64]:
    """A cost matrix as an array, refused if it is not of this many classes. negative: whether costs may be below 0."""
    costs = np.asarray(cost_matrix, dtype=np.float64)
    if costs.shape != (n_classes, n_classes) or not are_costs(np.abs(costs) if negative else costs):
        allowed = "numbers up to" if negative else "numbers from 0 to"
        raise ParameterError(
            f"cost_matrix has the shape {costs.shape}, but must be {n_classes} × {n_classes} {allowed} "
            f"{MOST_COST:g}: row = true class, column = predicted class."
        )
    return costs


def _as_array(classes: Any) -> NDArray[Any]:
    """The class names as an array that keeps their types."""
    if isinstance(classes, np.ndarray):
        return classes
    if len({type(label) for label in classes}) == 1 and type(classes[0]) in (str, bool, int, float):
        return np.array(classes)
    names = np.empty(len(classes), dtype=object)
    names[:] = classes
    return names

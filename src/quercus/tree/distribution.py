"""Distributions: what each node predicts, with empty leaves resolved from above, optionally smoothed; and its label."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.data.costs import MOST_COST, are_costs
from quercus.errors import ParameterError, shorten

if TYPE_CHECKING:
    from quercus.tree.tree import Tree

Floats = NDArray[np.float64]


def sources(tree: Tree) -> NDArray[np.int32]:
    """The node that speaks for each node: itself, or for one of weight 0 the nearest ancestor that has weight."""
    source = np.arange(tree.n_nodes, dtype=np.int32)
    empty = tree.weight <= 0
    empty[0] = False
    source[empty] = tree.parent[empty]
    while True:
        further = source[source]
        if np.array_equal(further, source):
            return source
        source = further


def effective_counts(tree: Tree) -> Floats:
    """The class weights each node predicts from.

    An empty leaf under ``parent_distribution`` has its parent's; under ``parent_class`` one example of its parent's
    majority class (the first if tied).
    """
    source = sources(tree)
    counts = np.array(tree.value[source])
    if tree.empty_leaf == "parent_class":
        borrowed = np.flatnonzero(source != np.arange(tree.n_nodes))
        majority = tree.value[source[borrowed]].argmax(axis=1)
        counts[borrowed] = 0.0
        counts[borrowed, majority] = tree.case_weight
    return counts


def class_weights(tree: Tree, added: ArrayLike = 0.0) -> Floats:
    """The class weights of each node with what smoothing adds; without any weight, all 1."""
    counts = effective_counts(tree) + np.asarray(added, dtype=np.float64)
    counts[counts.sum(axis=1) <= 0] = 1.0
    return counts


def class_distributions(tree: Tree, added: ArrayLike = 0.0) -> Floats:
    r"""Class shares of each node, :math:`(c_j + a_j) / \sum_i (c_i + a_i)`; without any weight, equal shares."""
    counts = class_weights(tree, added)
    counts /= counts.sum(axis=1, keepdims=True)
    return counts


def added_weights(tree: Tree, laplace: bool, m_estimate: float | None, prior: ArrayLike | None) -> Floats:
    """What smoothing adds to each class weight: one case (Laplace), or m times the class's prior share (m-estimate)."""
    n_classes = tree.value.shape[1]
    if m_estimate is None:
        if prior is not None:
            raise ParameterError(
                "prior is given without m_estimate, which uses it. Give m_estimate too, or leave prior out."
            )
        return np.full(n_classes, tree.case_weight if laplace else 0.0)
    if laplace:
        raise ParameterError("laplace=True and m_estimate are two ways of smoothing. Choose one of them.")
    if not (isinstance(m_estimate, int | float | np.number) and 0 <= m_estimate < np.inf):
        raise ParameterError(f"m_estimate is {shorten(m_estimate)}, but must be a finite number, 0 or more.")
    shares = class_distributions(tree)[0] if prior is None else np.asarray(prior, dtype=np.float64)
    if shares.shape != (n_classes,) or not np.isfinite(shares).all() or (shares < 0).any() or shares.sum() <= 0:
        raise ParameterError(
            f"prior is {shorten(prior)}, but must hold one number of at least 0 for each of the {n_classes} classes."
        )
    return np.asarray(float(m_estimate) * tree.case_weight * shares / shares.sum(), dtype=np.float64)


def read_smoothing(smoothing: Any) -> tuple[bool, float | None]:
    """Smoothing as estimators take it, None, "laplace" or ("m", m), as the arguments ``laplace`` and ``m_estimate``.

    >>> read_smoothing(None), read_smoothing("laplace"), read_smoothing(("m", 2))
    ((False, None), (True, None), (False, 2.0))
    """
    if smoothing is None:
        return False, None
    if isinstance(smoothing, str) and smoothing == "laplace":
        return True, None
    if isinstance(smoothing, tuple | list) and len(smoothing) == 2 and smoothing[0] == "m":
        return False, float(smoothing[1])
    raise ParameterError(
        f'smoothing is {shorten(smoothing)}, but must be None, "laplace", or ("m", m) with a number m of at least 0.'
    )


def least_cost_labels(distribution: Floats, cost_matrix: ArrayLike) -> NDArray[np.int64]:
    r"""The class of least expected cost, :math:`\min_j \sum_i p_i L(i, j)`; the first if tied.

    >>> least_cost_labels(np.array([[0.8, 0.2]]), [[0, 1], [10, 0]])
    array([1])
    """
    costs = np.asarray(cost_matrix, dtype=np.float64)
    n_classes = distribution.shape[1]
    if costs.shape != (n_classes, n_classes) or not are_costs(np.abs(costs)):
        raise ParameterError(
            f"cost_matrix has the shape {costs.shape}, but must be {n_classes} × {n_classes} numbers up to "
            f"{MOST_COST:g}: row = true class, column = predicted class."
        )
    return np.asarray((distribution @ costs).argmin(axis=1), dtype=np.int64)

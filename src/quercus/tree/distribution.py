"""Distributions: what each node predicts, with empty leaves resolved from above, optionally smoothed; and its label."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.arrays import Floats
from quercus.errors import ParameterError, shorten
from quercus.targets.classes import Classes
from quercus.targets.labels import checked_costs, label_codes

if TYPE_CHECKING:
    from quercus.tree.tree import Tree


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


def borrowed_case(tree: Tree) -> float | None:
    """What the one example weighs by which an empty leaf answers its parent's class; None: it answers as its parent."""
    return tree.case_weight if tree.empty_leaf == "parent_class" else None


def effective_counts(tree: Tree) -> Floats:
    """The class weights each node predicts from.

    An empty leaf under ``parent_distribution`` has its parent's; under ``parent_class`` one example of its parent's
    majority class (the first if tied).
    """
    return _classes(tree).node_counts(tree.value, sources(tree), borrowed_case(tree))


def class_weights(tree: Tree, added: ArrayLike = 0.0) -> Floats:
    """The class weights of each node with what smoothing adds; without any weight, all 1."""
    return _classes(tree).node_weights(tree.value, sources(tree), borrowed_case(tree), added)


def node_answers(tree: Tree, smoothing: Any = None) -> Floats:
    """What each node answers: class shares, smoothed as estimators say it, or numbers, which are not smoothed."""
    return tree.distributions(*tree.target_kind.smoothing(smoothing))


def _classes(tree: Tree) -> Classes:
    assert isinstance(tree.target_kind, Classes)
    return tree.target_kind


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
    shares = tree.distributions()[0] if prior is None else np.asarray(prior, dtype=np.float64)
    if shares.shape != (n_classes,) or not np.isfinite(shares).all() or (shares < 0).any() or shares.sum() <= 0:
        raise ParameterError(
            f"prior is {shorten(prior)}, but must hold one number of at least 0 for each of the {n_classes} classes."
        )
    return np.asarray(float(m_estimate) * tree.case_weight * shares / shares.sum(), dtype=np.float64)


def least_cost_labels(distribution: Floats, cost_matrix: ArrayLike) -> NDArray[np.int64]:
    r"""The class of least expected cost, :math:`\min_j \sum_i p_i L(i, j)`; the first if tied.

    >>> least_cost_labels(np.array([[0.8, 0.2]]), [[0, 1], [10, 0]])
    array([1])
    """
    costs = checked_costs(cost_matrix, distribution.shape[1])
    return np.asarray(label_codes(distribution, costs), dtype=np.int64)

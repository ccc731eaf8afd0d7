"""Minimum-error pruning: cut where the error expected of new examples is no higher."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from quercus.data.weights import named_costs
from quercus.errors import ParameterError, shorten
from quercus.pruning.bottom_up import compare_upwards
from quercus.pruning.method import PruningMethod
from quercus.pruning.node_errors import refuse_numbers
from quercus.pruning.result import Pruned, Removal
from quercus.tree.tree import Tree


@named_costs
def minimum_error(
    tree: Tree,
    m: float | Literal["classes"] = 2.0,
    prior: ArrayLike | Literal["root", "uniform"] = "root",
    *,
    cost_matrix: Any = None,
) -> Pruned:
    r"""Cut, from the leaves up, where a leaf's expected error is at most that of its branches. Needs no further rows.

    Formula: the probability of class j at a node of N examples, n_j of them of class j, is the m-estimate
    :math:`p_j = (n_j + m \pi_j) / (N + m)`; the *static* error of a node is :math:`1 - p_{label}`, its *backed-up*
    error :math:`\sum_c (N_c / N)\, e(c)` over its branches c, each after its own cuts. The node becomes a leaf if the
    static error is not above the backed-up one (Niblett & Bratko 1986; with m, Cestnik & Bratko 1991).

    m: how many examples the prior is worth; more prunes more. ``"classes"``: their number, which with the uniform prior
    is Laplace's law, the first form of the method. prior: π, ``"root"`` (the class shares of all training examples),
    ``"uniform"``, or one number per class. cost_matrix: L(i, j); then expected costs take the place of errors.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.grow import grow
    >>> tree = grow(encode({"x": [1, 2, 3, 4, 5]}), encode_classes(["No", "No", "No", "Yes", "No"]), cart_recipe())
    >>> print(minimum_error(tree, m=2))
    minimum_error: 5 nodes, 3 leaves, as before
    >>> print(minimum_error(tree, m=4))
    minimum_error: 5 nodes → 3 nodes, 3 leaves → 2 leaves
    node 2 → leaf: expected error 0.3 as a leaf, 0.4 with its branches
    """
    refuse_numbers(tree, "minimum_error")
    n_classes = tree.target_kind.n_classes
    shares = tree.distributions(m_estimate=_strength(m, n_classes), prior=_prior(tree, prior, n_classes))
    labels = tree.labels(cost_matrix)
    costs = 1.0 - np.eye(n_classes) if cost_matrix is None else np.asarray(cost_matrix, dtype=np.float64)
    expected = (shares * costs.T[labels]).sum(axis=1)
    weight = tree.weight
    static = expected * weight
    tie = 1e-10 * float(np.abs(static).max(initial=0.0))
    comparison = compare_upwards(tree, static, None, tie)
    removals = []
    for node in np.flatnonzero(comparison.cut).tolist():
        leaf = float(expected[node])
        below = float(comparison.below[node] / weight[node]) if weight[node] > 0 else leaf
        word = "error" if cost_matrix is None else "cost"
        reason = f"expected {word} {leaf:.4g} as a leaf, {below:.4g} with its branches"
        removals.append(
            Removal(node, "leaf", reason, {"static": leaf, "backed_up": below, "weight": float(weight[node])})
        )
    return Pruned(tree.collapse(comparison.cut), "minimum_error", tuple(removals), before=tree)


def _strength(m: object, n_classes: int) -> float:
    if isinstance(m, str):
        if m == "classes":
            return float(n_classes)
    elif isinstance(m, int | float | np.number) and not isinstance(m, bool) and 0 <= m < np.inf:
        return float(m)
    raise ParameterError(f'm is {shorten(m)}, but must be a finite number of at least 0, or "classes".')


def _prior(tree: Tree, prior: ArrayLike | str, n_classes: int) -> ArrayLike | None:
    if not isinstance(prior, str):
        return prior
    if prior not in ("root", "uniform"):
        raise ParameterError(f'prior is {shorten(prior)}, but must be "root", "uniform" or one number per class.')
    return np.full(n_classes, 1.0 / n_classes) if prior == "uniform" else None


MINIMUM_ERROR = PruningMethod(
    "minimum_error",
    "a leaf takes the place of a question where the error expected of new examples is not higher",
    lambda situation, options: minimum_error(situation.tree, m=float(options["m"]), cost_matrix=situation.costs),
    reads=("m",),
    place=6,
    compare=lambda situation: ("m 2", minimum_error(situation.tree, cost_matrix=situation.costs)),
)

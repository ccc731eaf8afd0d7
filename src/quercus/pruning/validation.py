"""Validation rows: holding out a share of them, and pre-pruning by them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.arrays import Integers
from quercus.data.dataset import ClassTarget, Dataset
from quercus.data.names import short_number
from quercus.data.weights import named_costs
from quercus.errors import ParameterError, checked_random, shorten
from quercus.pruning.bottom_up import topmost
from quercus.pruning.method import PruningMethod, Situation, validation_rows
from quercus.pruning.node_errors import node_errors
from quercus.pruning.result import Pruned, Removal
from quercus.tree.layout import LEAF
from quercus.tree.tree import Tree


@named_costs
def stop_by_validation(
    tree: Tree,
    dataset: Dataset,
    target: ClassTarget | NDArray[Any],
    *,
    weights: ArrayLike | None = None,
    cost_matrix: Any = None,
    min_rise: float = 0.0,
) -> Pruned:
    r"""Pre-pruning by validation rows: try a split, keep it only if it raises the accuracy on them.

    A question at v is kept if :math:`E(v\ as\ a\ leaf) - \sum_c E(c\ as\ a\ leaf)` is above ``min_rise`` · (weight of
    all validation rows), from the root down; c are its branches and E the errors of the validation rows there.
    Otherwise v is a leaf and nothing below it is looked at.

    This gives exactly the tree that growing with this stop would give. What a node asks depends only on the examples
    that reach it, and those only on the questions above it; so every node that growing with the stop ever makes is a
    node of the full tree, with the same question, examples and label, and the stop is decided from these alone. (Not so
    if nodes compete while growing, as with ``max_leaf_nodes``, or if the tree has been pruned before.)

    It is quicker but short-sighted: of two questions that help only together (XOR) the first is not kept.
    :func:`reduced_error` looks at whole subtrees.

    dataset, target, weights, cost_matrix: as in :func:`reduced_error`. min_rise: the share of accuracy (or the mean
    cost, the mean squared error) that a split must bring more than.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.grow import grow
    >>> data = encode({"x": [1, 2, 3, 4, 5]})
    >>> tree = grow(data, encode_classes(["No", "No", "No", "Yes", "No"]), cart_recipe())
    >>> print(stop_by_validation(tree, data, encode_classes(["No", "No", "No", "Yes", "Yes"])))
    stop_by_validation: 5 nodes → 1 node, 3 leaves → 1 leaf
    node 0 → leaf: errors 2 as a leaf, 2 with this one split, on validation rows of weight 5: no rise
    """
    if not (isinstance(min_rise, int | float | np.number) and np.isfinite(min_rise)):
        raise ParameterError(f"min_rise is {shorten(min_rise)}, but must be a finite number; 0 asks for any rise.")
    errors = node_errors(tree, dataset, target, weights, cost_matrix)
    rise = errors.as_leaf - errors.children_as_leaves
    mask = (tree.kind != LEAF) & (rise <= float(min_rise) * errors.total_weight + errors.tie)
    removals = []
    for node in topmost(tree, mask).tolist():
        leaf, split, weight = (float(a[node]) for a in (errors.as_leaf, errors.children_as_leaves, errors.weight))
        figures = {"leaf": leaf, "split": split, "weight": weight, "needed": float(min_rise) * errors.total_weight}
        verdict = "no rise" if min_rise == 0 else f"not more than {short_number(figures['needed'])} less"
        reason = (
            f"{errors.unit} {short_number(leaf)} as a leaf, {short_number(split)} with this one split, on validation "
            f"rows of weight {short_number(weight)}: {verdict}"
        )
        removals.append(Removal(node, "leaf", reason, figures))
    return Pruned(tree.collapse(mask), "stop_by_validation", tuple(removals), before=tree)


def hold_out(
    n_rows: int, share: float = 1 / 3, seed: int | np.random.Generator = 0, stratify: ArrayLike | None = None
) -> tuple[Integers, Integers]:
    """Split rows into training and validation rows; returns the positions of both, ascending.

    n_rows: how many there are. share: of the validation rows, between 0 and 1; their number is rounded, and both parts
    get at least one. seed: the same seed gives the same rows. stratify: class codes, one per row; then every class is
    held out in the same share, as nearly as whole rows allow.

    >>> training, validation = hold_out(9, share=1 / 3, seed=1, stratify=[0, 0, 0, 0, 0, 0, 1, 1, 1])
    >>> len(training), len(validation), int((validation >= 6).sum())
    (6, 3, 1)
    """
    if isinstance(n_rows, bool) or not isinstance(n_rows, int | np.integer) or n_rows < 2:
        raise ParameterError(
            f"n_rows is {shorten(n_rows)}, but must be a whole number of at least 2: one for each part."
        )
    if not (isinstance(share, int | float | np.number) and 0.0 < share < 1.0):
        raise ParameterError(f"share is {shorten(share)}, but must be between 0 and 1; 1/3 is usual.")
    size = min(max(round(float(share) * n_rows), 1), int(n_rows) - 1)
    order = checked_random("seed", seed).permutation(int(n_rows))
    held = order[:size] if stratify is None else _stratified(order, np.asarray(stratify), size)
    mask = np.zeros(int(n_rows), dtype=bool)
    mask[held] = True
    return np.flatnonzero(~mask), np.flatnonzero(mask)


def _stratified(order: Integers, codes: NDArray[Any], size: int) -> Integers:
    """The first rows of each class in the shuffled order: its share rounded down, the rest by largest remainder."""
    if codes.shape != order.shape:
        raise ParameterError(
            f"stratify has the shape {codes.shape}, but must hold one class for each of {len(order)} rows."
        )
    _, position, counts = np.unique(codes, return_inverse=True, return_counts=True)
    exact = counts * (size / len(order))
    taken = np.floor(exact + 1e-9).astype(np.int64)
    extra = np.argsort(taken - exact, kind="stable")[: size - int(taken.sum())]
    taken[extra] += 1
    shuffled = position.reshape(-1)[order]
    by_class = np.argsort(shuffled, kind="stable")
    start = np.concatenate([[0], np.cumsum(counts)[:-1]])
    rank = np.empty(len(order), dtype=np.int64)
    rank[by_class] = np.arange(len(order)) - np.repeat(start, counts)
    held: Integers = order[rank < taken[shuffled]]
    return held


def _prune(situation: Situation) -> Pruned:
    tree, rows, costs = situation.tree, validation_rows(situation), situation.costs
    return stop_by_validation(tree, rows.dataset, rows.target, weights=rows.weights, cost_matrix=costs)


STOP_BY_VALIDATION = PruningMethod(
    "stop_by_validation",
    "from the root down, a question stays only where unseen rows are answered better",
    lambda situation, options: _prune(situation),
    rows="validation",
    numbers=True,
    place=2,
    compare=lambda situation: ("", _prune(situation)),
)

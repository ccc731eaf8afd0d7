"""Reduced-error pruning: cut where rows that the tree has not seen are answered no worse."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.arrays import Floats
from quercus.data.dataset import ClassTarget, Dataset
from quercus.data.names import short_number
from quercus.data.weights import named_costs
from quercus.errors import checked_choice
from quercus.pruning.bottom_up import Comparison, compare_upwards, topmost
from quercus.pruning.method import PruningMethod, Situation, validation_rows
from quercus.pruning.node_errors import NodeErrors, node_errors
from quercus.pruning.result import Cut, Pruned, Removal
from quercus.tree.layout import LEAF
from quercus.tree.tree import Tree

Order = Literal["best_first", "bottom_up", "greedy"]
ORDERS: tuple[Order, ...] = get_args(Order)


@named_costs
def reduced_error(
    tree: Tree,
    dataset: Dataset,
    target: ClassTarget | NDArray[Any],
    *,
    weights: ArrayLike | None = None,
    order: Order | str = "best_first",
    cost_matrix: Any = None,
) -> Pruned:
    r"""Replace questions by leaves of the training majority while the validation rows are answered no worse.

    A cut at v helps by :math:`gain(v) = E(subtree\ of\ v) - E(v\ as\ a\ leaf)`, E the errors of the validation rows
    there. A cut of gain 0 is made: the smaller tree is as good. So a node that no validation row reaches is cut.

    order:

    - ``"bottom_up"``: from the leaves to the root, each node after everything below it. The result is the smallest of
      the most accurate subtrees.
    - ``"best_first"``: as taught, the node whose cut helps most, again and again, until any further cut harms (ties:
      the larger subtree, then the lower number); but a node is left alone if some version of its subtree is better than
      its leaf. The same tree as bottom-up, its cuts in the order of their worth.
    - ``"greedy"``: the same without that exception. A cut that helps most now may take away two smaller ones that
      together help more, so that this result can be less accurate than the other two, never worse than no pruning.

    dataset, target: the validation rows, encoded by the tree's schema. weights: one per row. cost_matrix: L(i, j), the
    cost of answering j when i is true; then leaves answer by least cost, and costs take the place of errors. A
    regression tree is pruned by squared error, one of quantiles by pinball loss. A row of unknown value counts in each
    branch it follows by its part.

    The result's ``sequence`` has the accuracy (or mean cost, mean squared error) on the validation rows after each cut,
    ``table`` that before the first and after the last.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.grow import grow
    >>> data = encode({"x": [1, 2, 3, 4, 5, 6]})
    >>> tree = grow(data, encode_classes(["No", "No", "Yes", "No", "Yes", "Yes"]), cart_recipe())
    >>> pruned = reduced_error(tree, data, encode_classes(["No", "No", "No", "No", "Yes", "Yes"]))
    >>> print(pruned.tree)
    x <= 2.5: No (2)
    x > 2.5
    |   x <= 4.5: No (2: 1 No, 1 Yes)
    |   x > 4.5: Yes (2)
    >>> print(pruned.sequence[0])
    cut node 3: 3 leaves left, accuracy 1, errors 0, gain 1
    """
    checked_choice("order", order, ORDERS)
    errors = node_errors(tree, dataset, target, weights, cost_matrix)
    standing = _standing(tree, errors)
    if order == "greedy":
        steps = _greedy(tree, errors, standing)
    else:
        comparison = compare_upwards(tree, errors.as_leaf, errors.staying, errors.tie)
        steps = (
            _upwards(comparison, errors) if order == "bottom_up" else _best_first(tree, comparison, errors, standing)
        )
    return _pruned(tree, steps, errors, float(standing[0]))


@dataclass(frozen=True)
class _Steps:
    """Cuts in order: the nodes, the gain of each, and how many nodes and leaves stood below it when it was made."""

    nodes: NDArray[np.int64]
    gains: Floats
    descendants: NDArray[np.int64]
    leaves: NDArray[np.int64]


def _standing(tree: Tree, errors: NodeErrors) -> Floats:
    """The cost of every subtree as it stands: of its leaves, and of rows that stay at a question."""
    total = np.where(tree.kind == LEAF, errors.as_leaf, errors.staying).tolist()
    parent = tree.parent.tolist()
    for node in range(tree.n_nodes - 1, 0, -1):
        total[parent[node]] += total[node]
    return np.array(total)


def _upwards(comparison: Comparison, errors: NodeErrors) -> _Steps:
    nodes = np.flatnonzero(comparison.cut)[::-1]
    gains = comparison.below[nodes] - errors.as_leaf[nodes]
    return _Steps(nodes, gains, comparison.descendants[nodes], comparison.leaves[nodes])


def _best_first(tree: Tree, comparison: Comparison, errors: NodeErrors, standing: Floats) -> _Steps:
    """The topmost nodes of the best pruning, those that help most first. No cut changes what another one is worth."""
    nodes = topmost(tree, comparison.cut)
    gains = standing[nodes] - errors.as_leaf[nodes]
    descendants, leaves = _sizes(tree)
    order = np.lexsort((nodes, -descendants[nodes], -_worths(gains, errors.tie)))
    nodes = nodes[order]
    return _Steps(nodes, gains[order], descendants[nodes], leaves[nodes])


def _greedy(tree: Tree, errors: NodeErrors, standing: Floats) -> _Steps:
    """The node that helps most, again and again, from a heap.

    A cut takes from the gain and the size of the nodes above it and changes no other, so a number in the heap is never
    too low: what comes out on top is looked at again, and is the best if it has not changed.
    """
    size, leaves = _sizes(tree)
    gain = standing - errors.as_leaf
    inner = np.flatnonzero(tree.kind != LEAF)
    keys = (-_worths(gain, errors.tie)).tolist()
    heap = [(keys[node], -int(size[node]), node) for node in inner.tolist()]
    heapq.heapify(heap)
    gone = np.zeros(tree.n_nodes, dtype=bool)
    lost = _RangeSums(tree.n_nodes)
    steps: list[tuple[int, float, int, int]] = []
    while heap:
        known = heapq.heappop(heap)
        node = known[2]
        if gone[node]:
            continue
        first, end = int(tree.first_child[node]), int(tree.descendants_end[node])
        less_gain, less_nodes, less_leaves = lost.between(first, end)
        now = float(gain[node]) - less_gain
        key = (-float(_worths(now, errors.tie)), int(less_nodes) - int(size[node]), node)
        if key > known:
            heapq.heappush(heap, key)
            continue
        if now < -errors.tie:
            break
        steps.append((node, max(now, 0.0), -key[1], int(leaves[node] - less_leaves)))
        lost.add(node, steps[-1][1], float(-key[1]), float(steps[-1][3] - 1))
        gone[first:end] = True
    columns = np.array(steps, dtype=np.float64).reshape(-1, 4).T
    return _Steps(columns[0].astype(np.int64), columns[1], columns[2].astype(np.int64), columns[3].astype(np.int64))


class _RangeSums:
    """Three sums over ranges of nodes that can be added to at a node, each in steps of the order log n (Fenwick)."""

    def __init__(self, n_nodes: int) -> None:
        self.sums = [[0.0] * (n_nodes + 1) for _ in range(3)]

    def add(self, node: int, *amounts: float) -> None:
        place = node + 1
        a, b, c = self.sums
        while place < len(a):
            a[place] += amounts[0]
            b[place] += amounts[1]
            c[place] += amounts[2]
            place += place & -place

    def between(self, first: int, end: int) -> tuple[float, float, float]:
        a, b, c = self.sums
        x = y = z = 0.0
        for place, sign in ((end, 1.0), (first, -1.0)):
            while place:
                x, y, z = x + sign * a[place], y + sign * b[place], z + sign * c[place]
                place -= place & -place
        return x, y, z


def _sizes(tree: Tree) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many nodes, and how many leaves, stand below each node."""
    first, end = tree.first_child, tree.descendants_end
    return (end - first).astype(np.int64), tree.leaves_before[end] - tree.leaves_before[first]


def _worths(gains: Any, tie: float) -> Any:
    """The gains in steps of what rounding may change, so that equal ones compare as equal."""
    return np.round(gains / tie) if tie > 0 else gains


def _pruned(tree: Tree, steps: _Steps, errors: NodeErrors, before: float) -> Pruned:
    """Collapse, and write down what was compared at each cut."""
    mask = np.zeros(tree.n_nodes, dtype=bool)
    mask[steps.nodes] = True
    cost_after = before - np.cumsum(steps.gains)
    n_nodes = tree.n_nodes - np.cumsum(steps.descendants)
    n_leaves = tree.n_leaves - np.cumsum(steps.leaves - 1)
    sequence, removals = [], []
    columns = (steps.nodes, steps.gains, cost_after, n_nodes, n_leaves)
    for node, gain, cost, nodes_left, leaves_left in zip(*(column.tolist() for column in columns), strict=True):
        sequence.append(Cut(node, nodes_left, leaves_left, {**errors.rates(cost), "gain": gain}))
        removals.append(_removal(node, gain, float(errors.as_leaf[node]), float(errors.weight[node]), errors.unit))
    table = {
        "before": errors.rates(before),
        "after": errors.rates(float(cost_after[-1]) if len(cost_after) else before),
    }
    return Pruned(tree.collapse(mask), "reduced_error", tuple(removals), tuple(sequence), table, tree)


def _removal(node: int, gain: float, as_leaf: float, weight: float, unit: str) -> Removal:
    figures = {"leaf": as_leaf, "subtree": as_leaf + gain, "weight": weight}
    if weight <= 0:
        return Removal(node, "leaf", "no validation row comes here, so a leaf does no harm", figures)
    reason = (
        f"{unit} {short_number(as_leaf)} as a leaf, {short_number(as_leaf + gain)} with its subtree, on validation "
        f"rows of weight {short_number(weight)}"
    )
    return Removal(node, "leaf", reason, figures)


def _prune(situation: Situation) -> Pruned:
    rows = validation_rows(situation)
    return reduced_error(situation.tree, rows.dataset, rows.target, weights=rows.weights, cost_matrix=situation.costs)


REDUCED_ERROR = PruningMethod(
    "reduced_error",
    "a leaf takes the place of a question where unseen rows are answered no worse",
    lambda situation, options: _prune(situation),
    rows="validation",
    numbers=True,
    place=3,
    compare=lambda situation: ("", _prune(situation)),
)

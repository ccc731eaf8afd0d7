"""Routing by hand: send rows through a tree in plain Python, to check what the tree says it holds and predicts."""

from __future__ import annotations

import numpy as np

from quercus.data import Dataset
from quercus.tree.tree import Tree

THRESHOLD, MULTIWAY = 1, 2


def cell(dataset: Dataset, attribute: int, row: int) -> float | None:
    """A cell as a number, None if it is unknown."""
    value = float(dataset.columns[attribute][row])
    nominal = not dataset.schema[attribute].is_numeric
    return None if value != value or (nominal and value < 0) else value


def known_child(tree: Tree, node: int, value: float) -> int | None:
    """The position of the child that a known value leads to, None if the value has no branch."""
    if tree.kind[node] == THRESHOLD:
        return 0 if value <= tree.threshold[node] else 1
    if tree.kind[node] == MULTIWAY:
        return int(value)
    here = slice(tree.group_start[node], tree.group_start[node + 1])
    return dict(zip(tree.group_value[here].tolist(), tree.group_child[here].tolist(), strict=True)).get(int(value))


def surrogate_child(tree: Tree, node: int, dataset: Dataset, row: int) -> int | None:
    """The position of the child that the first surrogate with a known value leads to."""
    for s in range(int(tree.surrogate_start[node]), int(tree.surrogate_start[node + 1])):
        value = cell(dataset, int(tree.surrogate_attribute[s]), row)
        if value is None:
            continue
        if tree.surrogate_kind[s] == THRESHOLD:
            low = int(tree.surrogate_low_child[s])
            return low if value <= tree.surrogate_threshold[s] else 1 - low
        here = slice(tree.surrogate_group_start[s], tree.surrogate_group_start[s + 1])
        values, children = tree.surrogate_group_value[here].tolist(), tree.surrogate_group_child[here].tolist()
        if value in values:
            return int(children[values.index(value)])
    return None


def shares(tree: Tree, node: int, dataset: Dataset, row: int) -> dict[int, float]:
    """Which children (node numbers) a row goes to, and with which share of its weight."""
    first, count = int(tree.first_child[node]), int(tree.n_children[node])
    value = cell(dataset, int(tree.attribute[node]), row)
    child = None if value is None else known_child(tree, node, value)
    if child is None:
        child = surrogate_child(tree, node, dataset, row)
    if child is None and tree.missing_child[node] >= 0:
        child = int(tree.missing_child[node])
    if child is not None:
        return {first + child: 1.0}
    weights = tree.weight[first : first + count]
    return {first + i: float(w / weights.sum()) for i, w in enumerate(weights) if w > 0}


def visits(tree: Tree, dataset: Dataset, row: int) -> dict[int, float]:
    """Every node a row reaches, and with which share of its weight."""
    reached = {0: 1.0}
    for node in range(tree.n_nodes):  # children have greater numbers
        if node in reached and tree.kind[node] != 0:
            for child, share in shares(tree, node, dataset, row).items():
                reached[child] = reached[node] * share
    return reached


def predict(tree: Tree, dataset: Dataset, row: int) -> np.ndarray:
    """Class shares of a row: summed over all leaves that it reaches."""
    distributions = tree.distributions()
    reached = visits(tree, dataset, row)
    return sum((share * distributions[node] for node, share in reached.items() if tree.kind[node] == 0), np.zeros(1))

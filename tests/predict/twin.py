"""The routing rules once more, in plain Python: what the core's answers are compared with."""

from __future__ import annotations

from typing import Any

import numpy as np

from quercus.data import Dataset
from quercus.tree import Tree

Reached = list[tuple[int, float, bool]]


def own_branch(tree: Tree, node: int, value: Any) -> int:
    """The child position that a value takes, −1 if it is unknown there."""
    if tree.kind[node] == 1:
        return -1 if np.isnan(value) else int(not float(value) <= tree.threshold[node])
    if value < 0:
        return -1
    if tree.kind[node] == 2:
        return int(value) if value < tree.n_children[node] else -1
    here = slice(tree.group_start[node], tree.group_start[node + 1])
    return child_of(value, tree.group_value[here], tree.group_child[here])


def child_of(value: Any, values: Any, children: Any) -> int:
    """The child of a value by a list of values and one of their children, −1 if it is not listed."""
    return dict(zip(values.tolist(), children.tolist(), strict=True)).get(int(value), -1)


def surrogate_branch(tree: Tree, node: int, row: list[Any]) -> int:
    """The child position that the first surrogate which knows the row gives it, −1 if none does."""
    for s in range(tree.surrogate_start[node], tree.surrogate_start[node + 1]):
        value = row[tree.surrogate_attribute[s]]
        if tree.surrogate_kind[s] == 1:
            if not np.isnan(value):
                low = int(tree.surrogate_low_child[s])
                return low if float(value) <= tree.surrogate_threshold[s] else 1 - low
            continue
        here = slice(tree.surrogate_group_start[s], tree.surrogate_group_start[s + 1])
        child = child_of(value, tree.surrogate_group_value[here], tree.surrogate_group_child[here])
        if child >= 0:
            return child
    return -1


def reached(tree: Tree, row: list[Any], node: int = 0, weight: float = 1.0) -> Reached:
    """Every node that the row reaches, left to right, with the part of it that does and whether the part ends there."""
    if tree.kind[node] == 0:
        return [(node, weight, True)]
    child = own_branch(tree, node, row[tree.attribute[node]])
    if child < 0:
        child = surrogate_branch(tree, node, row)
    if child < 0:
        child = int(tree.missing_child[node])
    first = int(tree.first_child[node])
    if child >= 0:
        return [(node, weight, False), *reached(tree, row, first + child, weight)]
    weights = [float(w) for w in tree.weight[first : first + tree.n_children[node]]]
    total = 0.0
    for w in weights:
        total += w
    if total == 0:
        return [(node, weight, True)]
    result: Reached = [(node, weight, False)]
    for position, w in enumerate(weights):
        if w > 0:
            result += reached(tree, row, first + position, weight * (w / total))
    return result


def all_reached(tree: Tree, dataset: Dataset) -> list[Reached]:
    """Of every row, the nodes it reaches."""
    return [reached(tree, [column[r] for column in dataset.columns]) for r in range(dataset.n_rows)]


def distributions(routes: list[Reached], values: np.ndarray) -> np.ndarray:
    """The values of the nodes where each row ends, summed by weight, left to right."""
    result = np.zeros((len(routes), values.shape[1]))
    for r, route in enumerate(routes):
        for node, weight, last in route:
            if last:
                result[r] += weight * values[node]
    return result


def leaves(routes: list[Reached]) -> list[int]:
    """The node where most of each row ends, the first if tied."""
    ends = [[(weight, node) for node, weight, last in route if last] for route in routes]
    return [max(parts, key=lambda part: part[0])[1] for parts in ends]


def test_costs(tree: Tree, routes: list[Reached]) -> np.ndarray:
    """Every test that a row is put to, by the row's part there, unless a test above it has paid for the attribute."""
    costs = [attribute.cost for attribute in tree.schema]
    result = np.zeros(len(routes))
    for r, route in enumerate(routes):
        for node, weight, _ in route:
            if tree.kind[node] and tree.attribute[node] not in _attributes_above(tree, node):
                result[r] += weight * costs[tree.attribute[node]]
    return result


test_costs.__test__ = False  # type: ignore[attr-defined]


def _attributes_above(tree: Tree, node: int) -> set[int]:
    above = set()
    while tree.parent[node] >= 0:
        node = int(tree.parent[node])
        above.add(int(tree.attribute[node]))
    return above


def class_sums(tree: Tree, routes: list[Reached], codes: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The class weights that reach each node."""
    assert tree.classes is not None
    result = np.zeros((tree.n_nodes, len(tree.classes)))
    for r, route in enumerate(routes):
        for node, weight, _ in route:
            result[node, codes[r]] += weights[r] * weight
    return result


def moments(tree: Tree, routes: list[Reached], target: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The weight, mean and squared deviation of the numbers that reach each node."""
    result = np.zeros((tree.n_nodes, 3))
    gathered: list[list[tuple[float, float]]] = [[] for _ in range(tree.n_nodes)]
    for r, route in enumerate(routes):
        for node, weight, _ in route:
            gathered[node].append((weights[r] * weight, target[r]))
    for node, pairs in enumerate(gathered):
        w, y = np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs])
        if w.sum() > 0:
            mean = (w * y).sum() / w.sum()
            result[node] = w.sum(), mean, (w * (y - mean) ** 2).sum()
    return result

"""Binary trees of other libraries as trees of Quercus that answer numbers: links are checked, nodes numbered anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from quercus.arrays import Array, Floats, Integers
from quercus.data.schema import Schema
from quercus.errors import DataError
from quercus.targets import Numbers
from quercus.tree.layout import LEAF
from quercus.tree.questions import Subset, Threshold
from quercus.tree.tree import Tree

#: So many nodes may one tree have.
MOST_NODES = 5_000_000
#: A leaf without any weight would answer as the node above it; imported leaves answer for themselves.
LEAST_WEIGHT = 1e-9


@dataclass(frozen=True, eq=False)
class Nodes:
    """The nodes of a tree, in the order of another library; the root is 0.

    left, right: the children; −1: a leaf. attribute: the position of the attribute in question. cut: branch 0 (left)
    takes values up to it. sets: instead of a cut, the branch of each value of the attribute, by node. missing: the
    branch of an unknown value. answer: the number of a leaf. weight, count: of the examples; gain: the gain of the
    question, summed over all examples.
    """

    left: Integers
    right: Integers
    attribute: Integers
    cut: Floats
    missing: Integers
    answer: Floats
    weight: Floats
    count: Integers
    gain: Floats
    sets: Mapping[int, Integers] = field(default_factory=dict)


def depth_first(left: Integers, right: Integers, place: str) -> Integers:
    """The nodes in depth-first order with the two children of a node side by side; links that make no tree are refused.

    place: names the tree in messages.

    >>> depth_first(np.array([1, -1, 3, -1, -1]), np.array([2, -1, 4, -1, -1]), "tree 0").tolist()
    [0, 1, 2, 3, 4]
    """
    ups, downs = left.tolist(), right.tolist()
    if not ups:
        raise DataError(f"{place} has no nodes.")
    order, stack = [0], [0]
    seen = np.zeros(len(ups), dtype=bool)
    seen[0] = True
    while stack:
        node = stack.pop()
        if ups[node] < 0 and downs[node] < 0:
            continue
        children = [ups[node], downs[node]]
        for child in children:
            if not 0 <= child < len(ups):
                raise DataError(f"{place}, node {node}: its child {child} is no node; there are {len(ups)}.")
            if seen[child]:
                raise DataError(f"{place}, node {node}: its child {child} is a child already, or the root.")
            seen[child] = True
        order += children
        stack += reversed(children)
    return np.array(order, dtype=np.int64)


def unrolled(left: Integers, right: Integers, place: str) -> tuple[Integers, Integers]:
    """The same for links that may come together again: a node of several parents is copied for each.

    Gives the old number of each new node, and the new number of its first child (0: a leaf). There must be no circle.
    """
    ups, downs = left.tolist(), right.tolist()
    order, first, stack = [0], [0], [0]
    while stack:
        number = stack.pop()
        node = order[number]
        if ups[node] < 0:
            continue
        first[number] = len(order)
        order += [ups[node], downs[node]]
        first += [0, 0]
        stack += [len(order) - 1, len(order) - 2]
        if len(order) > MOST_NODES:
            raise DataError(f"{place} has more than {MOST_NODES:,} nodes, which is the most.")
    return np.array(order, dtype=np.int64), np.array(first, dtype=np.int64)


def number_tree(nodes: Nodes, schema: Schema, place: str) -> Tree:
    """The tree of some nodes whose links :func:`depth_first` has checked. place: names it in messages."""
    order, first = unrolled(nodes.left, nodes.right, place)
    inner = first > 0
    sets = [nodes.sets.get(node) for node in order.tolist()]
    by_set = np.array([one is not None for one in sets]) & inner
    weight = np.maximum(nodes.weight[order], LEAST_WEIGHT)
    lengths = [0 if one is None else len(one) for one in sets]
    children = [one for one in sets if one is not None]
    arrays: dict[str, Array] = {
        "kind": np.where(by_set, Subset.kind, np.where(inner, Threshold.kind, LEAF)).astype(np.uint8),
        "attribute": np.where(inner, nodes.attribute[order], 0),
        "threshold": np.where(inner & ~by_set, nodes.cut[order], np.nan),
        "first_child": first,
        "n_children": np.where(inner, 2, 0),
        "missing_child": np.where(inner, nodes.missing[order], -1),
        "weight": weight,
        "count": nodes.count[order],
        "gain": np.where(inner, nodes.gain[order] / weight / np.bincount(order)[order], 0.0),
        "value": _values(nodes.answer[order], weight, first),
        "group_start": np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        "group_child": np.concatenate(children) if children else np.zeros(0, dtype=np.int64),
    }
    try:
        return Tree.from_arrays(arrays, schema, Numbers(), criterion="squared_error")
    except DataError as error:
        raise DataError(f"{place} is not one that Quercus can hold: {error}") from error


def _values(answer: Floats, weight: Floats, first: Integers) -> Floats:
    """The columns of each node: its number, twice, and the squared deviations of the leaves below from it.

    An inner node has the mean of its leaves by their weights.
    """
    mean, squares = answer.astype(np.float64), np.zeros(len(answer))
    total = weight.copy()
    for node in np.flatnonzero(first)[::-1].tolist():
        one, two = int(first[node]), int(first[node]) + 1
        total[node] = total[one] + total[two]
        share = total[one] / total[node]
        mean[node] = share * mean[one] + (1.0 - share) * mean[two]
        apart = (mean[one] - mean[two]) ** 2 * share * total[two]
        squares[node] = squares[one] + squares[two] + apart
    return np.column_stack([mean, mean, squares])

"""Nodes of a tree that an import reads: the question and the answer of each, and the tree that they form."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from quercus.arrays import Array, Floats
from quercus.data.schema import Schema
from quercus.data.weights import read_cost_matrix
from quercus.errors import DataError, shorten
from quercus.fitted.decision import Decision
from quercus.fitted.model import Model, model_of
from quercus.targets import kind_of
from quercus.targets.labels import label_codes
from quercus.tree.layout import listed_values
from quercus.tree.numbering import renumbered
from quercus.tree.tree import Tree

_THRESHOLD, _MULTIWAY, _GROUPED, _SUBSET = 1, 2, 3, 4
_SURROGATE_GROUPS = ("surrogate_group_start", "surrogate_group_value", "surrogate_group_child")


@dataclass(frozen=True)
class Ask:
    """One question: branch 0 up to a cut, 1 above (``swapped``: the other way round); or the branch of each code.

    attribute: its position. table: −1: the value has no branch.
    """

    attribute: int
    cut: float = math.nan
    table: tuple[int, ...] | None = None
    swapped: bool = False


@dataclass
class ReadNode:
    """A node.

    value: class weights; or for numbers the answer, the mean and the squared deviations. weight, count: of the training
    rows. ask: its question; None: it is a leaf. missing: the branch of unknown values; −1: all branches, by their
    weights. name: the name of the node in the source. label: the position of the class that it answers; None: the most
    likely class.
    """

    value: list[float]
    weight: float = 0.0
    count: int = 0
    ask: Ask | None = None
    children: list[ReadNode] = field(default_factory=list)
    missing: int = -1
    surrogates: list[Ask] = field(default_factory=list)
    name: str = ""
    label: int | None = None


def walked(root: ReadNode) -> list[ReadNode]:
    """All nodes, level by level; the children of a node stand side by side."""
    nodes = [root]
    for node in nodes:
        nodes.extend(node.children)
    return nodes


def tree_of(root: ReadNode, schema: Schema, classes: Sequence[Any] | None, *, empty_leaf: str = "parent_class") -> Tree:
    """The tree of these nodes. classes: None: it answers numbers. empty_leaf: as of ``Tree.from_arrays``."""
    nodes, kind = walked(root), kind_of(classes)
    n_values = [attribute.n_values for attribute in schema]
    first, place = [], 1
    for node in nodes:
        first.append(place if node.children else 0)
        place += len(node.children)
    kinds = [_kind(node, n_values) for node in nodes]
    groups = [_table(node.ask) if kind in (_GROUPED, _SUBSET) else () for node, kind in zip(nodes, kinds, strict=True)]
    arrays: dict[str, Array] = {
        "kind": np.array(kinds, dtype=np.uint8),
        "attribute": np.array([node.ask.attribute if node.ask else 0 for node in nodes], dtype=np.int32),
        "threshold": np.array([node.ask.cut if node.ask else math.nan for node in nodes]),
        "first_child": np.array(first, dtype=np.int32),
        "n_children": np.array([len(node.children) for node in nodes], dtype=np.int32),
        "missing_child": np.array([node.missing if node.ask else -1 for node in nodes], dtype=np.int32),
        "weight": np.array([node.weight for node in nodes], dtype=np.float64),
        "count": np.array([node.count for node in nodes], dtype=np.int64),
        "gain": _gains(nodes, not kind.has_shares),
        "value": np.array([node.value for node in nodes], dtype=np.float64),
        **dict(zip(("group_start", "group_value", "group_child"), _groups(groups), strict=True)),
        **_surrogates(nodes),
    }
    criterion = "gini" if kind.has_shares else "squared_error"
    return Tree.from_arrays(renumbered(arrays), schema, kind, criterion=criterion, empty_leaf=empty_leaf)


def _gains(nodes: list[ReadNode], numbers: bool) -> Floats:
    """The decrease of the Gini impurity, or of the squared error, by each question."""
    value = np.array([node.value for node in nodes], dtype=np.float64)
    shares = value[:, :1] if numbers else value / np.maximum(value.sum(axis=1, keepdims=True), 1e-300)
    weight = np.array([node.weight for node in nodes])
    parent = np.repeat(np.arange(len(nodes)), [len(node.children) for node in nodes])  # of all nodes but the root
    total = np.maximum(np.bincount(parent, weight[1:], len(nodes)), 1e-300)
    mean, gain = np.zeros_like(shares), np.zeros(len(nodes))
    np.add.at(mean, parent, weight[1:, None] * shares[1:] / total[parent, None])
    np.add.at(gain, parent, weight[1:] * ((shares[1:] - mean[parent]) ** 2).sum(axis=1) / total[parent])
    return gain


def _kind(node: ReadNode, n_values: list[int]) -> int:
    if node.ask is None:
        return 0
    if node.ask.table is None:
        return _THRESHOLD
    size = n_values[node.ask.attribute]
    each = node.ask.table == tuple(range(size))
    if each and (len(node.children) == size or (len(node.children) == size + 1 and node.missing == size)):
        return _MULTIWAY
    return _SUBSET if len(node.children) == 2 else _GROUPED


def _table(ask: Ask | None) -> tuple[int, ...]:
    return () if ask is None or ask.table is None else ask.table


def _starts(groups: Sequence[Sequence[Any]]) -> Array:
    return np.concatenate([[0], np.cumsum([len(group) for group in groups], dtype=np.int64)]).astype(np.int64)


def _groups(groups: Sequence[Sequence[int]]) -> tuple[Array, Array, Array]:
    """The table of the values that have a child. groups: of each node the child of each declared value, −1 for none."""
    return listed_values(_starts(groups), np.array([child for group in groups for child in group], dtype=np.int32))


def _surrogates(nodes: list[ReadNode]) -> dict[str, Array]:
    """The arrays of all surrogates of the tree."""
    asks = [ask for node in nodes for ask in node.surrogates]
    groups = [_table(ask) for ask in asks]
    return {
        "surrogate_start": _starts([node.surrogates for node in nodes]),
        "surrogate_kind": np.array([_THRESHOLD if ask.table is None else _SUBSET for ask in asks], dtype=np.uint8),
        "surrogate_attribute": np.array([ask.attribute for ask in asks], dtype=np.int32),
        "surrogate_threshold": np.array([ask.cut for ask in asks], dtype=np.float64),
        "surrogate_low_child": np.array([int(ask.swapped) for ask in asks], dtype=np.int32),
        "surrogate_agreement": np.zeros(len(asks)),
        "surrogate_adjusted": np.zeros(len(asks)),
        **dict(zip(_SURROGATE_GROUPS, _groups(groups), strict=True)),
    }


def labelled_model(root: ReadNode, schema: Schema, classes: Sequence[Any] | None, cost_matrix: Any = None) -> Model:
    """The model of a tree whose leaves name their classes, which need not be the most likely ones; or of numbers.

    classes: None: the tree answers numbers. cost_matrix: as in the estimators: the costs by which the classes were
    chosen. Without it the most likely class is answered; with two classes, the share from which the second is answered
    is found if it is not one half.
    """
    tree = tree_of(root, schema, classes)
    classes = tree.classes
    if not classes:
        return model_of(tree)
    leaves = [node for node in walked(root) if node.ask is None]
    shares = np.array([node.value for node in leaves], dtype=np.float64)
    shares /= np.maximum(shares.sum(axis=1, keepdims=True), 1e-300)
    plain = label_codes(shares)
    named = np.array([code if node.label is None else node.label for node, code in zip(leaves, plain, strict=True)])
    costs = read_cost_matrix(cost_matrix, list(classes))
    if costs is not None:
        plain = label_codes(shares, costs)
        decision = Decision(costs=costs)
    elif len(classes) == 2 and (plain != named).any():
        least = float(shares[named == 1, 1].min(initial=1.0))
        decision, plain = Decision(threshold=least), label_codes(shares, threshold=least)
    else:
        decision = Decision()
    wrong = np.flatnonzero(plain != named)
    if len(wrong):
        leaf, code = leaves[wrong[0]], int(named[wrong[0]])
        raise DataError(
            f"Node {shorten(leaf.name)} answers {classes[code]!r}, though {classes[int(plain[wrong[0]])]!r} is to be "
            "answered by the shares there. If mistakes had different costs, give them as cost_matrix."
        )
    return model_of(tree if decision.is_plain else tree.answering(decision))

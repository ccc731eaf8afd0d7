"""Trees whose rows follow one branch at every question, as one ``TreeEnsemble`` of ONNX (ai.onnx.ml 5).

It answers for each tree the number of its answer; answers are looked up behind it, so that no sum is the operator's.
Older versions have ``TreeEnsembleRegressor``, which knows thresholds only. It compares doubles, and answers float32,
which hold the numbers of answers.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from quercus.export.onnx_pieces import Pieces
from quercus.export.program import TreeTable
from quercus.export.two_branches import chain
from quercus.tree.questions import kinds_that

_DOMAIN = "ai.onnx.ml"
_AT_MOST, _MEMBER = 0, 6  # modes of a node: x <= split, x in a set


def is_plain(table: TreeTable, pieces: Pieces) -> bool:
    """Whether the operator can express a tree: rows follow one branch at every question, by that question alone."""
    if table.spreads or table.has_surrogates:
        return False
    kinds = table.tree.kind[table.tree.n_children > 0]
    return pieces.opsets[_DOMAIN] >= 5 or bool(kinds_that(kinds, lambda kind: kind.has_threshold).all())


def ensemble(pieces: Pieces, cells: str, tables: list[TreeTable], inputs: list[int]) -> str:
    """The number of each tree's answer: [rows, trees]. inputs: the positions of the attributes that cells hold."""
    trees = _Nodes(inputs)
    for place, table in enumerate(tables):
        trees.add(table, place)
    from_array = pieces.onnx.numpy_helper.from_array
    if pieces.opsets[_DOMAIN] < 5:
        numbers = pieces.op("TreeEnsembleRegressor", [cells], domain=_DOMAIN, **_regressor(trees, from_array))
        return pieces.to_whole(numbers)
    sets = {"membership_values": from_array(np.array(trees.members))} if trees.members else {}
    numbers = pieces.op(
        "TreeEnsemble",
        [cells],
        domain=_DOMAIN,
        n_targets=len(tables),
        aggregate_function=1,
        post_transform=0,
        tree_roots=trees.roots,
        nodes_featureids=trees.feature,
        nodes_splits=from_array(np.array(trees.split)),
        nodes_modes=from_array(np.array(trees.mode, dtype=np.uint8)),
        nodes_truenodeids=trees.true,
        nodes_trueleafs=trees.true_leaf,
        nodes_falsenodeids=trees.false,
        nodes_falseleafs=trees.false_leaf,
        nodes_missing_value_tracks_true=trees.missing,
        leaf_targetids=trees.target,
        leaf_weights=from_array(np.array(trees.weight)),
        **sets,
    )
    return pieces.to_whole(numbers)


def _regressor(trees: _Nodes, from_array: Any) -> dict[str, Any]:
    """The same trees as attributes of a ``TreeEnsembleRegressor``: nodes numbered by tree, the leaves behind."""
    roots, target = np.array(trees.roots), np.array(trees.target)
    n_inner, n_leaves = len(trees.feature), len(target)
    tree = np.searchsorted(roots, np.arange(n_inner), side="right") - 1
    inner = np.arange(n_inner) - roots[tree]
    first = np.searchsorted(target, np.arange(len(roots)))
    leaf = np.bincount(tree)[target] + np.arange(n_leaves) - first[target]
    numbers, trees_of = np.concatenate([inner, leaf]), np.concatenate([tree, target])
    order = np.argsort(trees_of, kind="stable")  # the nodes of a tree stand together

    def ordered(values: Any, rest: Any = 0) -> Any:
        return np.concatenate([values, np.full(n_leaves, rest)])[order]

    def links(places: list[int], leaves: list[int]) -> list[int]:
        result: list[int] = ordered(numbers[np.array(places) + n_inner * np.array(leaves)]).tolist()
        return result

    return {
        "n_targets": len(roots),
        "nodes_treeids": trees_of[order].tolist(),
        "nodes_nodeids": numbers[order].tolist(),
        "nodes_featureids": ordered(trees.feature).tolist(),
        "nodes_values_as_tensor": from_array(ordered(np.array(trees.split), 0.0)),
        "nodes_modes": ordered(["BRANCH_LEQ"] * n_inner, "LEAF").tolist(),
        "nodes_truenodeids": links(trees.true, trees.true_leaf),
        "nodes_falsenodeids": links(trees.false, trees.false_leaf),
        "nodes_missing_value_tracks_true": ordered(trees.missing).tolist(),
        "target_treeids": trees.target,
        "target_nodeids": leaf.tolist(),
        "target_ids": trees.target,
        "target_weights_as_tensor": from_array(np.array(trees.weight)),
    }


class _Nodes:
    """The arrays of a ``TreeEnsemble``."""

    def __init__(self, inputs: list[int]) -> None:
        self.place = {position: number for number, position in enumerate(inputs)}
        self.roots: list[int] = []
        self.feature: list[int] = []
        self.split: list[float] = []
        self.mode: list[int] = []
        self.true: list[int] = []
        self.true_leaf: list[int] = []
        self.false: list[int] = []
        self.false_leaf: list[int] = []
        self.missing: list[int] = []
        self.members: list[float] = []
        self.target: list[int] = []
        self.weight: list[float] = []

    def add(self, table: TreeTable, target: int) -> None:
        """Add the nodes of a tree; the numbers of its answers go to one target."""
        self.roots.append(len(self.feature))
        if len(self.target) == len(self.feature) + 1:
            # onnxruntime below 1.24 takes a root whose children have the same number, a leaf and a question, for a leaf
            self.target.append(target)
            self.weight.append(0.0)
        stack: list[tuple[int, int, bool]] = [(0, -1, False)]
        while stack:
            node, parent, side = stack.pop()
            if not table.is_leaf(node):
                stack.extend(reversed(self._chain(table, node, parent, side)))
                continue
            leaf = self._leaf(table, node, target)
            if parent < 0:  # a tree must ask something: both branches of this question are the leaf
                parent = self._node(0, 0.0, _AT_MOST, 0)
                self._link(parent, not side, leaf, 1)
            self._link(parent, side, leaf, 1)

    def _chain(self, table: TreeTable, node: int, parent: int, side: bool) -> list[tuple[int, int, bool]]:
        """Add the questions with two branches that express one question; return the children, each with its place."""
        pairs, last = chain(table, node)
        below: list[tuple[int, int, bool]] = []
        for pair in pairs:
            if pair.cut is not None:
                here = self._node(self.place[pair.attribute], pair.cut, _AT_MOST, int(pair.unknown))
            else:
                here = self._node(self.place[pair.attribute], 0.0, _MEMBER, int(pair.unknown))
                self.members += [float(code) for code in pair.codes] + [math.nan]
            self._link(parent, side, here, 0)
            below.append((pair.child, here, True))
            parent, side = here, False
        return [*below, (last, parent, side)]

    def _node(self, feature: int, split: float, mode: int, missing: int) -> int:
        self.feature.append(feature)
        self.split.append(split)
        self.mode.append(mode)
        self.missing.append(missing)
        for links in (self.true, self.true_leaf, self.false, self.false_leaf):
            links.append(0)
        return len(self.feature) - 1

    def _leaf(self, table: TreeTable, node: int, target: int) -> int:
        self.target.append(target)
        self.weight.append(float(table.leaf_row[node]))
        return len(self.target) - 1

    def _link(self, parent: int, side: bool, place: int, leaf: int) -> None:
        if parent >= 0:
            (self.true if side else self.false)[parent] = place
            (self.true_leaf if side else self.false_leaf)[parent] = leaf

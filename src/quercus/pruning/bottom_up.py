"""Comparing from the leaves up: the least cost of a subtree, and where a leaf is no worse."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Floats
from quercus.tree.layout import LEAF
from quercus.tree.numbering import covered
from quercus.tree.tree import Tree

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Comparison:
    """For every node: the cost of its subtree after the cuts below it, whether it is cut, its descendants then.

    below: what the question and its best branches cost together (for a leaf of the tree: its cost). cut: whether a leaf
    costs no more. descendants, leaves: what is left below it when its turn comes (a leaf has 0 and 1).
    """

    below: Floats
    cut: Mask
    descendants: NDArray[np.int64]
    leaves: NDArray[np.int64]


def compare_upwards(tree: Tree, as_leaf: Floats, question: Floats | None = None, tolerance: float = 0.0) -> Comparison:
    r"""Cut, from the leaves up, where a leaf costs no more than the question and its branches at their best.

    Formula: :math:`best(v) = \min(leaf(v),\; q(v) + \sum_{c} best(c))` over the children c; v is cut if the leaf is at
    most ``tolerance`` above the rest. as_leaf: the cost of each node as a leaf. question: what asking costs, 0 if not
    given. One loop from the last node to the first, since children have greater numbers than their parents.
    """
    parent, inner = tree.parent.tolist(), (tree.kind != LEAF).tolist()
    leaf = as_leaf.tolist()
    below = [0.0] * tree.n_nodes if question is None else question.tolist()
    descendants, leaves, cut = [0] * tree.n_nodes, [0] * tree.n_nodes, [False] * tree.n_nodes
    for node in range(tree.n_nodes - 1, -1, -1):
        best, size, ends = leaf[node], 1, 1
        if not inner[node]:
            below[node], leaves[node] = best, 1
        elif best <= below[node] + tolerance:
            cut[node] = True
        else:
            best, size, ends = below[node], 1 + descendants[node], leaves[node]
        if node:
            above = parent[node]
            below[above] += best
            descendants[above] += size
            leaves[above] += ends
    return Comparison(np.array(below), np.array(cut), np.array(descendants), np.array(leaves))


def topmost(tree: Tree, mask: Mask) -> NDArray[np.int64]:
    """The questions of the mask that stand below no other node of it: what a collapse by the mask makes leaves."""
    chosen = mask & (tree.kind != LEAF)
    return np.flatnonzero(chosen & ~covered(tree.first_child, tree.descendants_end, chosen))


def sums_below(tree: Tree, per_node: NDArray[np.int64] | Floats) -> Floats:
    """The sum of a number over all descendants of each node; 0 for a leaf."""
    before = np.concatenate([[0.0], np.cumsum(per_node, dtype=np.float64)])
    return np.asarray(before[tree.descendants_end] - before[tree.first_child], dtype=np.float64)

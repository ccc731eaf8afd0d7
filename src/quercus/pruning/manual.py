"""Manual pruning: snip chosen nodes, keep to a depth, keep to a number of leaves."""

from __future__ import annotations

import heapq
import operator
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np

from quercus.data.names import counted, significant
from quercus.errors import ParameterError, checked_choice, shorten
from quercus.pruning.bottom_up import topmost
from quercus.pruning.result import Cut, Pruned, Removal
from quercus.tree.layout import LEAF
from quercus.tree.node import Node
from quercus.tree.tree import Tree

LeafOrder = Literal["gain", "alpha"]
LEAF_ORDERS: tuple[LeafOrder, ...] = get_args(LeafOrder)


def snip(tree: Tree, nodes: int | Node | Iterable[int | Node]) -> Pruned:
    """Make the nodes leaves of their training majority, whatever stands below them.

    nodes: numbers in this tree (as ``tree.walk()`` and ``to_text`` give them), or Node views of it; one or several.
    Leaves stay as they are.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.grow import grow
    >>> tree = grow(encode({"x": [1, 2, 3]}), encode_classes(["No", "Yes", "No"]), cart_recipe())
    >>> print(snip(tree, 2).tree)
    x <= 1.5: No (1)
    x > 1.5: No (2: 1 No, 1 Yes)
    """
    chosen = [nodes] if isinstance(nodes, Node) or not isinstance(nodes, Iterable) else list(nodes)
    mask = np.zeros(tree.n_nodes, dtype=bool)
    for node in chosen:
        mask[_number(tree, node)] = True
    return _by_hand(tree, mask, "snipped by hand")


def keep_depth(tree: Tree, depth: int) -> Pruned:
    """Keep at most so many questions on any path.

    depth: how many; 0 leaves only the root's majority.

    Growing with ``max_depth`` gives the same tree: what a node asks does not depend on what stands below it.
    """
    limit = _whole_number("depth", depth, 0)
    return _by_hand(tree, tree.node_depth == limit, f"stands at depth {limit}, the deepest allowed")


def keep_leaves(tree: Tree, n_leaves: int, order: LeafOrder | str = "gain") -> Pruned:
    r"""Cut the weakest questions until at most so many leaves are left.

    n_leaves: how many.

    order: ``"gain"`` cuts, among the questions whose branches are all leaves, the one of least weight · gain (what it
    does for the whole tree; ties: the higher number, which is the later branch), one after the other. ``"alpha"``
    follows the cost-complexity sequence (weakest link first) and takes its first tree that is small enough.

    A question of b branches takes b − 1 leaves with it, so the result may have fewer than asked for.
    """
    limit = _whole_number("n_leaves", n_leaves, 1)
    checked_choice("order", order, LEAF_ORDERS)
    return _by_gain(tree, limit) if order == "gain" else _by_alpha(tree, limit)


def _by_alpha(tree: Tree, limit: int) -> Pruned:
    from quercus.pruning.cost_complexity import cost_complexity_path

    if tree.n_leaves <= limit:
        return Pruned(tree, "keep_leaves", before=tree)
    path = cost_complexity_path(tree)
    return replace(path.pruned(float(path.alphas[np.argmax(path.n_leaves <= limit)])), method="keep_leaves")


def _by_gain(tree: Tree, limit: int) -> Pruned:
    inner = tree.kind != LEAF
    open_questions = np.bincount(tree.parent[1:], weights=inner[1:], minlength=tree.n_nodes).astype(int).tolist()
    strength = (tree.weight * tree.gain).tolist()
    heap = [(strength[node], -node) for node in np.flatnonzero(inner).tolist() if not open_questions[node]]
    heapq.heapify(heap)
    left, nodes_left = tree.n_leaves, tree.n_nodes
    mask = np.zeros(tree.n_nodes, dtype=bool)
    removals, sequence = [], []
    while left > limit:
        worth, minus = heapq.heappop(heap)
        node = -minus
        mask[node] = True
        branches = int(tree.n_children[node])
        left, nodes_left = left - branches + 1, nodes_left - branches
        figures = {"weight": float(tree.weight[node]), "gain": float(tree.gain[node]), "weight · gain": worth}
        reason = f"the weakest question left, weight · gain = {significant(worth)}"
        removals.append(Removal(node, "leaf", reason, figures))
        sequence.append(Cut(node, nodes_left, left, figures))
        if node:
            above = int(tree.parent[node])
            open_questions[above] -= 1
            if not open_questions[above]:
                heapq.heappush(heap, (strength[above], -above))
    return Pruned(tree.collapse(mask), "keep_leaves", tuple(removals), tuple(sequence), None, tree)


def _by_hand(tree: Tree, mask: np.ndarray[Any, np.dtype[np.bool_]], reason: str) -> Pruned:
    removals = []
    for node in topmost(tree, mask).tolist():
        below = int(tree.leaves_before[tree.descendants_end[node]] - tree.leaves_before[tree.first_child[node]])
        text = f"{reason}; {counted(below, 'leaf', 'leaves')} below it went"
        removals.append(Removal(node, "leaf", text, {"leaves": float(below), "depth": float(tree.node_depth[node])}))
    return Pruned(tree.collapse(mask), "manual", tuple(removals), before=tree)


def _number(tree: Tree, node: object) -> int:
    if isinstance(node, Node):
        if node.tree is not tree:
            raise ParameterError(f"{node!r} is a node of another tree. Give nodes of the tree to be cut.")
        return node.id
    try:
        number = operator.index(node)  # type: ignore[arg-type]
    except TypeError:
        raise ParameterError(f"nodes holds {shorten(node)}, but must hold numbers of nodes or Node views.") from None
    return tree.node(number).id


def _whole_number(name: str, value: object, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ParameterError(f"{name} is {shorten(value)}, but must be a whole number of at least {least}.")
    return int(value)

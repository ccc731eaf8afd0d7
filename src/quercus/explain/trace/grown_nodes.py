"""Which node of the grown tree each node of the pruned tree was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quercus.tree.layout import LEAF
from quercus.tree.tree import Tree

if TYPE_CHECKING:
    from quercus.pruning.result import Pruned


def grown_nodes(pruned: Pruned) -> tuple[int | None, ...]:
    """The number in ``pruned.before`` of every node of ``pruned.tree``; None where that cannot be told.

    A node in the place of a question whose branch was raised is the root of that branch.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.grow import grow
    >>> from quercus.pruning import snip
    >>> data = encode({"x": [1, 2, 3, 4, 5]})
    >>> tree = grow(data, encode_classes(["No", "Yes", "No", "Yes", "Yes"]), cart_recipe())
    >>> tree.n_nodes, grown_nodes(snip(tree, [1]))
    (7, (0, 1, 2))
    """
    before, after = pruned.before, pruned.tree
    if before is None:
        return (None,) * after.n_nodes
    places: list[int | None] = [None] * after.n_nodes
    places[0] = _place(pruned, before, 0, 0)
    for node in range(after.n_nodes):
        place, size = places[node], int(after.n_children[node])
        if place is None or not size:
            continue
        first, there = int(after.first_child[node]), int(before.first_child[place])
        for branch in range(size):
            places[first + branch] = _place(pruned, before, first + branch, there + branch)
    return tuple(places)


def kept_nodes(pruned: Pruned | None, tree: Tree) -> list[int]:
    """The nodes of the grown tree that pruning left, those that it made leaves among them."""
    if pruned is None or pruned.before is None:
        return list(range(tree.n_nodes))
    return sorted({place for place in grown_nodes(pruned) if place is not None})


def _place(pruned: Pruned, before: Tree, node: int, place: int) -> int | None:
    """The node that now stands at a place of the grown tree: the node itself, or a branch that was raised to it."""
    removal = pruned.why(place)
    raised = removal is not None and removal.node == place and removal.action == "raised"
    if not raised:
        return place if _same_question(pruned.tree, node, before, place) else None
    first, size = int(before.first_child[place]), int(before.n_children[place])
    heaviest = max(before.weight[first : first + size])
    branches = [child for child in range(first, first + size) if before.weight[child] >= heaviest * (1 - 1e-9)]
    places = [_place(pruned, before, node, branch) for branch in branches]
    return next((place for place in places if place is not None), None)


def _same_question(after: Tree, node: int, before: Tree, place: int) -> bool:
    """Whether the two ask the same, or the pruned one is a leaf."""
    if after.kind[node] == LEAF:
        return True
    return after.kind[node] == before.kind[place] and after.node(node).test == before.node(place).test

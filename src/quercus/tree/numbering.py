"""Numbering: parents, depths and descendants of nodes that are numbered depth first with children side by side.

The root is 0; a node's children get the next free numbers together, then each child's subtree follows in turn. So a
child's number is greater than its parent's, and all descendants of a node fill one range
``first_child[v] … descendants_end[v] − 1``. Every function here is a few passes over whole arrays, never a loop over
nodes: a chain of a million nodes is as easy as a balanced tree.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Array
from quercus.errors import DataError
from quercus.tree.layout import joined_ranges, taken

Int32 = NDArray[np.int32]


def parents(first_child: Array, n_children: Array) -> Int32:
    """The parent of every node; −1 for the root.

    >>> parents(np.array([1, 0, 3, 0, 0]), np.array([2, 0, 2, 0, 0])).tolist()
    [-1, 0, 0, 2, 2]
    """
    result = np.full(len(first_child), -1, dtype=np.int32)
    inner = np.flatnonzero(n_children)
    result[joined_ranges(first_child[inner], n_children[inner])] = np.repeat(inner, n_children[inner])
    return result


def depths(parent: Int32) -> Int32:
    """The number of tests above every node, by pointer doubling: as many passes as log2 of the depth.

    >>> depths(np.array([-1, 0, 0, 2, 2], dtype=np.int32)).tolist()
    [0, 1, 1, 2, 2]
    """
    ancestor = np.maximum(parent, 0)
    depth = np.minimum(np.arange(len(parent), dtype=np.int32), 1).astype(np.int32)
    while ancestor.any():
        depth += depth[ancestor]
        ancestor = ancestor[ancestor]
    return depth


def descendants_ends(parent: Int32, first_child: Array, n_children: Array) -> Int32:
    """One past the last descendant of every node (a leaf: 0 descendants, so its ``first_child``, which is 0).

    >>> first_child, n_children = np.array([1, 3, 0, 0, 0]), np.array([2, 2, 0, 0, 0])
    >>> descendants_ends(parents(first_child, n_children), first_child, n_children).tolist()
    [5, 5, 0, 0, 0]
    """
    last = _last_inner_descendants(parent, n_children)
    return (first_child[last] + n_children[last]).astype(np.int32)


def _last_inner_descendants(parent: Int32, n_children: Array) -> Int32:
    """Follow the last child that has children itself, as far as it goes, for all nodes at once."""
    last = np.arange(len(parent), dtype=np.int32)
    inner = np.flatnonzero(n_children[1:]).astype(np.int32) + np.int32(1)
    last[parent[inner]] = inner  # ascending, so the last child wins
    while True:
        further = last[last]
        if np.array_equal(further, last):
            return last
        last = further


def first_misnumbered(parent: Int32, first_child: Array, n_children: Array) -> tuple[int, int] | None:
    """The first node whose children do not stand where depth-first numbering puts them, and where that is.

    >>> breadth_first = np.array([1, 3, 5, 0, 7, 0, 0, 0, 0]), np.array([2, 2, 2, 0, 2, 0, 0, 0, 0])
    >>> first_misnumbered(parents(*breadth_first), *breadth_first)
    (4, 5)
    """
    end = descendants_ends(parent, first_child, n_children)
    inner = np.flatnonzero(n_children[1:]) + 1
    above = parent[inner]
    expected = first_child[above] + n_children[above]
    same = np.flatnonzero(above[1:] == above[:-1]) + 1
    expected[same] = end[inner[same - 1]]  # the subtree of the sibling before
    wrong = np.flatnonzero(first_child[inner] != expected)
    if not len(wrong):
        return None
    first = wrong[np.argmin(expected[wrong])]
    return int(inner[first]), int(expected[first])


def covered(first_child: Array, end: Array, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The nodes that stand below a node of the mask."""
    change = np.zeros(len(first_child) + 1, dtype=np.int64)
    chosen = np.flatnonzero(mask & (end > 0))
    np.add.at(change, first_child[chosen], 1)
    np.add.at(change, end[chosen], -1)
    return np.asarray(np.cumsum(change[:-1]) > 0)


def depth_first_order(first_child: Array, n_children: Array) -> NDArray[np.int64]:
    """The old numbers of the nodes in the order that depth-first numbering gives them.

    Needs only that every node but the root has one parent and children stand side by side; children may stand anywhere.

    >>> depth_first_order(np.array([1, 3, 5, 0, 7, 0, 0, 0, 0]), np.array([2, 2, 2, 0, 2, 0, 0, 0, 0])).tolist()
    [0, 1, 2, 3, 4, 7, 8, 5, 6]
    """
    first, size = first_child.tolist(), n_children.tolist()
    order, stack = [0], [0]
    while stack:
        node = stack.pop()
        if not size[node]:
            continue
        children = range(first[node], first[node] + size[node])
        order.extend(children)
        stack.extend(reversed(children))
        if len(order) > len(first):
            break
    if sorted(order) != list(range(len(first))):
        raise DataError(
            f"The nodes do not form one tree: following the children from the root meets {len(set(order)):,} of "
            f"{len(first):,} nodes. Give every node but the root exactly one parent."
        )
    return np.array(order, dtype=np.int64)


def renumbered(arrays: Mapping[str, Array]) -> dict[str, Array]:
    """The arrays of a tree whose children stand side by side, its nodes numbered depth first as the specification says.

    arrays: as :meth:`Tree.from_arrays` takes them.

    For growers that make nodes in another order (best first, level by level):
    ``Tree.from_arrays(renumbered(arrays), …)``.
    """
    first_child, n_children = np.asarray(arrays["first_child"]), np.asarray(arrays["n_children"])
    order = depth_first_order(first_child, n_children)
    new_number = np.empty(len(order), dtype=np.int32)
    new_number[order] = np.arange(len(order), dtype=np.int32)
    result = taken(arrays, order)
    old_first = result["first_child"]
    result["first_child"] = np.where(result["n_children"] > 0, new_number[old_first], 0).astype(np.int32)
    return result

"""The outline of a tree: which nodes a text or a picture shows, and what closed nodes hide.

Nodes are opened by weight, the heaviest first, so that what is shown concerns the most examples. Branches that no
example took are folded into one if they are many.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from quercus.arrays import Array
from quercus.errors import ParameterError, shorten
from quercus.tree.layout import LEAF

if TYPE_CHECKING:
    from quercus.tree.tree import Tree

UNSEEN_LINES = 3  # more branches than this that no example took are one line


@dataclass(frozen=True)
class Limits:
    """What is shown at most; None: no limit."""

    depth: int | None = None
    lines: int | None = None
    branches: int | None = None
    values: int | None = None

    def __post_init__(self) -> None:
        """Check the numbers."""
        for name, value, least in (
            ("max_depth", self.depth, 0),
            ("max_nodes", self.lines, 1),
            ("max_branches", self.branches, 1),
            ("max_values", self.values, 1),
        ):
            number = isinstance(value, int | np.integer) and not isinstance(value, bool)
            if value is not None and not (number and value >= least):
                raise ParameterError(
                    f"{name} is {shorten(value)}, but must be a whole number of at least {least}, or None."
                )


@dataclass(frozen=True)
class ShownChildren:
    """What stands below an opened node: the children shown, those that no example took, and those left out."""

    shown: list[int]
    unseen: list[int]
    left_out: list[int]

    def __len__(self) -> int:
        """How many lines or boxes that makes."""
        return len(self.shown) + bool(self.unseen) + bool(self.left_out)


@dataclass
class Outline:
    """What is shown of one tree within limits.

    always: nodes that are shown whatever the limits (an example's path), and with them those above.
    """

    tree: Tree
    limits: Limits
    always: frozenset[int] = frozenset()
    _opened: dict[int, ShownChildren] = field(default_factory=dict)
    _forced: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Choose the nodes to open."""
        waiting = list(self.always)
        while waiting:
            above = int(self.tree.parent[waiting.pop()])
            if above >= 0 and above not in self._forced:
                self._forced.add(above)
                waiting.append(above)
        self.always = self.always | self._forced
        if self.limits.lines is not None:
            self._open_heaviest(self.limits.lines)

    def is_open(self, node: int) -> bool:
        """Whether the branches of a node are shown."""
        if self.tree.kind[node] == LEAF:
            return False
        if self.limits.lines is not None:
            return node in self._opened
        return node in self._forced or self.limits.depth is None or int(self.tree.node_depth[node]) < self.limits.depth

    def rows(self, node: int) -> ShownChildren:
        """What stands below a node that is open."""
        chosen = self._opened.get(node)
        return self._rows(node, self.limits.branches) if chosen is None else chosen

    def _open_heaviest(self, lines: int) -> None:
        """From the root down, always the heaviest that still fits; first of all those that have to be open."""
        tree, deepest = self.tree, math.inf if self.limits.depth is None else self.limits.depth
        begins = 0 in self._forced or (deepest > 0 and lines > 1)
        waiting = [(0.0, 0)] if tree.kind[0] != LEAF and begins else []
        while waiting and (lines > 1 or waiting[0][1] in self._forced):
            _, node = heapq.heappop(waiting)
            rows = self._rows(node, self.limits.branches)
            if len(rows) > lines and (node == 0 or node in self._forced):
                rows = self._rows(node, max(lines - 2, 1))
            if len(rows) > lines and node not in self._forced:
                continue
            lines -= len(rows)
            self._opened[node] = rows
            for child in rows.shown:
                forced = child in self._forced
                if tree.kind[child] != LEAF and (forced or int(tree.node_depth[node]) + 1 < deepest):
                    heapq.heappush(waiting, (-math.inf if forced else -float(tree.weight[child]), child))

    def _rows(self, node: int, width: int | None) -> ShownChildren:
        """Fold the branches that no example took if they are many, then keep the heaviest ``width`` of the others."""
        tree = self.tree
        first, size = int(tree.first_child[node]), int(tree.n_children[node])
        shown, unseen = list(range(first, first + size)), []
        if size > UNSEEN_LINES:
            empty = (tree.kind[first : first + size] == LEAF) & (tree.weight[first : first + size] <= 0)
            test = tree.node(node).test
            if test is not None and test.is_unknown_branch(size - 1):
                empty[-1] = False
            for child in self.always.intersection(shown):
                empty[child - first] = False
            if np.count_nonzero(empty) > UNSEEN_LINES:
                shown, unseen = (first + np.flatnonzero(~empty)).tolist(), (first + np.flatnonzero(empty)).tolist()
        if width is None or len(shown) <= width:
            return ShownChildren(shown, unseen, [])
        children = np.array(shown)
        kept = np.isin(children, list(self.always))
        order = np.lexsort((-tree.weight[children], ~kept))
        width = max(width, int(np.count_nonzero(kept)))
        return ShownChildren(
            np.sort(children[order[:width]]).tolist(), unseen, np.sort(children[order[width:]]).tolist()
        )

    def count_below(self, nodes: Array) -> int:
        """How many nodes stand below some nodes."""
        return int((self.tree.descendants_end[nodes] - self.tree.first_child[nodes]).sum())

    def leaves_below(self, nodes: Array) -> int:
        """How many leaves some subtrees have."""
        before, leaf = self.tree.leaves_before, self.tree.kind[nodes] == LEAF
        below = before[self.tree.descendants_end[nodes]] - before[self.tree.first_child[nodes]]
        return int(np.where(leaf, 1, below).sum())

"""The text form of a tree: one line a branch, indented by depth, with names, and what each leaf predicts and holds.

Large trees stay readable: a limit on depth or lines closes nodes, and a closed node says what it would predict and how
much it hides. Nodes are opened by weight, the heaviest first, so that what is shown concerns the most examples.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from quercus.errors import ParameterError, shorten
from quercus.tree.layout import LEAF, MULTIWAY, Array
from quercus.tree.names import class_counts, counted, quoted_name, quoted_value, short_number, shortened, significant
from quercus.tree.test import Test

if TYPE_CHECKING:
    from quercus.tree.tree import Tree

NAME_WIDTH = 60  # characters of one name
INDENTED = 30  # deeper lines are indented no further and say their depth
UNSEEN_LINES = 3  # more branches than this that no example took are one line
CLASSES_SHOWN = 6
SHORT_LINES = 200
SHORT_BRANCHES = 50


@dataclass(frozen=True)
class Limits:
    """What is shown at most; None: no limit."""

    depth: int | None = None
    lines: int | None = None
    branches: int | None = None
    values: int | None = None

    def __post_init__(self) -> None:
        """Check the numbers."""
        for name, given, least in (
            ("max_depth", self.depth, 0),
            ("max_nodes", self.lines, 1),
            ("max_branches", self.branches, 1),
            ("max_values", self.values, 1),
        ):
            number = isinstance(given, int | np.integer) and not isinstance(given, bool)
            if given is not None and not (number and given >= least):
                raise ParameterError(
                    f"{name} is {shorten(given)}, but must be a whole number of at least {least}, or None."
                )


def tree_text(tree: Tree, limits: Limits, cost_matrix: ArrayLike | None = None, unknown: bool = False) -> str:
    """The tree as text within the limits; ``unknown`` marks the branches that unknown values take."""
    return "\n".join(_Outline(tree, limits, cost_matrix, unknown).lines())


def short_tree_text(tree: Tree, cost_matrix: ArrayLike | None = None) -> str:
    """The tree as text of at most 200 lines; if that does not show all, the last line says so."""
    outline = _Outline(tree, Limits(lines=SHORT_LINES - 1, branches=SHORT_BRANCHES, values=10), cost_matrix)
    lines = list(outline.lines())
    if outline.hidden:
        shown = tree.n_nodes - outline.hidden
        lines.append(f"(shown: {shown:,} of {counted(tree.n_nodes, 'node')}; to_text() shows all)")
    return "\n".join(lines)


@dataclass(frozen=True)
class _Rows:
    """The lines below an opened node: the children shown, those that no example took, and those left out."""

    shown: list[int]
    unseen: list[int]
    left_out: list[int]

    def __len__(self) -> int:
        return len(self.shown) + bool(self.unseen) + bool(self.left_out)


@dataclass
class _Outline:
    """One text of one tree."""

    tree: Tree
    limits: Limits
    cost_matrix: ArrayLike | None = None
    unknown: bool = False
    hidden: int = 0
    _opened: dict[int, _Rows] = field(default_factory=dict)

    def lines(self) -> Iterator[str]:
        """The lines, from the first branch of the root to the last; one line for a leaf or a closed root."""
        if self.limits.lines is not None:
            self._open_heaviest(self.limits.lines)
        if not self._is_open(0):
            yield self._end(0)
            return
        stack = [self._below(0, "")]
        while stack:
            line, opened = next(stack[-1], ("", -1))
            if opened < 0:
                stack.pop()
                continue
            yield line
            if opened > 0:
                stack.append(self._below(opened, _indent(len(stack))))

    def _below(self, node: int, indent: str) -> Iterator[tuple[str, int]]:
        """The lines of a node's branches, each with the number of the child whose own lines come next (0: none)."""
        tree, rows = self.tree, self._rows_of(node)
        test = tree.node(node).test
        if test is None:
            return
        first = int(tree.first_child[node])
        for child in rows.shown:
            branch = self._branch(test, child - first)
            opened = self._is_open(child)
            yield (f"{indent}{branch}", child) if opened else (f"{indent}{branch}: {self._end(child)}", 0)
        if rows.unseen:
            yield (
                f"{indent}{_name(test)} … {len(rows.unseen):,} values never seen: {self._prediction(rows.unseen[0])}",
                0,
            )
        if rows.left_out:
            yield f"{indent}{_name(test)} … {self._left_out(np.array(rows.left_out))}", 0

    def _branch(self, test: Test, position: int) -> str:
        branch = test.branch(position, limit=self.limits.values, width=NAME_WIDTH)
        unknown_too = self.unknown and position == test.missing_child and not test.is_unknown_branch(position)
        return f"{branch} or unknown" if unknown_too else branch

    def _left_out(self, children: Array) -> str:
        nodes = self._count_below(children) + len(children)
        self.hidden += nodes
        branches = counted(len(children), "more branch", "more branches")
        return f"{branches}: {counted(nodes, 'node')}, {counted(self._leaves_below(children), 'leaf', 'leaves')}"

    # What is shown

    def _is_open(self, node: int) -> bool:
        if self.tree.kind[node] == LEAF:
            return False
        if self.limits.lines is not None:
            return node in self._opened
        return self.limits.depth is None or int(self.tree.node_depth[node]) < self.limits.depth

    def _rows_of(self, node: int) -> _Rows:
        rows = self._opened.get(node)
        return self._rows(node, self.limits.branches) if rows is None else rows

    def _open_heaviest(self, lines: int) -> None:
        """Choose the nodes to open: from the root down, always the heaviest that still fits."""
        tree, deepest = self.tree, math.inf if self.limits.depth is None else self.limits.depth
        waiting = [(0.0, 0)] if tree.kind[0] != LEAF and deepest > 0 and lines > 1 else []
        while waiting and lines > 1:
            _, node = heapq.heappop(waiting)
            rows = self._rows(node, self.limits.branches)
            if len(rows) > lines and node == 0:
                rows = self._rows(node, max(lines - 2, 1))
            if len(rows) > lines:
                continue
            lines -= len(rows)
            self._opened[node] = rows
            if int(tree.node_depth[node]) + 1 < deepest:
                for child in rows.shown:
                    if tree.kind[child] != LEAF:
                        heapq.heappush(waiting, (-float(tree.weight[child]), child))

    def _rows(self, node: int, width: int | None) -> _Rows:
        """Fold the branches that no example took if they are many, then keep the heaviest ``width`` of the others."""
        tree = self.tree
        first, size = int(tree.first_child[node]), int(tree.n_children[node])
        shown, unseen = list(range(first, first + size)), []
        if size > UNSEEN_LINES:
            empty = (tree.kind[first : first + size] == LEAF) & (tree.weight[first : first + size] <= 0)
            if tree.kind[node] == MULTIWAY and size > tree.schema.attributes[int(tree.attribute[node])].n_values:
                empty[-1] = False  # the branch of unknown values
            if np.count_nonzero(empty) > UNSEEN_LINES:
                shown, unseen = (first + np.flatnonzero(~empty)).tolist(), (first + np.flatnonzero(empty)).tolist()
        if width is None or len(shown) <= width:
            return _Rows(shown, unseen, [])
        order = np.argsort(-tree.weight[shown], kind="stable")
        children = np.array(shown)
        return _Rows(np.sort(children[order[:width]]).tolist(), unseen, np.sort(children[order[width:]]).tolist())

    # What stands at the end of a line

    def _end(self, node: int) -> str:
        """The prediction of a leaf, or of a closed node with what it hides."""
        if self.tree.kind[node] == LEAF:
            return f"{self._prediction(node)} ({self._holding(node)})"
        below = np.array([node])
        nodes, leaves = self._count_below(below), self._leaves_below(below)
        self.hidden += nodes
        hidden = f"{counted(nodes, 'more node')}, {counted(leaves, 'leaf', 'leaves')}"
        return f"{self._prediction(node)} ({self._holding(node)}) … {hidden}"

    def _prediction(self, node: int) -> str:
        if self.tree.is_regression:
            return significant(float(self.tree.distributions()[node, 0]), 6)
        return self._class_texts[int(self._labels[node])]

    def _holding(self, node: int) -> str:
        """How many examples are here, and of which classes or how far spread."""
        tree = self.tree
        weight = short_number(float(tree.weight[node]))
        if tree.is_regression:
            spread = tree.node(node).spread or 0.0
            return f"n = {weight}, spread {significant(spread)}"
        weights = tree.value[node].tolist()
        pure = weights[self._labels[node]] == sum(weights)
        return weight if pure else f"{weight}: {class_counts(weights, self._class_texts, CLASSES_SHOWN)}"

    @cached_property
    def _labels(self) -> Array:
        return self.tree.labels(self.cost_matrix)

    @cached_property
    def _class_texts(self) -> list[str]:
        return [quoted_value(label, NAME_WIDTH) for label in self.tree.classes or ()]

    def _count_below(self, nodes: Array) -> int:
        return int((self.tree.descendants_end[nodes] - self.tree.first_child[nodes]).sum())

    def _leaves_below(self, nodes: Array) -> int:
        before, leaf = self.tree.leaves_before, self.tree.kind[nodes] == LEAF
        below = before[self.tree.descendants_end[nodes]] - before[self.tree.first_child[nodes]]
        return int(np.where(leaf, 1, below).sum())


def _indent(depth: int) -> str:
    return "|   " * depth if depth <= INDENTED else "|   " * INDENTED + f"(depth {depth}) "


def _name(test: Test) -> str:
    return quoted_name(shortened(test.attribute.name, NAME_WIDTH))

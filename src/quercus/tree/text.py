"""The text form of a tree: one line per branch, indented by depth, with names, and what each leaf predicts and holds.

Large trees stay readable: a limit on depth or lines closes nodes, and a closed node says what it would predict and how
much it hides (``outline.py``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from quercus.arrays import Array
from quercus.data.names import counted
from quercus.targets.payload import Words
from quercus.tree.layout import LEAF
from quercus.tree.outline import Limits, Outline
from quercus.tree.questions import Question

if TYPE_CHECKING:
    from quercus.tree.tree import Tree

NAME_WIDTH = 60  # characters of one name
INDENTED = 30  # deeper lines are indented no further and say their depth
SHORT_LINES = 200
SHORT_BRANCHES = 50


def tree_text(tree: Tree, limits: Limits, cost_matrix: ArrayLike | None = None, unknown: bool = False) -> str:
    """The tree as text within the limits; ``unknown`` marks the branches that unknown values take."""
    return "\n".join(_Text(tree, limits, cost_matrix, unknown).lines())


def short_tree_text(tree: Tree, cost_matrix: ArrayLike | None = None) -> str:
    """The tree as text of at most 200 lines; if that does not show all, the last line says so."""
    text = _Text(tree, Limits(lines=SHORT_LINES - 1, branches=SHORT_BRANCHES, values=10), cost_matrix)
    lines = list(text.lines())
    if text.hidden:
        shown = tree.n_nodes - text.hidden
        lines.append(f"(shown: {shown:,} of {counted(tree.n_nodes, 'node')}; to_text() shows all)")
    return "\n".join(lines)


@dataclass
class _Text:
    """One text of one tree."""

    tree: Tree
    limits: Limits
    cost_matrix: ArrayLike | None = None
    unknown: bool = False
    hidden: int = 0

    @cached_property
    def _outline(self) -> Outline:
        return Outline(self.tree, self.limits)

    def lines(self) -> Iterator[str]:
        """The lines, from the first branch of the root to the last; one line for a leaf or a closed root."""
        if not self._outline.is_open(0):
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
        tree, rows = self.tree, self._outline.rows(node)
        test = tree.node(node).test
        if test is None:
            return
        first = int(tree.first_child[node])
        for child in rows.shown:
            branch = self._branch(test, child - first)
            opened = self._outline.is_open(child)
            yield (f"{indent}{branch}", child) if opened else (f"{indent}{branch}: {self._end(child)}", 0)
        if rows.unseen:
            unseen = f"{len(rows.unseen):,} values never seen: {self._prediction(rows.unseen[0])}"
            yield f"{indent}{test.subject(NAME_WIDTH)} … {unseen}", 0
        if rows.left_out:
            yield f"{indent}{test.subject(NAME_WIDTH)} … {self._left_out(np.array(rows.left_out))}", 0

    def _branch(self, test: Question, position: int) -> str:
        branch = test.branch(position, limit=self.limits.values, width=NAME_WIDTH)
        unknown_too = self.unknown and position == test.missing_child and not test.is_unknown_branch(position)
        return f"{branch} or unknown" if unknown_too else branch

    def _left_out(self, children: Array) -> str:
        nodes = self._outline.count_below(children) + len(children)
        self.hidden += nodes
        branches = counted(len(children), "more branch", "more branches")
        return (
            f"{branches}: {counted(nodes, 'node')}, {counted(self._outline.leaves_below(children), 'leaf', 'leaves')}"
        )

    # What stands at the end of a line

    def _end(self, node: int) -> str:
        """The prediction of a leaf, or of a closed node with what it hides."""
        if self.tree.kind[node] == LEAF:
            return f"{self._prediction(node)} ({self._holding(node)})"
        below = np.array([node])
        nodes, leaves = self._outline.count_below(below), self._outline.leaves_below(below)
        self.hidden += nodes
        hidden = f"{counted(nodes, 'more node')}, {counted(leaves, 'leaf', 'leaves')}"
        return f"{self._prediction(node)} ({self._holding(node)}) … {hidden}"

    def _prediction(self, node: int) -> str:
        return self._words.answer(self._chosen[node], self.tree.distributions()[node])

    def _holding(self, node: int) -> str:
        """How many examples are here, and of which classes or how far spread."""
        tree = self.tree
        return self._words.short(tree.value[node], float(tree.weight[node]), self._chosen[node])

    @cached_property
    def _chosen(self) -> Array:
        return self.tree.chosen(self.cost_matrix)

    @cached_property
    def _words(self) -> Words:
        return self.tree.target_kind.words(width=NAME_WIDTH)


def _indent(depth: int) -> str:
    return "|   " * depth if depth <= INDENTED else "|   " * INDENTED + f"(depth {depth}) "

"""Error-based pruning once more, in plain Python as a textbook has it; a parity test binds the core to it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.data.dataset import ClassTarget, Dataset
from quercus.pruning.error_based import (
    ErrorPreset,
    added_errors,
    checked_examples,
    error_rules,
    estimated_errors,
    pruned_tree,
)
from quercus.pruning.result import Pruned
from quercus.tree.tree import Tree

#: An example, and which part of it: (row, weight).
Case = tuple[int, float]
MARGIN = 0.1


@dataclass
class Question:
    """A node of the tree in the making: the number it had, and its branches (none: a leaf)."""

    number: int
    branches: list[Question]


def error_based_reference(
    tree: Tree,
    dataset: Dataset,
    target: ClassTarget | NDArray[Any],
    *,
    weights: ArrayLike | None = None,
    preset: ErrorPreset = "c45",
    confidence: float = 0.25,
    raising: bool = True,
) -> Pruned:
    """What :func:`quercus.pruning.error_based.error_based` does, slowly and readably; for small trees.

    Parameters as there.
    """
    codes, given = checked_examples(tree, dataset, target, weights)
    pruner = _Pruner(tree, dataset, codes, preset, confidence, raising)
    cases = [(row, 1.0 if given is None else float(given[row])) for row in range(dataset.n_rows)]
    cases = [case for case in cases if case[1] > 0]
    root = pruner.pruned(pruner.question(0), cases)
    found = pruner.found(root, cases)
    unit = 1.0 if weights is None else tree.case_weight
    return pruned_tree(tree, found, estimated_errors(tree, confidence=confidence, preset=preset), unit)


class _Pruner:
    def __init__(
        self,
        tree: Tree,
        dataset: Dataset,
        codes: NDArray[np.int32],
        preset: ErrorPreset,
        confidence: float,
        raising: bool,
    ) -> None:
        self.tree, self.dataset, self.codes = tree, dataset, codes
        self.rules, self.preset, self.confidence = error_rules(preset, confidence), preset, confidence
        self.raising = raising
        self.removals: list[tuple[int, int, list[float]]] = []

    def question(self, number: int) -> Question:
        first = int(self.tree.first_child[number])
        return Question(number, [self.question(first + c) for c in range(int(self.tree.n_children[number]))])

    # The three forms of a question

    def pruned(self, question: Question, cases: list[Case]) -> Question:
        """What takes the place of a question, given the cases that reach it."""
        if not question.branches:
            return question
        parts, _ = self.divided(question, cases)
        question.branches = [self.pruned(*pair) for pair in zip(question.branches, parts, strict=True)]
        leaf, subtree, branch = self.as_leaf(cases), self.expected(question, cases), math.inf
        largest = question.branches[self.largest(parts)]
        if self.raising:
            branch = self.expected(largest, cases)
        compared = [math.fsum(weight for _, weight in cases), leaf, subtree, branch]
        more = MARGIN + self.rules.tolerance
        if leaf <= subtree + more and leaf <= branch + more:
            self.removals.append((question.number, 1, compared))
            return Question(question.number, [])
        if branch <= subtree + more:
            self.removals.append((question.number, 2, compared))
            return self.pruned(largest, cases)
        return question

    def as_leaf(self, cases: list[Case]) -> float:
        """Pessimistic errors of a leaf with these cases."""
        counts = self.counts(cases)
        weight, errors = sum(counts), sum(counts) - max(counts)
        return errors + float(added_errors(weight, errors, confidence=self.confidence, preset=self.preset))

    def expected(self, question: Question, cases: list[Case]) -> float:
        """Pessimistic errors of a subtree that is fed these cases."""
        if not question.branches:
            return self.as_leaf(cases)
        parts, staying = self.divided(question, cases)
        below = sum(self.expected(*pair) for pair in zip(question.branches, parts, strict=True))
        return below + (self.as_leaf(staying) if staying else 0.0)

    def largest(self, parts: list[list[Case]]) -> int:
        """The heaviest branch, the last if tied."""
        weights = [sum(weight for _, weight in part) for part in parts]
        return max(c for c, weight in enumerate(weights) if weight >= max(weights) * (1 - 1e-9))

    def counts(self, cases: list[Case]) -> list[float]:
        counts = [0.0] * self.tree.target_kind.n_classes
        for row, weight in cases:
            counts[self.codes[row]] += weight
        return counts

    # Which way cases go

    def divided(self, question: Question, cases: list[Case]) -> tuple[list[list[Case]], list[Case]]:
        """The cases of each branch, and those that none takes."""
        parts: list[list[Case]] = [[] for _ in question.branches]
        spreading = []
        for case in cases:
            branch = self.branch(question.number, case[0])
            if branch < 0:
                spreading.append(case)
            else:
                parts[branch].append(case)
        if not spreading:
            return parts, []
        known = [sum(weight for _, weight in part) for part in parts]
        if not sum(known) > 0:
            first = int(self.tree.first_child[question.number])
            known = self.tree.weight[first : first + len(parts)].tolist()
        if not sum(known) > 0:
            return parts, spreading
        for part, share in zip(parts, known, strict=True):
            part.extend((row, weight * (share / sum(known))) for row, weight in spreading if share > 0)
        return parts, []

    def branch(self, node: int, row: int) -> int:
        """The branch of a row by its value, a surrogate or the node's choice for unknown values; −1: every branch."""
        branch = self.tree.node(node).branch_of([float(column[row]) for column in self.dataset.columns])
        return -1 if branch is None else branch

    # The result

    def found(self, root: Question, cases: list[Case]) -> dict[str, Any]:
        """The nodes that stayed, numbered depth first with children side by side, and the comparisons."""
        nodes: list[tuple[Question, list[Case]]] = [(root, cases)]
        first_child = [0]

        def number_below(number: int) -> None:
            question, here = nodes[number]
            first = len(nodes)
            first_child[number] = first if question.branches else 0
            if question.branches:
                nodes.extend(zip(question.branches, self.divided(question, here)[0], strict=True))
                first_child.extend([0] * len(question.branches))
            for child in range(first, first + len(question.branches)):
                number_below(child)

        number_below(0)
        removed, actions, figures = zip(*self.removals, strict=True) if self.removals else ((), (), ())
        return {
            "source": np.array([question.number for question, _ in nodes], dtype=np.int32),
            "first_child": np.array(first_child, dtype=np.int32),
            "leaf": np.array([not question.branches for question, _ in nodes], dtype=np.uint8),
            "count": np.array([len(here) for _, here in nodes], dtype=np.int64),
            "value": np.array([self.counts(here) for _, here in nodes]),
            "estimate": self.expected(root, cases),
            "removed": np.array(removed, dtype=np.int32),
            "action": np.array(actions, dtype=np.uint8),
            "figures": np.array(figures).reshape(-1, 4),
        }

"""Nested trees: a sequence of ever smaller prunings of one tree, and what rows cost in all of them at once.

A question becomes a leaf at one step of the sequence and stays one until a question above it does. So every node is a
leaf for one interval of steps, and a sum over the leaves of every tree of the sequence is one pass over the nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.arrays import Floats, Integers
from quercus.data.case_weight import case_weight_of
from quercus.data.dataset import ClassTarget, Dataset
from quercus.errors import DataError
from quercus.measures.counts import as_weights
from quercus.predict import decision_path
from quercus.tree.layout import LEAF
from quercus.tree.tree import Tree

#: Rows that are looked at together: their paths and distributions are in memory at the same time.
ROWS_AT_ONCE = 4096
_MOST_LOSSES = 1 << 22  # numbers that a table of losses is made from


@dataclass(frozen=True)
class StepLosses:
    """What rows cost in every tree of a sequence: their weight, and by step Σ w·loss and Σ w·loss².

    unit: what one case weighs (``quercus.data.case_weight``); the standard error counts cases.
    """

    weight: float
    total: Floats
    squares: Floats
    unit: float = 1.0

    @property
    def mean(self) -> Floats:
        """The loss per row: the share of errors, the mean cost, or the mean squared error."""
        return self.total / self.weight

    @property
    def standard_error(self) -> Floats:
        r"""The standard error: :math:`\sqrt{\sum w e^2 - (\sum w e)^2 / W} / W`, the weights as numbers of cases."""
        spread = self.squares - self.total * self.mean
        return np.sqrt(np.maximum(spread, 0.0) / self.unit) / (self.weight / self.unit)


@dataclass(frozen=True, eq=False)
class NestedTrees:
    """Prunings of a tree, each a pruning of the one before.

    tree: the largest. cut_step: the step from which a question is a leaf, ``n_steps`` if it never is; anything at a
    leaf. n_steps: how many trees there are, numbered from 0.
    """

    tree: Tree
    cut_step: Integers
    n_steps: int

    @cached_property
    def leaf_from(self) -> Integers:
        """The first step at which each node is a leaf, if nothing above it is one."""
        return np.where(self.tree.kind == LEAF, 0, self.cut_step)

    @cached_property
    def leaf_until(self) -> Integers:
        """The step at which each node is gone: the first at which a question above it is a leaf."""
        ancestor = np.maximum(self.tree.parent, 0)
        until = self.cut_step[ancestor]
        until[0] = self.n_steps
        until = np.minimum(until, self.n_steps)
        while ancestor.any():
            until = np.minimum(until, until[ancestor])
            ancestor = ancestor[ancestor]
        return until

    def leaf_sums(self, values: ArrayLike) -> Floats:
        """The sum of a value of each node over the leaves of every tree."""
        numbers, start, end = np.asarray(values, dtype=np.float64), self.leaf_from, self.leaf_until
        ever = start < end
        return _interval_sums(start[ever], end[ever], numbers[ever], self.n_steps)

    @cached_property
    def n_leaves(self) -> Integers:
        """The number of leaves of every tree."""
        return np.rint(self.leaf_sums(np.ones(self.tree.n_nodes))).astype(np.int64)

    @cached_property
    def n_nodes(self) -> Integers:
        """The number of nodes of every tree."""
        gone = np.bincount(self.leaf_until, minlength=self.n_steps + 1)[: self.n_steps]
        return self.tree.n_nodes - np.cumsum(gone)

    def mask(self, step: int) -> NDArray[np.bool_]:
        """The questions that are leaves at a step, or would be if nothing above them were."""
        return np.asarray((self.cut_step <= step) & (self.tree.kind != LEAF))

    def pruned(self, step: int) -> Tree:
        """The tree of a step."""
        return self.tree.collapse(self.mask(step))

    def losses(
        self,
        dataset: Dataset,
        target: ClassTarget | NDArray[Any],
        weights: ArrayLike | None = None,
        cost_matrix: ArrayLike | None = None,
    ) -> StepLosses:
        """What rows cost in every tree: errors, costs L(true, answered), or squared errors; as predicting would answer.

        The paths of the rows are followed once; rows with unknown values that follow several branches are answered by
        the sum of what these say, in every tree anew.
        """
        row_weights = checked_weights(weights, dataset.n_rows)
        loss = _Loss(self.tree, target, dataset.n_rows, cost_matrix)
        total, squares = np.zeros(self.n_steps), np.zeros(self.n_steps)
        for begin in range(0, dataset.n_rows, ROWS_AT_ONCE):
            rows = np.arange(begin, min(begin + ROWS_AT_ONCE, dataset.n_rows))
            start, end, costs, row = self._segments(dataset.take(rows), rows, loss)
            weight = row_weights[row]
            total += _interval_sums(start, end, weight * costs, self.n_steps)
            squares += _interval_sums(start, end, weight * costs**2, self.n_steps)
        return StepLosses(float(row_weights.sum()), total, squares, case_weight_of(row_weights))

    def _segments(self, part: Dataset, rows: Integers, loss: _Loss) -> tuple[Integers, Integers, Floats, Integers]:
        """Intervals of steps in which a row's answer is the same: first step, one past the last, its loss, the row."""
        path = decision_path(self.tree, part, weights=True)
        row = np.repeat(np.arange(len(rows)), np.diff(path.indptr))
        node, share = path.indices, path.data
        start, end = self.leaf_from[node], self.leaf_until[node]
        start[self._stays(row, node)] = 0
        ever = start < end
        row, node, share, start, end = row[ever], node[ever], share[ever], start[ever], end[ever]
        divided = np.bincount(row, weights=share < 1.0 - 1e-12, minlength=len(rows)) > 0
        whole = ~divided[row]
        pieces = [(start[whole], end[whole], loss.of_nodes(node[whole], rows[row[whole]]), rows[row[whole]])]
        if divided.any():
            some = ~whole
            at, begin, finish, shares = _mixed(row[some], start[some], end[some], loss.answers[node[some]], share[some])
            pieces.append((begin, finish, loss.of_answers(shares, rows[at]), rows[at]))
        joined = [np.concatenate(columns) for columns in zip(*pieces, strict=True)]
        return joined[0], joined[1], joined[2], joined[3]

    @cached_property
    def _stuck(self) -> NDArray[np.bool_]:
        """The questions whose branches are all empty, where an unknown value goes nowhere."""
        tree = self.tree
        heaviest = np.zeros(tree.n_nodes)
        np.maximum.at(heaviest, tree.parent[1:], tree.weight[1:])
        return np.asarray((tree.kind != LEAF) & (heaviest <= 0) & (tree.missing_child < 0))

    def _stays(self, row: Integers, node: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which visits end at a question: all its branches are empty and the value is unknown."""
        tree, stuck = self.tree, self._stuck
        if not stuck.any():
            return np.zeros(len(node), dtype=bool)
        left = np.isin(row * tree.n_nodes + node, row * tree.n_nodes + tree.parent[node])
        return np.asarray(stuck[node] & ~left)


class _Loss:
    """What an answer costs for each row, given its true class or number."""

    def __init__(
        self, tree: Tree, target: ClassTarget | NDArray[Any], n_rows: int, cost_matrix: ArrayLike | None
    ) -> None:
        self.answers: Floats = tree.distributions()
        self.kind = tree.target_kind
        self.kind.refuse_costs(cost_matrix)
        self.truth = self.kind.truth(target, n_rows)
        self._by_class = isinstance(target, ClassTarget)
        self.costs = None if cost_matrix is None else np.asarray(cost_matrix, np.float64)

    def of_nodes(self, node: NDArray[np.int32], row: Integers) -> Floats:
        if not self._by_class or self.answers.size * self.answers.shape[1] > _MOST_LOSSES:
            return self.of_answers(self.answers[node], row)
        return np.asarray(self._table[node, self.truth[row]])

    @cached_property
    def _table(self) -> Floats:
        """What the answer of each node costs for each class: rows come to a node again and again."""
        n_nodes, n_classes = self.answers.shape
        truth = np.tile(np.arange(n_classes), n_nodes)
        return self.kind.losses(np.repeat(self.answers, n_classes, axis=0), truth, self.costs).reshape(n_nodes, -1)

    def of_answers(self, answers: Floats, row: Integers) -> Floats:
        return self.kind.losses(answers, self.truth[row], self.costs)


def checked_weights(weights: ArrayLike | None, n_rows: int) -> Floats:
    """One weight per row, all 1 unless given."""
    if n_rows == 0:
        raise DataError("There are no rows to measure on; give at least one.")
    if weights is None:
        return np.ones(n_rows)
    numbers = as_weights(weights, "weights")
    if numbers.shape != (n_rows,) or not numbers.sum() > 0:
        raise DataError(f"weights must be {n_rows} finite numbers, not negative and not all 0: one per row.")
    return numbers


def _interval_sums(start: Integers, end: Integers, values: Floats, n_steps: int) -> Floats:
    """For every step the sum of the values whose interval start … end − 1 holds it."""
    change = np.bincount(start, weights=values, minlength=n_steps + 1)[: n_steps + 1]
    change = change - np.bincount(end, weights=values, minlength=n_steps + 1)[: n_steps + 1]
    return np.asarray(np.cumsum(change)[:n_steps])


def _mixed(
    row: Integers, start: Integers, end: Integers, answers: Floats, share: Floats
) -> tuple[Integers, Integers, Integers, Floats]:
    """The summed answers of rows that are in several leaves: for each stretch of steps its row, start, end, answer."""
    change = answers * share[:, None]
    at, step = np.concatenate([row, row]), np.concatenate([start, end])
    order = np.lexsort((step, at))
    at, step = at[order], step[order]
    summed = np.cumsum(np.concatenate([change, -change])[order], axis=0)  # a row's changes add up to 0
    last = np.append((at[1:] != at[:-1]) | (step[1:] != step[:-1]), True)
    at, step, summed = at[last], step[last], summed[last]
    goes_on = np.flatnonzero(at[1:] == at[:-1])
    return at[goes_on], step[goes_on], step[goes_on + 1], summed[goes_on]

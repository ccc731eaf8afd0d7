"""Growing and pruning one rule of RIPPER: the condition of largest FOIL gain, again and again; then the best prefix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from quercus import _core
from quercus.arrays import Floats, Integers, Truths
from quercus.data import Dataset, Schema
from quercus.growing.grow import threshold_scales
from quercus.growing.recipe import ThresholdRule
from quercus.rules.condition import Condition, Interval, ValueSet

Test = Literal["at_most", "above", "equals"]

TIE = 1e-12  # gains closer than this, relative to the largest, are equal


@dataclass(frozen=True)
class Cells:
    """The cells of a table as ranks: each column's values numbered from 1 in their order, 0 = unknown.

    distinct: the number that each rank of a numeric column stands for (rank r is ``distinct[r - 1]``); a nominal
    column has None, and rank = code + 1.
    scales: how the core writes a threshold between two ranks of each column; None: as the number of the lower rank.
    """

    schema: Schema
    columns: tuple[Integers, ...]
    distinct: tuple[Floats | None, ...]
    n_ranks: tuple[int, ...]
    scales: tuple[str, ...] | None = None

    @property
    def n_conditions(self) -> int:
        """How many different conditions there are: one per value; a numeric column has two for each cut."""
        pairs = zip(self.distinct, self.n_ranks, strict=True)
        return sum(n if numbers is None else 2 * max(n - 1, 0) for numbers, n in pairs)

    def take(self, rows: Integers | Truths) -> Cells:
        """The cells of some rows; ranks stay as they are."""
        return replace(self, columns=tuple(column[rows] for column in self.columns))

    def threshold(self, column: int, rank: int) -> float:
        """The number that divides a rank of a numeric column from the next one."""
        numbers = self.distinct[column]
        assert numbers is not None
        low = float(numbers[rank - 1])
        if self.scales is None or rank == len(numbers):
            return low
        return _core.cut_between(low, float(numbers[rank]), self.scales[column])


def rank_cells(dataset: Dataset, threshold: ThresholdRule | None = None) -> Cells:
    """Rank every column of a dataset. threshold: how thresholds are written; None: "data_value".

    >>> from quercus.data import encode
    >>> cells = rank_cells(encode({"x": [0.5, None, 7.0, 0.5], "c": ["b", "a", None, "b"]}))
    >>> [column.tolist() for column in cells.columns], cells.n_conditions
    ([[1, 0, 2, 1], [2, 1, 0, 2]], 4)
    """
    columns: list[Integers] = []
    distinct: list[Floats | None] = []
    n_ranks: list[int] = []
    for attribute, column in zip(dataset.schema.attributes, dataset.columns, strict=True):
        if not attribute.is_numeric:
            columns.append(column.astype(np.intp) + 1)
            distinct.append(None)
            n_ranks.append(attribute.n_values)
            continue
        known = ~np.isnan(column)
        numbers, inverse = np.unique(column[known].astype(np.float64), return_inverse=True)
        ranks = np.zeros(len(column), dtype=np.intp)
        ranks[known] = inverse + 1
        columns.append(ranks)
        distinct.append(numbers)
        n_ranks.append(len(numbers))
    scales = None if threshold is None else tuple(threshold_scales(dataset.schema, threshold)) or None
    if threshold == "midpoint":
        scales = ("none",) * len(columns)
    return Cells(dataset.schema, tuple(columns), tuple(distinct), tuple(n_ranks), scales)


@dataclass(frozen=True)
class RankCondition:
    """One condition that growing adds: a column's rank at most, above, or equal to a rank."""

    column: int
    test: Test
    rank: int

    def holds(self, cells: Cells, rows: Integers) -> Truths:
        """Which of the rows fulfil it; an unknown value does not."""
        ranks = cells.columns[self.column][rows]
        if self.test == "equals":
            return np.asarray(ranks == self.rank)
        return np.asarray((ranks > 0) & (ranks <= self.rank) if self.test == "at_most" else ranks > self.rank)

    def condition(self, cells: Cells) -> Condition:
        """The condition in terms of the attribute's values."""
        attribute = cells.schema.attributes[self.column]
        if cells.distinct[self.column] is None:
            return ValueSet(attribute, [self.rank - 1])
        bound = cells.threshold(self.column, self.rank)
        return Interval(attribute, high=bound) if self.test == "at_most" else Interval(attribute, low=bound)


def covered_rows(cells: Cells, steps: Sequence[RankCondition], rows: Integers) -> Integers:
    """Those of the rows that fulfil every condition, in their order."""
    for step in steps:
        rows = rows[step.holds(cells, rows)]
    return rows


def foil_gain(positive: Floats, negative: Floats, all_positive: float, all_negative: float) -> Floats:
    """FOIL's gain of a condition that keeps p of P positive and n of N negative weight.

    gain = p (log2 p/(p + n) − log2 P/(P + N)); −inf where p is 0.

    >>> foil_gain(np.array([4.0, 2.0, 0.0]), np.array([0.0, 2.0, 3.0]), 4.0, 4.0)
    array([  4.,   0., -inf])
    """
    before = np.log2(all_positive / (all_positive + all_negative))
    result = np.full(positive.shape, -np.inf)
    some = positive > 0
    p = positive[some]
    result[some] = p * (np.log2(p / (p + negative[some])) - before)
    return result


def best_step(cells: Cells, rows: Integers, positive: Floats, negative: Floats, least: float) -> RankCondition | None:
    """The condition of largest FOIL gain on the rows; None if none gains.

    positive, negative: each row's weight if it is of the class, if it is not (the other is 0). least: the positive
    weight that the condition must keep. Of equal gains the first attribute's counts, there the lowest rank, and "at
    most" before "above".
    """
    p, n = positive[rows], negative[rows]
    all_p, all_n = float(p.sum()), float(n.sum())
    best: RankCondition | None = None
    most = 1e-9
    if not all_p > 0.0:
        return None
    for column, ranked in enumerate(cells.columns):
        ranks, kept_p, kept_n = _sums_by_rank(ranked[rows], cells.n_ranks[column], p, n)
        tests: tuple[Test, ...] = ("equals",)
        if cells.distinct[column] is not None:
            ranks, kept_p, kept_n = _sums_by_cut(ranks, kept_p, kept_n)
            tests = ("at_most", "above")
        kept_p[kept_p < least - TIE] = 0.0
        gains = foil_gain(kept_p, np.maximum(kept_n, 0.0), all_p, all_n)
        if not gains.size or gains.max() <= most * (1.0 + TIE):
            continue
        most = float(gains.max())
        at = int(np.argmax(gains >= most * (1.0 - TIE)))
        best = RankCondition(column, tests[at % len(tests)], int(ranks[at // len(tests)]))
    return best


def _sums_by_rank(ranked: Integers, n_ranks: int, p: Floats, n: Floats) -> tuple[Integers, Floats, Floats]:
    """Ranks with their positive and negative weight, unknown left out; few rows: only the ranks that occur."""
    if n_ranks > 4 * len(ranked):
        present, ranked = np.unique(ranked, return_inverse=True)
    else:
        present = np.arange(n_ranks + 1)
    sums_p: Floats = np.bincount(ranked, p, len(present)).astype(np.float64, copy=False)
    sums_n: Floats = np.bincount(ranked, n, len(present)).astype(np.float64, copy=False)
    first = 1 if len(present) and present[0] == 0 else 0
    return present[first:], sums_p[first:], sums_n[first:]


def _sums_by_cut(ranks: Integers, p: Floats, n: Floats) -> tuple[Integers, Floats, Floats]:
    """For every cut between ranks: the weight at most the rank, and above it, side by side."""
    below_p, below_n = np.cumsum(p), np.cumsum(n)
    if len(ranks) < 2:
        return ranks[:0], np.empty(0), np.empty(0)
    sides_p = np.stack([below_p[:-1], below_p[-1] - below_p[:-1]], axis=1).ravel()
    sides_n = np.stack([below_n[:-1], below_n[-1] - below_n[:-1]], axis=1).ravel()
    # a sum that is 0 must not be the rest of a subtraction
    slack = 1e-12 * (below_p[-1] + below_n[-1])
    sides_p[sides_p < slack] = 0.0
    sides_n[sides_n < slack] = 0.0
    return ranks[:-1], sides_p, sides_n


def grow_rule(
    cells: Cells, rows: Integers, positive: Floats, negative: Floats, least: float, start: Sequence[RankCondition] = ()
) -> tuple[RankCondition, ...]:
    """Add the condition of largest FOIL gain until no negative row is covered, or nothing gains."""
    steps = list(start)
    rows = covered_rows(cells, steps, rows)
    while negative[rows].any():
        step = best_step(cells, rows, positive, negative, least)
        if step is None:
            break
        kept = step.holds(cells, rows)
        if kept.all():
            break
        steps.append(step)
        rows = rows[kept]
    return tuple(steps)


def prune_rule(
    cells: Cells,
    steps: tuple[RankCondition, ...],
    rows: Integers,
    positive: Floats,
    negative: Floats,
    *,
    by: Literal["rate", "count"],
) -> tuple[RankCondition, ...]:
    """The prefix of the conditions that is best on the pruning rows; at least one is kept.

    "rate": (p − n)/(p + n), 0 if nothing is covered, for a rule by itself. "count": p − n, which makes fewest errors of
    the whole rule set if the rows are those that no other rule covers. Of equals the shortest.
    """
    best, most = steps, -np.inf
    for length in range(1, len(steps) + 1):
        rows = rows[steps[length - 1].holds(cells, rows)]
        p, n = float(positive[rows].sum()), float(negative[rows].sum())
        value = p - n if by == "count" else (p - n) / (p + n) if p + n > 0 else 0.0
        if value > most + TIE:
            best, most = steps[:length], value
    return best

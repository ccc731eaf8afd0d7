"""Subset choice: of one class's rules those that describe the class in the fewest bits; then the order of the rules.

A theory costs bits, and so do its exceptions; a rule earns its place if it saves more bits of exceptions than it costs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quercus import _core
from quercus.arrays import Floats
from quercus.data.dataset import Dataset
from quercus.rules.condition import Condition, ValueSet
from quercus.rules.description_length import subset_bits
from quercus.rules.path_conditions import ConditionLists

#: How much the bits of a theory count against those of its exceptions: rules overlap, so their code is too long.
THEORY_WEIGHT = 0.5
#: Up to so many rules of a class every subset is tried.
ALL_SUBSETS = 10


@dataclass(frozen=True)
class Covers:
    """Which rows each rule covers, rule i those in ``rows[start[i]:start[i + 1]]``; the rows' classes and weights."""

    start: NDArray[np.int64]
    rows: NDArray[np.int32]
    labels: NDArray[np.int32]
    n_classes: int
    weights: Floats | None

    def take(self, rules: NDArray[np.intp]) -> Covers:
        """The covers of some of the rules."""
        parts = [self.rows[self.start[rule] : self.start[rule + 1]] for rule in rules]
        start = np.zeros(len(parts) + 1, dtype=np.int64)
        np.cumsum([len(part) for part in parts], out=start[1:])
        rows = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)
        return Covers(start, rows, self.labels, self.n_classes, self.weights)

    def class_weights(self, weights: Floats | None) -> Floats:
        """The weight of each class that each rule covers, [rules, classes]; weights of the rows: None for ones."""
        rules = np.zeros(len(self.start) - 1, dtype=np.int32)
        sums = _core.tally_covers((self.start, self.rows), rules, self.labels, self.n_classes, weights)
        return sums.reshape(len(rules), self.n_classes)


def covers_of(
    lists: ConditionLists,
    arrays: tuple[NDArray[np.generic], ...],
    dataset: Dataset,
    labels: NDArray[np.int32],
    n_classes: int,
    weights: Floats | None,
    n_threads: int,
) -> Covers:
    """The rows of a dataset that each rule covers. arrays: the conditions as the core takes them."""
    start, rows = _core.cover_rows(tuple(dataset.columns), dataset.n_rows, arrays, lists.arrays, n_threads)
    return Covers(start, rows, labels, n_classes, weights)


def condition_bits(conditions: Sequence[Condition], dataset: Dataset) -> Floats:
    r"""The bits that send each condition: which of A attributes, and what it asks of it.

    :math:`\log_2 A` and: one of v values :math:`\log_2 v`; some of v values v (each in or out); one side of one of t
    cuts :math:`1 + \log_2 t`; whether it is known 1.
    """
    attributes = math.log2(max(1, len(dataset.schema)))
    cuts: dict[str, float] = {}
    bits = np.empty(len(conditions))
    for number, condition in enumerate(conditions):
        if condition.has_every_value or condition.has_no_value:
            choices = 1.0
        elif isinstance(condition, ValueSet):
            size = condition.attribute.n_values
            choices = math.log2(size) if len(condition.values) == 1 else float(size)
        else:
            if condition.name not in cuts:
                column = dataset.column(condition.name)
                distinct = len(np.unique(column[~np.isnan(column)]))
                cuts[condition.name] = 1.0 + math.log2(max(1, distinct - 1))
            choices = cuts[condition.name]
        bits[number] = attributes + choices
    return bits


def rule_bits(lists: ConditionLists, bits: Floats) -> Floats:
    """The bits of each rule: those of its conditions, less what their order, which does not matter, would tell."""
    counts = np.diff(lists.start)
    sums = np.zeros(len(lists))
    np.add.at(sums, np.repeat(np.arange(len(lists)), counts), bits[lists.condition])
    orders = np.array([math.lgamma(count + 1) / math.log(2.0) for count in counts.tolist()], dtype=np.float64)
    return np.asarray(sums - orders)


def description_length(
    bits: Sequence[float], covered: float, uncovered: float, false_positive: float, false_negative: float
) -> float:
    r"""The bits of a set of rules of one class and of its exceptions.

    .. math:: \tfrac12 \left(\sum_i b_i - \log_2 r!\right) + \text{exception bits}

    bits: of the r rules. covered, uncovered: rows that some rule covers, and the others. false_positive: covered rows
    of other classes; false_negative: rows of the class that are not covered. The exceptions are sent as Quinlan (1995)
    has it: their number, :math:`\log_2(n + 1)`, and which they are, on the larger side (the uncovered, if the sides are
    equal) as if half of them lay there.

    >>> round(description_length([8.0, 9.0], 9, 5, 0, 0), 3)
    11.907
    """
    theory = sum(bits) - math.lgamma(len(bits) + 1) / math.log(2.0)
    half = (false_positive + false_negative) / 2.0
    larger = covered > uncovered
    exceptions = math.log2(covered + uncovered + 1.0)
    if covered > 0:
        exceptions += subset_bits(covered, false_positive, (half if larger else false_positive) / covered)
    if uncovered > 0:
        exceptions += subset_bits(uncovered, false_negative, (false_negative if larger else half) / uncovered)
    return THEORY_WEIGHT * theory + exceptions


def choose_subsets(
    covers: Covers, labels: NDArray[np.int32], bits: Floats, *, seed: int = 0, n_threads: int = 1
) -> tuple[NDArray[np.bool_], Floats]:
    """For each class the subset of its rules of least description length; a mask of the rules, and the lengths.

    Up to 10 rules of a class every subset is tried; of equally short ones the first in binary order is taken, the first
    rule the lowest bit. Above that a local search: the rule whose coming or going shortens the description most comes
    or goes, while there is one, once from no rule and once from all of them. From the better end, 10 to 200 times (the
    fewer the more rules), 2 to 5 rules drawn by the seed come or go, and it goes downhill again; the shortest is kept.
    The same seed gives the same choice.

    labels, bits: the class of each rule, and its bits.
    """
    chosen, lengths = _core.choose_subsets(
        (covers.start, covers.rows),
        labels,
        covers.labels,
        covers.n_classes,
        covers.weights,
        bits,
        THEORY_WEIGHT,
        ALL_SUBSETS,
        seed,
        n_threads,
    )
    return chosen.astype(np.bool_), lengths


def order_rules(
    covers: Covers, labels: NDArray[np.int32], rank: Floats, costs: Floats
) -> tuple[NDArray[np.int32], int, NDArray[np.int32]]:
    """The rules in their order, the default class, and the rules that the clean-up left out.

    Repeatedly the class comes next whose rules make the fewest false positives on what is left, of the kind that hurts:
    rows of other classes that the rules of their own class would catch. Ties: all false positives on what is left, then
    the order of the classes. Inside a class by ``rank`` ascending. The default is the class of most uncovered rows,
    ties by all rows. Then, while leaving out a rule lowers the error of the list on these rows, the one that lowers it
    most is left out (ties: the first); should another default be better for what is uncovered after that, it is taken,
    and so on. Each error counts by its cost.
    """
    flat = np.ascontiguousarray(costs, dtype=np.float64).ravel()
    return _core.order_rules(
        (covers.start, covers.rows), labels, covers.labels, covers.n_classes, covers.weights, rank, flat
    )

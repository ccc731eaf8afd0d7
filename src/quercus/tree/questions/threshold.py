"""Threshold questions: whether a number, a date or an ordered value is at most some value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from quercus.arrays import Array, Floats, Integers, Truths
from quercus.data.names import UNLIMITED
from quercus.data.schema import Schema
from quercus.tree.conditions import Interval, value_name
from quercus.tree.layout import reject
from quercus.tree.questions.question import Entries, Question


@dataclass(frozen=True, repr=False)
class Threshold(Question):
    """``x <= t`` (branch 0) or ``x > t`` (branch 1), for numeric, ordered and date attributes.

    A threshold of +inf asks whether the value is known.

    >>> from quercus.data import Attribute
    >>> test = Threshold(Attribute("Temperature", "numeric"), threshold=54.0)
    >>> test, test.branches(), test.branch_of(54)
    (Threshold(Temperature <= 54), ['Temperature <= 54', 'Temperature > 54'], 0)
    >>> Threshold(Attribute("Size", "ordered", values=("S", "M", "L")), threshold=1.5).branches()
    ['Size <= M', 'Size > M']
    >>> Threshold(Attribute("Income", "numeric"), threshold=float("inf"), missing_child=1).branches()
    ['Income known', 'Income unknown']
    """

    threshold: float = math.nan

    kind = 1
    kind_name = "threshold"
    asks_numbers = True
    has_threshold = True
    fixed_branches = 2
    can_stand_in = True
    can_be_packed = True

    @classmethod
    def read(cls, schema: Schema, missing_child: int | None, entries: Entries) -> Self:
        """The question of these entries."""
        return cls(schema[entries["attribute"]], missing_child, float(entries["threshold"]))

    @classmethod
    def check(cls, arrays: dict[str, Array], here: Truths, schema: Schema) -> None:
        """A threshold is a number; +inf needs a branch for unknown values."""
        threshold, missing = arrays["threshold"], arrays["missing_child"]
        reject(here & (np.isnan(threshold) | (threshold == -np.inf)), "a threshold is a number.", threshold)
        never = here & (threshold == np.inf) & (missing != 1)
        reject(never, "a threshold of +inf means known | unknown, so missing_child must be 1.", missing)

    @classmethod
    def choice_bits(cls, cuts: Floats, present: Floats, branches: Floats) -> Floats:
        """One of the cuts."""
        return np.log2(np.maximum(cuts, 1))

    @property
    def n_branches(self) -> int:
        """A threshold has 2 branches."""
        return 2

    def condition(self, position: int, *, unknown: bool = False) -> Interval:
        """The interval on one side of the threshold."""
        taken = unknown and position == self.missing_child
        if self.is_unknown_branch(position):
            return Interval(self.attribute, math.inf, -math.inf, unknown=True)
        if position == 0:
            return Interval(self.attribute, high=self.threshold, unknown=taken)
        return Interval(self.attribute, low=self.threshold, unknown=taken)

    def answer(
        self, position: int, *, limit: int | None = None, width: int = UNLIMITED, digits: int | None = 10
    ) -> str:
        """The words of one branch."""
        if self.threshold == math.inf:
            return "unknown" if self.is_unknown_branch(position) else "known"
        if self.attribute.kind == "ordered":
            last = min(max(math.floor(self.threshold), 0), self.attribute.n_values - 1)
            bound = value_name(self.attribute, last, width)
        else:
            bound = self.attribute.show(self.threshold, digits)
        return f"{('<=', '>')[position]} {bound}"

    def is_unknown_branch(self, position: int) -> bool:
        """Only of the question whether the value is known, its second branch."""
        return position == 1 and self.threshold == math.inf

    def _branch_of_known(self, codes: Sequence[float]) -> int | None:
        return 0 if codes[0] <= self.threshold else 1

    def branches_of(self, columns: Sequence[Array]) -> Integers:
        """0 up to the threshold, 1 above."""
        (column,) = columns
        return np.where(np.isnan(column), -1, np.where(column <= self.threshold, 0, 1))

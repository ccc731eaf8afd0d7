"""Grouped questions: in which group of values it is, one branch for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from quercus.arrays import Floats
from quercus.data.schema import Schema
from quercus.tree.questions.question import Entries
from quercus.tree.questions.values import OfValues, groups_of


@dataclass(frozen=True, repr=False)
class Grouped(OfValues):
    """One branch for each group of values (codes); a value in no group counts as unknown.

    >>> from quercus.data import Attribute
    >>> soil = Attribute("Soil", "nominal", values=("clay", "loam", "peat", "sand"))
    >>> test = Grouped(soil, groups=((0, 2), (1,), (3,)))
    >>> print(test, test.branches(), test.branch_of("peat"))
    Soil in {clay, peat} | {loam} | {sand} ['Soil in {clay, peat}', 'Soil = loam', 'Soil = sand'] 0
    """

    groups: tuple[tuple[int, ...], ...] = ()

    kind = 3
    kind_name = "grouped"
    has_groups = True

    @classmethod
    def read(cls, schema: Schema, missing_child: int | None, entries: Entries) -> Self:
        """The question of these entries."""
        groups = groups_of(entries["group_value"], entries["group_child"], int(entries["n_children"]))
        return cls(schema[entries["attribute"]], missing_child, groups)

    @classmethod
    def choice_bits(cls, cuts: Floats, present: Floats, branches: Floats) -> Floats:
        """The number of groups, and one of the ways to divide the values among them."""
        from scipy.special import gammaln

        ways = present * np.log2(branches) - gammaln(branches + 1) / np.log(2.0)
        bits = np.log2(np.maximum(present - 1.0, 1.0)) + np.maximum(ways, 0.0)
        return np.where(present > 1, bits, 0.0)

    @property
    def n_branches(self) -> int:
        """The number of groups."""
        return len(self.groups)

    def codes(self, position: int) -> tuple[int, ...]:
        """The group of a branch."""
        return self.groups[position]

    def _branch_of_known(self, codes: Sequence[float]) -> int | None:
        return next((position for position, group in enumerate(self.groups) if codes[0] in group), None)

    def __str__(self) -> str:
        """All groups, each of at most 10 values."""
        return f"{self.subject()} in " + " | ".join(self._braces(codes, 10) for codes in self.groups)

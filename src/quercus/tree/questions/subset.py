"""Subset questions: whether the value is one of some."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quercus.arrays import Floats
from quercus.tree.questions.grouped import Grouped
from quercus.tree.questions.question import Question


@dataclass(frozen=True, repr=False)
class Subset(Grouped):
    """Two groups of values; branch 0 holds the first value present.

    >>> from quercus.data import Attribute
    >>> soil = Attribute("Soil", "nominal", values=("clay", "loam", "peat", "sand"))
    >>> test = Subset(soil, groups=((0, 2), (3,)))
    >>> print(test, test.branches(), test.branch_of("sand"), test.branch_of("loam"))
    Soil in {clay, peat} ['Soil in {clay, peat}', 'Soil = sand'] 1 None
    """

    kind = 4
    kind_name = "subset"
    fixed_branches = 2
    can_stand_in = True
    can_be_packed = True

    @classmethod
    def choice_bits(cls, cuts: Floats, present: Floats, branches: Floats) -> Floats:
        """One of the ways to divide the values in two, neither part empty."""
        several = np.maximum(present, 2.0)
        return np.where(present > 1, several - 1.0 + np.log2(1.0 - np.exp2(1.0 - several)), 0.0)

    __str__ = Question.__str__

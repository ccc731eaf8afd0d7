"""Multiway questions: which value it is, one branch for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from quercus.arrays import Array, Floats, Truths
from quercus.data.schema import Schema
from quercus.errors import DataError
from quercus.tree.questions.question import Entries
from quercus.tree.questions.values import OfValues


@dataclass(frozen=True, repr=False)
class Multiway(OfValues):
    """One branch for each declared value, in declaration order; with ``own_unknown`` one more, the last, for unknown.

    >>> from quercus.data import Attribute
    >>> outlook = Attribute("Outlook", "nominal", values=("Sunny", "Overcast", "Rain"))
    >>> test = Multiway(outlook)
    >>> test, test.branches(), test.branch_of("Rain")
    (Multiway(Outlook), ['Outlook = Sunny', 'Outlook = Overcast', 'Outlook = Rain'], 2)
    >>> Multiway(outlook, missing_child=3, own_unknown=True).branch(3)
    'Outlook unknown'
    """

    own_unknown: bool = False

    kind = 2
    kind_name = "multiway"
    asked_once = True

    @classmethod
    def read(cls, schema: Schema, missing_child: int | None, entries: Entries) -> Self:
        """The question of these entries."""
        attribute = schema[entries["attribute"]]
        return cls(attribute, missing_child, int(entries["n_children"]) > attribute.n_values)

    @classmethod
    def check(cls, arrays: dict[str, Array], here: Truths, schema: Schema) -> None:
        """One child for each declared value, and at most one more."""
        nodes = np.flatnonzero(here)
        size = arrays["n_children"][nodes]
        counts = np.array([attribute.n_values for attribute in schema], dtype=np.int64)
        n_values = counts[arrays["attribute"][nodes]]
        wrong = np.flatnonzero((size != n_values) & (size != n_values + 1))
        if len(wrong):
            raise DataError(
                f"Node {nodes[wrong[0]]} has {size[wrong[0]]} children; a multiway test has one child a "
                f"declared value, here {n_values[wrong[0]]}, and at most one more for unknown."
            )

    @classmethod
    def choice_bits(cls, cuts: Floats, present: Floats, branches: Floats) -> Floats:
        """None: there is no choice."""
        return np.zeros(len(branches))

    @property
    def n_branches(self) -> int:
        """The declared values, and unknown if it has a branch of its own."""
        return self.attribute.n_values + self.own_unknown

    def codes(self, position: int) -> tuple[int, ...]:
        """The one value of a branch; of unknown none."""
        return () if self.is_unknown_branch(position) else (position,)

    def is_unknown_branch(self, position: int) -> bool:
        """The branch after those of the declared values."""
        return position == self.attribute.n_values

    def _branch_of_known(self, codes: Sequence[float]) -> int | None:
        return int(codes[0]) if codes[0] < self.attribute.n_values else None

    def __str__(self) -> str:
        """The attribute's name."""
        return self.subject()

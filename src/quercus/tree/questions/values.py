"""Questions about a nominal or boolean value: what those with one branch for some of the values share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quercus.arrays import Array, Integers
from quercus.data.names import UNLIMITED, listed
from quercus.tree.conditions import ValueSet, value_name
from quercus.tree.questions.question import Question


@dataclass(frozen=True, repr=False)
class OfValues(Question):
    """A question each of whose branches takes some values; a value that none takes counts as unknown."""

    asks_numbers = False

    @abstractmethod
    def codes(self, position: int) -> tuple[int, ...]:
        """The codes of the values that a branch takes."""

    def values(self, position: int) -> tuple[Any, ...]:
        """The values of a branch, as the table holds them."""
        return tuple(self.attribute.values[code] for code in self.codes(position))

    def condition(self, position: int, *, unknown: bool = False) -> ValueSet:
        """The set of the branch's values."""
        codes = self.codes(position)
        if unknown and position == self.missing_child:
            placed = [self.codes(other) for other in range(self.n_branches) if other != position]
            return ValueSet(self.attribute, set(range(self.attribute.n_values)).difference(*placed), unknown=True)
        return ValueSet(self.attribute, codes, unknown=not codes and position == self.missing_child)

    def answer(
        self, position: int, *, limit: int | None = None, width: int = UNLIMITED, digits: int | None = 10
    ) -> str:
        """The words of one branch."""
        if self.is_unknown_branch(position):
            return "unknown"
        codes = self.codes(position)
        if len(codes) == 1:
            return f"= {value_name(self.attribute, codes[0], width)}"
        return "in " + self._braces(codes, limit, width)

    def _braces(self, codes: Sequence[int], limit: int | None, width: int = UNLIMITED) -> str:
        return "{" + listed((value_name(self.attribute, code, width) for code in codes), len(codes), limit) + "}"

    def is_unknown_branch(self, position: int) -> bool:
        """A branch of unknown values that no declared value takes."""
        return position == self.missing_child and not self.codes(position)

    def branches_of(self, columns: Sequence[Array]) -> Integers:
        """By a table of the codes, whose last place is that of the code −1."""
        (column,) = columns
        table = np.full(self.attribute.n_values + 1, -1, dtype=np.int64)
        for position in range(self.n_branches):
            table[list(self.codes(position))] = position
        return table[column]


def groups_of(values: Array, children: Array, n_children: int) -> tuple[tuple[int, ...], ...]:
    """The codes that go to each child, from the codes that have one, ascending, and the child of each.

    >>> groups_of(np.array([0, 1, 2, 5]), np.array([0, 1, 0, 1]), 2)
    ((0, 2), (1, 5))
    """
    order = np.argsort(children, kind="stable")
    bounds = np.searchsorted(children[order], np.arange(n_children + 1))
    codes = values[order].tolist()
    return tuple(tuple(codes[bounds[child] : bounds[child + 1]]) for child in range(n_children))

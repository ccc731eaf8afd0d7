"""Tests: the question that an inner node asks, as a value with a kind: threshold, multiway, grouped or subset.

Branches are numbered from 0 in the order of the node's children. A test knows its attribute, so it speaks in names.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quercus.data.schema import Attribute, Schema
from quercus.data.values import value_text
from quercus.tree.names import listed, quoted_name, quoted_value, shortened

_UNLIMITED = 1 << 60


@dataclass(frozen=True, repr=False)
class Question(ABC):
    """What all tests share.

    attribute: the attribute asked for. missing_child: the branch of an unknown value; None: spread over all branches.
    """

    attribute: Attribute
    missing_child: int | None = None

    @property
    @abstractmethod
    def n_branches(self) -> int:
        """How many answers the question has."""

    @abstractmethod
    def branch(self, position: int, *, limit: int | None = None, width: int = _UNLIMITED) -> str:
        """The text of one branch; at most ``limit`` values of a set, names of at most ``width`` characters."""

    @abstractmethod
    def is_unknown_branch(self, position: int) -> bool:
        """Whether the branch is for unknown values alone."""

    @abstractmethod
    def _branch_of_known(self, code: float) -> int | None:
        """The branch of a known encoded value; None if it has none."""

    def branches(self, *, limit: int | None = None, width: int = _UNLIMITED) -> list[str]:
        """The texts of all branches, in the order of the children."""
        return [self.branch(position, limit=limit, width=width) for position in range(self.n_branches)]

    def branch_of_code(self, code: float) -> int | None:
        """The branch of an encoded value (a number or code; unknown: NaN or the code −1); None: spread over all."""
        known = code == code and (self.attribute.is_numeric or code >= 0)
        branch = self._branch_of_known(code) if known else None
        return self.missing_child if branch is None else branch

    def branch_of(self, value: object) -> int | None:
        """The branch of a value as the table holds it, one never seen as unknown; None: spread over all branches."""
        return self.branch_of_code(encoded(self.attribute, value))

    def __repr__(self) -> str:
        """The kind of test and its text, without the attribute's whole domain."""
        return f"{type(self).__name__}({self})"

    def _name(self, width: int = _UNLIMITED) -> str:
        return quoted_name(shortened(self.attribute.name, width))

    def value_name(self, code: int, width: int = _UNLIMITED) -> str:
        value, text = self.attribute.values[code], self.attribute.show(code)
        if isinstance(value, str) and text != value_text(value):
            return shortened(text, width)  # quoted already, to tell "1" from 1
        return quoted_value(value, width)

    def _among(self, codes: Sequence[int], limit: int | None, width: int) -> str:
        """``Soil = clay`` or ``Soil in {clay, sand}``."""
        if len(codes) == 1:
            return f"{self._name(width)} = {self.value_name(codes[0], width)}"
        return f"{self._name(width)} in {self._braces(codes, limit, width)}"

    def _braces(self, codes: Sequence[int], limit: int | None, width: int = _UNLIMITED) -> str:
        return "{" + listed((self.value_name(code, width) for code in codes), len(codes), limit) + "}"


@dataclass(frozen=True, repr=False)
class Threshold(Question):
    """``x <= t`` (branch 0) or ``x > t`` (branch 1), for numeric, ordered and date attributes.

    A threshold of +inf asks whether the value is known.

    >>> test = Threshold(Attribute("Temperature", "numeric"), threshold=54.0)
    >>> test, test.branches(), test.branch_of(54)
    (Threshold(Temperature <= 54), ['Temperature <= 54', 'Temperature > 54'], 0)
    >>> Threshold(Attribute("Size", "ordered", values=("S", "M", "L")), threshold=1.5).branches()
    ['Size <= M', 'Size > M']
    >>> Threshold(Attribute("Income", "numeric"), threshold=float("inf"), missing_child=1).branches()
    ['Income known', 'Income unknown']
    """

    threshold: float = math.nan

    @property
    def n_branches(self) -> int:
        """Always 2."""
        return 2

    def branch(self, position: int, *, limit: int | None = None, width: int = _UNLIMITED) -> str:
        """The text of one branch."""
        name = self._name(width)
        if self.threshold == math.inf:
            return f"{name} {'unknown' if self.is_unknown_branch(position) else 'known'}"
        if self.attribute.kind == "ordered":
            bound = self.value_name(min(max(math.floor(self.threshold), 0), self.attribute.n_values - 1), width)
        else:
            bound = self.attribute.show(self.threshold)
        return f"{name} {('<=', '>')[position]} {bound}"

    def is_unknown_branch(self, position: int) -> bool:
        """Only of the question whether the value is known, its second branch."""
        return position == 1 and self.threshold == math.inf

    def _branch_of_known(self, code: float) -> int | None:
        return 0 if code <= self.threshold else 1

    def __str__(self) -> str:
        """The text of the first branch."""
        return self.branch(0)


@dataclass(frozen=True, repr=False)
class Multiway(Question):
    """One branch a declared value, in declaration order; with ``own_unknown`` one more, the last, for unknown.

    >>> outlook = Attribute("Outlook", "nominal", values=("Sunny", "Overcast", "Rain"))
    >>> test = Multiway(outlook)
    >>> test, test.branches(), test.branch_of("Rain")
    (Multiway(Outlook), ['Outlook = Sunny', 'Outlook = Overcast', 'Outlook = Rain'], 2)
    >>> Multiway(outlook, missing_child=3, own_unknown=True).branch(3)
    'Outlook unknown'
    """

    own_unknown: bool = False

    @property
    def n_branches(self) -> int:
        """The declared values, and unknown if it has a branch of its own."""
        return self.attribute.n_values + self.own_unknown

    def branch(self, position: int, *, limit: int | None = None, width: int = _UNLIMITED) -> str:
        """The text of one branch."""
        if self.is_unknown_branch(position):
            return f"{self._name(width)} unknown"
        return self._among((position,), limit, width)

    def is_unknown_branch(self, position: int) -> bool:
        """The branch after those of the declared values."""
        return position == self.attribute.n_values

    def _branch_of_known(self, code: float) -> int | None:
        return int(code) if code < self.attribute.n_values else None

    def __str__(self) -> str:
        """The attribute's name."""
        return self._name()


@dataclass(frozen=True, repr=False)
class Grouped(Question):
    """One branch a group of values (codes); a value in no group counts as unknown.

    >>> soil = Attribute("Soil", "nominal", values=("clay", "loam", "peat", "sand"))
    >>> test = Grouped(soil, groups=((0, 2), (1,), (3,)))
    >>> print(test, test.branches(), test.branch_of("peat"))
    Soil in {clay, peat} | {loam} | {sand} ['Soil in {clay, peat}', 'Soil = loam', 'Soil = sand'] 0
    """

    groups: tuple[tuple[int, ...], ...] = ()

    @property
    def n_branches(self) -> int:
        """The number of groups."""
        return len(self.groups)

    def values(self, position: int) -> tuple[Any, ...]:
        """The values of a branch, as the table holds them."""
        return tuple(self.attribute.values[code] for code in self.groups[position])

    def branch(self, position: int, *, limit: int | None = None, width: int = _UNLIMITED) -> str:
        """The text of one branch."""
        if self.is_unknown_branch(position):
            return f"{self._name(width)} unknown"
        return self._among(self.groups[position], limit, width)

    def is_unknown_branch(self, position: int) -> bool:
        """A branch of unknown values that no declared value takes."""
        return position == self.missing_child and not self.groups[position]

    def _branch_of_known(self, code: float) -> int | None:
        return next((position for position, codes in enumerate(self.groups) if code in codes), None)

    def __str__(self) -> str:
        """All groups, each of at most 10 values."""
        return f"{self._name()} in " + " | ".join(self._braces(codes, 10) for codes in self.groups)


@dataclass(frozen=True, repr=False)
class Subset(Grouped):
    """Two groups of values; branch 0 holds the first value present.

    >>> soil = Attribute("Soil", "nominal", values=("clay", "loam", "peat", "sand"))
    >>> test = Subset(soil, groups=((0, 2), (3,)))
    >>> print(test, test.branches(), test.branch_of("sand"), test.branch_of("loam"))
    Soil in {clay, peat} ['Soil in {clay, peat}', 'Soil = sand'] 1 None
    """

    def __str__(self) -> str:
        """The text of the first branch, of at most 10 values."""
        return self.branch(0, limit=10)


Test = Threshold | Multiway | Grouped | Subset


def groups_of(value_child: np.ndarray[Any, Any], n_children: int) -> tuple[tuple[int, ...], ...]:
    """The codes that go to each child, from the child of each code (−1: none).

    >>> groups_of(np.array([0, 1, 0, -1]), 2)
    ((0, 2), (1,))
    """
    order = np.argsort(value_child, kind="stable")
    bounds = np.searchsorted(value_child[order], np.arange(n_children + 1))
    return tuple(tuple(order[bounds[child] : bounds[child + 1]].tolist()) for child in range(n_children))


def encoded(attribute: Attribute, value: object) -> float:
    """One value of a table as the tree compares it: a code, a number or microseconds; unknown and never seen: NaN.

    >>> import datetime
    >>> encoded(Attribute("Day", "date"), datetime.date(1970, 1, 2))
    86400000000.0
    >>> encoded(Attribute("Wind", "nominal", values=("Weak", "Strong")), "Strong")
    1.0
    """
    from quercus.data.dataset import encode_like  # reads tables of any library, which printing a tree does not need

    code = float(encode_like({attribute.name: [value]}, Schema((attribute,))).columns[0][0])
    return math.nan if code < 0 and not attribute.is_numeric else code

"""The committee: rule lists learnt from draws of one table that answer together, as the trees of a forest do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from quercus.data.names import counted
from quercus.errors import DataError, ParameterError
from quercus.rules.rule_list import RuleList
from quercus.targets import TargetKind


@dataclass(frozen=True, eq=False, repr=False)
class Committee:
    """Rule lists in their order; never changed afterwards.

    members: of the same classes. partial: whether learning was stopped before all members asked for were there.

    >>> from quercus import PARTClassifier
    >>> from quercus.datasets import load_play_tennis
    >>> rules = PARTClassifier().fit(*load_play_tennis()).rules_
    >>> Committee((rules, rules))
    <Committee: 2 rule lists, 4 rules, 2 classes>
    """

    members: tuple[RuleList, ...]
    partial: bool = False

    def __post_init__(self) -> None:
        """Refuse members that do not speak of the same classes."""
        if not self.members:
            raise DataError("A committee needs at least one rule list.")
        if any(member.classes != self.members[0].classes for member in self.members):
            raise DataError("The rule lists of a committee need the same classes.")

    @property
    def classes(self) -> tuple[object, ...] | None:
        """The names of the classes; None: the members answer numbers."""
        return self.members[0].classes

    @property
    def target_kind(self) -> TargetKind:
        """The kind of target that the members answer."""
        return self.members[0].target_kind

    def __len__(self) -> int:
        """The number of rule lists."""
        return len(self.members)

    def __iter__(self) -> Iterator[RuleList]:
        """The rule lists in their order."""
        return iter(self.members)

    def member(self, number: int) -> RuleList:
        """One rule list of the committee."""
        if not 0 <= number < len(self.members):
            raise ParameterError(f"There is no member {number}; the members are 0 … {len(self.members) - 1}.")
        return self.members[number]

    def extended(self, other: Committee) -> Committee:
        """This committee's members, then the other's."""
        return replace(self, members=self.members + other.members, partial=self.partial or other.partial)

    def __eq__(self, other: object) -> bool:
        """Whether all rule lists are the same."""
        if not isinstance(other, Committee):
            return NotImplemented
        return self.members == other.members

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """The committee in one line."""
        size = f"{counted(len(self), 'rule list')}, {counted(sum(map(len, self.members)), 'rule')}"
        return f"<Committee: {size}, {self.target_kind.title}>"

"""Questions: what an inner node asks, as a value; it describes each branch in words and as a condition.

One file for each kind; ``kinds.py`` lists them. What prints, draws, explains or saves a tree asks a question for its
attributes, for the conditions and words of its branches and for the branch of an example, but not for its kind.
Branches are numbered from 0 in the order of the node's children. A question knows its attribute, so it speaks in names.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self

from quercus.arrays import Array, Floats, Integers, Truths
from quercus.data.names import UNLIMITED, quoted_name, shortened
from quercus.data.schema import Attribute, Schema
from quercus.errors import ParameterError
from quercus.tree.conditions import Condition


class Entries(Protocol):
    """What the arrays of a tree hold for one node or surrogate, by the array's name."""

    def __getitem__(self, name: str) -> Any: ...


@dataclass(frozen=True, repr=False)
class Question(ABC):
    """What all kinds of question share.

    attribute: the attribute asked for. missing_child: the branch of an unknown value; None: spread over all branches.
    """

    attribute: Attribute
    missing_child: int | None = None

    #: The kind's number in the array ``kind``, and its name.
    kind: ClassVar[int]
    kind_name: ClassVar[str]
    #: Whether a question may read several attributes; then ``positions`` and ``attributes`` say which.
    reads_several: ClassVar[bool] = False
    #: Whether numbers, dates or ordered values are asked; if not, nominal or boolean ones.
    asks_numbers: ClassVar[bool]
    #: Whether the array ``threshold`` has its number, and the table of groups its values and their children.
    has_threshold: ClassVar[bool] = False
    has_groups: ClassVar[bool] = False
    #: The number of branches, where the kind fixes it.
    fixed_branches: ClassVar[int | None] = None
    #: Whether no question below asks the attribute again.
    asked_once: ClassVar[bool] = False
    #: Whether it can be a surrogate, and whether a forest can pack it.
    can_stand_in: ClassVar[bool] = False
    can_be_packed: ClassVar[bool] = False

    @classmethod
    @abstractmethod
    def read(cls, schema: Schema, missing_child: int | None, entries: Entries) -> Self:
        """The question of a node whose arrays hold these entries."""

    @classmethod
    def positions(cls, entries: Entries) -> tuple[int, ...]:
        """The positions in the schema of the attributes that a question with these entries reads."""
        return (int(entries["attribute"]),)

    @classmethod
    def check(cls, arrays: dict[str, Array], here: Truths, schema: Schema) -> None:
        """Refuse arrays that say something impossible at the nodes ``here`` of this kind.

        What the fields above tell is checked for all kinds together (``tree/invariants.py``); this is for the rest.
        """
        return

    @classmethod
    def choice_bits(cls, cuts: Floats, present: Floats, branches: Floats) -> Floats:
        """How many bits say which question of this kind is asked, of all that one attribute allows.

        cuts: thresholds to choose from. present: values that have a branch. branches: how many there are.
        """
        raise ParameterError(f"MDL pruning has no code for {cls.kind_name} questions; choose another pruning.")

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The attributes whose values are read."""
        return (self.attribute,)

    @property
    @abstractmethod
    def n_branches(self) -> int:
        """How many answers the question has."""

    @abstractmethod
    def condition(self, position: int, *, unknown: bool = False) -> Condition:
        """What the answer of one branch says of an example.

        unknown: the branch that takes unknown values (and those that have no branch) says so.
        """

    @abstractmethod
    def answer(
        self, position: int, *, limit: int | None = None, width: int = UNLIMITED, digits: int | None = 10
    ) -> str:
        """The words of one branch without the subject: ``<= 54``, ``= Sunny``, ``in {clay, sand}``, ``unknown``.

        limit: at most so many values of a set. width: characters of a name. digits: significant digits of a number.
        """

    @abstractmethod
    def is_unknown_branch(self, position: int) -> bool:
        """Whether the branch is for unknown values alone."""

    @abstractmethod
    def _branch_of_known(self, codes: Sequence[float]) -> int | None:
        """The branch of known encoded values, one for each attribute; None if they have none."""

    @abstractmethod
    def branches_of(self, columns: Sequence[Array]) -> Integers:
        """The branch of each row; −1 where a value is unknown or has no branch. columns: encoded, of the attributes."""

    def subject(self, width: int = UNLIMITED) -> str:
        """What is asked for, in words."""
        return quoted_name(shortened(self.attribute.name, width))

    def branch(self, position: int, *, limit: int | None = None, width: int = UNLIMITED) -> str:
        """The text of one branch; at most ``limit`` values of a set, names of at most ``width`` characters."""
        return f"{self.subject(width)} {self.answer(position, limit=limit, width=width)}"

    def branches(self, *, limit: int | None = None, width: int = UNLIMITED) -> list[str]:
        """The texts of all branches, in the order of the children."""
        return [self.branch(position, limit=limit, width=width) for position in range(self.n_branches)]

    def conditions(self, *, unknown: bool = False) -> list[Condition]:
        """The conditions of all branches, in the order of the children; unknown: as in :meth:`condition`."""
        return [self.condition(position, unknown=unknown) for position in range(self.n_branches)]

    def known_branch(self, *codes: float) -> int | None:
        """The branch of encoded values (numbers or codes, one for each attribute); None if they have none.

        NaN, and of a nominal or boolean attribute the code −1, are unknown and have none.
        """
        for attribute, code in zip(self.attributes, codes, strict=True):
            if code != code or (code < 0 and not attribute.is_numeric):
                return None
        return self._branch_of_known(codes)

    def branch_of_code(self, *codes: float) -> int | None:
        """The same, but unknown values have the branch ``missing_child``; None: they are spread over all branches."""
        branch = self.known_branch(*codes)
        return self.missing_child if branch is None else branch

    def branch_of(self, *values: object) -> int | None:
        """The branch of a value as the table holds it, one never seen as unknown; None: spread over all branches."""
        return self.branch_of_code(*map(encoded, self.attributes, values))

    def __str__(self) -> str:
        """The text of the first branch, of at most 10 values."""
        return self.branch(0, limit=10)

    def __repr__(self) -> str:
        """The kind of question and its text, without the attribute's whole domain."""
        return f"{type(self).__name__}({self})"


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

"""What every condition can do: be met by cells, compared and combined with others on its attribute, and be read."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from quercus.arrays import Array, Truths
from quercus.data.latex import latex_text
from quercus.data.names import UNLIMITED, quoted_name, quoted_value, shortened
from quercus.data.schema import Attribute
from quercus.data.values import value_text
from quercus.errors import ParameterError

#: Stands for "or unknown" in lists of rules, with the footnote below them.
UNKNOWN_MARK = "[?]"
FOOTNOTE = f"{UNKNOWN_MARK}: so, or the value is unknown."


class Condition(ABC):
    """What :class:`Interval` and :class:`ValueSet` share.

    attribute: the attribute asked for. unknown: whether an unknown value fulfils the condition.
    """

    attribute: Attribute
    unknown: bool

    @property
    def name(self) -> str:
        """The attribute's name."""
        return self.attribute.name

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The attributes whose values decide."""
        return (self.attribute,)

    @property
    @abstractmethod
    def has_no_value(self) -> bool:
        """Whether no known value fulfils the condition."""

    @property
    @abstractmethod
    def has_every_value(self) -> bool:
        """Whether every known value fulfils the condition."""

    @property
    def is_impossible(self) -> bool:
        """Whether nothing fulfils the condition: a contradiction such as ``85 < x <= 54``."""
        return self.has_no_value and not self.unknown

    @property
    def is_certain(self) -> bool:
        """Whether everything fulfils the condition, unknown values too."""
        return self.has_every_value and self.unknown

    def holds(self, column: Array, unknown: bool | None = None) -> Truths:
        """Which cells of the attribute's encoded column fulfil the condition.

        unknown: whether unknown cells do; None: as the condition says (normally they do not).
        """
        known = self._among_known(column)
        if self.unknown if unknown is None else unknown:
            known = known | (np.isnan(column) if self.attribute.is_numeric else column < 0)
        return known

    def holds_code(self, code: float) -> bool:
        """Whether one encoded value (a number or code; unknown: NaN or the code −1) fulfils the condition."""
        dtype = np.float64 if self.attribute.is_numeric else np.int32
        return bool(self.holds(np.array([code], dtype=dtype))[0])

    @abstractmethod
    def implies(self, other: Condition) -> bool:
        """Whether whatever fulfils this condition fulfils the other, too."""

    def contradicts(self, other: Condition) -> bool:
        """Whether nothing fulfils both."""
        return self.name == other.name and self.intersection(other).is_impossible

    @property
    def has_alternative(self) -> bool:
        """Whether some known values fulfil the condition, and unknown ones too: its words have an "or"."""
        return self.unknown and not self.has_no_value and not self.has_every_value

    @property
    def is_marked(self) -> bool:
        """Whether lists of rules say of the condition that unknown values fulfil it: only where training had some."""
        return self.has_alternative and self.attribute.gaps is not False

    def text(
        self, *, limit: int | None = None, complement: bool = False, mark: bool = False, at_most: str = "<="
    ) -> str:
        """The condition in words: ``54 < Temperature <= 85``, ``Outlook in {Sunny, Rain}``, ``Income unknown``.

        limit: at most so many values of a set. complement: write ``not in {…}`` where that is shorter. mark: write
        ``[?]`` for "or unknown", to be explained once below, and nothing where training had no unknown value of the
        attribute. at_most: the sign for "at most".
        """
        name = quoted_name(self.name)
        if self.is_certain:
            return f"{name} anything"
        if self.has_every_value:
            return f"{name} known"
        if self.has_no_value:
            return f"{name} unknown" if self.unknown else f"{name} impossible"
        alternative = f" {UNKNOWN_MARK}" if mark else " or unknown"
        is_shown = self.is_marked if mark else self.unknown
        return self._known_text(name, limit, complement, at_most) + (alternative if is_shown else "")

    def latex(self, *, mark: bool = False) -> str:
        r"""The condition as LaTeX for mathematics mode, names escaped: ``\text{Outlook} = \text{Sunny}``.

        mark: leave "or unknown" out where training had no unknown value of the attribute.
        """
        name = latex_text(self.name)
        word = "anything" if self.is_certain else "known" if self.has_every_value else ""
        word = word or (("unknown" if self.unknown else "impossible") if self.has_no_value else "")
        if word:
            return rf"{name}\ \text{{{word}}}"
        return self._known_latex(name) + (r"\ \text{or unknown}" if (self.is_marked if mark else self.unknown) else "")

    @abstractmethod
    def _among_known(self, column: Array) -> Truths: ...

    @abstractmethod
    def _known_text(self, name: str, limit: int | None, complement: bool, at_most: str) -> str: ...

    @abstractmethod
    def _known_latex(self, name: str) -> str: ...

    @abstractmethod
    def intersection(self, other: Condition) -> Condition:
        """What fulfils both conditions; both must be on the same attribute."""

    @abstractmethod
    def union(self, other: Condition) -> Condition | None:
        """What fulfils either condition; None if that is no single condition (intervals with a gap between them)."""

    @abstractmethod
    def as_numbers(self, position: Callable[[str], int]) -> dict[str, Any]:
        """The condition for a program that has encoded values only, as a dictionary that JSON can hold.

        ``{"attribute": 2, "above": 54.0, "up_to": 85.0}`` without the bounds that are open, or ``{"attribute": 0,
        "codes": [0, 2]}``; ``"unknown": true`` if an unknown value fulfils it. position: of an attribute, by its name.
        """

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The condition as a dictionary that JSON can hold; :func:`condition_from_dict` reads it."""

    def __str__(self) -> str:
        """The condition in words."""
        return self.text()

    def __repr__(self) -> str:
        """The kind of condition and its words."""
        return f"{type(self).__name__}({self.text(limit=10)})"

    def _same(self, other: Condition) -> Any:
        if type(other) is not type(self) or other.name != self.name:
            raise ParameterError(f"{self!r} and {other!r} are not conditions on one attribute and cannot be combined.")
        return other


def value_name(attribute: Attribute, code: int, width: int = UNLIMITED) -> str:
    """A value of the domain as text of at most ``width`` characters, quoted where it would be misread."""
    value, text = attribute.values[code], attribute.show(code)
    if isinstance(value, str) and text != value_text(value):
        return shortened(text, width)  # quoted already, to tell "1" from 1
    return quoted_value(value, width)

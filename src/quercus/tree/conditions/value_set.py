"""Value sets: the condition that a nominal or boolean value is one of some."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from quercus.arrays import Array, Truths
from quercus.data.latex import latex_text
from quercus.data.names import listed
from quercus.data.schema import Attribute
from quercus.data.values import value_to_json
from quercus.errors import ParameterError, shorten
from quercus.tree.conditions.condition import Condition, value_name


@dataclass(frozen=True, repr=False)
class ValueSet(Condition):
    """One of some values (codes) of a nominal or boolean attribute.

    >>> outlook = Attribute("Outlook", "nominal", values=("Sunny", "Overcast", "Rain"))
    >>> print(ValueSet(outlook, [0]), "|", ValueSet(outlook, [0, 2]), "|", ValueSet(outlook, [], unknown=True))
    Outlook = Sunny | Outlook in {Sunny, Rain} | Outlook unknown
    >>> ValueSet(outlook, [0, 2]).text(complement=True)
    'Outlook not Overcast'
    >>> ValueSet(outlook, [0, 2]).holds(np.array([0, 1, 2, -1]))
    array([ True, False,  True, False])
    """

    attribute: Attribute
    values: frozenset[int]
    unknown: bool

    def __init__(self, attribute: Attribute, values: Iterable[int] = (), unknown: bool = False) -> None:
        object.__setattr__(self, "attribute", attribute)
        object.__setattr__(self, "values", values if type(values) is frozenset else frozenset(map(int, values)))
        object.__setattr__(self, "unknown", unknown)
        if attribute.is_numeric:
            raise ParameterError(f"{attribute.name!r} is {attribute.kind}: a condition on it is an Interval.")
        if self.values and not (min(self.values) >= 0 and max(self.values) < attribute.n_values):
            raise ParameterError(
                f"The codes {shorten(sorted(self.values))} are not all values of {attribute.name!r}, whose codes are "
                f"0 … {attribute.n_values - 1}."
            )

    def __hash__(self) -> int:
        """By name and values, without the attribute's domain."""
        return hash((self.name, self.values, self.unknown))

    @property
    def has_no_value(self) -> bool:
        """Whether the set is empty."""
        return not self.values

    @property
    def has_every_value(self) -> bool:
        """Whether the set is the whole domain."""
        return len(self.values) == self.attribute.n_values and bool(self.values)

    @property
    def codes(self) -> tuple[int, ...]:
        """The codes in order."""
        return tuple(sorted(self.values))

    def _among_known(self, column: Array) -> Truths:
        if len(self.values) == 1:
            return np.asarray(column == next(iter(self.values)))
        inside = np.zeros(self.attribute.n_values + 1, dtype=np.bool_)  # the last place is that of the code −1
        inside[list(self.values)] = True
        return inside[column]

    def intersection(self, other: Condition) -> ValueSet:
        """The common values."""
        same: ValueSet = self._same(other)
        return ValueSet(self.attribute, self.values & same.values, self.unknown and same.unknown)

    def implies(self, other: Condition) -> bool:
        """Whether all its values are the other's, too."""
        if not isinstance(other, ValueSet) or other.name != self.name or (self.unknown and not other.unknown):
            return False
        return self.values <= other.values

    def union(self, other: Condition) -> ValueSet:
        """All values of both."""
        same: ValueSet = self._same(other)
        return ValueSet(self.attribute, self.values | same.values, self.unknown or same.unknown)

    def _known_text(self, name: str, limit: int | None, complement: bool, at_most: str) -> str:
        codes, word = self.codes, ""
        if complement and len(codes) > 1 and 2 * len(codes) > self.attribute.n_values:
            codes, word = tuple(code for code in range(self.attribute.n_values) if code not in self.values), " not"
        if len(codes) == 1:
            return f"{name}{word or ' ='} {value_name(self.attribute, codes[0])}"
        shown = listed((value_name(self.attribute, code) for code in codes), len(codes), limit)
        return f"{name}{word} in {{{shown}}}"

    def _known_latex(self, name: str) -> str:
        texts = [latex_text(self.attribute.show(code)) for code in self.codes]
        return f"{name} = {texts[0]}" if len(texts) == 1 else rf"{name} \in \{{{', '.join(texts)}\}}"

    def as_numbers(self, position: Callable[[str], int]) -> dict[str, Any]:
        """The codes in order."""
        return (
            {"attribute": position(self.name)} | ({"unknown": True} if self.unknown else {}) | {"codes": [*self.codes]}
        )

    def to_dict(self) -> dict[str, Any]:
        """The values themselves, not their codes."""
        values = [value_to_json(self.attribute.values[code]) for code in self.codes]
        return {"attribute": self.name, "values": values} | ({"unknown": True} if self.unknown else {})

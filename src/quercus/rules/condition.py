"""Conditions: what a rule asks of one attribute, an interval of numbers or a set of values.

A condition is a set: the values that fulfil it, and whether an unknown value does (by itself it does not). So two
conditions on the same attribute can be intersected, united and compared, and a path of tests becomes one condition an
attribute.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.data.schema import Attribute, Schema
from quercus.data.values import value_from_json, value_text, value_to_json
from quercus.errors import DataError, ParameterError, shorten
from quercus.rules.latex import latex_text
from quercus.tree.names import listed, quoted_name, quoted_value

Array = NDArray[Any]
Truths = NDArray[np.bool_]


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

    def implies(self, other: Condition) -> bool:
        """Whether whatever fulfils this condition fulfils the other, too."""
        return self.name == other.name and self.intersection(other) == self

    def contradicts(self, other: Condition) -> bool:
        """Whether nothing fulfils both."""
        return self.name == other.name and self.intersection(other).is_impossible

    def text(self, *, limit: int | None = None, complement: bool = False) -> str:
        """The condition in words: ``54 < Temperature <= 85``, ``Outlook in {Sunny, Rain}``, ``Income unknown``.

        limit: at most so many values of a set. complement: write ``not in {…}`` where that is shorter.
        """
        name = quoted_name(self.name)
        if self.is_certain:
            return f"{name} anything"
        if self.has_every_value:
            return f"{name} known"
        if self.has_no_value:
            return f"{name} unknown" if self.unknown else f"{name} impossible"
        return self._known_text(name, limit, complement) + (" or unknown" if self.unknown else "")

    def latex(self) -> str:
        r"""The condition as LaTeX for mathematics mode, names escaped: ``\text{Outlook} = \text{Sunny}``."""
        name = latex_text(self.name)
        word = "anything" if self.is_certain else "known" if self.has_every_value else ""
        word = word or (("unknown" if self.unknown else "impossible") if self.has_no_value else "")
        if word:
            return rf"{name}\ \text{{{word}}}"
        return self._known_latex(name) + (r"\ \text{or unknown}" if self.unknown else "")

    @abstractmethod
    def _among_known(self, column: Array) -> Truths: ...

    @abstractmethod
    def _known_text(self, name: str, limit: int | None, complement: bool) -> str: ...

    @abstractmethod
    def _known_latex(self, name: str) -> str: ...

    @abstractmethod
    def intersection(self, other: Condition) -> Condition:
        """What fulfils both conditions; both must be on the same attribute."""

    @abstractmethod
    def union(self, other: Condition) -> Condition | None:
        """What fulfils either condition; None if that is no single condition (intervals with a gap between them)."""

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


@dataclass(frozen=True, repr=False)
class Interval(Condition):
    """``low < x <= high``, for numeric, ordered and date attributes; −inf and +inf leave a side open.

    Open on both sides it asks whether the value is known. The bounds of an ordered attribute are codes.

    >>> temperature = Attribute("Temperature", "numeric")
    >>> print(Interval(temperature, high=54.0), "|", Interval(temperature, 54.0, 85.0), "|", Interval(temperature))
    Temperature <= 54 | 54 < Temperature <= 85 | Temperature known
    >>> Interval(temperature, 54.0, 85.0).intersection(Interval(temperature, high=60.0))
    Interval(54 < Temperature <= 60)
    >>> size = Attribute("Size", "ordered", values=("S", "M", "L", "XL"))
    >>> print(Interval(size, high=1), "|", Interval(size, 0, 2), "|", Interval(size, 1), "|", Interval(size, 1, 2))
    Size <= M | Size in M..L | Size > M | Size = L
    """

    attribute: Attribute
    low: float = -math.inf
    high: float = math.inf
    unknown: bool = False

    def __post_init__(self) -> None:
        """Give equal sets equal bounds."""
        if not self.attribute.is_numeric:
            raise ParameterError(f"{self.name!r} is {self.attribute.kind}: a condition on it is a ValueSet.")
        low, high = float(self.low), float(self.high)
        if low != low or high != high:
            raise ParameterError(f"An interval of {self.name!r} has the bounds {self.low!r} and {self.high!r}.")
        if self.attribute.kind == "ordered":
            low = math.floor(low) if 0 <= low < math.inf else -math.inf if low < 0 else low
            high = math.floor(high) if math.isfinite(high) else high
            high = math.inf if high >= self.attribute.n_values - 1 else high
            if high < 0 or low >= self.attribute.n_values - 1:
                low, high = math.inf, -math.inf
        if low >= high:
            low, high = math.inf, -math.inf
        object.__setattr__(self, "low", float(low))
        object.__setattr__(self, "high", float(high))

    def __hash__(self) -> int:
        """By name and bounds, without the attribute's domain."""
        return hash((self.name, self.low, self.high, self.unknown))

    @property
    def has_no_value(self) -> bool:
        """Whether the interval is empty."""
        return self.low >= self.high

    @property
    def has_every_value(self) -> bool:
        """Whether both sides are open."""
        return self.low == -math.inf and self.high == math.inf

    def _among_known(self, column: Array) -> Truths:
        if self.has_no_value:
            return np.zeros(len(column), dtype=np.bool_)
        low, high = np.float64(self.low), np.float64(self.high)  # not Python floats: these would be cut to float32
        if self.low == -math.inf:
            return np.asarray(column <= high)
        above = np.asarray(column > low)
        if self.high < math.inf:
            above &= column <= high
        return above

    def intersection(self, other: Condition) -> Interval:
        """The common part."""
        same: Interval = self._same(other)
        low, high = max(self.low, same.low), min(self.high, same.high)
        return Interval(self.attribute, low, high, self.unknown and same.unknown)

    def union(self, other: Condition) -> Interval | None:
        """Both together, if nothing lies between them."""
        same: Interval = self._same(other)
        unknown = self.unknown or same.unknown
        if self.has_no_value or same.has_no_value:
            return replace(same if self.has_no_value else self, unknown=unknown)
        if max(self.low, same.low) > min(self.high, same.high):
            return None
        return Interval(self.attribute, min(self.low, same.low), max(self.high, same.high), unknown)

    def _bounds(self) -> tuple[str, str]:
        low, high = self.attribute.show(self.low), self.attribute.show(self.high)
        if low == high:
            low, high = self.attribute.show(self.low, None), self.attribute.show(self.high, None)
        return low, high

    def _ordered_ends(self) -> tuple[int, int]:
        """The first and the last value inside."""
        first = 0 if self.low == -math.inf else int(self.low) + 1
        return first, self.attribute.n_values - 1 if self.high == math.inf else int(self.high)

    def _known_text(self, name: str, limit: int | None, complement: bool) -> str:
        if self.attribute.kind == "ordered":
            first, last = self._ordered_ends()
            if first == last:
                return f"{name} = {value_name(self.attribute, first)}"
            if self.low == -math.inf:
                return f"{name} <= {value_name(self.attribute, last)}"
            if self.high == math.inf:
                return f"{name} > {value_name(self.attribute, first - 1)}"
            return f"{name} in {value_name(self.attribute, first)}..{value_name(self.attribute, last)}"
        low, high = self._bounds()
        if self.low == -math.inf:
            return f"{name} <= {high}"
        return f"{name} > {low}" if self.high == math.inf else f"{low} < {name} <= {high}"

    def _known_latex(self, name: str) -> str:
        if self.attribute.kind == "ordered":
            first, last = self._ordered_ends()
            texts = {code: latex_text(self.attribute.show(code)) for code in (first - 1, first, last)}
            if first == last:
                return f"{name} = {texts[first]}"
            if self.low == -math.inf:
                return rf"{name} \le {texts[last]}"
            return f"{name} > {texts[first - 1]}" if self.high == math.inf else rf"{texts[first]} \le {name} \le {texts[last]}"
        low, high = (latex_text(text) if self.attribute.kind == "date" else _latex_number(text) for text in self._bounds())
        if self.low == -math.inf:
            return rf"{name} \le {high}"
        return f"{name} > {low}" if self.high == math.inf else rf"{low} < {name} \le {high}"

    def to_dict(self) -> dict[str, Any]:
        """The bounds; None where a side is open; ``{"values": []}`` if empty."""
        result: dict[str, Any] = {"attribute": self.name}
        if self.has_no_value:
            result["values"] = []
        else:
            result["above"] = None if self.low == -math.inf else self.low
            result["up_to"] = None if self.high == math.inf else self.high
        return result | ({"unknown": True} if self.unknown else {})


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

    def union(self, other: Condition) -> ValueSet:
        """All values of both."""
        same: ValueSet = self._same(other)
        return ValueSet(self.attribute, self.values | same.values, self.unknown or same.unknown)

    def _known_text(self, name: str, limit: int | None, complement: bool) -> str:
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

    def to_dict(self) -> dict[str, Any]:
        """The values themselves, not their codes."""
        values = [value_to_json(self.attribute.values[code]) for code in self.codes]
        return {"attribute": self.name, "values": values} | ({"unknown": True} if self.unknown else {})


def is_unknown(attribute: Attribute) -> Condition:
    """The condition that the value is unknown.

    >>> print(is_unknown(Attribute("Income", "numeric")))
    Income unknown
    """
    if attribute.is_numeric:
        return Interval(attribute, math.inf, -math.inf, unknown=True)
    return ValueSet(attribute, (), unknown=True)


def is_known(attribute: Attribute) -> Condition:
    """The condition that the value is known.

    >>> print(is_known(Attribute("Income", "numeric")))
    Income known
    """
    return Interval(attribute) if attribute.is_numeric else ValueSet(attribute, range(attribute.n_values))


def value_name(attribute: Attribute, code: int) -> str:
    """A value of the domain as text, quoted where it would be misread."""
    value, text = attribute.values[code], attribute.show(code)
    return text if isinstance(value, str) and text != value_text(value) else quoted_value(value)


def condition_from_dict(data: Mapping[str, Any], schema: Schema) -> Condition:
    """Undo ``Condition.to_dict``.

    >>> temperature = Attribute("Temperature", "numeric")
    >>> condition_from_dict({"attribute": "Temperature", "above": None, "up_to": 54.0}, Schema((temperature,)))
    Interval(Temperature <= 54)
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("attribute"), str):
        raise DataError(f"A condition needs the name of an 'attribute'; given: {shorten(data)}.")
    attribute, unknown = schema[data["attribute"]], data.get("unknown", False)
    if not isinstance(unknown, bool) or ("values" not in data and not {"above", "up_to"} <= set(data)):
        raise DataError(f"A condition needs 'values', or 'above' and 'up_to'; given: {shorten(data)}.")
    if "values" not in data:
        low, high = data["above"], data["up_to"]
        if not all(bound is None or type(bound) in (int, float) for bound in (low, high)):
            raise DataError(f"'above' and 'up_to' must be numbers or None; given: {shorten(data)}.")
        return Interval(attribute, -math.inf if low is None else low, math.inf if high is None else high, unknown)
    if attribute.is_numeric and not data["values"]:
        return Interval(attribute, math.inf, -math.inf, unknown)
    values = [value_from_json(value) for value in data["values"]]
    codes = attribute.codes(values)
    if -1 in codes:
        raise DataError(f"{shorten(values[codes.index(-1)])} is not a value of {attribute.name!r}.")
    return ValueSet(attribute, codes, unknown)


def merged(conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    """The conditions with those on the same attribute intersected, each at the place of its first.

    >>> temperature = Attribute("Temperature", "numeric")
    >>> merged([Interval(temperature, 54.0), Interval(temperature, high=85.0)])
    (Interval(54 < Temperature <= 85),)
    """
    result: dict[str, Condition] = {}
    for condition in conditions:
        before = result.get(condition.name)
        result[condition.name] = condition if before is None else before.intersection(condition)
    return tuple(result.values())


def _latex_number(text: str) -> str:
    mantissa, e, exponent = text.partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if e else text

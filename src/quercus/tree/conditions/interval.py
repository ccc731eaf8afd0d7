"""Intervals: the condition that a number, a date or an ordered value lies between two bounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from quercus.arrays import Array, Truths
from quercus.data.latex import latex_text
from quercus.data.schema import Attribute
from quercus.errors import ParameterError
from quercus.tree.conditions.condition import Condition, value_name


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

    def implies(self, other: Condition) -> bool:
        """Whether it lies inside the other."""
        if not isinstance(other, Interval) or other.name != self.name or (self.unknown and not other.unknown):
            return False
        return self.has_no_value or (other.low <= self.low and self.high <= other.high)

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

    def _known_text(self, name: str, limit: int | None, complement: bool, at_most: str) -> str:
        if self.attribute.kind == "ordered":
            first, last = self._ordered_ends()
            if first == last:
                return f"{name} = {value_name(self.attribute, first)}"
            if self.low == -math.inf:
                return f"{name} {at_most} {value_name(self.attribute, last)}"
            if self.high == math.inf:
                return f"{name} > {value_name(self.attribute, first - 1)}"
            return f"{name} in {value_name(self.attribute, first)}..{value_name(self.attribute, last)}"
        low, high = self._bounds()
        if self.low == -math.inf:
            return f"{name} {at_most} {high}"
        return f"{name} > {low}" if self.high == math.inf else f"{low} < {name} {at_most} {high}"

    def _known_latex(self, name: str) -> str:
        if self.attribute.kind == "ordered":
            first, last = self._ordered_ends()
            low, high = latex_text(self.attribute.show(first)), latex_text(self.attribute.show(last))
            if first == last:
                return f"{name} = {low}"
            if self.high == math.inf:
                return f"{name} > {latex_text(self.attribute.show(first - 1))}"
            return (rf"{low} \le " if self.low > -math.inf else "") + rf"{name} \le {high}"
        written = latex_text if self.attribute.kind == "date" else _latex_number
        low, high = (written(text) for text in self._bounds())
        if self.low == -math.inf:
            return rf"{name} \le {high}"
        return f"{name} > {low}" if self.high == math.inf else rf"{low} < {name} \le {high}"

    def as_numbers(self, position: Callable[[str], int]) -> dict[str, Any]:
        """The bounds that are not open; no codes at all if the interval is empty."""
        result: dict[str, Any] = {"attribute": position(self.name)}
        if self.unknown:
            result["unknown"] = True
        if self.has_no_value:
            return result | {"codes": []}
        if self.low > -math.inf:
            result["above"] = self.low
        if self.high < math.inf:
            result["up_to"] = self.high
        return result

    def to_dict(self) -> dict[str, Any]:
        """The bounds; None where a side is open; ``{"values": []}`` if empty."""
        result: dict[str, Any] = {"attribute": self.name}
        if self.has_no_value:
            result["values"] = []
        else:
            result["above"] = None if self.low == -math.inf else self.low
            result["up_to"] = None if self.high == math.inf else self.high
        return result | ({"unknown": True} if self.unknown else {})


def _latex_number(text: str) -> str:
    mantissa, e, exponent = text.partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if e else text

"""Domains: the values that an attribute may take in a changed example, and what it costs to go there.

A domain is an interval (low, high), meaning ``low < x <= high``, or a set of codes. Attributes keep to their own
numbers: float64, the codes of an ordered attribute, whole microseconds of a date.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from quercus.data.schema import Attribute
from quercus.explain.cells import Unknown
from quercus.rules.condition import Condition, Interval, ValueSet, value_name

DAY = 86_400_000_000.0
#: A number of more digits is a rounded one, such as a 32-bit number as text, whose last digits tell nothing.
MOST_DIGITS = 8


def meet(first: Any, second: Any) -> Any:
    """The common part of two domains of one attribute; it may be empty."""
    if isinstance(first, frozenset):
        return first & second
    low, high = first
    return (low if low > second[0] else second[0], high if high < second[1] else second[1])


def condition_of(attribute: Attribute, domain: Any) -> Condition:
    """The domain as a condition of a rule, which has the words."""
    return Interval(attribute, *domain) if attribute.is_numeric else ValueSet(attribute, domain)


@dataclass(frozen=True)
class Field:
    """One attribute of the example that may change.

    attribute: which. now: its encoded value, or UNKNOWN. start: the domain it may move in; None: it stays unknown.
    price: of changing it at all. unit: the price of each unit it moves (a step of an ordered attribute, a day of a
    date). decimals: of the numbers as given, for printing.
    """

    attribute: Attribute
    now: float | Unknown
    start: Any
    price: float
    unit: float
    decimals: int | None

    def nearest(self, domain: Any) -> float | None:
        """The value of the domain that is nearest to the one now; None if the domain is empty."""
        now = self.now
        if isinstance(domain, frozenset):
            if not isinstance(now, Unknown) and now in domain:
                return now
            return float(min(domain)) if domain else None
        low, high = domain
        if isinstance(now, Unknown):
            return self.plausible(domain)
        if low < now <= high:
            return now
        return self._above(low, high) if now <= low else self._at_most(low, high)

    def _above(self, low: float, high: float) -> float | None:
        """The least value above low."""
        if self.attribute.kind == "numeric":
            value = math.nextafter(low, math.inf)
        elif low == -math.inf:
            value = 0.0 if self.attribute.values else -DAY * 365 * 100
        else:
            value = float(math.floor(low) + 1) if math.isfinite(low) else low
        return value if value <= min(high, self._last) and math.isfinite(value) else None

    def _at_most(self, low: float, high: float) -> float | None:
        """The greatest value up to high."""
        value = min(high, self._last)
        if self.attribute.kind != "numeric" and math.isfinite(value):
            value = float(math.floor(value))
        return value if value > low and math.isfinite(value) and not (self.attribute.values and value < 0) else None

    @property
    def _last(self) -> float:
        return self.attribute.n_values - 1.0 if self.attribute.values else math.inf

    def plausible(self, domain: Any) -> float | None:
        """A value inside that people would write, near the bound that matters: of (54, inf) it is 55."""
        if isinstance(domain, frozenset):
            return self.nearest(domain)
        low, high = domain
        kind = self.attribute.kind
        if kind == "ordered":
            return (
                self._above(low, high) if isinstance(self.now, Unknown) or self.now <= low else self._at_most(low, high)
            )
        down = low == -math.inf or (not isinstance(self.now, Unknown) and self.now > high)
        edge = self._at_most(low, high) if down else self._above(low, high)
        if edge is None:
            return 0.0 if low == -math.inf and high == math.inf else None
        bound = high if down else low
        steps = (DAY, 3_600_000_000.0, 60_000_000.0, 1_000_000.0) if kind == "date" else self._steps(edge, bound)
        for step in steps:
            first = math.floor(edge / step) if down else math.ceil(edge / step)
            for multiple in (first, first - 1 if down else first + 1):  # rounding may put the first on the bound
                value = multiple * step
                value = round(value, 12) if kind == "numeric" and 1e-9 < abs(value) < 1e12 else value
                if low < value <= high and math.isfinite(value):
                    return value
        return edge

    def _steps(self, edge: float, bound: float) -> list[float]:
        """Steps of numbers that people write: as fine as the value now or the bound (a midpoint), then finer."""
        if not 1e-9 < abs(edge) < 1e12:
            return [1.0, 0.1, 0.01]
        first = self.decimals
        if first is None:
            first = 1 - math.floor(math.log10(abs(edge)))
        written = decimals_of(bound, False)
        first = first if written is None else max(first, written - 1)
        return [10.0**-decimals for decimals in range(first, first + 10)]

    def effort(self, value: float) -> tuple[float, float]:
        """What it costs to take a value, and how far it is in relation to the value now."""
        if isinstance(self.now, Unknown) or not self.attribute.is_numeric:
            return self.price, 0.0
        distance = abs(value - self.now)
        units = distance / DAY if self.attribute.kind == "date" else distance
        cost = self.price + (self.unit * units if self.unit else 0.0)
        return cost, distance / (abs(self.now) or 1.0)

    def text(self, value: float | Unknown) -> str:
        """A value in words."""
        if isinstance(value, Unknown):
            return "unknown"
        if self.decimals is not None and math.isclose(value, short := round(value, self.decimals), rel_tol=1e-7):
            return self.attribute.show(short)  # a float32 as it was written
        return value_name(self.attribute, int(value)) if self.attribute.values else self.attribute.show(value)


def decimals_of(number: float, narrow: bool) -> int | None:
    """How many decimals a number was written with; None if it has more digits than people write.

    narrow: it was a float32.

    >>> decimals_of(3.6, False), decimals_of(3.599999905, False), decimals_of(12345.67, False)
    (1, None, 2)
    """
    text = np.format_float_positional(np.float32(number) if narrow else np.float64(number), trim="-")
    places = len(text.partition(".")[2])
    digits = len(text.replace(".", "").strip("-0"))
    return places if places <= 9 and (digits <= MOST_DIGITS or not places) else None

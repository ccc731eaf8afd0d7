"""Scales: from values to places on a line, and round values to mark on it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from quercus.draw.chart import Axis, Band, Bars, Cells, Chart, ErrorBars, Line, Mark, Points, Reference, Regions


@dataclass(frozen=True)
class Ruler:
    """Places of values between two ends of a line, from ``start`` to ``end``."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def place(self, value: float) -> float:
        """Where a value stands; values beyond the limits stand at the ends."""
        return self.start + (self.end - self.start) * self.share(value)

    def share(self, value: float) -> float:
        """How far a value is from the low end to the high end, within 0 to 1."""
        low, high = self.low, self.high
        if self.log:
            value = math.log(max(value, low))
            low, high = math.log(low), math.log(high)
        return min(max((value - low) / (high - low), 0.0), 1.0)


def axis_limits(chart: Chart, vertical: bool) -> tuple[float, float]:
    """The limits of an axis: given, or those of the marks with a little room."""
    axis = chart.y if vertical else chart.x
    if axis.limits is not None:
        return axis.limits
    if axis.scale == "categories":
        return -0.5, max(len(axis.names), 1) - 0.5
    values = [value for mark in chart.marks for value in _values(mark, vertical) if math.isfinite(value)]
    if axis.scale == "log":
        values = [value for value in values if value > 0]
    if not values:
        return (1.0, 10.0) if axis.scale == "log" else (0.0, 1.0)
    low, high = min(values), max(values)
    if axis.scale == "log":
        return (low / 1.15, high * 1.15) if high > low else (low / 2, high * 2)
    room = 0.05 * (high - low) or max(abs(low) * 0.05, 0.5)
    bars = any(isinstance(mark, Bars) and mark.horizontal != vertical for mark in chart.marks)
    return (low if bars and low >= 0 else low - room), high + (2.5 * room if bars else room)


def _values(mark: Mark, vertical: bool) -> Iterable[float]:
    """The values of a mark along an axis."""
    if isinstance(mark, Line | Points):
        return mark.y if vertical else mark.x
    if isinstance(mark, ErrorBars | Band):
        upright = not (isinstance(mark, ErrorBars) and mark.horizontal)
        return [*mark.low, *mark.high] if vertical == upright else mark.x
    if isinstance(mark, Bars):
        return [mark.base, *mark.length] if mark.horizontal != vertical else mark.at
    if isinstance(mark, Reference):
        return [mark.value] if mark.axis == ("y" if vertical else "x") else []
    if isinstance(mark, Regions):
        first = 2 if vertical else 0
        return [value for rectangle in mark.rectangles for value in rectangle[first : first + 2]]
    assert isinstance(mark, Cells)
    return []


def ticks(axis: Axis, low: float, high: float, most: int = 7) -> list[tuple[float, str]]:
    """The values to mark on an axis, with their words.

    >>> ticks(Axis(), 0.0, 0.94)
    [(0.0, '0'), (0.2, '0.2'), (0.4, '0.4'), (0.6, '0.6'), (0.8, '0.8')]
    >>> [text for _, text in ticks(Axis(scale="log"), 1, 3000)]
    ['1', '10', '100', '1,000']
    """
    if axis.scale == "categories":
        return [(float(place), name) for place, name in enumerate(axis.names)]
    if axis.ticks is not None:
        values = [value for value in axis.ticks if low <= value <= high]
    else:
        values = _log_values(low, high) if axis.scale == "log" else _round_values(low, high, most)
    return [(value, number_words(value)) for value in values]


def number_words(value: float) -> str:
    """A number at an axis: thousands apart, no useless zeros.

    >>> number_words(0.30000000000000004), number_words(12000.0), number_words(2.5e-7), number_words(3e12)
    ('0.3', '12,000', '2.5e-07', '3e+12')
    """
    if value and not 1e-4 <= abs(value) < 1e9:
        return f"{value:.6g}"
    text = f"{value:,.10f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text.replace("-", "−")


def _round_values(low: float, high: float, most: int) -> list[float]:
    raw = (high - low) / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(size * power for size in (1.0, 2.0, 5.0, 10.0) if size * power >= raw * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    values = (round(place * step, 12) for place in range(first, last + 1))
    return [value for value in values if low <= value <= high or math.isclose(value, low) or math.isclose(value, high)]


def _log_values(low: float, high: float) -> list[float]:
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    skip = max(1, math.ceil((last - first) / 7))
    factors = (1.0,) if last - first > 3 else (1.0, 2.0, 5.0) if last - first <= 2 else (1.0, 3.0)
    values = [factor * 10.0**power for power in range(first, last + 1, skip) for factor in factors]
    return [value for value in values if low * (1 - 1e-9) <= value <= high * (1 + 1e-9)]

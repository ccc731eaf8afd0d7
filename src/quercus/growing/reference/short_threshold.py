"""Short thresholds: of all numbers that divide two neighbouring values alike, the one with the fewest digits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

#: 10**22 is the largest power of ten that a float holds exactly.
MOST_POWER = 22
POWERS_OF_TEN = [float(10**power) for power in range(MOST_POWER + 1)]
#: A whole number below this, times a power of ten, is the same float after it was written and read again.
MOST_MULTIPLE = 1e15
#: So many significant digits a person reads without trouble.
FEW_DIGITS = 6
#: Distances from the midpoint that differ by less than this share of the grid are equal.
TIE_SHARE = 1e-6
#: Of dates and times, which are kept in microseconds: day, hour, minute, second, millisecond, microsecond.
TIME_UNITS = (86400e6, 3600e6, 60e6, 1e6, 1e3, 1.0)


def short_threshold(low: float, high: float, kind: str = "numeric") -> float:
    """The shortest number t with low ≤ t < high.

    A number: a whole number if there is one, else the one with the fewest decimals; of those the one with the fewest
    significant digits, then the nearest to the midpoint, then the lower. Beyond 15 digits, or 10^±22, the midpoint.
    A date or time: a whole day, else hour, minute, second and so on, the nearest to the midpoint, then the lower. The
    codes of ordered values have no digits to save: the midpoint.

    low, high : neighbouring values, low < high
    kind : of the attribute: "numeric", "date" or "ordered"

    >>> [short_threshold(low, high) for low, high in [(66, 67), (1.9, 3.0), (3.8, 4.0), (23456, 24567), (0.034, 0.041)]]
    [66.0, 2.0, 3.9, 24000.0, 0.04]
    """
    middle = low / 2 + high / 2
    if not low <= middle < high:
        middle = low
    if kind == "date":
        return _on_grids(low, high, middle, [_Grid(unit, middle / unit, _multiples(unit)) for unit in TIME_UNITS])
    if kind != "numeric" or abs(middle) >= POWERS_OF_TEN[MOST_POWER]:
        return middle
    first = max((power for power in range(MOST_POWER) if POWERS_OF_TEN[power] <= abs(middle)), default=0)
    grids = [_power_grid(power, middle) for power in range(first, -MOST_POWER - 1, -1)]
    return _on_grids(low, high, middle, [grid for grid in grids if abs(grid.place) < MOST_MULTIPLE])


def short_value(low: float, high: float, kind: str = "numeric") -> float:
    """The lower of two neighbouring values, if it has few digits; else the shortest number t with low ≤ t < high.

    low, high, kind : as for :func:`short_threshold`; dates and ordered values stay as they are

    >>> [short_value(low, high) for low, high in [(1.9, 3.0), (75, 78), (3.9000000954, 4.0), (1234567, 1300000)]]
    [1.9, 75, 3.95, 1270000.0]
    """
    return low if kind != "numeric" or has_few_digits(low) else short_threshold(low, high)


def has_few_digits(number: float) -> bool:
    """Whether a number has at most six significant digits, so that it can be read as it is.

    >>> [has_few_digits(number) for number in (3.9, 3.9000000954, 123456.0, 1234567.0, 0.000123456, 0.0)]
    [True, False, True, False, True, True]
    """
    size = abs(number)
    if size == 0.0 or size >= POWERS_OF_TEN[MOST_POWER]:
        return True
    power = max((power for power in range(MOST_POWER + 1) if POWERS_OF_TEN[power] <= size), default=0)
    while -MOST_POWER < power <= 0 and size * POWERS_OF_TEN[-power] < 1.0:
        power -= 1
    power -= FEW_DIGITS - 1
    if power < -MOST_POWER:
        return True
    unit = POWERS_OF_TEN[abs(power)]
    return number == (round(number / unit) * unit if power >= 0 else round(number * unit) / unit)


class _Grid(NamedTuple):
    """Multiples of a unit: where the middle lies, counted in units, and the number of so many units."""

    unit: float
    place: float
    number: Callable[[float], float]


def _power_grid(power: int, middle: float) -> _Grid:
    unit = POWERS_OF_TEN[abs(power)]
    if power >= 0:
        return _Grid(unit, middle / unit, _multiples(unit))
    return _Grid(1.0 / unit, middle * unit, lambda count: count / unit)  # one rounding: 0.1 is no float, 10 is


def _multiples(unit: float) -> Callable[[float], float]:
    return lambda count: count * unit


def _on_grids(low: float, high: float, middle: float, grids: Iterable[_Grid]) -> float:
    """On the first grid that has a number in the gap the one nearest to the middle; without such a grid the middle."""
    for unit, place, number in grids:
        best: float | None = None
        for step in (-1.0, 0.0, 1.0, 2.0):  # rounding may put the place off by one
            short = number(math.floor(place) + step)
            if low <= short < high and (best is None or abs(short - middle) < abs(best - middle) - TIE_SHARE * unit):
                best = short
        if best is not None:
            return best
    return middle

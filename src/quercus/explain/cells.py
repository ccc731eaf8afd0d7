"""Cells: what is known about the value of one attribute: the value, nothing, a range of numbers, or several values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

from quercus.data.dataset import Dataset
from quercus.data.names import listed
from quercus.data.schema import Attribute
from quercus.rules.condition import value_name


class Unknown:
    """The value is not known; there is one such object, ``UNKNOWN``."""

    def __repr__(self) -> str:
        """Its name."""
        return "UNKNOWN"

    def __reduce__(self) -> str:
        """Stay the one object through pickles and copies."""
        return "UNKNOWN"


#: The value that nobody knows, as an answer in a consultation or as a value of a counterfactual.
UNKNOWN: Final = Unknown()


@dataclass(frozen=True, slots=True)
class Between:
    """A number, date or ordered value of which only bounds are known: ``low <= x <= high`` (encoded)."""

    low: float
    high: float

    @property
    def is_empty(self) -> bool:
        """Whether no number lies between the bounds."""
        return not self.low <= self.high

    def within(self, low: float, high: float) -> Between:
        """The part that fulfils ``low < x <= high``."""
        above = self.low if low == -math.inf else max(self.low, math.nextafter(low, math.inf))
        return Between(above, min(self.high, high))


@dataclass(frozen=True, slots=True)
class Among:
    """A nominal value that is one of some codes."""

    codes: frozenset[int]


#: One encoded value, or one of the above.
Cell = float | Unknown | Between | Among


def cells_of(dataset: Dataset, row: int = 0) -> dict[int, Cell]:
    """The cells of one encoded row, by the attribute's position.

    >>> from quercus.data import encode
    >>> cells_of(encode({"Wind": ["Weak", None], "Humidity": [75.0, 80.0]}), 1)
    {0: UNKNOWN, 1: 80.0}
    """
    return {
        position: cell_of(attribute, dataset.columns[position][row])
        for position, attribute in enumerate(dataset.schema)
    }


def cell_of(attribute: Attribute, code: Any) -> Cell:
    """The cell of one encoded value; NaN and the code −1 are unknown."""
    number = float(code)
    return UNKNOWN if number != number or (not attribute.is_numeric and number < 0) else number


def cell_text(attribute: Attribute, cell: Cell) -> str:
    """What is known, in words.

    >>> cell_text(Attribute("Humidity", "numeric"), Between(60.0, 80.0))
    '60..80'
    >>> cell_text(Attribute("Wind", "nominal", ("Weak", "Strong", "Storm")), Among(frozenset([0, 2])))
    'Weak or Storm'
    """
    if isinstance(cell, Unknown):
        return "unknown"
    if isinstance(cell, Between):
        return _range_text(attribute, cell)
    if isinstance(cell, Among):
        names = [value_name(attribute, code) for code in sorted(cell.codes)]
        return listed(names, len(names), 10) if len(names) > 2 else " or ".join(names)
    return value_name(attribute, int(cell)) if attribute.values else attribute.show(cell)


def _range_text(attribute: Attribute, cell: Between) -> str:
    if attribute.values:
        last = attribute.n_values - 1
        first, last = max(0, math.ceil(cell.low)), min(last, math.floor(cell.high))
        return f"{value_name(attribute, first)}..{value_name(attribute, last)}"
    if cell.low == -math.inf:
        return f"at most {attribute.show(cell.high)}"
    below = math.nextafter(cell.low, -math.inf)
    open_low = attribute.show(below) if len(attribute.show(below, None)) < len(attribute.show(cell.low, None)) else ""
    if cell.high == math.inf:
        return f"above {open_low}" if open_low else f"at least {attribute.show(cell.low)}"
    return f"{attribute.show(cell.low)}..{attribute.show(cell.high)}"

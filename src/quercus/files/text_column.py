"""A column of text cells, and what becomes of it: numbers, dates, booleans or values of a domain."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.data.column import distinct_values
from quercus.data.schema import Kind
from quercus.data.values import value_key
from quercus.errors import shorten, shown_list
from quercus.files.place import CellError
from quercus.files.rules import ColumnRule

__all__ = ["TextColumn", "has_decimal_commas", "is_number", "typed", "usual_missing_tokens"]

Array = NDArray[Any]

# A number has no leading zeros (01234 is a name) and is not "nan" or "inf"; blanks around it do not count.
_NUMBER = re.compile(r"\s*[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*", re.ASCII)
_WHOLE = re.compile(r"\s*[+-]?(?:0|[1-9][0-9]*)\s*", re.ASCII)
_ANY_NUMBER = re.compile(r"\s*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*", re.ASCII)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}.*)?", re.ASCII)
_EXACT = 2**53
_TRUTH = {"true": True, "false": False, "1": True, "0": False}
_USUAL_TOKENS = frozenset(["?", "na", "n/a", "nan", "null", "none", "nil", "-", ".", "*", "unknown", "missing", "#n/a"])


@dataclass(frozen=True, eq=False)
class TextColumn:
    """Cell i is ``values[codes[i]]``; -1 is missing."""

    name: str
    codes: NDArray[np.int32]
    values: Sequence[str]

    @classmethod
    def of_cells(cls, name: str, cells: Sequence[str | None]) -> TextColumn:
        """Make a column of cells; None is missing.

        >>> TextColumn.of_cells("x", ["b", None, "a", "b"]).codes
        array([ 0, -1,  1,  0], dtype=int32)
        """
        codes, values = distinct_values(name, cells)
        return cls(name, codes, values)

    def mapped(self, change: Callable[[str], str | None]) -> TextColumn:
        """Change every distinct value; None makes it missing."""
        codes, values = distinct_values(self.name, [change(value) for value in self.values])
        return TextColumn(self.name, np.append(codes, np.int32(-1))[self.codes], values)

    def without(self, tokens: Iterable[object]) -> TextColumn:
        """Make the cells missing that are one of the tokens, which may be numbers: their text counts."""
        texts = {token if isinstance(token, str) else str(token) for token in tokens}
        if texts.isdisjoint(self.values):
            return self
        return self.mapped(lambda value: None if value in texts else value)

    def first_row(self, position: int) -> int:
        """Return the first row that holds a distinct value."""
        return int(np.argmax(self.codes == position))

    def objects(self, values: Sequence[Any]) -> Array:
        """Return one object a row, None where it is missing, from one a distinct value."""
        table = np.empty(len(values) + 1, dtype=object)
        table[: len(values)] = values
        return table[self.codes]


def is_number(text: str) -> bool:
    """Whether a cell looks like a number; 01234 does not.

    >>> [is_number(text) for text in ("1", "-2.5", "1e5", "01234", "1e5x", "nan", "")]
    [True, True, True, False, False, False, False]
    """
    return _NUMBER.fullmatch(text) is not None


def typed(column: TextColumn, rule: ColumnRule, decimal: str = ".") -> tuple[Any, Kind | None]:
    """Return the column as its rule says, or as its cells suggest, and its kind (None: all cells are missing).

    Raises ``CellError`` for the first cell that cannot be what the rule says.

    >>> typed(TextColumn.of_cells("x", ["1", None, "2.5"]), ColumnRule())
    (array([1. , nan, 2.5]), 'numeric')
    >>> typed(TextColumn.of_cells("zip", ["01234", "99"]), ColumnRule())
    (array(['01234', '99'], dtype=object), 'nominal')
    """
    if rule.values is not None:
        return _of_domain(column, rule), rule.kind or "nominal"
    if rule.kind == "numeric":
        return _numbers(column, decimal), "numeric"
    if rule.kind == "date":
        return _dates(column, rule.read_date or dt.datetime.fromisoformat), "date"
    if rule.kind == "boolean":
        return _booleans(column), "boolean"
    if rule.kind is not None:
        return column.objects(column.values), rule.kind
    return _suggested(column, decimal)


def _suggested(column: TextColumn, decimal: str) -> tuple[Any, Kind | None]:
    if not column.values:
        return np.full(len(column.codes), np.nan), None
    numbers = _suggested_numbers(column, decimal)
    if numbers is not None:
        return numbers, "numeric"
    dates = _suggested_dates(column)
    if dates is not None:
        return column.objects(dates), "date"
    return column.objects(column.values), "nominal"


def _suggested_numbers(column: TextColumn, decimal: str) -> Array | None:
    """Return numbers if every cell is one (or blank); whole numbers that a float cannot hold are names."""
    values = column.values if decimal == "." else [value.replace(decimal, ".") for value in column.values]
    full = _NUMBER.fullmatch
    if not all(full(value) or not value.strip() for value in values) or not any(map(str.strip, values)):
        return None
    floats = [float(value) if value.strip() else math.nan for value in values]
    if any(map(math.isinf, floats)):
        return None
    if all(map(_WHOLE.fullmatch, values)):
        whole = [int(value) for value in values]
        if max(map(abs, whole)) > _EXACT:
            return None
        if not bool((column.codes < 0).any()):
            return np.array(whole, dtype=np.int64)[column.codes]
    return np.array([*floats, math.nan])[column.codes]


def _suggested_dates(column: TextColumn) -> list[Any] | None:
    if not all(map(_DATE.fullmatch, column.values)):
        return None
    try:
        dates = [dt.datetime.fromisoformat(value) for value in column.values]
    except ValueError:
        return None
    return dates if len({date.tzinfo is None for date in dates}) == 1 else None


def _numbers(column: TextColumn, decimal: str) -> Array:
    table = np.full(len(column.values) + 1, math.nan)
    for position, value in enumerate(column.values):
        text = value if decimal == "." else value.replace(decimal, ".")
        if not _ANY_NUMBER.fullmatch(text) or math.isinf(float(text)):
            if not text.strip():
                continue
            raise CellError(column.first_row(position), f"expected a number, found {shorten(value)}.")
        table[position] = float(text)
    return table[column.codes]


def _dates(column: TextColumn, read_date: Callable[[str], Any]) -> Array:
    dates: list[Any] = []
    for position, value in enumerate(column.values):
        try:
            dates.append(read_date(value.strip()))
        except (ValueError, OverflowError) as error:
            problem = f"expected a date, found {shorten(value)} ({error})."
            raise CellError(column.first_row(position), problem) from error
        if isinstance(dates[0], dt.datetime) and (dates[-1].tzinfo is None) != (dates[0].tzinfo is None):
            problem = f"expected a date {'with' if dates[0].tzinfo else 'without'} a time zone as before, found"
            raise CellError(column.first_row(position), f"{problem} {shorten(value)}.")
    return column.objects(dates)


def _booleans(column: TextColumn) -> Array:
    truths: list[bool] = []
    for position, value in enumerate(column.values):
        truth = _TRUTH.get(value.strip().lower())
        if truth is None:
            raise CellError(column.first_row(position), f"expected true, false, 1 or 0, found {shorten(value)}.")
        truths.append(truth)
    return column.objects(truths)


def _of_domain(column: TextColumn, rule: ColumnRule) -> Array:
    """Return the cells as values of a domain: numbers if the domain has numbers, else text."""
    domain = rule.values or ()
    with_numbers = any(isinstance(value, (int, float)) and not isinstance(value, bool) for value in domain)
    with_truths = any(isinstance(value, bool) for value in domain)
    keys = {value_key(value) for value in domain}
    found: list[Any] = []
    for position, text in enumerate(column.values):
        candidates: list[Any] = [text]
        if with_numbers and _ANY_NUMBER.fullmatch(text):
            number = float(text)
            candidates.insert(0, int(number) if number.is_integer() else number)
        if with_truths and text.strip().lower() in ("true", "false"):
            candidates.insert(0, _TRUTH[text.strip().lower()])
        known = [value for value in candidates if value_key(value) in keys]
        if not known and not rule.unseen:
            problem = f"expected one of {shown_list(domain)}, found {shorten(text)}."
            raise CellError(column.first_row(position), problem)
        found.append(known[0] if known else candidates[0])
    return column.objects(found)


def has_decimal_commas(column: TextColumn) -> bool:
    """Whether every cell is a number, and some have a comma where the point should be.

    >>> has_decimal_commas(TextColumn.of_cells("x", ["1,5", "2"]))
    True
    """
    changed = [value.replace(",", ".") for value in column.values]
    return any("," in value for value in column.values) and all(map(_NUMBER.fullmatch, changed))


def usual_missing_tokens(column: TextColumn) -> list[str]:
    """Return the cells, such as "NA", that alone keep a column from being numeric; none if others do too.

    >>> usual_missing_tokens(TextColumn.of_cells("x", ["1", "NA", "2"]))
    ['NA']
    """
    others = [value for value in column.values if value.strip() and not is_number(value)]
    if len(others) == len(column.values) or not others or len(others) > 3:
        return []
    return others if all(value.strip().lower() in _USUAL_TOKENS for value in others) else []

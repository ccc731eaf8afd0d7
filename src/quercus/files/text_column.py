"""From a column of text cells to numbers, dates, booleans or values of a domain."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable, Iterable, Sequence
from numbers import Real
from typing import Any

import numpy as np

from quercus.arrays import Array
from quercus.data.column import CodedColumn
from quercus.data.schema import Kind
from quercus.data.values import value_key
from quercus.errors import shorten, shown_list
from quercus.files.number_forms import is_program_number
from quercus.files.place import CellError
from quercus.files.recognition import Question, Recognised, recognise
from quercus.files.rules import ColumnRule
from quercus.files.truth_words import truth_of

__all__ = ["typed", "without", "without_numbers"]


# With a stated kind, leading zeros do not make a name of a number.
_ANY_NUMBER = re.compile(r"\s*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*", re.ASCII)


def without(column: CodedColumn, tokens: Iterable[object]) -> CodedColumn:
    """Make cells missing whose text is one of the tokens; a token may also be a number.

    >>> without(CodedColumn.of_entries(["a", "?", "9"]), ["?", 9]).tolist()
    ['a', None, None]
    """
    texts = {token if isinstance(token, str) else str(token) for token in tokens}
    if texts.isdisjoint(column.values if texts else ()):
        return column
    return column.with_values([None if value in texts else value for value in column.values])


def without_numbers(numbers: Array, tokens: Iterable[object]) -> Array:
    """Make the numbers missing that are one of the tokens.

    >>> without_numbers(np.array([1, -9]), ["?", -9.0])
    array([ 1., nan])
    """
    values = [float(token) for token in tokens if isinstance(token, Real) and not isinstance(token, bool)]
    unknown = np.isin(numbers, values) if values else np.False_
    return np.where(unknown, np.nan, numbers) if unknown.any() else numbers


def typed(column: CodedColumn, rule: ColumnRule, recognised: Recognised | None = None) -> tuple[Any, Kind | None]:
    """Return the column as its rule says, or as its cells suggest, and its kind (None: all cells are missing).

    - recognised: what the cells were recognised as, if the column was judged together with others of its file.

    Raises ``CellError`` for the first cell that cannot be what the rule says.

    >>> typed(CodedColumn.of_entries(["1", None, "2.5"]), ColumnRule())
    (array([1. , nan, 2.5]), 'numeric')
    >>> typed(CodedColumn.of_entries(["01234", "99"]), ColumnRule())
    (CodedColumn('01234', '99'), 'nominal')
    """
    if rule.values is not None:
        return _of_domain(column, rule), rule.kind or "nominal"
    if rule.kind == "boolean":
        return _booleans(column), "boolean"
    if rule.kind in ("nominal", "ordered"):
        return column, rule.kind
    if not column.values:
        return np.full(len(column.codes), np.nan), rule.kind
    if rule.kind is None or recognised is not None:
        recognised = recognised or recognise(Question(column.values))
        if recognised.kind == "numeric":
            return _number_array(column, recognised.cells, rule.kind is None), "numeric"
        if recognised.kind == "date":
            return column.with_values(recognised.cells), "date"
        if rule.kind is None:
            return column, "nominal"
    tokens = () if recognised is None else recognised.tokens
    if rule.kind == "numeric":
        return _stated_numbers(column, tokens, recognised), "numeric"
    return _stated_dates(column, tokens, rule.read_date or dt.datetime.fromisoformat, recognised), "date"


def _number_array(column: CodedColumn, cells: Sequence[Any], whole: bool) -> Array:
    """Return numbers; whole ones as integers if that is wanted and none is missing."""
    if whole and all(isinstance(cell, int) for cell in cells) and not bool((column.codes < 0).any()):
        return np.array(cells, dtype=np.int64)[column.codes]
    return np.array([*(math.nan if cell is None else cell for cell in cells), math.nan])[column.codes]


def _doubt_hint(recognised: Recognised | None) -> str:
    doubt = "" if recognised is None else recognised.doubt
    if doubt == "decimal":
        return ' Say what the comma means: decimal="," or decimal="." (--read decimal=,).'
    return (
        ' Say the order of the parts: date_order="dmy" or "mdy" (--read date_order=dmy).'
        if doubt == "date_order"
        else ""
    )


def _stated_numbers(column: CodedColumn, tokens: Sequence[str], recognised: Recognised | None) -> Array:
    table = np.full(len(column.values) + 1, math.nan)
    for position, text in enumerate(column.values):
        if is_program_number(text):
            table[position] = float(int(text, 0))
            continue
        if not _ANY_NUMBER.fullmatch(text) or math.isinf(float(text)):
            if not text.strip() or text in tokens:
                continue
            problem = f"expected a number, found {shorten(text)}.{_doubt_hint(recognised)}"
            raise CellError(column.first_row(position), problem)
        table[position] = float(text)
    return table[column.codes]


def _stated_dates(
    column: CodedColumn, tokens: Sequence[str], read_date: Callable[[str], Any], recognised: Recognised | None
) -> CodedColumn:
    dates: list[Any] = []
    first: Any = None
    for position, value in enumerate(column.values):
        if value in tokens:
            dates.append(None)
            continue
        try:
            dates.append(read_date(value.strip()))
        except (ValueError, OverflowError) as error:
            hint = _doubt_hint(recognised)
            problem = f"expected a date, found {shorten(value)}" + (f".{hint}" if hint else f" ({error}).")
            raise CellError(column.first_row(position), problem) from error
        first = dates[-1] if first is None else first
        if isinstance(first, dt.datetime) and (dates[-1].tzinfo is None) != (first.tzinfo is None):
            problem = f"expected a date {'with' if first.tzinfo else 'without'} a time zone as before, found"
            raise CellError(column.first_row(position), f"{problem} {shorten(value)}.")
    return column.with_values(dates)


def _booleans(column: CodedColumn) -> CodedColumn:
    truths: list[bool] = []
    for position, value in enumerate(column.values):
        truth = truth_of(value)
        if truth is None:
            expected = "expected true or false (or yes, no, t, f, y, n, 1, 0)"
            raise CellError(column.first_row(position), f"{expected}, found {shorten(value)}.")
        truths.append(truth)
    return column.with_values(truths)


def _of_domain(column: CodedColumn, rule: ColumnRule) -> CodedColumn:
    """Return the cells as values of a domain: numbers if the domain has numbers, else text."""
    domain = rule.values or ()
    with_numbers = any(isinstance(value, (int, float)) and not isinstance(value, bool) for value in domain)
    with_truths = any(isinstance(value, bool) for value in domain)
    keys = {value_key(value) for value in domain}
    codes: list[Any] = []
    for position, text in enumerate(column.values):
        candidates: list[Any] = [text]
        if with_numbers and _ANY_NUMBER.fullmatch(text):
            number = float(text)
            candidates.insert(0, int(number) if number.is_integer() else number)
        if with_truths and text.strip().lower() in ("true", "false"):
            candidates.insert(0, truth_of(text))
        known = [value for value in candidates if value_key(value) in keys]
        if not known and not rule.unseen:
            problem = f"expected one of {shown_list(domain)}, found {shorten(text)}."
            raise CellError(column.first_row(position), problem)
        codes.append(known[0] if known else candidates[0])
    return column.with_values(codes)

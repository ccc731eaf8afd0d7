"""The cells of delimited text as the core reads them: numbers as numbers, other cells as codes of distinct texts."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from quercus import _core
from quercus.arrays import Array
from quercus.data.column import CodedColumn
from quercus.files.content import Content
from quercus.files.delimited_records import Dialect
from quercus.files.number_forms import PLAIN, NumberForm
from quercus.files.rules import Rules
from quercus.files.texts import Texts

__all__ = ["Cells", "NumberColumn", "TextTable", "careful_columns", "plain_columns", "stripped"]

TextTable = tuple[dict[str, "NumberColumn | CodedColumn"], Callable[[Sequence[str]], dict[str, CodedColumn]]]
"""Columns, and the function that reads some of them as they are written."""

_SKIP, _TEXT = 0, 1  # what the core makes of a column; else the decimal sign of its numbers
_FRACTION, _DECIMAL, _CLEAR, _TOO_LARGE, _EMPTY, _LARGE = 1, 2, 4, 8, 16, 32  # NumberSigns in core/number_text.h
_BLOCK = 1 << 22


@dataclass(frozen=True, eq=False)
class NumberColumn:
    """A column that contains numbers.

    - numbers: NaN where a cell is no number; integers if all cells are whole numbers below 2**53.
    - others: the distinct texts of these cells, in order of first appearance, but not the empty one.
    - form: how the numbers are written; whole: all without decimal sign and exponent; clear: a decimal sign is there
      that cannot stand between thousands; empty: there are empty cells; large: there are whole numbers from 2**53 on.
    - complete: every cell is a number.
    """

    numbers: Array
    others: tuple[str, ...]
    form: NumberForm
    whole: bool
    clear: bool
    empty: bool
    large: bool
    complete: bool

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.numbers)


@dataclass(frozen=True, eq=False)
class Cells:
    """Text in UTF-8 whose records begin at a place, and the names of its columns.

    >>> cells = Cells(Content("a.csv", b"1,x\\n01,\\n2.5,y\\n"), 0, Dialect(), ["a", "b"])
    >>> columns = cells.columns()
    >>> columns["a"].numbers, columns["a"].others, columns["b"].tolist()
    (array([1. , nan, 2.5]), ('01',), ['x', None, 'y'])
    >>> cells.texts(["a"])["a"].tolist()
    ['1', '01', '2.5']
    """

    content: Content
    start: int
    dialect: Dialect
    names: Sequence[str]

    def columns(self, decimals: Mapping[str, str] | str = ".") -> dict[str, NumberColumn | CodedColumn] | None:
        """Return the columns; None where the careful reader is needed: for faults, which it names, and rare signs.

        - decimals: the decimal sign of numbers, for all columns, or by name ("": there are only texts).
        """
        signs = self.dialect.delimiter + (self.dialect.quote or "")
        if not signs.isascii() or not set(signs).isdisjoint("0123456789+-.eE"):
            return None
        marks = dict.fromkeys(self.names, decimals) if isinstance(decimals, str) else decimals
        columns = self._read({name: ord(sign) if sign else _TEXT for name, sign in marks.items()})
        if columns is None:
            return None
        columns |= self.texts([name for name in self.names if name not in columns])
        if len(columns) == 1 and not all(map(str.strip, _texts_of(columns[self.names[0]]))):
            return None  # in a table of one column, lines of other blanks than those of ASCII are missing cells, too
        return {name: columns[name] for name in self.names}

    def texts(self, names: Sequence[str]) -> dict[str, CodedColumn]:
        """Return some columns as they are written in the file."""
        return self._read(dict.fromkeys(names, _TEXT)) if names else {}  # type: ignore[return-value]

    def _read(self, ways: Mapping[str, int]) -> dict[str, NumberColumn | CodedColumn] | None:
        """Read some columns; those that turn out to be mixtures of numbers and many texts are left out."""
        decimals = np.array([ways.get(name, _SKIP) for name in self.names], dtype=np.uint8)
        delimiter, quote = ord(self.dialect.delimiter), ord(self.dialect.quote or "\0")
        reader = _core.DelimitedReader(delimiter, quote, self.dialect.skip_space, decimals, self.content.size)
        with self.content.stream() as stream:
            stream.seek(self.start)
            if not _feed(reader, stream):
                return None
        result: dict[str, NumberColumn | CodedColumn] = {}
        for name, column in zip(self.names, reader.columns(), strict=True):
            if column is None:
                continue
            entries, held, signs = column
            values = held if isinstance(held, tuple) else Texts(held)
            if signs is None:
                result[name] = CodedColumn(entries, values)
            elif not signs & _TOO_LARGE:
                comma = ways[name] == ord(",")
                form = NumberForm(",") if comma and signs & _DECIMAL else PLAIN
                fraction, clear, empty, large = (bool(signs & sign) for sign in (_FRACTION, _CLEAR, _EMPTY, _LARGE))
                complete = not empty and not values
                result[name] = NumberColumn(entries, tuple(values), form, not fraction, clear, empty, large, complete)
        return result


def _feed(reader: _core.DelimitedReader, stream: io.BytesIO | io.FileIO) -> bool:
    """Pass all bytes of a stream to a reader, piece by piece; return whether there is no fault in them."""
    block, kept = np.empty(_BLOCK, dtype=np.uint8), 0
    while True:
        if kept == len(block):  # one record fills it
            block = np.concatenate([block, np.empty_like(block)])
        size = kept + stream.readinto(block[kept:])  # type: ignore[arg-type]
        done = reader.read(block[:size], size == kept)
        if done < 0 or size == kept:
            return done >= 0
        kept = size - done
        block[:kept] = block[done:size]


def plain_columns(
    text: str, names: Sequence[str], rules: Rules, special: re.Pattern[str], plain: Callable[[str], str | None]
) -> TextTable | None:
    """Return the columns of a text without quotes and without empty cells; None if the text has them.

    - rules: what the file says of its columns; those of numbers may hold numbers.
    - special: what only the careful reader understands.
    - plain: what a cell means, without blanks; None: missing.
    """
    if special.search(text):
        return None
    numeric = {name for name, rule in rules.columns.items() if rule.kind == "numeric"}
    cells = Cells(Content("", text.encode()), 0, Dialect(",", None), names)
    columns = cells.columns({name: "." if name in numeric else "" for name in names})
    if columns is None or not len(columns[names[0]]) or any(map(_has_empty_cells, columns.values())):
        return None
    table = _changed((columns, cells.texts), plain)
    return None if any("" in _texts_of(column) for column in table[0].values()) else table


def stripped(table: TextTable) -> TextTable:
    """Return the table without the blanks around its cells; a blank cell is missing.

    >>> columns, _ = stripped(careful_columns(["a"], [["yes"], [" yes"], [" "]]))
    >>> columns["a"].tolist()
    ['yes', 'yes', None]
    """
    return _changed(table, lambda text: text.strip() or None)


def _changed(table: TextTable, change: Callable[[str], str | None]) -> TextTable:
    """Return the table with every text changed by a function; None makes a cell missing."""
    columns, read_texts = table

    def texts(names: Sequence[str]) -> dict[str, CodedColumn]:
        return {name: _mapped(column, change) for name, column in read_texts(names).items()}  # type: ignore[misc]

    return {name: _mapped(column, change) for name, column in columns.items()}, texts


def careful_columns(names: Sequence[str], rows: Sequence[Sequence[str | None]]) -> TextTable:
    """Return the columns of rows of cells; None is missing.

    >>> columns, _ = careful_columns(["a", "b"], [["1", "x"], ["2", None]])
    >>> columns["b"].tolist()
    ['x', None]
    """
    cells = zip(*rows, strict=True) if rows else [()] * len(names)
    columns = {name: CodedColumn.of_entries(column) for name, column in zip(names, cells, strict=True)}
    return {**columns}, lambda names: {name: columns[name] for name in names}


def _mapped(column: NumberColumn | CodedColumn, change: Callable[[str], str | None]) -> NumberColumn | CodedColumn:
    values = [change(text) for text in _texts_of(column)]
    if isinstance(column, CodedColumn):
        return column.with_values(values)
    return replace(column, others=tuple(value for value in values if value is not None))


def _has_empty_cells(column: NumberColumn | CodedColumn) -> bool:
    return column.empty if isinstance(column, NumberColumn) else bool((column.codes < 0).any())


def _texts_of(column: NumberColumn | CodedColumn) -> Sequence[str]:
    return column.others if isinstance(column, NumberColumn) else column.values

"""Delimited text (CSV, TSV and their like): delimiter, header and quoting are found, cells judged by column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from quercus.errors import ParameterError, choice_message, shorten
from quercus.files.content import Content, decode
from quercus.files.date_forms import DATE_ORDERS, DateOrder
from quercus.files.delimited_fast import FAST_FROM, fast_columns
from quercus.files.delimited_records import Dialect, Record, blank_record, ragged_error, records
from quercus.files.place import file_error
from quercus.files.raw_table import RawTable, distinct_names
from quercus.files.sniff import find_dialect, has_header, sample_records
from quercus.files.text_column import TextColumn

__all__ = ["read_delimited"]

_EXCEL = re.compile(r"sep=([^\r\n])(?=\r|\n|$)", re.IGNORECASE)


def read_delimited(
    content: Content,
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    quote: str | None = "auto",
    decimal: str | None = None,
    date_order: DateOrder | None = None,
    encoding: str = "utf-8",
    fast: bool | None = None,
) -> RawTable:
    """Read delimited text.

    - delimiter: None finds it among comma, tab, semicolon and bar.
    - header: whether the first line holds the names; None decides by what it holds. Without one, columns are called
      x0, x1, …; a name that is left empty becomes the one of its position, too.
    - quote: "auto" finds " or '; None: there is no quoting.
    - decimal: the decimal sign of numbers, "." or ","; the other one may stand between thousands. None: the cells tell.
    - date_order: "dmy", "mdy" or "ymd": the order of dates that are not written as 2024-05-31. None: the cells tell.
    - encoding: UTF-8 unless said otherwise.
    - fast: whether pyarrow is used where it can be (None: for large files).

    A first line such as ``sep=;``, as Excel writes it, says the delimiter. Blank lines are skipped, except in a file of
    one column, where they are missing cells (but for those at the end).

    >>> raw = read_delimited(Content("tennis.csv", b"Outlook;Humidity\\nSunny;85\\nRain;\\n", ""))
    >>> {name: column.values for name, column in raw.columns.items()}
    {'Outlook': ('Sunny', 'Rain'), 'Humidity': ('85',)}
    """
    _check_options(delimiter, header, quote, decimal, date_order)
    text = decode(content, encoding)
    excel = _EXCEL.match(text)
    if excel is not None:
        delimiter, text = delimiter or excel[1], text[len(excel[0]) :]  # the line stays, blank: places stay right
    dialect = find_dialect(content.path, text, delimiter, quote)
    names, unnamed, skip, notes = _names(content.path, text, dialect, header)
    if excel is not None and not skip.n_records:
        skip = _Skip(1, 1, True)
    columns = None
    if fast or (fast is None and len(text) >= FAST_FROM):
        columns = fast_columns(text, names, dialect, skip.lines) if skip.simple else None
    if columns is None:
        columns = _careful_columns(content.path, text, names, dialect, skip)
    n_rows = len(columns[0].codes)
    if not n_rows:
        raise file_error(content.path, f"expected rows below the names {', '.join(names[:5])}, found none.", skip.lines)

    def place(row: int, column: int) -> tuple[int, int]:
        rows = _rows(content.path, text, names, dialect, skip)
        return next(islice(rows, row, None)).place(column, dialect)

    named = dict(zip(names, columns, strict=True))
    return RawTable(
        content.path, "delimited", content.fingerprint, n_rows, named, place=place, decimal=decimal, notes=notes,
        date_order=date_order, unnamed=unnamed,
    )  # fmt: skip


class _Skip:
    """How much of the text the names take: records (blank ones included) and lines; simple: one line a record."""

    def __init__(self, n_records: int, lines: int, simple: bool) -> None:
        self.n_records, self.lines, self.simple = n_records, lines, simple


def _check_options(delimiter: Any, header: Any, quote: Any, decimal: Any, date_order: Any) -> None:
    if delimiter is not None and (not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in "\r\n\0"):
        raise ParameterError(f"delimiter={shorten(delimiter)} is not allowed; give one character, or None to find it.")
    if header not in (None, True, False):
        raise ParameterError(f"header={shorten(header)} is not allowed; give True, False, or None to find out.")
    if quote is not None and quote != "auto" and (not isinstance(quote, str) or len(quote) != 1 or quote in "\r\n\0"):
        raise ParameterError(f'quote={shorten(quote)} is not allowed; give one character, None, or "auto" to find it.')
    if quote is not None and quote == delimiter:
        raise ParameterError(f"quote and delimiter are both {shorten(quote)}; give two different characters.")
    if decimal not in (None, ".", ","):
        raise ParameterError(f'decimal={shorten(decimal)} is not allowed; give "." or ",", or None to find it.')
    if date_order not in (None, *DATE_ORDERS):
        raise ParameterError(choice_message("date_order", date_order, DATE_ORDERS))


_Names = tuple[list[str], tuple[str, ...], "_Skip", tuple[str, ...]]


def _names(path: str, text: str, dialect: Dialect, header: bool | None) -> _Names:
    """Return the names of the columns, those made up for empty ones, what they take of the text, and notes."""
    found, _ = sample_records(path, text, dialect)
    if not found:  # a fault in the first record: say which
        next(record for record in records(path, text, dialect) if not blank_record(record))
    reason = ""
    if header is None:
        header, reason = has_header(found)
    first = found[0]
    if not header:
        names = [f"x{position}" for position in range(len(first.cells))]
        notes = (f"The first line was taken as data, not as names, because {reason}.",) if reason else ()
        return names, (), _Skip(0, 0, True), notes
    names = [cell or f"x{position}" for position, cell in enumerate(first.cells)]
    unnamed = tuple(name for name, cell in zip(names, first.cells, strict=True) if not cell)
    distinct_names(path, names, lambda position: first.place(position, dialect))
    end = first.places[-1][0] if first.places else first.line
    before = list(islice((record for record in records(path, text, dialect)), first.line))
    n_records = next(position for position, record in enumerate(before) if record.line == first.line) + 1
    return names, unnamed, _Skip(n_records, end, end == n_records), ()


def _rows(path: str, text: str, names: list[str], dialect: Dialect, skip: _Skip) -> Iterator[Record]:
    """Go through the data records; those of another width than the names are refused."""
    width, blanks = len(names), []
    like = "as in the first line" if skip.n_records == 0 else "as there are names"
    for record in islice(records(path, text, dialect), skip.n_records, None):
        if blank_record(record):
            if width == 1:  # a missing cell, unless nothing but blank lines follows
                blanks.append(Record(record.line, [""]))
            continue
        if len(record.cells) != width:
            raise ragged_error(path, record, width, dialect, like)
        yield from blanks
        blanks = []
        yield record


def _careful_columns(path: str, text: str, names: list[str], dialect: Dialect, skip: _Skip) -> list[TextColumn]:
    rows = [record.cells for record in _rows(path, text, names, dialect, skip)]
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return [
        TextColumn.of_cells(name, [cell or None for cell in cells]) for name, cells in zip(names, columns, strict=True)
    ]

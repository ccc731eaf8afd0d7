"""Delimited text (CSV, TSV and similar): delimiter, header and quoting are found; cells decide a column's kind."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from quercus.errors import ParameterError, choice_message, shorten
from quercus.files.cells import Cells, TextTable, careful_columns, stripped
from quercus.files.content import Content, decode, utf8
from quercus.files.date_forms import DATE_ORDERS, DateOrder
from quercus.files.delimited_records import Dialect, Passage, Record, blank_record, ragged_error, records
from quercus.files.number_forms import PLAIN, NumberForm
from quercus.files.place import file_error
from quercus.files.raw_table import RawTable, distinct_names
from quercus.files.recognition import is_usual_token
from quercus.files.sniff import TooShortError, find_dialect, has_header

__all__ = ["read_delimited"]

_EXCEL = re.compile(r"sep=([^\r\n])(?=\r|\n|$)", re.IGNORECASE)
_BEGINNINGS = (1 << 18, 1 << 22, 1 << 26)  # bytes that tell how a file is written, unless they have too few records
_SAMPLE_CELLS = 20_000
_FEW_TEXTS = 3  # among numbers, they may be what a user takes for missing


def read_delimited(
    content: Content,
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    quote: str | None = "auto",
    decimal: str | None = None,
    date_order: DateOrder | None = None,
    encoding: str = "utf-8",
    strip: bool = False,
    fast: bool = True,
) -> RawTable:
    """Read delimited text.

    - delimiter: None finds it among comma, tab, semicolon and bar.
    - header: whether the first line holds the names; None decides by what it holds. Without one, columns are called
      x0, x1, …; a name that is left empty becomes the one of its position, too.
    - quote: "auto" finds " or '; None: there is no quoting.
    - decimal: the decimal sign of numbers, "." or ","; the other one may stand between thousands. None: the cells tell.
    - date_order: "dmy", "mdy" or "ymd": the order of dates that are not written as 2024-05-31. None: the cells tell.
    - encoding: UTF-8 unless said otherwise.
    - strip: whether the blanks around a cell or a name are left out. Blanks that follow every delimiter always are.
    - fast: whether the core reads the cells, and the careful reader only what the core finds at fault.

    A first line such as ``sep=;``, as Excel writes it, says the delimiter. Blank lines are skipped, except in a file of
    one column, where they are missing cells (but for those at the end).

    >>> raw = read_delimited(Content("tennis.csv", b"Outlook;Humidity\\nSunny;85\\nRain;\\n", ""))
    >>> raw.columns["Outlook"].values, raw.columns["Humidity"].numbers
    (('Sunny', 'Rain'), array([85., nan]))
    """
    _check_options(delimiter, header, quote, decimal, date_order, strip)
    content = utf8(content, encoding)
    start = _beginning(content, delimiter, quote, header)
    if strip:
        start = replace(start, names=distinct_names(content.path, [name.strip() or name for name in start.names]))
    cells = Cells(content, start.n_bytes, start.dialect, start.names)
    with ThreadPoolExecutor(1) as threads:
        fingerprint = threads.submit(lambda: content.fingerprint)
        columns = cells.columns(start.decimals(decimal)) if fast else None
    table: TextTable | None = None if columns is None else (columns, cells.texts)

    def rows() -> Iterator[Record]:
        return _rows(replace(start.passage, text=decode(content), cut=False), start)

    if table is None:
        table = careful_columns(start.names, [[cell or None for cell in row.cells] for row in rows()])
    columns, texts = stripped(table) if strip else table
    n_rows = len(columns[start.names[0]])
    if not n_rows:
        names = ", ".join(start.names[:5])
        raise file_error(content.path, f"expected rows below the names {names}, found none.", start.passage.line - 1)

    def place(row: int, column: int) -> tuple[int, int]:
        return next(islice(rows(), row, None)).place(column, start.dialect)

    return RawTable(
        content.path, "delimited", fingerprint.result(), n_rows, columns, texts, place=place, decimal=decimal,
        notes=start.notes, date_order=date_order, unnamed=start.unnamed,
    )  # fmt: skip


def _check_options(delimiter: Any, header: Any, quote: Any, decimal: Any, date_order: Any, strip: Any) -> None:
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
    if strip not in (True, False):
        raise ParameterError(f"strip={shorten(strip)} is not allowed; give True or False.")
    if date_order not in (None, *DATE_ORDERS):
        raise ParameterError(choice_message("date_order", date_order, DATE_ORDERS))


@dataclass(frozen=True)
class _Beginning:
    """What the first lines tell: the dialect, the names of the columns, those made up, notes, and a sample of records.

    passage: what follows the names. header: whether there are names. n_mark: the bytes of the mark of UTF-8.
    """

    passage: Passage
    header: bool
    dialect: Dialect
    names: list[str]
    unnamed: tuple[str, ...]
    notes: tuple[str, ...]
    sample: list[Record]
    n_mark: int = 0

    @property
    def n_bytes(self) -> int:
        """The number of bytes before the first row."""
        return self.n_mark + len(self.passage.text[: self.passage.position].encode())

    def decimals(self, decimal: str | None) -> dict[str, str]:
        """Return how each column is read first: the decimal sign, as it is said or shown, or "" for texts."""
        signs = dict.fromkeys(self.names, decimal or ".")
        rows = [record.cells for record in self.sample[: max(10, _SAMPLE_CELLS // len(self.names))]]
        rows = [cells for cells in rows if len(cells) == len(self.names)]
        comma = NumberForm(",")
        for name, cells in zip(self.names, zip(*rows, strict=True), strict=False):
            if PLAIN.fits(cells):
                continue
            known = {cell for cell in cells if cell.strip() and not is_usual_token(cell)}
            if decimal is None and any("," in cell for cell in known) and comma.fits(known):
                signs[name] = ","
            elif sum(not PLAIN.fits([cell]) and not comma.fits([cell]) for cell in known) > _FEW_TEXTS:
                signs[name] = ""
        return signs


def _beginning(content: Content, delimiter: str | None, quote: str | None, header: bool | None) -> _Beginning:
    mark = len(BOM_UTF8) if content.beginning(len(BOM_UTF8)) == BOM_UTF8 else 0
    for size in _BEGINNINGS:
        if size < content.size:
            data = content.beginning(size)[mark:]
            end = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
            try:
                passage = Passage(content.path, data[:end].decode(), cut=True)
                return replace(_understood(passage, delimiter, quote, header), n_mark=mark)
            except (TooShortError, UnicodeDecodeError):
                continue
    return replace(_understood(Passage(content.path, decode(content)), delimiter, quote, header), n_mark=mark)


def _understood(passage: Passage, delimiter: str | None, quote: str | None, header: bool | None) -> _Beginning:
    excel = _EXCEL.match(passage.text)
    if excel is not None:
        delimiter, passage = delimiter or excel[1], passage.after(excel.end(), 1)
    dialect, sample = find_dialect(passage, delimiter, quote)
    if not sample:  # a fault in the first record: say which
        for record in records(passage, dialect):
            if not blank_record(record):
                break
        raise file_error(passage.path, "the file is empty.")
    reason = ""
    if header is None:
        header, reason = has_header(sample)
    first = sample[0]
    if not header:
        names = [f"x{position}" for position in range(len(first.cells))]
        notes = (f"The first line was taken as data, not as names, because {reason}.",) if reason else ()
        return _Beginning(passage, False, dialect, names, (), notes, sample)
    names = [cell or f"x{position}" for position, cell in enumerate(first.cells)]
    unnamed = tuple(name for name, cell in zip(names, first.cells, strict=True) if not cell)
    distinct_names(passage.path, names, lambda position: first.place(position, dialect))
    return _Beginning(passage.after(first.end, first.last_line), True, dialect, names, unnamed, (), sample[1:])


def _rows(passage: Passage, start: _Beginning) -> Iterator[Record]:
    """Go through the data records; records with more or fewer cells than there are names are refused."""
    width, blanks = len(start.names), []
    like = "as there are names" if start.header else "as in the first line"
    for record in records(passage, start.dialect):
        if blank_record(record):
            if width == 1:  # a missing cell, unless nothing but blank lines follows
                blanks.append(Record(record.line, [""]))
            continue
        if len(record.cells) != width:
            raise ragged_error(passage.path, record, width, start.dialect, like)
        yield from blanks
        blanks = []
        yield record

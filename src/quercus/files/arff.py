"""ARFF, the files of Weka: declared attributes, then rows, dense or sparse; ? is missing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from quercus.errors import FileError, shorten
from quercus.files.arff_types import Attribute, Cell, read_attribute, read_cell
from quercus.files.cells import careful_columns, plain_columns
from quercus.files.content import Content, decode
from quercus.files.place import file_error
from quercus.files.raw_table import RawTable, distinct_names
from quercus.files.rules import Rules

__all__ = ["read_arff"]

_LINE_END = re.compile(r"\r\n?|\n")
_KEYWORD = re.compile(r"@[A-Za-z]+")
_SPECIAL = re.compile(r"""['"{}%\\\t]""")
_INDEX = re.compile(r"\s*(\d+)[ \t]+")
_MISSING = "?"


@dataclass(frozen=True)
class _Row:
    """One row: its line, one cell per attribute (None: missing), and the position where each cell begins."""

    line: int
    cells: list[str | None]
    columns: list[int]


def read_arff(content: Content, *, encoding: str = "utf-8", fast: bool = True) -> RawTable:
    """Read an ARFF file.

    Nominal attributes have the declared values in their order, and no others are allowed. Numeric, real and integer
    ones are numeric; strings are nominal without declared values; dates are read by their pattern. What a sparse row
    leaves out is 0, or the first of the declared values, as in Weka.

    >>> raw = read_arff(Content("a.arff", b"@relation r\\n@attribute wind {weak, strong}\\n@data\\nweak\\n?\\n", ""))
    >>> raw.rules.columns["wind"].values, raw.columns["wind"].codes
    (('weak', 'strong'), array([ 0, -1], dtype=int32))
    """
    text = decode(content, encoding)
    lines = _LINE_END.split(text)
    attributes, start = _header(content.path, lines)
    names = [attribute.name for attribute in attributes]
    distinct_names(content.path, names, lambda position: (attributes[position].line, 1))
    rules = Rules({attribute.name: attribute.rule for attribute in attributes}, source=content.path)
    plain = plain_columns("\n".join(lines[start:]), names, rules, _SPECIAL, _plain_cell) if fast else None
    if plain is None:
        rows = [row.cells for row in _rows(content.path, lines, start, attributes)]
        if not rows:
            raise file_error(content.path, "expected rows after @data, found none.", start)
        plain = careful_columns(names, rows)
    columns, texts = plain

    def place(row: int, column: int) -> tuple[int, int]:
        record = next(islice(_rows(content.path, lines, start, attributes), row, None))
        return record.line, record.columns[column]

    n_rows = len(columns[names[0]])
    return RawTable(content.path, "arff", content.fingerprint, n_rows, columns, texts, rules, place)


def _header(path: str, lines: list[str]) -> tuple[list[Attribute], int]:
    """Return the declared attributes, and the number of lines of the header."""
    attributes: list[Attribute] = []
    for number, whole in enumerate(lines, start=1):
        line = whole.strip()
        if not line or line.startswith("%"):
            continue
        keyword = _KEYWORD.match(line)
        word = keyword.group().lower() if keyword else ""
        if word == "@attribute":
            attributes.append(read_attribute(path, line, number))
        elif word == "@data":
            if not attributes:
                raise file_error(path, "expected @attribute lines before @data, found none.", number, 1)
            return attributes, number
        elif word != "@relation":
            raise file_error(path, f"expected @relation, @attribute or @data, found {shorten(line)}.", number, 1)
    raise file_error(path, "expected @data, found the end of the file.", len(lines))


def _plain_cell(value: str) -> str | None:
    value = value.strip(" ")
    return None if value == _MISSING else value


def _rows(path: str, lines: list[str], start: int, attributes: list[Attribute]) -> Iterator[_Row]:
    for number, line in enumerate(islice(lines, start, None), start=start + 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("%"):
            continue
        if stripped.startswith("{"):
            yield _sparse(path, line, number, attributes)
        elif _SPECIAL.search(line):
            yield _dense(path, line, number, attributes)
        else:
            yield _plain(path, line, number, attributes)


def _plain(path: str, line: str, number: int, attributes: list[Attribute]) -> _Row:
    """Read a row without quotes."""
    parts = line.split(",")
    columns, position = [], 1
    for part in parts:
        columns.append(position)
        position += len(part) + 1
    cells = [part.strip() for part in parts]
    for column, cell in zip(columns, cells, strict=True):
        if not cell:
            raise file_error(path, "expected a value, or ? if it is missing, found an empty cell.", number, column)
    if len(cells) != len(attributes):
        at = columns[len(attributes)] if len(cells) > len(attributes) else len(line) + 1
        raise _wrong_count(path, len(cells), len(attributes), number, at)
    return _Row(number, [None if cell == _MISSING else cell for cell in cells], columns)


def _wrong_count(path: str, count: int, expected: int, number: int, column: int) -> FileError:
    hint = " A value that holds a comma must be in quotes." if count > expected else ""
    return file_error(path, f"expected {expected} values as there are attributes, found {count}.{hint}", number, column)


def _dense(path: str, line: str, number: int, attributes: list[Attribute]) -> _Row:
    cells: list[str | None] = []
    columns: list[int] = []
    position = 0
    while True:
        start = position + len(line[position:]) - len(line[position:].lstrip())
        if line.startswith("{", start) and cells:
            problem = "expected a value, found '{': weights of rows cannot be read. Make the weight an attribute."
            raise file_error(path, problem, number, start + 1)
        cell = read_cell(path, line, position, number, _BARE_DENSE)
        if cell is None:
            problem = "expected a value, or ? if it is missing, found an empty cell."
            raise file_error(path, problem, number, start + 1)
        cells.append(_value(cell))
        columns.append(start + 1)
        position, more = _after_value(path, line, cell.end, number, "")
        if not more:
            break
    if len(cells) != len(attributes):
        at = columns[len(attributes)] if len(cells) > len(attributes) else len(line) + 1
        raise _wrong_count(path, len(cells), len(attributes), number, at)
    return _Row(number, cells, columns)


# A value without quotes ends at a comma, or where blanks and a comment follow.
_BARE_DENSE = re.compile(r"(?!%)[^,\s](?:(?:[^,\s]|[ \t]+(?![%\s]|$))*)")


def _value(cell: Cell) -> str | None:
    return None if cell.text == _MISSING and not cell.quoted else cell.text


def _after_value(path: str, line: str, position: int, number: int, closing: str) -> tuple[int, bool]:
    """Return where the next value begins, and whether there is one: a comma, the end or a comment follows a value."""
    while line.startswith((" ", "\t"), position):
        position += 1
    if line.startswith(",", position):
        return position + 1, True
    if closing:
        if line.startswith(closing, position):
            return position + 1, False
    elif position == len(line) or line.startswith("%", position):
        return position, False
    expected = f"',' or '{closing}'" if closing else "',' or the end of the line"
    rest = shorten(line[position]) if position < len(line) else "the end of the line"
    raise file_error(path, f"expected {expected} after a value, found {rest}.", number, position + 1)


def _sparse(path: str, line: str, number: int, attributes: list[Attribute]) -> _Row:
    """Read a row such as {0 sunny, 3 85}: the positions of some attributes, counting from 0, and their values."""
    position = line.index("{") + 1
    entries: dict[int, tuple[str | None, int]] = {}
    more = bool(line[position:].strip()) and not line[position:].lstrip().startswith("}")
    if not more:
        position, _ = _after_value(path, line, position, number, "}")
    while more:
        index = _INDEX.match(line, position)
        if index is None:
            raise file_error(path, "expected the number of an attribute and a value.", number, position + 1)
        which = int(index[1]) if len(index[1]) < 10 else len(attributes)
        if which >= len(attributes) or which in entries:
            problem = "comes twice" if which in entries else f"is none of the {len(attributes)} (counting from 0)"
            raise file_error(path, f"the attribute {index[1][:20]} {problem}.", number, index.start(1) + 1)
        cell = read_cell(path, line, index.end(), number)
        if cell is None:
            raise file_error(path, f"expected a value of {attributes[which].name!r}.", number, index.end() + 1)
        entries[which] = (_value(cell), index.end() + 1)
        position, more = _after_value(path, line, cell.end, number, "}")
    rest = line[position:].strip()
    if rest and not rest.startswith("%"):
        raise file_error(path, f"expected nothing after '}}', found {shorten(rest)}.", number, position + 1)
    for which, attribute in enumerate(attributes):
        if which not in entries and attribute.omitted is None:
            problem = f"the row leaves out {attribute.name!r}, but only numbers and nominal values may be left out."
            raise file_error(path, problem, number, 1)
    cells = [entries[k][0] if k in entries else attribute.omitted for k, attribute in enumerate(attributes)]
    return _Row(number, cells, [entries[k][1] if k in entries else 1 for k in range(len(attributes))])

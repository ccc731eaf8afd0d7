"""JSON lines: one object per line; a key is a column, and a key that a line does not have is missing."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

from quercus.errors import FileError, shorten
from quercus.files.content import Content, decode
from quercus.files.place import file_error
from quercus.files.raw_table import RawTable

__all__ = ["read_json_lines"]

_LINE_END = re.compile(r"\r\n?|\n")


class _TwiceError(ValueError):
    """A key that occurs twice in one object."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _TwiceError(next(key for key in keys if keys.count(key) > 1))
    return row


def _constant(name: str) -> Any:
    raise ValueError(f"expected a value of JSON, found {name}; write null if it is not known")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)


def read_json_lines(content: Content) -> RawTable:
    """Read JSON lines. Text stays text, numbers numbers, true and false booleans; null and an absent key are missing.

    >>> raw = read_json_lines(Content("a.jsonl", b'{"zip": "01234", "age": 41}\\n{"zip": null, "sick": true}\\n', ""))
    >>> {name: column.tolist() for name, column in raw.columns.items()}
    {'zip': ['01234', None], 'age': [41, None], 'sick': [None, True]}
    """
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    names: dict[str, None] = {}
    for number, line in enumerate(_LINE_END.split(decode(content)), start=1):
        if line.strip():
            row = _row(content.path, line, number)
            rows.append(row)
            lines.append(number)
            if row.keys() - names.keys():
                names.update(dict.fromkeys(row))
    if not names:
        raise file_error(content.path, "the objects have no keys, so there are no columns.", lines[0])
    columns = {name: _column([row.get(name) for row in rows]) for name in names}
    _check_cells(content.path, columns, lines)
    notes = tuple(note for name, column in columns.items() if (note := _mixture(name, column)))

    def place(row: int, column: int) -> tuple[int, int]:
        return lines[row], 1

    return RawTable(content.path, "json_lines", content.fingerprint, len(rows), columns, place=place, notes=notes)


def _row(path: str, line: str, number: int) -> dict[str, Any]:
    try:
        row = _DECODER.decode(line)
    except json.JSONDecodeError as error:
        raise file_error(path, f"this is not JSON: {error.msg}.", number, error.colno) from error
    except _TwiceError as error:
        column = line.rfind(json.dumps(str(error))) + 1
        raise file_error(path, f"the key {str(error)!r} comes twice in one object.", number, column or None) from error
    except RecursionError as error:
        raise file_error(path, "the object is nested too deep.", number) from error
    except ValueError as error:
        raise file_error(path, f"this is not JSON: {error}.", number, 1) from error
    if not isinstance(row, dict):
        hint = " Write one object per line instead of one list." if isinstance(row, list) else ""
        raise file_error(path, f'expected an object such as {{"age": 41}}, found {shorten(row)}.{hint}', number, 1)
    return row


def _column(cells: list[Any]) -> Any:
    column = np.empty(len(cells), dtype=object)
    column[:] = cells
    return column


def _check_cells(path: str, columns: dict[str, Any], lines: list[int]) -> None:
    """Refuse lists and objects as cells, and text that is not Unicode (half of a pair)."""
    for name, column in columns.items():
        texts: set[str] = {name}
        for row, cell in enumerate(column):
            if isinstance(cell, (list, dict)):
                what = "a list" if isinstance(cell, list) else "an object"
                problem = f"column {name!r}: expected text, a number, true, false or null, found {what}."
                raise file_error(path, problem, lines[row], 1)
            if isinstance(cell, str):
                texts.add(cell)
        if not all(map(_is_unicode, texts)):
            raise _half_pair(path, name, column, lines)


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _half_pair(path: str, name: str, column: Any, lines: list[int]) -> FileError:
    bad = [row for row, cell in enumerate(column) if isinstance(cell, str) and not _is_unicode(cell)]
    line = lines[bad[0]] if bad else None
    return file_error(path, f"column {name!a}: expected Unicode text, found half of a surrogate pair.", line)


def _mixture(name: str, column: Any) -> str:
    types = {bool: "true or false", int: "numbers", float: "numbers", str: "text"}
    kinds = sorted({types[type(cell)] for cell in column if cell is not None})
    return f"Column {name!r} mixes {' and '.join(kinds)}; each is a value of its own." if len(kinds) > 1 else ""

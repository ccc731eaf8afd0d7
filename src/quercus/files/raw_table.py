"""A table as the reader of one format returns it: columns of text or values, declarations, and the place of cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from quercus.data.column import CodedColumn
from quercus.errors import FileError, shorten
from quercus.files.date_forms import DateOrder
from quercus.files.place import file_error
from quercus.files.rules import Rules

__all__ = ["RawTable", "distinct_names", "ordinal"]


@dataclass(frozen=True, eq=False)
class RawTable:
    """One file that was read, before the declarations of the user are applied.

    - columns: of text a :class:`~quercus.data.column.CodedColumn` or a :class:`~quercus.files.cells.NumberColumn`;
      else a column of values as the format holds them.
    - texts: the columns of these names as they are written, for columns of numbers (None: the format is no text).
    - rules: what the file itself says of its columns.
    - place: the line and column of a cell, by row and column position (None: the format has no lines).
    - decimal, date_order: the decimal sign of numbers and the order of dates in text cells; None: the cells tell.
    - unnamed: the columns that have no name in the file.
    """

    path: str
    format: str
    fingerprint: str
    n_rows: int
    columns: Mapping[str, Any]
    texts: Callable[[Sequence[str]], dict[str, CodedColumn]] | None = None
    rules: Rules = field(default_factory=Rules)
    place: Callable[[int, int], tuple[int, int]] | None = None
    decimal: str | None = None
    notes: tuple[str, ...] = ()
    date_order: DateOrder | None = None
    unnamed: tuple[str, ...] = ()

    def cell_error(self, row: int, name: str, problem: str) -> FileError:
        """Make the error for a cell, with its line and column."""
        message = f"column {name!r}: {problem}"
        if self.place is None:
            return file_error(self.path, f"row {row + 1}, {message}")
        line, column = self.place(row, list(self.columns).index(name))
        return file_error(self.path, message, line, column)


def distinct_names(path: str, names: list[str], place: Callable[[int], tuple[int, int]] | None = None) -> list[str]:
    """Return the names of the columns; a name that comes twice is refused, with its place if that is known."""
    seen: dict[str, int] = {}
    for position, name in enumerate(names):
        if name in seen:
            both = f"the {ordinal(seen[name])} and the {ordinal(position)} column"
            problem = f"{both} have the same name, {shorten(name)}. Rename one of them."
            raise file_error(path, problem, *(place(position) if place is not None else ()))
        seen[name] = position
    return names


def ordinal(position: int) -> str:
    """Name a position that counts from 0: 1st, 2nd, 3rd, …"""
    number = position + 1
    suffix = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"

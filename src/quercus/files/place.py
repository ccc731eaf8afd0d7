"""The place of a fault in a file: path, line and column, and the error that names it."""

from __future__ import annotations

from quercus.errors import FileError

__all__ = ["CellError", "file_error"]


class CellError(Exception):
    """A cell that does not fit the kind of its column; the reader turns it into an error with line and column."""

    def __init__(self, row: int, problem: str) -> None:
        super().__init__(problem)
        self.row = row
        self.problem = problem


def file_error(path: str, problem: str, line: int | None = None, column: int | None = None) -> FileError:
    """Make the error for a fault in a file; line and column count from 1, as editors do.

    >>> print(file_error("tennis.csv", "expected 5 cells, found 4.", line=7, column=21))
    tennis.csv, line 7, column 21: expected 5 cells, found 4.
    """
    place = path
    if line is not None:
        place += f", line {line}"
    if column is not None:
        place += f", column {column}"
    return FileError(f"{place}: {problem}")

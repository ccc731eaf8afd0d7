"""Records of delimited text, one by one, each with its place: the slow reader, which names every fault."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from quercus.errors import FileError, shorten
from quercus.files.place import file_error

__all__ = ["Dialect", "Passage", "Record", "blank_record", "ragged_error", "records"]

_LINE = re.compile(r"[^\r\n]*")
_LINE_END = re.compile(r"\r\n?|\n")


@dataclass(frozen=True)
class Dialect:
    """How cells are separated: delimiter, quote (None: no quoting), whether blanks after a delimiter are dropped."""

    delimiter: str = ","
    quote: str | None = '"'
    skip_space: bool = False


@dataclass(frozen=True)
class Passage:
    """A text of records: the file it is from, where it begins in the text, and on which line.

    cut: the text is only the beginning of the file, up to the end of a line.
    """

    path: str
    text: str
    position: int = 0
    line: int = 1
    cut: bool = False

    def after(self, position: int, line: int) -> Passage:
        """Return the text after a line that ends at a position."""
        return replace(self, position=_after_line(self.text, position), line=line + 1)


@dataclass(frozen=True)
class Record:
    """One record: the line where it begins, its cells, where each begins, whether its line has a quote, and its end."""

    line: int
    cells: list[str]
    places: list[tuple[int, int]] | None = None
    quoted: bool = False
    end: int = 0

    @property
    def last_line(self) -> int:
        """The line where the record ends."""
        return self.places[-1][0] if self.places else self.line

    def place(self, position: int, dialect: Dialect) -> tuple[int, int]:
        """Return the line and column where a cell begins; one past the last is the end of the record."""
        if self.places is not None:
            return self.places[min(position, len(self.places) - 1)]
        before = self.cells[:position]
        column = sum(map(len, before)) + len(before) * len(dialect.delimiter) + 1
        return self.line, column - (position >= len(self.cells))


def records(passage: Passage, dialect: Dialect) -> Iterator[Record]:
    """Go through the records of a text. Lines end with a line feed, a carriage return or both.

    A quoted cell may hold delimiters, line ends and, doubled, the quote. In a cell that does not begin with the quote,
    the quote is a character like any other.

    >>> [record.cells for record in records(Passage("a.csv", 'a,b\\n"1,5","a ""b"" c"\\n'), Dialect())]
    [['a', 'b'], ['1,5', 'a "b" c']]
    """
    text, position, line = passage.text, passage.position, passage.line
    quote = dialect.quote
    while position < len(text):
        match = _LINE.match(text, position)
        assert match is not None
        content = match.group()
        if quote is not None and quote in content:
            record = _quoted_record(passage.path, text, position, line, dialect)
        else:
            cells = content.split(dialect.delimiter)
            if dialect.skip_space:
                stripped = [cell.lstrip(" ") for cell in cells]
                record = Record(line, stripped, _places(line, cells, dialect), end=match.end())
            else:
                record = Record(line, cells, end=match.end())
        yield record
        position, line = _after_line(text, record.end), record.last_line + 1


def _after_line(text: str, position: int) -> int:
    ending = _LINE_END.match(text, position)
    return position if ending is None else ending.end()


def blank_record(record: Record) -> bool:
    """Whether a record is a line that is empty or has only blanks."""
    return len(record.cells) == 1 and not record.quoted and not record.cells[0].strip()


def _places(line: int, cells: list[str], dialect: Dialect) -> list[tuple[int, int]]:
    places, column = [], 1
    for cell in cells:
        places.append((line, column))
        column += len(cell) + len(dialect.delimiter)
    return [*places, (line, column - len(dialect.delimiter))]


@lru_cache(maxsize=64)
def _patterns(dialect: Dialect) -> tuple[re.Pattern[str], re.Pattern[str]]:
    quote, delimiter = re.escape(dialect.quote or ""), re.escape(dialect.delimiter)
    lead = " *" if dialect.skip_space else ""
    quoted = re.compile(f"{lead}{quote}([^{quote}]*(?:{quote}{quote}[^{quote}]*)*){quote}")
    return quoted, re.compile(f"(?:(?!{delimiter})[^\r\n])*")


def _quoted_record(path: str, text: str, position: int, line: int, dialect: Dialect) -> Record:
    """Read the record that begins at a position and has a quote in its first line."""
    quote, delimiter, end = dialect.quote or "", dialect.delimiter, len(text)
    quoted, plain = _patterns(dialect)
    first_line, line_start = line, position
    cells: list[str] = []
    places: list[tuple[int, int]] = []
    while True:
        start = position
        places.append((line, start - line_start + 1))
        if dialect.skip_space:
            while text.startswith(" ", start):
                start += 1
        if text.startswith(quote, start):
            piece = quoted.match(text, position)
            if piece is None:
                problem = f"the quote {quote} is never closed: expected another {quote} before the end of the file."
                raise file_error(path, problem, line, start - line_start + 1)
            cells.append(piece.group(1).replace(quote * 2, quote))
            position = piece.end()
            ends = [match.end() for match in _LINE_END.finditer(piece.group())]
            if ends:
                line, line_start = line + len(ends), piece.start() + ends[-1]
            if position < end and text[position] not in "\r\n" and not text.startswith(delimiter, position):
                problem = f"expected {shorten(delimiter)} or the end of the line after a closing quote, found "
                hint = f"{shorten(text[position])}. A quote within quotes is doubled ({quote * 2})."
                raise file_error(path, problem + hint, line, position - line_start + 1)
        else:
            piece = plain.match(text, start)
            assert piece is not None
            cells.append(piece.group())
            position = piece.end()
        if not text.startswith(delimiter, position):
            places.append((line, position - line_start + 1))
            return Record(first_line, cells, places, True, position)
        position += len(delimiter)


def ragged_error(path: str, record: Record, expected: int, dialect: Dialect, like: str) -> FileError:
    """Make the error for a record that has too few or too many cells."""
    count = len(record.cells)
    line, column = record.place(min(count, expected), dialect)
    cells = "cell" if expected == 1 else "cells"
    hint = ""
    if count > expected and dialect.quote is not None:
        hint = f" A cell that holds {shorten(dialect.delimiter)} must be in quotes."
    return file_error(path, f"expected {expected} {cells} {like}, found {count}.{hint}", line, column)

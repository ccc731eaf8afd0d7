"""Finding out how a delimited file is written: delimiter, quote, blanks after the delimiter, header."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from quercus.errors import FileError
from quercus.files.delimited_records import Dialect, Passage, Record, blank_record, records
from quercus.files.number_forms import is_number
from quercus.files.raw_table import ordinal

__all__ = ["TooShortError", "find_dialect", "has_header", "sample_records"]

_DELIMITERS = (",", "\t", ";", "|")
_SAMPLE = 200


@dataclass(frozen=True)
class _Trial:
    """How well a dialect fits the first records: all of one width, the share of them that is as wide as the first."""

    dialect: Dialect
    sample: list[Record]
    width: int
    share: float
    whole: bool

    @property
    def worth(self) -> tuple[bool, float, int]:
        if self.width < 2:
            return False, 0.0, 1
        return self.whole and self.share == 1.0, self.share, self.width


class TooShortError(Exception):
    """The beginning of a file does not have enough records to tell how it is written."""


def sample_records(passage: Passage, dialect: Dialect) -> tuple[list[Record], bool]:
    """Return the first records that are not blank, and whether no fault was met among them."""
    sample: list[Record] = []
    fault = False
    try:
        for record in islice(records(passage, dialect), _SAMPLE):
            sample.append(record)
    except FileError:
        fault = True
    if passage.cut and (fault or len(sample) < _SAMPLE):
        raise TooShortError
    return [record for record in sample if not blank_record(record)], not fault


def _try(passage: Passage, dialect: Dialect) -> _Trial:
    sample, whole = sample_records(passage, dialect)
    widths = [len(record.cells) for record in sample] or [1]
    return _Trial(dialect, sample, widths[0], widths.count(widths[0]) / len(widths), whole)


def find_dialect(
    passage: Passage, delimiter: str | None = None, quote: str | None = "auto"
) -> tuple[Dialect, list[Record]]:
    """Find the delimiter (comma, tab, semicolon or bar) and the quote of a text, and its first records.

    What is given is taken.

    The delimiter is the one that cuts all of the first 200 records into the same number of cells, the most cells if
    several do. The quote is ", or ' where that alone fits, or where all that is not a number is quoted so.

    >>> find_dialect(Passage("a.csv", "a;b\\n1,5;2,5\\n"))[0]
    Dialect(delimiter=';', quote='"', skip_space=False)
    """
    text = passage.text[passage.position :]
    if delimiter is not None:
        delimiters: tuple[str, ...] = (delimiter,)
    elif re.search(r"\.(?:tsv|tab)(?:\.gz)?$", passage.path, re.IGNORECASE) and "\t" in text[:100_000]:
        delimiters = ("\t",)
    else:
        delimiters = tuple(sign for sign in _DELIMITERS if sign in text) or (",",)
    fixed = quote != "auto"
    quotes = [quote if fixed else '"']
    if not fixed and "'" in text[:1_000_000] and re.search(r"(?:^|[,;|\t\r\n]) ?'", text[:1_000_000]):
        quotes.append("'")
    trials = [_try(passage, Dialect(sign, mark, _blanks_follow(text, sign))) for mark in quotes for sign in delimiters]
    best = max(trials, key=lambda trial: trial.worth)  # of equals the first
    if passage.cut and delimiter is None and best.width < 2:  # which signs the rest has may count
        raise TooShortError
    if len(quotes) == 2 and best.dialect.quote == '"' and _all_text_in(best.sample, "'"):
        dialect = Dialect(best.dialect.delimiter, "'", best.dialect.skip_space)
        return dialect, sample_records(passage, dialect)[0]
    return best.dialect, best.sample


def _blanks_follow(text: str, delimiter: str) -> bool:
    """Whether a blank follows every delimiter of the first lines, so that it is no part of the cell."""
    if delimiter.isspace():
        return False
    lines = [line for line in re.split(r"[\r\n]+", text[:100_000])[:_SAMPLE] if '"' not in line and "'" not in line]
    first = " ".join(lines[:1])
    sign = re.escape(delimiter)
    return f"{delimiter} " in first and not any(re.search(f"{sign}(?! |{sign}|$)", line) for line in lines)


def _all_text_in(sample: list[Record], quote: str) -> bool:
    """Whether every cell of the first records that is not a number or empty is within this quote."""
    cells = [cell.strip() for record in sample for cell in record.cells if cell.strip() and not is_number(cell)]
    return len(cells) > 1 and all(len(cell) > 1 and cell[0] == quote == cell[-1] for cell in cells)


def has_header(sample: list[Record]) -> tuple[bool, str]:
    """Say whether the first record holds names, and, if it is taken as data, why.

    It is taken as data if it holds a number, or if each of its cells comes again in its own column.

    >>> has_header([Record(1, ["Outlook", "Wind"]), Record(2, ["Sunny", "Weak"])])
    (True, '')
    >>> has_header([Record(1, ["Sunny", "85"]), Record(2, ["Rain", "70"])])
    (False, "its 2nd cell is the number '85'")
    """
    first, rest = sample[0].cells, sample[1:]
    for position, cell in enumerate(first):
        if is_number(cell):
            return False, f"its {ordinal(position)} cell is the number {cell.strip()!r}"
    if len(rest) > 1 and all(
        any(len(record.cells) > position and record.cells[position] == cell for record in rest)
        for position, cell in enumerate(first)
    ):
        return False, "each of its cells comes again below"
    return True, ""

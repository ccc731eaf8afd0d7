"""ARFF's declarations: names, types and values as they are written, and dates by the patterns of Java."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from quercus.errors import FileError, did_you_mean, shorten
from quercus.files.place import file_error
from quercus.files.rules import ColumnRule

__all__ = ["Attribute", "Cell", "date_reader", "read_attribute", "read_cell"]

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_QUOTED = {
    "'": re.compile(r"'((?:[^'\\]|\\.)*)'"),
    '"': re.compile(r'"((?:[^"\\]|\\.)*)"'),
}
_BARE = re.compile(r"[^,}\s](?:[^,}]*[^,}\s])?")
_TYPES = ("numeric", "real", "integer", "string", "date", "{…}")
_JAVA = {
    "yyyy": "%Y", "yy": "%y", "y": "%Y", "MMMM": "%B", "MMM": "%b", "MM": "%m", "M": "%m", "dd": "%d", "d": "%d",
    "HH": "%H", "H": "%H", "hh": "%I", "h": "%I", "mm": "%M", "m": "%M", "ss": "%S", "s": "%S", "SSS": "%f", "S": "%f",
    "a": "%p", "EEEE": "%A", "EEE": "%a", "E": "%a", "Z": "%z", "XXX": "%z", "X": "%z", "D": "%j", "DDD": "%j",
}  # fmt: skip


@dataclass(frozen=True)
class Attribute:
    """One declared attribute: its name, its rule, the value that a sparse row leaves out, and its line."""

    name: str
    rule: ColumnRule
    omitted: str | None
    line: int


@dataclass(frozen=True)
class Cell:
    """One written value: its text, whether it was in quotes, and where it ends."""

    text: str
    quoted: bool
    end: int


def read_cell(path: str, line: str, start: int, number: int, bare: re.Pattern[str] = _BARE) -> Cell | None:
    """Read the value that begins at a position of a line, quoted or not; None: there is none.

    >>> read_cell("a.arff", "'it\\\\'s', b", 0, 1)
    Cell(text="it's", quoted=True, end=7)
    """
    while start < len(line) and line[start] in " \t":
        start += 1
    quote = line[start : start + 1]
    if quote in _QUOTED:
        match = _QUOTED[quote].match(line, start)
        if match is None:
            raise file_error(path, f"the quote {quote} is never closed: expected another one.", number, start + 1)
        text = re.sub(r"\\(.)", lambda escape: _ESCAPES.get(escape[1], escape[1]), match[1])
        return Cell(text, True, match.end())
    plain = bare.match(line, start)
    return None if plain is None else Cell(plain.group().rstrip(" \t"), False, plain.end())


def read_attribute(path: str, line: str, number: int) -> Attribute:
    """Read the line that declares an attribute.

    >>> read_attribute("a.arff", "@attribute 'the wind' {weak, strong}", 3).rule.values
    ('weak', 'strong')
    """
    start = len("@attribute")
    name = read_cell(path, line, start, number, re.compile(r"[^\s{},%]+"))
    if name is None or (not name.quoted and not name.text):
        raise file_error(path, "expected the name of an attribute after @attribute.", number, start + 1)
    if not name.text.strip():
        raise file_error(path, "expected the name of an attribute, found an empty one.", number, start + 1)
    rest = name.end + len(line[name.end :]) - len(line[name.end :].lstrip())
    if line.startswith("{", rest):
        values = _values(path, line, rest + 1, number, name.text)
        return Attribute(name.text, ColumnRule("nominal", values), values[0], number)
    words = line[rest:].split("%")[0].split(None, 1)
    kind = words[0].lower() if words else ""
    if kind in ("numeric", "real", "integer"):
        if len(words) > 1 and not re.match(r"[\[{(]", words[1]):  # old files add a range, which says nothing
            raise file_error(path, f"expected nothing after {kind}, found {shorten(words[1])}.", number, rest + 1)
        return Attribute(name.text, ColumnRule("numeric"), "0", number)
    if kind == "string":
        return Attribute(name.text, ColumnRule("nominal"), None, number)
    if kind == "date":
        return Attribute(name.text, _date_rule(path, line, rest + 4, number), None, number)
    raise _unknown_type(path, name.text, kind, number, rest + 1)


def _unknown_type(path: str, name: str, kind: str, number: int, column: int) -> FileError:
    if kind == "relational":
        problem = f"attribute {name!r} is relational (tables within a table), which cannot be read."
        return file_error(path, f"{problem} Make one row of every inner row first.", number, column)
    word = shorten(kind) if kind else "nothing"
    expected = f"expected a type, one of {', '.join(_TYPES)}, for the attribute {name!r}, found {word}."
    return file_error(path, expected + did_you_mean(kind, _TYPES), number, column)


def _values(path: str, line: str, start: int, number: int, name: str) -> tuple[str, ...]:
    values: list[str] = []
    position = start
    while True:
        cell = read_cell(path, line, position, number)
        if cell is None:
            break
        if cell.text in values:
            raise file_error(path, f"the value {shorten(cell.text)} of {name!r} comes twice.", number, position + 1)
        values.append(cell.text)
        position = cell.end
        while line.startswith((" ", "\t"), position):
            position += 1
        if not line.startswith(",", position):
            break
        position += 1
    rest = line[position:].strip()
    if not rest.startswith("}"):
        word = shorten(rest) if rest else "the end of the line"
        raise file_error(path, f"expected ',' or '}}' in the values of {name!r}, found {word}.", number, position + 1)
    if not values:
        raise file_error(path, f"the attribute {name!r} has no values between the braces.", number, start)
    after = rest[1:].strip()
    if after and not after.startswith("%"):
        raise file_error(path, f"expected nothing after '}}', found {shorten(after)}.", number, len(line))
    return tuple(values)


def _date_rule(path: str, line: str, start: int, number: int) -> ColumnRule:
    cell = read_cell(path, line, start, number, re.compile(r"[^\s%][^%]*"))
    pattern = "yyyy-MM-dd'T'HH:mm:ss" if cell is None else cell.text.strip()
    try:
        reader = date_reader(pattern)
    except ValueError as error:
        raise file_error(path, f"the date pattern {pattern!r} cannot be read: {error}.", number, start + 1) from error
    return ColumnRule("date", read_date=reader)


def date_reader(pattern: str) -> Callable[[str], dt.datetime]:
    """Return a function that reads dates written by a pattern of Java's SimpleDateFormat.

    >>> date_reader("dd.MM.yyyy 'at' HH:mm")("01.05.2024 at 12:30")
    datetime.datetime(2024, 5, 1, 12, 30)
    """
    if pattern.count("'") % 2:
        raise ValueError("a quote in it is never closed")
    parts: list[str] = []
    for quoted, letters, other in re.findall(r"'((?:[^']|'')*)'|(([A-Za-z])\3*|[^A-Za-z']+)", pattern):
        if quoted or not letters:
            parts.append((quoted.replace("''", "'") or "'").replace("%", "%%"))
        elif other:
            if letters not in _JAVA:
                raise ValueError(f"the letters {letters!r} are not known")
            if _JAVA[letters] in parts:
                raise ValueError(f"the letters {letters!r} say again what others have said")
            parts.append(_JAVA[letters])
        else:
            parts.append(letters.replace("%", "%%"))
    return partial(_parse, "".join(parts), pattern)


def _parse(form: str, pattern: str, text: str) -> dt.datetime:
    try:
        return dt.datetime.strptime(text, form)
    except ValueError as error:
        raise ValueError(f"its pattern is {pattern!r}") from error

"""C4.5's files: the cases of .data, .test or .cases, by the names of .names, with the costs of .costs."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from quercus.errors import ParameterError, choice_message, shorten
from quercus.files.c45_names import C45Names, read_costs, read_names
from quercus.files.cells import careful_columns, plain_columns
from quercus.files.content import Content, decode, read_content
from quercus.files.place import file_error
from quercus.files.raw_table import RawTable
from quercus.files.rules import ColumnRule, Rules
from quercus.files.text_column import without

__all__ = ["C45_ENDINGS", "c45_paths", "read_c45"]

C45_ENDINGS = (".names", ".data", ".test", ".cases", ".costs")
_PARTS = ("data", "test", "cases")
_LINE_END = re.compile(r"\r\n?|\n")
_SPECIAL = re.compile(r"[|\\]|\.[ \t]*(?:\n|$)|\s\s|\t")
_MISSING = "?"
_NOT_APPLICABLE = ("N/A",)  # as C5.0 writes it


def c45_paths(path: str | os.PathLike[str]) -> tuple[str, str]:
    """Return the path without ending of .names, and the part ("data", "test" or "cases") that a path stands for.

    >>> c45_paths("data/golf.test.gz"), c45_paths("data/golf")
    (('data/golf.names', 'test'), ('data/golf.names', 'data'))
    """
    shown = os.fspath(path)
    plain = shown[:-3] if shown.lower().endswith(".gz") else shown
    stem, ending = os.path.splitext(plain)
    if ending.lower() not in C45_ENDINGS:
        return f"{plain}.names", "data"
    part = ending[1:].lower()
    return f"{stem}.names", part if part in _PARTS else "data"


def read_c45(path: str | os.PathLike[str], *, part: str | None = None, fast: bool = True) -> RawTable:
    """Read C4.5's files, given any of ``golf``, ``golf.names``, ``golf.data``, ``golf.test`` or their .gz.

    - part: "data", "test" or "cases", if the path does not say which.

    The target is called "class" (or is the attribute that .names names, as in C5.0); it is the last value of a case.
    In the data a period may end a case, | begins a comment, a backslash takes the next character as it is, ? is
    missing, N/A does not apply (see :mod:`quercus.files.applicable`). A .costs file, if there is one, gives the cost
    matrix.
    """
    names_path, found_part = c45_paths(path)
    if part is not None and part not in _PARTS:
        raise ParameterError(choice_message("part", part, _PARTS))
    stem = names_path.removesuffix(".names")
    names_content = _content(names_path)
    names = read_names(names_content)
    content = _content(f"{stem}.{part or found_part}")
    text = decode(content)
    rules = _rules(names, stem, content.path)
    labels = [attribute.name for attribute in names.attributes] + ([names.target] if names.last else [])
    plain = plain_columns(text, labels, rules, _SPECIAL, _plain_value) if fast else None
    if plain is None:
        rows = [case.cells for case in _cases(content.path, text, labels)]
        if not rows:
            raise file_error(content.path, "expected cases, found only comments.")
        plain = careful_columns(labels, rows)
    columns, texts = plain

    def place(row: int, column: int) -> tuple[int, int]:
        case = next(islice(_cases(content.path, text, labels), row, None))
        return case.line, case.columns[column]

    fingerprint = hashlib.sha256(f"{names_content.fingerprint} {content.fingerprint}".encode()).hexdigest()
    raw = RawTable(content.path, "c45", fingerprint, len(columns[labels[0]]), columns, texts, rules, place)
    _check_counts(raw, names)
    return raw


def _content(path: str) -> Content:
    return read_content(path if os.path.exists(path) or not os.path.exists(f"{path}.gz") else f"{path}.gz")


def _rules(names: C45Names, stem: str, source: str) -> Rules:
    columns = {attribute.name: attribute.rule for attribute in names.attributes}
    if names.last:
        columns[names.target] = ColumnRule("nominal", names.classes)
    costs = None
    if os.path.exists(f"{stem}.costs") or os.path.exists(f"{stem}.costs.gz"):
        content = _content(f"{stem}.costs")
        if not names.classes:
            raise file_error(
                content.path, f"there are costs of mistakes, but {names.target!r} has no declared classes."
            )
        costs = read_costs(content, names.classes)
    return Rules(
        columns, names.target, names.classes, cost_matrix=costs, source=source, not_applicable=_NOT_APPLICABLE,
        weight=names.weight,
    )  # fmt: skip


def _check_counts(raw: RawTable, names: C45Names) -> None:
    """Refuse more values than ``discrete N`` allows."""
    for attribute in names.attributes:
        if attribute.most is None:
            continue
        column = without(raw.columns[attribute.name], _NOT_APPLICABLE)
        if len(column.values) > attribute.most:
            problem = f"expected at most {attribute.most} different values (discrete {attribute.most}), found one more:"
            row = column.first_row(attribute.most)
            raise raw.cell_error(row, attribute.name, f"{problem} {shorten(column.values[attribute.most])}.")


def _plain_value(value: str) -> str | None:
    value = value.strip()
    return None if value == _MISSING else value


@dataclass(frozen=True)
class _Case:
    """One case: its line, its values (None: missing), and where each begins."""

    line: int
    cells: list[str | None]
    columns: list[int]


def _cases(path: str, text: str, labels: list[str]) -> Iterator[_Case]:
    for number, line in enumerate(_LINE_END.split(text), start=1):
        parts = _values(path, line, number)
        if len(parts) == 1 and not parts[0][0]:
            continue
        columns = [column for _, column in parts]
        if len(parts) != len(labels):
            what = f"{len(labels)} values, as .names says"
            at = columns[len(labels)] if len(parts) > len(labels) else len(line) + 1
            raise file_error(path, f"expected {what}, found {len(parts)}.", number, at)
        for (value, column), label in zip(parts, labels, strict=True):
            if not value:
                problem = f"expected a value of {label!r}, or ? if it is missing, found nothing."
                raise file_error(path, problem, number, column)
        yield _Case(number, [None if value == _MISSING else value for value, _ in parts], columns)


def _values(path: str, line: str, number: int) -> list[tuple[str, int]]:
    """Return the values of a line, each with its column; the period that ends a case and a comment are dropped."""
    if "\\" not in line:
        content = line.partition("|")[0].rstrip()
        content = content.removesuffix(".") if content.endswith(".") else content
        values, position = [], 1
        for part in content.split(","):
            values.append((" ".join(part.split()), position + len(part) - len(part.lstrip())))
            position += len(part) + 1
        return values
    values, kept, start, position = [], [], 0, 0
    while position < len(line) and line[position] != "|":
        sign = line[position]
        if sign == "\\":
            if position + 1 == len(line):
                raise file_error(path, "expected a character after the backslash.", number, position + 1)
            kept.append(line[position + 1])
            position += 1
        elif sign == ",":
            values.append((" ".join("".join(kept).split()), start + 1))
            kept, start = [], position + 1
        elif sign == "." and re.fullmatch(r"\.\s*(?:\|.*)?", line[position:]):
            break
        else:
            kept.append(sign)
        position += 1
    return [*values, (" ".join("".join(kept).split()), start + 1)]

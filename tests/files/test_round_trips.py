"""Random tables with hostile names and values, written by other programs' writers, are read back as they were."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from files.written import cells, csv_text, read, written
from quercus.files import read_file

RELAXED = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
UNICODE = st.characters(codec="utf-8")
SIGNS = st.sampled_from("\"',;|\t\n\r {}%?\\#<>=[]:.@\ufeff")
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
HOSTILE = st.text(st.one_of(SIGNS, UNICODE), max_size=8)
TEXT = HOSTILE.filter(lambda text: "\0" not in text)
NAMES = TEXT.filter(bool)


@st.composite
def tables(draw: st.DrawFn, least: int = 2) -> tuple[list[str], list[list[str]]]:
    """Names, and rows of text cells; empty cells are missing."""
    names = draw(st.lists(NAMES, min_size=least, max_size=4, unique=True))
    rows = draw(st.lists(st.lists(TEXT, min_size=len(names), max_size=len(names)), min_size=1, max_size=6))
    return names, rows


@RELAXED
@example((["a", "b"], [["x\r", "\ny"], ['"', ""]]), ",", False)
@given(tables(), st.sampled_from(",;\t|"), st.booleans())
def test_delimited_text(tmp_path: Path, table: tuple[list[str], list[list[str]]], delimiter: str, fast: bool) -> None:
    names, rows = table
    if names[0].startswith("\ufeff"):
        names = ["a" + names[0], *names[1:]]
    text = csv_text(names, rows, delimiter=delimiter)
    schema = {"columns": {name: {"kind": "nominal"} for name in names}}
    file = written(tmp_path, "a.csv", text)
    found = read_file(file, header=True, delimiter=delimiter, quote='"', schema=schema, fast=fast)
    assert list(found.columns) == names
    if " " in text and text.count(delimiter) == text.count(delimiter + " "):
        return  # blanks after every delimiter are taken as no part of the cells
    assert [list(row) for row in zip(*cells(found).values(), strict=True)] == [[c or None for c in row] for row in rows]


PLAIN = st.text("abcxyz-_<>&äß '", min_size=1, max_size=6).filter(lambda text: text.strip("' ") == text)


@RELAXED
@given(
    st.lists(PLAIN, min_size=2, max_size=5, unique=True),
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.lists(st.tuples(st.integers(-(10**6), 10**6), NUMBERS, PLAIN), min_size=1),
)
def test_what_is_found_by_itself(
    tmp_path: Path, names: list[str], delimiter: str, end: str, rows: list[tuple[int, float, str]]
) -> None:
    names = [*names[:2], "last one"]
    quoted = [(whole, number, f"{text}{delimiter}") for whole, number, text in rows]
    found = read(tmp_path, "a.csv", csv_text(names, quoted, delimiter=delimiter, lineterminator=end))
    whole, number, text = (list(column) for column in zip(*quoted, strict=True))
    expected = dict(zip(names, [whole, number, text], strict=True))
    assert list(found.kinds.values()) == ["numeric", "numeric", "nominal"]
    assert cells(found) == expected


def quoted_arff(text: str) -> str:
    escapes = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r"}
    return "'" + "".join(escapes.get(sign, sign) for sign in text) + "'"


@RELAXED
@given(tables(least=1))
def test_arff(tmp_path: Path, table: tuple[list[str], list[list[str]]]) -> None:
    names, rows = table
    names = [name if name.strip() else f"{position}{name}" for position, name in enumerate(names)]
    declared = [list(dict.fromkeys(row[position] for row in rows)) for position in range(len(names))]
    lines = ["@relation r"]
    for position, (name, values) in enumerate(zip(names, declared, strict=True)):
        domain = "{" + ", ".join(map(quoted_arff, values)) + "}"
        lines.append(f"@attribute {quoted_arff(name)} {domain if position % 2 else 'string'}")
    lines += ["@data", *(", ".join(map(quoted_arff, row)) for row in rows)]
    found = read(tmp_path, "a.arff", "\n".join(lines))
    assert list(found.columns) == names
    assert [list(row) for row in zip(*cells(found).values(), strict=True)] == rows
    assert found.domains == {name: declared[position] for position, name in enumerate(names) if position % 2}


def escaped_c45(text: str) -> str:
    return "".join("\\" + sign if sign in ",:.|\\?" or sign.isspace() else sign for sign in text)


@RELAXED
@given(
    st.lists(
        st.tuples(st.text("ab,:|\\. x?", min_size=1, max_size=6), st.text("ab,:|\\. x?", min_size=1, max_size=6)),
        min_size=1,
        max_size=5,
    )
)
def test_c45(tmp_path: Path, rows: list[tuple[str, str]]) -> None:
    plain = [tuple(" ".join(f"v{cell}w".split()) for cell in row) for row in rows]
    values = [list(dict.fromkeys(column)) for column in zip(*plain, strict=True)]
    names = ", ".join(map(escaped_c45, values[1])) + ".\n" + escaped_c45("a: b.") + ": "
    written(tmp_path, "a.names", names + ", ".join(map(escaped_c45, values[0])) + ".\n")
    found = read(tmp_path, "a.data", "".join(",".join(map(escaped_c45, row)) + ".\n" for row in plain))
    if len(values[0]) == 1 or found.target != "class":
        return
    assert cells(found) == {"a: b.": [a for a, _ in plain], "class": [b for _, b in plain]}


JSON_CELLS = st.one_of(st.none(), st.booleans(), st.integers(-(2**40), 2**40), NUMBERS, TEXT)


@RELAXED
@given(
    st.lists(
        st.dictionaries(st.text(UNICODE, max_size=5), JSON_CELLS, min_size=1),
        min_size=1,
        max_size=5,
    )
)
def test_json_lines(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    found = read(tmp_path, "a.jsonl", "\n".join(json.dumps(row) for row in rows))
    names = list(dict.fromkeys(name for row in rows for name in row))
    assert cells(found) == {name: [row.get(name) for row in rows] for name in names}


COLUMNS = st.one_of(
    st.lists(st.none() | st.integers(-(2**40), 2**40), min_size=3, max_size=3),
    st.lists(st.none() | NUMBERS, min_size=3, max_size=3),
    st.lists(st.none() | st.booleans(), min_size=3, max_size=3),
    st.lists(st.none() | st.text(UNICODE, max_size=5), min_size=3, max_size=3),
)


@RELAXED
@given(st.dictionaries(st.text(UNICODE, max_size=5), COLUMNS, min_size=1, max_size=4))
def test_parquet(tmp_path: Path, columns: dict[str, list[Any]]) -> None:
    pa = pytest.importorskip("pyarrow")
    stream = io.BytesIO()
    pytest.importorskip("pyarrow.parquet").write_table(pa.table(columns), stream)
    assert cells(read(tmp_path, "a.parquet", stream.getvalue())) == columns


@RELAXED
@given(st.lists(st.none() | st.floats(allow_infinity=False), min_size=1, max_size=20), st.booleans())
def test_numbers_to_the_last_digit(tmp_path: Path, numbers: list[float | None], fast: bool) -> None:
    known = [None if number is None or math.isnan(number) else number for number in numbers]
    text = csv_text(["x", "y"], [["" if n is None else repr(n), "t"] for n in known])
    column = read(tmp_path, "a.csv", text, fast=fast).columns["x"]
    assert np.array_equal(column, np.array([math.nan if n is None else n for n in known]), equal_nan=True)

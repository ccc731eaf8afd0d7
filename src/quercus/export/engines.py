"""Engines that run exports on test vectors: Python, Node.js, C, SQLite, DuckDB, PostgreSQL, onnxruntime, treelite."""

from __future__ import annotations

import ctypes
import datetime as dt
import json
import math
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from quercus.data.values import value_from_json, value_key, value_text
from quercus.errors import DependencyError, ExportError
from quercus.export.vectors import UNSEEN, Vectors
from quercus.targets.labels import label_codes

Answers = tuple[list[Any], list[list[float]]]
_EPOCH = dt.datetime(1970, 1, 1)
_DATES = ("TIMESTAMP", "TIMESTAMPTZ", "TIME", "INTERVAL")


def _rows(vectors: Vectors) -> list[dict[str, Any]]:
    return [dict(zip(vectors.names, row, strict=True)) for row in vectors.rows]


def run_python(exported: Any, vectors: Vectors) -> Answers:
    """Run an exported module of Python in this process."""
    names: dict[str, Any] = {}
    again = "It was cut off or changed; export the model again."
    try:
        exec(compile(exported, "exported model", "exec"), names)
    except SyntaxError as error:
        raise ExportError(f"The exported Python is broken in line {error.lineno or 1}: {error.msg}. {again}") from error
    if "predict" not in names:
        raise ExportError(f"The exported Python ends before its function predict. {again}")
    rows = _rows(vectors)
    try:
        shares = [names["predict_proba"](row) for row in rows] if vectors.has_classes else []
        return [names["predict"](row) for row in rows], shares
    except (KeyError, TypeError, ValueError) as error:
        raise ExportError(f"The exported Python does not answer these rows: {error}") from error


def _microseconds(value: Any) -> Any:
    """A date as a number of microseconds, for languages without dates; other values stay as they are."""
    if isinstance(value, dt.datetime):
        return (value.replace(tzinfo=None) - _EPOCH) // dt.timedelta(microseconds=1)
    if isinstance(value, dt.time):
        return ((value.hour * 60 + value.minute) * 60 + value.second) * 1_000_000 + value.microsecond
    return value // dt.timedelta(microseconds=1) if isinstance(value, dt.timedelta) else value


_NODE = """\
import { readFileSync } from "node:fs";
import { predict, predictProba, classes } from "./model.mjs";
const rows = JSON.parse(readFileSync(new URL("rows.json", import.meta.url)));
console.log(JSON.stringify(rows.map((row) => [predict(row), classes ? predictProba(row) : []])));
"""


def javascript_rows(vectors: Vectors) -> list[dict[str, Any]]:
    """The rows as objects that JSON can hold."""
    return [{name: _microseconds(value) for name, value in row.items()} for row in _rows(vectors)]


def run_javascript(exported: Any, vectors: Vectors) -> Answers:
    """Run an exported module of JavaScript by Node.js."""
    node = shutil.which("node")
    if node is None:
        raise DependencyError("Running exports to JavaScript needs Node.js, and no program called node is on the path.")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "model.mjs").write_text(exported, encoding="utf-8")
        (place / "rows.json").write_text(json.dumps(javascript_rows(vectors)), encoding="utf-8")
        (place / "run.mjs").write_text(_NODE, encoding="utf-8")
        answers = json.loads(run_program([node, str(place / "run.mjs")]))
    return [label for label, _ in answers], [shares for _, shares in answers if vectors.has_classes]


def run_program(command: list[str]) -> str:
    """The output of a program; an ExportError with the last lines of its output if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode != 0:
        raise ExportError(f"{Path(command[0]).name} refuses the export: {done.stderr.strip()[-500:]}")
    return done.stdout


def run_c(exported: Any, vectors: Vectors, compiler: str | None = None) -> Answers:
    """Compile an exported file of C, without warnings, and run it; the prefix of its functions stands in the file."""
    prefix = re.search(r"^#define PREFIX\(name\) (\w+)_##name$", exported, re.MULTILINE)
    if prefix is None:
        raise ExportError("The file of C does not define PREFIX, as exports do; export the model again.")
    compiler = compiler or next((one for one in ("cc", "gcc", "clang") if shutil.which(one)), None)
    if compiler is None:
        raise DependencyError("Running exports to C needs a compiler, and neither cc, gcc nor clang is on the path.")
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "model.c", Path(folder) / "model.so"
        source.write_text(exported, encoding="utf-8")
        flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC"]
        run_program([compiler, *flags, "-o", str(library), str(source), "-lm"])
        functions = ctypes.CDLL(str(library), mode=os.RTLD_LOCAL if hasattr(os, "RTLD_LOCAL") else 0)
        return ask_c(functions, vectors, prefix[1])


def ask_c(functions: Any, vectors: Vectors, prefix: str) -> Answers:
    """The answers of a loaded library whose functions begin with a prefix."""
    predict, encode = functions[f"{prefix}_predict"], functions[f"{prefix}_encode"]
    numbers = ctypes.POINTER(ctypes.c_double)
    predict.argtypes, encode.argtypes = [numbers, numbers], [ctypes.c_int, ctypes.c_char_p, numbers]
    width, kind = vectors.target_kind.width, vectors.target_kind
    labels: list[Any] = []
    shares: list[list[float]] = []
    for row in vectors.rows:
        cells, out = (ctypes.c_double * max(len(row), 1))(), (ctypes.c_double * width)()
        for place, value in enumerate(row):
            cell = ctypes.c_double()
            text = None if value is None else _c_text(value).encode()
            if encode(place, text, ctypes.byref(cell)):
                raise ExportError(f"The exported C does not read {value!r} as a number.")
            cells[place] = cell.value
        code = predict(cells, out)
        labels.append(kind.label(code if kind.has_shares else out[0]))
        shares.append(list(out))
    return labels, shares if vectors.has_classes else []


def _c_text(value: Any) -> str:
    value = _microseconds(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value) if not value.is_integer() or abs(value) >= 1e16 else value_text(value)
    return value if isinstance(value, str) else value_text(value)


def _table(
    vectors: Vectors, number: str, whole: str, text: str, truth: str, dates: tuple[str, str, str, str]
) -> tuple[str, str]:
    """The statements that make the table "rows" and put a row into it.

    dates: the types of moments without and with a time zone, of times of day and of durations.
    """
    columns = []
    for place, name in enumerate(vectors.names):
        values = [row[place] for row in vectors.rows if row[place] is not None]
        kind = number if all(isinstance(value, int | float) for value in values) else text
        if values and all(isinstance(value, bool) for value in values):
            kind = truth
        elif values and all(isinstance(value, int) for value in values):
            kind = whole
        elif values and isinstance(values[0], dt.datetime):
            kind = dates[0 if values[0].tzinfo is None else 1]
        elif values and isinstance(values[0], dt.time | dt.timedelta):
            kind = dates[2 if isinstance(values[0], dt.time) else 3]
        columns.append(f'"{name.replace(chr(34), chr(34) * 2)}" {kind}')
    marks = ", ".join("?" * (len(columns) + 1))
    return f"CREATE TABLE rows (id INTEGER, {', '.join(columns)})".replace(
        ", )", ")"
    ), f"INSERT INTO rows VALUES ({marks})"


def _iso(value: Any) -> Any:
    """A date or a time of day as text, for engines without such types; other values stay as they are."""
    return (
        value.isoformat(sep=" ")
        if isinstance(value, dt.datetime)
        else (value.isoformat() if isinstance(value, dt.time) else value)
    )


def _read_answers(answers: list[Any], vectors: Vectors) -> Answers:
    """The labels and shares in the rows that a query returned, in the order of their keys."""
    width = 1 + len(vectors.target_kind.output_names(str))
    if any(len(answer) != width for answer in answers):
        raise ExportError(
            f'The query gives {len(answers[0])} columns, not {width}: export it with table="rows", key="id".'
        )
    labels = [_class_of(answer[1], vectors) for answer in answers]
    return labels, [list(answer[2:]) for answer in answers] if vectors.has_classes else []


def _class_of(label: Any, vectors: Vectors) -> Any:
    """A label as the model writes it; engines without booleans answer 0 and 1."""
    if vectors.classes and all(isinstance(one, bool) for one in vectors.classes):
        return bool(label)
    return label


def run_sqlite(exported: Any, vectors: Vectors) -> Answers:
    """Run an exported query by SQLite, which comes with Python."""
    connection = sqlite3.connect(":memory:")
    try:
        texts = replace(vectors, rows=[[_iso(value) for value in row] for row in vectors.rows])
        create, insert = _table(texts, "REAL", "INTEGER", "TEXT", "INTEGER", ("TEXT",) * 4)
        connection.execute(create)
        connection.executemany(insert, [(number, *row) for number, row in enumerate(texts.rows)])
        return _read_answers(sorted(connection.execute(exported).fetchall()), texts)
    except sqlite3.Error as error:
        raise ExportError(f"SQLite refuses the export: {error}.") from error
    finally:
        connection.close()


@cache
def _duckdb() -> tuple[Any, Any]:
    """A database of DuckDB in memory, started once, since that takes longer than most queries; and its error."""
    try:
        import duckdb
    except ImportError as error:
        raise DependencyError("Running exports by DuckDB needs the package duckdb: pip install duckdb.") from error
    return duckdb.connect(config={"threads": 1}), duckdb.Error


def run_duckdb(exported: Any, vectors: Vectors) -> Answers:
    """Run an exported query by DuckDB, in a temporary table."""
    database, connection_error = _duckdb()
    connection = database.cursor()
    create, insert = _table(vectors, "DOUBLE", "BIGINT", "VARCHAR", "BOOLEAN", _DATES)
    head, _, marks = insert.partition("(")
    try:
        connection.execute(create.replace("CREATE TABLE", "CREATE TEMPORARY TABLE", 1))
        for start in range(0, len(vectors.rows), 100):  # each statement is planned, so many rows in one
            rows = [(start + place, *row) for place, row in enumerate(vectors.rows[start : start + 100])]
            connection.execute(head + ", ".join([f"({marks}"] * len(rows)), [cell for row in rows for cell in row])
        return _read_answers(sorted(connection.execute(exported).fetchall()), vectors)
    except connection_error as error:
        raise ExportError(f"DuckDB refuses the export: {error}.") from error
    finally:
        connection.close()


def run_postgres(exported: Any, vectors: Vectors) -> Answers:
    """Run an exported query by a PostgreSQL server, in a temporary table; PGHOST, PGPORT and so on say which."""
    try:
        import psycopg
    except ImportError as error:
        raise DependencyError(
            "Running exports by PostgreSQL needs the package psycopg: pip install psycopg."
        ) from error
    create, insert = _table(vectors, "DOUBLE PRECISION", "BIGINT", "TEXT", "BOOLEAN", _DATES)
    try:
        with psycopg.connect("") as connection, connection.cursor() as cursor:
            cursor.execute(create.replace("CREATE TABLE", "CREATE TEMPORARY TABLE", 1))
            cursor.executemany(insert.replace("?", "%s"), [(number, *row) for number, row in enumerate(vectors.rows)])
            answers = sorted(cursor.execute(exported).fetchall())
            connection.rollback()
    except psycopg.Error as error:
        raise ExportError(f"PostgreSQL refuses the export: {error}.") from error
    return _read_answers(answers, vectors)


def run_onnxruntime(exported: Any, vectors: Vectors) -> Answers:
    """Run an exported graph by onnxruntime."""
    try:
        import onnxruntime
    except ImportError as error:
        message = "Running exports to ONNX needs the package onnxruntime: pip install onnxruntime."
        raise DependencyError(message) from error
    session = onnxruntime.InferenceSession(exported, providers=["CPUExecutionProvider"])
    feed: dict[str, Any] = {}
    for one in session.get_inputs():
        cells = [_microseconds(row.get(one.name)) for row in _rows(vectors)]
        if "string" in one.type:  # a text that is no value is unknown
            feed[one.name] = np.array([[UNSEEN if cell is None else cell] for cell in cells], dtype=object)
        else:
            feed[one.name] = np.array([[math.nan if cell is None else float(cell)] for cell in cells])
    answers = session.run(None, feed)
    if not vectors.has_classes:
        return answers[0][:, 0].tolist(), []
    return [_class_of(label, vectors) for label in answers[0].tolist()], answers[1].tolist()


def run_treelite(exported: Any, vectors: Vectors) -> Answers:
    """Run an exported model by treelite's own engine; the model's list of columns gives the codes."""
    try:
        import treelite
    except ImportError as error:
        message = "Running exports to treelite needs the package treelite: pip install treelite."
        raise DependencyError(message) from error
    model = treelite.Model.deserialize_bytes(exported)
    columns = json.loads(str(model.get_header_accessor().get_field("attributes")))["quercus"]["columns"]
    cells = np.full((len(vectors.rows), len(columns)), math.nan)
    for place, column in enumerate(columns):
        codes = {value_key(value_from_json(value)): code for code, value in enumerate(column["values"])}
        unknown = {None, *(value_key(value_from_json(token)) for token in column["missing"])}
        for number, row in enumerate(_rows(vectors) if column["name"] in vectors.names else ()):
            value = row[column["name"]]
            if value_key(value) not in unknown:
                is_number = column["kind"] in ("numeric", "date")
                cells[number, place] = _microseconds(value) if is_number else codes.get(value_key(value), math.nan)
    shares = treelite.gtil.predict(model, cells).reshape(len(cells), -1)
    if not vectors.has_classes:
        return shares[:, 0].tolist(), []
    return [vectors.target_kind.label(code) for code in label_codes(shares).tolist()], shares.tolist()

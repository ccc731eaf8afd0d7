"""What exported programs read as a value: the same as the model, and no more."""

from __future__ import annotations

import datetime as dt
import json
import os
import shutil
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest
from export.databases import SOCKET

from quercus import C45Classifier, CARTClassifier
from quercus.errors import DataError, ExportError
from quercus.export import FORMATS, export

Y = ["a", "b", "a", "b"]


def names_of(model: Any) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(export(model, "python"), names)
    return names


def by_node(model: Any, values: str, tmp_path: Path) -> list[Any]:
    """The answers of exported JavaScript to some values, written in JavaScript; "error" where it refuses one."""
    if shutil.which("node") is None:
        pytest.skip("Node.js is not installed")
    export(model, "javascript", tmp_path / "model.mjs")
    call = f"""
    const {{ predict }} = await import({json.dumps(str(tmp_path / "model.mjs"))});
    const answers = {values}.map((x) => {{ try {{ return predict({{ x }}); }} catch (error) {{ return "error"; }} }});
    console.log(JSON.stringify(answers));
    """
    done = subprocess.run(["node", "--input-type=module", "-e", call], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: list[Any] = json.loads(done.stdout)
    return found


NUMBERS = CARTClassifier().fit({"x": [1.0, 2.0, 1.0, 2.0]}, Y)
TEXTS = CARTClassifier(kinds={"x": "numeric"}).fit({"x": ["1.0", "2.0", "1.0", "2.0"]}, Y)


@pytest.mark.parametrize("value", ["1", "x", "", "1_0", "nan", float("inf"), [1.0], dt.date(2024, 1, 1)])
def test_what_the_model_refuses_exported_python_refuses(value: Any) -> None:
    with pytest.raises((DataError, TypeError)):
        NUMBERS.predict({"x": [value]})
    with pytest.raises(ValueError, match="'x' is"):
        names_of(NUMBERS)["predict"]({"x": value})


@pytest.mark.parametrize("value", ["1", " 2.5 ", "1e0", 2])
def test_texts_of_numbers_are_read_where_the_model_was_fitted_to_them(value: Any) -> None:
    assert names_of(TEXTS)["predict"]({"x": value}) == TEXTS.predict({"x": [value]})[0]
    for wrong in ("1_0", "nan", "one"):
        with pytest.raises(DataError):
            TEXTS.predict({"x": [wrong]})
        with pytest.raises(ValueError, match=f"'x' is '{wrong}', which is no number"):
            names_of(TEXTS)["predict"]({"x": wrong})


def test_exported_javascript_reads_what_the_model_reads(tmp_path: Path) -> None:
    values = '[1, 2, true, "1", "", "x", [], {}, new Date(0), Infinity, NaN, null]'
    assert by_node(NUMBERS, values, tmp_path)[:3] == ["a", "b", "a"]
    assert by_node(NUMBERS, values, tmp_path)[3:10] == ["error"] * 7


def test_exported_javascript_reads_texts_where_the_model_was_fitted_to_them(tmp_path: Path) -> None:
    assert by_node(TEXTS, '["1", " 2.5 ", "1e0", 2, "0x1", "1_0", "nan", ""]', tmp_path) == [
        *("a", "b", "a", "b"),
        *["error"] * 4,
    ]


@pytest.mark.parametrize(
    "low, high, wrong",
    [
        (dt.time(1), dt.time(2), dt.timedelta(hours=1)),
        (dt.timedelta(1), dt.timedelta(2), dt.time(1)),
        (dt.date(2024, 1, 1), dt.date(2024, 1, 2), dt.time(1)),
        (dt.datetime(2024, 1, 1, tzinfo=dt.UTC), dt.datetime(2024, 1, 2, tzinfo=dt.UTC), dt.datetime(2024, 1, 1)),
    ],
)
def test_times_durations_and_dates_are_told_apart(low: Any, high: Any, wrong: Any) -> None:
    model = CARTClassifier().fit({"x": [low, high, low, high]}, Y)
    predict = names_of(model)["predict"]
    assert [predict({"x": value}) for value in (low, high)] == ["a", "b"]
    for value in (wrong, 3.0, "soon"):
        with pytest.raises(DataError):
            model.predict({"x": [value]})
        with pytest.raises(ValueError, match=r"'x' is .*; allowed are"):
            predict({"x": value})


def test_half_a_character_is_refused_by_every_format() -> None:
    half = "\ud800"
    models = [
        CARTClassifier().fit({half: [1.0, 2.0]}, ["a", "b"]),
        CARTClassifier().fit({"x": [half, "b"]}, ["a", "b"]),
        CARTClassifier().fit({"x": [1.0, 2.0]}, ["a", half]),
    ]
    for model in models:
        for form in FORMATS:
            with pytest.raises(ExportError, match="half a character"):
                export(model, form)


TRUTHS = {"b": [True, False] * 10}
SPELLINGS = ["true", "false", "TRUE", " False ", "\u00a0true\t", True, False, 1, 0, 1.0, -0.0, None]


def by_sqlite(model: Any, kind: str, values: list[Any]) -> list[Any]:
    """The answers of an exported query to some values of a column "b" that was declared with a type."""
    base = sqlite3.connect(":memory:")
    base.execute(f"CREATE TABLE rows (id INTEGER, b {kind})")
    base.executemany("INSERT INTO rows VALUES (?, ?)", list(enumerate(values)))
    answers = sorted(base.execute(export(model, "sql", dialect="sqlite", key="id")).fetchall())
    base.close()
    return [tuple(answer[1:]) for answer in answers]


@pytest.mark.parametrize("kind", ["TEXT", "TEXT COLLATE NOCASE", "", "INTEGER", "BOOLEAN", "REAL"])
@pytest.mark.parametrize("missing", ["most_common", "fractional"])
def test_sqlite_reads_the_truth_values_that_the_model_reads(kind: str, missing: str) -> None:
    learner = CARTClassifier if missing == "most_common" else C45Classifier
    labels = ["yes", "no"] * 9 + ["yes"] * 2
    model = learner(missing=missing).fit(TRUTHS, labels)
    spellings = [one for one in SPELLINGS if "TEXT" not in kind or not isinstance(one, float)]
    shares = [model.predict_proba({"b": [one]})[0].tolist() for one in spellings]
    expected = [(model.predict({"b": [one]})[0], *row) for one, row in zip(spellings, shares, strict=True)]
    assert len(set(expected)) > 1 and by_sqlite(model, kind, spellings) == expected
    unknown = by_sqlite(model, kind, [None])
    assert by_sqlite(model, kind, ["yes", "", "2", "truee", b"true"]) == unknown * 5, "other values are unknown"
    assert by_sqlite(model, kind, ["1", "0"]) == by_sqlite(model, kind, [True, False]), (
        "as a column of texts keeps them"
    )


@pytest.mark.parametrize("kind", ["TEXT", "TEXT COLLATE NOCASE", "", "INTEGER"])
def test_sqlite_takes_a_spelling_that_means_missing_for_unknown(kind: str) -> None:
    model = CARTClassifier(missing="most_common", missing_tokens=["false"]).fit(TRUTHS, ["yes", "no"] * 9 + ["yes"] * 2)
    spellings = ["false", "False", "true", False, True]
    assert [answer[0] for answer in by_sqlite(model, kind, spellings)] == [
        model.predict({"b": [one]})[0] for one in spellings
    ]


@pytest.mark.parametrize("kind", ["TEXT", "BOOLEAN", "INT"])
@pytest.mark.usefixtures("mariadb")
def test_mysql_reads_the_truth_values_that_the_model_reads(kind: str) -> None:
    pymysql = pytest.importorskip("pymysql", reason="pymysql is not installed")
    model = CARTClassifier(missing="most_common").fit(TRUTHS, ["yes", "no"] * 9 + ["yes"] * 2)
    values = [True, False, None] if kind != "TEXT" else ["true", "FALSE", " True ", "1", "0", "other", None]
    meant = [True, False, None] if kind != "TEXT" else [True, False, True, True, False, None, None]
    connection = pymysql.connect(unix_socket=os.environ[SOCKET], user="root", database="test", charset="utf8mb4")
    with connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE OR REPLACE TEMPORARY TABLE `rows` (id INT, b {kind})")
        cursor.executemany("INSERT INTO `rows` VALUES (%s, %s)", list(enumerate(values)))
        cursor.execute(export(model, "sql", dialect="mysql", key="id"))
        answers = [answer[1] for answer in sorted(cursor.fetchall())]
    assert answers == model.predict({"b": meant}).tolist()

"""Deep, wide and large models leave the house, and what a format cannot say is refused with the way out."""

from __future__ import annotations

import ctypes
import datetime as dt
import shutil
import sqlite3
import subprocess
from typing import Any

import numpy as np
import pytest

from quercus import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier, RandomForestClassifier
from quercus.errors import ExportError, ParameterError
from quercus.export import DIALECTS, FORMATS, export, program_of, to_sql, vectors_of, verify


def exact(model: Any, *engines: str) -> None:
    vectors = vectors_of(model, drawn=50, most=300)
    for engine in engines:
        options = {"dialect": engine, "key": "id"} if engine in DIALECTS else {}
        result = verify(export(model, "sql" if options else engine, **options), vectors, engine)
        assert result.is_exact, str(result)


def test_a_large_tree_is_written() -> None:
    chance = np.random.default_rng(0)
    model = CARTClassifier().fit(chance.normal(size=(12_000, 5)), chance.integers(0, 2, 12_000))
    assert model.tree_.n_nodes > 5_000
    for form in FORMATS:
        options: dict[str, Any] = {"tikz": {"max_depth": 4}, "excel": {"cases": 3}}.get(form, {})
        assert len(export(model, form, **options)) > 10_000


def test_a_query_with_surrogates_grows_with_the_nodes_not_with_the_paths() -> None:
    chance = np.random.default_rng(0)
    X = chance.normal(size=(600, 1)) + chance.normal(size=(600, 5)) / 4
    X[chance.random(X.shape) < 0.1] = np.nan
    model = CARTRegressor(missing="surrogate", max_depth=6).fit(X, np.sin(3 * np.nan_to_num(X[:, 0])))
    assert len(model.tree_.surrogate_kind) > model.tree_.n_nodes > 50
    assert len(to_sql(model)) < 500 * model.tree_.n_nodes
    exact(model, "sqlite")


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_every_dialect_is_read_by_its_own_parser(dialect: str) -> None:
    sqlglot = pytest.importorskip("sqlglot")
    columns = {'a"b; DROP': [1.0, 2.0, None, 4.0], "it's `x`]": ["x'y", 'a"b', "\\", None]}
    for model in (CARTClassifier(), RandomForestClassifier(3, random_state=0)):
        query = to_sql(model.fit(columns, ["n'", "y\\", "y\\", "n'"]), dialect=dialect, table="s.t", key="id", view="v")
        parsed = sqlglot.parse(query, read=DIALECTS[dialect])
        assert len(parsed) == 1, "one statement: no name ends it"


def test_names_and_values_stay_inside_their_quotes() -> None:
    bad = "x'); DROP TABLE rows; --"
    model = ID3Classifier().fit({bad: [bad, "b", bad, "b"]}, ["y", "n", "y", "n"])
    exact(model, "python", "sqlite")


DURATIONS = {"long": [dt.timedelta(days=day) for day in range(1, 21)]}


def test_a_duration_is_refused_by_sqlite_with_the_way_out() -> None:
    model = CARTClassifier().fit(DURATIONS, [day > 9 for day in range(1, 21)])
    with pytest.raises(ExportError, match=r"'long' holds durations.*Turn it into numbers"):
        to_sql(model, dialect="sqlite")
    assert "INTERVAL" in to_sql(model, dialect="postgres")
    exact(model, "python")


def test_values_of_several_types_are_refused_by_sql() -> None:
    model = ID3Classifier(kinds={"c": "nominal"}).fit({"c": [1, "1", 1, "1"]}, ["a", "b", "a", "b"])
    with pytest.raises(ExportError, match="values of several types"):
        to_sql(model)
    exact(model, "python")


def test_wrong_words_are_refused() -> None:
    model = ID3Classifier().fit({"c": ["a", "b"]}, ["x", "y"])
    with pytest.raises(ParameterError, match="format"):
        export(model, "sqll")
    with pytest.raises(ExportError, match="dialect"):
        export(model, "sql", dialect="db2")
    with pytest.raises(ParameterError, match="no option 'dialect'; it takes none"):
        export(model, "python", dialect="sqlite")
    with pytest.raises(ExportError, match="must be a name of C"):
        export(model, "c", prefix="a b")
    with pytest.raises(ParameterError, match="no model of Quercus"):
        program_of("a tree")


def test_infinite_numbers_and_absent_columns_are_refused_by_exported_python() -> None:
    model = CARTClassifier().fit({"x": [1.0, 2.0], "z": [0.0, 0.0]}, ["a", "b"])
    names: dict[str, Any] = {}
    exec(export(model, "python"), names)
    assert names["predict"]({"x": None}) in ("a", "b")  # z is never asked
    with pytest.raises(ValueError, match="'x' is infinite"):
        names["predict"]({"x": float("inf")})
    with pytest.raises(KeyError, match="no 'x'; give None"):
        names["predict"]({})


def test_a_file_is_written_whole(tmp_path: Any) -> None:
    model = ID3Classifier().fit({"c": ["a", "b"]}, ["x", "y"])
    text = model.export("python", tmp_path / "model.py")
    assert (tmp_path / "model.py").read_text() == text
    assert model.model_.export("python") == text


def test_texts_are_compared_case_by_case_whatever_the_collation() -> None:
    model = ID3Classifier().fit({"s": ["u", "U", "z"]}, ["1", "2", "3"])
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE rows (id INTEGER, s TEXT COLLATE NOCASE)")
    base.executemany("INSERT INTO rows VALUES (?, ?)", [(0, "u"), (1, "U"), (2, "z")])
    assert [line[1] for line in base.execute(to_sql(model, key="id"))] == ["1", "2", "3"]


@pytest.mark.parametrize(
    "options, words",
    [
        ({"table": None}, "table is None"),
        ({"table": ""}, "table is ''"),
        ({"view": ""}, "view is ''"),
        ({"key": "label"}, "The key is called 'label'"),
        ({"key": "p_x"}, "The key is called 'p_x'"),
    ],
)
def test_names_that_a_query_cannot_use_are_refused(options: dict[str, Any], words: str) -> None:
    model = ID3Classifier().fit({"c": ["a", "b"]}, ["x", "y"])
    with pytest.raises(ExportError, match=words):
        to_sql(model, **options)


def test_classes_of_several_types_are_refused_by_sql() -> None:
    model = CARTClassifier().fit({"a": [1.0, 2.0, 3.0, 4.0]}, [1, "1", 2, "x"])
    with pytest.raises(ExportError, match="classes are of several types"):
        to_sql(model, dialect="duckdb")


@pytest.mark.parametrize("name", ["label", "probabilities", "value"])
def test_a_column_that_is_called_like_an_output_is_refused_by_onnx(name: str) -> None:
    pytest.importorskip("onnx")
    models = [
        CARTClassifier().fit({name: [1.0, 2.0]}, ["a", "b"]),
        CARTRegressor(min_samples_leaf=1).fit({name: [1.0, 2.0]}, [1.0, 2.0]),
    ]
    refused, said = models if name != "value" else reversed(models)
    with pytest.raises(ExportError, match=f"called '{name}'"):
        export(refused, "onnx")
    assert export(said, "onnx"), "the other kind of model has no such output"


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_columns_that_differ_by_case_are_refused_where_they_are_the_same(dialect: str) -> None:
    model = ID3Classifier().fit({"a": ["u", "u", "v", "v"], "A": ["u", "v", "u", "v"]}, ["x", "y", "y", "y"])
    if dialect in ("postgres", "snowflake", "oracle"):
        assert to_sql(model, dialect=dialect)
    else:
        with pytest.raises(ExportError, match=r"'a' and 'A'|'A' and 'a'"):
            to_sql(model, dialect=dialect)


@pytest.mark.parametrize("name", ["x" * 65, "x ", "🌳"])
def test_a_column_that_no_table_of_mysql_has_is_refused(name: str) -> None:
    model = ID3Classifier().fit({name: ["a", "b"]}, ["x", "y"])
    with pytest.raises(ExportError, match=r"No table of MySQL.*Rename the column"):
        to_sql(model, dialect="mysql")
    assert to_sql(model, dialect="postgres")


@pytest.mark.parametrize("name, value, label", [("${a}", "a", "x"), ("n", "${a}", "x"), ("n", "a", "${x}")])
def test_what_spark_takes_for_a_variable_is_refused(name: str, value: str, label: str) -> None:
    model = ID3Classifier().fit({name: ["b", "b", value, "c"]}, ["y", "y", label, "z"])
    with pytest.raises(ExportError, match=r"takes for a variable\. Rename it"):
        to_sql(model, dialect="spark")
    assert to_sql(model, dialect="duckdb")


def test_a_query_over_another_table_is_not_verified() -> None:
    model = ID3Classifier().fit({"c": ["a", "b"]}, ["x", "y"])
    with pytest.raises(ExportError, match=r"table=.rows., key=.id."):
        verify(to_sql(model), vectors_of(model), "sqlite")
    other = ID3Classifier().fit({"d": ["a", "b"]}, ["x", "y"])
    with pytest.raises(ExportError, match="does not answer these rows"):
        verify(export(other, "python"), vectors_of(model), "python")


def test_exported_c_reads_truth_values_and_marks_what_it_cannot_read(tmp_path: Any) -> None:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler is installed")
    model = CARTClassifier().fit({"b": [True, False] * 4, "x": [1.0, 1.0, 2.0, 2.0] * 2}, ["p", "q", "r", "s"] * 2)
    (tmp_path / "m.c").write_text(str(export(model, "c")))
    library = str(tmp_path / "m.so")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, str(tmp_path / "m.c"), "-lm"], check=True)
    encode, cell = ctypes.CDLL(library).model_encode, ctypes.c_double()

    def read(place: int, text: bytes) -> tuple[int, float]:
        return encode(place, text, ctypes.byref(cell)), cell.value

    assert [read(0, text) for text in (b"true", b"True", b"1")] == [(0, 1.0)] * 3
    assert [read(0, text) for text in (b"false", b"False", b"0")] == [(0, 0.0)] * 3
    for place, text in ((0, b"yes"), (1, b"2021-01-01")):
        failed, value = read(place, text)
        assert failed == 1 and value != value


@pytest.mark.parametrize("form", ["pmml", "treelite"])
def test_a_refusal_names_no_format_that_refuses_the_model_too(form: str) -> None:
    """A root of 3,000 values that spreads unknown values is too wide for SQL as well."""
    values = [f"v{number}" for number in range(3_000)]
    model = C45Classifier(min_objects=1, prune=False).fit({"c": values * 2}, ["a", "b", "b"] * 2_000)
    with pytest.raises(ExportError, match="more than a query can hold"):
        export(model, "sql")
    with pytest.raises(ExportError) as refusal:
        export(model, form)
    said = str(refusal.value)
    assert "SQL" not in said and '"python" can express every model' in said and "quercus export --list" in said
    assert export(model, "python")

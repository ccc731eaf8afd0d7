"""Every model of the library comes back from its file as it was saved."""

from __future__ import annotations

import datetime as dt
import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import quercus
from models.cases import (
    CLASSIFIERS,
    COLLECTIONS,
    FOREST_REGRESSORS,
    REGRESSORS,
    assert_same,
    fitted_models,
    mixed_table,
    through_file,
)
from quercus import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier, PARTClassifier, RIPPERClassifier
from quercus.datasets import load_play_tennis
from quercus.errors import QuercusError
from quercus.fitted.algorithms import ALGORITHMS
from quercus.fitted.model import Model, model_of
from quercus.models import read_model, schema
from quercus.tree.forest import Forest
from quercus.tree.packing import is_packed

MODELS = fitted_models()
VALIDATOR = Draft202012Validator(schema())


@pytest.mark.parametrize("arrays", ["inline", "beside"])
@pytest.mark.parametrize("name", MODELS)
def test_every_model_comes_back_as_it_was(name: str, arrays: Any, tmp_path: Path) -> None:
    model, X = MODELS[name]
    assert_same(model, through_file(model, tmp_path, arrays=arrays), X)
    VALIDATOR.validate(json.loads((tmp_path / "model.json").read_text(encoding="ascii")))


def test_every_estimator_is_tried_and_can_be_saved() -> None:
    tried = {model.name if isinstance(model, Model) else type(model).__name__ for model, _ in MODELS.values()}
    assert set(quercus.estimators.__all__) <= tried  # type: ignore[attr-defined]
    assert {name for name, row in ALGORITHMS.items() if row.parts} == tried
    assert len(MODELS) == len(CLASSIFIERS) + len(REGRESSORS) + len(COLLECTIONS) + len(FOREST_REGRESSORS) + 4


def test_unseen_rows_get_the_same_answers(tmp_path: Path) -> None:
    X, _ = mixed_table(300, seed=7)
    for model, _ in MODELS.values():
        if hasattr(model, "predict") and hasattr(model, "schema_"):
            loaded = through_file(model, tmp_path)
            assert list(model.predict(X)) == list(loaded.predict(X))


# --- tables of every kind -----------------------------------------------------------------------------------------

TEXT = st.text(max_size=5) | st.sampled_from(["", "?", "nan", "<b>", "\ud800", "null", "1"])
NUMBERS = st.floats(allow_infinity=False) | st.integers(-(2**53), 2**53) | st.sampled_from([1e308, -1e308, 5e-324, 0.1])
CELLS: dict[str, st.SearchStrategy[Any]] = {
    "number": NUMBERS,
    "text": TEXT,
    "boolean": st.booleans(),
    "mixed": st.one_of(TEXT, st.integers(-3, 3), st.booleans(), st.floats(-1, 1)),
    "date": st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1)),
    "datetime": st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1)),
    "duration": st.timedeltas(dt.timedelta(-1000), dt.timedelta(1000)),
    "time": st.times(),
    "bytes": st.binary(max_size=3),
}
LABELS: list[st.SearchStrategy[Any]] = [
    TEXT,
    st.integers(-3, 3),
    st.integers(2**62, 2**63),
    st.booleans(),
    st.sampled_from([0.0, 1.0, -2.0, 1e300]),
    st.sampled_from([1, "1", True]),
    st.dates(dt.date(2024, 1, 1), dt.date(2024, 1, 3)),
]
ESTIMATORS: list[Any] = [
    lambda: ID3Classifier(form="threshold"),
    lambda: C45Classifier(value_groups=True),
    lambda: C45Classifier(preset="j48", missing="own_value", min_objects=1),
    lambda: CARTClassifier(missing="surrogate"),
    lambda: CARTClassifier(prune=True, folds=2),
    lambda: PARTClassifier(min_objects=1),
    lambda: RIPPERClassifier(min_objects=1),
    lambda: quercus.C45RulesClassifier(min_objects=1),
    lambda: quercus.RandomForestClassifier(3, oob_score=True),
    lambda: quercus.BaggingClassifier(C45Classifier(min_objects=1), 2),
    lambda: quercus.BoostedClassifier(n_estimators=3),
]


@st.composite
def tables(draw: st.DrawFn) -> tuple[dict[str, list[Any]], list[Any]]:
    n_rows = draw(st.integers(2, 12))
    names = draw(st.lists(TEXT, min_size=1, max_size=4, unique=True))
    table = {}
    for name in names:
        cells = CELLS[draw(st.sampled_from(sorted(CELLS)))]
        known = draw(st.lists(cells, min_size=n_rows, max_size=n_rows))
        unknown = draw(st.lists(st.booleans(), min_size=n_rows, max_size=n_rows))
        table[name] = [None if gone and i else cell for i, (cell, gone) in enumerate(zip(known, unknown, strict=True))]
    labels = draw(st.sampled_from(LABELS))
    return table, draw(st.lists(labels, min_size=n_rows, max_size=n_rows))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.* rows were drawn for every member")
@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(tables(), st.sampled_from(ESTIMATORS), st.sampled_from(["inline", "beside"]))
def test_any_table_any_model(tmp_path_factory: Any, data: Any, make: Any, arrays: Any) -> None:
    X, y = data
    try:
        model = make().fit(X, y)
    except QuercusError:
        return  # a table that cannot be learned from
    folder = tmp_path_factory.mktemp("any")
    assert_same(model, through_file(model, folder, arrays=arrays), X)
    VALIDATOR.validate(json.loads((folder / "model.json").read_text(encoding="ascii")))


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(tables(), st.data())
def test_any_table_regression(tmp_path_factory: Any, data: Any, draw: Any) -> None:
    X, y = data
    numbers = draw.draw(st.lists(st.floats(-1e150, 1e150), min_size=len(y), max_size=len(y)))
    try:
        model = CARTRegressor().fit(X, numbers)
    except QuercusError:
        return
    assert_same(model, through_file(model, tmp_path_factory.mktemp("any")), X)


# --- parameters ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "parameters",
    [
        {"kinds": {"Wind": "ordered"}, "domains": {"Wind": ["Weak", "Strong", "Storm"]}},
        {"domains": {"Outlook": np.array(["Overcast", "Rain", "Sunny", "Fog"])}},
        {"domains": {"Outlook": pd.Index(["Overcast", "Rain", "Sunny"]), "Wind": {"Weak", "Strong"}}},
        {"domains": {"Outlook": pd.Categorical(["Overcast", "Rain", "Sunny"])}},
        {"missing_tokens": ["?", "", 7, 1.5, True, dt.date(2024, 5, 1), b"\x00", float("nan")]},
        {"missing_tokens": {"Wind": "?"}, "attribute_costs": {"Wind": np.float32(0.1)}, "selection": "nunez"},
        {"attribute_costs": np.array([1.0, 2.0, 3.0, 4.0])},
        {"cost_matrix": {("No", "Yes"): np.int64(4)}},
        {"cost_matrix": pd.DataFrame([[0, 2], [1, 0]])},
        {"class_weight": {"No": 2, "Yes": 1 / 3}},
        {"priors": np.array([0.25, 0.75], dtype=np.float32)},
        {"max_depth": np.int64(2), "confidence": np.float64(0.1)},
        {"random_state": np.random.RandomState(5)},
        {"smoothing": ["m", 3]},
        {"progress": print},
    ],
    ids=lambda parameters: " ".join(parameters),
)
def test_parameters_come_back(parameters: dict[str, Any], tmp_path: Path) -> None:
    X, y = load_play_tennis()
    model = C45Classifier(**parameters).fit(X, y)
    loaded = through_file(model, tmp_path)
    assert loaded.progress is None
    assert list(loaded.predict(X)) == list(model.predict(X))
    again = loaded.set_params(progress=None).fit(X, y)
    assert again.tree_ == model.tree_


@pytest.mark.parametrize(
    "labels",
    [
        np.array([0, 1] * 7, dtype=np.int8),
        np.array([0, 1] * 7, dtype=np.uint64) + np.uint64(2**63),
        np.array([0.0, 2.0] * 7, dtype=np.float32),
        np.array([True, False] * 7),
        np.array(["é", "漢"] * 7),
        np.array([b"a", b"b"] * 7),
        ["a\x00", "b"] * 7,
        [10**30, -(10**30)] * 7,
        pd.Categorical(["b", "a"] * 7, ["b", "c", "a"]),
        pd.Series(pd.to_datetime(["2024-05-01 10:00", "2024-05-02 00:00"] * 7), name="when"),
        pd.Series(["x", "y"] * 7, name=""),
    ],
    ids=range(11),
)
def test_class_labels_keep_their_type(labels: Any, tmp_path: Path) -> None:
    X, _ = load_play_tennis()
    for make in (C45Classifier, CARTClassifier, RIPPERClassifier):
        model = make().fit(X, labels)
        assert_same(model, through_file(model, tmp_path), X)


def named(X: Any) -> pd.DataFrame:
    return pd.DataFrame(X, columns=list("abc"))


@pytest.mark.parametrize("container", [np.asarray, lambda X: X.tolist(), pd.DataFrame, named])
def test_tables_with_and_without_names(container: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    X, y = container(rng.normal(size=(40, 3))), rng.integers(0, 3, 40)
    model = CARTClassifier().fit(X, y)
    assert_same(model, through_file(model, tmp_path), X)


@pytest.mark.filterwarnings("ignore:.* rows were drawn for every member")
def test_a_loaded_forest_goes_on_growing(tmp_path: Path) -> None:
    X, y = mixed_table()
    half = quercus.RandomForestClassifier(3, warm_start=True, oob_score=True).fit(X, y)
    whole = through_file(half, tmp_path).set_params(n_estimators=6).fit(X, y)
    assert whole.forest_ == quercus.RandomForestClassifier(6).fit(X, y).forest_
    some = quercus.BoostedClassifier(n_estimators=3, warm_start=True).fit(X, y)
    all_trees = through_file(some, tmp_path).set_params(n_estimators=6).fit(X, y)
    assert all_trees.forest_ == quercus.BoostedClassifier(n_estimators=6).fit(X, y).forest_


@pytest.mark.filterwarnings("ignore:.* rows were drawn for every member")
def test_a_forest_of_packed_and_other_trees_comes_back_in_its_order(tmp_path: Path) -> None:
    model, X = MODELS["forest"]
    mixed = quercus.RandomForestClassifier(**model.get_params()).fit(*mixed_table())
    forest = mixed.forest_
    more = Forest.from_trees([forest.tree(1)]).extended(forest).extended(Forest.from_trees([forest.tree(0)]))
    mixed = replace(mixed.model_, forest=more).as_estimator()
    assert [is_packed(arrays) for arrays in mixed.forest_.stored] == [False, True, True, True, True, False]
    assert_same(mixed, through_file(mixed, tmp_path), X)


def test_a_large_forest_goes_beside_its_json(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 4)), rng.integers(0, 2, 3000)
    model = quercus.RandomForestClassifier(150).fit(X, y)
    assert_same(model, through_file(model, tmp_path), X[:50])
    beside, file = sorted(path for path in tmp_path.iterdir() if path.is_file())
    assert file.name == "model.json" and file.stat().st_size < 10_000
    assert beside.suffix == ".safetensors" and beside.stat().st_size < 1.1 * model.forest_.nbytes


def test_a_loaded_model_prunes_by_new_rows(tmp_path: Path) -> None:
    X, y = mixed_table(200, seed=3)
    model = C45Classifier(prune=False, class_weight="balanced").fit(*mixed_table())
    loaded = through_file(model, tmp_path)
    for method in ("reduced_error", "error_based", "minimum_error", "mdl"):
        assert model.prune_with(method, X, y).tree_ == loaded.prune_with(method, X, y).tree_
    table = loaded.prune_with("cost_complexity", *mixed_table()).alpha_table_
    assert str(table) == str(model.prune_with("cost_complexity", *mixed_table()).alpha_table_)


def test_manual_pruning_comes_back(tmp_path: Path) -> None:
    model = MODELS["cart"][0]
    for method, options in (
        ("keep_leaves", {"n_leaves": 4}),
        ("keep_leaves", {"n_leaves": 4, "order": "alpha"}),
        ("snip", {"nodes": [1]}),
    ):
        pruned = model.prune_with(method, **options)
        assert_same(pruned, through_file(pruned, tmp_path), MODELS["cart"][1])


# --- the file -----------------------------------------------------------------------------------------------------


def test_provenance_and_evidence_come_back(tmp_path: Path) -> None:
    evidence = {"curves": {"size": {"columns": {"leaves": np.arange(3), "error": (0.5, np.nan, np.inf)}}}, "né": None}
    quercus.save(MODELS["c45"][0], tmp_path / "m.json", provenance={"created": dt.date(2024, 5, 1)}, evidence=evidence)
    file = read_model(tmp_path / "m.json")
    columns = {"leaves": [0, 1, 2], "error": [0.5, None, "inf"]}
    assert file.evidence == {"curves": {"size": {"columns": columns}}, "né": None}
    assert file.provenance == {"created": "2024-05-01"}
    assert file.version == 1 and file.written_by == {"quercus": quercus.__version__}


@pytest.mark.parametrize(
    ("evidence", "message"),
    [
        ({1: 2}, "evidence has the name 1"),
        ({"a": {"b": [object()]}}, r"evidence\['a'\]\['b'\]\[0\] is <object"),
        ({"f": print}, "JSON cannot hold"),
    ],
)
def test_evidence_that_json_cannot_hold_is_refused(evidence: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(QuercusError, match=message):
        quercus.save(MODELS["c45"][0], tmp_path / "m.json", evidence=evidence)
    assert not list(tmp_path.iterdir())


def test_a_name_that_ends_in_gz_is_compressed(tmp_path: Path) -> None:
    model, X = MODELS["c45"]
    for arrays in ("inline", "beside"):
        assert_same(model, through_file(model, tmp_path, name="m.json.gz", arrays=arrays), X)
        assert gzip.decompress((tmp_path / "m.json.gz").read_bytes()).startswith(b'{\n"format": "quercus model"')
    assert len(list(tmp_path.glob("m-*.safetensors"))) == 1


def test_the_same_model_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.json", "b.json", "a.json.gz", "b.json.gz"):
        quercus.save(C45Classifier().fit(*mixed_table()), tmp_path / name)
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert (tmp_path / "a.json.gz").read_bytes() == (tmp_path / "b.json.gz").read_bytes()


def test_another_layout_of_the_json_is_the_same_model(tmp_path: Path) -> None:
    model, X = MODELS["cart cross-validated"]
    file = tmp_path / "m.json"
    quercus.save(model, file)
    document = json.loads(file.read_text())
    file.write_text("\ufeff" + json.dumps(dict(reversed(document.items())), indent=3, ensure_ascii=False), "utf-8")
    assert_same(model, quercus.load(file), X)


@pytest.mark.parametrize("part", ["tree_", "rules_"])
def test_a_model_without_an_estimator_is_loaded_as_a_model(part: str, tmp_path: Path) -> None:
    X, y = load_play_tennis()
    fitted = C45Classifier() if part == "tree_" else PARTClassifier()
    value = getattr(fitted.fit(X, y), part)
    model = model_of(value)
    loaded = through_file(model, tmp_path)
    assert isinstance(loaded, Model) and loaded.name == model.name
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    VALIDATOR.validate(json.loads((tmp_path / "model.json").read_text(encoding="ascii")))
    assert type(through_file(value, tmp_path)) is type(value)
    assert "is_model" not in json.loads((tmp_path / "model.json").read_text(encoding="ascii"))["model"]
    assert isinstance(through_file(loaded, tmp_path), Model)

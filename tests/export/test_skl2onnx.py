"""Pipelines that end in an estimator of Quercus are converted by skl2onnx, and answer as before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import quercus as q
from quercus.errors import ExportError
from quercus.export import register_skl2onnx
from quercus.fitted.algorithms import ALGORITHMS

skl2onnx = pytest.importorskip("skl2onnx", reason="skl2onnx is not installed")
onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
types = pytest.importorskip("skl2onnx.common.data_types")

TRIED: dict[str, dict[str, Any]] = {
    "RandomForestClassifier": {"n_estimators": 9, "random_state": 0},
    "RandomForestRegressor": {"n_estimators": 9, "random_state": 0},
    "BaggingClassifier": {"estimator": q.C45Classifier(), "n_estimators": 3, "random_state": 0},
    "BaggingRegressor": {"estimator": q.CARTRegressor(), "n_estimators": 3, "random_state": 0},
    "BoostedClassifier": {"n_estimators": 3},
    "RIPPERClassifier": {"random_state": 0},
}


@pytest.fixture(autouse=True)
def registered() -> None:
    register_skl2onnx()


def table(seed: int = 0) -> tuple[Any, Any]:
    chance = np.random.default_rng(seed)
    X = np.round(chance.normal(size=(150, 4)), 2)
    y = np.array(["a", "b", "c"])[(X[:, 0] > 0).astype(int) + (X[:, 1] + X[:, 2] > 1)]
    X[chance.random(X.shape) < 0.1] = np.nan
    return X, y


def run(graph: Any, columns: dict[str, Any]) -> list[Any]:
    session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    answers: list[Any] = session.run(None, columns)
    return answers


def converted(model: Any, kind: Any, width: int = 4, **options: Any) -> Any:
    chosen = {"zipmap": False} if hasattr(model, "predict_proba") else None
    return skl2onnx.convert_sklearn(model, initial_types=[("X", kind([None, width]))], options=chosen, **options)


@pytest.mark.parametrize("name", [row.name for row in ALGORITHMS.values() if row.module])
def test_every_estimator_answers_alike_in_a_pipeline(name: str) -> None:
    X, y = table()
    model, numbers = getattr(q, name)(**TRIED.get(name, {})), ALGORITHMS[name].numbers
    target = np.nan_to_num(X[:, 0]) if numbers else y
    pipeline = Pipeline([("scale", StandardScaler()), ("tree", model)]).fit(X, target)
    answers = run(converted(pipeline, types.DoubleTensorType), {"X": X})
    if numbers:
        assert np.array_equal(answers[0][:, 0], pipeline.predict(X))
        return
    assert np.array_equal(answers[0], pipeline.predict(X))
    assert np.array_equal(answers[1], pipeline.predict_proba(X)) and answers[1].dtype == np.float64


@pytest.mark.parametrize("model", [q.CARTClassifier(), q.C45Classifier(), q.RandomForestClassifier(5, random_state=0)])
def test_rows_of_float32_are_the_numbers_that_they_are(model: Any) -> None:
    low = np.float32(0.1)
    X = np.array([[low], [np.nextafter(low, np.float32(1))]] * 10, dtype=np.float32)
    model.fit(X, ["low", "high"] * 10)
    for one in (X, np.linspace(0, 0.2, 1001, dtype=np.float32)[:, None]):
        labels, shares = run(converted(model, types.FloatTensorType, 1), {"X": one})
        assert np.array_equal(labels, model.predict(one)) and shares.dtype == np.float32
        assert np.array_equal(shares, model.predict_proba(one).astype(np.float32))


def test_texts_and_booleans_as_inputs_of_their_own() -> None:
    chance = np.random.default_rng(1)
    columns = {
        "c": np.array(["u", "v", "w"], dtype=object)[chance.integers(0, 3, 60)],
        "n": chance.normal(size=60),
        "b": chance.random(60) < 0.5,
    }
    y = (columns["c"] == "u") ^ columns["b"]
    kinds = [("c", types.StringTensorType), ("n", types.DoubleTensorType), ("b", types.BooleanTensorType)]
    for model in (q.CARTClassifier(), q.C45Classifier(prune=False), q.PARTClassifier()):
        model.fit(columns, y)
        inputs = [(name, kind([None, 1])) for name, kind in kinds]
        graph = skl2onnx.convert_sklearn(model, initial_types=inputs, options={"zipmap": False})
        rows = columns | {"c": np.where(np.arange(60) % 7 == 0, "never seen", columns["c"])}
        labels, shares = run(graph, {name: np.asarray(cells)[:, None] for name, cells in rows.items()})
        assert np.array_equal(shares, model.predict_proba(rows)) and np.array_equal(
            labels.astype(bool), model.predict(rows)
        )


def test_encoded_columns_before_a_forest() -> None:
    pandas = pytest.importorskip("pandas")
    X, y = table(2)
    frame = pandas.DataFrame({"c": np.array(["u", "v", "w"])[np.arange(150) % 3], "n": np.nan_to_num(X[:, 0])})
    steps = ColumnTransformer([("one", OneHotEncoder(), ["c"]), ("scale", StandardScaler(), ["n"])])
    model = Pipeline([("columns", steps), ("forest", q.RandomForestClassifier(9, random_state=0))]).fit(frame, y)
    kinds = [("c", types.StringTensorType([None, 1])), ("n", types.DoubleTensorType([None, 1]))]
    graph = skl2onnx.convert_sklearn(model, initial_types=kinds, options={"zipmap": False})
    rows = {"c": frame["c"].to_numpy(dtype=object)[:, None], "n": frame["n"].to_numpy()[:, None]}
    assert np.array_equal(run(graph, rows)[1], model.predict_proba(frame))


def test_the_options_of_classifiers() -> None:
    X, y = table()
    model = q.CARTClassifier().fit(X, y)
    rows = {"X": X.astype(np.float32)}

    def answers(**options: Any) -> list[Any]:
        kinds = [("X", types.FloatTensorType([None, 4]))]
        return run(skl2onnx.convert_sklearn(model, initial_types=kinds, options={id(model): options}), rows)

    assert set(answers(zipmap=True)[1][0]) == {"a", "b", "c"}
    assert len(answers(zipmap="columns")) == 4
    assert set(answers(zipmap=False, nocl=True)[0].tolist()) == {0, 1, 2}
    assert answers(zipmap=False, output_class_labels=True)[2].tolist() == ["a", "b", "c"]


@pytest.mark.parametrize(
    "kind, width, options, words",
    [
        ("DoubleTensorType", 3, {}, "has 4 columns, but its inputs have 3"),
        ("StringTensorType", 4, {}, "holds numbers, but the input 'X' holds texts"),
        ("DoubleTensorType", 4, {"target_opset": 15}, "need at least"),
        ("DoubleTensorType", None, {}, "number of its columns must be known"),
    ],
)
def test_what_cannot_be_converted_is_refused(kind: str, width: Any, options: dict[str, Any], words: str) -> None:
    model = q.CARTClassifier().fit(*table())
    with pytest.raises(ExportError, match=words):
        converted(model, getattr(types, kind), width, **options)


def test_dictionaries_of_doubles_are_refused_as_onnx_has_none() -> None:
    model = q.CARTClassifier().fit(*table())
    with pytest.raises(ExportError, match=r"takes no doubles: convert with options=.\"zipmap\": False"):
        skl2onnx.convert_sklearn(model, initial_types=[("X", types.DoubleTensorType([None, 4]))])

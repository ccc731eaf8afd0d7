"""Trees and forests of thresholds become estimators of scikit-learn that answer alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.tree import export_graphviz, export_text, plot_tree

import quercus as q
from quercus.errors import ExportError


@pytest.mark.parametrize("maker", [q.CARTClassifier, q.RandomForestClassifier])
@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
def test_classes_are_answered_alike(load: Any, maker: Any) -> None:
    X, y = load(return_X_y=True)
    X = X.astype(np.float32)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    model = maker(
        missing="most_common", **({"random_state": 0, "n_estimators": 9} if "Forest" in maker.__name__ else {})
    )
    theirs = model.fit(X, y).to_sklearn()
    assert np.allclose(theirs.predict_proba(X), model.predict_proba(X), rtol=0, atol=1e-15)
    assert np.array_equal(theirs.predict(X), model.predict(X))


@pytest.mark.parametrize("maker", [q.CARTRegressor, q.RandomForestRegressor])
def test_numbers_are_answered_alike(maker: Any) -> None:
    X, y = load_diabetes(return_X_y=True)
    X = X.astype(np.float32)
    model = maker(missing="most_common").fit(X, y)
    assert np.allclose(model.to_sklearn().predict(X), model.predict(X), rtol=1e-14)


def test_the_tools_of_scikit_learn_read_it() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    frame, y = load_iris(return_X_y=True, as_frame=True)
    theirs = q.CARTClassifier(max_depth=3).fit(frame, y).to_sklearn()
    assert "petal" in export_text(theirs, feature_names=list(frame.columns))
    assert "digraph" in export_graphviz(theirs) and len(plot_tree(theirs)) > 3
    assert theirs.get_n_leaves() == theirs.tree_.n_leaves and theirs.get_depth() == 3
    assert (theirs.feature_importances_ >= 0).all() and theirs.apply(frame).max() < theirs.tree_.node_count


def test_there_and_back_is_the_same() -> None:
    X, y = load_iris(return_X_y=True)
    X = X.astype(np.float32)
    model = q.CARTClassifier().fit(X, y)
    again = q.from_sklearn(model.to_sklearn())
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.tree.n_nodes == model.tree_.n_nodes


@pytest.mark.parametrize(
    "model, words",
    [
        (q.ID3Classifier(), "is nominal"),
        (q.PARTClassifier(), "no rule lists"),
        (q.CARTClassifier(cost_matrix=[[0, 2], [1, 0]]), "costs of mistakes"),
    ],
)
def test_what_scikit_learn_cannot_say_is_refused(model: Any, words: str) -> None:
    with pytest.raises(ExportError, match=words):
        model.fit({"c": ["a", "b", "a", "b"]}, ["x", "y", "x", "y"]).to_sklearn()


def test_spread_unknown_values_are_refused() -> None:
    X = [[1.0], [2.0], [np.nan], [4.0]]
    with pytest.raises(ExportError, match="spreads unknown values"):
        q.CARTClassifier(missing="fractional").fit(X, [0, 1, 1, 0]).to_sklearn()


def test_rows_of_doubles_go_the_same_way_where_float32_can_tell_them_apart() -> None:
    X, y = [[0.1], [0.1], [0.1], [0.3], [0.3], [0.3]], [0, 0, 0, 1, 1, 1]
    for model in (q.C45Classifier(missing="most_common", prune=False), q.CARTClassifier(missing="most_common")):
        assert model.fit(X, y).to_sklearn().predict(X).tolist() == y
    for load in (load_iris, load_breast_cancer):
        rows, target = load(return_X_y=True)
        model = q.C45Classifier(missing="most_common").fit(rows, target)
        assert np.array_equal(model.to_sklearn().predict(rows), model.predict(rows))


def test_the_middle_of_neighbouring_float32_numbers_divides_them() -> None:
    low = np.float32(1.0)
    high = np.nextafter(low, np.float32(2.0))
    X = np.array([[low], [high]], dtype=np.float32)
    model = q.CARTClassifier(missing="most_common").fit(X, [0, 1])
    assert model.to_sklearn().predict(X).tolist() == [0, 1]


def test_a_row_that_equals_a_midpoint_goes_the_same_way() -> None:
    model = q.CARTClassifier().fit([[0.1], [0.5]], ["l", "r"])
    assert model.predict([[0.3]]).tolist() == model.to_sklearn().predict([[0.3]]).tolist() == ["l"]
    chance = np.random.default_rng(0)
    X = np.round(chance.normal(size=(400, 2)), 1)
    for cast in (np.float64, np.float32):
        model = q.CARTRegressor(max_depth=8).fit(X.astype(cast), chance.normal(size=400))
        theirs, rows = model.to_sklearn(), np.round(chance.normal(size=(2_000, 2)), 2).astype(cast)
        assert np.array_equal(theirs.predict(rows), model.predict(rows))

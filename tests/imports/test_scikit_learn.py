"""Trees and forests of scikit-learn answer alike in Quercus."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeRegressor

import quercus
from quercus.errors import DataTypeError, ParameterError
from quercus.export import vectors_of, verify
from quercus.imports import from_sklearn
from quercus.imports.scikit_learn import exact_thresholds


def near_thresholds(estimator: Any, X: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    """Rows whose values lie around the thresholds, as doubles that float32 does not have."""
    trees = [estimator.tree_] if hasattr(estimator, "tree_") else [one.tree_ for one in estimator.estimators_]
    cuts = np.concatenate([tree.threshold[tree.children_left >= 0] for tree in trees])
    rows = X[chance.integers(0, len(X), 300)].copy()
    where = chance.integers(0, X.shape[1], 300)
    rows[np.arange(300), where] = chance.choice(cuts, 300) * (1 + chance.choice([0, 1e-16, -1e-16, 3e-8, -3e-8], 300))
    return rows


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_a_tree_of_classes_answers_alike(load: Any, criterion: str) -> None:
    X, y = load(return_X_y=True)
    tree = DecisionTreeClassifier(criterion=criterion, random_state=0, class_weight="balanced").fit(X, y)
    model, chance = from_sklearn(tree), np.random.default_rng(0)
    for rows in (X, near_thresholds(tree, X, chance)):
        assert np.array_equal(model.predict(rows), tree.predict(rows))
        assert np.allclose(model.predict_proba(rows), tree.predict_proba(rows), rtol=0, atol=1e-15)


@pytest.mark.parametrize("maker", [DecisionTreeRegressor, ExtraTreeRegressor])
def test_a_tree_of_numbers_answers_alike(maker: Any) -> None:
    X, y = load_diabetes(return_X_y=True)
    tree = maker(random_state=0).fit(X, y)
    rows = near_thresholds(tree, X, np.random.default_rng(0))
    assert np.array_equal(from_sklearn(tree).predict(rows), tree.predict(rows))


def test_unknown_values_go_the_way_that_scikit_learn_learned() -> None:
    X, y = load_iris(return_X_y=True)
    X[np.random.default_rng(0).random(X.shape) < 0.3] = np.nan
    tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    assert np.array_equal(from_sklearn(tree).predict_proba(X), tree.predict_proba(X))


@pytest.mark.parametrize("maker", [RandomForestClassifier, ExtraTreesClassifier])
def test_a_forest_of_classes_answers_alike(maker: Any) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    forest = maker(20, random_state=0).fit(X, y)
    rows = near_thresholds(forest, X, np.random.default_rng(0))
    assert np.allclose(from_sklearn(forest).predict_proba(rows), forest.predict_proba(rows), rtol=0, atol=1e-14)


def test_a_forest_of_numbers_answers_alike() -> None:
    X, y = load_diabetes(return_X_y=True)
    forest = RandomForestRegressor(20, random_state=0).fit(X, y)
    assert np.allclose(from_sklearn(forest).predict(X), forest.predict(X), rtol=1e-14)


def test_the_model_is_read_as_any_other() -> None:
    data = load_iris(as_frame=True)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(data.data, data.target)
    model = quercus.from_sklearn(tree, class_names=data.target_names)
    assert "petal width (cm)" in str(model) and "virginica" in str(model.rules())
    assert model.explain(data.data, row=100).label == "virginica"
    assert "<svg" in model.to_svg()
    vectors = vectors_of(model)
    assert verify(model.export("sql", key="id"), vectors, "sqlite").is_exact
    assert verify(model.export("python"), vectors, "python").is_exact


def test_a_stump_without_questions() -> None:
    tree = DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "a"])
    assert from_sklearn(tree).predict([[5.0]]).tolist() == ["a"]


def test_thresholds_divide_doubles_as_float32_divides_them() -> None:
    chance = np.random.default_rng(0)
    cuts = np.concatenate([chance.normal(size=500) * 10.0 ** chance.integers(-30, 30, 500), [0.0, 0.5, 1.5, -0.5]])
    moved = exact_thresholds(cuts)
    for step in (-2, -1, 0, 1, 2):
        x = moved.copy()
        for _ in range(abs(step)):
            x = np.nextafter(x, np.inf if step > 0 else -np.inf)
        assert np.array_equal(x <= moved, x.astype(np.float32).astype(np.float64) <= cuts)


def test_what_is_no_tree_is_refused() -> None:
    X, y = load_iris(return_X_y=True)
    boosted = GradientBoostingClassifier(n_estimators=2).fit(X, y)
    ada = AdaBoostClassifier(n_estimators=2).fit(X, y)
    for wrong in (DecisionTreeClassifier(), boosted, ada, "tree"):
        with pytest.raises(DataTypeError, match="no fitted tree or forest of scikit-learn"):
            from_sklearn(wrong)
    two = DecisionTreeRegressor().fit(X, X[:, :2])
    with pytest.raises(ParameterError, match="2 targets"):
        from_sklearn(two)
    tree = DecisionTreeClassifier().fit(X, y)
    with pytest.raises(ParameterError, match="3 feature_names"):
        from_sklearn(tree, ["a", "b", "c"])
    with pytest.raises(ParameterError, match="2 class_names"):
        from_sklearn(tree, class_names=["a", "b"])

"""Distillation: the figures are those of the models, the forest's answers are learnt, and one seed gives one model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.metrics import r2_score

import quercus
from quercus import (
    BaggingClassifier,
    BoostedClassifier,
    C45Classifier,
    C45RulesClassifier,
    CARTClassifier,
    CARTRegressor,
    PARTClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    distill,
)
from quercus.data import encode
from quercus.datasets import load_play_tennis
from quercus.errors import ParameterError
from quercus.forests.distill import synthetic_rows

CANCER, ILL = load_breast_cancer(return_X_y=True)
LEARNT, TESTED = np.arange(0, 569, 2), np.arange(1, 569, 2)
FOREST = RandomForestClassifier(n_estimators=30).fit(CANCER[LEARNT], ILL[LEARNT])


def test_figures_are_those_of_the_models() -> None:
    test = (CANCER[TESTED], ILL[TESTED])
    found = distill(FOREST, CANCER[LEARNT], ILL[LEARNT], max_leaf_nodes=12, test=test)
    said = FOREST.predict(test[0])
    assert found.fidelity == pytest.approx((found.model.predict(test[0]) == said).mean())
    assert found.score == pytest.approx(found.model.score(*test))
    forest, _, plain = found.standings
    assert forest.score == pytest.approx(FOREST.score(*test)) and forest.fidelity == 1
    assert plain.score == pytest.approx(found.plain.score(*test))
    assert plain.fidelity == pytest.approx((found.plain.predict(test[0]) == said).mean())
    assert found.model.get_n_leaves() == 12
    assert found.plain.tree_ == CARTClassifier(max_leaf_nodes=12).fit(CANCER[LEARNT], ILL[LEARNT]).tree_
    assert found.fidelity > 0.9
    assert found.to_dict()["models"][1]["name"] == "distilled" and found.held_out
    assert [line.split()[0] for line in str(found).splitlines()] == [
        "model",
        "forest",
        "distilled",
        "plain",
        "measured",
    ]


def test_soft_answers_are_the_forest_s_shares() -> None:
    """The distilled tree's leaf holds the mean of the forest's shares over its rows."""
    X = CANCER[LEARNT]
    found = distill(FOREST, X, max_leaf_nodes=6)
    shares, leaves = FOREST.predict_proba(X), found.model.apply(X)
    for leaf in np.unique(leaves):
        rows = leaves == leaf
        np.testing.assert_allclose(found.model.predict_proba(X[rows])[0], shares[rows].mean(axis=0), atol=1e-9)
    hard = distill(FOREST, X, max_leaf_nodes=6, soft=False)
    assert hard.model.tree_ == CARTClassifier(max_leaf_nodes=6).fit(X, FOREST.predict(X)).tree_
    assert hard.plain is None and hard.score is None and len(hard.standings) == 2 and not hard.held_out


def test_an_unlimited_tree_imitates_exactly_what_it_saw() -> None:
    X, y = load_play_tennis()
    forest = RandomForestClassifier(n_estimators=25).fit(X, y)
    assert distill(forest, X, max_leaf_nodes=None, n_synthetic=300).fidelity == 1


def test_numbers() -> None:
    X, y = load_diabetes(return_X_y=True)
    forest = RandomForestRegressor(n_estimators=20).fit(X[:300], y[:300])
    found = distill(forest, X[:300], y[:300], max_leaf_nodes=16, n_synthetic=500, test=(X[300:], y[300:]))
    assert found.score == pytest.approx(r2_score(y[300:], found.model.predict(X[300:])))
    assert found.fidelity == pytest.approx(r2_score(forest.predict(X[300:]), found.model.predict(X[300:])))
    assert found.fidelity > found.standings[2].fidelity
    assert isinstance(found.model, CARTRegressor) and "R²" in str(found)


@pytest.mark.parametrize("student", [None, PARTClassifier()])
def test_rules(student: Any) -> None:
    X, y = load_play_tennis()
    forest = BaggingClassifier(C45Classifier(), n_estimators=10).fit(X, y)
    found = distill(forest, X, y, into="rules", student=student, n_synthetic=100)
    assert isinstance(found.model, C45RulesClassifier if student is None else PARTClassifier)
    assert found.fidelity == pytest.approx((found.model.predict(X) == forest.predict(X)).mean())
    assert found.standings[1].size == f"{len(found.model.rules_)} rules"
    assert "IF" in str(found.model)


def test_any_teacher_and_student() -> None:
    X, y = load_play_tennis()
    boosted = BoostedClassifier(n_estimators=8).fit(X, y)
    found = distill(boosted, X, y, student=C45Classifier(prune=True))
    assert isinstance(found.model, C45Classifier) and found.plain.tree_ == C45Classifier(prune=True).fit(X, y).tree_
    bare = distill(FOREST.forest_, CANCER[LEARNT], ILL[LEARNT], max_leaf_nodes=8)
    whole = distill(FOREST, CANCER[LEARNT], ILL[LEARNT], max_leaf_nodes=8)
    assert bare.model.tree_ == whole.model.tree_ and bare.standings == whole.standings
    assert not hasattr(bare.model, "feature_names_in_")
    clone = distill(found.model, X, max_leaf_nodes=None)  # a tree distils into itself
    assert clone.fidelity == 1


def test_one_seed_gives_one_model() -> None:
    options = {"n_synthetic": 200, "max_leaf_nodes": 10}
    one = distill(FOREST, CANCER[LEARNT], random_state=3, **options)
    assert one.model.tree_ == distill(FOREST, CANCER[LEARNT], random_state=3, **options).model.tree_
    assert one.model.tree_ != distill(FOREST, CANCER[LEARNT], random_state=4, **options).model.tree_
    assert one.n_synthetic == 200 and one.n_rows == len(LEARNT)


def test_synthetic_rows_are_made_of_the_columns() -> None:
    data = encode({"x": [1.0, np.nan, 3.0], "y": ["a", "b", "c"]})
    kept = synthetic_rows(data, 500, swap=0, seed=1)
    pairs = {(str(x), int(y)) for x, y in zip(*kept.columns, strict=True)}
    assert pairs == {("1.0", 0), ("nan", 1), ("3.0", 2)} and kept.n_rows == 503
    mixed = synthetic_rows(data, 500, swap=1, seed=1)
    pairs = {(str(x), int(y)) for x, y in zip(*mixed.columns, strict=True)}
    assert len(pairs) == 9
    assert synthetic_rows(data, 0) is data
    with pytest.raises(ParameterError, match="swap=2"):
        synthetic_rows(data, 1, swap=2)


def test_what_cannot_be_asked_is_refused() -> None:
    numbers = RandomForestRegressor(n_estimators=2).fit([[0], [1]], [0.0, 1.0])
    with pytest.raises(ParameterError, match="into"):
        distill(FOREST, CANCER, into="words")
    with pytest.raises(ParameterError, match="answers numbers"):
        distill(numbers, [[0], [1]], into="rules")
    with pytest.raises(ParameterError, match="student="):
        distill(numbers, [[0], [1]], student=CARTClassifier())
    with pytest.raises(ParameterError, match="student="):
        distill(FOREST, CANCER, into="rules", student=CARTClassifier())
    with pytest.raises(ParameterError, match="fitted estimator"):
        distill(quercus, CANCER)
    with pytest.raises(ParameterError, match="n_synthetic=-1"):
        distill(FOREST, CANCER, n_synthetic=-1)


@pytest.mark.parametrize("student", [None, C45RulesClassifier(unknown="tree"), PARTClassifier()])
def test_distilled_rules_are_saved_and_loaded(student: Any, tmp_path: Path) -> None:
    X, y = CANCER[LEARNT], ILL[LEARNT]
    model = distill(FOREST, X, y, into="rules", student=student).model
    quercus.save(model, tmp_path / "rules.json")
    loaded = quercus.load(tmp_path / "rules.json")
    assert loaded.rules_ == model.rules_ and (loaded.predict(X) == model.predict(X)).all()
    if not isinstance(student, PARTClassifier):
        assert loaded.tree_ == model.tree_ and loaded.recipe_ == model.recipe_

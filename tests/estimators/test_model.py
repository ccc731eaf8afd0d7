"""A fitted model as a value: everything that can be asked of an estimator can be asked of its model."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

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
)
from quercus.datasets import load_play_tennis
from quercus.errors import ModelKindError, ParameterError
from quercus.evaluation import evaluate
from quercus.fitted import Decision, Model, model_of
from quercus.growing.forest import Sampling
from quercus.growing.grower import GrowOptions, core_grower, reference_grower
from quercus.report import report_html

X, Y = load_play_tennis()
NUMBERS = np.arange(len(Y), dtype=float)
COSTS = {("No", "Yes"): 5.0}
CLASSIFIERS = [
    C45Classifier(cost_matrix=COSTS, smoothing="laplace"),
    CARTClassifier(prune="reduced_error", decision_threshold=0.6, class_weight="balanced"),
    C45RulesClassifier(cost_matrix=COSTS),
    PARTClassifier(cost_matrix=COSTS),
    RandomForestClassifier(5, cost_matrix=COSTS, vote="majority"),
    BaggingClassifier(C45RulesClassifier(cost_matrix=COSTS), 3),
    BoostedClassifier(n_estimators=4, method="trials"),
]


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda estimator: type(estimator).__name__)
def test_a_model_answers_as_its_estimator_does(estimator: Any, tmp_path: Path) -> None:
    fitted = estimator.fit(X, Y)
    model = fitted.model_
    quercus.save(model, tmp_path / "m.json")
    quercus.save(fitted, tmp_path / "e.json")
    assert (tmp_path / "m.json").read_bytes() == (tmp_path / "e.json").read_bytes()
    for other in (model, quercus.load(tmp_path / "m.json").model_, pickle.loads(pickle.dumps(model))):
        assert isinstance(other, Model) and str(other) == str(fitted)
        assert (other.predict(X) == fitted.predict(X)).all()
        assert (other.predict_proba(X) == fitted.predict_proba(X)).all()
        assert str(evaluate(other, X, Y)) == str(evaluate(fitted, X, Y))
        assert (other.as_estimator().predict(X) == fitted.predict(X)).all()
        assert report_html(other, X=X, y=Y) == report_html(fitted, X=X, y=Y)


@pytest.mark.parametrize("estimator", [CARTRegressor(), RandomForestRegressor(4)], ids=str)
def test_a_model_of_numbers(estimator: Any) -> None:
    fitted = estimator.fit(X, NUMBERS)
    assert (fitted.model_.predict(X) == fitted.predict(X)).all()
    with pytest.raises(ParameterError, match="answers numbers"):
        fitted.model_.predict_proba(X)


def test_what_trees_are_asked_their_models_are_asked() -> None:
    fitted = CLASSIFIERS[0].fit(X, Y)
    model = fitted.model_
    for name, arguments in {
        "explain": (X, 2),
        "counterfactuals": (X, 0),
        "reason_codes": (X, 0),
        "trace": (X, Y),
        "summary": (X, Y),
        "rules": (),
        "consult": (),
        "to_svg": (X, 1),
        "curve": ({"training": (X, Y), "test": (X, Y)}, "learning"),
        "get_n_leaves": (),
    }.items():
        assert str(getattr(model, name)(*arguments)) == str(getattr(fitted, name)(*arguments)), name
    assert (model.apply(X) == fitted.apply(X)).all()
    assert model.prune_with("keep_depth", depth=1).tree == fitted.prune_with("keep_depth", depth=1).tree_


def test_a_question_to_another_kind_of_model_is_refused() -> None:
    rules, forest = PARTClassifier().fit(X, Y).model_, RandomForestClassifier(3).fit(X, Y).model_
    with pytest.raises(ModelKindError, match="trace needs a model that answers with one tree; this is a PARTClass"):
        rules.trace(X, Y)
    with pytest.raises(ModelKindError, match="fired needs a model that answers with rules"):
        forest.fired(X)
    assert not hasattr(rules, "feature_importances_")


def test_a_model_never_changes_and_follows_the_parameters_of_its_estimator() -> None:
    fitted = CARTClassifier(max_depth=1).fit(X, Y)
    model = fitted.model_
    assert fitted.model_ is model
    with pytest.raises(FrozenInstanceError):
        model.tree = None
    with pytest.raises(AttributeError, match="never changed"):
        fitted.tree_ = model.tree
    fitted.set_params(decision_threshold=0.99)
    assert fitted.model_.decision.threshold == 0.99 and model.decision.threshold is None
    assert fitted.model_.tree == model.tree and fitted.model_.method.options["decision_threshold"] == 0.99
    assert set(fitted.predict(X)) == {"No", "Yes"} and (replace(model).predict(X) == model.predict(X)).all()


def test_a_fit_that_fails_leaves_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    fitted = CARTClassifier().fit(X, Y)
    before = dict(vars(fitted))
    with pytest.raises(ValueError, match="NaN"):
        fitted.fit({"other": [1.0, 2.0]}, [None, "a"])
    assert vars(fitted) == before


def test_models_of_trees_forests_rule_lists_and_nothing_else() -> None:
    fitted = CARTClassifier().fit(X, Y)
    assert model_of(fitted.tree_).name == "Tree" and model_of(fitted.rules()).name == "RuleList"
    assert (model_of(fitted.tree_).predict(X) == fitted.predict(X)).all()
    forest = RandomForestClassifier(3).fit(X, Y)
    assert (model_of(forest.forest_).predict(X) == forest.predict(X)).all()
    with pytest.raises(NotFittedError):
        model_of(CARTClassifier())
    with pytest.raises(ParameterError, match="no model of Quercus"):
        model_of("model")


def test_every_estimator_refuses_validation_rows_that_it_would_not_look_at() -> None:
    for estimator in (PARTClassifier(), RandomForestClassifier(2), C45Classifier()):
        with pytest.raises(ParameterError, match="X_val and y_val are given"):
            estimator.fit(X, Y, X_val=X, y_val=Y)


def test_validation_rows_of_rules_are_read_by_the_classes_of_fitting() -> None:
    """Labels that come in another order, or not all of them, mean the same classes."""
    only = [place for place, label in enumerate(Y) if label == "Yes"]
    part = X.iloc[only]
    rules = C45RulesClassifier(min_objects=1).fit(X, Y, X_val=part, y_val=["Yes"] * len(only))
    assert set(rules.predict(part)) == {"Yes"}


class ByReference(CARTClassifier):
    """CART grown by the plain-Python grower."""

    grower = staticmethod(reference_grower)


def test_an_estimator_grows_by_any_grower() -> None:
    """Also the folds of its cross-validation."""
    plain, other = CARTClassifier(prune=True, folds=3).fit(X, Y), ByReference(prune=True, folds=3).fit(X, Y)
    assert other.unpruned_tree_ == plain.unpruned_tree_ and str(other.alpha_table_) == str(plain.alpha_table_)
    rows = plain.read_rows(X, Y)
    drawn = GrowOptions(sampling=Sampling(), n_trees=3, seed=7)
    assert (
        core_grower(rows, plain.recipe_, drawn)
        == RandomForestClassifier(3, max_features=None, random_state=7).fit(X, Y).forest_
    )
    with pytest.raises(ParameterError, match="one tree"):
        reference_grower(rows, plain.recipe_, drawn)


def test_a_decision_reads_its_costs_once() -> None:
    decision = Decision.read(["No", "Yes"], cost_matrix=COSTS)
    assert decision.costs is not None and decision.costs.tolist() == [[0.0, 5.0], [1.0, 0.0]]
    assert replace(decision, in_rules=True).choosing is None
    with pytest.raises(ParameterError, match="two classes"):
        Decision.read(["a", "b", "c"], decision_threshold=0.5)


def test_a_model_refitted_to_labelled_rows_keeps_the_type_of_its_classes() -> None:
    X, y = {"x": [1, 2, 3, 4, 5, 6]}, np.array([0, 0, 1, 1, 0, 1])
    model = CARTClassifier().fit(X, y).model_
    rows = model.read_rows(X, y)
    assert rows.target.classes.dtype == y.dtype  # type: ignore[union-attr]
    again = model.refitted(rows)
    assert again.classes is not None and again.classes.dtype == y.dtype

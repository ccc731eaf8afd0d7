"""A function as criterion: the same trees as by name, what else works with it, and what is refused."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from long_tail import most_slow
from oracle.same_tree import assert_same_tree
from oracle.tables import random_case
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

import quercus
from quercus import (
    BaggingClassifier,
    BaggingRegressor,
    BoostedClassifier,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    ID3Classifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from quercus.criteria import own_criterion
from quercus.datasets import load_play_tennis
from quercus.draw import tree_svg
from quercus.errors import DataError, ModelKindError, ParameterError
from quercus.growing.grow import grow
from quercus.growing.reference.grower import grow_reference
from quercus.report import report_html


def entropy(weights: np.ndarray) -> float:
    shares = weights[weights > 0] / weights.sum()
    return float(-(shares * np.log2(shares)).sum())


def gini(weights: np.ndarray) -> float:
    return float(1 - ((weights / weights.sum()) ** 2).sum())


def misclassification(weights: np.ndarray) -> float:
    return float(1 - weights.max() / weights.sum())


def hellinger(weights: np.ndarray) -> float:
    return float(np.sqrt(weights / weights.sum()).sum() ** 2 - 1)


def squared_error(y: np.ndarray, weights: np.ndarray) -> float:
    return float(np.average((y - np.average(y, weights=weights)) ** 2, weights=weights))


FOR_CLASSES = (entropy, gini, misclassification, hellinger)
X, Y = load_play_tennis()
NUMBERS = np.arange(len(Y), dtype=float) ** 2


@pytest.mark.parametrize("part", most_slow(10, 2))
def test_a_function_grows_the_tree_of_the_criterion_that_it_computes(part: int) -> None:
    """2,500 random tables with nominal and numeric columns, unknown values, weights, costs and ties."""
    questions = 0
    for seed in range(250 * part, 250 * (part + 1)):
        case = random_case(seed)
        function: Any = squared_error if case.recipe.is_regression else FOR_CLASSES[seed % 4]
        by_name = replace(case.recipe, criterion=function.__name__, quantiles=())
        own = replace(by_name, criterion=own_criterion(function, by_name.is_regression))
        tree = grow(case.dataset, case.target, by_name, **case.arguments())
        assert_same_tree(tree, grow_reference(case.dataset, case.target, own, **case.arguments()), str(case))
        questions += tree.n_nodes > 1
    assert questions > 100


@pytest.mark.parametrize("kind", [ID3Classifier, C45Classifier, CARTClassifier])
@pytest.mark.parametrize("function", FOR_CLASSES)
def test_the_classifiers_take_a_function(kind: Any, function: Any) -> None:
    own, named = (kind(criterion=criterion).fit(X, Y) for criterion in (function, function.__name__))
    assert own.tree_.same_structure(named.tree_)
    assert own.unpruned_tree_.same_structure(named.unpruned_tree_)
    assert own.tree_.criterion == f"function {function.__name__}"


def test_the_regressor_takes_a_function() -> None:
    own = CARTRegressor(criterion=squared_error, max_leaf_nodes=5).fit(X, NUMBERS)
    assert own.tree_.same_structure(CARTRegressor(max_leaf_nodes=5).fit(X, NUMBERS).tree_)
    wide = CARTRegressor(criterion=lambda y, weights: np.ptp(y)).fit([[1], [2], [3], [9]], [0.0, 5.0, 5.0, 9.0])
    assert wide.tree_.root.test.threshold in (1.5, 5.9, 6.0)


def test_bagging_and_boosting_take_a_function() -> None:
    for collection in (BaggingClassifier, BoostedClassifier):
        own, named = (
            collection(CARTClassifier(criterion=criterion, max_depth=2), n_estimators=4).fit(X, Y)
            for criterion in (gini, "gini")
        )
        for one, other in zip(own.estimators_, named.estimators_, strict=True):
            assert one.tree_.same_structure(other.tree_)
    numbers = [
        BaggingRegressor(CARTRegressor(criterion=criterion), n_estimators=3).fit(X, NUMBERS).predict(X)
        for criterion in (squared_error, "squared_error")
    ]
    np.testing.assert_allclose(*numbers)
    for method in ("reduced_error", "error_based"):
        pruned = [
            BaggingClassifier(C45Classifier(criterion=criterion, prune=method), n_estimators=3).fit(X, Y)
            for criterion in (gini, "gini")
        ]
        assert [tree.get_n_leaves() for tree in pruned[0].estimators_] == [
            tree.get_n_leaves() for tree in pruned[1].estimators_
        ]


def test_forests_and_draws_of_attributes_refuse_a_function() -> None:
    with pytest.raises(ParameterError, match="functions are for single trees"):
        RandomForestClassifier(criterion=gini).fit(X, Y)
    with pytest.raises(ParameterError, match="functions are for single trees"):
        RandomForestRegressor(criterion=squared_error).fit(X, NUMBERS)
    with pytest.raises(ParameterError, match=r"looks at all attributes; give max_features=1.0"):
        BaggingClassifier(CARTClassifier(criterion=gini), max_features_per_node=2).fit(X, Y)
    with pytest.raises(ParameterError, match="max_bins is 20"):
        CARTClassifier(criterion=gini, max_bins=20).fit(X, Y)


def changed_array(weights: np.ndarray) -> float:
    weights[:] = 0
    return 0.0


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda weights: np.nan, "returned nan for the class weights [5.0, 9.0]; return a finite number"),
        (lambda weights: np.inf, "returned inf"),
        (lambda weights: -1, "returned -1 for the class weights [5.0, 9.0]; return a finite number of at least 0"),
        (lambda weights: weights, "returned array([5., 9.]) of type ndarray"),
        (lambda weights: [1.0], "returned [1.0] of type list"),
        (lambda weights: None, "returned None of type NoneType"),
        (lambda weights: 1j, "returned 1j of type complex"),
        (lambda weights: 1 / 0, "raised ZeroDivisionError (division by zero) for the class weights"),
        (lambda: 0, "raised TypeError"),
        (changed_array, "raised ValueError (assignment destination is read-only)"),
        (lambda weights: 1.0, "returned 1 for the class weights [1.0, 0.0]; a pure node must have the impurity 0"),
        (lambda weights: weights[0] / weights.sum(), "a pure node must have the impurity 0"),
    ],
)
def test_a_wrong_function_is_refused(function: Any, message: str) -> None:
    with pytest.raises(ParameterError) as error:
        CARTClassifier(criterion=function).fit(X, Y)
    assert message in str(error.value)


def test_a_wrong_function_of_numbers_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"returned 1 for the numbers .0.0. and the weights .1.0.; a pure node"):
        CARTRegressor(criterion=lambda y, weights: 1.0).fit(X, NUMBERS)
    with pytest.raises(ParameterError, match="returned nan for the numbers"):
        CARTRegressor(criterion=lambda y, weights: np.nan).fit(X, NUMBERS)
    many = np.arange(5_001.0)
    with pytest.raises(DataError, match="25,010,001, and at most 25,000,000 are allowed"):
        CARTRegressor(criterion=squared_error).fit(many[:, None], many)


def test_rounding_below_zero_is_zero() -> None:
    tree = CARTClassifier(criterion=lambda weights: gini(weights) - 1e-12).fit(X, Y)
    assert tree.tree_.same_structure(CARTClassifier().fit(X, Y).tree_)


def test_scikit_learn_works_with_it() -> None:
    model = CARTClassifier(criterion=gini)
    assert clone(model).get_params()["criterion"] is gini
    numbers = np.random.default_rng(0).normal(size=(40, 3))
    classes = np.where(numbers[:, 0] + 0.3 * numbers[:, 1] > 0, "a", "b")
    scores = [cross_val_score(CARTClassifier(criterion=name), numbers, classes, cv=3) for name in (gini, "gini")]
    np.testing.assert_array_equal(*scores)
    search = GridSearchCV(CARTClassifier(max_depth=2), {"criterion": [gini, "entropy", hellinger]}, cv=3)
    assert search.fit(numbers, classes).best_params_["criterion"] in (gini, "entropy", hellinger)


def test_threads_and_progress() -> None:
    steps: list[tuple[int, int, int]] = []
    one = CARTClassifier(criterion=gini, progress=lambda *step: steps.append(step)).fit(X, Y)
    assert one.tree_ == CARTClassifier(criterion=gini, n_jobs=2).fit(X, Y).tree_
    assert steps[-1] == (14, 14, one.tree_.n_nodes)


def test_saving_and_loading_keep_the_name(tmp_path: Path) -> None:
    model = CARTClassifier(criterion=gini, max_depth=2).fit(X, Y)
    assert pickle.loads(pickle.dumps(model)).criterion is gini
    quercus.save(model, tmp_path / "model.json")
    loaded = quercus.load(tmp_path / "model.json")
    assert loaded.criterion == "function gini"
    assert loaded.tree_ == model.tree_
    assert list(loaded.predict(X)) == list(model.predict(X))
    with pytest.raises(ParameterError, match=r"function gini, but a model file holds only the name .* set_params"):
        loaded.fit(X, Y)
    assert loaded.set_params(criterion=gini).fit(X, Y).tree_ == model.tree_
    quercus.save(loaded, tmp_path / "again.json")
    bagged = BaggingClassifier(CARTClassifier(criterion=gini), n_estimators=2).fit(X, Y)
    quercus.save(bagged, tmp_path / "bagged.json")
    assert list(quercus.load(tmp_path / "bagged.json").predict(X)) == list(bagged.predict(X))


def test_pruning_counts_errors() -> None:
    """The tree does not hold the function, so a price of leaves is paid in errors, as for absolute error."""
    model = CARTClassifier(criterion=gini, ccp_alpha=0.1).fit(X, Y)
    errors = quercus.pruning.cost_complexity(model.unpruned_tree_, 0.1, risk="error")
    assert model.tree_ == errors.tree
    assert CARTClassifier(criterion=gini, prune=True, folds=3).fit(X, Y).alpha_table_ is not None
    for method in ("reduced_error", "mdl", "minimum_error", "critical_value", "error_based"):
        own, named = (
            C45Classifier(criterion=criterion, prune=method).fit(X, Y).tree_ for criterion in (entropy, "entropy")
        )
        assert own.same_structure(named), method


def test_explanations_pictures_and_reports() -> None:
    model = CARTClassifier(criterion=gini).fit(X, Y)
    assert str(model.explain(X.iloc[:1])) == str(CARTClassifier().fit(X, Y).explain(X.iloc[:1]))
    assert "by function gini\nOptions: criterion='function gini'\n" in str(model.summary())
    assert "<svg" in tree_svg(model.tree_)
    bagged = BaggingClassifier(CARTClassifier(criterion=gini), n_estimators=2).fit(X, Y)
    for page in (report_html(model, X=X, y=Y), report_html(bagged, X=X, y=Y)):
        assert "function gini" in page
        assert "function gini at" not in page
    assert bagged.estimator.criterion is gini
    with pytest.raises(ModelKindError, match="cannot call the function gini; grow with a criterion that has a name"):
        model.trace(X, Y)

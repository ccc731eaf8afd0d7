"""Pruning through the estimators: every method, its parameters, its rows, and what is there after fitting."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.model_selection import train_test_split

from quercus import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
from quercus.datasets import load_play_tennis
from quercus.errors import DataError, ParameterError
from quercus.pruning import METHODS

CLASSIFIERS = [ID3Classifier, C45Classifier, CARTClassifier]
ALL_METHODS = [True, *METHODS]
FOR_NUMBERS = [True, *(name for name, method in METHODS.items() if method.numbers)]


def mixed_table(seed: int = 0, n: int = 240) -> tuple[dict[str, Any], np.ndarray]:
    """Numbers, words and truth values with gaps; two of the attributes tell the class, with noise."""
    rng = np.random.default_rng(seed)
    number, word, truth = rng.normal(size=n), rng.choice(list("abcd"), n), rng.random(n) < 0.5
    signal = (number > 0.3) ^ np.isin(word, ["a", "b"])
    y = np.where(rng.random(n) < 0.15, ~signal, signal)
    table = {
        "number": np.where(rng.random(n) < 0.1, np.nan, number),
        "word": [None if rng.random() < 0.1 else str(value) for value in word],
        "truth": [None if rng.random() < 0.1 else bool(value) for value in truth],
        "noise": rng.normal(size=n),
    }
    return table, np.where(y, "yes", "no")


def tables() -> dict[str, tuple[Any, Any]]:
    return {"iris": load_iris(return_X_y=True), "tennis": load_play_tennis(d15=True), "mixed": mixed_table()}


@pytest.mark.parametrize("method", ALL_METHODS)
@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize("name", ["iris", "tennis", "mixed"])
def test_every_method_prunes_every_classifier(kind: Any, method: Any, name: str) -> None:
    X, y = tables()[name]
    model = kind(prune=method, folds=5).fit(X, y)
    assert model.tree_.n_nodes <= model.unpruned_tree_.n_nodes
    assert model.pruning_.tree is model.tree_ and model.pruning_.before is model.unpruned_tree_
    assert (len(model.pruning_.removals) > 0) == (model.tree_.n_nodes < model.unpruned_tree_.n_nodes)
    for removal in model.pruning_.removals:
        assert model.pruning_.why(removal.node) is not None and removal.reason
    assert np.allclose(model.predict_proba(X).sum(axis=1), 1.0)
    again = pickle.loads(pickle.dumps(model))
    assert again.tree_ == model.tree_ and again.unpruned_tree_ == model.unpruned_tree_
    assert clone(model).fit(X, y).tree_ == model.tree_
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize("method", FOR_NUMBERS)
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_every_method_for_numbers_prunes_the_regressor(method: Any, criterion: str) -> None:
    X, y = load_diabetes(return_X_y=True)
    model = CARTRegressor(prune=method, criterion=criterion, folds=3, min_samples_leaf=5).fit(X[:200], y[:200])
    assert model.tree_.n_nodes <= model.unpruned_tree_.n_nodes
    if method != "same_prediction":
        assert model.tree_.n_nodes < model.unpruned_tree_.n_nodes
    assert pickle.loads(pickle.dumps(model)).tree_ == model.tree_


@pytest.mark.parametrize("kind", [*CLASSIFIERS, CARTRegressor])
def test_without_pruning_the_tree_is_the_grown_one(kind: Any) -> None:
    X, y = load_iris(return_X_y=True)
    model = kind(prune=False).fit(X, y)
    assert model.unpruned_tree_ is model.tree_
    assert model.pruning_ is None and model.alpha_table_ is None


def test_only_c45_prunes_unless_told_otherwise() -> None:
    assert C45Classifier().prune is True
    assert not any(kind().prune for kind in (ID3Classifier, CARTClassifier, CARTRegressor))


@pytest.mark.parametrize(
    ("kind", "method"),
    [(ID3Classifier, "reduced_error"), (C45Classifier, "error_based"), (CARTClassifier, "cost_complexity")],
)
def test_true_is_the_method_of_the_algorithm(kind: Any, method: str) -> None:
    X, y = mixed_table()
    assert kind(prune=True).fit(X, y).tree_ == kind(prune=method).fit(X, y).tree_


# Validation rows


@pytest.mark.parametrize("method", ["reduced_error", "stop_by_validation"])
@pytest.mark.parametrize("kind", [*CLASSIFIERS, CARTRegressor])
def test_given_validation_rows_leave_all_rows_for_growing(kind: Any, method: str) -> None:
    X, y = load_iris(return_X_y=True)
    seen, unseen, y_seen, y_unseen = train_test_split(X, y, test_size=0.4, random_state=1)
    given = kind(prune=method).fit(seen, y_seen, X_val=unseen, y_val=y_unseen)
    assert given.unpruned_tree_ == kind(prune=False).fit(seen, y_seen).tree_
    assert given.score(unseen, y_unseen) >= kind(prune=False).fit(seen, y_seen).score(unseen, y_unseen)
    held = kind(prune=method).fit(X, y)
    assert held.unpruned_tree_.weight[0] == 105 and given.unpruned_tree_.weight[0] == 90


@pytest.mark.parametrize("kind", [*CLASSIFIERS, CARTRegressor])
def test_the_function_and_the_parameter_have_one_name(kind: Any) -> None:
    X, y = load_iris(return_X_y=True)
    named, alias = kind(prune="stop_by_validation").fit(X, y), kind(prune="validation").fit(X, y)
    assert alias.tree_ == named.tree_ and alias.pruning_.method == "stop_by_validation"
    assert alias.get_params()["prune"] == "validation"  # a parameter stays as it was given
    again = [kind(prune=False).fit(X, y).prune_with(name, X, y) for name in ("validation", "stop_by_validation")]
    assert again[0].tree_ == again[1].tree_ and again[0].prune == "stop_by_validation"


def test_the_held_out_share_is_of_every_class_and_reproducible() -> None:
    X, y = load_iris(return_X_y=True)
    first = ID3Classifier(prune=True, validation_fraction=0.2).fit(X, y)
    assert first.unpruned_tree_.value[0].tolist() == [40.0, 40.0, 40.0]
    assert ID3Classifier(prune=True, validation_fraction=0.2).fit(X, y).unpruned_tree_ == first.unpruned_tree_
    others = [ID3Classifier(prune=True, validation_fraction=0.2, random_state=seed).fit(X, y) for seed in range(1, 5)]
    assert any(other.unpruned_tree_ != first.unpruned_tree_ for other in others)
    generator = np.random.RandomState(3)
    assert ID3Classifier(prune=True, random_state=generator).fit(X, y).tree_.n_nodes > 1
    assert ID3Classifier(prune=True, random_state=None).fit(X, y).tree_.n_nodes > 1


def test_rows_without_weight_are_not_held_out() -> None:
    X, y = load_iris(return_X_y=True)
    weights = (np.arange(150) % 3 > 0).astype(float)
    weighted = ID3Classifier(prune=True).fit(X, y, sample_weight=weights)
    assert weighted.tree_ == ID3Classifier(prune=True).fit(X[weights > 0], y[weights > 0]).tree_


def test_labels_of_validation_rows_may_lack_a_class_but_bring_no_new_one() -> None:
    X, y = load_iris(return_X_y=True)
    model = CARTClassifier(prune="reduced_error")
    assert model.fit(X, y, X_val=X[50:], y_val=y[50:]).score(X[50:], y[50:]) > 0.95
    with pytest.raises(DataError, match="the class 7"):
        model.fit(X, y, X_val=X, y_val=np.full(150, 7))
    assert model.score(X[50:], y[50:]) > 0.95  # the failed fit changed nothing
    with pytest.raises(ValueError, match="3 features"):
        model.fit(X, y, X_val=X[:, :3], y_val=y)


def test_validation_rows_that_would_not_be_used_are_refused() -> None:
    X, y = load_iris(return_X_y=True)
    for model in (C45Classifier(), CARTClassifier(), CARTClassifier(prune="mdl")):
        with pytest.raises(ParameterError, match=r"X_val and y_val are given, but prune=.*'reduced_error'"):
            model.fit(X, y, X_val=X, y_val=y)
    with pytest.raises(DataError, match="y_val is None"):
        ID3Classifier(prune=True).fit(X, y, X_val=X)


@pytest.mark.parametrize("method", ALL_METHODS)
def test_one_row_or_one_class_is_one_leaf(method: Any) -> None:
    X, y = load_iris(return_X_y=True)
    for kind in CLASSIFIERS:
        for rows in (slice(0, 1), slice(0, 40)):
            model = kind(prune=method).fit(X[rows], y[rows])
            assert (model.tree_.n_nodes, model.score(X[rows], y[rows])) == (1, 1.0)


def test_columns_without_any_value_leave_one_leaf() -> None:
    X = {"x": [None] * 12, "y": [np.nan] * 12}
    for method in ALL_METHODS:
        model = CARTClassifier(prune=method, kinds={"x": "nominal"}, domains={"x": ["a"]}).fit(X, ["n", "y", "y"] * 4)
        assert model.predict(X).tolist() == ["y"] * 12


# Parameters


def test_a_smaller_confidence_prunes_more() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    sizes = [C45Classifier(confidence=confidence).fit(X, y).tree_.n_nodes for confidence in (0.001, 0.05, 0.25, 0.5)]
    assert sizes == sorted(sizes) and sizes[0] < sizes[-1]


@pytest.mark.parametrize("preset", ["c45", "r8", "j48"])
def test_presets_prune_by_their_own_estimate(preset: Any) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    model = C45Classifier(preset=preset).fit(X, y)
    assert model.tree_.n_nodes < C45Classifier(preset=preset, prune=False).fit(X, y).tree_.n_nodes


def test_ccp_alpha_means_what_it_does_in_scikit_learn() -> None:
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    X, y = load_breast_cancer(return_X_y=True)
    numbers_X, numbers = load_diabetes(return_X_y=True)
    for alpha in (0.002, 0.01, 0.05):
        mine, theirs = CARTClassifier(ccp_alpha=alpha), DecisionTreeClassifier(ccp_alpha=alpha, random_state=0)
        assert mine.fit(X, y).get_n_leaves() == theirs.fit(X, y).get_n_leaves()
    for alpha in (5.0, 50.0):
        regressor = CARTRegressor(ccp_alpha=alpha, min_samples_leaf=10).fit(numbers_X, numbers)
        other = DecisionTreeRegressor(ccp_alpha=alpha, min_samples_leaf=10, random_state=0).fit(numbers_X, numbers)
        assert regressor.get_n_leaves() == other.get_n_leaves()
    assert CARTClassifier(ccp_alpha=0.0).fit(X, y).pruning_ is None
    assert CARTClassifier(prune=True, ccp_alpha=0.0).fit(X, y).pruning_ is not None


def test_the_path_is_scikit_learns_with_the_sizes() -> None:
    from sklearn.tree import DecisionTreeClassifier

    X, y = load_iris(return_X_y=True)
    path = CARTClassifier().cost_complexity_pruning_path(X, y)
    theirs = DecisionTreeClassifier(random_state=0).cost_complexity_pruning_path(X, y)
    assert np.allclose(path.ccp_alphas, np.unique(theirs.ccp_alphas.round(12)))
    assert np.isclose(path.impurities[-1], theirs.impurities[-1])
    fitted = CARTClassifier(prune=True).fit(X, y)
    assert np.array_equal(fitted.cost_complexity_pruning_path().ccp_alphas, path.ccp_alphas)
    for alpha, leaves in zip(path.ccp_alphas[1:], path.n_leaves[1:], strict=True):
        assert CARTClassifier(ccp_alpha=alpha).fit(X, y).get_n_leaves() == leaves
    costly = CARTClassifier(cost_matrix=[[0, 5, 5], [1, 0, 1], [1, 1, 0]]).cost_complexity_pruning_path(X, y)
    assert costly.n_leaves[-1] == 1


def test_without_a_price_cross_validation_chooses_one() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    careful, best = (CARTClassifier(prune=True, folds=5, alpha_choice=choice).fit(X, y) for choice in ("1se", "min"))
    assert careful.alpha_table_ is not None and best.alpha_table_ is not None
    assert careful.tree_.n_nodes <= best.tree_.n_nodes < best.unpruned_tree_.n_nodes
    assert CARTClassifier(prune=True, ccp_alpha=0.01).fit(X, y).alpha_table_ is None
    assert CARTClassifier(prune=True, folds=5).fit(X, y).tree_ == careful.tree_


def test_significance_and_gain_decide_by_their_numbers() -> None:
    X, y = load_play_tennis()
    grown = ID3Classifier().fit(X, y)
    assert grown.prune_with("chi_square", pruning_significance=0.01).tree_.n_nodes == 1
    assert grown.prune_with("chi_square", pruning_significance=0.2).tree_.n_nodes == 8
    assert grown.prune_with("critical_value", critical_gain=1.5).tree_.n_nodes == 1
    assert grown.prune_with("critical_value", critical_gain=0.9).tree_.n_nodes == 8
    assert grown.prune_with("minimum_error", m=100.0).tree_.n_nodes <= grown.prune_with("minimum_error").tree_.n_nodes


# Weights and costs


@pytest.mark.parametrize("method", ["error_based", "mdl", "minimum_error", "chi_square", "same_prediction"])
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_weight_2_is_two_copies_for_methods_that_hold_nothing_out(kind: Any, method: str) -> None:
    X, y = load_iris(return_X_y=True)
    X, y = X[::2], y[::2]
    weights = np.arange(len(y)) % 3
    weighted = kind(prune=method).fit(X, y, sample_weight=weights)
    copied = kind(prune=method).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert weighted.tree_.n_nodes == copied.tree_.n_nodes
    assert (weighted.predict(X) == copied.predict(X)).all()


@pytest.mark.parametrize("method", ALL_METHODS)
def test_costs_and_class_weights_go_through_every_method(method: Any) -> None:
    X, y = mixed_table(n=150)
    for options in ({"cost_matrix": {("yes", "no"): 10}}, {"class_weight": "balanced"}, {"priors": [0.2, 0.8]}):
        model = CARTClassifier(prune=method, folds=3, **options).fit(X, y)
        assert model.tree_.n_nodes <= model.unpruned_tree_.n_nodes
        assert set(model.predict(X)) <= {"yes", "no"}


def test_a_dear_mistake_keeps_what_errors_alone_would_cut() -> None:
    # x = 1 holds 2 ill of 10 in growing and validation: as errors no question pays, at 10 : 1 it does
    X = np.array([[0]] * 10 + [[1]] * 10)
    y = np.array(["well"] * 10 + ["ill"] * 2 + ["well"] * 8)
    plain = CARTClassifier(prune="reduced_error").fit(X, y, X_val=X, y_val=y)
    costly = CARTClassifier(prune="reduced_error", cost_matrix={("ill", "well"): 10}).fit(X, y, X_val=X, y_val=y)
    assert (plain.get_n_leaves(), costly.get_n_leaves()) == (1, 2)
    assert costly.predict([[1]]).tolist() == ["ill"]
    weighted = CARTClassifier(prune="reduced_error", class_weight={"ill": 10, "well": 1})
    assert weighted.fit(X, y, X_val=X, y_val=y).get_n_leaves() == 2


# The same tree, pruned again


def test_prune_with_gives_another_estimator_from_the_same_tree() -> None:
    X, y = mixed_table()
    X_val, y_val = mixed_table(seed=1)
    model = C45Classifier().fit(X, y)
    before = model.tree_
    for other in (
        model.prune_with("error_based", X, y, confidence=0.05),
        model.prune_with("reduced_error", X_val, y_val),
        model.prune_with("validation", X_val, y_val),
        model.prune_with("cost_complexity", ccp_alpha=0.02),
        model.prune_with("mdl"),
        model.prune_with("same_prediction"),
        model.prune_with("snip", nodes=[0]),
        model.prune_with("keep_leaves", n_leaves=3),
    ):
        assert type(other) is C45Classifier and other.unpruned_tree_ is model.unpruned_tree_
        assert other.tree_.n_nodes <= model.unpruned_tree_.n_nodes
        assert other.predict(X).shape == (240,) and other.schema_ is model.schema_
    assert model.tree_ is before and model.prune is True and model.confidence == 0.25
    assert model.prune_with(True, X, y).tree_ == model.tree_
    assert model.prune_with(False).tree_ is model.unpruned_tree_
    priced = CARTClassifier(ccp_alpha=0.05).fit(X, y)
    assert priced.prune_with(False).tree_ is priced.unpruned_tree_ is not priced.tree_


def test_prune_with_does_what_fitting_so_would_do() -> None:
    X, y = mixed_table()
    X_val, y_val = mixed_table(seed=1)
    grown = CARTClassifier().fit(X, y)
    by_rows = grown.prune_with("reduced_error", X_val, y_val)
    assert by_rows.prune == "reduced_error"
    assert by_rows.tree_ == clone(by_rows).fit(X, y, X_val=X_val, y_val=y_val).tree_
    strict = grown.prune_with("error_based", X, y, confidence=0.1)
    assert strict.tree_ == clone(strict).fit(X, y).tree_
    shortest = grown.prune_with("mdl", X, y)
    assert shortest.tree_ == clone(shortest).fit(X, y).tree_
    chosen = grown.prune_with("cost_complexity", X, y, folds=4)
    assert chosen.alpha_table_ is not None and chosen.tree_ == clone(chosen).fit(X, y).tree_


def test_prune_with_says_what_it_lacks() -> None:
    X, y = load_iris(return_X_y=True)
    model = CARTClassifier().fit(X, y)
    with pytest.raises(ParameterError, match="the rows of fitting; give X and y"):
        model.prune_with("error_based")
    with pytest.raises(ParameterError, match="rows that the tree has not seen"):
        model.prune_with("reduced_error")
    with pytest.raises(ParameterError, match=r"the rows of fitting.*ccp_alpha"):
        model.prune_with("cost_complexity")
    with pytest.raises(ParameterError, match=r"prune='pessimism'.*'error_based'"):
        model.prune_with("pessimism")
    with pytest.raises(ParameterError, match="'minimum_error' reads m"):
        model.prune_with("minimum_error", confidence=0.1)
    with pytest.raises(ParameterError, match="m=-1"):
        model.prune_with("minimum_error", m=-1)
    with pytest.raises(ParameterError, match="depth"):
        model.prune_with("keep_depth")
    with pytest.raises(ValueError, match="not fitted"):
        CARTClassifier().prune_with("mdl")


# Rules of the tree


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_the_rules_answer_as_the_tree_does(kind: Any) -> None:
    X, y = mixed_table()
    for options in ({}, {"prune": True}, {"cost_matrix": {("yes", "no"): 3}}):
        model = kind(**options).fit(X, y)
        rules = model.rules()
        codes = rules.predict(model.encode_rows(X), model.model_.decision.costs)
        assert (model.classes_[codes] == model.predict(X)).all()


def test_the_rules_of_a_regression_tree_are_numbers() -> None:
    X, y = load_diabetes(return_X_y=True)
    model = CARTRegressor(max_leaf_nodes=6).fit(X, y)
    assert len(model.rules().rules) == 6
    assert np.allclose(model.rules().predict(model.encode_rows(X)), model.predict(X))

"""Bagging of any algorithm: identical data give the single model; draws give what fitting on the draw gives."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from oracle.same_tree import difference
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes

from quercus import (
    BaggingClassifier,
    BaggingRegressor,
    C45Classifier,
    C45RulesClassifier,
    CARTClassifier,
    CARTRegressor,
    ID3Classifier,
    PARTClassifier,
    RIPPERClassifier,
)
from quercus.datasets import load_play_tennis
from quercus.errors import ParameterError
from quercus.forests import Committee
from quercus.growing.forest import drawn_counts

CANCER = tuple(part[:200] for part in load_breast_cancer(return_X_y=True))
DIABETES = tuple(part[:150] for part in load_diabetes(return_X_y=True))
TENNIS = load_play_tennis(d15=True)

TREES = [
    ID3Classifier(),
    ID3Classifier(prune=True, random_state=3),
    ID3Classifier(form="threshold", prune="mdl"),
    C45Classifier(),
    C45Classifier(preset="j48", value_groups=True),
    C45Classifier(prune=False, smoothing="laplace"),
    C45Classifier(cost_matrix=[[0, 5], [1, 0]]),
    CARTClassifier(min_samples_leaf=0.05, min_weight_fraction_leaf=0.02),
    CARTClassifier(prune=True, folds=3, random_state=1),
    CARTClassifier(ccp_alpha=0.01, class_weight="balanced", decision_threshold=0.7),
    CARTClassifier(prune="validation", missing="surrogate"),
]
RULES = [
    C45RulesClassifier(),
    C45RulesClassifier(validation_fraction=0.3, random_state=2),
    PARTClassifier(),
    RIPPERClassifier(),
]


def name_of(model: Any) -> str:
    return repr(model)[:60].replace("\n", "")


@pytest.mark.parametrize("estimator", TREES, ids=name_of)
@pytest.mark.parametrize("table", [CANCER, TENNIS], ids=["cancer", "tennis"])
def test_bagging_of_identical_data_is_the_tree(estimator: Any, table: Any) -> None:
    X, y = table
    bag = BaggingClassifier(estimator, 3, bootstrap=False).fit(X, y)
    single = clone(estimator).fit(X, y)
    assert [difference(single.tree_, tree) for tree in bag.forest_] == [None] * 3
    assert np.allclose(bag.predict_proba(X), single.predict_proba(X), atol=1e-14)
    assert (bag.predict(X) == single.predict(X)).all()
    assert type(bag.estimators_[0]) is type(estimator)
    assert (bag.estimators_[2].predict(X) == single.predict(X)).all()


@pytest.mark.parametrize("estimator", RULES, ids=name_of)
def test_bagging_of_identical_data_is_the_rule_list(estimator: Any) -> None:
    X, y = CANCER
    bag = BaggingClassifier(estimator, 2, bootstrap=False).fit(X, y)
    single = clone(estimator).fit(X, y)
    assert isinstance(bag.forest_, Committee) and all(rules == single.rules_ for rules in bag.forest_)
    assert np.allclose(bag.predict_proba(X), single.predict_proba(X), atol=1e-14)
    majority = BaggingClassifier(estimator, 2, bootstrap=False, vote="majority").fit(X, y)
    assert (majority.predict(X) == single.predict(X)).all()
    assert (bag.agreement(X) <= 1).all()
    for name in ("feature_importances_", "apply"):
        with pytest.raises(AttributeError, match="needs trees"):
            getattr(bag, name)(X)


@pytest.mark.parametrize("estimator", [*TREES, *RULES], ids=name_of)
@pytest.mark.parametrize("replacement", ["with", "without"])
def test_a_member_is_the_estimator_fitted_on_its_draw(estimator: Any, replacement: Any) -> None:
    """The numbers of draws are the weights; shares of rows, which are of all rows drawn, are left out here."""
    X, y = CANCER
    plain = {"min_samples_leaf": 2, "min_weight_fraction_leaf": 0.0, "class_weight": None}
    estimator = clone(estimator).set_params(**{name: v for name, v in plain.items() if name in estimator.get_params()})
    bag = BaggingClassifier(estimator, 2, replacement=replacement, random_state=8).fit(X, y)
    for number, member in enumerate(bag.estimators_):
        counts = drawn_counts(bag.sampling_, bag.seed_, number, len(X))
        seen = counts > 0
        single = clone(estimator).fit(X[seen], y[seen], sample_weight=counts[seen])
        assert np.array_equal(member.predict_proba(X), single.predict_proba(X))
        if hasattr(single, "rules_"):
            assert member.rules_ == single.rules_
        else:
            assert member.tree_ == single.tree_


@pytest.mark.parametrize("estimator", [None, CARTRegressor(max_depth=3), CARTRegressor(prune="reduced_error")])
def test_bagging_of_identical_numbers_is_the_tree(estimator: Any) -> None:
    X, y = DIABETES
    bag = BaggingRegressor(estimator, 3, bootstrap=False).fit(X, y)
    single = clone(estimator or CARTRegressor()).fit(X, y)
    assert [difference(single.tree_, tree) for tree in bag.forest_] == [None] * 3
    assert np.allclose(bag.predict(X), single.predict(X))


def test_warm_starts_threads_and_pickles() -> None:
    X, y = CANCER
    for estimator in (C45Classifier(), ID3Classifier(prune=True), PARTClassifier()):
        warm = BaggingClassifier(estimator, 3, warm_start=True, max_samples=0.7).fit(X, y)
        warm.set_params(n_estimators=14).fit(X, y)
        whole = BaggingClassifier(estimator, 14, n_jobs=2, max_samples=0.7).fit(X, y)
        assert warm.forest_ == whole.forest_ and len(whole.forest_) == 14
        loaded = pickle.loads(pickle.dumps(warm))
        assert np.array_equal(loaded.predict_proba(X), whole.predict_proba(X))


def test_a_member_without_a_seed_takes_the_collection_s() -> None:
    X, y = CANCER
    estimator = ID3Classifier(prune=True, random_state=None)
    one, two = (BaggingClassifier(estimator, 3, random_state=2).fit(X, y) for _ in range(2))
    assert one.forest_ == two.forest_ and estimator.random_state is None
    assert not hasattr(estimator, "tree_")


@pytest.mark.parametrize("estimator", [C45Classifier(), ID3Classifier(prune=True), PARTClassifier()])
def test_an_interrupt_keeps_the_members_that_are_there(estimator: Any) -> None:
    X, y = CANCER

    def stop(done: int, total: int) -> None:
        if done == 13:
            raise KeyboardInterrupt

    bag = BaggingClassifier(estimator, 40, progress=stop)
    with pytest.raises(KeyboardInterrupt, match="13 of 40 members are there"):
        bag.fit(X, y)
    assert not hasattr(bag, "forest_")
    assert bag.partial_.forest_.partial and len(bag.partial_.forest_) == 13
    assert bag.partial_.forest_ == BaggingClassifier(estimator, 13).fit(X, y).forest_


def test_attributes_per_tree_and_node_and_parameters_of_the_member() -> None:
    X, y = CANCER
    bag = BaggingClassifier(C45Classifier(), 5, max_features=4, max_features_per_node=2).fit(X, y)
    assert all(len(set(tree.attribute[tree.kind > 0].tolist())) <= 4 for tree in bag.forest_)
    assert bag.sampling_.attributes_per_node == 2
    bag.set_params(estimator__max_depth=1).fit(X, y)
    assert all(tree.depth <= 1 for tree in bag.forest_)
    with pytest.raises(ParameterError, match="learns rules from all attributes"):
        BaggingClassifier(PARTClassifier(), 2, max_features=3).fit(X, y)


@pytest.mark.parametrize("wrong", [CARTRegressor(), "tree", C45Classifier])
def test_members_of_other_kinds_are_refused(wrong: Any) -> None:
    with pytest.raises(ParameterError, match="give None or a classifier of trees or rules"):
        BaggingClassifier(wrong, 2).fit(*CANCER)
    with pytest.raises(ParameterError, match="give None or a CARTRegressor"):
        BaggingRegressor(C45Classifier(), 2).fit(*CANCER)


def test_wrong_parameters_of_the_member_are_refused() -> None:
    with pytest.raises(ParameterError, match="max_depth=-2"):
        BaggingClassifier(C45Classifier(max_depth=-2)).fit(*CANCER)

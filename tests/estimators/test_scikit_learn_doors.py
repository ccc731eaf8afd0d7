"""What scikit-learn's users expect besides: draws in single trees, members of any kind, its names of results."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn.ensemble
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.utils import get_tags

import quercus
from quercus import (
    BaggingClassifier,
    BaggingRegressor,
    BoostedClassifier,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    PARTClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from quercus.errors import DataError, ModelKindError, ParameterError
from quercus.growing.forest import Sampling, drawn_attributes

X, Y = load_iris(return_X_y=True)


def random_table(seed: int) -> tuple[dict[str, Any], np.ndarray]:
    """Numbers with ties and gaps, a nominal column, and three classes that depend on them."""
    random = np.random.default_rng(seed)
    n = int(random.integers(20, 120))
    numbers = random.normal(size=(n, 3)).round(1)
    numbers[random.random((n, 3)) < 0.1] = np.nan
    words = random.choice(["red", "green", "blue"], n)
    score = np.nan_to_num(numbers[:, 0]) + (words == "red") + random.normal(size=n)
    return {"a": numbers[:, 0], "b": numbers[:, 1], "c": numbers[:, 2], "word": words}, np.digitize(score, [0.0, 1.0])


@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("max_features", [None, 1, 2, "sqrt", 0.8, 4])
def test_a_tree_with_draws_is_the_first_tree_of_a_forest(splitter: Any, max_features: Any) -> None:
    for seed in range(8):
        table, y = random_table(seed)
        limits = {"max_features": max_features, "random_state": seed, "min_samples_leaf": 1 + seed % 3}
        draws = {"bootstrap": False, "n_estimators": 1, "random_thresholds": splitter == "random"}
        tree = CARTClassifier(splitter=splitter, **limits).fit(table, y)
        forest = RandomForestClassifier(**limits, **draws).fit(table, y)
        assert tree.tree_ == forest.forest_.tree(0)
        numbers = CARTRegressor(splitter=splitter, **limits).fit(table, y / 3)
        twin = RandomForestRegressor(**limits, **draws).fit(table, y / 3)
        np.testing.assert_allclose(numbers.predict(table), twin.predict(table), atol=1e-12)
        if splitter == "random" or max_features not in (None, 4):
            assert numbers.tree_ == twin.forest_.tree(0)


def test_without_a_draw_the_tree_is_the_plain_one() -> None:
    plain = CARTClassifier().fit(X, Y).tree_
    for value in (None, 1.0, 4):
        assert CARTClassifier(max_features=value, random_state=9).fit(X, Y).tree_ == plain
    trees = [CARTClassifier(max_features=2, random_state=seed).fit(X, Y).tree_ for seed in range(6)]
    assert any(tree != plain for tree in trees)
    assert trees[3] == CARTClassifier(max_features=2, random_state=3, n_jobs=2).fit(X, Y).tree_


def test_random_thresholds_lie_among_the_values_of_their_node() -> None:
    for seed in range(10):
        tree = CARTClassifier(splitter="random", random_state=seed, max_depth=1).fit(X, Y).tree_
        question = tree.root.test
        column = X[:, question.attribute.index if hasattr(question.attribute, "index") else int(str(question)[1])]
        threshold = float(str(question).split("<=")[1].rstrip(")"))
        assert column.min() < threshold < column.max()


def test_all_that_grows_trees_draws_as_the_parameters_say() -> None:
    tree = CARTClassifier(max_features=1, random_state=4)
    bagged = BaggingClassifier(tree, n_estimators=2, bootstrap=False, random_state=4).fit(X, Y)
    assert bagged.forest_.tree(0) == tree.fit(X, Y).tree_ != CARTClassifier().fit(X, Y).tree_
    assert bagged.sampling_.attributes_per_node == 1
    pruned = CARTClassifier(max_features=1, random_state=4, prune="cost_complexity").fit(X, Y)
    assert pruned.unpruned_tree_ == tree.tree_ and pruned.get_n_leaves() < tree.get_n_leaves()
    stumps = BoostedClassifier(CARTClassifier(max_depth=1, splitter="random", random_state=1), n_estimators=3)
    assert len(stumps.fit(X, Y)) >= 1 and stumps.forest_.tree(0) == stumps.estimator.fit(X, Y).tree_
    told: list[tuple[int, ...]] = []
    CARTClassifier(max_features=1, progress=lambda *numbers: told.append(numbers)).fit(X, Y)
    assert told[-1][:2] == (150, 150)


def test_draws_are_saved_as_parameters(tmp_path: Path) -> None:
    tree = CARTClassifier(max_features="sqrt", splitter="random", random_state=2).fit(X, Y)
    quercus.save(tree, tmp_path / "tree.json")
    again = quercus.load(tmp_path / "tree.json")
    assert again.tree_ == tree.tree_ and again.get_params() == tree.get_params()
    assert clone(again).fit(X, Y).tree_ == tree.tree_


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"splitter": "worst"}, "splitter='worst' is not allowed; give one of 'best', 'random'"),
        ({"max_features": 0}, "max_features=0 is not allowed"),
        ({"max_features": 5}, "max_features=5 is more than the 4 attributes there are"),
        ({"splitter": "random", "missing": "surrogate"}, "splitter='random'.*allow missing own_value"),
        ({"max_features": 2, "criterion": lambda weights: 0.0}, "A function as criterion looks at all attributes"),
    ],
)
def test_wrong_draws_are_refused(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        CARTClassifier(**wrong).fit(X, Y)


def test_names_of_scikit_learn() -> None:
    tree = CARTClassifier(max_features="sqrt").fit(X, Y)
    assert (tree.n_classes_, tree.n_outputs_, tree.max_features_) == (3, 1, 2)
    assert CARTRegressor().fit(X, Y).max_features_ == 4
    forest = RandomForestClassifier(n_estimators=4).fit(X, Y)
    assert (len(forest), forest.n_classes_, forest.n_outputs_) == (4, 3, 1)
    assert [member.tree_ for member in forest] == [forest[number].tree_ for number in range(4)]
    assert forest[-1].tree_ == forest.forest_.tree(3) and len(forest[1:]) == 3
    assert isinstance(forest.estimator_, CARTClassifier) and bool(RandomForestClassifier())
    with pytest.raises(IndexError):
        forest[4]


@pytest.mark.parametrize("bootstrap", [True, False])
def test_members_learn_from_the_rows_that_are_told(bootstrap: bool) -> None:
    random = np.random.default_rng(0)
    weights = random.integers(0, 3, len(Y)).astype(float)
    for given in (None, weights):
        bagged = BaggingClassifier(n_estimators=4, bootstrap=bootstrap).fit(X, Y, given)
        for member, rows in zip(bagged, bagged.estimators_samples_, strict=True):
            assert given is None or (given[rows] > 0).all()
            own = CARTClassifier().fit(X[rows], Y[rows], None if given is None else given[rows])
            assert (own.predict_proba(X) == member.predict_proba(X)).all()


def test_rows_are_not_known_from_a_file(tmp_path: Path) -> None:
    quercus.save(RandomForestClassifier(n_estimators=2).fit(X, Y), tmp_path / "forest.json")
    with pytest.raises(AttributeError, match="known after fit only"):
        quercus.load(tmp_path / "forest.json").estimators_samples_  # noqa: B018


@pytest.mark.parametrize("bootstrap_features", [False, True])
@pytest.mark.parametrize("max_features", [1.0, 3, 0.5])
def test_members_use_the_attributes_that_are_told(bootstrap_features: bool, max_features: Any, tmp_path: Path) -> None:
    table, y = make_classification(300, 6, n_informative=6, n_redundant=0, random_state=0)
    bagged = BaggingClassifier(
        n_estimators=12, max_features=max_features, bootstrap_features=bootstrap_features, random_state=5
    ).fit(table, y)
    drawn = bagged.estimators_features_
    assert {len(each) for each in drawn} == {6 if max_features == 1.0 else 3}
    assert any(len(set(each)) < len(each) for each in drawn) == bootstrap_features
    for member, columns, rows in zip(bagged, drawn, bagged.estimators_samples_, strict=True):
        used = sorted(set(columns.tolist()))
        own = CARTClassifier().fit(table[np.ix_(rows, used)], y[rows])
        assert (own.predict(table[:, used]) == member.predict(table)).all()
    quercus.save(bagged, tmp_path / "bagged.json")
    again = quercus.load(tmp_path / "bagged.json")
    assert again.sampling_ == bagged.sampling_ and (again.predict(table) == bagged.predict(table)).all()
    assert ("attribute_bootstrap" in (tmp_path / "bagged.json").read_text()) == bootstrap_features


def test_every_attribute_is_drawn_as_often_with_replacement() -> None:
    sampling = Sampling(attributes_per_tree=5, attribute_bootstrap=True)
    counts = np.bincount(np.concatenate([drawn_attributes(sampling, 1, tree, 5) for tree in range(2000)]))
    assert counts.sum() == 10_000 and abs(counts - 2000).max() < 5 * np.sqrt(2000 * 0.8)


def test_classes_are_balanced_among_the_rows_of_each_tree() -> None:
    y = (Y == 0).astype(int) + (np.arange(150) % 30 == 0)
    forest = RandomForestClassifier(
        n_estimators=6, class_weight="balanced_subsample", max_features=None, oob_score=True, random_state=1
    ).fit(X, y)
    for member, rows in zip(forest, forest.estimators_samples_, strict=True):
        counts = np.bincount(y[rows], minlength=3)
        present = np.count_nonzero(counts)
        np.testing.assert_allclose(member.tree_.value[0][counts > 0], len(rows) / present)
        own = CARTClassifier(class_weight="balanced").fit(X[rows], y[rows])
        known = np.flatnonzero(counts)
        np.testing.assert_allclose(own.predict_proba(X), member.predict_proba(X)[:, known], atol=1e-12)
    again = clone(forest).set_params(n_estimators=3).fit(X, y)
    longer = again.set_params(n_estimators=6, warm_start=True)
    assert forest.forest_ == RandomForestClassifier(**{**forest.get_params(), "n_jobs": 2}).fit(X, y).forest_
    assert longer is again and 0 < forest.oob_score_ <= 1
    with pytest.raises(ParameterError, match="class_weight='balanced_subsample' is not allowed"):
        CARTClassifier(class_weight="balanced_subsample").fit(X, Y)


def test_margins_of_boosted_trees_after_each_tree() -> None:
    boosted = BoostedClassifier(n_estimators=4).fit(X, Y)
    stages = list(boosted.staged_decision_function(X))
    assert len(stages) == len(boosted) and (stages[-1] == boosted.decision_function(X)).all()


# Members from outside

OUTSIDE = [
    (BaggingClassifier, sklearn.ensemble.BaggingClassifier, SVC()),
    (BaggingClassifier, sklearn.ensemble.BaggingClassifier, make_pipeline(StandardScaler(), LogisticRegression())),
    (BaggingRegressor, sklearn.ensemble.BaggingRegressor, SVR()),
    (BoostedClassifier, sklearn.ensemble.AdaBoostClassifier, LogisticRegression()),
]


@pytest.mark.parametrize(("ours", "theirs", "one"), OUTSIDE)
def test_members_from_outside_answer_as_in_scikit_learn(ours: Any, theirs: Any, one: Any) -> None:
    weights = np.arange(150) % 3 + 1.0 if not isinstance(one, SVR) else None
    weights = None if hasattr(one, "steps") else weights
    model = ours(one, n_estimators=4, random_state=2).fit(X, Y, weights)
    twin = theirs(one, n_estimators=4, random_state=2).fit(X, Y, weights)
    assert (model.predict(X) == twin.predict(X)).all() and model.score(X, Y) == twin.score(X, Y)
    if hasattr(twin, "predict_proba"):
        assert (model.predict_proba(X) == twin.predict_proba(X)).all() and model.n_classes_ == 3
        assert (model.decision_function(X) == twin.decision_function(X)).all()
    assert len(model) == 4 and type(model[0]) is type(one) and model.n_features_in_ == 4
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict(X) == model.predict(X)).all() and repr(one).splitlines()[0][:3] in str(model)
    assert get_tags(model).input_tags.allow_nan == get_tags(one).input_tags.allow_nan
    assert get_tags(model).estimator_type == get_tags(twin).estimator_type


def test_members_from_outside_have_no_model(tmp_path: Path) -> None:
    model = BaggingClassifier(SVC(), n_estimators=2).fit(X, Y)
    for ask in (lambda: model.model_, lambda: model.votes(X), lambda: quercus.save(model, tmp_path / "m.json")):
        with pytest.raises(ModelKindError, match="The members are of SVC, which is not of Quercus"):
            ask()
    assert not list(tmp_path.iterdir()) and not hasattr(BaggingClassifier().fit(X, Y), "decision_function")


def test_an_estimator_goes_from_one_kind_of_members_to_the_other() -> None:
    model = BaggingClassifier(SVC(), n_estimators=2).fit(X, Y)
    answers = model.predict(X)
    with pytest.raises(ValueError):
        model.fit(X, Y[:10])
    assert (model.predict(X) == answers).all()
    with pytest.raises(DataError):
        model.set_params(estimator=C45Classifier()).fit(X, Y[:10])
    assert (model.predict(X) == answers).all()
    model.fit(X, Y)
    assert isinstance(model[0], C45Classifier) and len(model.forest_) == 2
    assert isinstance(model.set_params(estimator=RandomForestClassifier(n_estimators=2)).fit(X, Y)[0], type(model[0]))
    assert isinstance(model[0], RandomForestClassifier) and not hasattr(model, "model_")


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (BaggingClassifier(SVC(), vote="majority"), "vote='majority' is for trees and rules of Quercus"),
        (BaggingClassifier(SVC(), max_features_per_node=1), "give max_features_per_node=None"),
        (BaggingRegressor(SVR(), stop_when_flat=True), "stop_when_flat=True is for trees and rules"),
        (BoostedClassifier(SVC(), method="trials"), "method='trials' is for trees and rules"),
        (BoostedClassifier(SVC(), early_stopping=True), "give early_stopping=False"),
        (BaggingClassifier(SVC(), n_estimators=0), "n_estimators=0 is not allowed"),
        (BaggingClassifier(CARTRegressor()), "is not allowed"),
        (BaggingClassifier(SVC), "is not allowed"),
        (BaggingClassifier("SVC"), "is not allowed"),
        (BoostedClassifier(PARTClassifier(), method="trials"), "method='trials' is for trees"),
        (BaggingClassifier(PARTClassifier(), bootstrap_features=True), "learns rules from all attributes"),
    ],
)
def test_what_members_cannot_do_is_refused(model: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        model.fit(X, Y)

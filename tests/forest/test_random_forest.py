"""Random forests as estimators: against single trees, seeds and threads, warm starts, interrupts, mixed tables."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from oracle.same_tree import difference
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from quercus import CARTClassifier, CARTRegressor, RandomForestClassifier, RandomForestRegressor
from quercus.errors import DataError, ParameterError
from quercus.estimators import forest_growing

IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)


def mixed_table(n_rows: int = 300, seed: int = 0) -> tuple[dict[str, Any], np.ndarray]:
    """Numbers, a nominal attribute of 60 values, one of three, and gaps everywhere; three classes."""
    random = np.random.default_rng(seed)
    number = random.normal(size=n_rows)
    town = random.integers(0, 60, n_rows)
    colour = random.choice(["red", "green", "blue"], n_rows).astype(object)
    label = np.array(["a", "b", "c"])[(number > 0).astype(int) + ((town % 3 == 0) & (colour != "red"))]
    number[random.random(n_rows) < 0.1] = np.nan
    colour[random.random(n_rows) < 0.1] = None
    names = np.array([f"town {code}" for code in range(60)], dtype=object)[town]
    names[random.random(n_rows) < 0.1] = None
    return {"number": number, "town": names, "colour": colour}, label


def same_forests(one: Any, other: Any) -> bool:
    return len(one.forest_) == len(other.forest_) and one.forest_ == other.forest_


@pytest.mark.parametrize("options", [{}, {"max_depth": 3, "criterion": "entropy"}, {"max_leaf_nodes": 7}])
@pytest.mark.parametrize("table", [IRIS, mixed_table()], ids=["iris", "mixed"])
def test_without_draws_each_tree_is_the_single_tree(table: Any, options: dict[str, Any]) -> None:
    X, y = table
    forest = RandomForestClassifier(3, bootstrap=False, max_features=None, **options).fit(X, y)
    single = CARTClassifier(**options).fit(X, y)
    assert all(tree == single.tree_ for tree in forest.forest_)
    assert np.allclose(forest.predict_proba(X), single.predict_proba(X), rtol=0, atol=1e-15)
    assert (forest.predict(X) == single.predict(X)).all()
    assert (forest.agreement(X) == 1).all()
    assert np.allclose(forest.feature_importances_, single.feature_importances_, rtol=0, atol=1e-15)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_without_draws_each_regression_tree_is_the_single_tree(criterion: Any) -> None:
    X, y = DIABETES[0][:150], DIABETES[1][:150]
    forest = RandomForestRegressor(3, bootstrap=False, criterion=criterion).fit(X, y)
    single = CARTRegressor(criterion=criterion).fit(X, y)
    assert [difference(single.tree_, tree) for tree in forest.forest_] == [None] * 3
    assert np.allclose(forest.predict(X), single.predict(X), rtol=1e-14)
    assert (forest.spread(X) < 1e-12).all()


@pytest.mark.parametrize("vote", ["probability", "majority"])
def test_a_forest_of_one_is_a_tree(vote: Any) -> None:
    X, y = mixed_table()
    forest = RandomForestClassifier(1, vote=vote, random_state=4).fit(X, y)
    tree = forest.estimators_[0]
    assert len(forest.estimators_) == 1
    assert (forest.predict(X) == tree.predict(X)).all()
    assert (forest.apply(X)[:, 0] == tree.apply(X)).all()
    if vote == "probability":
        assert np.array_equal(forest.predict_proba(X), tree.predict_proba(X))
    assert np.allclose(forest.feature_importances_, tree.feature_importances_)


@pytest.mark.filterwarnings("ignore:.*rows were drawn for every member")
@pytest.mark.parametrize("options", [{}, {"replacement": "without"}, {"random_thresholds": True}, {"max_bins": 16}])
def test_a_seed_gives_the_same_forest_for_any_number_of_threads(options: dict[str, Any]) -> None:
    X, y = mixed_table()
    one = RandomForestClassifier(8, random_state=5, oob_score=True, **options).fit(X, y)
    two = RandomForestClassifier(8, random_state=5, oob_score=True, n_jobs=2, **options).fit(X, y)
    assert same_forests(one, two)
    assert np.array_equal(one.oob_decision_function_, two.oob_decision_function_, equal_nan=True)
    assert np.array_equal(one.predict_proba(X), two.predict_proba(X))
    assert not same_forests(one, RandomForestClassifier(8, random_state=6, **options).fit(X, y))


@pytest.mark.parametrize("random_state", [3, None, np.random.RandomState(7)])
def test_the_seed_is_kept_and_gives_the_forest_again(random_state: Any) -> None:
    forest = RandomForestClassifier(4, random_state=random_state).fit(*IRIS)
    assert same_forests(forest, RandomForestClassifier(4, random_state=forest.seed_).fit(*IRIS))
    assert random_state != 3 or forest.seed_ == 3


@pytest.mark.parametrize("random_state", [3, None])
@pytest.mark.parametrize("regression", [False, True])
def test_a_warm_start_gives_what_all_at_once_gives(random_state: Any, regression: bool) -> None:
    kind, (X, y) = (RandomForestRegressor, DIABETES) if regression else (RandomForestClassifier, mixed_table())
    warm = kind(5, warm_start=True, oob_score=True, random_state=random_state)
    with pytest.warns(UserWarning, match="rows were drawn for every member"):
        warm.fit(X, y)
    warm.set_params(n_estimators=40).fit(X, y)
    whole = kind(40, oob_score=True, random_state=warm.seed_).fit(X, y)
    assert same_forests(warm, whole)
    assert warm.oob_score_ == pytest.approx(whole.oob_score_)
    assert np.allclose(warm.oob_curve_["error"], whole.oob_curve_["error"])


def test_a_warm_start_refuses_other_rows_and_draws() -> None:
    X, y = IRIS
    forest = RandomForestClassifier(3, warm_start=True).fit(X, y)
    kept = forest.forest_
    with pytest.raises(DataError, match="from the same rows"):
        forest.set_params(n_estimators=5).fit(X[::-1], y)
    with pytest.raises(DataError, match="from the same rows"):
        forest.fit(X, y, sample_weight=np.arange(150))
    with pytest.raises(DataError, match="parameters of the draw"):
        clone(forest).set_params(n_estimators=3).fit(X, y).set_params(n_estimators=4, max_samples=0.5).fit(X, y)
    with pytest.raises(ParameterError, match="larger or equal"):
        forest.set_params(n_estimators=2).fit(X, y)
    with pytest.warns(UserWarning, match="does not add members"):
        forest.set_params(n_estimators=3).fit(X, y)
    assert len(forest.forest_) == 3 and forest.forest_ == kept


def test_a_callback_that_has_enough_keeps_the_trees_that_are_grown() -> None:
    X, y = np.tile(IRIS[0], (20, 1)), np.tile(IRIS[1], 20)

    def stop(done: int, total: int) -> None:
        if done >= 2:
            raise StopIteration

    forest = RandomForestClassifier(100_000, progress=stop)
    with pytest.warns(UserWarning, match="of 100000 members are there"):
        forest.fit(X, y)
    count = len(forest.forest_)
    assert forest.forest_.partial and 2 <= count < 100_000 and not hasattr(forest, "partial_")
    assert forest.score(X, y) > 0.9
    forest.set_params(n_estimators=count + 2, progress=None, warm_start=True).fit(X, y)
    assert not forest.forest_.partial
    assert same_forests(forest, RandomForestClassifier(count + 2).fit(X, y))


def test_an_interrupt_before_the_first_tree_leaves_the_estimator_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*arguments: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    forest = RandomForestClassifier(3).fit(*IRIS)
    kept = forest.forest_
    monkeypatch.setattr(forest_growing, "ForestGrower", stop)
    with pytest.raises(KeyboardInterrupt):
        forest.set_params(n_estimators=50).fit(IRIS[0][:, :2], IRIS[1])
    assert forest.forest_ is kept and forest.n_features_in_ == 4


def test_nominal_attributes_gaps_and_three_classes_are_learnt() -> None:
    X, y = mixed_table(900)
    fresh, truth = mixed_table(600, seed=1)
    forest = RandomForestClassifier(60, max_features=None, min_samples_leaf=2).fit(X, y)
    usual = float(np.mean(truth == max(set(y.tolist()), key=y.tolist().count)))
    assert forest.score(fresh, truth) > usual + 0.2
    unknown = {"number": [None], "town": ["never seen"], "colour": [None]}
    assert forest.predict_proba(unknown).sum() == pytest.approx(1.0)


@pytest.mark.parametrize("missing", ["fractional", "surrogate", "most_common", "class_most_common"])
def test_other_policies_for_unknown_values(missing: Any) -> None:
    X, y = mixed_table()
    forest = RandomForestClassifier(5, missing=missing, max_features=2, oob_score=False).fit(X, y)
    shares = np.mean([tree.predict_proba(X) for tree in forest.estimators_], axis=0)
    assert np.allclose(forest.predict_proba(X), shares, atol=1e-12)
    assert forest.score(X, y) > 0.8


def test_costs_priors_and_thresholds_decide_the_answer() -> None:
    X, y = mixed_table()
    two = np.where(y == "a", "no", "yes")
    forest = RandomForestClassifier(20, min_samples_leaf=20, cost_matrix={("no", "yes"): 20}).fit(X, two)
    assert (forest.predict(X) == "no").mean() > (two == "no").mean() + 0.1
    shares = forest.predict_proba(X)
    assert ((shares @ np.array([[0, 20], [1, 0]])).argmin(axis=1) == (forest.predict(X) == "yes")).mean() == 1
    plain = RandomForestClassifier(20, min_samples_leaf=20).fit(X, two)
    strict = RandomForestClassifier(20, min_samples_leaf=20, decision_threshold=0.8).fit(X, two)
    assert same_forests(plain, strict)
    assert ((strict.predict(X) == "yes") == (plain.predict_proba(X)[:, 1] >= 0.8)).all()
    priors = RandomForestClassifier(20, min_samples_leaf=20, priors={"no": 0.95, "yes": 0.05}).fit(X, two)
    assert priors.predict_proba(X)[:, 0].mean() > plain.predict_proba(X)[:, 0].mean() + 0.1
    with pytest.raises(ParameterError, match="each decides"):
        RandomForestClassifier(decision_threshold=0.5, cost_matrix=[[0, 1], [1, 0]]).fit(X, two)


def test_weights_count_and_rows_without_weight_are_left_out() -> None:
    X, y = IRIS
    kept = np.arange(150) % 3 > 0
    weighed = RandomForestClassifier(6, oob_score=False).fit(X, y, sample_weight=kept * 2.0)
    fewer = RandomForestClassifier(6).fit(X[kept], y[kept], sample_weight=np.full(100, 2.0))
    assert same_forests(weighed, fewer)
    heavy = np.where(y == 1, 50.0, 1.0)
    leaning = RandomForestClassifier(10, max_depth=1).fit(X, y, sample_weight=heavy)
    assert leaning.predict_proba(X)[:, 1].mean() > 0.6
    balanced = RandomForestClassifier(10, max_depth=1, class_weight={1: 50.0}).fit(X, y)
    assert same_forests(leaning, balanced)


def test_per_tree_attributes_and_max_samples() -> None:
    X, y = load_wine(return_X_y=True)
    forest = RandomForestClassifier(20, max_features=None, max_features_per_tree=3).fit(X, y)
    assert all(len(set(tree.attribute[tree.kind > 0].tolist())) <= 3 for tree in forest.forest_)
    assert forest.sampling_.attributes_per_tree == 3 and forest.sampling_.attributes_per_node is None
    for max_samples, rows in ((50, 50), (0.5, 89), (None, 178)):
        forest = RandomForestClassifier(3, max_samples=max_samples).fit(X, y)
        assert [tree.weight[0] for tree in forest.forest_] == [rows] * 3
    forest = RandomForestClassifier(3, replacement="without").fit(X, y)
    assert [tree.count[0] for tree in forest.forest_] == [round(0.632 * 178)] * 3


def test_ccp_alpha_prunes_each_tree_as_the_single_estimator() -> None:
    X, y = IRIS
    forest = RandomForestClassifier(12, ccp_alpha=0.02, bootstrap=False, max_features=None).fit(X, y)
    single = CARTClassifier(ccp_alpha=0.02).fit(X, y)
    assert single.tree_.n_leaves < single.unpruned_tree_.n_leaves
    assert all(tree == single.tree_ for tree in forest.forest_)


def test_members_answer_as_estimators() -> None:
    X, y = mixed_table()
    forest = RandomForestClassifier(6).fit(X, y)
    members = forest.estimators_
    assert len(members) == len(list(members)) == 6 and isinstance(members[-1], CARTClassifier)
    assert members[1].tree_ == forest.forest_.tree(1) and len(members[1:3]) == 2
    shares = np.mean([member.predict_proba(X) for member in members], axis=0)
    assert np.allclose(shares, forest.predict_proba(X), atol=1e-14)
    assert (np.column_stack([member.apply(X) for member in members]) == forest.apply(X)).all()
    with pytest.raises(IndexError, match="no member 6"):
        members[6]


def test_copies_pickles_and_searches() -> None:
    X, y = mixed_table()
    forest = RandomForestClassifier(5, oob_score=False, max_depth=4).fit(X, y)
    loaded = pickle.loads(pickle.dumps(forest))
    assert same_forests(forest, loaded) and np.array_equal(loaded.predict_proba(X), forest.predict_proba(X))
    copy = clone(forest)
    assert copy.get_params() == forest.get_params() and not hasattr(copy, "forest_")
    for name in ("feature_importances_", "estimators_"):
        with pytest.raises(NotFittedError):
            getattr(copy, name)
    grid = {"randomforestclassifier__max_features": [1, None], "randomforestclassifier__vote": ["majority"]}
    search = GridSearchCV(make_pipeline(StandardScaler(), RandomForestClassifier(10)), grid, cv=3, error_score="raise")
    assert search.fit(*IRIS).best_score_ > 0.9
    assert cross_val_score(RandomForestRegressor(20), *DIABETES, cv=3).mean() > 0.3


def test_a_frame_keeps_its_names() -> None:
    frame, y = load_iris(return_X_y=True, as_frame=True)
    forest = RandomForestClassifier(3).fit(frame, y)
    assert forest.feature_names_in_.tolist() == list(frame.columns)
    assert (forest.predict(frame) == RandomForestClassifier(3).fit(*IRIS).predict(IRIS[0])).all()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_estimators": 0}, "n_estimators=0"),
        ({"max_features": "auto"}, "max_features='auto'"),
        ({"max_features": 0.0}, "max_features=0.0"),
        ({"max_features": 5}, "more than the 4 attributes"),
        ({"max_features_per_tree": -1}, "max_features_per_tree=-1"),
        ({"vote": "loud"}, "vote='loud'"),
        ({"replacement": "maybe"}, "replacement='maybe'"),
        ({"max_samples": 0}, "max_samples=0"),
        ({"max_samples": 200, "replacement": "without"}, "more than the 150 rows"),
        ({"max_samples": 0.5, "bootstrap": False}, "needs bootstrap=True"),
        ({"oob_score": True, "bootstrap": False}, "oob_score needs rows"),
        ({"stop_when_flat": True, "bootstrap": False}, "stop_when_flat needs rows"),
        ({"stop_when_flat": 3}, "stop_when_flat=3"),
        ({"oob_score": "yes"}, "oob_score='yes'"),
        ({"progress": "loud"}, "progress='loud'"),
        ({"random_state": -1}, "random_state=-1"),
        ({"criterion": "squared_error"}, "criterion='squared_error'"),
        ({"max_depth": -1}, "max_depth=-1"),
        ({"class_weight": "balanced_rows"}, "balanced_rows"),
        ({"random_thresholds": True, "missing": "surrogate"}, "allow missing own_value"),
    ],
)
def test_wrong_parameters_are_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        RandomForestClassifier(**{"n_estimators": 2, **wrong}).fit(*IRIS)


def test_several_targets_are_refused() -> None:
    X, y = IRIS
    for forest in (RandomForestClassifier(2), RandomForestRegressor(2)):
        with pytest.raises(ValueError, match="1d array"):
            forest.fit(X, np.column_stack([y, y]))

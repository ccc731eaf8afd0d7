"""Boosting: a plain twin of SAMME, a textbook's figures by hand, scikit-learn's AdaBoost, trials, and when to stop."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from oracle.tables import random_case
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from quercus import BoostedClassifier, C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
from quercus.data import ClassTarget, encode, encode_classes
from quercus.datasets import load_play_tennis
from quercus.errors import DataError, ParameterError
from quercus.forests.boosting import boost, samme_step, trials_step
from quercus.growing.cart import cart_recipe
from quercus.growing.grow import grow
from quercus.predict.predict import predict_distribution
from quercus.tree.forest import tree_weights


def plain_samme(codes: list[int], k: int, weights: list[float], answers: Any, rounds: int) -> list[tuple[float, float]]:
    """SAMME as the paper writes it, in plain Python: (error, vote) of every tree; answers(weights, round) its codes."""
    total = sum(weights)
    found = []
    for number in range(rounds):
        said = answers(weights, number)
        error = sum(w for w, s, c in zip(weights, said, codes, strict=True) if s != c) / sum(weights)
        if error == 0:
            return [*found, (0.0, 1.0)]
        if error >= 1 - 1 / k - 1e-10:
            return found or [(error, 1.0)]
        vote = math.log((1 - error) / error) + math.log(k - 1)
        found.append((error, vote))
        weights = [w * math.exp(vote) if s != c else w for w, s, c in zip(weights, said, codes, strict=True)]
        scale = total / sum(weights)
        weights = [w * scale for w in weights]
    return found


def check_twin(case: Any, start: Any) -> int:
    """Boost a random table by both; the number of trees."""
    grown: list[Any] = []
    told: list[Any] = []

    def grow_one(weights: Any, number: int) -> Any:
        told.append(np.array(weights))
        grown.append(grow(case.dataset, case.target, case.recipe, weights=told[-1]))
        return grown[-1]

    found = boost(grow_one, case.dataset, case.target, n_trees=5, weights=start)

    def answers(weights: list[float], number: int) -> list[int]:
        np.testing.assert_allclose(weights, told[number], rtol=1e-9, atol=1e-13)
        shares = predict_distribution(grown[number], case.dataset)
        return [int(np.flatnonzero(row >= row.max() - 1e-12)[0]) for row in shares]

    twin = plain_samme(case.target.codes.tolist(), case.target.n_classes, start.tolist(), answers, 5)
    assert len(twin) == len(found.forest), case.made_by
    np.testing.assert_allclose([error for error, _ in twin], found.errors, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose([vote for _, vote in twin], tree_weights(found.forest), rtol=1e-8)
    assert all(found.forest.tree(number) == grown[number] for number in range(len(twin)))
    assert len(told) <= len(twin) + 1
    return len(twin)


def test_twin_gives_the_same_errors_votes_and_trees() -> None:
    several = 0
    for seed in range(300):
        case = random_case(seed)
        if isinstance(case.target, ClassTarget) and case.target.n_classes > 1:
            start = np.random.default_rng(seed).integers(1, 4, case.dataset.n_rows).astype(float)
            several += check_twin(case, start) > 1
    assert several > 30


def test_ten_points_by_hand() -> None:
    """Errors and votes of grown stumps, counted by the formulas of two classes."""
    x, y = encode({"x": list(range(10))}), encode_classes([1, 1, 1, -1, -1, -1, 1, 1, 1, -1])
    found = boost(lambda w, _: grow(x, y, cart_recipe(max_depth=1), weights=w), x, y, n_trees=3)
    weights = np.full(10, 0.1)
    for tree, error, vote in zip(found.forest, found.errors, tree_weights(found.forest), strict=True):
        wrong = predict_distribution(tree, x).argmax(axis=1) != y.codes
        e = float(weights[wrong].sum())
        assert error == pytest.approx(e)
        assert vote == pytest.approx(2 * 0.5 * math.log((1 - e) / e))
        weights = weights * np.where(wrong, math.sqrt((1 - e) / e), math.sqrt(e / (1 - e)))
        weights /= weights.sum()


def test_figures_of_the_statistical_learning_example() -> None:
    """Ten points, stumps 2.5, 8.5, 5.5: errors 0.3, 0.2143, 0.1818 and votes 0.4236, 0.6496, 0.7520 (halved)."""
    y = np.array([1, 1, 1, -1, -1, -1, 1, 1, 1, -1])
    x = np.arange(10)
    stumps = [np.where(x < 2.5, 1, -1), np.where(x < 8.5, 1, -1), np.where(x < 5.5, -1, 1)]
    weights, figures = np.full(10, 0.1), []
    for stump in stumps:
        step = samme_step(weights, stump != y, 2)
        figures.append((round(step.error, 4), round(step.vote / 2, 4)))
        weights = step.weights
    assert figures == [(0.3, 0.4236), (0.2143, 0.6496), (0.1818, 0.752)]
    assert weights.sum() == pytest.approx(1)
    together = sum(step * stump for (_, step), stump in zip(figures, stumps, strict=True))
    assert (np.sign(together) == y).all()


@pytest.mark.parametrize(
    ("load", "depth"), [(load_iris, 1), (load_iris, 2), (load_wine, 1), (load_wine, 2), (load_breast_cancer, 1)]
)  # deeper trees of the last have ties between questions that part the rows differently
def test_scikit_learn_boosts_alike(load: Any, depth: int) -> None:
    X, y = load(return_X_y=True)
    theirs = AdaBoostClassifier(DecisionTreeClassifier(max_depth=depth), n_estimators=15, random_state=0).fit(X, y)
    ours = BoostedClassifier(CARTClassifier(max_depth=depth), n_estimators=15).fit(X, y)
    assert len(ours.forest_) == len(theirs.estimators_)
    np.testing.assert_allclose(ours.estimator_errors_, theirs.estimator_errors_, rtol=1e-9)
    np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-9)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-12)
    assert (ours.predict(X) == theirs.predict(X)).all()
    for mine, other in zip(ours.staged_predict(X), theirs.staged_predict(X), strict=True):
        assert (mine == other).all()
    if load is load_breast_cancer:  # elsewhere two attributes separate the same rows
        np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-9)
    assert list(ours.staged_score(X, y))[-1] == ours.score(X, y)


def test_trials_move_halfway_and_keep_the_sum() -> None:
    random = np.random.default_rng(0)
    for _ in range(50):
        weights = random.uniform(0.1, 2, 40)
        wrong = random.random(40) < 0.3
        step = trials_step(weights, wrong)
        half = weights.sum() / 2
        assert step.weights.sum() == pytest.approx(weights.sum())
        if step.keep:
            assert half - step.weights[wrong].sum() == pytest.approx((half - weights[wrong].sum()) / 2)
            assert np.ptp(step.weights[wrong] - weights[wrong]) < 1e-12  # each mistake gains the same
            assert np.ptp(step.weights[~wrong] / weights[~wrong]) < 1e-12  # each other is scaled alike
    poor = trials_step(np.ones(10), np.arange(10) < 5)
    assert not poor.keep and poor.stop == "a tree is too inaccurate"
    assert trials_step(np.full(10, 0.05), np.arange(10) < 1).stop == "a tree is very accurate"


def test_trials_vote_by_confidence() -> None:
    X, y = load_wine(return_X_y=True)
    model = BoostedClassifier(C45Classifier(max_depth=2), method="trials", n_estimators=4).fit(X, y)
    data = encode(X)
    expected = np.mean([predict_distribution(t, data, t.distributions(m_estimate=1.0)) for t in model.forest_], axis=0)
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-12)
    assert (model.estimator_weights_ == 1).all()
    first = model.forest_.tree(0)
    assert first == C45Classifier(max_depth=2).fit(X, y).tree_


def test_sample_weights_start_and_are_examples() -> None:
    X, y = load_iris(return_X_y=True)
    counts = np.random.default_rng(1).integers(0, 3, len(y))
    many = np.repeat(np.arange(len(y)), counts)
    for method in ("samme", "trials"):
        weighed = BoostedClassifier(CARTClassifier(max_depth=2), 6, method=method).fit(X, y, counts)
        repeated = BoostedClassifier(CARTClassifier(max_depth=2), 6, method=method).fit(X[many], y[many])
        np.testing.assert_allclose(weighed.estimator_errors_, repeated.estimator_errors_, atol=1e-12)
        np.testing.assert_allclose(weighed.predict_proba(X), repeated.predict_proba(X), atol=1e-9)


def test_stops_of_the_classics() -> None:
    X, y = load_play_tennis()
    perfect = BoostedClassifier(ID3Classifier()).fit(X, y)
    assert len(perfect.forest_) == 1 and perfect.stopped_ == "a tree makes no mistake"
    assert perfect.estimator_weights_.tolist() == [1.0]
    assert perfect.estimators_[0].tree_ == ID3Classifier().fit(X, y).tree_
    guess = BoostedClassifier().fit([[0], [0]], ["a", "b"])
    assert len(guess.forest_) == 1 and guess.stopped_ == "a tree is no better than guessing"
    assert guess.estimator_errors_.tolist() == [0.5] and guess.predict([[0]]) == ["a"]
    assert BoostedClassifier().fit([[0], [1]], ["a", "a"]).predict([[5]]) == ["a"]


def test_early_stopping_keeps_the_best_number_of_trees() -> None:
    random = np.random.default_rng(3)
    X = random.normal(size=(400, 5))
    y = (X[:, 0] + X[:, 1] > 0) ^ (random.random(400) < 0.2)
    options = {"n_estimators": 200, "early_stopping": True, "n_iter_no_change": 5}
    held = BoostedClassifier(CARTClassifier(max_depth=3), **options).fit(X[:250], y[:250], X_val=X[250:], y_val=y[250:])
    errors = held.boosting_curve_["held-out error"]
    assert len(held.forest_) == int(np.argmin(errors)) + 1 and len(errors) == len(held.forest_) + 5 < 200
    assert 1 - held.score(X[250:], y[250:]) == pytest.approx(errors.min())
    assert "held out in 5 rounds" in held.stopped_
    whole = BoostedClassifier(CARTClassifier(max_depth=3), n_estimators=len(errors)).fit(X[:250], y[:250])
    scores = list(whole.staged_score(X[250:], y[250:]))
    np.testing.assert_allclose(1 - np.array(scores), errors)
    share = BoostedClassifier(CARTClassifier(max_depth=3), validation_fraction=0.3, **options).fit(X, y)
    again = clone(share).set_params(n_jobs=2).fit(X, y)
    assert share.forest_ == again.forest_ and len(share.forest_) < 200


@pytest.mark.parametrize("options", [{}, {"method": "trials"}, {"early_stopping": True, "random_state": None}])
def test_warm_start_goes_on_as_if_grown_at_once(options: dict[str, Any]) -> None:
    X, y = load_wine(return_X_y=True)
    model = BoostedClassifier(CARTClassifier(max_depth=1), n_estimators=4, warm_start=True, **options).fit(X, y)
    few, seed = model.forest_, model.seed_
    model.set_params(n_estimators=9).fit(X, y)
    whole = BoostedClassifier(CARTClassifier(max_depth=1), n_estimators=9, **options)
    whole.set_params(random_state=seed).fit(X, y)
    assert model.forest_ == whole.forest_ and len(model.forest_) >= len(few)
    np.testing.assert_array_equal(model.estimator_errors_, whole.estimator_errors_)
    with pytest.raises(DataError, match="warm_start=True"):
        model.fit(X, np.roll(y, 1))
    with pytest.raises(ParameterError, match="larger or equal"):
        model.set_params(n_estimators=1).fit(X, y)


def test_text_unknown_values_costs_and_pruning() -> None:
    X, y = load_play_tennis()
    X = {name: list(column) for name, column in X.items()}
    X["Wind"][3] = None
    balanced = CARTClassifier(max_depth=2, class_weight="balanced")
    for tree in (C45Classifier(prune=True), CARTClassifier(prune="reduced_error"), balanced):
        model = BoostedClassifier(tree, n_estimators=5).fit(X, y)
        shares = model.predict_proba(X)
        np.testing.assert_allclose(shares.sum(axis=1), 1)
        assert (model.agreement(X) == shares.max(axis=1)).all()
    costly = CARTClassifier(max_depth=1, cost_matrix={("No", "Yes"): 20})
    model = BoostedClassifier(costly, n_estimators=8).fit(X, y)
    expected = np.where(model.predict_proba(X) @ [[0, 20], [1, 0]] @ [-1, 1] > 0, "No", "Yes")
    assert (model.predict(X) == expected).all()


def test_ctrl_c_keeps_the_trees() -> None:
    X, y = load_wine(return_X_y=True)

    def tick(done: int, total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    model = BoostedClassifier(progress=tick)
    with pytest.raises(KeyboardInterrupt, match="3 of 50"):
        model.fit(X, y)
    assert not hasattr(model, "forest_")
    model = model.partial_
    assert model.forest_.partial and len(model.forest_) == 3 == len(model.estimator_weights_)
    assert model.forest_.tree(2) == BoostedClassifier(n_estimators=3).fit(X, y).forest_.tree(2)
    model.set_params(n_estimators=5, warm_start=True, progress=None).fit(X, y)
    assert model.forest_ == BoostedClassifier(n_estimators=5).fit(X, y).forest_ and not model.forest_.partial


@pytest.mark.parametrize(
    ("parameters", "part"),
    [
        ({"method": "real"}, "method='real'"),
        ({"n_estimators": 0}, "n_estimators=0"),
        ({"learning_rate": 0}, "learning_rate=0"),
        ({"method": "trials", "learning_rate": 0.5}, "learning_rate=0.5"),
        ({"estimator": CARTRegressor()}, "estimator="),
        ({"n_iter_no_change": 0}, "n_iter_no_change=0"),
        ({"validation_fraction": 1.0}, "validation_fraction=1.0"),
    ],
)
def test_wrong_parameters_are_named(parameters: dict[str, Any], part: str) -> None:
    with pytest.raises(ParameterError, match=part):
        BoostedClassifier(**parameters).fit([[0], [1]], ["a", "b"])


def test_validation_rows_need_early_stopping_and_both_parts() -> None:
    with pytest.raises(ParameterError, match="early_stopping=True"):
        BoostedClassifier().fit([[0], [1]], ["a", "b"], X_val=[[0]], y_val=["a"])
    with pytest.raises(DataError, match="y_val is None"):
        BoostedClassifier(early_stopping=True).fit([[0], [1]], ["a", "b"], X_val=[[0]])

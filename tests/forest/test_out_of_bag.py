"""Out of the bag: against plain loops over rows and trees; the curve; the rule that stops when it is flat."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris, make_classification
from sklearn.metrics import balanced_accuracy_score, mean_absolute_error, r2_score

from quercus import (
    BaggingClassifier,
    BaggingRegressor,
    C45Classifier,
    CARTRegressor,
    PARTClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from quercus.data import encode, encode_classes
from quercus.errors import DataError, ParameterError
from quercus.forests import FlatCurve, out_of_bag
from quercus.growing.cart import cart_recipe
from quercus.growing.forest import Sampling, drawn_counts, grow_forest
from quercus.pruning.curves import Curve

IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)

CLASSIFIERS = [
    RandomForestClassifier(12, random_state=1),
    RandomForestClassifier(12, vote="majority", replacement="without"),
    RandomForestClassifier(7, max_samples=0.4, random_thresholds=True),
    BaggingClassifier(C45Classifier(smoothing="laplace"), 8),
    BaggingClassifier(C45Classifier(), 8, vote="majority"),
    BaggingClassifier(PARTClassifier(), 6),
]


def plain_answers(forest: Any, X: Any, n_classes: int) -> list[list[float]]:
    """For each row the mean of what the members say that did not draw it; no NumPy tricks."""
    members = list(forest.estimators_)
    drawn = [drawn_counts(forest.sampling_, forest.seed_, number, len(X)) for number in range(len(members))]
    said = [member.predict_proba(X) for member in members]
    answers = []
    for row in range(len(X)):
        sums, count = [0.0] * n_classes, 0
        for number in range(len(members)):
            if drawn[number][row] > 0:
                continue
            shares = said[number][row].tolist()
            if getattr(forest, "vote", "") == "majority":
                shares = [1.0 if code == shares.index(max(shares)) else 0.0 for code in range(n_classes)]
            sums = [total + share for total, share in zip(sums, shares, strict=True)]
            count += 1
        answers.append([total / count for total in sums] if count else [math.nan] * n_classes)
    return answers


@pytest.mark.filterwarnings("ignore:.*rows were drawn for every member")
@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=lambda model: repr(model)[:60])
def test_answers_and_score_equal_plain_loops(estimator: Any) -> None:
    X, y = IRIS
    forest = estimator.set_params(oob_score=True).fit(X, y)
    expected = plain_answers(forest, X, 3)
    assert np.allclose(forest.oob_decision_function_, expected, atol=1e-12, equal_nan=True)
    right = [max(range(3), key=shares.__getitem__) == y[row] for row, shares in enumerate(expected) if shares[0] >= 0]
    assert forest.oob_score_ == pytest.approx(sum(right) / len(right))


@pytest.mark.filterwarnings("ignore:.*rows were drawn for every member")
@pytest.mark.parametrize("estimator", [RandomForestRegressor(9), BaggingRegressor(CARTRegressor(max_depth=4), 9)])
def test_numbers_equal_plain_loops(estimator: Any) -> None:
    X, y = DIABETES
    forest = estimator.set_params(oob_score=True).fit(X, y)
    said = [member.predict(X) for member in forest.estimators_]
    drawn = [drawn_counts(forest.sampling_, forest.seed_, number, len(X)) for number in range(9)]
    known: list[tuple[float, float]] = []
    for row in range(len(X)):
        numbers = [said[number][row] for number in range(9) if drawn[number][row] == 0]
        if not numbers:
            assert math.isnan(forest.oob_prediction_[row])
            continue
        assert forest.oob_prediction_[row] == pytest.approx(sum(numbers) / len(numbers))
        known.append((y[row], sum(numbers) / len(numbers)))
    assert forest.oob_score_ == pytest.approx(r2_score(*zip(*known, strict=True)))


@pytest.mark.filterwarnings("ignore:.*rows were drawn for every member")
def test_the_curve_is_the_error_of_smaller_forests() -> None:
    X, y = IRIS
    whole = RandomForestClassifier(15, oob_score=True).fit(X, y)
    curve = whole.oob_curve_
    assert curve["trees"].tolist() == list(range(1, 16))
    for trees in (1, 4, 15):
        smaller = RandomForestClassifier(trees, oob_score=True).fit(X, y)
        assert curve["error"][trees - 1] == pytest.approx(1 - smaller.oob_score_)
        known = ~np.isnan(smaller.oob_decision_function_[:, 0])
        assert curve["answered"][trees - 1] == pytest.approx(known.mean())
    assert "out-of-bag error against the number of trees" in str(curve)


def test_a_long_curve_has_a_hundred_points_and_ends_with_all_trees() -> None:
    curve = RandomForestClassifier(250, oob_score=True).fit(*IRIS).oob_curve_
    assert len(curve) <= 100 and curve["trees"][-1] == 250 and curve["answered"][-1] == 1.0


def test_costs_are_what_the_curve_counts() -> None:
    X, y = make_classification(300, flip_y=0.2, random_state=0)
    costs = np.array([[0, 5], [1, 0]])
    forest = RandomForestClassifier(40, cost_matrix=costs, oob_score=True).fit(X, y)
    labels = (forest.oob_decision_function_ @ costs).round(9).argmin(axis=1)  # the first class if tied
    assert forest.oob_curve_["mean cost"][-1] == pytest.approx(costs[y, labels].mean())
    assert forest.oob_score_ == pytest.approx((labels == y).mean())


def test_weights_count_in_the_score_and_rows_without_weight_are_answered_by_all() -> None:
    X, y = IRIS
    weights = np.where(np.arange(150) % 5 == 0, 0.0, np.arange(150) % 3 + 1.0)
    forest = RandomForestClassifier(60, max_depth=1, oob_score=True).fit(X, y, sample_weight=weights)
    without = weights == 0
    assert np.allclose(forest.oob_decision_function_[without], forest.predict_proba(X[without]))
    right = forest.oob_decision_function_.argmax(axis=1) == y
    assert forest.oob_score_ == pytest.approx(np.average(right, weights=weights))
    fewer = RandomForestClassifier(60, max_depth=1, oob_score=True).fit(X[~without], y[~without], weights[~without])
    assert np.allclose(forest.oob_decision_function_[~without], fewer.oob_decision_function_)


def test_a_function_measures_in_its_own_way() -> None:
    X, y = IRIS
    forest = RandomForestClassifier(50, oob_score=balanced_accuracy_score).fit(X, y)
    assert forest.oob_score_ == balanced_accuracy_score(y, forest.oob_decision_function_.argmax(axis=1))
    numbers = RandomForestRegressor(50, oob_score=mean_absolute_error).fit(*DIABETES)
    assert numbers.oob_score_ == pytest.approx(mean_absolute_error(DIABETES[1], numbers.oob_prediction_))


def test_rows_that_every_tree_has_seen_are_told_of() -> None:
    with pytest.warns(UserWarning, match=r"of 150 rows were drawn for every member"):
        forest = RandomForestClassifier(1, oob_score=True).fit(*IRIS)
    assert np.isnan(forest.oob_decision_function_[:, 0]).sum() > 50


def test_growing_stops_when_the_curve_is_flat() -> None:
    X, y = IRIS
    rule = FlatCurve(window=10, tolerance=0.05, least=20, every=5)
    short = RandomForestClassifier(500, stop_when_flat=rule, oob_score=True).fit(X, y)
    count = len(short.forest_)
    assert 20 <= count < 500 and count % 5 == 0 and not short.forest_.partial
    assert rule.is_flat(short.oob_curve_["trees"], short.oob_curve_["error"], constant_error=2 / 3)
    whole = RandomForestClassifier(count, oob_score=True).fit(X, y)
    assert short.forest_ == whole.forest_
    checked = [
        n for n in range(5, count, 5) if rule.is_flat(*(whole.oob_curve_[c][:n] for c in ("trees", "error")), 2 / 3)
    ]
    assert checked == []
    assert len(RandomForestClassifier(30, stop_when_flat=FlatCurve(tolerance=0)).fit(X, y).forest_) == 30


def test_flatness_is_the_same_for_numbers_of_any_scale() -> None:
    X, y = DIABETES
    rule = FlatCurve(window=15, tolerance=0.02, least=20, every=5)
    sizes = [len(RandomForestRegressor(400, stop_when_flat=rule).fit(X, scale * y).forest_) for scale in (1, 1024)]
    assert sizes[0] == sizes[1] < 400


def test_the_flat_rule_by_hand() -> None:
    rule = FlatCurve(window=3, tolerance=0.1, least=5, every=1)
    trees = np.arange(1, 9)
    errors = np.array([0.9, 0.5, 0.4, 0.35, 0.34, 0.33, 0.33, 0.33])
    assert [rule.is_flat(trees[:n], errors[:n], 0.3) for n in range(1, 9)] == [False] * 6 + [True, True]
    assert rule.flat_from(Curve("c", {"trees": trees, "error": errors}), 0.3) == 7
    assert rule.flat_from(Curve("c", {"trees": trees, "error": errors}), 0.01) is None
    assert not rule.is_flat(trees, np.full(8, np.nan), 0.3)
    for wrong in ({"window": 0}, {"tolerance": -1.0}, {"every": 1.5}, {"tolerance": float("nan")}):
        with pytest.raises(ParameterError):
            FlatCurve(**wrong)


def test_rows_and_draws_must_fit() -> None:
    x, y = encode({"x": np.arange(20.0)}), encode_classes(np.arange(20) > 9)
    forest = grow_forest(x, y, cart_recipe(), Sampling(), 5, seed=0)
    with pytest.raises(ParameterError, match="no row is out of the bag"):
        out_of_bag(forest, x, y, Sampling(bootstrap="no"), seed=0)
    with pytest.raises(DataError, match="does not fit the forest"):
        out_of_bag(forest, x, np.arange(20.0), Sampling(), seed=0)
    with pytest.raises(DataError, match="there are 20 rows"):
        out_of_bag(forest, x, encode_classes(np.arange(19) > 9), Sampling(), seed=0)


def test_boolean_classes_are_answered_out_of_bag() -> None:
    x = np.arange(60.0)
    model = RandomForestClassifier(20, oob_score=True).fit({"x": x}, x > 29)
    assert model.oob_score_ > 0.9
    assert model.predict({"x": [0.0, 59.0]}).tolist() == [False, True]

"""Evaluation by figures worked out by hand, beside scikit-learn, and on awkward rows."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from sklearn import metrics

from quercus import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier, RIPPERClassifier
from quercus.datasets import load_play_tennis
from quercus.errors import DataError, ParameterError
from quercus.evaluation import ClassScores, NumberScores, calibration, evaluate
from quercus.rules.yardsticks import wilson


class Fixed:
    """A classifier that answers by probabilities given in advance."""

    def __init__(self, classes: list[Any], probabilities: Any, costs: Any = None) -> None:
        self.classes_ = np.array(classes)
        self.cost_matrix = costs
        self.probabilities = np.asarray(probabilities, dtype=float)

    def predict_proba(self, X: Any) -> Any:
        return self.probabilities

    def predict(self, X: Any) -> Any:
        return self.classes_[self.probabilities.argmax(axis=1)]


X = np.zeros((4, 1))
MODEL = Fixed(["a", "b"], [[0.9, 0.1], [0.6, 0.4], [0.3, 0.7], [0.2, 0.8]])
TRUE = ["a", "b", "b", "a"]


def class_scores(model: Any, X: Any, y: Any, *rest: Any, **options: Any) -> ClassScores:
    scores = evaluate(model, X, y, *rest, **options).test
    assert isinstance(scores, ClassScores)
    return scores


def test_the_figures_of_four_rows_are_those_worked_out_by_hand() -> None:
    scores = class_scores(MODEL, X, TRUE)
    assert scores.confusion.tolist() == [[1, 1], [1, 1]]
    assert (scores.accuracy, scores.baseline) == (0.5, 0.5)
    assert (scores.low, scores.high) == wilson(2, 4)
    assert scores.brier == pytest.approx((0.1**2 + 0.6**2 + 0.3**2 + 0.8**2) / 4)
    assert scores.log_loss == pytest.approx(-(math.log(0.9) + math.log(0.4) + math.log(0.7) + math.log(0.2)) / 4)
    # pairs (a, b): 0.1 < 0.4, 0.1 < 0.7, 0.8 > 0.4, 0.8 > 0.7: two of four in order
    assert scores.auc == pytest.approx(0.5)
    # bins of b: 0.1 → 0, 0.4 → 1, 0.7 → 1, 0.8 → 0
    assert scores.calibration is not None
    assert scores.calibration.error == pytest.approx((0.1 + 0.6 + 0.3 + 0.8) / 4)
    assert [(row.precision, row.recall, row.f1, row.support) for row in scores.per_class] == [(0.5, 0.5, 0.5, 2)] * 2


def test_the_mean_cost_is_the_confusion_times_the_costs() -> None:
    costs = [[0, 10], [1, 0]]
    assert class_scores(MODEL, X, TRUE, cost_matrix=costs).mean_cost == pytest.approx((10 + 1) / 4)
    assert class_scores(Fixed(["a", "b"], MODEL.probabilities, costs), X, TRUE).mean_cost == pytest.approx(11 / 4)
    assert class_scores(MODEL, X, TRUE).mean_cost is None


def test_weight_three_counts_as_three_equal_rows() -> None:
    weights = np.array([3, 1, 2, 1])
    rows = np.repeat(np.arange(4), weights)
    many = Fixed(["a", "b"], MODEL.probabilities[rows])
    weighted = class_scores(MODEL, X, TRUE, weights).to_dict()
    repeated = class_scores(many, X[rows], np.array(TRUE)[rows]).to_dict()
    assert weighted.pop("rows") == 4 and repeated.pop("rows") == 7
    assert json.dumps(_rounded(weighted)) == json.dumps(_rounded(repeated))


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_rounded(entry) for entry in value]
    return round(value, 12) if isinstance(value, float) else value


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_scores_are_those_of_scikit_learn(n_classes: int) -> None:
    numbers = np.random.default_rng(n_classes)
    X = numbers.normal(size=(300, 4))
    y = (X[:, 0] * 2 + numbers.normal(size=300)).round().astype(int) % n_classes
    model = CARTClassifier(max_depth=3).fit(X[:200], y[:200])
    scores = class_scores(model, X[200:], y[200:])
    answers, shares, truth = model.predict(X[200:]), model.predict_proba(X[200:]), y[200:]
    assert scores.accuracy == pytest.approx(metrics.accuracy_score(truth, answers))
    assert scores.confusion.tolist() == metrics.confusion_matrix(truth, answers, labels=range(n_classes)).tolist()
    assert scores.log_loss == pytest.approx(metrics.log_loss(truth, shares, labels=range(n_classes)))
    f1 = metrics.f1_score(truth, answers, labels=range(n_classes), average=None, zero_division=np.nan)
    assert [row.f1 for row in scores.per_class] == pytest.approx(f1.tolist(), nan_ok=True)
    if n_classes == 2:
        assert scores.auc == pytest.approx(metrics.roc_auc_score(truth, shares[:, 1]))
        assert scores.brier == pytest.approx(metrics.brier_score_loss(truth, shares[:, 1]))
    else:
        assert scores.auc is None
        assert scores.brier == pytest.approx(((shares - np.eye(n_classes)[truth]) ** 2).sum(axis=1).mean())


def test_a_regression_has_the_scores_of_numbers() -> None:
    model = CARTRegressor(max_depth=1).fit([[1], [2], [3], [4]], [1.0, 1.0, 3.0, 5.0])
    scores = evaluate(model, [[1], [4]], [2.0, 6.0], train=([[1], [2]], [1.0, 1.0])).test
    assert isinstance(scores, NumberScores)  # answers 1 and 4: errors 1 and 2
    assert (scores.mae, scores.rmse) == (1.5, pytest.approx(math.sqrt(2.5)))
    assert scores.r2 == pytest.approx(1 - 5 / 8)
    assert scores.baseline == 2.0
    train = evaluate(model, [[1], [4]], [2.0, 6.0], train=([[1], [2]], [1.0, 1.0]))
    assert train.to_dict()["train"]["r2"] is None  # equal numbers have no variance to explain
    assert "train" in str(train).splitlines()[0]


def test_a_class_never_seen_in_fitting_is_a_mistake_with_a_row_of_its_own() -> None:
    scores = class_scores(MODEL, X, ["a", "b", "c", "a"])
    assert scores.classes == ("a", "b", "c")
    assert scores.confusion.tolist() == [[1, 1, 0], [1, 0, 0], [0, 1, 0]]
    assert scores.accuracy == 0.25
    assert scores.log_loss is not None and scores.log_loss > 8
    assert class_scores(MODEL, X, ["a", "b", "c", "a"], cost_matrix=[[0, 1], [1, 0]]).mean_cost is None


def test_rows_of_one_class_have_no_roc_and_no_precision_of_the_other() -> None:
    scores = class_scores(Fixed(["a", "b"], [[0.9, 0.1]] * 4), X, ["a"] * 4)
    assert scores.auc is None
    assert math.isnan(scores.per_class[1].precision)
    assert json.loads(json.dumps(scores.to_dict(), allow_nan=False))["per_class"][1]["precision"] is None


@pytest.mark.parametrize("labels", [[True, False], [0, 1], [1.0, 2.0]])
def test_labels_of_any_type_are_told_apart(labels: list[Any]) -> None:
    rows = [[0], [0], [1], [1]]
    truth = [labels[0], labels[0], labels[1], labels[1]]
    assert class_scores(ID3Classifier().fit(rows, truth), rows, truth).accuracy == 1.0


def test_the_cost_of_tests_is_shown_only_where_attributes_have_costs() -> None:
    table, labels = load_play_tennis()
    plain = class_scores(C45Classifier().fit(table, labels), table, labels)
    costly = C45Classifier(attribute_costs={"Outlook": 5.0, "Wind": 2.0}).fit(table, labels)
    assert plain.test_cost is None
    # Outlook is always asked, Wind on 5 of 14 days
    assert class_scores(costly, table, labels).test_cost == pytest.approx(5 + 2 * 5 / 14)
    assert "cost of tests" in str(evaluate(costly, table, labels))


def test_rule_learners_are_evaluated_too() -> None:
    table, labels = load_play_tennis()
    model = RIPPERClassifier().fit(table, labels)
    assert class_scores(model, table, labels).accuracy == pytest.approx(model.score(table, labels))


def test_many_classes_are_printed_as_their_largest_mistakes() -> None:
    names = [f"class {i}" for i in range(20)]
    shares = np.eye(20)[(np.arange(20) + 1) % 20]
    text = str(evaluate(Fixed(names, shares), np.zeros((20, 1)), names))
    assert "Most frequent mistakes" in text and "true \\ answered" not in text


def test_every_evaluation_is_strict_json() -> None:
    table, labels = load_play_tennis()
    found = evaluate(C45Classifier().fit(table, labels), table, labels, train=(table, labels))
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["train"]["accuracy"] == 1.0


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: evaluate(object(), X, TRUE), ParameterError, "must be a fitted"),
        (lambda: evaluate(MODEL, X, TRUE[:3]), DataError, "4 rows, but y has 3"),
        (lambda: evaluate(MODEL, X, TRUE, train=X), ParameterError, "tuple"),
        (lambda: evaluate(MODEL, X, TRUE, bins=0), ParameterError, "bins is 0"),
        (lambda: evaluate(MODEL, X, TRUE, confidence=2.0), ParameterError, "confidence is 2.0"),
        (lambda: evaluate(MODEL, X, TRUE, [1, 2]), DataError, "sample_weight"),
        (lambda: calibration([0.5], [True, False]), DataError, "one per row"),
    ],
)
def test_wrong_calls_are_refused_with_a_reason(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


def test_a_probability_on_a_border_belongs_to_the_bin_above_and_one_to_the_last() -> None:
    table = calibration([0.0, 0.3, 0.7, 1.0], [0, 0, 1, 1], bins=10)
    assert [place for place, entry in enumerate(table.bins) if entry.weight] == [0, 3, 7, 9]

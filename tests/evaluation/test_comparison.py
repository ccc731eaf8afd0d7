"""Comparing models: the corrected test by hand figures, folds shared by all, wins and losses."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier

from quercus import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier, RIPPERClassifier
from quercus.datasets import load_lemons_and_oranges, load_restaurant
from quercus.errors import DataError, ParameterError
from quercus.evaluation import compare_models, corrected_paired_test
from quercus.evaluation.taking import take_rows


def test_the_corrected_test_gives_the_figures_worked_out_by_hand() -> None:
    # mean 0.02; s² = (0 + 1 + 1 + 4 + 4)·1e-4 / 4 = 2.5e-4; (1/5 + 1/4)·s² = 1.125e-4
    found = corrected_paired_test([0.02, 0.03, 0.01, 0.04, 0.00], test_share=1 / 4)
    assert found.difference == pytest.approx(0.02)
    assert found.standard_error == pytest.approx(math.sqrt(1.125e-4))
    assert found.t == pytest.approx(0.02 / 0.010606601717798213)
    # Student's distribution of 4 degrees of freedom in closed form: F = 1/2 + 3/8 · u (1 − u²/12), u = t/√(1 + t²/4)
    u = found.t / math.sqrt(1 + found.t**2 / 4)
    assert found.p == pytest.approx(2 * (1 - (0.5 + 0.375 * u * (1 - u**2 / 12))))
    assert found.p == pytest.approx(0.132419, abs=1e-6)


def test_without_the_correction_it_is_the_paired_t_test() -> None:
    differences = np.random.default_rng(0).normal(0.1, 1.0, 30)
    found = corrected_paired_test(differences, test_share=0.0)
    plain = stats.ttest_1samp(differences, 0.0)
    assert (found.t, found.p) == (pytest.approx(plain.statistic), pytest.approx(plain.pvalue))
    assert corrected_paired_test(differences, test_share=1 / 9).p > found.p


@pytest.mark.parametrize(("differences", "t", "p"), [([0.0, 0.0], 0.0, 1.0), ([0.5, 0.5], math.inf, 0.0)])
def test_equal_differences_have_no_spread_to_divide_by(differences: list[float], t: float, p: float) -> None:
    found = corrected_paired_test(differences, 0.25)
    assert (found.t, found.p) == (t, p)


def test_the_correction_keeps_the_level_where_the_plain_test_does_not() -> None:
    """Two equally good guessers on overlapping training sets: at most about 5 % may be called different."""
    numbers = np.random.default_rng(1)
    plain = corrected = 0
    for _ in range(400):
        shared = numbers.normal(size=1)  # what the overlapping folds have in common
        differences = math.sqrt(0.1) * shared + math.sqrt(0.9) * numbers.normal(size=10)
        corrected += corrected_paired_test(differences, 1 / 9).p < 0.05
        plain += corrected_paired_test(differences, 0.0).p < 0.05
    assert corrected / 400 < 0.08 < plain / 400


class Recorder(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Remembers which rows it was fitted to and asked about."""

    seen: list[tuple[tuple[int, ...], tuple[int, ...]]] = []  # noqa: RUF012

    def fit(self, X: Any, y: Any) -> Recorder:
        self.classes_ = np.unique(y)
        self.rows_ = tuple(X[:, 0].astype(int).tolist())
        return self

    def predict(self, X: Any) -> Any:
        Recorder.seen.append((self.rows_, tuple(X[:, 0].astype(int).tolist())))
        return np.full(len(X), self.classes_[0])


def test_all_models_get_the_same_stratified_folds() -> None:
    Recorder.seen = []
    X, y = np.arange(40.0).reshape(-1, 1), np.array(["a"] * 30 + ["b"] * 10)
    compare_models({"one": Recorder(), "two": Recorder()}, X, y, folds=5, repeats=2)
    assert len(Recorder.seen) == 20
    assert Recorder.seen[0::2] == Recorder.seen[1::2]
    for training, left_out in Recorder.seen:
        assert sorted(training + left_out) == list(range(40))
        assert sum(row >= 30 for row in left_out) == 2
    first, second = Recorder.seen[0:10:2], Recorder.seen[10:20:2]
    for repeat in (first, second):
        assert sorted(row for _, left_out in repeat for row in left_out) == list(range(40))
    assert first != second


def test_scores_wins_and_the_test_fit_together() -> None:
    table, labels = load_lemons_and_oranges()
    models = {"dummy": DummyClassifier(), "cart": CARTClassifier(max_depth=1), "c45": C45Classifier()}
    found = compare_models(models, table, labels, folds=5, repeats=2)
    assert (found.measure, found.against, found.best.name) == ("accuracy", "c45", "c45")
    dummy = found["dummy"]
    assert dummy.wins + dummy.ties + dummy.losses == 10 == len(dummy.scores)
    assert dummy.losses == 10 and dummy.verdict == "worse"
    assert dummy.test is not None
    assert (
        dummy.test.p
        == corrected_paired_test(dummy.scores - found["c45"].scores, np.mean([30 / 119] * 8 + [29 / 120] * 2)).p
    )
    assert found["cart"].depth == 1 and found["cart"].size == 2
    assert (dummy.size, dummy.depth) == (None, None)
    assert found["c45"].test is None and found["c45"].mean == pytest.approx(found["c45"].scores.mean())
    assert found["c45"].spread == pytest.approx(found["c45"].scores.std(ddof=1))
    turned = compare_models(models, table, labels, folds=5, repeats=2, against="dummy")
    assert turned["c45"].verdict == "better" and turned["c45"].wins == 10


def test_costs_turn_the_order_round() -> None:
    table, labels = load_lemons_and_oranges()
    found = compare_models(
        {"dummy": DummyClassifier(), "c45": C45Classifier()}, table, labels, folds=3, cost_matrix=[[0, 1], [7, 0]]
    )
    assert found.measure == "mean cost"
    assert found["dummy"].mean == pytest.approx(7 * 49 / 149, rel=0.05)
    assert found.against == "c45" and found["dummy"].verdict == "worse" and found["dummy"].losses == 3


def test_regression_is_compared_by_the_share_of_variance() -> None:
    x = np.arange(60.0).reshape(-1, 1)
    found = compare_models({"stump": CARTRegressor(max_depth=1), "full": CARTRegressor()}, x, x[:, 0] ** 2, folds=5)
    assert found.measure == "R²" and found.best.name == "full"


def test_every_comparison_is_strict_json_and_prints_all_names() -> None:
    models = {"id3": ID3Classifier(), "ripper": RIPPERClassifier()}
    found = compare_models(models, *load_restaurant(), folds=3)
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert [row["name"] for row in data["models"]] == ["id3", "ripper"]
    assert found["ripper"].size_unit == "rules" and found["ripper"].depth is None
    assert "ripper" in str(found) and "compared with" in str(found)


def test_progress_counts_every_fit() -> None:
    calls: list[tuple[int, int]] = []
    models = {"id3": ID3Classifier(), "c45": C45Classifier()}
    compare_models(models, *load_restaurant(), folds=3, progress=lambda done, total: calls.append((done, total)))
    assert calls == [(i, 6) for i in range(1, 7)]


def test_weights_reach_fitting_and_scores() -> None:
    table, labels = load_restaurant()
    alike = compare_models({"id3": ID3Classifier()}, table, labels, np.full(12, 3.0), folds=4)
    plain = compare_models({"id3": ID3Classifier()}, table, labels, folds=4)
    assert alike["id3"].scores.tolist() == plain["id3"].scores.tolist()


@pytest.mark.parametrize(
    ("models", "options", "error", "words"),
    [
        ({}, {}, ParameterError, "at least one"),
        ({"a": ID3Classifier()}, {"against": "b"}, ParameterError, "against is 'b'"),
        ({"a": ID3Classifier(), "b": CARTRegressor()}, {}, ParameterError, "all classifiers or all regressors"),
        ({"a": object()}, {}, ParameterError, "neither"),
        ({"a": ID3Classifier()}, {"folds": 1}, ParameterError, "folds is 1"),
        ({"a": ID3Classifier()}, {"repeats": 0}, ParameterError, "repeats is 0"),
    ],
)
def test_wrong_calls_are_refused_with_a_reason(models: Any, options: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        compare_models(models, *load_restaurant(), **options)


def test_folds_of_one_number_are_refused() -> None:
    with pytest.raises(DataError, match="fewer folds"):
        compare_models({"a": CARTRegressor()}, np.zeros((4, 1)), [1.0, 2.0, 3.0, 4.0], folds=4)


def test_rows_are_taken_from_tables_of_any_kind() -> None:
    pa, pl, pd = (pytest.importorskip(name) for name in ("pyarrow", "polars", "pandas"))
    rows = np.array([2, 0])
    assert take_rows(pd.DataFrame({"x": [1, 2, 3]}), rows)["x"].tolist() == [3, 1]
    assert take_rows(pl.DataFrame({"x": [1, 2, 3]}), rows)["x"].to_list() == [3, 1]
    assert take_rows(pa.table({"x": [1, 2, 3]}), rows)["x"].to_pylist() == [3, 1]
    assert take_rows({"x": pa.array([1, 2, 3])}, rows)["x"].to_pylist() == [3, 1]
    assert take_rows([[1], [2], [3]], rows) == [[3], [1]]
    with pytest.raises(DataError):
        corrected_paired_test([1.0], 0.1)

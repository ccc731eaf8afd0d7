"""Bias and variance by the bootstrap: the parts add up to the error, and say of simple models what is known of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from quercus import CARTClassifier, CARTRegressor, RandomForestClassifier
from quercus.data.values import plain_value
from quercus.datasets import load_play_tennis, make_agrawal
from quercus.draw import bias_variance_chart
from quercus.draw.chart import Bars
from quercus.errors import DataError, ParameterError
from quercus.evaluation import stability


def by_hand(model: Any, X: Any, y: Any, samples: int) -> tuple[float, float, float]:
    """Error, bias and agreement row by row, from the same draws."""
    random, said = np.random.default_rng(0), [[] for _ in range(len(y))]
    for _ in range(samples):
        drawn = np.sort(random.integers(0, len(y), len(y)))
        fitted = clone(model).fit(X.iloc[drawn], y.iloc[drawn])
        for row in sorted(set(range(len(y))) - set(drawn.tolist())):
            said[row].append(fitted.predict(X.iloc[[row]])[0])
    rows = [row for row in range(len(y)) if len(said[row]) >= 2]
    error = np.mean([np.mean([one != y.iloc[row] for one in said[row]]) for row in rows])
    usual = {row: max(sorted(set(said[row])), key=said[row].count) for row in rows}
    bias = np.mean([usual[row] != y.iloc[row] for row in rows])
    agreement = np.mean(
        [np.mean([a == b for i, a in enumerate(s) for j, b in enumerate(s) if i != j]) for s in (said[r] for r in rows)]
    )
    return float(error), float(bias), float(agreement)


def test_the_parts_are_those_worked_out_row_by_row() -> None:
    X, y = load_play_tennis()
    result = stability(CARTClassifier(), X, y, samples=12)
    assert (result.error, result.bias, result.agreement) == pytest.approx(by_hand(CARTClassifier(), X, y, 12))
    assert sum(result.first_questions.values()) == 12 and result.sizes is not None and len(result.sizes) == 12


@pytest.mark.parametrize("depth", [0, 1, 3, None])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_parts_add_up(depth: int | None, n_classes: int) -> None:
    random = np.random.default_rng(3)
    X, y = random.random((60, 3)), random.integers(0, n_classes, 60)
    result = stability(CARTClassifier(max_depth=depth), X, y, random.random(60) + 0.1, samples=10)
    assert result.error == pytest.approx(result.bias + result.variance - result.lucky, abs=1e-12)
    numbers = stability(CARTRegressor(max_depth=depth), X, y.astype(float), samples=10)
    assert numbers.error == pytest.approx(numbers.bias + numbers.variance, abs=1e-12) and numbers.lucky == 0
    assert numbers.error == pytest.approx(float(np.mean(numbers.wrong + numbers.unrest)))


def test_a_model_that_cannot_change_has_no_variance() -> None:
    X, y = {"x": list(range(40))}, ["a"] * 30 + ["b"] * 10
    result = stability(CARTClassifier(max_depth=0), X, y, samples=30, X_test=X, y_test=y)
    assert (result.variance, result.lucky, result.agreement) == (0.0, 0.0, 1.0)
    assert result.bias == result.error == 0.25 and result.first_questions == {"none, one leaf": 30}
    assert result.n_rows == 40 and result.answers_per_row == 30


def test_depth_takes_bias_and_brings_variance_and_a_forest_takes_variance() -> None:
    X, y = make_agrawal(function=2, n_rows=200, random_state=1)
    stump, full = (stability(CARTClassifier(max_depth=depth), X, y, samples=25) for depth in (1, None))
    forest = stability(RandomForestClassifier(n_estimators=15, max_features=None, random_state=0), X, y, samples=25)
    assert full.bias < stump.bias and full.variance > stump.variance and forest.variance < full.variance
    assert forest.first_questions == {} and forest.size_unit == "trees"
    bars = bias_variance_chart({"stump": stump, "full": full, "forest": forest}).marks
    ends = [max(mark.length) for mark in bars[1::2] if isinstance(mark, Bars)]
    assert ends == pytest.approx([max(one.bias, one.error) for one in (stump, full, forest)])


def test_the_same_seed_gives_the_same_and_text_and_data_say_it() -> None:
    X, y = load_play_tennis()
    one, other = (stability(CARTClassifier(), X, y, samples=8, random_state=5) for _ in range(2))
    assert str(one) == str(other) and one.to_dict() == other.to_dict()
    assert "First question: " in str(one) and "= error" in str(one)
    assert repr(one).startswith("<Stability: error 0.") and not math.isnan(one.to_dict()["error"])
    assert {plain_value(label) for label in one.usual} <= {"No", "Yes"}


def test_classes_of_test_rows_that_no_model_knows_count_as_errors() -> None:
    result = stability(CARTClassifier(), {"x": [1, 2, 3, 4]}, list("aabb"), samples=6, X_test={"x": [1]}, y_test=["c"])
    assert result.error == result.bias == 1.0


def test_bad_input_is_refused() -> None:
    X, y = load_play_tennis()
    with pytest.raises(ParameterError, match="at least 2"):
        stability(CARTClassifier(), X, y, samples=1)
    with pytest.raises(ParameterError, match="belong together"):
        stability(CARTClassifier(), X, y, X_test=X)
    with pytest.raises(ParameterError, match="must be an estimator"):
        stability("tree", X, y)
    with pytest.raises(DataError, match="No row was left out"):
        stability(CARTClassifier(), {"x": [1]}, ["a"], samples=3)
    with pytest.raises(ParameterError, match="same measure"):
        bias_variance_chart({})

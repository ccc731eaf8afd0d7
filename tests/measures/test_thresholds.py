"""Thresholds: all of them, the candidates, and the best one."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quercus.errors import DataError, ParameterError
from quercus.measures import (
    absolute_error,
    all_thresholds,
    best_threshold,
    candidate_thresholds,
    contingency_table,
    error_reduction,
    gain,
    gain_ratio,
    gini_gain,
    poisson_deviance,
    squared_error,
    squared_error_reduction,
)
from quercus.measures.misclassification import accuracy_gain

MEASURES = {"entropy": gain, "gini": gini_gain, "misclassification": accuracy_gain, "gain_ratio": gain_ratio}
examples = st.lists(
    st.tuples(st.integers(-6, 6) | st.none(), st.sampled_from("abc"), st.integers(0, 3)), min_size=1, max_size=25
).filter(lambda rows: any(weight for _, _, weight in rows))


@settings(max_examples=100, deadline=None)
@given(examples, st.sampled_from(sorted(MEASURES)))
def test_the_best_threshold_is_found_by_trying_all(rows: list[tuple[int | None, str, int]], criterion: str) -> None:
    x, y, weights = zip(*rows, strict=True)
    known = [value for value, _, weight in rows if weight]
    measured = []
    for threshold in all_thresholds(known):
        table = contingency_table(x, y, weights=weights, threshold=threshold)
        measured.append(MEASURES[criterion](table.counts, unknown=table.unknown))
    best = best_threshold(x, y, criterion, weights=weights)
    if not measured:
        assert best is None
        return
    assert best is not None and best.n_thresholds == len(measured)
    assert best.value == pytest.approx(max(measured), abs=1e-9)
    first = next(i for i, value in enumerate(measured) if value >= max(measured) - 1e-12)
    assert best.threshold == all_thresholds(known)[first]


@settings(max_examples=150, deadline=None)
@given(examples, st.sampled_from(["entropy", "gini", "misclassification"]))
def test_candidates_at_class_changes_lose_nothing(rows: list[tuple[int | None, str, int]], criterion: str) -> None:
    x, y, weights = zip(*rows, strict=True)
    candidates = candidate_thresholds(x, y, weights=weights)
    known = [value for value, _, weight in rows if weight]
    assert set(candidates) <= set(all_thresholds(known))
    best = best_threshold(x, y, criterion, weights=weights)
    if best is None or best.value <= 1e-12:
        return
    tables = [contingency_table(x, y, weights=weights, threshold=candidate) for candidate in candidates]
    among = max(MEASURES[criterion](table.counts, unknown=table.unknown) for table in tables)
    assert among == pytest.approx(best.value, abs=1e-12)


def test_no_candidate_inside_a_run_of_one_class_but_beside_a_mixed_value() -> None:
    assert candidate_thresholds([1, 2, 3, 3, 4], list("aaaba")).tolist() == [2.5, 3.5]
    assert candidate_thresholds([1, 2, 2, 3], list("aaaa")).tolist() == []


def test_neighbouring_doubles_can_be_cut() -> None:
    low, high = 1.0, math.nextafter(1.0, 2.0)
    assert all_thresholds([low, high]).tolist() == [low]
    best = best_threshold([low, high], ["a", "b"])
    assert best is not None and best.value == 1.0 and best.threshold == low


def test_huge_and_tiny_values_have_midpoints() -> None:
    assert all_thresholds([-1e308, 1e308]).tolist() == [0.0]
    assert all_thresholds([1e308, 1.7e308])[0] == pytest.approx(1.35e308)
    assert all_thresholds([0.0, 5e-324]).tolist() == [0.0]


def test_a_constant_or_unknown_column_has_no_threshold() -> None:
    assert best_threshold([3, 3], ["a", "b"]) is None
    assert best_threshold([None, float("nan")], ["a", "b"]) is None
    assert best_threshold([3, 3], [1.0, 2.0], "squared_error") is None
    assert all_thresholds([]).size == 0


def test_unknown_values_lower_the_gain_by_the_known_share() -> None:
    best = best_threshold([1, 2, None, None], list("abab"))
    assert best is not None and best.value == pytest.approx(0.5)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_best_threshold_of_numbers(criterion: str) -> None:
    random = np.random.default_rng(3)
    x, y, weights = random.integers(0, 8, 40), random.poisson(3, 40), random.integers(1, 4, 40)
    x_unknown = np.where(random.random(40) < 0.2, np.nan, x)
    error, factor = {
        "squared_error": (squared_error, 1.0),
        "absolute_error": (absolute_error, 1.0),
        "poisson": (poisson_deviance, 0.5),
    }[criterion]
    reductions = []
    for threshold in all_thresholds(x_unknown):
        sides = [x_unknown <= threshold, x_unknown > threshold]
        lost = float(weights[np.isnan(x_unknown)].sum())
        fall = error_reduction([y[s] for s in sides], error, weights=[weights[s] for s in sides], unknown=lost)
        reductions.append(factor * fall)
    best = best_threshold(x_unknown, y, criterion, weights=weights)
    assert best is not None and best.value == pytest.approx(max(reductions), abs=1e-12)
    assert best.threshold == all_thresholds(x_unknown)[int(np.argmax(reductions))]


def test_squared_error_finds_a_step() -> None:
    best = best_threshold([1, 2, 3, 4], [5.0, 5.0, 9.0, 9.0], "squared_error")
    assert best is not None and best.threshold == 2.5
    assert best.value == squared_error_reduction([[5, 5], [9, 9]]) == 4.0


def test_what_cannot_be_cut_is_said() -> None:
    with pytest.raises(DataError, match="numbers"):
        best_threshold(["hot", "cold"], ["a", "b"])
    with pytest.raises(DataError, match="finite"):
        all_thresholds([1.0, math.inf])
    with pytest.raises(DataError, match="one length"):
        candidate_thresholds([1, 2, 3], ["a", "b"])
    with pytest.raises(ParameterError, match="gini"):
        best_threshold([1, 2], ["a", "b"], "ginny")

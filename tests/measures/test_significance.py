"""Significance: chi-square against SciPy and tables of critical values, permutations against exact counting."""

import math
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chi2_contingency, fisher_exact

from quercus.errors import DataError, ParameterError
from quercus.measures import chi_square, critical_value, gain, gain_of, permutation_significance


@pytest.mark.parametrize("table", [[[2, 3], [4, 0], [3, 2]], [[10, 1], [2, 9]], [[1.5, 2, 3], [4, 5.25, 6]]])
def test_chi_square_is_scipys(table: list[list[float]]) -> None:
    test, scipys = chi_square(table), chi2_contingency(table, correction=False)
    assert test.statistic == pytest.approx(scipys.statistic, abs=1e-12)
    assert test.degrees_of_freedom == scipys.dof
    assert test.p_value == pytest.approx(scipys.pvalue, abs=1e-12)


def test_empty_branches_and_classes_do_not_count() -> None:
    assert chi_square([[5, 0, 1], [0, 0, 0], [1, 0, 5]]) == chi_square([[5, 1], [1, 5]])


@pytest.mark.parametrize("table", [[[3, 4]], [[3], [4]], [[3, 0], [4, 0]], [[0, 0], [0, 0]]])
def test_without_degrees_of_freedom_nothing_is_significant(table: list[list[int]]) -> None:
    test = chi_square(table)
    assert (test.statistic, test.degrees_of_freedom, test.p_value) == (0.0, 0, 1.0)
    assert not test.is_significant(0.99)


@pytest.mark.parametrize(
    ("level", "degrees", "figure"),
    [(0.05, 1, "3.841"), (0.05, 2, "5.991"), (0.01, 1, "6.635"), (0.01, 3, "11.345"), (0.10, 4, "7.779")],
)
def test_critical_values_are_the_tables(level: float, degrees: int, figure: str) -> None:
    assert f"{critical_value(level, degrees):.3f}" == figure


def test_a_statistic_at_the_critical_value_is_significant() -> None:
    test = chi_square([[10, 2], [3, 11]])
    assert test.is_significant(0.05) and test.p_value < 0.05
    assert not chi_square([[6, 5], [5, 6]]).is_significant(0.05)


def test_chi_square_and_gain_tell_the_same_when_both_are_small() -> None:
    """2·N·ln 2·gain (the G statistic) tends to chi-square."""
    table = np.array([[505, 495], [490, 510]])
    assert 2 * table.sum() * math.log(2) * gain(table) == pytest.approx(chi_square(table).statistic, rel=1e-3)


def test_permutation_p_value_is_the_share_of_all_orders() -> None:
    values, labels = list("aaabbbc"), list("xxyyyyx")
    observed = gain_of(values, labels)
    orders = [gain_of(values, order) >= observed - 1e-12 for order in set(permutations(labels))]
    test = permutation_significance(values, labels, n_permutations=4000, seed=1)
    assert test.statistic == pytest.approx(observed)
    assert test.p_value == pytest.approx(sum(orders) / len(orders), abs=0.03)


def test_permutation_p_value_is_fishers() -> None:
    values, labels = ["a"] * 10 + ["b"] * 10, list("xxxxxxxyyy") + list("xxyyyyyyyy")
    exact = fisher_exact([[7, 3], [2, 8]]).pvalue
    test = permutation_significance(values, labels, n_permutations=4000)
    assert test.p_value == pytest.approx(exact, abs=0.02)


def test_the_observed_order_counts_as_one() -> None:
    values, labels = ["a"] * 20 + ["b"] * 20, ["x"] * 20 + ["y"] * 20
    test = permutation_significance(values, labels, n_permutations=99)
    assert test.p_value == 1 / 100 and test.n_permutations == 99
    assert test.is_significant(0.01) and not test.is_significant(0.005)
    assert permutation_significance(["a"] * 4, list("xyxy"), n_permutations=10).p_value == 1.0


def test_a_seed_gives_the_same_answer() -> None:
    random = np.random.default_rng(0)
    values, labels = random.integers(0, 3, 40), random.integers(0, 2, 40)
    answers = {permutation_significance(values, labels, n_permutations=50, seed=seed) for seed in (1, 1, 1)}
    assert len(answers) == 1


@pytest.mark.parametrize("measure", ["gain", "gain_ratio", "gini_gain", "accuracy_gain", "chi_square"])
def test_every_measure_sees_a_strong_split_and_not_noise(measure: str) -> None:
    strong, labels = ["a"] * 10 + ["b"] * 10, ["x"] * 9 + ["y"] * 10 + ["x"]
    assert permutation_significance(strong, labels, measure=measure, n_permutations=99).p_value <= 0.05
    assert permutation_significance(list("ab") * 10, labels, measure=measure, n_permutations=99).p_value > 0.3


def test_the_best_threshold_is_searched_again_in_every_shuffle() -> None:
    """On noise, the best of 29 thresholds looks good by chi-square and is rightly not significant here."""
    random = np.random.default_rng(5)
    p_values = []
    for _ in range(20):
        x, y = random.random(30), random.integers(0, 2, 30)
        p_values.append(permutation_significance(x, y, threshold="best", n_permutations=39).p_value)
    assert np.mean(np.array(p_values) <= 0.1) <= 0.3
    step = permutation_significance(range(30), [0] * 15 + [1] * 15, threshold="best", n_permutations=99)
    assert step.p_value == 0.01 and step.statistic == 1.0


def test_a_given_threshold() -> None:
    x, y = list(range(30)), [0] * 15 + [1] * 15
    test = permutation_significance(x, y, threshold=14.5, n_permutations=99)
    assert test.statistic == 1.0 and test.p_value == 0.01


def test_unknown_values_and_weight_0_are_left_out() -> None:
    values, labels = ["a"] * 10 + ["b"] * 10, ["x"] * 8 + ["y"] * 10 + ["x"] * 2
    plain = permutation_significance(values, labels, n_permutations=99)
    more = permutation_significance([*values, "?", None, "c"], [*labels, "x", "y", "y"], n_permutations=99, missing="?",
                                    weights=[1.0] * 22 + [0.0])  # fmt: skip
    assert more == plain
    assert permutation_significance([None, None], ["x", "y"]).p_value == 1.0


def test_what_is_refused() -> None:
    with pytest.raises(ParameterError, match="between 0 and 1"):
        critical_value(1.5, 1)
    with pytest.raises(ParameterError, match="at least 1"):
        critical_value(0.05, 0)
    with pytest.raises(ParameterError, match="measure is 'gian'"):
        permutation_significance("ab", "xy", measure="gian")
    with pytest.raises(ParameterError, match="n_permutations must be at least 1"):
        permutation_significance("ab", "xy", n_permutations=0)
    with pytest.raises(ParameterError, match="threshold='best' works with"):
        permutation_significance([1, 2], "xy", measure="gain_ratio", threshold="best")
    with pytest.raises(DataError, match="2 values but there are 3 labels"):
        permutation_significance("ab", "xyz")

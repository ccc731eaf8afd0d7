"""The lecture's figures of thresholds: the temperature example and the split at 4.5."""

import pytest
from lecture.exact import exact_gain, is_exactly

from quercus.datasets import load_temperature_example, load_threshold_example
from quercus.measures import all_thresholds, best_threshold, candidate_thresholds, contingency_table, gain, gain_of

X_EXAMPLE = [0.3, 1.1, 1.8, 2.3, 3.2, 4.5, 4.8, 5.7, 6.0, 7.3, 7.9, 9.9, 10.1, 12.5, 12.6, 18.1]
Y_EXAMPLE = [1, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 0, 1]


def test_temperature_has_candidates_54_and_85() -> None:
    X, y = load_temperature_example()
    assert candidate_thresholds(X["Temperature"], y).tolist() == [54.0, 85.0]
    assert all_thresholds(X["Temperature"]).tolist() == [44.0, 54.0, 66.0, 76.0, 85.0]


def test_the_better_candidate_of_temperature_is_54() -> None:
    X, y = load_temperature_example()
    best = best_threshold(X["Temperature"], y)
    assert best is not None and best.threshold == 54.0 and best.n_thresholds == 5
    assert is_exactly(best.value, exact_gain([[2, 0], [1, 3]]), "0.459")
    assert is_exactly(gain_of(X["Temperature"], y, threshold=85), exact_gain([[2, 3], [1, 0]]), "0.191")


def test_the_split_at_4_5() -> None:
    table = contingency_table(X_EXAMPLE, Y_EXAMPLE, threshold=4.5)
    assert table.classes == (0, 1)
    assert table.counts.tolist() == [[1, 5], [6, 4]]
    shares = table.counts[:, 1] / table.counts.sum(axis=1)
    assert shares.tolist() == pytest.approx([5 / 6, 4 / 10], abs=1e-12)
    assert is_exactly(gain(table.counts), exact_gain([[1, 5], [6, 4]]), "0.138")


def test_no_threshold_of_the_example_gains_more_than_the_split_at_4_5() -> None:
    best = best_threshold(X_EXAMPLE, Y_EXAMPLE)
    assert best is not None and best.threshold == pytest.approx(4.65)
    assert best.value == pytest.approx(gain([[1, 5], [6, 4]]), abs=1e-12)


def test_the_loaded_example_is_the_lectures() -> None:
    X, y = load_threshold_example()
    assert [float(value) for value in X.iloc[:, 0]] == X_EXAMPLE
    assert [int(value) for value in y] == Y_EXAMPLE


def test_an_example_without_x_gets_the_weighted_share_of_both_branches() -> None:
    table = contingency_table(X_EXAMPLE, Y_EXAMPLE, threshold=4.5)
    sizes = table.counts.sum(axis=1)
    shares = table.counts[:, 1] / sizes
    assert float(shares @ (sizes / sizes.sum())) == pytest.approx(0.5625, abs=1e-12)

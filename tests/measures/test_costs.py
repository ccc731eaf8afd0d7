"""Costs of tests and of wrong labels."""

import numpy as np
import pytest

from quercus.errors import DataError, ParameterError
from quercus.measures import cost_multipliers, eg2, expected_costs, idx, misclassification_error, nunez, tan_schlimmer


def test_measures_of_arrays_are_those_of_their_numbers() -> None:
    gains, costs = np.array([0.0, 0.1, 0.9, 2.0]), np.array([1.0, 23.0, 150.0, 0.5])
    for measure in (tan_schlimmer, nunez, eg2, idx):
        assert measure(gains, costs).tolist() == [
            measure(float(g), float(c)) for g, c in zip(gains, costs, strict=True)
        ]


def test_formulas() -> None:
    assert tan_schlimmer(0.3, 7.0) == pytest.approx(0.3**2 / 7, abs=1e-15)
    assert nunez(0.3, 7.0, w=0.4) == pytest.approx((2**0.3 - 1) / 8**0.4, abs=1e-15)
    assert eg2(0.3, 7.0) == pytest.approx((2**0.3 - 1) / 8, abs=1e-15)
    assert idx(0.3, 7.0) == pytest.approx(0.3 / 7, abs=1e-15)


def test_without_importance_of_cost_the_order_is_that_of_gain() -> None:
    gains = np.linspace(0, 3, 20)
    assert (np.diff(nunez(gains, np.linspace(100, 0, 20), w=0)) > 0).all()


def test_a_free_test_needs_nunez() -> None:
    assert nunez(1.0, 0.0) == 1.0
    for measure in (tan_schlimmer, idx):
        with pytest.raises(DataError, match="which divides by it, but 0 was given; use nunez"):
            measure(1.0, 0.0)
    with pytest.raises(DataError, match="cost must not be negative"):
        nunez(1.0, -1.0)


@pytest.mark.parametrize("w", [-0.1, 1.1, float("nan")])
def test_w_lies_between_0_and_1(w: float) -> None:
    with pytest.raises(ParameterError, match="w must be from 0"):
        nunez(1.0, 1.0, w=w)


def test_expected_costs_with_equal_losses_are_errors() -> None:
    equal = 1 - np.eye(3)
    assert expected_costs([5, 3, 2], equal).tolist() == pytest.approx([0.5, 0.7, 0.8])
    assert expected_costs([5, 3, 2], equal).min() == pytest.approx(misclassification_error([5, 3, 2]))


def test_a_costly_miss_changes_the_label() -> None:
    assert expected_costs([8, 2], [[0, 1], [10, 0]]).argmin() == 1
    assert expected_costs([8, 2], [[0, 1], [1, 0]]).argmin() == 0


def test_multipliers_have_mean_1_and_equal_losses_change_nothing() -> None:
    assert cost_multipliers(1 - np.eye(4)).tolist() == [1.0] * 4
    assert cost_multipliers([[0, 1, 2], [5, 0, 1], [1, 1, 0]]).mean() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("counts", "matrix", "message"),
    [
        ([1, 2], [[0, 1]], "square"),
        ([1, 2], [[0, 1], [2, 3]], "diagonal"),
        ([1, 2, 3], [[0, 1], [2, 0]], "2 classes are needed"),
        ([0, 0], [[0, 1], [2, 0]], "not all be 0"),
        ([1, 2], [[0, -1], [2, 0]], "negative"),
    ],
)
def test_what_is_refused(counts: object, matrix: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        expected_costs(counts, matrix)


def test_a_matrix_without_any_cost_has_no_multipliers() -> None:
    with pytest.raises(DataError, match="at least one cost above 0"):
        cost_multipliers([[0, 0], [0, 0]])

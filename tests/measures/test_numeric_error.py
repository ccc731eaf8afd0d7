"""Errors of numbers: against NumPy, scikit-learn and their definitions."""

import numpy as np
import pytest
from sklearn.metrics import mean_poisson_deviance

from quercus.errors import DataError
from quercus.measures import (
    absolute_error,
    error_reduction,
    lower_median,
    poisson_deviance,
    squared_error,
    squared_error_reduction,
)

Y = [1.0, 4.0, 2.0, 8.0, 5.0, 7.0]
W = [1, 3, 2, 1, 2, 1]
COPIES = np.repeat(Y, W)


def test_squared_error_is_the_variance() -> None:
    assert squared_error(Y) == pytest.approx(np.var(Y), abs=1e-12)
    assert squared_error(Y, weights=W) == pytest.approx(np.var(COPIES), abs=1e-12)


def test_a_far_offset_costs_no_digits() -> None:
    assert squared_error(np.array([1e9, 1e9 + 1, 1e9 + 2])) == pytest.approx(2 / 3, rel=1e-12)


def test_absolute_error_is_the_least_of_any_prediction() -> None:
    assert absolute_error(Y, weights=W) == pytest.approx(absolute_error(COPIES), abs=1e-12)
    assert absolute_error(Y) == pytest.approx(min(np.abs(np.subtract(Y, m)).mean() for m in np.linspace(0, 9, 181)))


def test_the_lower_median() -> None:
    assert lower_median([1, 2, 3, 4]) == 2.0
    assert lower_median([4, 1], weights=[3, 1]) == 4.0
    assert lower_median([4, 1], weights=[1, 1]) == 1.0


def test_poisson_deviance_is_scikit_learns() -> None:
    for y in (Y, [0.0, 0.0, 3.0], COPIES):
        assert poisson_deviance(y) == pytest.approx(mean_poisson_deviance(y, np.full(len(y), np.mean(y))), abs=1e-12)
    assert poisson_deviance(Y, weights=W) == pytest.approx(poisson_deviance(COPIES), abs=1e-12)
    assert poisson_deviance([0, 0]) == 0.0


def test_no_number_has_no_error() -> None:
    for error in (squared_error, absolute_error, poisson_deviance):
        assert error([]) == 0.0
        assert error([3.0, 4.0], weights=[0, 0]) == 0.0
        assert error([3.0, 9.0], weights=[1, 0]) == 0.0


@pytest.mark.parametrize("error", [squared_error, absolute_error, poisson_deviance])
def test_a_reduction_never_falls_below_0_and_weights_are_copies(error) -> None:
    random = np.random.default_rng(0)
    for _ in range(20):
        branches = [random.poisson(4, random.integers(1, 9)).astype(float) for _ in range(3)]
        weights = [random.integers(1, 4, len(branch)) for branch in branches]
        fall = error_reduction(branches, error, weights=weights)
        copies = [np.repeat(branch, weight) for branch, weight in zip(branches, weights, strict=True)]
        assert fall >= -1e-12
        assert fall == pytest.approx(error_reduction(copies, error), abs=1e-12)


def test_squared_error_reduction_is_the_variance_between_branches() -> None:
    branches = [[1.0, 2.0, 3.0], [7.0, 9.0], []]
    means, mean = np.array([2.0, 8.0]), 22 / 5
    assert squared_error_reduction(branches) == pytest.approx(np.array([3, 2]) / 5 @ (means - mean) ** 2, abs=1e-12)
    assert squared_error_reduction(branches, unknown=5) == pytest.approx(squared_error_reduction(branches) / 2)
    assert squared_error_reduction([[], []]) == 0.0


def test_what_is_refused() -> None:
    with pytest.raises(DataError, match="must not be negative, but -1"):
        poisson_deviance([-1, 2])
    with pytest.raises(DataError, match="one column"):
        squared_error([[1, 2], [3, 4]])
    with pytest.raises(DataError, match="weights must match y"):
        squared_error([1, 2], weights=[1])
    with pytest.raises(DataError, match="weights must match branches"):
        squared_error_reduction([[1], [2]], weights=[[1]])
    with pytest.raises(DataError, match="at least one branch"):
        squared_error_reduction([])
    with pytest.raises(DataError, match="median"):
        lower_median([])

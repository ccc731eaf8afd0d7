"""Entropy and its relatives at their edges, and what they refuse."""

import math

import numpy as np
import pytest

from quercus.errors import DataError, ParameterError
from quercus.measures import (
    conditional_entropy,
    entropy,
    gain,
    gini,
    information,
    joint_entropy,
    misclassification_error,
    mutual_information,
    specific_conditional_entropy,
)


def test_zero_counts_add_nothing() -> None:
    assert entropy([3, 0, 3]) == entropy([3, 3]) == 1.0
    assert entropy([0, 7]) == 0.0
    assert str(entropy([0, 7])) == "0.0"  # not -0.0


def test_no_example_has_no_impurity() -> None:
    assert entropy([0, 0]) == gini([0, 0]) == misclassification_error([0, 0]) == 0.0
    assert conditional_entropy([[0, 0], [1, 1]]) == 1.0
    assert gain([[0, 0], [0, 0]]) == 0.0


@pytest.mark.parametrize("scale", [5e-324, 1e-310, 1e-300, 1.0, 1e300, 8e307])
def test_no_size_of_counts_overflows_or_underflows(scale: float) -> None:
    with np.errstate(all="raise"):
        assert entropy([scale] * 4) == 2.0
        assert gini([scale] * 4) == 0.75
        assert joint_entropy([[scale, scale], [scale, scale]]) == 2.0
        assert gain([[scale, 0], [0, scale]]) == 1.0
        assert gain([[scale, 0], [0, scale]], unknown=scale) == pytest.approx(2 / 3)


def test_bases() -> None:
    assert entropy([1, 1], base=math.e) == pytest.approx(math.log(2))
    assert entropy([1, 1], base=4) == 0.5
    assert information(0.01, base=10) == pytest.approx(2.0)
    assert mutual_information([[1, 0], [0, 1]], base=math.e) == pytest.approx(math.log(2))


def test_information_of_the_impossible_is_infinite() -> None:
    assert information(0) == math.inf
    assert str(information(1)) == "0.0"


@pytest.mark.parametrize("base", [1, 0.5, 0, -2, math.nan, math.inf])
def test_a_base_must_be_above_1(base: float) -> None:
    with pytest.raises(ParameterError, match="base must be a number above 1"):
        entropy([1, 1], base=base)
    with pytest.raises(ParameterError, match="base"):
        gain([[1, 0], [0, 1]], base=base)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([3, -1], "must not be negative, but -1.0 was given"),
        ([0.5, math.nan], "finite numbers, but nan was given"),
        ([0.5, math.inf], "finite numbers, but inf was given"),
        (["many", "few"], "must be numbers"),
        ([1 + 2j, 1], "must be numbers"),
        ([], "at least one number"),
        ([[1, 2], [3, 4]], r"one row of numbers, but the shape \(2, 2\)"),
        (5, "one row of numbers"),
    ],
)
def test_counts_that_are_none_are_refused(counts: object, message: str) -> None:
    for measure in (entropy, gini, misclassification_error):
        with pytest.raises(DataError, match=message):
            measure(counts)


@pytest.mark.parametrize("p", [-0.1, 1.1, math.nan])
def test_a_probability_lies_between_0_and_1(p: float) -> None:
    with pytest.raises(DataError, match="probability from 0 to 1"):
        information(p)


def test_a_table_has_rows_and_columns() -> None:
    with pytest.raises(DataError, match="must be a table"):
        joint_entropy([1, 2, 3])
    with pytest.raises(DataError, match="at least one row"):
        conditional_entropy(np.zeros((0, 2)))
    with pytest.raises(ParameterError, match="row must be from 0 to 1"):
        specific_conditional_entropy([[1, 2], [3, 4]], 2)

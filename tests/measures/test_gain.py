"""Gains, split information and gain ratio: unknown values, weights, user-written impurities, columns."""

import math

import numpy as np
import pytest

from quercus.errors import DataError
from quercus.measures import (
    accuracy_gain,
    contingency_table,
    entropy,
    gain,
    gain_of,
    gain_ratio,
    gain_ratio_of,
    gini,
    gini_gain,
    impurity_reduction,
    misclassification_error,
    split_information,
    split_information_of,
)

OUTLOOK = ["Sunny"] * 5 + ["Overcast"] * 4 + ["Rain"] * 5
PLAY = ["No"] * 3 + ["Yes"] * 2 + ["Yes"] * 4 + ["Yes"] * 3 + ["No"] * 2


def test_unknown_values_in_c45s_form() -> None:
    """One Overcast day unknown, 13 known: 13/14 of the gain over the known, unknown a fourth outcome of the split."""
    known = [[2, 3], [3, 0], [3, 2]]
    base = -(8 / 13) * math.log2(8 / 13) - (5 / 13) * math.log2(5 / 13)
    after = 2 * (5 / 13) * (-(2 / 5) * math.log2(2 / 5) - (3 / 5) * math.log2(3 / 5))
    assert gain(known, unknown=1) == pytest.approx(13 / 14 * (base - after), abs=1e-12)
    assert f"{gain(known, unknown=1):.3f}" == "0.199"
    divided = -sum(n / 14 * math.log2(n / 14) for n in (5, 3, 5, 1))
    assert split_information([5, 3, 5], unknown=1) == pytest.approx(divided, abs=1e-12)
    assert f"{divided:.3f}" == "1.809"
    assert gain_ratio(known, unknown=1) == pytest.approx(13 / 14 * (base - after) / divided, abs=1e-12)


def test_unknown_may_be_class_counts() -> None:
    assert gain([[2, 3], [3, 0]], unknown=[1, 2]) == gain([[2, 3], [3, 0]], unknown=3)
    assert split_information([[2, 3], [3, 0]], unknown=[1, 2]) == split_information([5, 3], unknown=3)


def test_everything_unknown_gains_nothing() -> None:
    assert gain([[0, 0], [0, 0]], unknown=4) == gain_ratio([[0, 0], [0, 0]], unknown=4) == 0.0
    assert gain_of([None, None], ["a", "b"]) == gain_ratio_of([None, None], ["a", "b"]) == 0.0
    assert gain_of([None, None], ["a", "b"], threshold="best") == 0.0


def test_a_split_that_divides_nothing_has_ratio_0() -> None:
    assert gain_ratio([[3, 4], [0, 0]]) == 0.0
    assert gain_ratio([[3, 4]]) == 0.0


@pytest.mark.parametrize(
    ("measure", "impurity"), [(gain, entropy), (gini_gain, gini), (accuracy_gain, misclassification_error)]
)
def test_every_gain_is_an_impurity_reduction(measure, impurity) -> None:
    table = np.array([[2.0, 3.5, 1.0], [0.0, 0.0, 0.0], [4.0, 0.25, 9.0]])
    assert measure(table, unknown=2) == pytest.approx(impurity_reduction(table, impurity, unknown=2), abs=1e-12)


def test_a_user_written_impurity() -> None:
    assert impurity_reduction([[4, 0], [0, 4]], lambda counts: float(counts.min() / counts.sum())) == 0.5


def test_weight_3_is_three_copies() -> None:
    weights = [1 + row % 3 for row in range(14)]
    copies = [row for row, weight in enumerate(weights) for _ in range(weight)]
    for measure in (gain_of, gain_ratio_of, split_information_of):
        weighted = measure(OUTLOOK, PLAY, weights)
        assert weighted == pytest.approx(measure([OUTLOOK[r] for r in copies], [PLAY[r] for r in copies]), abs=1e-12)


def test_rows_of_weight_0_do_not_exist() -> None:
    table = contingency_table([*OUTLOOK, "Fog"], [*PLAY, "Perhaps"], weights=[1] * 14 + [0])
    assert table.values == ("Overcast", "Rain", "Sunny") and table.classes == ("No", "Yes")


def test_missing_values_of_every_kind() -> None:
    pandas = pytest.importorskip("pandas")
    column = ["a", None, float("nan"), pandas.NA, pandas.NaT, np.datetime64("NaT"), "?", "", "None"]
    table = contingency_table(column, ["Yes"] * 9)
    assert table.values == ("", "?", "None", "a") and table.unknown.tolist() == [5.0]
    table = contingency_table(column, ["Yes"] * 9, missing=["?", ""])
    assert table.values == ("None", "a") and table.unknown.tolist() == [7.0]


def test_values_that_cannot_be_compared_keep_their_order() -> None:
    table = contingency_table(["b", 2, "a", True, 1, 1.0], list("xxyyxx"))
    assert table.values == ("b", 2, "a", True, 1)
    assert table.counts.tolist() == [[1, 0], [1, 0], [0, 1], [0, 1], [2, 0]]


def test_columns_of_any_sort() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    expected = gain_of(OUTLOOK, PLAY)
    for make in (pandas.Series, polars.Series, np.array, tuple, lambda c: pandas.Series(c, dtype="category")):
        assert gain_of(make(OUTLOOK), make(PLAY)) == expected


def test_threshold_of_a_column() -> None:
    x, y = [1, 2, 3, 4, None], list("aabbb")
    assert gain_of(x, y, threshold=2.5) == pytest.approx(0.8)
    assert gain_of(x, y, threshold="best") == pytest.approx(0.8)
    assert gain_of([5, 5], ["a", "b"], threshold="best") == 0.0
    assert contingency_table(x, y, threshold=2.5).values == ("<= 2.5", "> 2.5")


def test_base_of_a_column() -> None:
    assert gain_of("ab", "xy", base=math.e) == pytest.approx(math.log(2))


def test_what_columns_are_refused() -> None:
    with pytest.raises(DataError, match="3 values but there are 2 labels"):
        gain_of(["a", "b", "c"], ["x", "y"])
    with pytest.raises(DataError, match="label of row 1 is missing"):
        gain_of(["a", "b"], ["x", None])
    with pytest.raises(DataError, match="at least one class"):
        gain_of([], [])
    with pytest.raises(DataError, match="one number per row, 2 of them"):
        gain_of(["a", "b"], ["x", "y"], [1.0])
    with pytest.raises(DataError, match="must not be negative"):
        gain_of(["a", "b"], ["x", "y"], [1.0, -1.0])
    with pytest.raises(DataError, match="must be a table"):
        gain_ratio([1, 2])

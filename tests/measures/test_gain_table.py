"""The gain table: order, text, numeric attributes, unknown values, any table."""

import datetime as dt

import numpy as np
import pytest

from quercus.errors import DataError, ParameterError
from quercus.measures import all_thresholds, best_threshold, gain, gain_of, gain_ratio_of, gain_table, gini_gain

COLUMNS = {
    "Colour": ["red", "red", "blue", "blue", "green", "green"],
    "Size": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
    "Constant": ["c"] * 6,
}
LABELS = ["Yes", "Yes", "Yes", "No", "No", "No"]


def test_rows_hold_the_measures_of_their_columns() -> None:
    table = gain_table(COLUMNS, LABELS)
    assert [row.attribute for row in table] == ["Size", "Colour", "Constant"]
    size, colour, constant = table
    assert (size.gain, size.threshold, size.gain_ratio) == (1.0, 3.5, 1.0)
    assert [branch.name for branch in size.branches] == ["<= 3.5", "> 3.5"]
    assert [branch.counts for branch in size.branches] == [(0.0, 3.0), (3.0, 0.0)]
    assert colour.gain == gain_of(COLUMNS["Colour"], LABELS)
    assert colour.gain_ratio == gain_ratio_of(COLUMNS["Colour"], LABELS)
    assert (constant.gain, constant.split_information, constant.gain_ratio) == (0.0, 0.0, 0.0)
    assert len(table) == 3 and table[-1] is constant and table.row("Colour") is colour


def test_text() -> None:
    assert str(gain_table(COLUMNS, LABELS)).splitlines() == [
        "attribute    gain  split information  gain ratio  branches [No, Yes]",
        "Size       1.0000             1.0000      1.0000  <= 3.5 [0, 3]  > 3.5 [3, 0]",
        "Colour     0.6667             1.5850      0.4206  blue [1, 1]  green [2, 0]  red [0, 2]",
        "Constant   0.0000             0.0000      0.0000  c [3, 3]",
    ]


def test_text_of_another_measure_unknown_values_and_many_branches() -> None:
    columns = {"Id": [f"row {i:02d}" for i in range(12)], "Answer": ["y", "?"] * 6, "Nothing": [None] * 12}
    text = str(gain_table(columns, ["a", "b"] * 6, "gini_gain", missing="?", kinds={"Nothing": "nominal"}))
    heading = " ".join(text.splitlines()[0].split())
    assert heading == "attribute gini gain gain split information gain ratio branches [a, b]"
    assert "row 07 [0, 1]  and 4 more" in text
    assert "y [6, 0]  unknown 6" in text
    assert "unknown 12" in text.splitlines()[-1]


def test_the_order_is_the_measures() -> None:
    columns = {"Kind": list("ppqqrr"), "Id": list("abcdef")}
    assert gain_table(columns, list("xxyyxy"), "gain").best.attribute == "Id"
    assert gain_table(columns, list("xxyyxy"), "gain_ratio").best.attribute == "Kind"
    row = gain_table(columns, list("xxyyxy"), "gini_gain").row("Kind")
    assert row.value == gini_gain([[2, 0], [0, 2], [1, 1]])


def test_ties_keep_the_column_order() -> None:
    columns = {name: list("aabb") for name in ("third", "first", "second")}
    assert [row.attribute for row in gain_table(columns, list("xxyy"))] == ["third", "first", "second"]


def test_numeric_unknown_values_and_weights() -> None:
    x, y, weights = [1.0, 2.0, np.nan, 4.0, 5.0], list("aabbb"), [1, 2, 3, 1, 2]
    (row,) = gain_table({"x": x}, y, weights=weights)
    best = best_threshold(x, y, weights=weights)
    assert best is not None and row.threshold == best.threshold
    assert row.gain == pytest.approx(best.value, abs=1e-12) == gain([[3, 0], [0, 3]], unknown=3)
    assert row.unknown == 3.0 and row.value == row.gain


def test_declared_values_that_never_occur_have_an_empty_branch() -> None:
    pandas = pytest.importorskip("pandas")
    column = pandas.Categorical(["b", "a"], categories=["c", "b", "a"])
    (row,) = gain_table(pandas.DataFrame({"v": column}), ["x", "y"])
    assert [(branch.name, branch.counts) for branch in row.branches] == [("c", (0, 0)), ("b", (1, 0)), ("a", (0, 1))]
    assert row.gain == 1.0


def test_dates_are_cut_and_printed_as_dates() -> None:
    days = [dt.datetime(2024, 5, day) for day in (1, 2, 4, 5)]
    (row,) = gain_table({"Day": np.array(days, dtype="datetime64[us]")}, list("aabb"))
    assert [branch.name for branch in row.branches] == ["<= 2024-05-03", "> 2024-05-03"]


def test_any_table() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    expected = str(gain_table(COLUMNS, LABELS))
    assert str(gain_table(pandas.DataFrame(COLUMNS), pandas.Series(LABELS))) == expected
    assert str(gain_table(polars.DataFrame(COLUMNS), polars.Series(LABELS))) == expected


def test_a_large_numeric_table_is_quick() -> None:
    random = np.random.default_rng(0)
    X, y = random.random((50_000, 3)), random.integers(0, 3, 50_000)
    table = gain_table(X, y)
    assert len(all_thresholds(X[:, 0])) == 49_999 and len(table) == 3


def test_what_is_refused() -> None:
    with pytest.raises(ParameterError, match="measure is 'entropy'"):
        gain_table(COLUMNS, LABELS, "entropy")
    with pytest.raises(DataError, match="6 rows but y has 5 labels"):
        gain_table(COLUMNS, LABELS[:-1])
    with pytest.raises(DataError, match="Did you mean 'Colour'"):
        gain_table(COLUMNS, LABELS).row("Color")

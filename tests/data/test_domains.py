"""Domains of nominal attributes, missing values and tokens, attribute costs."""

import enum

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from quercus.data import encode, encode_like
from quercus.errors import DataError, ParameterError

MISSING = [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), np.timedelta64("NaT")]


def test_a_set_as_domain_is_sorted_and_has_no_order_to_declare() -> None:
    table = {"a": ["b", "a", "c", "a"]}
    assert encode(table, domains={"a": {"d", "c", "b", "a"}}).schema[0].values == ("a", "b", "c", "d")
    mixed = encode({"a": ["b", 1]}, domains={"a": frozenset(["c", "b", 10, 9, 1])}).schema[0].values
    assert mixed == (1, 10, 9, "b", "c")
    with pytest.raises(ParameterError, match="ordered column 'a' is a set, without order: give a list"):
        encode(table, kinds={"a": "ordered"}, domains={"a": {"a", "b", "c"}})


def test_an_undeclared_domain_is_sorted() -> None:
    assert encode({"a": ["b", "a", "c", "a"]}).schema[0].values == ("a", "b", "c")
    assert encode({"a": ["10", "9"]}).schema[0].values == ("10", "9")


def test_values_that_cannot_be_compared_come_in_order_of_appearance() -> None:
    dataset = encode({"a": ["1", 1, b"x", "1", 1.0, True]})
    assert dataset.schema[0].values == ("1", 1, b"x", True)
    assert dataset.columns[0].tolist() == [0, 1, 2, 0, 1, 3]
    assert [type(value) for value in dataset.schema[0].values] == [str, int, bytes, bool]
    assert [dataset.schema[0].show(code) for code in (0, 1, 3)] == ["'1'", "1", "True"]


def test_true_and_one_are_two_values_and_one_point_zero_is_one() -> None:
    for column in ([True, 1, 1.0, False, 0], np.array([np.True_, np.int64(1), 1.0, False, 0], dtype=object)):
        dataset = encode({"a": column})
        assert dataset.columns[0].tolist() == [dataset.schema[0].code(value) for value in (True, 1, 1, False, 0)]
        assert len(dataset.schema[0].values) == 4
        assert dataset.schema[0].code(True) != dataset.schema[0].code(1)
        np.testing.assert_array_equal(encode_like({"a": column}, dataset.schema).columns[0], dataset.columns[0])


def test_declared_domain_keeps_its_order_and_its_unused_values() -> None:
    dataset = encode({"Size": ["S", "L", None]}, domains={"Size": ["XS", "S", "M", "L"]})
    assert dataset.schema[0].values == ("XS", "S", "M", "L") and dataset.schema[0].kind == "nominal"
    assert dataset.columns[0].tolist() == [1, 3, -1]
    ordered = encode({"Size": ["S", "L", None]}, kinds={"Size": "ordered"}, domains={"Size": ("XS", "S", "M", "L")})
    np.testing.assert_array_equal(ordered.columns[0], [1.0, 3.0, np.nan])


def test_a_declared_domain_makes_numbers_nominal() -> None:
    dataset = encode({"Stars": np.array([1, 3])}, domains={"Stars": [1, 2, 3]})
    assert dataset.schema[0].kind == "nominal" and dataset.columns[0].tolist() == [0, 2]
    boolean = encode({"a": [True, False]}, domains={"a": [True, False]})
    assert boolean.schema[0].kind == "nominal" and boolean.columns[0].tolist() == [0, 1]


def test_a_training_value_outside_of_the_declared_domain_is_an_error() -> None:
    with pytest.raises(DataError, match=r"Column 'Size' holds 'XL' in row 1 .*not in its declared domain \('S', 'M'\)"):
        encode({"Size": ["S", "XL"]}, domains={"Size": ["S", "M"]})
    with pytest.raises(DataError, match="holds '1' in row 0"):
        encode({"a": ["1"]}, domains={"a": [1]})
    categories = pd.Categorical(["a"], categories=["a", "z"])  # a category that no row has is no error
    assert encode({"a": pd.Series(categories)}, domains={"a": ["a", "b"]}).schema[0].values == ("a", "b")


def test_domains_are_checked() -> None:
    for domain, message in (
        (["a", "a"], "twice"),
        ([], "empty"),
        ("abc", "must be a list"),
        (3, "must be a list"),
        (["a", None], "always means missing"),
    ):
        with pytest.raises(ParameterError, match=message):
            encode({"a": ["a"]}, domains={"a": domain})  # type: ignore[dict-item]
    with pytest.raises(ParameterError, match="domains names the column 'b'"):
        encode({"a": ["a"]}, domains={"b": ["a"]})
    with pytest.raises(ParameterError, match="must be a dict"):
        encode({"a": ["a"]}, domains=[["a"]])  # type: ignore[arg-type]
    with pytest.raises(DataError, match="declared domain and the kind numeric"):
        encode({"a": [1]}, kinds={"a": "numeric"}, domains={"a": [1]})


CATEGORICALS = {
    "pandas": pd.Series(pd.Categorical(["b", None, "a"], categories=["c", "b", "a"])),
    "pandas, not in a series": pd.Categorical(["b", None, "a"], categories=["c", "b", "a"]),
    "polars Enum": pl.Series(["b", None, "a"], dtype=pl.Enum(["c", "b", "a"])),
    "pyarrow dictionary": pa.DictionaryArray.from_arrays(pa.array([1, None, 2]), ["c", "b", "a"]),
    "pyarrow chunks": pa.chunked_array(
        [
            pa.DictionaryArray.from_arrays(pa.array([1], pa.uint8()), ["c", "b", "a"]),
            pa.DictionaryArray.from_arrays(pa.array([None, 2], pa.uint8()), ["c", "b", "a"]),
        ]
    ),
}


@pytest.mark.parametrize("name", CATEGORICALS)
def test_the_categories_of_a_categorical_are_its_declared_domain(name: str) -> None:
    dataset = encode({"x": CATEGORICALS[name]})
    assert dataset.schema[0].values == ("c", "b", "a")
    assert dataset.columns[0].tolist() == [1, -1, 2]
    table = pd.DataFrame({"x": CATEGORICALS[name]}) if name.startswith("pandas") else None
    if table is not None:
        assert encode(table).schema[0].values == ("c", "b", "a")
    assert encode_like({"x": CATEGORICALS[name]}, dataset.schema).columns[0].tolist() == [1, -1, 2]


def test_an_ordered_categorical_is_ordered() -> None:
    series = pd.Series(pd.Categorical(["low", "high", None], categories=["low", "mid", "high"], ordered=True))
    dataset = encode({"x": series})
    assert dataset.schema[0].kind == "ordered" and dataset.schema[0].values == ("low", "mid", "high")
    np.testing.assert_array_equal(dataset.columns[0], [0.0, 2.0, np.nan])
    nominal = encode({"x": series}, kinds={"x": "nominal"})
    assert nominal.columns[0].tolist() == [0, 2, -1] and nominal.schema[0].values == ("low", "mid", "high")


def test_a_polars_categorical_has_the_values_that_occur() -> None:
    pl.Series(["zebra", "ape"], dtype=pl.Categorical)  # polars shares one list of categories among all columns
    for n_rows in (3, 3000):
        series = pl.Series((["b", None, "a"] * 1000)[:n_rows], dtype=pl.Categorical)
        dataset = encode({"x": series})
        assert dataset.schema[0].values == ("a", "b")
        assert dataset.columns[0][:3].tolist() == [1, -1, 0]


def test_long_text_columns_of_every_library_agree() -> None:
    column = ["b", None, "ä", ""] * 400
    expected = encode({"x": column})
    assert expected.schema[0].values == ("", "b", "ä") and expected.columns[0][:4].tolist() == [1, -1, 2, 0]
    for source in (
        pd.Series(column),
        pd.Series(column, dtype=object),
        pd.Series(column, dtype="string"),
        pd.Series(column, dtype=pd.ArrowDtype(pa.string())),
        pl.Series(column),
        pa.chunked_array([column[:7], column[7:]]),
        pa.array(column, pa.large_string()),
        np.array(column, dtype=object),
    ):
        dataset = encode({"x": source})
        assert dataset.schema == expected.schema
        np.testing.assert_array_equal(dataset.columns[0], expected.columns[0])


def test_other_objects_go_by_their_text() -> None:
    class Colour(enum.Enum):
        RED = 1

    cut = pd.cut(pd.Series([1, 2, 3]), [0, 1, 3])
    assert encode({"a": cut}).schema[0].values == ("(0, 1]", "(1, 3]")
    assert encode({"a": cut}).schema[0].kind == "ordered"
    assert encode({"a": [Colour.RED, (1, 2)]}).schema[0].values == ("(1, 2)", "Colour.RED")


def test_everything_missing_counts_as_missing() -> None:
    text = encode({"a": ["x", *MISSING]})
    assert text.columns[0].tolist() == [0] + [-1] * len(MISSING) and text.schema[0].values == ("x",)
    numbers = encode({"a": np.array([1.5, *MISSING[:5]], dtype=object)})
    assert numbers.schema[0].kind == "numeric" and np.isnan(numbers.columns[0]).tolist() == [False] + [True] * 5
    mixed = encode({"a": [1.5, *MISSING]})
    assert mixed.schema[0].kind == "numeric" and np.isnan(mixed.columns[0]).tolist() == [False] + [True] * len(MISSING)
    booleans = encode({"a": [True, *MISSING]})
    assert booleans.schema[0].kind == "boolean" and booleans.columns[0].tolist() == [1] + [-1] * len(MISSING)


def test_question_mark_and_none_are_values_unless_said_otherwise() -> None:
    column = ["?", "None", "", "nan", "NA", "a"]
    assert len(encode({"a": column}).schema[0].values) == 6
    dataset = encode({"a": column}, missing_tokens=["?", "", "NA"])
    assert dataset.schema[0].values == ("None", "a", "nan") and dataset.columns[0].tolist() == [-1, 0, -1, 2, -1, 1]


def test_tokens_may_be_given_by_column_and_one_string_is_one_token() -> None:
    table = {"a": ["NA", "N"], "b": ["NA", "N"]}
    dataset = encode(table, missing_tokens={"a": "NA"})
    assert dataset.schema["a"].values == ("N",) and dataset.schema["b"].values == ("N", "NA")
    assert encode(table, missing_tokens="NA").schema["b"].values == ("N",)
    with pytest.raises(ParameterError, match="missing_tokens names the column 'c'"):
        encode(table, missing_tokens={"c": "NA"})


def test_a_token_is_of_the_values_type() -> None:
    dataset = encode({"a": [-999, 5], "b": ["-999", "5"], "c": [-999.0, 5.5]}, missing_tokens=[-999])
    assert np.isnan(dataset.columns[0]).tolist() == [True, False]
    assert dataset.schema["b"].values == ("-999", "5")
    assert np.isnan(dataset.columns[2]).tolist() == [True, False]
    assert np.isnan(encode({"a": [1, 2]}, missing_tokens=[10**400, 2]).columns[0]).tolist() == [False, True]


def test_tokens_are_dropped_before_the_kind_is_inferred() -> None:
    dataset = encode({"a": [1, "?", 2.5]}, missing_tokens="?")
    assert dataset.schema[0].kind == "numeric"
    np.testing.assert_array_equal(dataset.columns[0], [1.0, np.nan, 2.5])
    np.testing.assert_array_equal(encode_like({"a": ["?", 7]}, dataset.schema).columns[0], [np.nan, 7.0])
    text = encode({"a": ["1", "?"]}, missing_tokens="?", kinds={"a": "numeric"})
    np.testing.assert_array_equal(text.columns[0], [1.0, np.nan])


def test_tokens_leave_declared_categories() -> None:
    series = pd.Series(pd.Categorical(["?", "b", "a"], categories=["b", "?", "a"]))
    dataset = encode({"a": series}, missing_tokens="?")
    assert dataset.schema[0].values == ("b", "a") and dataset.columns[0].tolist() == [-1, 0, 1]


def test_attribute_costs() -> None:
    table = {"Blood": [1], "Pulse": [2]}
    assert [a.cost for a in encode(table, attribute_costs={"Blood": 150}).schema] == [150.0, 0.0]
    assert [a.cost for a in encode(table, attribute_costs=[1, 2.5]).schema] == [1.0, 2.5]
    assert [a.cost for a in encode(table, attribute_costs=np.array([1, 2])).schema] == [1.0, 2.0]
    for costs, message in (
        ({"Blood": -1}, "gives -1 for 'Blood'"),
        ({"Blood": float("nan")}, "gives nan"),
        ({"Blood": float("inf")}, "gives inf"),
        ({"Blood": "1"}, "gives '1'"),
        ({"Blod": 1}, "names the column 'Blod'.*Did you mean 'Blood'"),
        ([1], "1 entries, but the table has 2 columns"),
        (3, "must be a dict by column name or a list"),
    ):
        with pytest.raises(ParameterError, match=message):
            encode(table, attribute_costs=costs)  # type: ignore[arg-type]

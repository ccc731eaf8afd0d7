"""Kinds of attributes: what the dtype suggests, what the user says, and what is printed."""

import datetime as dt
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from quercus.data import Attribute, encode
from quercus.errors import DataError, ParameterError

DAYS = [dt.date(2024, 5, 1), None, dt.date(2023, 1, 2)]
MOMENTS = [dt.datetime(2024, 5, 1, 12, 30), None, dt.datetime(2023, 1, 2)]


def only(table: object, **options: object) -> tuple[Attribute, np.ndarray]:
    dataset = encode(table, **options)  # type: ignore[arg-type]
    assert len(dataset.schema) == 1
    return dataset.schema[0], dataset.columns[0]


def shown(table: object, **options: object) -> list[str]:
    attribute, column = only(table, **options)
    return [attribute.show(value) for value in column.tolist()]


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (["a", "b"], "nominal"),
        ([1, 2], "numeric"),
        ([1, 2.5, None], "numeric"),
        (np.array([1, 2.5, np.nan], dtype=object), "numeric"),
        (np.array([np.int8(1), np.float32(2.5), pd.NA], dtype=object), "numeric"),
        ([Decimal("1.5"), Fraction(1, 2), Decimal("NaN")], "numeric"),
        ([True, None, False], "boolean"),
        (np.array([np.True_, False], dtype=object), "boolean"),
        ([True, 1], "nominal"),
        ([1, "1"], "nominal"),
        ([b"a", b"b"], "nominal"),
        (np.array(["1", "2"]), "nominal"),
        (pd.Series(["1", "2"], dtype="string"), "nominal"),
        (pd.Series([1, None], dtype="Int64"), "numeric"),
        (pd.Series([True, None], dtype="boolean"), "boolean"),
        (pd.Categorical(["a", "b"]), "nominal"),
        (pd.Series(["a", "b"], dtype="category"), "nominal"),
        (pd.Series(pd.Categorical(["a", "b"], ordered=True)), "ordered"),
        (pd.Series([1, 0], dtype="Sparse[int]"), "numeric"),
        (pd.Series(pd.period_range("2020", periods=2, freq="Y")), "nominal"),
        (pd.Series(pd.interval_range(0, 2)), "nominal"),
        (pl.Series(["a", "b"], dtype=pl.Categorical), "nominal"),
        (pl.Series(["a", "b"], dtype=pl.Enum(["b", "a"])), "nominal"),
        (pl.Series([1, 2], dtype=pl.Decimal(10, 2)), "numeric"),
        (pl.Series([1, 2], dtype=pl.Int128), "numeric"),
        (pl.Series([b"a", b"b"]), "nominal"),
        (pl.Series([None, None]), "nominal"),
        (pa.array(["a", "b"]).dictionary_encode(), "nominal"),
        (pa.chunked_array([pa.DictionaryArray.from_arrays([0, 1], ["b", "a"], ordered=True)]), "ordered"),
        (pa.chunked_array([pa.array([1, None], pa.decimal128(5, 2))]), "numeric"),
        (pa.chunked_array([pa.nulls(2)]), "nominal"),
        (pd.Series([Decimal("1.5"), None], dtype=pd.ArrowDtype(pa.decimal128(5, 2))), "numeric"),
        (pd.Series(["a", None], dtype=pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))), "nominal"),
        (DAYS, "date"),
        (MOMENTS, "date"),
        (np.array(["2024-05-01", "NaT"], dtype="datetime64[D]"), "date"),
        (np.array([1, "NaT"], dtype="timedelta64[s]"), "date"),
        ([dt.time(12, 30), None], "date"),
        ([dt.timedelta(hours=2), None], "date"),
        (pd.to_datetime(pd.Series(["2024-05-01", None])), "date"),
        (pd.to_timedelta(pd.Series([1, None]), unit="h"), "date"),
        (pd.Series(MOMENTS, dtype=pd.ArrowDtype(pa.timestamp("us"))), "date"),
        (pl.Series(DAYS), "date"),
        (pl.Series([dt.time(12, 30), None]), "date"),
        (pa.chunked_array([pa.array(DAYS)]), "date"),
        ([None, None], "nominal"),
        ([float("nan"), float("nan")], "numeric"),
    ],
)
def test_the_kind_is_suggested_by_the_data(column: object, kind: str) -> None:
    assert only({"a": column})[0].kind == kind


def test_numbers_as_objects_keep_their_values() -> None:
    assert only({"a": [Decimal("1.5"), Fraction(1, 4), 3]})[1].tolist() == [1.5, 0.25, 3.0]
    assert only({"a": pl.Series([1, None], dtype=pl.Decimal(10, 2))})[1].tolist()[0] == 1.0


def test_an_integer_column_can_be_nominal() -> None:
    attribute, codes = only({"zip": np.array([90210, 10001, 90210])}, kinds={"zip": "nominal"})
    assert attribute.values == (10001, 90210) and codes.tolist() == [1, 0, 1]
    assert [type(value) for value in attribute.values] == [int, int]
    attribute, codes = only({"zip": np.array([2.5, np.nan, -1.0])}, kinds=["nominal"])
    assert attribute.values == (-1.0, 2.5) and codes.tolist() == [1, -1, 0]
    attribute, codes = only({"big": np.array([2**62 + 1, 2**62, -(2**63)])}, kinds=["nominal"])
    assert attribute.values == (-(2**63), 2**62, 2**62 + 1) and codes.tolist() == [2, 1, 0]


def test_a_numeric_column_can_be_ordered() -> None:
    attribute, codes = only({"a": [30, 10, None, 20]}, kinds={"a": "ordered"})
    assert attribute.values == (10, 20, 30) and attribute.is_numeric
    np.testing.assert_array_equal(codes, [2.0, 0.0, np.nan, 1.0])
    assert codes.dtype == np.float64
    assert attribute.show(0.5) == "10" and attribute.show(2.0) == "30" and attribute.show(float("nan")) == "unknown"


def test_text_can_be_numeric() -> None:
    attribute, numbers = only({"a": ["1", " 2.5e3 ", None, "-0.0"]}, kinds={"a": "numeric"})
    assert attribute.kind == "numeric" and attribute.from_text
    np.testing.assert_array_equal(numbers, [1.0, 2500.0, np.nan, 0.0])


@pytest.mark.parametrize("text", ["two", "", "nan", "1_000", "0x10", "1,5"])
def test_text_that_is_no_number_is_named(text: str) -> None:
    with pytest.raises(DataError, match=r"Column 'a' is numeric.*row 2 \(counting from 0\).*missing_tokens") as caught:
        encode({"a": ["1", "2", text]}, kinds={"a": "numeric"})
    assert repr(text) in str(caught.value)


def test_booleans_can_be_read_from_numbers_and_text() -> None:
    assert only({"a": [1, 0, None]}, kinds={"a": "boolean"})[1].tolist() == [1, 0, -1]
    assert only({"a": ["True", "false", None]}, kinds={"a": "boolean"})[1].tolist() == [1, 0, -1]
    assert only({"a": [True, False]}, kinds={"a": "numeric"})[1].tolist() == [1.0, 0.0]
    attribute, codes = only({"a": [True, False]}, kinds={"a": "nominal"})
    assert attribute.values == (False, True) and codes.tolist() == [1, 0]
    with pytest.raises(DataError, match=r"row 1 .*holds 2; allowed are True, False"):
        encode({"a": [1, 2]}, kinds={"a": "boolean"})
    with pytest.raises(DataError, match="holds 'yes'"):
        encode({"a": ["yes", "no"]}, kinds={"a": "boolean"})


DATE_COLUMNS = [
    (DAYS, ["2024-05-01", "unknown", "2023-01-02"]),
    (MOMENTS, ["2024-05-01 12:30", "unknown", "2023-01-02"]),
    ([dt.datetime(1900, 1, 1, 0, 0, 5), dt.datetime(9999, 12, 31, 23, 59, 59, 999999)], None),
    (
        [dt.timedelta(days=2, hours=3), dt.timedelta(minutes=5), dt.timedelta(days=1)],
        ["2 days 03:00", "00:05", "1 day"],
    ),
    ([dt.time(12, 30), dt.time(0, 0, 1, 500000)], ["12:30", "00:00:01.5"]),
    ([dt.datetime(2024, 5, 1, 12, tzinfo=dt.timezone(dt.timedelta(hours=2)))], ["2024-05-01 10:00Z"]),
]


@pytest.mark.parametrize(("column", "texts"), DATE_COLUMNS)
@pytest.mark.parametrize("container", [list, pd.Series, pl.Series, lambda c: pa.chunked_array([pa.array(c)])])
def test_dates_are_printed_as_dates(column: list, texts: list[str] | None, container: object) -> None:
    table = {"a": container(column)}  # type: ignore[operator]
    texts = texts or ["1900-01-01 00:00:05", "9999-12-31 23:59:59.999999"]
    attribute, numbers = only(table)
    assert attribute.kind == "date" and attribute.is_numeric and numbers.dtype == np.float64
    if "9999" in texts[-1]:  # float64 holds microseconds exactly up to the year 2255
        assert attribute.show(numbers[0]) == texts[0] and abs(numbers[1] - 253402300799999999) <= 16
    else:
        assert [attribute.show(value) for value in numbers.tolist()] == texts


def test_zones_are_brought_to_one() -> None:
    series = pd.Series(pd.to_datetime(["2024-05-01 12:00", None])).dt.tz_localize("Europe/Berlin")
    assert shown({"a": series}) == ["2024-05-01 10:00Z", "unknown"]
    assert shown({"a": pl.from_pandas(series)}) == ["2024-05-01 10:00Z", "unknown"]
    assert shown({"a": pa.chunked_array([pa.Array.from_pandas(series)])}) == ["2024-05-01 10:00Z", "unknown"]
    with pytest.raises(DataError, match="mixes dates of the types"):
        encode({"a": [dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 1, tzinfo=dt.UTC)]})
    with pytest.raises(DataError, match="mixes dates of the types"):
        encode({"a": [dt.datetime(2024, 1, 1), dt.timedelta(1)]})


def test_text_can_be_dates() -> None:
    assert shown({"a": ["2024-05-01", "2024-05-02 12:30"]}, kinds={"a": "date"}) == ["2024-05-01", "2024-05-02 12:30"]
    with pytest.raises(DataError, match=r"row 1 .*holds 'yesterday'"):
        encode({"a": ["2024-05-01", "yesterday"]}, kinds={"a": "date"})
    with pytest.raises(DataError, match="holds numbers, not dates"):
        encode({"a": [1, 2]}, kinds={"a": "date"})
    with pytest.raises(DataError, match="holds dates, not numbers"):
        encode({"a": np.array(["2024"], dtype="datetime64[s]")}, kinds={"a": "numeric"})


def test_dates_can_be_nominal() -> None:
    attribute, codes = only({"a": pd.to_datetime(pd.Series(["2024-05-02", "2024-05-01"]))}, kinds={"a": "nominal"})
    assert attribute.values == (dt.datetime(2024, 5, 1), dt.datetime(2024, 5, 2)) and codes.tolist() == [1, 0]
    assert attribute.show(0) == "2024-05-01"
    zoned = pd.Series(pd.to_datetime(["2024-05-02"])).dt.tz_localize("UTC")
    assert only({"a": zoned}, kinds={"a": "nominal"})[0].values == (dt.datetime(2024, 5, 2, tzinfo=dt.UTC),)


@pytest.mark.parametrize("unit", ["ns", "us", "ms", "s", "m", "h", "D", "M", "Y"])
def test_datetimes_of_every_unit(unit: str) -> None:
    assert shown({"a": np.array(["2024-01-01", "NaT"], dtype=f"datetime64[{unit}]")}) == ["2024-01-01", "unknown"]


def test_dates_that_microseconds_cannot_count_are_refused() -> None:
    with pytest.raises(DataError, match="cannot be read as microseconds"):
        encode({"a": np.array([10**9], dtype="datetime64[Y]")})
    with pytest.raises(DataError, match="cannot be read as microseconds"):
        encode({"a": np.array([1], dtype="timedelta64[Y]")})


def test_kinds_are_checked() -> None:
    with pytest.raises(
        ParameterError, match="kind of column 'a' is 'categorical', but must be one of 'numeric', 'nominal'"
    ):
        encode({"a": [1]}, kinds={"a": "categorical"})  # type: ignore[dict-item]
    with pytest.raises(ParameterError, match=r"kinds names the column 'Outlok'.*Did you mean 'Outlook'"):
        encode({"Outlook": [1]}, kinds={"Outlok": "nominal"})
    with pytest.raises(ParameterError, match="kinds has 2 entries, but the table has 1 columns"):
        encode({"a": [1]}, kinds=["nominal", None])
    with pytest.raises(ParameterError, match="must be a dict by column name or a list"):
        encode({"a": [1]}, kinds="nominal")  # type: ignore[arg-type]
    assert encode(pd.DataFrame({7: [1]}), kinds={7: "nominal"}).schema[0].kind == "nominal"


def test_infinity_names_the_column_and_the_row() -> None:
    for column in ([1.0, np.inf], np.array([1, -np.inf], dtype=np.float32), pl.Series([1.0, float("inf")])):
        with pytest.raises(DataError, match=r"contains infinity.*column 'Width' .*row 1 \(counting from 0\)"):
            encode({"Width": column})
    with pytest.raises(DataError, match="infinity"):
        encode({"Width": ["1", "inf"]}, kinds={"Width": "numeric"})
    with pytest.raises(DataError, match="infinity"):
        encode({"Width": np.array([np.longdouble("1e400")])})


@pytest.mark.parametrize(
    "column",
    [
        np.array([0, 2**53 + 1]),
        np.array([0, 2**63 - 1]),
        np.array([0, -(2**63) + 1]),
        np.array([0, 2**64 - 1], dtype=np.uint64),
        [0, 2**53 + 1],
        [0.5, 2**53 + 1],
        [None, 2**53 + 1],
        [0, 2**70 + 1],
        [0, 10**400],
        pd.Series([None, 2**53 + 1], dtype="Int64"),
        pl.Series([None, 2**53 + 1]),
        pl.Series([None, 2**100 + 1], dtype=pl.Int128),
        pa.chunked_array([[None, 2**53 + 1]]),
    ],
)
def test_integers_that_a_float_cannot_hold_are_refused_with_advice(column: object) -> None:
    with pytest.raises(DataError, match=r"row 1 \(counting from 0\).*cannot hold.*exactly.*nominal"):
        encode({"id": column})


def test_large_integers_that_a_float_holds_are_fine() -> None:
    assert only({"a": np.array([2**53, -(2**53), 2**60, -(2**63)])})[1].tolist() == [
        2.0**53,
        -(2.0**53),
        2.0**60,
        -(2.0**63),
    ]
    assert only({"a": [2**70, 0.5]})[1].tolist() == [2.0**70, 0.5]


def test_extreme_floats_are_kept() -> None:
    column = np.array([5e-324, -5e-324, 1.7976931348623157e308, -0.0])
    np.testing.assert_array_equal(only({"a": column})[1], column)


def test_what_is_below_a_microsecond_is_cut_off() -> None:
    stamps = np.array(["2024-05-01T12:00:00.123456789", "NaT", "1969-12-31T23:59:59.999999999"], dtype="datetime64[ns]")
    data = encode({"stamp": stamps, "span": stamps - stamps[0]})
    assert data.columns[0][0] == 1_714_564_800_123_456 and np.isnan(data.columns[0][1]) and data.columns[0][2] == -1
    assert data.columns[1][0] == 0
    with pytest.raises(DataError, match="outside of the range"):
        encode({"year": np.array(["400000"], dtype="datetime64[Y]")})

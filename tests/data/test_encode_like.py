"""Encoding for prediction: the schema decides, unseen values are unknown."""

import datetime as dt
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from quercus.data import Schema, encode, encode_like
from quercus.errors import DataError

TRAINING = pd.DataFrame(
    {
        "Outlook": ["Sunny", "Rain"],
        "Size": pd.Categorical(["S", "L"], categories=["S", "M", "L"], ordered=True),
        "Humidity": [85.0, 70.0],
        "Windy": [True, False],
        "Day": pd.to_datetime(["2024-05-01", "2024-05-02"]),
    }
)


@pytest.fixture
def schema() -> Schema:
    return encode(TRAINING).schema


def test_the_training_table_is_encoded_as_before(schema: Schema) -> None:
    for first, again in zip(encode(TRAINING).columns, encode_like(TRAINING, schema).columns, strict=True):
        np.testing.assert_array_equal(first, again)
        assert first.dtype == again.dtype


def test_unseen_values_are_unknown(schema: Schema) -> None:
    table = TRAINING.assign(Outlook=["Snow", "Rain"], Size=["XL", "M"])
    dataset = encode_like(table, schema)
    assert dataset.columns[0].tolist() == [-1, 0]
    np.testing.assert_array_equal(dataset.columns[1], [np.nan, 1.0])


def test_columns_are_matched_by_name_and_others_are_ignored(schema: Schema) -> None:
    table = TRAINING[TRAINING.columns[::-1]].assign(Extra="x")
    for expected, column in zip(encode(TRAINING).columns, encode_like(table, schema).columns, strict=True):
        np.testing.assert_array_equal(expected, column)


def test_missing_columns_are_named(schema: Schema) -> None:
    with pytest.raises(DataError, match=r"no column 'Outlook', 'Windy'; it has 'Size'"):
        encode_like(TRAINING.drop(columns=["Outlook", "Windy"]), schema)


def test_tables_without_names_are_matched_by_position(schema: Schema) -> None:
    rows = [["Rain", "L", 1, False, dt.datetime(2024, 5, 1)], ["Hail", None, None, None, None]]
    for table in (rows, np.array(rows, dtype=object)):
        dataset = encode_like(table, schema)
        assert dataset.columns[0].tolist() == [0, -1] and dataset.columns[3].tolist() == [0, -1]
        np.testing.assert_array_equal(dataset.columns[1], [2.0, np.nan])
        assert dataset.schema is schema
    with pytest.raises(DataError, match="has 4 columns, but 5 are expected"):
        encode_like([row[:4] for row in rows], schema)


def test_a_schema_without_names_takes_a_frame_by_position() -> None:
    schema = encode(np.array([[1.0, 2.0]])).schema
    dataset = encode_like(pd.DataFrame({"a": [3.0], "b": [4.0]}), schema)
    assert [column.tolist() for column in dataset.columns] == [[3.0], [4.0]]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"Humidity": ["85", "high"]}, "Column 'Humidity' is numeric.*'85' in row 0.*learnt from numbers"),
        ({"Humidity": ["x", "high"]}, "Column 'Humidity' is numeric"),
        ({"Humidity": TRAINING["Day"]}, "Column 'Humidity' holds dates, not numbers"),
        ({"Humidity": [np.inf, 1]}, "contains infinity.*'Humidity'"),
        ({"Day": [1, 2]}, "Column 'Day' holds numbers, not dates"),
        ({"Day": TRAINING["Day"].dt.tz_localize("UTC")}, "type 'utc', but was learnt with 'local'"),
        ({"Day": [dt.timedelta(1), None]}, "type 'duration', but was learnt with 'local'"),
        ({"Windy": ["no", "yes"]}, "Column 'Windy' is boolean.*'no'"),
        ({"Windy": [0.5, 1]}, "Column 'Windy' is boolean.*0.5"),
        ({"Outlook": [1, 2]}, r"'Outlook' holds numbers \(such as 1\), but was learnt with strings \(such as 'Rain'\)"),
        ({"Outlook": [True, None]}, "holds booleans"),
        ({"Outlook": TRAINING["Day"]}, "holds dates"),
    ],
)
def test_values_of_another_type_are_an_error(schema: Schema, changes: dict, message: str) -> None:
    with pytest.raises(DataError, match=message):
        encode_like(TRAINING.assign(**changes), schema)


@pytest.mark.parametrize("nothing", [None, float("nan"), pd.NaT, pd.NA])
def test_a_column_may_be_missing_altogether(schema: Schema, nothing: object) -> None:
    dataset = encode_like({name: [nothing, nothing] for name in schema.names}, schema)
    for attribute, column in zip(schema, dataset.columns, strict=True):
        assert (np.isnan(column) if attribute.is_numeric else column == -1).all()
    arrays = {name: np.array(["NaT", "NaT"], dtype="datetime64[s]") for name in schema.names}
    for attribute, column in zip(schema, encode_like(arrays, schema).columns, strict=True):
        assert (np.isnan(column) if attribute.is_numeric else column == -1).all()


def test_other_numbers_and_containers_are_welcome(schema: Schema) -> None:
    table = TRAINING.assign(Humidity=np.array([1, 2], dtype=np.int8), Windy=[1, 0])
    expected = encode_like(table, schema)
    as_polars = table.assign(Size=table["Size"].astype(str))
    for other in (pl.from_pandas(as_polars), pa.Table.from_pandas(as_polars), table.to_dict("list")):
        for first, second in zip(expected.columns, encode_like(other, schema).columns, strict=True):
            np.testing.assert_array_equal(first, second)


def test_integers_stay_themselves_when_others_are_missing() -> None:
    schema = encode({"a": [1, 2, 3]}, kinds={"a": "nominal"}).schema
    assert encode_like({"a": np.array([3.0, np.nan, 7.0])}, schema).columns[0].tolist() == [2, -1, -1]


def test_numbers_and_dates_that_were_text_stay_text() -> None:
    schema = encode({"a": ["1", "2"], "b": ["2024-05-01", None]}, kinds={"a": "numeric", "b": "date"}).schema
    dataset = encode_like({"a": ["7", 3], "b": ["2024-06-01", dt.date(2024, 5, 1)]}, schema)
    assert dataset.columns[0].tolist() == [7.0, 3.0]
    assert [schema[1].show(value) for value in dataset.columns[1]] == ["2024-06-01", "2024-05-01"]
    with pytest.raises(DataError, match="'seven' in row 0"):
        encode_like({"a": ["seven", "1"], "b": [None, None]}, schema)


def test_missing_tokens_are_remembered() -> None:
    schema = encode({"a": ["x", "?"], "b": [1, -1]}, missing_tokens={"a": "?", "b": [-1]}).schema
    dataset = encode_like({"a": ["?", "x"], "b": [-1, 5]}, schema)
    assert dataset.columns[0].tolist() == [-1, 0]
    np.testing.assert_array_equal(dataset.columns[1], [np.nan, 5.0])


def test_a_schema_that_went_through_json_or_pickle_encodes_the_same(schema: Schema) -> None:
    for copy in (Schema.from_dict(schema.to_dict()), pickle.loads(pickle.dumps(schema))):
        assert copy == schema
        for first, second in zip(encode(TRAINING).columns, encode_like(TRAINING, copy).columns, strict=True):
            np.testing.assert_array_equal(first, second)


def test_no_rows_are_an_error_here_too(schema: Schema) -> None:
    with pytest.raises(DataError, match=r"0 sample\(s\)"):
        encode_like(TRAINING.iloc[:0], schema)

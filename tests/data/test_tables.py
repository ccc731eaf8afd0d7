"""Reading tables: every container gives the same dataset."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from quercus.data import Dataset, encode
from quercus.errors import DataError, DataTypeError

COLUMNS = {
    "Outlook": ["Sunny", "Rain", None, "Sunny"],
    "Humidity": [85.5, None, 70.0, 95.0],
    "Windy": [True, False, None, True],
}
ROWS = [list(row) for row in zip(*COLUMNS.values(), strict=True)]
CONTAINERS = {
    "dict of lists": COLUMNS,
    "dict of tuples": {name: tuple(column) for name, column in COLUMNS.items()},
    "dict of object arrays": {name: np.array(column, dtype=object) for name, column in COLUMNS.items()},
    "dict of series": {name: pd.Series(column) for name, column in COLUMNS.items()},
    "dict of polars series": {name: pl.Series(column) for name, column in COLUMNS.items()},
    "dict of pyarrow arrays": {name: pa.array(column) for name, column in COLUMNS.items()},
    "dict of chunked arrays": {name: pa.chunked_array([column[:1], column[1:]]) for name, column in COLUMNS.items()},
    "list of dicts": [dict(zip(COLUMNS, row, strict=True)) for row in ROWS],
    "list of lists": ROWS,
    "list of tuples": [tuple(row) for row in ROWS],
    "tuple of lists": tuple(ROWS),
    "object array": np.array(ROWS, dtype=object),
    "object array, Fortran order": np.asfortranarray(np.array(ROWS, dtype=object)),
    "pandas": pd.DataFrame(COLUMNS),
    "pandas objects": pd.DataFrame({name: pd.Series(column, dtype=object) for name, column in COLUMNS.items()}),
    "pandas nullable": pd.DataFrame(COLUMNS).convert_dtypes(),
    "pandas arrow": pd.DataFrame(COLUMNS).convert_dtypes(dtype_backend="pyarrow"),
    "pandas python strings": pd.DataFrame(COLUMNS).astype({"Outlook": pd.StringDtype("python")}),
    "polars": pl.DataFrame(COLUMNS),
    "pyarrow": pa.table(COLUMNS),
    "pyarrow record batch": pa.RecordBatch.from_pydict(COLUMNS),
}


def columns_of(dataset: Dataset) -> list[list[object]]:
    return [[None if value != value else value for value in column.tolist()] for column in dataset.columns]


@pytest.mark.parametrize("name", CONTAINERS)
def test_every_container_gives_the_same_dataset(name: str) -> None:
    table = CONTAINERS[name]
    dataset = encode(table, feature_names=list(COLUMNS))
    assert dataset.schema.names == tuple(COLUMNS)
    assert [(attribute.kind, attribute.values) for attribute in dataset.schema] == [
        ("nominal", ("Rain", "Sunny")),
        ("numeric", ()),
        ("boolean", (False, True)),
    ]
    assert columns_of(dataset) == [[1, 0, -1, 1], [85.5, None, 70.0, 95.0], [1, 0, -1, 1]]
    assert [column.dtype for column in dataset.columns] == [np.int32, np.float64, np.int32]
    assert dataset.n_rows == 4


def test_columns_without_names_are_numbered() -> None:
    assert encode([[1, 2], [3, 4]]).schema.names == ("x0", "x1")
    assert encode(np.zeros((2, 3))).schema.names == ("x0", "x1", "x2")


def test_labels_that_are_no_strings_go_by_their_text() -> None:
    assert encode(pd.DataFrame({0: [1], (1, "a"): [2]})).schema.names == ("0", "(1, 'a')")


def test_rows_of_dicts_may_leave_values_out() -> None:
    dataset = encode([{"a": 1}, {"b": "x"}])
    assert columns_of(dataset) == [[1.0, None], [-1, 0]]


def test_structured_array_uses_its_field_names() -> None:
    array = np.array([(1.5, "a", True), (2.5, "b", False)], dtype=[("x", "f4"), ("y", "U3"), ("z", "?")])
    dataset = encode(array)
    assert dataset.schema.names == ("x", "y", "z")
    assert [attribute.kind for attribute in dataset.schema] == ["numeric", "nominal", "boolean"]
    assert dataset.columns[0].dtype == np.float32


def test_masked_entries_are_missing() -> None:
    mask = [[False, True], [True, False]]
    assert columns_of(encode(np.ma.array([[1, 2], [3, 4]], mask=mask))) == [[1.0, None], [None, 4.0]]
    assert columns_of(encode(np.ma.array([[1.0, 2], [3, 4]], mask=mask))) == [[1.0, None], [None, 4.0]]
    assert columns_of(encode(np.ma.array([["a", "b"], ["c", "d"]], mask=mask))) == [[0, -1], [-1, 0]]
    assert columns_of(encode(np.ma.array([[True, False], [True, False]], mask=mask))) == [[1, -1], [-1, 0]]


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_an_object_with_array_protocol_is_a_table() -> None:
    class Wrapped:
        def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
            return np.array([[1.0, 2.0], [3.0, 4.0]])

    assert columns_of(encode(Wrapped())) == [[1.0, 3.0], [2.0, 4.0]]
    assert columns_of(encode(np.matrix([[1.0, 2.0], [3.0, 4.0]]))) == [[1.0, 3.0], [2.0, 4.0]]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_columns_in_a_usable_layout_are_not_copied(dtype: type) -> None:
    array = np.asfortranarray(np.arange(12, dtype=dtype).reshape(4, 3))
    for column in encode(array).columns:
        assert np.shares_memory(column, array)
        assert column.dtype == dtype
    for column in encode(array[:, 1:]).columns:
        assert np.shares_memory(column, array)
    frame = pd.DataFrame(np.arange(12, dtype=dtype).reshape(4, 3))
    frame = frame.copy()  # by columns in memory
    for position, column in enumerate(encode(frame).columns):
        assert np.shares_memory(column, frame[position].to_numpy())
    series = pl.Series([1.0, 2.0], dtype=pl.Float64)
    assert np.shares_memory(encode({"a": series}).columns[0], series.to_numpy())


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ">f4", ">f8", "i1", "u2", ">i4", "i8", "u8", np.longdouble])
@pytest.mark.parametrize("layout", ["C", "F", "every other", "reversed", "broadcast"])
def test_any_layout_and_number_type_gives_the_same_columns(dtype: str, layout: str) -> None:
    plain = np.arange(5000 * 3).reshape(5000, 3) % 100
    array = np.array(plain, dtype=dtype, order="F" if layout == "F" else "C")
    if layout == "every other":
        array, plain = array[::2, ::2], plain[::2, ::2]
    elif layout == "reversed":
        array, plain = array[::-1, ::-1], plain[::-1, ::-1]
    elif layout == "broadcast":
        array, plain = np.broadcast_to(array[0], (7, 3)), np.broadcast_to(plain[0], (7, 3))
    dataset = encode(array)
    for column, expected in zip(dataset.columns, plain.T, strict=True):
        assert column.dtype == (np.float32 if np.dtype(dtype).str[1:] in ("f2", "f4") else np.float64)
        assert column.dtype.isnative and column.flags.c_contiguous and column.flags.aligned
        np.testing.assert_array_equal(column, expected)


def test_the_callers_array_is_never_changed() -> None:
    array = np.asfortranarray([[1.0, -999.0], [-999.0, 2.0]])
    before = array.copy()
    dataset = encode(array, missing_tokens=[-999])
    assert columns_of(dataset) == [[1.0, None], [None, 2.0]]
    np.testing.assert_array_equal(array, before)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.zeros((0, 3)), r"0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1 is required"),
        (np.zeros((3, 0)), r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1 is required"),
        (pd.DataFrame({"a": []}), r"0 sample\(s\)"),
        (pd.DataFrame(index=[1, 2]), r"0 feature\(s\) \(shape=\(2, 0\)\)"),
        (pl.DataFrame({"a": []}), r"0 sample\(s\)"),
        (pa.table({"a": pa.array([], pa.string())}), r"0 sample\(s\)"),
        ([], r"0 sample\(s\)"),
        ({}, r"0 (sample|feature)\(s\)"),
        ([[], []], r"0 feature\(s\)"),
        ([{}, {}], r"0 feature\(s\)"),
        (np.zeros(3), "Expected 2D array, got 1D array instead.*Reshape your data"),
        ([1.0, 2.0], "Reshape your data"),
        (["a", "b"], "Reshape your data"),
        (pd.Series([1, 2]), "Reshape your data"),
        (pl.Series([1, 2]), "Reshape your data"),
        (np.array(3.0), "Expected 2D array, got scalar array instead.*Reshape your data"),
        (np.zeros((2, 2, 2)), "Found array with dim 3"),
        (np.array([[1j]]), "Complex data not supported"),
        (np.array([[1j]], dtype=object), "Complex data not supported"),
        ([[1, 2], [3]], "row 0 has 2 values and row 1 has 1"),
        ([[1, 2], {"a": 1}], "Row 1"),
        ({"a": [1], "b": [1, 2]}, "'a' has 1 rows and 'b' has 2"),
        ({"a": np.zeros((2, 2))}, "one dimension"),
        ({"a": 3}, "a column is a list, an array or a series"),
        ({"a": "xyz"}, "a column is a list, an array or a series"),
        ("table.csv", "give a data frame"),
        (None, "give a data frame"),
        (3, "give a data frame"),
        (pl.LazyFrame({"a": [1]}), "collect"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "'a' comes more than once"),
        (pd.DataFrame([[1, 2]], columns=["1", 1]), "'1' comes more than once"),
    ],
)
def test_what_is_no_table_gets_a_clear_error(table: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        encode(table)


@pytest.mark.parametrize(
    "table",
    [
        np.array([[{"foo": "bar"}], [1]], dtype=object),
        [[[1, 2]], [[3]]],
        {"a": [object(), object()]},
        pl.DataFrame({"a": [[1, 2], [3]]}),
        pl.DataFrame({"a": [{"b": 1}]}),
        pa.table({"a": [[1, 2], [3]]}),
        np.zeros((2, 2), dtype="V8"),
    ],
)
def test_values_that_are_no_values_are_a_type_error(table: object) -> None:
    with pytest.raises(TypeError, match=r"argument must be .* string.* number"):
        encode(table)
    assert issubclass(DataTypeError, TypeError) and issubclass(DataTypeError, ValueError)


def test_feature_names_must_fit() -> None:
    with pytest.raises(DataError, match="2 names, but the table has 3 columns"):
        encode(np.zeros((1, 3)), feature_names=["a", "b"])
    with pytest.raises(DataError, match="'a' comes more than once"):
        encode(np.zeros((1, 2)), feature_names=["a", "a"])
    assert encode(pd.DataFrame({"x": [1]}), feature_names=["y"]).schema.names == ("y",)


def test_rows_can_be_taken() -> None:
    dataset = encode({"a": [1, 2, 3], "b": ["x", "y", "x"]})
    assert columns_of(dataset.take([2, 0])) == [[3.0, 1.0], [0, 0]]
    assert columns_of(dataset.take(np.array([False, True, False]))) == [[2.0], [1]]
    assert dataset.column("b").tolist() == [0, 1, 0] and dataset.nbytes == 3 * 8 + 3 * 4


def test_a_dataset_checks_its_columns() -> None:
    dataset = encode({"a": [1, 2, 3]})
    with pytest.raises(DataError, match="float64 or float32"):
        Dataset(dataset.schema, (np.zeros(3, dtype=np.int64),), 3)
    with pytest.raises(DataError, match="shape"):
        Dataset(dataset.schema, (np.zeros(2),), 3)
    with pytest.raises(DataError, match="0 columns, but 1 attributes"):
        Dataset(dataset.schema, (), 3)

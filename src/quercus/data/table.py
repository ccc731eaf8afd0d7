"""Reading a table: any container of rows or columns becomes named columns."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np

from quercus.arrays import Array
from quercus.data.column import CodedColumn, Column, column_of_array, column_of_codes, column_of_list
from quercus.data.frame import column_of_pandas, column_of_series
from quercus.data.sparse import is_sparse
from quercus.errors import DataError, DataTypeError, shorten, shown_list

__all__ = ["Table", "read_column", "read_table"]

_RESHAPE = (
    "Reshape your data either using array.reshape(-1, 1) if your data has a single feature "
    "or array.reshape(1, -1) if it contains a single sample."
)
_BLOCK = 2048  # rows copied at a time when rows become columns: a block fits the cache


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns of equal length. ``named``: the names were given, not made up from the positions."""

    names: tuple[str, ...]
    columns: tuple[Column, ...]
    n_rows: int
    named: bool


def read_table(table: Any, feature_names: Sequence[Any] | None = None) -> Table:
    """Read a pandas, polars or pyarrow table, a NumPy array, a dict of columns or a list of rows.

    Columns without names are called x0, x1, …; other labels than strings (such as numbers) go by their text.
    ``feature_names`` replaces the names.

    >>> table = read_table({"Outlook": ["Sunny", "Rain"], "Humidity": [85, None]})
    >>> table.names, table.n_rows, table.columns[0].values
    (('Outlook', 'Humidity'), 2, ('Sunny', 'Rain'))
    """
    _refuse_what_is_no_table(table)
    names, columns, n_rows, named = _parts(table, feature_names)
    check_size(n_rows, len(columns))
    return Table(names, tuple(columns), n_rows, named)


def check_size(n_rows: int, n_columns: int) -> None:
    """Refuse a table without rows or columns."""
    if n_rows == 0:
        raise DataError(
            f"Found array with 0 sample(s) (shape=(0, {n_columns})) while a minimum of 1 is required: "
            "the table has no rows."
        )
    if n_columns == 0:
        raise DataError(
            f"Found array with 0 feature(s) (shape=({n_rows}, 0)) while a minimum of 1 is required: "
            "the table has no columns."
        )


def read_column(name: str, source: Any) -> Column:
    """Read one column from a list, a NumPy array or a Series of any data frame library."""
    if isinstance(source, np.ndarray):
        array = source
    elif isinstance(source, CodedColumn):
        return column_of_codes(name, source)
    elif nw.dependencies.is_pandas_series(source):
        return column_of_pandas(name, source)
    elif isinstance(source, (list, tuple, range)):
        return column_of_list(name, source)
    elif nw.dependencies.is_into_series(source):
        return column_of_series(name, nw.from_native(source, series_only=True))
    elif type(source).__module__.partition(".")[0] == "pandas" and hasattr(source, "dtype"):
        return column_of_pandas(name, sys.modules["pandas"].Series(source))  # an index or an extension array
    elif hasattr(source, "__arrow_c_array__") and "pyarrow" in sys.modules:
        chunked = sys.modules["pyarrow"].chunked_array([sys.modules["pyarrow"].array(source)])
        return column_of_series(name, nw.from_native(chunked, series_only=True))
    elif hasattr(source, "__array__"):
        array = np.asarray(source)
    elif hasattr(source, "__iter__") and not isinstance(source, (str, bytes, Mapping)):
        return column_of_list(name, list(source))
    else:
        raise DataTypeError(
            f"Column {name!r} is {shorten(source)} of type {type(source).__name__}, "
            "but a column is a list, an array or a series."
        )
    if array.ndim != 1:
        raise DataError(f"Column {name!r} is an array of shape {array.shape}, but a column has one dimension.")
    return column_of_array(name, array)


def _refuse_what_is_no_table(table: Any) -> None:
    if is_sparse(table):
        raise DataTypeError(
            "Sparse data was passed for X, but dense data is required. "
            "Use '.toarray()' to convert to a dense numpy array."
        )
    if table is None or isinstance(table, (str, bytes)):
        raise DataTypeError(
            f"The table is {shorten(table)}; give a data frame, a two-dimensional array, "
            "a dict of columns or a list of rows."
        )


_Parts = tuple[tuple[str, ...], Sequence[Column], int, bool]


def _parts(table: Any, feature_names: Sequence[Any] | None) -> _Parts:
    if isinstance(table, np.ndarray):
        return _read_array(table, feature_names)
    if isinstance(table, Mapping):
        return _read_columns(list(table), list(table.values()), feature_names)
    if isinstance(table, (list, tuple)):
        return _read_rows(table, feature_names)
    if nw.dependencies.is_pandas_dataframe(table):
        return _read_pandas(table, feature_names)
    if nw.dependencies.is_into_dataframe(table):
        frame = nw.from_native(table, eager_only=True)
        names = _checked_names(frame.columns, feature_names)
        columns = [column_of_series(name, series) for name, series in zip(names, frame.iter_columns(), strict=True)]
        return names, columns, frame.shape[0], True
    if nw.dependencies.is_into_series(table) or nw.dependencies.is_pandas_index(table):
        raise _one_dimension(f"1D array instead: a {type(table).__name__}")
    if isinstance(nw.from_native(table, pass_through=True), nw.LazyFrame):
        raise DataTypeError(f"The table is a lazy {type(table).__name__}; call its .collect() (or .df()) first.")
    if hasattr(table, "__arrow_c_stream__") and "pyarrow" in sys.modules:
        return _parts(sys.modules["pyarrow"].table(table), feature_names)
    if hasattr(table, "__array__"):
        return _read_array(np.asarray(table), feature_names)
    raise DataTypeError(
        f"The table is of type {type(table).__name__}; give a data frame (pandas, polars, pyarrow), a two-dimensional "
        "NumPy array, a dict of columns or a list of rows."
    )


def _one_dimension(what: str) -> DataError:
    return DataError(f"Expected 2D array, got {what}. {_RESHAPE}")


def _checked_names(labels: Sequence[Any], feature_names: Sequence[Any] | None) -> tuple[str, ...]:
    """Return the column names as text, replaced by ``feature_names`` if given; no name may come twice."""
    if feature_names is not None:
        listed_names = [feature_names] if isinstance(feature_names, str) else list(feature_names)
        if len(listed_names) != len(labels):
            raise DataError(f"feature_names has {len(listed_names)} names, but the table has {len(labels)} columns.")
        labels = listed_names
    names = tuple(str(label) for label in labels)
    if len(set(names)) < len(names):
        seen: set[str] = set()
        twice = [name for name in names if name in seen or seen.add(name)]  # type: ignore[func-returns-value]
        raise DataError(f"Column names must differ, but {shown_list(twice)} comes more than once. Rename the columns.")
    return names


def made_names(n_columns: int, feature_names: Sequence[Any] | None) -> tuple[str, ...]:
    if feature_names is not None:
        return _checked_names(range(n_columns), feature_names)
    return tuple([f"x{position}" for position in range(n_columns)])


def _read_columns(labels: list[Any], sources: list[Any], feature_names: Sequence[Any] | None) -> _Parts:
    names = _checked_names(labels, feature_names)
    columns = [read_column(name, source) for name, source in zip(names, sources, strict=True)]
    for column in columns:
        if len(column) != len(columns[0]):
            raise DataError(
                f"Columns must have the same length, but {columns[0].name!r} has {len(columns[0])} rows and "
                f"{column.name!r} has {len(column)}."
            )
    return names, columns, len(columns[0]) if columns else 0, True


def _read_pandas(frame: Any, feature_names: Sequence[Any] | None) -> _Parts:
    names = _checked_names(list(frame.columns), feature_names)
    n_rows, n_columns = frame.shape
    if n_columns > 64 and isinstance(frame.dtypes.iloc[0], np.dtype) and frame.dtypes.nunique() == 1:
        array = frame.to_numpy()
        return names, _array_columns(names, array), n_rows, True
    columns = [column_of_pandas(name, series) for name, (_, series) in zip(names, frame.items(), strict=True)]
    return names, columns, n_rows, True


def _read_rows(rows: Sequence[Any], feature_names: Sequence[Any] | None) -> _Parts:
    if all(isinstance(row, Mapping) for row in rows) and rows:
        labels = list(dict.fromkeys(label for row in rows for label in row))
        sources: list[Any] = [[row.get(label) for row in rows] for label in labels]
        return (*_read_columns(labels, sources, feature_names)[:2], len(rows), True)
    plain = [row.tolist() if isinstance(row, np.ndarray) and row.ndim == 1 else row for row in rows]
    for position, row in enumerate(plain):
        if not isinstance(row, (list, tuple)):
            if position == 0 and not isinstance(row, (Mapping, np.ndarray)):
                raise _one_dimension(f"1D array instead: a list of {type(row).__name__}")
            raise DataError(
                f"Row {position} (counting from 0) is {shorten(row)} of type {type(row).__name__}, "
                "but each row must be a list or tuple (or each a dict)."
            )
        if len(row) != len(plain[0]):
            raise DataError(
                f"Rows must have the same length, but row 0 has {len(plain[0])} values "
                f"and row {position} has {len(row)}."
            )
    names = made_names(len(plain[0]) if plain else 0, feature_names)
    columns = [column_of_list(name, entries) for name, entries in zip(names, zip(*plain, strict=True), strict=True)]
    return names, columns, len(plain), feature_names is not None


def _read_array(array: Array, feature_names: Sequence[Any] | None) -> _Parts:
    if not isinstance(array, np.ma.MaskedArray):
        array = np.asarray(array)  # np.matrix and other subclasses have rules of their own
    if array.dtype.names is not None and array.ndim == 1:
        return _read_columns(list(array.dtype.names), [array[field] for field in array.dtype.names], feature_names)
    if array.ndim == 0:
        raise _one_dimension("scalar array instead")
    if array.ndim == 1:
        raise _one_dimension(f"1D array instead: an array of length {len(array)}")
    if array.ndim > 2:
        raise DataError(f"Found array with dim {array.ndim}, while dim <= 2 is required: one row per example.")
    if array.dtype.kind == "c":
        raise DataError("Complex data not supported: give the real and imaginary parts as columns of their own.")
    names = made_names(array.shape[1], feature_names)
    return names, _array_columns(names, array), array.shape[0], feature_names is not None


def _array_columns(names: Sequence[str], array: Array) -> list[Column]:
    """Split a two-dimensional array; columns that are contiguous already are used as they are."""
    if isinstance(array, np.ma.MaskedArray):
        return [column_of_array(name, array[:, position]) for position, name in enumerate(names)]
    if array.dtype.kind in "fiu":
        array = _by_columns(array)
    return [column_of_array(name, column) for name, column in zip(names, array.T, strict=True)]


def _by_columns(array: Array) -> Array:
    """Return the array with contiguous columns, copied block by block if need be."""
    n_rows, n_columns = array.shape
    if array.dtype.isnative and (n_rows <= 1 or array.strides[0] == array.itemsize):
        return array
    columns = np.empty((n_columns, n_rows), dtype=array.dtype.newbyteorder("="))
    for start in range(0, n_rows, _BLOCK):
        columns[:, start : start + _BLOCK] = array[start : start + _BLOCK].T
    return columns.T

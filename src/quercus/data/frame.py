"""Columns of data frames: pandas, polars, pyarrow and whatever else narwhals knows."""

from __future__ import annotations

import dataclasses
import sys
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np

from quercus.arrays import Array
from quercus.data.column import Column, column_of_array, column_of_list, distinct_values
from quercus.data.schema import Kind
from quercus.errors import DataTypeError

__all__ = ["FEW_ROWS", "column_of_pandas", "column_of_series"]

#: Below this a dictionary is faster than a query.
FEW_ROWS = 500


def column_of_pandas(name: str, series: Any) -> Column:
    """Read a pandas Series; categories are the declared domain, an ordered categorical makes an ordered attribute."""
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        return column_of_array(name, series.to_numpy())
    if hasattr(dtype, "categories"):
        kind: Kind = "ordered" if dtype.ordered else "nominal"
        return _declared_column(name, kind, series.cat.codes.to_numpy(), dtype.categories.tolist())
    if dtype.name in ("str", "string"):
        return _pandas_text(name, series)
    if hasattr(dtype, "tz"):
        column = column_of_array(name, series.to_numpy(dtype="datetime64[us]"))
        return dataclasses.replace(column, date_type="utc")
    return column_of_series(name, nw.from_native(series, series_only=True))


def column_of_series(name: str, series: Any) -> Column:
    """Read a narwhals Series."""
    dtype = series.dtype
    if dtype == nw.String:
        return _text_column(name, series)
    if dtype.is_float():
        width = np.float32 if dtype == nw.Float32 else np.float64
        return column_of_array(name, np.asarray(series.to_numpy(), dtype=width))
    if dtype == nw.Boolean or dtype.is_integer():
        return _whole_column(name, series)
    if dtype == nw.Decimal:
        return column_of_array(name, np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64))
    if dtype in (nw.Categorical, nw.Enum):
        return _categorical_column(name, series)
    if dtype in (nw.Datetime, nw.Date, nw.Duration):
        return _date_column(name, series)
    if dtype in (nw.List, nw.Struct, nw.Array):
        raise DataTypeError(
            f"Column {name!r} is of type {dtype}: each argument must be a string or a number (or a boolean, a date). "
            "Split it into one column per part first."
        )
    if series.implementation.is_pandas():
        return column_of_array(name, np.asarray(series.to_native()))
    return column_of_list(name, series.to_list())


def _whole_column(name: str, series: Any) -> Column:
    wide = series.dtype in (nw.Int128, nw.UInt128)
    if wide or (series.null_count() and series.dtype == nw.Boolean):
        return column_of_list(name, series.to_list())
    if not series.null_count():
        return column_of_array(name, series.to_numpy())
    mask = np.asarray(series.is_null().to_numpy(), dtype=np.bool_)
    whole = column_of_array(name, np.asarray(series.fill_null(0).to_numpy()))
    return dataclasses.replace(whole, missing=mask)


def _pandas_text(name: str, series: Any) -> Column:
    pyarrow = sys.modules.get("pyarrow")
    if series.dtype.storage == "pyarrow" and pyarrow is not None:
        return _arrow_text(name, pyarrow.array(series.array))
    codes, values = distinct_values(name, series.to_numpy(dtype=object).tolist())
    return Column(name, "nominal", codes=codes, values=values)


def _text_column(name: str, series: Any) -> Column:
    native = series.to_native()
    if series.implementation.is_polars():
        return _polars_text(name, native)
    if series.implementation.is_pyarrow():
        return _arrow_text(name, native)
    codes, values = distinct_values(name, series.to_list())
    return Column(name, "nominal", codes=codes, values=values)


def _polars_text(name: str, native: Any) -> Column:
    if len(native) < FEW_ROWS:
        codes, texts = distinct_values(name, native.to_list())
        return Column(name, "nominal", codes=codes, values=texts)
    polars = sys.modules["polars"]
    values = native.unique(maintain_order=True).drop_nulls()
    new = polars.Series(np.arange(len(values), dtype=np.int32))
    codes = native.replace_strict(values, new, default=-1, return_dtype=polars.Int32).to_numpy()
    return Column(name, "nominal", codes=codes, values=tuple(values.to_list()))


def _arrow_text(name: str, native: Any) -> Column:
    if len(native) < FEW_ROWS:
        codes, texts = distinct_values(name, native.to_pylist())
        return Column(name, "nominal", codes=codes, values=texts)
    codes, values = _arrow_codes(native.dictionary_encode())
    return Column(name, "nominal", codes=codes, values=tuple(values))


def _arrow_codes(encoded: Any) -> tuple[Array, list[Any]]:
    """Return codes and values of a pyarrow dictionary array, chunked or not."""
    chunks = encoded.unify_dictionaries().chunks if hasattr(encoded, "chunks") else [encoded]
    if not chunks:
        return np.empty(0, dtype=np.int32), []
    parts = [chunk.indices.cast("int32").fill_null(-1).to_numpy(zero_copy_only=False) for chunk in chunks]
    return parts[0] if len(parts) == 1 else np.concatenate(parts), chunks[0].dictionary.to_pylist()


def _categorical_column(name: str, series: Any) -> Column:
    native = series.to_native()
    if series.implementation.is_polars():
        if series.dtype == nw.Enum:
            codes = native.to_physical().cast(sys.modules["polars"].Int32).fill_null(-1).to_numpy()
            return _declared_column(name, "nominal", codes, native.dtype.categories.to_list())
        return _polars_text(name, native.cast(sys.modules["polars"].String))
    if series.implementation.is_pyarrow():
        codes, values = _arrow_codes(native)
        return _declared_column(name, "ordered" if native.type.ordered else "nominal", codes, values)
    if series.implementation.is_pandas() and hasattr(native.dtype, "pyarrow_dtype"):
        codes, values = _arrow_codes(sys.modules["pyarrow"].array(native))
        return _declared_column(name, "ordered" if native.dtype.pyarrow_dtype.ordered else "nominal", codes, values)
    values = series.cat.get_categories().to_list()
    codes = distinct_values(name, [*values, *series.to_list()])[0][len(values) :]
    return _declared_column(name, "nominal", codes, values)


def _declared_column(name: str, kind: Kind, codes: Array, categories: list[Any]) -> Column:
    """Make a column of declared categories; a category that is itself missing is dropped."""
    positions, values = distinct_values(name, categories)
    if len(values) < len(categories):
        codes = np.append(positions, np.int32(-1))[codes]
    return Column(name, kind, codes=codes.astype(np.int32, copy=False), values=values, declared=True)


def _date_column(name: str, series: Any) -> Column:
    array = np.asarray(series.to_numpy())
    if array.dtype.kind not in "Mm":
        return column_of_list(name, series.to_list())
    column = column_of_array(name, array)
    zone = getattr(series.dtype, "time_zone", None)
    return dataclasses.replace(column, date_type="utc") if zone else column

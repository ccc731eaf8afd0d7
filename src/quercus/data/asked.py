"""Asked columns: of a table to predict for, only the columns that a model reads are encoded; a matrix stays as it is.

What stands in other columns does not change an answer, and is not looked at. A single row of a data frame is read value
by value: making a column of each would take longer than the answer.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from quercus.arrays import Array
from quercus.data.conversion import refuse_infinity
from quercus.data.dataset import Dataset, Reader, encode_like, follow
from quercus.data.frame import column_of_pandas
from quercus.data.known_values import codes_of_arrow, codes_of_categories, codes_of_numbers, codes_of_objects
from quercus.data.schema import Attribute, Schema
from quercus.data.table import read_column

_EXACT = 2.0**53


class CellDataset(Dataset):
    """Rows of numbers in one matrix of any layout; ``columns`` are made of it when they are asked for."""

    cells: Array
    asked: Sequence[int]

    @classmethod
    def of(cls, schema: Schema, cells: Array, asked: Sequence[int]) -> CellDataset:
        """The rows of a float array, rows × numeric attributes; infinite numbers are found where they are read.

        asked: the positions of the attributes that are read.
        """
        result = object.__new__(cls)
        result.__dict__.update(schema=schema, cells=cells, asked=asked, n_rows=len(cells))
        return result

    @cached_property
    def columns(self) -> tuple[Array, ...]:
        """The columns, each contiguous."""
        return tuple(np.asfortranarray(self.cells).T)

    def core_table(self, reader: Reader) -> Array:
        """What is handed to the core: the matrix."""
        return self.cells

    @property
    def unproven(self) -> bool:
        """The core looks for infinite numbers while it reads."""
        return True

    def refuse_infinity(self) -> None:
        """Name the first infinite number, if there is one, as an error."""
        for position in self.asked:
            refuse_infinity(self.schema.names[position], self.cells[:, position])


class AskedDataset(Dataset):
    """Rows of which only some columns are encoded: those that a model asks; the others are None."""

    @classmethod
    def of(cls, schema: Schema, asked: Sequence[int], columns: Sequence[Array], n_rows: int) -> AskedDataset:
        """The dataset of these columns at these positions; nothing is checked."""
        places: list[Any] = [None] * len(schema)
        for position, column in zip(asked, columns, strict=True):
            places[position] = column
        result = object.__new__(cls)
        result.__dict__.update(schema=schema, columns=tuple(places), n_rows=n_rows)
        return result

    @property
    def unproven(self) -> bool:
        """The core looks for infinite numbers while it reads."""
        return True

    def refuse_infinity(self) -> None:
        """Name the first infinite number, if there is one, as an error."""
        for attribute, column in zip(self.schema, self.columns, strict=True):
            if column is not None and column.dtype.kind == "f":
                refuse_infinity(attribute.name, column)


def encode_asked(table: Any, schema: Schema, asked: Sequence[int]) -> Dataset:
    """Encode a table as :func:`quercus.data.encode_like` does, but only the columns at these positions.

    >>> from quercus.data import encode
    >>> data = encode({"Outlook": ["Sunny", "Rain"], "Humidity": [85.0, 90.0]})
    >>> import pandas as pd
    >>> row = pd.DataFrame({"Outlook": ["Rain"], "Humidity": [70]})
    >>> encode_asked(row, data.schema, [0]).columns
    (array([0], dtype=int32), None)
    """
    kind = type(table)
    if kind is np.ndarray:
        if _is_matrix(table, schema):
            return CellDataset.of(schema, table, asked)
        if _has_columns(table, schema):
            columns = [_array_column(table[:, position], schema.attributes[position]) for position in asked]
            return AskedDataset.of(schema, asked, columns, len(table))
    elif kind.__name__ == "DataFrame" and kind.__module__.partition(".")[0] in ("pandas", "polars"):
        found = _of_frame(table, schema, asked)
        if found is not None:
            return found
    return encode_like(table, schema)


def _is_matrix(table: Array, schema: Schema) -> bool:
    """Whether the core can read an array as it is."""
    numbers = table.dtype in (np.float64, np.float32) and table.dtype.isnative and table.flags.aligned
    return numbers and table.ndim == 2 and table.shape[1] == len(schema) and len(table) > 0 and schema.plain_numbers


def _has_columns(table: Array, schema: Schema) -> bool:
    """Whether an array of numbers has a column for each attribute."""
    return table.dtype.kind in "fiu" and table.ndim == 2 and table.shape[1] == len(schema) and len(table) > 0


def _array_column(cells: Array, attribute: Attribute) -> Array:
    """A column of an array of numbers."""
    if attribute.plain_numbers and cells.dtype in (np.float64, np.float32):
        return np.require(cells, requirements=("C", "A"))
    codes = codes_of_numbers(cells, attribute) if attribute.kind == "nominal" and cells.flags.aligned else None
    return follow(read_column(attribute.name, cells), attribute) if codes is None else codes


def _of_frame(frame: Any, schema: Schema, asked: Sequence[int]) -> Dataset | None:
    """The asked columns of a pandas or polars frame that has the columns of the schema in their order; else None."""
    if not schema.matches(frame.columns) or not len(frame):
        return None
    pandas = hasattr(frame, "iloc")
    if len(frame) == 1:
        return _of_one_row(frame.iloc[0].tolist() if pandas else frame.row(0), schema, asked)
    if not pandas:
        return AskedDataset.of(schema, asked, _polars_columns(frame, schema, asked), len(frame))
    if schema.plain_numbers and (cells := _cells_of_pandas(frame)) is not None:
        return CellDataset.of(schema, cells, asked)
    columns = [_pandas_column(one, schema.attributes[position]) for position, one in _pandas_series(frame, asked)]
    return AskedDataset.of(schema, asked, columns, len(frame))


def _pandas_series(frame: Any, asked: Sequence[int]) -> Iterator[tuple[int, Any]]:
    """The asked columns with their positions; going through all is faster than picking, unless few are asked."""
    if 4 * len(asked) < len(frame.columns):
        for position in asked:
            yield position, frame.iloc[:, position]
        return
    wanted = set(asked)
    for position, (_, series) in enumerate(frame.items()):
        if position in wanted:
            yield position, series


def _cells_of_pandas(frame: Any) -> Array | None:
    """The one matrix that a pandas frame keeps its numbers in; None if it keeps them otherwise."""
    dtypes = frame.dtypes.tolist()
    if dtypes[0] not in (np.float64, np.float32) or dtypes.count(dtypes[0]) < len(dtypes):
        return None
    first = frame.iloc[:1]
    one, again = first.to_numpy(), first.to_numpy()
    return frame.to_numpy() if np.may_share_memory(one, again) else None  # else each call makes a new matrix


def _polars_columns(frame: Any, schema: Schema, asked: Sequence[int]) -> list[Array]:
    """The asked columns: texts and floats where they are, others with more care."""
    columns = []
    for position in asked:
        attribute, series = schema.attributes[position], frame.to_series(position)
        codes = codes_of_arrow(series, attribute) if attribute.kind == "nominal" else None
        if codes is None:
            floats = attribute.plain_numbers and series.dtype in _polars_floats()
            codes = series.to_numpy() if floats else follow(read_column(attribute.name, series), attribute)
        columns.append(np.ascontiguousarray(codes))
    return columns


def _polars_floats() -> tuple[Any, Any]:
    polars = sys.modules["polars"]
    return polars.Float32, polars.Float64


def _pandas_column(series: Any, attribute: Attribute) -> Array:
    """A column; how the categories of a categorical are coded is found once."""
    dtype = series.dtype
    if dtype in (np.float64, np.float32) and attribute.plain_numbers:
        return np.ascontiguousarray(series.to_numpy())
    if attribute.kind == "nominal":
        categories = getattr(dtype, "categories", None)
        codes = _pandas_texts(series, attribute) if categories is None else _category_codes(series, attribute)
        if codes is not None:
            return codes
    return follow(column_of_pandas(attribute.name, series), attribute)


def _pandas_texts(series: Any, attribute: Attribute) -> Array | None:
    """The codes of a column of objects or texts; None if it is another one, or takes more care."""
    dtype = series.dtype
    if dtype == np.object_:
        return codes_of_objects(series.to_numpy(), attribute)
    if dtype.name not in ("str", "string"):
        return None
    pyarrow = sys.modules.get("pyarrow")
    if dtype.storage == "pyarrow" and pyarrow is not None:
        return codes_of_arrow(pyarrow.array(series.array), attribute)
    return codes_of_objects(series.to_numpy(dtype=object), attribute)


def _category_codes(series: Any, attribute: Attribute) -> Array:
    """The codes of a categorical; those of its categories are found once."""
    categories, known = series.dtype.categories, attribute.category_codes
    if not known or known[0] is not categories:
        every = type(series)(sys.modules["pandas"].Categorical.from_codes(range(len(categories)), dtype=series.dtype))
        coded = follow(column_of_pandas(attribute.name, every), attribute)
        known[:] = [categories, coded]
    return codes_of_categories(series.array.codes, known[1])


def _of_one_row(values: Sequence[Any], schema: Schema, asked: Sequence[int]) -> Dataset | None:
    """One row by its values; None if one of them needs care."""
    attributes = schema.attributes
    cells = np.empty(len(asked))
    for place, position in enumerate(asked):
        cell = _cell(values[position], attributes[position])
        if cell is None:
            return None
        cells[place] = cell
    codes = None
    columns: list[Array] = []
    for place, position in enumerate(asked):
        if attributes[position].is_numeric:
            columns.append(cells[place : place + 1])
            continue
        if codes is None:
            codes = np.where(cells == cells, cells, -1.0).astype(np.int32)
        columns.append(codes[place : place + 1])
    return AskedDataset.of(schema, asked, columns, 1)


def _cell(value: Any, attribute: Attribute) -> float | None:
    """A number or code, NaN if the value is unknown; None: it takes more care to tell."""
    if attribute.missing_tokens or attribute.from_text:
        return None
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or value != value:
        return math.nan if value is None or type(value) is float else None
    kind = type(value)
    if attribute.kind == "numeric":
        return float(value) if (kind is float or kind is int) and -_EXACT < value < _EXACT else None
    if attribute.kind == "boolean":
        return float(value) if kind is bool else None
    if attribute.kind == "date" or kind is bool:
        return None
    code = attribute.code(value) if kind in (str, int, float) else -1
    if code < 0:  # a new value of a known type is unknown; one of another type is refused elsewhere
        return math.nan if kind is str and attribute.values and type(attribute.values[0]) is str else None
    return float(code)

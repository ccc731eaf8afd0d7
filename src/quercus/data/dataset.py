"""The dataset: a table encoded once, as a schema and one contiguous array per column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Array
from quercus.data.column import Column
from quercus.data.conversion import (
    as_booleans,
    as_codes,
    as_dates,
    as_numbers,
    distinct_codes,
    drop_tokens,
    has_gaps,
    suggested_kind,
    with_codes,
)
from quercus.data.names import counted
from quercus.data.options import Options, read_options
from quercus.data.schema import Attribute, Kind, Schema
from quercus.data.sparse import SparseColumns, is_sparse, read_sparse
from quercus.data.table import Table, check_size, made_names, read_table
from quercus.data.target import ClassTarget, encode_classes, encode_numbers
from quercus.errors import DataError, DataTypeError, shown_list

__all__ = [
    "ClassTarget",
    "Dataset",
    "check_dataset",
    "encode",
    "encode_classes",
    "encode_like",
    "encode_numbers",
    "follow",
]


#: Of a sparse table so many cells are made dense at a time for prediction.
DENSE_CELLS = 1 << 24


class Reader(Protocol):
    """A tree or a forest: what reads some of the attributes."""

    @property
    def asked(self) -> tuple[int, ...]:
        """Their positions."""
        ...


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A schema and its encoded columns.

    Column i is a contiguous array of ``n_rows``: float64 or float32 for numeric, ordered (codes 0, 1, …) and date
    (microseconds) attributes, with NaN = unknown; int32 codes for nominal and boolean ones, with -1 = unknown. Columns
    may share memory with the caller's table, and may be read-only: they must not be written to. Those of a sparse
    matrix are made dense one by one, when they are asked for.
    """

    schema: Schema
    columns: tuple[Array, ...] | SparseColumns
    n_rows: int

    def __repr__(self) -> str:
        """Rows and attributes in one line."""
        return f"<Dataset: {counted(self.n_rows, 'row')}, {counted(len(self.schema), 'attribute')}>"

    def __post_init__(self) -> None:
        """Check the columns against the schema."""
        if len(self.columns) != len(self.schema):
            raise DataError(f"There are {len(self.columns)} columns, but {len(self.schema)} attributes.")
        if isinstance(self.columns, SparseColumns):
            return
        for attribute, column in zip(self.schema, self.columns, strict=True):
            allowed = (np.float64, np.float32) if attribute.is_numeric else (np.int32,)
            if column.dtype not in allowed or column.shape != (self.n_rows,) or not column.flags.c_contiguous:
                raise DataError(
                    f"Column {attribute.name!r} ({attribute.kind}) is an array of {column.dtype}, "
                    f"shape {column.shape}, but must be contiguous, of shape ({self.n_rows},) and "
                    f"{'float64 or float32' if attribute.is_numeric else 'int32'}."
                )

    @classmethod
    def of_cells(cls, schema: Schema, cells: Array) -> Dataset:
        """The dataset of a float array, rows × numeric attributes, whose columns are contiguous; nothing is checked."""
        result = object.__new__(cls)
        result.__dict__.update(schema=schema, columns=tuple(cells.T), n_rows=len(cells))
        return result

    def core_columns(self, reader: Reader) -> tuple[Array, ...]:
        """The columns for the core, which reads those that ``reader`` asks; of a sparse matrix only these are made."""
        return self.columns if isinstance(self.columns, tuple) else self.columns.dense_where(reader.asked)

    def core_table(self, reader: Reader) -> tuple[Array, ...] | Array:
        """What prediction hands to the core: the columns, or the matrix that holds them all."""
        return self.core_columns(reader)

    @property
    def unproven(self) -> bool:
        """Whether infinite numbers are found only where they are read; see ``asked.py``."""
        return False

    def blocks(self, n_asked: int) -> list[Dataset]:
        """The rows in parts whose asked columns, made dense, fit the memory; a dense dataset is one part.

        n_asked: how many columns are read.
        """
        if not isinstance(self.columns, SparseColumns):
            return [self]
        size = max(1, DENSE_CELLS // max(1, n_asked))
        return (
            [self] if size >= self.n_rows else [self.take(slice(at, at + size)) for at in range(0, self.n_rows, size)]
        )

    def refuse_infinity(self) -> None:
        """Name the first infinite number as an error, if it was not refused before."""

    @property
    def nbytes(self) -> int:
        """The memory of all columns, in bytes."""
        if isinstance(self.columns, SparseColumns):
            return self.columns.nbytes
        return sum(column.nbytes for column in self.columns)

    def column(self, key: int | str) -> Array:
        """Return the encoded column at a position or of a name."""
        return self.columns[self.schema.position(key) if isinstance(key, str) else key]

    def take(self, rows: Any) -> Dataset:
        """Return the dataset of some rows (positions or a mask), in the order given."""
        if isinstance(self.columns, SparseColumns):
            taken = self.columns.take(rows)
            return Dataset(self.schema, taken, taken.n_rows)
        columns = tuple(np.ascontiguousarray(column[rows]) for column in self.columns)
        n_rows = len(columns[0]) if columns else 0
        return Dataset(self.schema, columns, n_rows)


def encode(
    table: Any,
    *,
    kinds: Mapping[Any, Kind | None] | Sequence[Kind | None] | None = None,
    domains: Mapping[Any, Sequence[Any]] | None = None,
    missing_tokens: Any = (),
    attribute_costs: Mapping[Any, float] | Sequence[float] | None = None,
    feature_names: Sequence[Any] | None = None,
) -> Dataset:
    """Learn the schema of a table and encode its columns.

    - table: a pandas, polars or pyarrow table, a two-dimensional or structured NumPy array, a dict of columns, a list
      of rows (lists, tuples or dicts), or a sparse matrix of SciPy, whose columns are numeric and stay sparse.
    - kinds: kinds that differ from what the data suggest, by column name, or a list for all columns (None: as
      suggested). Text, objects and categories suggest nominal (an ordered categorical: ordered), numbers numeric,
      booleans boolean, dates, times and durations date.
    - domains: declared values by column name, in their order, whether or not they occur. The values of a pandas
      categorical, polars Enum or pyarrow dictionary are declared by it. Any other domain is the values that occur,
      sorted, or in order of first appearance if they cannot be compared.
    - missing_tokens: values that mean "missing", for all columns or by column name. None, NaN, NA and NaT always do;
      "?", "None" and "" are values unless listed here.
    - attribute_costs: cost of each attribute by name (not listed: 0), or a sequence for all columns.
    - feature_names: names of the columns, instead of the table's own.

    >>> data = encode({"Outlook": ["Sunny", "Rain", "?"], "Humidity": [85, 90, None]}, missing_tokens=["?"])
    >>> [(attribute.name, attribute.kind, attribute.values) for attribute in data.schema]
    [('Outlook', 'nominal', ('Rain', 'Sunny')), ('Humidity', 'numeric', ())]
    >>> data.columns[0], data.columns[1]
    (array([ 1,  0, -1], dtype=int32), array([85., 90., nan]))
    """
    if is_sparse(table):
        return _encode_sparse(table, feature_names, kinds, domains, missing_tokens, attribute_costs)
    read = read_table(table, feature_names)
    options = read_options(read.names, kinds, domains, missing_tokens, attribute_costs)
    pairs = [_learn(column, position, options) for position, column in enumerate(read.columns)]
    schema = Schema(tuple(attribute for attribute, _ in pairs))
    return Dataset(schema, tuple(array for _, array in pairs), read.n_rows)


def check_dataset(dataset: Any) -> None:
    """Refuse what is no dataset, as a table that is not encoded yet."""
    if not isinstance(dataset, Dataset):
        raise DataTypeError(
            f"dataset is of type {type(dataset).__name__}, but must be a Dataset. Encode the table by "
            "quercus.data.encode or encode_like, or call the method of the model, which takes tables."
        )


def encode_like(table: Any, schema: Schema) -> Dataset:
    """Encode a table by a schema that was learnt from another one.

    table: of any kind that :func:`encode` takes.

    A table with column names is matched by name (further columns are ignored), any other by position. Values that the
    schema does not have become unknown.

    >>> data = encode({"Outlook": ["Sunny", "Rain"]})
    >>> encode_like({"Outlook": ["Rain", "Snow"]}, data.schema).columns[0]
    array([ 0, -1], dtype=int32)
    """
    if _is_plain(table, schema):  # a single row is answered sooner
        return Dataset.of_cells(schema, np.asfortranarray(table))
    if is_sparse(table):
        return _sparse_like(table, schema)
    read = read_table(table)
    columns = _matched(read, schema)
    arrays = tuple(follow(column, attribute) for column, attribute in zip(columns, schema, strict=True))
    return Dataset(schema, arrays, read.n_rows)


def _encode_sparse(
    table: Any, feature_names: Sequence[Any] | None, kinds: Any, domains: Any, missing_tokens: Any, costs: Any
) -> Dataset:
    """The dataset of a sparse matrix: every attribute is numeric, and nothing is unknown."""
    columns = read_sparse(table)
    check_size(columns.n_rows, len(columns))
    names = made_names(len(columns), feature_names)
    options = read_options(names, kinds, domains, missing_tokens, costs)
    for name, kind, domain, tokens in zip(names, options.kinds, options.domains, options.tokens, strict=True):
        if kind not in (None, "numeric") or domain is not None or tokens:
            raise DataError(
                f"Column {name!r} of a sparse table is numeric and has no unknown values, but kinds, domains or "
                "missing_tokens say otherwise. Leave them out, or give a dense table (.toarray())."
            )
    attributes = tuple(Attribute(name, "numeric", cost=cost) for name, cost in zip(names, options.costs, strict=True))
    return Dataset(Schema(attributes), columns, columns.n_rows)


def _sparse_like(table: Any, schema: Schema) -> Dataset:
    """A sparse matrix by a schema of numeric attributes; its columns are matched by position."""
    columns = read_sparse(table)
    check_size(columns.n_rows, len(columns))
    _check_width(len(columns), schema)
    other = next((attribute for attribute in schema if attribute.kind != "numeric"), None)
    if other is not None:
        raise DataError(
            f"The table is sparse, but attribute {other.name!r} is {other.kind}: a sparse table holds numbers only. "
            "Give a data frame, or a dense array."
        )
    return Dataset(schema, columns, columns.n_rows)


def _check_width(n_columns: int, schema: Schema) -> None:
    if n_columns != len(schema):
        raise DataError(
            f"The table has {n_columns} columns, but {len(schema)} are expected: {shown_list(schema.names)}."
        )


def _is_plain(table: Any, schema: Schema) -> bool:
    """Whether a table is an array of numbers for numeric attributes, none infinite, so that no column needs care."""
    return (
        type(table) is np.ndarray
        and table.dtype in (np.float64, np.float32)
        and table.shape[1:] == (len(schema),)
        and schema.plain_numbers
        and not np.isinf(table).any()
    )


def _matched(read: Table, schema: Schema) -> Sequence[Column]:
    if read.named and read.names != schema.names:
        positions = {name: position for position, name in enumerate(read.names)}
        absent = [name for name in schema.names if name not in positions]
        if not absent:
            return [read.columns[positions[name]] for name in schema.names]
        made_up = schema.names == tuple(f"x{position}" for position in range(len(schema)))
        if not made_up:
            raise DataError(
                f"The table has no column {shown_list(absent)}; it has {shown_list(read.names)}. "
                "Give the columns that the tree was grown with."
            )
    _check_width(len(read.columns), schema)
    return read.columns


def _learn(column: Column, position: int, options: Options) -> tuple[Attribute, Array]:
    """Decide an attribute's kind and domain and encode its column."""
    tokens = options.tokens[position]
    column = drop_tokens(column, tokens)
    domain = options.domains[position]
    suggested = suggested_kind(column)
    kind = options.kinds[position] or ("nominal" if domain is not None and suggested != "ordered" else suggested)
    name, cost = column.name, options.costs[position]
    if domain is not None and kind in ("numeric", "date", "boolean"):
        raise DataError(
            f"Column {name!r} has a declared domain and the kind {kind}; a domain is for nominal and ordered ones."
        )
    if kind == "numeric":
        numbers, text = as_numbers(column, from_text=True)
        gaps = has_gaps(numbers)
        return Attribute(name, kind, cost=cost, missing_tokens=tokens, from_text=text, gaps=gaps), numbers
    if kind == "date":
        dates, date_type, text = as_dates(column)
        date_type, gaps = date_type or "local", has_gaps(dates)
        return Attribute(name, kind, (), cost, date_type, tokens, text, gaps), dates
    if kind == "boolean":
        truths = as_booleans(column)
        return Attribute(name, kind, cost=cost, missing_tokens=tokens, gaps=has_gaps(truths)), truths
    column = with_codes(column)
    values = _sorted_domain(column) if domain is None else domain
    gaps = has_gaps(distinct_codes(column)[0])
    attribute = Attribute(name, kind, values, cost=cost, missing_tokens=tokens, gaps=gaps)
    return attribute, _code_array(as_codes(column, attribute, learning=True), attribute)


def _sorted_domain(column: Column) -> tuple[Any, ...]:
    if column.declared or column.kind == "boolean":
        return column.values
    try:
        return tuple(sorted(column.values))
    except TypeError:  # 1 and "1" have no order: as they appear
        return column.values


def _code_array(codes: NDArray[np.int32], attribute: Attribute) -> Array:
    if attribute.kind == "nominal":
        return np.ascontiguousarray(codes)
    steps = np.append(np.arange(attribute.n_values, dtype=np.float64), np.nan)
    return steps[codes]


def follow(column: Column, attribute: Attribute) -> Array:
    """Encode a column by a known attribute."""
    column = drop_tokens(column, attribute.missing_tokens)
    if column.name != attribute.name:
        column = Column(**{**vars(column), "name": attribute.name})
    if attribute.kind == "numeric":
        return as_numbers(column, attribute.from_text)[0]
    if attribute.kind == "boolean":
        return as_booleans(column)
    if attribute.kind == "date":
        dates, date_type, _ = as_dates(column)
        if date_type not in (None, attribute.date_type):
            raise DataError(
                f"Column {attribute.name!r} holds dates of the type {date_type!r}, but was learnt with "
                f"{attribute.date_type!r}. "
                "Convert the column to the same type (with or without a time zone)."
            )
        return dates
    return _code_array(as_codes(column, attribute, learning=False), attribute)

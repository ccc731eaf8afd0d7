"""A column as it was read: numbers, or codes into a list of distinct values, whatever container it came from."""

from __future__ import annotations

import numbers
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Array
from quercus.data.schema import DateType, Kind
from quercus.data.values import is_missing, is_missing_type, plain_value, value_key
from quercus.errors import DataError, DataTypeError, shorten

__all__ = [
    "CodedColumn",
    "Column",
    "column_of_array",
    "column_of_codes",
    "column_of_list",
    "distinct_values",
    "first_row",
]

_TRUE, _FALSE = object(), object()


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a table, read but not yet encoded.

    - kind: the kind that the data suggest; None: to be told by the values.
    - numbers: a NumPy array of floats or integers (dates: integers, microseconds), or None when ``codes`` is used.
    - missing: which entries of ``numbers`` are missing (None: those that are NaN, if any).
    - codes, values: entry i is ``values[codes[i]]``; -1 is missing. The values are distinct plain Python values.
    - declared: the values are a domain that somebody declared, so unused ones and their order count.
    """

    name: str
    kind: Kind | None
    numbers: Array | None = None
    missing: NDArray[np.bool_] | None = None
    codes: NDArray[np.int32] | None = None
    values: Sequence[Any] = ()
    declared: bool = False
    date_type: DateType | None = None

    def __len__(self) -> int:
        """How many rows there are."""
        array = self.codes if self.numbers is None else self.numbers
        return 0 if array is None else len(array)


@dataclass(frozen=True, eq=False, repr=False)
class CodedColumn:
    """A column whose values come again and again: entry i is ``values[codes[i]]``; code -1 is missing.

    It can be used as a column of a table, and reads like an array of its values, with None where one is missing.

    >>> column = CodedColumn.of_entries(["b", None, "a", "b"])
    >>> column.codes, column.values, column.tolist()
    (array([ 0, -1,  1,  0], dtype=int32), ('b', 'a'), ['b', None, 'a', 'b'])
    >>> column[[0, 2]].tolist(), column[3]
    (['b', 'a'], 'b')
    """

    codes: NDArray[np.int32]
    values: Sequence[Any]

    @classmethod
    def of_entries(cls, entries: Sequence[Any]) -> CodedColumn:
        """Make a column of its entries; None is missing."""
        return cls(*distinct_values("", entries))

    def with_values(self, values: Sequence[Any]) -> CodedColumn:
        """Return the column with a new value for each of its values; None makes it missing, equal ones become one.

        >>> CodedColumn.of_entries(["b", "a", "c"]).with_values([1, None, 1]).tolist()
        [1, None, 1]
        """
        codes, values = distinct_values("", values)
        if len(values) == len(codes):
            return CodedColumn(self.codes, values)
        return CodedColumn(np.append(codes, np.int32(-1))[self.codes], values)

    def first_row(self, code: int) -> int:
        """Return the first row that has a code."""
        return int(np.argmax(self.codes == code))

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.codes)

    def __repr__(self) -> str:
        """Show the first entries."""
        shown = [*map(repr, self[:6].tolist()), *(["..."] if len(self) > 6 else [])]
        return f"CodedColumn({', '.join(shown)})"

    def __iter__(self) -> Iterator[Any]:
        """Go through the entries."""
        return iter(self.tolist())

    def __getitem__(self, rows: Any) -> Any:
        """Return the entry of a row, or the column of several rows (positions, a slice or a mask)."""
        codes = self.codes[np.asarray(rows) if isinstance(rows, list) else rows]
        if isinstance(codes, np.ndarray):
            return CodedColumn(codes, self.values)
        return None if codes < 0 else self.values[codes]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Return an array of objects, one for each row."""
        table = np.empty(len(self.values) + 1, dtype=object)
        table[: len(self.values)] = self.values
        return table[self.codes].astype(object if dtype is None else dtype, copy=False)

    def tolist(self) -> list[Any]:
        """Return a list with an entry for each row."""
        entries: list[Any] = np.asarray(self).tolist()
        return entries


def column_of_codes(name: str, column: CodedColumn) -> Column:
    """Read a coded column; values that no row has do not count.

    >>> column_of_codes("x", CodedColumn.of_entries(["b", "a", "c"])[1:]).values
    ('a', 'c')
    """
    used = np.zeros(len(column.values) + 1, dtype=np.bool_)
    used[column.codes] = True
    if not used[:-1].all():
        kept = used[:-1].tolist()
        column = column.with_values([value if keep else None for value, keep in zip(column.values, kept, strict=True)])
    return Column(name, None, codes=column.codes, values=tuple(column.values))


def first_row(where: NDArray[np.bool_]) -> str:
    """Name the first row for which a condition holds.

    >>> first_row(np.array([False, True, True]))
    'row 1 (counting from 0)'
    """
    return f"row {int(np.argmax(where))} (counting from 0)"


def distinct_values(name: str, entries: Sequence[Any]) -> tuple[NDArray[np.int32], tuple[Any, ...]]:
    """Return codes and distinct plain values, in order of first appearance; missing entries get -1.

    1 and "1" are different values, and so are 1 and True; 1 and 1.0 are the same one.

    >>> codes, values = distinct_values("x", ["b", None, 1, "1", "b", 1.0])
    >>> codes.tolist(), values
    ([0, -1, 1, 2, 0, 1], ('b', 1, '1'))
    """
    types = set(map(type, entries))
    if not types.isdisjoint((bool, np.bool_)) and any(map(_is_number_type, types)):  # Python takes True for 1
        entries = [(_TRUE if entry else _FALSE) if isinstance(entry, (bool, np.bool_)) else entry for entry in entries]
    firsts: defaultdict[Any, int] = defaultdict(count().__next__)  # numbers each new entry by its order of appearance
    try:
        order = np.fromiter(map(firsts.__getitem__, entries), dtype=np.int32, count=len(entries))
    except Exception as error:
        raise _unusable(name, entries) from error
    values: list[Any] = []
    seen: dict[object, int] = {}
    table = np.full(len(firsts), -1, dtype=np.int32)
    for position, entry in enumerate(firsts):
        if not is_missing(entry):
            value = entry is _TRUE if entry is _TRUE or entry is _FALSE else _plain(name, entry)
            table[position] = code = seen.setdefault(value_key(value), len(values))
            if code == len(values):
                values.append(value)
    return order if len(values) == len(firsts) else table[order], tuple(values)


def _plain(name: str, entry: object) -> Any:
    try:
        return plain_value(entry)
    except DataError as error:
        raise type(error)(f"Column {name!r}: {error}") from error


def _unusable(name: str, entries: Sequence[Any]) -> DataTypeError:
    for row, entry in enumerate(entries):
        try:
            hash(entry)
        except Exception:
            return DataTypeError(
                f"Column {name!r} holds {shorten(entry)} of type {type(entry).__name__} in row {row} "
                "(counting from 0): each argument must be a string or a number (or a boolean, a date, None). "
                "Convert the column first."
            )
    return DataTypeError(
        f"Column {name!r} holds values that cannot be compared: each argument must be a string or a number."
    )


def _is_number_type(kind: type) -> bool:
    return issubclass(kind, (numbers.Real, Decimal)) and not issubclass(kind, (bool, np.bool_))


def column_of_list(name: str, entries: Sequence[Any]) -> Column:
    """Read a column of Python objects: numbers if all that is not missing is a number, else distinct values.

    >>> column_of_list("x", [1, None, 2.5]).numbers
    array([1. , nan, 2.5])
    """
    types = set(map(type, entries))
    known = {kind for kind in types if not is_missing_type(kind)}
    if known and all(map(_is_number_type, known)):
        return _number_column(name, entries, known, with_missing=known != types)
    codes, values = distinct_values(name, entries)
    return Column(name, None, codes=codes, values=values)


def _number_column(name: str, entries: Sequence[Any], known: set[type], with_missing: bool) -> Column:
    whole = all(issubclass(kind, numbers.Integral) for kind in known)
    mask = np.fromiter(map(is_missing, entries), np.bool_, len(entries)) if with_missing else None
    if mask is not None:
        filler: Any = 0 if whole else np.nan
        entries = [filler if unknown else entry for entry, unknown in zip(entries, mask.tolist(), strict=True)]
    try:
        if whole:
            return Column(name, "numeric", numbers=np.array(entries, dtype=np.int64), missing=mask)
        with np.errstate(over="ignore"):
            floats = np.array(entries, dtype=np.float64)
        exact = known <= {float, np.float64, np.float32} or not bool((np.abs(floats) >= 2.0**53).any())
    except OverflowError:
        exact = False
    if exact:
        return Column(name, "numeric", numbers=floats)
    codes, values = distinct_values(name, entries)  # integers that a float may not hold: keep them as they are
    if mask is not None:
        codes = np.where(mask, np.int32(-1), codes)
    return Column(name, None, codes=codes, values=values)


def inexact_integer(name: str, value: int, row: int) -> DataError:
    """Build the error for an integer that a 64-bit float cannot hold."""
    return DataError(
        f"Column {name!r} holds the integer {shorten(value)} in row {row} (counting from 0), which a 64-bit float "
        f'cannot hold exactly (they are exact up to 2**53). Make the column nominal (kinds={{{name!r}: "nominal"}}) '
        "if it is an identifier, or scale it down or convert it to float first."
    )


def column_of_array(name: str, array: Array) -> Column:
    """Read a one-dimensional NumPy array of any dtype.

    >>> column_of_array("x", np.array(["b", "a", "b"])).codes
    array([0, 1, 0], dtype=int32)
    """
    mask = None
    if isinstance(array, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(array)
        array = np.asarray(array.data)
        if array.dtype.kind in "OUST":
            array = array.astype(object)
            array[mask] = None
    kind = array.dtype.kind
    if kind in "fiu":
        return _array_of_numbers(name, array, mask)
    if kind == "b":
        codes = array.astype(np.int32)
        if mask is not None:
            codes[mask] = -1
        return Column(name, "boolean", codes=codes, values=(False, True))
    if kind in "Mm":
        return _array_of_times(name, array, mask)
    if kind == "c":
        raise DataError(
            f"Complex data not supported: column {name!r} is {array.dtype}. Give two columns of real numbers."
        )
    if kind == "V":
        raise DataTypeError(
            f"Column {name!r} has dtype {array.dtype}: each argument must be a string or a number. Give plain columns."
        )
    if kind == "O":
        return column_of_list(name, array.tolist())
    codes, values = distinct_values(name, array.tolist())
    return Column(name, "nominal", codes=codes, values=values)


def _array_of_numbers(name: str, array: Array, mask: NDArray[np.bool_] | None) -> Column:
    if array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8):
        with np.errstate(over="ignore"):
            array = array.astype(np.float32 if array.dtype.itemsize == 2 else np.float64)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if mask is not None and array.dtype.kind == "f":
        array = np.where(mask, array.dtype.type(np.nan), array)
        mask = None
    return Column(name, "numeric", numbers=array, missing=mask)


def _array_of_times(name: str, array: Array, mask: NDArray[np.bool_] | None) -> Column:
    unknown = np.isnat(array)
    if mask is not None:
        unknown |= mask
    date_type: DateType = "local" if array.dtype.kind == "M" else "duration"
    unit = "datetime64[us]" if array.dtype.kind == "M" else "timedelta64[us]"
    finer = np.datetime_data(array.dtype)[0] in ("ns", "ps", "fs", "as")  # what is below a microsecond is cut off
    try:
        fine = array.astype(unit)
        if not finer and not bool(((fine.astype(array.dtype) == array) | unknown).all()):
            raise OverflowError("outside of the range of 64-bit microseconds")
        if date_type == "duration" and np.datetime_data(array.dtype)[0] in ("Y", "M"):
            raise TypeError("months and years differ in length")
    except (TypeError, OverflowError) as error:
        raise DataError(f"Column {name!r} of {array.dtype} cannot be read as microseconds: {error}.") from error
    counts = fine.view(np.int64)
    missing = unknown if bool(unknown.any()) else None
    return Column(name, "date", numbers=counts, missing=missing, date_type=date_type)

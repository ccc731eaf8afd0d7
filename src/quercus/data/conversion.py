"""Converting a column to the kind that is asked for: numbers, dates, booleans or codes of a domain."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Array
from quercus.data.column import Column, first_row, inexact_integer
from quercus.data.schema import Attribute, DateType, Kind
from quercus.data.values import plain_value, value_key
from quercus.errors import DataError, shorten, shown_list

__all__ = [
    "as_booleans",
    "as_codes",
    "as_dates",
    "as_numbers",
    "distinct_codes",
    "drop_tokens",
    "has_gaps",
    "refuse_infinity",
    "suggested_kind",
    "with_codes",
]

_EXACT = 2**53
_TRUTH = {"true": True, "false": False}


def suggested_kind(column: Column) -> Kind:
    """Return the kind that the data suggest; a column of objects is judged by its distinct values."""
    if column.kind is not None:
        return column.kind
    kinds = {_kind_of_value(value) for value in column.values}
    return kinds.pop() if len(kinds) == 1 else "nominal"


def _kind_of_value(value: Any) -> Kind:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "numeric"
    if isinstance(value, (dt.date, dt.time, dt.timedelta)):
        return "date"
    return "nominal"


def drop_tokens(column: Column, tokens: Sequence[Any]) -> Column:
    """Make the entries that equal one of the tokens missing; the type counts: "1" is not 1."""
    if not tokens:
        return column
    keys = {value_key(plain_value(token)) for token in tokens}
    if column.numbers is not None:
        return _drop_number_tokens(column, keys)
    kept = [value_key(value) not in keys for value in column.values]
    if all(kept) or column.codes is None:
        return column
    positions = np.cumsum(kept, dtype=np.int32) - np.int32(1)
    renumbered = np.append(np.where(kept, positions, np.int32(-1)), np.int32(-1)).astype(np.int32)
    values = tuple(value for value, keep in zip(column.values, kept, strict=True) if keep)
    return dataclasses.replace(column, codes=renumbered[column.codes], values=values)


def _drop_number_tokens(column: Column, keys: set[Any]) -> Column:
    tokens = [key for key in keys if isinstance(key, (int, float))]
    if column.numbers is None or column.kind != "numeric" or not tokens:
        return column
    mask = np.zeros(len(column), dtype=np.bool_)
    for token in tokens:
        mask |= column.numbers == token
    if not bool(mask.any()):
        return column
    return dataclasses.replace(column, missing=mask if column.missing is None else mask | column.missing)


def as_numbers(column: Column, from_text: bool) -> tuple[Array, bool]:
    """Return contiguous floats (NaN = missing), and whether they were read from text."""
    if column.numbers is None:
        return _numbers_of_values(column, from_text)
    if column.kind == "date":
        if column.missing is not None and bool(column.missing.all()):
            return np.full(len(column), np.nan), False
        raise DataError(
            f'Column {column.name!r} holds dates, not numbers. Use the kind "date", or convert it to numbers first.'
        )
    values = column.numbers
    if values.dtype.kind in "iu":
        floats = _exact_floats(column.name, values, column.missing)
    else:
        floats = np.require(values, requirements=("C", "A"))
    if column.missing is not None:
        floats = np.where(column.missing, floats.dtype.type(np.nan), floats)
    refuse_infinity(column.name, floats)
    return floats, False


def _exact_floats(name: str, whole: Array, missing: NDArray[np.bool_] | None) -> NDArray[np.float64]:
    floats = np.ascontiguousarray(whole, dtype=np.float64)
    if whole.dtype.itemsize == 8 and len(whole) and (int(whole.max()) > _EXACT or int(whole.min()) < -_EXACT):
        top = float(np.iinfo(whole.dtype).max)  # one more than the largest integer, once rounded
        changed = (floats >= top) | (np.where(floats >= top, 0.0, floats).astype(whole.dtype) != whole)
        if missing is not None:
            changed &= ~missing
        if bool(changed.any()):
            row = int(np.argmax(changed))
            raise inexact_integer(name, int(whole[row]), row)
    return floats


def has_gaps(column: Array) -> bool:
    """Whether an encoded column has a cell that is unknown."""
    return bool((np.isnan(column) if column.dtype.kind == "f" else column < 0).any())


def refuse_infinity(name: str, floats: Array) -> None:
    """Refuse a column that holds an infinite number."""
    infinite = np.isinf(floats)
    if bool(infinite.any()):
        value = floats[int(np.argmax(infinite))]
        raise DataError(
            f"Input X contains infinity or a value too large for {floats.dtype}: column {name!r} holds {value} in "
            f"{first_row(infinite)}. Replace it by a finite number, or by NaN if the value is not known."
        )


def _numbers_of_values(column: Column, from_text: bool) -> tuple[Array, bool]:
    codes, values = distinct_codes(column)
    parsed = np.full(len(values) + 1, np.nan)
    text = False
    for position, value in enumerate(values):
        if isinstance(value, str):
            text = True
        number = _parse_number(value, from_text)
        if number is None:
            raise _not_a_number(column, position, value, from_text)
        parsed[position] = number
    floats = parsed[codes]
    refuse_infinity(column.name, floats)
    return floats, text


def _parse_number(value: Any, from_text: bool) -> float | None:
    if isinstance(value, str) and (not from_text or "_" in value):
        return None
    if not isinstance(value, (str, int, float)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    if number != number or (isinstance(value, int) and int(number) != value):
        return None
    return number


def _not_a_number(column: Column, position: int, value: Any, from_text: bool) -> DataError:
    where = distinct_codes(column)[0] == position
    if isinstance(value, int):
        return inexact_integer(column.name, value, int(np.argmax(where)))
    advice = (
        "Correct it, or list it in missing_tokens if it means that the value is missing."
        if from_text
        else "This attribute was learnt from numbers: convert the column to numbers."
    )
    return DataError(
        f"Column {column.name!r} is numeric, but could not convert string to float: {shorten(value)} in "
        f"{first_row(where)} is not a number. {advice}"
    )


def as_booleans(column: Column) -> NDArray[np.int32]:
    """Return codes 0 (false) and 1 (true), -1 = missing, from booleans, the numbers 0 and 1, or "true" and "false"."""
    codes, values = distinct_codes(column)
    table = np.full(len(values) + 1, -1, dtype=np.int32)
    for position, value in enumerate(values):
        truth = _TRUTH.get(value.strip().lower()) if isinstance(value, str) else value
        if not isinstance(truth, (bool, int, float)) or truth not in (0, 1):
            raise DataError(
                f"Column {column.name!r} is boolean, but {first_row(codes == position)} holds {shorten(value)}; "
                'allowed are True, False, 0, 1, "true" and "false". Use the kind "nominal" for other values.'
            )
        table[position] = int(truth)
    return table[codes]


def as_dates(column: Column) -> tuple[NDArray[np.float64], DateType | None, bool]:
    """Return microseconds (NaN = missing), what they count (None: nothing), and whether they were read from text."""
    if column.numbers is None:
        return _dates_of_values(column)
    if column.kind == "date":
        floats = np.ascontiguousarray(column.numbers, dtype=np.float64)
        if column.missing is not None:
            floats = np.where(column.missing, np.nan, floats)
        return floats, column.date_type, False
    if bool(np.isnan(as_numbers(column, False)[0]).all()):
        return np.full(len(column), np.nan), None, False
    raise DataError(f'Column {column.name!r} holds numbers, not dates. Convert it to dates, or use the kind "numeric".')


def _dates_of_values(column: Column) -> tuple[NDArray[np.float64], DateType | None, bool]:
    codes, values = distinct_codes(column)
    parsed = np.full(len(values) + 1, np.nan)
    types: dict[DateType, int] = {}
    for position, value in enumerate(values):
        date = _microseconds(value)
        if date is None:
            raise DataError(
                f"Column {column.name!r} is of kind date, but {first_row(codes == position)} holds {shorten(value)}; "
                'allowed are dates, times and text such as "2024-05-01" or "2024-05-01 12:30". Correct it, or list it '
                "in missing_tokens if it means that the value is missing."
            )
        parsed[position] = date[0]
        types.setdefault(date[1], position)
    if len(types) > 1:
        raise DataError(
            f"Column {column.name!r} mixes dates of the types {shown_list(list(types))} (for example "
            f"{shown_list([values[position] for position in types.values()])}). Convert them to one type."
        )
    return parsed[codes], next(iter(types), None), any(isinstance(value, str) for value in values)


def _microseconds(value: Any) -> tuple[int, DateType] | None:
    if isinstance(value, str):
        try:
            value = dt.datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    microsecond = dt.timedelta(microseconds=1)
    if isinstance(value, dt.datetime):
        if value.tzinfo is None:
            return (value - dt.datetime(1970, 1, 1)) // microsecond, "local"
        return (value - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)) // microsecond, "utc"
    if isinstance(value, dt.date):
        return (value - dt.date(1970, 1, 1)) // microsecond, "local"
    if isinstance(value, dt.timedelta):
        return value // microsecond, "duration"
    if isinstance(value, dt.time):
        seconds = (value.hour * 60 + value.minute) * 60 + value.second
        return seconds * 1_000_000 + value.microsecond, "time"
    return None


def distinct_codes(column: Column) -> tuple[NDArray[np.int32], tuple[Any, ...]]:
    """Return codes and distinct values of any column; those of numbers come in ascending order."""
    if column.codes is not None:
        return column.codes, column.values
    assert column.numbers is not None
    known = np.ones(len(column), dtype=np.bool_) if column.missing is None else ~column.missing
    if column.numbers.dtype.kind == "f":
        known &= ~np.isnan(column.numbers)
    numbers = column.numbers[known]
    distinct, codes_of_known = _distinct_numbers(numbers)
    codes = np.full(len(column), -1, dtype=np.int32)
    codes[known] = codes_of_known
    if column.kind == "date":
        distinct = distinct.view("datetime64[us]" if column.date_type != "duration" else "timedelta64[us]")
    values = distinct.tolist()
    if column.date_type == "utc":
        values = [value.replace(tzinfo=dt.UTC) if isinstance(value, dt.datetime) else value for value in values]
    return codes, tuple(values)


def with_codes(column: Column) -> Column:
    """Return the same column by its distinct values."""
    if column.codes is not None:
        return column
    codes, values = distinct_codes(column)
    return dataclasses.replace(column, numbers=None, missing=None, codes=codes, values=values)


def _distinct_numbers(numbers: Array) -> tuple[Array, Array]:
    """Return what np.unique with return_inverse does; integers of a small range are counted instead of sorted."""
    if numbers.dtype.kind in "iu" and len(numbers):
        low, high = int(numbers.min()), int(numbers.max())
        if high - low < max(2 * len(numbers), 1024):
            wide = numbers if numbers.dtype.itemsize == 8 else numbers.astype(np.int64)  # differences of int8 overflow
            offsets = (wide - wide.dtype.type(low)).astype(np.int64)
            present = np.bincount(offsets, minlength=1) > 0
            rank = np.cumsum(present) - 1
            return np.flatnonzero(present).astype(wide.dtype) + wide.dtype.type(low), rank[offsets]
    distinct, inverse = np.unique(numbers, return_inverse=True)
    return distinct, inverse


def as_codes(column: Column, attribute: Attribute, learning: bool) -> NDArray[np.int32]:
    """Return the codes of a column's values in an attribute's domain; -1 = missing.

    A value outside of the domain is an error while learning (the domain was declared) and unknown (-1) later.
    """
    codes, values = distinct_codes(column)
    if values is attribute.values:
        return codes
    table = np.array([*attribute.codes(values), -1], dtype=np.int32)
    result: NDArray[np.int32] = table[codes]
    outside = np.flatnonzero(table[:-1] < 0)
    if len(outside) and learning:
        used = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=len(values)))
        outside = np.intersect1d(outside, used)
        if len(outside):
            first = int(outside[0])
            raise DataError(
                f"Column {attribute.name!r} holds {shorten(values[first])} in {first_row(codes == first)}, which is "
                f"not in its declared domain ({shown_list(attribute.values)}). Add it to domains, or to missing_tokens."
            )
    elif len(outside) == len(values) and values and attribute.values:
        _refuse_other_types(attribute, values)
    return result


def _refuse_other_types(attribute: Attribute, values: Sequence[Any]) -> None:
    """Refuse a column none of whose values is of a type that the domain has: silence would make all of it missing."""
    types = {_type_name(value) for value in values}
    allowed = {_type_name(value) for value in attribute.values}
    if types.isdisjoint(allowed):
        raise DataError(
            f"Column {attribute.name!r} holds {' and '.join(sorted(types))} (such as {shorten(values[0])}), but was "
            f"learnt with {' and '.join(sorted(allowed))} (such as {shorten(attribute.values[0])}). Convert the column "
            "to the same type."
        )


def _type_name(value: Any) -> str:
    if isinstance(value, bool):
        return "booleans"
    if isinstance(value, (int, float)):
        return "numbers"
    if isinstance(value, (dt.date, dt.time, dt.timedelta)):
        return "dates"
    return "strings" if isinstance(value, str) else "bytes"

"""Single values: which ones are missing, their plain Python form, their text, and their JSON form."""

from __future__ import annotations

import datetime as dt
import json
import math
import numbers
from collections.abc import Callable
from decimal import Decimal
from types import NoneType
from typing import Any

import numpy as np

from quercus.errors import DataError, DataTypeError, shorten

__all__ = [
    "is_missing",
    "is_missing_type",
    "number_text",
    "plain_value",
    "value_from_json",
    "value_key",
    "value_text",
    "value_to_json",
    "whole_numbers",
]

_PLAIN = (str, bool, int, float, bytes, dt.date, dt.datetime, dt.time, dt.timedelta)
_MISSING_NAMES = frozenset({"NAType", "NaTType"})  # pandas' own types, known by name: pandas need not be installed


def is_missing(value: object) -> bool:
    """Say whether a single value counts as missing: None, NaN, pd.NA, pd.NaT or a NumPy NaT.

    >>> is_missing(None), is_missing(float("nan")), is_missing("?"), is_missing("None")
    (True, True, False, False)
    """
    if value is None:
        return True
    if isinstance(value, str):
        return False
    if isinstance(value, (float, np.floating)):
        return bool(value != value)
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    if isinstance(value, Decimal):
        return value.is_nan()
    return is_missing_type(type(value))


def is_missing_type(kind: type) -> bool:
    """Say whether every value of a type is missing: the types of None, pd.NA and pd.NaT.

    >>> is_missing_type(type(None)), is_missing_type(float)
    (True, False)
    """
    return kind is NoneType or (kind.__name__ in _MISSING_NAMES and kind.__module__.partition(".")[0] == "pandas")


def plain_value(value: Any) -> Any:
    """Return the plain Python value of a NumPy scalar, pandas timestamp and the like.

    Text, numbers, booleans, bytes, dates, times and durations keep their type. Any other hashable object (an interval,
    an enumeration's member) is known by its text.

    >>> plain_value(np.int64(3)), plain_value(np.str_("a")), plain_value((1, 2))
    (3, 'a', '(1, 2)')
    """
    if type(value) in _PLAIN:
        return value
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return _plain_numpy_time(value)
    if isinstance(value, np.generic) and not isinstance(value, (np.void, np.complexfloating)):
        return float(value) if isinstance(value, np.longdouble) else value.item()
    if isinstance(value, (dt.date, dt.time)):  # pandas' Timestamp is a datetime with nanoseconds
        return value.to_pydatetime(warn=False) if hasattr(value, "to_pydatetime") else value
    if isinstance(value, dt.timedelta):
        return dt.timedelta(value.days, value.seconds, value.microseconds)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bytes):
        return bytes(value)
    if isinstance(value, (numbers.Real, Decimal)):
        return _plain_number(value)
    if isinstance(value, numbers.Complex):
        raise DataError(
            f"Complex data not supported: {shorten(value)}. Give the real and imaginary parts as two columns."
        )
    return _text_of_object(value)


def _plain_numpy_time(value: np.datetime64 | np.timedelta64) -> Any:
    if isinstance(value, np.datetime64):
        return value.astype("datetime64[us]").item()
    if np.datetime_data(value.dtype)[0] in ("Y", "M"):  # months and years differ in length
        return str(value)
    return value.astype("timedelta64[us]").item()


def _plain_number(value: Any) -> int | float:
    try:
        whole = int(value)
        return whole if whole == value else float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _text_of_object(value: object) -> str:
    kind = type(value)
    if kind.__str__ is object.__str__ and kind.__repr__ is object.__repr__:
        raise DataTypeError(
            f"A value is {shorten(value)} of type {kind.__name__}: each argument must be a string or a number "
            "(or a boolean, a date, None). Convert the column first, for example to strings."
        )
    try:
        return str(value)
    except Exception as error:
        message = f"A value of type {kind.__name__} has no text: {error}. Convert the column first."
        raise DataTypeError(message) from error


def value_key(value: object) -> object:
    """Return what tells two plain values apart: 1 and 1.0 are one value, 1 and "1" two, and 1 and True two.

    >>> value_key(1) == value_key(1.0), value_key(1) == value_key(True)
    (True, False)
    """
    return ("boolean", value) if value is True or value is False else value


def number_text(number: float, digits: int | None = 10) -> str:
    """Write a number for people: no useless zeros, at most ``digits`` significant digits (None: exactly).

    >>> number_text(54.0), number_text(0.1 + 0.2), number_text(0.1 + 0.2, digits=None), number_text(1e20)
    ('54', '0.3', '0.30000000000000004', '1e+20')
    """
    number = float(number)
    if number.is_integer() and abs(number) < 1e16:
        return str(int(number))
    return repr(number) if digits is None else f"{number:.{digits}g}"


def value_text(value: object) -> str:
    """Write a plain value for people; text is quoted only where it would not be seen otherwise.

    >>> value_text(""), value_text(" a"), value_text("it's, so")
    ('""', '" a"', "it's, so")
    >>> value_text("Sunny"), value_text(1.0), value_text(dt.datetime(2024, 5, 1, 12, 30)), value_text(True)
    ('Sunny', '1', '2024-05-01 12:30', 'True')
    """
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, float):
        return number_text(value, digits=None)
    if isinstance(value, dt.datetime):
        return _short_clock(value.isoformat(sep=" "))
    if isinstance(value, str):
        visible = value and value.isprintable() and value == value.strip()
        return value if visible else json.dumps(value, ensure_ascii=not value.isprintable())
    return str(value)


def _short_clock(text: str) -> str:
    day, _, clock = text.partition(" ")
    if clock == "00:00:00":
        return day
    return f"{day} {clock[:5]}" if len(clock) == 8 and clock.endswith(":00") else text


def value_to_json(value: object) -> object:
    """Turn a plain value into one that JSON holds without loss; what JSON has no type for becomes {type: text}.

    >>> value_to_json("a"), value_to_json(True), value_to_json(dt.date(2024, 5, 1))
    ('a', True, {'date': '2024-05-01'})
    """
    value = None if value is None else plain_value(value)
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": repr(value)}
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, dt.timedelta):
        return {"duration": [value.days, value.seconds, value.microseconds]}
    name = "datetime" if isinstance(value, dt.datetime) else "date" if isinstance(value, dt.date) else "time"
    return {name: value.isoformat()}


def value_from_json(value: Any) -> Any:
    """Undo :func:`value_to_json`.

    >>> value_from_json({"date": "2024-05-01"})
    datetime.date(2024, 5, 1)
    """
    if not isinstance(value, dict):
        return value
    readers: dict[str, Callable[[Any], Any]] = {
        "float": float,
        "bytes": bytes.fromhex,
        "date": dt.date.fromisoformat,
        "datetime": dt.datetime.fromisoformat,
        "time": dt.time.fromisoformat,
        "duration": lambda parts: dt.timedelta(*parts),
    }
    name = next(iter(value), None)
    if len(value) != 1 or name not in readers:
        raise DataError(f"{shorten(value)} is not a value in JSON form; expected one of the types {sorted(readers)}.")
    return readers[name](value[name])


def whole_numbers(numbers: np.ndarray) -> list[float | int]:
    """Numbers as a list: whole ones without their useless point, others exactly.

    >>> whole_numbers(np.array([2.0, 0.5]))
    [2, 0.5]
    """
    return [int(number) if number.is_integer() and abs(number) < 2**53 else number for number in numbers.tolist()]

"""Dates in SQL: how each engine compares moments, times of day and durations with a threshold.

A threshold is a number of microseconds, and a double. An engine with a type of its own for the column compares with
the last moment that is not above the threshold. SQLite has none: there, a date is a text (ISO 8601) that becomes a
number of microseconds, and is compared as Quercus compares it.
"""

from __future__ import annotations

import datetime as dt
import math
from typing import TYPE_CHECKING

from quercus.data.schema import Attribute
from quercus.errors import ExportError

if TYPE_CHECKING:
    from quercus.export.dialect import Dialect

#: The types of a column: of moments without time zone, of moments with one, of times of day and of durations.
_TYPES = {
    "duckdb": ("TIMESTAMP", "TIMESTAMPTZ", "TIME", "INTERVAL"),
    "postgres": ("TIMESTAMP", "TIMESTAMPTZ", "TIME", "INTERVAL"),
    "bigquery": ("DATETIME", "TIMESTAMP", "TIME", ""),
    "snowflake": ("TIMESTAMP_NTZ", "TIMESTAMP_TZ", "TIME", ""),
    "spark": ("TIMESTAMP_NTZ", "TIMESTAMP", "", ""),
    "mysql": ("DATETIME(6)", "", "TIME(6)", ""),
    "tsql": ("DATETIME2(6)", "DATETIMEOFFSET(6)", "TIME(6)", ""),
    "oracle": ("TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "", ""),
    "sqlite": ("TEXT", "TEXT", "TEXT", ""),
}
_PLACES = {"local": 0, "utc": 1, "time": 2, "duration": 3}
_EPOCH = dt.datetime(1970, 1, 1)


def _type(dialect: Dialect, attribute: Attribute) -> str:
    sql_type = _TYPES[dialect.label][_PLACES[attribute.date_type or "local"]]
    if not sql_type:
        what = {"utc": "moments with a time zone", "time": "times of day", "duration": "durations"}
        raise ExportError(
            f"Column {attribute.name!r} holds {what[attribute.date_type or 'utc']}, which exports to {dialect.label} "
            "cannot compare. Turn it into numbers (days, for instance) before fitting."
        )
    return sql_type


def date_column(dialect: Dialect, name: str, attribute: Attribute) -> str:
    """A column of dates as it is compared."""
    kind = _type(dialect, attribute)
    return _sqlite_column(name, attribute) if dialect.label == "sqlite" else f"CAST({name} AS {kind})"


def date_bound(dialect: Dialect, attribute: Attribute, cut: float) -> str:
    """The last date that is not above a threshold."""
    kind = _type(dialect, attribute)
    if dialect.label == "sqlite":
        return dialect.number(cut)
    last = math.floor(cut)
    while float(last + 1) <= cut:  # far from 1970, several microseconds are one double
        last += 1
    if attribute.date_type == "duration":
        return f"CAST('{last // 1_000_000} seconds {last % 1_000_000} microseconds' AS {kind})"
    try:
        moment = _EPOCH + dt.timedelta(microseconds=last)
    except OverflowError as error:
        raise ExportError(
            f"A threshold of {attribute.name!r} lies outside the years 1 to 9999. Turn the column into numbers before "
            "fitting."
        ) from error
    if attribute.date_type == "time":
        return f"CAST('{moment.time().isoformat(timespec='microseconds')}' AS {kind})"
    text = moment.isoformat(sep=" ", timespec="microseconds") + ("+00:00" if attribute.date_type == "utc" else "")
    if dialect.label == "oracle":
        return f"TIMESTAMP '{text}'"
    return f"CAST('{text}' AS {kind})"


def _sqlite_column(name: str, attribute: Attribute) -> str:
    """Microseconds of a text such as 2024-05-31, 2024-05-31 12:30 or 2024-05-31T12:30:00.000001.

    SQLite reads whole seconds, since it keeps milliseconds only; the digits behind the point are read as a number. A
    moment with a time zone may end in Z or in hours and minutes (+02:00).
    """
    text, zone = name, ""
    if attribute.date_type == "time":
        text = f"('1970-01-01 ' || {name})"
    if attribute.date_type == "utc":
        body = f"rtrim({name}, 'Z')"
        offset = f"length({body}) > 16 AND substr({body}, -6, 1) IN ('+', '-')"
        text = f"CASE WHEN {offset} THEN substr({body}, 1, length({body}) - 6) ELSE {body} END"
        zone = f" || CASE WHEN {offset} THEN substr({body}, -6) ELSE '' END"
    seconds = f"CAST(strftime('%s', substr({text}, 1, 19){zone}) AS INTEGER)"
    digits = f"CAST(substr(substr({text}, 21, 6) || '000000', 1, 6) AS INTEGER)"
    rest = f"CASE WHEN substr({text}, 20, 1) = '.' THEN {digits} ELSE 0 END"
    return f"CASE WHEN typeof({name}) = 'text' THEN CAST({seconds} * 1000000 + {rest} AS REAL) END"

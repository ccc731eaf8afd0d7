"""How the dates of a text column are written: 2024-05-31, 31.05.2024, 05/31/2024, with or without a time."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Sequence
from typing import Literal, get_args

__all__ = ["DATE_ORDERS", "DateOrder", "date_orders", "date_reader", "date_way"]

DateOrder = Literal["ymd", "dmy", "mdy"]
DATE_ORDERS: tuple[DateOrder, ...] = get_args(DateOrder)

_ISO = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}.*)?", re.ASCII)
_CLOCK = r"(?:(?:,? |T)([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)?(?: ?([AaPp])\.?[Mm]\.?)?)?"
_PARTS = re.compile(rf"([0-9]{{1,4}})([./-])([0-9]{{1,2}})\2([0-9]{{1,4}}){_CLOCK}", re.ASCII)


def date_reader(order: DateOrder | Literal["iso"]) -> Callable[[str], dt.datetime]:
    """Return the function that reads dates of one order; it raises ``ValueError``.

    A year of two digits is one of 1969 to 2068.

    >>> date_reader("dmy")("31.5.2024"), date_reader("mdy")("05/31/24 1:30 PM")
    (datetime.datetime(2024, 5, 31, 0, 0), datetime.datetime(2024, 5, 31, 13, 30))
    """
    if order == "iso":
        return dt.datetime.fromisoformat
    return lambda text: _read(text, order)


def _read(text: str, order: DateOrder) -> dt.datetime:
    match = _PARTS.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"it is not written as {shown_order(order)}")
    parts = dict(zip(order, match.group(1, 3, 4), strict=True))
    if len(parts["y"]) not in (2, 4) or len(parts["d"]) > 2 or len(parts["m"]) > 2:
        raise ValueError(f"it is not written as {shown_order(order)}")
    year = int(parts["y"])
    if len(parts["y"]) == 2:
        year += 2000 if year < 69 else 1900
    hour, minute, second, fraction, half = match.group(5, 6, 7, 8, 9)
    hours = int(hour or 0)
    if half:
        if not 1 <= hours <= 12:
            raise ValueError("hour must be in 1..12 before AM or PM")
        hours = hours % 12 + (12 if half in "Pp" else 0)
    micro = int((fraction or "0")[:6].ljust(6, "0"))
    return dt.datetime(year, int(parts["m"]), int(parts["d"]), hours, int(minute or 0), int(second or 0), micro)


def shown_order(order: str) -> str:
    """An order of year, month and day in a form for people.

    >>> shown_order("mdy")
    'month, day, year'
    """
    return ", ".join({"y": "year", "m": "month", "d": "day"}[letter] for letter in order)


def date_orders(values: Sequence[str]) -> list[str]:
    """Return the orders in which all values are dates: "iso" (2024-05-31), or of year, month and day.

    Dates with points have the day first. Others have several orders if no day is above 12. Years of two digits never
    tell the order.

    >>> date_orders(["31.05.2024"]), date_orders(["05/31/2024", "1/2/2024"]), date_orders(["1/2/2024"])
    (['dmy'], ['mdy'], ['dmy', 'mdy'])
    >>> date_orders(["2024-05-31"]), date_orders(["2024/05/31"]), date_orders(["5/2024"])
    (['iso'], ['ymd'], [])
    """
    if all(map(_ISO.fullmatch, values)):
        return ["iso"] if _all_read(values, "iso") else []
    matches = []
    for value in values:
        match = _PARTS.fullmatch(value.strip())
        if match is None:
            return []
        matches.append(match)
    if len({match[2] for match in matches}) != 1:
        return []
    long_year = all(len(match[1]) == 4 or len(match[4]) == 4 for match in matches)
    dotted = matches[0][2] == "."
    tried: Sequence[DateOrder] = ("ymd", "dmy") if long_year and dotted else ("ymd", "dmy", "mdy")
    orders: list[str] = [order for order in tried if _all_read(values, order)]
    return orders if long_year or not orders else list(DATE_ORDERS)


def date_way(text: str) -> tuple[str, ...]:
    """Return how one date is written: as 2024-05-31 with or without a time zone, or its sign and orders; () for others.

    >>> date_way("2024-05-31"), date_way("2024-05-31 10:00Z"), date_way("31/05/2024"), date_way("May")
    (('iso', 'local'), ('iso', 'zone'), ('/', 'dmy'), ())
    """
    orders = date_orders([text])
    if orders == ["iso"]:
        return "iso", "local" if dt.datetime.fromisoformat(text).tzinfo is None else "zone"
    match = _PARTS.fullmatch(text.strip())
    return (match[2], *orders) if match is not None and orders else ()


def _all_read(values: Sequence[str], order: DateOrder | Literal["iso"]) -> bool:
    read = date_reader(order)
    try:
        dates = [read(value) for value in values]
    except (ValueError, OverflowError):
        return False
    return len({date.tzinfo is None for date in dates}) == 1

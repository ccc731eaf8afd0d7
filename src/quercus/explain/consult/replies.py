"""Replies: what a person answers about an attribute, read as a cell: a value, unknown, a range or several values."""

from __future__ import annotations

import datetime as dt
import math
from typing import Any

from quercus.data.names import listed, quoted_name
from quercus.data.schema import Attribute
from quercus.data.values import is_missing, plain_value, value_key, value_text
from quercus.errors import DataError, QuercusError, did_you_mean, shorten
from quercus.explain.cells import UNKNOWN, Among, Between, Cell, Unknown
from quercus.rules.condition import value_name
from quercus.tree.questions import encoded

_UNKNOWN_WORDS = frozenset({"", "?", "unknown", "don't know", "na", "n/a", "none"})
_TRUTH = {"yes": 1, "y": 1, "true": 1, "t": 1, "1": 1, "no": 0, "n": 0, "false": 0, "f": 0, "0": 0}
_SIGNS = ("<=", ">=", "<", ">")


def read_reply(attribute: Attribute, reply: Any) -> Cell:
    """What is known of the attribute after a reply.

    None, NaN, "unknown", "?" and nothing at all: unknown. Of numbers, dates and ordered values a pair (low, high), with
    None for an open side, or text such as "60..80", "<= 75" or "> 75": a range; both ends of a pair and of ".."
    belong to it. Of nominal values a list or set, or text with commas or "or" between: several. Dates are written
    2024-01-31 or 2024-01-31 12:30, booleans yes, no, true or false. Names may be written in small letters.

    >>> read_reply(Attribute("Humidity", "numeric"), "60..80")
    Between(low=60.0, high=80.0)
    >>> wind = Attribute("Wind", "nominal", ("Weak", "Strong", "Storm"))
    >>> read_reply(wind, "strong"), read_reply(wind, ["Weak", "Storm"]), read_reply(wind, "?")
    (1.0, Among(codes=frozenset({0, 2})), UNKNOWN)
    >>> read_reply(wind, "Strng")
    Traceback (most recent call last):
    ...
    quercus.errors.DataError: The answer to Wind is 'Strng'; allowed are Weak, Strong, Storm, several of them with
    commas between, or "unknown". Did you mean 'Strong'?
    """
    if isinstance(reply, Unknown) or (not isinstance(reply, list | tuple | set | frozenset) and is_missing(reply)):
        return UNKNOWN
    if isinstance(reply, Between | Among):
        return reply
    if not isinstance(reply, list | tuple | set | frozenset):
        reply = plain_value(reply)
        if value_key(reply) in {value_key(token) for token in attribute.missing_tokens}:
            return UNKNOWN
        if isinstance(reply, str) and reply.strip().casefold() in _UNKNOWN_WORDS and attribute.code(reply) < 0:
            return UNKNOWN
    return _range_or_number(attribute, reply) if attribute.is_numeric else _among(attribute, reply)


def refusal(attribute: Attribute, reply: Any) -> DataError:
    """The error for a reply that cannot be understood: what was given, what is allowed."""
    hint = did_you_mean(reply, map(value_text, attribute.values)) if isinstance(reply, str) else ""
    return DataError(
        f"The answer to {quoted_name(attribute.name)} is {shorten(reply)}; {allowed_text(attribute)}.{hint}"
    )


def allowed_text(attribute: Attribute) -> str:
    """What may be answered, in words."""
    if attribute.kind == "boolean":
        return 'allowed are yes, no, or "unknown"'
    names = listed((value_name(attribute, code) for code in range(attribute.n_values)), attribute.n_values, 20)
    if attribute.kind == "nominal":
        return f'allowed are {names}, several of them with commas between, or "unknown"'
    if attribute.kind == "ordered":
        return (
            f'allowed are {names}, a range such as {value_name(attribute, 0)}..{value_name(attribute, 1)}, or "unknown"'
            if (attribute.n_values > 1)
            else f'allowed are {names}, or "unknown"'
        )
    if attribute.kind == "date":
        example = {"duration": "3 days", "time": "12:30", "utc": "2024-01-31 12:30Z"}.get(
            attribute.date_type or "", "2024-01-31"
        )
        return f'allowed are a date such as {example}, a range with ".." between, or "unknown"'
    return 'allowed are a number such as 1.5, a range such as 1..2, "<= 2" or "> 1", or "unknown"'


# Numbers, dates and ordered values


def _range_or_number(attribute: Attribute, reply: Any) -> Cell:
    if isinstance(reply, str):
        text = reply.strip()
        if attribute.code(reply) >= 0:
            return float(attribute.code(reply))
        if ".." in text:
            ends = [end.strip() or None for end in text.split("..", 1)]
            return _between(attribute, reply, ends[0], ends[1])
        for sign in _SIGNS:
            if text.startswith(sign):
                return _compared(attribute, reply, sign, text[len(sign) :].strip())
    if isinstance(reply, tuple):
        if len(reply) != 2:
            raise refusal(attribute, reply)
        return _between(attribute, reply, *reply)
    if isinstance(reply, list | set | frozenset):
        return _several_ordered(attribute, reply)
    return _number(attribute, reply)


def _number(attribute: Attribute, reply: Any) -> float:
    """One encoded value."""
    if attribute.values:
        return float(_code(attribute, reply))
    value = reply
    try:
        if attribute.kind == "numeric":
            if isinstance(reply, bool) or (isinstance(reply, str) and "_" in reply):
                raise refusal(attribute, reply)
            value = float(reply)
        elif isinstance(reply, str):
            value = _clock(attribute, reply.strip())
        number = encoded(attribute, value)
    except (TypeError, ValueError, OverflowError) as error:
        raise refusal(attribute, reply) from (None if isinstance(error, QuercusError) else error)
    if not math.isfinite(number):
        raise refusal(attribute, reply)
    return number


def _clock(attribute: Attribute, text: str) -> Any:
    """The text of a time of day or a duration as such; dates stay text, which the data layer reads."""
    if attribute.date_type == "time":
        return dt.time.fromisoformat(text)
    if attribute.date_type == "duration":
        days, _, clock = text.partition("day") if "day" in text else ("0", "", text)
        time = dt.time.fromisoformat(clock.lstrip("s ")) if clock.strip("s ") else dt.time()
        return dt.timedelta(int(days), (time.hour * 60 + time.minute) * 60 + time.second, time.microsecond)
    if attribute.date_type == "utc" and "+" not in text and not text.endswith(("Z", "z")):
        return text + "+00:00" if ":" in text else text + " 00:00+00:00"
    return text


def _between(attribute: Attribute, reply: Any, low: Any, high: Any) -> Cell:
    first = -math.inf if is_missing(low) else _end(attribute, reply, low)
    last = math.inf if is_missing(high) else _end(attribute, reply, high)
    if first > last:
        raise DataError(
            f"The answer to {quoted_name(attribute.name)} is {shorten(reply)}, a range whose first end is above its "
            "last. Write the lower end first."
        )
    return first if first == last else Between(first, last)


def _end(attribute: Attribute, reply: Any, end: Any) -> float:
    try:
        return _number(attribute, plain_value(end))
    except DataError:
        raise refusal(attribute, reply) from None


def _compared(attribute: Attribute, reply: Any, sign: str, text: str) -> Cell:
    bound = _end(attribute, reply, text)
    whole = bool(attribute.values) or attribute.kind == "date"
    if sign.startswith("<"):
        high = bound if sign == "<=" else bound - 1 if whole else math.nextafter(bound, -math.inf)
        cell = Between(-math.inf, high)
        empty = bool(attribute.values) and high < 0
    else:
        low = bound if sign == ">=" else bound + 1 if whole else math.nextafter(bound, math.inf)
        cell = Between(low, math.inf)
        empty = bool(attribute.values) and low > attribute.n_values - 1
    if empty:
        raise refusal(attribute, reply)
    return cell


def _several_ordered(attribute: Attribute, reply: Any) -> Cell:
    """Several values of an ordered attribute, which must be neighbours."""
    if not attribute.values or not reply:
        raise refusal(attribute, reply)
    codes = sorted({_code(attribute, plain_value(value)) for value in reply})
    if codes != list(range(codes[0], codes[-1] + 1)):
        raise DataError(
            f"The answer to {quoted_name(attribute.name)} is {shorten(reply)}, which are no neighbours; "
            f"{allowed_text(attribute)}."
        )
    return float(codes[0]) if len(codes) == 1 else Between(float(codes[0]), float(codes[-1]))


# Nominal values and booleans


def _among(attribute: Attribute, reply: Any) -> Cell:
    if isinstance(reply, list | tuple | set | frozenset):
        if not reply:
            raise refusal(attribute, reply)
        codes = frozenset(_code(attribute, plain_value(value)) for value in reply)
    else:
        code = _code_of(attribute, reply)
        if code is None and isinstance(reply, str) and any(mark in reply for mark in (",", "|", " or ")):
            parts = [part.strip() for part in reply.replace(" or ", ",").replace("|", ",").split(",")]
            codes = frozenset(_code(attribute, part) for part in parts if part)
        else:
            codes = frozenset([_code(attribute, reply)])
    if not codes:
        raise refusal(attribute, reply)
    return Among(codes) if len(codes) > 1 else float(next(iter(codes)))


def _code(attribute: Attribute, reply: Any) -> int:
    code = _code_of(attribute, reply)
    if code is None:
        raise refusal(attribute, reply)
    return code


def _code_of(attribute: Attribute, reply: Any) -> int | None:
    """The code of a value, by itself or by its text; None: there is no such value."""
    code = attribute.code(reply)
    if code >= 0:
        return code
    if attribute.kind == "boolean":
        if isinstance(reply, int | float) and reply in (0, 1):
            return int(reply)
        return _TRUTH.get(reply.strip().casefold()) if isinstance(reply, str) else None
    if not isinstance(reply, str):
        return None
    text = reply.strip()
    for fold in (str, str.casefold):
        same = [code for code, value in enumerate(attribute.values) if fold(value_text(value)) == fold(text)]
        if len(same) == 1:
            return same[0]
    return None

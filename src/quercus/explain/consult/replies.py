"""Replies: what a person says of an attribute's value, read as a cell: a value, unknown, a range or several values."""

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


def read_reply(attribute: Attribute, given: Any) -> Cell:
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
    if isinstance(given, Unknown) or (not isinstance(given, list | tuple | set | frozenset) and is_missing(given)):
        return UNKNOWN
    if isinstance(given, Between | Among):
        return given
    if not isinstance(given, list | tuple | set | frozenset):
        given = plain_value(given)
        if value_key(given) in {value_key(token) for token in attribute.missing_tokens}:
            return UNKNOWN
        if isinstance(given, str) and given.strip().casefold() in _UNKNOWN_WORDS and attribute.code(given) < 0:
            return UNKNOWN
    return _range_or_number(attribute, given) if attribute.is_numeric else _among(attribute, given)


def refusal(attribute: Attribute, given: Any) -> DataError:
    """The error for a reply that cannot be understood: what was given, what is allowed."""
    hint = did_you_mean(given, map(value_text, attribute.values)) if isinstance(given, str) else ""
    return DataError(
        f"The answer to {quoted_name(attribute.name)} is {shorten(given)}; {allowed_text(attribute)}.{hint}"
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


def _range_or_number(attribute: Attribute, given: Any) -> Cell:
    if isinstance(given, str):
        text = given.strip()
        if attribute.code(given) >= 0:
            return float(attribute.code(given))
        if ".." in text:
            ends = [end.strip() or None for end in text.split("..", 1)]
            return _between(attribute, given, ends[0], ends[1])
        for sign in _SIGNS:
            if text.startswith(sign):
                return _compared(attribute, given, sign, text[len(sign) :].strip())
    if isinstance(given, tuple):
        if len(given) != 2:
            raise refusal(attribute, given)
        return _between(attribute, given, *given)
    if isinstance(given, list | set | frozenset):
        return _several_ordered(attribute, given)
    return _number(attribute, given)


def _number(attribute: Attribute, given: Any) -> float:
    """One encoded value."""
    if attribute.values:
        return float(_code(attribute, given))
    value = given
    try:
        if attribute.kind == "numeric":
            if isinstance(given, bool) or (isinstance(given, str) and "_" in given):
                raise refusal(attribute, given)
            value = float(given)
        elif isinstance(given, str):
            value = _clock(attribute, given.strip())
        number = encoded(attribute, value)
    except (TypeError, ValueError, OverflowError) as error:
        raise refusal(attribute, given) from (None if isinstance(error, QuercusError) else error)
    if not math.isfinite(number):
        raise refusal(attribute, given)
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


def _between(attribute: Attribute, given: Any, low: Any, high: Any) -> Cell:
    first = -math.inf if is_missing(low) else _end(attribute, given, low)
    last = math.inf if is_missing(high) else _end(attribute, given, high)
    if first > last:
        raise DataError(
            f"The answer to {quoted_name(attribute.name)} is {shorten(given)}, a range whose first end is above its "
            "last. Write the lower end first."
        )
    return first if first == last else Between(first, last)


def _end(attribute: Attribute, given: Any, end: Any) -> float:
    try:
        return _number(attribute, plain_value(end))
    except DataError:
        raise refusal(attribute, given) from None


def _compared(attribute: Attribute, given: Any, sign: str, text: str) -> Cell:
    bound = _end(attribute, given, text)
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
        raise refusal(attribute, given)
    return cell


def _several_ordered(attribute: Attribute, given: Any) -> Cell:
    """Several values of an ordered attribute, which must be neighbours."""
    if not attribute.values or not given:
        raise refusal(attribute, given)
    codes = sorted({_code(attribute, plain_value(value)) for value in given})
    if codes != list(range(codes[0], codes[-1] + 1)):
        raise DataError(
            f"The answer to {quoted_name(attribute.name)} is {shorten(given)}, which are no neighbours; "
            f"{allowed_text(attribute)}."
        )
    return float(codes[0]) if len(codes) == 1 else Between(float(codes[0]), float(codes[-1]))


# Nominal values and booleans


def _among(attribute: Attribute, given: Any) -> Cell:
    if isinstance(given, list | tuple | set | frozenset):
        if not given:
            raise refusal(attribute, given)
        codes = frozenset(_code(attribute, plain_value(value)) for value in given)
    else:
        code = _found(attribute, given)
        if code is None and isinstance(given, str) and any(mark in given for mark in (",", "|", " or ")):
            parts = [part.strip() for part in given.replace(" or ", ",").replace("|", ",").split(",")]
            codes = frozenset(_code(attribute, part) for part in parts if part)
        else:
            codes = frozenset([_code(attribute, given)])
    if not codes:
        raise refusal(attribute, given)
    return Among(codes) if len(codes) > 1 else float(next(iter(codes)))


def _code(attribute: Attribute, given: Any) -> int:
    code = _found(attribute, given)
    if code is None:
        raise refusal(attribute, given)
    return code


def _found(attribute: Attribute, given: Any) -> int | None:
    """The code of a value, by itself or by its text; None: there is no such value."""
    code = attribute.code(given)
    if code >= 0:
        return code
    if attribute.kind == "boolean":
        if isinstance(given, int | float) and given in (0, 1):
            return int(given)
        return _TRUTH.get(given.strip().casefold()) if isinstance(given, str) else None
    if not isinstance(given, str):
        return None
    text = given.strip()
    for fold in (str, str.casefold):
        same = [code for code, value in enumerate(attribute.values) if fold(value_text(value)) == fold(text)]
        if len(same) == 1:
            return same[0]
    return None

"""One case typed in: NAME=VALUE becomes the values that a model is asked with."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

from quercus.errors import ParameterError, did_you_mean, shown_list


def typed_case(schema: Any, entries: Sequence[str]) -> dict[str, list[Any]]:
    """One row as columns; attributes that are not named are unknown.

    >>> from quercus.data.schema import Attribute, Schema
    >>> schema = Schema((Attribute("Wind", "nominal", ("Weak", "Strong")), Attribute("Humidity", "numeric")))
    >>> typed_case(schema, ["Humidity=85"]), typed_case(schema, ["Wind=strong", "Humidity=?"])
    ({'Wind': [None], 'Humidity': [85.0]}, {'Wind': ['Strong'], 'Humidity': [None]})
    """
    from quercus.cli.values import named_texts

    texts = named_texts("--case", entries)
    for name in texts:
        if name not in schema.names:
            raise ParameterError(f"{name!r} is no attribute.{did_you_mean(name, schema.names)} {known_names(schema)}")
    return {attribute.name: [typed_cell(attribute, texts.get(attribute.name, "?"))] for attribute in schema}


def known_names(schema: Any) -> str:
    """The attributes, for a message."""
    return f"The attributes are {shown_list(schema.names, limit=30)}."


def typed_cell(attribute: Any, text: str) -> Any:
    """A value of an attribute from its text, as a table would hold it; None if it is unknown."""
    from quercus.errors import QuercusError
    from quercus.explain.cells import Among, Between, Unknown
    from quercus.explain.consult.replies import read_reply

    try:
        cell = read_reply(attribute, text)
    except QuercusError as error:
        raise ParameterError(str(error)) from None
    if isinstance(cell, Unknown):
        return None
    if isinstance(cell, Between | Among):
        raise ParameterError(f"{attribute.name}={text}: one value or ? is wanted here; quercus consult takes ranges.")
    if attribute.values:
        return attribute.values[int(cell)]
    return float(cell) if attribute.kind == "numeric" else _moment(attribute, float(cell))


def _moment(attribute: Any, microseconds: float) -> Any:
    """A date attribute's number as the date, time or duration that it counts."""
    span = dt.timedelta(microseconds=microseconds)
    if attribute.date_type == "duration":
        return span
    if attribute.date_type == "time":
        return (dt.datetime(1970, 1, 1) + span).time()
    return dt.datetime(1970, 1, 1, tzinfo=dt.UTC if attribute.date_type == "utc" else None) + span

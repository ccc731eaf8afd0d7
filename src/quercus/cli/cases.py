"""One case typed in: NAME=VALUE becomes the values that a model is asked with."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

from quercus.errors import ParameterError, did_you_mean, shown_list

#: What people type for a value that they do not know.
UNKNOWN_WORDS = frozenset({"?", "", "unknown", "none"})


def typed_case(schema: Any, given: Sequence[str]) -> dict[str, list[Any]]:
    """One row as columns; attributes that are not named are unknown.

    >>> from quercus.data.schema import Attribute, Schema
    >>> schema = Schema((Attribute("Wind", "nominal", ("Weak", "Strong")), Attribute("Humidity", "numeric")))
    >>> typed_case(schema, ["Humidity=85"])
    {'Wind': [None], 'Humidity': [85.0]}
    """
    from quercus.cli.values import named_texts

    texts = named_texts("--case", given)
    for name in texts:
        if name not in schema.names:
            raise ParameterError(f"{name!r} is no attribute.{did_you_mean(name, schema.names)} {known_names(schema)}")
    return {attribute.name: [typed_cell(attribute, texts.get(attribute.name, "?"))] for attribute in schema}


def known_names(schema: Any) -> str:
    """The attributes, for a message."""
    return f"The attributes are {shown_list(schema.names, limit=30)}."


def typed_cell(attribute: Any, text: str) -> Any:
    """A value of an attribute from its text; None if it is unknown.

    >>> from quercus.data.schema import Attribute
    >>> typed_cell(Attribute("Passed", "boolean"), "true"), typed_cell(Attribute("Age", "numeric"), "?")
    (True, None)
    """
    text = text.strip()
    if attribute.values:
        return _value_of(attribute, text)
    if text.lower() in UNKNOWN_WORDS:
        return None
    if attribute.kind == "date":
        return _date(attribute, text)
    try:
        return float(text)
    except ValueError:
        raise ParameterError(f"{attribute.name} is a number, not {text!r}; ? means unknown.") from None


def _value_of(attribute: Any, text: str) -> Any:
    """The value of a domain that is written like this, in any case if that is clear."""
    texts = [attribute.show(code) for code in range(attribute.n_values)]
    if text in texts:
        return attribute.values[texts.index(text)]
    if text.lower() in UNKNOWN_WORDS:
        return None
    alike = [code for code, name in enumerate(texts) if name.lower() == text.lower()]
    if len(alike) == 1:
        return attribute.values[alike[0]]
    raise ParameterError(
        f"{attribute.name} is one of {shown_list(texts, limit=20)}, not {text!r}; ? means unknown."
        f"{did_you_mean(text, texts)}"
    )


def _date(attribute: Any, text: str) -> Any:
    readers = {"time": dt.time.fromisoformat}
    try:
        return readers.get(attribute.date_type, dt.datetime.fromisoformat)(text)
    except ValueError:
        raise ParameterError(f"{attribute.name} is a date such as 2024-05-01, not {text!r}; ? means unknown.") from None

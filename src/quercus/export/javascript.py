"""Export to JavaScript: a module that needs nothing else, for Node.js and browsers."""

from __future__ import annotations

import json
import math
from typing import Any

from quercus.data.schema import Attribute
from quercus.errors import ExportError
from quercus.export.program import program_of
from quercus.export.runtime import runtime
from quercus.export.tables import decision_data, member_data, renumbered

__all__ = ["to_javascript"]


def to_javascript(model: Any) -> str:
    """A module with ``predict(row)`` and ``predictProba(row)`` for an object of raw values (null: unknown).

    model: a fitted estimator, a model, a tree, a forest or a rule list.
    """
    program = program_of(model, scores=True)
    data = {
        "checksum": program.checksum,
        "attributes": [_attribute_data(program.schema[place]) for place in program.inputs],
        "classes": program.listed_classes(lambda label: _value(label, "The class")),
        **decision_data(program),
        "members": [renumbered(member_data(member), program.inputs) for member in program.members],
    }
    entries = [f"  {json.dumps(name)}: {_lines(name, value)}" for name, value in data.items()]
    written = "const MODEL = {\n" + ",\n".join(entries) + "\n};"
    return "\n".join(
        [f"// {' '.join(program.title.split())}.", "", written, "", runtime("answers.js"), runtime("cells.js")]
    )


def _lines(name: str, value: Any) -> str:
    """A value as source; lists of attributes and members have one line for each."""
    if name in ("attributes", "members"):
        return "[\n" + ",\n".join(f"    {source(one)}" for one in value) + "\n  ]"
    return source(value)


def source(value: Any) -> str:
    """A value as JavaScript: JSON, with infinity, and with whole numbers that a double cannot hold as such."""
    try:
        text = json.dumps(value, allow_nan=False)
    except ValueError:
        text = _by_parts(value)
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("</", "<\\/")


def _by_parts(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(name))}: {_by_parts(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_by_parts, value)) + "]"
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return json.dumps(value, allow_nan=False)


def _attribute_data(attribute: Attribute) -> dict[str, Any]:
    where = f"The column {attribute.name!r} has the value"
    return {
        "name": attribute.name,
        "kind": attribute.kind,
        "values": [_value(value, where) for value in attribute.values],
        "missing": [_value(value, where) for value in attribute.missing_tokens],
        "date_type": attribute.date_type,
        "from_text": attribute.from_text,
    }


def _value(value: Any, where: str) -> Any:
    """A value that JavaScript has a type for: a text, a boolean, or a number that a double holds."""
    if isinstance(value, str | bool) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, int) and abs(value) <= 2**53:
        return value
    raise ExportError(
        f"{where} {value!r}, which is no text, boolean or number that JavaScript keeps exactly. Convert the column to "
        "texts before fitting."
    )

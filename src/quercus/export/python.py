"""Export to Python: a module that needs nothing but the standard library."""

from __future__ import annotations

from typing import Any

from quercus.data.schema import Attribute
from quercus.errors import ExportError
from quercus.export.program import program_of
from quercus.export.runtime import runtime
from quercus.export.tables import decision_data, member_data, renumbered

__all__ = ["to_python"]


def to_python(model: Any) -> str:
    """A module with ``predict(row)`` and ``predict_proba(row)`` for a dict of raw values (None: unknown).

    model: a fitted estimator, a model, a tree, a forest or a rule list.
    """
    program = program_of(model, scores=True)
    data = {
        "checksum": program.checksum,
        "attributes": [_attribute_data(program.schema[place]) for place in program.inputs],
        "classes": program.listed_classes(lambda label: label),
        **decision_data(program),
        "members": [renumbered(member_data(member), program.inputs) for member in program.members],
    }
    lines = [f'"""{_plain(program.title)}."""', "", "import datetime", "import math", "", f"MODEL = {_literal(data)}"]
    if data["classes"]:
        lines.append('CLASSES = MODEL["classes"]')
    return "\n".join([*lines, "", runtime("answers.py.txt"), "", runtime("cells.py.txt")])


def _attribute_data(attribute: Attribute) -> dict[str, Any]:
    return {
        "name": attribute.name,
        "kind": attribute.kind,
        "values": list(attribute.values),
        "missing": list(attribute.missing_tokens),
        "date_type": attribute.date_type,
        "from_text": attribute.from_text,
    }


def _plain(text: str) -> str:
    """A text that does not end a docstring."""
    return text.replace("\\", "\\\\").replace('"', "'")


def _literal(data: dict[str, Any]) -> str:
    """The data as Python source: one line per entry, and one per member."""
    lines = ["{"]
    for name, value in data.items():
        if name == "members":
            lines += ["    'members': [", *(f"        {_source(member)}," for member in value), "    ],"]
        elif name == "attributes":
            lines += ["    'attributes': [", *(f"        {_source(one)}," for one in value), "    ],"]
        else:
            lines.append(f"    {name!r}: {_source(value)},")
    return "\n".join([*lines, "}"])


def _source(value: Any) -> str:
    text = repr(value)
    if "inf" in text or "nan" in text:
        text = repr(_finite(value))
    return text


def _finite(value: Any) -> Any:
    """The same, with infinity as a literal that Python can read."""
    if isinstance(value, float) and value == float("inf"):
        return _Source("1e999")
    if isinstance(value, float) and value == float("-inf"):
        return _Source("-1e999")
    if isinstance(value, float) and value != value:
        raise ExportError("A number of the model is NaN, which an export cannot express.")
    if isinstance(value, list):
        return [_finite(one) for one in value]
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in value.items()}
    return value


class _Source:
    """Source code that is written as it is."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

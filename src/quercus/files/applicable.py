"""Values that do not apply (C5.0's N/A), which is not the same as unknown: they have a branch of their own.

In a nominal column such a text is one more value. A column of numbers, dates or ordered values gets a companion: the
column "NAME applicable" with the values yes and N/A, unknown where the value itself is unknown. In the column itself
the cells that do not apply are unknown.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from quercus.data.column import CodedColumn
from quercus.data.schema import Schema
from quercus.data.values import is_missing

__all__ = [
    "APPLIES",
    "companion_cells",
    "companion_domain",
    "companion_name",
    "texts_of_companion",
    "with_companions",
]

APPLIES = "yes"


def companion_name(name: str) -> str:
    """Return the name of the column that says whether a column's value applies.

    >>> companion_name("TSH")
    'TSH applicable'
    """
    return f"{name} applicable"


def companion_domain(texts: tuple[str, ...]) -> list[str]:
    """Return the values of a companion: yes, and the texts that mean "does not apply"."""
    return [APPLIES, *(text for text in texts if text != APPLIES)]


def companion_cells(column: CodedColumn, texts: tuple[str, ...]) -> CodedColumn:
    """Return the companion of a text column: yes, the text that means "does not apply", or None where it is unknown.

    >>> companion_cells(CodedColumn.of_entries(["1.3", "N/A", None]), ("N/A",))
    CodedColumn('yes', 'N/A', None)
    """
    values = column.values
    return column.with_values([value if value in texts else APPLIES if value.strip() else None for value in values])


def with_companions(columns: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Add the companions among the names that a table lacks because all of its values apply.

    >>> with_companions({"TSH": [1.3, None]}, ["TSH", "TSH applicable"])["TSH applicable"]
    ['yes', None]
    """
    absent = [name for name in names if name not in columns]
    owners = {companion_name(name): name for name in columns}
    return columns | {
        name: [None if is_missing(value) else APPLIES for value in columns[owners[name]]]
        for name in absent
        if name in owners
    }


def texts_of_companion(schema: Schema, name: str) -> tuple[str, ...] | None:
    """Return the texts that mean "does not apply" in a model's attribute; None if it has no companion.

    >>> from quercus.data.schema import Attribute
    >>> companion = Attribute("TSH applicable", "nominal", ("yes", "N/A"))
    >>> texts_of_companion(Schema((Attribute("TSH", "numeric"), companion)), "TSH")
    ('N/A',)
    """
    companion = companion_name(name)
    attribute = schema[companion] if companion in schema.names else None
    if attribute is None or attribute.kind != "nominal" or len(attribute.values) < 2 or attribute.values[0] != APPLIES:
        return None
    return tuple(value for value in attribute.values[1:] if isinstance(value, str)) or None

"""Declarations about a column: by the file itself, by a schema file or by a model's schema."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from quercus.data.schema import Kind, Schema
from quercus.files.applicable import texts_of_companion

__all__ = ["NO_RULE", "ColumnRule", "Rules", "overlaid", "rules_of_schema"]


@dataclass(frozen=True)
class ColumnRule:
    """The declarations about one column; None: there is no declaration.

    - kind, values (its domain, in order), cost, ignore, missing_tokens, not_applicable: as in the schema file.
    - unseen: values outside of the domain are allowed (they are for a model to judge).
    - read_date: how the file writes dates, a function from text to a date; it raises ``ValueError``.
    """

    kind: Kind | None = None
    values: tuple[Any, ...] | None = None
    cost: float | None = None
    ignore: bool | None = None
    missing_tokens: tuple[Any, ...] | None = None
    unseen: bool = False
    read_date: Callable[[str], Any] | None = None
    not_applicable: tuple[str, ...] | None = None


NO_RULE = ColumnRule()


@dataclass(frozen=True)
class Rules:
    """The declarations about a table: rules by column, target and classes, tokens for all columns, costs of mistakes.

    - not_applicable: texts that mean "does not apply", in all columns.
    - weight: the column that holds the weight of each row.
    - strict: every column that is named here must be in the file.
    - cost_matrix: {(true class, predicted class): cost}.
    """

    columns: Mapping[str, ColumnRule] = field(default_factory=dict)
    target: str | None = None
    classes: tuple[Any, ...] | None = None
    missing_tokens: tuple[Any, ...] | None = None
    cost_matrix: Mapping[tuple[Any, Any], float] | None = None
    strict: bool = True
    source: str = ""
    not_applicable: tuple[str, ...] | None = None
    weight: str | None = None


def overlaid(below: ColumnRule, above: ColumnRule) -> ColumnRule:
    """Return the rule in which every declaration of ``above`` replaces that of ``below``.

    >>> overlaid(ColumnRule("nominal", ("a", "b"), cost=1.0), ColumnRule(kind="numeric"))
    ColumnRule(kind='numeric', values=None, cost=1.0, ignore=None, missing_tokens=None, ...)
    """
    if above is NO_RULE:
        return below
    declarations = {part.name: getattr(above, part.name) for part in dataclasses.fields(ColumnRule)}
    changes = {name: value for name, value in declarations.items() if value is not None}
    changes["unseen"] = above.unseen if above.kind is not None or above.values is not None else below.unseen
    if above.kind is not None and above.kind not in ("nominal", "ordered") and above.values is None:
        changes["values"] = None
    if above.values is not None and above.kind is None and below.kind not in ("nominal", "ordered"):
        changes["kind"] = "nominal"
    return dataclasses.replace(below, **changes)


def rules_of_schema(schema: Schema) -> Rules:
    """Return the rules by which a file is read for a model: as the model's own columns, unseen values allowed.

    >>> from quercus.data import encode
    >>> rules_of_schema(encode({"zip": ["01234", "99"]}).schema).columns["zip"].kind
    'nominal'
    """
    columns = {}
    for attribute in schema:
        values: Sequence[Any] | None = attribute.values if attribute.kind in ("nominal", "ordered") else None
        tokens = attribute.missing_tokens or None
        columns[attribute.name] = ColumnRule(
            attribute.kind,
            None if values is None else tuple(values),
            missing_tokens=tokens,
            unseen=True,
            not_applicable=texts_of_companion(schema, attribute.name),
        )
    if schema.target is not None and schema.target not in columns:
        kind: Kind = "nominal" if schema.classes else "numeric"
        columns[schema.target] = ColumnRule(kind, schema.classes, unseen=True)
    return Rules(columns, schema.target, schema.classes, strict=False, source="the model")

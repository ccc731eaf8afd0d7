"""The dictionary form of a rule list: what JSON can hold, with a version; read back with every part checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from quercus.data.schema import Schema
from quercus.data.values import value_from_json
from quercus.errors import DataError, shorten
from quercus.rules.rule import Rule
from quercus.tree.tree import Tree

if TYPE_CHECKING:
    from quercus.rules.rule_list import RuleList

FORMAT = "quercus rule list"
VERSION = 1


def rule_list_to_dict(rules: RuleList) -> dict[str, Any]:
    """The parts by name; values of attributes by themselves, classes by their position."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "mode": rules.mode,
        "vote": rules.vote,
        **rules.target_kind.to_json(),
        "schema": rules.schema.to_dict(),
        "rules": [rule.to_dict() for rule in rules.rules],
        "default": rules.default,
        "default_weights": None if rules.default_weights is None else list(rules.default_weights),
        "tree": None if rules.tree is None else rules.tree.to_dict(),
    }


def arguments_from_dict(data: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of ``RuleList`` from the dictionary form."""
    if not isinstance(data, Mapping) or data.get("format") != FORMAT or data.get("version") != VERSION:
        raise DataError(
            f"This is no rule list's dictionary of version {VERSION}: {shorten(data)}. Use the result of "
            "RuleList.to_dict()."
        )
    labels, weights, tree = data["classes"], data["default_weights"], data["tree"]
    classes = None if labels is None else tuple(value_from_json(label) for label in labels)
    schema = Schema.from_dict(data["schema"])
    return {
        "rules": tuple(Rule.from_dict(rule, schema, classes) for rule in data["rules"]),
        "default": data["default"],
        "schema": schema,
        "classes": classes,
        "mode": data["mode"],
        "vote": data["vote"],
        "default_weights": None if weights is None else tuple(weights),
        "tree": None if tree is None else Tree.from_dict(tree),
    }

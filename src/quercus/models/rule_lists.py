"""Rule lists in model files: the rules in their dictionary form, and the number of the tree that they use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quercus.data.schema import Schema
from quercus.models.damage import at, need
from quercus.models.trees import TreeStore, tree_of
from quercus.rules.rule import Rule
from quercus.rules.rule_list import RuleList
from quercus.tree import Tree


def rules_to_json(rules: RuleList, trees: TreeStore) -> dict[str, Any]:
    """The parts of a rule list; its attributes and classes are the model's."""
    return {
        "mode": rules.mode,
        "vote": rules.vote,
        "rules": [rule.to_dict() for rule in rules.rules],
        "default": rules.default,
        "default_weights": None if rules.default_weights is None else list(rules.default_weights),
        "tree": None if rules.tree is None else trees.number(rules.tree),
    }


def read_rules(data: Any, schema: Schema, classes: tuple[Any, ...] | None, trees: Sequence[Tree]) -> RuleList:
    """Undo :func:`rules_to_json`."""
    tree = None if data["tree"] is None else tree_of(trees, data["tree"])
    rules = []
    for number, part in enumerate(data["rules"]):
        with at(f"/rules/{number}"):
            rule = Rule.from_dict(part, schema, classes)
            need(all(weight >= 0 for weight in rule.class_weights or ()), "class weights are not negative")
            need(rule.covered >= 0 and rule.correct >= 0, "the covered weight is not negative")
            need(rule.leaf is None or tree is None or rule.leaf < tree.n_nodes, "its leaf is no node of the tree")
            rules.append(rule)
    weights = data["default_weights"]
    need(all(weight >= 0 for weight in weights or ()), "the default's weights are not negative")
    return RuleList(
        tuple(rules),
        data["default"],
        schema,
        classes,
        data["mode"],
        data["vote"],
        None if weights is None else tuple(weights),
        tree,
    )

"""The rules as the page shows and applies them: words for reading, numbers for deciding."""

from __future__ import annotations

from typing import Any

from quercus.data.names import significant
from quercus.export.program import RuleTables
from quercus.export.tables import member_data
from quercus.report.subject import Subject
from quercus.rules.condition import joined_texts
from quercus.rules.extract import leaf_conditions
from quercus.rules.rule import Rule
from quercus.rules.rule_list import RuleList
from quercus.tree.tree import Tree

#: Rules of a tree beyond this many are not listed; the heaviest are. (A rule model's rules are always complete.)
MOST_RULES = 3_000


def rule_data(subject: Subject) -> dict[str, Any]:
    """The rules of a model for the page.

    A tree's rules are for reading only (``"decides": false``): the tree itself answers. Those of a rule model come
    with the tables of exported JavaScript (``member``), which applies them.
    """
    if subject.rules is None:
        return _rules_of_tree(subject)
    rules = subject.rules
    member = member_data(RuleTables(rules))
    result = {
        "decides": True,
        "mode": rules.mode,
        "rows": [_row(rule, place) for place, rule in enumerate(rules.rules)],
        "total": len(rules.rules),
        "member": {name: member[name] for name in member if name != "tree"},  # the page has the tree
        "default_text": rules.default_text(),
        "classes": rules.target_kind.class_texts,
    }
    if rules.tree is not None and rules.mode == "ordered":
        result["node_answers"] = rules.node_answers.tolist()
        result["rule_of_node"] = rules.rule_of_node.tolist()
    return result


def _rules_of_tree(subject: Subject) -> dict[str, Any]:
    assert subject.tree is not None
    if not subject.tree.target_kind.in_rules:
        return _leaves_of_tree(subject.tree)
    rules = RuleList.from_tree(subject.tree)
    chosen = sorted(range(len(rules)), key=lambda place: -rules.rules[place].covered)[:MOST_RULES]
    return {
        "decides": False,
        "rows": [_row(rules.rules[place], place) for place in sorted(chosen)],
        "total": len(rules),
        "default_text": rules.default_text(),
    }


def _leaves_of_tree(tree: Tree) -> dict[str, Any]:
    """The leaves of a tree whose answers no rule can hold, as rules to read: conditions, and all that is answered."""
    kind = tree.target_kind
    words, chosen, answers = kind.words(), tree.chosen(), tree.distributions()
    spread = kind.spread(tree.value, tree.weight)
    leaves = list(leaf_conditions(tree, "tree"))
    heaviest = sorted(range(len(leaves)), key=lambda place: -tree.weight[leaves[place][0]])[:MOST_RULES]
    rows = [
        {
            "number": place + 1,
            "if": joined_texts(conditions, limit=10, at_most="≤"),
            "then": words.answer(chosen[leaf], answers[leaf]),
            "covered": float(f"{tree.weight[leaf]:.8g}"),
            "leaf": leaf,
            "spread": significant(0.0 if spread is None else float(spread[leaf])),
            "value": float(chosen[leaf]),
        }
        for place, (leaf, conditions) in enumerate(leaves)
    ]
    default = words.answer(chosen[0], answers[0])
    kept = [rows[place] for place in sorted(heaviest)]
    return {"decides": False, "rows": kept, "total": len(rows), "default_text": default}


def _row(rule: Rule, place: int) -> dict[str, Any]:
    row: dict[str, Any] = {
        "number": place + 1,
        "if": joined_texts(rule.conditions, limit=10, at_most="≤"),
        "then": rule.label_text(),
        "covered": float(f"{rule.covered:.8g}"),
        "leaf": rule.leaf,
    }
    return row | rule.target_kind.rule_data(rule.consequent, rule.precision, rule.spread)

"""The tables of a program as plain lists, for languages whose exports are tables and a program that reads them."""

from __future__ import annotations

from typing import Any

import numpy as np

from quercus.export.program import Member, Program, RuleTables, TreeTable, score_data


def member_data(member: Member) -> dict[str, Any]:
    """A tree or a rule list as lists of numbers."""
    return _rule_data(member) if isinstance(member, RuleTables) else tree_data(member)


def tree_data(table: TreeTable) -> dict[str, Any]:
    """A tree as lists: of each node the attribute (−1: a leaf), the cut or the place of its table, and its children.

    ``asks`` holds ``[attribute, cut, table, swapped]`` of every question, surrogates behind; of questions about codes
    the cut is None and ``table`` is the place of a table in ``tables``. ``surrogates`` holds the places of a node's
    surrogates in ``asks``.
    """
    tree = table.tree
    inner = np.flatnonzero(tree.n_children > 0).tolist()
    places: dict[tuple[int, ...], int] = {}

    def written(ask: Any) -> list[Any]:
        codes = None if ask.cut is not None else places.setdefault(ask.table, len(places))
        return [ask.attribute, ask.cut, codes, int(ask.swapped)]

    asks = [written(table.ask(node)) for node in inner]
    ask_of = np.full(table.size, -1, dtype=np.int64)
    ask_of[inner] = np.arange(len(inner))
    surrogates: dict[int, list[int]] = {}
    for node in inner if table.has_surrogates else ():
        substitutes = table.surrogates(node)
        if substitutes:
            surrogates[node] = list(range(len(asks), len(asks) + len(substitutes)))
            asks.extend(written(ask) for ask in substitutes)
    result: dict[str, Any] = {
        "ask": ask_of.tolist(),
        "first": tree.first_child.tolist(),
        "size": tree.n_children.tolist(),
        "missing": tree.missing_child.tolist(),
        "asks": asks,
        "tables": [list(codes) for codes in places],
        "answer": table.leaf_row.tolist(),
        "answers": table.leaf_answers.tolist(),
    }
    if surrogates:
        result["surrogates"] = surrogates
    if table.spreads:
        result["share"] = table.shares.tolist()
    return result


def _rule_data(member: RuleTables) -> dict[str, Any]:
    rules = member.rules
    result: dict[str, Any] = {
        "mode": rules.mode,
        "rules": member.tests,
        "answers": member.answers.tolist(),
        "strengths": member.strengths,
        "labels": rules.consequents.tolist(),
    }
    if member.behind is not None:
        result["tree"] = tree_data(member.behind)
        result["costs"] = member.behind_costs
        result["threshold"] = member.behind_decision.threshold
    return result


def decision_data(program: Program) -> dict[str, Any]:
    """How the answers of the members are combined."""
    return {
        "together": program.together,
        "majority": program.majority,
        "weights": list(program.weights),
        "costs": program.costs,
        "threshold": program.threshold,
        "scores": None if program.scores is None else score_data(program.scores) | {"decide": program.by_scores},
    }


def renumbered(data: dict[str, Any], inputs: list[int]) -> dict[str, Any]:
    """The lists of a member with attributes numbered by their place among those that are read."""
    place = {position: number for number, position in enumerate(inputs)}
    if "rules" in data:
        tests = [[test | {"attribute": place[test["attribute"]]} for test in rule] for rule in data["rules"]]
        data = data | {"rules": tests}
        return data | {"tree": renumbered(data["tree"], inputs)} if "tree" in data else data
    return data | {"asks": [[place[ask[0]], *ask[1:]] for ask in data["asks"]]}

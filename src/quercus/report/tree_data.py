"""The tree as the page draws it: its arrays as short lists, the names already in words."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

import numpy as np

from quercus.data.names import quoted_name
from quercus.data.schema import Attribute, Schema
from quercus.data.values import whole_numbers
from quercus.export.program import TreeTable
from quercus.export.tables import tree_data as export_tables
from quercus.report.subject import Subject
from quercus.tree.conditions import value_name
from quercus.tree.distribution import effective_counts
from quercus.tree.questions import Question
from quercus.tree.questions.kinds import question_class
from quercus.tree.tree import Tree

#: Values of a nominal attribute beyond this many cannot be chosen in the form.
MOST_VALUES = 2_000


#: Of the values of a branch so many are named in the page; the rest are counted.
NAMED_IN_BRANCH = 20


def attribute_data(schema: Schema, tree: Tree | None = None) -> list[dict[str, Any]]:
    """Name, kind and values of every attribute, as text.

    Of more than ``MOST_VALUES`` values the first are listed; ``more`` says how many are not, and ``named`` holds by
    code those of them that stand in the tree.
    """
    in_tree = {} if tree is None else _codes_in_tree(tree)
    return [_attribute(attribute, in_tree.get(place, ())) for place, attribute in enumerate(schema)]


def _codes_in_tree(tree: Tree) -> dict[int, set[int]]:
    """The values of each nominal attribute that the texts of branches name: of a set of values the first."""
    result: dict[int, set[int]] = {}
    if all(attribute.n_values <= MOST_VALUES for attribute in tree.schema):
        return result
    for test in _branch_tests(tree, _questions(tree))[1:]:
        if "codes" in test:
            result.setdefault(test["attribute"], set()).update(test["codes"][:NAMED_IN_BRANCH])
    return result


def _questions(tree: Tree) -> list[Question | None]:
    return [tree.node(number).test for number in range(tree.n_nodes)]


def _branch_tests(tree: Tree, questions: list[Question | None]) -> list[dict[str, Any]]:
    """For each node the attribute and the codes of the branch that leads to it; of the root none.

    A condition that is no set of codes has its words as ``text``: ``≤ 54``.
    """
    result: list[dict[str, Any]] = [{} for _ in range(tree.n_nodes)]
    for first, question in zip(tree.first_child.tolist(), questions, strict=True):
        if question is None:
            continue
        for position, condition in enumerate(question.conditions()):
            test = condition.as_numbers(tree.schema.position)
            kept = {"attribute": test["attribute"], "codes": test["codes"]} if "codes" in test else {}
            result[first + position] = kept or {"text": question.answer(position).replace("<=", "≤", 1)}
    return result


def _attribute(attribute: Attribute, in_tree: Collection[int]) -> dict[str, Any]:
    result: dict[str, Any] = {"name": quoted_name(attribute.name), "kind": attribute.kind}
    if attribute.values:
        result["values"] = [value_name(attribute, code) for code in range(min(attribute.n_values, MOST_VALUES))]
        if attribute.n_values > MOST_VALUES:
            result["more"] = attribute.n_values - MOST_VALUES
            hidden = sorted(code for code in in_tree if MOST_VALUES <= code < attribute.n_values)
            result["named"] = {code: value_name(attribute, code) for code in hidden}
    if attribute.date_type is not None:
        result["date_type"] = attribute.date_type
    if attribute.cost:
        result["cost"] = float(attribute.cost)
    return result


def tree_data(subject: Subject) -> dict[str, Any] | None:
    """The grown tree (the model's, if that is no part of it) for the page; None: the model has no tree.

    Arrays are those of :class:`Tree`. ``tests`` holds the condition by which each node is reached, ``subject`` the
    position in ``subjects`` of what a node asks for; ``answers`` the class weights (regression: the number) of nodes
    that answer otherwise than by their own.
    """
    tree = subject.grown
    if tree is None:
        return None
    questions = _questions(tree)
    texts = ["" if question is None else question.subject() for question in questions]
    subjects = {words: place for place, words in enumerate(dict.fromkeys(texts))}
    result: dict[str, Any] = {
        "first_child": tree.first_child.tolist(),
        "n_children": tree.n_children.tolist(),
        "missing_child": tree.missing_child.tolist(),
        "weight": whole_numbers(tree.weight),
        "gain": [float(f"{gain:.5g}") for gain in tree.gain.tolist()],
        "subjects": list(subjects),
        "subject": [subjects[words] for words in texts],
        "tests": _branch_tests(tree, questions),
        "surrogates": _surrogates(tree),
        "routes": routes(tree),
        "criterion": tree.criterion,
        "number": None if subject.number is None else subject.number.tolist(),
    }
    if not np.array_equal(tree.count, tree.weight):
        result["count"] = tree.count.tolist()
    counts = effective_counts(tree) if tree.target_kind.has_shares else None
    return result | tree.target_kind.page_data(tree.value, tree.weight, tree.distributions(), tree.chosen(), counts)


def _surrogates(tree: Tree) -> dict[int, list[str]]:
    """The words of the surrogates of each node that has any."""
    start = tree.surrogate_start
    nodes = np.flatnonzero(start[1:] > start[:-1]).tolist()
    return {node: [str(one) for one in tree.node(node).surrogates] for node in nodes}


def routes(tree: Tree) -> dict[str, Any] | None:
    """The questions of a tree as exported JavaScript asks them; None: it asks for several attributes at once.

    What the page holds of each node anyway (its children, the branch of the unknown, its answer) is not said again.
    """
    if any(question_class(int(kind)).reads_several for kind in np.unique(tree.kind[tree.n_children > 0])):
        return None
    tables = export_tables(TreeTable(tree, tree.distributions()))
    for ask in tables["asks"]:
        ask[1] = "Infinity" if ask[1] == math.inf else ask[1]  # known or unknown; JSON has no such number
    return {name: tables[name] for name in ("ask", "asks", "tables", "surrogates", "share") if name in tables}


def removal_reasons(subject: Subject, most: int = 5_000) -> dict[int, str]:
    """Why the model's pruning took a question of the grown tree away, in words, by node."""
    if subject.number is None or subject.model.pruning is None:
        return {}
    removals = subject.model.pruning.removals[:most]
    return {int(removal.node): str(removal.reason) for removal in removals}


def used_attributes(tree: Tree) -> list[int]:
    """The attributes that some question or surrogate asks for, in the order in which the tree first asks for them."""
    return list(tree.asked)

"""The tree as the page draws it: its arrays as short lists, the names already in words."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.data.schema import Attribute, Schema
from quercus.report.subject import Subject
from quercus.tree.distribution import effective_counts
from quercus.tree.layout import LEAF, MULTIWAY, THRESHOLD
from quercus.tree.names import quoted_name, quoted_value
from quercus.tree.test import Multiway, Threshold
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
    """The values of each nominal attribute that the texts of branches name: of a group of values the first."""
    result: dict[int, set[int]] = {}
    for node in np.flatnonzero(tree.kind == MULTIWAY).tolist():
        codes = result.setdefault(int(tree.attribute[node]), set())
        codes.update(range(int(tree.n_children[node])))
    for node, children in _groups(tree).items():
        codes = result.setdefault(int(tree.attribute[node]), set())
        child_of = np.array(children)
        for child in range(int(tree.n_children[node])):
            codes.update(np.flatnonzero(child_of == child)[:NAMED_IN_BRANCH].tolist())
    return result


def _attribute(attribute: Attribute, in_tree: Collection[int]) -> dict[str, Any]:
    result: dict[str, Any] = {"name": quoted_name(attribute.name), "kind": attribute.kind}
    if attribute.values:
        naming = Multiway(attribute)
        result["values"] = [naming.value_name(code) for code in range(min(attribute.n_values, MOST_VALUES))]
        if attribute.n_values > MOST_VALUES:
            result["more"] = attribute.n_values - MOST_VALUES
            hidden = sorted(code for code in in_tree if MOST_VALUES <= code < attribute.n_values)
            result["named"] = {code: naming.value_name(code) for code in hidden}
    if attribute.date_type is not None:
        result["date_type"] = attribute.date_type
    if attribute.cost:
        result["cost"] = float(attribute.cost)
    return result


def tree_data(subject: Subject) -> dict[str, Any] | None:
    """The grown tree (the model's, if that is no part of it) for the page; None: the model has no tree.

    Arrays are those of :class:`Tree`. ``threshold`` and ``threshold_text`` hold only the threshold questions, in node
    order; ``answers`` the class weights (regression: the number) of nodes that answer otherwise than by their own.
    """
    tree = subject.grown
    if tree is None:
        return None
    cuts = np.flatnonzero(tree.kind == THRESHOLD)
    result: dict[str, Any] = {
        "kind": tree.kind.tolist(),
        "attribute": tree.attribute.tolist(),
        "first_child": tree.first_child.tolist(),
        "n_children": tree.n_children.tolist(),
        "missing_child": tree.missing_child.tolist(),
        "weight": _numbers(tree.weight),
        "gain": [float(f"{gain:.5g}") for gain in tree.gain.tolist()],
        "threshold": [_number(number) for number in tree.threshold[cuts].tolist()],
        "threshold_text": [_threshold_text(tree, node) for node in cuts.tolist()],
        "groups": _groups(tree),
        "surrogates": _surrogates(tree),
        "criterion": tree.criterion,
        "number": None if subject.number is None else subject.number.tolist(),
    }
    if not np.array_equal(tree.count, tree.weight):
        result["count"] = tree.count.tolist()
    if tree.classes is None:
        answers = tree.distributions()[:, 0]
        spread = np.sqrt(np.maximum(tree.value[:, 2], 0.0) / np.where(tree.weight > 0, tree.weight, 1.0))
        return result | {"answer": answers.tolist(), "spread": [float(f"{number:.5g}") for number in spread.tolist()]}
    effective = effective_counts(tree)
    own = (effective == tree.value).all(axis=1) & (effective.sum(axis=1) > 0)
    return result | {
        "value": [_numbers(row) for row in tree.value],
        "answers": {int(node): _numbers(effective[node]) for node in np.flatnonzero(~own)},
    }


def _threshold_text(tree: Tree, node: int) -> str:
    """What stands behind the sign of comparison; nothing where the question is whether the value is known."""
    number, attribute = float(tree.threshold[node]), tree.schema.attributes[int(tree.attribute[node])]
    if number == np.inf:
        return ""
    words = Threshold(attribute, None, number).branch(0)
    return words[len(quoted_name(attribute.name)) + 4 :]


def _groups(tree: Tree) -> dict[int, list[int]]:
    """The child of each value, for the questions whose branches are groups of values."""
    start = tree.group_start
    grouped = np.flatnonzero(start[1:] > start[:-1])
    return {int(node): tree.group_child[start[node] : start[node + 1]].tolist() for node in grouped}


def _surrogates(tree: Tree) -> dict[int, list[dict[str, Any]]]:
    """The surrogate tests of each node that has any: attribute, threshold and low child, or the child of each value."""
    start, values = tree.surrogate_start, tree.surrogate_group_start
    result: dict[int, list[dict[str, Any]]] = {}
    for node in np.flatnonzero(start[1:] > start[:-1]).tolist():
        tests = []
        for place in range(int(start[node]), int(start[node + 1])):
            test: dict[str, Any] = {"attribute": int(tree.surrogate_attribute[place])}
            if tree.surrogate_kind[place] == THRESHOLD:
                test["threshold"] = _number(float(tree.surrogate_threshold[place]))
                test["low_child"] = int(tree.surrogate_low_child[place])
            else:
                test["group"] = tree.surrogate_group_child[values[place] : values[place + 1]].tolist()
            tests.append(test)
        words = [str(surrogate) for surrogate in tree.node(node).surrogates]
        result[node] = [{**test, "text": text} for test, text in zip(tests, words, strict=True)]
    return result


def removal_reasons(subject: Subject, most: int = 5_000) -> dict[int, str]:
    """Why the model's pruning took a question of the grown tree away, in words, by node."""
    if subject.number is None or subject.model.pruning is None:
        return {}
    removals = subject.model.pruning.removals[:most]
    return {int(removal.node): str(removal.reason) for removal in removals}


def class_texts(classes: tuple[Any, ...] | None) -> list[str] | None:
    """The names of the classes as the library writes them."""
    return None if classes is None else [quoted_value(label) for label in classes]


def used_attributes(tree: Tree) -> list[int]:
    """The attributes that some question or surrogate asks for, in the order in which the tree first asks for them."""
    asked = tree.attribute[tree.kind != LEAF].tolist() + tree.surrogate_attribute.tolist()
    return list(dict.fromkeys(asked))


def _numbers(row: NDArray[Any]) -> list[float | int]:
    """Whole numbers without their useless point, others exactly."""
    return [int(number) if number.is_integer() and abs(number) < 2**53 else number for number in row.tolist()]


def _number(number: float) -> float | str:
    """A number that JSON can hold; infinities as text that JavaScript's Number() reads."""
    return number if np.isfinite(number) else "Infinity" if number > 0 else "-Infinity"

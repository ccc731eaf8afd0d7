"""Extraction: a tree as rules, one per leaf, with all conditions on one attribute merged into one.

Which rows a rule covers, by the tree's policy for unknown values and the choice ``unknown``:

- ``"fails"``: an unknown value fulfils no condition, except in a branch that is for unknown values alone ("Income
  unknown", the own value of missing values). A value that a split gives no branch counts as unknown there.
- ``"tree"``: the branch that takes unknown values (most common value, own value, the heaviest child) gets a condition
  that they fulfil ("Income <= 30 or unknown"), so its rule covers just the rows that the tree sends to its leaf. Where
  surrogates decide, or a row is spread over all branches, no condition can express it; no rule covers such rows,
  and a :class:`RuleList` that has the tree asks it.

The figures of a rule are the tree's: an example of unknown value counts in the leaves that it went to when growing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, get_args

from numpy.typing import ArrayLike

from quercus.data.weights import named_costs
from quercus.errors import ParameterError, choice_message
from quercus.rules.condition import Condition
from quercus.rules.rule import Rule
from quercus.tree.layout import LEAF
from quercus.tree.tree import Tree

Unknown = Literal["fails", "tree"]


@named_costs
def extract_rules(
    tree: Tree, *, keep_empty: bool = False, unknown: Unknown = "fails", cost_matrix: Any = None
) -> tuple[Rule, ...]:
    """One rule per leaf, from the first branch to the last.

    - keep_empty: also the leaves that no training example reached; they answer as the tree does, from their parent.
    - unknown: "fails" or "tree", what an unknown value does to a condition (see above).
    - cost_matrix: L(i, j), the cost of answering j when i is true; then each leaf's class is that of least cost.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.grow import grow
    >>> data = encode({"Temperature": [40.0, 48.0, 60.0, 72.0, 80.0, 90.0]})
    >>> tree = grow(data, encode_classes(["No", "No", "Yes", "Yes", "Yes", "No"]), cart_recipe())
    >>> for rule in extract_rules(tree):
    ...     print(rule)
    IF Temperature <= 54 THEN No (2, 1.00)
    IF 54 < Temperature <= 85 THEN Yes (3, 1.00)
    IF Temperature > 85 THEN No (1, 1.00)
    """
    if unknown not in get_args(Unknown):
        raise ParameterError(choice_message("unknown", unknown, get_args(Unknown)))
    if cost_matrix is not None:
        tree.target_kind.need_classes("cost_matrix weighs classes against each other; this tree predicts numbers.")
    tree.target_kind.need_rules()
    figures = _Figures(tree, cost_matrix)
    return tuple(
        figures.rule(leaf, conditions)
        for leaf, conditions in leaf_conditions(tree, unknown)
        if keep_empty or tree.weight[leaf] > 0
    )


def needs_tree(tree: Tree) -> bool:
    """Whether some row of unknown value follows no single branch that a condition could name."""
    inner = tree.kind != LEAF
    return bool((tree.missing_child[inner] < 0).any()) or len(tree.surrogate_kind) > 0


def leaf_conditions(tree: Tree, unknown: Unknown = "fails") -> Iterator[tuple[int, tuple[Condition, ...]]]:
    """The leaves from the first branch to the last, each with the merged conditions of its path."""
    first_child = tree.first_child.tolist()
    stack: list[tuple[int, dict[str, Condition]]] = [(0, {})]
    while stack:
        node, path = stack.pop()
        first = first_child[node]
        if not first:
            yield node, tuple(path.values())
            continue
        conditions = branch_conditions(tree, node, unknown)
        for position in range(len(conditions) - 1, -1, -1):
            condition = conditions[position]
            before = path.get(condition.name)
            longer = dict(path)
            longer[condition.name] = condition if before is None else before.intersection(condition)
            stack.append((first + position, longer))


def branch_conditions(tree: Tree, node: int, unknown: Unknown = "fails") -> list[Condition]:
    """The condition of each branch of an inner node, in the order of the children."""
    question = tree.node(node).test
    assert question is not None
    has_surrogates = tree.surrogate_start[node] < tree.surrogate_start[node + 1]
    return question.conditions(unknown=unknown == "tree" and not has_surrogates)


class _Figures:
    """What the rules of a tree answer and cover."""

    def __init__(self, tree: Tree, cost_matrix: ArrayLike | None) -> None:
        self.tree = tree
        self.chosen = tree.chosen(cost_matrix).tolist()
        self.spread = tree.target_kind.spread(tree.value, tree.weight)
        self.weights = tree.weight.tolist()

    def rule(self, leaf: int, conditions: tuple[Condition, ...]) -> Rule:
        weight, chosen, classes = self.weights[leaf], self.chosen[leaf], self.tree.classes
        if self.spread is not None:
            spread = float(self.spread[leaf]) if weight > 0 else None
            return Rule(conditions, chosen, classes, weight, spread=spread, leaf=leaf)
        if weight <= 0:
            shares = tuple(self.tree.distributions()[leaf].tolist())
            return Rule(conditions, chosen, classes, class_weights=shares, leaf=leaf)
        weights = tuple(self.tree.value[leaf].tolist())
        return Rule(conditions, chosen, classes, weight, weights[chosen], weights, leaf=leaf)

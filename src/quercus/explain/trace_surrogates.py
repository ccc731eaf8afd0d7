"""Surrogates in a trace: those that the tree has, or those that it would have."""

from __future__ import annotations

from quercus.explain.trace import SurrogateTrace
from quercus.growing.reference import Decision
from quercus.growing.reference_examples import Examples
from quercus.growing.reference_surrogates import Surrogate, find_surrogates
from quercus.tree.layout import THRESHOLD
from quercus.tree.surrogate import Surrogate as TreeSurrogate
from quercus.tree.test import Subset, Threshold, groups_of
from quercus.tree.tree import Tree


def surrogates_at(
    tree: Tree, node: int, examples: Examples, decision: Decision, look: bool
) -> tuple[SurrogateTrace, ...]:
    """The surrogates of a node; look: search for them if the tree keeps none."""
    found: tuple[TreeSurrogate, ...] = tree.node(node).surrogates
    split = decision.split
    kept = examples.problem.recipe.missing == "surrogate"
    if not kept and look and split is not None and len(split.branches) == 2:
        found = tuple(_described(tree, node, one) for one in find_surrogates(examples, split))
    return tuple(
        SurrogateTrace(one.test.attribute.name, str(one.test), str(one), one.agreement, one.adjusted) for one in found
    )


def _described(tree: Tree, node: int, found: Surrogate) -> TreeSurrogate:
    """A surrogate of the reference in the tree's words."""
    attribute, primary = tree.schema[found.attribute], tree.node(node).test
    assert primary is not None
    sides = primary.branch(0, limit=10), primary.branch(1, limit=10)
    if found.kind == THRESHOLD:
        low = found.low_child
        test: Threshold | Subset = Threshold(attribute, None, found.threshold)
        return TreeSurrogate(test, (low, 1 - low), found.agreement, found.adjusted, sides)
    assert found.value_branch is not None
    test = Subset(attribute, None, groups_of(found.value_branch, 2))
    return TreeSurrogate(test, (0, 1), found.agreement, found.adjusted, sides)

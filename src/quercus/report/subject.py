"""The subject of a report: a fitted model, and the tree that its page walks through."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.errors import ParameterError
from quercus.fitted.model import Model, model_of
from quercus.rules.rule_list import RuleList
from quercus.tree.compare import same_questions
from quercus.tree.tree import Tree

#: A grown tree of more nodes than this is not put into the report beside the pruned one.
LARGEST_GROWN = 20_000


@dataclass(frozen=True, eq=False)
class Subject:
    """A model as its page shows it.

    tree: the model's tree, or the one its rules were made from; None: rules alone. grown: the tree before pruning, if
    the model's tree is a part of it and it is not too large (else the model's tree). number: for each node of ``grown``
    its number in ``tree``, −1 where pruning took it away; None: they are the same.
    """

    model: Model
    tree: Tree | None = None
    grown: Tree | None = None
    number: NDArray[np.int64] | None = None

    @property
    def rules(self) -> RuleList | None:
        """The rules of a rule model; None: those of the tree."""
        return self.model.rule_list

    @property
    def unpruned(self) -> Tree | None:
        """The tree before pruning, whatever its size."""
        return self.model.grown if self.model.answers_by == "tree" and self.model.recipe is not None else None

    @property
    def criterion(self) -> str:
        """By which the tree or the trees were grown."""
        if self.model.member_trees is not None:
            return self.model.member_trees.criterion
        return "" if self.tree is None else self.tree.criterion

    @property
    def importances(self) -> dict[str, float]:
        """The shares of the attributes in the gain, by name; none of rules."""
        alone = self.model.recipe is None and self.model.forest is None  # a tree without a recipe
        if self.model.answers_by_rules or alone:
            return {}
        return dict(zip(self.model.schema.names, self.model.feature_importances_.tolist(), strict=True))

    @cached_property
    def figures(self) -> list[tuple[str, str]]:
        """The size of a collection, in words and numbers."""
        forest: Any = self.model.forest
        if forest is None:
            return []
        trees = self.model.member_trees
        if trees is not None:
            return [("trees", f"{len(trees):,}"), ("nodes", f"{int(trees.n_nodes.sum()):,}")]
        return [("rule lists", f"{len(forest):,}"), ("rules", f"{sum(map(len, forest)):,}")]

    @property
    def curve(self) -> Any:
        """The error of a collection after so many members."""
        curve_of = self.model.out_of_bag or self.model.boosting
        return None if curve_of is None else curve_of.curve


def subject_of(thing: Any) -> Subject:
    """The subject of a report on a model, a fitted estimator, a :class:`Tree` or a :class:`RuleList`.

    >>> from quercus import ID3Classifier
    >>> from quercus.datasets import load_play_tennis
    >>> subject = subject_of(ID3Classifier().fit(*load_play_tennis()))
    >>> subject.model.name, subject.tree.n_nodes, subject.unpruned is subject.tree
    ('ID3Classifier', 8, True)
    """
    try:
        model = model_of(thing)
    except (ParameterError, AttributeError) as error:
        raise ParameterError(
            f"A report is made of a fitted model, a Tree or a RuleList, not of {type(thing).__name__}: {error}"
        ) from error
    if model.answers_by == "members":
        return Subject(model)
    tree, rules = model.tree, model.rule_list
    if rules is not None:
        tree = tree if rules.tree is None else rules.tree
        return Subject(model, tree, tree)
    assert tree is not None
    grown = model.grown
    if grown is None or grown is tree or grown.n_nodes > max(LARGEST_GROWN, tree.n_nodes):
        return Subject(model, tree, tree)
    number = numbers_in(grown, tree)
    return Subject(model, tree, tree if number is None else grown, number)


def numbers_in(grown: Tree, tree: Tree) -> NDArray[np.int64] | None:
    """For each node of the grown tree its number in a tree pruned from it, −1 where it went.

    None if the tree is no part of the grown one: a branch was raised, or it was grown from other rows.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.grow import grow
    >>> whole = grow(encode({"x": [1, 2, 3, 4]}), encode_classes(["No", "No", "Yes", "No"]), cart_recipe())
    >>> numbers_in(whole, whole.collapse(np.arange(5) == 2)).tolist()
    [0, 1, 2, -1, -1]
    """
    number, theirs = _matched(grown, tree)
    if len(theirs) < tree.n_nodes:
        return None
    ours = np.flatnonzero(number >= 0)
    same = np.allclose(grown.weight[ours], tree.weight[number[ours]], rtol=1e-9, atol=1e-9)
    return number if same else None


def traced_numbers(subject: Subject, grown: Tree) -> NDArray[np.int64]:
    """For each node of the page's tree its number in the tree as it was grown, which traces speak of; −1: it has none.

    Where pruning raised a branch, the nodes below it have none.
    """
    assert subject.grown is not None
    if subject.grown.n_nodes == grown.n_nodes:
        return np.arange(grown.n_nodes)
    number = _matched(grown, subject.grown)[0]
    result = np.full(subject.grown.n_nodes, -1, dtype=np.int64)
    ours = np.flatnonzero(number >= 0)
    result[number[ours]] = ours
    return result


def _matched(grown: Tree, tree: Tree) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each node of the grown tree the node of the other that is reached by the same answers to the same questions.

    Both are walked down level by level, as long as they ask the same; second: the nodes of the other that were met.
    """
    number = np.full(grown.n_nodes, -1, dtype=np.int64)
    ours, theirs = np.array([0]), np.array([0])
    met = []
    while len(ours):
        number[ours] = theirs
        met.append(theirs)
        asks = (tree.n_children[theirs] > 0) & same_questions(grown, ours, tree, theirs)
        ours, theirs = ours[asks], theirs[asks]
        size = tree.n_children[theirs].astype(np.int64)
        step = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
        ours = np.repeat(grown.first_child[ours].astype(np.int64), size) + step
        theirs = np.repeat(tree.first_child[theirs].astype(np.int64), size) + step
    return number, np.concatenate(met)

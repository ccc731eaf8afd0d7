"""A grower: from rows and a recipe to a tree, or to many; the core's, and the reference in plain Python.

Another way of growing (an optimal tree, one that learns row by row, one from counts of distant rows) is a function of
the same form; an estimator grows by its ``grower``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from quercus.arrays import Floats
from quercus.criteria import OwnCriterion
from quercus.data.rows import Rows
from quercus.errors import ParameterError
from quercus.growing.forest import Sampling, grow_forest
from quercus.growing.grow import grow
from quercus.growing.recipe import Recipe
from quercus.tree.forest import Forest
from quercus.tree.tree import Tree


@dataclass(frozen=True, eq=False)
class GrowOptions:
    """What a grower may be told beside the recipe.

    costs: of mistakes, in the order of the classes. n_jobs: threads. progress: a function called while the tree grows.
    sampling: how rows and attributes are drawn; then many trees are grown, n_trees of them from the seed.
    """

    costs: Floats | None = None
    n_jobs: int = 1
    progress: Callable[..., Any] | None = None
    sampling: Sampling | None = None
    n_trees: int = 1
    seed: int = 0


class Grower(Protocol):
    """A way to grow a tree or a forest from rows and a recipe."""

    def __call__(self, rows: Rows, recipe: Recipe, options: GrowOptions) -> Tree | Forest:
        """Grow a tree, or with a sampling a forest."""


def core_grower(rows: Rows, recipe: Recipe, options: GrowOptions) -> Tree | Forest:
    """The core's grower; see ``docs/specification.md``. rows, recipe, options: all that growing depends on.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> rows = Rows(encode({"x": [1, 2, 3, 4]}), encode_classes(["No", "No", "Yes", "Yes"]))
    >>> core_grower(rows, cart_recipe(), GrowOptions()) == reference_grower(rows, cart_recipe(), GrowOptions())
    True

    A criterion that is a function is grown by the reference, since the core cannot call it.
    """
    if isinstance(recipe.criterion, OwnCriterion):
        return reference_grower(rows, recipe, options)
    if options.sampling is None:
        return grow(
            *(rows.dataset, rows.target, recipe),
            weights=rows.weights,
            cost_matrix=options.costs,
            n_jobs=options.n_jobs,
            progress=options.progress,
        )
    return grow_forest(
        *(rows.dataset, rows.target, recipe, options.sampling, options.n_trees, options.seed),
        weights=rows.weights,
        cost_matrix=options.costs,
        n_jobs=options.n_jobs,
    )


def drawn_grower(sampling: Sampling, seed: int) -> Grower:
    """The grower of one tree whose nodes draw attributes or thresholds: the first tree of a forest of that seed.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> rows = Rows(encode({"x": [1, 2, 3, 4]}), encode_classes(["No", "No", "Yes", "Yes"]))
    >>> grower = drawn_grower(Sampling(bootstrap="no", random_thresholds=True), seed=0)
    >>> one_tree(grower, rows, cart_recipe(), GrowOptions()).n_leaves
    2
    """

    def grown(rows: Rows, recipe: Recipe, options: GrowOptions) -> Tree:
        if isinstance(recipe.criterion, OwnCriterion):
            raise ParameterError(
                "A function as criterion looks at all attributes and thresholds; give splitter='best' and "
                "max_features=None, or a criterion by its name."
            )
        forest = core_grower(rows, recipe, replace(options, sampling=sampling, n_trees=1, seed=seed))
        assert isinstance(forest, Forest)
        tree = forest.tree(0)
        if options.progress is not None:
            options.progress(rows.n_rows, rows.n_rows, tree.n_nodes)
        return tree

    return grown


def reference_grower(rows: Rows, recipe: Recipe, options: GrowOptions) -> Tree:
    """The plain-Python grower, node for node as the specification reads; slow, and of one tree only."""
    from quercus.growing.reference.grower import grow_reference

    if options.sampling is not None:
        raise ParameterError("The reference grows one tree from all rows; give sampling=None, or take core_grower.")
    return grow_reference(
        *(rows.dataset, rows.target, recipe),
        weights=rows.weights,
        cost_matrix=options.costs,
        progress=options.progress,
    )


def one_tree(grower: Grower, rows: Rows, recipe: Recipe, options: GrowOptions) -> Tree:
    """The one tree that a grower makes."""
    tree = grower(rows, recipe, options)
    if not isinstance(tree, Tree):
        raise ParameterError(f"A grower of one tree is needed; {grower!r} gave {len(tree)} trees.")
    return tree

"""What holds of every grown tree: rows sent through it by hand are found where the tree says, with their weight."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from oracle.growers import both
from oracle.routing import visits
from oracle.tables import random_case
from quercus.data import ClassTarget
from quercus.tree.tree import Tree

Grower = Callable[..., Tree]
SEEDS = [range(10_000 + 40 * chunk, 10_040 + 40 * chunk) for chunk in range(4)]


@both
@pytest.mark.parametrize("seeds", SEEDS, ids=str)
def test_rows_are_where_the_tree_says(grower: Grower, seeds: range) -> None:
    for seed in seeds:
        case = random_case(seed)
        if case.recipe.missing == "class_most_common":
            continue  # training knows the class of a row, routing does not
        tree = grower(case.dataset, case.target, case.recipe, **case.arguments())
        weights = np.ones(case.dataset.n_rows) if case.weights is None else case.weights
        count, weight = Counter[int](), Counter[int]()
        for row in np.flatnonzero(weights > 0):
            for node, share in visits(tree, case.dataset, int(row)).items():
                count[node] += 1
                weight[node] += share * weights[row]
        nodes = range(tree.n_nodes)
        assert [count[node] for node in nodes] == tree.count.tolist(), case
        np.testing.assert_allclose(
            [weight[node] for node in nodes], tree.weight, rtol=1e-9, atol=1e-12, err_msg=str(case)
        )


@both
@pytest.mark.parametrize("seeds", SEEDS, ids=str)
def test_children_hold_what_their_parent_holds(grower: Grower, seeds: range) -> None:
    for seed in seeds:
        case = random_case(seed)
        tree = grower(case.dataset, case.target, case.recipe, **case.arguments())
        for node in np.flatnonzero(tree.kind):
            children = slice(tree.first_child[node], tree.first_child[node] + tree.n_children[node])
            np.testing.assert_allclose(tree.weight[children].sum(), tree.weight[node], rtol=1e-9, err_msg=str(case))
            assert tree.count[children].sum() >= tree.count[node], case
            assert tree.gain[node] >= -1e-9 * max(1.0, abs(tree.gain).max()), case
            if isinstance(case.target, ClassTarget):
                below = tree.value[children].sum(axis=0)
                np.testing.assert_allclose(below, tree.value[node], rtol=1e-9, atol=1e-9, err_msg=str(case))


@both
@pytest.mark.parametrize("seeds", SEEDS, ids=str)
def test_limits_of_the_recipe_are_kept(grower: Grower, seeds: range) -> None:
    for seed in seeds:
        case = random_case(seed)
        recipe = case.recipe
        tree = grower(case.dataset, case.target, recipe, **case.arguments())
        inner = tree.kind != 0
        assert recipe.max_depth is None or tree.depth <= recipe.max_depth, case
        assert recipe.max_leaf_nodes is None or tree.n_leaves <= recipe.max_leaf_nodes, case
        assert (tree.count[inner] >= recipe.min_samples_split).all(), case
        assert (tree.weight[inner] >= 2 * max(recipe.min_objects, recipe.min_weight_leaf) - 1e-8).all(), case
        if not recipe.is_regression:
            assert (tree.gain[inner] >= recipe.min_gain - 1e-9).all(), case

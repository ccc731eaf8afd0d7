"""Cuts by hand, and the merging of branches that answer alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pruning.cases import RECIPES, cut, grown_case, inner_nodes, paths
from quercus.data import encode
from quercus.errors import ParameterError
from quercus.growing.cart import cart_recipe
from quercus.growing.grow import grow
from quercus.growing.recipe import Recipe
from quercus.predict import label_codes, predict_distribution
from quercus.pruning import keep_depth, keep_leaves, same_prediction, snip


def test_snip() -> None:
    tree, *_ = grown_case(1)
    chosen = inner_nodes(tree)[3:5]
    assert snip(tree, chosen).tree == cut(tree, chosen) == snip(tree, np.array(chosen)).tree
    assert snip(tree, tree.node(chosen[0])).tree == cut(tree, chosen[:1])
    assert snip(tree, []).tree == tree == snip(tree, list(tree.leaves())).tree
    assert snip(tree, 0).tree.n_nodes == 1 and snip(tree, 0).removals[0].figures["leaves"] == tree.n_leaves
    with pytest.raises(ParameterError, match="no node"):
        snip(tree, tree.n_nodes)
    with pytest.raises(ParameterError, match="another tree"):
        snip(cut(tree, [0]), tree.root)
    with pytest.raises(ParameterError, match="numbers of nodes"):
        snip(tree, ["first"])  # type: ignore[list-item]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_keep_depth_is_what_growing_to_that_depth_gives(recipe: Recipe) -> None:
    _, rows, target, _, _ = grown_case(0, unknown=0.1)
    recipe = replace(recipe, collapse="no")
    tree = grow(rows, target, recipe)
    for depth in range(tree.depth + 2):
        assert keep_depth(tree, depth).tree == grow(rows, target, replace(recipe, max_depth=depth))
    with pytest.raises(ParameterError, match="depth"):
        keep_depth(tree, -1)


@pytest.mark.parametrize("order", ["gain", "alpha"])
def test_keep_leaves(order: str) -> None:
    for seed in range(12):
        tree, *_ = grown_case(seed)
        sizes = []
        for limit in (1, 2, 3, 5, 8, 10**6):
            result = keep_leaves(tree, limit, order)
            assert result.tree.n_leaves <= limit and paths(result.tree) <= paths(tree)
            sizes.append(result.tree.n_leaves)
            if result.sequence:
                assert result.sequence[-1].n_leaves == result.tree.n_leaves
                assert result.sequence[-1].n_nodes == result.tree.n_nodes
        assert sizes == sorted(sizes) and sizes[-1] == tree.n_leaves
    with pytest.raises(ParameterError, match="n_leaves"):
        keep_leaves(tree, 0)
    with pytest.raises(ParameterError, match="order"):
        keep_leaves(tree, 2, "size")


def test_keep_leaves_cuts_the_weakest_question_first() -> None:
    tree, *_ = grown_case(3)
    strength = tree.weight * tree.gain
    cuts: set[int] = set()
    for step in keep_leaves(tree, 1).sequence:
        open_questions = set(inner_nodes(tree)) - cuts
        ready = open_questions - {int(tree.parent[node]) for node in open_questions}
        assert step.node in ready and strength[step.node] == min(strength[node] for node in ready)
        cuts.add(step.node)


def test_merging_changes_no_answer() -> None:
    merged = 0
    for seed in range(30):
        tree, rows, _, others, _ = grown_case(seed)
        by_class, by_shares = same_prediction(tree), same_prediction(tree, "probabilities")
        for data in (rows, others):
            whole = predict_distribution(tree, data)
            small = predict_distribution(by_class.tree, data)
            if (tree.missing_child[tree.kind > 0] >= 0).all():
                assert np.array_equal(label_codes(whole), label_codes(small)), seed
                assert np.allclose(whole, predict_distribution(by_shares.tree, data), atol=1e-12)
        for node in inner_nodes(by_class.tree):
            labels = {leaf.label for leaf in by_class.tree.node(node).leaves()}
            assert len(labels) > 1 or by_class.tree.node(node).label not in labels
        assert by_class.tree.n_nodes <= by_shares.tree.n_nodes <= tree.n_nodes
        merged += by_class.tree.n_nodes < tree.n_nodes
        assert all(removal.action == "merged" for removal in by_class.removals)
        never = same_prediction(tree, "never")
        assert never.tree == tree and not never.removals
    assert merged > 5
    with pytest.raises(ParameterError, match="policy"):
        same_prediction(tree, "always")
    with pytest.raises(ParameterError, match="tolerance"):
        same_prediction(tree, tolerance=-1)


def test_merging_numbers() -> None:
    random = np.random.default_rng(0)

    tree = grow(
        encode(random.normal(size=(60, 2))), random.integers(0, 2, 60).astype(float), cart_recipe("squared_error")
    )
    assert same_prediction(tree).tree == same_prediction(tree, "probabilities").tree
    assert same_prediction(tree, tolerance=10.0).tree.n_nodes == 1

"""A tree grown from a sparse matrix is the tree of the dense one, node by node, for every recipe that takes it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from quercus.data import encode, encode_classes
from quercus.growing.c45 import c45_recipe
from quercus.growing.cart import cart_recipe
from quercus.growing.forest import Sampling, grow_forest
from quercus.growing.grow import grow
from quercus.growing.id3 import id3_recipe
from quercus.tree import Tree

RECIPES = {
    "gini": cart_recipe(),
    "entropy": cart_recipe(criterion="entropy"),
    "hellinger": cart_recipe(criterion="hellinger"),
    "misclassification": cart_recipe(criterion="misclassification"),
    "bins": cart_recipe(max_bins=4),
    "best first": cart_recipe(max_leaf_nodes=6),
    "small": cart_recipe(max_depth=3, min_samples_leaf=3),
    "c45": c45_recipe(),
    "c45 of data values": c45_recipe(threshold="short_value"),
    "id3": id3_recipe("threshold"),
}
NUMBER_RECIPES = {
    "squared": cart_recipe(criterion="squared_error"),
    "absolute": cart_recipe(criterion="absolute_error"),
    "poisson": cart_recipe(criterion="poisson"),
    "bins of numbers": cart_recipe(criterion="squared_error", max_bins=3),
}


def random_numbers(draw: np.random.Generator) -> np.ndarray:
    """A table that is mostly 0: counts, tenths, negative and huge numbers, empty and full columns and rows."""
    n, p = int(draw.integers(2, 60)), int(draw.integers(1, 12))
    table = np.where(draw.random((n, p)) < draw.choice([0.05, 0.2, 0.6]), draw.integers(-2, 4, (n, p)), 0).astype(float)
    if draw.random() < 0.4:
        table *= draw.choice([0.1, 1e-300, 1e12, 1 / 3], p)
    if draw.random() < 0.3:
        table[:, draw.integers(p)] = draw.normal(size=n)
    if draw.random() < 0.2:
        table[draw.integers(n)] = 0.0
    return table


def random_weights(draw: np.random.Generator, n: int) -> np.ndarray | None:
    """Weights: none, whole ones with zeros among them, or any."""
    kind = draw.integers(3)
    if kind == 0:
        return None
    weights = draw.integers(0, 4, n).astype(float) if kind == 1 else draw.random(n) * 3
    weights[draw.integers(n)] = 1.0
    return weights


def assert_equal(a: Tree, b: Tree) -> None:
    for name in ("kind", "attribute", "first_child", "n_children", "count", "missing_child"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)
    np.testing.assert_array_equal(a.threshold, b.threshold)
    for name in ("weight", "value", "gain"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-9, atol=1e-12, err_msg=name)


def check_one(seed: int, recipe: Any, numbers: bool) -> None:
    draw = np.random.default_rng(seed)
    table = random_numbers(draw)
    if draw.random() < 0.3:
        table = table.astype(np.float32)
    n = len(table)
    if numbers:
        y: Any = draw.integers(0, 5, n).astype(float) if draw.random() < 0.5 else np.round(draw.random(n) * 9, 3)
        y[0] += 1.0
    else:
        y = encode_classes([str(c) for c in draw.integers(0, draw.integers(1, 6), n)])
    weights = random_weights(draw, n)
    layout = draw.choice(["csr_array", "csc_array", "coo_array", "csc_matrix"])
    sparse = getattr(scipy.sparse, layout)(table)
    switches = int(draw.choice([0, 0, 32, 64, 2]))
    jobs = int(draw.choice([1, 1, 2]))
    dense_tree = grow(encode(table), y, recipe, weights=weights)
    sparse_tree = grow(encode(sparse), y, recipe, weights=weights, n_jobs=jobs, switches=switches)
    assert_equal(sparse_tree, dense_tree)


@pytest.mark.parametrize("name", RECIPES)
def test_classes(name: str) -> None:
    for seed in range(60):
        check_one(seed, RECIPES[name], False)


@pytest.mark.parametrize("name", NUMBER_RECIPES)
def test_numbers(name: str) -> None:
    for seed in range(60):
        check_one(seed, NUMBER_RECIPES[name], True)


@pytest.mark.parametrize("constant", ["redraw", "count"])
def test_forests_draw_the_same(constant: Any) -> None:
    for seed in range(25):
        draw = np.random.default_rng(seed)
        table = random_numbers(draw)
        y = encode_classes([str(c) for c in draw.integers(0, 3, len(table))])
        sampling = Sampling(attributes_per_node=min(2, table.shape[1]), constant_attributes=constant)
        arguments: Any = (y, cart_recipe(), sampling, 4, seed)
        dense = grow_forest(encode(table), *arguments)
        sparse = grow_forest(encode(scipy.sparse.csr_array(table)), *arguments)
        for a, b in zip(sparse, dense, strict=True):
            assert_equal(a, b)


def test_a_large_node_is_shared_by_threads() -> None:
    draw = np.random.default_rng(5)
    table = np.where(draw.random((6000, 40)) < 0.1, draw.integers(1, 9, (6000, 40)), 0).astype(float)
    y = encode_classes([str(c) for c in (table[:, 3] > 2) ^ (table[:, 7] > 0) ^ (draw.random(6000) < 0.1)])
    recipe = replace(cart_recipe(), min_samples_leaf=5)
    trees = [grow(encode(t), y, recipe, n_jobs=j) for t in (table, scipy.sparse.csc_array(table)) for j in (1, 3)]
    for tree in trees[1:]:
        assert_equal(tree, trees[0])

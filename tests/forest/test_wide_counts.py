"""Wide tables of counts, and unknown numbers at random cuts: the quick ways give the trees of the general ones."""

from __future__ import annotations

import numpy as np
import pytest
from oracle.same_tree import difference

from quercus.data import ClassTarget, Dataset, encode
from quercus.growing.cart import cart_recipe
from quercus.growing.forest import Constant, Sampling, grow_forest
from quercus.growing.grow import SWITCHES
from quercus.tree.forest import Forest

GENERAL = SWITCHES["rank_columns"]


def word_counts(rows: int, n_classes: int, seed: int) -> tuple[Dataset, ClassTarget]:
    """At least 128 columns that are mostly alike; one varies everywhere, one is constant, one has unknown cells."""
    random = np.random.default_rng(seed)
    classes = random.integers(0, n_classes, rows)
    rates = random.exponential(0.05, (n_classes, 140)) + (np.arange(140) < 6) * 0.5
    counts = random.poisson(rates[classes]).astype(np.float64)
    counts[:, 20] = random.normal(size=rows)
    counts[:, 21] = 3
    counts[:, 22][random.random(rows) < 0.1] = np.nan
    counts[:, 23][random.random(rows) < 0.9] = np.nan
    counts[:, 24] -= 2
    return encode(counts), ClassTarget(np.arange(n_classes), classes.astype(np.int32))


def assert_same(one: Forest, other: Forest) -> None:
    assert sum(tree.n_leaves for tree in one) > len(one)
    for mine, theirs in zip(one, other, strict=True):
        assert difference(mine, theirs) is None


@pytest.mark.parametrize("rows", [40, 300, 1500])
@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("constant", ["redraw", "count"])
def test_wide_counts_give_the_general_grower_s_forest(rows: int, n_classes: int, constant: Constant) -> None:
    dataset, target = word_counts(rows, n_classes, seed=rows + n_classes)
    sampling = Sampling("with", None, 12, constant_attributes=constant)
    for recipe in (cart_recipe("gini"), cart_recipe("entropy", min_samples_leaf=3), cart_recipe(max_leaf_nodes=9)):
        quick = grow_forest(dataset, target, recipe, sampling, 2, seed=rows)
        assert_same(quick, grow_forest(dataset, target, recipe, sampling, 2, seed=rows, switches=GENERAL))
        assert_same(quick, grow_forest(dataset, target, recipe, sampling, 2, seed=rows, n_jobs=2))


def with_gaps(rows: int, n_classes: int, seed: int) -> tuple[Dataset, ClassTarget]:
    """Numbers in double and in single precision with unknown cells, hardly any value twice."""
    random = np.random.default_rng(seed)
    numbers = random.normal(size=(rows, 5))
    target = np.digitize(numbers[:, 0] + numbers[:, 1] * numbers[:, 2], np.linspace(-1, 1, n_classes - 1))
    numbers[random.random(numbers.shape) < [0.0, 0.05, 0.3, 0.6, 0.97]] = np.nan
    columns = {f"x{j}": numbers[:, j].astype(np.float32 if j % 2 else np.float64) for j in range(5)}
    return encode(columns), ClassTarget(np.arange(n_classes), target.astype(np.int32))


@pytest.mark.parametrize("n_classes", [2, 3, 9])
@pytest.mark.parametrize("least", [1, 4])
def test_random_cuts_of_numbers_with_gaps_are_those_of_ranks(n_classes: int, least: int) -> None:
    """Rows of weight 2 are searched by ranks and sums of weights, rows without a weight by their numbers."""
    dataset, target = with_gaps(900, n_classes, seed=n_classes)
    sampling, recipe = Sampling("no", None, 2, random_thresholds=True), cart_recipe(min_samples_leaf=least)
    numbers = grow_forest(dataset, target, recipe, sampling, 4, seed=3)
    ranks = grow_forest(dataset, target, recipe, sampling, 4, seed=3, weights=np.full(900, 2.0))
    for mine, theirs in zip(numbers, ranks, strict=True):
        assert mine.n_leaves > 20
        for name in ("kind", "attribute", "threshold", "missing_child", "count"):
            np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name), err_msg=name)
        np.testing.assert_allclose(mine.gain, theirs.gain, atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3, 9])
def test_cuts_of_numbers_with_gaps_are_those_of_the_general_grower(n_classes: int) -> None:
    dataset, target = with_gaps(1200, n_classes, seed=10 + n_classes)
    for recipe in (cart_recipe(), cart_recipe("entropy"), cart_recipe(min_samples_leaf=4)):
        for sampling in (Sampling("with", None, 2), Sampling("no", None, 3)):
            quick = grow_forest(dataset, target, recipe, sampling, 2, seed=1)
            assert_same(quick, grow_forest(dataset, target, recipe, sampling, 2, seed=1, switches=GENERAL))

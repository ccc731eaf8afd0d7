"""Trees that are one long chain, and trees of very many classes: the same tree by every way, in little memory."""

from __future__ import annotations

import numpy as np
import pytest
from oracle.same_tree import difference

from quercus.criteria import CLASS_CRITERIA
from quercus.data import ClassTarget, Dataset, encode
from quercus.errors import DataError
from quercus.growing.c45 import c45_recipe
from quercus.growing.cart import cart_recipe
from quercus.growing.forest import Sampling, grow_forest
from quercus.growing.grow import SWITCHES, grow
from quercus.growing.recipe import Recipe
from quercus.predict.tally import tally


def classes_of(codes: np.ndarray, n_classes: int) -> ClassTarget:
    return ClassTarget(np.arange(n_classes), codes.astype(np.int32))


def one_list(kind: str, n: int) -> tuple[Dataset, ClassTarget]:
    """One sorted column of n rows with two classes: in turn, at random, in runs, or at random with equal numbers."""
    random = np.random.default_rng(n)
    cells, codes = np.arange(n, dtype=np.float64), np.arange(n) % 2
    if kind != "alternating":
        codes = (random.random(n) < np.linspace(0.2, 0.6, n)).astype(int)
    if kind == "runs":
        codes = np.repeat(codes, random.integers(1, 90, n))[:n]
    if kind == "ties":
        cells = np.floor(random.random(n) * n / 3)
    return encode({"x": cells, "constant": np.ones(n)}), classes_of(codes, 2)


@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
@pytest.mark.parametrize("kind", ["alternating", "random", "runs", "ties"])
@pytest.mark.parametrize("least", [1, 7])
def test_a_profile_finds_the_cuts_that_reading_every_row_finds(kind: str, criterion: str, least: int) -> None:
    dataset, target = one_list(kind, 5000)
    recipe = cart_recipe(criterion, min_samples_leaf=least)
    tree = grow(dataset, target, recipe)
    for switches, n_jobs in ((SWITCHES["profile"], 1), (SWITCHES["block_bounds"], 1), (0, 2)):
        other = grow(dataset, target, recipe, switches=switches, n_jobs=n_jobs)
        assert tree == other, tree.first_difference(other)


@pytest.mark.parametrize("preset", ["r8", "j48"])
@pytest.mark.parametrize("kind", ["alternating", "random", "ties"])
def test_a_profile_counts_the_cuts_that_are_paid_for(kind: str, preset: str) -> None:
    dataset, target = one_list(kind, 3000)
    recipe = c45_recipe(preset)
    tree = grow(dataset, target, recipe)
    assert tree == grow(dataset, target, recipe, switches=SWITCHES["profile"])


@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
def test_a_chain_of_a_hundred_thousand_leaves_is_grown(criterion: str) -> None:
    dataset, target = one_list("alternating", 100_000)
    tree = grow(dataset, target, cart_recipe(criterion))
    assert tree.n_leaves == 100_000
    assert tree.value[0].tolist() == [50_000.0, 50_000.0]


def many_classes(n: int, k: int, *, unknown: bool = False) -> tuple[Dataset, ClassTarget]:
    random = np.random.default_rng(k)
    codes = random.permutation(np.arange(n) % k)
    cells = {"x": codes + random.normal(size=n) * k / 20, "z": np.round(random.normal(size=n), 1)}
    if unknown:
        cells["x"][random.random(n) < 0.1] = np.nan
    return encode(cells), classes_of(codes, k)


@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
@pytest.mark.parametrize("missing", ["own_value", "fractional"])
def test_running_sums_of_many_classes_choose_the_same_cuts(criterion: str, missing: str) -> None:
    dataset, target = many_classes(1500, 40, unknown=True)
    recipe = cart_recipe(criterion, missing=missing)
    tree = grow(dataset, target, recipe)
    for name in ("running", "streaming"):
        assert difference(tree, grow(dataset, target, recipe, switches=SWITCHES[name])) is None


@pytest.mark.parametrize(
    "recipe",
    [
        cart_recipe("gini"),
        cart_recipe("gini", max_leaf_nodes=150),
        cart_recipe("entropy", missing="fractional"),
        c45_recipe(),
    ],
    ids=["full", "best first", "fractional", "collapsed"],
)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_class_weights_of_many_classes_are_those_of_the_rows(recipe: Recipe, n_jobs: int) -> None:
    dataset, target = many_classes(3000, 100, unknown=recipe.missing == "fractional")
    tree = grow(dataset, target, recipe, n_jobs=n_jobs)
    assert tree.n_leaves > 50
    np.testing.assert_allclose(tree.value, tally(tree, dataset, target), rtol=1e-9, atol=1e-9)
    weighted = grow(dataset, target, recipe, n_jobs=n_jobs, weights=np.full(3000, 2.0))
    np.testing.assert_allclose(weighted.value, tally(weighted, dataset, target, np.full(3000, 2.0)), rtol=1e-9)


def test_forests_of_many_classes_have_the_class_weights_of_their_rows() -> None:
    dataset, target = many_classes(800, 100)
    grown = grow_forest(
        dataset,
        target,
        cart_recipe("gini", missing="own_value"),
        Sampling(bootstrap="no", attributes_per_node=1),
        n_trees=2,
        seed=1,
    )
    for tree in grown:
        np.testing.assert_allclose(tree.value, tally(tree, dataset, target))


@pytest.mark.slow
def test_more_class_weights_than_the_limit_are_refused_with_advice() -> None:
    dataset, target = encode({"x": np.arange(400.0)}), classes_of(np.arange(400), 1_000_000)
    with pytest.raises(DataError, match=r"more than 536 nodes, the limit for 1000000 classes.*max_leaf_nodes"):
        grow(dataset, target, cart_recipe("gini"))

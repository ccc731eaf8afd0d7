"""Subtrees of few rows have a table and a search of their own: the same tree, bit for bit, as the reference."""

from __future__ import annotations

import numpy as np
import pytest
from oracle.same_tree import difference

from quercus.criteria import CLASS_CRITERIA
from quercus.data import ClassTarget, Dataset, encode
from quercus.growing.cart import cart_recipe
from quercus.growing.grow import SWITCHES, grow
from quercus.growing.recipe import Recipe
from quercus.growing.reference import grow_reference


def mixed(seed: int, n: int, *, unknown: float = 0.0, levels: int = 9) -> tuple[Dataset, np.ndarray]:
    """Numbers of many and of few values, many ties, nominal columns, and a number that depends on them."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, levels, n)
    numbers = random.normal(size=(n, 3))
    numbers[:, 1] = np.round(numbers[:, 1])
    y = np.round(numbers[:, 0] + np.cos(codes) + random.normal(size=n) / 2, random.integers(0, 4))
    cells: dict[str, list[object] | np.ndarray] = {
        "free": numbers[:, 0],
        "tied": np.round(random.normal(size=n) * 300) / 300,
        "few": numbers[:, 1],
        "constant": np.ones(n),
        "kind": [f"v{code}" if random.random() >= unknown else None for code in codes],
        "pair": random.choice(["a", "b"], n).tolist(),
    }
    if unknown:
        cells["few"] = np.where(random.random(n) < unknown, np.nan, numbers[:, 1])
        cells["free"] = np.where(random.random(n) < unknown, np.nan, numbers[:, 0])
    return encode(cells), y


def assert_same_arrays(dataset: Dataset, target: ClassTarget | np.ndarray, recipe: Recipe) -> None:
    tree = grow(dataset, target, recipe)
    for other in (
        grow(dataset, target, recipe, switches=SWITCHES["few_rows"]),
        grow(dataset, target, recipe, n_jobs=2),
    ):
        for name, array in tree.arrays.items():
            assert np.array_equal(array, other.arrays[name], equal_nan=array.dtype.kind == "f"), name


@pytest.mark.parametrize("unknown", [0.0, 0.02])
@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_numbers(criterion: str, unknown: float) -> None:
    for seed, n in enumerate([2, 3, 5, 30, 127, 128, 129, 400, 3000]):
        dataset, y = mixed(seed, n, unknown=unknown)
        if criterion == "poisson":
            y = np.abs(y)
        for options in ({}, {"min_samples_leaf": 3, "min_value_weight": 2.0}, {"max_depth": 9, "min_samples_split": 6}):
            assert_same_arrays(dataset, y, cart_recipe(criterion, **options))
        assert_same_arrays(dataset, y, cart_recipe(criterion, missing="fractional"))


@pytest.mark.parametrize("unknown", [0.0, 0.02])
@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
def test_two_classes(criterion: str, unknown: float) -> None:
    for seed, n in enumerate([3, 30, 127, 129, 500, 2000]):
        dataset, y = mixed(seed, n, unknown=unknown)
        target = ClassTarget(np.arange(2), (y > np.median(y)).astype(np.int32))
        for options in ({}, {"min_samples_leaf": 3}, {"min_impurity_decrease": 0.002}, {"min_value_weight": 4.0}):
            assert_same_arrays(dataset, target, cart_recipe(criterion, **options))


@pytest.mark.parametrize("offset", [0.0, 1e9, 1e15])
def test_numbers_far_from_zero(offset: float) -> None:
    """Where the spread is small beside the numbers, sums in fixed point are not used."""
    dataset, y = mixed(3, 600)
    assert_same_arrays(dataset, y + offset, cart_recipe("squared_error"))
    assert_same_arrays(dataset, np.where(np.arange(600) == 7, offset, y / 1e6), cart_recipe("squared_error"))


def test_the_reference_grows_the_same() -> None:
    for seed in range(6):
        dataset, y = mixed(seed, 90, levels=80)
        for target, recipe in (
            (y, cart_recipe("squared_error")),
            (np.abs(y), cart_recipe("poisson", min_samples_leaf=2)),
            (ClassTarget(np.arange(2), (y > 0).astype(np.int32)), cart_recipe("entropy")),
        ):
            assert difference(grow(dataset, target, recipe), grow_reference(dataset, target, recipe)) is None


def test_value_sets_of_many_levels() -> None:
    """Long value sets are packed while the tree grows; a value that does not occur at a node has no child there."""
    random = np.random.default_rng(0)
    codes = random.integers(0, 500, 4000)
    effect = random.normal(size=500)
    dataset = encode({"level": [f"v{code}" for code in codes], "x": np.round(random.normal(size=4000), 1)})
    y = effect[codes] + random.normal(size=4000)
    for target, recipe in (
        (y, cart_recipe("squared_error")),
        (ClassTarget(np.arange(3), np.digitize(y, [-0.5, 0.5]).astype(np.int32)), cart_recipe("gini")),
        (ClassTarget(np.arange(2), (y > 0).astype(np.int32)), cart_recipe("gini", max_leaf_nodes=300)),
    ):
        tree = grow(dataset, target, recipe)
        sets = np.flatnonzero(tree.kind == 4)
        assert len(sets) > 20
        assert_same_arrays(dataset, target, recipe)
        levels = dataset.columns[0]
        here = {0: np.arange(4000)}
        for node in range(tree.n_nodes):
            rows, first = here.pop(node), tree.first_child[node]
            assert len(rows) == tree.count[node]
            if tree.kind[node] == 0:
                continue
            if node in sets:
                entries = slice(tree.group_start[node], tree.group_start[node + 1])
                values, children = tree.group_value[entries], tree.group_child[entries]
                assert np.array_equal(values, np.unique(levels[rows]))
                right = children[np.searchsorted(values, levels[rows])] == 1
            else:
                right = dataset.columns[1][rows] > tree.threshold[node]
            here[first], here[first + 1] = rows[~right], rows[right]

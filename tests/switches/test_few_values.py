"""Columns of few values, close numbers, subsets, groups: the quick searches choose what the general search chooses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from oracle.same_tree import difference
from oracle.tables import numeric_case

from quercus.criteria import CLASS_CRITERIA
from quercus.data import ClassTarget, Dataset, encode
from quercus.growing.c45 import c45_recipe
from quercus.growing.cart import cart_recipe
from quercus.growing.grow import SWITCHES, grow
from quercus.growing.recipe import Recipe
from quercus.growing.reference import grow_reference


def classes_of(codes: np.ndarray, n_classes: int) -> ClassTarget:
    return ClassTarget(np.arange(n_classes), codes.astype(np.int32))


def few_values(n: int, k: int, *, unknown: bool = False) -> tuple[Dataset, np.ndarray]:
    """A table of columns with few values, one of them nearly constant, and classes that depend on them."""
    random = np.random.default_rng(n + k)
    codes = random.integers(0, k, n)
    cells = {
        "few": np.clip(np.round(codes * 9 / k + random.normal(size=n)), 0, 9),
        "many": np.round(codes * 90 / k + random.normal(size=n) * 20),
        "rare": random.poisson(np.where(codes % 3 == 0, 0.15, 0.02)).astype(float),
        "constant": np.ones(n),
        "list": codes + random.normal(size=n) * k,
    }
    if unknown:
        cells["few"][random.random(n) < 0.05] = np.nan
    return encode(cells), codes


def assert_same_as_the_general_search(
    dataset: Dataset, target: ClassTarget | np.ndarray, recipe: Recipe, **more: object
) -> None:
    tree = grow(dataset, target, recipe, **more)
    assert tree.n_leaves > 1
    for name in ("streaming", "codes", "siblings"):
        other = grow(dataset, target, recipe, switches=SWITCHES[name], **more)
        assert difference(tree, other) is None, name


@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
@pytest.mark.parametrize("k", [2, 3, 30])
@pytest.mark.parametrize("unknown", [False, True])
def test_counts_by_value_choose_the_same_cuts(criterion: str, k: int, *, unknown: bool) -> None:
    dataset, codes = few_values(700, k, unknown=unknown)
    for recipe in (
        cart_recipe(criterion, min_samples_leaf=3),
        cart_recipe(criterion, missing="fractional" if unknown else "most_common"),
        c45_recipe("j48", criterion=criterion),
    ):
        assert_same_as_the_general_search(dataset, classes_of(codes, k + 2), recipe)


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
@pytest.mark.parametrize("unknown", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_sums_by_value_choose_the_same_cuts(criterion: str, *, unknown: bool, weighted: bool) -> None:
    dataset, codes = few_values(600, 20, unknown=unknown)
    random = np.random.default_rng(0)
    numbers = random.poisson(codes / 10).astype(float)
    weights = random.integers(1, 4, 600).astype(float) if weighted else None
    for missing in ("own_value", "fractional"):
        recipe = cart_recipe(criterion, missing=missing, min_samples_leaf=2)
        assert_same_as_the_general_search(dataset, numbers, recipe, weights=weights)


@pytest.mark.parametrize("scale", [1e-5, 1e-6])
@pytest.mark.parametrize("preset", ["r8", "j48"])
@pytest.mark.parametrize("k", [2, 5])
@pytest.mark.parametrize("weighted", [False, True])
def test_numbers_too_close_for_a_cut_are_not_cut(scale: float, preset: str, k: int, *, weighted: bool) -> None:
    random = np.random.default_rng(k)
    codes = random.integers(0, k, 1500)
    cells = (codes + random.normal(size=1500)) * 300
    cells[random.random(1500) < 0.1] = np.nan
    dataset = encode({"close": np.round(cells) * scale, "far": random.normal(size=1500) * 1e6})
    weights = random.integers(1, 3, 1500).astype(float) if weighted else None
    assert_same_as_the_general_search(dataset, classes_of(codes, k), c45_recipe(preset), weights=weights)


def test_known_against_unknown_has_the_split_information_of_its_branches() -> None:
    case = numeric_case(73)  # gain ratio, unknown values as a value of their own
    recipe = replace(case.recipe, threshold_gap=0.0)
    tree = grow(case.dataset, case.target, recipe, **case.arguments())
    assert difference(tree, grow_reference(case.dataset, case.target, recipe, **case.arguments())) is None


def nominal(n: int, levels: int, k: int) -> tuple[Dataset, ClassTarget]:
    random = np.random.default_rng(levels + k)
    first, second = random.integers(0, levels, n), random.integers(0, 6, n)
    codes = (first * 7 + second + random.integers(0, 3, n)) % k
    cells = {"a": [f"a{value}" for value in first], "b": [f"b{value}" for value in second]}
    return encode(cells), classes_of(codes, k + 1)


@pytest.mark.parametrize("criterion", CLASS_CRITERIA)
@pytest.mark.parametrize(("levels", "k"), [(40, 2), (300, 2), (30, 12), (300, 40)])
def test_counts_choose_the_same_subsets(criterion: str, levels: int, k: int) -> None:
    dataset, target = nominal(900, levels, k)
    recipe = cart_recipe(criterion, min_samples_leaf=2)
    assert_same_as_the_general_search(dataset, target, recipe)


@pytest.mark.parametrize(("levels", "k"), [(25, 2), (25, 4)])
@pytest.mark.parametrize("weighted", [False, True])
def test_groups_of_values_are_those_of_the_reference(levels: int, k: int, *, weighted: bool) -> None:
    dataset, target = nominal(300, levels, k)
    weights = np.random.default_rng(1).integers(1, 4, 300).astype(float) if weighted else None
    recipe = c45_recipe(value_groups=True)
    tree = grow(dataset, target, recipe, weights=weights)
    assert tree.n_leaves > 1
    assert difference(tree, grow_reference(dataset, target, recipe, weights=weights)) is None


def test_many_values_are_grouped() -> None:
    dataset, target = nominal(6000, 400, 5)
    tree = grow(dataset, target, c45_recipe(value_groups=True))
    assert tree.n_leaves > 1
    assert (
        difference(tree, grow(dataset, target, c45_recipe(value_groups=True), switches=SWITCHES["streaming"])) is None
    )

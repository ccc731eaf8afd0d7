"""Properties of growing: weight 3 is three copies, the order of rows is nothing, any boolean function is learned, …"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from long_tail import most_slow

from oracle.growers import both
from oracle.routing import predict
from oracle.same_tree import assert_same_tree
from oracle.tables import Case, random_case
from quercus.data import Attribute, ClassTarget, Dataset, Schema, encode, encode_classes
from quercus.datasets import load_income_example, load_play_tennis, load_threshold_example
from quercus.growing.cart import cart_recipe
from quercus.growing.id3 import id3_recipe
from quercus.growing.recipe import Recipe
from quercus.tree.tree import Tree

Grower = Callable[..., Tree]
SEEDS = range(20_000, 20_100)


def grown(grower: Grower, case: Case) -> Tree:
    return grower(case.dataset, case.target, case.recipe, **case.arguments())


def with_rows(case: Case, rows: np.ndarray, weights: np.ndarray | None) -> Case:
    """The same case on other rows."""
    if isinstance(case.target, ClassTarget):
        target: ClassTarget | np.ndarray = ClassTarget(case.target.classes, case.target.codes[rows])
    else:
        target = case.target[rows]
    columns = tuple(np.ascontiguousarray(column[rows]) for column in case.dataset.columns)
    return replace(case, dataset=Dataset(case.dataset.schema, columns, len(rows)), target=target, weights=weights)


@both
def test_weight_3_is_three_copies(grower: Grower) -> None:
    """Limits on the number of rows are left out: min_samples_…, the rows of a surrogate, C4.5's wide attributes."""
    for seed in SEEDS:
        case = random_case(seed)
        if case.recipe.missing == "surrogate":
            continue
        recipe = replace(case.recipe, min_samples_split=2, min_samples_leaf=1, wide_share=0.0)
        case = replace(case, recipe=recipe)
        n_rows = case.dataset.n_rows
        copies = np.random.default_rng(seed).integers(1, 4, n_rows)
        heavy = grown(grower, with_rows(case, np.arange(n_rows), copies.astype(float)))
        many = grown(grower, with_rows(case, np.repeat(np.arange(n_rows), copies), None))
        assert_same_tree(heavy, many, str(case), leave_out=("count",))


@both
def test_weight_0_is_no_row(grower: Grower) -> None:
    for seed in SEEDS:
        case = random_case(seed)
        n_rows = case.dataset.n_rows
        random = np.random.default_rng(seed)
        weights = random.choice([0.0, 0.5, 1.0], n_rows)
        weights[random.integers(n_rows)] = 1.0
        kept = np.flatnonzero(weights)
        all_rows = grown(grower, with_rows(case, np.arange(n_rows), weights))
        assert all_rows == grown(grower, with_rows(case, kept, weights[kept])), case


@both
def test_order_of_rows_is_nothing(grower: Grower) -> None:
    for seed in SEEDS:
        case = random_case(seed)
        order = np.random.default_rng(seed).permutation(case.dataset.n_rows)
        weights = None if case.weights is None else case.weights[order]
        shuffled = grown(grower, with_rows(case, order, weights))
        assert_same_tree(grown(grower, case), shuffled, str(case))


@both
@pytest.mark.parametrize("factor", [0.25, 8.0])
def test_scale_of_weights_is_nothing(grower: Grower, factor: float) -> None:
    """With the limits that are weights scaled too; C4.5's absolute numbers (25 in min_cut, log2(T)/N) are left out."""
    for seed in SEEDS:
        case = random_case(seed)
        plain = replace(case.recipe, min_cut=False, threshold_cost=False, significance=None)
        scaled = replace(
            plain,
            min_objects=plain.min_objects * factor,
            min_weight_leaf=plain.min_weight_leaf * factor,
            collapse_tolerance=plain.collapse_tolerance * factor,
        )
        weights = np.ones(case.dataset.n_rows) if case.weights is None else case.weights
        one = grown(grower, replace(case, recipe=plain, weights=weights))
        other = grown(grower, replace(case, recipe=scaled, weights=weights * factor))
        assert_same_tree(one, other, str(case), leave_out=("weight", "value"))
        np.testing.assert_allclose(one.weight * factor, other.weight, rtol=1e-9, err_msg=str(case))


@both
@pytest.mark.parametrize("factor", most_slow([2.0**-900, 2.0**60, 2.0**-30, 2.0**900], 2))
def test_tiny_and_huge_weights_grow_the_tree_of_weights_near_1(grower: Grower, factor: float) -> None:
    """Weights that cannot be numbers of cases, and the limits that are weights; every recipe, all of it."""
    for seed in SEEDS:
        case = random_case(seed)
        if factor > 1e200 and not isinstance(case.target, ClassTarget) and np.abs(case.target).max() > 1e16:
            continue  # the weights times the squared deviations are more than a double holds, which is refused
        weights = np.ones(case.dataset.n_rows) if case.weights is None else case.weights
        weights = weights / weights[weights > 0].mean()
        scaled = replace(
            case.recipe,
            min_objects=case.recipe.min_objects * factor,
            min_weight_leaf=case.recipe.min_weight_leaf * factor,
        )
        one = grown(grower, replace(case, weights=weights))
        other = grown(grower, replace(case, recipe=scaled, weights=weights * factor))
        assert_same_tree(one, other, str(case), leave_out=("weight", "value"))
        np.testing.assert_allclose(one.weight * factor, other.weight, rtol=1e-9, err_msg=str(case))
        if not other.is_regression:
            np.testing.assert_allclose(other.value.sum(axis=1), other.weight, rtol=1e-9, err_msg=str(case))


@both
def test_monotone_transformation_keeps_the_partition(grower: Grower) -> None:
    """Only the order of a numeric attribute's values counts. (Surrogates meet values between a cut's: left out.)"""
    for seed in SEEDS:
        case = random_case(seed)
        if case.recipe.missing == "surrogate":
            continue
        case = replace(case, recipe=replace(case.recipe, threshold_gap=0.0))
        columns = []
        for attribute, column in zip(case.dataset.schema, case.dataset.columns, strict=True):
            ranks = np.unique(column, return_inverse=True)[1].astype(np.float64)
            squares = np.where(np.isnan(column), np.nan, ranks**2 + 3) if attribute.kind == "numeric" else column
            columns.append(squares)
        changed = replace(case, dataset=Dataset(case.dataset.schema, tuple(columns), case.dataset.n_rows))
        assert_same_tree(grown(grower, case), grown(grower, changed), str(case), leave_out=("threshold",))


# What the lectures say

FUNCTIONS: dict[str, Callable[[tuple[int, ...]], bool]] = {
    "and": all,
    "or": any,
    "xor": lambda bits: bits[0] != bits[1],
    "parity": lambda bits: sum(bits) % 2 == 1,
    "majority": lambda bits: sum(bits) > len(bits) / 2,
    "true": lambda bits: True,
}


@both
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("n_inputs", [2, 3, 5])
def test_any_boolean_function_is_represented(grower: Grower, name: str, n_inputs: int) -> None:
    rows = list(product([0, 1], repeat=n_inputs))
    schema = Schema(tuple(Attribute(f"b{i}", "boolean") for i in range(n_inputs)))
    columns = tuple(np.array([row[i] for row in rows], dtype=np.int32) for i in range(n_inputs))
    wanted = [int(FUNCTIONS[name](row)) for row in rows]
    target = ClassTarget(np.array([False, True]), np.array(wanted, dtype=np.int32))
    dataset = Dataset(schema, columns, len(rows))
    tree = grower(dataset, target, Recipe(name="ID3"))
    assert [int(np.argmax(predict(tree, dataset, row))) for row in range(len(rows))] == wanted
    assert all(predict(tree, dataset, row).max() == 1.0 for row in range(len(rows)))
    if name == "parity":
        assert tree.n_leaves == 2**n_inputs
    if name in ("and", "or"):
        assert (tree.n_leaves, tree.depth) == (n_inputs + 1, n_inputs)
    if name == "true":
        assert tree.n_nodes == 1


@both
def test_d15_makes_the_tree_of_play_tennis_larger(grower: Grower) -> None:
    sizes = {}
    for d15 in (False, True):
        X, y = load_play_tennis(d15=d15)
        sizes[d15] = grower(encode(X), encode_classes(y), id3_recipe()).n_nodes
    assert sizes[False] == 8
    assert sizes[True] > sizes[False]


@both
def test_unknown_x_at_the_split_at_4_5_gets_0_5625(grower: Grower) -> None:
    """5/6 · 6/16 + 4/10 · 10/16 = 0.5625 for y = 1."""
    X, y = load_threshold_example()
    dataset, target = encode(X), encode_classes(y)
    tree = grower(dataset, target, id3_recipe("threshold", max_depth=1, missing="fractional"))
    assert tree.threshold[0] == 4.5
    assert tree.distributions()[1:, 1].tolist() == pytest.approx([5 / 6, 4 / 10])
    unknown = Dataset(dataset.schema, (np.array([np.nan]),), 1)
    assert predict(tree, unknown, 0)[1] == pytest.approx(0.5625)


@both
def test_unknown_income_gets_62_5_percent(grower: Grower) -> None:
    """Two leaves, Low at 75 % and Medium or High at 50 %, that hold one half each."""
    X, y = load_income_example()
    dataset, target = encode(X), encode_classes(y)
    tree = grower(dataset, target, cart_recipe(missing="fractional", max_depth=1))
    unknown = Dataset(dataset.schema, (np.array([-1], dtype=np.int32),), 1)
    yes = list(target.classes).index("Yes")
    assert sorted(tree.distributions()[1:, yes].tolist()) == [0.5, 0.75]
    assert predict(tree, unknown, 0)[yes] == pytest.approx(0.625)
    assert predict(tree, unknown, 0)[yes] >= 0.6  # a decision threshold of 0.6 answers Yes


@both
def test_a_subset_split_of_one_present_class_keeps_the_order_of_the_values(grower: Grower) -> None:
    """The rows of the other class have no value, so that every division gains the same: the first is taken."""
    dataset = encode({"town": ["c", "a", "b", "d", None, None]}, domains={"town": ["c", "a", "b", "d"]})
    target = encode_classes(["Yes"] * 4 + ["No"] * 2)
    for size, first in ((1, [0, 1, 1, 1]), (2, [0, 0, 1, 1])):
        tree = grower(dataset, target, cart_recipe(missing="fractional", max_depth=1, min_samples_leaf=size))
        start = tree.group_start
        assert tree.group_child[start[0] : start[1]].tolist() == first

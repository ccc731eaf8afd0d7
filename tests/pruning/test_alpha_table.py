"""The cross-validated table of alphas: every cell by explicit recomputation, with costs, weights and unknown values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from predict.random_trees import random_rows, random_schema

from pruning.cases import random_case
from quercus.data import ClassTarget, Dataset, encode, encode_classes
from quercus.errors import DataError, ParameterError
from quercus.growing.c45 import c45_recipe
from quercus.growing.cart import cart_recipe
from quercus.growing.grow import grow
from quercus.growing.recipe import Recipe
from quercus.predict import label_codes, predict_distribution
from quercus.pruning.alpha_table import CVTable, cross_validated_alphas, fold_numbers, midpoints
from quercus.pruning.nested import NestedTrees
from quercus.tree import Tree

TEN_TO_ONE = np.array([[0.0, 1.0], [10.0, 0.0]])  # missing one of the second class costs 10


def grower(recipe: Recipe, costs: np.ndarray | None = None) -> Any:
    """The function that a table is made with."""
    return lambda rows, target, weights: grow(rows, target, recipe, weights=weights, cost_matrix=costs)


def noisy_rows(seed: int = 0, n_rows: int = 150, unknown: float = 0.0) -> tuple[Dataset, ClassTarget, np.ndarray]:
    """Mixed attributes, two classes of which the second is rare, and uneven weights."""
    random = np.random.default_rng(seed)
    rows = random_rows(random, random_schema(random, "mixed"), n_rows, unknown, narrow=0.0)
    hint = np.nan_to_num(np.asarray(rows.columns[0], dtype=np.float64)) > 0.5
    codes = (hint & (random.random(n_rows) < 0.7)).astype(np.int32)
    codes[random.random(n_rows) < 0.1] ^= 1
    return rows, ClassTarget(np.array(["well", "ill"]), codes), random.integers(1, 4, n_rows).astype(float)


def one_by_one(
    table: CVTable, rows: Dataset, target: ClassTarget, weights: np.ndarray, costs: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Cross-validated error and standard error: every left-out row predicted by every pruned tree of its fold."""
    loss = np.zeros((len(table), rows.n_rows))
    for number, path in zip(np.unique(table.folds), table.fold_paths, strict=True):
        left_out = np.flatnonzero(table.folds == number)
        for place, price in enumerate(midpoints(table.path.alphas)):
            answers = label_codes(predict_distribution(path.tree(price), rows.take(left_out)), costs)
            loss[place, left_out] = [costs[t, a] for t, a in zip(target.codes[left_out], answers, strict=True)]
    whole = weights.sum() * table.root_error
    sums, squares = loss @ weights, loss**2 @ weights
    return sums / whole, np.sqrt(squares - sums**2 / weights.sum()) / whole


@pytest.mark.parametrize("costs", [None, TEN_TO_ONE, TEN_TO_ONE.T], ids=["errors", "10:1", "1:10"])
@pytest.mark.parametrize("unknown", [0.0, 0.2], ids=["complete", "gaps"])
def test_every_cell_by_recomputation(costs: np.ndarray | None, unknown: float) -> None:
    rows, target, weights = noisy_rows(5, unknown=unknown)
    recipe = c45_recipe() if unknown else cart_recipe()  # C4.5 sends a row with a gap down every branch
    table = cross_validated_alphas(
        grower(recipe, costs), rows, target, folds=5, weights=weights, cost_matrix=costs, random_state=3
    )
    assert len(table) > 2
    error, standard_error = one_by_one(table, rows, target, weights, 1 - np.eye(2) if costs is None else costs)
    np.testing.assert_allclose(table.cv_error, error, rtol=1e-12)
    np.testing.assert_allclose(table.standard_error, standard_error, rtol=1e-9)


def test_ten_to_one_is_priced_by_the_true_class() -> None:
    """One leaf for all: the least cost of a label is what it costs, so its error relative to the root's is 1."""
    x = np.arange(60.0)
    y = np.where(x % 12 == 5, "ill", "well")  # 5 of 60 are ill: "ill" for all costs 55, "well" for all 50
    target = ClassTarget(np.array(["well", "ill"]), (y == "ill").astype(np.int32))
    table = cross_validated_alphas(
        grower(cart_recipe(), TEN_TO_ONE), encode({"x": x}), target, folds=np.arange(60) // 12, cost_matrix=TEN_TO_ONE
    )
    assert table.root_error == pytest.approx(50 / 60)
    assert table.cv_error[-1] == pytest.approx(1.0)  # every fold answers "well": 5 · 10 of 50
    transposed = 5 * TEN_TO_ONE.T[1, 0] / 50  # what the transposed matrix would say of the same answers
    assert transposed == pytest.approx(0.1)


def test_regression_by_recomputation() -> None:
    random = np.random.default_rng(2)
    x = random.normal(size=120)
    y = np.sign(x) + random.normal(scale=0.6, size=120)
    rows, fold = encode({"x": x}), np.arange(120) % 4
    table = cross_validated_alphas(grower(cart_recipe("squared_error", min_samples_leaf=3)), rows, y, folds=fold)
    loss = np.zeros((len(table), 120))
    for number, path in zip(range(4), table.fold_paths, strict=True):
        left_out = np.flatnonzero(fold == number)
        for place, price in enumerate(midpoints(table.path.alphas)):
            loss[place, left_out] = (
                y[left_out] - predict_distribution(path.tree(price), rows.take(left_out))[:, 0]
            ) ** 2
    np.testing.assert_allclose(table.cv_error, loss.mean(axis=1) / np.var(y), rtol=1e-9)
    np.testing.assert_allclose(table.standard_error, loss.std(axis=1) / np.sqrt(120) / np.var(y), rtol=1e-9)
    assert table.best().leaves < table.path.n_leaves[0]


@pytest.mark.parametrize("seed", range(15))
def test_losses_of_nested_trees_are_those_of_each_tree(seed: int) -> None:
    """Rows that take one branch, several branches, or stay at a question none of whose branches has weight."""
    tree, rows, target = random_case(seed, unknown=0.3, policy="any")
    random = np.random.default_rng(seed)
    inner = random.permutation(np.flatnonzero(tree.kind))
    step = np.full(tree.n_nodes, len(inner) + 1)
    step[inner] = np.arange(1, len(inner) + 1)
    nested = NestedTrees(tree, step, len(inner) + 1)
    weights = random.integers(1, 5, rows.n_rows).astype(float)
    found = nested.losses(rows, target, weights)
    for place in range(nested.n_steps):
        small: Tree = nested.pruned(place)
        wrong = label_codes(predict_distribution(small, rows)) != target.codes
        assert found.total[place] == pytest.approx(weights @ wrong, abs=1e-9)
        assert (nested.n_leaves[place], nested.n_nodes[place]) == (small.n_leaves, small.n_nodes)


def test_rules_of_choice() -> None:
    rows, target, _ = noisy_rows(1)
    table = cross_validated_alphas(grower(cart_recipe()), rows, target)
    least, smaller = table.best("min"), table.best("1se")
    assert least.cv_error == table.cv_error.min()
    assert smaller.leaves <= least.leaves
    assert smaller.cv_error <= least.cv_error + least.standard_error
    within = table.cv_error <= least.cv_error + least.standard_error
    assert smaller.leaves == table.path.n_leaves[within].min()
    assert table.tree("1se").n_leaves == smaller.leaves
    assert "1se" in str(table) and list(table.to_frame()) == list(table.columns)


def test_folds_are_dealt_evenly_and_always_the_same() -> None:
    target = encode_classes(["a"] * 30 + ["b"] * 10)
    fold = fold_numbers(5, target, 40)
    assert (np.bincount(fold[:30]) == 6).all() and (np.bincount(fold[30:]) == 2).all()
    np.testing.assert_array_equal(fold, fold_numbers(5, target, 40))
    assert (fold != fold_numbers(5, target, 40, random_state=1)).any()


def test_one_class_only() -> None:
    table = cross_validated_alphas(grower(cart_recipe()), encode({"x": range(20)}), encode_classes(["a"] * 20), folds=4)
    assert table.best("1se") == (0.0, 0.0, 1, 0.0, 0.0, 0.0)


def test_all_values_unknown() -> None:
    rows = encode({"x": [np.nan] * 20}, kinds={"x": "numeric"})
    table = cross_validated_alphas(
        grower(cart_recipe()), rows, encode_classes(["a", "b"] * 10), folds=np.arange(20) // 4
    )
    assert table.best().leaves == 1 and table.root_error == 0.5


def test_mistakes_are_named() -> None:
    rows, target, _ = noisy_rows(1)
    make = grower(cart_recipe())
    for error, options, words in (
        (ParameterError, {"folds": 1}, "from 2 to the 150 rows"),
        (DataError, {"folds": [1, 2]}, "for each of the 150 rows"),
        (DataError, {"folds": np.zeros(150, int)}, "same number"),
        (DataError, {"weights": -np.ones(150)}, "not be negative"),
    ):
        with pytest.raises(error, match=words):
            cross_validated_alphas(make, rows, target, **options)
    with pytest.raises(ParameterError, match="'min', '1se'"):
        cross_validated_alphas(make, rows, target, folds=2).best("best")  # type: ignore[arg-type]

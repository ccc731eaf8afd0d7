"""Quantile regression: trees by pinball loss and quantile forests, against plain twins and by properties."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from long_tail import most_slow

from quercus import CARTRegressor, RandomForestRegressor, load, save
from quercus.data import encode
from quercus.errors import ParameterError
from quercus.evaluation import evaluate
from quercus.growing.cart import cart_recipe
from quercus.growing.forest import drawn_counts
from quercus.growing.grow import SWITCHES, grow
from quercus.growing.reference import grow_reference
from quercus.predict.forest import forest_distribution
from quercus.rules.extract import extract_rules
from quercus.targets.pinball import pinball_loss, weighted_quantiles

LEVELS = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9)


def random_table(rng: np.random.Generator) -> tuple[Any, np.ndarray, np.ndarray | None, Any]:
    """A small table with ties, unknown values, names and weights, its numbers, and a recipe."""
    n = int(rng.integers(2, 22))
    columns: dict[str, Any] = {"a": rng.integers(0, 6, n).astype(float), "b": rng.normal(size=n)}
    columns["c"] = rng.choice(["u", "v", "w", "x"], n).tolist()
    if rng.random() < 0.4:
        columns["b"][rng.random(n) < 0.3] = np.nan
    numbers = [rng.integers(0, 4, n).astype(float), rng.normal(size=n), np.exp(2 * rng.normal(size=n)), np.full(n, 3.0)]
    weights = [None, None, rng.integers(1, 4, n).astype(float), rng.random(n) + 0.1, np.exp(3 * rng.normal(size=n))]
    recipe = cart_recipe(
        "pinball",
        quantiles=tuple(rng.choice(LEVELS, int(rng.integers(1, 4)), replace=False).tolist()),
        missing=["own_value", "most_common", "fractional"][int(rng.integers(3))],
        max_depth=None if rng.random() < 0.5 else 3,
        min_samples_leaf=int(rng.integers(1, 3)),
    )
    recipe = replace(recipe, nominal="multiway") if rng.random() < 0.3 else recipe
    return encode(columns), numbers[int(rng.integers(4))], weights[int(rng.integers(5))], recipe


@pytest.mark.parametrize("seed", most_slow(6, 2))
def test_core_and_reference_grow_the_same_tree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(60):
        data, y, weights, recipe = random_table(rng)
        tree = grow(data, y, recipe, weights=weights)
        twins = {
            "reference": grow_reference(data, y, recipe, weights=weights),
            "trees of sums": grow(data, y, recipe, weights=weights, switches=SWITCHES["quantile_lists"]),
            "threads": grow(data, y, recipe, weights=weights, n_jobs=2),
        }
        for name, twin in twins.items():
            assert tree.first_difference(twin, 1e-8) is None, name


def test_the_quantile_is_in_the_middle_of_the_numbers_of_least_loss() -> None:
    """Brute force: the loss is least on an interval between two of the numbers, and the quantile is its midpoint."""
    rng = np.random.default_rng(0)
    for _ in range(500):
        y, weights = rng.integers(0, 6, 7).astype(float), rng.integers(1, 4, 7).astype(float)
        for level in (0.1, 0.25, 0.5, 0.8):
            losses = np.array([(weights * pinball_loss(y, a, level)).sum() for a in np.unique(y)])
            best = np.unique(y)[losses <= losses.min() + 1e-9]
            assert weighted_quantiles(y, [level], weights)[0] == pytest.approx((best.min() + best.max()) / 2)


def loss(part: np.ndarray, levels: tuple[float, ...]) -> float:
    """The least losses of some numbers."""
    answers = np.tile(weighted_quantiles(part, levels), (len(part), 1))
    return float(pinball_loss(part[:, None], answers, levels).sum())


def test_the_best_cut_by_brute_force() -> None:
    levels = (0.2, 0.5, 0.9)
    rng = np.random.default_rng(1)
    for _ in range(100):
        x, y = rng.permutation(8).astype(float), rng.normal(size=8).round(1)
        tree = grow(encode({"x": x}), y, cart_recipe("pinball", quantiles=levels, max_depth=1))

        gains = [loss(y, levels) - loss(y[x < cut], levels) - loss(y[x >= cut], levels) for cut in range(1, 8)]
        if tree.n_nodes > 1:
            assert tree.gain[0] * 8 == pytest.approx(max(gains), abs=1e-9)


def test_the_median_is_the_tree_of_absolute_error() -> None:
    rng = np.random.default_rng(2)
    for _ in range(100):
        data, y, weights, recipe = random_table(rng)
        pinball = grow(data, y, replace(recipe, quantiles=(0.5,)), weights=weights)
        absolute = grow(data, y, replace(recipe, criterion="absolute_error", quantiles=()), weights=weights)
        for name in ("kind", "attribute", "threshold", "first_child", "missing_child", "count", "weight"):
            np.testing.assert_array_equal(getattr(pinball, name), getattr(absolute, name))
        np.testing.assert_array_equal(pinball.value[:, :3], absolute.value)
        np.testing.assert_array_equal(2 * pinball.gain, absolute.gain)


def test_answers_are_ordered_within_the_numbers_and_follow_weights() -> None:
    rng = np.random.default_rng(3)
    for _ in range(60):
        data, y, _, recipe = random_table(rng)
        tree = grow(data, y, recipe)
        answers = tree.distributions()
        assert (np.diff(answers, axis=1) >= 0).all()
        assert answers.min() >= y.min() and answers.max() <= y.max()
        copies = grow(data.take(np.repeat(np.arange(data.n_rows), 3)), np.repeat(y, 3), replace(recipe, max_depth=2))
        weighed = grow(data, y, replace(recipe, max_depth=2), weights=np.full(data.n_rows, 3.0))
        if recipe.min_samples_leaf == 1:
            np.testing.assert_allclose(copies.value, weighed.value, rtol=1e-9, atol=1e-9)


def table() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 3))
    return X, X[:, 0] + (1 + np.abs(X[:, 1])) * rng.normal(size=300)


def test_the_estimator_answers_quantiles_and_prints_them(tmp_path: Path) -> None:
    X, y = table()
    model = CARTRegressor(criterion="pinball", quantiles=(0.9, 0.1, 0.5), max_depth=3).fit(X, y)
    answers = model.predict_quantiles(X)
    np.testing.assert_array_equal(answers[:, 1], model.predict(X))
    np.testing.assert_array_equal(model.predict_quantiles(X, [0.9])[:, 0], answers[:, 2])
    assert "0.1:" in str(model.tree_) and "quantiles 0.1, 0.5, 0.9" in repr(model.tree_)
    assert "Answer:" in str(model.explain(X, row=0))
    assert "<svg" in model.tree_.to_svg()
    assert "pinball loss" in str(model.trace(X, y))
    scores = evaluate(model, X, y).test
    assert scores.coverage == pytest.approx(np.mean((y >= answers[:, 0]) & (y <= answers[:, 2])))
    save(model, tmp_path / "m.json")
    loaded = load(tmp_path / "m.json")
    np.testing.assert_array_equal(loaded.predict_quantiles(X), answers)
    with pytest.raises(ParameterError, match="quantiles"):
        model.predict_quantiles(X, [0.2])
    with pytest.raises(ParameterError, match="A rule answers one class or one number"):
        extract_rules(model.tree_)
    assert model.prune_with("cost_complexity", ccp_alpha=0.05).tree_.n_leaves <= model.tree_.n_leaves


def test_a_quantile_forest_weighs_targets_by_shared_leaves() -> None:
    """A twin in plain Python: for every tree the share of each drawn row in the leaf, averaged over the trees."""
    X, y = table()
    forest = RandomForestRegressor(20, min_samples_leaf=5, keep_targets=True, random_state=3).fit(X, y)
    model, leaves = forest.model_, forest.apply(X)
    draws = model.draws
    assert draws is not None and draws.sampling is not None
    counts = [drawn_counts(draws.sampling, draws.seed, tree, len(y)) for tree in range(20)]
    found = forest.predict_quantiles(X[:15], [0.1, 0.5, 0.9])
    unseen = model.quantiles(forest.encode_rows(X), [0.5], out_of_bag=True)
    for row in range(15):
        weights, outside = np.zeros(len(y)), np.zeros(len(y))
        for tree, drawn in enumerate(counts):
            share = drawn * (leaves[:, tree] == leaves[row, tree])
            weights += share / share.sum()
            outside += share / share.sum() * (drawn[row] == 0)
        np.testing.assert_allclose(found[row], weighted_quantiles(y, [0.1, 0.5, 0.9], weights))
        np.testing.assert_allclose(weights @ y / 20, forest.predict(X[row : row + 1])[0])
        np.testing.assert_allclose(unseen[row], weighted_quantiles(y, [0.5], outside))
    with pytest.raises(ParameterError, match="keep_targets=True"):
        RandomForestRegressor(3).fit(X, y).predict_quantiles(X)


def test_a_forest_by_pinball_averages_the_quantiles_of_its_trees() -> None:
    X, y = table()
    forest = RandomForestRegressor(5, criterion="pinball", max_depth=4, oob_score=True).fit(X, y)
    answers = forest.predict_quantiles(X)
    trees = [tree.distributions() for tree in forest.model_.forest]
    leaves = forest.apply(X)
    mean = np.mean([values[leaves[:, place]] for place, values in enumerate(trees)], axis=0)
    np.testing.assert_allclose(answers, mean)
    assert all((answers[:, low] <= answers[:, high]).all() for low, high in itertools.pairwise(range(3)))


def test_out_of_bag_a_forest_by_pinball_keeps_the_quantile_that_it_predicts() -> None:
    X, y = table()
    forest = RandomForestRegressor(30, criterion="pinball", max_depth=2, oob_score=True).fit(X, y)
    draws = (forest.sampling_, forest.seed_, 0)
    answers, _ = forest_distribution(forest.model_.forest, forest.model_.encode_rows(X), out_of_bag=draws)
    np.testing.assert_array_equal(forest.oob_prediction_, answers[:, 1])

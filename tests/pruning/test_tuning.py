"""Tuning: what is cut out of a grown tree is what growing with the limit gives; errors are those of growing anew."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pruning.cases import RECIPES, grown_case
from pruning.test_alpha_table import noisy_rows
from quercus.data import encode
from quercus.errors import ParameterError
from quercus.growing.c45 import c45_recipe
from quercus.growing.cart import cart_recipe
from quercus.growing.grow import grow
from quercus.growing.recipe import Recipe
from quercus.predict import label_codes, predict_distribution
from quercus.pruning import cross_validated_alphas, error_based, keep_depth
from quercus.pruning.curves import take_target
from quercus.pruning.tuning import Choice, limited, tune

NEVER_COLLAPSED = [replace(recipe, collapse="no") for recipe in RECIPES]


@pytest.mark.parametrize("recipe", NEVER_COLLAPSED, ids=lambda recipe: recipe.name)
@pytest.mark.parametrize("unknown", [0.0, 0.15], ids=["complete", "gaps"])
def test_cutting_at_a_limit_is_growing_with_it(recipe: Recipe, unknown: float) -> None:
    for seed in range(4):
        _, rows, target, *_ = grown_case(seed, unknown=unknown)
        tree = grow(rows, target, recipe)
        for depth in (0, 1, 2, 5, None):
            grown = grow(rows, target, replace(recipe, max_depth=depth))
            assert limited(tree, "max_depth", [depth]).tree(0) == grown
            assert depth is None or keep_depth(tree, depth).tree == grown
        inner = tree.gain[tree.kind > 0]
        for least in (0.0, *np.quantile(inner, [0.2, 0.5, 0.8]), float(inner[0])):
            grown = grow(rows, target, replace(recipe, min_gain=least))
            assert limited(tree, "min_gain", [least]).tree(0) == grown
            grown = grow(rows, target, replace(recipe, min_impurity_decrease=least / 10))
            assert limited(tree, "min_impurity_decrease", [least / 10]).tree(0) == grown


def test_cutting_is_growing_for_numbers_too() -> None:
    random = np.random.default_rng(0)
    rows, y = encode(random.normal(size=(150, 3))), random.normal(size=150)
    recipe = cart_recipe("squared_error")
    tree = grow(rows, y, recipe)
    for depth in (0, 2, 4):
        assert limited(tree, "max_depth", [depth]).tree(0) == grow(rows, y, replace(recipe, max_depth=depth))
    for least in np.quantile(tree.gain[tree.kind > 0], [0.1, 0.5, 0.9]):
        assert limited(tree, "min_gain", [least]).tree(0) == grow(rows, y, replace(recipe, min_gain=least))


def grown_anew(choice: Choice, recipe: Recipe, fold: np.ndarray, data: Any) -> float:
    """The cross-validated error of a choice, a tree grown for it alone in every fold."""
    rows, target, weights = data
    wrong = np.zeros(rows.n_rows)
    limits = {choice.parameter: choice.value} if choice.parameter in ("max_depth", "min_gain") else {}
    for number in np.unique(fold):
        inside, outside = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        parts = rows.take(inside), take_target(target, inside)
        tree = grow(*parts, replace(recipe, **limits, **choice.regrown), weights=weights[inside])
        if choice.parameter == "confidence":
            tree = error_based(tree, *parts, weights=weights[inside], confidence=choice.value).tree
        answers = label_codes(predict_distribution(tree, rows.take(outside)))
        wrong[outside] = answers != target.codes[outside]
    return float(wrong @ weights / weights.sum())


def test_errors_are_those_of_growing_anew_with_far_fewer_trees() -> None:
    rows, target, weights = data = noisy_rows(4)
    recipe, fold, grown = replace(c45_recipe(), collapse="no"), np.arange(150) % 5, []

    def grow_once(*parts: Any, **settings: Any) -> Any:
        grown.append(settings)
        return grow(parts[0], parts[1], replace(recipe, **settings), weights=parts[2])

    table = tune(
        grow_once,
        rows,
        target,
        depths=[None, 4, 1, 2],
        min_gains=[0.0, 0.05, 0.2],
        confidences=[0.05, 0.25, 0.5],
        alphas="path",
        regrown={"min_objects": [1.0, 5.0]},
        folds=fold,
        weights=weights,
    )
    assert len(grown) == 2 * (1 + 5)
    assert len(table) > 25
    for choice in table.choices:
        if choice.parameter != "alpha":
            assert choice.error == pytest.approx(grown_anew(choice, recipe, fold, data), abs=1e-12)
        assert table.tree(choice).n_leaves == choice.leaves
    for objects in (1.0, 5.0):
        alone = cross_validated_alphas(
            lambda *parts, m=objects: grow_once(*parts, min_objects=m), rows, target, folds=fold, weights=weights
        )
        ours = [c.error for c in table.choices if c.parameter == "alpha" and c.regrown["min_objects"] == objects]
        np.testing.assert_allclose(ours, alone.cv_error * alone.root_error, rtol=1e-12)


def test_best_and_text() -> None:
    rows, target, _ = noisy_rows(2)
    table = tune(
        lambda *parts: grow(parts[0], parts[1], cart_recipe(), weights=parts[2]),
        rows,
        target,
        depths=[1, 2, 3, 6],
        alphas=[0.0, 0.01, 0.05],
    )
    least, small = table.best(), table.best("1se")
    assert least.error == min(choice.error for choice in table.choices)
    assert small.leaves <= least.leaves and small.error <= least.error + least.standard_error + 1e-12
    assert table.best(parameter="alpha").parameter == "alpha"
    assert table.tree("1se").n_leaves == small.leaves
    assert str(table).count("\n") == len(table) and table.to_frame()["parameter"].iloc[0] == "none"


def test_mistakes_are_named() -> None:
    rows, target, _ = noisy_rows(2)

    def make(*parts: Any) -> Any:
        return grow(parts[0], parts[1], cart_recipe(), weights=parts[2])

    for options, words in (
        ({"depths": [-1]}, "at least 0, or None"),
        ({"min_gains": ["a"]}, "min_gain holds 'a'"),
        ({"alphas": "all"}, "or 'path'"),
        ({"confidences": [2.0]}, "confidence"),
    ):
        with pytest.raises(ParameterError, match=words):
            tune(make, rows, target, folds=2, **options)  # type: ignore[arg-type]
    table = tune(make, rows, target, folds=2)
    with pytest.raises(ParameterError, match="'none'"):
        table.best(parameter="depth")

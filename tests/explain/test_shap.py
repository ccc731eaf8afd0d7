"""Shapley values: equal to the sum over all coalitions, to the package shap, and to the answers when added up."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from explain.shap_games import against, by_shares, shapley_interactions, shapley_values
from oracle.tables import random_case

from quercus.data import Dataset
from quercus.explain.shap.values import shap_values
from quercus.fitted.model import model_of
from quercus.growing.grow import grow
from quercus.tree.forest import Forest
from quercus.tree.tree import Tree

#: Seeds of the quick run, and of the long one.
QUICK, MANY = range(300), range(300, 2600)


@pytest.fixture(autouse=True)
def no_shap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Importing shap takes seconds; tests that need it ask for it."""
    monkeypatch.setitem(sys.modules, "shap", None)


def small_case(seed: int) -> tuple[Tree, Dataset]:
    """A random tree, and rows to explain: some of its table, with cells made unknown or mixed."""
    case = random_case(seed)
    tree = grow(case.dataset, case.target, case.recipe, **case.arguments())
    random = np.random.default_rng(seed)
    taken = random.integers(0, case.dataset.n_rows, (3, len(case.dataset.schema)))
    columns = []
    for a, (attribute, column) in enumerate(zip(case.dataset.schema, case.dataset.columns, strict=True)):
        cells = column[taken[:, a]].copy()
        unknown = random.random(3) < 0.25
        cells[unknown] = -1 if np.issubdtype(cells.dtype, np.integer) else np.nan
        if not attribute.is_numeric and random.random() < 0.3:
            cells[0] = random.integers(0, attribute.n_values)
        columns.append(np.ascontiguousarray(cells))
    return tree, Dataset(case.dataset.schema, tuple(columns), 3)


def outputs(values: np.ndarray, ndim: int = 3) -> np.ndarray:
    """With an axis of outputs, if there is none."""
    return values if values.ndim == ndim else values[..., None]


def check_tree(seed: int) -> None:
    tree, rows = small_case(seed)
    found = shap_values(tree, rows)
    values, said = outputs(found.values), tree.distributions()
    scale = max(1.0, float(np.abs(said).max()))
    for row in range(rows.n_rows):
        expected = shapley_values(by_shares(tree, said, rows, row), len(rows.schema))
        np.testing.assert_allclose(values[row], expected, rtol=0, atol=1e-12 * scale, err_msg=f"seed {seed}, row {row}")
    answers = outputs(found.base_values, 2) + values.sum(axis=1)
    np.testing.assert_allclose(answers, model_of(tree).shares(rows), rtol=0, atol=1e-12 * scale, err_msg=f"seed {seed}")


@pytest.mark.parametrize("chunk", range(3))
def test_values_are_those_of_all_coalitions(chunk: int) -> None:
    for seed in QUICK[chunk::3]:
        check_tree(seed)


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(8))
def test_values_are_those_of_all_coalitions_of_many_trees(chunk: int) -> None:
    for seed in MANY[chunk::8]:
        check_tree(seed)


def check_background(seed: int) -> None:
    tree, rows = small_case(seed)
    _, others = small_case(seed)
    background = others.take(np.array([2, 1])) if seed % 2 else random_case(seed).dataset.take(np.array([0]))
    found = shap_values(tree, rows, background=background)
    said = tree.distributions()
    scale = max(1.0, float(np.abs(said).max()))
    values = outputs(found.values)
    for row in range(rows.n_rows):
        game = against(tree, said, rows, row, background)
        expected = shapley_values(game, len(rows.schema))
        np.testing.assert_allclose(values[row], expected, rtol=0, atol=1e-12 * scale, err_msg=f"seed {seed}, row {row}")
    answers = outputs(found.base_values, 2) + values.sum(axis=1)
    np.testing.assert_allclose(answers, model_of(tree).shares(rows), rtol=0, atol=1e-12 * scale, err_msg=f"seed {seed}")


def test_values_against_a_background_are_those_of_mixed_rows() -> None:
    for seed in QUICK[:150]:
        check_background(seed)


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(4))
def test_values_against_a_background_are_those_of_mixed_rows_of_many_trees(chunk: int) -> None:
    for seed in MANY[chunk::8]:
        check_background(seed)


def check_interactions(seed: int) -> None:
    tree, rows = small_case(seed)
    pairs = outputs(shap_values(tree, rows, interactions=True).values, 4)
    said = tree.distributions()
    scale = max(1.0, float(np.abs(said).max()))
    for row in range(rows.n_rows):
        expected = shapley_interactions(by_shares(tree, said, rows, row), len(rows.schema))
        np.testing.assert_allclose(pairs[row], expected, rtol=0, atol=1e-12 * scale, err_msg=f"seed {seed}, row {row}")
    np.testing.assert_allclose(pairs.sum(axis=2), outputs(shap_values(tree, rows).values), rtol=0, atol=1e-12 * scale)


def test_interactions_are_those_of_all_coalitions() -> None:
    for seed in QUICK[:120]:
        check_interactions(seed)


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(4))
def test_interactions_are_those_of_all_coalitions_of_many_trees(chunk: int) -> None:
    for seed in MANY[chunk::12]:
        check_interactions(seed)


def test_values_of_a_forest_are_the_weighted_mean_of_its_trees() -> None:
    for seed in range(40):
        case = random_case(seed)
        trees = [grow(case.dataset, case.target, case.recipe, **case.arguments())]
        if case.dataset.n_rows > 4:
            part: Any = np.arange(case.dataset.n_rows) % 2 == 0
            trees.append(trees[0])
            assert part.any()
        weights = np.array([2.0, 1.0])[: len(trees)]
        _, rows = small_case(seed)
        found = shap_values(Forest.from_trees(trees, weights), rows)
        each = [shap_values(tree, rows) for tree in trees]
        mean = sum(w * one.values for w, one in zip(weights / weights.sum(), each, strict=True))
        np.testing.assert_allclose(found.values, mean, rtol=0, atol=1e-12 * max(1.0, np.abs(mean).max()))

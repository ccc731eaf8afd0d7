"""Trees by bins depend neither on speed-ups nor on threads; with a bin for every number they are exact."""

from __future__ import annotations

import numpy as np
import pytest
from oracle.same_tree import difference

from quercus.data import ClassTarget, Dataset, encode
from quercus.growing.cart import cart_recipe
from quercus.growing.grow import SWITCHES, grow
from quercus.growing.recipe import Recipe
from quercus.growing.reference import grow_reference

Target = ClassTarget | np.ndarray


def table(n_rows: int, levels: int, gaps: float, kind: str) -> tuple[Dataset, Target]:
    """Six numeric columns of so many values each, and a target that depends on three of them."""
    random = np.random.default_rng([n_rows, levels, int(100 * gaps)])
    cells = random.integers(0, levels, (n_rows, 6)) / 8
    score = cells[:, 0] * cells[:, 1] / levels + np.sin(cells[:, 2]) + random.normal(size=n_rows) / 4
    cells[random.random(cells.shape) < gaps] = np.nan
    if kind == "numbers":
        return encode(cells), score
    if kind == "two scales":  # most nodes hold numbers that differ by very little of the whole range
        return encode(cells), np.where(random.random(n_rows) < 0.001, 1e15, 1.0) + 1e-9 * score
    n_classes = int(kind)
    codes = np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))
    return encode(cells), ClassTarget(np.arange(n_classes), codes.astype(np.int32))


def recipe_of(target: Target, missing: str, **limits: int | None) -> Recipe:
    """CART with bins."""
    criterion = "gini" if isinstance(target, ClassTarget) else "squared_error"
    return cart_recipe(criterion, missing=missing, max_bins=255, **limits)


KINDS = ["2", "5", "numbers", "two scales"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("leaves", [None, 60])
@pytest.mark.parametrize(("gaps", "missing"), [(0.0, "own_value"), (0.05, "own_value"), (0.05, "most_common")])
def test_trees_by_bins_depend_on_no_speed_up_and_no_thread(
    kind: str, leaves: int | None, gaps: float, missing: str
) -> None:
    dataset, target = table(4000, 3000, gaps, kind)
    recipe = recipe_of(target, missing, max_leaf_nodes=leaves)
    usual = grow(dataset, target, recipe)
    for name in ("rebase", "siblings", "streaming", "wide", "constants"):
        assert difference(usual, grow(dataset, target, recipe, switches=SWITCHES[name])) is None, name
    for n_jobs in (2, 3):
        other = grow(dataset, target, recipe, n_jobs=n_jobs)
        assert usual == other, usual.first_difference(other)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("gaps", [0.0, 0.05])
def test_a_bin_for_every_number_gives_the_tree_of_the_reference(kind: str, gaps: float) -> None:
    dataset, target = table(700, 100, gaps, kind)
    recipe = recipe_of(target, "own_value", max_depth=5)
    exact = cart_recipe(recipe.criterion, missing="own_value", max_depth=5)
    expected = grow_reference(dataset, target, exact)
    assert difference(expected, grow(dataset, target, recipe)) is None
    assert difference(expected, grow(dataset, target, recipe, switches=SWITCHES["rebase"])) is None


def test_gains_by_exact_sums_do_not_depend_on_the_order_of_rows() -> None:
    dataset, target = table(3000, 40, 0.0, "numbers")
    assert isinstance(target, np.ndarray)
    recipe = recipe_of(target, "own_value", max_depth=1)
    backwards = Dataset(dataset.schema, tuple(np.ascontiguousarray(c[::-1]) for c in dataset.columns), dataset.n_rows)
    one, other = grow(dataset, target, recipe), grow(backwards, np.ascontiguousarray(target[::-1]), recipe)
    assert one.threshold[0] == other.threshold[0]
    assert one.gain[0] == pytest.approx(other.gain[0], rel=1e-14)

"""Each speed-up of the core can be switched off: the same tree. Any number of threads: the same tree, bit for bit."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from oracle.same_tree import difference
from oracle.tables import Case, huge_case, large_case, numeric_case, random_case

from quercus.data import ClassTarget, Dataset, encode
from quercus.growing.cart import cart_recipe
from quercus.growing.grow import SWITCHES, grow
from quercus.tree.tree import Tree

KINDS = {"random": random_case, "numeric": numeric_case, "large": large_case, "huge": huge_case}
CASES = [
    *[("random", seed) for seed in range(5000, 5100)],
    *[("numeric", seed) for seed in range(5000, 5040)],
    *[("large", seed) for seed in range(100, 116)],
    *[("huge", seed) for seed in range(12)],
]
ALL = sum(SWITCHES.values())


@cache
def case_and_tree(kind: str, seed: int) -> tuple[Case, Tree]:
    case = KINDS[kind](seed)
    return case, grow(case.dataset, case.target, case.recipe, **case.arguments())


def grown(case: Case, switches: int, n_jobs: int) -> Tree:
    return grow(case.dataset, case.target, case.recipe, **case.arguments(), switches=switches, n_jobs=n_jobs)


def other_trees(switches: int) -> list[str]:
    """The cases that give another tree with these speed-ups off; sums may differ in the last bits, choices may not."""
    found = []
    for kind, seed in CASES:
        case, usual = case_and_tree(kind, seed)
        reason = difference(usual, grown(case, switches, n_jobs=1))
        if reason is not None:
            found.append(f"{kind}_case({seed}): {reason[:1000]}")
    return found


@pytest.mark.parametrize("name", sorted(SWITCHES))
def test_tree_is_the_same_without_this_speed_up(name: str) -> None:
    assert other_trees(SWITCHES[name]) == []


def test_tree_is_the_same_without_any_speed_up() -> None:
    assert other_trees(ALL) == []


def test_switches_are_single_bits() -> None:
    assert SWITCHES
    assert all(value > 0 and value & (value - 1) == 0 for value in SWITCHES.values())
    assert len(set(SWITCHES.values())) == len(SWITCHES)


@pytest.mark.parametrize(
    "switches",
    [0, SWITCHES["subtree_tasks"], pytest.param(ALL, marks=pytest.mark.slow)],
    ids=["fast", "attributes only", "plain"],
)
def test_two_threads_grow_the_tree_of_one(switches: int) -> None:
    found = []
    for kind, seed in CASES:
        case, usual = case_and_tree(kind, seed)
        one = grown(case, switches, n_jobs=1) if switches else usual
        two = grown(case, switches, n_jobs=2)
        if one != two:
            found.append(f"{kind}_case({seed}): {one.first_difference(two)}")
    assert found == []


def many_rows(n_rows: int, n_columns: int) -> tuple[Dataset, ClassTarget]:
    """Numbers, some of them equal, and three classes that depend on them."""
    random = np.random.default_rng(n_rows)
    cells = np.round(random.normal(size=(n_rows, n_columns)), 4)
    score = cells[:, 0] * cells[:, 1] + random.normal(size=n_rows)
    return encode(cells), ClassTarget(np.arange(3), np.digitize(score, [-1.0, 0.5]).astype(np.int32))


@pytest.mark.parametrize("bins", [None, 255])
def test_best_first_splits_ahead_of_its_turn_for_the_same_tree(bins: int | None) -> None:
    dataset, target = many_rows(30_000, 5)
    recipe = cart_recipe("gini", max_leaf_nodes=300, max_bins=bins)
    one = grow(dataset, target, recipe)
    assert one.n_leaves == 300
    for n_jobs in (2, 3):
        for switches in (0, SWITCHES["ahead"]):
            two = grow(dataset, target, recipe, n_jobs=n_jobs, switches=switches)
            assert one == two, one.first_difference(two)


def test_lists_too_long_for_the_cache_are_divided_alike() -> None:
    dataset, target = many_rows(270_000, 3)
    recipe = cart_recipe("entropy", max_depth=6)
    one = grow(dataset, target, recipe)
    for switches, n_jobs in ((SWITCHES["wide"], 1), (0, 2), (SWITCHES["subtree_tasks"], 2)):
        two = grow(dataset, target, recipe, n_jobs=n_jobs, switches=switches)
        assert one == two, one.first_difference(two)

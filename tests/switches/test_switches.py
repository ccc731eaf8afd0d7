"""Each speed-up of the core can be switched off, and any number of threads may work: the same tree, bit for bit."""

from __future__ import annotations

from functools import cache

import pytest
from oracle.tables import Case, large_case, random_case

from quercus.growing.grow import SWITCHES, grow
from quercus.tree.tree import Tree

SMALL, LARGE = range(5000, 5060), range(100, 112)
CASES = [("small", seed) for seed in SMALL] + [("large", seed) for seed in LARGE]
ALL = sum(SWITCHES.values())


@cache
def case_and_tree(size: str, seed: int) -> tuple[Case, Tree]:
    case = random_case(seed) if size == "small" else large_case(seed)
    return case, grow(case.dataset, case.target, case.recipe, **case.arguments())


def differences(switches: int, n_jobs: int) -> list[str]:
    """The cases whose tree is another one with these speed-ups off or this number of threads."""
    found = []
    for size, seed in CASES:
        case, usual = case_and_tree(size, seed)
        tree = grow(case.dataset, case.target, case.recipe, **case.arguments(), switches=switches, n_jobs=n_jobs)
        if tree != usual:
            found.append(f"{size} case {seed}: {usual.first_difference(tree)}")
    return found


@pytest.mark.parametrize("name", sorted(SWITCHES))
def test_tree_is_the_same_without_this_speed_up(name: str) -> None:
    assert differences(SWITCHES[name], n_jobs=1) == []


def test_tree_is_the_same_without_any_speed_up() -> None:
    assert differences(ALL, n_jobs=1) == []


def test_switches_are_single_bits() -> None:
    assert SWITCHES and all(value > 0 and value & (value - 1) == 0 for value in SWITCHES.values())
    assert len(set(SWITCHES.values())) == len(SWITCHES)


@pytest.mark.parametrize("switches", [0, ALL], ids=["fast", "plain"])
def test_two_threads_grow_the_tree_of_one(switches: int) -> None:
    assert differences(switches, n_jobs=2) == []

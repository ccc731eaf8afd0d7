"""With constraints the core and the reference grow the same tree, whatever the switches and threads."""

from __future__ import annotations

import numpy as np
import pytest
from oracle.same_tree import assert_same_tree
from oracle.tables import Case, cube_case, large_case
from oracle.test_parity import FIRST_SEED, most_slow

from constraints.cases import constrained, constrained_case, random_sets, random_wishes
from quercus.growing.grow import SWITCHES, grow
from quercus.growing.reference.grower import grow_reference

CHUNKS, CASES = 24, 100


def check(case: Case) -> int:
    """Compare the two growers on one case; return the size of the tree."""
    expected = grow_reference(case.dataset, case.target, case.recipe, **case.arguments())
    actual = grow(case.dataset, case.target, case.recipe, **case.arguments())
    assert_same_tree(expected, actual, str(case))
    return actual.n_nodes


@pytest.mark.parametrize("chunk", most_slow(CHUNKS, 4))
def test_core_and_reference_grow_the_same_tree(chunk: int) -> None:
    first = FIRST_SEED + chunk * CASES
    sizes = [check(constrained_case(seed)) for seed in range(first, first + CASES)]
    assert sum(size > 1 for size in sizes) > CASES / 3, "many random tables should give a tree that asks something"


@pytest.mark.parametrize("number", most_slow(24, 6))
def test_core_and_reference_grow_the_same_tree_on_larger_tables(number: int) -> None:
    check(constrained_case(FIRST_SEED + number, large_case))


@pytest.mark.parametrize("number", range(40))
def test_ties(number: int) -> None:
    """Every combination of a few values: answers are tied with each other and with bounds."""
    random = np.random.default_rng([number, 8])
    case = cube_case(random, f"cube_case of {number}")
    wishes = random_wishes(random, case)
    sets = random_sets(random, len(case.dataset.schema))
    check(Case(case.made_by, case.dataset, case.target, constrained(case.recipe, wishes, sets), case.weights))


@pytest.mark.parametrize("number", range(30))
def test_neither_switches_nor_threads_change_the_tree(number: int) -> None:
    case = constrained_case(FIRST_SEED + number, large_case)
    plain = grow(case.dataset, case.target, case.recipe, **case.arguments())
    switches = int(np.random.default_rng(number).integers(0, sum(SWITCHES.values()) + 1))
    other = grow(case.dataset, case.target, case.recipe, **case.arguments(), switches=switches, n_jobs=2)
    assert_same_tree(plain, other, f"{case}\nswitches {switches}")

"""With constraints the core and the reference grow the same tree, whatever the switches and threads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from long_tail import most_slow
from oracle.same_tree import assert_same_tree
from oracle.tables import Case, cube_case, large_case, numeric_case, random_case
from oracle.test_parity import FIRST_SEED

from constraints.cases import constrained, constrained_case, random_sets, random_wishes
from quercus.growing.cart import cart_recipe
from quercus.growing.forest import Sampling, grow_forest
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


@pytest.mark.parametrize("number", most_slow(60, 20))
def test_both_growers_of_forests_give_the_same_trees(number: int) -> None:
    """Ranks that all trees share, and the general grower on the drawn rows."""
    random = np.random.default_rng([number, 9])
    case = constrained_case(FIRST_SEED + number, [random_case, large_case, numeric_case][number % 3])
    criterion = "squared_error" if case.recipe.is_regression else case.recipe.criterion
    recipe = replace(
        cart_recipe(criterion, min_samples_leaf=int(random.integers(1, 4))),
        monotonic_cst=case.recipe.monotonic_cst,
        interaction_cst=case.recipe.interaction_cst,
        max_leaf_nodes=[None, 9][number % 2],
    )
    n_attributes = len(case.dataset.schema)
    sampling = Sampling(
        bootstrap=["with", "without", "no"][number % 3],
        attributes_per_node=int(random.integers(1, n_attributes + 1)),
        constant_attributes=["redraw", "count"][number // 2 % 2],
    )
    arguments = {"weights": case.weights} if number % 4 == 0 else {}
    grown = [
        grow_forest(case.dataset, case.target, recipe, sampling, 4, seed=number, switches=switches, **arguments)
        for switches in (0, SWITCHES["rank_columns"])
    ]
    for tree in range(4):
        assert_same_tree(grown[0].tree(tree), grown[1].tree(tree), f"{case}\ntree {tree}")

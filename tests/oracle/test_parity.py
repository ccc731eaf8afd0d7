"""The core and the reference grower give the same tree, on thousands of random tables per run.

QUERCUS_ORACLE_SEED moves the range of seeds, for runs on other tables.
"""

from __future__ import annotations

import os

import pytest
from long_tail import most_slow

from oracle.same_tree import assert_same_tree
from oracle.tables import Case, large_case, numeric_case, random_case
from quercus.growing.grow import grow
from quercus.growing.reference.grower import grow_reference

FIRST_SEED = int(os.environ.get("QUERCUS_ORACLE_SEED", "0"))
CHUNKS, CASES = 20, 150


def check(case: Case) -> int:
    """Compare the two growers on one case; return the size of the tree."""
    expected = grow_reference(case.dataset, case.target, case.recipe, **case.arguments())
    actual = grow(case.dataset, case.target, case.recipe, **case.arguments())
    assert_same_tree(expected, actual, str(case))
    assert (expected.criterion, expected.empty_leaf) == (actual.criterion, actual.empty_leaf), case.made_by
    assert expected.classes == actual.classes, case.made_by
    return actual.n_nodes


@pytest.mark.parametrize("chunk", most_slow(CHUNKS, 5))
def test_core_and_reference_grow_the_same_tree(chunk: int) -> None:
    first = FIRST_SEED + chunk * CASES
    sizes = [check(random_case(seed)) for seed in range(first, first + CASES)]
    assert sum(size > 1 for size in sizes) > CASES / 2, "most random tables should give a tree that asks something"


@pytest.mark.parametrize("number", most_slow(48, 10))
def test_core_and_reference_grow_the_same_tree_on_larger_tables(number: int) -> None:
    check(large_case(FIRST_SEED + number))


@pytest.mark.parametrize("chunk", most_slow(CHUNKS, 4))
def test_core_and_reference_grow_the_same_tree_on_numeric_tables(chunk: int) -> None:
    """The data of the fastest scan, with every criterion, selection and limit."""
    for seed in range(FIRST_SEED + chunk * 10, FIRST_SEED + chunk * 10 + 10):
        check(numeric_case(seed))

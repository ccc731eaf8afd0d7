"""Rows go down a grown tree the way they went while it grew, whatever the policy for unknown values."""

from __future__ import annotations

import numpy as np
import pytest
from long_tail import most_slow
from oracle.tables import random_case

from quercus.data import ClassTarget
from quercus.growing.grow import grow
from quercus.predict import predict_distribution, tally


@pytest.mark.parametrize("start", most_slow(range(0, 600, 200), 1))
def test_the_tally_of_the_training_rows_is_what_the_tree_holds(start: int) -> None:
    """Except for class_most_common, which looks at the class while growing."""
    compared = 0
    for seed in range(start, start + 200):
        case = random_case(seed)
        if case.recipe.missing == "class_most_common" or (case.weights is not None and not case.weights.sum() > 0):
            continue
        tree = grow(case.dataset, case.target, case.recipe, **case.arguments())
        sums = tally(tree, case.dataset, case.target, case.weights)
        if isinstance(case.target, ClassTarget):
            assert np.allclose(sums, tree.value, rtol=1e-9, atol=1e-9), str(case)
        else:
            assert np.allclose(sums[:, 0], tree.weight, rtol=1e-9, atol=1e-9), str(case)
            full = tree.weight > 0
            assert np.allclose(sums[full, 1], tree.value[full, 1], rtol=1e-7, atol=1e-9), str(case)
            scale = 1.0 + np.abs(tree.value[0, 2])
            assert np.allclose(sums[full, 2], tree.value[full, 2], rtol=1e-6, atol=1e-9 * scale), str(case)
        assert np.allclose(predict_distribution(tree, case.dataset).sum(axis=1), 1) or tree.is_regression
        compared += 1
    assert compared > 100

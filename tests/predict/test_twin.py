"""The core routes, adds up and tallies exactly as the plain-Python twin does, on random trees and rows."""

from __future__ import annotations

import numpy as np
import pytest

from predict import twin
from predict.random_trees import random_rows, random_schema, random_tree
from quercus.data import ClassTarget
from quercus.predict import apply, decision_path, expected_test_cost, predict_distribution, predict_value, tally

# Style of the attributes, what unknown values do, share of unknown values, share of float32 columns, rows. Few rows
# take the plain path of the core, more rows the packed ones; only float32, only float64 and mixed columns differ there.
SETTINGS = [
    ("numbers", "spread", 0.0, 1.0, 50),
    ("numbers", "any", 0.2, 1.0, 50),
    ("numbers", "child", 0.3, 1.0, 45),
    ("numbers", "any", 0.2, 0.0, 40),
    ("numbers", "any", 0.05, 0.5, 60),
    ("codes", "any", 0.2, 0.0, 50),
    ("mixed", "any", 0.0, 0.5, 40),
    ("mixed", "any", 0.2, 0.5, 50),
    ("mixed", "spread", 0.6, 0.5, 33),
    ("mixed", "any", 0.2, 0.5, 5),
    ("numbers", "any", 0.2, 0.5, 1),
]
TREES = 150  # for each setting


@pytest.mark.parametrize("setting", range(len(SETTINGS)))
def test_routes_and_sums_are_those_of_the_twin(setting: int) -> None:
    """Distributions and leaves agree bit for bit; paths, costs and class sums to rounding."""
    style, policy, unknown, narrow, n_rows = SETTINGS[setting]
    for seed in range(TREES):
        random = np.random.default_rng([setting, seed])
        schema = random_schema(random, style)
        tree = random_tree(random, schema, policy)
        rows = random_rows(random, schema, n_rows, unknown, narrow)
        routes = twin.all_reached(tree, rows)
        where = f"setting {setting}, seed {seed}"
        values = tree.distributions()
        assert np.array_equal(predict_distribution(tree, rows), twin.distributions(routes, values)), where
        assert apply(tree, rows).tolist() == twin.leaves(routes), where
        dense = np.zeros((n_rows, tree.n_nodes))
        for r, route in enumerate(routes):
            for node, weight, _ in route:
                dense[r, node] = weight
        assert np.array_equal(decision_path(tree, rows, weights=True).toarray(), dense), where
        assert np.array_equal(decision_path(tree, rows).toarray(), dense > 0), where
        assert np.allclose(expected_test_cost(tree, rows), twin.test_costs(tree, routes), rtol=1e-12, atol=1e-12), where
        codes = random.integers(0, 3, n_rows).astype(np.int32)
        weights = random.choice([0.0, 1.0, 2.5], n_rows)
        target = ClassTarget(np.array(["a", "b", "c"]), codes)
        sums = twin.class_sums(tree, routes, codes, weights)
        assert np.allclose(tally(tree, rows, target, weights), sums, rtol=1e-12, atol=1e-13), where


def test_numbers_are_predicted_and_tallied_as_by_the_twin() -> None:
    """Regression: the weighted mean of the leaves; weight, mean and squared deviation of each node."""
    for seed in range(200):
        random = np.random.default_rng([99, seed])
        schema = random_schema(random, "mixed")
        tree = random_tree(random, schema, n_classes=0)
        rows = random_rows(random, schema, 40)
        routes = twin.all_reached(tree, rows)
        assert np.array_equal(predict_value(tree, rows), twin.distributions(routes, tree.distributions())[:, 0])
        target = random.normal(1e6, 1.0, 40)
        weights = random.choice([0.0, 1.0, 2.5], 40)
        expected = twin.moments(tree, routes, target, weights)
        assert np.allclose(tally(tree, rows, target, weights), expected, rtol=1e-9, atol=1e-6), seed


def test_threads_change_nothing() -> None:
    """1, 2 and 3 threads: the same bits, everywhere."""
    for style in ("numbers", "mixed"):
        random = np.random.default_rng(5)
        schema = random_schema(random, style)
        tree = random_tree(random, schema, most_nodes=200)
        rows = random_rows(random, schema, 9_000)
        target = ClassTarget(np.array(["a", "b", "c"]), random.integers(0, 3, 9_000).astype(np.int32))
        weights = random.random(9_000)
        one = [
            predict_distribution(tree, rows),
            apply(tree, rows),
            decision_path(tree, rows, weights=True).toarray(),
            expected_test_cost(tree, rows),
            tally(tree, rows, target, weights),
        ]
        for n_jobs in (2, 3, -1):
            more = [
                predict_distribution(tree, rows, n_jobs=n_jobs),
                apply(tree, rows, n_jobs),
                decision_path(tree, rows, n_jobs, weights=True).toarray(),
                expected_test_cost(tree, rows, n_jobs),
                tally(tree, rows, target, weights, n_jobs),
            ]
            assert all(np.array_equal(a, b) for a, b in zip(one, more, strict=True))
        assert (
            predict_distribution(tree, rows).tobytes()
            == twin.distributions(twin.all_reached(tree, rows), tree.distributions()).tobytes()
        )

"""Sizes are checked before they are multiplied and numbers before they are compared: an error, no crash, no hang."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quercus import CARTClassifier, RandomForestClassifier, _core
from quercus.data import encode
from quercus.data.costs import are_costs
from quercus.errors import ParameterError
from quercus.growing.cart import cart_recipe
from quercus.growing.grow import grow
from quercus.predict.arguments import core_arguments

FUZZ = Path(__file__).parents[1] / "fuzz" / "fuzz_bindings.py"
SAMPLING = {
    "bootstrap": "with",
    "n_drawn": 3,
    "attributes_per_node": 1,
    "attributes_per_tree": 0,
    "count_constant": False,
    "attribute_bootstrap": False,
    "random_thresholds": False,
    "seed": 0,
}


def leaf() -> tuple[Any, ...]:
    """The arrays of a tree that is one leaf: it reads no column, so nothing but n_rows says how many rows there are."""
    tree = grow(encode({"x": [1.0, 1.0]}), np.array([1.0, 2.0]), cart_recipe("squared_error"))
    return tuple(core_arguments(tree, encode({"x": [1.0, 1.0]})))


@pytest.mark.parametrize("n_rows", [2**59, 2**60 + 1, 2**61, 2**63 - 1])
def test_more_rows_than_memory_has_addresses_are_refused(n_rows: int) -> None:
    tree = _core.CompactTree(leaf()[0], 0)
    calls = [
        lambda: tree.predict_values((), n_rows, np.zeros((1, 16)), 1),
        lambda: tree.predict_codes((), n_rows, np.zeros((1, 16)), np.zeros(1, dtype=np.int64), 1),
        lambda: tree.find_leaves((), n_rows, 1),
        lambda: tree.find_paths((), n_rows, False, 1),
        lambda: tree.expected_test_costs((), n_rows, np.zeros(0), 1),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="too large"):
            call()


def packed_trees(n: int = 2) -> list[tuple[Any, ...]]:
    X = np.arange(40.0).reshape(20, 2)
    model = RandomForestClassifier(n_estimators=n, random_state=0).fit(X, np.arange(20) % 2)
    kept: list[Any] = []

    class Recorder:
        def __getattr__(self, name: str) -> Any:
            return (
                (lambda *given: kept.append(given) or _core.predict_forest(*given))
                if name == "predict_forest"
                else getattr(_core, name)
            )

    from quercus.predict import forest

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forest, "_core", Recorder())
        model.predict(X)
    return list(kept[0])


@pytest.mark.parametrize(("n_rows", "words"), [(0, "no rows"), (2**32, "n_rows must be"), (-1, "n_rows must be")])
def test_rows_of_a_draw_are_counted_before_they_are_drawn(n_rows: int, words: str) -> None:
    given = packed_trees()
    columns = tuple(np.zeros(max(n_rows, 0) if n_rows < 99 else 0) for _ in given[1])
    with pytest.raises(ValueError, match=words):
        _core.predict_forest(given[0], columns, n_rows, given[3], given[4], given[5], SAMPLING, [0, 1], 1)


@pytest.mark.parametrize(("n_rows", "n_drawn"), [(0, 3), (5, 0), (5, 2**32 - 1), (2**31 - 1, 3)])
def test_a_draw_of_impossible_size_is_refused(n_rows: int, n_drawn: int) -> None:
    with pytest.raises(ValueError, match=r"rows|n_drawn"):
        _core.drawn_counts({**SAMPLING, "n_drawn": n_drawn}, 0, n_rows)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -1.0, 1e308])
def test_costs_that_cannot_be_added_up_are_refused_before_rules_are_ordered(wrong: float) -> None:
    covers = (np.array([0, 2, 4]), np.array([0, 1, 1, 2], dtype=np.int32))
    labels, rules = np.array([0, 1, 1], dtype=np.int32), np.array([0, 1], dtype=np.int32)
    costs = np.array([0.0, 1.0, 1.0, 0.0])
    order, _, _ = _core.order_rules(covers, rules, labels, 2, None, np.array([0.1, 0.2]), costs)
    assert sorted(order.tolist()) in ([0], [0, 1], [1])
    costs[1] = wrong
    with pytest.raises(ValueError, match="costs must be numbers from 0 to 1e100"):
        _core.order_rules(covers, rules, labels, 2, None, np.array([0.1, 0.2]), costs)
    if not np.isfinite(wrong):
        with pytest.raises(ValueError, match="rank must be a finite number"):
            _core.order_rules(covers, rules, labels, 2, None, np.array([wrong, 0.2]), np.zeros(4))


@pytest.mark.parametrize("wrong", [1e101, 1e308, float("inf"), float("nan"), -1.0])
def test_costs_have_a_limit_that_the_error_names(wrong: float) -> None:
    assert not are_costs(wrong)
    X, y = np.arange(8.0).reshape(-1, 1), np.array([0, 0, 1, 0, 1, 1, 0, 1])
    with pytest.raises(ParameterError, match=r"cost_matrix.*from 0 to 1e\+100"):
        CARTClassifier(cost_matrix=[[0, wrong], [1, 0]]).fit(X, y)
    with pytest.raises(ParameterError, match=r"attribute_costs.*from 0 to 1e\+100"):
        CARTClassifier(attribute_costs=[wrong]).fit(X, y)


def test_the_largest_costs_give_finite_answers() -> None:
    X, y = np.arange(8.0).reshape(-1, 1), np.array([0, 0, 1, 0, 1, 1, 0, 1])
    model = CARTClassifier(cost_matrix=[[0, 1e100], [1e100, 0]], max_depth=1).fit(X, y)
    assert np.array_equal(model.predict(X), CARTClassifier(max_depth=1).fit(X, y).predict(X))


def test_every_binding_refuses_or_answers_mutated_calls() -> None:
    run = subprocess.run(
        [sys.executable, str(FUZZ), "--last", "400", "--seconds", "600"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr[-3000:]
    assert "no finding" in run.stdout

"""Error-based pruning: its figures by hand, the core against the plain form on random trees, properties, refusals."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from long_tail import most_slow
from oracle.tables import Case, large_case, random_case, random_classes, random_column, random_weights

from pruning.error_based_reference import error_based_reference
from quercus.data import ClassTarget, Dataset, encode, encode_classes
from quercus.data.schema import Attribute, Schema
from quercus.datasets import load_play_tennis
from quercus.errors import DataError, ParameterError
from quercus.growing.c45 import c45_recipe
from quercus.growing.cart import cart_recipe
from quercus.growing.grow import grow
from quercus.predict.tally import tally
from quercus.pruning.error_based import (
    added_errors,
    error_based,
    estimated_errors,
    exact_deviate,
    tabled_deviate,
)
from quercus.pruning.result import Pruned
from quercus.tree.tree import Tree

CHUNKS = 10
PRESETS = ("c45", "r8", "j48")


# The estimate


def test_figures_of_r8() -> None:
    np.testing.assert_allclose(
        added_errors([16, 6, 2], [1, 0, 1], preset="r8"), [1.5069, 1.2378, 0.7962], rtol=0, atol=5e-5
    )


def test_deviates() -> None:
    assert tabled_deviate(0.25) == pytest.approx(0.6925)
    assert [tabled_deviate(c) for c in (0.001, 0.05, 0.4, 1.0)] == [3.09, 1.65, 0.25, 0.0]
    assert exact_deviate(0.25) == pytest.approx(0.67448975)
    assert exact_deviate(0.8) == 0.0


@pytest.mark.parametrize("preset", PRESETS)
def test_estimate_is_continuous_at_one_error_and_exact_without_errors(preset: Any) -> None:
    n = np.array([2.0, 3.5, 10.0, 1000.0])
    below, at = added_errors(n, 1 - 1e-12, preset=preset), added_errors(n, 1.0, preset=preset)
    np.testing.assert_allclose(below, at, atol=1e-9)
    np.testing.assert_allclose(added_errors(n, 0.0, preset=preset), n * (1 - 0.25 ** (1 / n)))
    assert added_errors(0.0, 0.0, preset=preset) == 0.0


def test_presets_differ_where_nearly_all_are_errors() -> None:
    assert added_errors(3.0, 2.6, preset="c45") == pytest.approx(0.67 * 0.4)
    assert added_errors(3.0, 2.6, preset="r8") == pytest.approx(0.67 * 0.4)
    assert added_errors(3.0, 2.6, preset="j48") == pytest.approx(0.4)
    part = {preset: float(added_errors(0.5, 0.25, preset=preset)) for preset in PRESETS}
    assert part["r8"] < part["c45"] == pytest.approx(part["j48"])


def test_less_confidence_expects_more() -> None:
    expected = [float(added_errors(20, 3, confidence=c)) for c in (0.5, 0.25, 0.1, 0.01, 0.001)]
    assert expected == sorted(expected)


# The core against the plain form


def wavy_case(seed: int) -> Case:
    """A noisy table with gaps, and a tree that is far too large for it: much to raise."""
    random = np.random.default_rng([seed, 11])
    n_rows = int(random.integers(15, 90))
    columns = [random_column(random, f"x{i}", n_rows) for i in range(int(random.integers(2, 6)))]
    schema = Schema(tuple(attribute for attribute, _ in columns))
    dataset = Dataset(schema, tuple(cells for _, cells in columns), n_rows)
    recipe = replace(c45_recipe(min_objects=1, value_groups=bool(seed % 3 == 0)), collapse="no", min_cut=False)
    recipe = replace(recipe, threshold_cost=False, gate=False)
    weights = random_weights(random, n_rows) if seed % 4 == 0 else None
    return Case(f"wavy_case({seed})", dataset, random_classes(random, dataset), recipe, weights)


def without_values(dataset: Dataset) -> Dataset:
    """The same rows, all of it unknown."""
    columns = [np.full_like(cells, -1 if cells.dtype == np.int32 else np.nan) for cells in dataset.columns]
    return Dataset(dataset.schema, tuple(columns), dataset.n_rows)


def options(seed: int) -> dict[str, Any]:
    random = np.random.default_rng([seed, 12])
    return {
        "preset": str(random.choice(PRESETS)),
        "confidence": float(random.choice([0.01, 0.1, 0.25, 0.5])),
        "raising": bool(random.random() < 0.85),
    }


def assert_same(core: Pruned, plain: Pruned, case: Case) -> None:
    assert core.tree.first_difference(plain.tree, 1e-9) is None, case
    assert [(r.node, r.action) for r in core.removals] == [(r.node, r.action) for r in plain.removals], case
    for mine, other in zip(core.removals, plain.removals, strict=True):
        assert mine.figures == pytest.approx(other.figures, abs=1e-8), case
    assert core.table == pytest.approx(plain.table, abs=1e-8), case


def assert_sound(tree: Tree, pruned: Pruned, dataset: Dataset, case: Case, chosen: dict[str, Any]) -> None:
    """What holds of every result."""
    assert pruned.tree.n_nodes <= tree.n_nodes
    assert bool(pruned.removals) == (pruned.tree.n_nodes < tree.n_nodes), case
    reached = tally(pruned.tree, dataset, case.target, case.weights)
    np.testing.assert_allclose(pruned.tree.value, reached, atol=1e-9, err_msg=str(case))
    np.testing.assert_allclose(pruned.tree.weight, reached.sum(axis=1), atol=1e-9)
    again = error_based(pruned.tree, dataset, case.target, weights=case.weights, **chosen)
    assert again.removals == () and again.tree == pruned.tree, case


def compare(case: Case, seed: int) -> Counter[str]:
    """Prune with the core and plainly, and say what happened."""
    tree = grow(case.dataset, case.target, case.recipe, **case.arguments())
    dataset = without_values(case.dataset) if seed % 25 == 0 else case.dataset
    chosen = options(seed)
    core = error_based(tree, dataset, case.target, weights=case.weights, **chosen)
    plain = error_based_reference(tree, dataset, case.target, weights=case.weights, **chosen)
    assert_same(core, plain, case)
    if dataset is case.dataset:
        assert_sound(tree, core, dataset, case, chosen)
    seen = Counter({action: 1 for action in {removal.action for removal in core.removals}})
    return seen + Counter(cases=1, kept=int(not core.removals))


@pytest.mark.parametrize("chunk", most_slow(CHUNKS, 3))
def test_core_is_the_plain_form_on_random_trees(chunk: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(chunk, 1000, CHUNKS):
        case = random_case(seed)
        if isinstance(case.target, ClassTarget):
            seen += compare(case, seed)
    assert seen["cases"] > 50 and seen["leaf"] > 10 and seen["kept"] > 10


@pytest.mark.parametrize("chunk", most_slow(CHUNKS, 3))
def test_core_is_the_plain_form_where_much_is_raised(chunk: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(chunk, 500, CHUNKS):
        seen += compare(wavy_case(seed), seed)
    assert seen["cases"] == 50 and seen["raised"] >= 4 and seen["leaf"] > 10


@pytest.mark.parametrize("seed", [2, 3, 5, 6, 10, 12])
def test_core_is_the_plain_form_on_larger_trees(seed: int) -> None:
    case = large_case(seed)
    if not isinstance(case.target, ClassTarget) or case.dataset.n_rows > 1500:
        pytest.skip("numbers, or too many rows for the plain form")
    compare(case, seed)


# What a result says


def test_play_tennis_stays() -> None:
    X, y = load_play_tennis()
    dataset, target = encode(X), encode_classes(y)
    tree = grow(dataset, target, c45_recipe())
    pruned = error_based(tree, dataset, target)
    assert pruned.tree == tree and pruned.removals == ()


def test_a_branch_is_raised_with_all_examples() -> None:
    """The first question sends two examples away, which the other branch would have answered rightly."""
    z = np.array([0.0, 1.0] + [0.0] * 20 + [1.0] * 20)
    dataset = encode({"x": [0.0] * 2 + [1.0] * 40, "z": z})
    target = encode_classes(np.where(z == 0, "a", "b").tolist())
    arrays = {
        "kind": np.array([1, 0, 1, 0, 0]),
        "attribute": np.array([0, 0, 1, 0, 0]),
        "threshold": np.array([0.5, np.nan, 0.5, np.nan, np.nan]),
        "first_child": np.array([1, 0, 3, 0, 0]),
        "n_children": np.array([2, 0, 2, 0, 0]),
        "missing_child": np.full(5, -1),
        "weight": np.array([42.0, 2.0, 40.0, 20.0, 20.0]),
        "count": np.array([42, 2, 40, 20, 20]),
        "gain": np.array([0.1, 0, 1, 0, 0]),
        "value": np.array([[21.0, 21.0], [1.0, 1.0], [20.0, 20.0], [20.0, 0.0], [0.0, 20.0]]),
    }
    tree = Tree.from_arrays(arrays, dataset.schema, target.classes, criterion="entropy")
    assert error_based(tree, dataset, target, raising=False).tree == tree
    pruned = error_based(tree, dataset, target)
    (removal,) = pruned.removals
    assert (removal.node, removal.action) == (0, "raised")
    without_errors = [n * (1 - 0.25 ** (1 / n)) for n in (20, 21)]
    assert dict(removal.figures) == pytest.approx(
        {
            "cases": 42.0,
            "leaf": 21 + float(added_errors(42, 21)),
            "subtree": 1 + float(added_errors(2, 1)) + 2 * without_errors[0],
            "branch": 2 * without_errors[1],
        }
    )
    assert pruned.tree.value.tolist() == [[21, 21], [21, 0], [0, 21]]
    assert pruned.tree.weight.tolist() == pruned.tree.count.tolist() == [42, 21, 21]
    assert pruned.tree.attribute[0] == 1 and pruned.tree.gain[0] == 1


def test_weight_two_is_the_row_twice() -> None:
    case = wavy_case(1)
    twice = Dataset(
        case.dataset.schema, tuple(np.repeat(cells, 2) for cells in case.dataset.columns), 2 * case.dataset.n_rows
    )
    target = case.target
    assert isinstance(target, ClassTarget)
    doubled = replace(target, codes=np.repeat(target.codes, 2))
    tree = grow(case.dataset, target, case.recipe)
    by_weight = error_based(tree, case.dataset, target, weights=np.full(case.dataset.n_rows, 2.0))
    by_rows = error_based(tree, twice, doubled)
    assert [(r.node, r.action) for r in by_weight.removals] == [(r.node, r.action) for r in by_rows.removals]
    np.testing.assert_allclose(by_weight.tree.value, by_rows.tree.value)


def test_rows_of_weight_zero_do_not_count() -> None:
    case = wavy_case(2)
    weights = np.ones(case.dataset.n_rows)
    weights[::3] = 0.0
    tree = grow(case.dataset, case.target, case.recipe, weights=weights)
    assert isinstance(case.target, ClassTarget)
    kept = weights > 0
    some = Dataset(case.dataset.schema, tuple(cells[kept] for cells in case.dataset.columns), int(kept.sum()))
    all_rows = error_based(tree, case.dataset, case.target, weights=weights)
    assert all_rows.tree == error_based(tree, some, replace(case.target, codes=case.target.codes[kept])).tree


def test_the_estimate_is_that_of_the_result() -> None:
    case = wavy_case(7)
    tree = grow(case.dataset, case.target, case.recipe)
    pruned = error_based(tree, case.dataset, case.target)
    assert pruned.table["estimated errors"] == pytest.approx(estimated_errors(pruned.tree))
    assert pruned.table["estimated errors before"] == pytest.approx(estimated_errors(tree))


# Hard inputs


def chain(depth: int) -> tuple[Tree, Dataset, ClassTarget]:
    """A tree in which every question has a leaf and the next question below it; one example per leaf."""
    n = 2 * depth + 1
    inner = np.arange(n) % 2 == 0
    inner[-1] = False
    level = np.arange(n) // 2
    x = np.arange(depth + 1, dtype=np.float64)
    codes = (np.arange(depth + 1) % 2).astype(np.int32)
    schema = Schema((Attribute("x", "numeric"),))
    arrays = {
        "kind": inner.astype(np.uint8),
        "attribute": np.zeros(n, dtype=np.int32),
        "threshold": np.where(inner, level + 0.5, np.nan),
        "first_child": np.where(inner, np.arange(n) + 1, 0),
        "n_children": np.where(inner, 2, 0),
        "missing_child": np.full(n, -1),
        "weight": np.ones(n),
        "count": np.ones(n, dtype=np.int64),
        "gain": np.zeros(n),
        "value": np.ones((n, 2)),
    }
    tree = Tree.from_arrays(arrays, schema, ("even", "odd"), criterion="entropy")
    return tree, Dataset(schema, (x,), len(x)), ClassTarget(classes=np.array(["even", "odd"]), codes=codes)


def test_a_tree_ten_thousand_questions_deep() -> None:
    tree, dataset, target = chain(10_000)
    weights = np.full(dataset.n_rows, 50.0)
    pruned = error_based(tree, dataset, target, weights=weights)
    assert pruned.removals == () and pruned.tree.depth == 10_000
    assert pruned.tree.weight[0] == 50 * dataset.n_rows and pruned.tree.value[1].tolist() == [50, 0]
    one_class = replace(target, codes=np.zeros_like(target.codes))
    assert error_based(tree, dataset, one_class).tree.n_nodes == 1


def test_a_deep_tree_of_unknown_values() -> None:
    tree, dataset, target = chain(300)
    pruned = error_based(tree, without_values(dataset), target)
    assert pruned.tree.n_nodes == 1 and pruned.tree.value[0].sum() == pytest.approx(dataset.n_rows)


def test_single_node_one_class_and_all_missing() -> None:
    dataset = encode({"x": [np.nan, np.nan, np.nan], "n": [None, None, None]}, kinds={"x": "numeric", "n": "nominal"})
    for labels in (["a", "a", "a"], ["a", "b", "a"]):
        target = encode_classes(labels)
        tree = grow(dataset, target, c45_recipe())
        assert tree.n_nodes == 1
        pruned = error_based(tree, dataset, target)
        assert pruned.tree == tree and pruned.removals == ()


def test_refusals() -> None:
    dataset, target = encode({"x": [1.0, 2.0, 3.0]}), encode_classes(["a", "b", "a"])
    tree = grow(dataset, target, cart_recipe())
    for confidence in (0.0, -1.0, 1.5, float("nan"), "much", True):
        with pytest.raises(ParameterError, match="confidence"):
            error_based(tree, dataset, target, confidence=confidence)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"j48.*0\.5"):
        error_based(tree, dataset, target, preset="j48", confidence=0.6)
    with pytest.raises(ParameterError, match="preset"):
        error_based(tree, dataset, target, preset="c4.5")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="weight 0"):
        error_based(tree, dataset, target, weights=[0, 0, 0])
    with pytest.raises(DataError, match="weights"):
        error_based(tree, dataset, target, weights=[1, 1])
    with pytest.raises(DataError, match=r"2 entries.*3 rows"):
        error_based(tree, dataset, encode_classes(["a", "b"]))
    with pytest.raises(DataError, match="encode_classes"):
        error_based(tree, dataset, np.array([0, 1, 0]))
    with pytest.raises(DataError, match="does not know"):
        error_based(tree, dataset, encode_classes(["a", "c", "a"]))
    numbers = grow(dataset, np.array([1.0, 2.0, 5.0]), cart_recipe("squared_error"))
    with pytest.raises(ParameterError, match="numbers"):
        error_based(numbers, dataset, target)

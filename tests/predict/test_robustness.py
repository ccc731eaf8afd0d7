"""No arrays crash the interpreter, deep and wide trees work, empty tables give empty answers, Ctrl-C stops the work."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

import numpy as np
import pytest
from tree.build import build, cut, leaf, schema_of

from predict import twin
from predict.random_trees import random_rows, random_schema, random_tree
from quercus import _core
from quercus.data import Attribute, ClassTarget, Dataset, Schema, encode_classes
from quercus.errors import DataError, ParameterError
from quercus.predict import apply, decision_path, expected_test_cost, predict_distribution, predict_value, tally
from quercus.tree import Tree


def core_arrays(tree: Tree) -> dict[str, np.ndarray]:
    """Copies of the arrays that the core reads, in its order."""
    return {name: np.array(getattr(tree, name)) for name in _core.predict_arrays}


def call_everything(arrays: dict[str, Any], columns: tuple[Any, ...], n_rows: int) -> None:
    """Call every function of the core with these arrays."""
    tree = _core.CompactTree(tuple(arrays.values()), len(columns))
    n_nodes, given = len(arrays["kind"]), (columns, n_rows)
    sparse = np.arange(n_nodes + 1), np.zeros(n_nodes, dtype=np.int32), np.ones(n_nodes)
    calls = [
        lambda: tree.predict_values(*given, np.zeros((n_nodes, 2)), 1),
        lambda: tree.predict_codes(*given, np.zeros((n_nodes, 2)), np.arange(n_nodes), 1),
        lambda: tree.predict_sparse(*given, *sparse, 2, 1),
        lambda: tree.find_leaves(*given, 1),
        lambda: tree.find_paths(*given, True, 1),
        lambda: tree.expected_test_costs(*given, np.ones(len(columns)), 1),
        lambda: tree.tally_classes(*given, np.zeros(n_rows, dtype=np.int32), 2, None, 1),
        lambda: tree.tally_numbers(*given, np.zeros(n_rows), None, 2),
    ]
    for call in calls:
        call()


HOSTILE = [-(2**31), -1000, -2, -1, 0, 1, 2, 3, 5, 100, 2**31 - 1]


@pytest.mark.parametrize("n_rows", [1, 3, 64])
def test_no_entry_of_a_tree_can_crash_the_core(n_rows: int) -> None:
    """One to three wrong entries anywhere: a ValueError, or an answer; never a crash."""
    refused = 0
    for seed in range(500):
        random = np.random.default_rng([n_rows, seed])
        schema = random_schema(random, "mixed")
        arrays = core_arrays(random_tree(random, schema))
        columns = random_rows(random, schema, n_rows).columns
        for _ in range(int(random.integers(1, 4))):
            name = str(random.choice([name for name, array in arrays.items() if len(array)]))
            entry = int(random.integers(len(arrays[name])))
            if arrays[name].dtype == np.float64:
                arrays[name][entry] = random.choice([np.nan, np.inf, -np.inf, -1.0, 1e308, 5e-324])
            else:
                bad = int(random.choice(HOSTILE)) * (
                    2**31 if arrays[name].dtype == np.int64 and random.random() < 0.3 else 1
                )
                arrays[name][entry] = bad % 256 if arrays[name].dtype == np.uint8 else bad
        try:
            call_everything(arrays, columns, n_rows)
        except ValueError as error:
            refused += 1
            assert "tree array" in str(error) or "attribute" in str(error) or "column" in str(error), str(error)
    assert refused > 150


def test_codes_outside_the_domain_are_unknown() -> None:
    """Codes beyond the declared values, and below −1, are never used as an index."""
    random = np.random.default_rng(3)
    for _ in range(100):
        schema = random_schema(random, "codes")
        tree = random_tree(random, schema)
        wild = tuple(random.choice(np.array(HOSTILE, dtype=np.int32), 50) for _ in schema)
        rows = Dataset(schema, wild, 50)
        routes = twin.all_reached(tree, rows)
        assert apply(tree, rows).tolist() == twin.leaves(routes)
        assert apply(tree, Dataset(schema, tuple(c[:3] for c in wild), 3)).tolist() == twin.leaves(routes[:3])


def two_leaves() -> tuple[Tree, dict[str, Any], tuple[np.ndarray, ...]]:
    """A small tree, its arrays and two rows."""
    tree = build(cut("x", 1.0, leaf([2, 0]), leaf([0, 1])), schema_of(x="numeric", y=("a", "b")), ["a", "b"])
    return tree, core_arrays(tree), (np.array([0.0, 2.0]), np.array([0, 1], dtype=np.int32))


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("kind", np.zeros((3, 1), np.uint8), "tree array kind must be a C-contiguous uint8 array of one dimension"),
        ("kind", np.zeros(0, np.uint8), "at least its root"),
        ("kind", [1, 0, 0], "got an object of type list"),
        ("kind", None, "got an object of type NoneType"),
        ("attribute", np.zeros(3, np.int64), "int32 array of one dimension, length 3; got a int64"),
        ("attribute", np.zeros(2, np.int32), "length 3"),
        ("attribute", np.array([2, 0, 0], np.int32), "2 is not one of 2 attributes"),
        ("attribute", np.array([1, 0, 0], np.int32), "column 1 must be a C-contiguous float64"),
        ("threshold", np.zeros(6)[::2], "C-contiguous"),
        ("threshold", np.full(3, np.nan), "must not be NaN"),
        ("first_child", np.array([0, 0, 0], np.int32), "must follow their parent"),
        ("first_child", np.array([2, 0, 0], np.int32), "below n_nodes"),
        ("missing_child", np.array([2, -1, -1], np.int32), "child position"),
        ("weight", np.array([1, -1, 1.0]), "0 or more"),
        ("group_start", np.array([0, 0, 0, 5]), "must be 0, the length"),
        ("surrogate_start", np.array([0, 1, 0, 0]), "not be less"),
    ],
)
def test_wrong_arrays_are_named(name: str, array: Any, message: str) -> None:
    """The message says which array, where, and what is allowed."""
    _, arrays, columns = two_leaves()
    arrays[name] = array
    with pytest.raises(ValueError, match=message):
        _core.CompactTree(tuple(arrays.values()), 2).find_leaves(columns, 2, 1)


@pytest.mark.parametrize(("second", "message"), [(1, "child of 2 nodes, not of one"), (4, "child of 0 nodes")])
def test_every_node_has_one_parent(second: int, message: str) -> None:
    """Shared children would make a spreading row take exponentially many ways, so they are refused."""
    schema = schema_of(x="numeric")
    tree = build(cut("x", 1.0, cut("x", 0.0, leaf([1, 0]), leaf([0, 1])), leaf([0, 1])), schema, ["a", "b"])
    arrays = core_arrays(tree)
    n = len(arrays["kind"])
    arrays["kind"][2], arrays["threshold"][2], arrays["n_children"][2] = 1, 0.0, 2
    arrays["first_child"][2] = 3  # nodes 1 and 2 now share their children
    if second == 4:  # and now node 3 has no parent
        arrays["kind"][1:3], arrays["n_children"][1:3], arrays["first_child"][1:3] = 0, 0, 0
    assert n == 5
    with pytest.raises(ValueError, match=message):
        _core.CompactTree(tuple(arrays.values()), 1)


def test_thresholds_meet_float32_values_exactly() -> None:
    """Thresholds between, at and beyond the float32 numbers, against the same numbers as float64."""
    near = np.float32(0.1)
    edges = [near, np.nextafter(near, np.float32(1)), np.finfo(np.float32).max, np.finfo(np.float32).tiny, 1e-45, 0.0]
    values = np.array([sign * edge for edge in edges for sign in (1, -1)] + [np.inf, -np.inf], dtype=np.float32)
    cuts = np.unique(
        np.concatenate([values[:-2].astype(np.float64), [1e300, -1e300, 0.1, -0.1, 3.4028235677973366e38]])
    )
    cuts = np.unique(np.concatenate([cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf)]))
    schema = schema_of(x="numeric")
    x = np.tile(values, 5)  # enough rows for the packed form
    for t in cuts:
        tree = build(cut("x", float(t), leaf([2, 0]), leaf([0, 1])), schema, ["a", "b"])
        expected = np.where(x.astype(np.float64) <= t, 1, 2)
        assert np.array_equal(apply(tree, Dataset(schema, (x,), len(x))), expected), t
        assert np.array_equal(apply(tree, Dataset(schema, (x.astype(np.float64),), len(x))), expected), t


def test_wrong_arguments_are_named() -> None:
    """Columns, values, labels, weights, costs and threads are checked too."""
    _, arrays, columns = two_leaves()
    given = tuple(arrays.values())
    tree = _core.CompactTree(given, 2)
    with pytest.raises(ValueError, match="18 arrays; got 3"):
        _core.CompactTree(given[:3], 2)
    with pytest.raises(ValueError, match="n_attributes must be 0 to"):
        _core.CompactTree(given, -1)
    with pytest.raises(ValueError, match="made for 2 columns; got 1"):
        tree.find_leaves(columns[:1], 2, 1)
    with pytest.raises(ValueError, match="float32 or float64 array of 2 rows and 2 columns; got a int64"):
        tree.find_leaves(np.zeros((2, 2), dtype=np.int64), 2, 1)
    with pytest.raises(ValueError, match="places must be"):
        tree.predict_sparse(columns, 2, np.array([0, 0, 0, 1]), np.array([2], np.int32), np.ones(1), 2, 1)
    with pytest.raises(ValueError, match="starts, entry 3: must be 1"):
        tree.predict_sparse(columns, 2, np.array([0, 0, 0, 2]), np.array([1], np.int32), np.ones(1), 2, 1)
    with pytest.raises(ValueError, match="node_codes must be"):
        tree.predict_codes(columns, 2, np.zeros((3, 2)), np.zeros(3), 1)
    with pytest.raises(ValueError, match="column 0 must be a C-contiguous float64 array of one dimension, length 5"):
        tree.find_leaves(columns, 5, 1)
    with pytest.raises(ValueError, match="n_rows must be 0 or more"):
        tree.find_leaves(columns, -1, 1)
    with pytest.raises(ValueError, match="n_threads must be between 1 and 1024; got 0"):
        tree.find_leaves(columns, 2, 0)
    with pytest.raises(
        ValueError, match="node_values must be a C-contiguous float64 array of two dimensions, length 3"
    ):
        tree.predict_values(columns, 2, np.zeros((2, 2)), 1)
    with pytest.raises(ValueError, match="labels must be 0 to n_classes - 1 = 1; row 1 has 2"):
        tree.tally_classes(columns, 2, np.array([0, 2], np.int32), 2, None, 1)
    with pytest.raises(ValueError, match="weights must be finite"):
        tree.tally_classes(columns, 2, np.array([0, 1], np.int32), 2, np.array([1.0, np.nan]), 1)
    with pytest.raises(ValueError, match="target must be finite"):
        tree.tally_numbers(columns, 2, np.array([0, np.inf]), None, 1)
    with pytest.raises(ValueError, match="attribute_costs"):
        tree.expected_test_costs(columns, 2, np.zeros(3), 1)
    with pytest.raises(TypeError):
        _core.CompactTree(list(given), 2)


def test_a_compact_tree_cannot_be_changed() -> None:
    """It has memory of its own: other numbers in the arrays change nothing, and it is made only once."""
    _, arrays, columns = two_leaves()
    tree = _core.CompactTree(tuple(arrays.values()), 2)
    before = tree.find_leaves(columns, 2, 1)
    for array in arrays.values():
        array[...] = 77
    assert np.array_equal(tree.find_leaves(columns, 2, 1), before)
    with pytest.raises((RuntimeError, TypeError)):
        tree.__init__(tuple(arrays.values()), 2)
    with pytest.raises(TypeError):
        _core.CompactTree.__new__(_core.CompactTree).find_leaves(columns, 2, 1)


def test_the_python_layer_advises() -> None:
    """Rows of another schema, wrong targets and wrong parameters."""
    tree, _, columns = two_leaves()
    rows = Dataset(tree.schema, columns, 2)
    other = Schema((Attribute("x", "numeric"), Attribute("y", "nominal", ("b", "a"))))
    with pytest.raises(DataError, match="encode_like"):
        apply(tree, Dataset(other, columns, 2))
    with pytest.raises(DataError, match="1 attributes, but the tree was grown with 2"):
        apply(tree, Dataset(Schema((Attribute("x", "numeric"),)), columns[:1], 2))
    same = Schema(tuple(Attribute(a.name, a.kind, a.values, cost=7.0) for a in tree.schema))
    assert apply(tree, Dataset(same, columns, 2)).tolist() == [1, 2]
    with pytest.raises(ParameterError, match="n_jobs is 0"):
        apply(tree, rows, n_jobs=0)
    with pytest.raises(ParameterError, match="one row for each of the 3 nodes"):
        predict_distribution(tree, rows, np.zeros((2, 2)))
    with pytest.raises(ParameterError, match="Use predict_distribution"):
        predict_value(tree, rows)
    with pytest.raises(DataError, match="does not know"):
        tally(tree, rows, encode_classes(["a", "z"]))
    with pytest.raises(DataError, match="encode_classes"):
        tally(tree, rows, np.zeros(2))
    with pytest.raises(DataError, match="one entry for each of the 2 rows"):
        tally(tree, rows, encode_classes(["a", "a"]), weights=[1.0])
    assert tally(tree, rows, encode_classes(["b", "b"])).tolist() == [[0, 2], [0, 1], [0, 1]]


def test_no_rows_give_empty_answers() -> None:
    """Zero rows, and a tree that asks nothing of a table without columns."""
    tree, _, columns = two_leaves()
    none = Dataset(tree.schema, tuple(column[:0] for column in columns), 0)
    assert predict_distribution(tree, none).shape == (0, 2)
    assert apply(tree, none).shape == (0,)
    assert decision_path(tree, none).shape == (0, 3)
    assert expected_test_cost(tree, none).shape == (0,)
    assert tally(tree, none, ClassTarget(np.array(["a", "b"]), np.zeros(0, np.int32))).tolist() == [[0, 0]] * 3
    lone = build(leaf([1, 3]), Schema(()), ["a", "b"])
    rows = Dataset(Schema(()), (), 100)
    assert predict_distribution(lone, rows).tolist() == [[0.25, 0.75]] * 100
    assert decision_path(lone, rows).sum() == 100
    assert expected_test_cost(lone, rows).tolist() == [0.0] * 100


def chain(depth: int) -> Tree:
    """x <= 0, else x <= 1, else …: a leaf at every step."""
    n = 2 * depth + 1
    test = np.arange(n) % 2 == 0
    test[-1] = False
    arrays = {
        "kind": test.astype(np.uint8),
        "attribute": np.zeros(n, np.int32),
        "threshold": np.where(test, np.arange(n) // 2, np.nan),
        "first_child": np.where(test, np.arange(n) + 1, 0).astype(np.int32),
        "n_children": np.where(test, 2, 0).astype(np.int32),
        "missing_child": np.full(n, -1, np.int32),
        "weight": np.where(test, depth + 1 - np.arange(n) // 2, 1.0),
        "count": np.ones(n, np.int64),
        "gain": np.zeros(n),
        "value": np.ones((n, 2)),
    }
    return Tree.from_arrays(arrays, Schema((Attribute("x", "numeric", cost=2.0),)), ["a", "b"], criterion="gini")


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_chain_of_5000_tests(dtype: type) -> None:
    """Known values reach their leaf, an unknown one all 5,001, in equal parts, without recursion."""
    tree = chain(5_000)
    x = np.concatenate([np.arange(-1, 5_001), [np.nan]]).astype(dtype)
    rows = Dataset(tree.schema, (x,), len(x))
    found = apply(tree, rows)
    steps = np.clip(np.arange(-1, 5_001), 0, None)
    assert np.array_equal(found[:-1], np.where(steps < 5_000, 2 * steps + 1, 10_000))
    few = Dataset(tree.schema, (x[-3:],), 3)
    assert np.array_equal(apply(tree, few), found[-3:])
    weights = decision_path(tree, few, weights=True)[2].toarray()[0]
    assert np.allclose(weights[tree.kind == 0], 1 / 5_001, rtol=1e-9)
    assert np.allclose(expected_test_cost(tree, rows), 2.0)


def test_a_nominal_of_100000_values() -> None:
    """A multiway test with 100,000 branches, and a grouped one above it, with few rows and with many."""
    n = 100_000
    schema = Schema((Attribute("city", "nominal", tuple(range(n))),))
    random = np.random.default_rng(0)
    total = n + 3
    groups = random.integers(-1, 2, n).astype(np.int32)
    arrays: dict[str, Any] = {
        "kind": np.zeros(total, np.uint8),
        "attribute": np.zeros(total, np.int32),
        "threshold": np.full(total, np.nan),
        "first_child": np.zeros(total, np.int32),
        "n_children": np.zeros(total, np.int32),
        "missing_child": np.full(total, -1, np.int32),
        "weight": np.ones(total),
        "count": np.ones(total, np.int64),
        "gain": np.zeros(total),
        "value": np.ones((total, 2)),
        "group_start": np.concatenate([[0], np.full(total, n)]).astype(np.int64),
        "group_child": groups,
    }
    arrays["kind"][:2], arrays["first_child"][:2], arrays["n_children"][:2] = (3, 2), (1, 3), (2, n)
    arrays["weight"][3:] = random.random(n) < 0.5
    arrays["weight"][2] = 3.0
    tree = Tree.from_arrays(arrays, schema, ["a", "b"], criterion="entropy")
    codes = random.integers(0, n, 20_000).astype(np.int32)
    for size in (20, 20_000):
        rows = Dataset(schema, (codes[:size],), size)
        expected = np.where(groups[codes[:size]] == 0, 3 + codes[:size], 2)
        expected[groups[codes[:size]] < 0] = 2  # spread: three quarters to leaf 2, the rest goes on to one branch
        assert np.array_equal(apply(tree, rows), expected)


def test_many_attributes() -> None:
    """A tree that tests 3,000 attributes answers as the twin does."""
    schema = Schema(tuple(Attribute(f"x{i}", "numeric") for i in range(3_000)))
    random = np.random.default_rng(1)
    tree = random_tree(random, schema, most_nodes=5_000)
    rows = random_rows(random, schema, 700)
    routes = twin.all_reached(tree, Dataset(schema, tuple(c[:30] for c in rows.columns), 30))
    assert apply(tree, rows)[:30].tolist() == twin.leaves(routes)


def full_tree(depth: int) -> Tree:
    """A full binary tree; a row of unknown values reaches every node."""
    n = 2 ** (depth + 1) - 1
    schema = Schema((Attribute("x", "numeric"),))
    kind, first, stack, made = np.zeros(n, np.uint8), np.zeros(n, np.int32), [(0, 0)], 1
    while stack:
        node, level = stack.pop()
        if level < depth:
            kind[node], first[node] = 1, made
            stack += [(made + 1, level + 1), (made, level + 1)]
            made += 2
    arrays = {
        "kind": kind,
        "attribute": np.zeros(n, np.int32),
        "threshold": np.where(kind == 1, 0.0, np.nan),
        "first_child": first,
        "n_children": 2 * kind.astype(np.int32),
        "missing_child": np.full(n, -1, np.int32),
        "weight": np.ones(n),
        "count": np.ones(n, np.int64),
        "gain": np.zeros(n),
        "value": np.ones((n, 2)),
    }
    return Tree.from_arrays(arrays, schema, ["a", "b"], criterion="gini")


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals reach the main thread")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_stops_a_long_prediction(n_jobs: int) -> None:
    """Hours of work are stopped; the next call works."""
    tree = full_tree(15)
    rows = Dataset(tree.schema, (np.full(2_000_000, np.nan),), 2_000_000)
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            predict_distribution(tree, rows, n_jobs=n_jobs)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, previous)
    few = Dataset(tree.schema, (np.array([-1.0, 1.0]),), 2)
    assert predict_distribution(tree, few).tolist() == [[0.5, 0.5]] * 2

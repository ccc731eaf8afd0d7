"""Reduced-error pruning: against every pruning, against a plain loop, and by its own promises."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from tree.build import build, large_arrays, leaf, schema_of
from tree.build import cut as ask

from pruning.cases import (
    count_prunings,
    cut,
    errors_by_predicting,
    grown_case,
    inner_nodes,
    paths,
    prunings,
    random_case,
)
from quercus.data import ClassTarget, Dataset, encode, encode_classes, encode_like
from quercus.datasets import load_play_tennis
from quercus.errors import DataError, ParameterError
from quercus.growing.cart import cart_recipe
from quercus.growing.grow import grow
from quercus.growing.id3 import id3_recipe
from quercus.predict import predict_distribution, predict_value, tally
from quercus.pruning import reduced_error
from quercus.tree import Tree, renumbered


def test_both_orders_give_the_same_tree_and_no_further_cut_keeps_its_accuracy() -> None:
    pruned_some = 0
    for seed in range(600):
        tree, rows, target = random_case(seed)
        best, upwards = (reduced_error(tree, rows, target, order=order) for order in ("best_first", "bottom_up"))
        assert best.tree == upwards.tree, seed
        before, after = errors_by_predicting(tree, rows, target), errors_by_predicting(best.tree, rows, target)
        assert after <= before, seed
        further = [cut(best.tree, [node]) for node in inner_nodes(best.tree)] if seed % 3 == 0 else []
        assert all(errors_by_predicting(one, rows, target) > after for one in further), seed
        pruned_some += 1 < best.tree.n_nodes < tree.n_nodes
    assert pruned_some > 50


def test_the_result_is_the_smallest_of_the_most_accurate_of_all_prunings() -> None:
    looked_at = 0
    for seed in range(1000, 1200):
        tree, rows, target = random_case(seed, most_nodes=14)
        if not 1 < count_prunings(tree) <= 100:
            continue
        looked_at += 1
        all_trees = [cut(tree, way) for way in prunings(tree)]
        best = min((errors_by_predicting(one, rows, target), one.n_nodes) for one in all_trees)
        found = reduced_error(tree, rows, target).tree
        assert (errors_by_predicting(found, rows, target), found.n_nodes) == best, seed
    assert looked_at > 60


def test_rows_that_follow_several_branches_count_by_their_parts() -> None:
    for seed in range(200):
        tree, rows, target = random_case(seed, unknown=0.3, policy="any")
        results = [reduced_error(tree, rows, target, order=order) for order in ("best_first", "bottom_up", "greedy")]
        assert results[0].tree == results[1].tree, seed
        before, after, _ = (result.table["after"]["errors"] for result in (results[2], results[0], results[1]))
        assert after <= before + 1e-9 <= results[0].table["before"]["errors"] + 2e-9, seed
        again = reduced_error(results[0].tree, rows, target)
        assert again.tree == results[0].tree, seed
        assert again.table["before"]["errors"] == pytest.approx(after, abs=1e-9), seed


def _plain_greedy(tree: Tree, rows: Dataset, target: ClassTarget) -> list[int]:
    """As taught, by tallies: try every question, take the best (ties: larger, then lower number) until all harm."""
    reached, labels = tally(tree, rows, target), tree.labels()
    wrong = reached.sum(axis=1) - reached[np.arange(tree.n_nodes), labels]
    cuts: list[int] = []
    while True:
        gone = {d for v in cuts for d in range(tree.first_child[v], tree.descendants_end[v])}
        alive = [v for v in range(tree.n_nodes) if v not in gone]
        leaves = [v for v in alive if not tree.kind[v] or v in cuts]
        choices = []
        for v in alive:
            if tree.kind[v] and v not in cuts:
                inside = range(tree.first_child[v], tree.descendants_end[v])
                gain = sum(wrong[u] for u in leaves if u in inside) - wrong[v]
                choices.append((-gain, -sum(u in inside for u in alive), v))
        if not choices or min(choices)[0] > 0:
            return cuts
        cuts.append(min(choices)[2])


def test_greedy_makes_the_cuts_of_the_plain_loop() -> None:
    worse = 0
    for seed in range(200):
        tree, _, _, rows, target = grown_case(seed, n_rows=40)
        greedy = reduced_error(tree, rows, target, order="greedy")
        assert [step.node for step in greedy.sequence] == _plain_greedy(tree, rows, target), seed
        best = reduced_error(tree, rows, target)
        errors = errors_by_predicting(greedy.tree, rows, target)
        worse += errors > errors_by_predicting(best.tree, rows, target)
        assert errors <= errors_by_predicting(tree, rows, target)
    assert worse > 0


def test_the_largest_cut_first_can_take_two_better_ones_away() -> None:
    """Root: 3 errors saved at once; its two branches: 2 saved each, 4 together."""
    low = ask("y", 0, leaf([4, 0]), leaf([0, 3]))
    high = ask("y", 0, leaf([5, 0]), leaf([0, 6]))
    tree = build(ask("x", 0, low, high), schema_of(x="numeric", y="numeric"), ["a", "b"])
    x = [-1.0] * 2 + [1.0] * 4 + [-1.0] * 3
    y = [1.0] * 2 + [-1.0] * 4 + [1.0] * 3
    rows = encode_like({"x": x, "y": y}, tree.schema)
    target = encode_classes(["a"] * 2 + ["b"] * 4 + ["a"] * 3)
    best, greedy = reduced_error(tree, rows, target), reduced_error(tree, rows, target, order="greedy")
    assert errors_by_predicting(best.tree, rows, target) == 0
    assert errors_by_predicting(greedy.tree, rows, target) > 0 and greedy.tree.n_nodes == 1


@pytest.mark.parametrize("order", ["best_first", "bottom_up", "greedy"])
def test_the_sequence_tells_size_and_accuracy_after_each_cut(order: str) -> None:
    for seed in range(60):
        tree, _, _, rows, target = grown_case(seed, n_rows=60)
        result = reduced_error(tree, rows, target, order=order)
        done: list[int] = []
        last = result.table["before"]["accuracy"]
        for step in result.sequence:
            done.append(step.node)
            now = cut(tree, done)
            assert (step.n_nodes, step.n_leaves) == (now.n_nodes, now.n_leaves)
            assert step.figures["errors"] == pytest.approx(errors_by_predicting(now, rows, target), abs=1e-9)
            assert step.figures["accuracy"] >= last - 1e-12
            last = step.figures["accuracy"]
        assert cut(tree, done) == result.tree and result.table["after"]["accuracy"] == pytest.approx(last)
        gains = [step.figures["gain"] for step in result.sequence]
        assert order == "bottom_up" or gains == sorted(gains, reverse=True)


def test_every_node_that_went_has_a_reason_with_its_numbers() -> None:
    tree, _, _, rows, target = grown_case(3)
    result = reduced_error(tree, rows, target)
    kept = paths(result.tree)
    assert kept <= paths(tree)
    for node in tree.walk():
        here = tuple(step.text for step in node.path())
        why = result.why(node.id)
        assert (why is None) == (here in kept and why is None)
        if here not in kept:
            assert why is not None and why.figures["leaf"] <= why.figures["subtree"] + 1e-9 and why.reason


def test_d15_and_back_to_the_tree_of_the_lecture() -> None:
    X, y = load_play_tennis(d15=True)
    clean_X, clean_y = load_play_tennis()
    recipe = id3_recipe(selection="gain_ratio")
    lecture = grow(encode(clean_X), encode_classes(clean_y), recipe)
    noisy = grow(encode(X), encode_classes(y), recipe)
    assert noisy.n_nodes == 11 and lecture.n_nodes == 8
    assert paths(lecture) == paths(grow(encode(clean_X), encode_classes(clean_y), id3_recipe()))
    rows = encode_like(clean_X, noisy.schema)
    pruned = reduced_error(noisy, rows, encode_classes(clean_y))
    assert paths(pruned.tree) == paths(lecture)
    assert [leaf.label for leaf in pruned.tree.leaves()] == [leaf.label for leaf in lecture.leaves()]


def test_the_accuracy_on_all_days_there_could_be_rises_when_d15_is_pruned_away() -> None:
    X, y = load_play_tennis(d15=True)
    clean_X, clean_y = load_play_tennis()
    tree = grow(encode(X), encode_classes(y), id3_recipe(selection="gain_ratio"))
    lecture = grow(encode(clean_X), encode_classes(clean_y), id3_recipe())
    days = list(product(*(attribute.values for attribute in tree.schema)))
    truth = predict_distribution(lecture, encode_like(days, lecture.schema)).argmax(axis=1)
    target = ClassTarget(np.array(lecture.classes), truth.astype(np.int32))
    pruned = reduced_error(tree, encode_like(days, tree.schema), target)
    assert (pruned.table["before"]["errors"], pruned.table["after"]["errors"]) == (2.0, 0.0)
    assert paths(pruned.tree) == paths(lecture)


def test_costs_weights_and_unknown_values() -> None:
    for seed in range(40):
        tree, _, _, rows, target = grown_case(seed, unknown=0.2)
        weights = np.random.default_rng(seed).integers(0, 3, rows.n_rows).astype(float)
        weights[0] = 1.0
        copies = np.repeat(np.arange(rows.n_rows), weights.astype(int))
        repeated = reduced_error(tree, rows.take(copies), ClassTarget(target.classes, target.codes[copies]))
        weighed = reduced_error(tree, rows, target, weights=weights)
        assert weighed.tree == repeated.tree, seed
        ones = reduced_error(tree, rows, target, cost_matrix=1 - np.eye(3))
        assert ones.tree == reduced_error(tree, rows, target).tree
        dear = np.array([[0, 1, 1], [1, 0, 1], [50.0, 50, 0]])
        priced = reduced_error(tree, rows, target, cost_matrix=dear)
        assert priced.table["after"]["cost"] <= priced.table["before"]["cost"] + 1e-9
        assert priced.tree == reduced_error(tree, rows, target, cost_matrix=dear, order="bottom_up").tree


def test_regression_by_squared_error() -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=(400, 3))
    y = np.where(x[:, 0] > 0, 2.0, 0.0) + random.normal(size=400)
    data = encode(x)
    tree = grow(data.take(np.arange(200)), y[:200], cart_recipe("squared_error"))
    rows, truth = data.take(np.arange(200, 400)), y[200:]
    result = reduced_error(tree, rows, truth)
    assert (
        result.tree == reduced_error(tree, rows, truth, order="bottom_up").tree and result.tree.n_nodes < tree.n_nodes
    )

    def error(one: Tree) -> float:
        return float(((predict_value(one, rows) - truth) ** 2).sum())

    after = error(result.tree)
    assert after < error(tree) and result.table["after"]["squared error"] == pytest.approx(after)
    assert all(error(cut(result.tree, [v])) > after for v in inner_nodes(result.tree))
    with pytest.raises(ParameterError, match="cost_matrix"):
        reduced_error(tree, rows, truth, cost_matrix=[[0]])


def test_what_cannot_be_used_is_refused() -> None:
    tree, rows, target = random_case(5)
    with pytest.raises(ParameterError, match="best_first"):
        reduced_error(tree, rows, target, order="top_down")
    with pytest.raises(DataError, match="no validation rows"):
        reduced_error(tree, rows.take([]), ClassTarget(target.classes, target.codes[:0]))
    with pytest.raises(DataError, match="no weight"):
        reduced_error(tree, rows, target, weights=np.zeros(rows.n_rows))


@pytest.mark.parametrize("chain", [False, True])
@pytest.mark.parametrize("order", ["best_first", "bottom_up", "greedy"])
def test_a_hundred_thousand_nodes(order: str, chain: bool) -> None:
    arrays, schema = large_arrays(50_000, chain=chain)
    tree = Tree.from_arrays(renumbered(arrays), schema, ["No", "Yes"], criterion="entropy")
    random = np.random.default_rng(0)
    columns = {"a": random.normal(size=2000), "b": random.normal(size=2000)}
    rows = encode_like({**columns, "c": random.choice(["x", "y"], 2000), "d": random.choice(["p", "q"], 2000)}, schema)
    target = ClassTarget(np.array(["No", "Yes"]), random.integers(0, 2, 2000).astype(np.int32))
    result = reduced_error(tree, rows, target, order=order)
    assert result.tree.n_nodes < tree.n_nodes

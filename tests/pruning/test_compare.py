"""The table of all pruners, and every pruner on inputs at the edge of what a tree can be."""

from __future__ import annotations

import numpy as np
import pytest

from pruning.cases import cut, grown_case, paths
from quercus.data import ClassTarget, Dataset, encode, encode_classes, encode_like
from quercus.datasets import load_play_tennis
from quercus.errors import DataError, ParameterError, QuercusError
from quercus.growing.c45 import c45_recipe
from quercus.growing.cart import cart_recipe
from quercus.growing.grow import grow
from quercus.growing.id3 import id3_recipe
from quercus.growing.recipe import Recipe
from quercus.predict import label_codes, predict_distribution
from quercus.pruning import compare_pruning, keep_leaves, mdl, minimum_error, reduced_error
from quercus.pruning.compare import compared_methods
from quercus.tree import Tree

METHODS = compared_methods()
NUMBER_METHODS = {"unpruned", "same_prediction", "stop_by_validation", "reduced_error", "cost_complexity"}


def test_a_row_for_every_method_with_the_sizes_and_accuracies_of_its_tree() -> None:
    assert {"reduced_error", "error_based", "cost_complexity", "mdl", "minimum_error", "chi_square"} <= set(METHODS)
    for seed in range(8):
        tree, *sets = grown_case(seed, unknown=0.1 * (seed % 3))
        table = compare_pruning(tree, *sets, *sets[2:])
        assert [row.method for row in table] == list(METHODS) and table.measure == "accuracy"
        for row in table:
            small = row.pruned.tree
            assert (row.n_nodes, row.n_leaves, row.depth) == (small.n_nodes, small.n_leaves, small.depth)
            assert row.n_nodes <= tree.n_nodes and (row.method == "error_based" or paths(small) <= paths(tree))
            for score, data, target in ((row.training, *sets[:2]), (row.validation, *sets[2:])):
                assert score == pytest.approx(np.mean(label_codes(predict_distribution(small, data)) == target.codes))
            assert row.test == row.validation
        if seed % 3 == 0 and not (tree.missing_child[tree.kind > 0] < 0).any():
            assert table["reduced_error"].validation == max(
                row.validation for row in table if row.method != "error_based"
            )


def test_every_method_says_of_every_node_that_went_why() -> None:
    for seed in range(4):
        tree, *sets = grown_case(seed)
        for row in compare_pruning(tree, *sets):
            kept = paths(row.pruned.tree)
            for node in tree.walk():
                gone = tuple(step.text for step in node.path()) not in kept
                why = row.pruned.why(node.id)
                assert not gone or (why is not None and why.figures and any(c.isdigit() for c in why.reason)), (
                    row.method
                )
                assert row.method in ("error_based", "unpruned") or gone or why is None or why.node == node.id


def test_plain_tables_and_encoded_ones_give_the_same() -> None:
    X, y = load_play_tennis(d15=True)
    other_X, other_y = load_play_tennis()
    data, target = encode(X), encode_classes(y)
    tree = grow(data, target, c45_recipe())
    plain = compare_pruning(tree, X, y, other_X, list(other_y))
    encoded = compare_pruning(tree, data, target, encode_like(other_X, tree.schema), encode_classes(other_y))
    assert str(plain) == str(encoded)
    lines = str(plain).splitlines()
    assert len(lines) == len(METHODS) + 2 and "test" not in lines[1] and len({len(line) for line in lines[1:]}) == 1
    frame = plain.to_frame()
    assert list(frame.index) == list(METHODS) and frame.loc["mdl", "n_leaves"] == plain["mdl"].n_leaves
    with pytest.raises(KeyError, match="Did you mean 'mdl'"):
        plain["mdll"]


def test_choosing_methods_and_bringing_own_ones() -> None:
    tree, *sets = grown_case(4)
    assert [row.method for row in compare_pruning(tree, *sets, methods=("mdl", "unpruned"))] == ["mdl", "unpruned"]
    own = {"three leaves": lambda tree: keep_leaves(tree, 3), "a root": lambda tree: cut(tree, [0])}
    table = compare_pruning(tree, *sets, methods=own)
    assert table["three leaves"].n_leaves <= 3 and table["a root"].n_nodes == 1
    with pytest.raises(ParameterError, match="methods"):
        compare_pruning(tree, *sets, methods=["magic"])
    with pytest.raises(ParameterError, match="belong together"):
        compare_pruning(tree, *sets, sets[2])


def test_costs() -> None:
    tree, *sets = grown_case(5)
    costs = np.array([[0, 1, 1], [1, 0, 1], [9.0, 9, 0]])
    table = compare_pruning(tree, *sets, cost_matrix=costs)
    assert table.measure == "mean cost" and table["reduced_error"].validation <= table["unpruned"].validation
    answers = label_codes(predict_distribution(table["mdl"].pruned.tree, sets[2]), costs)
    assert table["mdl"].validation == pytest.approx(costs[sets[3].codes, answers].mean())


def test_numbers() -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=(200, 3))
    y = 2.0 * (x[:, 0] > 0) + random.normal(size=200)
    tree = grow(encode(x[:100]), y[:100], cart_recipe("squared_error"))
    table = compare_pruning(tree, x[:100], y[:100], x[100:], y[100:])
    assert {row.method for row in table} == NUMBER_METHODS and table.measure == "mean squared error"
    assert table["reduced_error"].validation < table["unpruned"].validation
    for prune in (mdl, minimum_error):
        with pytest.raises(ParameterError, match="predicts numbers"):
            prune(tree)
    with pytest.raises(ParameterError, match="predicts numbers"):
        compare_pruning(tree, x[:100], y[:100], x[100:], y[100:], methods=["mdl"])


def _table(n_rows: int, seed: int = 0) -> dict[str, list[object]]:
    random = np.random.default_rng(seed)
    return {
        "x": random.normal(size=n_rows).tolist(),
        "soil": random.choice(["clay", "sand", "peat"], n_rows).tolist(),
        "y": random.integers(0, 4, n_rows).astype(float).tolist(),
    }


RECIPES = [id3_recipe(), id3_recipe("threshold"), c45_recipe(), cart_recipe()]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_one_class_and_single_nodes(recipe: Recipe) -> None:
    data, target = encode(_table(20)), encode_classes(["only"] * 20)
    tree = grow(data, target, recipe)
    assert tree.n_nodes == 1
    table = compare_pruning(tree, data, target, data, target)
    assert all(row.n_nodes == 1 and row.training == 1.0 and not row.pruned.removals for row in table)
    two = encode_classes(["a", "b"] * 10)
    single = cut(grow(data, two, recipe), [0])
    assert all(row.pruned.tree == single for row in compare_pruning(single, data, two, data, two))


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_rows_without_any_value(recipe: Recipe) -> None:
    table = _table(60)
    target = encode_classes(["a", "b", "a", "a", "b", "b"] * 10)
    tree = grow(encode(table), target, recipe)
    missing = {name: [None] * 60 for name in table}
    result = compare_pruning(tree, table, target, missing, target)
    assert len({row.method for row in result}) == len(METHODS)
    assert all(0 <= row.validation <= 1 and row.n_nodes <= tree.n_nodes for row in result)
    unknown = encode(missing, kinds={"x": "numeric", "soil": "nominal", "y": "numeric"}, domains={"soil": ["clay"]})
    leaf = grow(unknown, target, recipe)
    assert leaf.n_nodes == 1
    assert all(row.n_nodes == 1 for row in compare_pruning(leaf, unknown, target, unknown, target))


def test_ten_thousand_nodes() -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=(24_000, 2))
    codes = random.integers(0, 3, 24_000).astype(np.int32)
    data = encode(x)

    def rows(first: int, last: int) -> tuple[Dataset, ClassTarget]:
        return data.take(np.arange(first, last)), ClassTarget(np.array(["a", "b", "c"]), codes[first:last])

    tree = grow(*rows(0, 16_000), cart_recipe())
    assert tree.n_nodes > 10_000
    table = compare_pruning(tree, *rows(0, 16_000), *rows(16_000, 20_000), *rows(20_000, 24_000))
    assert table["unpruned"].n_nodes == tree.n_nodes
    assert table["reduced_error"].n_nodes < tree.n_nodes / 3
    assert table["reduced_error"].validation > table["unpruned"].validation
    assert table["mdl"].n_leaves == 1


def test_rows_of_another_kind_are_refused() -> None:
    tree, rows, target, *_ = grown_case(0)
    strange = encode_classes(["z"] * rows.n_rows)
    with pytest.raises(DataError, match="'z'"):
        compare_pruning(tree, rows, target, rows, strange)
    with pytest.raises(QuercusError):
        reduced_error(tree, rows, target.codes.astype(float))


def test_the_tree_that_is_given_never_changes() -> None:
    tree, *sets = grown_case(6)
    copy = Tree.from_dict(tree.to_dict())
    compare_pruning(tree, *sets)
    assert tree == copy

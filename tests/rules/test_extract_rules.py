"""Rules from trees: they answer as the tree does, their conditions are the path's tests, their figures the tree's."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from calls import calls_of
from oracle.tables import Case, large_case, random_case

from quercus.data import ClassTarget, Dataset, encode, encode_classes
from quercus.data.schema import Attribute
from quercus.datasets import load_play_tennis
from quercus.errors import ParameterError
from quercus.growing.c45 import c45_recipe
from quercus.growing.cart import cart_recipe
from quercus.growing.grow import grow
from quercus.growing.id3 import id3_recipe
from quercus.predict import apply, label_codes, predict_distribution
from quercus.rules import Interval, Rule, RuleList, extract_rules, is_unknown
from quercus.tree import Tree
from quercus.tree.layout import LEAF

SEEDS = range(400)


def grown(case: Case) -> Tree:
    return grow(case.dataset, case.target, case.recipe, **case.arguments())


def rows_of(dataset: Dataset, seed: int, missing: float) -> Dataset:
    """New rows of the same schema: any declared value, numbers at, between and beyond those of the table."""
    random = np.random.default_rng(seed)
    columns = []
    for attribute, column in zip(dataset.schema, dataset.columns, strict=True):
        if attribute.kind in ("numeric", "date"):
            known = column[~np.isnan(column)]
            known = known if len(known) else np.zeros(1, dtype=column.dtype)
            jitter = random.choice(np.array([0.0, 0.0, 0.5, -1.0, 1.0], dtype=column.dtype), 60)
            cells = random.choice(known, 60) + jitter
        else:
            cells = random.integers(0, max(attribute.n_values, 1), 60).astype(column.dtype)
        cells[random.random(60) < missing] = np.nan if attribute.is_numeric else -1
        columns.append(cells)
    return Dataset(dataset.schema, tuple(columns), 60)


def answers(tree: Tree, dataset: Dataset) -> np.ndarray:
    shares = predict_distribution(tree, dataset)
    return shares[:, 0] if tree.classes is None else label_codes(shares)


def is_complete(tree: Tree, dataset: Dataset) -> np.ndarray:
    """Which rows meet no unknown value on their way: neither a missing cell nor a value without a branch."""
    result = np.ones(dataset.n_rows, dtype=bool)
    for row in range(dataset.n_rows):
        node = tree.root
        while not node.is_leaf:
            test, column = node.test, dataset.column(node.attribute.name)
            code = float(column[row])
            unknown = code != code or (not node.attribute.is_numeric and code < 0)
            branch = None if unknown else test.known_branch(code)
            if branch is None:
                result[row] = False
                break
            node = node.children[branch]
    return result


@pytest.mark.parametrize("seed", SEEDS[::4])
def test_a_rule_list_from_a_tree_answers_as_the_tree_does(seed: int) -> None:
    for part in range(4):
        case = random_case(seed + part)
        tree = grown(case)
        rules = RuleList.from_tree(tree)
        for dataset in (case.dataset, rows_of(case.dataset, seed, 0.0), rows_of(case.dataset, seed, 0.3)):
            np.testing.assert_allclose(rules.distribution(dataset), predict_distribution(tree, dataset), rtol=1e-12)
            np.testing.assert_allclose(rules.predict(dataset), answers(tree, dataset), rtol=1e-12, err_msg=str(case))
            leaf = np.array([rule.leaf for rule in rules.rules])
            fired, reached = rules.fired(dataset), apply(tree, dataset)
            stopped = tree.kind[reached] != LEAF
            assert np.array_equal(leaf[fired[~stopped]], reached[~stopped])


@pytest.mark.parametrize("seed", SEEDS[::5])
def test_unknown_values_fail_conditions_and_complete_rows_meet_their_leaf(seed: int) -> None:
    case = random_case(seed)
    tree = grown(case)
    rules = extract_rules(tree, keep_empty=True)
    for dataset in (case.dataset, rows_of(case.dataset, seed, 0.2)):
        complete, reached = is_complete(tree, dataset), apply(tree, dataset)
        for rule in rules:
            covers = rule.covers(dataset)
            assert np.array_equal(covers[complete], reached[complete] == rule.leaf)
            asked_unknown = [condition for condition in rule.conditions if condition == is_unknown(condition.attribute)]
            assert asked_unknown or not covers[~complete].any()


@pytest.mark.parametrize("seed", range(12))
def test_large_trees_too(seed: int) -> None:
    case = large_case(seed)
    tree = grown(case)
    rules = RuleList.from_tree(tree)
    np.testing.assert_allclose(
        rules.distribution(case.dataset), predict_distribution(tree, case.dataset), rtol=1e-12, atol=1e-300
    )


@pytest.mark.parametrize("seed", SEEDS[::7])
def test_merged_conditions_are_the_tests_of_the_path(seed: int) -> None:
    case = random_case(seed)
    tree = grown(case)
    dataset = rows_of(case.dataset, seed, 0.0)
    for rule in extract_rules(tree, keep_empty=True):
        expected = np.ones(dataset.n_rows, dtype=bool)
        for step in tree.node(rule.leaf).path():
            column = dataset.column(step.test.attribute.name)
            taken = [step.test.known_branch(float(code)) for code in column]
            expected &= np.array(taken) == np.array(step.branch, dtype=object)
        assert np.array_equal(rule.covers(dataset), expected), (rule, case)
        names = [condition.name for condition in rule.conditions]
        assert len(set(names)) == len(names)
        first_asked = dict.fromkeys(step.test.attribute.name for step in tree.node(rule.leaf).path())
        assert names == list(first_asked)


@pytest.mark.parametrize("seed", SEEDS[::9])
def test_figures_are_those_of_the_leaves(seed: int) -> None:
    tree = grown(random_case(seed))
    kept = extract_rules(tree)
    assert [rule.leaf for rule in kept] == [leaf.id for leaf in tree.leaves() if leaf.weight > 0]
    assert len(extract_rules(tree, keep_empty=True)) == tree.n_leaves
    for rule in kept:
        leaf = tree.node(rule.leaf)
        assert rule.label == (
            leaf.label if tree.classes is None else tree.classes[label_codes(leaf.distribution[None])[0]]
        )
        assert rule.covered == leaf.weight
        if tree.classes is None:
            assert rule.spread == leaf.spread
        else:
            assert rule.class_weights == tuple(leaf.class_weights)
            assert rule.correct == leaf.class_weights[rule.consequent]


def test_play_tennis_is_five_rules() -> None:
    X, y = load_play_tennis()
    tree = grow(encode(X), encode_classes(y), id3_recipe())
    assert {rule.text() for rule in extract_rules(tree)} == {
        "IF Outlook = Sunny AND Humidity = High THEN No (3, 1.00)",
        "IF Outlook = Sunny AND Humidity = Normal THEN Yes (2, 1.00)",
        "IF Outlook = Overcast THEN Yes (4, 1.00)",
        "IF Outlook = Rain AND Wind = Strong THEN No (2, 1.00)",
        "IF Outlook = Rain AND Wind = Weak THEN Yes (3, 1.00)",
    }


def test_dates_and_ordered_values_keep_their_names() -> None:
    table = {
        "day": np.array(["2024-01-01", "2024-01-02", "2024-02-01", "2024-03-01"], dtype="datetime64[D]"),
        "size": ["S", "M", "L", "L"],
    }
    data = encode(table, kinds={"size": "ordered"}, domains={"size": ["S", "M", "L", "XL"]})
    by_day = grow(data, encode_classes(["a", "a", "b", "a"]), cart_recipe())
    shown = [rule.text() for rule in extract_rules(by_day)]
    assert any("2024-01-17" in text for text in shown), shown
    only = Dataset(type(data.schema)((data.schema["size"],)), (data.column("size"),), 4)
    by_size = grow(only, encode_classes(["a", "b", "a", "a"]), cart_recipe())
    assert [rule.text(figures=False) for rule in extract_rules(by_size)] == [
        "IF size = S THEN a",
        "IF size = M THEN b",
        "IF size > M THEN a",
    ]


def test_an_own_value_of_missing_cells_becomes_a_condition() -> None:
    data = encode({"income": [1.0, 2.0, None, None, 3.0], "town": ["a", "b", None, None, "a"]})
    target = encode_classes(["x", "x", "y", "y", "x"])
    tree = grow(data, target, replace(cart_recipe(), missing="own_value"))
    rules = extract_rules(tree)
    assert [rule.text() for rule in rules] == [
        "IF income known THEN x (3, 1.00)",
        "IF income unknown THEN y (2, 1.00)",
    ]
    assert rules[1].covers(data).tolist() == [False, False, True, True, False]
    by_town = grow(data.take([0, 1, 2, 3, 4]), target, replace(id3_recipe(), missing="own_value", max_depth=1))
    assert "unknown" in " ".join(rule.text() for rule in extract_rules(by_town))


def test_the_branch_of_unknown_values_is_named_in_tree_mode() -> None:
    data = encode({"x": [1.0, 2.0, 3.0, None, 5.0]})
    tree = grow(data, encode_classes(["a", "a", "b", "b", "b"]), replace(cart_recipe(), missing="most_common"))
    rules = extract_rules(tree, unknown="tree")
    assert sum("or unknown" in rule.text() for rule in rules) == 1
    covered = np.sum([rule.covers(data) for rule in rules], axis=0)
    assert covered.tolist() == [1] * 5
    assert RuleList.from_tree(tree).tree is None


def test_costs_choose_the_class_of_a_leaf() -> None:
    data = encode({"x": [1.0] * 10})
    target = encode_classes(["ill"] * 2 + ["well"] * 8)
    tree = grow(data, target, cart_recipe())
    assert extract_rules(tree)[0].label == "well"
    costs = [[0, 10], [1, 0]]
    rule = extract_rules(tree, cost_matrix=costs)[0]
    assert (rule.label, rule.text()) == ("ill", "IF anything THEN ill: 20 % of 10 examples were ill")
    assert RuleList.from_tree(tree).predict(data, cost_matrix=costs).tolist() == [0] * 10


def test_a_regression_rule_answers_a_number() -> None:
    data = encode({"x": [1.0, 2.0, 3.0, 4.0]})
    tree = grow(data, np.array([1.0, 2.0, 10.0, 10.0]), cart_recipe("squared_error", max_depth=1))
    assert [rule.text() for rule in extract_rules(tree)] == [
        "IF x <= 2.5 THEN 1.5 (2, ± 0.5)",
        "IF x > 2.5 THEN 10 (2, ± 0)",
    ]
    with pytest.raises(ParameterError, match="predicts numbers"):
        extract_rules(tree, cost_matrix=[[0, 1], [1, 0]])


def test_a_tree_of_one_leaf_is_a_rule_without_conditions() -> None:
    tree = grow(encode({"x": [None, None]}), encode_classes(["a", "a"]), cart_recipe())
    (rule,) = extract_rules(tree)
    assert rule.text() == "IF anything THEN a (2, 1.00)"
    assert rule.covers(encode({"x": [1.0, None]})).all()


def test_a_wrong_policy_is_refused() -> None:
    tree = grow(encode({"x": [1.0, 2.0]}), encode_classes(["a", "b"]), cart_recipe())
    with pytest.raises(ParameterError, match="'fails', 'tree'"):
        extract_rules(tree, unknown="spread")  # type: ignore[arg-type]


@pytest.mark.parametrize("make", [cart_recipe, c45_recipe])
def test_ten_thousand_leaves_cost_each_a_few_calls(make) -> None:
    random = np.random.default_rng(0)
    n = 24_000
    table = {f"x{i}": random.normal(size=n) for i in range(5)} | {"town": random.integers(0, 30, n).astype(str)}
    data = encode(table)
    target = ClassTarget(classes=np.array(["a", "b"]), codes=random.integers(0, 2, n).astype(np.int32))
    recipe = replace(make(), collapse="no", min_objects=0.0, threshold_cost=False, gate=False, require_gain=False)
    tree = grow(data, target, recipe)
    assert tree.n_leaves > 5_000
    rules: list[Rule] = []
    calls = calls_of(lambda: rules.extend(extract_rules(tree, keep_empty=True)))
    assert len(rules) == tree.n_leaves and calls < 2_000 * tree.n_leaves, calls / tree.n_leaves
    model = RuleList.from_tree(tree)
    assert np.array_equal(model.predict(data.take(slice(0, 2000))), answers(tree, data.take(slice(0, 2000))))
    json.dumps(model.rules[0].to_dict())


def test_one_condition_an_attribute_with_deep_paths() -> None:
    attribute = Attribute("x", "numeric")
    data = encode({"x": np.arange(200.0)})
    tree = grow(data, encode_classes([str(i % 2) for i in range(200)]), cart_recipe())
    rules = extract_rules(tree)
    assert len(rules) == 200
    assert all(len(rule.conditions) == 1 for rule in rules)
    assert rules[7].conditions[0] == Interval(attribute, 6.5, 7.5)

"""Pruning without further rows: description length, expected error, significance, each against its formula."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tree.build import build, cut, grouped, leaf, multiway, schema_of, subset

from pruning.cases import grown_case, inner_nodes, paths
from quercus.data import Attribute, Schema, encode, encode_classes
from quercus.datasets import load_play_tennis
from quercus.errors import ParameterError
from quercus.growing.grow import grow
from quercus.growing.id3 import id3_recipe
from quercus.measures import chi_square as chi_square_test
from quercus.pruning import chi_square, critical_value, mdl, minimum_error
from quercus.pruning.critical_value import split_tests
from quercus.pruning.mdl import leaf_bits, question_bits
from quercus.tree import Tree


def _children(tree: Tree, node: int) -> range:
    return range(int(tree.first_child[node]), int(tree.first_child[node] + tree.n_children[node]))


def test_bits_of_play_tennis_by_hand() -> None:
    X, y = load_play_tennis()
    tree = grow(encode(X), encode_classes(y), id3_recipe())
    bits = leaf_bits(tree)
    assert bits[0] == pytest.approx(1 + 1 + math.log2(8) + math.log2(math.comb(14, 5)))
    sunny = 3
    assert bits[sunny] == pytest.approx(1 + 1 + math.log2(3) + math.log2(math.comb(5, 2)))
    asked = question_bits(tree)
    assert asked[0] == pytest.approx(math.log2(4)) and asked[sunny] == pytest.approx(math.log2(3)) and asked[1] == 0
    below = 1 + math.log2(3) + sum(float(bits[c]) for c in _children(tree, sunny))
    figures = mdl(tree).why(sunny).figures  # type: ignore[union-attr]
    assert figures["subtree"] == pytest.approx(below) and figures["leaf"] == pytest.approx(float(bits[sunny]))


def test_bits_of_three_classes_and_of_the_stochastic_code_by_hand() -> None:
    tree = build(cut("x", 0, leaf([4, 1, 1]), leaf([0, 3, 0])), schema_of(x="numeric"), "abc")
    bits = leaf_bits(tree)
    assert bits[1] == pytest.approx(1 + math.log2(3) + math.log2(4 + 1) + math.log2(math.comb(6, 2)) + 2 * math.log2(2))
    stochastic = leaf_bits(tree, "stochastic")
    classes = 4 * math.log2(6 / 4) + 2 * math.log2(6)
    constant = math.log2(math.pi**1.5 / math.gamma(1.5))
    assert stochastic[1] == pytest.approx(1 + classes + math.log2(3) + constant)


def test_bits_of_questions_by_hand() -> None:
    schema = Schema(
        (
            Attribute("x", "numeric"),
            Attribute("soil", "nominal", ("clay", "sand", "peat", "loam")),
            Attribute("size", "ordered", ("s", "m", "l")),
        )
    )
    two = leaf([2, 0]), leaf([0, 2])
    tree = build(cut("x", 1.5, *two), schema, "ab")
    assert question_bits(tree)[0] == pytest.approx(math.log2(3) + math.log2(3))
    data = encode({"x": [1, 1, 2, 2], "soil": ["clay"] * 4, "size": ["s"] * 4}, kinds={"size": "ordered"})
    assert question_bits(tree, type(data)(schema, data.columns, 4))[0] == pytest.approx(math.log2(3))
    assert question_bits(build(cut("size", 0, *two), schema, "ab"))[0] == pytest.approx(math.log2(3) + 1)
    three_present = {"clay": 0, "sand": 1, "peat": 1}
    assert question_bits(build(subset("soil", three_present, *two), schema, "ab"))[0] == pytest.approx(2 * math.log2(3))
    groups = {"clay": 0, "sand": 1, "peat": 1, "loam": 1}
    expected = math.log2(3) + math.log2(3) + math.log2(2**4 / 2)
    assert question_bits(build(grouped("soil", groups, *two), schema, "ab"))[0] == pytest.approx(expected)
    empty = leaf([0, 0])
    deep = build(multiway("soil", cut("x", 0, *two), *two, empty), schema, "ab")
    assert question_bits(deep)[1] == pytest.approx(math.log2(2) + math.log2(3))
    assert leaf_bits(deep)[4] == 0


@pytest.mark.parametrize("coding", ["exceptions", "stochastic"])
def test_mdl_gives_the_fewest_bits_and_keeps_less_for_dearer_trees(coding: str) -> None:
    for seed in range(12):
        tree, rows, _, _, _ = grown_case(seed)
        result = mdl(tree, coding=coding)
        assert result.table["bits"] <= result.table["bits_of_one_leaf"] + 1e-9
        assert mdl(result.tree, coding=coding).tree == result.tree
        assert paths(result.tree) <= paths(tree)
        sizes = [mdl(tree, coding=coding, tree_weight=w).tree.n_nodes for w in (0.0, 0.5, 1.0, 4.0)]
        assert sizes == sorted(sizes, reverse=True)
        assert mdl(tree, rows, coding=coding).tree.n_nodes >= result.tree.n_nodes


def test_minimum_error_by_hand() -> None:
    """Niblett and Bratko's form: (N − n_c + k − 1) / (N + k), backed up by the branches' weights."""
    plan = cut("x", 0, leaf([6, 1]), cut("y", 0, leaf([2, 0]), leaf([1, 1])))
    tree = build(plan, schema_of(x="numeric", y="numeric"), "ab")
    result = minimum_error(tree, m="classes", prior="uniform")
    low, pure, mixed = 2 / 9, 1 / 4, 2 / 4
    inner = min(2 / 6, (pure + mixed) / 2)
    why = result.why(2)
    assert why is not None and why.figures["static"] == pytest.approx(2 / 6)
    assert why.figures["backed_up"] == pytest.approx((pure + mixed) / 2)
    root = result.why(0)
    backed_up = (7 * low + 4 * inner) / 11
    assert (root is not None) == (backed_up >= 3 / 13)
    assert root is not None and root.figures["backed_up"] == pytest.approx(backed_up)


def test_minimum_error_prunes_more_for_larger_m() -> None:
    for seed in range(12):
        tree, *_ = grown_case(seed)
        assert minimum_error(tree, m=0).tree.n_nodes >= minimum_error(tree, m=1e9).tree.n_nodes
        result = minimum_error(tree)
        assert minimum_error(result.tree).tree == result.tree and paths(result.tree) <= paths(tree)
        assert minimum_error(tree, cost_matrix=1 - np.eye(3)).tree == result.tree
    for wrong in (-1, "many", math.nan, True):
        with pytest.raises(ParameterError, match="m is"):
            minimum_error(tree, m=wrong)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="prior"):
        minimum_error(tree, prior="flat")  # type: ignore[arg-type]


def test_split_tests_are_those_of_the_measures() -> None:
    for seed in range(8):
        tree, *_ = grown_case(seed)
        statistic, degrees, p_value = split_tests(tree)
        for node in range(tree.n_nodes):
            if tree.kind[node]:
                expected = chi_square_test(tree.value[list(_children(tree, node))])
                assert statistic[node] == pytest.approx(expected.statistic)
                assert degrees[node] == expected.degrees_of_freedom and p_value[node] == pytest.approx(expected.p_value)
            else:
                assert (statistic[node], degrees[node], p_value[node]) == (0, 0, 1)


def _one_by_one(tree: Tree, strong: list[bool]) -> set[int]:
    """The rule in words: again and again, a weak question whose branches are all leaves becomes one."""
    cuts: set[int] = set()
    while True:
        open_questions = set(inner_nodes(tree)) - cuts
        ready = open_questions - {int(tree.parent[node]) for node in open_questions}
        weak = {node for node in ready if not strong[node]}
        if not weak:
            return cuts
        cuts |= weak


def test_critical_value_and_chi_square_follow_the_rule_in_words() -> None:
    for seed in range(20):
        tree, *_ = grown_case(seed)
        _, degrees, p_value = split_tests(tree)
        for level in (0.2, 0.05, 0.001):
            result = chi_square(tree, level)
            strong = ((p_value <= level) & (degrees > 0)).tolist()
            assert {removal.node for removal in result.removals} == _one_by_one(tree, strong)
            assert critical_value(tree, level).tree == result.tree
            assert all(removal.figures["least_p_value_below"] > level for removal in result.removals)
        by_gain = critical_value(tree, measure="gain", value=0.2)
        assert {removal.node for removal in by_gain.removals} == _one_by_one(tree, (tree.gain >= 0.2).tolist())
        assert all(removal.figures["largest_below"] < 0.2 for removal in by_gain.removals)


def test_wrong_parameters_are_refused() -> None:
    tree, *_ = grown_case(0)
    for call in (
        lambda: chi_square(tree, 0.0),
        lambda: critical_value(tree, measure="luck"),
        lambda: critical_value(tree, measure="gain"),
        lambda: critical_value(tree, value=0.1),
        lambda: mdl(tree, coding="morse"),
        lambda: mdl(tree, tree_weight=-1),
    ):
        with pytest.raises(ParameterError):
            call()

"""On random tables of all kinds, recipes, policies and weights the trace says what the core's tree does."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from long_tail import most_slow
from oracle.tables import Case, large_case, numeric_case, random_case

from quercus.explain import NodeTrace, Trace, trace_growing
from quercus.growing.grow import grow
from quercus.tree import Tree
from quercus.tree.layout import LEAF

TAKES_PART = {"chosen", "tied", "lost", "refused", "not kept"}


def traced(case: Case) -> tuple[Tree, Trace]:
    tree = grow(case.dataset, case.target, case.recipe, **case.arguments())
    return tree, trace_growing(tree, case.dataset, case.target, case.recipe, **case.arguments())


def check_node(tree: Tree, trace: Trace, node: NodeTrace, message: str) -> None:
    number = node.node
    assert node.note == "", message
    assert node.is_leaf == (tree.kind[number] == LEAF), message
    assert (node.reason == "") == (not node.is_leaf), message
    assert node.decision, message
    assert node.count == tree.count[number], message
    assert node.weight == pytest.approx(tree.weight[number], rel=1e-9), message
    if trace.classes is not None:
        np.testing.assert_allclose(node.values, tree.value[number], rtol=1e-9, atol=1e-9, err_msg=message)
        assert sum(node.values) == pytest.approx(node.weight, rel=1e-9), message
    if node.chosen is not None:
        chosen = node.candidates[node.chosen]
        scale = node.impurity + abs(tree.gain[number])
        assert chosen.attribute == tree.schema[int(tree.attribute[number])].name, message
        assert chosen.gain == pytest.approx(tree.gain[number], rel=1e-8, abs=1e-9 * scale), message
        assert chosen.test == str(tree.node(number).test), message
        rivals = [c.worth for c in node.candidates if c.takes_part]
        assert max(rivals) <= chosen.worth + 1e-9 * (abs(chosen.worth) + scale), message
    for candidate in node.candidates:
        assert candidate.takes_part == (candidate.status in TAKES_PART), message
        assert candidate.takes_part or candidate.why, message
        if candidate.branches:
            held = sum(branch.weight for branch in candidate.branches) + candidate.unknown
            assert held == pytest.approx(node.weight, rel=1e-9), message
            inside = sum(branch.total * branch.impurity for branch in candidate.branches)
            expected = (candidate.known * candidate.known_impurity - inside) / node.total if node.total else 0.0
            got = (candidate.gain or 0.0) + candidate.price
            rounding = 1e-307 if trace.classes is None else 1e-15  # impurities of classes are about 1, also 1 - 1
            assert got == pytest.approx(expected, rel=1e-6, abs=1e-7 * node.impurity + rounding), message


def check(case: Case) -> int:
    tree, trace = traced(case)
    assert len(trace) == tree.n_nodes
    assert sorted(trace.order) == list(range(tree.n_nodes))
    for node in trace:
        check_node(tree, trace, node, f"{case}\nnode {node.node}: {node.decision}")
    return tree.n_nodes


@pytest.mark.parametrize("chunk", most_slow(8, 3))
def test_trace_agrees_with_the_core(chunk: int) -> None:
    sizes = [check(random_case(seed)) for seed in range(10_000 + chunk * 60, 10_060 + chunk * 60)]
    assert sum(size > 1 for size in sizes) > 30


@pytest.mark.parametrize("seed", [0, 3, 7, 11])
def test_trace_agrees_on_larger_tables(seed: int) -> None:
    case = large_case(seed)
    if case.dataset.n_rows <= 1500:
        check(case)


def test_trace_agrees_in_the_binned_mode() -> None:
    for seed in range(6):
        for bins in (3, 12):
            case = numeric_case(seed)
            check(replace(case, recipe=replace(case.recipe, max_bins=bins)))
    for seed in range(40):
        case = random_case(seed)
        check(replace(case, recipe=replace(case.recipe, max_bins=4)))


def test_one_node_is_the_same_as_in_the_whole() -> None:
    for seed in range(40):
        case = random_case(20_000 + seed)
        tree, whole = traced(case)
        number = seed % tree.n_nodes
        alone = trace_growing(tree, case.dataset, case.target, case.recipe, nodes=[number], **case.arguments())
        assert list(alone.nodes) == [whole.node(number)]


def test_dictionaries_are_strict_json_and_come_back() -> None:
    for seed in range(80):
        case = random_case(30_000 + seed)
        tree = grow(case.dataset, case.target, case.recipe, **case.arguments())
        trace = trace_growing(tree, case.dataset, case.target, case.recipe, cuts=True, **case.arguments())
        text = json.dumps(trace.to_dict(), allow_nan=False)
        assert Trace.from_dict(json.loads(text)) == trace
        assert trace.to_text()
        assert trace.to_latex()

"""On random tables the core's candidates are those of the reference: every attribute at every node, all numbers."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import numpy as np
import pytest
from long_tail import most_slow

from oracle.tables import Case, large_case, numeric_case, random_case
from quercus import _core
from quercus.explain.trace.words import OFFERS, STOPS
from quercus.growing.grow import core_arguments, grow
from quercus.growing.reference.examples import Examples
from quercus.growing.reference.grower import Decision, grown_root, numbered
from quercus.growing.reference.problem import state_problem
from quercus.growing.reference.purity import FIRST, ROWS, WEIGHT, ClassPurity
from quercus.growing.reference.splits import Candidate, Refusal, mean_gain
from quercus.tree import Node, Tree
from quercus.tree.questions import Threshold

TREE_ARRAYS = attrgetter(*_core.predict_arrays)


def same(ours: Any, theirs: Any, scale: float, what: str) -> None:
    """Equal but for rounding; scale: what the numbers are differences of."""
    np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-9 * scale + 1e-300, err_msg=what)


class Comparison:
    """The decisions of one table by the core, beside those of the reference."""

    def __init__(self, case: Case) -> None:
        costs = case.arguments()
        weights = costs.pop("weights", None)
        tree = grow(case.dataset, case.target, case.recipe, weights=weights, **costs)
        table = core_arguments(case.dataset, case.target, case.recipe, weights, **costs)[0]
        all_nodes, all_cuts = np.full(tree.n_nodes, 2, np.uint8), np.ones(len(case.dataset.columns), np.uint8)
        self.case, self.tree = case, tree
        self.found = _core.Retracer(*table).walk(TREE_ARRAYS(tree), all_nodes, all_cuts, False)
        self.problem = state_problem(case.dataset, case.target, case.recipe, weights, **costs)
        self.nodes = numbered(grown_root(self.problem))[0]

    def check(self) -> int:
        assert self.found["node"].tolist() == [node.id for node in self.tree.walk()], self.case
        assert len(self.nodes) == self.tree.n_nodes, self.case
        return sum(self.check_node(entry, int(node)) for entry, node in enumerate(self.found["node"]))

    def check_node(self, entry: int, node: int) -> int:
        found, examples, decision = self.found, self.nodes[node].examples, self.nodes[node].decision
        message = f"{self.case}\nnode {node}"
        if examples is None:
            assert found["count"][entry] == 0, message
            return 0
        assert found["count"][entry] == len(examples.rows), message
        assert bool(found["unit"][entry]) == bool((examples.weights == 1).all()), message
        assert STOPS[_core.stop_names[found["stop"][entry]]] == decision.reason, message
        impurity = impurity_of(examples, examples.total)
        size = noise(examples, impurity)
        same(found["weight"][entry], examples.weight, 0.0, message)
        same(found["total"][entry], examples.scale, 0.0, message)
        same(found["impurity"][entry], impurity, size, message)
        if decision.candidates:
            same(found["mean_gain"][entry], mean_gain(examples, list(decision.candidates)), size, message)
        return self.check_candidates(entry, examples, decision, message)

    def check_candidates(self, entry: int, examples: Examples, decision: Decision, message: str) -> int:
        first, end = self.found["candidate_start"][entry : entry + 2].tolist()
        offers: dict[int, Candidate | Refusal] = {c.attribute: c for c in decision.candidates}
        offers |= {refusal.attribute: refusal for refusal in decision.refused}
        attributes = self.found["attribute"][first:end].tolist()
        assert attributes == sorted(offers), message
        chosen = int(self.found["chosen"][entry])
        assert (None if chosen < 0 else attributes[chosen]) == (decision.chosen and decision.chosen.attribute), message
        for place, attribute in zip(range(first, end), attributes, strict=True):
            self.check_offer(place, offers[attribute], examples, f"{message}, attribute {attribute}")
        return end - first

    def check_offer(self, place: int, offer: Candidate | Refusal, examples: Examples, message: str) -> None:
        name = _core.offer_names[self.found["offer"][place]]
        if isinstance(offer, Candidate):
            assert name in ("candidate", "below_mean", "little_information"), message
            self.check_division(place, offer, examples, message)
        else:
            assert OFFERS[name] == offer.reason, message
            if offer.division is not None:
                self.check_division(place, offer.division, examples, message)
            else:
                assert self.found["n_branches"][place] == 0, message
                assert self.found["n_tried"][place] == offer.tried, message

    def check_division(self, place: int, candidate: Candidate, examples: Examples, message: str) -> None:
        ours = {name: self.found[name][place] for name in ("kind", "missing_child", "n_branches", "n_cuts", "n_tried")}
        tried = candidate.tried_gains
        assert ours == {
            "kind": candidate.kind,
            "missing_child": candidate.missing_child,
            "n_branches": len(candidate.branches),
            "n_cuts": candidate.cuts if candidate.kind == Threshold.kind else 0,
            "n_tried": -1 if tried is None else len(tried),
        }, message
        best = 1 if tried is None else np.count_nonzero(tried >= np.nanmax(tried) - examples.tie)
        assert self.found["n_best"][place] == best, message
        start, end = self.found["group_start"][place : place + 2]
        groups = [] if candidate.value_branch is None else candidate.value_branch.tolist()
        assert self.found["group"][start:end].tolist() == groups, message
        size = noise(examples, impurity_of(examples, examples.total))
        for name in ("gain", "worth", "threshold"):
            same(self.found[name][place], getattr(candidate, name), 0.0 if name == "threshold" else size, message)
        same(self.found["split_information"][place], candidate.split_information, 1.0, message)
        unknown = examples.weights[candidate.instance_branch < 0].sum()
        same(self.found["unknown"][place], unknown, examples.weight, message)
        known = candidate.branches.sum(axis=0)
        same(self.found["known"][place], examples.purity.scale(known), 0.0, message)
        same(self.found["known_impurity"][place], impurity_of(examples, known), 100 * size, message)
        self.check_branches(place, candidate, examples, size, message)
        if candidate.tried_thresholds is not None:
            cuts = slice(*self.found["cut_start"][place : place + 2])
            assert np.array_equal(self.found["cut_threshold"][cuts], candidate.tried_thresholds), message
            same(self.found["cut_gain"][cuts], tried, 100 * size, message)

    def check_branches(self, place: int, candidate: Candidate, examples: Examples, size: float, message: str) -> None:
        inside = slice(*self.found["branch_start"][place : place + 2])
        present = np.flatnonzero(candidate.branches[:, ROWS] > 0)
        tallies = candidate.branches[present]
        assert self.found["branch"][inside].tolist() == present.tolist(), message
        counts = [np.count_nonzero(candidate.instance_branch == branch) for branch in present]
        assert self.found["branch_count"][inside].tolist() == counts, message
        same(self.found["branch_weight"][inside], tallies[:, WEIGHT], 0.0, message)
        same(self.found["branch_total"][inside], [examples.purity.scale(tally) for tally in tallies], 0.0, message)
        impurities = [impurity_of(examples, tally) for tally in tallies]
        same(self.found["branch_impurity"][inside], impurities, 100 * size, message)
        values = self.found["branch_value"][inside]
        if isinstance(examples.purity, ClassPurity):
            same(values, tallies[:, FIRST:], examples.weight, message)
            return
        for value, branch in zip(values, present, strict=True):
            here = candidate.instance_branch == branch
            y, weights = examples.target[here], examples.weights[here]
            mean = np.average(y, weights=weights)
            spread = np.sqrt(examples.purity.variance)
            layout = examples.problem.target_kind.layout
            same(layout.column(value, "mean"), mean, spread + abs(mean), message)
            squares = layout.column(value, "squared_deviations")
            same(squares, (weights * (y - mean) ** 2).sum(), 100 * examples.weight * spread**2, message)


def way_to(tree: Tree, number: int) -> list[Node]:
    """The nodes from the root to one."""
    node, way = tree.node(number), []
    while node is not None:
        way.append(node)
        node = node.parent
    return way[::-1]


def impurity_of(examples: Examples, tally: np.ndarray) -> float:
    total = examples.purity.scale(tally)
    return max(0.0, float(-examples.purity.of(tally)) / total) if total > 0 else 0.0


def noise(examples: Examples, impurity: float) -> float:
    """What impurities and gains are differences of: of classes numbers about 1, of numbers the node's impurity."""
    return 1e-3 + impurity if isinstance(examples.purity, ClassPurity) else impurity


@pytest.mark.parametrize("chunk", most_slow(10, 2))
def test_core_and_reference_offer_the_same(chunk: int) -> None:
    compared = sum(Comparison(random_case(seed)).check() for seed in range(40_000 + chunk * 200, 40_200 + chunk * 200))
    assert compared > 2_000


@pytest.mark.parametrize("chunk", most_slow(6, 1))
def test_core_and_reference_offer_the_same_on_larger_tables(chunk: int) -> None:
    compared = sum(Comparison(numeric_case(seed)).check() for seed in range(chunk * 4, chunk * 4 + 4))
    compared += Comparison(large_case(chunk)).check()
    assert compared > 100


def test_no_node_is_looked_at_that_is_not_marked() -> None:
    for seed in range(60):
        comparison = Comparison(random_case(seed))
        case, tree, whole = comparison.case, comparison.tree, comparison.found
        costs = case.arguments()
        table = core_arguments(case.dataset, case.target, case.recipe, costs.pop("weights", None), **costs)[0]
        marked = np.where(np.arange(tree.n_nodes) == seed % tree.n_nodes, 2, 0).astype(np.uint8)
        alone = _core.Retracer(*table).walk(TREE_ARRAYS(tree), marked, np.zeros(len(table[0]), np.uint8), False)
        assert alone["node"][alone["count"] * alone["decided"] > 0].tolist() in ([seed % tree.n_nodes], [])
        assert alone["node"].tolist() == [node.id for node in way_to(tree, seed % tree.n_nodes)]
        entry = whole["node"].tolist().index(seed % tree.n_nodes)
        first, end = whole["candidate_start"][entry : entry + 2]
        for name in ("attribute", "offer", "gain", "worth", "threshold"):
            np.testing.assert_array_equal(alone[name], whole[name][first:end], str(case))


def test_a_tree_that_the_columns_cannot_answer_is_refused() -> None:
    case = random_case(3)
    costs = case.arguments()
    table = core_arguments(case.dataset, case.target, case.recipe, costs.pop("weights", None), **costs)[0]
    tree: Tree = grow(case.dataset, case.target, case.recipe, **case.arguments())
    retracer, cuts = _core.Retracer(*table), np.zeros(len(table[0]), np.uint8)
    with pytest.raises(ValueError, match="marked must be"):
        retracer.walk(TREE_ARRAYS(tree), np.ones(tree.n_nodes + 1, np.uint8), cuts, False)
    nominal = [attribute.is_numeric for attribute in case.dataset.schema].index(False)
    arrays = dict(zip(_core.predict_arrays, TREE_ARRAYS(tree), strict=True))
    arrays["kind"] = np.where(arrays["kind"] > 0, Threshold.kind, 0).astype(np.uint8)
    arrays["attribute"] = np.full(tree.n_nodes, nominal, np.int32)
    arrays["threshold"] = np.zeros(tree.n_nodes)
    with pytest.raises(ValueError, match=r"reads column|must be 2"):
        retracer.walk(tuple(arrays.values()), np.ones(tree.n_nodes, np.uint8), cuts, False)

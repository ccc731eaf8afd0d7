"""Hellinger: the impurity orders the splits of a node as the distance of Cieslak and Chawla does, in every grower."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from long_tail import most_slow

import quercus
from oracle.same_tree import assert_same_tree
from oracle.tables import Case, numeric_case, random_case
from quercus import CARTClassifier, RandomForestClassifier
from quercus.criteria import CLASS_CRITERIA
from quercus.data import ClassTarget, encode, encode_classes
from quercus.datasets import load_play_tennis
from quercus.growing.cart import cart_recipe
from quercus.growing.forest import Sampling, grow_forest
from quercus.growing.grow import SWITCHES, grow
from quercus.growing.reference.grower import grow_reference
from quercus.measures.impurity import reduction

ROW = CLASS_CRITERIA["hellinger"]


def squared_distance(branches: np.ndarray, one: int = 0, other: int = 1) -> float:
    """The squared Hellinger distance of two classes: Σ over the branches of (√share of one − √share of the other)²."""
    share = branches / branches.sum(axis=0)
    return float(((np.sqrt(share[:, one]) - np.sqrt(share[:, other])) ** 2).sum())


@pytest.mark.parametrize("n_branches", [2, 3, 5])
def test_the_gain_of_two_classes_is_the_distance_times_a_number_of_the_node(n_branches: int) -> None:
    chance = np.random.default_rng(n_branches)
    for _ in range(500):
        branches = chance.integers(0, 30, (n_branches, 2)) + np.eye(n_branches, 2)
        p, q = branches.sum(axis=0) / branches.sum()
        gain = reduction(branches, ROW.impurity)
        assert gain == pytest.approx(np.sqrt(p * q) * squared_distance(branches), rel=1e-9, abs=1e-12)


def test_the_gain_of_many_classes_adds_the_distances_of_all_pairs() -> None:
    chance = np.random.default_rng(0)
    for _ in range(300):
        branches = chance.integers(1, 30, (3, 4)).astype(float)
        shares = branches.sum(axis=0) / branches.sum()
        pairs = combinations(range(4), 2)
        expected = sum(np.sqrt(shares[i] * shares[j]) * squared_distance(branches, i, j) for i, j in pairs)
        assert reduction(branches, ROW.impurity) == pytest.approx(expected, rel=1e-9)


def test_the_first_question_does_not_depend_on_how_rare_a_class_is() -> None:
    """A class that weighs 1,000 times as much: Hellinger asks the same, Gini often something else."""
    chance = np.random.default_rng(1)
    changed = {"hellinger": 0, "gini": 0}
    for _ in range(60):
        X = chance.normal(size=(80, 4))
        y = (X[:, 0] + X[:, 1] + chance.normal(size=80) > 0.8).astype(int)
        for criterion in changed:
            plain, rare = (
                CARTClassifier(criterion=criterion, max_depth=1, class_weight=weight).fit(X, y).tree_
                for weight in (None, {0: 1000.0, 1: 1.0})
            )
            same = plain.attribute[0] == rare.attribute[0] and plain.threshold[0] == rare.threshold[0]
            changed[criterion] += not same
    assert changed["hellinger"] == 0
    assert changed["gini"] > 5


def grown_by_hellinger(case: Case) -> Case:
    return replace(case, recipe=replace(case.recipe, criterion="hellinger"))


@pytest.mark.parametrize("chunk", most_slow(5, 1))
def test_core_and_reference_grow_the_same_tree(chunk: int) -> None:
    """Every recipe of the oracle: multiway, grouped and subset splits, weights, costs, unknown values."""
    cases = [random_case(50_000 + chunk * 100 + number) for number in range(100)]
    cases += [numeric_case(chunk * 4 + number) for number in range(4)]
    sizes = []
    for case in map(grown_by_hellinger, (case for case in cases if isinstance(case.target, ClassTarget))):
        expected = grow_reference(case.dataset, case.target, case.recipe, **case.arguments())
        tree = grow(case.dataset, case.target, case.recipe, **case.arguments())
        assert_same_tree(expected, tree, str(case))
        sizes.append(tree.n_nodes)
    assert sum(size > 1 for size in sizes) > len(sizes) / 2


@pytest.mark.parametrize("weighted", [False, True], ids=["counts", "weights"])
@pytest.mark.parametrize("max_bins", [None, 16])
@pytest.mark.parametrize("n_classes", [2, 4, 12])
def test_forests_grow_the_same_trees_without_their_speed_ups(
    weighted: bool, max_bins: int | None, n_classes: int
) -> None:
    chance = np.random.default_rng(n_classes)
    n = 700
    X = {"a": chance.normal(size=n), "b": chance.integers(0, 90, n) / 3, "c": chance.choice(list("pqrst"), n)}
    X["b"][chance.random(n) < 0.1] = np.nan
    y = encode_classes((X["a"] * 3 + chance.normal(size=n)).astype(int) % n_classes)
    weights = chance.random(n) + 0.2 if weighted else None
    recipe = cart_recipe("hellinger", max_bins=max_bins, min_samples_leaf=2)
    for sampling in (Sampling(attributes_per_node=2), Sampling(bootstrap="without")):
        quick, general = (
            grow_forest(encode(X), y, recipe, sampling, 3, 7, weights=weights, switches=switches)
            for switches in (0, SWITCHES["siblings" if max_bins else "rank_columns"])
        )
        for number in range(3):
            assert_same_tree(general.tree(number), quick.tree(number), f"tree {number}")


def test_estimators_texts_pruning_and_files_know_it(tmp_path: Path) -> None:
    X, y = load_play_tennis()
    tree = CARTClassifier(criterion="hellinger").fit(X, y)
    text = str(tree.trace(X, y))
    assert "Hellinger impurity = (√(9/14) + √(5/14))² − 1 = 0.958" in text
    assert sum(tree.feature_importances_) == pytest.approx(1.0)
    stopped = CARTClassifier(criterion="hellinger", min_impurity_decrease=0.2).fit(X, y)
    assert 1 <= stopped.tree_.n_nodes < tree.tree_.n_nodes
    pruned = CARTClassifier(criterion="hellinger", ccp_alpha=0.2).fit(X, y)
    assert pruned.tree_.n_nodes < tree.tree_.n_nodes
    quercus.save(tree, tmp_path / "tree.json")
    assert quercus.load(tmp_path / "tree.json").tree_ == tree.tree_
    forest = RandomForestClassifier(5, criterion="hellinger", random_state=0).fit(X, y)
    quercus.save(forest, tmp_path / "forest.json")
    assert (quercus.load(tmp_path / "forest.json").predict(X) == forest.predict(X)).all()

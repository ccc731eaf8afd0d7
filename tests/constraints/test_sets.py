"""Attributes that may meet: no path has others, in trees and in forests; and the trace says which were left out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle.tables import large_case, random_case

from constraints.cases import constrained_case
from quercus import CARTClassifier, RandomForestClassifier, RandomForestRegressor
from quercus.growing.constraints import sets_of
from quercus.growing.grow import grow
from quercus.tree.tree import Tree


def paths(tree: Tree) -> list[set[int]]:
    """The attributes asked on the way to each leaf; and those above a question, with it and one of its surrogates."""
    asked: list[set[int]] = [set() for _ in range(tree.n_nodes)]
    met = []
    for node in range(tree.n_nodes):
        if not tree.kind[node]:
            met.append(asked[node])
            continue
        below = asked[node] | {int(tree.attribute[node])}
        stand_ins = tree.surrogate_attribute[tree.surrogate_start[node] : tree.surrogate_start[node + 1]]
        met += [below | {int(attribute)} for attribute in stand_ins]
        for child in range(tree.first_child[node], tree.first_child[node] + tree.n_children[node]):
            asked[child] = below
    return met


def check(tree: Tree, sets: list[list[int]]) -> None:
    for path in paths(tree):
        assert not path or any(path <= set(members) for members in sets), (path, sets)


@pytest.mark.parametrize("make", [random_case, large_case])
def test_no_path_has_attributes_that_may_not_meet(make: Any) -> None:
    looked_at = 0
    for seed in range(400 if make is random_case else 30):
        case = constrained_case(seed, make)
        if case.recipe.interaction_cst is None:
            continue
        tree = grow(case.dataset, case.target, case.recipe, **case.arguments())
        check(tree, sets_of(case.recipe, case.dataset.schema))
        looked_at += tree.n_nodes > 3
    assert looked_at > (10 if make is random_case else 2)


@pytest.mark.parametrize("random_thresholds", [False, True])
@pytest.mark.parametrize("constant_features", ["redraw", "count"])
def test_forests(random_thresholds: bool, constant_features: str) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 6))
    score = X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] + X[:, 4]
    sets = [{0, 1}, {2, 3, 4}, {4, 5}]
    options: dict[str, Any] = {
        "interaction_cst": sets,
        "random_thresholds": random_thresholds,
        "constant_features": constant_features,
        "max_features": 2,
    }
    for model in (
        RandomForestRegressor(10, **options).fit(X, score),
        RandomForestClassifier(10, **options).fit(X, score > 0),
    ):
        for number in range(10):
            check(model.forest_.tree(number), [sorted(members) for members in sets])
        assert sum(model.forest_.tree(number).n_nodes for number in range(10)) > 60


def test_surrogates_come_from_attributes_that_may_meet() -> None:
    random = np.random.default_rng(1)
    base = random.normal(size=300)
    X = {name: base + random.normal(0, 0.1, 300) for name in "abcd"}
    X["a"] = np.where(random.random(300) < 0.2, np.nan, X["a"])
    model = CARTClassifier(missing="surrogate", interaction_cst=[["a", "b"], ["c", "d"]], max_depth=3)
    tree = model.fit(X, base > 0).tree_
    assert len(tree.surrogate_attribute)
    check(tree, [[0, 1], [2, 3]])


def test_sets_by_names_and_positions() -> None:
    random = np.random.default_rng(2)
    X = {"a": random.normal(size=100), "b": random.normal(size=100), "c": random.normal(size=100)}
    y = X["a"] * X["b"] + X["c"] > 0
    one = CARTClassifier(interaction_cst=[["a", "b"]]).fit(X, y)
    assert str(one.tree_) == str(CARTClassifier(interaction_cst=[{1, 0}, (2,)]).fit(X, y).tree_)
    assert str(one.tree_) != str(CARTClassifier().fit(X, y).tree_)

"""min_value_weight: light nominal values go together. Core, reference, brute force and forests agree on the rule."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from long_tail import most_slow
from oracle.same_tree import difference
from oracle.tables import Case, large_case, random_case

from quercus import CARTClassifier, CARTRegressor, RandomForestClassifier
from quercus.data import encode, encode_classes
from quercus.errors import ParameterError
from quercus.growing.c45 import c45_recipe
from quercus.growing.cart import cart_recipe
from quercus.growing.forest import Sampling, grow_forest
from quercus.growing.grow import SWITCHES, grow
from quercus.growing.reference.grower import grow_reference
from quercus.tree import Tree
from quercus.tree.questions import Subset


def light_case(seed: int, most: float = 6.0) -> Case:
    """A random table whose light values go together."""
    random = np.random.default_rng([seed, 31])
    case = large_case(seed) if seed % 10 == 0 else random_case(seed)
    least = float(np.round(random.uniform(0.5, most), 1))
    collapse = "no" if case.recipe.is_regression else case.recipe.collapse
    return replace(case, recipe=replace(case.recipe, nominal="subset", min_value_weight=least, collapse=collapse))


@pytest.mark.parametrize("chunk", most_slow(4, 1))
def test_core_and_reference_join_the_same_values(chunk: int) -> None:
    changed = 0
    for seed in range(100 * chunk, 100 * chunk + 100):
        case = light_case(seed)
        expected = grow_reference(case.dataset, case.target, case.recipe, **case.arguments())
        actual = grow(case.dataset, case.target, case.recipe, **case.arguments())
        assert difference(expected, actual) is None, case.made_by
        plain = replace(case.recipe, min_value_weight=0.0)
        changed += difference(grow(case.dataset, case.target, plain, **case.arguments()), actual) is not None
    assert changed > 10, "the parameter must change trees, or nothing was tested"


def brute_force_gain(codes: np.ndarray, target: np.ndarray, least: float) -> float:
    """The largest fall of the Gini impurity by any division in which the light values are on one side; 0: none."""
    values, counts = np.unique(codes, return_counts=True)
    light = counts < least

    def gini(rows: np.ndarray) -> float:
        shares = np.bincount(target[rows], minlength=3) / max(rows.sum(), 1)
        return float(rows.sum() * (1 - (shares**2).sum()))

    best, everything = -1.0, np.ones(len(codes), dtype=bool)
    for sides in product([False, True], repeat=len(values)):
        side = np.array(sides)
        if len(set(side[light])) > 1 or side.all() or not side.any():
            continue
        right = np.isin(codes, values[side])
        best = max(best, (gini(everything) - gini(right) - gini(~right)) / len(codes))
    return best


@pytest.mark.parametrize("seed", most_slow(60, 15))
def test_the_best_division_of_joined_values(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows, levels, n_classes = int(random.integers(6, 40)), int(random.integers(2, 8)), int(random.integers(2, 4))
    codes = np.minimum(random.geometric(0.35, rows) - 1, levels - 1)
    target = random.integers(0, n_classes, rows)
    target[:n_classes] = np.arange(n_classes)
    least = float(random.integers(1, 8))
    data, classes = encode({"a": [f"v{code}" for code in codes]}), encode_classes(target)
    tree = grow(data, classes, cart_recipe(min_value_weight=least, max_depth=1))
    best = brute_force_gain(codes, target, least)
    if best < 0:
        assert tree.n_nodes == 1
    else:
        assert tree.arrays["gain"][0] == pytest.approx(best, abs=1e-12)


def forest_case(seed: int) -> tuple[Case, Sampling]:
    """A table and a draw for forests; no bins, which the general grower makes of the drawn rows."""
    random = np.random.default_rng([seed, 5])
    case = light_case(seed, most=10.0)
    criterion = "squared_error" if case.recipe.is_regression else str(random.choice(["gini", "entropy", "hellinger"]))
    recipe = cart_recipe(criterion, min_value_weight=case.recipe.min_value_weight)
    sampling = Sampling(
        str(random.choice(["no", "with", "without"])),  # type: ignore[arg-type]
        None,
        int(random.integers(1, len(case.dataset.columns) + 1)),
    )
    return replace(case, recipe=recipe), sampling


@pytest.mark.parametrize("chunk", most_slow(3, 1))
def test_forests_join_as_the_general_grower_does(chunk: int) -> None:
    for seed in range(60 * chunk, 60 * chunk + 60):
        case, sampling = forest_case(seed)
        quick, general = (
            grow_forest(case.dataset, case.target, case.recipe, sampling, 2, seed, switches=s, **case.arguments())
            for s in (0, SWITCHES["rank_columns"])
        )
        for number in range(2):
            assert difference(quick.tree(number), general.tree(number)) is None, case.made_by


def levels_table(seed: int, rows: int = 400) -> tuple[pd.DataFrame, np.ndarray]:
    """A nominal column of many levels with gaps, beside a number; two or three classes."""
    random = np.random.default_rng(seed)
    codes = np.minimum(random.zipf(1.4, rows) - 1, 60)
    frame = pd.DataFrame({"level": [f"v{code}" for code in codes], "x": random.normal(size=rows).round(1)})
    frame.loc[random.random(rows) < 0.05, "level"] = None
    return frame, random.integers(0, 2 + seed % 2, rows)


def branches(tree: Tree, node: int, cells: np.ndarray) -> np.ndarray:
    """The branch that each row takes at a node."""
    found = [tree.node(node).branch_of(row) for row in cells]
    missing = int(tree.arrays["missing_child"][node])
    return np.array([missing if branch is None else branch for branch in found])


@pytest.mark.parametrize("random_thresholds", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_light_values_of_every_node_share_a_branch(seed: int, random_thresholds: bool) -> None:
    frame, y = levels_table(seed)
    least = 8.0
    forest = RandomForestClassifier(
        3, min_value_weight=least, random_thresholds=random_thresholds, bootstrap=False, max_features=1
    ).fit(frame, y)
    columns = encode(frame).columns
    level = np.where(columns[0] < 0, 61, columns[0])  # unknown is a value
    cells = np.column_stack([np.where(columns[0] < 0, np.nan, columns[0]), columns[1]])
    asked = 0
    for tree in forest.forest_:
        rows = {0: np.arange(len(frame))}
        for node in range(tree.n_nodes):
            here = rows.pop(node)
            if tree.node(node).is_leaf:
                continue
            branch = branches(tree, node, cells[here])
            first = int(tree.arrays["first_child"][node])
            rows |= {first + side: here[branch == side] for side in (0, 1)}
            if isinstance(tree.node(node).test, Subset):
                values, place = np.unique(level[here], return_inverse=True)
                light = np.bincount(place)[place] < least
                asked += len(np.unique(values)) > 1
                assert len(np.unique(branch[light])) <= 1
    assert asked


def test_a_value_seen_once_does_not_stand_alone() -> None:
    table = pd.DataFrame({"route": ["a"] * 8 + ["b"] * 8 + ["c", "d", "e"]})
    y = np.array(["early"] * 8 + ["late"] * 8 + ["late", "early", "late"])
    own, together = (CARTClassifier(min_value_weight=w).fit(table, y) for w in (0, 2))
    answers = [model.predict(pd.DataFrame({"route": ["c", "d", "e"]})).tolist() for model in (own, together)]
    assert answers[0] == ["late", "early", "late"]
    assert len(set(answers[1])) == 1


def test_numbers_too() -> None:
    table = pd.DataFrame({"route": ["a"] * 8 + ["b"] * 8 + ["c", "d", "e"]})
    y = np.array([1.0] * 8 + [5.0] * 8 + [9.0, 1.0, 7.0])
    model = CARTRegressor(min_value_weight=2).fit(table, y)
    assert len(set(model.predict(pd.DataFrame({"route": ["c", "d", "e"]})).tolist())) == 1


def test_scaled_weights_give_the_same_questions() -> None:
    frame, y = levels_table(7)
    one = CARTClassifier(min_value_weight=5.0).fit(frame, y)
    many = CARTClassifier(min_value_weight=5e6).fit(frame, y, sample_weight=np.full(len(y), 1e6))
    assert one.tree_.arrays["attribute"].tolist() == many.tree_.arrays["attribute"].tolist()


def test_only_subsets_join_values() -> None:
    frame, y = levels_table(1)
    recipe = replace(c45_recipe(), min_value_weight=3.0)
    for grower in (grow, grow_reference):
        with pytest.raises(ParameterError, match="min_value_weight=3 needs nominal='subset'"):
            grower(encode(frame), encode_classes(y), recipe)


@pytest.mark.parametrize("given", [-1.0, float("nan"), "many"])
def test_bad_values_are_refused(given: object) -> None:
    frame, y = levels_table(1)
    with pytest.raises(ParameterError, match="min_value_weight"):
        CARTClassifier(min_value_weight=given).fit(frame, y)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(6))
def test_small_subtrees_join_values_too(seed: int) -> None:
    random = np.random.default_rng(seed)
    codes = np.minimum(random.zipf(1.3, 2000) - 1, 200)
    data = encode({"level": [f"v{code}" for code in codes], "x": random.normal(size=2000)})
    target = encode_classes(random.integers(0, 2, 2000))
    trees = [grow(data, target, cart_recipe(min_value_weight=6.0), switches=off) for off in (0, SWITCHES["few_rows"])]
    assert difference(*trees) is None

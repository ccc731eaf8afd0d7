"""No answer is against the order that was asked for: trees, pruned trees, forests, bagging and boosting."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from long_tail import most_slow
from oracle.same_tree import assert_same_tree
from oracle.tables import Case, large_case, numeric_case, random_case
from oracle.test_parity import FIRST_SEED

from constraints.cases import constrained_case, violations
from quercus import (
    BaggingClassifier,
    BoostedClassifier,
    CARTClassifier,
    CARTRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from quercus.data import ClassTarget, Dataset
from quercus.growing.grow import grow
from quercus.predict import predict_distribution, predict_value
from quercus.pruning import keep_depth
from quercus.tree.tree import Tree

ROWS = 100_000
CHUNKS, MODELS = 20, 12


def ordered(seed: int, make: Callable[[int], Case]) -> Case | None:
    """A case with an order of answers; None: its table has no attribute for one."""
    case = constrained_case(seed, make)
    return case if case.recipe.has_order else None


def answers_of(tree: Tree) -> Callable[[Dataset], np.ndarray]:
    return lambda rows: predict_value(tree, rows) if tree.is_regression else predict_distribution(tree, rows)


def slack_of(case: Case) -> float:
    """Numbers are exact; class shares that were put between bounds, and means of parts of a row, are rounded."""
    if isinstance(case.target, ClassTarget):
        return 1e-11
    return 1e-11 * float(np.abs(case.target).max()) if case.recipe.missing == "fractional" else 0.0


def broken(case: Case, tree: Tree, n_rows: int) -> int:
    classes = case.target.classes if isinstance(case.target, ClassTarget) else None
    random = np.random.default_rng(1)
    return violations(answers_of(tree), case.dataset, case.recipe, classes, random, n_rows, slack_of(case))


@pytest.mark.parametrize("chunk", most_slow(CHUNKS, 1))
def test_trees_keep_the_order(chunk: int) -> None:
    """All kinds of columns, targets, criteria, policies and weights; 100,000 rows for each of 240 models."""
    makers = (random_case, large_case, numeric_case)
    looked_at = 0
    for seed in range(FIRST_SEED + 1000 * chunk, FIRST_SEED + 1000 * chunk + 60):
        case = ordered(seed, makers[seed % 3])
        if case is None or (makers[seed % 3] is large_case and case.dataset.n_rows > 1500):
            continue
        tree = grow(case.dataset, case.target, case.recipe, **case.arguments())
        if tree.n_nodes < 3:
            continue
        assert not broken(case, tree, ROWS if chunk else ROWS // 20), case
        for depth in range(1, tree.depth):
            assert not broken(case, keep_depth(tree, depth=depth).tree, ROWS // 20), (depth, case)
        looked_at += 1
        if looked_at == MODELS:
            return
    pytest.fail(f"only {looked_at} models")


def test_without_the_order_it_is_broken() -> None:
    """The test above can fail: trees that are grown without the order break it."""
    found = 0
    for seed in range(40):
        case = ordered(seed, numeric_case)
        if case is not None:
            free = replace(case.recipe, monotonic_cst=())
            found += broken(case, grow(case.dataset, case.target, free, **case.arguments()), 2000) > 0
    assert found > 20


@pytest.mark.parametrize("seed", range(40))
def test_nothing_changes_where_nothing_binds(seed: int) -> None:
    """A tree that keeps the order by itself is grown with the order, too."""
    random = np.random.default_rng(seed)
    n_rows = int(random.choice([30, 200, 1000]))
    x = random.integers(0, int(random.choice([3, 20, 10_000])), n_rows).astype(float)
    y = np.floor(x / max(x.max(), 1) * 5)
    table = {"x": x, "colour": random.choice(["red", "green"], n_rows)}
    signs = {"x": 1}
    if seed % 2:
        free, bound = CARTRegressor(), CARTRegressor(monotonic_cst=signs)
        assert_same_tree(free.fit(table, y).tree_, bound.fit(table, y).tree_, str(seed))
    else:
        steps = np.where(y > 2, "yes", "no")
        free, bound = CARTClassifier(), CARTClassifier(monotonic_cst=signs)
        assert_same_tree(free.fit(table, steps).tree_, bound.fit(table, steps).tree_, str(seed))


@pytest.mark.parametrize("random_thresholds", [False, True])
@pytest.mark.parametrize("classes", [False, True])
def test_nothing_changes_in_forests_where_nothing_binds(random_thresholds: bool, classes: bool) -> None:
    random = np.random.default_rng(3)
    table = {"x": random.normal(size=300), "z": random.normal(size=300), "colour": random.choice(["red", "blue"], 300)}
    kind: Any = RandomForestClassifier if classes else RandomForestRegressor
    y = table["x"] > 0.3 if classes else np.round(2 * table["x"])
    options = {"n_estimators": 8, "random_thresholds": random_thresholds, "max_features": 2}
    free = kind(**options).fit(table, y).forest_
    with_sets = kind(**options, interaction_cst=[["x", "z", "colour"]]).fit(table, y).forest_
    bound = kind(**options, monotonic_cst=[0, 1, 0] if classes else [1, 0, 0]).fit(table, y).forest_
    same = 0
    for number in range(8):
        assert_same_tree(free.tree(number), with_sets.tree(number), "one set of all")
        grown, order = free.tree(number), bound.tree(number)
        same += grown.n_nodes == order.n_nodes and bool((grown.attribute == order.attribute).all())
    assert same >= (4 if classes and not random_thresholds else 0)


# Estimators


def mixed_table(random: np.random.Generator, n_rows: int) -> dict[str, Any]:
    """Numbers, an ordered and a nominal attribute, each with unknown values."""
    size = np.where(random.random(n_rows) < 0.1, np.nan, random.integers(0, 40, n_rows) / 4)
    age = np.where(random.random(n_rows) < 0.1, np.nan, random.normal(50, 20, n_rows))
    colour = random.choice(np.array(["red", "green", "blue", None], dtype=object), n_rows)
    return {"size": size, "age": age, "noise": random.normal(size=n_rows), "colour": colour}


def score_of(random: np.random.Generator, table: dict[str, Any]) -> np.ndarray:
    size, age = np.nan_to_num(table["size"], nan=5.0), np.nan_to_num(table["age"], nan=50.0)
    wave = 2 * np.sin(size) + np.cos(age / 8) + (table["colour"] == "red")
    return np.asarray(0.3 * size - 0.04 * age + wave + random.normal(0, 0.7, len(size)))


SIGNS = {"size": 1, "age": -1}


def check_estimator(model: Any, table: dict[str, Any], label: Any, n_rows: int = ROWS) -> None:
    """The fitted model answers 100,000 rows in the order asked for; numbers to the last bit."""
    data = model.encode_rows(table)
    classes = getattr(model, "classes_", None)
    recipe = replace(model.recipe_, monotonic_cst=tuple((name, label, sign) for name, sign in SIGNS.items()))

    slack = 0.0 if classes is None else 1e-12

    def answer(rows: Dataset) -> np.ndarray:
        return np.asarray(model.model_.shares(rows, 1) if classes is not None else model.model_.answers(rows, 1))

    assert violations(answer, data, recipe, classes, np.random.default_rng(3), n_rows, slack) == 0
    if classes is not None and len(classes) == 2:

        def is_second(rows: Dataset) -> np.ndarray:
            second = (model.model_.answers(rows, 1) == classes[1]).astype(float)
            return np.column_stack([1 - second, second])

        assert violations(is_second, data, recipe, classes, np.random.default_rng(4), n_rows // 10, 0.0) == 0


CLASSIFIERS = {
    "tree": CARTClassifier(monotonic_cst=SIGNS),
    "entropy": CARTClassifier(criterion="entropy", monotonic_cst=SIGNS, min_samples_leaf=5),
    "leaves": CARTClassifier(monotonic_cst=SIGNS, max_leaf_nodes=12),
    "bins": CARTClassifier(monotonic_cst=SIGNS, max_bins=16),
    "pruned": CARTClassifier(monotonic_cst=SIGNS, ccp_alpha=0.002),
    "error_based": CARTClassifier(monotonic_cst=SIGNS, prune="error_based"),
    "reduced_error": CARTClassifier(monotonic_cst=SIGNS, prune="reduced_error"),
    "minimum_error": CARTClassifier(monotonic_cst=SIGNS, prune="minimum_error"),
    "costs": CARTClassifier(monotonic_cst=SIGNS, cost_matrix={("no", "yes"): 3.0, ("yes", "no"): 1.0}),
    "weights": CARTClassifier(monotonic_cst=SIGNS, class_weight={"no": 2, "yes": 1}),
    "threshold": CARTClassifier(monotonic_cst=SIGNS, decision_threshold=0.3),
    "most_common": CARTClassifier(monotonic_cst=SIGNS, missing="most_common"),
    "fractional": CARTClassifier(monotonic_cst=SIGNS, missing="fractional"),
    "surrogate": CARTClassifier(monotonic_cst=SIGNS, missing="surrogate"),
    "class_most_common": CARTClassifier(monotonic_cst=SIGNS, missing="class_most_common"),
    "forest": RandomForestClassifier(n_estimators=15, monotonic_cst=SIGNS),
    "votes": RandomForestClassifier(n_estimators=15, monotonic_cst=SIGNS, vote="majority"),
    "extra": RandomForestClassifier(n_estimators=15, monotonic_cst=SIGNS, random_thresholds=True),
    "extra_leaves": RandomForestClassifier(8, monotonic_cst=SIGNS, random_thresholds=True, max_leaf_nodes=9),
    "bagging": BaggingClassifier(CARTClassifier(monotonic_cst=SIGNS), n_estimators=6),
    "boosting": BoostedClassifier(CARTClassifier(monotonic_cst=SIGNS, max_depth=2), n_estimators=8),
}


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("seed", most_slow(4, 1))
def test_classifiers_keep_the_order(name: str, seed: int) -> None:
    random = np.random.default_rng(seed)
    table = mixed_table(random, 400)
    y = np.where(score_of(random, table) > 0.3, "yes", "no")
    check_estimator(CLASSIFIERS[name].fit(table, y), table, None, ROWS if seed else ROWS // 10)


REGRESSORS = {
    "tree": CARTRegressor(monotonic_cst=SIGNS),
    "weighted": CARTRegressor(monotonic_cst=SIGNS, min_samples_leaf=3),
    "poisson": CARTRegressor(criterion="poisson", monotonic_cst=SIGNS),
    "absolute": CARTRegressor(criterion="absolute_error", monotonic_cst=SIGNS),
    "pinball": CARTRegressor(criterion="pinball", quantiles=(0.2, 0.5, 0.8), monotonic_cst=SIGNS),
    "absolute_surrogate": CARTRegressor(criterion="absolute_error", monotonic_cst=SIGNS, missing="surrogate"),
    "leaves": CARTRegressor(monotonic_cst=SIGNS, max_leaf_nodes=12),
    "pruned": CARTRegressor(monotonic_cst=SIGNS, ccp_alpha=0.01),
    "forest": RandomForestRegressor(n_estimators=12, monotonic_cst=SIGNS),
    "extra": RandomForestRegressor(n_estimators=12, monotonic_cst=SIGNS, random_thresholds=True),
}


@pytest.mark.parametrize("name", REGRESSORS)
@pytest.mark.parametrize("seed", most_slow(4, 1))
def test_regressors_keep_the_order(name: str, seed: int) -> None:
    random = np.random.default_rng(100 + seed)
    table = mixed_table(random, 300)
    y = score_of(random, table)
    if name == "poisson":
        y = np.floor(np.exp(np.clip(y, -2, 2)))
    weights = random.random(300) + 0.1 if name == "weighted" else None
    check_estimator(REGRESSORS[name].fit(table, y, weights), table, None, ROWS if seed else ROWS // 10)


def test_every_quantile_keeps_the_order() -> None:
    random = np.random.default_rng(5)
    table = mixed_table(random, 400)
    model = REGRESSORS["pinball"].fit(table, score_of(random, table))
    data = model.encode_rows(table)
    for level in (0.2, 0.5, 0.8):
        answer = lambda rows, level=level: model.model_.quantiles(rows, [level], 1)  # noqa: E731
        assert violations(answer, data, model.recipe_, None, np.random.default_rng(1), 20_000, 0.0) == 0


@pytest.mark.parametrize("random_thresholds", [None, False, True])
def test_the_share_of_a_class_of_interest(random_thresholds: bool | None) -> None:
    random = np.random.default_rng(9)
    table = mixed_table(random, 500)
    y = np.array(["granted", "later", "refused"])[np.digitize(score_of(random, table), [-1.0, 1.0])]
    signs = {name: {"later": sign} for name, sign in SIGNS.items()}
    model: Any = CARTClassifier(monotonic_cst=signs)
    if random_thresholds is not None:
        model = RandomForestClassifier(10, monotonic_cst=signs, random_thresholds=random_thresholds)
    check_estimator(model.fit(table, y), table, "later")


def test_the_first_of_two_classes_is_the_opposite_of_the_second() -> None:
    random = np.random.default_rng(2)
    table = mixed_table(random, 300)
    y = np.where(score_of(random, table) > 0, "yes", "no")
    second = CARTClassifier(monotonic_cst={"size": 1}).fit(table, y)
    first = CARTClassifier(monotonic_cst={"size": {"no": -1}}).fit(table, y)
    assert_same_tree(second.tree_, first.tree_, "the same wish in two forms")
    assert_same_tree(second.tree_, CARTClassifier(monotonic_cst=[1, 0, 0, 0]).fit(table, y).tree_, "as a list")

"""C4.5's rules on odd and on large inputs: the right answer or a clear error; weights, costs, validation, threads."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from quercus import _core
from quercus.data import encode, encode_classes, encode_like
from quercus.datasets import load_play_tennis
from quercus.errors import DataError, ParameterError
from quercus.estimators.c45_rules import C45RulesClassifier
from quercus.growing.c45 import c45_recipe
from quercus.growing.cart import cart_recipe
from quercus.growing.grow import grow
from quercus.rules.path_conditions import LONGEST_PATH, path_rules
from quercus.rules.post_pruning import c45_rules


def mixed_table(n: int, seed: int = 0, noise: float = 0.2) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers and names with gaps; three classes by a rule, some labels changed at random."""
    random = np.random.default_rng(seed)
    x, z = random.normal(size=n), random.integers(0, 50, n).astype(float)
    a, b = random.choice(["p", "q", "r"], n), random.choice(list("abcdefgh"), n)
    y = np.where((x > 0) & (a == "p"), "first", np.where((z > 30) | (b == "c"), "second", "third"))
    y = np.where(random.random(n) < noise, random.choice(["first", "second", "third"], n), y)
    frame = pd.DataFrame({"x": x, "z": z, "a": a, "b": b})
    return frame.mask(random.random(frame.shape) < 0.03), y


@parametrize_with_checks(
    [C45RulesClassifier(), C45RulesClassifier(value_groups=True, missing="own_value", unknown="tree")]
)
def test_estimator_keeps_the_contract_of_scikit_learn(estimator, check) -> None:
    check(estimator)


def test_play_tennis() -> None:
    X, y = load_play_tennis()
    model = C45RulesClassifier().fit(X, y)
    assert [rule.text(figures=False) for rule in model.rules_] == [
        "IF Outlook = Sunny AND Humidity = High THEN No",
        "IF Outlook = Rain AND Wind = Strong THEN No",
        "IF Outlook = Overcast THEN Yes",
        "IF Humidity = Normal THEN Yes",
        "IF Outlook = Rain AND Wind = Weak THEN Yes",
    ]
    assert model.rules_.default_label == "Yes"
    assert np.array_equal(model.predict(X), y)
    assert model.fired(X).tolist()[:3] == [0, 0, 2]


# Odd inputs


def test_one_class_is_the_default() -> None:
    model = C45RulesClassifier().fit(pd.DataFrame({"x": [1.0, 2.0, 3.0]}), ["only"] * 3)
    assert len(model.rules_) == 0
    assert model.predict(pd.DataFrame({"x": [np.nan, 9.0]})).tolist() == ["only"] * 2
    assert model.predict_proba(pd.DataFrame({"x": [1.0]})).tolist() == [[1.0]]


def test_a_single_node_gives_the_majority() -> None:
    model = C45RulesClassifier(max_depth=0).fit(pd.DataFrame({"x": range(5)}), list("abbab"))
    assert (len(model.rules_), model.rules_.default_label) == (0, "b")
    assert model.predict_proba(pd.DataFrame({"x": [1]})) == pytest.approx(np.array([[0.4, 0.6]]))


def test_nothing_known_gives_the_majority() -> None:
    frame = pd.DataFrame({"x": [np.nan] * 4, "a": pd.Categorical([None] * 4, categories=["p", "q"])})
    model = C45RulesClassifier(kinds={"x": "numeric"}).fit(frame, list("abbb"))
    assert (len(model.rules_), model.rules_.default_label) == (0, "b")


def test_rows_without_values_get_the_default() -> None:
    X, y = mixed_table(400)
    model = C45RulesClassifier().fit(X, y)
    nothing = X.iloc[:2].mask(np.ones((2, 4), dtype=bool))
    assert model.fired(nothing).tolist() == [-1, -1]
    assert model.predict(nothing).tolist() == [model.rules_.default_label] * 2


def test_a_tree_of_ten_thousand_nodes() -> None:
    random = np.random.default_rng(3)
    data = encode({f"x{j}": random.normal(size=20_000) for j in range(4)})
    target = encode_classes(random.integers(0, 2, 20_000))
    tree = grow(data, target, cart_recipe())
    assert tree.n_nodes > 10_000
    rules = c45_rules(tree, data, target)
    assert np.mean(rules.predict(data) == target.codes) > 0.5
    assert len(rules) < tree.n_leaves


def test_a_chain_of_thousands_of_questions_is_merged_first() -> None:
    n = 6_000
    codes = (np.arange(n) % 2).astype(int)
    data, target = encode({"x": np.arange(n, dtype=float)}), encode_classes(codes)
    tree = grow(data, target, cart_recipe(max_leaf_nodes=3_000))
    lists = path_rules(tree)
    assert np.diff(lists.start).max() <= LONGEST_PATH + 1
    rules = c45_rules(tree, data, target)
    assert np.mean(rules.predict(data) == target.codes) >= 0.5


# Weights, costs, validation, unknown values, threads


def test_weights_count_as_repeated_rows() -> None:
    X, y = mixed_table(300, seed=1)
    times = np.random.default_rng(0).integers(0, 4, 300)
    weighted = C45RulesClassifier().fit(X, y, sample_weight=times)
    repeated = C45RulesClassifier().fit(X.loc[X.index.repeat(times)].reset_index(drop=True), np.repeat(y, times))
    assert weighted.rules_.text() == repeated.rules_.text()


def test_costs_move_the_answers() -> None:
    X, y = mixed_table(1500, seed=2, noise=0.4)
    y = np.where(y == "third", "second", y)
    plain = C45RulesClassifier().fit(X, y)
    careful = C45RulesClassifier(cost_matrix={("first", "second"): 8.0}).fit(X, y)
    costs = np.array([[0.0, 8.0], [1.0, 0.0]])

    def paid(model: C45RulesClassifier) -> float:
        truth = np.searchsorted(model.classes_, y)
        return float(costs[truth, np.searchsorted(model.classes_, model.predict(X))].sum())

    assert np.sum(careful.predict(X) == "first") > np.sum(plain.predict(X) == "first")
    assert paid(careful) < paid(plain)


def test_costs_of_one_change_nothing() -> None:
    X, y = mixed_table(500, seed=4)
    costs = 1.0 - np.eye(3)
    assert C45RulesClassifier(cost_matrix=costs).fit(X, y).rules_.text() == C45RulesClassifier().fit(X, y).rules_.text()


def test_validation_rows_drop_what_does_not_hold_on_them() -> None:
    X, y = mixed_table(1200, seed=5, noise=0.3)
    X_val, y_val = mixed_table(1200, seed=6, noise=0.3)
    X_new, y_new = mixed_table(3000, seed=7, noise=0.0)
    given = C45RulesClassifier().fit(X, y, X_val=X_val, y_val=y_val)
    held_out = C45RulesClassifier(validation_fraction=0.3).fit(X, y)
    again = C45RulesClassifier(validation_fraction=0.3).fit(X, y)
    for model in (given, held_out):
        assert np.mean(model.predict(X_new) == y_new) > 0.85
    assert held_out.rules_ == again.rules_


def test_the_tree_may_say_what_an_unknown_value_does() -> None:
    income = np.array([1.0, 2, 3, 4, 5, 6, 7, 8] * 5 + [np.nan] * 20)
    frame = pd.DataFrame({"income": income})
    y = np.where(np.isnan(income), "hidden", np.where(income > 4, "high", "low"))
    for unknown in ("fails", "tree"):
        model = C45RulesClassifier(missing="own_value", unknown=unknown).fit(frame, y)
        assert np.array_equal(model.predict(frame), y)


@pytest.mark.parametrize("options", [{}, {"validation_fraction": 0.25}, {"class_weight": "balanced"}])
def test_threads_do_not_change_the_rules(options) -> None:
    X, y = mixed_table(3000, seed=8, noise=0.35)
    one, three = (C45RulesClassifier(n_jobs=jobs, **options).fit(X, y) for jobs in (1, 3))
    assert one.rules_ == three.rules_
    assert len(one.rules_) > 3


def test_rules_generalise_and_are_few() -> None:
    X, y = mixed_table(3000, seed=9)
    X_new, y_new = mixed_table(3000, seed=10, noise=0.0)
    model = C45RulesClassifier().fit(X, y)
    assert np.mean(model.predict(X_new) == y_new) > 0.93
    assert 2 * len(model.rules_) < model.tree_.n_leaves


def test_a_smaller_confidence_gives_fewer_conditions() -> None:
    X, y = mixed_table(2000, seed=11, noise=0.4)
    conditions = [C45RulesClassifier(confidence=c).fit(X, y).rules_.n_conditions for c in (0.05, 0.9)]
    assert conditions[0] < conditions[1]


def test_the_figures_are_those_of_the_training_rows() -> None:
    X, y = mixed_table(800, seed=12)
    model = C45RulesClassifier().fit(X, y)
    data, target = encode_like(X, model.schema_), encode_classes(y)
    assert model.rules_.measured(data, target) == model.rules_


# Refusals


def test_wrong_arguments_are_refused() -> None:
    data, target = encode({"x": [1.0, 2.0, 3.0, 4.0]}), encode_classes(list("aabb"))
    tree = grow(data, target, c45_recipe(min_objects=1))
    with pytest.raises(ParameterError, match="confidence"):
        c45_rules(tree, data, target, confidence=0.0)
    with pytest.raises(ParameterError, match="preset"):
        c45_rules(tree, data, target, preset="c4")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="unknown"):
        c45_rules(tree, data, target, unknown="maybe")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="cost_matrix"):
        c45_rules(tree, data, target, cost_matrix=[[0.0]])
    with pytest.raises(ParameterError, match="validation"):
        c45_rules(tree, data, target, validation=(data,))
    with pytest.raises(DataError, match="one per row"):
        c45_rules(tree, data, encode_classes(list("aab")))
    with pytest.raises(DataError, match="does not know"):
        c45_rules(tree, data, encode_classes(list("aabc")))
    with pytest.raises(DataError, match="weights"):
        c45_rules(tree, data, target, weights=[1.0, 1.0, 1.0, -1.0])
    regression = grow(data, np.array([1.0, 2.0, 3.0, 4.0]), cart_recipe(criterion="squared_error"))
    with pytest.raises(DataError, match="classes"):
        c45_rules(regression, data, target)


@pytest.mark.parametrize(
    ("name", "value"),
    [("preset", "c5"), ("confidence", 2.0), ("unknown", "no"), ("validation_fraction", 1.0), ("random_state", "x")],
)
def test_wrong_parameters_are_refused(name: str, value: object) -> None:
    with pytest.raises(ParameterError, match=name):
        C45RulesClassifier(**{name: value}).fit(pd.DataFrame({"x": [1, 2]}), ["a", "b"])


def test_half_a_validation_table_is_refused() -> None:
    with pytest.raises(DataError, match="y_val is None"):
        C45RulesClassifier().fit(pd.DataFrame({"x": [1, 2]}), ["a", "b"], X_val=pd.DataFrame({"x": [1]}))


def test_the_core_refuses_what_does_not_fit() -> None:
    i32, i64, f64 = np.int32, np.int64, np.float64
    columns = (np.array([1.0, 2.0]),)
    conditions = (
        np.array([0], i32),
        np.array([0], np.uint8),
        np.array([0], np.uint8),
        np.array([1.0]),
        np.zeros(2, i64),
        np.zeros(0, i32),
    )
    rules = (np.array([0, 1], i64), np.array([0], i32), np.array([0], i32))
    start, rows = _core.cover_rows(columns, 2, conditions, rules)
    assert (start.tolist(), rows.tolist()) == ([0, 1], [0])
    wrong_attribute = (np.array([3], i32), *conditions[1:])
    wrong_kind = (conditions[0], np.array([9], np.uint8), *conditions[2:])
    codes_of_numbers = (conditions[0], np.array([2], np.uint8), *conditions[2:])
    for broken in (wrong_attribute, wrong_kind, codes_of_numbers, conditions[:5]):
        with pytest.raises(ValueError):
            _core.cover_rows(columns, 2, broken, rules)
    for broken in ((rules[0], np.array([7], i32), rules[2]), (np.array([0, 5], i64), *rules[1:]), rules[:2]):
        with pytest.raises(ValueError):
            _core.cover_rows(columns, 2, conditions, broken)
    covers = (np.array([0, 1], i64), np.array([5], i32))
    with pytest.raises(ValueError, match="rows"):
        _core.choose_subsets(covers, np.zeros(1, i32), np.zeros(2, i32), 1, None, np.zeros(1, f64))

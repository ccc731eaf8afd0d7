"""PART as a learner: cases worked by hand, unknown values, weights, costs, and tables with nothing to learn from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

from quercus.data import encode, encode_classes
from quercus.datasets import load_play_tennis
from quercus.errors import DataError, ParameterError
from quercus.estimators.part import PARTClassifier
from quercus.rules.part import part


@parametrize_with_checks([PARTClassifier(), PARTClassifier(prune=False, class_weight="balanced")])  # type: ignore[untyped-decorator]
def test_estimator_keeps_the_contract_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


OVERCAST, HIGH = "IF Outlook = Overcast THEN Yes (4, 1.00)", "IF Humidity = High AND Outlook = Sunny THEN No (3, 1.00)"
WEAK, RAIN = "IF Wind = Weak THEN Yes (4, 1.00)", "IF Outlook = Rain THEN No (2, 1.00)"

#: options of ``java -cp weka.jar weka.classifiers.rules.PART -t play_tennis.arff -no-cv …`` and the list it printed
WEKA_LISTS = [
    ({}, [OVERCAST, "IF Humidity = High THEN No (5, 0.80)"], "Yes", 12),
    ({"prune": False}, [OVERCAST, HIGH, WEAK], "No", 13),  # -U
    ({"prune": False, "min_objects": 1}, [OVERCAST, HIGH, WEAK, RAIN], "Yes", 14),  # -U -M 1
    ({"min_objects": 1}, [OVERCAST, HIGH, WEAK, RAIN], "Yes", 14),  # -M 1
]


@pytest.mark.parametrize(("options", "rules", "default", "correct"), WEKA_LISTS)
def test_play_tennis_gives_the_list_that_weka_prints(
    options: dict[str, Any], rules: list[str], default: str, correct: int
) -> None:
    """With a minimum of 1 the list is consistent; with 2 the three rows left at the end are too few to split."""
    X, y = load_play_tennis()
    model = PARTClassifier(**options).fit(X, y)
    assert [str(rule) for rule in model.rules_] == rules
    assert model.rules_.default_label == default
    assert (model.predict(X) == np.asarray(y)).sum() == correct


def test_six_rows_by_hand() -> None:
    """Cut 48: gain 0.459 − log2(3)/6 = 0.195. Of the leaves {40, 48}, {60, 72}, {80, 90}, equal, the first is taken."""
    data = encode({"x": [40, 48, 60, 72, 80, 90]})
    rules = part(data, encode_classes(["No", "No", "Yes", "Yes", "Yes", "No"]), prune=False)
    assert [str(rule) for rule in rules] == ["IF x <= 48 THEN No (2, 1.00)", "IF x <= 72 THEN Yes (2, 1.00)"]
    assert (rules.default_label, rules.default_weights) == ("No", (1.0, 1.0))


def test_pruning_replaces_branches_that_promise_no_fewer_errors() -> None:
    """A pure leaf of 2 expects 2(1 − √0.25) = 1 error, two of them 2; so 4 rows with 1 error (2.19) need no split."""
    data, y = encode({"x": [1, 2, 3, 4]}), encode_classes(["a", "a", "a", "b"])
    assert len(part(data, y)) == 0
    assert len(part(data, y, prune=False)) == 1


def test_conditions_on_one_attribute_are_one_interval() -> None:
    x = np.arange(60)
    rules = part(encode({"x": x}), encode_classes(np.where((x >= 20) & (x < 40), "in", "out")))
    texts = [rule.text(figures=False) for rule in rules]
    assert all(text.count("x") == 1 for text in texts)
    assert (rules.predict(encode({"x": x})) == np.where((x >= 20) & (x < 40), 0, 1)).all()


def test_weight_three_is_three_copies() -> None:
    matrix, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    matrix[rng.random(matrix.shape) < 0.1] = np.nan
    weights = rng.integers(0, 4, len(y))
    weighed = PARTClassifier().fit(matrix, y, sample_weight=weights)
    copied = PARTClassifier().fit(np.repeat(matrix, weights, axis=0), np.repeat(y, weights))
    assert weighed.rules_ == copied.rules_


def test_figures_are_what_each_rule_decides_on_the_training_rows() -> None:
    matrix, y = load_iris(return_X_y=True)
    matrix[::7, 2] = np.nan
    model = PARTClassifier().fit(matrix, y)
    fired = model.fired(matrix)
    for position, rule in enumerate(model.rules_):
        assert rule.class_weights == tuple(np.bincount(y[fired == position], minlength=3))
    assert model.rules_.default_weights == tuple(np.bincount(y[fired == -1], minlength=3))


def test_unknown_fails_a_condition() -> None:
    X, y = load_play_tennis()
    model = PARTClassifier(prune=False).fit(X, y)
    nothing = pd.DataFrame([dict.fromkeys(X.columns)]) if hasattr(X, "columns") else {name: [None] for name in X}
    assert model.fired(nothing).tolist() == [-1]
    assert model.predict(nothing)[0] == model.rules_.default_label


@pytest.mark.parametrize(
    ("table", "y"),
    [
        ({"x": [1, 2, 3, 4]}, ["a"] * 4),
        ({"x": [1]}, ["a"]),
        ({"x": [None] * 6, "c": [None] * 6}, ["a", "b", "a", "a", "b", "a"]),
        ({"x": [5] * 6, "c": ["u"] * 6}, ["b", "a", "a", "a", "b", "a"]),
    ],
    ids=["one class", "one row", "all unknown", "constant"],
)
def test_nothing_to_learn_from_gives_the_default_alone(table: dict[str, Any], y: list[str]) -> None:
    kinds: dict[str, Any] = {"x": "numeric"} | ({"c": "nominal"} if "c" in table else {})
    rules = part(encode(table, kinds=kinds), encode_classes(y))
    assert (len(rules), rules.default_label) == (0, "a")


def test_costs_move_the_answer_to_the_dear_class() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(400, 2))
    y = np.where(x[:, 0] + rng.normal(size=400) > 0.5, "ill", "well")
    plain = PARTClassifier().fit(x, y).predict(x)
    model = PARTClassifier(cost_matrix={("ill", "well"): 10.0}).fit(x, y)
    missed = [((answer == "well") & (y == "ill")).sum() for answer in (plain, model.predict(x))]
    assert missed[1] < missed[0] / 2


def test_two_fits_give_the_same_list() -> None:
    matrix, y = load_iris(return_X_y=True)
    assert PARTClassifier().fit(matrix, y).rules_ == PARTClassifier().fit(matrix, y).rules_


def test_every_row_alone_ends() -> None:
    """10,000 rows of noise: many rules, and each covers something."""
    rng = np.random.default_rng(0)
    rules = part(encode({"x": rng.normal(size=10_000)}), encode_classes(rng.integers(0, 2, 10_000)), prune=False)
    assert all(rule.covered > 0 for rule in rules)
    assert sum(rule.covered for rule in rules) + sum(rules.default_weights or ()) == 10_000


def test_a_progress_function_that_raises_stops_the_fit() -> None:
    class StoppedError(Exception):
        pass

    def stop(done: int, total: int, rules: int) -> None:
        raise StoppedError

    rng = np.random.default_rng(0)
    X = rng.normal(size=(40_000, 4))
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=40_000) > 0
    model = PARTClassifier(prune=False, progress=stop)
    with pytest.raises(StoppedError):
        model.fit(X, y)
    assert not hasattr(model, "rules_")


@pytest.mark.parametrize("wrong", [{"confidence": 0.0}, {"confidence": 1.5}, {"min_objects": 0}, {"prune": "c45"}])
def test_wrong_parameters_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        PARTClassifier(**wrong).fit([[1.0], [2.0]], ["a", "b"])


def test_wrong_weights_are_refused() -> None:
    data, target = encode({"x": [1, 2]}), encode_classes(["a", "b"])
    with pytest.raises(DataError, match="weight 0"):
        part(data, target, weights=np.zeros(2))
    with pytest.raises(DataError, match="not negative"):
        part(data, target, weights=np.array([1.0, -1.0]))

"""The reference grower: user-written measures, one node as data, and what it refuses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from oracle.same_tree import assert_same_tree
from oracle.tables import random_case

from quercus.data import Attribute, ClassTarget, Dataset, Schema, encode, encode_classes
from quercus.datasets import load_play_tennis, load_restaurant
from quercus.errors import DataError, ParameterError
from quercus.growing.c45 import c45_recipe
from quercus.growing.id3 import id3_recipe
from quercus.growing.recipe import Recipe
from quercus.growing.reference.grower import evaluate_node, grow_reference

TABLE = Dataset(
    Schema((Attribute("x", "numeric"), Attribute("v", "nominal", ("p", "q")))),
    (np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 1, 0, 1], dtype=np.int32)),
    4,
)
LABELS = ClassTarget(np.array(["no", "yes"]), np.array([0, 0, 1, 1], dtype=np.int32))
NUMBERS = np.array([1.0, 2.0, 3.0, 5.0])


# User-written measures


def information_gain(parent: np.ndarray, branches: np.ndarray) -> float:
    """As a student would write it."""

    def entropy(weights: np.ndarray) -> float:
        shares = weights[weights > 0] / weights.sum()
        return float(-(shares * np.log2(shares)).sum())

    left = [branch for branch in branches if branch.sum() > 0]
    return entropy(parent) - sum(branch.sum() / parent.sum() * entropy(branch) for branch in left)


def test_measure_written_as_information_gain_gives_the_tree_of_entropy() -> None:
    for seed in range(60):
        case = random_case(seed)
        if case.recipe.is_regression or case.class_multipliers is not None or case.cost_matrix is not None:
            continue
        recipe = replace(case.recipe, criterion="entropy")
        usual = grow_reference(case.dataset, case.target, recipe, weights=case.weights)
        mine = grow_reference(case.dataset, case.target, recipe, weights=case.weights, measure=information_gain)
        assert_same_tree(usual, mine, str(case))


def test_any_measure_can_be_tried() -> None:
    """The worst tree: the split that gains least is preferred."""
    X, y = load_play_tennis()
    worst = grow_reference(
        encode(X),
        encode_classes(y),
        id3_recipe(),
        measure=lambda parent, branches: 1 - information_gain(parent, branches),
    )
    best = grow_reference(encode(X), encode_classes(y), id3_recipe())
    assert worst.schema[int(worst.attribute[0])].name == "Temperature"
    assert worst.n_nodes > best.n_nodes


# One node as data


def test_gains_of_play_tennis() -> None:
    X, y = load_play_tennis()
    decision = evaluate_node(encode(X), encode_classes(y), id3_recipe())
    gains = {X.columns[candidate.attribute]: round(candidate.gain, 4) for candidate in decision.candidates}
    assert gains == {"Outlook": 0.2467, "Temperature": 0.0292, "Humidity": 0.1518, "Wind": 0.0481}
    assert decision.split is not None and X.columns[decision.split.attribute] == "Outlook"


def test_gains_under_sunny() -> None:
    X, y = load_play_tennis()
    sunny = np.flatnonzero(X["Outlook"] == "Sunny")
    decision = evaluate_node(encode(X), encode_classes(y), id3_recipe(), rows=sunny, used=[0], depth=1)
    gains = {X.columns[candidate.attribute]: round(candidate.gain, 3) for candidate in decision.candidates}
    assert gains == {"Temperature": 0.571, "Humidity": 0.971, "Wind": 0.02}


def test_root_of_the_restaurant_is_patrons() -> None:
    X, y = load_restaurant()
    decision = evaluate_node(encode(X), encode_classes(y), id3_recipe())
    gains = {X.columns[candidate.attribute]: candidate.gain for candidate in decision.candidates}
    assert gains["Type"] == pytest.approx(0.0, abs=1e-12)
    assert round(gains["Pat"], 3) == 0.541
    assert decision.split is not None and X.columns[decision.split.attribute] == "Pat"


def test_rows_of_weight_zero_keep_their_numbers() -> None:
    weights = np.array([0.0, 1.0, 1.0, 1.0])
    decision = evaluate_node(TABLE, LABELS, Recipe(name=""), rows=[0, 1, 2], weights=weights)
    assert decision.chosen is not None
    assert decision.chosen.branches[:, 1].tolist() == [1.0, 1.0]
    assert decision.chosen.threshold == 2.5


def test_date_wins_by_gain_and_loses_by_ratio() -> None:
    X, y = load_play_tennis()
    X = X.assign(Date=[f"day {i}" for i in range(len(X))])
    by_gain = evaluate_node(encode(X), encode_classes(y), id3_recipe())
    assert by_gain.chosen is not None and X.columns[by_gain.chosen.attribute] == "Date"
    by_ratio = evaluate_node(encode(X), encode_classes(y), replace(id3_recipe(), selection="gain_ratio"))
    date = by_ratio.candidates[-1]
    assert date.split_information == pytest.approx(np.log2(14))
    assert date.worth == pytest.approx(date.gain / np.log2(14))
    by_c45 = evaluate_node(encode(X), encode_classes(y), c45_recipe())
    assert by_c45.chosen is not None and X.columns[by_c45.chosen.attribute] == "Outlook"


@pytest.mark.parametrize(
    ("choices", "reason"),
    [
        ({"max_depth": 0}, "the depth is max_depth"),
        ({"min_objects": 2.5}, "the weight is below 2 · min_objects"),
        ({"min_weight_leaf": 2.5}, "the weight is below 2 · min_weight_leaf"),
        ({"min_samples_split": 5}, "there are fewer rows than min_samples_split"),
        ({"min_samples_leaf": 3}, "no attribute has an admissible split"),
        ({"selection": "gain_ratio", "min_split_info": 5.0}, "no attribute passes the gate"),
        ({"min_gain": 1.5}, "the gain is below min_gain"),
        ({"min_impurity_decrease": 1.5}, "the decrease of impurity is below min_impurity_decrease"),
        ({"significance": 0.001}, "the split is not significant"),
        ({}, ""),
    ],
)
def test_a_leaf_has_a_reason(choices: dict[str, Any], reason: str) -> None:
    decision = evaluate_node(TABLE, LABELS, Recipe(name="", **choices))
    assert decision.reason == reason
    assert (decision.split is None) == bool(reason)


def test_pure_and_useless_nodes_have_a_reason() -> None:
    assert evaluate_node(TABLE, LABELS, Recipe(name=""), rows=[0, 1]).reason == "all values of the target are the same"
    useless = Dataset(Schema(TABLE.schema.attributes[1:]), TABLE.columns[1:], 4)
    assert evaluate_node(useless, LABELS, Recipe(name="", require_gain=True)).reason == "the split gains nothing"


# What is refused


@pytest.mark.parametrize(
    ("choices", "word"),
    [
        ({"max_bins": 255}, "max_bins"),
        ({"missing": "surrogate"}, "nominal='subset'"),
        ({"selection": "tan_schlimmer"}, "cost of 'x' is 0"),
        ({"criterion": "squared_error"}, "does not fit a target of classes"),
        ({"criterion": "chaos"}, "must be one of entropy"),
    ],
)
def test_contradicting_choices_are_refused(choices: dict[str, Any], word: str) -> None:
    with pytest.raises(ParameterError, match=word):
        grow_reference(TABLE, LABELS, Recipe(name="", **choices))


@pytest.mark.parametrize(
    "choices",
    [
        {"selection": "gain_ratio"},
        {"significance": 0.05},
        {"collapse": "bottom_up"},
        {"missing": "class_most_common"},
        {"nominal": "grouped"},
    ],
    ids=str,
)
def test_what_needs_classes_is_refused_for_numbers(choices: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=next(iter(choices))):
        grow_reference(TABLE, NUMBERS, Recipe(name="", criterion="squared_error", **choices))
    with pytest.raises(ParameterError, match="does not fit a target of numbers"):
        grow_reference(TABLE, NUMBERS, Recipe(name=""))


def test_costs_and_measures_of_numbers_are_refused() -> None:
    recipe = Recipe(name="", criterion="squared_error")
    with pytest.raises(ParameterError, match="cost_matrix"):
        grow_reference(TABLE, NUMBERS, recipe, cost_matrix=np.ones((2, 2)))
    with pytest.raises(ParameterError, match="class_multipliers"):
        grow_reference(TABLE, NUMBERS, recipe, class_multipliers=np.ones(2))
    with pytest.raises(ParameterError, match="measure"):
        grow_reference(TABLE, NUMBERS, recipe, measure=information_gain)


@pytest.mark.parametrize("costs", [np.ones((3, 3)), np.array([[0.0, -1.0], [1.0, 0.0]]), np.full((2, 2), np.nan)])
def test_cost_matrix_must_be_square_and_not_negative(costs: np.ndarray) -> None:
    with pytest.raises(ParameterError, match="cost_matrix must be 2 × 2"):
        grow_reference(TABLE, LABELS, Recipe(name=""), cost_matrix=costs)


@pytest.mark.parametrize(
    ("weights", "word"),
    [
        ([1.0, 1.0], "shape"),
        ([1.0, -1.0, 1.0, 1.0], "negative"),
        ([1.0, np.nan, 1.0, 1.0], "NaN"),
        ([1.0, np.inf, 1.0, 1.0], "infinite"),
        ([0.0, 0.0, 0.0, 0.0], "at least one row"),
    ],
    ids=str,
)
def test_weights_must_be_weights(weights: list[float], word: str) -> None:
    with pytest.raises(DataError, match=word):
        grow_reference(TABLE, LABELS, Recipe(name=""), weights=np.array(weights))


@pytest.mark.parametrize(
    ("y", "criterion", "word"),
    [
        ([1.0, 2.0, 3.0], "squared_error", "shape"),
        ([1.0, np.nan, 3.0, 4.0], "squared_error", "NaN"),
        ([1.0, -2.0, 3.0, 4.0], "poisson", "at least 0"),
        ([1e200, -1e200, 0.0, 1.0], "absolute_error", "Scale the target"),
    ],
    ids=str,
)
def test_targets_that_cannot_be_used_are_refused(y: list[float], criterion: Any, word: str) -> None:
    with pytest.raises(DataError, match=word):
        grow_reference(TABLE, np.array(y), Recipe(name="", criterion=criterion))


def test_no_attribute_gives_a_leaf() -> None:
    tree = grow_reference(Dataset(Schema(()), (), 4), LABELS, Recipe(name=""))
    assert tree.value.tolist() == [[2.0, 2.0]]

"""The lecture's trees: ID3, C4.5 and CART on the textbook tables, to the letter."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from quercus import C45Classifier, CARTClassifier, ID3Classifier
from quercus.datasets import (
    load_income_example,
    load_order_example,
    load_play_tennis,
    load_restaurant,
    load_temperature_example,
    load_threshold_example,
)
from quercus.growing.c45 import c45_recipe
from quercus.growing.cart import cart_recipe
from quercus.growing.id3 import id3_recipe
from quercus.rules import class_formula


def as_formula(tree: Any, label: str) -> set[frozenset[str]]:
    """The paths to the leaves of a class: a disjunction of conjunctions."""
    return {
        frozenset(step.text for step in leaf.path())
        for leaf in tree.tree_.leaves()
        if leaf.label == label and leaf.weight
    }


PLAY_TENNIS_FORMULA = {
    frozenset({"Outlook = Sunny", "Humidity = Normal"}),
    frozenset({"Outlook = Overcast"}),
    frozenset({"Outlook = Rain", "Wind = Weak"}),
}


@pytest.mark.parametrize(
    "estimator", [ID3Classifier(), C45Classifier(), C45Classifier(preset="r8"), C45Classifier(preset="j48")]
)
def test_play_tennis_tree_is_the_formula_of_the_lecture(estimator: Any) -> None:
    X, y = load_play_tennis()
    tree = estimator.fit(X, y)
    assert as_formula(tree, "Yes") == PLAY_TENNIS_FORMULA
    assert (tree.tree_.n_nodes, tree.get_n_leaves(), tree.get_depth()) == (8, 5, 2)
    assert tree.score(X, y) == 1.0


PLAY_TENNIS_TEXT = """\
Outlook = Overcast: Yes (4)
Outlook = Rain
|   Wind = Strong: No (2)
|   Wind = Weak: Yes (3)
Outlook = Sunny
|   Humidity = High: No (3)
|   Humidity = Normal: Yes (2)"""


@pytest.mark.parametrize("estimator", [ID3Classifier(), C45Classifier()])
def test_play_tennis_tree_is_printed_to_the_letter(estimator: Any) -> None:
    X, y = load_play_tennis()
    assert str(estimator.fit(X, y)) == PLAY_TENNIS_TEXT
    assert estimator.schema_.target == "PlayTennis"
    assert estimator.schema_.classes == ("No", "Yes")


def test_play_tennis_gains_are_in_the_tree() -> None:
    X, y = load_play_tennis()
    tree = ID3Classifier().fit(X, y).tree_
    assert round(tree.root.gain, 4) == 0.2467
    sunny = next(child for child in tree.root.children if child.path()[-1].text == "Outlook = Sunny")
    assert (sunny.attribute.name, round(sunny.gain, 3)) == ("Humidity", 0.971)


def test_one_more_noisy_example_makes_a_larger_tree() -> None:
    X, y = load_play_tennis()
    noisy_X, noisy_y = load_play_tennis(d15=True)
    tree, larger = ID3Classifier().fit(X, y), ID3Classifier().fit(noisy_X, noisy_y)
    assert larger.tree_.n_nodes > tree.tree_.n_nodes
    assert larger.get_depth() == 3
    assert larger.score(noisy_X, noisy_y) == 1.0
    # under Sunny, Temperature now gains 0.585 and Humidity 0.459
    assert (
        str(larger).split("Outlook = Sunny\n")[1]
        == """\
|   Temperature = Cool: Yes (1)
|   Temperature = Hot: No (3)
|   Temperature = Mild
|   |   Humidity = High: No (1)
|   |   Humidity = Normal: Yes (1)"""
    )


def test_pruning_on_validation_days_takes_the_larger_tree_back() -> None:
    X, y = load_play_tennis()
    noisy_X, noisy_y = load_play_tennis(d15=True)
    model = C45Classifier(min_objects=1, prune="reduced_error").fit(noisy_X, noisy_y, X_val=X, y_val=y)
    assert (model.unpruned_tree_.n_nodes, model.tree_.n_nodes) == (11, 8)
    assert as_formula(model, "Yes") == PLAY_TENNIS_FORMULA
    assert str(class_formula(model.tree_, "Yes")) == (
        "Yes = (Outlook = Overcast) ∨ (Outlook = Rain ∧ Wind = Weak) ∨ (Outlook = Sunny ∧ Humidity = Normal)"
    )
    # ID3 has put Temperature under Sunny; four new sunny days that are too humid make it a leaf
    new = {"Outlook": ["Sunny"] * 4, "Temperature": ["Cool", "Cool", "Hot", "Mild"], "Humidity": ["High"] * 4,
           "Wind": ["Weak", "Strong"] * 2}  # fmt: skip
    id3 = ID3Classifier(prune=True).fit(noisy_X, noisy_y, X_val=new, y_val=["No"] * 4)
    assert (id3.unpruned_tree_.n_nodes, id3.score(new, ["No"] * 4)) == (11, 1.0)
    assert id3.tree_.n_nodes < 8


def test_c45_prunes_play_tennis_no_further() -> None:
    X, y = load_play_tennis()
    for preset in ("c45", "r8", "j48"):
        model = C45Classifier(preset=preset).fit(X, y)
        assert model.tree_ == model.unpruned_tree_ and model.pruning_.removals == ()


def test_order_example_asks_outlook_only() -> None:
    X, y = load_order_example()
    tree = ID3Classifier().fit(X, y).tree_
    assert (tree.root.attribute.name, tree.n_nodes, tree.root.gain) == ("Outlook", 3, 1.0)


def test_restaurant_root_is_patrons() -> None:
    X, y = load_restaurant()
    tree = ID3Classifier().fit(X, y)
    assert tree.tree_.root.attribute.name in ("Pat", "Patrons")
    assert round(tree.tree_.root.gain, 3) == 0.541
    assert "None" in tree.tree_.root.attribute.values
    assert tree.score(X, y) == 1.0


def test_temperature_is_cut_half_way_at_54() -> None:
    X, y = load_temperature_example()
    tree = ID3Classifier(max_depth=1).fit(X, y).tree_
    # 54 and 85 are the candidates; 54 gains 0.459, 85 gains 0.191
    assert tree.threshold[0] == 54.0


def test_threshold_example_splits_at_4_5_into_5_of_6_and_4_of_10() -> None:
    X, y = load_threshold_example()
    tree = ID3Classifier(form="threshold", max_depth=1).fit(X, y)
    assert tree.tree_.threshold[0] == 4.5
    shares = tree.predict_proba(X)[:, 1]
    assert np.allclose(sorted(set(shares.tolist())), [4 / 10, 5 / 6])
    assert (shares > 0.5).sum() == 6


def test_an_example_without_x_gets_0_5625() -> None:
    X, y = load_threshold_example()
    tree = ID3Classifier(form="threshold", max_depth=1, missing="fractional").fit(X, y)
    unknown = tree.predict_proba({"x": [None]})
    assert unknown[0, 1] == pytest.approx(5 / 6 * 6 / 16 + 4 / 10 * 10 / 16)
    assert unknown[0, 1] == pytest.approx(0.5625)


def test_income_example_decides_yes_at_0_6() -> None:
    # two leaves with 75 % and 50 % Yes, half of the weight each: an unknown income gets 62.5 %
    X, y = load_income_example()
    unknown = {"Income": [None]}
    tree = CARTClassifier(max_depth=1, missing="fractional", decision_threshold=0.6).fit(X, y)
    assert str(tree.tree_) == "Income in {High, Medium}: No (4: 2 No, 2 Yes)\nIncome = Low: Yes (4: 3 Yes, 1 No)"
    assert tree.predict_proba(unknown)[0].tolist() == [0.375, 0.625]
    assert tree.predict(unknown).tolist() == ["Yes"]
    assert tree.set_params(decision_threshold=0.65).predict(unknown).tolist() == ["No"]


def test_a_date_different_in_every_row_loses_under_gain_ratio() -> None:
    X, y = load_play_tennis()
    dated = {"Date": [f"day {i}" for i in range(len(y))], **{name: list(X[name]) for name in X}}
    assert ID3Classifier().fit(dated, y).tree_.root.attribute.name == "Date"
    assert C45Classifier().fit(dated, y).tree_.root.attribute.name == "Outlook"


FUNCTIONS = {
    "and": all,
    "or": any,
    "xor": lambda bits: sum(bits) == 1,
    "parity": lambda bits: sum(bits) % 2 == 1,
    "majority": lambda bits: sum(bits) * 2 > len(bits),
    "true": lambda bits: True,
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("estimator", [ID3Classifier(), ID3Classifier(form="threshold"), CARTClassifier()])
def test_every_boolean_function_is_learned(estimator: Any, name: str) -> None:
    rows = list(product([False, True], repeat=2 if name == "xor" else 4))
    y = [FUNCTIONS[name](row) for row in rows]
    for table in (rows, [[int(bit) for bit in row] for row in rows]):
        assert estimator.fit(np.array(table), y).score(np.array(table), y) == 1.0


def test_epsilon_stops_where_nothing_is_learned() -> None:
    X, y = load_play_tennis()
    assert ID3Classifier(epsilon=0.3).fit(X, y).tree_.n_nodes == 1
    assert ID3Classifier(epsilon=0.2).fit(X, y).tree_.n_nodes == 8


def test_significance_stops_where_a_split_may_be_chance() -> None:
    X, y = load_play_tennis()
    # chi-square of Outlook is 3.547 with 2 degrees of freedom: p = 0.17
    assert ID3Classifier(significance=0.1).fit(X, y).tree_.n_nodes == 1
    assert ID3Classifier(significance=0.2).fit(X, y).tree_.root.attribute.name == "Outlook"


def test_recipes_are_compared_by_their_fields() -> None:
    assert set(c45_recipe("j48").differences(c45_recipe("r8"))) == {
        "name", "collapse", "empty_leaf", "require_gain", "min_split_info",
    }  # fmt: skip
    assert id3_recipe().nominal == c45_recipe().nominal == "multiway"
    assert c45_recipe(value_groups=True).nominal == "grouped"
    assert (cart_recipe().nominal, cart_recipe().criterion, cart_recipe().threshold) == ("subset", "gini", "midpoint")
    assert (c45_recipe().selection, c45_recipe().gate, c45_recipe(selection="gain").gate) == ("gain_ratio", True, False)

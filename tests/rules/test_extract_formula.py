"""Formulas: a class as a disjunction of conjunctions says the same as the tree, in few words."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from long_tail import most_slow

from quercus.data import ClassTarget, Dataset, encode, encode_classes
from quercus.data.schema import Attribute, Schema
from quercus.datasets import load_play_tennis, load_restaurant
from quercus.errors import DataError, ParameterError
from quercus.growing.cart import cart_recipe
from quercus.growing.grow import grow
from quercus.growing.id3 import id3_recipe
from quercus.predict import apply, label_codes, predict_distribution
from quercus.rules import Formula, Interval, Rule, ValueSet, class_formula, extract_rules
from quercus.rules.formula import simplified
from quercus.tree import Tree


def parts(formula: Formula) -> set[frozenset[str]]:
    return {frozenset(condition.text() for condition in conjunction) for conjunction in formula.conjunctions}


def play_tennis() -> tuple[Tree, Dataset]:
    X, y = load_play_tennis()
    data = encode(X)
    return grow(data, encode_classes(y), id3_recipe()), data


def test_the_lectures_formula_of_play_tennis() -> None:
    tree, _ = play_tennis()
    yes = class_formula(tree, "Yes")
    assert parts(yes) == {
        frozenset({"Outlook = Overcast"}),
        frozenset({"Outlook = Rain", "Wind = Weak"}),
        frozenset({"Outlook = Sunny", "Humidity = Normal"}),
    }
    assert yes.text().startswith("Yes = (Outlook = ") and yes.text().count(" ∨ ") == 2
    assert r"\text{Outlook} = \text{Rain} \land \text{Wind} = \text{Weak}" in yes.latex()
    assert parts(class_formula(tree, "No")) == {
        frozenset({"Outlook = Rain", "Wind = Strong"}),
        frozenset({"Outlook = Sunny", "Humidity = High"}),
    }


@pytest.mark.parametrize("seed", most_slow(120, 30))
def test_a_formula_says_what_the_tree_says_for_every_combination_of_values(seed: int) -> None:
    random = np.random.default_rng(seed)
    sizes = random.integers(2, 5, int(random.integers(2, 5))).tolist()
    cells = np.array(list(product(*[range(size) for size in sizes])))
    attributes = tuple(
        Attribute(f"a{i}", "ordered" if random.random() < 0.3 else "nominal", tuple("pqrs"[:size]))
        for i, size in enumerate(sizes)
    )
    columns = [
        np.ascontiguousarray(column.astype(np.float64 if attribute.is_numeric else np.int32))
        for attribute, column in zip(attributes, cells.T, strict=True)
    ]
    everything = Dataset(Schema(attributes), tuple(columns), len(cells))
    classes = ClassTarget(np.array(["x", "y", "z"]), random.integers(0, 3, len(cells)).astype(np.int32))
    rows = np.flatnonzero(random.random(len(cells)) < 0.7) if seed % 2 else np.arange(len(cells))
    recipes = [id3_recipe(), cart_recipe(), replace(id3_recipe(), nominal="grouped", max_depth=3)]
    known = ClassTarget(classes.classes, classes.codes[rows])
    tree = grow(everything.take(rows), known, recipes[seed % 3])
    answers = label_codes(predict_distribution(tree, everything))
    reached = apply(tree, everything)
    covered = np.any([rule.covers(everything) for rule in extract_rules(tree)], axis=0)
    for code, label in enumerate(tree.classes):
        formula = class_formula(tree, label)
        assert np.array_equal(formula.holds(everything)[covered], (answers == code)[covered]), (formula, reached)
        assert not formula.holds(everything)[~covered].any()
        assert Formula.from_dict(json.loads(json.dumps(formula.to_dict())), tree.schema) == formula
        n_leaves = sum(rule.label == label for rule in extract_rules(tree))
        assert len(formula) <= n_leaves


A = Attribute("a", "nominal", values=("p", "q", "r"))
B = Attribute("b", "nominal", values=("u", "v"))
X = Attribute("x", "numeric")


def test_neighbours_are_joined_and_what_is_always_so_is_dropped() -> None:
    halves = [(ValueSet(A, [0]), ValueSet(B, [0])), (ValueSet(A, [0]), ValueSet(B, [1]))]
    assert simplified(halves) == ((ValueSet(A, [0]),),)
    cuts = [(Interval(X, high=1.0),), (Interval(X, 1.0, 2.0),), (Interval(X, 5.0, 6.0),)]
    assert simplified(cuts) == ((Interval(X, high=2.0),), (Interval(X, 5.0, 6.0),))
    whole = [(ValueSet(A, [0]),), (ValueSet(A, [1, 2]), ValueSet(B, [0])), (ValueSet(A, [1, 2]), ValueSet(B, [1]))]
    assert simplified(whole) == ((),)


def test_what_another_conjunction_contains_is_dropped() -> None:
    narrow = (ValueSet(A, [0]), Interval(X, 1.0, 2.0))
    wide = (ValueSet(A, [0, 1]), Interval(X, 0.0, 3.0))
    other = (Interval(X, 2.5),)
    assert simplified([narrow, wide, other, wide]) == (wide, other)


def test_known_stays_where_unknown_is_asked_for() -> None:
    data = encode({"income": [1.0, 2.0, None, None, 3.0], "x": [1.0, 2.0, 1.0, 2.0, 2.0]})
    tree = grow(data, encode_classes(["a", "a", "b", "a", "a"]), replace(cart_recipe(), missing="own_value"))
    formula = class_formula(tree, "a")
    assert "known" in formula.text()
    assert formula.holds(data).tolist() == [True, True, False, True, True]


def test_always_and_never() -> None:
    tree = grow(encode({"x": [1.0, 2.0]}), ClassTarget(np.array(["n", "y"]), np.array([1, 1], np.int32)), cart_recipe())
    assert (class_formula(tree, "y").text(), class_formula(tree, "n").text()) == ("y = always", "n = never")
    assert class_formula(tree, "y").latex() == r"\text{y} \Leftrightarrow \top"
    assert class_formula(tree, "n").latex() == r"\text{n} \Leftrightarrow \bot"


def test_formulas_of_rules_and_wrong_calls() -> None:
    tree, data = play_tennis()
    assert class_formula(extract_rules(tree), "Yes") == class_formula(tree, "Yes")
    with pytest.raises(ParameterError, match="'Maybe' is no class"):
        class_formula(tree, "Maybe")
    with pytest.raises(ParameterError, match="answer numbers"):
        class_formula([Rule((), 3.0)], "Yes")
    with pytest.raises(DataError, match="'class' and 'any'"):
        Formula.from_dict({"class": "a"}, data.schema)


def test_the_restaurants_formula_holds_on_its_visits() -> None:
    X, y = load_restaurant()
    data = encode(X)
    tree = grow(data, encode_classes(y), id3_recipe())
    assert class_formula(tree, "Yes").holds(data).tolist() == [label == "Yes" for label in y]


def test_a_large_tree_has_its_formula_soon() -> None:
    random = np.random.default_rng(3)
    data = encode({f"x{i}": random.normal(size=9_000) for i in range(4)})
    target = ClassTarget(np.array(["n", "y"]), random.integers(0, 2, 9_000).astype(np.int32))
    tree = grow(data, target, cart_recipe())
    formula = class_formula(tree, "y")
    sample = data.take(slice(0, 300))
    assert np.array_equal(formula.holds(sample), label_codes(predict_distribution(tree, sample)) == 1)

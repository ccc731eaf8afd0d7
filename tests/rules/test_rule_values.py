"""Rules: what they cover, what they say, and what is refused."""

from __future__ import annotations

import datetime
import json
import math
import pickle

import pytest

from quercus.data import encode
from quercus.data.schema import Attribute, Schema
from quercus.errors import DataError, ParameterError
from quercus.rules import Interval, Rule, ValueSet, is_unknown

WIND = Attribute("Wind", "nominal", values=("Weak", "Strong"))
HUMIDITY = Attribute("Humidity", "numeric")
SIZE = Attribute("Size", "ordered", values=("S", "M", "L"))
DAY = Attribute("Day", "date")
WET = Attribute("Wet", "boolean")
SCHEMA = Schema((WIND, HUMIDITY, SIZE, DAY, WET))
CLASSES = ("No", "Yes")


def test_a_rule_from_names_and_values() -> None:
    rule = Rule.of(
        SCHEMA,
        {
            "Wind": ["Weak", "Strong"],
            "Humidity": (None, 75),
            "Size": ("S", None),
            "Day": (datetime.date(2024, 5, 1), None),
            "Wet": True,
        },
        "Yes",
        CLASSES,
    )
    assert rule.text() == ("IF Wind known AND Humidity <= 75 AND Size > S AND Day > 2024-05-01 AND Wet = True THEN Yes")
    assert Rule.of(SCHEMA, {"Size": "M"}, "No", CLASSES).text() == "IF Size = M THEN No"
    assert Rule.of(SCHEMA, {"Wind": None}, 3.25).text() == "IF Wind unknown THEN 3.25"
    assert Rule.of(SCHEMA, {"Humidity": is_unknown(HUMIDITY)}, "No", CLASSES).text() == "IF Humidity unknown THEN No"


@pytest.mark.parametrize(
    ("conditions", "then", "message"),
    [
        ({"Wind": "Storm"}, "Yes", "'Storm' is no value of 'Wind'"),
        ({"Humidity": 3}, "Yes", "pair"),
        ({"Wnd": "Weak"}, "Yes", "Did you mean 'Wind'"),
        ({"Wind": "Weak"}, "Maybe", "'Maybe' is no class"),
    ],
)
def test_wrong_names_are_refused_in_words(conditions: dict[str, object], then: str, message: str) -> None:
    with pytest.raises((ParameterError, DataError), match=message):
        Rule.of(SCHEMA, conditions, then, CLASSES)


def test_parts_must_fit() -> None:
    with pytest.raises(ParameterError, match="two conditions on one attribute"):
        Rule((Interval(HUMIDITY, 1), Interval(HUMIDITY, high=3)), 0, CLASSES)
    for consequent in (2, -1, 0.5):
        with pytest.raises(ParameterError, match="position of a class"):
            Rule((), consequent, CLASSES)
    with pytest.raises(ParameterError, match="3 class weights for 2"):
        Rule((), 0, CLASSES, class_weights=(1.0, 2.0, 3.0))


def test_covering_and_unknown_values() -> None:
    data = encode(
        {"Wind": ["Weak", "Weak", None, "Strong"], "Humidity": [70, None, 70, 70]}, domains={"Wind": ["Weak", "Strong"]}
    )
    rule = Rule((ValueSet(WIND, [0]), Interval(HUMIDITY, high=75)), 1, CLASSES)
    assert rule.covers(data).tolist() == [True, False, False, False]
    assert rule.covers(data, unknown=True).tolist() == [True, True, True, False]
    assert Rule((), 1, CLASSES).covers(data).all()


def test_figures() -> None:
    rule = Rule((ValueSet(WIND, [0]),), 1, CLASSES).with_weights([1.0, 3.0])
    assert (rule.covered, rule.correct, rule.precision, rule.laplace) == (4.0, 3.0, 0.75, 4 / 6)
    assert rule.distribution.tolist() == [0.25, 0.75]
    assert rule.text() == "IF Wind = Weak THEN Yes (4, 0.75)"
    assert Rule((), 1, ("a", "b", "c"), covered=4, correct=2).distribution.tolist() == [0.25, 0.5, 0.25]
    bare = Rule((), 1, CLASSES)
    assert math.isnan(bare.precision) and bare.distribution.tolist() == [0.0, 1.0] and bare.laplace == 0.5
    assert Rule((), 2.5).distribution.tolist() == [2.5]


def test_wider_and_narrower_rules() -> None:
    narrow = Rule((ValueSet(WIND, [0]), Interval(HUMIDITY, 10, 75)), 1, CLASSES)
    assert narrow.implies(narrow.without(0)) and not narrow.without(0).implies(narrow)
    assert narrow.implies(Rule((Interval(HUMIDITY, high=80),), 0, CLASSES))
    impossible = Rule((Interval(HUMIDITY, 3, 2),), 1, CLASSES)
    assert impossible.is_impossible and impossible.implies(narrow)
    with pytest.raises(ParameterError, match="no condition 2"):
        narrow.without(2)


def test_rules_survive_dictionaries_and_pickles() -> None:
    for rule in (
        Rule((ValueSet(WIND, [0]), Interval(HUMIDITY, 10, 75)), 1, CLASSES, leaf=3).with_weights([1.0, 3.0]),
        Rule((Interval(SIZE, 0, 1),), 2.5, covered=3.0, spread=0.5),
        Rule((), 0, CLASSES),
    ):
        again = Rule.from_dict(json.loads(json.dumps(rule.to_dict())), SCHEMA, rule.classes)
        assert again == rule == pickle.loads(pickle.dumps(rule))
        assert hash(again) == hash(rule)
    for damaged in ({}, 3, {"if": 3, "then": 0}, {"if": [], "then": "Yes"}):
        with pytest.raises(DataError):
            Rule.from_dict(damaged, SCHEMA, CLASSES)  # type: ignore[arg-type]


def test_text_and_latex_of_hostile_labels() -> None:
    rule = Rule((), 0, ("a\nb & c", "d"), covered=2, correct=1)
    assert rule.text() == 'IF anything THEN "a\\nb & c" (2, 0.50)'
    assert "\n" not in rule.latex() and r"\&" in rule.latex()
    assert (
        Rule((ValueSet(WIND, [0]),), 0, (True, False)).latex() == r"\text{Wind} = \text{Weak} \Rightarrow \text{True}"
    )
    assert repr(rule) == f"<Rule: {rule}>"

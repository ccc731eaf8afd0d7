"""Rule lists as models: order, votes, default, costs, explanations, editing, files."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from calls import calls_of
from oracle.tables import random_case

import quercus
from quercus import CARTClassifier
from quercus.data import ClassTarget, Dataset, encode, encode_classes, encode_like
from quercus.data.schema import Attribute, Schema
from quercus.datasets import load_play_tennis
from quercus.errors import DataError, ParameterError
from quercus.growing.c45 import c45_recipe
from quercus.growing.cart import cart_recipe
from quercus.growing.grow import grow
from quercus.growing.id3 import id3_recipe
from quercus.rules import Condition, Interval, Rule, RuleList, ValueSet

CLASSES = ("No", "Yes")


def random_rules(seed: int, n_rules: int, n_rows: int = 300) -> tuple[RuleList, Dataset]:
    """Overlapping rules with all kinds of conditions, and rows with unknown values."""
    random = np.random.default_rng(seed)
    attributes = (
        Attribute("x", "numeric"),
        Attribute("y", "numeric"),
        Attribute("size", "ordered", values=("S", "M", "L", "XL")),
        Attribute("town", "nominal", values=tuple("abcdef")),
    )
    missing = random.random((4, n_rows)) < 0.1
    columns = (
        np.where(missing[0], np.nan, random.integers(-4, 5, n_rows) / 2),
        np.where(missing[1], np.nan, random.normal(size=n_rows)).astype(np.float32),
        np.where(missing[2], np.nan, random.integers(0, 4, n_rows).astype(float)),
        np.where(missing[3], -1, random.integers(0, 6, n_rows)).astype(np.int32),
    )
    classes = ("a", "b", "c")
    rules = []
    for _ in range(n_rules):
        conditions: list[Condition] = []
        for attribute in random.permutation(np.array(attributes, dtype=object))[: random.integers(0, 4)]:
            unknown = bool(random.random() < 0.15)
            if attribute.is_numeric:
                low, high = random.choice([-np.inf, -1.0, 0.0, 0.5, 1.0, 2.0, np.inf], 2)
                conditions.append(Interval(attribute, low, high, unknown))
            else:
                conditions.append(ValueSet(attribute, random.choice(6, int(random.integers(0, 5))), unknown))
        rules.append(Rule(tuple(conditions), int(random.integers(3)), classes).with_weights(random.integers(0, 9, 3)))
    return RuleList(rules, 2, Schema(attributes), classes), Dataset(Schema(attributes), columns, n_rows)


@pytest.mark.parametrize(("seed", "n_rules"), [(seed, n) for seed in range(12) for n in (0, 1, 7, 63, 64, 65, 200)])
def test_the_first_covering_rule_decides(seed: int, n_rules: int) -> None:
    rules, data = random_rules(seed, n_rules)
    covers = np.array([rule.covers(data) for rule in rules.rules]).reshape(n_rules, data.n_rows)
    first = np.where(covers.any(axis=0), covers.argmax(axis=0) if n_rules else 0, -1)
    assert np.array_equal(rules.fired(data), first)
    expected = [rules.rules[i].consequent if i >= 0 else 2 for i in first]
    assert rules.predict(data).tolist() == expected
    shares = [rules.rules[i].distribution if i >= 0 else np.array([0, 0, 1.0]) for i in first]
    assert np.array_equal(rules.distribution(data), np.array(shares))


@pytest.mark.parametrize(("seed", "vote"), [(seed, vote) for seed in range(10) for vote in ("precision", "laplace")])
def test_all_covering_rules_vote(seed: int, vote: str) -> None:
    ordered, data = random_rules(seed, 30)
    rules = ordered.with_mode("voting", vote)  # type: ignore[arg-type]
    covers = np.array([rule.covers(data) for rule in rules.rules])
    strength = np.nan_to_num([rule.precision if vote == "precision" else rule.laplace for rule in rules.rules])
    votes = np.zeros((data.n_rows, 3))
    for rule, cover, weight in zip(rules.rules, covers, strength, strict=True):
        votes[cover, rule.consequent] += weight
    none = votes.sum(axis=1) == 0
    votes[none] = [0, 0, 1]
    np.testing.assert_allclose(rules.distribution(data), votes / votes.sum(axis=1, keepdims=True))
    predicted = rules.predict(data)
    best = votes.max(axis=1)
    assert (votes[np.arange(data.n_rows), predicted] >= best - 1e-9).all()
    assert (predicted[votes[:, 2] >= best - 1e-12] == 2).all()
    fired = rules.fired(data)
    assert np.array_equal(fired < 0, ~((covers & (strength > 0)[:, None]).any(axis=0)))
    for row in np.flatnonzero(fired >= 0):
        assert covers[fired[row], row]
        assert rules.rules[fired[row]].consequent == predicted[row]


def test_many_groups_of_rules_agree_with_one_rule_at_a_time() -> None:
    rules, data = random_rules(5, 5000, n_rows=400)
    narrow = tuple(rule for rule in rules.rules if len(rule.conditions) > 2)
    rules = RuleList(narrow, 0, rules.schema, rules.classes)
    covers = np.array([rule.covers(data) for rule in narrow])
    first = np.where(covers.any(axis=0), covers.argmax(axis=0), -1)
    assert np.array_equal(rules.fired(data), first)
    assert len(narrow) > 1024 and (first >= 512).any()


def test_numbers_vote_by_what_they_cover() -> None:
    x = Attribute("x", "numeric")
    rules = RuleList(
        [Rule((Interval(x, 0),), 10.0, covered=3), Rule((Interval(x, 1),), 20.0, covered=1)], 5.0, Schema((x,)), None
    )
    data = encode({"x": [-1.0, 0.5, 2.0]})
    assert rules.predict(data).tolist() == [5.0, 10.0, 10.0]
    assert rules.with_mode("voting").predict(data).tolist() == [5.0, 10.0, 12.5]
    assert rules.with_mode("voting").fired(data).tolist() == [-1, 0, 0]
    with pytest.raises(ParameterError, match="answer numbers"):
        rules.predict(data, cost_matrix=[[0, 1], [1, 0]])


def test_costs_change_the_answer() -> None:
    x = Attribute("x", "numeric")
    rules = RuleList([Rule((Interval(x, 0),), 1, CLASSES).with_weights([2.0, 8.0])], 1, Schema((x,)), CLASSES)
    data = encode({"x": [1.0, -1.0]})
    assert rules.predict(data).tolist() == [1, 1]
    assert rules.predict(data, cost_matrix=[[0, 10], [1, 0]]).tolist() == [0, 1]


# Explanations


def tennis() -> tuple[RuleList, Dataset, ClassTarget]:
    X, y = load_play_tennis()
    data, target = encode(X), encode_classes(y)
    return RuleList.from_tree(grow(data, target, id3_recipe()), keep_empty=False, unknown="fails"), data, target


def test_an_explanation_says_why_the_earlier_rules_did_not_fire() -> None:
    rules, data, _ = tennis()
    for row in range(data.n_rows):
        why = rules.explain(data, row)
        assert why.position == rules.fired(data)[row]
        assert why.label == rules.classes[rules.predict(data)[row]]
        assert [failure.position for failure in why.failures] == list(range(why.position))
        for failure in why.failures:
            assert not failure.condition.holds(data.column(failure.condition.name))[row]
            assert failure.condition in failure.rule.conditions
    day = {"Outlook": "Rain", "Humidity": "High", "Wind": "Weak"}
    text = str(rules.explain(day))
    assert text.splitlines()[0] == "Rule 1 did not fire: Outlook = Overcast fails, Outlook is Rain."
    assert text.splitlines()[-1] == "Answer: Yes."
    assert "fires: IF Outlook = Rain AND Wind = Weak THEN Yes (3, 1.00)." in text


def test_explaining_unknown_values_votes_and_wrong_names() -> None:
    rules, data, target = tennis()
    text = str(rules.explain({"Wind": "Weak"}))
    assert "Outlook is unknown" in text and "No rule fires." in text and text.endswith("Answer: Yes.")
    voted = rules.with_mode("voting").explain(data, 0)
    assert "Rules that vote: " in str(voted) and voted.votes == (voted.position,)
    tree = RuleList.from_tree(grow(data, target, c45_recipe(min_objects=1)))
    assert "goes down the tree" in str(tree.explain({"Wind": "Weak"}))
    with pytest.raises(ParameterError, match="'Wnd' is no attribute"):
        rules.explain({"Wnd": "Weak"})
    with pytest.raises(ParameterError, match="no row 14"):
        rules.explain(data, 14)


# Editing


def test_editing_makes_new_lists() -> None:
    rules, data, _ = tennis()
    texts = [rule.text() for rule in rules]
    windy = rules.make_rule({"Wind": "Strong"}, "No")
    added = rules.add(windy, 0)
    assert [rule.text() for rule in added] == ["IF Wind = Strong THEN No", *texts]
    assert [rule.text() for rule in rules] == texts
    assert added.predict(data)[data.column("Wind") == data.schema["Wind"].code("Strong")].tolist() == [0] * 6
    assert added.drop(0) == rules
    moved = rules.move(0, 3)
    assert [rule.text() for rule in moved] == [*texts[1:4], texts[0], texts[4]]
    assert moved.move(3, 0) == rules
    assert rules.add(windy).rules[-1] == windy
    assert rules.replace(1, windy).rules[1] == windy
    other = rules.replace_default("No")
    assert (other.default_label, rules.default_label) == ("No", "Yes")
    assert other.drop(0).predict(encode_like({name: ["?"] for name in rules.schema.names}, rules.schema)).tolist() == [
        0
    ]
    for call in (lambda: rules.drop(5), lambda: rules.move(0, 5), lambda: rules.add(windy, 7), lambda: rules.drop(-1)):
        with pytest.raises(ParameterError, match="no position"):
            call()
    with pytest.raises(ParameterError, match="is no class"):
        rules.replace_default("Maybe")


def test_a_dropped_rule_leaves_its_rows_to_the_default_even_with_a_tree() -> None:
    X, y = load_play_tennis()
    data, target = encode(X), encode_classes(y)
    rules = RuleList.from_tree(grow(data, target, c45_recipe(min_objects=1)))
    assert rules.tree is not None
    row = int(np.flatnonzero(rules.predict(data) == 0)[0])
    without = rules.drop(int(rules.fired(data)[row]))
    assert without.fired(data)[row] == -1
    assert without.predict(data)[row] == without.default == 1


# Files


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_lists_survive_json_and_pickles(seed: int) -> None:
    case = random_case(seed)
    tree = grow(case.dataset, case.target, case.recipe, **case.arguments())
    for rules in (RuleList.from_tree(tree), RuleList.from_tree(tree, unknown="fails").with_mode("voting", "precision")):
        again = RuleList.from_dict(json.loads(json.dumps(rules.to_dict())))
        assert again == rules == pickle.loads(pickle.dumps(rules))
        assert np.array_equal(again.predict(case.dataset), rules.predict(case.dataset))
        assert str(again) == str(rules)


def test_damaged_dictionaries_are_refused() -> None:
    rules, _, _ = tennis()
    good = rules.to_dict()
    for change in ({"format": "x"}, {"version": 2}, {"rules": 3}, {"default": "Yes"}, {"mode": "both"}, {"schema": {}}):
        with pytest.raises(DataError):
            RuleList.from_dict(good | change)
    for key in good:
        with pytest.raises(DataError):
            RuleList.from_dict({name: value for name, value in good.items() if name != key})
    with pytest.raises(DataError):
        RuleList.from_dict([])  # type: ignore[arg-type]


def test_equal_lists_are_equal_only_in_every_part() -> None:
    rules, _, _ = tennis()
    assert rules == rules.move(0, 0)
    assert rules != rules.move(0, 1)
    assert rules != rules.with_mode("voting")
    assert rules != rules.replace_default("No")
    assert rules != "rules"


# Words and checks


def test_the_whole_list_as_text() -> None:
    rules, _, _ = tennis()
    assert rules.text().splitlines()[-1] == "Otherwise: Yes"
    assert rules.text(limit=2).splitlines()[2] == "… 3 more rules"
    assert len(str(rules.add(rules[0])).splitlines()) == 7
    assert repr(rules) == "<RuleList: 5 rules, ordered, otherwise Yes>"
    assert (len(rules), rules.n_conditions) == (5, 9)


def test_what_does_not_fit_is_refused() -> None:
    rules, data, _ = tennis()
    with pytest.raises(ParameterError, match="mode is 'both'"):
        rules.with_mode("both")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="default is 2"):
        RuleList((), 2, data.schema, CLASSES)
    with pytest.raises(ParameterError, match="Rule 1 has the classes"):
        RuleList([Rule((), 0, ("a", "b"))], 0, data.schema, CLASSES)
    with pytest.raises(DataError, match="no attribute 'q'"):
        RuleList([Rule((Interval(Attribute("q", "numeric"), 1),), 0, CLASSES)], 0, data.schema, CLASSES)
    strange = encode({name: ["v", "w"] for name in data.schema.names})
    with pytest.raises(DataError, match="not encoded as the rules'"):
        rules.predict(strange)


def test_a_default_may_be_a_rule() -> None:
    x = Attribute("x", "numeric")
    rules = RuleList((), Rule((), 0, CLASSES).with_weights([3.0, 1.0]), Schema((x,)), CLASSES)
    assert rules.default == 0
    assert rules.distribution(encode({"x": [1.0]})).tolist() == [[0.75, 0.25]]


@pytest.mark.parametrize("labels", [["a", "a", "a"], ["a", "b", "a"]])
def test_all_missing_rows_and_single_nodes(labels: list[str]) -> None:
    data = encode({"x": np.full(3, np.nan), "t": [None, None, None]})
    target = encode_classes(labels)
    for recipe in (id3_recipe(), c45_recipe(), cart_recipe()):
        rules = RuleList.from_tree(grow(data, target, recipe))
        assert rules.predict(data).tolist() == [0, 0, 0]
        assert rules.measure(data, target).errors == sum(label == "b" for label in labels)
    assert RuleList.from_tree(grow(data, target, cart_recipe())).predict(data.take([])).tolist() == []


def test_a_million_cells_of_200_rules_are_no_work_for_python() -> None:
    rules, _ = random_rules(1, 0)
    _, data = random_rules(2, 0, n_rows=250_000)
    narrow = tuple(rule for rule in random_rules(3, 900)[0].rules if len(rule.conditions) > 2)[:200]
    model = RuleList(narrow, 0, rules.schema, rules.classes)
    assert calls_of(lambda: model.predict(data)) < 100_000


@pytest.mark.parametrize("gap", [False, True])
def test_lists_speak_of_unknown_values_where_training_had_some(gap: bool, tmp_path: Path) -> None:
    X = {"sex": ["f", "f", "m", "m"] * 5, "age": [30.0, 40.0, 20.0, 50.0] * 5}
    X["age"][1] = None if gap else 40.0
    model = CARTClassifier(missing="most_common").fit(X, ["no", "yes", "no", "no"] * 5)
    quercus.save(model, tmp_path / "m.json")
    for one in (model, quercus.load(tmp_path / "m.json")):
        rules = one.rules()
        asked = {condition.name for rule in rules for condition in rule.conditions if condition.unknown}
        assert asked == {"sex", "age"}, "both have a branch that takes unknown values"
        assert ("age <= 35 [?]" in rules.text()) == gap, rules.text()
        assert rules.text().count("sex = f AND") == 2 and ("[?]: so, or" in rules.text()) == gap
        assert ("or unknown" in rules.to_latex()) == gap
        assert any("or unknown" in str(rule) for rule in rules), "a rule by itself says all that it means"

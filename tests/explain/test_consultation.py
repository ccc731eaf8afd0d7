"""Consultation: asks only what is needed, in the tree's order, and ends with what predict says, at every moment."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.tables import random_case
from predict.random_trees import random_rows, random_schema, random_tree
from tree.build import build, cut, leaf, multiway, schema_of, stand_in

from explain.every_row import dataset_of, every_row, row_of
from quercus import C45Classifier, CARTClassifier, ID3Classifier, PARTClassifier
from quercus.data import Attribute, Dataset, encode_like
from quercus.datasets import load_play_tennis
from quercus.errors import DataError, ParameterError
from quercus.explain.cells import UNKNOWN, Among, Between
from quercus.explain.consult.consultation import Consultation
from quercus.explain.consult.replies import read_reply
from quercus.growing.grow import grow
from quercus.predict import expected_test_cost, label_codes, predict_distribution
from quercus.rules.rule_list import RuleList
from quercus.tree import Tree

COSTS = {"Outlook": 1, "Wind": 5, "Humidity": 3, "Temperature": 1}


def play_tennis(**costs: float) -> Tree:
    """The lecture's tree, with attribute costs."""
    return C45Classifier(attribute_costs=costs or None).fit(*load_play_tennis()).tree_


# The lecture's tree


def test_it_asks_what_the_tree_needs_and_nothing_else() -> None:
    """Outlook, then Wind; Humidity and Temperature never."""
    start = Consultation(play_tennis(Outlook=1.0, Wind=2.0, Humidity=150.0))
    assert (start.question.attribute, start.question.cost, start.cost) == ("Outlook", 1.0, 0.0)
    assert start.question.values == ("Overcast", "Rain", "Sunny")
    assert start.possible_labels == ("No", "Yes")
    after = start.answer("rain")
    assert str(after.question) == "Wind? (Strong, Weak, cost 2)"
    assert after.cost == 1
    assert after.distribution.tolist() == [0.4, 0.6]
    end = after.answer("Weak")
    assert end.question is None
    assert end.is_done
    assert (end.label, end.cost, end.distribution.tolist()) == ("Yes", 3.0, [0.0, 1.0])
    assert end.transcript == "1. Outlook? Rain (cost 1, together 1)\n2. Wind? Weak (cost 2, together 3)"
    assert end.row == {"Outlook": "Rain", "Temperature": None, "Humidity": None, "Wind": "Weak"}
    assert str(end.why()).startswith("14 examples: 9 Yes, 5 No → Outlook = Rain")


def test_steps_are_values_and_lead_back() -> None:
    """The earlier consultation stays as it was."""
    start = Consultation(play_tennis())
    after = start.answer("Rain")
    assert start.answers == {}
    assert after.back() is start
    assert start.back() is start
    other = after.back().answer("Overcast")
    assert other.label == "Yes"
    assert other.is_done
    assert after.answers == {"Outlook": "Rain"}


def test_after_unknown_the_cheapest_comes_first() -> None:
    """Wind and Humidity wait: the cheaper one, or the one for which most waits."""
    by_cost = Consultation(play_tennis(Outlook=1.0, Wind=2.0, Humidity=150.0)).unknown()
    assert by_cost.question.attribute == "Wind"
    assert by_cost.question.share == pytest.approx(5 / 14)
    dear = Consultation(play_tennis(Outlook=1.0, Wind=200.0, Humidity=150.0)).unknown()
    assert dear.question.attribute == "Humidity"
    schema = schema_of(a=("p", "q"), b=Attribute("b", "boolean", cost=5.0), c=Attribute("c", "boolean", cost=1.0))
    heavy = multiway("b", leaf([6, 0]), leaf([0, 6]))
    light = multiway("c", leaf([1, 0]), leaf([0, 1]))
    tree = build(multiway("a", heavy, light), schema, ["No", "Yes"])
    assert Consultation(tree, order="cost").unknown().question.attribute == "c"
    assert Consultation(tree, order="weight").unknown().question.attribute == "b"


def test_it_may_stop_when_nothing_can_change_the_class() -> None:
    """Both leaves of the right side say Yes."""
    schema = schema_of(a=("p", "q"), b=("r", "s"))
    tree = build(multiway("a", leaf([4, 0]), multiway("b", leaf([1, 3]), leaf([0, 5]))), schema, ["No", "Yes"])
    asking = Consultation(tree).answer("q")
    assert asking.question.attribute == "b"
    assert asking.possible.is_certain
    assert "no further answer can change it" in str(asking)
    early = Consultation(tree, stop_early=True).answer("q")
    assert early.question is None
    assert early.label == "Yes"
    strict = Consultation(tree, stop_early=True, decision_threshold=0.8).answer("q")
    assert strict.question.attribute == "b"


def test_known_values_are_free_and_not_asked() -> None:
    """What is known before costs nothing."""
    tree = play_tennis(Outlook=1.0, Wind=2.0)
    start = Consultation(tree, known={"Outlook": "Rain"})
    assert start.question.attribute == "Wind"
    assert start.cost == 0
    assert start.answer("Weak").cost == 2
    assert "known before" in start.transcript


def test_another_attribute_may_be_answered_and_corrected() -> None:
    """A correction is not paid again."""
    start = Consultation(play_tennis(Outlook=1.0, Wind=2.0))
    end = start.answer("Weak", "Wind").answer("Rain")
    assert (end.label, end.cost) == ("Yes", 3.0)
    corrected = end.answer("Strong", "Wind")
    assert (corrected.label, corrected.cost) == ("No", 3.0)
    with pytest.raises(ParameterError, match="Nothing is asked"):
        end.answer("x")


def test_a_declined_test_costs_nothing_and_one_that_told_nothing_its_price() -> None:
    """Unknown is free unless it was paid; a correction's last word counts."""
    start = Consultation(play_tennis(Outlook=1.0, Wind=150.0)).answer("Rain")
    declined = start.answer("unknown")
    assert (declined.cost, declined.is_done) == (1.0, True)
    assert declined.transcript.endswith("2. Wind? unknown")
    assert start.unknown().cost == start.answer(None).cost == 1
    spoilt = start.answer("?", paid=True)
    assert (spoilt.cost, start.unknown(paid=True).cost) == (151.0, 151.0)
    assert spoilt.transcript.endswith("2. Wind? unknown (cost 150, together 151)")
    assert spoilt.distribution.tolist() == declined.distribution.tolist()
    assert [answer["cost"] for answer in spoilt.to_dict()["answers"]] == [1.0, 150.0]
    assert spoilt.answer("Weak", "Wind").cost == declined.answer("Weak", "Wind").cost == 151
    assert spoilt.answer("unknown", "Wind").cost == 1
    assert start.answer("Weak", paid=False).cost == 1


def test_shares_of_classes_whose_names_are_numbers_cannot_be_misread() -> None:
    """A colon stands between the class and its share."""
    tree = build(multiway("a", leaf([1, 3]), leaf([4, 0])), schema_of(a=("p", "q")), [0, 1])
    assert "Answer: 1 (1: 75 %, 0: 25 %)." in str(Consultation(tree).answer("p"))
    assert "4 examples: 1: 3, 0: 1" in str(Consultation(tree).answer("p").why())


def test_expected_cost_is_that_of_the_tree() -> None:
    """From the start, by training shares; in the end, of the path."""
    tree = play_tennis(Outlook=1.0, Wind=2.0, Humidity=150.0)
    start = Consultation(tree)
    assert start.expected_cost == pytest.approx(1 + 5 / 14 * 2 + 5 / 14 * 150)
    end = start.answer("Rain").answer("Weak")
    assert end.expected_cost == end.cost == 3


@pytest.mark.parametrize(
    "model",
    [
        ID3Classifier(attribute_costs=COSTS),
        CARTClassifier(attribute_costs=COSTS, missing="surrogate"),
        CARTClassifier(attribute_costs=COSTS, missing="own_value"),
        C45Classifier(attribute_costs=COSTS),
    ],
    ids=["ID3", "surrogates", "own value", "C4.5"],
)
def test_before_the_first_answer_the_training_rows_speak(model: Any) -> None:
    """A question that was not asked yet is no unknown value: shares and costs are the means over the training rows."""
    X, y = load_play_tennis()
    start = model.fit(X, y).consult()
    assert start.distribution == pytest.approx([5 / 14, 9 / 14])
    assert start.expected_cost == pytest.approx(model.expected_test_cost(X).mean())
    rain = [place for place, value in enumerate(X["Outlook"]) if value == "Rain"]
    after = start.answer("Rain", "Outlook")
    if model.recipe_.nominal == "subset":  # the node below has sunny days, too
        return
    assert after.distribution == pytest.approx([2 / 5, 3 / 5])
    assert after.expected_cost == pytest.approx(model.expected_test_cost(X.iloc[rain]).mean())


def test_an_unknown_answer_is_weighed_and_predict_is_named_where_it_differs() -> None:
    """ID3 sends unknown values down the most common branch; of the five rainy days three were played."""
    model = ID3Classifier().fit(*load_play_tennis())
    end = model.consult().answer("Rain").answer("?")
    assert end.distribution == pytest.approx([2 / 5, 3 / 5])
    assert str(end).splitlines()[-1] == (
        "Answer: Yes (Yes 60 %, No 40 %). "
        "In a table, predict sends unknown values down one branch and answers Yes (100 %)."
    )
    policy = model.consult(unknown="model").answer("Rain").answer("?")
    assert policy.distribution.tolist() == [0.0, 1.0]
    assert policy.by_policy is None
    with pytest.raises(ParameterError, match="'model', 'shares'"):
        model.consult(unknown="both")


def test_rules_speak_by_what_they_cover_while_questions_are_open() -> None:
    """PART's rules cover all fourteen days."""
    X, y = load_play_tennis()
    start = PARTClassifier().fit(X, y).consult()
    assert start.distribution == pytest.approx([5 / 14, 9 / 14])


def test_ranges_and_several_values() -> None:
    """By the training weight of the branches that are allowed."""
    schema = schema_of(x="numeric", c=("p", "q", "r"))
    tree = build(
        cut("x", 5.0, leaf([8, 4]), multiway("c", leaf([1, 1]), leaf([0, 2]), leaf([3, 1]))), schema, ["No", "Yes"]
    )
    some = Consultation(tree).answer("4..9")
    assert some.question.attribute == "c"
    assert some.question.share == pytest.approx(8 / 20)
    end = some.answer("p or r")
    assert end.answers == {"x": "4..9", "c": "p or r"}
    assert end.distribution[0] == pytest.approx(12 / 20 * 8 / 12 + 8 / 20 * (2 / 6 * 0.5 + 4 / 6 * 0.75))
    assert Consultation(tree).answer("<= 5").is_done
    assert Consultation(tree).answer((1, 5)).is_done
    assert Consultation(tree).answer("> 5").question.share == 1
    assert Consultation(tree).answer("4..4").distribution.tolist() == pytest.approx([8 / 12, 4 / 12])
    assert "this allows" in str(end.why())


def test_surrogates_are_asked() -> None:
    """Income is unknown: the surrogate's Age is asked; if that is unknown, the branch of unknown values."""
    schema = schema_of(Income="numeric", Age="numeric")
    tree = build(
        cut("Income", 30, leaf([3, 1]), leaf([0, 4]), missing=1, surrogates=[stand_in("Age", 40.0)]),
        schema,
        ["No", "Yes"],
    )
    asking = Consultation(tree).unknown()
    assert asking.question.attribute == "Age"
    assert asking.question.tests == ("stands in for Income <= 30",)
    assert asking.answer(35).label == "No"
    assert asking.unknown().label == "Yes"


def test_the_dictionary_is_strict_json() -> None:
    """At every step, also of numbers."""
    start = Consultation(play_tennis(Outlook=1.0))
    for step in (start, start.unknown(), start.answer("Rain"), start.answer("Overcast")):
        data = json.loads(json.dumps(step.to_dict(), allow_nan=False))
        assert data["done"] == step.is_done
        assert data["possible"]["labels"]
    tree = build(cut("x", 1.0, leaf(mean=10.0, weight=3), leaf(mean=20.0, weight=1)), schema_of(x="numeric"))
    number = Consultation(tree)
    assert number.label == 12.5
    assert (number.possible.low, number.possible.high) == ((10.0,), (20.0,))
    assert "So far: 12.5; possible: 10 to 20." in str(number)
    json.dumps(number.to_dict(), allow_nan=False)


def test_wrong_arguments_are_refused() -> None:
    """At once."""
    with pytest.raises(ParameterError, match="must be one of"):
        Consultation(play_tennis(), order="random")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="share from 0 to 1"):
        Consultation(play_tennis(), decision_threshold=2.0)
    with pytest.raises(ParameterError, match="tree or a rule list"):
        Consultation("model")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="Did you mean 'Wind'"):
        Consultation(play_tennis(), known={"Wnd": "Weak"})


# Replies

SIZE = Attribute("Size", "ordered", values=("S", "M", "L"))
WIND = Attribute("Wind", "nominal", values=("Weak", "Strong", "unknown", "a, b"))
COUNT = Attribute("Count", "nominal", values=(1, 2, 10))
MEMBER = Attribute("Member", "boolean")
DAY = Attribute("Day", "date")
NUMBER = Attribute("x", "numeric", missing_tokens=(-1,))
MICROSECONDS = 86_400_000_000.0


@pytest.mark.parametrize(
    ("attribute", "given", "cell"),
    [
        (NUMBER, 1, 1.0),
        (NUMBER, " 1.5 ", 1.5),
        (NUMBER, np.float32(2), 2.0),
        (NUMBER, None, UNKNOWN),
        (NUMBER, math.nan, UNKNOWN),
        (NUMBER, "", UNKNOWN),
        (NUMBER, -1, UNKNOWN),
        (NUMBER, (1, None), Between(1.0, math.inf)),
        (NUMBER, "-2..-1.5", Between(-2.0, -1.5)),
        (NUMBER, "..3", Between(-math.inf, 3.0)),
        (NUMBER, "< 3", Between(-math.inf, math.nextafter(3.0, -math.inf))),
        (NUMBER, ">=3", Between(3.0, math.inf)),
        (SIZE, "M", 1.0),
        (SIZE, "m..l", Between(1.0, 2.0)),
        (SIZE, ["S", "M"], Between(0.0, 1.0)),
        (SIZE, "> S", Between(1.0, math.inf)),
        (SIZE, ("M", "M"), 1.0),
        (WIND, "weak", 0.0),
        (WIND, "unknown", 2.0),
        (WIND, "a, b", 3.0),
        (WIND, "Weak, Strong", Among(frozenset([0, 1]))),
        (WIND, {"Weak"}, 0.0),
        (COUNT, "10", 2.0),
        (COUNT, 10.0, 2.0),
        (COUNT, "1 or 2", Among(frozenset([0, 1]))),
        (MEMBER, "yes", 1.0),
        (MEMBER, "FALSE", 0.0),
        (MEMBER, True, 1.0),
        (MEMBER, "no or yes", Among(frozenset([0, 1]))),
        (DAY, "1970-01-02", MICROSECONDS),
        (DAY, "1970-01-02..1970-01-03", Between(MICROSECONDS, 2 * MICROSECONDS)),
        (DAY, "< 1970-01-02", Between(-math.inf, MICROSECONDS - 1)),
        (Attribute("t", "date", date_type="time"), "00:01", 60_000_000.0),
        (Attribute("t", "date", date_type="duration"), "2 days", 2 * MICROSECONDS),
        (Attribute("t", "date", date_type="duration"), "1 day 00:01", MICROSECONDS + 60_000_000),
        (Attribute("t", "date", date_type="utc"), "1970-01-02", MICROSECONDS),
        (Attribute("t", "date", date_type="utc"), "1970-01-02 00:00Z", MICROSECONDS),
    ],
)
def test_replies_are_understood(attribute: Attribute, given: Any, cell: Any) -> None:
    """Values, unknown, ranges and several, as objects and as text."""
    assert read_reply(attribute, given) == cell


@pytest.mark.parametrize(
    ("attribute", "given", "message"),
    [
        (NUMBER, "much", "allowed are a number such as 1.5"),
        (NUMBER, "1,5", "allowed are a number"),
        (NUMBER, "inf", "allowed are a number"),
        (NUMBER, True, "allowed are a number"),
        (NUMBER, (3, 1), "lower end first"),
        (NUMBER, "3..1", "lower end first"),
        (NUMBER, "a..b", "allowed are a number"),
        (NUMBER, (1, 2, 3), "allowed are a number"),
        (NUMBER, [1, 2], "allowed are a number"),
        (SIZE, "XXL", "allowed are S, M, L, a range such as S..M"),
        (SIZE, ["S", "L"], "no neighbours"),
        (SIZE, "> L", "allowed are S, M, L"),
        (WIND, "Strang", "Did you mean 'Strong'"),
        (WIND, "Weak, Storm", "allowed are Weak, Strong"),
        (WIND, [], "allowed are Weak"),
        (WIND, 3, "allowed are Weak"),
        (MEMBER, "perhaps", "allowed are yes, no"),
        (DAY, "31.01.2024", "2024-01-31"),
        (DAY, 5, "2024-01-31"),
        (WIND, "|", "Weak"),
    ],
)
def test_other_replies_are_refused(attribute: Attribute, given: Any, message: str) -> None:
    """With what was given and what is allowed."""
    with pytest.raises(DataError, match=message) as error:
        read_reply(attribute, given)
    assert attribute.name in str(error.value)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from([NUMBER, SIZE, WIND, COUNT, MEMBER, DAY]), st.text() | st.floats() | st.integers() | st.binary())
def test_no_reply_breaks_it(attribute: Attribute, given: Any) -> None:
    """Whatever is said is read or refused."""
    try:
        cell = read_reply(attribute, given)
    except DataError:
        return
    assert cell is UNKNOWN or isinstance(cell, float | Between | Among)


# Against predict


def reply_of(dataset: Dataset, row: int, name: str) -> Any:
    """What the row says of an attribute."""
    attribute = dataset.schema[name]
    value = row_of(dataset, row)[dataset.schema.position(name)]
    return None if value is None else attribute.values[int(value)] if attribute.values else value


def consult_row(model: Tree | RuleList, dataset: Dataset, row: int, **options: Any) -> list[Consultation]:
    """All steps of a consultation that is answered as the row says."""
    steps = [Consultation(model, **options)]
    while steps[-1].question is not None:
        name = steps[-1].question.attribute
        assert name not in steps[-1].answers
        steps.append(steps[-1].answer(reply_of(dataset, row, name)))
    return steps


def without_dates(dataset: Dataset) -> bool:
    """Whether replies can be made from encoded values."""
    return all(attribute.kind != "date" for attribute in dataset.schema)


def weighed(tree: Tree, values: np.ndarray, known: dict[int, float], node: int = 0) -> np.ndarray:
    """The twin: what the leaves say, a known value by its branch, an open question by the training weights."""
    first, size = int(tree.first_child[node]), int(tree.n_children[node])
    if not size:
        return values[node]
    place = int(tree.attribute[node])
    if place in known:
        test = tree.node(node).test
        assert test is not None
        branch = test.known_branch(known[place])
        assert branch is not None
        return weighed(tree, values, known, first + branch)
    weights = tree.weight[first : first + size]
    below = [weighed(tree, values, known, first + branch) for branch in range(size)]
    return np.asarray(weights @ np.array(below) / weights.sum()) if weights.sum() > 0 else values[node]


def check_open(tree: Tree, dataset: Dataset, row: int, step: Consultation) -> None:
    """Open questions are weighed by training shares, whatever the tree does with unknown values."""
    known = {tree.schema.position(name): row_of(dataset, row)[tree.schema.position(name)] for name in step.answers}
    if any(value is None for value in known.values()):
        return
    try:
        twin = weighed(tree, tree.distributions(), known)
    except AssertionError:  # a value without a branch is unknown
        return
    assert step.distribution == pytest.approx(twin, abs=1e-12, rel=1e-12)


def check_tree(tree: Tree, dataset: Dataset, row: int, order: str) -> None:
    """Every moment is the twin's of what is known; the end is predict's of the whole row."""
    whole = predict_distribution(tree, dataset)[row]
    steps = consult_row(tree, dataset, row, order=order)
    for step in steps:
        check_open(tree, dataset, row, step)
        answered = [name for name in step.answers if reply_of(dataset, row, name) is not None]
        assert step.cost == sum(tree.schema[name].cost for name in answered)
        assert (np.array(step.possible.low) <= whole + 1e-12).all()
        assert (np.array(step.possible.high) >= whole - 1e-12).all()
        if tree.classes is not None:
            assert step.label == tree.classes[label_codes(step.distribution[None])[0]]
            final = tree.classes[label_codes(whole[None])[0]]
            assert final in step.possible_labels
            if step.possible.is_certain:
                assert step.label == final
    assert steps[-1].distribution.tolist() == whole.tolist()
    assert steps[-1].expected_cost == pytest.approx(expected_test_cost(tree, dataset.take([row]))[0], abs=1e-12)
    assert steps[-1].possible.is_certain or tree.is_regression
    early = consult_row(tree, dataset, row, order=order, stop_early=True)
    assert len(early) <= len(steps)
    assert early[-1].label == steps[-1].label


@pytest.mark.parametrize("order", ["cost", "weight"])
def test_random_trees_end_as_predict(order: str) -> None:
    """Trees of all kinds, rows with unknown values; distribution bit for bit, costs, spans."""
    for seed in range(120):
        random = np.random.default_rng([seed, 8])
        schema = random_schema(random, "mixed")
        tree = random_tree(random, schema, n_classes=int(random.choice([0, 2, 3])))
        rows = random_rows(random, schema, 3, unknown=0.3, narrow=0.0)
        for row in range(3):
            check_tree(tree, rows, row, order)


def test_grown_trees_end_as_predict() -> None:
    """Random tables grown by random recipes."""
    for seed in range(120):
        case = random_case(seed)
        tree = grow(case.dataset, case.target, case.recipe, **case.arguments())
        if without_dates(case.dataset):
            for row in range(min(2, case.dataset.n_rows)):
                check_tree(tree, case.dataset, row, "cost")


def every_value_has_a_branch(tree: Tree) -> bool:
    """Whether no grouped or subset question leaves a declared value out."""
    sizes = np.array([attribute.n_values for attribute in tree.schema])[tree.attribute]
    return bool((np.diff(tree.group_start) == np.where(tree.kind >= 3, sizes, 0)).all())


def test_spans_are_exact_while_one_path_is_open() -> None:
    """Against every row, of trees whose branches can all be reached: the extremes are reached, and the classes."""
    tried = 0
    for seed in range(150):
        case = random_case(seed)
        complete = all(value is not None for row in range(case.dataset.n_rows) for value in row_of(case.dataset, row))
        tree = grow(case.dataset, case.target, case.recipe, **case.arguments())
        rows = every_row(tree, row_of(case.dataset, 0)) if complete and not tree.is_regression else None
        if rows is None or not every_value_has_a_branch(tree):
            continue
        every = dataset_of(tree.schema, rows)
        shares = predict_distribution(tree, every)
        start = Consultation(tree)
        assert start.possible.low == pytest.approx(shares.min(axis=0).tolist(), abs=1e-12)
        assert start.possible.high == pytest.approx(shares.max(axis=0).tolist(), abs=1e-12)
        labels = {tree.classes[code] for code in label_codes(shares)}  # type: ignore[index]
        assert labels <= set(start.possible_labels)  # type: ignore[arg-type]
        tried += 1
    assert tried > 15


def test_ranges_lie_between_what_their_values_give() -> None:
    """The answer to several values is a mixture of the answers to each of them."""
    for seed in range(150):
        random = np.random.default_rng([seed, 9])
        schema = random_schema(random, "mixed")
        tree = random_tree(random, schema, "spread", 2)
        if not every_value_has_a_branch(tree) or (tree.n_children[tree.kind == 2] > 5).any():
            continue
        consultation = Consultation(tree)
        while consultation.question is not None:
            attribute = schema[consultation.question.attribute]
            if attribute.is_numeric:
                low, high = sorted(random.normal(size=2))
                consultation = consultation.answer((low, high))
            else:
                size = int(random.integers(1, attribute.n_values + 1))
                chosen = random.choice(attribute.n_values, size, replace=False)
                consultation = consultation.answer([attribute.values[code] for code in chosen])
        assert consultation.distribution.sum() == pytest.approx(1)
        assert consultation.possible.low == pytest.approx(consultation.distribution.tolist())


# Rules


def test_rules_ask_what_the_first_open_rule_needs() -> None:
    """Overcast decides at once; Rain needs Wind."""
    rules = C45Classifier().fit(*load_play_tennis()).rules()
    start = Consultation(rules)
    assert start.question.attribute == "Outlook"
    assert start.answer("Overcast").is_done
    after = start.answer("Rain")
    assert after.question.attribute == "Wind"
    assert after.answer("Strong").label == "No"
    assert after.unknown().distribution.tolist() == [0.4, 0.6]
    assert "rule 2" in after.question.tests[0]
    json.dumps(after.to_dict(), allow_nan=False)


@pytest.mark.parametrize("mode", ["ordered", "voting"])
def test_rules_end_as_they_predict(mode: str) -> None:
    """The rules of random trees, shortened; with the tree behind them and without."""
    for seed in range(150):
        random = np.random.default_rng([seed, 10])
        schema = random_schema(random, "mixed")
        tree = random_tree(random, schema, "any", int(random.choice([0, 2, 3])), 15)
        rules = RuleList.from_tree(tree, unknown=str(random.choice(["tree", "fails"])))  # type: ignore[arg-type]
        for number in range(len(rules)):
            if rules[number].conditions and random.random() < 0.5:
                rules = rules.replace(number, rules[number].without(0))
        rules = rules.with_mode(mode)  # type: ignore[arg-type]
        dataset = random_rows(random, schema, 2, unknown=0.3, narrow=0.0)
        for row in range(2):
            final, answer = rules.distribution(dataset)[row], rules.predict(dataset)[row]
            steps = consult_row(rules, dataset, row)
            for step in steps:
                assert step.distribution.sum() == pytest.approx(1.0) or rules.classes is None
                assert (np.array(step.possible.low) <= final + 1e-12).all()
                assert (np.array(step.possible.high) >= final - 1e-12).all()
                if rules.classes is not None:
                    assert rules.classes[int(answer)] in step.possible_labels
            assert steps[-1].distribution == pytest.approx(final, abs=1e-12)
            assert rules.classes is None or steps[-1].label == rules.classes[int(answer)]
            early = consult_row(rules, dataset, row, stop_early=True)
            if rules.classes is not None:
                assert early[-1].label == rules.classes[int(answer)]


def test_a_consultation_answers_as_the_estimator_does() -> None:
    """With dates, booleans and text."""
    schema = schema_of(Day=Attribute("Day", "date"), Member=Attribute("Member", "boolean"))
    when = float(encode_like({"Day": ["2024-01-31"], "Member": [True]}, schema).columns[0][0])
    tree = build(cut("Day", when, leaf([3, 0]), multiway("Member", leaf([2, 1]), leaf([0, 4]))), schema, ["No", "Yes"])
    assert Consultation(tree).answer("2024-01-31").label == "No"
    assert Consultation(tree).answer("2024-02-01").answer("yes").label == "Yes"
    assert "a date such as 2024-01-31" in Consultation(tree).question.allowed
    assert str(Consultation(tree).question) == "Day? (a date)"

"""Counterfactuals: proved the cheapest by trying every combination of values that the model can tell apart."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from oracle.tables import random_case
from predict.random_trees import random_rows, random_schema, random_tree
from tree.build import build, cut, large_arrays, leaf, multiway, schema_of, stand_in

from explain.every_row import dataset_of, every_row, row_of
from quercus import C45Classifier, CARTRegressor
from quercus.data import Attribute, Dataset, encode_like
from quercus.datasets import load_play_tennis
from quercus.errors import DataError, ParameterError
from quercus.explain.counterfactual.counterfactual import Counterfactuals, counterfactuals
from quercus.growing.grow import grow
from quercus.predict import label_codes, predict_distribution
from quercus.rules.rule_list import RuleList
from quercus.tree import Tree
from quercus.tree.numbering import renumbered

DAY = {"Outlook": "Sunny", "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"}


def play_tennis() -> Tree:
    """The lecture's tree."""
    return C45Classifier().fit(*load_play_tennis()).tree_


# Worked examples


def test_one_change_is_enough_for_tennis() -> None:
    """All three ways of one change, none of two."""
    found = counterfactuals(play_tennis(), DAY, n=10)
    assert [one.values for one in found] == [{"Outlook": "Overcast"}, {"Outlook": "Rain"}, {"Humidity": "Normal"}]
    assert [one.cost for one in found] == [1, 1, 1]
    assert {one.label for one in found} == {"Yes"}
    assert found.complete
    assert str(found[2]) == "Humidity from High to Normal → Yes (100 %), cost 1"


def test_prices_and_fixed_attributes_steer() -> None:
    """Outlook is dear, then fixed; then nothing is left."""
    tree = play_tennis()
    assert counterfactuals(tree, DAY, change_costs={"Outlook": 5})[0].values == {"Humidity": "Normal"}
    assert counterfactuals(tree, DAY, change_costs={"Humidity": 5})[0].values == {"Outlook": "Overcast"}
    assert counterfactuals(tree, DAY, fixed=["Outlook"])[0].values == {"Humidity": "Normal"}
    for closed in ({"fixed": ["Outlook", "Humidity"]}, {"change_costs": {"Outlook": math.inf, "Humidity": math.inf}}):
        none = counterfactuals(tree, DAY, **closed)
        assert len(none) == 0
        assert none.complete
        assert "What blocks it: Outlook is not free to change" in str(none)


def test_a_number_moves_just_past_the_threshold() -> None:
    """To the threshold itself, or to the next float64 above; a value that people would write stands beside it."""
    tree = build(cut("Humidity", 75.5, leaf([0, 5]), leaf([5, 0])), schema_of(Humidity="numeric"), ["No", "Yes"])
    down = counterfactuals(tree, {"Humidity": 90})[0].changes[0]
    assert (down.value, down.example, down.condition) == (75.5, "75", "Humidity <= 75.5")
    up = counterfactuals(tree, {"Humidity": 70})[0].changes[0]
    assert (up.value, up.example, up.condition) == (math.nextafter(75.5, math.inf), "76", "Humidity > 75.5")
    assert str(counterfactuals(tree, {"Humidity": 70})[0]) == (
        "Humidity from 70 to 76 (any Humidity > 75.5) → No (100 %), cost 1"
    )


def test_directions_and_units() -> None:
    """Age only grows; a unit price makes the near threshold cheaper than the far one."""
    low = cut("Age", 30.0, leaf([0, 4]), cut("Age", 50.0, leaf([4, 0]), leaf([0, 4])))
    tree = build(low, schema_of(Age="numeric"), ["No", "Yes"])
    both = counterfactuals(tree, {"Age": 40}, n=5)
    assert sorted(one.changes[0].condition for one in both) == ["Age <= 30", "Age > 50"]
    assert counterfactuals(tree, {"Age": 40}, directions={"Age": "up"})[0].changes[0].condition == "Age > 50"
    assert counterfactuals(tree, {"Age": 40}, directions={"Age": "down"})[0].changes[0].condition == "Age <= 30"
    near = counterfactuals(tree, {"Age": 47}, unit_costs={"Age": 2.0})[0]
    assert near.cost == pytest.approx(1 + 2 * 3)


def test_ordered_boolean_and_date_attributes() -> None:
    """Steps of an ordered value, whole days of a date."""
    schema = schema_of(
        Size=Attribute("Size", "ordered", values=("S", "M", "L", "XL")),
        Member=Attribute("Member", "boolean"),
        Day=Attribute("Day", "date"),
    )
    late = encode_like({"Size": ["S"], "Member": [False], "Day": ["2024-05-01"]}, schema)
    cut_at = float(encode_like({"Size": ["S"], "Member": [False], "Day": ["2024-06-01"]}, schema).columns[2][0])
    size = cut("Size", 1.5, leaf([4, 0]), leaf([0, 4]))
    tree = build(multiway("Member", cut("Day", cut_at, size, leaf([0, 3])), leaf([3, 0])), schema, ["No", "Yes"])
    found = counterfactuals(tree, late, n=5, unit_costs={"Size": 1.0, "Day": 0.01})
    by_name = {one.changes[0].attribute: one for one in found}
    assert by_name["Size"].values == {"Size": "L"}
    assert by_name["Size"].cost == 1 + 2
    assert by_name["Day"].changes[0].example == "2024-06-02"
    assert by_name["Day"].changes[0].value == cut_at + 1
    assert by_name["Day"].cost == pytest.approx(1 + 0.31, abs=1e-6)
    assert "Member" not in by_name


def test_numbers_above_and_below() -> None:
    """Regression: the wanted range is open."""
    tree = CARTRegressor().fit({"x": [1.0, 2.0, 3.0, 4.0]}, [10.0, 20.0, 30.0, 40.0]).tree_
    assert counterfactuals(tree, {"x": 1.0}, above=25)[0].label == 30
    assert counterfactuals(tree, {"x": 1.0}, above=30)[0].label == 40
    assert counterfactuals(tree, {"x": 4.0}, above=15, below=25)[0].label == 20
    assert str(counterfactuals(tree, {"x": 4.0}, above=15, below=25)).startswith(
        "Now: 40. Wanted: a number above 15 and below 25. The smallest change:\n1. x from 4 to 2"
    )


def test_costs_and_thresholds_of_the_answer_count() -> None:
    """What decides the class decides here, too."""
    tree = build(multiway("a", leaf([1, 3]), leaf([2, 2])), schema_of(a=("p", "q")), ["No", "Yes"])
    assert counterfactuals(tree, {"a": "p"})[0].label == "No"
    assert len(counterfactuals(tree, {"a": "p"}, decision_threshold=0.5)) == 0
    assert counterfactuals(tree, {"a": "p"}, decision_threshold=0.6)[0].label == "No"
    assert len(counterfactuals(tree, {"a": "p"}, cost_matrix=[[0, 10], [1, 0]])) == 0


def test_unknown_may_stay_or_become_known() -> None:
    """Learning Wind is one change; so is Outlook with Wind left unknown."""
    found = counterfactuals(play_tennis(), {"Outlook": "Rain"}, n=5)
    assert {tuple(one.values.items()) for one in found} == {(("Outlook", "Sunny"),), (("Wind", "Strong"),)}
    assert "from unknown to Strong" in str(found)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": "Perhaps"}, "no class"),
        ({"above": 1}, "give target="),
        ({"change_costs": {"Outlok": 1}}, "Did you mean 'Outlook'"),
        ({"change_costs": {"Outlook": -1}}, "at least 0"),
        ({"unit_costs": {"Outlook": 1}}, "moves by no units"),
        ({"directions": {"Outlook": "up"}}, "no up and down"),
        ({"directions": {"Outlook": "left"}}, "must be one of"),
        ({"fixed": "Outlook"}, "list of names"),
        ({"n": 0}, "at least 1"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    """With what to do."""
    with pytest.raises((ParameterError, DataError), match=message):
        counterfactuals(play_tennis(), DAY, **arguments)


def test_numbers_need_a_goal() -> None:
    """Another number is no goal."""
    tree = CARTRegressor().fit({"x": [1.0, 2.0]}, [10.0, 20.0]).tree_
    with pytest.raises(ParameterError, match="above= and/or below="):
        counterfactuals(tree, {"x": 1.0})


def test_large_trees_are_searched_to_the_end() -> None:
    """10,000 leaves, also where no change will do and all of the tree is searched."""
    arrays, schema = large_arrays(9_999, seed=1)
    tree = Tree.from_arrays(renumbered(arrays), schema, ["No", "Yes"], criterion="entropy")
    assert tree.n_leaves == 10_000
    row = {"a": 0.1, "b": -0.2, "c": "x", "d": "p"}
    some = counterfactuals(tree, row, n=3)
    assert len(some) == 3
    assert some.complete
    none = counterfactuals(
        tree, row, target="Yes" if counterfactuals(tree, row).now == "No" else "No", fixed=["a", "b"]
    )
    assert none.complete


def test_a_search_that_is_cut_short_says_so() -> None:
    """complete is False, and so say the words."""
    found = counterfactuals(play_tennis(), DAY, max_steps=1)
    assert not found.complete
    assert "cut short" in str(found)


# Against brute force


class Prices:
    """Random prices, fixed attributes and directions of a schema."""

    def __init__(self, random: np.random.Generator, tree: Tree | RuleList) -> None:
        schema = tree.schema
        self.schema = schema
        self.change = {a.name: float(random.choice([0.5, 1.0, 1.0, 2.0, 3.0])) for a in schema if random.random() < 0.6}
        moving = [a for a in schema if a.is_numeric]
        self.unit = {a.name: float(random.choice([0.1, 1.0])) for a in moving if random.random() < 0.3}
        self.fixed = [a.name for a in schema if random.random() < 0.15]
        self.directions = {a.name: str(random.choice(["up", "down"])) for a in moving if random.random() < 0.2}

    def arguments(self) -> dict[str, Any]:
        """As the function takes them."""
        return {
            "change_costs": self.change,
            "unit_costs": self.unit,
            "fixed": self.fixed,
            "directions": self.directions,
        }

    def allowed(self, now: list[float | None]) -> Any:
        """Whether an attribute may take a value."""

        def check(place: int, value: float) -> bool:
            name, before = self.schema[place].name, now[place]
            if name in self.fixed:
                return False
            way = self.directions.get(name)
            return before is None or way is None or (value > before if way == "up" else value < before)

        return check

    def of(self, now: list[float | None], rows: np.ndarray) -> np.ndarray:
        """The cost of every row."""
        total = np.zeros(len(rows))
        for place, before in enumerate(now):
            name = self.schema[place].name
            column = rows[:, place]
            changed = ~np.isnan(column) if before is None else column != before
            total += changed * self.change.get(name, 1.0)
            if before is not None and name in self.unit:
                with np.errstate(over="ignore"):
                    total += self.unit[name] * np.abs(column - before)
        return total


def wanted_of(tree: Tree | RuleList, answers: np.ndarray, random: np.random.Generator) -> tuple[dict[str, Any], Any]:
    """A random goal and the test whether answers meet it; answers[0] is the answer now."""
    if tree.classes is None:
        bound = float(random.choice(answers))
        if random.random() < 0.5:
            return {"above": bound}, lambda values: values > bound
        return {"below": bound}, lambda values: values < bound
    if random.random() < 0.5:
        return {}, lambda codes: codes != answers[0]
    code = int(random.integers(len(tree.classes)))
    return {"target": tree.classes[code]}, lambda codes: codes == code


def answers_of(tree: Tree | RuleList, dataset: Dataset) -> np.ndarray:
    """What a model answers, as positions of classes or numbers."""
    if isinstance(tree, RuleList):
        return np.asarray(tree.predict(dataset), dtype=float)
    shares = predict_distribution(tree, dataset)
    return shares[:, 0] if tree.classes is None else label_codes(shares).astype(float)


def check_against_every_row(model: Tree | RuleList, dataset: Dataset, row: int, seed: int) -> bool:
    """The cheapest is as cheap as the cheapest of all rows; all that is cheaper than the last contains one given."""
    random = np.random.default_rng([seed, 77])
    now = row_of(dataset, row)
    prices = Prices(random, model)
    rows = every_row(model, now, prices.allowed(now))
    if rows is None:
        return False
    rows = np.vstack([[math.nan if v is None else v for v in now], rows])
    answers = answers_of(model, dataset_of(model.schema, rows))
    goal, fits = wanted_of(model, answers, random)
    n = int(random.choice([1, 2, 4]))
    found = counterfactuals(model, dataset, row, n=n, **goal, **prices.arguments())
    assert found.complete
    if fits(answers[:1])[0]:
        assert found.already
        assert len(found) == 0
        return True
    costs = prices.of(now, rows)
    changed = (rows != rows[0]) & ~(np.isnan(rows) & np.isnan(rows[0]))
    good = fits(answers) & changed.any(axis=1) & np.isfinite(costs)
    if not good.any():
        assert len(found) == 0
        return True
    assert found[0].cost == pytest.approx(costs[good].min(), abs=1e-9, rel=1e-12)
    check_each(model, found, now, fits, prices)
    assert [one.cost for one in found] == sorted(one.cost for one in found)
    if len(found) == n:
        good &= costs < found[-1].cost - 1e-9 * max(1.0, found[-1].cost)
    for line in np.flatnonzero(good):
        assert any(contains(model, rows[line], now, one) for one in found), f"seed {seed}, row {rows[line]}"
    json.dumps(found.to_dict(), allow_nan=False)
    return True


def check_each(
    model: Tree | RuleList, found: Counterfactuals, now: list[float | None], fits: Any, prices: Prices
) -> None:
    """Each one given costs what it says and gives what it says; with the values shown, too."""
    for one in found:
        line = np.array([[math.nan if v is None else v for v in now]])
        for change in one.changes:
            line[0, model.schema.position(change.attribute)] = change.code
        assert prices.of(now, line)[0] == pytest.approx(one.cost, abs=1e-9, rel=1e-12)
        answer = answers_of(model, dataset_of(model.schema, line))
        assert fits(answer)[0]
        label = answer[0] if model.classes is None else model.classes[int(answer[0])]
        assert label == one.label


def contains(model: Tree | RuleList, line: np.ndarray, now: list[float | None], one: Any) -> bool:
    """Whether a row makes all the changes of a counterfactual: the same way, or to one of its values."""
    for change in one.changes:
        place = model.schema.position(change.attribute)
        value, before = line[place], now[place]
        if math.isnan(value) or value == before:
            return False
        if model.schema[place].is_numeric:
            if before is not None and (value > before) != (change.code > before):
                return False
        elif int(value) not in change._domain:
            return False
    return True


def test_random_trees_against_every_row() -> None:
    """Trees of all kinds of test, unknown values, surrogates, values without branch."""
    tried = 0
    for seed in range(500):
        random = np.random.default_rng([seed, 3])
        schema = random_schema(random, str(random.choice(["numbers", "codes", "mixed"])))
        policy = str(random.choice(["any", "spread", "child"]))
        tree = random_tree(random, schema, policy, int(random.choice([0, 2, 3])), int(random.choice([5, 12, 30])))
        rows = random_rows(random, schema, 2, unknown=float(random.choice([0.0, 0.3])))
        tried += sum(check_against_every_row(tree, rows, row, seed) for row in range(2))
    assert tried > 600


def test_grown_trees_against_every_row() -> None:
    """Random tables grown by random recipes: ordered and boolean attributes, all policies."""
    tried = 0
    for seed in range(250):
        case = random_case(seed)
        tree = grow(case.dataset, case.target, case.recipe, **case.arguments())
        if any(attribute.kind == "date" for attribute in tree.schema):
            continue
        tried += check_against_every_row(tree, case.dataset, 0, seed)
    assert tried > 80


def test_rule_lists_against_every_row() -> None:
    """The rules of random trees, shortened, in their order and voting, with the tree behind them and without."""
    tried = 0
    for seed in range(250):
        random = np.random.default_rng([seed, 4])
        schema = random_schema(random, "mixed")
        tree = random_tree(random, schema, "any", int(random.choice([0, 2, 3])), 12)
        rules = RuleList.from_tree(tree, unknown=str(random.choice(["tree", "fails"])))  # type: ignore[arg-type]
        while len(rules) > 6:
            rules = rules.drop(int(random.integers(len(rules))))
        for number in range(len(rules)):
            if rules[number].conditions and random.random() < 0.5:
                rules = rules.replace(number, rules[number].without(0))
        if seed % 3 == 0:
            rules = rules.with_mode("voting")
        rows = random_rows(random, schema, 1, unknown=float(random.choice([0.0, 0.3])))
        tried += check_against_every_row(rules, rows, 0, seed)
    assert tried > 150


def test_a_surrogate_may_be_the_cheapest_way() -> None:
    """Income stays unknown; changing Age moves the example by the surrogate."""
    schema = schema_of(Income="numeric", Age="numeric")
    tree = build(
        cut("Income", 30, leaf([3, 1]), leaf([0, 4]), missing=1, surrogates=[stand_in("Age", 40.0)]),
        schema,
        ["No", "Yes"],
    )
    found = counterfactuals(tree, {"Age": 35}, change_costs={"Income": 3})
    assert found[0].changes[0].attribute == "Age"
    assert found[0].changes[0].condition == "Age > 40"


@pytest.mark.parametrize("tenths", range(1, 60))
@pytest.mark.parametrize("form", ["written", "32 bits", "unknown"])
def test_an_example_has_no_more_digits_than_the_table(tenths: int, form: str) -> None:
    """C4.5's thresholds are values of the table, so that an example above one is the next value that people write."""
    values = [round((tenths + more) / 10, 1) for more in (-2, -1, 0, 3, 4, 5)]
    model = C45Classifier(prune=False, min_objects=1).fit({"x": values}, list("nnnyyy"))
    now = {"written": values[1], "32 bits": float(f"{np.float32(values[1]):.10g}"), "unknown": None}[form]
    found = model.counterfactuals({"x": [now]}, target="y")
    if not found.already:
        example = found[0].changes[0].example
        assert float(example) > tenths / 10 and len(example.partition(".")[2]) <= (1 if tenths >= 10 else 2)
        assert model.predict({"x": [float(example)]}).tolist() == ["y"]

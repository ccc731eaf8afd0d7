"""Conditions: which cells fulfil them, how they combine and compare, and that dictionaries and text keep all of it."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quercus.data.schema import Attribute, Schema
from quercus.errors import DataError, ParameterError
from quercus.rules import Condition, Interval, ValueSet, condition_from_dict, is_known, is_unknown, merged

NUMBER = Attribute("x", "numeric")
SIZE = Attribute("size", "ordered", values=("S", "M", "L", "XL"))
TOWN = Attribute("town", "nominal", values=("a", "b", "c", "d"))
DAY = Attribute("day", "date")
SCHEMA = Schema((NUMBER, SIZE, TOWN, DAY))

CELLS = {
    "x": np.array([-5.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 9.0, np.nan]),
    "size": np.array([0.0, 1.0, 2.0, 3.0, np.nan]),
    "town": np.array([0, 1, 2, 3, -1], dtype=np.int32),
    "day": np.array([0.0, 86_400e6, 5 * 86_400e6, np.nan]),
}

bounds = st.sampled_from([-math.inf, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, math.inf])
intervals = st.builds(Interval, st.sampled_from([NUMBER, SIZE]), bounds, bounds, st.booleans())
sets = st.builds(ValueSet, st.just(TOWN), st.frozensets(st.integers(0, 3)), st.booleans())
conditions = st.one_of(intervals, sets)
pairs = st.one_of(
    st.tuples(*[st.builds(Interval, st.just(NUMBER), bounds, bounds, st.booleans())] * 2),
    st.tuples(*[st.builds(Interval, st.just(SIZE), bounds, bounds, st.booleans())] * 2),
    st.tuples(sets, sets),
)


def cells_of(condition: Condition) -> np.ndarray:
    return condition.holds(CELLS[condition.name])


@given(pairs)
def test_combining_conditions_is_combining_sets(pair: tuple[Condition, Condition]) -> None:
    one, two = pair
    assert np.array_equal(cells_of(one.intersection(two)), cells_of(one) & cells_of(two))
    union = one.union(two)
    if union is not None:
        assert np.array_equal(cells_of(union), cells_of(one) | cells_of(two))
    assert one.intersection(two) == two.intersection(one)
    assert one.contradicts(two) == one.intersection(two).is_impossible
    if one.implies(two):
        assert not (cells_of(one) & ~cells_of(two)).any()
    if one.attribute is not NUMBER:  # all values of the others are among the cells
        assert one.implies(two) == (not (cells_of(one) & ~cells_of(two)).any())
        assert one.contradicts(two) == (not (cells_of(one) & cells_of(two)).any())
        assert (one == two) == np.array_equal(cells_of(one), cells_of(two))


@given(conditions)
def test_a_condition_survives_its_dictionary(condition: Condition) -> None:
    again = condition_from_dict(json.loads(json.dumps(condition.to_dict())), SCHEMA)
    assert again == condition
    assert hash(again) == hash(condition)
    assert isinstance(condition.text(), str)
    assert isinstance(condition.latex(), str)


@given(conditions)
def test_unknown_cells_do_what_is_asked(condition: Condition) -> None:
    column = CELLS[condition.name]
    assert bool(condition.holds(column)[-1]) == condition.unknown
    assert condition.holds(column, unknown=True)[-1]
    assert not condition.holds(column, unknown=False)[-1]
    assert [condition.holds_code(code) for code in column] == condition.holds(column).tolist()
    assert condition.is_certain == (condition.has_every_value and condition.unknown)


@given(st.lists(st.builds(Interval, st.just(NUMBER), bounds, bounds, st.booleans()), min_size=1, max_size=6))
def test_merging_is_intersecting(parts: list[Interval]) -> None:
    (one,) = merged(parts)
    assert np.array_equal(cells_of(one), np.all([cells_of(part) for part in parts], axis=0))


@pytest.mark.parametrize(
    ("condition", "text", "latex"),
    [
        (Interval(NUMBER, high=54), "x <= 54", r"\text{x} \le 54"),
        (Interval(NUMBER, 54), "x > 54", r"\text{x} > 54"),
        (Interval(NUMBER, 54, 85.5), "54 < x <= 85.5", r"54 < \text{x} \le 85.5"),
        (Interval(NUMBER, 1e20), "x > 1e+20", r"\text{x} > 1 \cdot 10^{20}"),
        (Interval(NUMBER, 3, 2), "x impossible", r"\text{x}\ \text{impossible}"),
        (Interval(NUMBER, high=1, unknown=True), "x <= 1 or unknown", r"\text{x} \le 1\ \text{or unknown}"),
        (is_known(NUMBER), "x known", r"\text{x}\ \text{known}"),
        (is_unknown(NUMBER), "x unknown", r"\text{x}\ \text{unknown}"),
        (Interval(NUMBER, unknown=True), "x anything", r"\text{x}\ \text{anything}"),
        (Interval(SIZE, high=1.5), "size <= M", r"\text{size} \le \text{M}"),
        (Interval(SIZE, 0, 2), "size in M..L", r"\text{M} \le \text{size} \le \text{L}"),
        (Interval(SIZE, 1), "size > M", r"\text{size} > \text{M}"),
        (Interval(SIZE, 2), "size = XL", r"\text{size} = \text{XL}"),
        (Interval(SIZE, high=0), "size = S", r"\text{size} = \text{S}"),
        (Interval(DAY, 86_400e6, 2 * 86_400e6), "1970-01-02 < day <= 1970-01-03", None),
        (ValueSet(TOWN, [2]), "town = c", r"\text{town} = \text{c}"),
        (ValueSet(TOWN, [3, 0]), "town in {a, d}", r"\text{town} \in \{\text{a}, \text{d}\}"),
        (is_unknown(TOWN), "town unknown", r"\text{town}\ \text{unknown}"),
        (ValueSet(TOWN, [0], unknown=True), "town = a or unknown", None),
    ],
)
def test_conditions_read_as_people_write_them(condition: Condition, text: str, latex: str | None) -> None:
    assert condition.text() == str(condition) == text
    assert latex is None or condition.latex() == latex


def test_sets_may_be_shortened() -> None:
    assert ValueSet(TOWN, [0, 1, 2]).text(complement=True) == "town not d"
    wide = Attribute("v", "nominal", values=tuple(f"v{i}" for i in range(100)))
    assert ValueSet(wide, range(98)).text(complement=True) == "v not in {v98, v99}"
    assert ValueSet(wide, range(98)).text(limit=2) == "v in {v0, v1, … 96 more}"


def test_bounds_that_look_alike_are_written_in_full() -> None:
    text = Interval(NUMBER, 1.0, 1.0 + 1e-14).text()
    low, high = re.fullmatch(r"(.*) < x <= (.*)", text).groups()
    assert float(low) < float(high)


def test_float32_cells_are_compared_as_float64() -> None:
    cell = np.array([0.1], dtype=np.float32)  # a little more than 0.1
    assert Interval(NUMBER, low=0.1).holds(cell).tolist() == [True]
    assert Interval(NUMBER, high=0.1).holds(cell).tolist() == [False]


HOSTILE = [
    "a = b",
    'say "hi"',
    "x\ny",
    "",
    " ",
    "50% & more_$#^~{}\\",
    "日本",
    "a, b",
    "AND",
    "THEN",
    "<script>",
    "'); --",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_on_one_line_and_survive(name: str) -> None:
    attribute = Attribute(name, "nominal", values=tuple(HOSTILE))
    schema = Schema((attribute,))
    condition = ValueSet(attribute, [HOSTILE.index(name), 0, 3])
    assert "\n" not in condition.text() + condition.latex()
    assert condition_from_dict(json.loads(json.dumps(condition.to_dict())), schema) == condition
    latex = condition.latex()
    plain = re.sub(r"\\text(backslash|asciicircum|asciitilde|less|greater|quotedbl)\{\}", "", latex)
    plain = re.sub(r"\\([{}$&#%_])", "", plain)
    assert plain.count("{") == plain.count("}")
    assert not set(plain) & set("$&#%~^_")


def test_values_that_look_alike_are_told_apart() -> None:
    attribute = Attribute("v", "nominal", values=(1, "1", True, "True"))
    assert len({ValueSet(attribute, [code]).text() for code in range(4)}) == 4
    for code in range(4):
        condition = ValueSet(attribute, [code])
        assert condition_from_dict(json.loads(json.dumps(condition.to_dict())), Schema((attribute,))) == condition


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ParameterError, match="ValueSet"):
        Interval(TOWN, 0, 1)
    with pytest.raises(ParameterError, match="Interval"):
        ValueSet(NUMBER, [1])
    with pytest.raises(ParameterError, match="codes are 0 … 3"):
        ValueSet(TOWN, [4])
    with pytest.raises(ParameterError, match="bounds"):
        Interval(NUMBER, math.nan, 1)
    with pytest.raises(ParameterError, match="one attribute"):
        Interval(NUMBER).intersection(Interval(SIZE))
    for damaged in ({}, {"attribute": "x"}, {"attribute": "x", "above": "a", "up_to": 1}, {"attribute": "q"}, 3):
        with pytest.raises(DataError):
            condition_from_dict(damaged, SCHEMA)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="'z' is not a value of 'town'"):
        condition_from_dict({"attribute": "town", "values": ["z"]}, SCHEMA)


@settings(max_examples=30)
@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_any_bounds_survive(low: float, high: float) -> None:
    condition = Interval(NUMBER, low, high)
    assert condition_from_dict(json.loads(json.dumps(condition.to_dict())), SCHEMA) == condition


def test_a_list_marks_unknown_values_once_and_a_rule_puts_them_in_brackets() -> None:
    from quercus.rules.rule import Rule
    from quercus.rules.rule_list import RuleList

    small, town = Interval(NUMBER, high=1, unknown=True), ValueSet(TOWN, [0], unknown=True)
    rule = Rule((small, town), 0, ("no", "yes"))
    assert str(rule) == "IF (x <= 1 or unknown) AND (town = a or unknown) THEN no"
    assert str(Rule((small,), 0, ("no", "yes"))) == "IF x <= 1 or unknown THEN no"
    assert r"(\text{x} \le 1\ \text{or unknown}) \land" in rule.latex()
    rules = RuleList([rule], 1, Schema((NUMBER, TOWN)), ("no", "yes"))
    assert str(rules).splitlines() == [
        "1. IF x <= 1 [?] AND town = a [?] THEN no",
        "Otherwise: yes",
        "[?]: so, or the value is unknown.",
    ]

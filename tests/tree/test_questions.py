"""The kinds of tests: their branches in words, and the branch of a value."""

from __future__ import annotations

import datetime
import math

import numpy as np
import pytest

from quercus.data.schema import Attribute
from quercus.tree import Grouped, Multiway, Subset, Threshold

SOIL = Attribute("Soil", "nominal", values=("clay", "loam", "peat", "sand"))
HEIGHT = Attribute("Height", "numeric")


def test_a_threshold_includes_its_own_value() -> None:
    test = Threshold(HEIGHT, threshold=0.1 + 0.2)
    assert [test.branch_of(value) for value in (0.3, 0.1 + 0.2, 0.30000000000000010, -1, None)] == [0, 0, 1, 0, None]
    assert Threshold(HEIGHT, 1, threshold=3.0).branch_of(math.nan) == 1
    assert [test.branch_of_code(code) for code in (-1.0, math.nan)] == [0, None]


def test_an_ordered_threshold_names_the_last_value_below() -> None:
    size = Attribute("size", "ordered", values=("S", "M", "L", "X L, wide"))
    assert [Threshold(size, threshold=t).branches() for t in (0.5, 1.0, 2.5)] == [
        ["size <= S", "size > S"],
        ["size <= M", "size > M"],
        ["size <= L", "size > L"],
    ]
    assert Threshold(size, threshold=3).branch(0) == 'size <= "X L, wide"'
    assert [Threshold(size, threshold=1.5).branch_of(value) for value in ("S", "M", "L", "XXL", None)] == [
        0,
        0,
        1,
        None,
        None,
    ]


def test_dates_are_dates() -> None:
    day = Attribute("Day", "date")
    test = Threshold(day, threshold=1_714_564_800_000_000.0)
    assert test.branches() == ["Day <= 2024-05-01 12:00", "Day > 2024-05-01 12:00"]
    assert [test.branch_of(value) for value in (datetime.datetime(2024, 5, 1, 12), datetime.date(2024, 5, 2))] == [0, 1]
    assert test.branch_of(np.datetime64("2024-05-01")) == 0


def test_known_or_unknown() -> None:
    test = Threshold(HEIGHT, 1, math.inf)
    assert (str(test), test.branches()) == ("Height known", ["Height known", "Height unknown"])
    assert [test.branch_of(value) for value in (1e308, None)] == [0, 1]


def test_multiway_with_a_branch_for_unknown() -> None:
    test = Multiway(SOIL, 4, own_unknown=True)
    assert test.n_branches == 5
    assert test.branches() == ["Soil = clay", "Soil = loam", "Soil = peat", "Soil = sand", "Soil unknown"]
    assert [test.branch_of(value) for value in ("sand", "snow", None)] == [3, 4, 4]
    assert [Multiway(SOIL).branch_of_code(code) for code in (0, 3, 4, -1)] == [0, 3, None, None]


def test_boolean_branches() -> None:
    test = Multiway(Attribute("Wet", "boolean"))
    assert test.branches() == ["Wet = False", "Wet = True"]
    assert [test.branch_of(value) for value in (True, False, None)] == [1, 0, None]


def test_groups_in_words() -> None:
    test = Grouped(SOIL, groups=((0, 2), (1,), (3,)))
    assert (test.n_branches, test.values(0)) == (3, ("clay", "peat"))
    assert [test.branch_of(value) for value in ("peat", "loam", "sand", "snow")] == [0, 1, 2, None]
    only_unknown = Subset(SOIL, 1, groups=((0, 1), ()))
    assert only_unknown.branches() == ["Soil in {clay, loam}", "Soil unknown"]
    assert [only_unknown.branch_of(value) for value in ("clay", "peat", None)] == [0, 1, 1]


def test_long_sets_are_shortened_with_their_number() -> None:
    wide = Attribute("City", "nominal", values=tuple(f"town {i}" for i in range(100)))
    test = Subset(wide, groups=(tuple(range(97)), (97, 98, 99)))
    assert test.branch(0, limit=2) == "City in {town 0, town 1, … 95 more}"
    assert test.branch(1, limit=3) == "City in {town 97, town 98, town 99}"
    assert str(test).endswith("town 9, … 87 more}")
    assert test.branch(0).count(",") == 96


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", "plain"),
        ("two words", "two words"),
        (">60", ">60"),
        ("$$$", "$$$"),
        ("größe 你好", "größe 你好"),
        ("", '""'),
        (" ", '" "'),
        ("a ", '"a "'),
        ("a  b", '"a  b"'),
        ("a, b", '"a, b"'),
        ("{a}", '"{a}"'),
        ("a: b", '"a: b"'),
        ('"', r'"\""'),
        ("it's", '"it\'s"'),
        ("back\\slash", r'"back\\slash"'),
        ("line\nbreak", r'"line\nbreak"'),
        ("tab\t", r'"tab\t"'),
        ("\x1b[31m", r'"\x1b[31m"'),
        ("\u202eabc", r'"\u202eabc"'),
        ("\ud800", r'"\ud800"'),
        ("|   x", '"|   x"'),
    ],
)  # fmt: skip
def test_values_are_quoted_only_when_needed(value: str, text: str) -> None:
    assert Multiway(Attribute("A", "nominal", values=(value, "other"))).branch(0) == f"A = {text}"


def test_names_with_signs_are_quoted() -> None:
    assert str(Threshold(Attribute("petal length (cm)", "numeric"), threshold=2.45)) == "petal length (cm) <= 2.45"
    assert str(Threshold(Attribute("a <= b", "numeric"), threshold=1)) == '"a <= b" <= 1'
    assert str(Multiway(Attribute("", "boolean"))) == '""'


def test_tests_are_values() -> None:
    assert Threshold(HEIGHT, threshold=1.0) == Threshold(HEIGHT, threshold=1.0) != Threshold(HEIGHT, threshold=2.0)
    assert len({Multiway(SOIL), Multiway(SOIL), Subset(SOIL, groups=((0,), (1,)))}) == 2
    assert repr(Subset(SOIL, groups=((0, 1), (2,)))) == "Subset(Soil in {clay, loam})"

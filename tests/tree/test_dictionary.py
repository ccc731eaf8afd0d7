"""The dictionary form: exact, JSON-safe, and damaged ones are refused."""

from __future__ import annotations

import copy
import datetime
import json
import math
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quercus.errors import DataError, QuercusError
from quercus.tree import Tree
from tree.build import build, cut, leaf, schema_of
from tree.examples import every_kind, play_tennis, prices


@pytest.mark.parametrize("make", [play_tennis, every_kind, prices])
def test_json_and_pickle_round_trips_are_exact(make: Any) -> None:
    tree = make()
    assert Tree.from_dict(json.loads(json.dumps(tree.to_dict(), allow_nan=False))) == tree
    again = pickle.loads(pickle.dumps(tree))
    assert again == tree and not again.weight.flags.writeable
    assert copy.deepcopy(tree) == tree
    assert again.to_text() == tree.to_text()


def test_not_a_number_and_infinity_have_json_forms() -> None:
    threshold = every_kind().to_dict()["arrays"]["threshold"]
    assert threshold[4] is None and threshold[10] == "inf"
    assert math.isinf(Tree.from_dict(every_kind().to_dict()).threshold[10])


def test_the_last_bit_survives() -> None:
    tree = build(cut("x", 0.1 + 0.2, leaf([1, 1e-300]), leaf([1 / 3, 2])), schema_of(x="numeric"), ["a", "b"])
    again = Tree.from_dict(json.loads(json.dumps(tree.to_dict())))
    assert again.threshold[0] == 0.1 + 0.2 and again.value[2, 0] == 1 / 3


def test_classes_keep_their_type() -> None:
    for classes in (
        [1, 2],
        [False, True],
        ["1", "2"],
        [1.5, 2.5],
        [datetime.date(2024, 5, 1), datetime.date(2024, 5, 2)],
    ):
        again = Tree.from_dict(json.loads(json.dumps(build(leaf([1, 2]), schema_of(), classes).to_dict())))
        assert again.classes == tuple(classes) and [type(c) for c in again.classes] == [type(c) for c in classes]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "its format is 'other'"),
        ({"version": 2}, "has version 2; this library reads version 1"),
        ({"version": True}, "has version True"),
        ({"arrays": []}, "'arrays' must be a dictionary"),
        ({"classes": "Yes"}, "'classes' must be a list"),
        ({"classes": ["Yes"]}, "array 'value' is damaged"),
        ({"classes": [{"date": "yesterday"}, "x"]}, "schema or classes are damaged"),
        ({"classes": [{"code": "x"}, "x"]}, "is not a value in JSON form"),
        ({"schema": None}, "schema or classes are damaged"),
        ({"schema": {"attributes": []}}, "the schema has 0 attributes"),
        ({"schema": {"attributes": [3]}}, "schema"),
        ({"criterion": None}, "criterion is None"),
        ({"empty_leaf": 1}, "empty_leaf is 1"),
    ],
)  # fmt: skip
def test_damaged_dictionaries_say_what_is_wrong(change: dict[str, Any], message: str) -> None:
    with pytest.raises(QuercusError, match=message):
        Tree.from_dict({**play_tennis().to_dict(), **change})


@pytest.mark.parametrize(
    ("name", "items", "message"),
    [
        ("weight", "abc", "'weight' must be a list"),
        ("weight", ["1"] * 8, "'weight' is damaged"),
        ("weight", [True] * 8, "numbers are needed"),
        ("weight", [[1], [2, 3]], "'weight' is damaged"),
        ("kind", [0.0] * 8, "whole numbers are needed"),
        ("kind", [None] * 8, "'kind' is damaged"),
        ("first_child", [10**30] * 8, "'first_child' is damaged"),
        ("value", [["1", "2"]] * 8, "'value' is damaged: numbers are needed"),
        ("value", [[1], [1, 2]] * 4, "'value' is damaged"),
        ("value", [[None, 1]] * 8, "'value' is damaged"),
        ("threshold", ["nan"] * 8, "'threshold' is damaged"),
        ("colour", [1], "unknown: colour"),
    ],
)  # fmt: skip
def test_damaged_arrays_say_which(name: str, items: Any, message: str) -> None:
    data = play_tennis().to_dict()
    data["arrays"][name] = items
    with pytest.raises(DataError, match=message):
        Tree.from_dict(data)


def test_what_is_no_dictionary_is_refused() -> None:
    for data in (None, [], "tree", {}, {"format": "quercus tree"}):
        with pytest.raises(DataError, match=r"Tree\.to_dict\(\)"):
            Tree.from_dict(data)  # type: ignore[arg-type]


def _places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [path, *(place for key, value in inside for place in _places(value, (*path, key)))]


WHOLE = every_kind().to_dict()
PLACES = [place for place in _places(WHOLE) if place]
JUNK = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 20), st.integers(), st.floats(), st.text(max_size=5),
    st.lists(st.integers(-2, 5), max_size=15), st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)  # fmt: skip


@given(st.lists(st.tuples(st.sampled_from(PLACES), JUNK), min_size=1, max_size=3))
def test_any_damage_is_refused_or_harmless(damage: list[tuple[tuple[Any, ...], Any]]) -> None:
    data = copy.deepcopy(WHOLE)
    for place, junk in damage:
        target: Any = data
        for key in place[:-1]:
            try:
                target = target[key]
            except (LookupError, TypeError):
                break
        if isinstance(target, dict) or (
            isinstance(target, list) and isinstance(place[-1], int) and place[-1] < len(target)
        ):
            target[place[-1]] = junk
    try:
        tree = Tree.from_dict(data)
    except QuercusError as error:
        assert str(error)
    else:
        assert str(tree) and tree.root.describe() and tree.depth >= 0
        assert Tree.from_dict(tree.to_dict()) == tree

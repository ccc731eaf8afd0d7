"""Short thresholds: the shortest number between two values, against a search over all digits; the same division."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from long_tail import most_slow
from oracle.tables import Case, random_case

import quercus
from quercus import _core
from quercus.data import Attribute, ClassTarget, Dataset, Schema, encode, encode_classes
from quercus.growing.cart import cart_recipe
from quercus.growing.grow import grow
from quercus.growing.reference.grower import grow_reference
from quercus.growing.reference.short_threshold import has_few_digits, short_threshold, short_value

DIGITS = 15


def digits_of(number: float) -> tuple[int, int]:
    """How many decimals a number has, and how many digits between the first and the last that is not 0."""
    _, digits, exponent = Decimal(repr(number)).normalize().as_tuple()
    assert isinstance(exponent, int)
    return max(0, -exponent), len(digits)


def searched(low: float, high: float) -> float:
    """The shortest number in [low, high) by trying all of 0, 1, 2, … decimals and 1, 2, 3, … digits."""
    middle = low / 2 + high / 2
    for decimals in range(23):
        for power in range(22, -decimals - 1, -1) if decimals == 0 else [-decimals]:
            unit = Decimal(1).scaleb(power)
            first = int((Decimal(low) / unit).to_integral_value(rounding="ROUND_FLOOR")) - 1
            last = int((Decimal(high) / unit).to_integral_value(rounding="ROUND_CEILING")) + 1
            if last - first > 200:
                place = int(Decimal(middle) / unit)
                first, last = place - 50, place + 50
            inside = [t for k in range(first, last + 1) if low <= (t := float(k * unit)) < high]
            if power > 0 and inside == [0.0]:
                continue  # 0 is a multiple of everything, and one digit long
            if inside:
                return min(inside, key=lambda t: (digits_of(t)[1], abs(t - middle), t))  # ties by the last bits
    return middle


numbers = st.one_of(
    st.integers(-1000, 1000).map(float),
    st.decimals(-1000, 1000, places=2, allow_nan=False).map(float),
    st.floats(-1e6, 1e6, allow_nan=False, width=32),
    st.floats(-1e12, 1e12, allow_nan=False).filter(lambda x: x == 0 or abs(x) > 1e-6),
)


@settings(max_examples=400, deadline=None)
@given(st.tuples(numbers, numbers).map(sorted).filter(lambda pair: pair[0] < pair[1]))
def test_no_shorter_number_divides_two_values(pair: list[float]) -> None:
    low, high = pair
    found = short_threshold(low, high)
    assert low <= found < high
    assert float(repr(found)) == found
    wanted = searched(low, high)
    assert digits_of(found) == digits_of(wanted), (low, high, found, wanted)
    away = abs(wanted - (low / 2 + high / 2))
    assert abs(found - (low / 2 + high / 2)) <= away + 1e-6 * max(1, away) * 10.0 ** -digits_of(found)[0]
    if low == int(low) and high == int(high):
        assert found == int(found)


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [
        (66, 67, 66), (0, 1, 0), (-1, 0, -1), (-1, 1, 0), (0, 100, 50), (7, 150, 80), (45, 60, 50), (1.9, 3.0, 2),
        (1.7, 1.8, 1.7), (3.8, 4.0, 3.9), (float(np.float32(3.9)), 4.0, 3.95), (23456, 24567, 24000), (8, 11, 9),
        (4.5, 4.8, 4.6), (0.034, 0.041, 0.04), (-0.3, -0.1, -0.2), (96, 103, 100), (1e15, 1e15 + 2, 1e15),
        (1e-20, 3e-20, 2e-20),
        (5e-324, 1e-323, 5e-324), (1e300, 3e300, 2e300), (-1.7e308, 1.7e308, 0), (1.0, math.nextafter(1.0, 2), 1.0),
    ],
)  # fmt: skip
def test_what_a_person_would_write(low: float, high: float, found: float) -> None:
    assert short_threshold(low, high) == found


def day(text: str) -> float:
    return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC).timestamp() * 1e6


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [
        ("2024-05-01", "2024-05-08", "2024-05-04"),  # half-way is noon of the fourth
        ("2024-05-01 08:00", "2024-05-01 17:20", "2024-05-01 13:00"),
        ("2024-05-01 08:10", "2024-05-01 08:20", "2024-05-01 08:15"),
        ("2024-05-01 23:59:59", "2024-05-02 00:00:01", "2024-05-02"),
    ],
)
def test_dates_are_cut_at_a_whole_day_hour_or_minute(low: str, high: str, found: str) -> None:
    assert short_threshold(day(low), day(high), "date") == day(found)


def test_ordered_values_keep_the_midpoint() -> None:
    assert short_threshold(7.0, 15.0, "ordered") == 11.0


@settings(max_examples=200, deadline=None)
@given(
    st.lists(numbers, min_size=2, max_size=30, unique=True).map(sorted),
    st.sampled_from(["numeric", "date", "ordered"]),
)
def test_the_core_writes_the_same_numbers(values: list[float], kind: str) -> None:
    """A tree that asks about every gap: each threshold is that of the reference, bit for bit."""
    described = Attribute("x", kind, tuple("abc") if kind == "ordered" else ())  # type: ignore[arg-type]
    data = Dataset(Schema((described,)), (np.array(values),), len(values))
    target = ClassTarget(np.array(["a", "b"]), (np.arange(len(values)) % 2).astype(np.int32))
    tree = grow(data, target, cart_recipe(threshold="short"))
    found = sorted(tree.threshold[tree.kind == 1].tolist())
    assert found == [short_threshold(low, high, kind) for low, high in pairwise(values)]


def same_division(case: Case, seed: int) -> None:
    from dataclasses import replace

    plain = grow(case.dataset, case.target, replace(case.recipe, threshold="midpoint"), **case.arguments())
    short = grow(case.dataset, case.target, replace(case.recipe, threshold="short"), **case.arguments())
    for name in ("kind", "attribute", "first_child", "missing_child", "count", "group_child", "surrogate_attribute"):
        assert np.array_equal(getattr(plain, name), getattr(short, name)), (seed, name)
    assert np.array_equal(plain.value, short.value) and np.array_equal(plain.gain, short.gain), seed


def test_training_rows_divide_as_at_the_midpoint() -> None:
    """The same questions with the same counts in every node, over random tables, recipes and policies."""
    for seed in range(150):
        same_division(random_case(seed), seed)


def test_whole_numbers_get_whole_thresholds() -> None:
    random = np.random.default_rng(0)
    X = {"age": random.integers(18, 99, 300), "income": random.integers(0, 90_000, 300)}
    y = (X["age"] + random.normal(0, 20, 300) > 60).astype(int)
    tree = quercus.CARTClassifier(threshold="short").fit(X, y).tree_
    inner = tree.threshold[tree.kind == 1]
    assert len(inner) > 20 and (inner == np.round(inner)).all()
    plain = quercus.CARTClassifier().fit(X, y).tree_
    assert (plain.threshold[plain.kind == 1] != np.round(plain.threshold[plain.kind == 1])).any()


def test_text_rules_pictures_and_files_say_the_threshold_exactly(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    X = {"x": random.normal(0, 1, 200).round(3), "t": random.normal(100, 9, 200).astype(np.float32)}
    y = np.where(X["x"] + (X["t"] - 100) / 9 > 0, "yes", "no")
    model = quercus.CARTClassifier(threshold="short").fit(X, y)
    text, rules, picture = str(model), str(model.rules()), model.to_svg()
    for node in model.tree_.root.walk():
        if not node.is_leaf:
            shown = node.attribute.show(node.test.threshold)
            assert float(shown) == node.test.threshold
            assert f"{node.attribute.name} <= {shown}" in text
            assert shown in rules and f">≤ {shown}<" in picture
    quercus.save(model, tmp_path / "model.json")
    again = quercus.load(tmp_path / "model.json")
    assert np.array_equal(again.tree_.threshold, model.tree_.threshold, equal_nan=True)
    assert again.threshold == "short" and again.recipe_.threshold == "short"


@pytest.mark.parametrize("forest", [quercus.RandomForestClassifier, quercus.RandomForestRegressor])
@pytest.mark.parametrize("more", [{}, {"max_bins": 20}, {"random_thresholds": True}, {"missing": "surrogate"}])
def test_forests_write_short_thresholds_too(forest: type, more: dict[str, object]) -> None:
    random = np.random.default_rng(2)
    X = random.integers(0, 500, (120, 3)).astype(float)
    y = (X.sum(axis=1) > 700).astype(int)
    plain = forest(10, progress=False, **more).fit(X, y)
    short = forest(10, progress=False, threshold="short", **more).fit(X, y)
    for before, after in zip(plain.forest_, short.forest_, strict=True):
        assert np.array_equal(before.attribute, after.attribute) and np.array_equal(before.count, after.count)
        found = after.threshold[after.kind == 1]
        assert (found == np.round(found)).all()
    assert any((tree.threshold[tree.kind == 1] % 1 != 0).any() for tree in plain.forest_)


def test_the_trace_agrees_with_a_tree_of_short_thresholds() -> None:
    random = np.random.default_rng(3)
    X = {"a": random.normal(0, 1, 80), "b": random.integers(0, 40, 80)}
    y = encode_classes(np.where(X["a"] > 0.2, "p", "q")).classes[(X["a"] > 0.2).astype(int)]
    model = quercus.CARTClassifier(threshold="short", missing="surrogate").fit(X, y)
    trace = model.trace(X, y)
    assert not any(node.note for node in trace.nodes)


def noisy_case(seed: int) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Measurements of one decimal, some of them kept as 32-bit numbers, some with gaps."""
    random = np.random.default_rng(seed)
    columns = {name: np.round(random.normal(5, 2, 150), 1) for name in "abc"}
    columns["b"] = columns["b"].astype(np.float32).astype(np.float64)
    columns["c"] = (columns["c"] * 10.0 ** random.integers(-8, 9)).astype(np.float32).astype(np.float64)
    columns["b"][random.random(150) < 0.1] = np.nan
    return columns, ((columns["a"] > 5) ^ (columns["c"] > np.median(columns["c"])) ^ (random.random(150) < 0.2)).astype(
        int
    )


@pytest.mark.parametrize("number", [1.9, 123456.0, 1234560.0, 1e-7, 0.000123456, -66.25, 0.0, 5e-324, 1e300, 3e21, 0.1])
def test_numbers_of_six_digits_stay(number: float) -> None:
    assert has_few_digits(number) and float(f"{number:.5e}") == number
    assert _core.cut_between(number, number + max(abs(number), 1e-300), "few_digits") == number


@pytest.mark.parametrize("seed", most_slow(300, 60))
def test_few_digits_by_trying_them(seed: int) -> None:
    random = np.random.default_rng(seed)
    number = float(f"{random.normal() * 10.0 ** random.integers(-15, 20):.{random.integers(3, 9)}e}")
    assert has_few_digits(number) == (float(f"{number:.5e}") == number)
    high = float(np.nextafter(number, np.inf)) if seed % 3 == 0 else number + abs(number) / 100
    assert _core.cut_between(number, high, "few_digits") == short_value(number, high)


@pytest.mark.parametrize("seed", range(12))
def test_short_values_divide_all_training_rows_as_values_of_the_data_do(seed: int) -> None:
    """Also where pruning raises a branch, whose questions then meet other rows."""
    X, y = noisy_case(seed)
    own = quercus.C45Classifier().fit(X, y)
    short = quercus.C45Classifier(threshold="short_value").fit(X, y)
    for name in ("kind", "attribute", "value", "count", "gain"):
        np.testing.assert_array_equal(getattr(short.tree_, name), getattr(own.tree_, name))
    np.testing.assert_array_equal(short.apply(X), own.apply(X))
    asked = own.tree_.kind == 1
    kept = np.array([has_few_digits(number) for number in own.tree_.threshold[asked]])
    np.testing.assert_array_equal(short.tree_.threshold[asked] == own.tree_.threshold[asked], kept)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("missing", ["fractional", "surrogate"])
def test_the_reference_writes_the_same_short_values(seed: int, missing: str) -> None:
    X, y = noisy_case(seed)
    data, target = encode(X), encode_classes(y)
    recipe = cart_recipe(threshold="short_value", missing=missing, max_depth=4)
    ours, theirs = grow(data, target, recipe), grow_reference(data, target, recipe)
    np.testing.assert_array_equal(ours.threshold, theirs.threshold)
    np.testing.assert_array_equal(ours.surrogate_threshold, theirs.surrogate_threshold)

"""The generators keep to their definitions: truth tables, groups recomputed person by person, known error rates."""

from __future__ import annotations

import sys
from itertools import product

import numpy as np
import pytest

from quercus import datasets
from quercus.datasets.agrawal import agrawal_class, agrawal_people
from quercus.datasets.led import LED_DIGITS
from quercus.datasets.waveform import BASE_WAVES
from quercus.errors import ParameterError

GENERATORS = [name for name in datasets.__all__ if name.startswith("make_")]


@pytest.mark.parametrize("name", GENERATORS)
def test_the_same_seed_gives_the_same_table(name: str) -> None:
    make = getattr(datasets, name)
    (X, y), (X2, y2), (X3, y3) = (make(n_rows=300, random_state=seed) for seed in (4, 4, 5))
    assert X.equals(X2) and y.equals(y2) and not (X.equals(X3) and y.equals(y3))
    assert len(X) == len(y) == 300 and y.name


@pytest.mark.parametrize("name", GENERATORS)
def test_wrong_parameters_are_named(name: str) -> None:
    make = getattr(datasets, name)
    for options, message in [
        ({"n_rows": 0}, "n_rows=0"),
        ({"n_rows": 2.5}, "n_rows"),
        ({"random_state": "x"}, "random"),
    ]:
        with pytest.raises(ParameterError, match=message):
            make(**options)


def test_wrong_choices_are_named() -> None:
    for make, options, message in [
        (datasets.make_boolean, {"function": "nand"}, "function is 'nand', but must be one of 'and'"),
        (datasets.make_boolean, {"n_attributes": 40}, "give n_rows"),
        (datasets.make_boolean, {"noise": 2}, "noise=2"),
        (datasets.make_monks, {"problem": 4}, "problem=4 is not allowed; give a whole number from 1 to 3"),
        (datasets.make_agrawal, {"function": 11}, "function=11"),
        (datasets.make_agrawal, {"noise": "x"}, "noise='x'"),
        (datasets.make_led, {"noise": -1}, "noise=-1"),
        (datasets.make_waveform, {"n_irrelevant": -1}, "n_irrelevant=-1"),
    ]:
        with pytest.raises(ParameterError, match=message):
            make(**options)  # type: ignore[operator]


TRUTH = {
    "and": all,
    "or": any,
    "xor": lambda row: sum(row) % 2 == 1,
    "parity": lambda row: sum(row) % 2 == 1,
    "majority": lambda row: sum(row) > len(row) - sum(row),
}


@pytest.mark.parametrize("function", TRUTH)
@pytest.mark.parametrize("n_attributes", [1, 2, 3, 4])
def test_truth_tables(function: str, n_attributes: int) -> None:
    X, y = datasets.make_boolean(function, n_attributes, n_irrelevant=2)
    rows = X.to_numpy().tolist()
    assert rows == [list(bits) for bits in product((0, 1), repeat=n_attributes + 2)]
    assert list(y) == ["true" if TRUTH[function](row[:n_attributes]) else "false" for row in rows]


def test_noise_turns_its_share_round() -> None:
    X, y = datasets.make_boolean("parity", 5, n_rows=20_000, noise=0.2, random_state=1)
    truth = np.where(X.sum(axis=1) % 2 == 1, "true", "false")
    assert abs(np.mean(truth != y.to_numpy()) - 0.2) < 0.015


def test_monks() -> None:
    for problem, members in ((1, 216), (2, 142), (3, 228)):
        X, y = datasets.make_monks(problem)
        assert len(X) == 432 and (y == "yes").sum() == members and not X.duplicated().any()
        for robot, label in zip(X.to_dict("records"), y, strict=True):
            assert (label == "yes") == monk(problem, robot)
    X, y = datasets.make_monks(3, n_rows=122, random_state=2)
    assert not X.duplicated().any()
    wrong = sum((label == "yes") != monk(3, robot) for robot, label in zip(X.to_dict("records"), y, strict=True))
    assert 0 < wrong < 15
    assert len(datasets.make_monks(2, n_rows=1000)[1]) == 1000


def monk(problem: int, robot: dict[str, str]) -> bool:
    if problem == 1:
        return robot["head_shape"] == robot["body_shape"] or robot["jacket_color"] == "red"
    if problem == 2:
        first = {
            "head_shape": "round", "body_shape": "round", "is_smiling": "yes", "holding": "sword",
            "jacket_color": "red", "has_tie": "yes",
        }  # fmt: skip
        return sum(robot[name] == value for name, value in first.items()) == 2
    if robot["jacket_color"] == "green" and robot["holding"] == "sword":
        return True
    return robot["jacket_color"] != "blue" and robot["body_shape"] != "octagon"


def group(function: int, p: dict[str, float]) -> bool:
    """The published definition, person by person: whether it is group A."""
    age, salary, commission, level, loan = p["age"], p["salary"], p["commission"], p["elevel"], p["loan"]
    third = 0 if age < 40 else 1 if age < 60 else 2
    if function == 1:
        return third != 1
    if function in (2, 6):
        money = salary if function == 2 else salary + commission
        low, high = ((50e3, 100e3), (75e3, 125e3), (25e3, 75e3))[third]
        return low <= money <= high
    if function == 3:
        return level in ((0, 1), (1, 2, 3), (2, 3, 4))[third]
    if function == 4:
        within = level in ((0, 1), (1, 2, 3), (2, 3, 4))[third]
        inside = ((25e3, 75e3), (50e3, 100e3), (50e3, 100e3))[third]
        outside = ((50e3, 100e3), (75e3, 125e3), (25e3, 75e3))[third]
        low, high = inside if within else outside
        return low <= salary <= high
    if function == 5:
        low, high = ((50e3, 100e3), (75e3, 125e3), (25e3, 75e3))[third]
        inside = ((100e3, 300e3), (200e3, 400e3), (300e3, 500e3))[third]
        outside = ((200e3, 400e3), (300e3, 500e3), (100e3, 300e3))[third]
        low, high = inside if low <= salary <= high else outside
        return low <= loan <= high
    pay = 0.67 * (salary + commission)
    if function == 7:
        return pay - 0.2 * loan - 20e3 > 0
    if function == 8:
        return pay - 5e3 * level - 20e3 > 0
    if function == 9:
        return pay - 5e3 * level - 0.2 * loan - 10e3 > 0
    equity = 0.0 if p["hyears"] < 20 else 0.1 * p["hvalue"] * (p["hyears"] - 20)
    return pay - 5e3 * level + 0.2 * equity - 10e3 > 0


@pytest.mark.parametrize("function", range(1, 11))
def test_agrawal(function: int) -> None:
    people = agrawal_people(3000, np.random.default_rng(function))
    rows = [dict(zip(people, row, strict=True)) for row in zip(*(c.tolist() for c in people.values()), strict=True)]
    assert agrawal_class(function, people).tolist() == [group(function, row) for row in rows]
    X, y = datasets.make_agrawal(function, n_rows=3000, random_state=function)
    assert (y == "A").tolist() == [group(function, row) for row in rows]
    assert X["salary"].tolist() == people["salary"].tolist() and X["car"].iloc[0] == f"make{people['car'][0]}"
    assert ((X["commission"] == 0) == (X["salary"] >= 75_000)).all() and X["age"].between(20, 80).all()
    assert len(X["elevel"].cat.categories) == 5 and len(X["car"].cat.categories) == 20
    noisy = datasets.make_agrawal(function, n_rows=3000, noise=0.1, random_state=function)[1]
    assert 0.07 < (noisy.to_numpy() != y.to_numpy()).mean() < 0.13


def test_agrawal_without_pandas_gives_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = datasets.make_agrawal(2, n_rows=50)
    monkeypatch.setitem(sys.modules, "pandas", None)
    columns, labels = datasets.make_agrawal(2, n_rows=50)
    assert columns == {name: X[name].tolist() for name in X} and labels == y.tolist()


def test_led_shows_digits() -> None:
    X, y = datasets.make_led(500, noise=0)
    assert all("".join(map(str, row)) == LED_DIGITS[digit] for row, digit in zip(X.to_numpy().tolist(), y, strict=True))
    assert len(set(LED_DIGITS)) == 10 and datasets.make_led(10, n_irrelevant=17)[0].shape == (10, 24)


def test_led_has_the_known_bayes_rate() -> None:
    """The rate computed from all 128 patterns is 74 %, and the rule that reaches it does so on a sample."""
    digits = np.array([[int(light) for light in lights] for lights in LED_DIGITS])
    patterns = np.array(list(product((0, 1), repeat=7)))
    wrong = (patterns[:, None, :] != digits[None, :, :]).sum(axis=2)
    chance = 0.1**wrong * 0.9 ** (7 - wrong) / 10
    rate = chance.max(axis=1).sum()
    assert round(rate, 2) == 0.74
    X, y = datasets.make_led(20_000, noise=0.1, random_state=3)
    best = chance.argmax(axis=1)[X.to_numpy() @ (1 << np.arange(7)[::-1])]
    assert abs((best == y.to_numpy()).mean() - rate) < 0.015


def test_waveform_means() -> None:
    X, y = datasets.make_waveform(30_000, n_irrelevant=19, random_state=2)
    assert X.shape == (30_000, 40)
    for wave, (a, b) in enumerate(((0, 1), (0, 2), (1, 2))):
        mean = X[y == wave].mean().to_numpy()
        expected = np.append((BASE_WAVES[a] + BASE_WAVES[b]) / 2, np.zeros(19))
        assert np.abs(mean - expected).max() < 0.08
        assert abs((y == wave).mean() - 1 / 3) < 0.015
    assert [int(wave.argmax()) + 1 for wave in BASE_WAVES] == [11, 15, 7] and (BASE_WAVES.max(axis=1) == 6).all()
    assert np.abs(X.iloc[:, 21:].std() - 1).max() < 0.03


def test_registry() -> None:
    names = [entry.name for entry in datasets.list_datasets()]
    assert names == list(datasets.DATASETS) and {entry.kind for entry in datasets.list_datasets()} == {
        "table",
        "generator",
    }
    for entry in datasets.list_datasets():
        X, y = datasets.load(entry.name)
        assert len(X) == len(y) and entry.description and entry.make.__doc__
    listed = {entry.make.__name__ for entry in datasets.list_datasets()}
    assert listed == {n for n in datasets.__all__ if n.startswith(("load_", "make_"))}
    assert len(datasets.load("play_tennis", d15=True)[1]) == 15
    with pytest.raises(ParameterError, match=r"no dataset 'monk'.*Did you mean 'monks'"):
        datasets.load("monk")
    with pytest.raises(ParameterError, match="'led' has no option 'rows'"):
        datasets.load("led", rows=5)

"""PART and RIPPER with thresholds written in other ways: the same rules over the same rows, with other numbers."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest
from long_tail import most_slow

from quercus import PARTClassifier, RIPPERClassifier, load, save
from quercus.cli.algorithms import make_estimator
from quercus.growing.reference.short_threshold import short_threshold
from quercus.rules.condition import Interval
from quercus.rules.rule_list import RuleList

LEARNERS = [PARTClassifier, RIPPERClassifier]


def table(seed: int) -> tuple[dict[str, list[Any]], list[str], np.ndarray, dict[str, Any]]:
    """Random rows: numbers, a date, ordered and nominal values, some unknown; classes that depend on them."""
    random = np.random.default_rng(seed)
    n = int(random.integers(20, 150))
    x, days, size = random.normal(0, 3, n).round(2), random.integers(0, 900, n), random.integers(0, 4, n)
    noise = random.normal(0, 1, n)
    y = [["no", "yes", "maybe"][int(v > 0) + int(v > 4)] for v in x + days / 300 - size + noise]
    columns: dict[str, list[Any]] = {
        "x": x.tolist(),
        "day": [date(2020, 1, 1) + timedelta(days=int(d)) for d in days],
        "size": [["S", "M", "L", "XL"][s] for s in size],
        "city": [["Rome", "Oslo", "Bern"][c] for c in random.integers(0, 3, n)],
    }
    for name in ("x", "size", "city"):
        for i in np.flatnonzero(random.random(n) < 0.08):
            columns[name][i] = None
    domains = {"kinds": {"size": "ordered"}, "domains": {"size": ["S", "M", "L", "XL"]}}
    return columns, y, random.integers(0, 3, n).astype(float), domains


def intervals(rules: RuleList) -> list[Interval]:
    return [c for rule in rules.rules for c in rule.conditions if isinstance(c, Interval)]


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("threshold", most_slow(["short", "data_value", "midpoint", "short_value"], 2))
def test_rules_cover_the_same_training_rows(learner: Any, threshold: str) -> None:
    different = 0
    for seed in range(40):
        X, y, weights, options = table(seed)
        own = learner(**options).fit(X, y, sample_weight=weights)
        other = learner(threshold=threshold, **options).fit(X, y, sample_weight=weights)
        assert len(own.rules_) == len(other.rules_), seed
        for a, b in zip(own.rules_, other.rules_, strict=True):
            assert [c.name for c in a.conditions] == [c.name for c in b.conditions], seed
            assert a.label == b.label and np.array_equal(a.class_weights, b.class_weights), seed
        counted = [i for i, w in enumerate(weights) if w > 0]
        rows = {name: [column[i] for i in counted] for name, column in X.items()}
        assert own.predict(rows).tolist() == other.predict(rows).tolist(), seed
        different += str(own.rules_) != str(other.rules_)
    assert (different == 0) == (threshold in ("data_value", "short_value"))  # no number here has many digits


@pytest.mark.parametrize("learner", LEARNERS)
def test_the_numbers_are_the_shortest_in_their_gaps(learner: Any) -> None:
    """One column, so that every row left lies on one side of a gap that is known."""
    for seed in range(40):
        random = np.random.default_rng(seed)
        x = np.unique(random.normal(0, [1, 30, 5000][seed % 3], 60).round(4))
        y = np.where(np.sin(x / [0.5, 15, 2500][seed % 3]) > 0, "up", "down")
        model = learner(threshold="short", prune=False).fit({"x": x}, y)
        bounds = [b for c in intervals(model.rules_) for b in (c.low, c.high) if np.isfinite(b)]
        assert bounds, seed
        for bound in bounds:
            low, high = x[x <= bound].max(), x[x > bound].min()
            if learner is RIPPERClassifier:  # its gaps lie between neighbours of the whole table
                assert bound == short_threshold(low, high), seed
            assert len(repr(bound)) <= len(repr(short_threshold(low, high))), seed


def test_dates_are_cut_at_midnight_and_ordered_values_stay() -> None:
    X = {"t": np.array(["2024-01-01T10:30", "2024-01-01T22:10", "2024-01-02T09:15", "2024-01-02T11:45"] * 3)}
    X["t"] = X["t"].astype("datetime64[us]")
    y = ["a", "a", "b", "b"] * 3
    for learner in LEARNERS:
        (first, *_) = learner(threshold="short", prune=False).fit(X, y).rules_
        assert "2024-01-02" in first.text() and ":" not in first.text()
        sizes = {"size": ["S", "M", "L", "XL"] * 3}
        options = {"kinds": {"size": "ordered"}, "domains": {"size": ["S", "M", "L", "XL"]}}
        plain, short = (learner(threshold=t, prune=False, **options).fit(sizes, y).rules_ for t in (None, "short"))
        assert str(plain) == str(short)


@pytest.mark.parametrize("learner", LEARNERS)
def test_files_and_the_command_line_know_the_parameter(learner: Any, tmp_path: Any) -> None:
    X, y, _, options = table(3)
    model = learner(threshold="short", **options).fit(X, y)
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.threshold == "short" and str(again.rules_) == str(model.rules_)
    key = learner.__name__.removesuffix("Classifier").lower()
    assert make_estimator(key, False, {}).threshold == "short_value"  # as C4.5's: a value of the data
    assert make_estimator(key, False, {"threshold": "short"}).threshold == "short"

"""RIPPER's parts: FOIL gain and the search for a condition against brute force, pruning, description lengths."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quercus.data import encode
from quercus.rules.description_length import exception_bits, integer_bits, rule_bits, subset_bits
from quercus.rules.ripper_growing import RankCondition, best_step, covered_rows, grow_rule, prune_rule, rank_cells


def test_foil_gains_of_play_tennis_by_hand() -> None:
    """Class No, 5 of 14. High: 4 (log2 4/7 − log2 5/14) = 2.712, Sunny: 3 (log2 3/5 − log2 5/14) = 2.245."""
    data = encode(
        {
            "Outlook": list("SSORRROSSRSOOR"),
            "Humidity": list("HHHHNNNHNNNHNH"),
        }
    )
    no = np.array([1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1], dtype=float)
    cells = rank_cells(data)
    assert best_step(cells, np.arange(14), no, 1 - no, 1.0) == RankCondition(1, "equals", 1)  # Humidity = H
    steps = grow_rule(cells, np.arange(14), no, 1 - no, 1.0)
    assert [step.condition(cells).text() for step in steps] == ["Humidity = H", "Outlook = S"]


def brute_force(table: dict[str, list[Any]], positive: list[bool], weights: list[float], least: float) -> float:
    """The largest FOIL gain of any condition, by trying each on each row."""
    total_p = sum(w for w, p in zip(weights, positive, strict=True) if p)
    if total_p == 0:
        return 0.0
    before, best = math.log2(total_p / sum(weights)), 0.0
    for name, column in table.items():
        values = sorted({v for v in column if v is not None})
        tests: list[list[bool]] = []
        for value in values:
            if name.startswith("c"):
                tests.append([v == value for v in column])
            elif value != values[-1]:
                tests.append([v is not None and v <= value for v in column])
                tests.append([v is not None and v > value for v in column])
        for kept in tests:
            rows = list(zip(kept, positive, weights, strict=True))
            p = sum(w for k, is_p, w in rows if k and is_p)
            n = sum(w for k, is_p, w in rows if k and not is_p)
            if p > 0 and p >= least:
                best = max(best, p * (math.log2(p / (p + n)) - before))
    return best


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_best_step_has_the_gain_of_brute_force(data: Any) -> None:
    n = data.draw(st.integers(2, 25))
    number = st.one_of(st.none(), st.integers(-3, 3))
    letter = st.one_of(st.none(), st.sampled_from("abc"))
    table: dict[str, list[Any]] = {
        "x": data.draw(st.lists(number, min_size=n, max_size=n)),
        "c": data.draw(st.lists(letter, min_size=n, max_size=n)),
        "x2": data.draw(st.lists(st.floats(-1e6, 1e6), min_size=n, max_size=n)),
    }
    positive = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    weights = [w / 2 for w in data.draw(st.lists(st.integers(1, 6), min_size=n, max_size=n))]
    least = data.draw(st.sampled_from([0.5, 2.0]))
    cells = rank_cells(encode(table, kinds={"x": "numeric", "c": "nominal", "x2": "numeric"}))
    p = np.where(positive, weights, 0.0)
    q = np.array(weights) - p
    expected = brute_force(table, positive, weights, least)
    step = best_step(cells, np.arange(n), p, q, least)
    if step is None:
        assert expected <= 1e-9
        return
    rows = covered_rows(cells, [step], np.arange(n))
    gain = p[rows].sum() * (
        math.log2(p[rows].sum() / (p[rows].sum() + q[rows].sum())) - math.log2(p.sum() / sum(weights))
    )
    assert gain == pytest.approx(expected, rel=1e-9)
    assert p[rows].sum() >= least


def test_of_equal_gains_the_first_attribute_and_the_lowest_rank_count() -> None:
    cells = rank_cells(encode({"x": [1, 1, 2, 2, 3, 3], "again": [1, 1, 2, 2, 3, 3]}))
    p = np.array([1, 1, 0, 0, 1, 1], dtype=float)
    assert best_step(cells, np.arange(6), p, 1 - p, 1.0) == RankCondition(0, "at_most", 1)


def test_weight_three_is_three_copies_for_the_search() -> None:
    rng = np.random.default_rng(1)
    x, letters, p = rng.normal(size=40), rng.choice(list("abc"), 40), (rng.random(40) < 0.4).astype(float)
    w = rng.integers(1, 4, 40)
    cells = rank_cells(encode({"x": x, "c": letters}))
    copies = rank_cells(encode({"x": np.repeat(x, w), "c": np.repeat(letters, w)}))
    p3, q3 = np.repeat(p, w), np.repeat(1 - p, w)
    assert grow_rule(cells, np.arange(40), p * w, (1 - p) * w, 2.0) == grow_rule(
        copies, np.arange(w.sum()), p3, q3, 2.0
    )


def test_few_rows_of_many_ranks_are_searched_alike() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=3000)
    p = (x + rng.normal(size=3000) > 0.8).astype(float)
    cells, rows = rank_cells(encode({"x": x})), np.arange(0, 3000, 60)
    few = best_step(cells, rows, p, 1 - p, 2.0)
    alone = best_step(rank_cells(encode({"x": x[rows]})), np.arange(len(rows)), p[rows], 1 - p[rows], 2.0)
    assert few is not None and alone is not None
    assert (cells.distinct[0][few.rank - 1], few.test) == (np.sort(x[rows])[alone.rank - 1], alone.test)  # type: ignore[index]


def test_pruning_keeps_the_best_prefix() -> None:
    """x > 1 keeps 4 right and 1 wrong, c = a of them 3 and 0, y <= 1 of these 2 and 0.

    (p − n)/(p + n) is 0.6, 1, 1: two conditions, the shorter of equals. p − n is 3, 3, 2: one condition.
    """
    cells = rank_cells(encode({"x": [1, 2, 2, 2, 2, 2], "c": list("babaab"), "y": [9, 1, 2, 1, 2, 1]}))
    positive = np.array([0, 1, 0, 1, 1, 1], dtype=float)
    steps = (RankCondition(0, "above", 1), RankCondition(1, "equals", 1), RankCondition(2, "at_most", 1))
    rows = [covered_rows(cells, steps[:length], np.arange(6)).tolist() for length in (1, 2, 3)]
    assert rows == [[1, 2, 3, 4, 5], [1, 3, 4], [1, 3]]
    assert prune_rule(cells, steps, np.arange(6), positive, 1 - positive, by="rate") == steps[:2]
    assert prune_rule(cells, steps, np.arange(6), positive, 1 - positive, by="count") == steps[:1]


def test_of_equal_prefixes_the_shortest_stays_and_one_condition_always() -> None:
    cells = rank_cells(encode({"x": [1, 2, 3]}))
    steps = (RankCondition(0, "above", 1), RankCondition(0, "at_most", 3))
    positive = np.ones(3)
    assert prune_rule(cells, steps, np.arange(3), positive, 1 - positive, by="rate") == steps[:1]
    assert prune_rule(cells, steps, np.arange(3), 1 - positive, positive, by="count") == steps[:1]
    assert prune_rule(cells, steps, np.arange(0), positive, 1 - positive, by="rate") == steps[:1]


def test_description_lengths_by_hand() -> None:
    assert integer_bits(3) == pytest.approx(math.log2(3) + math.log2(math.log2(3)))
    assert subset_bits(4, 1, 0.25) == pytest.approx(2 + 3 * math.log2(4 / 3))
    assert rule_bits(0, 10) == 0.0
    assert rule_bits(1, 4) == pytest.approx(0.5 * (2 + 3 * math.log2(4 / 3)))
    # 4 of 16 covered: 1 wrong among them, 2 missed among 12, which is the larger side: p = 3/24
    expected = math.log2(17) + subset_bits(12, 2, 3 / 24) + subset_bits(4, 1, 1 / 4)
    assert exception_bits(4, 12, 1, 2) == pytest.approx(expected)


@given(st.integers(0, 60), st.integers(0, 60), st.data())
def test_exception_bits_are_finite_and_not_negative(covered: int, uncovered: int, data: Any) -> None:
    wrong = data.draw(st.integers(0, covered)), data.draw(st.integers(0, uncovered))
    bits = exception_bits(covered, uncovered, *wrong)
    assert math.isfinite(bits) and bits >= 0

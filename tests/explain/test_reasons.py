"""Reason codes: the moves of all attributes together are the answer less what the root says."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from oracle.tables import random_case
from predict.random_trees import random_rows, random_schema, random_tree
from predict.twin import reached
from tree.build import build, cut, leaf, schema_of, stand_in

from quercus import C45Classifier
from quercus.datasets import load_play_tennis
from quercus.errors import ParameterError
from quercus.explain.cells import cells_of
from quercus.explain.why.reasons import contributions, reason_codes
from quercus.growing.grow import grow
from quercus.predict import predict_distribution
from quercus.tree import Tree


def play_tennis() -> Tree:
    """The lecture's tree."""
    return C45Classifier().fit(*load_play_tennis()).tree_


def test_the_moves_of_a_path() -> None:
    """5/14 → 3/5 by Outlook → 3/3 by Humidity."""
    reasons = reason_codes(play_tennis(), {"Outlook": "Sunny", "Humidity": "High"})
    assert [(r.rank, r.attribute) for r in reasons] == [(1, "Humidity"), (2, "Outlook")]
    assert [r.contribution for r in reasons] == pytest.approx([2 / 5, 3 / 5 - 5 / 14])
    assert (reasons.base, reasons.result, reasons.answer) == (pytest.approx(5 / 14), 1.0, "No")
    assert "35.71 % at the start + 40.00 % + 24.29 % = 100.00 %" in str(reasons)
    assert reasons.to_frame()["attribute"].tolist() == ["Humidity", "Outlook"]


def test_the_top_reason_and_the_rest() -> None:
    """n=1 keeps the sum whole."""
    reasons = reason_codes(play_tennis(), {"Outlook": "Sunny", "Humidity": "High"}, n=1)
    assert len(reasons) == 1
    assert len(reasons.all) == 2
    assert reasons.rest == pytest.approx(3 / 5 - 5 / 14)
    assert "(others)" in str(reasons)


def test_only_reasons_against() -> None:
    """Outlook = Rain lowers Yes, Wind = Weak raises it."""
    day = {"Outlook": "Rain", "Wind": "Weak"}
    assert [r.attribute for r in reason_codes(play_tennis(), day, only="against")] == ["Outlook"]
    assert [r.attribute for r in reason_codes(play_tennis(), day, only="for")] == ["Wind"]
    assert [r.attribute for r in reason_codes(play_tennis(), day, label="No", only="for")] == ["Outlook"]


def test_log_odds_of_one_path_move_question_by_question() -> None:
    """Laplace shares, ln(p / (1 − p)) of child less that of the node."""
    reasons = reason_codes(play_tennis(), {"Outlook": "Sunny", "Humidity": "High"}, scale="log_odds")
    root, sunny, high = 6 / 16, 4 / 7, 4 / 5

    def odds(p: float) -> float:
        return math.log(p / (1 - p))

    assert [r.contribution for r in reasons] == pytest.approx([odds(high) - odds(sunny), odds(sunny) - odds(root)])
    assert reasons.result == pytest.approx(odds(high))


def test_a_surrogate_gets_the_credit() -> None:
    """It is its value that decided."""
    schema = schema_of(Income="numeric", Age="numeric")
    tree = build(
        cut("Income", 30, leaf([3, 1]), leaf([0, 4]), missing=1, surrogates=[stand_in("Age", 40.0)]),
        schema,
        ["No", "Yes"],
    )
    reasons = reason_codes(tree, {"Age": 35})
    assert [r.attribute for r in reasons] == ["Age"]
    assert "stands in for the unknown Income" in str(reasons)
    assert [r.attribute for r in reason_codes(tree, {})] == ["Income"]


def exact_sum(tree: Tree, row: list[object], values: np.ndarray) -> Fraction:
    """Σ w (v(child) − v(node)) in exact arithmetic."""
    total = Fraction(0)
    for node, part, last in reached(tree, row):
        total += Fraction(part) * Fraction(float(values[node])) * (1 if last else 0)
    return total - Fraction(float(values[0]))


@pytest.mark.parametrize("scale", ["share", "log_odds"])
def test_moves_add_up_on_random_trees(scale: str) -> None:
    """Of every kind, with unknown values; also the log-odds of shared examples."""
    for seed in range(150):
        random = np.random.default_rng([seed, 5])
        schema = random_schema(random, "mixed")
        tree = random_tree(random, schema, n_classes=3 if scale == "log_odds" or seed % 3 else 0)
        rows = random_rows(random, schema, 3, unknown=0.4)
        for row in range(3):
            scale_ = "value" if tree.is_regression else scale
            reasons = reason_codes(tree, rows, row, n=2, scale=scale_)  # type: ignore[arg-type]
            together = math.fsum([reasons.base, *(r.contribution for r in reasons.all)])
            assert together == pytest.approx(reasons.result, abs=1e-9 if scale == "log_odds" else 1e-12)
            shown = math.fsum([reasons.base, *(r.contribution for r in reasons), reasons.rest])
            assert shown == pytest.approx(reasons.result, abs=1e-9)
            json.dumps(reasons.to_dict(), allow_nan=False)
            assert str(reasons)
            if scale_ == "log_odds":
                continue
            predicted = predict_distribution(tree, rows)[row]
            position = 0 if tree.classes is None else tree.classes.index(reasons.answer)
            assert reasons.result == predicted[position]
            values = tree.distributions()[:, position]
            moves = contributions(tree, cells_of(rows, row), values)
            exact = exact_sum(tree, [c[row] for c in rows.columns], values)
            assert math.fsum(moves.values()) == pytest.approx(float(exact), abs=1e-12)


def test_moves_add_up_on_grown_trees() -> None:
    """Random tables and recipes."""
    for seed in range(150):
        case = random_case(seed)
        tree = grow(case.dataset, case.target, case.recipe, **case.arguments())
        expected = predict_distribution(tree, case.dataset)
        for row in range(min(2, case.dataset.n_rows)):
            reasons = reason_codes(tree, case.dataset, row, n=None)
            position = 0 if tree.classes is None else tree.classes.index(reasons.answer)
            total = math.fsum([reasons.base, *(r.contribution for r in reasons)])
            scale = max(1.0, abs(expected[row][position]), abs(reasons.base))
            assert total == pytest.approx(expected[row][position], abs=1e-12 * scale)


def test_a_leaf_alone_has_no_reasons() -> None:
    """Nothing was asked."""
    tree = build(leaf([1, 3]), schema_of(x="numeric"), ["No", "Yes"])
    assert str(reason_codes(tree, {"x": 1})).startswith("Answer: Yes. Nothing was asked")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"scale": "value"}, "has classes"),
        ({"scale": "odds"}, "must be one of"),
        ({"label": "Perhaps"}, "no class"),
        ({"only": "some"}, "must be one of"),
        ({"n": -1}, "whole number"),
        ({"scale": "log_odds", "smoothing": ("m", 0)}, "no finite log-odds"),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict, message: str) -> None:
    """With what to do."""
    with pytest.raises(ParameterError, match=message):
        reason_codes(play_tennis(), {"Outlook": "Sunny", "Humidity": "High"}, **arguments)

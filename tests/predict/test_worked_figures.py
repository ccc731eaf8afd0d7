"""The lecture's figures for unknown values, decision thresholds and test costs."""

from __future__ import annotations

import numpy as np
import pytest
from tree.build import build, cut, leaf, multiway, schema_of, stand_in, subset

from quercus.data import Attribute, Dataset, Schema, encode_like
from quercus.errors import ParameterError
from quercus.predict import apply, decision_path, expected_test_cost, labels_from, predict_distribution


def test_an_example_without_x_gets_0_5625() -> None:
    """At the split x <= 4.5 with leaves 5/6 and 4/10: 5/6 · 6/16 + 4/10 · 10/16 = 0.5625."""
    schema = schema_of(x="numeric")
    tree = build(cut("x", 4.5, leaf([1, 5]), leaf([6, 4])), schema, [0, 1])
    rows = encode_like({"x": [4.5, 4.6, None]}, schema)
    shares = predict_distribution(tree, rows)[:, 1]
    assert shares == pytest.approx([5 / 6, 4 / 10, 0.5625], abs=1e-15)
    assert apply(tree, rows).tolist() == [1, 2, 2]
    assert decision_path(tree, rows, weights=True).toarray()[2].tolist() == [1, 6 / 16, 10 / 16]


def test_income_62_5_percent_and_a_threshold_of_0_6_answers_yes() -> None:
    """Two leaves at 75 % and 50 % with a half each: 62.5 %; a decision threshold of 0.6 answers Yes, 0.65 No."""
    schema = schema_of(Income=("low", "high"))
    tree = build(multiway("Income", leaf([1, 3]), leaf([2, 2])), schema, ["No", "Yes"])
    for unknown in (None, "never seen"):
        shares = predict_distribution(tree, encode_like({"Income": [unknown]}, schema))
        assert shares.tolist() == [[0.375, 0.625]]
        assert labels_from(shares, tree.classes, threshold=0.6).tolist() == ["Yes"]
        assert labels_from(shares, tree.classes, threshold=0.625).tolist() == ["Yes"]
        assert labels_from(shares, tree.classes, threshold=0.65).tolist() == ["No"]


def test_the_most_likely_class_wins_and_the_first_if_tied() -> None:
    """Also when the sum over several leaves missed the tie by a rounding."""
    assert labels_from(np.array([[0.2, 0.5, 0.3], [0.4, 0.2, 0.4]]), ["a", "b", "c"]).tolist() == ["b", "a"]
    assert labels_from(np.array([[0.5 - 5e-17, 0.5 + 1e-16]]), ["a", "b"]).tolist() == ["a"]
    assert labels_from(np.array([[0.1 + 0.2, 0.3, 0.4 - 1e-17]]), (1, "b", None)).tolist() == [None]
    assert labels_from(np.array([[0.1, 0.9]]), (False, True)).dtype == bool


def test_costs_choose_the_class_of_least_expected_cost() -> None:
    """p = (0.8, 0.2): answering the first costs 0.2 · 10, the second 0.8 · 1."""
    shares = np.array([[0.8, 0.2]])
    assert labels_from(shares, ["well", "ill"]).tolist() == ["well"]
    assert labels_from(shares, ["well", "ill"], cost_matrix=[[0, 1], [10, 0]]).tolist() == ["ill"]
    assert labels_from(shares, ["well", "ill"], cost_matrix=[[0, 1], [4, 0]]).tolist() == ["well"]  # tied: the first


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"threshold": 0.5, "cost_matrix": [[0, 1], [1, 0]]}, "Give one of them"),
        ({"threshold": 1.5}, "share from 0 to 1"),
        ({"threshold": float("nan")}, "share from 0 to 1"),
        ({"cost_matrix": [[0, 1]]}, "2 × 2"),
        ({"classes": ["a"]}, "1 classes for 2 columns"),
    ],
)
def test_wrong_choices_are_refused(arguments: dict[str, object], message: str) -> None:
    """Each message says what is allowed."""
    with pytest.raises(ParameterError, match=message):
        labels_from(np.array([[0.5, 0.5]]), **{"classes": ["a", "b"], **arguments})  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="two classes"):
        labels_from(np.array([[0.5, 0.3, 0.2]]), ["a", "b", "c"], threshold=0.5)


def test_test_costs_are_paid_once_and_by_weight() -> None:
    """The blood test costs 150 and is asked twice on the way to one leaf; the pulse costs nothing, the sonar 23."""
    attributes = [("pulse", 0.0), ("blood", 150.0), ("sonar", 23.0)]
    schema = Schema(tuple(Attribute(name, "numeric", cost=cost) for name, cost in attributes))
    blood = cut("blood", 5, leaf([3, 0]), cut("blood", 9, leaf([0, 1]), cut("sonar", 0, leaf([1, 1]), leaf([0, 2]))))
    tree = build(cut("pulse", 80, blood, cut("sonar", 0, leaf([4, 0]), leaf([0, 4]))), schema, ["well", "ill"])
    nan = np.nan
    columns = ([70, 70, 70, 90, nan, 70], [1, 7, 10, nan, 1, nan], [nan, nan, 1, 1, 1, 1])
    rows = Dataset(schema, tuple(np.array(column, dtype=np.float64) for column in columns), 6)
    half_unknown = 8 / 16 * 150 + 8 / 16 * 23  # 8 of the 16 examples have a pulse of at most 80
    blood_unknown = 150 + (5 / 8) * (4 / 5) * 23
    expected = [150.0, 150.0, 173.0, 23.0, half_unknown, blood_unknown]
    assert expected_test_cost(tree, rows) == pytest.approx(expected, rel=1e-15)


def test_surrogates_come_before_the_missing_child() -> None:
    """The first surrogate that knows the row decides; a value without a side there is not known."""
    schema = schema_of(x="numeric", z="numeric", soil=("clay", "sand", "peat"))
    surrogates = [stand_in("z", 5.0, 1), stand_in("soil", values={"clay": 1, "sand": 0})]
    tree = build(cut("x", 0, leaf([5, 0]), leaf([0, 3]), missing=0, surrogates=surrogates), schema, ["a", "b"])
    rows = {
        "x": [-1.0, 1.0, None, None, None, None, None, None],
        "z": [9.0, 9.0, 5.0, 5.5, None, None, None, None],
        "soil": ["clay", "sand", "sand", "clay", "clay", "sand", "peat", None],
    }
    assert apply(tree, encode_like(rows, schema)).tolist() == [1, 2, 2, 1, 2, 1, 1, 1]


def test_a_value_without_a_branch_is_unknown() -> None:
    """A subset knows only the values that were present; any other spreads."""
    schema = schema_of(soil=("clay", "sand", "peat"))
    tree = build(subset("soil", {"clay": 0, "sand": 1}, leaf([3, 0]), leaf([0, 1])), schema, ["a", "b"])
    shares = predict_distribution(tree, encode_like({"soil": ["clay", "sand", "peat"]}, schema))
    assert shares.tolist() == [[1, 0], [0, 1], [0.75, 0.25]]


def test_an_empty_branch_answers_for_its_parent_and_takes_no_share() -> None:
    """A known value may lead to an empty leaf; an unknown one never does; with empty leaves only, the node answers."""
    schema = schema_of(soil=("clay", "sand", "peat"))
    rows = encode_like({"soil": ["peat", None]}, schema)
    tree = build(multiway("soil", leaf([2, 0]), leaf([0, 1]), leaf([0, 0])), schema, ["a", "b"])
    assert apply(tree, rows).tolist() == [3, 1]
    assert predict_distribution(tree, rows)[1] == pytest.approx([2 / 3, 1 / 3])
    assert predict_distribution(tree, rows)[0].tolist() == [1, 0]  # the parent's majority class
    empty = build(multiway("soil", leaf([0, 0]), leaf([0, 0]), leaf([0, 0])), schema, ["a", "b"])
    assert apply(empty, rows).tolist() == [3, 0]
    assert decision_path(empty, rows).toarray().tolist() == [[1, 0, 0, 1], [1, 0, 0, 0]]

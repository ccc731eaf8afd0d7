"""Measuring a rule list: figures against their definitions, the interval against SciPy's, the table as it is read."""

from __future__ import annotations

import math

import numpy as np
import pytest
from oracle.tables import random_case
from scipy.stats import binomtest

from quercus.data import ClassTarget, encode, encode_classes
from quercus.data.schema import Attribute, Schema
from quercus.datasets import load_play_tennis
from quercus.errors import DataError, ParameterError
from quercus.growing.grow import grow
from quercus.rules import Interval, Rule, RuleList
from quercus.rules.yardsticks import wilson

CLASSES = ("No", "Yes")


@pytest.mark.parametrize(("correct", "size"), [(0, 1), (1, 1), (3, 4), (9, 14), (50, 50), (0, 30), (499, 1000)])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.99])
def test_the_interval_is_wilsons(correct: int, size: int, confidence: float) -> None:
    theirs = binomtest(correct, size).proportion_ci(confidence, method="wilson")
    assert wilson(correct, size, confidence) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_without_rows_there_is_no_interval() -> None:
    assert all(math.isnan(bound) for bound in wilson(0, 0))
    with pytest.raises(ParameterError, match="between 0 and 1"):
        wilson(1, 2, confidence=95)


@pytest.mark.parametrize("seed", range(0, 120, 4))
def test_every_figure_is_what_it_is_defined_to_be(seed: int) -> None:
    case = random_case(seed)
    rules = RuleList.from_tree(grow(case.dataset, case.target, case.recipe, **case.arguments()), unknown="fails")
    random = np.random.default_rng(seed)
    order = random.permutation(len(rules))
    rules = RuleList([rules[i] for i in order if random.random() < 0.8], rules.default, rules.schema, rules.classes)
    w = np.ones(case.dataset.n_rows) if case.weights is None else case.weights
    table = rules.measure(case.dataset, case.target, case.weights)
    fired, answers = rules.fired(case.dataset), rules.predict(case.dataset)
    assert len(table) == len(rules) + 1
    for number, row in enumerate(table):
        default = number == len(rules)
        covers = fired == -1 if default else rules[number].covers(case.dataset)
        new = fired == (-1 if default else number)
        assert row.support == pytest.approx(w[covers].sum())
        assert row.coverage == pytest.approx(w[covers].sum() / w.sum())
        assert row.newly_covered == pytest.approx(w[new].sum())
        answer = rules.default if default else rules[number].consequent
        if not isinstance(case.target, ClassTarget):
            if not covers.any() or w[covers].sum() == 0:
                continue
            y = case.target
            scale = max(np.abs(y).max(), 1e-200)
            assert row.mean == pytest.approx(np.average(y[covers], weights=w[covers]), abs=1e-9 * scale)
            expected = np.average((y[covers] - answer) ** 2, weights=w[covers])
            assert row.squared_error == pytest.approx(expected, abs=1e-7 * scale**2)
            continue
        right = case.target.codes == answer
        assert row.errors == pytest.approx(w[new & (answers != case.target.codes)].sum(), abs=1e-12)
        if w[covers].sum() > 0:
            assert row.precision == pytest.approx(w[covers & right].sum() / w[covers].sum())
            assert row.low <= row.precision + 1e-12 and row.precision <= row.high + 1e-12
            if w[right].sum() > 0:
                assert row.recall == pytest.approx(w[covers & right].sum() / w[right].sum())
                assert row.lift == pytest.approx(row.precision / (w[right].sum() / w.sum()))
        else:
            assert math.isnan(row.precision) and math.isnan(row.low)
    if isinstance(case.target, ClassTarget):
        assert table.errors == pytest.approx(w[answers != case.target.codes].sum(), abs=1e-9)
        assert table.accuracy == pytest.approx(np.average(answers == case.target.codes, weights=w))


@pytest.mark.parametrize("seed", range(1, 90, 3))
def test_the_errors_of_a_list_are_those_of_its_answers_in_every_mode(seed: int) -> None:
    case = random_case(seed)
    from_tree = RuleList.from_tree(grow(case.dataset, case.target, case.recipe, **case.arguments()))
    w = np.ones(case.dataset.n_rows) if case.weights is None else case.weights
    for rules in (from_tree, from_tree.with_mode("voting")):
        answers = rules.predict(case.dataset)
        if isinstance(case.target, ClassTarget):
            expected = w[answers != case.target.codes].sum()
        else:
            expected = (w * (answers - case.target) ** 2).sum()
        table = rules.measure(case.dataset, case.target, case.weights)
        assert table.errors == pytest.approx(expected)
        assert sum(row.newly_covered for row in table) == pytest.approx(w.sum())


def small() -> tuple[RuleList, object, ClassTarget]:
    x = Attribute("x", "numeric")
    schema = Schema((x,))
    rules = RuleList([Rule((Interval(x, 2),), 1, CLASSES), Rule((Interval(x, 1),), 1, CLASSES)], 0, schema, CLASSES)
    data = encode({"x": [0.0, 1.0, 2.0, 3.0, 4.0, None]})
    return rules, data, encode_classes(["No", "Yes", "No", "Yes", "Yes", "No"])


def test_contribution_in_order() -> None:
    rules, data, target = small()
    table = rules.measure(data, target)
    assert [(row.support, row.newly_covered, row.errors) for row in table] == [(2, 2, 0), (3, 1, 1), (3, 3, 1)]
    assert (table.errors, table.accuracy) == pytest.approx((2, 4 / 6))
    assert [(row.precision, row.recall, row.lift) for row in table][1] == pytest.approx((2 / 3, 2 / 3, 4 / 3))
    swapped = rules.move(0, 1).measure(data, target)
    assert [row.newly_covered for row in swapped] == [3, 0, 3]


def test_the_table_as_text_columns_and_frame() -> None:
    rules, data, target = small()
    table = rules.measure(data, target)
    lines = str(table).splitlines()
    assert len(lines) == 4
    assert lines[0].split() == [
        "support",
        "coverage",
        "precision",
        "95",
        "%",
        "interval",
        "recall",
        "lift",
        "new",
        "errors",
        "rule",
    ]
    assert lines[1].endswith("IF x > 2 THEN Yes") and lines[-1].endswith("otherwise No")
    frame = table.to_frame()
    assert list(frame.columns) == list(table.columns())
    assert frame["errors"].tolist() == [0, 1, 1]
    assert "squared_error" not in frame


def test_numbers() -> None:
    x = Attribute("x", "numeric")
    rules = RuleList([Rule((Interval(x, 2),), 10.0)], 0.0, Schema((x,)), None)
    data = encode({"x": [1.0, 3.0, 4.0]})
    table = rules.measure(data, [1.0, 9.0, 13.0])
    assert (table[0].mean, table[0].squared_error, table[0].errors) == pytest.approx((11.0, 5.0, 10.0))
    assert table[1].errors == pytest.approx(1.0)
    assert "squared error" in str(table) and "precision" not in table.columns()
    again = rules.measured(data, [1.0, 9.0, 13.0])
    assert again[0].text() == "IF x > 2 THEN 10 (2, ± 2)"


def test_a_list_can_be_measured_again_on_other_rows() -> None:
    rules, data, target = small()
    again = rules.measured(data, target, weights=[1, 1, 1, 1, 2, 0])
    assert [rule.text() for rule in again] == ["IF x > 2 THEN Yes (3, 1.00)", "IF x > 1 THEN Yes (4, 0.75)"]
    assert again.default_weights == (1.0, 1.0)
    assert np.allclose(again.distribution(data)[0], [0.5, 0.5])
    assert again.predict(data)[0] == 0


def test_integer_weights_are_repeated_rows_but_for_the_interval() -> None:
    rules, data, target = small()
    w = np.array([1, 2, 3, 1, 2, 1])
    repeated = np.repeat(np.arange(6), w)
    one = rules.measure(data, target, w)
    two = rules.measure(data.take(repeated), ClassTarget(target.classes, target.codes[repeated]))
    for mine, theirs in zip(one, two, strict=True):
        assert (mine.support, mine.precision, mine.lift, mine.errors) == pytest.approx(
            (theirs.support, theirs.precision, theirs.lift, theirs.errors)
        )
        assert mine.high - mine.low >= theirs.high - theirs.low - 1e-12


def test_rows_that_do_not_fit_are_refused() -> None:
    rules, data, target = small()
    with pytest.raises(DataError, match="one for each of the 6 rows"):
        rules.measure(data, target, weights=[1.0])
    with pytest.raises(DataError, match="'Maybe'"):
        rules.measure(data, encode_classes(["Maybe"] * 6))
    with pytest.raises(DataError, match="shape"):
        rules.measure(data, encode_classes(["No"] * 5))
    with pytest.raises(DataError, match="ClassTarget"):
        rules.measure(data, [0.5] * 6)


def test_classes_are_matched_by_name() -> None:
    X, y = load_play_tennis()
    data, target = encode(X), encode_classes(y)
    rules = RuleList((), 1, data.schema, CLASSES)
    turned = ClassTarget(np.array(["Yes", "No"]), 1 - target.codes)
    assert rules.measure(data, target).errors == rules.measure(data, turned).errors == 5

"""Weights and costs: rows, classes, priors, misclassification and the attributes' price."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quercus import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
from quercus.errors import DataError

X = np.array([[0.0], [0.0], [0.0], [1.0], [1.0], [1.0], [1.0], [1.0]])
Y = np.array(["a", "a", "b", "b", "b", "b", "b", "a"])


@pytest.mark.parametrize("estimator", [ID3Classifier(), C45Classifier(), CARTClassifier(), CARTRegressor()])
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_weight_3_is_three_copies_and_weight_0_is_none(estimator: Any, data: st.DataObject) -> None:
    n = data.draw(st.integers(2, 12))
    rows = np.array(data.draw(st.lists(st.tuples(*[st.integers(0, 4)] * 2), min_size=n, max_size=n)), dtype=float)
    y = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    if not weights.any():
        weights[0] = 1
    weighted = estimator.fit(rows, y, sample_weight=weights)
    answers = weighted.predict(rows)
    weighted_tree = weighted.tree_
    copied = estimator.fit(np.repeat(rows, weights, axis=0), np.repeat(y, weights))
    assert weighted_tree.n_nodes == copied.tree_.n_nodes
    assert np.allclose(weighted_tree.weight, copied.tree_.weight)
    assert np.allclose(answers, copied.predict(rows))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.array([1.0, -1, 1, 1, 1, 1, 1, 1]), "Negative values in data passed to `sample_weight`"),
        (np.zeros(8), "at least one non-zero"),
        (np.ones((8, 1)), "must be 1D array or scalar"),
        (np.ones(7), r"expected \(8,\)"),
        (np.full(8, np.nan), "NaN"),
        (["heavy"] * 8, "must be numbers"),
    ],
)
def test_wrong_sample_weights_are_refused(weights: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        CARTClassifier().fit(X, Y, sample_weight=weights)


def test_one_number_weighs_every_row() -> None:
    assert CARTClassifier().fit(X, Y, sample_weight=2.0).tree_.weight[0] == 16.0


def test_class_weight_multiplies_the_weights_of_its_class() -> None:
    tree = CARTClassifier(class_weight={"a": 3.0}).fit(X, Y)
    assert tree.tree_.value[0].tolist() == [9.0, 5.0]
    assert tree.predict([[1.0]]).tolist() == ["b"] and tree.predict([[0.0]]).tolist() == ["a"]


def test_balanced_gives_every_class_the_same_weight() -> None:
    tree = CARTClassifier(class_weight="balanced").fit(X, Y)
    assert tree.tree_.value[0] == pytest.approx([4.0, 4.0])
    weighted = CARTClassifier(class_weight="balanced").fit(X, Y, sample_weight=np.where(Y == "a", 7.0, 1.0))
    assert weighted.tree_.value[0] == pytest.approx([13.0, 13.0])


@pytest.mark.parametrize("priors", [[0.75, 0.25], {"b": 0.25, "a": 0.75}])
def test_priors_are_the_shares_at_the_root(priors: Any) -> None:
    tree = CARTClassifier(priors=priors).fit(X, Y)
    assert tree.tree_.value[0] == pytest.approx([6.0, 2.0])
    # leaf x = 1: a has 1 of 3 of its weight there, b 4 of 5: 0.75/3 = 0.25 against 0.25·4/5 = 0.2
    assert tree.predict_proba([[1.0]])[0] == pytest.approx([0.25 / 0.45, 0.2 / 0.45])
    assert tree.predict([[1.0]]).tolist() == ["a"]


def test_a_class_of_weight_zero_is_no_class_of_the_tree() -> None:
    tree = CARTClassifier(class_weight={"a": 0.0, "b": 1.0}).fit(X, Y)
    assert tree.tree_.n_nodes == 1
    assert tree.predict([[0.0]]).tolist() == ["b"]


@pytest.mark.parametrize("costs", [[[0, 1], [9, 0]], {("b", "a"): 9}])
def test_the_class_of_least_expected_cost_is_answered(costs: Any) -> None:
    # leaf x = 0: a 2/3, b 1/3. Answering a costs 9/3 = 3, answering b costs 2/3
    tree = CARTClassifier(cost_matrix=costs, max_depth=1).fit(X, Y)
    assert tree.predict_proba([[0.0]])[0] == pytest.approx([2 / 3, 1 / 3])
    assert tree.predict([[0.0]]).tolist() == ["b"]
    assert CARTClassifier(max_depth=1).fit(X, Y).predict([[0.0]]).tolist() == ["a"]
    assert str(tree).startswith("x0 <= 0.5: b")


def test_equal_costs_change_nothing() -> None:
    rng = np.random.default_rng(0)
    rows, y = rng.normal(size=(60, 3)), rng.integers(0, 3, 60)
    plain = CARTClassifier().fit(rows, y)
    costly = CARTClassifier(cost_matrix=np.ones((3, 3)) - np.eye(3)).fit(rows, y)
    assert plain.tree_.same_structure(costly.tree_)
    assert (plain.predict(rows) == costly.predict(rows)).all()


def test_costs_take_part_in_growing() -> None:
    # mistakes on class 0 cost 9: its weights count 2·9/10, those of class 1 2·1/10
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(200, 3))
    y = (rows[:, 0] + rng.normal(size=200) > 0).astype(int)
    plain = CARTClassifier(max_depth=2).fit(rows, y)
    costly = CARTClassifier(max_depth=2, cost_matrix=[[0, 9], [1, 0]]).fit(rows, y)
    assert plain.tree_.threshold[0] != costly.tree_.threshold[0]
    mistakes = [np.sum((y == 0) & (tree.predict(rows) == 1)) for tree in (plain, costly)]
    assert mistakes[1] < mistakes[0]


def test_a_cheap_attribute_is_asked_before_a_dear_one() -> None:
    # the blood test gains more than the pulse, but costs 150
    table = {"blood": list("pppqqqqq"), "pulse": list("ppqqqqqp")}
    y = list("yyynnnnn")
    costs = {"blood": 150.0, "pulse": 1.0}
    assert ID3Classifier().fit(table, y).tree_.root.attribute.name == "blood"
    for selection in ("tan_schlimmer", "nunez"):
        tree = ID3Classifier(selection=selection, attribute_costs=costs).fit(table, y)
        assert tree.tree_.root.attribute.name == "pulse"
    careless = ID3Classifier(selection="nunez", cost_exponent=0.0, attribute_costs=costs).fit(table, y)
    assert careless.tree_.root.attribute.name == "blood"


def test_expected_test_cost_is_paid_along_the_path() -> None:
    table = {"pulse": list("ppppqqqq"), "blood": list("rsrsrsrs")}
    y = list("yyyyynyn")
    tree = ID3Classifier(attribute_costs={"blood": 150.0, "pulse": 2.0}, missing="fractional").fit(table, y)
    assert tree.tree_.root.attribute.name == "pulse"
    assert tree.expected_test_cost({"pulse": ["p", "q"], "blood": ["r", "r"]}).tolist() == [2.0, 152.0]
    # an unknown pulse follows both branches, half the weight each
    assert tree.expected_test_cost({"pulse": [None], "blood": ["r"]}).tolist() == [2.0 + 0.5 * 150.0]


@pytest.mark.parametrize("y", [[0.0, -1.0], [0.0, 0.0]])
def test_poisson_refuses_what_cannot_be_counts(y: list[float]) -> None:
    with pytest.raises(DataError, match="Poisson regression"):
        CARTRegressor(criterion="poisson").fit([[0], [1]], y)

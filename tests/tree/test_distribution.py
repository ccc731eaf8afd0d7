"""Distributions and labels: empty leaves, smoothing, costs."""

from __future__ import annotations

import numpy as np
import pytest

from quercus.errors import ParameterError
from quercus.tree import Tree
from tree.build import build, leaf, multiway, schema_of
from tree.examples import play_tennis, prices

SCHEMA = schema_of(A=("x", "y", "z"))


def with_an_empty_leaf(empty_leaf: str) -> Tree:
    return build(multiway("A", leaf([2, 1]), leaf([1, 2]), leaf([0, 0])), SCHEMA, ["a", "b"], empty_leaf=empty_leaf)


def test_shares_are_class_weights_over_their_sum() -> None:
    shares = play_tennis().distributions()
    np.testing.assert_allclose(shares[0], [5 / 14, 9 / 14])
    np.testing.assert_allclose(shares[1], [3 / 5, 2 / 5])
    np.testing.assert_array_equal(shares[4], [1, 0])
    assert play_tennis().labels().tolist() == [1, 0, 1, 1, 0, 1, 1, 0]


def test_an_empty_leaf_has_its_parents_class_the_first_if_tied_or_its_distribution() -> None:
    assert with_an_empty_leaf("parent_class").distributions()[3].tolist() == [1, 0]
    assert with_an_empty_leaf("parent_distribution").distributions()[3].tolist() == [0.5, 0.5]
    assert with_an_empty_leaf("parent_class").labels().tolist() == [0, 0, 1, 0]


def test_laplace() -> None:
    shares = with_an_empty_leaf("parent_class").distributions(laplace=True)
    np.testing.assert_allclose(shares, [[1 / 2, 1 / 2], [3 / 5, 2 / 5], [2 / 5, 3 / 5], [2 / 3, 1 / 3]])
    np.testing.assert_allclose(with_an_empty_leaf("parent_distribution").distributions(laplace=True)[3], [1 / 2, 1 / 2])


def test_m_estimate_uses_the_shares_of_the_root_or_a_given_prior() -> None:
    tree = play_tennis()
    np.testing.assert_allclose(tree.distributions(m_estimate=2)[4], [(3 + 2 * 5 / 14) / 5, (2 * 9 / 14) / 5])
    np.testing.assert_allclose(tree.distributions(m_estimate=2, prior=[1, 3])[4], [3.5 / 5, 1.5 / 5])
    np.testing.assert_allclose(tree.distributions(m_estimate=0), tree.distributions())


def test_smoothing_is_checked() -> None:
    tree = play_tennis()
    for arguments, message in (
        ({"laplace": True, "m_estimate": 1}, "Choose one"),
        ({"prior": [1, 1]}, "without m_estimate"),
        ({"m_estimate": -1}, "m_estimate is -1"),
        ({"m_estimate": float("nan")}, "m_estimate is nan"),
        ({"m_estimate": "2"}, "m_estimate is '2'"),
        ({"m_estimate": 1, "prior": [1]}, "one number of at least 0 for each of the 2 classes"),
        ({"m_estimate": 1, "prior": [0, 0]}, "prior is"),
        ({"m_estimate": 1, "prior": [-1, 2]}, "prior is"),
    ):
        with pytest.raises(ParameterError, match=message):
            tree.distributions(**arguments)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="this tree predicts numbers"):
        prices().distributions(laplace=True)


def test_the_label_of_least_expected_cost() -> None:
    tree = play_tennis()
    assert tree.labels([[0, 1], [1, 0]]).tolist() == tree.labels().tolist()
    assert tree.labels([[0, 100], [1, 0]]).tolist() == [0, 0, 1, 0, 0, 1, 1, 0]
    assert tree.labels([[0, 0], [0, 0]]).tolist() == [0] * 8
    for costs in ([0, 1], [[0, 1]], [[0, np.nan], [1, 0]]):
        with pytest.raises(ParameterError, match="row = true class, column = predicted class"):
            tree.labels(costs)


def test_regression_predicts_one_number_and_empty_leaves_their_parents() -> None:
    tree = prices()
    np.testing.assert_allclose(tree.distributions(), [[6.8], [2], [10], [2], [2]])
    with pytest.raises(ParameterError, match="labels"):
        tree.labels()


def test_nothing_is_computed_twice() -> None:
    tree = play_tennis()
    assert tree.distributions() is tree.distributions() and tree.labels() is tree.labels()
    assert tree.parent is tree.parent and tree.node_depth is tree.node_depth


def test_a_tree_without_any_weight_has_equal_shares() -> None:
    tree = build(leaf([0, 0, 0, 0]), schema_of(), list("abcd"))
    assert tree.distributions().tolist() == [[0.25] * 4]
    assert tree.root.label == "a"
    below = build(multiway("A", leaf([0, 0]), leaf([0, 0]), leaf([0, 0])), SCHEMA, ["a", "b"])
    assert below.distributions()[0].tolist() == [0.5, 0.5] and below.labels().tolist() == [0] * 4

"""Probabilities and answers: smoothing, thresholds, importances, paths."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import NotFittedError

from quercus import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier

X = [["high"]] * 4 + [["low"]] * 6
Y = ["Yes", "Yes", "Yes", "No", "Yes", "No", "No", "No", "No", "No"]


def test_laplace_adds_one_example_of_each_class() -> None:
    # high: 3 Yes 1 No → (3 + 1)/(4 + 2); low: 1 Yes 5 No → (1 + 1)/(6 + 2)
    tree = ID3Classifier(smoothing="laplace").fit(X, Y)
    assert tree.predict_proba([["high"], ["low"]])[:, 1] == pytest.approx([4 / 6, 2 / 8])


def test_m_estimate_adds_m_examples_of_the_training_shares() -> None:
    # training share of Yes 4/10; m = 5: high (3 + 5·0.4)/(4 + 5), low (1 + 5·0.4)/(6 + 5)
    tree = ID3Classifier(smoothing=("m", 5)).fit(X, Y)
    assert tree.predict_proba([["high"], ["low"]])[:, 1] == pytest.approx([5 / 9, 3 / 11])
    assert tree.set_params(smoothing=("m", 0)).predict_proba([["high"]])[0, 1] == 0.75


def test_decision_threshold_is_reached_at_equality() -> None:
    tree = ID3Classifier(decision_threshold=0.75).fit(X, Y)
    assert tree.predict([["high"], ["low"]]).tolist() == ["Yes", "No"]
    assert tree.set_params(decision_threshold=0.76).predict([["high"]]).tolist() == ["No"]
    assert tree.set_params(decision_threshold=0.1).predict([["low"]]).tolist() == ["Yes"]


def test_log_probabilities_are_minus_infinity_for_what_never_was() -> None:
    tree = ID3Classifier().fit([["a"], ["b"]], ["x", "y"])
    with np.errstate(all="raise"):
        assert tree.predict_log_proba([["a"]]).tolist() == [[0.0, -np.inf]]


def test_a_value_never_seen_follows_the_policy_for_unknown_values() -> None:
    fractional = C45Classifier(min_objects=1).fit(X, Y)
    assert fractional.predict_proba([["never"]])[0] == pytest.approx([0.6, 0.4])
    common = ID3Classifier().fit(X, Y)
    assert common.predict_proba([["never"]])[0] == pytest.approx(common.predict_proba([["low"]])[0])


def test_importances_are_shares_of_the_gain() -> None:
    rows, y = load_iris(return_X_y=True)
    tree = CARTClassifier().fit(rows, y)
    assert tree.feature_importances_.sum() == pytest.approx(1.0)
    assert tree.feature_importances_.argmax() in (2, 3)
    root = tree.tree_.attribute[0]
    share = tree.tree_.gain[0] * tree.tree_.weight[0] / (tree.tree_.gain * tree.tree_.weight).sum()
    assert tree.feature_importances_[root] >= share
    assert CARTClassifier().fit(rows, np.zeros(150)).feature_importances_.tolist() == [0.0] * 4


def test_leaves_and_paths_agree() -> None:
    rows, y = load_iris(return_X_y=True)
    tree = CARTClassifier().fit(rows, y)
    leaves, paths = tree.apply(rows), tree.decision_path(rows)
    assert paths.shape == (150, tree.tree_.n_nodes)
    assert (tree.tree_.kind[leaves] == 0).all()
    assert all(paths[row, leaf] for row, leaf in enumerate(leaves))
    assert (np.asarray((paths != 0).sum(axis=1)).ravel() == tree.tree_.node_depth[leaves] + 1).all()
    assert (tree.tree_.distributions()[leaves] == tree.predict_proba(rows)).all()


def test_regression_predicts_the_mean_of_its_leaf() -> None:
    rows, y = load_diabetes(return_X_y=True)
    tree = CARTRegressor(max_depth=3).fit(rows, y)
    leaves, answers = tree.apply(rows), tree.predict(rows)
    for leaf in set(leaves.tolist()):
        assert answers[leaves == leaf] == pytest.approx(y[leaves == leaf].mean())
    assert tree.score(rows, y) > 0.4


def test_the_tree_is_printed_once_it_is_there() -> None:
    tree = ID3Classifier(form="threshold")
    assert str(tree) == repr(tree) == "ID3Classifier(form='threshold')"
    tree.fit({"Outlook": ["Sunny", "Rain"]}, ["No", "Yes"])
    assert "Outlook" in str(tree) and "Sunny" in str(tree)
    assert repr(tree) == "ID3Classifier(form='threshold')"


@pytest.mark.parametrize(
    "method", ["predict", "predict_proba", "predict_log_proba", "apply", "decision_path", "expected_test_cost"]
)
def test_nothing_is_answered_before_fitting(method: str) -> None:
    with pytest.raises(NotFittedError):
        getattr(C45Classifier(), method)([[1.0]])
    for question in ("get_depth", "get_n_leaves"):
        with pytest.raises(NotFittedError):
            getattr(C45Classifier(), question)()
    assert not hasattr(C45Classifier(), "feature_importances_")

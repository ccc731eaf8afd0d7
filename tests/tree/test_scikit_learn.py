"""The arrays of trees under scikit-learn's names: those of scikit-learn's own trees; refusals name the node."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import quercus as q
from quercus.errors import ModelKindError, QuercusError

ARRAYS = [
    *("children_left", "children_right", "feature", "threshold", "value", "impurity", "n_node_samples"),
    *("weighted_n_node_samples", "missing_go_to_left"),
]
OWN = {"threshold", "value"}


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_the_view_is_what_scikit_learn_keeps_of_the_same_tree(load: Any, criterion: str) -> None:
    X, y = load(return_X_y=True)
    tree = q.CARTClassifier(criterion=criterion, missing="most_common").fit(X.astype(np.float32), y).tree_
    theirs = (
        q.CARTClassifier(criterion=criterion, missing="most_common").fit(X.astype(np.float32), y).to_sklearn().tree_
    )
    for name in ARRAYS:
        assert np.array_equal(getattr(tree.sklearn, name), getattr(theirs, name)), name
    for name in ("node_count", "max_depth", "n_leaves", "n_features", "n_outputs"):
        assert getattr(tree.sklearn, name) == getattr(theirs, name), name
    assert tree.sklearn.n_classes.tolist() == theirs.n_classes.tolist()


def sums(view: Any, name: str) -> Any:
    """The sum of an array over the examples of the nodes, which does not depend on how nodes are numbered."""
    return float((np.asarray(getattr(view, name)) * view.weighted_n_node_samples).sum())


def test_impurities_and_values_are_those_that_scikit_learn_computes_itself() -> None:
    for load, mine, theirs in (
        (load_iris, q.CARTClassifier(max_depth=2), DecisionTreeClassifier(max_depth=2, random_state=0)),
        (load_diabetes, q.CARTRegressor(max_depth=3), DecisionTreeRegressor(max_depth=3, random_state=0)),
    ):
        X, y = load(return_X_y=True)
        ours, other = mine.fit(X, y).tree_.sklearn, theirs.fit(X, y).tree_
        assert ours.node_count == other.node_count
        assert np.isclose(sums(ours, "impurity"), sums(other, "impurity"))
        assert ours.value.shape == other.value.shape
        assert np.allclose(np.sort(ours.value, axis=0), np.sort(other.value, axis=0))
        assert sorted(ours.n_node_samples.tolist()) == sorted(other.n_node_samples.tolist())


def test_trees_answer_under_the_names_that_do_not_clash() -> None:
    tree = q.CARTClassifier(missing="most_common").fit(*load_iris(return_X_y=True)).tree_
    for name in set(ARRAYS) - OWN:
        assert np.array_equal(getattr(tree, name), getattr(tree.sklearn, name))
    assert (tree.node_count, tree.max_depth) == (tree.n_nodes, tree.depth)
    inner = tree.children_left >= 0
    assert np.array_equal(tree.threshold[inner], tree.sklearn.threshold[inner])
    assert tree.value.ndim == 2, "the tree's own layout stays"
    assert pickle.loads(pickle.dumps(tree)) == tree


@pytest.mark.parametrize("name", ARRAYS)
def test_the_arrays_are_read_only(name: str) -> None:
    tree = q.CARTClassifier(missing="most_common").fit(*load_iris(return_X_y=True)).tree_
    array = getattr(tree.sklearn, name)
    with pytest.raises(ValueError, match="read-only"):
        array[0] = array[0]


def test_a_tree_that_asks_for_values_names_the_node() -> None:
    X = {"x": [1.0, 2.0, 1.0, 2.0, 1.0, 2.0], "colour": ["r", "g", "r", "g", "b", "b"]}
    tree = q.CARTClassifier().fit(X, ["a", "a", "a", "a", "p", "p"]).tree_
    with pytest.raises(ModelKindError, match=r"Node 0 asks .*colour.*thresholds of numbers only"):
        _ = tree.children_left
    assert not hasattr(tree, "feature") and not hasattr(tree.sklearn, "threshold")
    assert tree.n_node_samples.sum() > 0 and tree.node_count == tree.n_nodes and len(tree.impurity) == tree.n_nodes


def test_unknown_values_that_go_both_ways_name_the_node() -> None:
    X, y = load_iris(return_X_y=True)
    tree = q.C45Classifier().fit(X, y).tree_
    assert len(tree.children_left) == tree.n_nodes
    with pytest.raises(ModelKindError, match="Node 0 sends both ways unknown values"):
        _ = tree.missing_go_to_left
    X[::3, 2] = np.nan
    tree = q.CARTClassifier(missing="surrogate").fit(X, y).tree_
    with pytest.raises(ModelKindError, match=r"Node \d+ asks surrogates for unknown values"):
        _ = tree.missing_go_to_left


def test_a_tool_that_takes_trees_of_scikit_learn_is_told_what_to_take() -> None:
    from sklearn.tree import export_graphviz

    model = q.CARTClassifier().fit(*load_iris(return_X_y=True))
    with pytest.raises(QuercusError, match=r"model\.to_sklearn"):
        export_graphviz(model)
    assert export_graphviz(model.to_sklearn()).startswith("digraph")


def test_every_quantile_and_number_has_a_view() -> None:
    X, y = load_diabetes(return_X_y=True)
    for model in (
        q.CARTRegressor(max_depth=3),
        q.CARTRegressor(criterion="pinball", quantiles=(0.1, 0.5), max_depth=3),
    ):
        view = model.fit(X, y).tree_.sklearn
        assert view.value.shape == (view.node_count, 1, 1) and (view.impurity >= 0).all()

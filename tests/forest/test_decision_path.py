"""Paths through all trees of a forest: the trees' own paths side by side, as scikit-learn's forests give them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import RandomForestClassifier as TheirForest

from quercus import (
    BaggingClassifier,
    BoostedClassifier,
    C45Classifier,
    CARTClassifier,
    PARTClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)

IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)


def with_gaps(X: np.ndarray) -> np.ndarray:
    return np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)


@pytest.mark.parametrize(
    ("model", "table"),
    [
        (RandomForestClassifier(7), IRIS),
        (RandomForestClassifier(4, missing="fractional", max_depth=3), IRIS),
        (RandomForestRegressor(5), DIABETES),
        (BaggingClassifier(C45Classifier(), 3), IRIS),
        (BoostedClassifier(n_estimators=4), IRIS),
    ],
    ids=lambda given: repr(given)[:40],
)
def test_it_is_the_paths_of_the_trees_side_by_side(model: Any, table: Any) -> None:
    X = with_gaps(table[0])
    model.fit(X, table[1])
    indicator, begin = model.decision_path(X)
    alone = [member.decision_path(X) for member in model.estimators_]
    assert begin.tolist() == np.cumsum([0, *(path.shape[1] for path in alone)]).tolist()
    assert indicator.format == "csr" and indicator.dtype == alone[0].dtype and indicator.shape == (len(X), begin[-1])
    for place, path in enumerate(alone):
        assert (indicator[:, begin[place] : begin[place + 1]] != path).nnz == 0
    leaves = model.apply(X)
    ones = indicator.toarray()
    assert (np.take_along_axis(ones, leaves + begin[:-1], axis=1) == 1).all() and (ones[:, begin[:-1]] == 1).all()


def test_a_forest_of_one_tree_is_the_tree() -> None:
    X, y = IRIS
    forest = RandomForestClassifier(1, bootstrap=False, max_features=None).fit(X, y)
    indicator, begin = forest.decision_path(X)
    assert (indicator != CARTClassifier().fit(X, y).decision_path(X)).nnz == 0
    assert begin.tolist() == [0, indicator.shape[1]]


def test_the_form_is_that_of_scikit_learn() -> None:
    X, y = IRIS
    ours = RandomForestClassifier(3).fit(X, y).decision_path(X)
    theirs = TheirForest(3, random_state=0).fit(X, y).decision_path(X)
    assert type(ours[0]) is type(theirs[0]) and ours[0].dtype == theirs[0].dtype
    assert ours[1].shape == theirs[1].shape and ours[1].dtype == theirs[1].dtype
    assert (ours[0].sum(axis=1) >= 3).all() and ours[0].has_sorted_indices


def test_rules_have_no_paths() -> None:
    X, y = IRIS
    rules = BaggingClassifier(PARTClassifier(), 2).fit(X, y)
    with pytest.raises(AttributeError, match="decision_path needs trees; the members are PARTClassifier"):
        rules.decision_path(X)

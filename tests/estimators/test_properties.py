"""Properties of every fitted estimator, on random mixed tables and random parameters."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from quercus import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
from quercus.criteria import CLASS_CRITERIA
from quercus.pruning import METHODS

POLICIES = ["fractional", "most_common", "class_most_common", "own_value"]
COSTS = {"number": 2.0, "word": 0.5, "truth": 1.0}

classifier_parameters = {
    "smoothing": st.sampled_from([None, "laplace", ("m", 2.5)]),
    "class_weight": st.sampled_from([None, "balanced"]),
    "significance": st.sampled_from([None, 0.3]),
    "max_depth": st.sampled_from([None, 0, 1, 3]),
    "attribute_costs": st.just(COSTS),
    "domains": st.sampled_from([None, {"word": ["a", "b", "c", "d"]}]),
    "prune": st.sampled_from([False, *METHODS]),
    "folds": st.just(2),
}


def make(kind: type, **parameters: Any) -> Any:
    return st.builds(kind, **classifier_parameters, **parameters)


classifiers = st.one_of(
    make(
        ID3Classifier,
        form=st.just("multiway"),
        missing=st.sampled_from(POLICIES),
        selection=st.sampled_from(["gain", "tan_schlimmer", "nunez"]),
        epsilon=st.sampled_from([0.0, 0.1]),
    ),
    make(ID3Classifier, form=st.just("threshold"), missing=st.sampled_from([*POLICIES, "surrogate"])),
    make(
        C45Classifier,
        preset=st.sampled_from(["c45", "r8", "j48"]),
        min_objects=st.sampled_from([0.5, 1, 2]),
        missing=st.sampled_from(POLICIES),
        value_groups=st.booleans(),
        selection=st.sampled_from(["gain_ratio", "gain", "nunez"]),
    ),
    make(
        CARTClassifier,
        criterion=st.sampled_from(list(CLASS_CRITERIA)),
        missing=st.sampled_from([*POLICIES, "surrogate"]),
        max_leaf_nodes=st.sampled_from([None, 2, 4]),
        min_samples_leaf=st.sampled_from([1, 2, 0.3]),
        max_bins=st.sampled_from([None, 4]),
    ),
)
regressors = st.builds(
    CARTRegressor,
    criterion=st.sampled_from(["squared_error", "absolute_error", "poisson"]),
    missing=st.sampled_from(["fractional", "most_common", "own_value", "surrogate"]),
    max_depth=st.sampled_from([None, 2]),
    max_leaf_nodes=st.sampled_from([None, 3]),
    prune=st.sampled_from([False, *(name for name, method in METHODS.items() if method.numbers)]),
    folds=st.just(2),
)


@st.composite
def tables(draw: st.DrawFn) -> tuple[dict[str, list[Any]], list[int], list[float]]:
    n = draw(st.integers(1, 14))

    def column(values: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(values, min_size=n, max_size=n))

    numbers = st.one_of(st.none(), st.sampled_from([0.0, 1.0, 1.5, 2.0]), st.floats(-1e300, 1e300))
    table = {
        "number": [*column(numbers), 1.0],
        "word": [*column(st.sampled_from([None, "a", "b", "c"])), "a"],
        "truth": [*column(st.sampled_from([None, True, False])), True],
    }
    y = [*column(st.integers(0, 3)), 1]
    weights = [*column(st.sampled_from([0.0, 1.0, 1.0, 2.5])), 1.0]
    return table, y, weights


NEW = {"number": [None, -5.0, 1.25], "word": ["never", None, "b"], "truth": [False, None, None]}


@settings(max_examples=150, deadline=None)
@given(classifiers, tables())
def test_classifiers_answer_with_probabilities(estimator: Any, data: Any) -> None:
    table, y, weights = data
    tree = estimator.fit(table, y, sample_weight=weights)
    for rows in (table, NEW):
        shares = tree.predict_proba(rows)
        assert np.allclose(shares.sum(axis=1), 1.0) and (shares >= 0).all()
        answered = np.searchsorted(tree.classes_, tree.predict(rows))
        assert np.allclose(shares[np.arange(len(shares)), answered], shares.max(axis=1))
        leaves = tree.apply(rows)
        assert (tree.tree_.kind[leaves] == 0).all()
        assert (np.asarray(tree.decision_path(rows)[np.arange(len(leaves)), leaves]) == 1).all()
        assert (tree.expected_test_cost(rows) <= sum(COSTS.values()) + 1e-9).all()
    importances = tree.feature_importances_
    assert (importances >= -1e-12).all() and (abs(importances.sum() - 1) < 1e-9 or (importances == 0).all())
    assert pickle.loads(pickle.dumps(tree)).tree_ == tree.tree_
    assert tree.tree_.n_nodes == 1 or str(tree)


@settings(max_examples=80, deadline=None)
@given(regressors, tables())
def test_regressors_answer_within_the_range_of_the_target(estimator: Any, data: Any) -> None:
    table, y, weights = data
    tree = estimator.fit(table, y, sample_weight=weights)
    seen = [target for target, weight in zip(y, weights, strict=True) if weight]
    for rows in (table, NEW):
        answers = tree.predict(rows)
        assert (answers >= min(seen) - 1e-9).all() and (answers <= max(seen) + 1e-9).all()


@settings(max_examples=40, deadline=None)
@given(classifiers, tables())
def test_fitting_again_gives_the_same_tree(estimator: Any, data: Any) -> None:
    table, y, weights = data
    first = estimator.fit(table, y, sample_weight=weights).tree_
    assert estimator.set_params(n_jobs=2).fit(table, y, sample_weight=weights).tree_ == first

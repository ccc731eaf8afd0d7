"""Robustness: odd tables get a right answer or a clear error, never a crash."""

from __future__ import annotations

import signal
from typing import Any

import numpy as np
import pytest

from quercus import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier

CLASSIFIERS = [ID3Classifier(), ID3Classifier(form="threshold"), C45Classifier(), CARTClassifier()]
ALL = [*CLASSIFIERS, CARTRegressor()]


@pytest.mark.parametrize("estimator", ALL)
def test_zero_rows_and_zero_attributes_are_refused(estimator: Any) -> None:
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        estimator.fit(np.empty((0, 3)), [])
    with pytest.raises(ValueError, match=r"0 feature\(s\)"):
        estimator.fit(np.empty((3, 0)), [0, 1, 0])
    with pytest.raises(ValueError, match=r"0 (feature|sample)"):
        estimator.fit({}, [])


@pytest.mark.parametrize("estimator", ALL)
def test_one_row_is_one_leaf(estimator: Any) -> None:
    tree = estimator.fit([[1.0, 2.0]], [3])
    assert tree.tree_.n_nodes == 1
    assert tree.predict([[np.nan, 7.0]]).tolist() == [3]


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_one_class_is_one_leaf(estimator: Any) -> None:
    tree = estimator.fit([[1.0], [2.0], [3.0]], ["only"] * 3)
    assert tree.tree_.n_nodes == 1 and tree.classes_.tolist() == ["only"]
    assert tree.predict_proba([[9.0]]).tolist() == [[1.0]]


@pytest.mark.parametrize("estimator", ALL)
def test_columns_all_missing_are_never_asked(estimator: Any) -> None:
    y = [0, 0, 1, 1]
    numeric = estimator.fit(np.full((4, 2), np.nan), y)
    assert numeric.tree_.n_nodes == 1
    table = {"nothing": [None] * 4, "x": ["p", "p", "q", "q"]}
    mixed = estimator.fit(table, y)
    assert mixed.predict(table).tolist() == y
    assert mixed.tree_.root.attribute.name == "x"


@pytest.mark.parametrize("estimator", ALL)
def test_constant_columns_are_never_asked(estimator: Any) -> None:
    table = {"number": [7.0] * 4, "word": ["same"] * 4, "truth": [True] * 4}
    tree = estimator.fit(table, [0, 0, 1, 1])
    # a multiway question about a constant has one branch with examples and is no question
    assert tree.tree_.n_nodes == 1
    answer = tree.predict(table)
    assert (answer == answer[0]).all()


@pytest.mark.parametrize("estimator", [C45Classifier(), CARTClassifier(), CARTRegressor()])
def test_ten_thousand_columns(estimator: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 10_000))
    y = (X[:, 7_777] > 0).astype(int)
    tree = estimator.fit(X, y)
    assert tree.score(X, y) > 0.95
    assert tree.n_features_in_ == 10_000


@pytest.mark.parametrize("estimator", CLASSIFIERS)
def test_a_hundred_thousand_values(estimator: Any) -> None:
    values = np.array([f"v{i:06d}" for i in range(100_000)], dtype=object)
    odd = (np.arange(100_000) % 2).astype(int)
    tree = estimator.fit({"id": values, "odd": odd.astype(bool)}, odd)
    assert tree.predict({"id": values[:4], "odd": odd[:4].astype(bool)}).tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("estimator", ALL)
@pytest.mark.parametrize("scale", [5e-324, 1e-310, 1e-200, 1e200, 1e307])
def test_tiny_and_huge_numbers_are_cut(estimator: Any, scale: float) -> None:
    X = np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0], [8.0]]) * scale
    y = [0, 0, 0, 0, 1, 1, 1, 1]
    tree = estimator.fit(X, y)
    assert tree.predict(X).tolist() == y
    assert tree.tree_.n_nodes == 3
    assert np.isfinite(tree.tree_.threshold[0])


@pytest.mark.parametrize("estimator", ALL)
def test_opposite_ends_of_the_doubles_are_cut(estimator: Any) -> None:
    X = np.array([[-1.7e308], [-1.7e308], [1.7e308], [1.7e308]])
    assert estimator.fit(X, [0, 0, 1, 1]).predict(X).tolist() == [0, 0, 1, 1]


def test_neighbouring_doubles_are_told_apart() -> None:
    a = 1.0
    b = np.nextafter(a, 2.0)
    tree = CARTClassifier().fit([[a], [b]], [0, 1])
    assert tree.predict([[a], [b]]).tolist() == [0, 1]


def test_huge_targets_do_not_overflow() -> None:
    y = np.array([1e150, 1e150, 2e150, 2e150])
    tree = CARTRegressor().fit([[0], [1], [2], [3]], y)
    assert tree.predict([[0], [3]]).tolist() == [1e150, 2e150]


def test_infinity_is_refused_by_the_name_of_its_column() -> None:
    with pytest.raises(ValueError, match="'height' holds inf in row 1"):
        CARTClassifier().fit({"height": [1.0, np.inf]}, [0, 1])
    tree = CARTClassifier().fit({"height": [1.0, 2.0]}, [0, 1])
    with pytest.raises(ValueError, match="'height' holds -inf"):
        tree.predict({"height": [-np.inf]})


@pytest.mark.parametrize("target", [[0, None], [np.nan, 1.0], [np.inf, 0.0]])
def test_targets_must_be_known(target: list[Any]) -> None:
    for estimator in (C45Classifier(), CARTRegressor()):
        with pytest.raises(ValueError, match="Input y contains"):
            estimator.fit([[0], [1]], target)


def test_equal_column_names_are_refused() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([[1, 2], [3, 4]], columns=["a", "a"])
    with pytest.raises(ValueError, match="'a' comes more than once"):
        CARTClassifier().fit(frame, [0, 1])


def test_what_is_no_table_is_refused() -> None:
    for nothing in (None, "table", 3.0, [1, 2], np.zeros(3), object()):
        with pytest.raises((ValueError, TypeError)):
            CARTClassifier().fit(nothing, [0, 1])


def test_many_classes() -> None:
    y = np.arange(500)
    X = y.reshape(-1, 1).astype(float)
    tree = CARTClassifier().fit(X, y)
    assert tree.get_n_leaves() == 500 and tree.score(X, y) == 1.0
    assert tree.predict_proba(X[:2]).shape == (2, 500)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX timers")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_stops_a_long_fit_and_leaves_the_old_tree(n_jobs: int) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400_000, 20)), rng.integers(0, 2, 400_000)
    tree = CARTClassifier(n_jobs=n_jobs).fit(X[:100], y[:100])
    before = tree.tree_
    usual = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.5)
            tree.fit(X, y)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, usual)
    assert tree.tree_ is before
    assert (tree.predict(X[:100]) == y[:100]).all()

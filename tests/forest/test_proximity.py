"""Proximities, neighbours and outliers against plain loops over trees and pairs."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from quercus import BoostedClassifier, CARTClassifier, RandomForestClassifier
from quercus.data import encode, encode_classes
from quercus.errors import DataError, ParameterError
from quercus.estimators.inspection import outliers, proximities
from quercus.forests.proximity import Proximities, outlier_measure
from quercus.growing.cart import cart_recipe
from quercus.growing.forest import Sampling, drawn_counts, grow_forest
from quercus.predict.predict import apply

X, Y = load_iris(return_X_y=True)


def test_matrix_is_the_share_of_common_leaves() -> None:
    model = RandomForestClassifier(n_estimators=12, max_depth=3).fit(X, Y)
    leaves = model.apply(X)
    expected = (leaves[:, None, :] == leaves[None, :, :]).mean(axis=2)
    near = proximities(model, X)
    np.testing.assert_allclose(near.matrix(), expected, atol=1e-12)
    np.testing.assert_allclose(proximities(model, X[:7], X).matrix(), expected[:7], atol=1e-12)
    for size in (1, 7, 1000):
        np.testing.assert_array_equal(np.concatenate([block for _, block in near.blocks(size)]), near.matrix())


def test_trees_count_by_their_weights() -> None:
    model = BoostedClassifier(CARTClassifier(max_depth=2), n_estimators=6).fit(X, Y)
    leaves, votes = model.apply(X), model.estimator_weights_
    expected = (leaves[:, None, :] == leaves[None, :, :]) @ votes / votes.sum()
    np.testing.assert_allclose(proximities(model, X).matrix(), expected, atol=1e-12)


def test_out_of_the_bag_only_trees_that_have_seen_neither_speak() -> None:
    rows = np.arange(0, 150, 5)
    data, target = encode(X[rows]), encode_classes(Y[rows])
    sampling = Sampling()
    forest = grow_forest(data, target, cart_recipe(max_depth=2), sampling, 8, seed=3)
    unseen = np.column_stack([drawn_counts(sampling, 3, number, 30) == 0 for number in range(8)])
    leaves = np.column_stack([apply(tree, data) for tree in forest])
    found = Proximities(forest, data, out_of_bag=(sampling, 3)).matrix()
    for i in range(30):
        for j in range(30):
            both = unseen[i] & unseen[j]
            if i == j:
                assert found[i, j] == 1
            elif both.any():
                assert found[i, j] == pytest.approx((leaves[i] == leaves[j])[both].mean())
            else:
                assert np.isnan(found[i, j])
    model = RandomForestClassifier(n_estimators=30).fit(X, Y)
    assert np.nanmin(proximities(model, X, y=Y, out_of_bag=True).matrix()) >= 0


def test_nearest_rows_are_those_of_the_matrix() -> None:
    model = RandomForestClassifier(n_estimators=10).fit(X, Y)
    near = proximities(model, X)
    matrix = near.matrix()
    np.fill_diagonal(matrix, -1)
    expected = np.argsort(-matrix, axis=1, kind="stable")[:, :5]
    places, values = near.nearest(5, size=13)
    np.testing.assert_array_equal(places, expected)
    np.testing.assert_allclose(values, np.take_along_axis(matrix, expected, axis=1))
    assert (Y[places] == Y[:, None]).mean() > 0.9
    others, _ = proximities(model, X[:3], X).nearest(1)
    assert others.shape == (3, 1)


def test_outliers_by_hand_and_planted() -> None:
    wrong = Y.copy()
    wrong[[0, 60]] = 2, 0  # flowers under another name
    model = RandomForestClassifier(n_estimators=60, min_samples_leaf=5).fit(X, wrong)
    found = outliers(model, X, wrong)
    matrix = proximities(model, X).matrix()
    np.fill_diagonal(matrix, 0)
    raw = np.array([150 / max((matrix[i] ** 2)[wrong == wrong[i]].sum(), 1e-4) for i in range(150)])
    for code in range(3):
        part = raw[wrong == code]
        expected = (part - np.median(part)) / np.abs(part - np.median(part)).mean()
        np.testing.assert_allclose(found[wrong == code], expected, rtol=1e-9)
    assert set(np.argsort(-found)[:2]) == {0, 60}
    assert outliers(model, X).shape == (150,)


def test_what_cannot_be_asked_is_refused() -> None:
    model = RandomForestClassifier(n_estimators=3).fit(X, Y)
    near = proximities(model, X)
    for count in (0, 150):
        with pytest.raises(ParameterError, match="from 1 to"):
            near.nearest(count)
    with pytest.raises(ParameterError, match="others must be None"):
        outlier_measure(proximities(model, X, X))
    with pytest.raises(DataError, match="one code"):
        outlier_measure(near, [0, 1])
    with pytest.raises(ParameterError, match="as in fit"):
        proximities(model, X, out_of_bag=True)

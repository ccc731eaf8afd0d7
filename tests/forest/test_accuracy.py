"""Accuracy on scikit-learn's bundled tables, held out, against its own forest: the same within noise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.ensemble import RandomForestClassifier as TheirClassifier
from sklearn.ensemble import RandomForestRegressor as TheirRegressor
from sklearn.model_selection import train_test_split

from quercus import RandomForestClassifier, RandomForestRegressor


def scores(model: Any, table: Any) -> np.ndarray:
    """Five seeds, each with its own split."""
    X, y = table
    found = []
    for seed in range(5):
        train, test, y_train, y_test = train_test_split(X, y, random_state=seed, test_size=0.4)
        found.append(model.set_params(random_state=seed).fit(train, y_train).score(test, y_test))
    return np.array(found)


def assert_within_noise(ours: np.ndarray, theirs: np.ndarray, least: float) -> None:
    """The mean of the differences by split within three standard errors of it, or within the least."""
    away = ours - theirs
    assert abs(away.mean()) <= max(least, 3 * away.std(ddof=1) / np.sqrt(len(away)))


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer, load_digits])
def test_classes_as_accurate_as_scikit_learn(load: Any) -> None:
    table = load(return_X_y=True)
    assert_within_noise(scores(RandomForestClassifier(60), table), scores(TheirClassifier(60), table), 0.01)


def test_random_thresholds_as_accurate_as_extra_trees() -> None:
    table = load_digits(return_X_y=True)
    ours = scores(RandomForestClassifier(60, bootstrap=False, random_thresholds=True), table)
    assert_within_noise(ours, scores(ExtraTreesClassifier(60), table), 0.01)


@pytest.mark.parametrize("max_features", [1.0, 0.3])
def test_numbers_as_accurate_as_scikit_learn(max_features: float) -> None:
    table = load_diabetes(return_X_y=True)
    ours = scores(RandomForestRegressor(60, max_features=max_features), table)
    assert_within_noise(ours, scores(TheirRegressor(60, max_features=max_features), table), 0.02)


def test_importances_as_scikit_learn_s() -> None:
    X, y = load_wine(return_X_y=True)
    ours = np.mean(
        [RandomForestClassifier(100, random_state=s).fit(X, y).feature_importances_ for s in range(3)], axis=0
    )
    theirs = np.mean([TheirClassifier(100, random_state=s).fit(X, y).feature_importances_ for s in range(3)], axis=0)
    assert np.abs(ours - theirs).max() < 0.03

"""Extreme numbers as parameters: each is refused in the house's words or works; nothing else reaches the user."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
import pytest

import quercus
from quercus import BoostedClassifier, CARTClassifier
from quercus.errors import QuercusError
from quercus.estimators.checks import LARGEST_COUNT

ESTIMATORS = [
    value
    for value in (getattr(quercus, name) for name in quercus.__all__)
    if inspect.isclass(value) and hasattr(value, "fit")
]
EXTREMES: tuple[Any, ...] = (2**31, 10**30, -1, 1e308, float("nan"), True)
#: Counts that may be as large as the core takes.
LIMITS = ("max_depth", "max_leaf_nodes", "max_surrogates", "min_samples_split", "min_samples_leaf", "folds")

RANDOM = np.random.default_rng(0)
X = np.round(RANDOM.normal(size=(24, 2)), 1)
Y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0)

CASES = [
    pytest.param(estimator, name, id=f"{estimator.__name__}-{name}")
    for estimator in ESTIMATORS
    for name in estimator().get_params(deep=False)
]


def small(estimator: type, name: str, value: Any) -> Any:
    """The estimator with one parameter changed, and few trees."""
    few = {"n_estimators": 2} if "n_estimators" in estimator().get_params() else {}
    return estimator().set_params(**{**few, name: value})


@pytest.mark.parametrize(("estimator", "name"), CASES)
@pytest.mark.parametrize("value", EXTREMES)
def test_an_extreme_number_is_refused_or_works(estimator: type, name: str, value: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            small(estimator, name, value).fit(X, Y)
        except QuercusError as error:
            assert "std::" not in str(error)


def test_every_estimator_is_tried() -> None:
    assert len(ESTIMATORS) >= 12


@pytest.mark.parametrize("name", LIMITS)
def test_the_largest_count_works(name: str) -> None:
    tree = CARTClassifier().set_params(**{name: LARGEST_COUNT}).fit(X, Y).tree_
    assert tree.n_leaves == (1 if name.startswith("min") else CARTClassifier().fit(X, Y).tree_.n_leaves)


@pytest.mark.parametrize(
    ("parameters", "limit"),
    [
        ({"n_jobs": 10**6}, "at most 1024"),
        ({"n_estimators": 10**12}, "at most 1000000"),
        ({"learning_rate": 1e6}, "<= 1000"),
        ({"estimator": CARTClassifier(max_bins=256)}, "at most 255"),
    ],
)
def test_the_limit_is_named(parameters: dict[str, Any], limit: str) -> None:
    with pytest.raises(QuercusError, match=limit):
        BoostedClassifier(**parameters).fit(X, Y)


def test_a_fitted_model_refuses_too_many_threads() -> None:
    model = CARTClassifier().fit(X, Y).set_params(n_jobs=10**6)
    with pytest.raises(QuercusError, match="at most 1024"):
        model.predict(X)


@pytest.mark.parametrize("learning_rate", [23.0, 1000.0])
def test_a_large_learning_rate_boosts(learning_rate: float) -> None:
    """Votes of 23 times a logarithm: the weights of the mistakes would overflow if they were multiplied as they are."""
    random = np.random.default_rng(1)
    rows = random.normal(size=(150, 4))
    classes = (rows[:, 0] + random.normal(size=150) > 0).astype(int) + (rows[:, 1] > 0.5)
    model = BoostedClassifier(n_estimators=20, learning_rate=learning_rate).fit(rows, classes)
    assert np.isfinite(model.estimator_weights_).all()
    assert np.isfinite(model.predict_proba(rows)).all()

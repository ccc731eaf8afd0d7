"""Votes, agreement and spread against a count by hand, member by member."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine

from quercus import (
    BaggingClassifier,
    C45Classifier,
    C45RulesClassifier,
    ID3Classifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from quercus.data import encode_like
from quercus.errors import ParameterError
from quercus.forests import spread, votes

WINE = load_wine(return_X_y=True)

COLLECTIONS = [
    RandomForestClassifier(9, max_depth=2),
    RandomForestClassifier(9, max_depth=2, vote="majority"),
    RandomForestClassifier(9, max_depth=2, cost_matrix=[[0, 9, 9], [1, 0, 1], [1, 1, 0]]),
    RandomForestClassifier(4, max_depth=1, missing="fractional"),
    BaggingClassifier(C45Classifier(smoothing=("m", 5)), 6),
    BaggingClassifier(ID3Classifier(max_depth=2), 6),
    BaggingClassifier(C45RulesClassifier(), 5, vote="majority"),
]


def rows_with_gaps() -> tuple[np.ndarray, np.ndarray]:
    X, y = WINE
    holes = np.random.default_rng(0).random(X.shape) < 0.1
    return np.where(holes, np.nan, X), y


@pytest.mark.parametrize("estimator", COLLECTIONS, ids=lambda model: repr(model)[:60])
def test_votes_and_agreement_equal_a_count_by_hand(estimator: Any) -> None:
    X, y = rows_with_gaps()
    names = np.array(["red", "rosé", "white"])
    forest = estimator.fit(X, names[y])
    said = [member.set_params(**plain(member)).predict(X) for member in forest.estimators_]
    answers, counted, shares = forest.predict(X), forest.votes(X), forest.agreement(X)
    for row in range(len(X)):
        count = Counter(str(one[row]) for one in said)
        assert counted[row].tolist() == [count[name] for name in forest.classes_]
        assert shares[row] == pytest.approx(count[str(answers[row])] / len(said))
    assert (counted.sum(axis=1) == len(said)).all()
    if forest.vote == "majority":
        assert np.allclose(forest.predict_proba(X), counted / len(said))


def plain(member: Any) -> dict[str, Any]:
    """A vote is for the most likely class, whatever errors cost."""
    return {"cost_matrix": None} if getattr(member, "cost_matrix", None) is not None else {}


def test_agreement_is_low_where_trees_differ() -> None:
    X, y = WINE
    forest = RandomForestClassifier(100).fit(X, y)
    assert forest.agreement(X).mean() > 0.9
    between = (X[y == 0].mean(axis=0) + X[y == 1].mean(axis=0)) / 2
    assert forest.agreement([between])[0] < 0.9


def test_spread_is_the_standard_deviation_of_the_trees() -> None:
    X, y = load_diabetes(return_X_y=True)
    forest = RandomForestRegressor(12).fit(X, y + 1e6)
    said = np.array([member.predict(X) for member in forest.estimators_])
    assert np.allclose(forest.spread(X), said.std(axis=0), rtol=1e-6)
    assert np.allclose(forest.predict(X), said.mean(axis=0), rtol=1e-12)


def test_votes_are_for_classes_and_spread_for_numbers() -> None:
    X, y = WINE
    classes, numbers = RandomForestClassifier(2).fit(X, y), RandomForestRegressor(2).fit(X, y)
    with pytest.raises(ParameterError, match="Ask for their votes"):
        spread(classes.forest_, encode_like(X, classes.schema_))
    with pytest.raises(ParameterError, match="Ask for their spread"):
        votes(numbers.forest_, encode_like(X, numbers.schema_))

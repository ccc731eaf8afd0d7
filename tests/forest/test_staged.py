"""The error of a collection after so many members: against the same collection cut off there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.metrics import accuracy_score, mean_squared_error

from quercus import (
    BaggingClassifier,
    BoostedClassifier,
    C45Classifier,
    CARTClassifier,
    PARTClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from quercus.draw import trees_chart
from quercus.errors import DataError, ParameterError
from quercus.forests.collection import part_of
from quercus.forests.staged import staged_answers, stages, trees_curve

WINE = load_wine(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)
COSTS = np.array([[0, 9, 9], [1, 0, 1], [2, 1, 0]])

MODELS = [
    RandomForestClassifier(9, max_depth=2),
    RandomForestClassifier(9, max_depth=2, vote="majority"),
    RandomForestClassifier(7, max_depth=1, cost_matrix=COSTS.tolist()),
    BaggingClassifier(C45Classifier(smoothing="laplace"), 5),
    BaggingClassifier(PARTClassifier(), 4),
    BoostedClassifier(CARTClassifier(max_depth=1), n_estimators=6),
    BoostedClassifier(method="trials", n_estimators=3),
]


def parts() -> tuple[Any, ...]:
    X, y = WINE
    odd = np.arange(len(y)) % 2 == 1
    return X[odd], y[odd], X[~odd], y[~odd]


def cut_off(model: Any, count: int) -> Any:
    """The model with its first members only."""
    return replace(model.model_, forest=part_of(model.forest_, 0, count)).as_estimator()


@pytest.mark.parametrize("model", MODELS, ids=lambda model: repr(model)[:70])
def test_each_point_is_the_error_of_the_collection_cut_off_there(model: Any) -> None:
    X, y, new_X, new_y = parts()
    model.fit(X, y)
    weights = np.random.default_rng(0).random(len(new_y))
    curve = model.curve({"test": (new_X, new_y), "weighed": (new_X, new_y, weights)})
    assert curve["trees"].tolist() == list(range(1, len(model.forest_) + 1))
    costs = COSTS if getattr(model, "cost_matrix", None) is not None else 1 - np.eye(3)
    for count, error, weighed in zip(curve["trees"], curve["test"], curve["weighed"], strict=True):
        lost = costs[new_y, cut_off(model, count).predict(new_X)]
        assert error == pytest.approx(lost.mean()) and weighed == pytest.approx(np.average(lost, weights=weights))
    assert len(set(curve["test"])) > 1


def test_the_last_point_is_the_score() -> None:
    X, y, new_X, new_y = parts()
    forest = RandomForestClassifier(20).fit(X, y)
    assert forest.curve({"test": (new_X, new_y)})["test"][-1] == pytest.approx(1 - forest.score(new_X, new_y))
    boosted = BoostedClassifier(n_estimators=8).fit(X, y)
    staged = [1 - accuracy_score(new_y, said) for said in boosted.staged_predict(new_X)]
    assert boosted.curve({"test": (new_X, new_y)})["test"] == pytest.approx(np.array(staged))


def test_numbers_have_the_mean_squared_deviation() -> None:
    X, y = DIABETES
    forest = RandomForestRegressor(10).fit(X[::2], y[::2])
    curve = forest.curve({"test": (X[1::2], y[1::2])}, points=3)
    assert curve["trees"].tolist() == [4, 8, 10]
    for count, error in zip(curve["trees"], curve["test"], strict=True):
        assert error == pytest.approx(mean_squared_error(y[1::2], cut_off(forest, count).predict(X[1::2])))


def test_every_member_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from quercus.forests import staged

    X, y, *_ = parts()
    forest = RandomForestClassifier(23).fit(X, y)
    asked: list[int] = []
    known = staged.collection_sums

    def counted(part: Any, *arguments: Any, **options: Any) -> Any:
        asked.append(len(part))
        return known(part, *arguments, **options)

    monkeypatch.setattr(staged, "collection_sums", counted)
    *_, last = staged_answers(forest.forest_, forest.encode_rows(X), stages(23, 5))
    assert asked == [5, 5, 5, 5, 3]
    assert np.allclose(last, forest.predict_proba(X), rtol=0, atol=1e-12)


def test_the_chart_draws_each_set_by_its_own_numbers_of_trees() -> None:
    X, y, new_X, new_y = parts()
    forest = RandomForestClassifier(30, oob_score=True).fit(X, y)
    curve = forest.curve({"test": (new_X, new_y)}, points=5)
    unseen, test = trees_chart(forest.oob_curve_, curve).marks
    assert (unseen.name, test.name) == ("out of the bag", "test") and unseen.style != test.style
    assert test.x == (6, 12, 18, 24, 30) and list(test.y) == curve["test"].tolist()
    assert list(unseen.x) == forest.oob_curve_["trees"].tolist()


def test_wrong_rows_are_refused() -> None:
    X, y, new_X, new_y = parts()
    forest = RandomForestClassifier(3).fit(X, y)
    with pytest.raises(DataError, match=r"The rows 'test' must be a tuple \(X, y\)"):
        forest.curve({"test": new_X})
    with pytest.raises(ParameterError, match="points=0 is not allowed"):
        forest.curve({"test": (new_X, new_y)}, points=0)
    with pytest.raises(ParameterError, match="may not be called 'trees'"):
        forest.curve({"trees": (new_X, new_y)})
    with pytest.raises(DataError, match="class 7, which was not there in fitting"):
        forest.curve({"test": (new_X, np.full(len(new_y), 7))})
    dataset = forest.encode_rows(new_X)
    with pytest.raises(DataError, match="The rows 'test' must be a tuple"):
        trees_curve(forest.forest_, {"test": (dataset,)})
    with pytest.raises(DataError, match="classes need encode_classes"):
        trees_curve(forest.forest_, {"test": (dataset, new_y)})

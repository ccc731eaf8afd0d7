"""The estimators' methods: they explain what predict says, with the estimator's smoothing, costs and threshold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from quercus import (
    C45Classifier,
    C45RulesClassifier,
    CARTClassifier,
    CARTRegressor,
    ID3Classifier,
    PARTClassifier,
    RIPPERClassifier,
)
from quercus.datasets import load_play_tennis

X, y = load_play_tennis()
TREES = [
    C45Classifier(),
    ID3Classifier(smoothing="laplace"),
    C45Classifier(smoothing=("m", 3.0), decision_threshold=0.9),
    CARTClassifier(cost_matrix=[[0, 5], [1, 0]]),
]
RULES = [C45RulesClassifier(), C45RulesClassifier(cost_matrix=[[0, 5], [1, 0]]), PARTClassifier(), RIPPERClassifier()]
RULES += [PARTClassifier(cost_matrix=[[0, 5], [1, 0]])]


@pytest.mark.parametrize("estimator", TREES + RULES, ids=repr)
def test_explanations_give_what_predict_gives(estimator: Any) -> None:
    """The answer and its shares, of every row; a change found gives what it says; a consultation ends the same."""
    model = estimator.fit(X, y)
    labels, shares = model.predict(X), model.predict_proba(X)
    for row in range(len(y)):
        answer = model.explain(X, row=row)
        assert answer.label == labels[row]
        assert answer.distribution.tolist() == shares[row].tolist()
        for one in model.counterfactuals(X, row, n=2):
            changed = {**{name: X[name].iloc[row] for name in X}, **one.values}
            frame = {name: [value] for name, value in changed.items()}
            assert model.predict(frame)[0] == one.label != labels[row]
            assert list(one.distribution) == model.predict_proba(frame)[0].tolist()
        talk = model.consult()
        while talk.question is not None:
            talk = talk.answer(X[talk.question.attribute].iloc[row])
        assert talk.label == labels[row]
        assert talk.distribution.tolist() == shares[row].tolist()


@pytest.mark.parametrize("estimator", TREES, ids=repr)
def test_reasons_end_at_the_probability(estimator: Any) -> None:
    """The reasons explain the share of the class answered."""
    model = estimator.fit(X, y)
    reasons = model.reason_codes(X, row=5)
    assert reasons.answer == model.predict(X)[5]
    assert reasons.result == model.predict_proba(X)[5][list(model.classes_).index(reasons.answer)]


def test_one_row_may_be_given_by_name() -> None:
    """What is not named is unknown."""
    model = C45Classifier().fit(X, y)
    assert model.explain({"Outlook": "Overcast"}).label == "Yes"
    assert len(model.explain({"Outlook": "Rain"}).paths) == 2
    assert model.reason_codes({"Outlook": "Overcast"}, n=1)[0].attribute == "Outlook"


def test_numbers_are_explained() -> None:
    """Arrays without names, a regression tree."""
    data, target = load_iris(return_X_y=True)
    model = CARTRegressor(max_depth=4).fit(data[:, :3], data[:, 3])
    assert model.explain(data[:, :3], 7).label == model.predict(data[:, :3])[7]
    found = model.counterfactuals(data[:, :3], 7, above=1.5, unit_costs={"x2": 1.0})
    row = data[7, :3].copy()
    for name, value in found[0].values.items():
        row[int(name[1:])] = value
    assert model.predict(row[None])[0] == found[0].label > 1.5
    talk = model.consult(known={"x2": 1.0}, unknown="model").answer("?", "x0").answer("?", "x1")
    assert talk.label == model.predict([[np.nan, np.nan, 1.0]])[0]
    assert target.shape == (150,)


@pytest.mark.parametrize("method", ["explain", "counterfactuals", "reason_codes", "consult"])
def test_an_unfitted_estimator_says_so(method: str) -> None:
    """As scikit-learn's do."""
    arguments = () if method == "consult" else (X,)
    with pytest.raises(NotFittedError):
        getattr(C45Classifier(), method)(*arguments)
    if method != "reason_codes":
        with pytest.raises(NotFittedError):
            getattr(PARTClassifier(), method)(*arguments)

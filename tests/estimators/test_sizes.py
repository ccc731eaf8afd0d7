"""Tuning and comparing prunings from tables, by methods of estimators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from quercus import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
from quercus.datasets import make_monks
from quercus.errors import ParameterError


@pytest.fixture(scope="module")
def monks() -> tuple[Any, Any]:
    return make_monks(3, n_rows=150)


def test_tuning_takes_tables_and_its_choice_can_be_fitted(monks: tuple[Any, Any]) -> None:
    model = CARTClassifier()
    table = model.tune(*monks, depths=[1, 2], confidences=[0.1], folds=3)
    assert {choice.parameter for choice in table.choices} == {"none", "max_depth", "confidence", "alpha"}
    for choice in table.choices:
        fitted = CARTClassifier(**choice.settings).fit(*monks)
        assert fitted.get_n_leaves() == choice.leaves, choice
    assert model.get_params() == CARTClassifier().get_params() and "_model" not in vars(model)


def test_tuning_counts_costs_and_follows_regrown_settings(monks: tuple[Any, Any]) -> None:
    X, y = monks
    labels = sorted(set(y))
    model = CARTClassifier(cost_matrix={(labels[0], labels[1]): 10})
    seen: list[tuple[int, int]] = []
    table = model.tune(
        X, y, depths=[1], alphas=(), regrown={"min_samples_leaf": [1, 40]}, folds=3,
        progress=lambda done, of: seen.append((done, of)),
    )  # fmt: skip
    assert table.best().settings["min_samples_leaf"] in (1, 40)
    assert seen[-1][0] == seen[-1][1]
    plain = CARTClassifier().tune(X, y, depths=[1], alphas=(), folds=3)
    assert plain.choices[0].error != table.choices[0].error


def test_epsilon_has_the_name_of_the_estimator(monks: tuple[Any, Any]) -> None:
    options: dict[str, Any] = {"depths": (), "confidences": (), "alphas": (), "epsilons": [0.1], "folds": 3}
    assert ID3Classifier().tune(*monks, **options).choices[-1].settings == {"prune": False, "epsilon": 0.1}
    assert "min_impurity_decrease" in CARTClassifier().tune(*monks, **options).choices[-1].settings
    with pytest.raises(ParameterError, match="epsilons is not for C45Classifier"):
        C45Classifier().tune(*monks, **options)
    with pytest.raises(ParameterError, match="min_sample"):
        C45Classifier().tune(*monks, regrown={"min_sample": [1]})


def test_numbers_are_tuned_without_confidences() -> None:
    x = np.arange(40.0)
    table = CARTRegressor().tune(x[:, None], np.sin(x), folds=4)
    assert {choice.parameter for choice in table.choices} == {"none", "max_depth", "alpha"}


def test_prunings_are_compared_from_tables(monks: tuple[Any, Any]) -> None:
    X, y = monks
    model = C45Classifier()
    held_out = model.compare_prunings(X, y, X_test=X, y_test=y)
    assert len(held_out) > 5 and held_out[0].test is not None
    given = model.compare_prunings(X, y, X, y, methods=["unpruned", "reduced_error"])
    assert given["unpruned"].n_nodes == C45Classifier(prune=False).fit(X, y).tree_.n_nodes
    with pytest.raises(ParameterError, match="y_val is None"):
        model.compare_prunings(X, y, X)


def test_prunings_are_compared_by_the_costs_of_the_estimator(monks: tuple[Any, Any]) -> None:
    X, y = monks
    labels = sorted(set(y))
    model = C45Classifier(cost_matrix={(labels[0], labels[1]): 5}).fit(X, y)
    assert model.compare_prunings(X, y, methods=["unpruned"]).measure == "mean cost"

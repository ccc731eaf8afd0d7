"""Curves of a fitted estimator: from tables, with the model's own pruning, weights and costs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from quercus import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
from quercus.datasets import make_monks
from quercus.draw import alpha_chart, learning_chart, reduced_error_effect, size_curve
from quercus.errors import DataError, ParameterError

TRAIN = make_monks(problem=3, n_rows=120, noise=0.2)
TEST = make_monks(problem=3)
SETS = {"training": TRAIN, "test": TEST}


@pytest.mark.parametrize("model", [CARTClassifier(), C45Classifier(), ID3Classifier(prune="reduced_error")])
def test_growing_ends_at_the_grown_tree(model: Any) -> None:
    fitted = model.fit(*TRAIN)
    curve = fitted.curve(SETS)
    whole = fitted.prune_with(False)
    assert (curve["leaves"][0], curve["leaves"][-1]) == (1, whole.get_n_leaves())
    for name, rows in SETS.items():
        assert curve[name][-1] == pytest.approx(whole.score(*rows))
    assert size_curve(curve).marks


def test_pruning_walks_the_models_own_cuts_or_the_path() -> None:
    cut = CARTClassifier(prune="reduced_error").fit(*TRAIN)
    back = cut.curve(SETS, "pruning")
    assert "reduced_error" in back.title and back["leaves"][-1] == cut.get_n_leaves()
    assert back["test"][-1] == pytest.approx(cut.score(*TEST))
    assert reduced_error_effect(cut.curve(SETS), back).marks
    for model in (CARTClassifier(), CARTClassifier(prune=True), C45Classifier(prune="mdl")):
        fitted = model.fit(*TRAIN)
        path = fitted.curve(SETS, "pruning")
        assert "cost complexity" in path.title and path["leaves"][-1] == 1
        place = np.flatnonzero(path["alpha"] <= 0.02)[-1]
        assert path["test"][place] == pytest.approx(fitted.prune_with("cost_complexity", ccp_alpha=0.02).score(*TEST))


@pytest.mark.parametrize("prune", [False, True])
def test_learning_fits_as_the_model_is_fitted(prune: bool) -> None:
    model = C45Classifier(prune=prune, class_weight="balanced").fit(*TRAIN)
    curve = model.curve(SETS, "learning", sizes=[30, 120], repeats=2)
    assert curve["examples"].tolist() == [30, 120]
    assert curve["leaves"][-1] == model.get_n_leaves()
    assert curve["training"][-1] == pytest.approx(model.score(*TRAIN))
    assert curve["test"][-1] == pytest.approx(model.score(*TEST))
    assert learning_chart(curve).marks
    again = C45Classifier(prune=prune, class_weight="balanced").fit(*TRAIN)
    assert str(again) == str(model)


def test_weights_costs_and_numbers_count() -> None:
    X, y = TRAIN
    twice = np.where(np.arange(len(y)) < 10, 2.0, 1.0)
    costs = {("yes", "no"): 5.0, ("no", "yes"): 1.0}
    model = CARTClassifier(cost_matrix=costs, max_depth=2).fit(X, y, twice)
    curve = model.curve({"training": (X, y, twice)})
    answers = model.predict(X)
    paid = np.where(answers == y, 0.0, np.where(np.asarray(y) == "yes", 5.0, 1.0))
    assert curve["training"][-1] == pytest.approx(np.average(paid, weights=twice))
    numbers = CARTRegressor(max_depth=3).fit({"x": range(50)}, np.arange(50.0) ** 2)
    error = numbers.curve({"training": ({"x": range(50)}, np.arange(50.0) ** 2)})
    assert "error" in error.title
    assert error["training"][-1] == pytest.approx(
        np.mean((numbers.predict({"x": range(50)}) - np.arange(50.0) ** 2) ** 2)
    )


def test_the_table_of_alphas_is_drawn_as_it_is() -> None:
    model = CARTClassifier(prune=True).fit(*TRAIN)
    assert len(alpha_chart(model.alpha_table_).x.names) == len(model.alpha_table_)


def test_wrong_calls_say_what_is_needed() -> None:
    model = CARTClassifier().fit(*TRAIN)
    with pytest.raises(ParameterError, match="kind is 'grow'"):
        model.curve(SETS, "grow")
    with pytest.raises(ParameterError, match="needs the rows 'training' and 'test', but has 'training'"):
        model.curve({"training": TRAIN}, "learning")
    with pytest.raises(TypeError, match="unexpected keyword argument 'size'"):
        model.curve(SETS, size=3)
    with pytest.raises(DataError, match=r"'training' must be a tuple \(X, y\)"):
        model.curve({"training": TRAIN[0]})

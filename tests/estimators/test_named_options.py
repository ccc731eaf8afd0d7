"""Options have names that editors and help() show, and costs may be a dict wherever they may be an array."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

import quercus.draw
import quercus.explain
import quercus.predict
import quercus.pruning
import quercus.report
from quercus import C45Classifier, CARTClassifier, CARTRegressor, PARTClassifier
from quercus.data import encode, encode_classes
from quercus.datasets import load_play_tennis
from quercus.errors import DataTypeError, ModelKindError, ParameterError
from quercus.evaluation import compare_models, evaluate, stability
from quercus.fitted import Model
from quercus.growing.cart import cart_recipe
from quercus.growing.grow import grow
from quercus.rules import RuleList, extract_rules
from quercus.tree import Tree

NAMED = {("No", "Yes"): 4, ("Yes", "No"): 1}
ARRAY = [[0, 4], [1, 0]]


@pytest.mark.parametrize(
    "function",
    [C45Classifier.counterfactuals, C45Classifier.consult, C45Classifier.reason_codes, C45Classifier.curve,
     C45Classifier.to_svg, C45Classifier.to_picture, quercus.report.write_report, Tree.to_svg, Model.tune,
     Model.compare_prunings],
    ids=lambda function: function.__qualname__,
)  # fmt: skip
def test_options_have_names(function: Callable[..., Any]) -> None:
    kinds = {parameter.kind for parameter in inspect.signature(function).parameters.values()}
    assert not kinds & {inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL}


@pytest.mark.parametrize("name", ["tune", "compare_prunings"])
def test_a_model_takes_what_its_estimator_takes(name: str) -> None:
    plain = [inspect.signature(getattr(kind, name)).parameters.values() for kind in (Model, C45Classifier)]
    model, estimator = [[(p.name, p.kind, p.default) for p in parameters] for parameters in plain]
    assert model == estimator


@cache
def parts() -> tuple[Any, ...]:
    X, y = load_play_tennis()
    data, target = encode(X), encode_classes(y)
    tree = grow(data, target, cart_recipe())
    return X, y, data, target, tree


def _grown(data: Any, target: Any, weights: Any) -> Tree:
    return grow(data, target, cart_recipe(), weights=weights)


X, Y, DATA, TARGET, TREE = parts()
ROWS = (DATA, TARGET)
CALLS: dict[str, Callable[[Any], Any]] = {
    "labels": lambda costs: TREE.labels(costs).tolist(),
    "to_text": lambda costs: TREE.to_text(cost_matrix=costs),
    "short_text": lambda costs: TREE.short_text(costs),
    "tree_svg": lambda costs: quercus.draw.tree_svg(TREE, cost_matrix=costs),
    "tree_layout": lambda costs: quercus.draw.tree_layout(TREE, cost_matrix=costs),
    "why": lambda costs: str(quercus.explain.why(TREE, DATA, 1, cost_matrix=costs)),
    "why_rules": lambda costs: str(quercus.explain.why_rules(RuleList.from_tree(TREE), DATA, 1, cost_matrix=costs)),
    "reason_codes": lambda costs: str(quercus.explain.reason_codes(TREE, DATA, 1, cost_matrix=costs)),
    "counterfactuals": lambda costs: str(quercus.explain.counterfactuals(TREE, DATA, 1, cost_matrix=costs)),
    "Consultation": lambda costs: str(quercus.explain.Consultation(TREE, cost_matrix=costs)),
    "summarize": lambda costs: str(quercus.explain.summarize(TREE, cost_matrix=costs)),
    "trace_growing": lambda costs: str(
        quercus.explain.trace_growing(
            grow(*ROWS, cart_recipe(), cost_matrix=ARRAY), *ROWS, cart_recipe(), cost_matrix=costs
        )
    ),
    "permutation_importance": lambda costs: (
        quercus.explain.permutation_importance(TREE, *ROWS, cost_matrix=costs).values
    ),
    "from_tree": lambda costs: str(RuleList.from_tree(TREE, cost_matrix=costs)),
    "predict": lambda costs: RuleList.from_tree(TREE).predict(DATA, costs).tolist(),
    "extract_rules": lambda costs: [str(rule) for rule in extract_rules(TREE, cost_matrix=costs)],
    "compare_pruning": lambda costs: str(quercus.pruning.compare_pruning(TREE, *ROWS, *ROWS, cost_matrix=costs)),
    "reduced_error": lambda costs: str(quercus.pruning.reduced_error(TREE, *ROWS, cost_matrix=costs)),
    "same_prediction": lambda costs: str(quercus.pruning.same_prediction(TREE, cost_matrix=costs)),
    "cost_complexity_path": lambda costs: str(quercus.pruning.cost_complexity_path(TREE, costs)),
    "cost_complexity": lambda costs: str(quercus.pruning.cost_complexity(TREE, 0.1, cost_matrix=costs)),
    "minimum_error": lambda costs: str(quercus.pruning.minimum_error(TREE, cost_matrix=costs)),
    "stop_by_validation": lambda costs: str(quercus.pruning.stop_by_validation(TREE, *ROWS, cost_matrix=costs)),
    "cross_validated_alphas": lambda costs: str(
        quercus.pruning.cross_validated_alphas(_grown, *ROWS, folds=2, cost_matrix=costs)
    ),
    "tune": lambda costs: str(quercus.pruning.tune(_grown, *ROWS, depths=[1], folds=2, cost_matrix=costs)),
    "growing_curve": lambda costs: str(quercus.pruning.growing_curve(TREE, {"training": ROWS}, cost_matrix=costs)),
    "pruning_curve": lambda costs: str(
        quercus.pruning.pruning_curve(quercus.pruning.cost_complexity_path(TREE), {"training": ROWS}, cost_matrix=costs)
    ),
    "learning_curve": lambda costs: str(
        quercus.pruning.learning_curve(_grown, *ROWS, ROWS, sizes=[14], repeats=1, cost_matrix=costs)
    ),
    "evaluate": lambda costs: str(evaluate(C45Classifier().fit(X, Y), X, Y, cost_matrix=costs)),
}


@pytest.mark.parametrize("name", CALLS)
def test_costs_may_be_a_dict(name: str) -> None:
    named, array = CALLS[name](NAMED), CALLS[name](ARRAY)
    assert repr(named) == repr(array) if name == "tree_layout" else named == array


def test_costs_by_name_are_refused_where_there_are_no_classes() -> None:
    tree = CARTRegressor().fit([[1.0], [2.0]], [1.0, 2.0]).tree_
    with pytest.raises(ParameterError, match="no classes"):
        quercus.pruning.cost_complexity_path(tree, NAMED)


def test_what_estimators_can_do_again_models_can_too() -> None:
    X, y = load_play_tennis()
    model = CARTClassifier().fit(X, y).model_
    assert str(model.tune(X, y, depths=[1, 2], folds=3)) == str(CARTClassifier().tune(X, y, depths=[1, 2], folds=3))
    names = ["unpruned", "mdl"]
    assert [row.method for row in model.compare_prunings(X, y, methods=names)] == names
    assert compare_models({"a": model, "b": CARTClassifier()}, X, y, folds=2)["b"].ties == 2
    assert str(stability(model, X, y, samples=5)) == str(stability(CARTClassifier(), X, y, samples=5))
    with pytest.raises(ModelKindError, match="Tuning needs a model that answers with one tree; this is a PART"):
        PARTClassifier().fit(X, y).model_.tune(X, y)


def test_functions_of_datasets_say_what_they_take() -> None:
    X, y = load_play_tennis()
    estimator = CARTClassifier().fit(X, y)
    for call in (quercus.pruning.tune, quercus.pruning.cross_validated_alphas):
        with pytest.raises(DataTypeError, match="type DataFrame, but must be a Dataset"):
            call(lambda *rows: estimator.tree_, X, y)
    with pytest.raises(DataTypeError, match="which takes tables"):
        quercus.predict.apply(estimator.tree_, X)

"""What a fitted model is made of: from the estimator to the parts of its file, and back."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from quercus import estimators
from quercus.data.schema import Schema
from quercus.data.values import plain_value, value_from_json, value_key, value_to_json
from quercus.errors import ParameterError, QuercusError, shorten
from quercus.estimators.parameters import check_decision_threshold
from quercus.estimators.weights import read_cost_matrix
from quercus.growing.recipe import Recipe
from quercus.models.arrays import ArrayReader, ArrayStore
from quercus.models.damage import at, need
from quercus.models.parameter_values import array_from_json, array_to_json, from_json, to_json
from quercus.models.prunings import pruning_to_json, read_pruning
from quercus.models.rule_lists import read_rules, rules_to_json
from quercus.models.trees import TreeStore, read_trees, tree_of
from quercus.rules.rule_list import RuleList
from quercus.tree import Tree

#: The classes of models, by their names in the file, and what each consists of. Loading makes no other class.
PARTS: dict[str, tuple[str, ...]] = {
    "ID3Classifier": ("recipe", "tree", "pruning", "class_factors"),
    "C45Classifier": ("recipe", "tree", "pruning", "class_factors"),
    "CARTClassifier": ("recipe", "tree", "pruning", "class_factors"),
    "CARTRegressor": ("recipe", "tree", "pruning"),
    "C45RulesClassifier": ("recipe", "tree", "rules"),
    "PARTClassifier": ("rules",),
    "RIPPERClassifier": ("rules",),
    "Tree": ("tree",),
    "RuleList": ("rules",),
}
VALUES = {"Tree": Tree, "RuleList": RuleList}
ESTIMATORS: dict[str, Any] = {name: getattr(estimators, name) for name in PARTS if name not in VALUES}

#: Functions, which no file can hold; they are None after loading.
NOT_SAVED = frozenset({"progress"})
#: The core takes no more threads.
MOST_JOBS = 1024


def class_name(model: Any) -> str:
    """The name of a model's class, if it is one that can be saved."""
    for name in PARTS:
        if type(model) is ESTIMATORS.get(name, VALUES.get(name)):
            return name
    raise ParameterError(
        f"A {type(model).__name__} cannot be saved; give a fitted model of one of the classes {', '.join(PARTS)}."
    )


def model_to_json(model: Any, arrays: ArrayStore) -> dict[str, Any]:
    """The members of the file that make the model: schema, classes, trees, model."""
    name = class_name(model)
    if name in VALUES:
        schema, classes = model.schema, model.classes
        labels = None if classes is None else _objects(classes)
    else:
        check_is_fitted(model)
        schema, labels = model.schema_, getattr(model, "classes_", None)
        classes = None if labels is None else _plain(labels)
    trees = TreeStore(arrays, schema, classes)
    parts = {part: _TO_JSON[part](model, trees) for part in PARTS[name]}
    content: dict[str, Any] = {"class": name, **parts}
    if name not in VALUES:
        _check(model)
        content["parameters"] = _parameters_to_json(model)
        content["named_columns"] = hasattr(model, "feature_names_in_")
    return {
        "schema": schema.to_dict(),
        "classes": None if labels is None else array_to_json(labels),
        "trees": trees.to_json(),
        "model": content,
    }


def _parameters_to_json(model: Any) -> dict[str, Any]:
    result = {}
    for name, value in model.get_params(deep=False).items():
        if name in NOT_SAVED:
            continue
        try:
            result[name] = to_json(value)
        except QuercusError as error:
            raise ParameterError(f"The parameter {name}={shorten(value)}: {error}") from error
    return result


def _objects(values: Sequence[Any]) -> Any:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _plain(labels: Any) -> tuple[Any, ...]:
    return tuple(plain_value(label) for label in labels)


def _grown(model: Any) -> Tree:
    tree: Tree = model if isinstance(model, Tree) else getattr(model, "unpruned_tree_", None) or model.tree_
    return tree


def _factors(model: Any) -> list[float] | None:
    return None if model._class_factors is None else model._class_factors.tolist()


def _recipe(model: Any) -> dict[str, Any]:
    return {field.name: value_to_json(getattr(model.recipe_, field.name)) for field in fields(Recipe)}


_TO_JSON: dict[str, Any] = {
    "recipe": lambda model, trees: _recipe(model),
    "tree": lambda model, trees: trees.number(_grown(model)),
    "pruning": lambda model, trees: None if model.pruning_ is None else pruning_to_json(model.pruning_, trees),
    "class_factors": lambda model, trees: _factors(model),
    "rules": lambda model, trees: rules_to_json(model if isinstance(model, RuleList) else model.rules_, trees),
}


# Back


@dataclass(frozen=True)
class _Whole:
    """The parts of a file that the model's own refer to."""

    schema: Schema
    classes: tuple[Any, ...] | None
    trees: list[Tree]
    arrays: ArrayReader


def read_fitted(document: Mapping[str, Any], arrays: ArrayReader) -> Any:
    """The model of a file's members; every part is checked by its own class, and all against each other."""
    with at("/schema"):
        schema = Schema.from_dict(document["schema"])
        booleans = [attribute for attribute in schema if attribute.kind == "boolean"]
        need(all(a.values == (False, True) for a in booleans), "the values of a boolean attribute are false and true")
    with at("/classes"):
        labels = None if document["classes"] is None else array_from_json(document["classes"])
        classes = None if labels is None else _plain(labels)
        need(labels is None or labels.ndim == 1, "classes are one list")
        need(_same_classes(schema.classes, classes), "these are not the classes of the schema")
    with at("/trees"):
        trees = read_trees(document["trees"], arrays, schema, classes)
    with at("/model"):
        return _read_model(document["model"], _Whole(schema, classes, trees, arrays), labels)


def _same_classes(named: tuple[Any, ...] | None, classes: tuple[Any, ...] | None) -> bool:
    if named is None or classes is None:
        return named is None
    return list(map(value_key, named)) == list(map(value_key, classes))


def _read_model(data: Any, whole: _Whole, labels: Any) -> Any:
    name = data["class"]
    parts = {}
    for part in PARTS[name]:
        with at(f"/{part}"):
            parts[part] = _FROM_JSON[part](data[part], whole)
    if name in VALUES:
        return parts["tree" if name == "Tree" else "rules"]
    need((labels is None) == (name == "CARTRegressor"), "a classifier has classes, a regressor has none")
    with at("/parameters"):
        model = _unfitted(name, data["parameters"])
    model.schema_ = whole.schema
    model.n_features_in_ = len(whole.schema)
    if data["named_columns"]:
        model.feature_names_in_ = _objects(whole.schema.names)
    if labels is not None:
        model.classes_ = labels
    _put_parts(model, parts)
    with at("/parameters"):
        _check(model)
    return model


def _unfitted(name: str, parameters: Mapping[str, Any]) -> Any:
    """The estimator with its parameters; those that the file lacks have their defaults."""
    known = ESTIMATORS[name]._get_param_names()
    values = {}
    for key, value in parameters.items():
        with at(f"/{key}"):
            need(key in known and key not in NOT_SAVED, f"{name} has no such parameter")
            values[key] = from_json(value)
    return ESTIMATORS[name](**values)


def _put_parts(model: Any, parts: Mapping[str, Any]) -> None:
    for part in ("recipe", "rules"):
        if part in parts:
            setattr(model, f"{part}_", parts[part])
    if "class_factors" in parts:
        model._class_factors = parts["class_factors"]
    if "pruning" in parts:
        model.unpruned_tree_ = parts["tree"]
        model._keep(parts["pruning"])
    elif "tree" in parts:
        model.tree_ = parts["tree"]


def _check(model: Any) -> None:
    """Refuse parameters that the estimator would refuse, by its own checks, and that answers would fail by."""
    copy.deepcopy(model.__class__(**_without_functions(model)))._check_parameters()  # a copy: checks may draw a seed
    jobs = getattr(model, "n_jobs", None)
    if jobs is not None and jobs > MOST_JOBS:
        raise ParameterError(f"n_jobs={jobs!r} is not allowed; give at most {MOST_JOBS}.")
    if hasattr(model, "classes_"):
        labels = model.classes_.tolist()
        read_cost_matrix(model.cost_matrix, labels)
        check_decision_threshold(getattr(model, "decision_threshold", None), labels)


def _without_functions(model: Any) -> dict[str, Any]:
    return {name: value for name, value in model.get_params(deep=False).items() if name not in NOT_SAVED}


def _read_recipe(data: Any, whole: _Whole) -> Recipe:
    recipe = Recipe(**{name: value_from_json(value) for name, value in data.items()})
    need(recipe.is_regression == (whole.classes is None), "its criterion does not fit the target")
    return recipe


def _read_factors(data: Any, whole: _Whole) -> Any:
    if data is None:
        return None
    factors = np.array(data, dtype=np.float64)
    need(whole.classes is not None and factors.shape == (len(whole.classes),), "there must be one factor a class")
    need(bool((factors >= 0).all()), "factors are not negative")
    return factors


_FROM_JSON: dict[str, Any] = {
    "recipe": _read_recipe,
    "tree": lambda data, whole: tree_of(whole.trees, data),
    "pruning": lambda data, whole: None if data is None else read_pruning(data, whole.arrays, whole.trees),
    "class_factors": _read_factors,
    "rules": lambda data, whole: read_rules(data, whole.schema, whole.classes, whole.trees),
}

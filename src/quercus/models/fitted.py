"""What a fitted model is made of: from the estimator to the parts of its file, and back."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from quercus import estimators
from quercus.data.schema import Schema
from quercus.data.values import plain_value, value_key
from quercus.errors import ParameterError
from quercus.estimators.parameters import check_decision_threshold
from quercus.estimators.weights import read_cost_matrix
from quercus.models.arrays import ArrayReader, ArrayStore
from quercus.models.damage import at, need
from quercus.models.forests import (
    MEMBERS,
    boosting_to_json,
    draws_to_json,
    members_to_json,
    out_of_bag_to_json,
    put_collection,
    read_boosting,
    read_draws,
    read_members,
    read_out_of_bag,
)
from quercus.models.parameter_values import NOT_SAVED, array_from_json, array_to_json, parameters_to_json, unfitted
from quercus.models.prunings import pruning_to_json, read_pruning
from quercus.models.recipes import read_recipe, recipe_to_json
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
    **dict.fromkeys(MEMBERS, ("members", "draws", "out_of_bag")),
    "BoostedClassifier": ("members", "boosting"),
    "Tree": ("tree",),
    "RuleList": ("rules",),
}
VALUES = {"Tree": Tree, "RuleList": RuleList}

#: The core takes no more threads.
MOST_JOBS = 1024


def class_name(model: Any) -> str:
    """The name of a model's class, if it is one that can be saved."""
    name = type(model).__name__
    if name in PARTS and type(model) is (VALUES[name] if name in VALUES else getattr(estimators, name)):
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
        if "tree" in PARTS[name] and not hasattr(model, "tree_"):
            raise ParameterError(
                f"This {name} is a member of a collection, which keeps its rules but not the tree that they were made "
                "from. Save the collection, or the rules alone: model.rules_."
            )
        schema, labels = model.schema_, getattr(model, "classes_", None)
        classes = None if labels is None else _plain(labels)
    trees = TreeStore(arrays, schema, classes)
    parts = {part: _TO_JSON[part](model, trees) for part in PARTS[name]}
    content: dict[str, Any] = {"class": name, **parts}
    if name not in VALUES:
        _check(model)
        content["parameters"] = parameters_to_json(model)
        content["named_columns"] = hasattr(model, "feature_names_in_")
    return {
        "schema": schema.to_dict(),
        "classes": None if labels is None else array_to_json(labels),
        "trees": trees.to_json(),
        "model": content,
    }


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


_TO_JSON: dict[str, Any] = {
    "recipe": lambda model, trees: recipe_to_json(model.recipe_),
    "tree": lambda model, trees: trees.number(_grown(model)),
    "pruning": lambda model, trees: None if model.pruning_ is None else pruning_to_json(model.pruning_, trees),
    "class_factors": lambda model, trees: _factors(model),
    "rules": lambda model, trees: rules_to_json(model if isinstance(model, RuleList) else model.rules_, trees),
    "members": members_to_json,
    "draws": lambda model, trees: draws_to_json(model),
    "out_of_bag": out_of_bag_to_json,
    "boosting": lambda model, trees: boosting_to_json(model),
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
    need((labels is None) == name.endswith("Regressor"), "a classifier has classes, a regressor has none")
    with at("/parameters"):
        model = unfitted(name, data["parameters"])
    model.schema_ = whole.schema
    model.n_features_in_ = len(whole.schema)
    if data["named_columns"]:
        model.feature_names_in_ = _objects(whole.schema.names)
    if labels is not None:
        model.classes_ = labels
    if name in MEMBERS:
        put_collection(model, name, parts)
    else:
        _put_parts(model, parts)
    with at("/parameters"):
        _check(model)
    return model


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
    labels = model.classes_.tolist() if hasattr(model, "classes_") else None
    for estimator in (model, getattr(model, "_fitted_member", None)):
        if estimator is None:
            continue
        copy.deepcopy(type(estimator)(**_without_functions(estimator)))._check_parameters()  # checks may draw a seed
        jobs = getattr(estimator, "n_jobs", None)
        if jobs is not None and jobs > MOST_JOBS:
            raise ParameterError(f"n_jobs={jobs!r} is not allowed; give at most {MOST_JOBS}.")
        if labels is not None:
            read_cost_matrix(getattr(estimator, "cost_matrix", None), labels)
            check_decision_threshold(getattr(estimator, "decision_threshold", None), labels)


def _without_functions(model: Any) -> dict[str, Any]:
    return {name: value for name, value in model.get_params(deep=False).items() if name not in NOT_SAVED}


def _read_factors(data: Any, whole: _Whole) -> Any:
    if data is None:
        return None
    factors = np.array(data, dtype=np.float64)
    need(whole.classes is not None and factors.shape == (len(whole.classes),), "there must be one factor a class")
    need(bool((factors >= 0).all()), "factors are not negative")
    return factors


_FROM_JSON: dict[str, Any] = {
    "recipe": lambda data, whole: read_recipe(data, whole.classes),
    "tree": lambda data, whole: tree_of(whole.trees, data),
    "pruning": lambda data, whole: None if data is None else read_pruning(data, whole.arrays, whole.trees),
    "class_factors": _read_factors,
    "rules": lambda data, whole: read_rules(data, whole.schema, whole.classes, whole.trees),
    "members": lambda data, whole: read_members(data, whole.arrays, whole.schema, whole.classes, whole.trees),
    "draws": lambda data, whole: read_draws(data),
    "out_of_bag": lambda data, whole: read_out_of_bag(data, whole.arrays, whole.classes),
    "boosting": lambda data, whole: read_boosting(data),
}

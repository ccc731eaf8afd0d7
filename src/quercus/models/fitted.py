"""The parts of a fitted model: from the estimator to the parts of its file, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from quercus.data.schema import Schema
from quercus.data.values import value_key
from quercus.errors import ParameterError
from quercus.estimators.base import method_of_model
from quercus.estimators.making import check_parameters, class_of
from quercus.estimators.pruning import known_hold_out
from quercus.fitted.algorithms import ALGORITHMS
from quercus.fitted.hold_out import HoldOut
from quercus.fitted.model import Model, model_of
from quercus.fitted.parts import Method
from quercus.forests.score_sum import ScoreSum
from quercus.models.arrays import ArrayReader, ArrayStore
from quercus.models.damage import at, need
from quercus.models.forests import (
    boosting_to_json,
    draws_to_json,
    forest_to_json,
    members_to_json,
    out_of_bag_to_json,
    read_boosting,
    read_draws,
    read_forest,
    read_members,
    read_out_of_bag,
    read_scores,
    scores_to_json,
)
from quercus.models.parameter_values import array_from_json, array_to_json, parameters_to_json, unfitted
from quercus.models.prunings import pruning_to_json, read_pruning
from quercus.models.recipes import read_recipe, recipe_to_json
from quercus.models.rule_lists import read_rules, rules_to_json
from quercus.models.trees import TreeStore, read_trees, tree_of
from quercus.rules.rule_list import RuleList
from quercus.targets import Numbers, TargetKind, kind_from_json
from quercus.tree import Tree
from quercus.tree.forest import Forest

#: What is saved as it is, without an estimator.
VALUES = {"Tree": Tree, "RuleList": RuleList, "Forest": Forest, "ScoreSum": ScoreSum}
#: Those that are given back as they are, unless a model of one was saved; collections are always models.
_BARE = ("Tree", "RuleList")
#: The core takes no more threads.
MOST_JOBS = 1024


def saved_model(thing: Any) -> Model:
    """The model of what is to be saved, if it can be: a class of the user's own cannot be found again."""
    known = {row.name for row in ALGORITHMS.values() if row.parts}
    name = thing.name if isinstance(thing, Model) else type(thing).__name__
    if name not in known or not (isinstance(thing, Model) or type(thing) is (VALUES.get(name) or class_of(name))):
        raise ParameterError(f"A {name} cannot be saved; give a fitted model of one of the classes {', '.join(known)}.")
    return model_of(thing)


def model_to_json(thing: Any, arrays: ArrayStore) -> dict[str, Any]:
    """The members of the file that make the model: schema, classes, trees, model."""
    model = saved_model(thing)
    parts = model.algorithm.parts
    if "tree" in parts and model.tree is None:
        raise ParameterError(
            f"This {model.name} is a member of a collection, which keeps its rules but not the tree that they were "
            "made from. Save the collection, or the rules alone: model.rules_."
        )
    trees = TreeStore(arrays, model.schema, Numbers() if "scores" in parts else model.target_kind)
    content: dict[str, Any] = {"class": model.name, **{part: _TO_JSON[part](model, trees) for part in parts}}
    if model.name in _BARE and isinstance(thing, Model):
        content["is_model"] = True
    if model.name not in VALUES:
        _check(model)
        content["parameters"] = parameters_to_json(model.method)
        content["named_columns"] = model.named_columns
        if model.held_out is not None:
            content["held_out"] = asdict(model.held_out)
    return {
        "schema": model.schema.to_dict(),
        **model.target_kind.to_json(),
        "classes": array_to_json(model.known) if model.target_kind.has_shares else None,
        "trees": trees.to_json(),
        "model": content,
    }


_TO_JSON: dict[str, Any] = {
    "recipe": lambda model, trees: recipe_to_json(model.recipe),
    "tree": lambda model, trees: trees.number(model.tree if model.grown is None else model.grown),
    "pruning": lambda model, trees: None if model.pruning is None else pruning_to_json(model.pruning, trees),
    "class_factors": lambda model, trees: None if model.class_factors is None else model.class_factors.tolist(),
    "rules": lambda model, trees: rules_to_json(model.rule_list, trees),
    "members": members_to_json,
    "forest": lambda model, trees: forest_to_json(model.member_trees, trees),
    "scores": lambda model, trees: scores_to_json(model.score_sum),
    "draws": lambda model, trees: draws_to_json(model),
    "out_of_bag": out_of_bag_to_json,
    "boosting": lambda model, trees: boosting_to_json(model),
}


# Back


@dataclass(frozen=True)
class _Whole:
    """The parts of a file that the model's own refer to.

    target_kind: of what is answered in the end. tree_schema, tree_kind: of the trees; where they add up scores, these
    have numbers, and the schema's target is not theirs.
    """

    schema: Schema
    target_kind: TargetKind
    tree_schema: Schema
    tree_kind: TargetKind
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
        need(labels is None or labels.ndim == 1, "classes are one list")
        kind = kind_from_json(document, labels)
        need(_same_classes(schema.classes, kind), "these are not the classes of the schema")
    with at("/trees"):
        adding = "scores" in ALGORITHMS[document["model"]["class"]].parts
        tree_kind, tree_schema = (Numbers(), Schema(schema.attributes)) if adding else (kind, schema)
        trees = read_trees(document["trees"], arrays, tree_schema, tree_kind)
    with at("/model"):
        return _read_model(
            document["model"], _Whole(schema, kind, tree_schema, tree_kind, trees, arrays), labels, document["evidence"]
        )


def _same_classes(named: tuple[Any, ...] | None, kind: TargetKind) -> bool:
    if named is None:
        return True
    return kind.has_shares and list(map(value_key, named)) == list(map(value_key, kind.classes or ()))


def _read_model(data: Any, whole: _Whole, labels: Any, evidence: Any) -> Any:
    name = data["class"]
    row = ALGORITHMS[name]
    parts: dict[str, Any] = {}
    for part in row.parts:
        with at(f"/{part}"):
            parts |= _FROM_JSON[part](data[part], whole)
    if name in VALUES:
        return _read_value(parts, whole, data.get("is_model", False))
    need((labels is None) == row.numbers, "a classifier has classes, a regressor has none")
    with at("/parameters"):
        estimator = unfitted(name, data["parameters"])
    if "pruning" in row.parts:
        pruning = parts["pruning"]
        parts |= {"grown": parts["tree"], "tree": parts["tree"] if pruning is None else pruning.tree}
        parts["held_out"] = _read_hold_out(data["held_out"]) if "held_out" in data else known_hold_out(estimator)
    if row.members:
        member = parts["member"].algorithm
        need(member in row.members, f"the members of a {name} cannot be of the class {member}")
    if "boosting" in parts:
        weights = parts["forest"].weights
        need(
            weights is not None and len(parts["boosting"].errors) == len(weights), "every tree has a vote and an error"
        )
    parts |= {"named_columns": bool(data["named_columns"]), "evidence": evidence}
    model = Model(method_of_model(estimator), whole.schema, labels, **parts)
    with at("/parameters"):
        _check(model)
        return estimator.fitted_to(model)


def _read_value(parts: Mapping[str, Any], whole: _Whole, is_model: bool) -> Tree | RuleList | Model:
    """What was saved without an estimator; collections are given back as models. is_model: whether it was a model."""
    if "forest" not in parts:
        value: Tree | RuleList = parts["tree"] if "tree" in parts else parts["rule_list"]
        return model_of(value) if is_model else value
    if "scores" not in parts:
        return model_of(parts["forest"])
    with at("/scores"):
        scores = read_scores(parts["scores"], parts["forest"], whole.target_kind)
    return replace(model_of(scores), schema=whole.schema)


def _check(model: Model) -> None:
    """Refuse parameters that the estimators would refuse, by their own checks, and that answers would fail by."""
    methods: list[Method] = [model.method, *([] if model.member is None else [model.member])]
    for method in methods:
        check_parameters(method, model.classes)
        jobs = method.parameters.get("n_jobs")
        if jobs is not None and jobs > MOST_JOBS:
            raise ParameterError(f"n_jobs={jobs!r} is not allowed; give at most {MOST_JOBS}.")


def _read_hold_out(data: Any) -> HoldOut:
    with at("/held_out"):
        need(0 < data["share"] < 1, "the share of the rows held out lies between 0 and 1")
    return HoldOut(float(data["share"]), data["seed"])


def _read_forest(data: Any, whole: _Whole) -> Forest:
    return read_forest(data, False, whole.arrays, whole.tree_schema, whole.tree_kind, whole.trees)


def _read_factors(data: Any, whole: _Whole) -> Any:
    if data is None:
        return None
    factors = np.array(data, dtype=np.float64)
    need(factors.shape == (whole.target_kind.n_classes,), "there must be one factor per class")
    need(bool((factors >= 0).all()), "factors are not negative")
    return factors


_FROM_JSON: dict[str, Any] = {
    "recipe": lambda data, whole: {"recipe": read_recipe(data, whole.target_kind)},
    "tree": lambda data, whole: {"tree": tree_of(whole.trees, data)},
    "pruning": lambda data, whole: {"pruning": None if data is None else read_pruning(data, whole.arrays, whole.trees)},
    "class_factors": lambda data, whole: {"class_factors": _read_factors(data, whole)},
    "rules": lambda data, whole: {"rule_list": read_rules(data, whole.schema, whole.target_kind.classes, whole.trees)},
    "members": lambda data, whole: read_members(data, whole.arrays, whole.schema, whole.target_kind, whole.trees),
    "forest": lambda data, whole: {"forest": _read_forest(data, whole)},
    "scores": lambda data, whole: {"scores": data},
    "draws": lambda data, whole: {"draws": read_draws(data)},
    "out_of_bag": lambda data, whole: {"out_of_bag": read_out_of_bag(data, whole.arrays, whole.target_kind)},
    "boosting": lambda data, whole: read_boosting(data),
}

"""Collections in model files: what one member is, the trees or rule lists, their draws, and what is known of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from quercus.data.schema import Schema
from quercus.data.values import value_from_json, value_to_json
from quercus.errors import DataError
from quercus.forests.committee import Committee
from quercus.growing.forest import Sampling
from quercus.models.arrays import ArrayReader
from quercus.models.damage import at, need
from quercus.models.packed_trees import packed_to_json, read_packed
from quercus.models.parameter_values import estimator_from_json, estimator_to_json, from_json, to_json
from quercus.models.recipes import read_recipe, recipe_to_json
from quercus.models.rule_lists import read_rules, rules_to_json
from quercus.models.trees import TreeStore, check_ordered, tree_of
from quercus.pruning.curves import Curve
from quercus.tree import Tree
from quercus.tree.forest import Forest
from quercus.tree.packing import is_packed, records

_TREES = ("ID3Classifier", "C45Classifier", "CARTClassifier")
_RULES = ("C45RulesClassifier", "PARTClassifier", "RIPPERClassifier")
#: What the members of each collection may be.
MEMBERS: dict[str, tuple[str, ...]] = {
    "RandomForestClassifier": ("CARTClassifier",),
    "RandomForestRegressor": ("CARTRegressor",),
    "BaggingClassifier": (*_TREES, *_RULES),
    "BaggingRegressor": ("CARTRegressor",),
    "BoostedClassifier": _TREES,
}


def members_to_json(model: Any, trees: TreeStore) -> dict[str, Any]:
    """The members of a fitted collection: as trees or as rule lists."""
    forest = model.forest_
    rules = isinstance(forest, Committee)
    return {
        "estimator": estimator_to_json(model._fitted_member),
        "recipe": None if model.recipe_ is None else recipe_to_json(model.recipe_),
        "partial": bool(forest.partial),
        "rules": [rules_to_json(member, trees) for member in forest] if rules else None,
        "forest": None if rules else _forest_to_json(forest, trees),
    }


def _forest_to_json(forest: Forest, trees: TreeStore) -> dict[str, Any]:
    """The trees: packed ones together (null stands for the next of them), others by their numbers in the file."""
    if forest.schema.attributes != trees.schema.attributes or forest.classes != trees.classes:
        raise DataError("The model holds a forest with other attributes or classes than its own; it is not saved.")
    n_classes = None if forest.classes is None else len(forest.classes)
    packed = [arrays for arrays in forest.stored if is_packed(arrays)]
    return {
        "criterion": forest.criterion,
        "empty_leaf": forest.empty_leaf,
        "weights": None if forest.weights is None else forest.weights.tolist(),
        "trees": [
            None if is_packed(arrays) else trees.number(forest.tree(number))
            for number, arrays in enumerate(forest.stored)
        ],
        "packed": packed_to_json(packed, n_classes, trees.arrays) if packed else None,
    }


def draws_to_json(model: Any) -> dict[str, Any]:
    """What chance decided: the draw of rows and attributes, the seed, and a fingerprint of the rows to draw from."""
    return {"sampling": asdict(model.sampling_), "seed": int(model.seed_), "rows": model._rows_fingerprint}


def out_of_bag_to_json(model: Any, trees: TreeStore) -> dict[str, Any] | None:
    """What was measured out of the bag; None if nothing was."""
    if "oob_curve_" not in vars(model):
        return None
    answers = model.oob_decision_function_ if hasattr(model, "classes_") else model.oob_prediction_
    return {
        "score": value_to_json(model.oob_score_),
        "curve": _curve_to_json(model.oob_curve_),
        "answers": trees.arrays.put("out_of_bag.answers", np.asarray(answers, dtype=np.float64).reshape(-1)),
    }


def boosting_to_json(model: Any) -> dict[str, Any]:
    """What boosting told of its trees."""
    return {
        "errors": model.estimator_errors_.tolist(),
        "curve": _curve_to_json(model.boosting_curve_),
        "stopped": model.stopped_,
        "seed": int(model.seed_),
        "rows": model._rows_fingerprint,
    }


def _curve_to_json(curve: Curve) -> dict[str, Any]:
    return {"title": curve.title, "columns": to_json(dict(curve.columns))}


# Back


def read_members(
    data: Any, arrays: ArrayReader, schema: Schema, classes: tuple[Any, ...] | None, trees: Sequence[Tree]
) -> dict[str, Any]:
    """Undo :func:`members_to_json`: what the collection's members are kept as, by the names of its attributes."""
    with at("/estimator"):
        member = estimator_from_json(data["estimator"])
    by_rules = data["estimator"]["class"] in _RULES
    need((data["rules"] is not None) == by_rules, "rule learners have rules, others have none")
    need((data["forest"] is None) == by_rules, "tree learners have trees, others have none")
    need((data["recipe"] is None) == by_rules, "trees have a recipe, rules have none")
    if by_rules:
        found = []
        for number, part in enumerate(data["rules"]):
            with at(f"/rules/{number}"):
                found.append(read_rules(part, schema, classes, trees))
        with at("/rules"):
            return {"_fitted_member": member, "recipe_": None, "forest_": Committee(tuple(found), data["partial"])}
    with at("/recipe"):
        recipe = read_recipe(data["recipe"], classes)
    with at("/forest"):
        forest = _read_forest(data["forest"], data["partial"], arrays, schema, classes, trees)
    return {"_fitted_member": member, "recipe_": recipe, "forest_": forest}


def _read_forest(
    data: Any,
    partial: bool,
    arrays: ArrayReader,
    schema: Schema,
    classes: tuple[Any, ...] | None,
    trees: Sequence[Tree],
) -> Forest:
    packed = []
    if data["packed"] is not None:
        with at("/packed"):
            packed = read_packed(data["packed"], arrays, schema, None if classes is None else len(classes))
    need(data["trees"].count(None) == len(packed), f"there are {len(packed)} packed trees, but not as many places")
    following = iter(packed)
    stored: list[Any] = [next(following) if n is None else tree_of(trees, n).arrays for n in data["trees"]]
    forest = Forest.from_arrays(
        stored,
        schema,
        classes,
        criterion=data["criterion"],
        empty_leaf=data["empty_leaf"],
        weights=data["weights"],
        partial=partial,
    )
    if packed:
        forest.tree(data["trees"].index(None))  # refuses a criterion that does not fit the target
    for arrays_of_tree in packed:
        check_ordered(schema, records(arrays_of_tree)["attribute"])
    return forest


def read_draws(data: Any) -> dict[str, Any]:
    """Undo :func:`draws_to_json`."""
    sampling = Sampling(**data["sampling"])
    return {"sampling_": sampling, **_read_seed(data)}


def _read_seed(data: Any) -> dict[str, Any]:
    need(0 <= data["seed"] < 2**64, "a seed is a whole number below 2**64")
    return {"seed_": int(data["seed"]), "_rows_fingerprint": data["rows"]}


def read_out_of_bag(data: Any, arrays: ArrayReader, classes: tuple[Any, ...] | None) -> dict[str, Any]:
    """Undo :func:`out_of_bag_to_json`."""
    if data is None:
        return {}
    score = value_from_json(data["score"])
    need(isinstance(score, float), "the score is a number")
    with at("/curve"):
        curve = _read_curve(data["curve"])
    with at("/answers"):
        answers = arrays.read(data["answers"], np.float64)
        if classes is None:
            return {"oob_score_": score, "oob_curve_": curve, "oob_prediction_": answers}
        answers = answers.reshape(-1, len(classes))
        return {"oob_score_": score, "oob_curve_": curve, "oob_decision_function_": answers}


def read_boosting(data: Any) -> dict[str, Any]:
    """Undo :func:`boosting_to_json`."""
    with at("/curve"):
        curve = _read_curve(data["curve"])
    errors = np.array(data["errors"], dtype=np.float64)
    return {"estimator_errors_": errors, "boosting_curve_": curve, "stopped_": data["stopped"], **_read_seed(data)}


def _read_curve(data: Any) -> Curve:
    columns = from_json(data["columns"])
    need(isinstance(columns, dict) and len(columns) > 0, "a curve has columns")
    for name, column in columns.items():
        numbers = isinstance(column, np.ndarray) and column.ndim == 1 and column.dtype.kind in "iuf"
        need(isinstance(name, str) and numbers, "a column is one list of numbers")
    need(len({len(column) for column in columns.values()}) == 1, "all columns have the same length")
    return Curve(data["title"], columns)


def put_collection(model: Any, name: str, parts: Mapping[str, Any]) -> None:
    """Give a collection what fitting learned; its parts must fit each other."""
    for part in ("members", "draws", "out_of_bag", "boosting"):
        vars(model).update(parts.get(part, {}))
    member = type(model._fitted_member).__name__
    need(member in MEMBERS[name], f"the members of a {name} cannot be of the class {member}")
    if "boosting" in parts:
        weights = model.forest_.weights
        need(weights is not None and len(model.estimator_errors_) == len(weights), "every tree has a vote and an error")
        model.estimator_weights_ = np.array(weights)

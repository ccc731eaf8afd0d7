"""Collections in model files: the members (trees or rule lists), their draws, and their results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from quercus.data.schema import Schema
from quercus.data.values import value_from_json, value_to_json
from quercus.errors import DataError
from quercus.fitted.algorithms import ALGORITHMS
from quercus.fitted.model import Model
from quercus.fitted.parts import Boosting, Draws, OutOfBagScore
from quercus.forests.committee import Committee
from quercus.forests.score_sum import ScoreSum
from quercus.growing.forest import Sampling
from quercus.models.arrays import ArrayReader
from quercus.models.damage import at, need
from quercus.models.packed_trees import packed_to_json, read_packed
from quercus.models.parameter_values import from_json, method_from_json, method_to_json, to_json
from quercus.models.recipes import read_recipe, recipe_to_json
from quercus.models.rule_lists import read_rules, rules_to_json
from quercus.models.trees import TreeStore, check_ordered, tree_of
from quercus.pruning.curves import Curve
from quercus.targets import TargetKind
from quercus.tree import Tree
from quercus.tree.forest import Forest
from quercus.tree.packing import is_packed, records


def members_to_json(model: Model, trees: TreeStore) -> dict[str, Any]:
    """The members of a fitted collection: as trees or as rule lists."""
    forest: Any = model.forest
    rules = isinstance(forest, Committee)
    assert model.member is not None
    return {
        "estimator": method_to_json(model.member),
        "recipe": None if model.recipe is None else recipe_to_json(model.recipe),
        "partial": bool(forest.partial),
        "rules": [rules_to_json(member, trees) for member in forest] if rules else None,
        "forest": None if rules else forest_to_json(forest, trees),
    }


def forest_to_json(forest: Forest, trees: TreeStore) -> dict[str, Any]:
    """The trees: packed ones together (null stands for the next of them), others by their numbers in the file."""
    if forest.schema.attributes != trees.schema.attributes or forest.target_kind != trees.target_kind:
        raise DataError("The model holds a forest with other attributes or classes than its own; it is not saved.")
    packed = [arrays for arrays in forest.stored if is_packed(arrays)]
    return {
        "criterion": forest.criterion,
        "empty_leaf": forest.empty_leaf,
        "weights": None if forest.weights is None else forest.weights.tolist(),
        "trees": [
            None if is_packed(arrays) else trees.number(forest.tree(number))
            for number, arrays in enumerate(forest.stored)
        ],
        "packed": packed_to_json(packed, forest.target_kind, trees.arrays) if packed else None,
    }


def scores_to_json(scores: ScoreSum) -> dict[str, Any]:
    """What becomes of the numbers of trees that add up scores."""
    return {"link": scores.link, "base": list(scores.base), "places": list(scores.places)}


def draws_to_json(model: Model) -> dict[str, Any]:
    """What chance decided: the draw of rows and attributes, the seed, and a fingerprint of the rows to draw from."""
    draws = model.draws
    assert draws is not None and draws.sampling is not None
    sampling = asdict(draws.sampling)
    if not draws.sampling.attribute_bootstrap:  # as in files of before
        del sampling["attribute_bootstrap"]
    return {"sampling": sampling, "seed": int(draws.seed), "rows": draws.fingerprint}


def out_of_bag_to_json(model: Model, trees: TreeStore) -> dict[str, Any] | None:
    """What was measured out of the bag; None if nothing was."""
    out_of_bag = model.out_of_bag
    if out_of_bag is None:
        return None
    return {
        "score": value_to_json(out_of_bag.score),
        "curve": _curve_to_json(out_of_bag.curve),
        "answers": trees.arrays.put("out_of_bag.answers", np.asarray(out_of_bag.answers, dtype=np.float64).reshape(-1)),
    }


def boosting_to_json(model: Model) -> dict[str, Any]:
    """What boosting told of its trees."""
    record, draws = model.boosting, model.draws
    assert record is not None and draws is not None
    return {
        "errors": record.errors.tolist(),
        "curve": _curve_to_json(record.curve),
        "stopped": record.stopped,
        "seed": int(draws.seed),
        "rows": draws.fingerprint,
    }


def _curve_to_json(curve: Curve) -> dict[str, Any]:
    return {"title": curve.title, "columns": to_json(dict(curve.columns))}


# Back


def read_members(
    data: Any, arrays: ArrayReader, schema: Schema, kind: TargetKind, trees: Sequence[Tree]
) -> dict[str, Any]:
    """Undo :func:`members_to_json`: the parts of a model that hold its members."""
    with at("/estimator"):
        member = method_from_json(data["estimator"])
    by_rules = ALGORITHMS[member.algorithm].answers_by == "rules"
    need((data["rules"] is not None) == by_rules, "rule learners have rules, others have none")
    need((data["forest"] is None) == by_rules, "tree learners have trees, others have none")
    need((data["recipe"] is None) == by_rules, "trees have a recipe, rules have none")
    if by_rules:
        members = []
        for number, part in enumerate(data["rules"]):
            with at(f"/rules/{number}"):
                members.append(read_rules(part, schema, kind.classes, trees))
        with at("/rules"):
            return {"member": member, "forest": Committee(tuple(members), data["partial"])}
    with at("/recipe"):
        recipe = read_recipe(data["recipe"], kind)
    with at("/forest"):
        forest = read_forest(data["forest"], data["partial"], arrays, schema, kind, trees)
    return {"member": member, "recipe": recipe, "forest": forest}


def read_forest(
    data: Any,
    partial: bool,
    arrays: ArrayReader,
    schema: Schema,
    kind: TargetKind,
    trees: Sequence[Tree],
) -> Forest:
    """Undo :func:`forest_to_json`."""
    packed = []
    if data["packed"] is not None:
        with at("/packed"):
            packed = read_packed(data["packed"], arrays, schema, kind)
    need(data["trees"].count(None) == len(packed), f"there are {len(packed)} packed trees, but not as many places")
    following = iter(packed)
    stored: list[Any] = [next(following) if n is None else tree_of(trees, n).arrays for n in data["trees"]]
    forest = Forest.from_arrays(
        stored,
        schema,
        kind,
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


def read_scores(data: Any, trees: Forest, kind: TargetKind) -> ScoreSum:
    """Undo :func:`scores_to_json`."""
    base = tuple(float(number) for number in data["base"])
    return ScoreSum(trees, kind, data["link"], base, tuple(int(place) for place in data["places"]))


def read_draws(data: Any, drawn: bool = True) -> Draws:
    """Undo :func:`draws_to_json`. drawn: whether rows were."""
    sampling = Sampling(**data["sampling"]) if drawn else None
    need(0 <= data["seed"] < 2**64, "a seed is a whole number below 2**64")
    return Draws(int(data["seed"]), sampling, data["rows"])


def read_out_of_bag(data: Any, arrays: ArrayReader, kind: TargetKind) -> OutOfBagScore | None:
    """Undo :func:`out_of_bag_to_json`."""
    if data is None:
        return None
    score = value_from_json(data["score"])
    need(isinstance(score, float), "the score is a number")
    with at("/curve"):
        curve = _read_curve(data["curve"])
    with at("/answers"):
        answers = arrays.read(data["answers"], np.float64)
        return OutOfBagScore(score, curve, answers.reshape(-1, kind.width) if kind.leaf_table else answers, kind.middle)


def read_boosting(data: Any) -> dict[str, Any]:
    """Undo :func:`boosting_to_json`: the parts of a model that tell of it."""
    with at("/curve"):
        curve = _read_curve(data["curve"])
    errors = np.array(data["errors"], dtype=np.float64)
    return {"boosting": Boosting(errors, curve, data["stopped"]), "draws": read_draws(data, drawn=False)}


def _read_curve(data: Any) -> Curve:
    columns = from_json(data["columns"])
    need(isinstance(columns, dict) and len(columns) > 0, "a curve has columns")
    for name, column in columns.items():
        numbers = isinstance(column, np.ndarray) and column.ndim == 1 and column.dtype.kind in "iuf"
        need(isinstance(name, str) and numbers, "a column is one list of numbers")
    need(len({len(column) for column in columns.values()}) == 1, "all columns have the same length")
    return Curve(data["title"], columns)

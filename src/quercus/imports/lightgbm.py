"""Import from LightGBM: a booster becomes a sum of scores that answers as it does.

The model is read from ``dump_model()`` or from the text of ``save_model()``. All numbers of LightGBM are doubles and
are added in the same order, so that scores are equal to the last bit (random forests: up to the division).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.data.schema import Schema
from quercus.errors import DataError, DataTypeError, ParameterError, shorten
from quercus.fitted.model import Model, model_of
from quercus.forests.score_sum import Link, ScoreSum
from quercus.imports.files import file_bytes, is_path, parsed_json, reading
from quercus.imports.lightgbm_text import text_model
from quercus.imports.lightgbm_trees import LightGBMTree
from quercus.imports.naming import attribute_of, checked_categories, column_names, named_kind
from quercus.tree.forest import Forest

#: The objectives that can be imported, with their links.
_LINKS: dict[str, Link] = {
    **dict.fromkeys(("regression", "regression_l1", "huber", "fair", "quantile", "mape"), "identity"),
    **dict.fromkeys(("poisson", "gamma", "tweedie"), "exp"),
    **dict.fromkeys(("binary", "multiclass"), "softmax"),
}


def from_lightgbm(
    booster: Any,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Any] | None = None,
    *,
    categories: Mapping[str, Sequence[Any]] | None = None,
    n_iterations: int | None = None,
) -> Model:
    """The model of LightGBM's trees: see each tree with names and rules, evaluate, report and export them.

    booster: a Booster, a fitted LGBMClassifier or LGBMRegressor, the dictionary of ``dump_model()``, the text of
    ``model_to_string()``, or a file: the text of ``save_model()`` or the dictionary as JSON. feature_names: the names
    of the columns; None: LightGBM's own, in which blanks are written as _.
    class_names: in the order of the codes 0, 1, …; None: the classes of the estimator, or the codes. categories: the
    values of nominal columns in the order of their codes, by column; None: those of pandas, or the codes. n_iterations:
    how many iterations to take, from the first on; None: the best ones if there was early stopping, else all.

    It reads boosting by gbdt, dart, goss and rf, with objectives for numbers, binary and multiclass; it refuses others.
    Scores agree with LightGBM's to 1e-12.

    >>> theirs = {
    ...     "version": "v4", "objective": "regression", "num_tree_per_iteration": 1, "feature_names": ["x"],
    ...     "feature_infos": {}, "tree_info": [{"tree_structure": {
    ...         "split_feature": 0, "threshold": 2.5, "decision_type": "<=", "default_left": True,
    ...         "missing_type": "NaN", "split_gain": 8.0, "internal_count": 4,
    ...         "left_child": {"leaf_value": 1.0, "leaf_count": 2}, "right_child": {"leaf_value": 3.0, "leaf_count": 2},
    ...     }}],
    ... }
    >>> model = from_lightgbm(theirs)
    >>> model, model.predict({"x": [2.0, 3.0, None]})
    (<Model: ScoreSum, 1 member, 1 attribute, numbers>, array([1., 3., 1.]))
    >>> print(model.member_model(0))
    x <= 2.5: 1 (n = 2, spread 0)
    x >  2.5: 3 (n = 2, spread 0)
    """
    data, own_classes = _document(booster, n_iterations)
    with reading("LightGBM's model"):
        _check_version(data)
        names = column_names(data["feature_names"], feature_names)
        link, sigmoid, n_classes = _objective(data)
        per_iteration = int(data["num_tree_per_iteration"])
        listed = list(data["tree_info"])[: None if n_iterations is None else n_iterations * per_iteration]
        known = checked_categories(categories, names)
    trees = []
    for number, tree in enumerate(listed):
        with reading(f"Tree {number}"):
            trees.append(tree if isinstance(tree, LightGBMTree) else LightGBMTree.of_dump(tree["tree_structure"]))
    with reading("LightGBM's model"):
        schema, codes = _columns(data, names, trees, known)
    members = [tree.tree(schema, codes, f"Tree {number}") for number, tree in enumerate(trees)]
    scale = sigmoid * per_iteration / max(len(trees), 1) if data.get("average_output") else sigmoid
    forest = Forest.from_trees(members, None if scale == 1.0 else [scale] * len(members))
    labels = range(n_classes) if own_classes is None else own_classes
    kind = named_kind(labels if n_classes else None, class_names)
    places = [1] * len(forest) if kind.width == 2 else [number % kind.width for number in range(len(forest))]
    return model_of(ScoreSum(forest, kind, link, (0.0,) * kind.width, tuple(places)))


def _document(booster: Any, n_iterations: int | None) -> tuple[Mapping[str, Any], Sequence[Any] | None]:
    """The dictionary of ``dump_model``, or the part of it that is read; and the classes, if they are known."""
    if n_iterations is not None and (not isinstance(n_iterations, int) or n_iterations < 1):
        raise ParameterError(f"n_iterations is {n_iterations!r}, but must be a whole number from 1 on, or None.")
    if is_path(booster):
        is_text = isinstance(booster, str) and "\n" in booster
        data = booster.encode("utf-8", "surrogatepass") if is_text else file_bytes(booster)
        if data.lstrip()[:1] != b"{":
            called = "The text" if is_text else str(booster)
            with reading(called):
                return text_model(_decoded(data, called)), None
        booster = parsed_json(data, "LightGBM's model")
    if isinstance(booster, Mapping):
        return booster, None
    classes = getattr(booster, "classes_", None)
    if not hasattr(booster, "dump_model"):
        booster = getattr(booster, "booster_", None)
    if not hasattr(booster, "dump_model"):
        raise DataTypeError(
            "booster is no model of LightGBM, or is not fitted. Give a Booster, a fitted LGBMClassifier or "
            "LGBMRegressor, what dump_model() or model_to_string() gives, or the path of a file."
        )
    return booster.dump_model(num_iteration=n_iterations), classes


def _decoded(data: bytes, called: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(f"{called} is not LightGBM's model: byte {error.start} is no text in UTF-8.") from error


def _check_version(data: Mapping[str, Any]) -> None:
    if data["version"] not in ("v3", "v4"):
        raise DataError(f"The version of LightGBM's format is {shorten(data['version'])}; v3 and v4 are read.")


def _objective(data: Mapping[str, Any]) -> tuple[Link, float, int]:
    """The link, the factor of the scores, and the number of classes (0: numbers)."""
    name, *options = str(data.get("objective") or "none").split()
    settings = dict(option.split(":", 1) for option in options if ":" in option)
    if name not in _LINKS or "sqrt" in options:
        raise ParameterError(
            f"The objective of LightGBM's model is {' '.join([name, *options])!r}, whose answers Quercus cannot make "
            f"of scores. These can be imported: {', '.join(_LINKS)} (without reg_sqrt)."
        )
    n_classes = {"binary": 2, "multiclass": int(data["num_class"]) if name == "multiclass" else 0}.get(name, 0)
    if int(data["num_tree_per_iteration"]) != (n_classes if name == "multiclass" else 1):
        raise DataError(f"num_tree_per_iteration is {data['num_tree_per_iteration']}, which does not fit {name}.")
    return _LINKS[name], float(settings.get("sigmoid", 1.0)), n_classes


def _columns(
    data: Mapping[str, Any], names: list[str], trees: Sequence[LightGBMTree], known: Mapping[str, tuple[Any, ...]]
) -> tuple[Schema, dict[int, NDArray[np.int64]]]:
    """The columns, and for nominal ones the code that LightGBM uses for each value."""
    infos: Any = data.get("feature_infos") or {}
    asked: dict[int, set[int]] = {}
    for place, own in enumerate(data["feature_names"]):
        listed = infos.get(own, {}).get("values") or ()
        if len(listed):
            asked[place] = {int(code) for code in listed if int(code) >= 0}
    for tree in trees:
        for node, chosen in tree.codes.items():
            asked.setdefault(tree.attribute[node], set()).update(chosen)
    values = _pandas_values(data.get("pandas_categorical"), sorted(asked), names, known)
    codes: dict[int, NDArray[np.int64]] = {}
    attributes = []
    for place, name in enumerate(names):
        own_values = values.get(place)
        if place in asked:
            highest = max(asked[place], default=-1)
            if own_values is not None and highest >= len(own_values):
                raise ParameterError(f"{name!r} has {len(own_values)} categories, but its code {highest} is asked for.")
            codes[place] = np.array(sorted(asked[place]) if own_values is None else range(len(own_values)))
            own_values = tuple(codes[place].tolist()) if own_values is None else own_values
        attributes.append(attribute_of(name, place in asked, own_values))
    return Schema(tuple(attributes)), codes


def _pandas_values(
    listed: Any, nominal: list[int], names: list[str], known: Mapping[str, tuple[Any, ...]]
) -> dict[int, tuple[Any, ...]]:
    """The values of columns by their positions: the caller's, else those of pandas, which LightGBM lists in order."""
    result = {names.index(name): values for name, values in known.items()}
    if not listed or all(place in result for place in nominal):
        return result
    if len(listed) != len(nominal):
        raise ParameterError(
            f"LightGBM was fitted to {len(listed)} categorical columns of pandas, but the model tells only of "
            f"{len(nominal)} which they are. Give the values of each: categories={{'column': [...], ...}}."
        )
    return {place: tuple(values) for place, values in zip(nominal, listed, strict=True)} | result

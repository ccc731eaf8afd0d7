"""Import from XGBoost: a booster becomes a sum of scores that answers as it does.

XGBoost rounds a row to float32 and goes left where it is below a split; Quercus goes left up to a threshold and rounds
nothing. So a split is moved to the largest double that rounds to a float32 below it: every row goes the same way.
XGBoost adds the leaves up in float32, Quercus in doubles: scores differ by its rounding, some 1e-7 of the largest sum.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Floats
from quercus.data.schema import Schema
from quercus.errors import DataError, DataTypeError, ParameterError, shorten
from quercus.fitted.model import Model, model_of
from quercus.forests.score_sum import Link, ScoreSum
from quercus.imports.binary_trees import Nodes, depth_first, number_tree
from quercus.imports.files import file_bytes, is_path, parsed_json, reading
from quercus.imports.naming import attribute_of, checked_categories, column_names, named_kind
from quercus.imports.scikit_learn import exact_thresholds
from quercus.imports.ubj import parsed_ubj
from quercus.tree.forest import Forest
from quercus.tree.tree import Tree

#: The objectives that can be imported, with their links.
_LINKS: dict[str, Link] = {
    **dict.fromkeys(("reg:squarederror", "reg:squaredlogerror", "reg:pseudohubererror"), "identity"),
    **dict.fromkeys(("reg:absoluteerror", "reg:quantileerror", "reg:linear"), "identity"),
    **dict.fromkeys(("count:poisson", "reg:gamma", "reg:tweedie"), "exp"),
    **dict.fromkeys(("binary:logistic", "multi:softprob", "multi:softmax"), "softmax"),
}
#: How XGBoost's UBJ begins: an object whose first name has a length of eight bytes.
_UBJ = b"{L"


def from_xgboost(
    booster: Any,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Any] | None = None,
    *,
    categories: Mapping[str, Sequence[Any]] | None = None,
    n_iterations: int | None = None,
) -> Model:
    """The model of XGBoost's trees: see each tree with names and rules, evaluate, report and export them.

    booster: a Booster, a fitted XGBClassifier or XGBRegressor (XGBRF* too), a file of ``save_model()`` (JSON or
    UBJ), or the content of such a JSON as a text or a dictionary. feature_names: the names of the
    columns; None: XGBoost's own, or f0, f1, …. class_names: in the order of the codes 0, 1, …; None: the codes.
    categories: the values of nominal columns in the order of their codes, by column; None: those that XGBoost stores,
    or the codes. n_iterations: how many iterations to take, from the first on; None: the best ones if there was early
    stopping, else all.

    An estimator has a parameter ``missing``, the number that it treats as missing; the model treats it so, too. A
    booster or a file does not contain this number; then only NaN and None are missing.

    It reads boosting by gbtree and dart, with objectives for numbers, binary:logistic and multi:*; others are refused.
    Every row goes the same way as in XGBoost; scores differ only by XGBoost's rounding to float32.

    >>> tree = {
    ...     "left_children": [1, -1, -1], "right_children": [2, -1, -1], "split_indices": [0, 0, 0],
    ...     "split_conditions": [2.5, -1.0, 1.0], "default_left": [1, 0, 0], "sum_hessian": [4.0, 2.0, 2.0],
    ...     "loss_changes": [4.0, 0.0, 0.0],
    ... }
    >>> booster = {"name": "gbtree", "model": {"trees": [tree], "tree_info": [0]}}
    >>> theirs = {"version": [3, 0, 0], "learner": {
    ...     "feature_names": ["x"], "objective": {"name": "binary:logistic"}, "gradient_booster": booster,
    ...     "learner_model_param": {"base_score": "5E-1", "num_class": "0", "num_feature": "1"},
    ... }}
    >>> model = from_xgboost(theirs, class_names=["No", "Yes"])
    >>> model, model.predict({"x": [2.0, 2.5, None]})
    (<Model: ScoreSum, 1 member, 1 attribute, 2 classes>, array(['No', 'Yes', 'No'], dtype=object))
    >>> print(model.member_model(0))
    x <= 2.499999881: -1 (n = 2, spread 0)
    x >  2.499999881: 1 (n = 2, spread 0)
    """
    tokens = _missing_tokens(booster)
    data = _document(booster)
    with reading("XGBoost's model"):
        _check_version(data)
        learner = data["learner"]
        parameters = learner["learner_model_param"]
        link, n_classes = _objective(learner)
        own = learner.get("feature_names") or [f"f{place}" for place in range(int(parameters["num_feature"]))]
        names = column_names(own, feature_names)
        known = checked_categories(categories, names)
        model, weights = _boosting(learner["gradient_booster"])
        listed, places = _trees(model, n_iterations or _best_iteration(learner))
    trees = []
    for number, tree in enumerate(listed):
        with reading(f"Tree {number}"):
            trees.append(_XGBoostTree(tree, len(names), f"Tree {number}"))
    with reading("XGBoost's model"):
        schema = _with_missing(_columns(learner, model, names, trees, known), tokens)
        base = _base(parameters["base_score"], link, n_classes)
    members = [tree.tree(schema) for tree in trees]
    used = None if weights is None else weights[: len(members)]
    forest = Forest.from_trees(members, used)
    kind = named_kind(range(n_classes) if n_classes else None, class_names)
    if n_classes == 2 and not any(places):  # one score, of the second class
        places = [1] * len(places)
    return model_of(ScoreSum(forest, kind, link, base, tuple(places)))


def _document(booster: Any) -> Mapping[str, Any]:
    """The content of the JSON that ``save_model`` writes."""
    if isinstance(booster, str) and booster.lstrip().startswith("{"):
        return _object(parsed_json(booster, "XGBoost's model"))
    if is_path(booster):
        data = file_bytes(booster)
        if not data.strip():
            raise DataError(f"{shorten(str(booster))} is empty; it holds no model of XGBoost.")
        return _object(parsed_ubj(data) if data.startswith(_UBJ) else parsed_json(data, "XGBoost's model"))
    if isinstance(booster, Mapping):
        return booster
    if hasattr(booster, "get_booster"):
        try:
            booster = booster.get_booster()
        except Exception as error:  # XGBoost's own kind of error, which is not imported here
            raise DataTypeError(f"booster is not fitted: {error}") from error
    if not hasattr(booster, "save_raw"):
        raise DataTypeError(
            "booster is no model of XGBoost. Give a Booster, a fitted XGBClassifier or XGBRegressor, the path of a "
            "file of save_model(), or the content of its JSON."
        )
    return _object(json.loads(bytes(booster.save_raw(raw_format="json"))))


def _object(data: Any) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise DataError("This is JSON, but not XGBoost's model: it is no object.")
    return data


def _missing_tokens(booster: Any) -> tuple[float, ...]:
    """The numbers that an estimator takes for missing, beside NaN: its parameter ``missing``, also as a float32."""
    missing = getattr(booster, "missing", None)
    if missing is None or np.isnan(missing):
        return ()
    if not np.isfinite(missing):
        raise ParameterError(f"The estimator takes {missing} for missing; a finite number or NaN can be imported.")
    return tuple(sorted({float(missing), float(np.float32(missing))}))


def _with_missing(schema: Schema, tokens: tuple[float, ...]) -> Schema:
    """The columns, in which these numbers are missing."""
    if not tokens:
        return schema
    for attribute in schema:
        if attribute.kind != "numeric":
            raise ParameterError(
                f"The estimator takes {tokens[0]:g} for missing, and XGBoost means by it also a code of the values of "
                f"{attribute.name!r}. Fit with missing=numpy.nan."
            )
    return Schema(tuple(replace(attribute, missing_tokens=tokens) for attribute in schema))


def _check_version(data: Mapping[str, Any]) -> None:
    version = tuple(int(part) for part in data["version"])
    if not (1, 0) <= version[:2] < (4, 0):
        raise DataError(f"The model is of XGBoost {shorten(list(version))}; versions 1, 2 and 3 are read.")


def _objective(learner: Mapping[str, Any]) -> tuple[Link, int]:
    """The link and the number of classes (0: numbers)."""
    name, parameters = str(learner["objective"]["name"]), learner["learner_model_param"]
    if name not in _LINKS:
        raise ParameterError(
            f"The objective of XGBoost's model is {name!r}, whose answers Quercus cannot make of scores. These can be "
            f"imported: {', '.join(_LINKS)}."
        )
    if int(parameters.get("num_target", 1)) > 1:
        raise ParameterError(f"The model has {parameters['num_target']} targets; models of Quercus have one.")
    if _LINKS[name] != "softmax":
        return _LINKS[name], 0
    return "softmax", 2 if name == "binary:logistic" else int(parameters["num_class"])


def _boosting(booster: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[float] | None]:
    """The member that holds the trees, and their weights; None: all 1."""
    if booster["name"] == "dart":
        weights = [float(np.float32(weight)) for weight in booster["weight_drop"]]
        return booster["gbtree"]["model"], weights
    if booster["name"] != "gbtree":
        raise ParameterError(f"The model is boosted by {booster['name']!r}; gbtree and dart can be imported.")
    return booster["model"], None


def _best_iteration(learner: Mapping[str, Any]) -> int | None:
    best = learner.get("attributes", {}).get("best_iteration")
    return None if best is None else int(best) + 1


def _trees(model: Mapping[str, Any], n_iterations: int | None) -> tuple[list[Any], list[int]]:
    """The trees of the first iterations, and the score that each adds to."""
    if n_iterations is not None and (not isinstance(n_iterations, int) or n_iterations < 1):
        raise ParameterError(f"n_iterations is {n_iterations!r}, but must be a whole number from 1 on, or None.")
    trees, places = list(model["trees"]), [int(place) for place in model["tree_info"]]
    if len(trees) != len(places):
        raise DataError(f"There are {len(trees)} trees, but tree_info has {len(places)} entries.")
    if n_iterations is None:
        return trees, places
    begins = model.get("iteration_indptr")
    if begins is None:  # older than 2.1
        step = (max(places, default=0) + 1) * int(model["gbtree_model_param"].get("num_parallel_tree", 1) or 1)
        begins = range(0, len(trees) + 1, step)
    end = int(begins[min(n_iterations, len(begins) - 1)])
    return trees[:end], places[:end]


def _base(text: Any, link: Link, n_classes: int) -> tuple[float, ...]:
    """The base of each score. XGBoost stores it as a probability or a mean, and turns it into scores in float32."""
    numbers = np.array([float(part) for part in str(text).strip("[]").split(",")], dtype=np.float32)
    if not np.isfinite(numbers).all():
        raise DataError(f"base_score is {shorten(text)}, but must be finite.")
    one = np.float32(1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        if link == "exp":
            numbers = np.log(numbers)
        elif n_classes == 2 and len(numbers) == 1:
            numbers = np.array([0.0, -np.log(one / numbers[0] - one)])
    if not np.isfinite(numbers).all():
        raise DataError(
            f"base_score is {shorten(text)}, which gives no finite score: all rows of fitting had one and the same "
            "answer. Fit to rows of at least two classes, or of numbers above 0, or give base_score to XGBoost."
        )
    if len(numbers) == 1 and n_classes > 1:
        numbers = np.repeat(numbers, n_classes)
    return tuple(numbers.astype(np.float64).tolist())


class _XGBoostTree:
    """One tree: its lists as checked arrays."""

    def __init__(self, data: Mapping[str, Any], n_columns: int, place: str) -> None:
        if int(data.get("tree_param", {}).get("size_leaf_vector", 1) or 1) > 1:
            raise ParameterError(f"{place} has several numbers in a leaf; trees of Quercus have one.")
        self.place = place
        self.left, self.right = (self._integers(data[f"{side}_children"]) for side in ("left", "right"))
        depth_first(self.left, self.right, place)
        size = len(self.left)
        self.attribute = self._sized(self._integers(data["split_indices"]), size, "split_indices")
        self.condition = self._floats(data["split_conditions"], size, "split_conditions")
        self.missing = 1 - self._sized(self._integers(data["default_left"]), size, "default_left")
        self.weight = self._floats(data["sum_hessian"], size, "sum_hessian")
        self.gain = self._floats(data["loss_changes"], size, "loss_changes")
        self.codes = self._codes(data, size)
        inner = self.left >= 0
        if not np.isin(self.missing, (0, 1)).all():
            raise DataError(f"{place}: default_left holds 0 and 1 only.")
        wrong = np.flatnonzero(inner & ((self.attribute < 0) | (self.attribute >= n_columns)))
        if len(wrong):
            asked = self.attribute[wrong[0]]
            raise DataError(f"{place}, node {wrong[0]} asks for column {asked} of {n_columns}.")

    @staticmethod
    def _integers(listed: Any) -> NDArray[np.int64]:
        return np.array(listed, dtype=np.int64).reshape(-1)

    def _sized(self, array: NDArray[Any], size: int, name: str) -> NDArray[Any]:
        if len(array) != size:
            raise DataError(f"{self.place}: {name} has {len(array)} entries, but there are {size} nodes.")
        return array

    def _floats(self, listed: Any, size: int, name: str) -> Floats:
        """Numbers that are float32 in XGBoost, as doubles with the same value."""
        numbers = self._sized(np.array(listed, dtype=np.float64).reshape(-1), size, name)
        return numbers.astype(np.float32).astype(np.float64)

    def _codes(self, data: Mapping[str, Any], size: int) -> dict[int, NDArray[np.int64]]:
        """The codes that go right, by node."""
        kinds = data.get("split_type") or [0] * size
        codes, nodes = self._integers(data.get("categories", ())), data.get("categories_nodes", ())
        result = {}
        for node, begin, length in zip(
            nodes, data.get("categories_segments", ()), data.get("categories_sizes", ()), strict=True
        ):
            if not 0 <= node < size or not 0 <= begin <= begin + length <= len(codes):
                raise DataError(f"{self.place}: the categories of node {node} are not there.")
            result[int(node)] = codes[begin : begin + length]
        if sorted(result) != [node for node in range(size) if kinds[node] == 1]:
            raise DataError(f"{self.place}: categories_nodes does not list the nodes of split_type 1.")
        return result

    def tree(self, schema: Schema) -> Tree:
        """The tree of Quercus."""
        for node in np.flatnonzero(self.left >= 0).tolist():
            attribute = schema[int(self.attribute[node])]
            if (node in self.codes) != (attribute.kind == "nominal"):
                raise DataError(
                    f"{self.place}, node {node}: {attribute.name!r} is asked both for sets of values and by thresholds."
                )
        below = np.nextafter(self.condition.astype(np.float32), np.float32(-np.inf))
        cut = np.clip(exact_thresholds(below.astype(np.float64)), -np.finfo(np.float64).max, np.finfo(np.float64).max)
        sets = {
            node: np.isin(np.arange(schema[int(self.attribute[node])].n_values), codes).astype(np.int64)
            for node, codes in self.codes.items()
        }
        count = np.rint(np.maximum(self.weight, 0.0)).astype(np.int64)
        links = (self.left, self.right, self.attribute, cut, self.missing, self.condition)
        return number_tree(Nodes(*links, self.weight, count, self.gain, sets), schema, self.place)


def _columns(
    learner: Mapping[str, Any],
    model: Mapping[str, Any],
    names: list[str],
    trees: Sequence[_XGBoostTree],
    known: Mapping[str, tuple[Any, ...]],
) -> Schema:
    """The columns; code i of a nominal column means its value i."""
    kept = _kept_categories(model, names, known)
    types = learner.get("feature_types") or []
    nominal = {place for place, one in enumerate(types) if one == "c"}
    highest: dict[int, int] = {}
    for tree in trees:
        for node, codes in tree.codes.items():
            place = int(tree.attribute[node])
            highest[place] = max(highest.get(place, -1), int(codes.max(initial=-1)))
    attributes = []
    for place, name in enumerate(names):
        values = known.get(name, kept.get(place))
        is_nominal = place in nominal or place in highest
        if is_nominal and values is None:
            _refuse_open_domain(place, name, trees)
            values = tuple(range(highest.get(place, -1) + 1))
        if values is not None and highest.get(place, -1) >= len(values):
            raise ParameterError(f"{name!r} has {len(values)} categories, but its code {highest[place]} is asked for.")
        attributes.append(attribute_of(name, is_nominal, values))
    return Schema(tuple(attributes))


def _refuse_open_domain(place: int, name: str, trees: Sequence[_XGBoostTree]) -> None:
    """Refuse a column without values, if values that no question names would go another way than unknown ones.

    XGBoost sends them left; an unknown value may go right.
    """
    for tree in trees:
        for node in tree.codes:
            if tree.attribute[node] == place and tree.missing[node] == 1:
                raise ParameterError(
                    f"XGBoost's model does not keep the values of the nominal column {name!r}, but sends unknown ones "
                    f"another way than values that a question does not name ({tree.place.lower()}, node {node}). Give "
                    f"the values in the order of their codes: categories={{{name!r}: [...]}}."
                )


def _kept_categories(
    model: Mapping[str, Any], names: Sequence[str], known: Mapping[str, Any]
) -> dict[int, tuple[Any, ...]]:
    """The values of nominal columns that XGBoost 3.1 and newer store, by position.

    It cuts texts off that are not ASCII: it counts letters, but keeps bytes.
    """
    result: dict[int, tuple[Any, ...]] = {}
    for place, column in enumerate((model.get("cats") or {}).get("enc", ())):
        values, bounds = column["values"], column.get("offsets")
        if not values or names[place] in known:
            continue
        if bounds is None:
            result[place] = tuple(values)
            continue
        if not all(0 <= one < 128 for one in values):
            raise ParameterError(
                f"XGBoost cuts texts off that are not ASCII, so that the values of {names[place]!r} are lost. Give "
                f"them in the order of their codes (of pandas: cat.categories): categories={{{names[place]!r}: [...]}}."
            )
        text = bytes(values).decode("ascii")
        result[place] = tuple(text[begin:end] for begin, end in pairwise(bounds))
    return result

"""Import from scikit-learn: a fitted tree or forest becomes a model of Quercus that answers as it does.

scikit-learn rounds a row to float32 before it compares; Quercus does not. So a threshold t is moved to the largest
double that rounds to a float32 of at most t: every row then goes the same way, to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Array, Floats
from quercus.data.schema import Attribute, Schema
from quercus.errors import DataError, DataTypeError, ParameterError
from quercus.fitted.model import Model, model_of
from quercus.imports.binary_trees import depth_first
from quercus.imports.naming import column_names, named_kind
from quercus.targets import TargetKind
from quercus.tree.forest import Forest
from quercus.tree.tree import Tree

_CRITERIA = {
    "gini": "gini",
    "entropy": "entropy",
    "log_loss": "entropy",
    "squared_error": "squared_error",
    "friedman_mse": "squared_error",
    "absolute_error": "absolute_error",
    "poisson": "poisson",
}


def from_sklearn(
    estimator: Any, feature_names: Sequence[str] | None = None, class_names: Sequence[Any] | None = None
) -> Model:
    """The model of a fitted tree or forest of scikit-learn: pictures, rules, reports, explanations and exports follow.

    estimator: a fitted DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier or ExtraTreeRegressor, or a
    forest of them (RandomForest*, ExtraTrees*). feature_names: the names of the columns; None: those of the fit, or x0,
    x1 and so on. class_names: names to use instead of the estimator's classes, in their order. Labels and numbers are
    equal to scikit-learn's; shares and the numbers of a forest are equal up to their last bits.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> data = load_iris()
    >>> tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(data.data, data.target)
    >>> model = from_sklearn(tree, data.feature_names, data.target_names)
    >>> model
    <Model: Tree, 5 nodes, 4 attributes, 3 classes>
    >>> bool((model.predict_proba(data.data) == tree.predict_proba(data.data)).all())
    True
    """
    theirs = estimator  # of scikit-learn, not a model of ours
    single: bool = hasattr(theirs, "tree_")
    if not single and not _is_forest(theirs):
        raise DataTypeError(
            f"{type(theirs).__name__} is no fitted tree or forest of scikit-learn. Give a fitted DecisionTree*, "
            "ExtraTree*, RandomForest* or ExtraTrees* estimator."
        )
    if getattr(theirs, "n_outputs_", 1) != 1:
        raise ParameterError(f"The estimator has {theirs.n_outputs_} targets; models of Quercus have one.")
    schema = Schema(tuple(Attribute(name, "numeric") for name in _names(theirs, feature_names)))
    kind = named_kind(getattr(theirs, "classes_", None), class_names)
    criterion = _CRITERIA.get(str(theirs.criterion), "gini" if kind.has_shares else "squared_error")
    if single:
        return model_of(_tree(theirs.tree_, schema, kind, criterion))
    trees = [_tree(member.tree_, schema, kind, criterion) for member in theirs.estimators_]
    return model_of(Forest.from_trees(trees))


def _is_forest(theirs: Any) -> bool:
    """Whether it is a fitted forest that averages its trees."""
    from sklearn.ensemble import (
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )

    kinds = (RandomForestClassifier, RandomForestRegressor, ExtraTreesClassifier, ExtraTreesRegressor)
    return isinstance(theirs, kinds) and hasattr(theirs, "estimators_")


def _names(theirs: Any, names: Sequence[str] | None) -> list[str]:
    numbered = [f"x{place}" for place in range(int(theirs.n_features_in_))]
    return column_names(getattr(theirs, "feature_names_in_", numbered), names)


def _tree(tree: Any, schema: Schema, kind: TargetKind, criterion: str) -> Tree:
    """One tree: its nodes in the order of Quercus, with the children of a node side by side."""
    left, right = np.asarray(tree.children_left), np.asarray(tree.children_right)
    order = depth_first(left, right, "The tree")
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    inner = left[order] >= 0
    weight = np.asarray(tree.weighted_n_node_samples, dtype=np.float64)[order]
    to_left = np.asarray(getattr(tree, "missing_go_to_left", np.zeros(len(order))), dtype=bool)[order]
    arrays: dict[str, Array] = {
        "kind": inner.astype(np.uint8),
        "attribute": np.where(inner, np.asarray(tree.feature)[order], 0).astype(np.int32),
        "threshold": np.where(inner, exact_thresholds(np.asarray(tree.threshold)[order]), np.nan),
        "first_child": np.where(inner, place[left[order]], 0).astype(np.int32),
        "n_children": np.where(inner, 2, 0).astype(np.int32),
        "missing_child": np.where(inner, np.where(to_left, 0, 1), -1).astype(np.int32),
        "weight": weight,
        "count": np.asarray(tree.n_node_samples, dtype=np.int64)[order],
        "gain": _gains(tree, left, right)[order],
        "value": _values(np.asarray(tree.value)[order, 0], np.asarray(tree.impurity)[order], weight, kind),
    }
    try:
        return Tree.from_arrays(arrays, schema, kind, criterion=criterion)
    except DataError as error:
        raise DataError(f"The estimator's tree is not one that Quercus can hold: {error}") from error


def exact_thresholds(thresholds: Floats) -> Floats:
    """For each t the largest double that rounds to a float32 of at most t.

    >>> float(exact_thresholds(np.array([0.5]))[0]) > 0.5, bool(np.float32(exact_thresholds(np.array([0.5]))[0]) == 0.5)
    (True, True)
    """
    with np.errstate(over="ignore"):
        below = thresholds.astype(np.float32)
        below = np.where(below > thresholds, np.nextafter(below, np.float32(-np.inf)), below)
        above = np.nextafter(below, np.float32(np.inf))
    middle = below.astype(np.float64) / 2 + above.astype(np.float64) / 2
    even = below.view(np.int32) % 2 == 0  # a tie goes to the float whose last bit is 0
    result = np.where(even, middle, np.nextafter(middle, -np.inf))
    return np.where(np.isfinite(result), result, thresholds)


def _gains(tree: Any, left: NDArray[Any], right: NDArray[Any]) -> Floats:
    """The decrease of the impurity by each question."""
    impurity, weight = np.asarray(tree.impurity), np.asarray(tree.weighted_n_node_samples)
    inner = left >= 0
    below = (weight[left] * impurity[left] + weight[right] * impurity[right]) / np.maximum(weight, 1e-300)
    return np.where(inner, np.maximum(impurity - below, 0.0), 0.0)


def _values(values: Floats, impurity: Floats, weight: Floats, kind: TargetKind) -> Floats:
    """The columns of each node in Quercus: the class weights; or prediction, mean and squared deviations."""
    if not kind.has_shares:
        return np.column_stack([values[:, 0], values[:, 0], np.maximum(impurity, 0.0) * weight])
    counts = values * (weight / np.maximum(values.sum(axis=1), 1e-300))[:, None]
    whole = np.round(counts)
    result: Floats = np.where(np.abs(counts - whole) < 1e-9 * np.maximum(whole, 1.0), whole, counts)
    return result

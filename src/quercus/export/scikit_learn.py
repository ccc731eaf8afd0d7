"""Export to scikit-learn: a real DecisionTree or RandomForest, for all programs that read scikit-learn's trees.

scikit-learn rounds rows to float32 before it compares, Quercus does not. The thresholds are moved by less than such a
rounding, so that numbers of up to six decimal digits go the same way, and in models of float32 rows all float32
numbers. Else two values within one step of float32 cannot be told apart: one may go the other way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from quercus.arrays import Array, Floats
from quercus.errors import ExportError
from quercus.export.program import Program, TreeTable, program_of
from quercus.targets.labels import TIE

__all__ = ["to_sklearn"]

#: The fields of scikit-learn's nodes that are known here; a version with others is refused.
_FIELDS = {
    *("left_child", "right_child", "feature", "threshold", "impurity", "n_node_samples", "weighted_n_node_samples"),
    "missing_go_to_left",
}
#: Midpoints of float32 numbers of like size have no more binary digits; those of decimal numbers nearly always do.
_FLOAT32_DIGITS = 41


def to_sklearn(model: Any) -> Any:
    """A fitted estimator of scikit-learn with the model's trees, as ``plot_tree``, ``export_text`` and shap read them.

    model: a fitted estimator, a model, a tree or a forest whose questions are thresholds of numbers; unknown values
    take one branch. Rules, value sets, surrogates, weights of members and costs of mistakes are refused.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import export_text
    >>> from quercus import CARTClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> print(export_text(to_sklearn(CARTClassifier(max_depth=1).fit(X, y))))
    |--- feature_2 <= 2.45
    |   |--- class: 0
    |--- feature_2 >  2.45
    |   |--- class: 1
    <BLANKLINE>
    """
    program = program_of(model)
    tables = [member for member in program.members if isinstance(member, TreeTable)]
    _check(program, tables)
    if not program.together:
        return _described(_estimator(program, tables[0]), program, program.classes)
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    codes = range(len(program.classes))
    members = [_described(_estimator(program, table), program, codes) for table in tables]
    forest = (RandomForestClassifier if program.has_classes else RandomForestRegressor)(len(members))
    forest.estimators_ = members
    return _described(forest, program, program.classes)


def _check(program: Program, tables: list[TreeTable]) -> None:
    """Refuse what scikit-learn's trees cannot express."""
    if len(tables) < len(program.members):
        raise ExportError("scikit-learn has no rule lists; export the rules to SQL, Python, JavaScript or C.")
    if len(set(program.weights)) > 1:
        raise ExportError("The members count by different weights, which scikit-learn's forests cannot express.")
    if program.costs is not None or program.threshold is not None:
        raise ExportError(
            "The model answers by costs of mistakes or a decision threshold, which scikit-learn's trees cannot express;"
            " they answer the most likely class. Use predict_proba of a model that was fitted without them."
        )
    for attribute in (program.schema[place] for place in program.inputs):
        if not attribute.is_numeric:
            raise ExportError(
                f"The model asks for {attribute.name!r}, which is {attribute.kind}: scikit-learn's trees compare "
                "numbers only. Encode it as numbers before fitting, or export to ONNX, SQL, Python, JavaScript or C."
            )
    for number, table in enumerate(tables):
        if table.spreads or table.has_surrogates:
            raise ExportError(
                f"Tree {number} spreads unknown values over branches or has surrogates, which scikit-learn's trees "
                'cannot express. Fit with another policy for unknown values, such as missing="most_common".'
            )


def _estimator(program: Program, table: TreeTable) -> Any:
    """One tree as an estimator."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    tree, n_features = table.tree, len(program.schema)
    made, usual, others = (
        (DecisionTreeClassifier, "gini", ("entropy",))
        if program.has_classes
        else (DecisionTreeRegressor, "squared_error", ("poisson",))
    )
    result = made(criterion=tree.criterion if tree.criterion in others else usual)
    blank = np.zeros((1, n_features), dtype=np.float32)
    kind = type(made(max_depth=1).fit(blank, [0]).tree_)
    whole = kind(n_features, np.array([program.width], dtype=np.intp), 1)
    state = whole.__getstate__()
    nodes = np.zeros(table.size, dtype=np.asarray(state["nodes"]).dtype)
    unknown = set(nodes.dtype.names or ()) ^ _FIELDS
    if unknown:
        raise ExportError(f"This version of scikit-learn keeps its trees otherwise ({', '.join(sorted(unknown))}).")
    arrays = tree.sklearn
    nodes["left_child"] = arrays.children_left
    nodes["right_child"] = arrays.children_right
    nodes["feature"] = arrays.feature
    nodes["threshold"] = _thresholds(program, arrays.threshold)
    nodes["impurity"] = arrays.impurity
    nodes["n_node_samples"] = arrays.n_node_samples
    nodes["weighted_n_node_samples"] = arrays.weighted_n_node_samples
    nodes["missing_go_to_left"] = arrays.missing_go_to_left
    values = _values(program, table)
    whole.__setstate__({**state, "max_depth": tree.depth, "node_count": table.size, "nodes": nodes, "values": values})
    result.tree_ = whole
    result.max_features_ = n_features
    return result


def _thresholds(program: Program, thresholds: Floats) -> Floats:
    """Thresholds for rows that are rounded to float32.

    All rows that are rounded to the same number as the threshold go one way. At a value of the table that is its own
    way, the low side. At a midpoint it is the way of the shortest decimal number among them; but a midpoint of float32
    numbers, whose binary digits end early, stays as it is.
    """
    with np.errstate(over="ignore"):
        rounded = thresholds.astype(np.float32)
        below = np.nextafter(rounded, np.float32(-np.inf))
    recipe = program.model.recipe
    if recipe is not None and recipe.threshold != "midpoint":
        low, free = np.ones(len(thresholds), dtype=bool), np.isfinite(rounded)
    else:
        low = np.array([float(str(one)) for one in rounded]) <= thresholds
        digits = np.ldexp(np.frexp(thresholds)[0], _FLOAT32_DIGITS)
        free = np.isfinite(below) & np.isfinite(rounded) & (digits != np.floor(digits))
    moved = np.where(low, np.maximum(thresholds, rounded), np.where(rounded > thresholds, thresholds, below))
    return np.where(free, moved, thresholds)


def _values(program: Program, table: TreeTable) -> Array:
    """The answer of each node; classes tied within rounding are made equal, since scikit-learn takes the largest."""
    answers: Floats = table.answers
    if program.has_classes:
        if program.majority:
            answers = table.tree.target_kind.votes(answers)
        most = answers.max(axis=1, keepdims=True)
        answers = np.where(answers >= most - TIE, most, answers)
    return np.ascontiguousarray(answers[:, None, :])


def _described(estimator: Any, program: Program, classes: Sequence[Any]) -> Any:
    """Set the attributes that scikit-learn gives a fitted estimator."""
    estimator.n_features_in_ = len(program.schema)
    estimator.n_outputs_ = 1
    if program.model.named_columns:
        estimator.feature_names_in_ = np.array(program.schema.names, dtype=object)
    if program.has_classes:
        estimator.classes_ = np.array(classes)
        estimator.n_classes_ = len(classes)
    return estimator

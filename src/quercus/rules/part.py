"""PART: an ordered rule list, each rule the heaviest leaf of a partial C4.5 tree on the rows that are left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from quercus import _core
from quercus.data import ClassTarget, Dataset
from quercus.data.case_weight import case_weight_of
from quercus.data.values import plain_value
from quercus.errors import DataError, ParameterError
from quercus.growing.c45 import c45_recipe
from quercus.growing.grow import multipliers_from_costs, recipe_in_cases, weights_in_cases
from quercus.growing.recipe import Recipe
from quercus.rules.condition import Condition, Interval, ValueSet, merged
from quercus.rules.rule import Rule
from quercus.rules.rule_list import RuleList

Floats = NDArray[np.float64]

_AT_MOST, _ABOVE = 0, 1  # kinds of condition as the core writes them; 2 is a set of values


def part(
    dataset: Dataset,
    target: ClassTarget,
    *,
    weights: Floats | None = None,
    cost_matrix: Floats | None = None,
    min_objects: float = 2.0,
    confidence: float = 0.25,
    prune: bool = True,
    value_groups: bool = False,
    progress: Callable[[int, int, int], object] | None = None,
) -> RuleList:
    """Learn a rule list by separate-and-conquer on partial trees (Frank and Witten, 1998).

    ::

        PART(rows)
            while rows are left
                expand(root of a tree on the rows)
                rule = path to the leaf, of those expanded, that covers most weight
                if that leaf is the root -> its class is the default; stop
                drop the rows that the rule covers
        expand(node)
            split the node as C4.5 does; no split -> leaf
            while all branches expanded so far are leaves and some are left
                expand(the branch of least entropy among them)
            if all branches are leaves and the node as a leaf must expect no more errors (+ 0.1) -> leaf

    Expected errors are C4.5's: the upper limit of the error at ``confidence``. While a tree is grown, a row of unknown
    value goes down every branch by its share; a rule covers only rows whose values are known to fulfil it.

    - weights: one a row, not negative; weight 3 counts as three equal rows.
    - cost_matrix: cost of answering j for a row of class i; weighs the classes in the search for splits, and each rule
      answers the class of least cost.
    - min_objects: at least two branches of a split weigh this much.
    - prune: False: no leaf takes the place of branches.
    - value_groups: merge the values of a nominal attribute into groups, as C4.5 can.

    >>> from quercus.data import encode, encode_classes
    >>> data = encode({"Temperature": [40, 48, 60, 72, 80, 90]})
    >>> rules = part(data, encode_classes(["No", "No", "Yes", "Yes", "Yes", "No"]), prune=False)
    >>> print(rules)
    1. IF Temperature <= 48 THEN No (2, 1.00)
    2. IF Temperature <= 72 THEN Yes (2, 1.00)
    Otherwise: No
    """
    if not 0.0 < confidence <= 1.0:
        raise ParameterError(f"confidence={confidence!r} is not allowed; give a number > 0 and <= 1.")
    kept = _rows_with_weight(dataset, target, weights)
    unit = case_weight_of(weights)
    cases = None if weights is None else weights_in_cases(weights, unit)
    recipe = recipe_in_cases(c45_recipe(min_objects=min_objects, value_groups=value_groups), unit)
    arrays = _core.learn_part(
        [column if kept is None else column[kept] for column in dataset.columns],
        [0 if attribute.is_numeric else attribute.n_values for attribute in dataset.schema.attributes],
        np.ascontiguousarray(target.codes if kept is None else target.codes[kept], dtype=np.int32),
        len(target.classes),
        _uneven(cases, kept),
        _choices(recipe, cost_matrix),
        float(confidence),
        float(norm.isf(min(confidence, 1.0 - 1e-12))),
        bool(prune),
        progress,
    )
    arrays["class_weight"] = arrays["class_weight"] * unit
    return _rule_list(arrays, dataset, tuple(plain_value(label) for label in target.classes))


def _rows_with_weight(dataset: Dataset, target: ClassTarget, weights: Floats | None) -> NDArray[np.bool_] | None:
    """Check the lengths; a mask of the rows that count, None if all do."""
    if len(target.codes) != dataset.n_rows:
        raise DataError(f"The target has {len(target.codes)} values for {dataset.n_rows} rows: give one a row.")
    if weights is None:
        return None
    if weights.shape != (dataset.n_rows,) or not np.all(np.isfinite(weights)) or np.any(weights < 0):
        raise DataError("weights must be finite, not negative, one a row.")
    if not np.any(weights > 0):
        raise DataError("Every row has weight 0: give at least one row a positive weight.")
    return None if np.all(weights > 0) else np.asarray(weights > 0)


def _uneven(weights: Floats | None, kept: NDArray[np.bool_] | None) -> Floats | None:
    if weights is None:
        return None
    counted = np.ascontiguousarray(weights if kept is None else weights[kept], dtype=np.float64)
    return None if np.all(counted == 1.0) else counted


def _choices(recipe: Recipe, cost_matrix: Floats | None) -> dict[str, Any]:
    """The recipe as the plain values that the core wants."""
    names = (
        "threshold_gap threshold_cost min_cut gate gate_tolerance min_split_info wide_share require_gain min_objects"
    )
    choices: dict[str, Any] = {name: getattr(recipe, name) for name in names.split()}
    choices["value_groups"] = recipe.nominal == "grouped"
    choices["data_value_threshold"] = recipe.threshold == "data_value"
    choices["class_multipliers"] = [] if cost_matrix is None else multipliers_from_costs(cost_matrix).tolist()
    choices["cost_matrix"] = [] if cost_matrix is None else np.asarray(cost_matrix, dtype=np.float64).ravel().tolist()
    return choices


def _rule_list(arrays: dict[str, NDArray[Any]], dataset: Dataset, classes: tuple[Any, ...]) -> RuleList:
    starts, labels = arrays["rule_start"].tolist(), arrays["label"].tolist()
    conditions = [_condition(arrays, dataset, i) for i in range(starts[-1])]
    rules = tuple(
        Rule(merged(conditions[begin:end]), label, classes).with_weights(class_weights)
        for begin, end, label, class_weights in zip(
            starts[:-1], starts[1:], labels[:-1], arrays["class_weight"][:-1], strict=True
        )
    )
    rest = Rule((), labels[-1], classes)
    if arrays["class_weight"][-1].sum() > 0:
        rest = rest.with_weights(arrays["class_weight"][-1])
    return RuleList(rules, rest, dataset.schema, classes)


def _condition(arrays: dict[str, NDArray[Any]], dataset: Dataset, i: int) -> Condition:
    attribute = dataset.schema.attributes[int(arrays["attribute"][i])]
    threshold = float(arrays["threshold"][i])
    if arrays["kind"][i] == _AT_MOST:
        return Interval(attribute, high=threshold)
    if arrays["kind"][i] == _ABOVE:
        return Interval(attribute, low=threshold)
    begin, end = int(arrays["value_start"][i]), int(arrays["value_start"][i + 1])
    return ValueSet(attribute, arrays["values"][begin:end].tolist())

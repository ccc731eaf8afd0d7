"""Weights and costs: sample weights, class weights, priors and the misclassification cost matrix."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from quercus.arrays import Floats
from quercus.data.case_weight import check_total
from quercus.data.costs import MOST_COST, are_costs
from quercus.errors import DataError, ParameterError, shown_list

Codes = npt.NDArray[np.int32]
P = ParamSpec("P")
R = TypeVar("R")


def read_sample_weight(sample_weight: Any, n_rows: int) -> Floats | None:
    """Read the weights of the rows: None stays None, a number is for every row, a list has one for each.

    >>> read_sample_weight([1, 0, 2], 3)
    array([1., 0., 2.])
    """
    if sample_weight is None:
        return None
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"sample_weight must be numbers, one for each of the {n_rows} rows: {error}.") from error
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.ndim != 1:
        raise DataError(
            f"Sample weights must be 1D array or scalar, got {weights.ndim}D array. "
            f"Expected either a scalar value or a 1D array of length {n_rows}."
        )
    if weights.shape != (n_rows,):
        raise DataError(f"sample_weight.shape == {weights.shape}, expected {(n_rows,)}!")
    if not np.isfinite(weights).all():
        raise DataError("Input sample_weight contains NaN or infinity. Give a finite number >= 0 for every row.")
    if (weights < 0).any():
        raise DataError("Negative values in data passed to `sample_weight`. Give a number >= 0 for every row.")
    if not (weights > 0).any():
        raise DataError("Sample weights must contain at least one non-zero number.")
    check_total(weights, "sample weights")
    return np.ascontiguousarray(weights)


def class_totals(codes: Codes, weights: Floats | None, n_classes: int) -> Floats:
    """The weight of every class."""
    return np.bincount(codes, weights=weights, minlength=n_classes).astype(np.float64)


def class_factors(class_weight: Any, priors: Any, classes: Sequence[Any], totals: Floats) -> Floats | None:
    """The factor that multiplies the weights of each class, from ``class_weight`` or ``priors`` (None: nothing does).

    "balanced": every class gets the same total, n / (k n_c). Priors: class c gets the share p_c, the total stays.

    >>> class_factors("balanced", None, ["No", "Yes"], np.array([5.0, 15.0]))
    array([2.        , 0.66666667])
    >>> class_factors(None, {"No": 0.5, "Yes": 0.5}, ["No", "Yes"], np.array([5.0, 15.0])) * [5, 15]
    array([10., 10.])
    """
    if class_weight is not None and priors is not None:
        raise ParameterError(
            "class_weight and priors are both given, but each sets the weights of the classes; give one."
        )
    present = totals > 0
    if priors is not None:
        shares = read_priors(priors, classes)
        if (shares[~present] > 0).any():
            without = [label for label, ok in zip(classes, present, strict=True) if not ok]
            raise ParameterError(f"priors give a share to {shown_list(without)}, but no row of that class has weight.")
        goal = shares * totals.sum()
    elif class_weight is None:
        return None
    elif isinstance(class_weight, str) and class_weight == "balanced":
        goal = np.where(present, totals.sum() / present.sum(), 0.0)
    else:
        return _factors_of_dict(class_weight, classes)
    factors: Floats = np.divide(goal, totals, out=np.ones_like(totals), where=present)
    return factors


def weighed_by_class(factors: Floats, codes: Codes, weights: Floats | None) -> Floats:
    """The weights of the rows times the factor of each row's class.

    >>> weighed_by_class(np.array([2.0, 0.5]), np.array([0, 1], dtype=np.int32), np.array([1.0, 3.0]))
    array([2. , 1.5])
    """
    with np.errstate(over="ignore"):
        weighed = factors[codes] if weights is None else factors[codes] * weights
    check_total(weighed, "sample weights times the weights of their classes")
    return np.asarray(weighed)


def _factors_of_dict(class_weight: Any, classes: Sequence[Any]) -> Floats:
    if not isinstance(class_weight, Mapping):
        raise ParameterError(
            f"class_weight={class_weight!r} is not allowed; give None, 'balanced' or a dict {{class: weight}}."
        )
    unweighted = [label for label in classes if label not in class_weight]
    if unweighted and len(classes) - len(unweighted) != len(class_weight):
        raise ParameterError(
            f"The classes, {shown_list(unweighted)}, are not in class_weight, which has "
            f"{shown_list(list(class_weight))}."
        )
    factors = np.array([_weight_of(class_weight.get(label, 1.0), label) for label in classes], dtype=np.float64)
    if not (factors > 0).any():
        raise ParameterError("class_weight gives every class of y the weight 0; give at least one a weight > 0.")
    return factors


def _weight_of(value: Any, label: object) -> float:
    try:
        weight = float(value)
    except (TypeError, ValueError):
        weight = -1.0
    if not (np.isfinite(weight) and weight >= 0):
        raise ParameterError(f"class_weight[{label!r}]={value!r} is not allowed; give a finite number >= 0.")
    return weight


def read_priors(priors: Any, classes: Sequence[Any]) -> Floats:
    """Read the prior shares of the classes: a dict {class: share}, or a list in the order of ``classes_``.

    >>> read_priors([0.25, 0.75], ["No", "Yes"])
    array([0.25, 0.75])
    """
    allowed = f"a share >= 0 for each of the classes {shown_list(list(classes))}, together 1"
    if isinstance(priors, Mapping):
        if set(priors) != set(classes):
            raise ParameterError(f"priors={priors!r} is not allowed; give {allowed}.")
        priors = [priors[label] for label in classes]
    try:
        shares: Floats = np.asarray(priors, dtype=np.float64)
    except (TypeError, ValueError):
        shares = np.full(1, np.nan)
    if shares.shape != (len(classes),) or not (shares >= 0).all() or not abs(shares.sum() - 1.0) <= 1e-6:
        raise ParameterError(f"priors={priors!r} is not allowed; give {allowed}.")
    return np.asarray(shares / shares.sum())


def read_cost_matrix(cost_matrix: Any, classes: Sequence[Any]) -> Floats | None:
    """Read the cost of answering class j for an example of class i, rows = true class, in the order of ``classes_``.

    A dict {(true, answered): cost} may leave pairs out: a mistake then costs 1, the right answer nothing.

    >>> read_cost_matrix({("ill", "well"): 10}, ["ill", "well"])
    array([[ 0., 10.],
           [ 1.,  0.]])
    """
    if cost_matrix is None:
        return None
    k = len(classes)
    if isinstance(cost_matrix, Mapping):
        costs = _costs_of_dict(cost_matrix, classes)
    else:
        try:
            costs = np.array(cost_matrix, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ParameterError(f"cost_matrix must hold numbers, {k} rows of {k}: {error}.") from error
    if costs.shape != (k, k):
        raise ParameterError(
            f"cost_matrix has the shape {costs.shape}; y has {k} classes ({shown_list(list(classes))}), "
            f"so give {(k, k)}: a row for each true class, a column for each answer."
        )
    if not are_costs(costs):
        wrong = costs[~((costs >= 0) & (costs <= MOST_COST))][0]
        raise ParameterError(
            f"cost_matrix has the cost {wrong:g}; give numbers from 0 to {MOST_COST:g} (what counts is how they "
            "compare with each other)."
        )
    if np.diagonal(costs).any():
        raise ParameterError("cost_matrix has a cost on its diagonal; a right answer costs 0.")
    if k > 1 and not (costs.sum(axis=1) > 0).all():
        free = classes[int(np.argmin(costs.sum(axis=1)))]
        raise ParameterError(
            f"cost_matrix lets every answer to class {free!r} cost 0, so that the class would not count; "
            "give at least one mistake a cost > 0."
        )
    return np.ascontiguousarray(costs)


def named_costs(function: Callable[P, R]) -> Callable[P, R]:
    """Let the ``cost_matrix`` of a function also be a dict {(true, answered): cost}.

    It is read by the classes of the first argument that has any: a tree, rules, a target, or a pruned tree.

    >>> from quercus import ID3Classifier
    >>> from quercus.datasets import load_play_tennis
    >>> tree = ID3Classifier(max_depth=1).fit(*load_play_tennis()).tree_
    >>> tree.labels().tolist(), tree.labels({("No", "Yes"): 10}).tolist()
    ([1, 1, 1, 0], [0, 1, 0, 0])
    """
    names = tuple(signature(function).parameters)
    place = names.index("cost_matrix")

    @wraps(function)
    def reading(*args: P.args, **options: P.kwargs) -> R:
        matrix = args[place] if len(args) > place else options.get("cost_matrix")
        if not isinstance(matrix, Mapping):
            return function(*args, **options)
        costs = read_cost_matrix(matrix, _classes_among([*args, *options.values()]))
        if len(args) > place:
            return function(*args[:place], costs, *args[place + 1 :], **options)  # type: ignore[arg-type]
        return function(*args, **{**options, "cost_matrix": costs})  # type: ignore[arg-type]

    return reading


def _classes_among(arguments: Sequence[Any]) -> Sequence[Any]:
    for argument in arguments:
        for part in (argument, getattr(argument, "before", None)):
            classes = None if isinstance(part, type) else getattr(part, "classes", None)
            if classes is not None:
                return list(classes)
    raise ParameterError("cost_matrix names classes, but here numbers are predicted, which have no classes.")


def _costs_of_dict(cost_matrix: Mapping[Any, Any], classes: Sequence[Any]) -> Floats:
    position = {label: code for code, label in enumerate(classes)}
    costs = np.ones((len(classes), len(classes))) - np.eye(len(classes))
    for pair, cost in cost_matrix.items():
        if not isinstance(pair, tuple) or len(pair) != 2 or pair[0] not in position or pair[1] not in position:
            raise ParameterError(
                f"cost_matrix has the key {pair!r}; give pairs (true class, answered class) "
                f"of the classes {shown_list(list(classes))}."
            )
        try:
            costs[position[pair[0]], position[pair[1]]] = float(cost)
        except (TypeError, ValueError) as error:
            raise ParameterError(f"cost_matrix[{pair!r}]={cost!r} is not a number.") from error
    return costs

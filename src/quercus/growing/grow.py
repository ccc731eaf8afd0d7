"""Growing by the C++ core: a dataset, a target and a recipe in, a tree out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import chdtri

from quercus import _core
from quercus.criteria import CRITERIA, OwnCriterion
from quercus.data import ClassTarget, Dataset, Schema
from quercus.data.case_weight import case_weight_of
from quercus.data.sparse import SparseColumns
from quercus.errors import DataError, ParameterError
from quercus.growing import recipe as choices
from quercus.growing.constraints import order_of, sets_of
from quercus.growing.missing import NEED_BINARY, NEED_CLASSES
from quercus.growing.recipe import Recipe, ThresholdRule
from quercus.targets import TargetKind, kind_of
from quercus.tree import Tree

Progress = Callable[[int, int, int], object]

#: Each internal speed-up and the bit that turns it off; the tree stays the same.
SWITCHES: dict[str, int] = {
    "block_bounds": 1,
    "streaming": 2,
    "codes": 4,
    "rebase": 8,
    "wide": 16,
    "constants": 32,
    "subtree_tasks": 64,
    "siblings": 128,
    "ahead": 256,
    "rank_columns": 512,
    "profile": 1024,
    "running": 2048,
    "quantile_lists": 4096,
    "few_rows": 8192,
}


def grow(
    dataset: Dataset,
    target: ClassTarget | np.ndarray,
    recipe: Recipe,
    *,
    weights: np.ndarray | None = None,
    case_weight: float | None = None,
    class_multipliers: np.ndarray | None = None,
    cost_matrix: np.ndarray | None = None,
    n_jobs: int = 1,
    progress: Progress | None = None,
    switches: int = 0,
) -> Tree:
    """Grow a tree as ``docs/specification.md`` says.

    Parameters
    ----------
    dataset, target
        Encoded attributes; encoded classes, or numbers for regression.
    recipe
        Every choice the growing makes.
    weights
        One per row, not negative; rows of weight 0 are left out.
    case_weight
        What one case weighs, for the rules that count cases; None: as the weights tell (``quercus.data.case_weight``).
    class_multipliers, cost_matrix
        Costs of errors: how much each class counts in the criterion, and the costs (rows: true class) for collapsing.
        Multipliers follow from the cost matrix if only that is given.
    n_jobs
        Threads. The tree does not depend on it.
    progress
        Called now and then with (rows settled, rows, nodes looked at); an exception it raises stops the growing.
    switches
        Sum of :data:`SWITCHES` to turn off, for tests.
    """
    arguments, kind, unit = core_arguments(
        *(dataset, target, recipe, weights),
        case_weight=case_weight,
        class_multipliers=class_multipliers,
        cost_matrix=cost_matrix,
        n_jobs=n_jobs,
        switches=switches,
    )
    with size_limits():
        arrays = _core.grow(*arguments, progress)
    in_weights(arrays, unit, kind)
    return Tree.from_arrays(arrays, dataset.schema, kind, criterion=str(recipe.criterion), empty_leaf=recipe.empty_leaf)


@contextmanager
def size_limits() -> Iterator[None]:
    """Raise as our own what the core says of a tree that grows too large."""
    try:
        yield
    except OverflowError as error:
        raise DataError(str(error)) from error


class CoreArguments(NamedTuple):
    """What the core grows a tree from, in its order."""

    columns: list[Any]  # arrays, or pairs of rows and numbers if the table is sparse
    n_values: list[int]
    target: np.ndarray
    n_classes: int
    weights: np.ndarray | None
    options: dict[str, Any]


def core_arguments(
    dataset: Dataset,
    target: ClassTarget | np.ndarray,
    recipe: Recipe,
    weights: np.ndarray | None,
    *,
    case_weight: float | None = None,
    class_multipliers: np.ndarray | None = None,
    cost_matrix: np.ndarray | None = None,
    n_jobs: int = 1,
    switches: int = 0,
) -> tuple[CoreArguments, TargetKind, float]:
    """What the core grows a tree from; the kind of target; and what one case weighs."""
    columns, codes, kind, kept_weights = prepared_columns(dataset, target, weights, recipe)
    unit = case_weight_of(kept_weights) if case_weight is None else case_weight
    if kept_weights is not None:
        kept_weights = weights_in_cases(kept_weights, unit)
    check_squares(codes, kind, kept_weights)
    options, n_values = core_options(
        dataset,
        kind,
        codes,
        recipe_in_cases(recipe, unit),
        class_multipliers=class_multipliers,
        cost_matrix=cost_matrix,
        n_jobs=n_jobs,
        switches=switches,
    )
    return CoreArguments(columns, n_values, codes, kind.n_classes, kept_weights, options), kind, unit


def weights_in_cases(weights: np.ndarray, unit: float) -> np.ndarray:
    """The weights of rows as numbers of cases, each of weight ``unit``; a row of weight keeps some."""
    if unit == 1.0:
        return weights
    cases = weights / unit
    return np.where((cases == 0.0) & (weights > 0.0), np.finfo(np.float64).smallest_subnormal, cases)


def check_squares(target: np.ndarray, kind: TargetKind, weights: np.ndarray | None) -> None:
    """Refuse numbers so large that the sum of their squared deviations may be more than a float64 holds."""
    if kind.n_classes:
        return
    largest = float(np.abs(target).max(initial=0.0))
    total = len(target) if weights is None else float(weights.sum())
    if not np.isfinite(float(total) * (2 * largest) * (2 * largest)):
        raise DataError(
            f"The target has a number of size {largest:.3g}, so that the squares of {len(target)} such numbers may add "
            "up to more than 1.8e308, the largest number there is here. Divide the target by a large number."
        )


def recipe_in_cases(recipe: Recipe, unit: float) -> Recipe:
    """The recipe with its weights as numbers of cases, each of weight ``unit``."""
    if unit == 1.0:
        return recipe
    weights = ("min_objects", "min_weight_leaf", "min_value_weight")
    return replace(recipe, **{name: min(getattr(recipe, name) / unit, 1e300) for name in weights})


def in_weights(arrays: dict[str, Any], unit: float, kind: TargetKind) -> None:
    """Turn the numbers of cases in a grown tree's arrays back into weights."""
    if unit == 1.0:
        return
    weighed = [name for name in ("weight", "value", "leaf_weight", "leaf_value") if name in arrays]  # of a tree, packed
    with np.errstate(over="ignore"):
        for name in weighed:
            arrays[name] = kind.layout.weighed(arrays[name], unit) if name == "value" else arrays[name] * unit
    if not all(np.isfinite(arrays[name]).all() for name in weighed):
        raise DataError(
            "The weights times the squared deviations of the target add up to more than 1.8e308, the largest number "
            "there is here. Divide all weights, or the target, by a large number."
        )


def core_options(
    dataset: Dataset,
    kind: TargetKind,
    target: np.ndarray,
    recipe: Recipe,
    *,
    class_multipliers: np.ndarray | None,
    cost_matrix: np.ndarray | None,
    n_jobs: int,
    switches: int,
) -> tuple[dict[str, Any], list[int]]:
    """The recipe as the core takes it, checked against the target; and the number of values of each column."""
    if isinstance(recipe.criterion, OwnCriterion):
        raise ParameterError(
            f"The criterion is the {recipe.criterion}, which the core cannot call: random forests, draws of attributes "
            f"and traces need one of {', '.join(CRITERIA)}. Single trees, bagging and boosting take a function."
        )
    if recipe.task != kind.task:
        raise ParameterError(
            f"The criterion {recipe.criterion!r} does not fit the target: classes need one of "
            f"{choices.CLASSIFICATION_CRITERIA}, numbers one of {choices.REGRESSION_CRITERIA}."
        )
    if class_multipliers is None and cost_matrix is not None:
        class_multipliers = multipliers_from_costs(cost_matrix)
    n_values = [len(a.values) if not a.is_numeric else 0 for a in dataset.schema.attributes]
    options = _options(recipe, dataset, kind.n_classes, n_values)
    options |= _constraints(recipe, dataset.schema, kind, target)
    options["class_multipliers"] = _floats(class_multipliers)
    options["cost_matrix"] = _floats(cost_matrix)
    options["n_threads"] = int(n_jobs)
    options["switches"] = int(switches)
    return options, n_values


def multipliers_from_costs(cost_matrix: np.ndarray) -> np.ndarray:
    """How much each class counts: k times its share of all costs (rows of the matrix are the true classes)."""
    costs = np.asarray(cost_matrix, dtype=np.float64)
    total = float(costs.sum())
    if total <= 0:
        return np.ones(len(costs))
    return np.asarray(len(costs) * costs.sum(axis=1) / total)


def prepared_columns(
    dataset: Dataset, target: ClassTarget | np.ndarray, weights: np.ndarray | None, recipe: Recipe
) -> tuple[list[Any], np.ndarray, TargetKind, np.ndarray | None]:
    """Columns, target codes, kind of target and weights as the core wants them, without rows of weight 0."""
    kind = kind_of(getattr(target, "classes", None), recipe.quantiles)
    codes = kind.truth(target)
    if len(codes) != dataset.n_rows:
        raise DataError(f"The target has {len(codes)} values for {dataset.n_rows} rows: give one per row.")
    if weights is None:
        return _core_columns(dataset), codes, kind, None
    numbers = np.ascontiguousarray(weights, dtype=np.float64)
    if numbers.shape != (dataset.n_rows,) or not np.all(np.isfinite(numbers)) or np.any(numbers < 0):
        raise DataError("weights must be finite, not negative, one per row.")
    if np.any(numbers == 0):
        kept = numbers > 0
        if not kept.any():
            raise DataError("Every row has weight 0: give at least one row a positive weight.")
        dataset, codes, numbers = dataset.take(kept), codes[kept], numbers[kept]
    return _core_columns(dataset), codes, kind, (None if np.all(numbers == 1.0) else numbers)


def _core_columns(dataset: Dataset) -> list[Any]:
    """The columns as growing takes them: those of a sparse table as pairs of rows and numbers."""
    return dataset.columns.pairs() if isinstance(dataset.columns, SparseColumns) else list(dataset.columns)


def _floats(values: np.ndarray | None) -> list[float]:
    return [] if values is None else np.asarray(values, dtype=np.float64).ravel().tolist()


def _options(recipe: Recipe, dataset: Dataset, n_classes: int, n_values: list[int]) -> dict[str, Any]:
    """The recipe as the numbers and names that the core takes."""
    _refuse(recipe, dataset)
    plain = (
        "criterion selection cost_exponent nominal subset_limit threshold_gap threshold_cost min_cut gate "
        "gate_tolerance min_split_info wide_share require_gain min_objects min_samples_split min_samples_leaf "
        "min_weight_leaf min_value_weight min_gain min_impurity_decrease missing max_surrogates collapse "
        "collapse_tolerance"
    )
    options = {name: getattr(recipe, name) for name in plain.split()}
    options |= {
        "quantiles": list(recipe.quantiles),
        "data_value_threshold": recipe.threshold in ("data_value", "short_value"),
        "threshold_scales": threshold_scales(dataset.schema, recipe.threshold),
        "sufficient_majority": 0.0 if recipe.sufficient_majority is None else recipe.sufficient_majority,
        "max_depth": -1 if recipe.max_depth is None else recipe.max_depth,
        "max_leaf_nodes": -1 if recipe.max_leaf_nodes is None else recipe.max_leaf_nodes,
        "max_bins": recipe.max_bins or 0,
        "critical": _critical(recipe, n_classes, n_values),
        "attribute_costs": [float(a.cost) for a in dataset.schema.attributes],
    }
    return options


def _constraints(recipe: Recipe, schema: Schema, kind: TargetKind, target: np.ndarray) -> dict[str, Any]:
    """The constraints of a recipe as the core takes them."""
    order = order_of(recipe, schema, kind, target)
    return {
        "watched_class": -1 if order is None or order.watched is None else order.watched,
        "monotone": [] if order is None else order.signs.tolist(),
        "order_slack": 0.0 if order is None else order.slack,
        "together": sets_of(recipe, schema),
    }


def threshold_scales(schema: Schema, rule: ThresholdRule) -> list[str]:
    """How the core writes a short threshold of each attribute, by name; empty if thresholds are not short.

    "none": the midpoint; "decimal", "time": the shortest number, or time; "lower": the lower value; "few_digits": that
    value if it has few digits, else the shortest number.
    """
    scales = {"short": {"numeric": "decimal", "date": "time"}, "short_value": {"numeric": "few_digits"}}
    if rule not in scales:
        return []
    otherwise = "none" if rule == "short" else "lower"
    return [scales[rule].get(attribute.kind, otherwise) for attribute in schema.attributes]


def _critical(recipe: Recipe, n_classes: int, n_values: list[int]) -> list[float]:
    """Critical values of chi-square by degrees of freedom, as far as a split can have them."""
    if recipe.significance is None:
        return []
    branches = max([2, *(v + 1 for v in n_values)])
    degrees = np.arange(1, max(1, (branches - 1) * (n_classes - 1)) + 1)
    return [0.0, *chdtri(degrees, recipe.significance).tolist()]


def check_light_values(recipe: Recipe) -> None:
    """Light nominal values go together where there are two sides."""
    if recipe.min_value_weight > 0 and recipe.nominal != "subset":
        raise ParameterError(
            f"min_value_weight={recipe.min_value_weight:g} needs nominal='subset' (as CART does), not "
            f"{recipe.nominal!r}: only there do values go to two sides. Leave it at 0."
        )


def _refuse(recipe: Recipe, dataset: Dataset) -> None:
    """Combinations that have no meaning."""
    if recipe.missing in NEED_BINARY and recipe.nominal != "subset":
        raise ParameterError(
            f"missing={recipe.missing!r} needs binary splits: use nominal='subset' (as CART does) or another policy."
        )
    check_light_values(recipe)
    if recipe.missing == "surrogate" and isinstance(dataset.columns, SparseColumns):
        raise ParameterError(
            "missing='surrogate' is not for sparse tables, in which nothing is unknown: surrogates would be looked for "
            "in every column. Leave the default policy, or give a dense table (.toarray())."
        )
    if recipe.selection == "tan_schlimmer":
        free = [a.name for a in dataset.schema.attributes if a.cost <= 0]
        if free:
            raise ParameterError(
                f"selection='tan_schlimmer' divides by the attribute's cost, which is 0 for {free[0]!r}: give every "
                "attribute a positive cost, or use selection='nunez'."
            )
    for name, (choice, allowed) in recipe.need_classes().items():
        raise ParameterError(f"{name}={choice!r} needs classes: regression allows {allowed!r}.")
    if recipe.task == "regression" and (recipe.missing in NEED_CLASSES or recipe.nominal == "grouped"):
        policies = " and ".join(f"missing={name!r}" for name in NEED_CLASSES)
        raise ParameterError(f"{policies} and nominal='grouped' need classes; choose another for regression.")

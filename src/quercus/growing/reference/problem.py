"""The problem that the reference grower solves: encoded columns, target, weights and recipe, checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.arrays import Floats
from quercus.criteria import OwnCriterion
from quercus.data import ClassTarget, Dataset
from quercus.data.case_weight import case_weight_of
from quercus.data.costs import MOST_COST, are_costs
from quercus.data.schema import Schema
from quercus.errors import DataError, ParameterError
from quercus.growing.constraints import Order, order_of, sets_of
from quercus.growing.grow import check_light_values, recipe_in_cases, weights_in_cases
from quercus.growing.missing import NEED_BINARY, NEED_CLASSES
from quercus.growing.recipe import CLASSIFICATION_CRITERIA, REGRESSION_CRITERIA, Recipe
from quercus.growing.reference.own_purity import OwnClassPurity, OwnError, OwnImpurity
from quercus.growing.reference.purity import ClassPurity, Measure, Purity, number_purity
from quercus.targets import TargetKind, kind_of


@dataclass(frozen=True)
class Problem:
    """Everything that stays the same while a tree grows; rows of weight 0 are gone.

    columns: one float64 array per attribute, a nominal attribute's codes as numbers, NaN where the value is unknown.
    target: class codes, or numbers for regression. classes: None for regression. multipliers: what the class weights
    are multiplied by in the purity sums. cost_matrix: costs of a leaf's label, for collapsing. bins: of each attribute
    whose column holds the numbers of bins, the least and the greatest value of every bin (None: the values themselves).
    case_weight: what one case weighs; the weights here, and those of the recipe, are numbers of cases. watch: told of
    each node, its rows and whether it is a leaf. order: of the answers, by attributes. sets: attributes that may meet
    on a path; none: all may.
    """

    schema: Schema
    columns: tuple[Floats, ...]
    target: NDArray[Any]
    weights: Floats
    recipe: Recipe
    target_kind: TargetKind
    multipliers: Floats
    cost_matrix: Floats | None
    measure: Measure | None
    bins: tuple[tuple[Floats, Floats] | None, ...] | None = None
    case_weight: float = 1.0
    watch: Callable[[int, bool], None] | None = None
    order: Order | None = None
    sets: tuple[tuple[int, ...], ...] = ()

    @property
    def n_rows(self) -> int:
        """The training rows."""
        return len(self.weights)

    @property
    def classes(self) -> tuple[Any, ...] | None:
        """The declared classes; None: numbers are predicted."""
        return self.target_kind.classes

    @property
    def n_classes(self) -> int:
        """The declared classes; 1 for regression."""
        return max(self.target_kind.n_classes, 1)

    @cached_property
    def has_unknown(self) -> tuple[bool, ...]:
        """Of each attribute: whether the training column has an unknown value."""
        return tuple(bool(np.isnan(column).any()) for column in self.columns)

    @cached_property
    def known_values(self) -> tuple[Floats, ...]:
        """Of each attribute: the distinct known values of the training column, ascending."""
        return tuple(np.unique(column[~np.isnan(column)]) for column in self.columns)

    def purity(self, target: NDArray[Any], weights: Floats) -> Purity:
        """The purity sum of the recipe's criterion, for a node with these target values."""
        criterion, own = str(self.recipe.criterion), self.own_impurity
        if self.target_kind.has_shares:
            totals = self._class_weights(target, weights)
            if own is not None:
                return OwnClassPurity(criterion, self.multipliers, totals, own)
            return ClassPurity(criterion, self.multipliers, totals)
        if own is not None:
            return OwnError(target, weights, own)
        return number_purity(criterion, target, weights, self.recipe.quantiles)

    @cached_property
    def own_impurity(self) -> OwnImpurity | None:
        """The user's function as criterion, tried on all rows and on the rows of each class (the extreme numbers)."""
        if not isinstance(self.recipe.criterion, OwnCriterion):
            return None
        own = OwnImpurity(self.recipe.criterion)
        if self.target_kind.has_shares:
            totals = self._class_weights(self.target, self.weights) * self.multipliers
            if totals.any():
                own.check((totals,), [(row,) for row in np.eye(len(totals))[totals > 0]])
            return own
        distinct, place = np.unique(self.target, return_inverse=True)
        totals = np.bincount(place, weights=self.weights).astype(np.float64)
        own.check((distinct, totals), [(distinct[:1], np.ones(1)), (distinct[-1:], np.ones(1))])
        return own

    def _class_weights(self, target: NDArray[Any], weights: Floats) -> Floats:
        return np.bincount(target, weights=weights, minlength=len(self.multipliers)).astype(np.float64)

    def leaf_errors(self, class_weights: Floats) -> float:
        """The errors of a node as a leaf: N − max c_j, or with a cost matrix the cost of the cheapest label."""
        if self.cost_matrix is None:
            return float(class_weights.sum() - class_weights.max())
        return float((class_weights @ self.cost_matrix).min())


def state_problem(
    dataset: Dataset,
    target: ClassTarget | ArrayLike,
    recipe: Recipe,
    weights: ArrayLike | None = None,
    class_multipliers: ArrayLike | None = None,
    cost_matrix: ArrayLike | None = None,
    measure: Measure | None = None,
) -> Problem:
    """Check the arguments of the grower against each other and bring them into one form."""
    check_recipe(recipe, dataset.schema, measure)
    row_weights = _checked_weights(weights, dataset.n_rows)
    keep = row_weights > 0
    if not keep.any():
        raise DataError(
            f"A tree needs at least one row of weight above 0; {dataset.n_rows} rows were given, none such."
        )
    unit = case_weight_of(row_weights)
    row_weights, recipe = weights_in_cases(row_weights, unit), recipe_in_cases(recipe, unit)
    kind, values = _checked_target(target, dataset.n_rows, recipe)
    if not kind.has_shares:
        _check_numbers(values[keep], row_weights[keep], recipe)
    costs = _checked_costs(cost_matrix, kind)
    return Problem(
        schema=dataset.schema,
        columns=tuple(_as_numbers(column)[keep] for column in dataset.columns),
        target=values[keep],
        weights=row_weights[keep],
        recipe=recipe,
        target_kind=kind,
        multipliers=_checked_multipliers(class_multipliers, costs, kind),
        cost_matrix=costs,
        measure=measure,
        case_weight=unit,
        order=order_of(recipe, dataset.schema, kind, values[keep]),
        sets=tuple(map(tuple, sets_of(recipe, dataset.schema))),
    )


def check_recipe(recipe: Recipe, schema: Schema, measure: Measure | None = None) -> None:
    """Refuse recipes whose choices contradict each other."""
    if recipe.max_bins is not None:
        raise ParameterError(
            f"max_bins is {recipe.max_bins}, but the reference grower, which also grows by a function as criterion, "
            "looks at every value. Leave max_bins at None, or let the core grow by a criterion with a name."
        )
    if (
        not isinstance(recipe.criterion, OwnCriterion)
        and recipe.criterion not in CLASSIFICATION_CRITERIA + REGRESSION_CRITERIA
    ):
        allowed = ", ".join(CLASSIFICATION_CRITERIA + REGRESSION_CRITERIA)
        raise ParameterError(f"criterion is {recipe.criterion!r}, but must be one of {allowed}.")
    if recipe.task == "regression":
        _check_regression_recipe(recipe, measure)
    if recipe.missing in NEED_BINARY and recipe.nominal != "subset":
        raise ParameterError(
            f"missing={recipe.missing!r} needs binary splits, but nominal is {recipe.nominal!r}. Use nominal='subset', "
            "or another policy for unknown values."
        )
    check_light_values(recipe)
    free = [attribute.name for attribute in schema if attribute.cost <= 0]
    if recipe.selection == "tan_schlimmer" and free:
        raise ParameterError(
            f"selection='tan_schlimmer' divides by the cost of an attribute, but the cost of {free[0]!r} is 0. "
            "Give every attribute a cost above 0, or use selection='nunez'."
        )


def _check_regression_recipe(recipe: Recipe, measure: Measure | None) -> None:
    refused = recipe.need_classes() | ({} if measure is None else {"measure": (measure, None)})
    for name, (value, allowed) in refused.items():
        raise ParameterError(
            f"{name} is {value!r}, but criterion {str(recipe.criterion)!r} measures numbers, and {name} needs "
            f"classes. Use {name}={allowed!r}."
        )
    if recipe.nominal == "grouped":
        raise ParameterError(
            "nominal='grouped' judges groups of values by gain ratio, which needs classes, but the target is a number. "
            "Use nominal='subset' or 'multiway'."
        )
    if recipe.missing in NEED_CLASSES:
        raise ParameterError(
            f"missing={recipe.missing!r} needs classes, but the target is a number. Use missing='most_common' instead."
        )


def _as_numbers(column: NDArray[Any]) -> Floats:
    """A column as float64 with NaN for unknown; codes of a nominal attribute have −1 for it."""
    if column.dtype.kind in "iu":
        return np.where(column < 0, np.nan, column.astype(np.float64))
    return column.astype(np.float64)


def _checked_weights(weights: ArrayLike | None, n_rows: int) -> Floats:
    if weights is None:
        return np.ones(n_rows)
    result = np.asarray(weights, dtype=np.float64)
    if result.shape != (n_rows,):
        raise DataError(
            f"weights has the shape {result.shape}, but there must be one weight for each of {n_rows} rows."
        )
    if not (np.isfinite(result).all() and (result >= 0).all()):
        raise DataError("A weight is negative, infinite or NaN; weights must be numbers of at least 0.")
    return result


def _checked_target(target: ClassTarget | ArrayLike, n_rows: int, recipe: Recipe) -> tuple[TargetKind, NDArray[Any]]:
    """The kind of target, and the class codes or numbers."""
    kind = kind_of(target.classes if isinstance(target, ClassTarget) else None, recipe.quantiles)
    if kind.task != recipe.task:
        raise ParameterError(
            f"criterion {str(recipe.criterion)!r} does not fit a target of {kind.name}. "
            f"Classes take {', '.join(CLASSIFICATION_CRITERIA)}; numbers take {', '.join(REGRESSION_CRITERIA)}."
        )
    values = (
        np.asarray(target.codes, dtype=np.int64) if isinstance(target, ClassTarget) else np.asarray(target, np.float64)
    )
    if values.shape != (n_rows,):
        raise DataError(
            f"The target has the shape {values.shape}, but the table has {n_rows} rows; give one value per row."
        )
    if not isinstance(target, ClassTarget):
        return kind, values
    if len(values) and not (values.min() >= 0 and values.max() < len(target.classes)):
        raise DataError(
            f"A class code is outside 0 … {len(target.classes) - 1}; every row needs one of the declared classes."
        )
    return kind, values


def _check_numbers(y: Floats, weights: Floats, recipe: Recipe) -> None:
    if not np.isfinite(y).all():
        raise DataError("The target has a NaN or infinite value; every training row needs a number.")
    if recipe.criterion == "poisson" and (y < 0).any():
        raise DataError(
            f"The target has the value {y.min()}, but criterion 'poisson' is for counts and rates of at least 0."
        )
    with np.errstate(over="ignore", invalid="ignore"):
        deviation = (weights * (y - np.average(y, weights=weights)) ** 2).sum()
    if not np.isfinite(deviation):
        raise DataError("The target's squared deviations are too large for a float64. Scale the target, then grow.")


def _checked_costs(cost_matrix: ArrayLike | None, kind: TargetKind) -> Floats | None:
    if cost_matrix is None:
        return None
    k = len(kind.need_classes("cost_matrix is for classes, but the target is a number. Leave it at None."))
    costs = np.asarray(cost_matrix, dtype=np.float64)
    if costs.shape != (k, k) or not are_costs(costs):
        raise ParameterError(
            f"cost_matrix must be {k} × {k} numbers from 0 to {MOST_COST:g} (row: true class, column: answer); "
            f"the shape given is {costs.shape}."
        )
    return costs


def _checked_multipliers(class_multipliers: ArrayLike | None, costs: Floats | None, kind: TargetKind) -> Floats:
    """What the class weights are multiplied by: as given, or k·Σ_j L(i, j) / Σ_ij L(i, j), or 1."""
    k = max(kind.n_classes, 1)
    if class_multipliers is None:
        if costs is None or costs.sum() == 0:
            return np.ones(k)
        return np.asarray(k * costs.sum(axis=1) / costs.sum())
    kind.need_classes("class_multipliers are for classes, but the target is a number. Leave them at None.")
    result = np.asarray(class_multipliers, dtype=np.float64)
    if result.shape != (k,) or not np.isfinite(result).all() or (result < 0).any():
        raise ParameterError(
            f"class_multipliers must be {k} numbers of at least 0, one per class; given: {class_multipliers!r}."
        )
    return result

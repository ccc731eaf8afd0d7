"""The examples at a node of the reference grower: their values, unknown ones placed by policy, and gains."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quercus.arrays import Floats, Integers, Truths
from quercus.criteria import weighted_entropy_sum
from quercus.growing.reference.constraints import Bounds, keeps_order
from quercus.growing.reference.problem import Problem
from quercus.growing.reference.purity import (
    FIRST,
    ROWS,
    WEIGHT,
    WEIGHT_ALLOWANCE,
    Purity,
    about,
    lower_median,
)


class Examples:
    """The instances (row, weight) at a node in ascending row order, and their tallies.

    ``tallies`` has one line per instance: which part of its row it is (1: the whole), its weight, and what the
    criterion sums (see purity.py). ``shares``: these parts; None: whole rows. ``bounds``: of the answers.
    """

    def __init__(
        self,
        problem: Problem,
        rows: Integers,
        weights: Floats,
        shares: Floats | None = None,
        bounds: Bounds | None = None,
    ) -> None:
        self.problem = problem
        self.bounds = Bounds.none(problem.order) if bounds is None else bounds
        self.rows = rows
        self.weights = weights
        self.shares = np.ones(len(rows)) if shares is None else shares
        self.target = problem.target[rows]
        self.weight = float(weights.sum())

    def part(self, inside: Integers | Truths, factors: Floats | float = 1.0) -> Examples:
        """Some of the instances, each a part of what it is here: its weight and its share of the row times a factor."""
        weights, shares = self.weights[inside] * factors, self.shares[inside] * factors
        return Examples(self.problem, self.rows[inside], weights, shares, self.bounds)

    @cached_property
    def purity(self) -> Purity:
        """The purity sum of the criterion at this node."""
        return self.problem.purity(self.target, self.weights)

    @cached_property
    def tallies(self) -> Floats:
        """One tally per instance."""
        tallies = self.purity.tallies(self.target, self.weights)
        tallies[:, ROWS] = self.shares
        return tallies

    @cached_property
    def total(self) -> Floats:
        """The tally of all instances."""
        return self.purity.total(self.target, self.weights)

    @cached_property
    def tie(self) -> float:
        """τ: gains and worths closer than this are tied."""
        return self.purity.tie(self.total)

    @cached_property
    def scale(self) -> float:
        """N': the multiplied weight of all instances at the node."""
        return self.purity.scale(self.total)

    @cached_property
    def is_pure(self) -> bool:
        """Whether one class holds all the weight; for regression, whether all y are equal."""
        return bool((self.target == self.target[0]).all())

    @cached_property
    def value(self) -> Floats:
        """What the tree keeps: the class weights; for regression the prediction, the mean and Σ w (y − mean)²."""
        return self.purity.payload(self.total, self.weights)

    def improvements(self, branches: Floats, known: Floats) -> Floats:
        """D = Σ_branches P(branch) − P(known) of one or many divisions.

        branches: tallies, the last two axes are branches and columns. known: the tally of all branches together.
        A user-written measure is multiplied with the weight of the known instances, as an impurity is in P.
        """
        if self.problem.measure is None:
            return np.asarray(self.purity.of(branches).sum(axis=-1) - self.purity.of(known))
        multipliers = self.problem.multipliers
        parent = known[FIRST:] * multipliers
        divisions = branches.reshape(-1, *branches.shape[-2:])[..., FIRST:] * multipliers
        worths = [float(self.problem.measure(parent, division)) for division in divisions]
        return np.asarray(np.array(worths).reshape(branches.shape[:-2]) * parent.sum())

    def gains(self, branches: Floats, known: Floats) -> Floats:
        """Gain = D / N' of one or many divisions."""
        improvements = self.improvements(branches, known)
        return improvements / self.scale if self.scale > 0 else np.zeros_like(improvements)

    def admissible(self, branches: Floats) -> Truths:
        """Whether at least two branches are large enough, of one or many divisions (and every branch makes sense)."""
        recipe = self.problem.recipe
        rows, weight = branches[..., ROWS], branches[..., WEIGHT]
        least = about(max(recipe.min_objects, recipe.min_weight_leaf))
        least_rows = about(recipe.min_samples_leaf) if recipe.min_samples_leaf > 1 else 0.0  # any part of one row
        large = (rows > 0) & (rows >= least_rows) & (weight >= least)
        return np.asarray((large.sum(axis=-1) >= 2) & self.purity.sensible(branches).all(axis=-1))

    def keeps_order(self, cuts: Floats, attribute: int) -> Truths:
        """Whether cuts of an attribute keep the order of the answers."""
        return keeps_order(self.bounds, self.purity, attribute, cuts)

    def split_information(self, branch_weights: Floats, unknown_weight: float) -> Floats:
        """The entropy of (unknown, branch 1 … b) as shares of N, in bits, of one or many divisions."""
        unknown = np.full((*branch_weights.shape[:-1], 1), unknown_weight)
        return -weighted_entropy_sum(np.concatenate([unknown, branch_weights], axis=-1)) / self.weight


@dataclass(frozen=True)
class ValueTable:
    """The instances of a node by their value of one attribute, as evaluated under the policy for unknown values.

    instance_values: the value of each instance, NaN where it stays unknown; values: the distinct ones, ascending;
    tallies: one a distinct value; unknown: the tally of the instances that stay unknown; common: the most common value
    of the node, NaN unless the policy asks for it.
    """

    instance_values: Floats
    values: Floats
    tallies: Floats
    unknown: Floats
    common: float

    @cached_property
    def known(self) -> Floats:
        """The tally of all instances that have a value."""
        return np.asarray(self.tallies.sum(axis=0))


def tabulate(examples: Examples, attribute: int) -> ValueTable | None:
    """Sort the instances by their value of an attribute; None if no instance has a known one."""
    values, common = placed_values(examples, attribute)
    return None if np.isnan(values).all() else _sorted_by_value(examples, values, common)


def placed_values(examples: Examples, attribute: int) -> tuple[Floats, float]:
    """The value of each instance as evaluated (NaN: it stays unknown), and the most common one.

    All are NaN if no instance has a known value; the most common one is NaN unless the policy asks for it.
    """
    problem = examples.problem
    values = problem.columns[attribute][examples.rows]
    unknown = np.isnan(values)
    if unknown.all():
        return values, np.nan
    nominal = not problem.schema[attribute].is_numeric
    policy, common = problem.recipe.missing, np.nan
    if policy in ("most_common", "class_most_common"):
        common = most_common(values[~unknown], examples.weights[~unknown], nominal)
    if policy == "most_common":
        values = np.where(unknown, common, values)
    elif policy == "class_most_common":
        values = _filled_by_class(examples, values, common, nominal)
    elif policy == "own_value" and nominal:
        values = np.where(unknown, problem.schema[attribute].n_values, values)
    return values, common


def most_common(values: Floats, weights: Floats, nominal: bool) -> float:
    """The value of greatest weight (the first, if tied); of a numeric attribute the weighted median.

    >>> most_common(np.array([2.0, 0.0, 1.0, 0.0]), np.array([1.0, 1.0, 2.0, 1.0]), nominal=True)
    0.0
    >>> most_common(np.array([5.0, 7.0, 9.0, 8.0]), np.ones(4), nominal=False)
    7.0
    """
    if nominal:
        totals = np.bincount(values.astype(np.int64), weights=weights)
        return float(np.argmax(totals >= totals.max() - WEIGHT_ALLOWANCE * weights.sum()))
    order = np.argsort(values, kind="stable")
    return float(values[order][lower_median(weights[order])])


def _filled_by_class(examples: Examples, values: Floats, common: float, nominal: bool) -> Floats:
    """Give each unknown instance the most common value of its class; a class without known values takes the node's."""
    filled = values.copy()
    for label in np.unique(examples.target[np.isnan(values)]):
        same = examples.target == label
        known = same & ~np.isnan(values)
        fill = most_common(values[known], examples.weights[known], nominal) if known.any() else common
        filled[same & np.isnan(values)] = fill
    return filled


def _sorted_by_value(examples: Examples, values: Floats, common: float) -> ValueTable:
    known = ~np.isnan(values)
    order = np.flatnonzero(known)[np.argsort(values[known], kind="stable")]
    ascending = values[order]
    starts = np.flatnonzero(np.concatenate([[True], ascending[1:] != ascending[:-1]]))
    return ValueTable(
        instance_values=values,
        values=ascending[starts],
        tallies=np.add.reduceat(examples.tallies[order], starts, axis=0),
        unknown=examples.tallies[~known].sum(axis=0),
        common=common,
    )

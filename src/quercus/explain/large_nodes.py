"""Large nodes: an attribute's best division found by the core where the plain search would take too long.

The plain search of the reference keeps a table instances × distinct targets for the absolute error, and a table of
divisions × values for sets of values. Where these would be too large, the core looks for the division, one attribute
at a time; everything that is told of it is then summed here.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from quercus.data import ClassTarget, Dataset
from quercus.data.schema import Attribute, Schema
from quercus.growing.grow import grow
from quercus.growing.reference_examples import Examples, placed_values
from quercus.growing.reference_purity import WEIGHT, AbsoluteError, Floats, Integers
from quercus.growing.reference_splits import (
    ALL_UNKNOWN,
    CONSTANT,
    TOO_CLOSE,
    TOO_SMALL,
    Candidate,
    Refusal,
    examine,
    heaviest,
    neighbours,
    threshold_between,
    wide_enough,
)
from quercus.tree.layout import LEAF, MULTIWAY, THRESHOLD
from quercus.tree.tree import Tree

LARGEST_TABLE = 2_000_000  # numbers in a table of the plain search
MANY_VALUES = 1_000


def examine_any(examples: Examples, attribute: int) -> Candidate | Refusal:
    """The best admissible division of one attribute, or why it has none; as the reference says it."""
    described, recipe = examples.problem.schema[attribute], examples.problem.recipe
    purity = examples.purity
    too_large = isinstance(purity, AbsoluteError) and len(examples.rows) * len(purity.levels) > LARGEST_TABLE
    too_many = not described.is_numeric and recipe.nominal == "subset" and described.n_values > MANY_VALUES
    by_share = recipe.min_samples_leaf > 1 and bool((examples.shares != examples.weights).any())
    if (too_large or too_many) and not recipe.threshold_cost and not (by_share and bool((examples.shares < 1).any())):
        return examine_by_core(examples, attribute)
    return examine(examples, attribute)


def examine_by_core(examples: Examples, attribute: int) -> Candidate | Refusal:
    """The same from a tree of one question that the core grows of this attribute alone."""
    values, common = placed_values(examples, attribute)
    if np.isnan(values).all():
        return Refusal(attribute, ALL_UNKNOWN)
    distinct = np.unique(values[~np.isnan(values)])
    tree = _one_question(examples, attribute)
    if tree.kind[0] == LEAF:
        return Refusal(attribute, _why_refused(examples, attribute, distinct, bool(np.isnan(values).any())))
    branch, size, value_branch = _branches(examples, attribute, tree, values)
    tallies = _tallies(examples, branch, size)
    improvement = float(examples.improvements(tallies, tallies.sum(axis=0)))
    unknown = float(examples.weights[branch < 0].sum())
    gain = improvement / examples.scale if examples.scale > 0 else 0.0
    threshold = np.nan
    if tree.kind[0] == THRESHOLD:
        threshold = _threshold(examples, attribute, tree, distinct)
    missing = int(tree.missing_child[0])
    if examples.problem.recipe.missing not in ("fractional", "own_value") and np.isnan(common):
        missing = heaviest(tallies[:, WEIGHT])
    return Candidate(
        attribute=attribute,
        kind=int(tree.kind[0]),
        gain=gain,
        improvement=improvement,
        split_information=float(examples.split_information(tallies[:, WEIGHT], unknown)),
        branches=tallies,
        missing_child=missing,
        instance_branch=branch,
        threshold=threshold,
        value_branch=value_branch,
    )


def _why_refused(examples: Examples, attribute: int, distinct: Floats, unknown: bool) -> str:
    """Why there is no admissible division; unknown: some instances stay unknown."""
    recipe, numeric = examples.problem.recipe, examples.problem.schema[attribute].is_numeric
    apart = numeric and unknown and recipe.missing == "own_value"  # known | unknown is a division, too
    if len(distinct) < 2 and not apart:
        return CONSTANT
    low, high = neighbours(examples, attribute, distinct) if numeric else (distinct[:-1], distinct[1:])
    return TOO_CLOSE if numeric and not apart and not wide_enough(low, high, recipe.threshold_gap).any() else TOO_SMALL


def _one_question(examples: Examples, attribute: int) -> Tree:
    """The tree of depth 1 that the core grows from one column of the instances."""
    problem, rows = examples.problem, examples.rows
    described = problem.schema[attribute]
    column = problem.columns[attribute][rows]
    if not described.is_numeric:
        column = np.where(np.isnan(column), -1, column).astype(np.int32)
    else:
        described = Attribute(described.name, "numeric")  # bins, codes and dates are numbers here
    recipe, fragments = problem.recipe, problem.recipe.min_samples_leaf > 1 and bool((examples.shares < 1).any())
    recipe = replace(
        recipe,
        max_depth=1,
        # parts of rows: their shares are their weights here (examine_any sees to it)
        min_samples_leaf=1 if fragments else recipe.min_samples_leaf,
        min_samples_split=2,
        min_weight_leaf=max(recipe.min_weight_leaf, float(recipe.min_samples_leaf) if fragments else 0.0),
        selection="gain",
        gate=False,
        threshold="midpoint",
        threshold_gap=0.0 if problem.bins is not None else recipe.threshold_gap,
        min_gain=0.0,
        min_impurity_decrease=0.0,
        sufficient_majority=None,
        require_gain=False,
        significance=None,
        max_leaf_nodes=None,
        max_surrogates=0,
        collapse="no",
    )
    dataset = Dataset(Schema((described,)), (np.ascontiguousarray(column),), len(rows))
    target = problem.target[rows]
    classes = problem.classes
    given = target if classes is None else ClassTarget(np.array(classes, dtype=object), target.astype(np.int32))
    multipliers = None if classes is None else problem.multipliers
    return grow(dataset, given, recipe, weights=examples.weights, case_weight=1.0, class_multipliers=multipliers)


def _branches(examples: Examples, attribute: int, tree: Tree, values: Floats) -> tuple[Integers, int, Integers | None]:
    """The branch of each instance (−1: it stays unknown), the number of branches, and the branch of each value."""
    policy, described = examples.problem.recipe.missing, examples.problem.schema[attribute]
    unknown = np.isnan(values)
    if tree.kind[0] == THRESHOLD:
        side = int(tree.missing_child[0]) if policy == "own_value" else -1
        return np.where(unknown, side, np.where(values <= tree.threshold[0], 0, 1)), 2, None
    codes = np.where(unknown, -1, values).astype(np.int64)
    if tree.kind[0] == MULTIWAY:
        extra = policy == "own_value" and examples.problem.has_unknown[attribute]
        return codes, described.n_values + extra, None
    groups = tree.group_child[: tree.group_start[1]].astype(np.int64)
    return np.append(groups, [int(tree.missing_child[0]), -1])[codes], int(tree.n_children[0]), groups


def _tallies(examples: Examples, branch: Integers, size: int) -> Floats:
    purity = examples.purity
    if isinstance(purity, AbsoluteError):
        return np.stack([purity.tally_of(branch == number, examples.weights) for number in range(size)])
    tallies = np.zeros((size, examples.tallies.shape[1]))
    np.add.at(tallies, branch[branch >= 0], examples.tallies[branch >= 0])
    return tallies


def _threshold(examples: Examples, attribute: int, tree: Tree, distinct: Floats) -> float:
    """The threshold by the recipe's rule, from the cut that the core found between two values at the node."""
    if np.isinf(tree.threshold[0]):
        return np.inf
    position = int(np.searchsorted(distinct, tree.threshold[0], side="right")) - 1
    low, high = neighbours(examples, attribute, distinct)
    return threshold_between(examples, attribute, low[position], high[position])

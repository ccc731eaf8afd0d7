"""Splits of the reference grower: the best candidate of each attribute at a node, and the choice between attributes.

A candidate divides the instances that have a value into branches. Of several the *first* whose gain is at least the
largest − τ is taken, so that rounding decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from quercus.arrays import Floats, Integers, Truths
from quercus.data.schema import Attribute
from quercus.growing.reference.examples import Examples, ValueTable, tabulate
from quercus.growing.reference.groups import merged_groups
from quercus.growing.reference.purity import FIRST, ROWS, WEIGHT, WEIGHT_ALLOWANCE, ClassPurity, about
from quercus.growing.reference.short_threshold import short_threshold, short_value
from quercus.tree.layout import group_entries
from quercus.tree.questions import Grouped, Multiway, Subset, Threshold


@dataclass(frozen=True)
class Candidate:
    """The best division that one attribute offers at a node.

    attribute: its position; kind: 1 threshold, 2 multiway, 3 grouped, 4 subset. gain: what it is compared by (after the
    price of a threshold); improvement: D; split_information and worth: of the attribute's choice. branches: one tally a
    branch (rows, weight, then what the criterion sums: class weights). threshold: of a numeric test. value_branch: of
    a nominal test, the branch of each declared value (−1: none). missing_child: where unknown values go (−1: they are
    spread). instance_branch: the branch of each instance at the node (−1: unknown). cuts: T, the admissible cuts.
    tried_thresholds, tried_gains: every cut that was looked at (NaN gain: not admissible).
    """

    attribute: int
    kind: int
    gain: float
    improvement: float
    split_information: float
    branches: Floats
    missing_child: int
    instance_branch: Integers
    threshold: float = float("nan")
    value_branch: Integers | None = None
    worth: float = float("nan")
    cuts: int = 0
    tried_thresholds: Floats | None = None
    tried_gains: Floats | None = None

    @property
    def entries(self) -> dict[str, Any]:
        """What a tree's arrays hold of the question."""
        return {
            "attribute": self.attribute,
            "threshold": self.threshold,
            **group_entries(self.value_branch),
            "n_children": len(self.branches),
            "missing_child": self.missing_child,
        }


@dataclass(frozen=True)
class Refusal:
    """Why an attribute has no candidate at a node.

    reason: in words. division: the division that was refused, if there is one to name; tried: the divisions looked at.
    """

    attribute: int
    reason: str
    division: Candidate | None = None
    tried: int = 0


ALL_UNKNOWN = "no value is known"
CONSTANT = "one value only"
TOO_SMALL = "branches too small"
TOO_CLOSE = "values too close"
PRICE = "gain not above the price of a threshold"
ORDER = "against the order of answers"


def first_best(values: Floats, tie: float) -> int:
    """The position of the first value ≥ the largest − τ; NaN takes no part.

    >>> first_best(np.array([np.nan, 1.0, 2.0, 2.0]), 1e-12)
    2
    """
    return int(np.argmax(values >= np.nanmax(values) - tie))


def heaviest(weights: Floats) -> int:
    """The position of the heaviest branch, the first if tied."""
    return int(np.argmax(weights >= weights.max() - WEIGHT_ALLOWANCE * weights.sum()))


def examine(examples: Examples, attribute: int) -> Candidate | Refusal:
    """The best admissible division of one attribute, or why it has none."""
    table = tabulate(examples, attribute)
    if table is None:
        return Refusal(attribute, ALL_UNKNOWN)
    described = examples.problem.schema[attribute]
    if described.is_numeric:
        return _threshold(examples, attribute, table)
    nominal = examples.problem.recipe.nominal
    if nominal == "multiway":
        return _multiway(examples, attribute, described, table)
    if len(table.values) < 2:
        return Refusal(attribute, CONSTANT)
    if nominal == "subset":
        return _subset(examples, attribute, described, table)
    return _grouped(examples, attribute, described, table)


def _candidate(
    examples: Examples,
    attribute: int,
    kind: int,
    table: ValueTable,
    branches: Floats,
    instance_branch: Integers,
    **more: Any,
) -> Candidate:
    """A candidate from the tallies of its branches; ``more`` are further fields."""
    known = branches.sum(axis=0)
    policy = examples.problem.recipe.missing
    unknown = float(table.unknown[WEIGHT]) if policy in ("fractional", "surrogate") else 0.0
    improvement = float(examples.improvements(branches, known))
    fields: dict[str, Any] = {
        "gain": improvement / examples.scale if examples.scale > 0 else 0.0,
        "missing_child": _missing_child(examples, table, branches, instance_branch),
        **more,
    }
    return Candidate(
        attribute=attribute,
        kind=kind,
        improvement=improvement,
        split_information=float(examples.split_information(branches[:, WEIGHT], unknown)),
        branches=branches,
        instance_branch=instance_branch,
        **fields,
    )


def _missing_child(examples: Examples, table: ValueTable, branches: Floats, instance_branch: Integers) -> int:
    """The branch of the most common value; else the heaviest one; under the fractional policy all of them (−1)."""
    if examples.problem.recipe.missing == "fractional":
        return -1
    if not np.isnan(table.common):
        return int(instance_branch[np.argmax(table.instance_values == table.common)])
    return heaviest(branches[:, WEIGHT])


# Thresholds


def _threshold(examples: Examples, attribute: int, table: ValueTable) -> Candidate | Refusal:
    """The best cut x ≤ t of a numeric or ordered attribute."""
    recipe = examples.problem.recipe
    low, high = neighbours(examples, attribute, table.values)
    wide = wide_enough(low, high, recipe.threshold_gap)
    divisions, wide, unknown_side = _cuts(table, wide, recipe.missing == "own_value")
    allowed = examples.admissible(divisions) & wide
    if recipe.min_cut:
        evaluated = float(divisions[0, :, WEIGHT].sum()) if len(divisions) else 0.0
        least = min(max(0.1 * evaluated / examples.problem.n_classes, recipe.min_objects), 25.0)
        allowed &= (divisions[..., WEIGHT] >= about(least)).all(axis=-1)
    large = bool(allowed.any())
    known_unknown = unknown_side[:, 0] == len(table.values) - 1
    allowed &= examples.keeps_order(divisions, attribute) | known_unknown
    if not allowed.any():
        reason = CONSTANT if not len(divisions) else ORDER if large else TOO_SMALL if wide.any() else TOO_CLOSE
        return Refusal(attribute, reason, tried=len(divisions))
    gains = np.where(allowed, examples.gains(divisions, divisions[0].sum(axis=0)), np.nan)
    best = first_best(gains, examples.tie)
    position, side = int(unknown_side[best, 0]), int(unknown_side[best, 1])
    cuts = len(np.unique(unknown_side[allowed, 0]))
    gain = float(gains[best])
    if recipe.threshold_cost:
        gain -= float(np.log2(cuts)) / examples.weight
    x = table.instance_values
    last = len(table.values) - 1
    below = x <= table.values[position]
    branch = np.where(np.isnan(x), side, np.where(below, 0, 1))
    more = {"missing_child": side} if side >= 0 else {}
    candidate = _candidate(
        examples,
        attribute,
        Threshold.kind,
        table,
        divisions[best],
        branch,
        gain=gain,
        threshold=np.inf if position == last else threshold_between(examples, attribute, low[position], high[position]),
        cuts=cuts,
        tried_thresholds=np.append(midpoints(low, high), np.inf)[unknown_side[:, 0]],
        tried_gains=gains,
        **more,
    )
    if recipe.threshold_cost and gain <= examples.tie:
        return Refusal(attribute, PRICE, candidate, len(divisions))
    return candidate


def neighbours(examples: Examples, attribute: int, values: Floats) -> tuple[Floats, Floats]:
    """The values on both sides of each cut: neighbouring values, or the nearest values of neighbouring bins."""
    bins = None if examples.problem.bins is None else examples.problem.bins[attribute]
    if bins is None:
        return values[:-1], values[1:]
    lowest, greatest = bins
    codes = values.astype(np.int64)
    return greatest[codes[:-1]], lowest[codes[1:]]


def wide_enough(low: Floats, high: Floats, gap: float) -> Truths:
    """Whether there may be a cut between neighbouring values: ``low + gap < high``, as J48 compares.

    >>> wide_enough(np.array([0.0, 1.51]), np.array([2e-5, 1.51001]), 1e-5).tolist()
    [True, False]
    >>> 1.51001 - 1.51 > 1e-5  # by rounding alone
    True
    """
    return np.asarray(low + gap < high)


def _cuts(table: ValueTable, wide: Truths, unknown_is_value: bool) -> tuple[Floats, Truths, Integers]:
    """All divisions of a numeric attribute: branches [d, 2, columns], whether the gap is wide, (cut, unknown's side).

    The side is −1 if unknown values take no part. The cut after the last value is known | unknown.
    """
    below = np.cumsum(table.tallies, axis=0)
    above = np.cumsum(table.tallies[::-1], axis=0)[::-1]
    divisions = np.stack([below[:-1], above[1:]], axis=1)
    positions = np.arange(len(wide))
    if not unknown_is_value or table.unknown[ROWS] == 0:
        return divisions, wide, np.column_stack([positions, np.full(len(positions), -1)])
    left, right = divisions.copy(), divisions.copy()
    left[:, 0] += table.unknown
    right[:, 1] += table.unknown
    both = np.stack([left, right], axis=1).reshape(-1, *divisions.shape[1:])
    known_unknown = np.stack([below[-1], table.unknown])[None]
    sides = np.column_stack([np.repeat(positions, 2), np.tile([0, 1], len(positions))])
    last = np.array([[len(positions), 1]])
    return np.concatenate([both, known_unknown]), np.append(np.repeat(wide, 2), True), np.concatenate([sides, last])


def midpoints(low: Floats, high: Floats) -> Floats:
    """a/2 + b/2 of neighbouring values a < b, or a if rounding puts that outside [a, b)."""
    middle = low / 2 + high / 2
    return np.where((middle >= low) & (middle < high), middle, low)


def cut_between(examples: Examples, attribute: int, low: float, high: float) -> float:
    """A number t of the gap, low ≤ t < high: the midpoint, or a short number where the recipe says so."""
    kind = examples.problem.schema[attribute].kind
    if examples.problem.recipe.threshold == "short":
        return short_threshold(float(low), float(high), kind)
    if examples.problem.recipe.threshold == "short_value":
        return short_value(float(low), float(high), kind)
    return float(midpoints(np.array([low]), np.array([high]))[0])


def threshold_between(examples: Examples, attribute: int, low: float, high: float) -> float:
    """The threshold of the cut between two values: one in the gap, or the largest value ≤ the midpoint in training."""
    rule = examples.problem.recipe.threshold
    if rule not in ("data_value", "short_value"):
        return cut_between(examples, attribute, low, high)
    training = examples.problem.known_values[attribute]
    above = int(np.searchsorted(training, midpoints(np.array([low]), np.array([high]))[0], side="right"))
    if rule == "data_value" or above == len(training):
        return float(training[above - 1])
    return cut_between(examples, attribute, training[above - 1], training[above])


# Nominal attributes


def _multiway(examples: Examples, attribute: int, described: Attribute, table: ValueTable) -> Candidate | Refusal:
    """One branch a declared value; under own_value one more for unknown, if the training column has any."""
    extra = examples.problem.recipe.missing == "own_value" and examples.problem.has_unknown[attribute]
    branches = np.zeros((described.n_values + extra, table.tallies.shape[1]))
    branches[table.values.astype(np.int64)] = table.tallies
    if len(table.values) < 2:
        return Refusal(attribute, CONSTANT)
    instance_branch = np.where(np.isnan(table.instance_values), -1, table.instance_values).astype(np.int64)
    more = {"missing_child": described.n_values} if extra else {}
    return _if_admissible(
        examples, _candidate(examples, attribute, Multiway.kind, table, branches, instance_branch, **more)
    )


def _if_admissible(examples: Examples, candidate: Candidate) -> Candidate | Refusal:
    if examples.admissible(candidate.branches):
        return candidate
    return Refusal(candidate.attribute, TOO_SMALL, candidate, 1)


def _by_value(
    examples: Examples,
    attribute: int,
    described: Attribute,
    table: ValueTable,
    kind: int,
    branch_of: Integers,
    **more: Any,
) -> Candidate:
    """A subset or grouped candidate from the branch of each present value."""
    codes = table.values.astype(np.int64)
    value_branch = np.full(described.n_values + 1, -1, dtype=np.int64)  # the last: own_value's unknown, or none
    value_branch[codes] = branch_of
    branches = np.zeros((int(branch_of.max()) + 1, table.tallies.shape[1]))
    np.add.at(branches, branch_of, table.tallies)
    unknown = np.isnan(table.instance_values)
    instance_branch = np.where(unknown, -1, value_branch[np.where(unknown, 0, table.instance_values).astype(np.int64)])
    if value_branch[-1] >= 0:
        more["missing_child"] = int(value_branch[-1])
    return _candidate(
        examples,
        attribute,
        kind,
        table,
        branches,
        instance_branch,
        value_branch=value_branch[: described.n_values],
        **more,
    )


def _subset(examples: Examples, attribute: int, described: Attribute, table: ValueTable) -> Candidate | Refusal:
    """The best division of the present values into two sets; branch 0 holds the first present value."""
    place = _joined_places(table, examples.problem.recipe.min_value_weight)
    joined = _joined(table, place)
    if len(joined.values) < 2:
        return Refusal(attribute, TOO_SMALL)
    lefts = _left_sets(examples, joined)
    divisions = np.stack([lefts @ joined.tallies, ~lefts @ joined.tallies], axis=1)
    allowed = examples.admissible(divisions)
    if not allowed.any():
        return Refusal(attribute, TOO_SMALL, tried=len(divisions))
    gains = np.where(allowed, examples.gains(divisions, table.known), np.nan)
    left = lefts[first_best(gains, examples.tie)]
    branch_of = np.where(left == left[0], 0, 1)[place]
    return _by_value(examples, attribute, described, table, Subset.kind, branch_of, tried_gains=gains)


def _joined_places(table: ValueTable, least: float) -> Integers:
    """The place of each present value after those lighter than ``least`` are one, which stands where the first stood.

    >>> weights = np.array([[5.0, 5.0], [1.0, 1.0], [7.0, 7.0], [2.0, 2.0]])  # rows, weights
    >>> _joined_places(ValueTable(np.zeros(0), np.arange(4.0), weights, np.zeros(2), np.nan), 3.0).tolist()
    [0, 1, 2, 1]
    """
    light = np.flatnonzero(table.tallies[:, WEIGHT] < about(least))
    first = np.arange(len(table.values))
    first[light] = light.min(initial=len(first))
    return np.asarray(np.unique(first, return_inverse=True)[1])


def _joined(table: ValueTable, place: Integers) -> ValueTable:
    """The table with one row for each place."""
    tallies = np.zeros((int(place.max()) + 1, table.tallies.shape[1]))
    np.add.at(tallies, place, table.tallies)
    return replace(table, values=table.values[np.unique(place, return_index=True)[1]], tallies=tallies)


def _left_sets(examples: Examples, table: ValueTable) -> Truths:
    """The candidates of a subset split in their order, one row each: which present values are on one side.

    Two classes or numbers: only prefixes in the order of the class share (the mean) need be tried, which is Breiman's
    theorem. More classes: all divisions while the values are few, else the prefixes in the order of each class's share.
    """
    purity, count = examples.purity, len(table.values)
    if not isinstance(purity, ClassPurity):
        spread = np.sqrt(purity.variance)
        keys = purity.centre(table.tallies) / spread * 1e9 if spread > 0 else np.zeros(count)
        return _prefixes(np.rint(keys))
    weights = table.tallies[:, FIRST:] * purity.multipliers
    totals = weights.sum(axis=1, keepdims=True)
    shares = np.rint(np.divide(weights, totals, out=np.zeros_like(weights), where=totals > 0) * 1e12)
    present = np.flatnonzero(table.known[FIRST:] > 0)
    if len(present) <= 2:
        return _prefixes(shares[:, present[-1]])
    if count <= examples.problem.recipe.subset_limit:
        masks = np.arange(2 ** (count - 1) - 1)
        with_first = (masks[:, None] >> np.arange(count - 1)) & 1 == 1
        return np.column_stack([np.ones(len(masks), dtype=bool), with_first])
    return np.concatenate([_prefixes(shares[:, label]) for label in present])


def _prefixes(keys: Floats) -> Truths:
    """The prefixes of the values in the order of their keys (ties: by value), shortest first; one row each.

    >>> _prefixes(np.array([3.0, 1.0, 2.0])).astype(int).tolist()
    [[0, 1, 0], [0, 1, 1]]
    """
    rank = np.empty(len(keys), dtype=np.int64)
    rank[np.argsort(keys, kind="stable")] = np.arange(len(keys))
    return np.asarray(rank[None, :] < np.arange(1, len(keys))[:, None])


def _grouped(examples: Examples, attribute: int, described: Attribute, table: ValueTable) -> Candidate | Refusal:
    """Groups of the present values, merged while the gain ratio improves."""
    groups = merged_groups(examples, table)
    return _if_admissible(examples, _by_value(examples, attribute, described, table, Grouped.kind, groups))


# The choice between attributes


def choose(examples: Examples, candidates: list[Candidate]) -> tuple[list[Candidate], Candidate | None]:
    """Give every candidate its worth (NaN: it takes no part) and take the first whose worth is the best, but for τ."""
    if not candidates:
        return [], None
    worths = np.array(_worths(examples, candidates))
    judged = [replace(candidate, worth=float(worth)) for candidate, worth in zip(candidates, worths, strict=True)]
    if np.isnan(worths).all():
        return judged, None
    return judged, judged[first_best(worths, examples.tie)]


def _worths(examples: Examples, candidates: list[Candidate]) -> list[float]:
    recipe, schema = examples.problem.recipe, examples.problem.schema
    if recipe.selection == "gain_ratio":
        floor = mean_gain(examples, candidates) - recipe.gate_tolerance - examples.tie if recipe.gate else -np.inf
        takes_part = [
            c.split_information > recipe.min_split_info + examples.tie and c.gain >= floor for c in candidates
        ]
        return [
            c.gain / c.split_information if part else np.nan for c, part in zip(candidates, takes_part, strict=True)
        ]
    costs = [schema[candidate.attribute].cost for candidate in candidates]
    if recipe.selection == "tan_schlimmer":
        return [c.gain**2 / cost for c, cost in zip(candidates, costs, strict=True)]
    if recipe.selection == "nunez":
        return [(2**c.gain - 1) / (cost + 1) ** recipe.cost_exponent for c, cost in zip(candidates, costs, strict=True)]
    return [candidate.gain for candidate in candidates]


def mean_gain(examples: Examples, candidates: list[Candidate]) -> float:
    """The mean gain of C4.5's gate; nominal attributes of very many values do not count, unless all are such."""
    problem = examples.problem
    limit = problem.recipe.wide_share * problem.n_rows
    described = [problem.schema[candidate.attribute] for candidate in candidates]
    wide = [not attribute.is_numeric and attribute.n_values >= limit for attribute in described]
    counted = [c.gain for c, left_out in zip(candidates, wide, strict=True) if all(wide) or not left_out]
    return float(np.mean(counted))

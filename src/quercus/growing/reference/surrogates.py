"""Surrogate splits of the reference grower: other attributes that send the instances the same way (CART)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from quercus.arrays import Floats, Integers, Truths
from quercus.growing.reference.examples import Examples
from quercus.growing.reference.splits import Candidate, cut_between, first_best
from quercus.tree.layout import group_entries
from quercus.tree.questions import Subset, Threshold

LEAST_ROWS = 2  # a threshold must send so many instances to each side
LEAST_ADJUSTED = 1e-9
TIE = 1e-12


@dataclass(frozen=True)
class Surrogate:
    """A test on another attribute that stands in for a split where the split's own value is unknown.

    agreement: the weight it sends the same way / the weight known to both. adjusted: the same relative to sending all
    to the larger side: (agreeing − baseline) / (weight − baseline). low_child: the branch of x ≤ threshold.
    value_branch: the branch of each declared value (−1: none).
    """

    kind: int
    attribute: int
    agreement: float
    adjusted: float
    threshold: float = float("nan")
    low_child: int = 0
    value_branch: Integers | None = None

    @property
    def entries(self) -> dict[str, Any]:
        """What a tree's arrays hold of the question."""
        return {
            "attribute": self.attribute,
            "threshold": self.threshold,
            **group_entries(self.value_branch),
            "n_children": 2,
            "missing_child": -1,
        }

    def branches(self, values: Floats) -> Integers:
        """The branch of each value, −1 where the surrogate cannot tell."""
        unknown = np.isnan(values)
        if self.value_branch is None:
            low = values <= self.threshold
            return np.where(unknown, -1, np.where(low, self.low_child, 1 - self.low_child))
        return np.where(unknown, -1, self.value_branch[np.where(unknown, 0, values).astype(np.int64)])


def find_surrogates(examples: Examples, split: Candidate, out: frozenset[int] = frozenset()) -> list[Surrogate]:
    """The best surrogate of each other attribute, by agreement, at most ``max_surrogates``.

    out: attributes that may not stand in for it.
    """
    problem = examples.problem
    others = [a for a in range(len(problem.columns)) if a != split.attribute and a not in out]
    surrogates = [_best_surrogate(examples, split, attribute) for attribute in others]
    left = [surrogate for surrogate in surrogates if surrogate is not None]
    kept: list[Surrogate] = []
    while left and len(kept) < problem.recipe.max_surrogates:
        kept.append(left.pop(first_best(np.array([surrogate.agreement for surrogate in left]), TIE)))
    return kept


def send_unknown(examples: Examples, split: Candidate, surrogates: list[Surrogate]) -> Integers:
    """The branch of every instance: by the split, else by the first surrogate that can tell, else the heaviest one."""
    branch = split.instance_branch.copy()
    for surrogate in surrogates:
        values = examples.problem.columns[surrogate.attribute][examples.rows]
        branch = np.where(branch < 0, surrogate.branches(values), branch)
    return np.where(branch < 0, split.missing_child, branch)


def _best_surrogate(examples: Examples, split: Candidate, attribute: int) -> Surrogate | None:
    """The test of one attribute that agrees best with the split, over the instances known to both."""
    values = examples.problem.columns[attribute][examples.rows]
    described = examples.problem.schema[attribute]
    both = (split.instance_branch >= 0) & ~np.isnan(values)
    # thresholds lie between the values of any instance at the node, known to the split or not
    distinct = np.unique(values[~np.isnan(values)] if described.is_numeric else values[both])
    values, side, weights = values[both], split.instance_branch[both], examples.weights[both]
    position = np.searchsorted(distinct, values)
    if len(distinct) < 2:
        return None
    # the weight of each value on each side of the split, and its rows
    by_side = [np.bincount(position, weights * (side == s), minlength=len(distinct)) for s in (0, 1)]
    sides = np.stack(by_side, axis=1).astype(np.float64)
    rows = np.bincount(position, minlength=len(distinct))
    weight, baseline = float(sides.sum()), float(sides.sum(axis=0).max())
    if weight - baseline <= LEAST_ADJUSTED * weight:
        return None
    to_first = sides[:, 1] <= sides[:, 0] + LEAST_ADJUSTED * sides.sum(axis=1)  # of a nominal attribute's values
    if described.is_numeric:
        agreeing, used = _threshold_agreements(sides, rows)
    else:
        agreeing, used = np.array([sides[to_first, 0].sum() + sides[~to_first, 1].sum()]), np.ones(1, dtype=bool)
    adjusted = np.asarray((agreeing - baseline) / (weight - baseline), dtype=np.float64)
    adjusted = np.where(used & (adjusted > LEAST_ADJUSTED), adjusted, np.nan)
    if np.isnan(adjusted).all():
        return None
    best = first_best(adjusted, TIE)
    agreement = float(agreeing[best]) / weight
    if described.is_numeric:
        threshold = cut_between(examples, attribute, distinct[best // 2], distinct[best // 2 + 1])
        return Surrogate(Threshold.kind, attribute, agreement, float(adjusted[best]), threshold, low_child=best % 2)
    value_branch = np.full(described.n_values, -1, dtype=np.int64)
    value_branch[distinct.astype(np.int64)] = np.where(to_first, 0, 1)
    return Surrogate(Subset.kind, attribute, agreement, float(adjusted[best]), value_branch=value_branch)


def _threshold_agreements(sides: Floats, rows: Integers) -> tuple[Floats, Truths]:
    """The weight that every test of ascending values sends as the split does, and whether both sides get rows enough.

    Each cut has two tests: low → 0, then low → 1.
    """
    low, whole = np.cumsum(sides, axis=0)[:-1], sides.sum(axis=0)
    high = whole - low
    below = np.cumsum(rows)[:-1]
    used = (below >= LEAST_ROWS) & (rows.sum() - below >= LEAST_ROWS)
    agreeing = np.column_stack([low[:, 0] + high[:, 1], low[:, 1] + high[:, 0]])
    return agreeing.ravel(), np.repeat(used, 2)

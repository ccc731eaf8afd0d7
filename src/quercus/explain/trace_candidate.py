"""One candidate of a trace: an attribute's best division with its numbers, or why it has none."""

from __future__ import annotations

import math
from collections.abc import Collection
from functools import cached_property

import numpy as np

from quercus.data.schema import Attribute
from quercus.explain.trace import ASKED, BELOW_MEAN, LITTLE_INFORMATION, BranchTrace, CandidateTrace
from quercus.explain.trace_words import why_out
from quercus.growing.recipe import Recipe
from quercus.growing.reference import Decision
from quercus.growing.reference_examples import Examples
from quercus.growing.reference_purity import FIRST, ROWS, WEIGHT, ClassPurity, Floats
from quercus.growing.reference_splits import Candidate, Refusal, mean_gain
from quercus.tree.layout import GROUPED, KIND_NAMES, MULTIWAY, THRESHOLD
from quercus.tree.test import Grouped, Multiway, Subset, Test, Threshold, groups_of

SHOWN_VALUES = 10  # of a set of values, in the text of a branch


def question_of(candidate: Candidate, attribute: Attribute) -> Test:
    """The question that a candidate would ask."""
    missing = None if candidate.missing_child < 0 else candidate.missing_child
    size = len(candidate.branches)
    if candidate.kind == THRESHOLD:
        return Threshold(attribute, missing, candidate.threshold)
    if candidate.kind == MULTIWAY:
        return Multiway(attribute, missing, size > attribute.n_values)
    assert candidate.value_branch is not None
    groups = groups_of(candidate.value_branch, size)
    return (Grouped if candidate.kind == GROUPED else Subset)(attribute, missing, groups)


def asked_above(attribute: Attribute, recipe: Recipe) -> CandidateTrace:
    """A nominal attribute that a question above has used up."""
    return without_division(attribute, ASKED, why_out(ASKED, recipe, {}), None)


def without_division(attribute: Attribute, status: str, why: str, tried: int | None) -> CandidateTrace:
    """An attribute that offers nothing."""
    return CandidateTrace(
        attribute=attribute.name,
        kind="none",
        test=attribute.name,
        threshold=None,
        n_cuts=None,
        n_tried=tried,
        n_best=0,
        gain=None,
        split_information=None,
        worth=None,
        price=0.0,
        cost=float(attribute.cost),
        status=status,
        why=why,
        unknown=0.0,
        known=0.0,
        known_impurity=0.0,
        branches=(),
        n_branches=0,
    )


def unit_of(base: float) -> float:
    """What a bit is in the unit of logarithms of another base.

    >>> unit_of(2.0), round(unit_of(math.e), 4)
    (1.0, 0.6931)
    """
    return 1.0 if base == 2 else 1.0 / math.log2(base)


def worth_unit(recipe: Recipe, base: float) -> float:
    """The same for the worth: ratios and powers of gains do not depend on the base, a squared gain does twice."""
    powers = {"gain": 1, "gain_ratio": 0, "tan_schlimmer": 2, "nunez": 0}
    return float(unit_of(base) ** powers[recipe.selection])


class Judge:
    """Turns the grower's candidates at a node into those of a trace."""

    def __init__(
        self, examples: Examples, recipe: Recipe, cuts: Collection[str], decision: Decision, base: float = 2.0
    ) -> None:
        """recipe: its limits in the unit of the trace. base: of the trace's logarithms; the grower's are of base 2."""
        self.examples = examples
        self.recipe = recipe
        self.cuts = cuts
        self.decision = decision
        self.base = base
        self.unit = unit_of(base)

    @cached_property
    def mean_gain(self) -> float | None:
        """The mean gain that the gate compares with; None without a candidate."""
        candidates = list(self.decision.candidates)
        return mean_gain(self.examples, candidates) * self.unit if candidates else None

    def impurity(self, tally: Floats) -> float:
        """The impurity of a tally: −P / its weight, costs counted."""
        total = self.total(tally)
        # and never -0.0
        return max(0.0, float(-self.examples.purity.of(tally)) / total * self.unit) if total > 0 else 0.0

    def total(self, tally: Floats) -> float:
        """The weight of a tally that enters the impurity."""
        return self.examples.purity.scale(tally)

    def candidate(self, found: Candidate | Refusal) -> CandidateTrace:
        """The trace of a candidate, or of an attribute that has none."""
        attribute = self.examples.problem.schema[found.attribute]
        if isinstance(found, Candidate):
            status = self._out(found)
            return self._described(attribute, found, status, math.isnan(found.worth))
        if found.division is None:
            return without_division(attribute, found.reason, why_out(found.reason, self.recipe, {}), found.tried)
        return self._described(attribute, found.division, found.reason, True)

    def _out(self, candidate: Candidate) -> str:
        """Why a candidate takes no part in the choice; empty if it does."""
        if not math.isnan(candidate.worth):
            return ""
        enough = candidate.split_information > self.recipe.min_split_info / self.unit + self.examples.tie
        return BELOW_MEAN if enough else LITTLE_INFORMATION

    def _described(self, attribute: Attribute, candidate: Candidate, status: str, out: bool) -> CandidateTrace:
        test = question_of(candidate, attribute)
        known = candidate.branches.sum(axis=0)
        numeric = candidate.kind == THRESHOLD
        price = self._price(candidate)
        figures = {
            "gain": candidate.gain * self.unit,
            "price": price,
            "cuts": float(candidate.cuts),
            "weight": self.examples.weight,
            "split_information": candidate.split_information * self.unit,
            "mean": self.mean_gain or 0.0,
        }
        return CandidateTrace(
            attribute=attribute.name,
            kind=KIND_NAMES[candidate.kind],
            test=str(test),
            threshold=float(candidate.threshold) if numeric and math.isfinite(candidate.threshold) else None,
            n_cuts=candidate.cuts if numeric and candidate.cuts else None,
            n_tried=None if candidate.tried_gains is None else len(candidate.tried_gains),
            n_best=self._equally_good(candidate),
            gain=self._without_noise(candidate.gain * self.unit),
            split_information=max(0.0, float(candidate.split_information) * self.unit),
            worth=None if out else self._without_noise(candidate.worth * worth_unit(self.recipe, self.base)),
            price=price,
            cost=float(attribute.cost),
            status=status,
            why=why_out(status, self.recipe, figures, self.base) if status else "",
            unknown=float(self.examples.weights[candidate.instance_branch < 0].sum()),
            known=self.total(known),
            known_impurity=self.impurity(known),
            branches=self._branches(candidate, test),
            n_branches=len(candidate.branches),
            cuts=self._cuts(candidate) if attribute.name in self.cuts else None,
        )

    def _without_noise(self, value: float) -> float:
        """A gain or worth; 0 where it is only the rounding of sums."""
        return 0.0 if abs(value) <= 1e-14 * self._node_impurity else float(value)

    @cached_property
    def _node_impurity(self) -> float:
        return self.impurity(self.examples.total)

    def _price(self, candidate: Candidate) -> float:
        if candidate.kind != THRESHOLD or not self.recipe.threshold_cost or candidate.cuts < 1:
            return 0.0
        return math.log2(candidate.cuts) / self.examples.weight * self.unit

    def _equally_good(self, candidate: Candidate) -> int:
        if candidate.tried_gains is None:
            return 1
        return int(np.count_nonzero(candidate.tried_gains >= np.nanmax(candidate.tried_gains) - self.examples.tie))

    def _cuts(self, candidate: Candidate) -> tuple[tuple[float | None, float | None], ...] | None:
        """Every threshold tried with its gain; None: a gain that does not count, or the cut known | unknown."""
        if candidate.tried_thresholds is None or candidate.tried_gains is None:
            return None
        pairs = zip(candidate.tried_thresholds.tolist(), candidate.tried_gains.tolist(), strict=True)
        return tuple((t if math.isfinite(t) else None, None if math.isnan(g) else g * self.unit) for t, g in pairs)

    def _branches(self, candidate: Candidate, test: Test) -> tuple[BranchTrace, ...]:
        """The branches that receive an instance."""
        tallies = candidate.branches
        present = np.flatnonzero(tallies[:, ROWS] > 0)
        values = self._values(candidate)[present].tolist()
        purity = self.examples.purity
        sums = -purity.of(tallies[present])
        totals = tallies[present, WEIGHT]
        if isinstance(purity, ClassPurity):
            totals = tallies[present, FIRST:] @ purity.multipliers
        impurities = np.divide(sums, totals, out=np.zeros(len(totals)), where=totals > 0) * self.unit
        rows = zip(
            present.tolist(),
            tallies[present, WEIGHT].tolist(),
            tallies[present, ROWS].tolist(),
            values,
            totals.tolist(),
            (np.maximum(impurities, 0.0) + 0.0).tolist(),
            strict=True,
        )
        return tuple(
            BranchTrace(test.branch(place, limit=SHOWN_VALUES), place, weight, int(count), tuple(held), total, impurity)
            for place, weight, count, held, total, impurity in rows
        )

    def _values(self, candidate: Candidate) -> Floats:
        """The class weights of each branch, or its mean and variance."""
        purity, size = self.examples.purity, len(candidate.branches)
        if isinstance(purity, ClassPurity):
            return candidate.branches[:, FIRST:]
        inside = candidate.instance_branch >= 0
        branch, weights = candidate.instance_branch[inside], self.examples.weights[inside]
        centred = purity.centred[inside]
        weight = np.bincount(branch, weights=weights, minlength=size)
        some = np.where(weight > 0, weight, 1.0)
        shift = np.bincount(branch, weights=weights * centred, minlength=size) / some
        squares = np.bincount(branch, weights=weights * (centred - shift[branch]) ** 2, minlength=size) / some
        return np.column_stack([purity.mean + shift, squares])

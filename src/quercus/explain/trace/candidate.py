"""One candidate of a trace: an attribute's best division with its numbers, or why it has none."""

from __future__ import annotations

import math
from collections.abc import Iterator

from quercus import _core
from quercus.explain.trace.context import Context
from quercus.explain.trace.decisions import Decisions
from quercus.explain.trace.trace import BranchTrace, CandidateTrace
from quercus.explain.trace.words import OFFERS, why_out
from quercus.tree.questions import KIND_NAMES, Question, Threshold, question_of

SHOWN_VALUES = 10  # of a set of values, in the text of a branch


class CandidateWriter:
    """Turns the core's candidates at one node into those of a trace."""

    def __init__(self, context: Context, decisions: Decisions, entry: int) -> None:
        self.context = context
        self.decisions = decisions
        self.weight = decisions.weight[entry]
        self.mean_gain = decisions.mean_gain[entry] * context.unit
        self._noise = 1e-14 * decisions.impurity[entry] * context.unit

    def gain(self, place: int) -> float:
        """The gain of the candidate at this place; 0 if it is only a rounding error of sums."""
        return self._without_noise(self.decisions.gain[place] * self.context.unit)

    def worth(self, place: int) -> float | None:
        """The worth of the candidate at this place; None if the candidate takes no part."""
        worth = self.decisions.worth[place]
        return None if math.isnan(worth) else self._without_noise(worth * self.context.worth_unit)

    def _without_noise(self, value: float) -> float:
        return 0.0 if abs(value) <= self._noise else value

    def candidate(self, place: int, worth: float | None, status: str) -> CandidateTrace:
        """The trace of a candidate, or of an attribute that has none. status: of one that takes part."""
        decisions, context = self.decisions, self.context
        attribute = context.tree.schema[decisions.attribute[place]]
        if worth is None:
            status = OFFERS[_core.offer_names[decisions.offer[place]]]
        kind = decisions.kind[place]
        if not kind:
            return without_division(context, decisions.attribute[place], status, decisions.n_tried[place])
        test = question_of(kind, context.tree.schema, decisions.entries(place))
        threshold, cuts, tried = decisions.threshold[place], decisions.n_cuts[place], decisions.n_tried[place]
        return CandidateTrace(
            attribute=attribute.name,
            kind=KIND_NAMES[kind],
            test=str(test),
            threshold=threshold if math.isfinite(threshold) else None,
            n_cuts=cuts or None,
            n_tried=None if tried < 0 else tried,
            n_best=decisions.n_best[place],
            gain=self.gain(place),
            split_information=max(0.0, decisions.split_information[place] * context.unit),
            worth=worth,
            price=self._price(place),
            cost=float(attribute.cost),
            status=status,
            why="" if worth is not None else why_out(status, context.said, self._figures(place), context.base),
            unknown=decisions.unknown[place],
            known=decisions.known[place],
            known_impurity=decisions.known_impurity[place] * context.unit,
            branches=self._branches(place, test),
            n_branches=decisions.n_branches[place],
            cuts=self._cuts(place) if attribute.name in context.cuts and test.has_threshold else None,
            placed=decisions.placed[place],
            missing_branch=decisions.missing_child[place] if decisions.placed[place] > 0 else None,
        )

    def forbidden_test(self, place: int) -> str:
        """The best cut of an attribute that the order of answers forbids, in words."""
        threshold = self.decisions.forbidden_threshold[place]
        entries = {"attribute": self.decisions.attribute[place], "threshold": threshold, "missing_child": -1}
        return str(question_of(Threshold.kind, self.context.tree.schema, entries))

    def _figures(self, place: int) -> dict[str, float]:
        """The numbers in the sentence that says why a candidate takes no part."""
        decisions, unit = self.decisions, self.context.unit
        return {
            "gain": decisions.gain[place] * unit,
            "price": self._price(place),
            "cuts": decisions.n_cuts[place],
            "weight": self.weight,
            "split_information": decisions.split_information[place] * unit,
            "mean": self.mean_gain,
        }

    def _price(self, place: int) -> float:
        cuts = self.decisions.n_cuts[place]
        if not self.context.recipe.threshold_cost or cuts < 1:
            return 0.0
        return math.log2(cuts) / self.weight * self.context.unit

    def _cuts(self, place: int) -> tuple[tuple[float | None, float | None], ...]:
        """Every threshold tried with its gain; None: a gain that does not count, or the cut known | unknown."""
        decisions, unit = self.decisions, self.context.unit
        inside = range(decisions.cut_start[place], decisions.cut_start[place + 1])
        pairs = ((decisions.cut_threshold[cut], decisions.cut_gain[cut]) for cut in inside)
        return tuple((t if math.isfinite(t) else None, None if math.isnan(g) else g * unit) for t, g in pairs)

    def _branches(self, place: int, test: Question) -> tuple[BranchTrace, ...]:
        """The branches that receive an instance."""
        decisions, unit = self.decisions, self.context.unit
        inside = range(decisions.branch_start[place], decisions.branch_start[place + 1])
        kind = self.context.tree.target_kind
        return tuple(
            BranchTrace(
                text,
                decisions.branch[i],
                decisions.branch_weight[i],
                decisions.branch_count[i],
                kind.traced(decisions.branch_value[i], decisions.branch_weight[i]),
                decisions.branch_total[i],
                decisions.branch_impurity[i] * unit,
                kind.prediction(decisions.branch_value[i]),
            )
            for i, text in zip(inside, self._texts(place, inside, test), strict=True)
        )

    def _texts(self, place: int, inside: range, test: Question) -> Iterator[str]:
        """The branches in words; words of a question that is the same at every node are made once."""
        for i in inside:
            branch = self.decisions.branch[i]
            if test.has_threshold or test.has_groups:
                yield test.branch(branch, limit=SHOWN_VALUES)
                continue
            key = self.decisions.attribute[place], branch
            if key not in self.context.branch_texts:
                self.context.branch_texts[key] = test.branch(branch, limit=SHOWN_VALUES)
            yield self.context.branch_texts[key]


def without_division(context: Context, number: int, status: str, tried: int | None) -> CandidateTrace:
    """The trace of an attribute that offers no division; nodes with the same words share one value."""
    known = context.idle.get((number, status, tried))
    if known is not None:
        return known
    attribute = context.tree.schema[number]
    context.idle[number, status, tried] = candidate = CandidateTrace(
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
        why=why_out(status, context.said, {}),
        unknown=0.0,
        known=0.0,
        known_impurity=0.0,
        branches=(),
        n_branches=0,
    )
    return candidate

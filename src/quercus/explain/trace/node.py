"""One node of a trace: the decision of the core with its numbers and words, compared with what the tree asks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from quercus import _core
from quercus.data.notation import style_of
from quercus.explain.trace.candidate import CandidateWriter, without_division
from quercus.explain.trace.context import Context
from quercus.explain.trace.decisions import Decisions
from quercus.explain.trace.formula import impurity_formula
from quercus.explain.trace.surrogates import surrogates_at
from quercus.explain.trace.trace import (
    ASKED,
    CHOSEN,
    LOST,
    NOT_KEPT,
    REFUSED,
    TIED,
    CandidateTrace,
    NodeTrace,
    OnDemand,
)
from quercus.explain.trace.words import APART, STOPS, what_is_forbidden, why_stopped, why_won
from quercus.measures.significance import chi_square, critical_value
from quercus.tree.layout import LEAF, Row


def empty_node(context: Context, node: int) -> NodeTrace:
    """The leaf of a branch that received no instance."""
    kind = context.tree.target_kind
    return NodeTrace(
        node=node,
        depth=int(context.tree.node_depth[node]),
        path=context.path(node),
        weight=0.0,
        count=0,
        values=kind.traced([0.0] * kind.layout.width, 1.0),
        prediction=kind.prediction(context.tree.distributions()[node]),
        total=0.0,
        impurity=0.0,
        formula="0",
        reason="no example came here",
        chosen=None,
        best=None,
        margin=None,
        runner_up=None,
        tied=(),
        mean_gain=None,
        decision="Leaf: no example came here; it answers as its parent would.",
        candidates=(),
        pruned=context.pruned(node),
    )


class NodeWriter:
    """Tells what happened at one node, from an entry of the core's decisions.

    cut_back: why an accepted split is not in the tree; None: it is, or there is none.
    """

    def __init__(self, context: Context, decisions: Decisions, entry: int, cut_back: str | None) -> None:
        self.context, self.decisions, self.entry, self.cut_back = context, decisions, entry, cut_back
        self.node = decisions.node[entry]
        self.stop = _core.stop_names[decisions.stop[entry]]
        self.is_leaf = bool(context.tree.kind[self.node] == LEAF)
        self.chosen = decisions.chosen[entry]  # among the candidates of the core; −1: none
        self.place = decisions.candidate_start[entry] + self.chosen

    def trace(self) -> NodeTrace:
        """The whole node of the trace: numbers, candidates and words."""
        context, decisions, entry = self.context, self.decisions, self.entry
        writer = CandidateWriter(context, decisions, entry)
        candidates, best, tied, runner_up = self._candidates(writer)
        note = self._difference()
        words = self._leaf_words(candidates, best) if self.is_leaf else ""
        margin = None
        if best is not None and runner_up is not None:
            margin = max((candidates[best].worth or 0.0) - (candidates[runner_up].worth or 0.0), 0.0)
        if not self.is_leaf and best is not None:
            words = why_won(candidates, best, runner_up, tied, context.recipe.selection, context.base)
        words += self._forbidden(writer)
        weight, value, kind = decisions.weight[entry], decisions.value[entry], context.tree.target_kind
        impurity = decisions.impurity[entry] * context.unit
        return NodeTrace(
            node=self.node,
            depth=int(context.tree.node_depth[self.node]),
            path=context.path(self.node),
            weight=weight,
            count=decisions.count[entry],
            values=kind.traced(value, weight),
            prediction=kind.prediction(value),
            total=decisions.total[entry],
            impurity=impurity,
            formula=self._formula(impurity),
            reason=(STOPS[self.stop] or self.cut_back or "") if self.is_leaf else "",
            chosen=None if self.is_leaf else best,
            best=best,
            margin=margin,
            runner_up=runner_up,
            tied=tuple(tied),
            mean_gain=writer.mean_gain if context.recipe.gate and self._divisions else None,
            decision=f"{words} Note: {note}" if note else words,
            candidates=candidates,
            pruned=context.pruned(self.node),
            note=note,
            surrogates=() if self.is_leaf or note else surrogates_at(context, decisions, entry),
            wide=self._wide() if context.recipe.gate else (),
            weighed=not decisions.unit[entry],
        )

    def _forbidden(self, writer: CandidateWriter) -> str:
        """The cut that would gain most, if the order of answers forbids it."""
        gains = self.decisions.forbidden_gain
        places = [place for place in self.decisions.candidates(self.entry) if not math.isnan(gains[place])]
        if not places:
            return ""
        first = max(places, key=lambda place: gains[place])
        best_gain = None if self.chosen < 0 else self.decisions.gain[self.place]
        tie = self.context.tree.target_kind.tied_gain(self.decisions.impurity[self.entry])
        if gains[first] <= (0.0 if best_gain is None else best_gain) + tie:
            return ""
        unit = self.context.unit
        return what_is_forbidden(
            writer.forbidden_test(first), gains[first] * unit, None if best_gain is None else best_gain * unit
        )

    @property
    def _divisions(self) -> list[int]:
        """The attributes that offer a division, whether or not it passes the gate."""
        decisions = self.decisions
        offers = ((place, _core.offer_names[decisions.offer[place]]) for place in decisions.candidates(self.entry))
        passing = ("candidate", "below_mean", "little_information")
        return [decisions.attribute[place] for place, name in offers if name in passing]

    def _wide(self) -> tuple[int, ...]:
        """The attributes whose gain does not count in the mean gain: those of very many values, unless all are such."""
        wide = tuple(attribute for attribute in self._divisions if attribute in self.context.wide)
        return wide if len(wide) < len(self._divisions) else ()

    def _candidates(
        self, writer: CandidateWriter
    ) -> tuple[Sequence[CandidateTrace], int | None, list[int], int | None]:
        """The candidates in the order of the attributes, and of them the best, those tied with it, the runner-up."""
        decisions, context = self.decisions, self.context
        places = decisions.candidates(self.entry)
        if not places:
            return (), None, [], None
        worths = {decisions.attribute[place]: writer.worth(place) for place in places}
        best = None if self.chosen < 0 else decisions.attribute[self.place]
        tied, runner_up = self._rivals(worths, best)
        where = dict(zip(worths, places, strict=True))

        def made(attributes: Sequence[int]) -> Iterator[tuple[int, CandidateTrace]]:
            for attribute in attributes:
                status = self._winner_status() if attribute == best else TIED if attribute in tied else LOST
                if attribute in where:
                    yield attribute, writer.candidate(where[attribute], worths[attribute], status)
                else:
                    status = ASKED if attribute in context.asked_once(self.node) else APART
                    yield attribute, without_division(context, attribute, status, None)

        return OnDemand(range(len(context.tree.schema)), made), best, tied, runner_up

    def _rivals(self, worths: dict[int, float | None], best: int | None) -> tuple[list[int], int | None]:
        """The attributes that are tied with the best, and the runner-up."""
        others = {a: worth for a, worth in worths.items() if worth is not None and a != best}
        if best is None or not others:
            return [], None
        tolerance = self.context.tree.target_kind.tied_gain(self.decisions.impurity[self.entry])
        tolerance *= self.context.worth_unit
        tied = [attribute for attribute, worth in others.items() if worth >= (worths[best] or 0.0) - tolerance]
        second = max(others.values()) - tolerance
        return tied, tied[0] if tied else next(attribute for attribute, worth in others.items() if worth >= second)

    def _winner_status(self) -> str:
        return CHOSEN if not self.is_leaf else REFUSED if self.stop != "no" else NOT_KEPT

    def _formula(self, impurity: float) -> str:
        context, value = self.context, self.decisions.value[self.entry]
        kind = context.tree.target_kind
        return impurity_formula(
            str(context.recipe.criterion),
            kind.entering(value, context.multipliers),
            impurity,
            weight=self.decisions.weight[self.entry],
            centre=kind.prediction(value) or 0.0,
            unit_weights=bool(self.decisions.unit[self.entry]),
            style=style_of(context.base),
        )

    def _leaf_words(self, candidates: Sequence[CandidateTrace], best: int | None) -> str:
        """Why the node is a leaf, in a sentence."""
        context, tree = self.context, self.context.tree
        if self.stop == "no":
            question = candidates[best].test if best is not None else "a question"
            later = self.cut_back or "the node was made a leaf later"
            return f"Leaf: {question} was asked while growing, but {later}."
        value, weight = self.decisions.value[self.entry], self.decisions.weight[self.entry]
        figures = {
            "weight": weight,
            "root": context.root_weight,
            "count": float(self.decisions.count[self.entry]),
            "depth": float(tree.node_depth[self.node]),
            "majority": max(value) / weight,
        }
        if best is not None:
            figures["gain"] = self.decisions.gain[self.place] * context.unit
            if self.stop == "not_significant":
                figures |= self._significance(candidates[best])
        counts = tree.target_kind.rows_text(np.array(value), "rows", 5)
        if not self.decisions.unit[self.entry]:
            counts = f"with the weights {counts}"
        pure = tree.target_kind.pure_text(value, self.decisions.count[self.entry], counts)
        return why_stopped(self.stop, context.said, figures, counts, pure)

    def _significance(self, candidate: CandidateTrace) -> dict[str, float]:
        """The chi-square statistic of a division, its degrees of freedom and the critical value."""
        test = chi_square([branch.values for branch in candidate.branches])
        freedom, level = test.degrees_of_freedom, self.context.recipe.significance or 1.0
        critical = critical_value(level, freedom) if freedom > 0 and level < 1 else 0.0
        return {"chi_square": test.statistic, "freedom": float(freedom), "critical": critical}

    def _difference(self) -> str:
        """How the tree's node differs from the decision; empty if it does not."""
        tree, node, decisions, place = self.context.tree, self.node, self.decisions, self.place
        if self.is_leaf:
            wrong = self.stop == "no" and self.cut_back == ""
            return "by this trace the node should ask; the tree was cut here after growing." if wrong else ""
        if self.stop != "no":
            question = tree.node(node).test
            return f"the tree asks {question} here, but by this trace the node should be a leaf ({STOPS[self.stop]})."
        if not self._same_question():
            return f"the tree asks {tree.node(node).test} here, which is not what this trace chose."
        ours, theirs = decisions.gain[place], float(tree.gain[node])
        noise = 1e-9 * decisions.impurity[self.entry] + tree.target_kind.tied_gain(0.0)
        if abs(ours - theirs) > 1e-6 * (abs(ours) + abs(theirs)) + noise:
            return f"the tree says gain {theirs:.6g}, this trace {ours:.6g}."
        return ""

    def _same_question(self) -> bool:
        """Whether the tree asks what the core chose."""
        tree, node, decisions, place = self.context.tree, self.node, self.decisions, self.place
        ours_here = decisions.kind[place], decisions.attribute[place], decisions.n_branches[place]
        if ours_here != (tree.kind[node], tree.attribute[node], tree.n_children[node]):
            return False
        threshold, theirs = decisions.threshold[place], float(tree.threshold[node])
        if threshold == threshold and not math.isclose(threshold, theirs, rel_tol=1e-12):
            return False
        mine, ours = Row(tree, node), decisions.entries(place)
        return all(np.array_equal(mine[name], ours[name]) for name in ("group_value", "group_child"))

"""Guides: what a consultation asks next for a model, what the model would answer now, and what is still possible."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from quercus.arrays import Floats
from quercus.data.schema import Schema
from quercus.errors import ParameterError
from quercus.explain.cells import Among, Between, Cell, Unknown
from quercus.explain.consult.span import Span, tree_span
from quercus.explain.why.decision import Decision, decide, node_values
from quercus.explain.why.route import Cells, Visit, answer_of, walk
from quercus.rules.condition import Condition, Interval, ValueSet
from quercus.rules.rule_list import RuleList
from quercus.rules.voting import strengths
from quercus.targets import TargetKind
from quercus.targets.labels import label_codes
from quercus.tree.tree import Tree


@dataclass(frozen=True)
class Waiting:
    """Where a part of the example waits: for which attribute, with which share, and what is asked there in words."""

    attribute: int
    share: float
    text: str


class Guide(Protocol):
    """What a consultation needs of a model."""

    schema: Schema
    kind: TargetKind

    def waiting(self, cells: Cells) -> Sequence[Waiting]:
        """What must be known to go on; nothing: all needed is known."""

    def distribution(self, cells: Cells) -> Floats:
        """The answer now; questions that are still open are weighed by the training shares of their branches."""

    def decision(self, cells: Cells) -> Decision:
        """The class or number now, and how it was chosen."""

    def span(self, cells: Cells) -> Span:
        """What is still possible."""

    def expected_cost(self, cells: Cells) -> float | None:
        """What all tests cost on average from what is known now; None: it is not known."""


class TreeGuide:
    """A tree. spread: an unknown value is weighed as an open question is, also where the tree has a branch for it."""

    def __init__(
        self,
        tree: Tree,
        smoothing: Any = None,
        cost_matrix: ArrayLike | None = None,
        threshold: float | None = None,
        values: Floats | None = None,
        *,
        spread: bool = False,
    ) -> None:
        self.tree, self.schema, self.kind = tree, tree.schema, tree.target_kind
        self.smoothing, self.cost_matrix, self.threshold = smoothing, cost_matrix, threshold
        self.values = node_values(tree, smoothing) if values is None else values
        self.spread = spread

    def visits(self, cells: Cells) -> list[Visit]:
        """Where the example stands now, open questions weighed by the training shares of their branches."""
        return walk(self.tree, cells, absent="open", spread=self.spread)

    def waiting(self, cells: Cells) -> list[Waiting]:
        """The parts of the example that have not ended, left to right."""
        result = []
        for visit in walk(self.tree, cells, absent="waits", spread=self.spread):
            if visit.waits_for < 0:
                continue
            node = self.tree.node(visit.node)
            text = str(node.test)
            if visit.waits_for not in node.positions:
                text = f"stands in for {text}"
            result.append(Waiting(visit.waits_for, visit.part, text))
        return result

    def distribution(self, cells: Cells) -> Floats:
        """What the leaves say, each by the share of the example that may come there."""
        return answer_of(self.visits(cells), self.values)

    def decision(self, cells: Cells) -> Decision:
        """The answer, chosen as predict does."""
        return self._decided(self.visits(cells))

    def by_policy(self, cells: Cells) -> Decision:
        """What predict answers for a row of a table in which all that is not known is unknown."""
        return self._decided(walk(self.tree, cells))

    def _decided(self, visits: Sequence[Visit]) -> Decision:
        shares = answer_of(visits, self.values)
        plain = shares if self.smoothing is None else answer_of(visits, node_values(self.tree))
        return decide(
            shares,
            self.kind,
            plain,
            smoothing=self.smoothing,
            cost_matrix=self.cost_matrix,
            decision_threshold=self.threshold,
        )

    def span(self, cells: Cells) -> Span:
        """What the branches that are still open allow."""
        code = None
        if self.kind.has_shares:
            code = int(self.kind.chosen(self.distribution(cells)[None], self.cost_matrix, self.threshold)[0])
        return tree_span(self.tree, cells, self.values, code, self.cost_matrix, self.threshold, self.spread)

    def expected_cost(self, cells: Cells) -> float:
        """What all tests cost on average: each path's attributes once, by the share of the example that takes it."""
        tree, total = self.tree, 0.0
        visits = self.visits(cells)
        paid: list[frozenset[int]] = []
        for visit in visits:
            before: frozenset[int] = frozenset() if visit.above < 0 else paid[visit.above]
            for position in set(tree.node(visit.node).positions) - before:
                before = before | {position}
                total += visit.part * tree.schema[position].cost
            paid.append(before)
        return total


def fulfils(condition: Condition, cell: Cell | None) -> bool | None:
    """Whether what is known fulfils a condition; None: it must be asked.

    A range or several values fulfil it only if all of them do.
    """
    if cell is None:
        return None
    if isinstance(cell, Unknown):
        return condition.unknown
    if isinstance(cell, Between):
        assert isinstance(condition, Interval)
        return not condition.has_no_value and condition.low < cell.low and cell.high <= condition.high
    if isinstance(cell, Among):
        assert isinstance(condition, ValueSet)
        return cell.codes <= condition.values
    return condition.holds_code(cell)


class RuleGuide:
    """A rule list: the first rule that is not refuted is asked for, condition by condition; votes need all rules."""

    def __init__(self, rules: RuleList, cost_matrix: ArrayLike | None = None) -> None:
        self.rules, self.schema, self.kind = rules, rules.schema, rules.target_kind
        self.cost_matrix = cost_matrix
        self.voting = rules.mode == "voting"
        self.places = {attribute.name: place for place, attribute in enumerate(rules.schema)}
        self.behind: TreeGuide | None = None
        if rules.tree is not None and not self.voting:
            self.behind = TreeGuide(rules.tree, None, cost_matrix, None, rules.node_answers)

    def _states(self, cells: Cells) -> list[tuple[int, list[int]]]:
        """The rules not refuted and what each still waits for; in order up to the first that surely fires."""
        result = []
        for number, rule in enumerate(self.rules):
            waits: list[int] = []
            for condition in rule.conditions:
                place = self.places[condition.name]
                held = fulfils(condition, cells.get(place))
                if held is False:
                    break
                if held is None:
                    waits.append(place)
            else:
                result.append((number, waits))
                if not waits and not self.voting:
                    break
        return result

    def waiting(self, cells: Cells) -> list[Waiting]:
        """What the first rule that is not refuted lacks; of voting rules, what all lack, by their votes."""
        states = self._states(cells)
        if self.voting:
            strength = strengths(self.rules)
            return [
                Waiting(place, float(strength[number]), f"rule {number + 1}")
                for number, waits in states
                for place in waits
            ]
        if states:
            number, waits = states[0]
            return [Waiting(place, 1.0, f"rule {number + 1}: {self.rules[number]}") for place in waits]
        return self.behind.waiting(cells) if self.behind is not None else []

    def _now(self, cells: Cells) -> list[int]:
        """The rules that fire if all that is not known yet is unknown."""
        return [
            number
            for number, rule in enumerate(self.rules)
            if all(
                condition.unknown
                if (held := fulfils(condition, cells.get(self.places[condition.name]))) is None
                else held
                for condition in rule.conditions
            )
        ]

    def distribution(self, cells: Cells) -> Floats:
        """The deciding rule's answer; while questions are open, what may decide, by the training weight it covered."""
        fired = self._now(cells)
        if self.voting:
            return self._votes(fired)
        if (deciding := self._open(cells)) is not None:
            numbers, weights = deciding
            return np.asarray(weights @ self.rules.answers[numbers])
        if not fired and self.behind is not None:
            return self.behind.distribution(cells)
        answer: Floats = self.rules.answers[fired[0] if fired else -1]
        return answer

    def _open(self, cells: Cells) -> tuple[list[int], Floats] | None:
        """While questions are open: all that may decide, with their shares; None: none is open, or nothing covered."""
        states = self._states(cells)
        if self.voting or not any(waits for _, waits in states):
            return None
        numbers = [number for number, _ in states]
        weights = [self.rules[number].covered for number in numbers]
        if states[-1][1] and self.behind is None:  # no rule fires for sure, so that the default may answer
            numbers.append(-1)
            weights.append(sum(self.rules.default_weights or ()))
        total = float(sum(weights))
        return (numbers, np.array(weights) / total) if total > 0 else None

    def _votes(self, fired: Sequence[int]) -> Floats:
        strength = strengths(self.rules)[list(fired)]
        if not strength.sum() > 0:
            default: Floats = self.rules.answers[-1]
            return default
        ballots = self.kind.ballots(self.rules.consequents[list(fired)])
        return np.asarray((strength[:, None] * ballots).sum(axis=0) / strength.sum())

    def decision(self, cells: Cells) -> Decision:
        """The answer, chosen as the rule list does."""
        fired, shares = self._now(cells), self.distribution(cells)
        if not self.kind.has_shares or self.cost_matrix is not None:
            return decide(shares, self.kind, shares, cost_matrix=self.cost_matrix)
        if self.voting:
            code = int(self.kind.voted(shares[None], self.rules.default)[0])
        elif (deciding := self._open(cells)) is not None:  # the class that most of what may decide names
            code = int(np.argmax(np.bincount(self.rules.consequents[deciding[0]], deciding[1], self.kind.width)))
        elif not fired and self.behind is not None:
            return self.behind.decision(cells)
        else:
            code = int(self.rules.consequents[fired[0] if fired else -1])
        label = self.kind.label(code)
        return Decision(label, "votes" if self.voting else "deciding rule", float(shares[code]), None, None, label, ())

    def span(self, cells: Cells) -> Span:
        """The answers of the rules that may still decide."""
        states = self._states(cells)
        if self.voting:
            return self._span_of_votes(states)
        numbers = [number for number, _ in states]
        certain = bool(states) and not states[-1][1]
        if not certain and self.behind is None:
            numbers.append(-1)
        answers = self.rules.answers[numbers]
        below = None if certain or self.behind is None else self.behind.span(cells)
        low = np.vstack([answers, *([below.low] if below else [])]).min(axis=0)
        high = np.vstack([answers, *([below.high] if below else [])]).max(axis=0)
        if not self.kind.has_shares:
            return Span(tuple(low.tolist()), tuple(high.tolist()), None)
        codes = (
            self.rules.consequents if self.cost_matrix is None else label_codes(self.rules.answers, self.cost_matrix)
        )
        positions = {int(codes[number]) for number in numbers} | set((below.labels or ()) if below else ())
        return Span(tuple(low.tolist()), tuple(high.tolist()), tuple(sorted(positions)))

    def _span_of_votes(self, states: Sequence[tuple[int, list[int]]]) -> Span:
        """The least and greatest shares, since each rule that waits may vote or not."""
        strength, sure = strengths(self.rules), [number for number, waits in states if not waits]
        maybe = [number for number, waits in states if waits]
        if not maybe:
            votes = self._votes(sure)
            shares = tuple(votes.tolist())
            if not self.kind.has_shares:
                return Span(shares, shares, None)
            code = (
                label_codes(votes[None], self.cost_matrix)
                if self.cost_matrix is not None
                else self.kind.voted(votes[None], self.rules.default)
            )
            return Span(shares, shares, (int(code[0]),))
        default: Floats = self.rules.answers[-1]
        empty = not strength[sure].sum() > 0
        if not self.kind.has_shares:
            numbers = [*self.rules.consequents[[*sure, *maybe]].tolist(), *(default.tolist() if empty else [])]
            return Span((min(numbers),), (max(numbers),), None)
        least = np.bincount(self.rules.consequents[sure], strength[sure], self.kind.width)
        most = least + np.bincount(self.rules.consequents[maybe], strength[maybe], self.kind.width)
        with np.errstate(invalid="ignore", divide="ignore"):
            low = np.nan_to_num(least / (least + most.sum() - most))
            high = np.nan_to_num(most / (most + least.sum() - least))
        if empty:
            low, high = np.minimum(low, default), np.maximum(high, default)
        labels = range(self.kind.width) if self.cost_matrix is not None else np.flatnonzero(most >= least.max() - 1e-9)
        possible = {int(j) for j in labels} | ({int(self.rules.default)} if empty else set())
        return Span(tuple(low.tolist()), tuple(high.tolist()), tuple(sorted(possible)))

    def expected_cost(self, cells: Cells) -> float | None:
        """Rules do not say how often each is needed."""
        return None


def guide_of(
    model: Tree | RuleList,
    smoothing: Any,
    cost_matrix: ArrayLike | None,
    decision_threshold: float | None,
    spread: bool = False,
) -> Guide:
    """The guide of a tree or a rule list. spread: as in :class:`TreeGuide`."""
    if isinstance(model, Tree):
        return TreeGuide(model, smoothing, cost_matrix, decision_threshold, spread=spread)
    if isinstance(model, RuleList):
        if smoothing is not None or decision_threshold is not None:
            raise ParameterError("smoothing and decision_threshold are for trees; rules answer what they say.")
        return RuleGuide(model, cost_matrix)
    raise ParameterError(
        f"A consultation needs a tree or a rule list; given: {type(model).__name__}. Of an estimator, use consult()."
    )

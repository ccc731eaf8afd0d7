"""Why a model of many members answers so: how they vote, which of them disagree, and which attributes brought it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from quercus.arrays import Floats
from quercus.data.dataset import Dataset
from quercus.data.names import counted, percent, quoted_value, significant
from quercus.data.values import value_to_json
from quercus.explain.why.decision import Decision, decide
from quercus.explain.why.reasons import Reasons
from quercus.explain.why.shap_reasons import shap_reasons
from quercus.fitted.model import Model
from quercus.forests.collection import member_answer, member_weights, members_of
from quercus.results import Result, frame_of
from quercus.rules.explanation import one_row
from quercus.targets import TargetKind

_SHOWN_MEMBERS = 12


@dataclass(frozen=True, repr=False)
class MembersAnswer(Result):
    """The answer of many members to one row.

    kind: what is answered. label: the answer. distribution: the class shares, or the number. members: what each member
    answers by itself: a class, or a number (of sums of scores: what it adds). weights: how much each counts. decision:
    how the answer was chosen. reasons: what the attributes brought, by their Shapley values; None of rules.
    """

    kind: TargetKind
    distribution: Floats
    members: tuple[Any, ...]
    weights: tuple[float, ...]
    decision: Decision
    reasons: Reasons | None
    adds_scores: bool = False

    @property
    def label(self) -> Any:
        """The answer."""
        return self.decision.label

    @property
    def votes(self) -> dict[Any, float]:
        """The weight of the members for each class, the most first; empty of numbers and scores."""
        if not self.kind.has_shares or self.adds_scores:
            return {}
        sums: dict[Any, float] = {}
        for label, weight in zip(self.members, self.weights, strict=True):
            sums[label] = sums.get(label, 0.0) + weight
        return dict(sorted(sums.items(), key=lambda entry: -entry[1]))

    @property
    def agreement(self) -> float | None:
        """The share of the members, by weight, that is for the answer; None of numbers and scores."""
        votes = self.votes
        return votes.get(self.label, 0.0) / sum(self.weights) if votes else None

    @property
    def dissenters(self) -> tuple[int, ...]:
        """The numbers of the members that are for another class."""
        return tuple(number for number, label in enumerate(self.members) if self.votes and label != self.label)

    def __str__(self) -> str:
        """The answer, the vote and the reasons."""
        lines = [*self._vote_lines(), *self.decision.sentences]
        return "\n".join([*lines, str(self.reasons) if self.reasons is not None else f"Answer: {self._answer()}."])

    def _answer(self) -> str:
        return quoted_value(self.label) if self.kind.has_shares else significant(float(self.label), 6)

    def _vote_lines(self) -> list[str]:
        size = counted(len(self.members), "member")
        if self.adds_scores:
            return [f"{size} add up their scores."]
        if not self.kind.has_shares:
            numbers = np.array(self.members, dtype=np.float64)
            low, middle, high = np.quantile(numbers, [0.1, 0.5, 0.9]).tolist()
            spread = f"from {significant(low)} to {significant(high)}, the middle one {significant(middle)}"
            return [f"{size} answer numbers; eight of ten lie {spread}."]
        total = sum(self.weights)
        equal = len(set(self.weights)) == 1
        told = [
            f"{quoted_value(label)} {self.members.count(label)}" + ("" if equal else f" ({percent(votes / total)})")
            for label, votes in list(self.votes.items())[:5]
        ]
        lines = [f"{size} vote: {', '.join(told)}."]
        if self.dissenters and len(self.dissenters) <= _SHOWN_MEMBERS:
            lines.append(f"For another class: {', '.join(map(str, self.dissenters))} (counted from 0).")
        return lines

    def to_dict(self) -> dict[str, Any]:
        """What JSON can hold."""
        return {
            "label": value_to_json(self.label),
            **self.kind.to_json(),
            "distribution": self.distribution.tolist(),
            "decision": self.decision.to_dict(),
            "members": [value_to_json(answer) for answer in self.members],
            "weights": list(self.weights),
            "agreement": self.agreement,
            "reasons": None if self.reasons is None else self.reasons.to_dict(),
            "text": str(self),
        }

    def to_frame(self) -> Any:
        """One line per member."""
        members = zip(self.members, self.weights, strict=True)
        return frame_of([{"member": n, "answer": one, "weight": w} for n, (one, w) in enumerate(members)])


def why_members(model: Model, dataset: Dataset | Mapping[str, Any], row: int = 0, n: int | None = 4) -> MembersAnswer:
    """Why a model of many members answers a row so. model: of many trees or rule lists. n: at most so many reasons.

    >>> from quercus import RandomForestClassifier
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> forest = RandomForestClassifier(50, random_state=0).fit(X, y)
    >>> why_members(forest.model_, forest.encode_rows(X), row=2).label
    'Yes'
    """
    one = one_row(model.schema, dataset, row)
    collection, kind = model.need_members("explain"), model.target_kind
    shares = model.shares(one)[0]
    decision = decide(
        shares, kind, shares, cost_matrix=model.decision.choosing, decision_threshold=model.decision.threshold
    )
    scores = model.score_sum is not None
    smoothing = model.decision.smoothing
    said = [member_answer(member, one, smoothing=smoothing)[0] for member in members_of(collection)]
    alone = [
        float(each[0]) if scores or not kind.has_shares else kind.label(kind.chosen(each[None])[0]) for each in said
    ]
    reasons = None if model.member_trees is None else shap_reasons(model, one, 0, n)
    weights = tuple(member_weights(collection).tolist())
    return MembersAnswer(kind, shares, tuple(alone), weights, decision, reasons, scores)

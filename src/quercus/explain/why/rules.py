"""Why this answer, of rules: which rule fired, which nearly did and what kept each from it, which rules voted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from quercus.arrays import Floats
from quercus.data.dataset import Dataset
from quercus.data.names import counted, percent, quoted_name, quoted_value, significant
from quercus.data.values import value_to_json
from quercus.data.weights import named_costs
from quercus.explain.cells import cell_text, cells_of
from quercus.explain.why.answer import Answer
from quercus.explain.why.decision import Decision, decide
from quercus.explain.why.why import why
from quercus.fitted.argument import of_models
from quercus.results import Result, frame_of
from quercus.rules.condition import Condition
from quercus.rules.explanation import Explanation, one_row
from quercus.rules.rule import Rule
from quercus.rules.rule_list import RuleList
from quercus.rules.voting import strengths
from quercus.targets import kind_of

_SHOWN = 3


@dataclass(frozen=True, repr=False)
class RuleCheck(Result):
    """One rule held against the row.

    position, rule: the rule, the first at 0. failed: the conditions that the row does not fulfil. values: what the row
    has instead, one for each failed condition, in words. strength: what its vote counts, if rules vote.
    """

    position: int
    rule: Rule
    failed: tuple[Condition, ...]
    values: tuple[str, ...]
    strength: float | None = None

    @property
    def fires(self) -> bool:
        """Whether the row fulfils every condition."""
        return not self.failed

    def __str__(self) -> str:
        """What kept the rule from firing, in words."""
        if self.fires:
            return f"Rule {self.position + 1} fires: {self.rule}."
        held, total = len(self.rule.conditions) - len(self.failed), len(self.rule.conditions)
        failures = "; ".join(
            f"{condition.text(limit=10)} fails, {quoted_name(condition.name)} is {value}"
            for condition, value in zip(self.failed, self.values, strict=True)
        )
        of = f"{held} of {total} conditions hold{'s' if held == 1 else ''}; " if total > 1 else ""
        return f"Rule {self.position + 1} ({self.rule.label_text()}): {of}{failures}."

    def to_dict(self) -> dict[str, Any]:
        """What JSON can hold."""
        return {
            "rule": self.position,
            "text": self.rule.text(),
            "label": value_to_json(self.rule.label),
            "n_conditions": len(self.rule.conditions),
            "fires": self.fires,
            "failed": [
                {"condition": condition.text(), "attribute": condition.name, "value": value}
                for condition, value in zip(self.failed, self.values, strict=True)
            ],
            "strength": self.strength,
        }


@dataclass(frozen=True, repr=False)
class RuleAnswer(Result):
    """Why rules answer as they do.

    explanation: the deciding rule and the rules before it. checks: every rule held against the row, in their order.
    distribution: the class shares, or the number alone. decision: how the answer was chosen. tree: where no rule fires
    because a value is unknown and the tree behind the rules decides, its answer. default: the default's label.
    """

    explanation: Explanation
    checks: tuple[RuleCheck, ...]
    distribution: Floats
    classes: tuple[Any, ...] | None
    decision: Decision
    tree: Answer | None
    default: Any

    @property
    def label(self) -> Any:
        """The answer: a class or a number."""
        return self.decision.label

    @property
    def rule(self) -> Rule | None:
        """The rule that decided; None: the default."""
        return self.explanation.rule

    @property
    def position(self) -> int:
        """The position of the rule that decided, the first at 0; −1: the default."""
        return self.explanation.position

    def nearly(self, n: int = _SHOWN) -> tuple[RuleCheck, ...]:
        """The rules that did not fire but came nearest: those of the fewest failed conditions, then of the most.

        Only rules that fulfil some condition count, or that have a single one.
        """
        near = [
            c for c in self.checks if not c.fires and (len(c.failed) == 1 or len(c.failed) < len(c.rule.conditions))
        ]
        return tuple(sorted(near, key=lambda c: (len(c.failed), -len(c.rule.conditions), c.position))[:n])

    def __str__(self) -> str:
        """What fired, what nearly did, and the answer."""
        lines = self._deciding()
        near = self.nearly()
        if near:
            lines += ["Nearly:", *(f"  {check}" for check in near)]
        if self.tree is not None:
            return "\n".join([*lines, str(self.tree)])
        label = kind_of(self.classes).label_text(self.label)
        return "\n".join([*lines, *self.decision.sentences, f"Answer: {label}."])

    def _deciding(self) -> list[str]:
        voters = [check for check in self.checks if check.fires and check.strength is not None]
        if voters:
            return [
                f"{counted(len(voters), 'rule votes', 'rules vote')}:",
                *(f"  Rule {c.position + 1} with {significant(c.strength or 0.0)}: {c.rule}." for c in voters[:20]),
                *([f"  … {counted(len(voters) - 20, 'more rule')}"] if len(voters) > 20 else []),
            ]
        if self.tree is not None:
            return ["No rule fires as long as a value is unknown; the example goes down the tree."]
        if self.rule is not None:
            return [f"Rule {self.position + 1} fires: {self.rule}."]
        default = kind_of(self.classes).label_text(self.default)
        return [f"No rule fires; the default answers {default}."]

    def to_dict(self) -> dict[str, Any]:
        """What JSON can hold; of many rules only those that fire, nearly fire or stand before the deciding one."""
        near = {check.position for check in self.nearly()}
        last = self.position if self.position >= 0 and self.tree is None else len(self.checks)
        kept = [c for c in self.checks if c.fires or c.position in near or c.position < last]
        return {
            "label": value_to_json(self.label),
            **kind_of(self.classes).to_json(),
            "distribution": self.distribution.tolist(),
            "rule": self.position,
            "rule_text": None if self.rule is None else self.rule.text(),
            "default": value_to_json(self.default),
            "decision": self.decision.to_dict(),
            "checks": [check.to_dict() for check in kept],
            "nearly": sorted(near),
            "tree": None if self.tree is None else self.tree.to_dict(),
            "text": str(self),
        }

    def to_frame(self) -> Any:
        """One line per rule: whether it fires and which conditions fail."""
        rows = [check.to_dict() for check in self.checks]
        return frame_of([{**row, "failed": "; ".join(one["condition"] for one in row["failed"])} for row in rows])


@of_models(RuleList)
@named_costs
def why_rules(
    rules: RuleList,
    dataset: Dataset | Mapping[str, Any],
    row: int = 0,
    *,
    cost_matrix: Any = None,
) -> RuleAnswer:
    """Why rules answer as they do for a row: the rule that fired, those that nearly did, and what each failed by.

    rules: a rule list, or a fitted model that answers by one. dataset: rows encoded by its schema, of which ``row`` is
    meant; or one row's values by attribute name (those not named are unknown). cost_matrix: L(i, j), the cost of
    answering j when i is true; then the class of least expected cost instead of the one that the rule names.

    >>> from quercus import C45Classifier
    >>> from quercus.datasets import load_play_tennis
    >>> rules = C45Classifier().fit(*load_play_tennis()).rules()
    >>> print(why_rules(rules, {"Outlook": "Rain", "Wind": "Weak", "Humidity": "High", "Temperature": "Mild"}))
    Rule 3 fires: IF Outlook = Rain AND Wind = Weak THEN Yes (3, 1.00).
    Nearly:
      Rule 2 (No): 1 of 2 conditions holds; Wind = Strong fails, Wind is Weak.
      Rule 4 (No): 1 of 2 conditions holds; Outlook = Sunny fails, Outlook is Rain.
      Rule 1 (Yes): Outlook = Overcast fails, Outlook is Rain.
    The rule names Yes (100 %).
    Answer: Yes.
    """
    one = one_row(rules.schema, dataset, row)
    explanation = rules.explain(one)
    shares = rules.distribution(one)[0]
    tree = None
    if explanation.by_tree and rules.tree is not None:
        tree = why(rules.tree, one, cost_matrix=cost_matrix, leaf_values=_values_behind(rules))
    decision = _decision(rules, explanation, shares, cost_matrix) if tree is None else tree.decision
    checks = _checks(rules, one)
    return RuleAnswer(explanation, checks, shares, rules.classes, decision, tree, rules.default_label)


def _values_behind(rules: RuleList) -> Floats | None:
    """What the nodes of the tree behind the rules answer; None: what they answer by themselves."""
    assert rules.tree is not None
    answers: Floats = rules.node_answers
    return None if np.array_equal(answers, rules.tree.distributions()) else answers


def _checks(rules: RuleList, one: Dataset) -> tuple[RuleCheck, ...]:
    """Every rule held against one row."""
    cells = cells_of(one)
    strength = strengths(rules).tolist() if rules.mode == "voting" else [None] * len(rules)
    positions = {attribute.name: place for place, attribute in enumerate(rules.schema)}
    codes = [float(column[0]) for column in one.columns]
    known: dict[Condition, bool] = {}
    result = []
    for number, rule in enumerate(rules):
        failed = []
        for condition in rule.conditions:
            if condition not in known:
                known[condition] = condition.holds_code(codes[positions[condition.name]])
            if not known[condition]:
                failed.append(condition)
        values = tuple(cell_text(c.attribute, cells[positions[c.name]]) for c in failed)
        result.append(RuleCheck(number, rule, tuple(failed), values, strength[number]))
    return tuple(result)


def _decision(rules: RuleList, explanation: Explanation, shares: Floats, cost_matrix: ArrayLike | None) -> Decision:
    """How rules choose: the deciding rule's class, the most votes, the least cost, or a number."""
    kind, label = rules.target_kind, explanation.label
    share = kind.share_of(shares.tolist(), kind.choice_of(label))
    if share is None or cost_matrix is not None:
        return decide(shares, kind, shares, cost_matrix=cost_matrix)
    if rules.mode == "voting":
        text = f"{quoted_value(label)} gets {percent(share)} of the votes."
        return Decision(label, "votes", share, None, None, label, (text,))
    who = "rule" if explanation.rule is not None else "default"
    text = f"The {who} names {quoted_value(label)} ({percent(share)})."
    return Decision(label, "deciding rule", share, None, None, label, (text,))

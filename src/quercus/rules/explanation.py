"""Explanations: which rule decided a row, and which condition kept each earlier rule from deciding it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quercus.data.dataset import Dataset, encode_like
from quercus.data.names import quoted_name, quoted_value, significant
from quercus.data.schema import Schema
from quercus.errors import ParameterError, checked_place, shown_list
from quercus.results import Result
from quercus.rules.condition import Condition, value_name
from quercus.rules.rule import Rule

if TYPE_CHECKING:
    from quercus.rules.rule_list import RuleList


@dataclass(frozen=True, repr=False)
class Failure(Result):
    """A rule that did not fire: its position, the first condition that failed, and the row's value of its attribute."""

    position: int
    rule: Rule
    condition: Condition
    value: str

    def __str__(self) -> str:
        """In words."""
        name = quoted_name(self.condition.name)
        return f"Rule {self.position + 1} did not fire: {self.condition.text(limit=10)} fails, {name} is {self.value}."


@dataclass(frozen=True, repr=False)
class Explanation(Result):
    """Why a row gets its answer.

    position, rule: the deciding rule (−1, None: the default). label: the answer. failures: the rules before it (voting:
    all that did not fire), each with the condition that failed. votes: the positions of the rules that voted.
    by_tree: whether the row went down the tree because a value is unknown.
    """

    position: int
    rule: Rule | None
    label: Any
    failures: tuple[Failure, ...]
    votes: tuple[int, ...] = ()
    by_tree: bool = False

    def __str__(self) -> str:
        """One sentence per rule, the answer last."""
        label = significant(self.label, 6) if isinstance(self.label, float) else quoted_value(self.label)
        lines = [str(failure) for failure in self.failures]
        if self.votes:
            lines.append(f"Rules that vote: {', '.join(str(position + 1) for position in self.votes)}.")
        if self.by_tree:
            lines.append(
                "No rule fires as long as a value is unknown; the row goes down the tree"
                + (f", most of it to the leaf of rule {self.position + 1}." if self.rule is not None else ".")
            )
        elif self.rule is not None:
            verb = "weighs most" if self.votes else "fires"
            lines.append(f"Rule {self.position + 1} {verb}: {self.rule}.")
        else:
            lines.append("No rule fires.")
        return "\n".join([*lines, f"Answer: {label}."])


def explain(rules: RuleList, rows: Dataset | Mapping[str, Any], row: int = 0) -> Explanation:
    """Explain one row; parameters as in ``RuleList.explain``."""
    one = one_row(rules.schema, rows, row)
    position = int(rules.fired(one)[0])
    answer = rules.predict(one)[0]
    label = rules.target_kind.label(answer)
    direct = [_failed(rule, one) for rule in rules.rules]
    voting = rules.mode == "voting"
    votes = tuple(i for i, failed in enumerate(direct) if failed is None) if voting else ()
    by_tree = not voting and rules.tree is not None and all(failed is not None for failed in direct)
    before = len(direct) if voting or by_tree or position < 0 else position
    failures = tuple(
        Failure(i, rules.rules[i], failed, _value(failed, one))
        for i, failed in enumerate(direct[:before])
        if failed is not None
    )
    return Explanation(position, None if position < 0 else rules.rules[position], label, failures, votes, by_tree)


def one_row(schema: Schema, rows: Dataset | Mapping[str, Any], row: int) -> Dataset:
    """One row of a dataset, or of its values by attribute name (those not named are unknown), encoded."""
    if isinstance(rows, Dataset):
        return rows.take([checked_place("row", row, range(rows.n_rows), f"the dataset has {rows.n_rows} rows")])
    strange = [name for name in rows if name not in schema.names]
    if strange:
        raise ParameterError(f"{shown_list(strange)} is no attribute; there are {shown_list(schema.names)}.")
    return encode_like({name: [rows.get(name)] for name in schema.names}, schema)


def _failed(rule: Rule, one: Dataset) -> Condition | None:
    for condition in rule.conditions:
        if not condition.holds(one.column(condition.name))[0]:
            return condition
    return None


def _value(condition: Condition, one: Dataset) -> str:
    code = float(one.column(condition.name)[0])
    attribute = condition.attribute
    if code != code or (not attribute.is_numeric and code < 0):
        return "unknown"
    return value_name(attribute, int(code)) if attribute.values else attribute.show(code)

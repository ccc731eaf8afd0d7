"""Rules: IF conditions THEN a class or a number, with the weight of the examples it covers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.data.dataset import Dataset
from quercus.data.names import short_number, significant
from quercus.data.schema import Attribute, Schema
from quercus.errors import DataError, ParameterError, shorten, shown_list
from quercus.results import Result
from quercus.rules.condition import (
    Condition,
    Interval,
    ValueSet,
    condition_from_dict,
    is_known,
    is_unknown,
    joined_latex,
    joined_texts,
    merged,
)
from quercus.targets import TargetKind, kind_of
from quercus.targets.kind import OfTarget
from quercus.tree.questions import encoded

__all__ = ["Condition", "Interval", "Rule", "ValueSet", "condition_from_dict", "is_known", "is_unknown", "merged"]


@dataclass(frozen=True, repr=False)
class Rule(OfTarget, Result):
    """IF all conditions hold THEN the consequent.

    - conditions: at most one for each attribute (see :func:`merged`); none: the rule always fires.
    - consequent: the position of its class in ``classes``, or a number if classes is None (regression).
    - classes: the names of the classes.
    - covered, correct: the weight of the examples that fulfil the conditions, and of those among them of its class
      (regression: ``correct`` is not used).
    - class_weights: the covered weight of each class, if known.
    - spread: the standard deviation of the covered numbers (regression).
    - leaf: the leaf of a tree that the rule was made from.

    >>> outlook = Attribute("Outlook", "nominal", values=("Sunny", "Overcast", "Rain"))
    >>> humidity = Attribute("Humidity", "nominal", values=("High", "Normal"))
    >>> rule = Rule((ValueSet(outlook, [0]), ValueSet(humidity, [0])), 0, ("No", "Yes"), covered=3, correct=3)
    >>> print(rule)
    IF Outlook = Sunny AND Humidity = High THEN No (3, 1.00)
    >>> rule.precision, rule.laplace
    (1.0, 0.8)
    """

    conditions: tuple[Condition, ...]
    consequent: float
    classes: tuple[Any, ...] | None = None
    covered: float = 0.0
    correct: float = 0.0
    class_weights: tuple[float, ...] | None = None
    spread: float | None = None
    leaf: int | None = None

    def __post_init__(self) -> None:
        """Check that the parts fit."""
        object.__setattr__(self, "conditions", tuple(self.conditions))
        names = [condition.name for condition in self.conditions]
        if len(set(names)) < len(names):
            raise ParameterError(
                f"A rule has two conditions on one attribute: {shown_list(names)}. Intersect them first, with merged()."
            )
        kind = self.target_kind
        object.__setattr__(self, "consequent", kind.checked_choice(self.consequent, "The consequent"))
        if kind.has_shares and self.class_weights is not None and len(self.class_weights) != kind.width:
            raise ParameterError(f"There are {len(self.class_weights)} class weights for {kind.width} classes.")

    @classmethod
    def of(
        cls,
        schema: Schema,
        conditions: Mapping[str, Any],
        then: Any,
        classes: Sequence[Any] | None = None,
    ) -> Rule:
        """A rule from names and values, as an expert would write it.

        conditions: for each attribute a value, a list or set of values, a pair (low, high) of a numeric, ordered or
        date attribute meaning ``low < x <= high`` (None: open), a :class:`Condition`, or None for "unknown".
        then: the class by its name, or a number if classes is None.

        >>> schema = Schema((Attribute("Wind", "nominal", ("Weak", "Strong")), Attribute("Humidity", "numeric")))
        >>> print(Rule.of(schema, {"Wind": "Weak", "Humidity": (None, 75)}, "Yes", ["No", "Yes"]))
        IF Wind = Weak AND Humidity <= 75 THEN Yes
        """
        parts = tuple(_condition(schema[name], value) for name, value in conditions.items())
        kind = kind_of(classes)
        return cls(parts, kind.choice_of(then), kind.classes)

    # What it says

    @cached_property
    def target_kind(self) -> TargetKind:
        """What it answers: one of the classes, or a number."""
        return kind_of(self.classes)

    @property
    def label(self) -> Any:
        """The class it answers, or its number."""
        return self.target_kind.label(self.consequent)

    @property
    def precision(self) -> float:
        """The share of the covered weight that is of its class; NaN if nothing is covered."""
        return self.correct / self.covered if self.covered > 0 else math.nan

    @property
    def is_unlikely(self) -> bool:
        """Whether it answers a class that is not the most frequent of what it covers, as costs may have it."""
        weights = self.class_weights
        return weights is not None and self.target_kind.is_unlikely(weights, self.consequent)

    @property
    def laplace(self) -> float:
        """The precision with two examples added, one right and one wrong: (correct + 1) / (covered + 2)."""
        return (self.correct + 1.0) / (self.covered + 2.0)

    @property
    def distribution(self) -> NDArray[np.float64]:
        """The class shares it answers (regression: its number, alone).

        From the class weights; else the precision for its class and the rest in equal parts; else its class alone.
        """
        share = self.precision if self.covered > 0 else 1.0
        return self.target_kind.rule_answer(self.consequent, self.class_weights, share)

    # Where it applies

    def covers(self, dataset: Dataset, unknown: bool | None = None) -> NDArray[np.bool_]:
        """Which rows fulfil all conditions. unknown: whether an unknown value does; None: as each condition says."""
        result = np.ones(dataset.n_rows, dtype=np.bool_)
        for condition in self.conditions:
            result &= condition.holds(dataset.column(condition.name), unknown)
        return result

    @property
    def is_impossible(self) -> bool:
        """Whether some condition contradicts itself."""
        return any(condition.is_impossible for condition in self.conditions)

    def implies(self, other: Rule) -> bool:
        """Whether every row that fulfils these conditions fulfils those of the other rule (its class apart)."""
        mine = {condition.name: condition for condition in self.conditions}
        return self.is_impossible or all(
            condition.is_certain or (condition.name in mine and mine[condition.name].implies(condition))
            for condition in other.conditions
        )

    # Other rules from this one

    def without(self, position: int) -> Rule:
        """The rule without one condition; its weights are no longer known."""
        if not 0 <= position < len(self.conditions):
            raise ParameterError(f"There is no condition {position}; the rule has {len(self.conditions)}.")
        kept = self.conditions[:position] + self.conditions[position + 1 :]
        return Rule(kept, self.consequent, self.classes)

    def with_weights(self, class_weights: Sequence[float] | NDArray[Any]) -> Rule:
        """The rule with the covered weight of each class."""
        weights = tuple(float(weight) for weight in class_weights)
        return replace(self, covered=sum(weights), correct=weights[int(self.consequent)], class_weights=weights)

    # Words

    def text(
        self, *, limit: int | None = 10, figures: bool = True, complement: bool = False, mark: bool = False
    ) -> str:
        """``IF … AND … THEN class (covered, precision)``; a number: ``(covered, spread)``.

        A class that is not the most frequent, as costs may have it: ``THEN bad: 21 % of 494 examples were bad``.

        limit: at most so many values of a set (None: all). figures: with the numbers in brackets, if measured.
        complement: write ``not in {…}`` where that is shorter. mark: write ``[?]`` for "or unknown".
        """
        parts = " AND ".join(joined_texts(self.conditions, limit=limit, complement=complement, mark=mark))
        return f"IF {parts or 'anything'} THEN {self.label_text()}" + (self._figures() if figures else "")

    def label_text(self) -> str:
        """The class it answers as text, or its number."""
        return self.target_kind.label_text(self.label)

    def _figures(self) -> str:
        if self.covered <= 0:
            return ""
        if self.is_unlikely:
            share = f"{significant(100.0 * self.precision, 3)} %"
            return f": {share} of {short_number(self.covered)} examples were {self.label_text()}"
        return f" ({short_number(self.covered)}, {self.target_kind.rule_figure(self.precision, self.spread)})"

    def latex(self, *, mark: bool = False) -> str:
        r"""The rule as LaTeX for mathematics mode: ``\text{Wind} = \text{Weak} \Rightarrow \text{Yes}``.

        mark: leave "or unknown" out where training had no unknown value of the attribute.
        """
        parts = joined_latex(self.conditions, mark=mark) or r"\top"
        return rf"{parts} \Rightarrow {self.target_kind.label_latex(self.label)}"

    def __str__(self) -> str:
        """The rule in words, at most 10 values of a set."""
        return self.text()

    def __repr__(self) -> str:
        """The rule in words."""
        return f"<Rule: {self.text()}>"

    # Files

    def to_dict(self) -> dict[str, Any]:
        """The rule as a dictionary that JSON can hold; the class by its position."""
        result: dict[str, Any] = {
            "if": [condition.to_dict() for condition in self.conditions],
            "then": self.consequent,
            "covered": float(self.covered),
            "correct": float(self.correct),
        }
        if self.class_weights is not None:
            result["class_weights"] = [float(weight) for weight in self.class_weights]
        return result | {
            name: value for name, value in (("spread", self.spread), ("leaf", self.leaf)) if value is not None
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], schema: Schema, classes: Sequence[Any] | None) -> Rule:
        """Undo :meth:`to_dict`; the names come from the schema and the classes."""
        if not isinstance(data, Mapping) or not {"if", "then"} <= set(data):
            raise DataError(f"A rule needs 'if' and 'then'; given: {shorten(data)}.")
        numbers = {name: data.get(name, 0.0) for name in ("then", "covered", "correct")}
        if not all(type(number) in (int, float) for number in numbers.values()) or not isinstance(data["if"], list):
            raise DataError(f"A rule needs a list of conditions and numbers; given: {shorten(data)}.")
        weights, leaf = data.get("class_weights"), data.get("leaf")
        return cls(
            tuple(condition_from_dict(part, schema) for part in data["if"]),
            numbers["then"],
            kind_of(classes).classes,
            float(numbers["covered"]),
            float(numbers["correct"]),
            None if weights is None else tuple(float(weight) for weight in weights),
            data.get("spread"),
            None if leaf is None else int(leaf),
        )


def _condition(attribute: Attribute, goal: Any) -> Condition:
    if isinstance(goal, Condition):
        return goal
    if goal is None:
        return is_unknown(attribute)
    if attribute.is_numeric:
        if not isinstance(goal, tuple) or len(goal) != 2:
            if attribute.kind == "ordered":
                code = _code(attribute, goal)
                return Interval(attribute, code - 1, code)
            raise ParameterError(
                f"The condition on {attribute.name!r} ({attribute.kind}) is {shorten(goal)}, but must be a pair "
                "(low, high), meaning low < x <= high; None leaves a side open."
            )
        low = -math.inf if goal[0] is None else _code(attribute, goal[0])
        return Interval(attribute, low, math.inf if goal[1] is None else _code(attribute, goal[1]))
    values = list(goal) if isinstance(goal, (list, set, frozenset, tuple)) else [goal]
    return ValueSet(attribute, [int(_code(attribute, value)) for value in values])


def _code(attribute: Attribute, value: Any) -> float:
    code = encoded(attribute, value)
    if code != code:
        raise ParameterError(
            f"{shorten(value)} is no value of {attribute.name!r} ({attribute.kind})"
            + (f", which has {shown_list(attribute.values)}." if attribute.values else ".")
        )
    return code

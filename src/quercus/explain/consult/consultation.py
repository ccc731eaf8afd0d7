"""Consultation: the program asks only for what the model needs, one attribute after the other, and says what it thinks.

The first question is the root's; each answer leads to the next. After "unknown", a range or several values, parts of
the example may wait at several questions: then the cheapest attribute is asked next (``order="cost"``; of equal cost
the one for which the greatest share waits), or the one for which most waits (``order="weight"``). An attribute is asked
and paid once. A test that was declined, the answer being "unknown", costs nothing; one that was made and told nothing
costs its price (``paid=True``).

A range or several values lead down every branch that they allow, in shares of the training weight of these branches
alone (``route.py`` has the rule). A question that is still open is weighed in the same way, by the training shares of
all its branches, whatever the model does with unknown values: before the first answer the distribution is that of the
training examples. An answer "unknown" is weighed so, too (``unknown="shares"``), or goes where the model's policy sends
unknown values (``unknown="model"``); where the two differ, the text says what ``predict`` answers. Once every question
was answered by a value, the distribution is that of ``predict``, whatever else the row holds.

Where a value is unknown and surrogates stand in, their attributes are asked, the best surrogate's first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from quercus.arrays import Floats
from quercus.data.names import counted, listed, percent, quoted_name, quoted_value, significant
from quercus.data.schema import Attribute
from quercus.data.values import plain_value, value_to_json
from quercus.data.weights import named_costs
from quercus.errors import ParameterError, choice_message
from quercus.explain.cells import UNKNOWN, Among, Between, Cell, Unknown, cell_text
from quercus.explain.consult.guides import Guide, TreeGuide, Waiting, guide_of
from quercus.explain.consult.replies import allowed_text, read_reply
from quercus.explain.consult.span import Span
from quercus.explain.why.answer import Answer
from quercus.explain.why.decision import Decision
from quercus.explain.why.why import answer_along
from quercus.results import Result
from quercus.rules.condition import value_name
from quercus.rules.rule_list import RuleList
from quercus.tree.tree import Tree

Order = Literal["cost", "weight"]


@dataclass(frozen=True, repr=False)
class Question(Result):
    """What is asked next.

    attribute: its name. kind: of the attribute. values: what may be answered, as text; None: a number or a date. cost:
    what the answer costs. share: how much of the example waits for it (of rules: their votes, or 1). tests: what the
    model wants to know there. allowed: what may be answered, in words.
    """

    attribute: str
    kind: str
    values: tuple[str, ...] | None
    cost: float
    share: float
    tests: tuple[str, ...]
    allowed: str

    def __str__(self) -> str:
        """The question as a line."""
        name = quoted_name(self.attribute)
        shown = "yes or no" if self.kind == "boolean" else "a number" if self.kind == "numeric" else f"a {self.kind}"
        if self.values is not None and self.kind != "boolean":
            shown = listed(self.values, len(self.values), 20)
        cost = f", cost {significant(self.cost)}" if self.cost else ""
        return f"{name}? ({shown}{cost})"

    def to_dict(self) -> dict[str, Any]:
        """What JSON can hold."""
        return {
            **vars(self),
            "values": None if self.values is None else list(self.values),
            "tests": list(self.tests),
            "text": str(self),
        }


@dataclass(frozen=True)
class _Said:
    """One answer: of which attribute, what it means, and what it cost (0: it was known before)."""

    place: int
    cell: Cell
    cost: float
    beforehand: bool = False


class Consultation(Result):
    """A conversation with a model; every answer gives a new consultation, and the old one stays as it was.

    - model: a tree or a rule list; of an estimator, use its ``consult()``.
    - known: values known before, by attribute name; they cost nothing and are not asked.
    - order: "cost" or "weight": what is asked first where parts of the example wait for different attributes.
    - stop_early: ask nothing more once no answer can change the class (or number) any more.
    - unknown: where an answer "unknown" leads: "model", as the tree treats unknown values; "shares", down every branch
      by its training share. ``consult()`` of an estimator takes "shares", unless the tree has learned from unknown
      values (``missing="own_value"``).
    - smoothing, cost_matrix, decision_threshold: how the model answers, as in :func:`why`.

    >>> from quercus import C45Classifier
    >>> from quercus.datasets import load_play_tennis
    >>> first = Consultation(C45Classifier().fit(*load_play_tennis()).tree_)
    >>> print(first.question)
    Outlook? (Overcast, Rain, Sunny)
    >>> second = first.answer("Rain")
    >>> print(second.question, "|", second.label, second.distribution)
    Wind? (Strong, Weak) | Yes [0.4 0.6]
    >>> print(second.answer("unknown"))
    1. Outlook? Rain
    2. Wind? unknown
    Answer: Yes (Yes 60 %, No 40 %).
    """

    @named_costs
    def __init__(
        self,
        model: Tree | RuleList,
        *,
        known: Mapping[str, Any] | None = None,
        order: Order = "cost",
        stop_early: bool = False,
        unknown: Literal["model", "shares"] = "model",
        smoothing: Any = None,
        cost_matrix: Any = None,
        decision_threshold: float | None = None,
    ) -> None:
        if order not in ("cost", "weight"):
            raise ParameterError(choice_message("order", order, ("cost", "weight")))
        if unknown not in ("model", "shares"):
            raise ParameterError(choice_message("unknown", unknown, ("model", "shares")))
        self._guide: Guide = guide_of(model, smoothing, cost_matrix, decision_threshold, unknown == "shares")
        self._order, self._stop_early = order, bool(stop_early)
        schema = self._guide.schema
        self._said = tuple(
            _Said(schema.position(name), read_reply(schema[name], value), 0.0, True)
            for name, value in dict(known or {}).items()
        )
        self._before: Consultation | None = None
        _ = self.decision  # refuses wrong costs and thresholds at once

    # Asking and answering

    @cached_property
    def _cells(self) -> dict[int, Cell]:
        return {said.place: said.cell for said in self._said}

    @cached_property
    def _waiting(self) -> Sequence[Waiting]:
        return self._guide.waiting(self._cells)

    @cached_property
    def question(self) -> Question | None:
        """The next question; None: nothing more is needed."""
        if not self._waiting or (self._stop_early and self.possible.is_certain):
            return None
        shares: dict[int, float] = {}
        for waiting in self._waiting:
            shares[waiting.attribute] = shares.get(waiting.attribute, 0.0) + waiting.share
        schema = self._guide.schema
        first = list(shares)  # left to right: of what is alike in all, the first asked for
        keys = {place: (schema[place].cost, -shares[place]) for place in first}
        if self._order == "weight":
            keys = {place: (-shares[place], schema[place].cost) for place in first}
        chosen = min(first, key=lambda place: keys[place])
        tests = dict.fromkeys(waiting.text for waiting in self._waiting if waiting.attribute == chosen)
        return _question(schema[chosen], shares[chosen], tuple(tests))

    @property
    def is_done(self) -> bool:
        """Whether there is nothing more to ask."""
        return self.question is None

    def answer(self, value: Any, attribute: str | None = None, *, paid: bool | None = None) -> Consultation:
        """The consultation after an answer to the question, or to another attribute by its name.

        value: a value, None or "unknown", a range (low, high) or "60..80" or "<= 75" of numbers, dates and ordered
        values, or several nominal values as a list or "Weak, Strong". An attribute that was answered before is
        corrected; it is paid once.

        paid: whether the test was made and paid; None: if it told anything, so that "unknown" costs nothing.

        >>> from quercus import C45Classifier
        >>> from quercus.datasets import load_play_tennis
        >>> model = C45Classifier(attribute_costs={"Outlook": 1, "Wind": 2}).fit(*load_play_tennis())
        >>> talk = model.consult().answer("Rain")
        >>> talk.answer("unknown").cost, talk.answer("unknown", paid=True).cost
        (1.0, 3.0)
        """
        schema = self._guide.schema
        if attribute is None:
            if self.question is None:
                raise ParameterError(
                    "Nothing is asked any more. Give the attribute to correct an answer, or go back()."
                )
            attribute = self.question.attribute
        place = schema.position(attribute)
        free = any(said.place == place and said.beforehand for said in self._said)
        cell = read_reply(schema[place], value)
        if isinstance(cell, Between) and schema[place].is_numeric and cell.low == cell.high:
            cell = cell.low
        if paid is None:
            paid = not (free or isinstance(cell, Unknown))
        said = _Said(place, cell, float(schema[place].cost) if paid else 0.0, free)
        after = object.__new__(Consultation)
        after._guide, after._order, after._stop_early = self._guide, self._order, self._stop_early
        after._said = (*(earlier for earlier in self._said if earlier.place != place), said)
        after._before = self
        return after

    def unknown(self, *, paid: bool = False) -> Consultation:
        """The consultation after the answer "unknown"; paid: the test was made, and told nothing."""
        return self.answer(UNKNOWN, paid=paid)

    def back(self) -> Consultation:
        """The consultation before the last answer; the first one itself."""
        return self if self._before is None else self._before

    # What is known, and what follows

    @property
    def answers(self) -> dict[str, str]:
        """What was said and what was known before, in words, by attribute name."""
        schema = self._guide.schema
        return {schema[said.place].name: cell_text(schema[said.place], said.cell) for said in self._said}

    @property
    def row(self) -> dict[str, Any]:
        """What is known as one row: values as the table holds them, None where a value is unknown or not known exactly.

        Dates are in microseconds since 1970.
        """
        result: dict[str, Any] = dict.fromkeys(self._guide.schema.names)
        for said in self._said:
            attribute = self._guide.schema[said.place]
            if not isinstance(said.cell, Unknown | Between | Among):
                result[attribute.name] = attribute.values[int(said.cell)] if attribute.values else float(said.cell)
        return result

    @cached_property
    def distribution(self) -> Floats:
        """The class shares now (regression: the number alone), open questions weighed by training shares."""
        return self._guide.distribution(self._cells)

    @cached_property
    def decision(self) -> Decision:
        """How the answer is chosen now."""
        return self._guide.decision(self._cells)

    @property
    def label(self) -> Any:
        """The class (regression: the number) now."""
        return self.decision.label

    @cached_property
    def possible(self) -> Span:
        """What is still possible: the classes, and the least and greatest share of each; see :mod:`span`."""
        return self._guide.span(self._cells)

    @property
    def possible_labels(self) -> tuple[Any, ...] | None:
        """The classes that may still be answered; None: the model answers numbers."""
        labels = self.possible.labels
        return None if labels is None else tuple(self._guide.kind.label(code) for code in labels)

    @property
    def cost(self) -> float:
        """What the answers have cost so far, each attribute once.

        In the end, if every question was answered by a value, this is the tree's ``expected_test_cost`` of the row.
        """
        return sum(said.cost for said in self._said)

    @cached_property
    def expected_cost(self) -> float | None:
        """What all tests cost on average for what is known now, open questions by training shares; None for rules.

        Before the first answer this is the mean of the tree's ``expected_test_cost`` over complete training rows.
        """
        return self._guide.expected_cost(self._cells)

    def why(self) -> Answer:
        """Why the tree answers as it does now: the paths of what is known, with their weights."""
        guide = self._guide
        if not isinstance(guide, TreeGuide):
            raise ParameterError("This consultation asks rules; explain its row by why_rules(rules, consultation.row).")
        return answer_along(
            guide.tree,
            self._cells,
            guide.values,
            self.distribution,
            self.decision,
            guide.smoothing,
            True,
            guide.visits(self._cells),
        )

    # Words

    @property
    def transcript(self) -> str:
        """Questions and answers so far, with the costs."""
        lines, total, schema = [], 0.0, self._guide.schema
        for said in self._said:
            attribute = schema[said.place]
            total += said.cost
            cost = f" (cost {significant(said.cost)}, together {significant(total)})" if said.cost else ""
            mark = "known before" if said.beforehand else ""
            text = f"{quoted_name(attribute.name)}? {cell_text(attribute, said.cell)}{cost}"
            lines.append(f"{text} ({mark})" if mark else text)
        return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))

    def __str__(self) -> str:
        """The transcript, the answer now, and what is asked next or still possible."""
        lines = [self.transcript] if self._said else []
        if self.question is None:
            return "\n".join([*lines, f"Answer: {self._answer_text()}.{self._policy_text()}"])
        lines.append(f"So far: {self._answer_text()}; {self._possible_text()}.")
        return "\n".join([*lines, f"Next: {self.question}"])

    def _answer_text(self) -> str:
        return self._guide.kind.standing_text(self.distribution, self.label)

    @cached_property
    def by_policy(self) -> Decision | None:
        """What ``predict`` answers for a row with these values, where that differs; None: the same, or rules."""
        if not isinstance(self._guide, TreeGuide):
            return None
        decision = self._guide.by_policy(self._cells)
        same = decision.label == self.label and decision.share == self.decision.share
        return None if same else decision

    def _policy_text(self) -> str:
        """A sentence where the model's policy for unknown values answers otherwise."""
        decision = self.by_policy
        if decision is None:
            return ""
        share = "" if decision.share is None else f" ({percent(decision.share)})"
        label = self._guide.kind.label_text(decision.label)
        return f" In a table, predict sends unknown values down one branch and answers {label}{share}."

    def _possible_text(self) -> str:
        labels = self.possible_labels
        if labels is None:
            place = self._guide.kind.position(self.label)
            low, high = self.possible.low[place], self.possible.high[place]
            return f"possible: {significant(low, 6)} to {significant(high, 6)}"
        if len(labels) == 1:
            return "no further answer can change it"
        return "still possible: " + listed((quoted_value(label) for label in labels), len(labels), 5)

    def __repr__(self) -> str:
        """In one line."""
        replies = counted(len(self._said), "answer")
        return f"<Consultation: {replies}, {'done' if self.question is None else f'next {self.question}'}>"

    def to_dict(self) -> dict[str, Any]:
        """What JSON can hold: answers, costs, the answer now, what is still possible, and the next question."""
        schema = self._guide.schema
        answers = [
            {
                "attribute": schema[said.place].name,
                "answer": cell_text(schema[said.place], said.cell),
                "cost": said.cost,
                "known_before": said.beforehand,
            }
            for said in self._said
        ]
        labels = self.possible_labels
        return {
            "answers": answers,
            "cost": self.cost,
            "expected_cost": self.expected_cost,
            "label": value_to_json(plain_value(self.label)),
            **self._guide.kind.to_json(),
            "distribution": self.distribution.tolist(),
            "possible": {
                "labels": None if labels is None else [value_to_json(label) for label in labels],
                "low": list(self.possible.low),
                "high": list(self.possible.high),
                "certain": self.possible.is_certain,
            },
            "question": None if self.question is None else self.question.to_dict(),
            "done": self.is_done,
            "transcript": self.transcript,
            "text": str(self),
        }


def _question(attribute: Attribute, share: float, tests: tuple[str, ...]) -> Question:
    values = None
    if attribute.values:
        values = tuple(value_name(attribute, code) for code in range(attribute.n_values))
    allowed = allowed_text(attribute)
    return Question(attribute.name, attribute.kind, values, float(attribute.cost), share, tests, allowed)

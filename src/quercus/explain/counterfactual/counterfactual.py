"""Counterfactuals: the smallest change of an example's attributes that gives another answer.

The cost of a change is the sum of the prices of the attributes changed, plus, for numbers, dates and ordered values, a
price for each unit moved. A number moves just past the threshold, to the nearest float64 on the other side; a plausible
value is shown beside it. An unknown value may stay unknown (the example then goes where unknown values go) or become
known, which is a change. No value becomes unknown.

The search is exact: it follows the model's questions with all values that are still possible, the cheapest first, and
stops at the first ends that answer as wanted (``search.py``). Trees of any kind and rule lists are asked the same way.
Only if it had to be cut short (``max_steps``; this can happen where many values are unknown or many rules vote) is
``complete`` False and the result the best found until then.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from quercus.arrays import Floats
from quercus.data.dataset import Dataset
from quercus.data.schema import Schema
from quercus.data.weights import named_costs
from quercus.errors import ParameterError, choice_message, shorten
from quercus.explain.cells import UNKNOWN, Unknown, cells_of
from quercus.explain.counterfactual.change import Change, Counterfactual, Counterfactuals
from quercus.explain.counterfactual.domains import Field, condition_of, decimals_of
from quercus.explain.counterfactual.lasting import impossible
from quercus.explain.counterfactual.questions import RuleQuestions, TreeQuestions
from quercus.explain.counterfactual.search import Effort, Way, cheapest
from quercus.explain.why.decision import node_values
from quercus.fitted.argument import of_models
from quercus.fitted.decision import Decision as ModelDecision
from quercus.predict.predict import predict_distribution
from quercus.rules.condition import ValueSet
from quercus.rules.explanation import one_row
from quercus.rules.rule_list import RuleList
from quercus.targets import TargetKind
from quercus.targets.labels import label_codes
from quercus.targets.payload import Goal
from quercus.tree.tree import Tree

Direction = Literal["up", "down"]


@of_models(Tree, RuleList)
@named_costs
def counterfactuals(
    model: Tree | RuleList,
    dataset: Dataset | Mapping[str, Any],
    row: int = 0,
    *,
    target: Any = None,
    above: float | None = None,
    below: float | None = None,
    change_costs: Mapping[str, float] | None = None,
    unit_costs: Mapping[str, float] | None = None,
    fixed: Sequence[str] = (),
    directions: Mapping[str, Direction] | None = None,
    n: int = 1,
    smoothing: Any = None,
    cost_matrix: Any = None,
    decision_threshold: float | None = None,
    max_steps: int = 500_000,
) -> Counterfactuals:
    """The cheapest changes of a row that give another answer.

    - model: a tree or a rule list (ordered or voting), or a fitted model that answers by one. dataset, row: as in
      :func:`why`.
    - target: the class wanted, or a list of classes; None: any other than now. above, below: of numbers, the answer
      wanted is above and/or below these.
    - change_costs: what it costs to change an attribute at all; 1 unless given; math.inf: it may not change.
    - unit_costs: what each unit costs by which a number moves (a step of an ordered attribute, a day of a date); 0
      unless given.
    - fixed: attributes that may not change. directions: {"Age": "up"}: numeric, ordered or date attributes that may
      only grow ("up") or shrink ("down").
    - n: how many. They are distinct: one that makes all the changes of another given before it (the same attributes the
      same way, or to the same values) is left out; every other change that is cheaper than the last contains one given.
    - smoothing, cost_matrix, decision_threshold: how the model answers, as in :func:`why`.
    - max_steps: how many questions the search may ask.

    >>> from quercus import C45Classifier
    >>> from quercus.datasets import load_play_tennis
    >>> tree = C45Classifier().fit(*load_play_tennis()).tree_
    >>> day = {"Outlook": "Sunny", "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"}
    >>> print(counterfactuals(tree, day, n=2))
    Now: No. Wanted: another class. The smallest changes:
    1. Outlook from Sunny to Overcast → Yes (100 %), cost 1
    2. Outlook from Sunny to Rain → Yes (100 %), cost 1
    >>> print(counterfactuals(tree, day, fixed=["Outlook"])[0])
    Humidity from High to Normal → Yes (100 %), cost 1
    """
    one = one_row(model.schema, dataset, row)
    answering = (
        _of_tree(model, smoothing, cost_matrix, decision_threshold)
        if isinstance(model, Tree)
        else (_of_rules(model, smoothing, cost_matrix, decision_threshold))
    )

    def search(fields: Sequence[Field], goal: Goal, effort: Effort, most: int) -> list[Counterfactual]:
        return _search(answering, fields, one, goal, effort, most)

    decision = ModelDecision(None if cost_matrix is None else np.asarray(cost_matrix, float), decision_threshold)
    wishes = Wishes(target, above, below, n, int(max_steps))
    bounds = Bounds(model.schema, change_costs, unit_costs, fixed, directions)
    return changes_found(model.target_kind, one, answering.of_row, search, wishes, bounds, decision)


@dataclass(frozen=True)
class Wishes:
    """What is wanted of a search: the answer, how many changes, and how long it may take."""

    target: Any
    above: float | None
    below: float | None
    n: int
    max_steps: int

    def __post_init__(self) -> None:
        """Check how many are wanted."""
        if not isinstance(self.n, int | np.integer) or self.n < 1:
            raise ParameterError(f"n is {self.n!r}, but must be a whole number of at least 1.")


#: The changes of some fields that reach a goal, at most so many.
Search = Callable[[Sequence[Field], Goal, Effort, int], list[Counterfactual]]
#: The distribution and the answer of a row.
OfRow = Callable[[Dataset], tuple[Floats, float]]


def changes_found(
    kind: TargetKind,
    one: Dataset,
    of_row: OfRow,
    search: Search,
    wishes: Wishes,
    bounds: Bounds,
    decision: ModelDecision,
) -> Counterfactuals:
    """The result of a search, whatever answers: what is now, what was found, and, if nothing, what blocks it."""
    fields = bounds.fields(one)
    before, now = of_row(one)
    goal = kind.goal(now, wishes.target, wishes.above, wishes.below)
    label = kind.label(now)
    if goal.fits(now):
        return Counterfactuals((), label, goal.text, True, already=True)
    effort = Effort(wishes.max_steps)
    results = search(fields, goal, effort, wishes.n)
    why = _why(decision, kind, [before.tolist(), *(list(change.distribution) for change in results)])
    result = Counterfactuals(tuple(results), label, goal.text, effort.complete, why=why)
    if results or not effort.complete:
        return result
    free = Bounds(bounds.schema, None, bounds.units, (), None).fields(one)
    most = search(free, goal, Effort(wishes.max_steps), 1)
    held = [] if not most else [change for change in most[0].changes if not bounds.allows(change)]
    return replace(result, blocked=tuple(change.attribute for change in held), unblocked=most[0] if most else None)


def _search(
    answering: _Answering, fields: Sequence[Field], one: Dataset, goal: Goal, effort: Effort, n: int
) -> list[Counterfactual]:
    """The cheapest distinct changes that give a wanted answer, at most n of them."""
    results: list[Counterfactual] = []
    for candidate in cheapest(fields, answering.questions, effort):
        if not candidate.changed or not goal.fits(answering.at(candidate, fields, one)):
            continue
        changes = _changes(candidate, fields)
        if any(all(any(a.covers(b) for b in changes) for a in before.changes) for before in results):
            continue
        distribution, answer = answering.of_row(changed_row(one, candidate.changed))
        shares, kind = tuple(distribution.tolist()), answering.kind
        share = kind.share_of(shares, answer)
        results.append(Counterfactual(changes, candidate.cost, kind.label(answer), shares, share))
        if len(results) == n:
            break
    return results


def _why(decision: ModelDecision, kind: TargetKind, distributions: Sequence[list[float]]) -> str:
    """Why one of these class shares is answered by a class that is not the most likely; empty: none is."""
    chosen = kind.chosen(np.array(distributions), decision.choosing, decision.threshold).tolist()
    said = (decision.why_unlikely(shares, code, kind) for shares, code in zip(distributions, chosen, strict=True))
    return next(filter(None, said), "")


# What may change


class Bounds:
    """The user's prices and bounds, checked against the schema."""

    def __init__(self, schema: Schema, prices: Any, units: Any, fixed: Sequence[str], directions: Any) -> None:
        self.schema = schema
        self.prices = self._numbers("change_costs", prices)
        self.units = self._numbers("unit_costs", units)
        if isinstance(fixed, str):
            raise ParameterError(f"fixed is {fixed!r}, but must be a list of names: fixed=[{fixed!r}].")
        self.fixed = {schema[name].name for name in fixed}
        self.directions = dict(directions or {})
        for name, direction in self.directions.items():
            if direction not in ("up", "down"):
                raise ParameterError(choice_message(f"directions[{name!r}]", direction, ("up", "down")))
            if not schema[name].is_numeric:
                raise ParameterError(
                    f"{name!r} is {schema[name].kind}, so it has no up and down; directions are for numeric, ordered "
                    f"and date attributes. To keep it as it is, use fixed=[{name!r}]."
                )

    def _numbers(self, parameter: str, entries: Any) -> dict[str, float]:
        result = {}
        for name, cost in dict(entries or {}).items():
            attribute = self.schema[name]
            if not isinstance(cost, int | float | np.number) or not cost >= 0:
                raise ParameterError(f"{parameter}[{name!r}] is {shorten(cost)}, but must be a number of at least 0.")
            if parameter == "unit_costs" and not attribute.is_numeric:
                raise ParameterError(f"{name!r} is {attribute.kind} and moves by no units; use change_costs for it.")
            result[name] = float(cost)
        return result

    def fields(self, one: Dataset) -> list[Field]:
        """The attributes of a row with what they may become."""
        cells = cells_of(one)
        result = []
        for place, attribute in enumerate(self.schema):
            now = cells[place]
            assert isinstance(now, float | Unknown)
            price, unit = self.prices.get(attribute.name, 1.0), self.units.get(attribute.name, 0.0)
            stays = attribute.name in self.fixed or price == math.inf
            decimals = None
            if attribute.kind == "numeric" and not isinstance(now, Unknown):
                decimals = decimals_of(now, one.columns[place].dtype == np.float32)
            start = self._start(attribute.name, now, stays)
            result.append(Field(attribute, now, start, price, unit, decimals))
        return result

    def allows(self, change: Change) -> bool:
        """Whether the bounds let an attribute change so."""
        name = change.attribute
        if name in self.fixed or self.prices.get(name) == math.inf:
            return False
        direction = self.directions.get(name)
        return direction is None or change.before == "unknown" or (direction == "up") == change._up

    def _start(self, name: str, now: float | Unknown, stays: bool) -> Any:
        attribute, direction = self.schema[name], self.directions.get(name)
        if isinstance(now, Unknown):
            if stays:
                return None
            return (-math.inf, math.inf) if attribute.is_numeric else frozenset(range(attribute.n_values))
        if not attribute.is_numeric:
            return frozenset([int(now)]) if stays else frozenset(range(attribute.n_values))
        low = math.nextafter(now, -math.inf) if stays or direction == "up" else -math.inf
        return (low, now if stays or direction == "down" else math.inf)


# How models answer


@dataclass(frozen=True)
class _Answering:
    """A model as questions; its answer where all is asked, and its distribution and answer of a row."""

    kind: TargetKind
    questions: TreeQuestions | RuleQuestions
    at: Callable[[Way, Sequence[Field], Dataset], float]
    of_row: OfRow


def _of_tree(tree: Tree, smoothing: Any, cost_matrix: ArrayLike | None, threshold: float | None) -> _Answering:
    values = node_values(tree, smoothing)
    questions = TreeQuestions(tree)

    def chosen(shares: Floats) -> float:
        return float(tree.target_kind.chosen(shares[None], cost_matrix, threshold)[0])

    labels = tree.target_kind.chosen(values, cost_matrix, threshold)

    def at(candidate: Way, fields: Sequence[Field], one: Dataset) -> float:
        ends = questions.ends(candidate.position)
        if len(ends) == 1 and ends[0][1] == 1.0:
            return float(labels[ends[0][0]])
        return chosen(questions.answer(candidate.position, values))

    def of_row(one: Dataset) -> tuple[Floats, float]:
        shares = predict_distribution(tree, one, values)[0]
        return shares, chosen(shares)

    return _Answering(tree.target_kind, questions, at, of_row)


def _of_rules(rules: RuleList, smoothing: Any, cost_matrix: ArrayLike | None, threshold: float | None) -> _Answering:
    if smoothing is not None or threshold is not None:
        raise ParameterError("smoothing and decision_threshold are for trees; rules answer what the deciding one says.")
    questions = RuleQuestions(rules)
    ordered = rules.mode == "ordered"
    labels = label_codes(rules.answers, cost_matrix) if cost_matrix is not None else rules.consequents

    def of_row(one: Dataset) -> tuple[Floats, float]:
        return rules.distribution(one)[0], float(rules.predict(one, cost_matrix)[0])

    def at(candidate: Way, fields: Sequence[Field], one: Dataset) -> float:
        number, below = questions.decided_by(candidate.position)
        if ordered and below is None:
            return float(labels[number])
        return of_row(changed_row(one, candidate.changed))[1]

    return _Answering(rules.target_kind, questions, at, of_row)


def changed_row(one: Dataset, changed: Mapping[int, float]) -> Dataset:
    """The row with other values."""
    columns = list(one.columns)
    for place, value in changed.items():
        columns[place] = np.array([value], dtype=np.float64 if one.schema[place].is_numeric else np.int32)
    return replace(one, columns=tuple(columns))


def _changes(candidate: Way, fields: Sequence[Field]) -> tuple[Change, ...]:
    return tuple(
        change_of(fields[place], candidate.domains[place], value) for place, value in candidate.changed.items()
    )


def change_of(field: Field, domain: Any, value: float) -> Change:
    attribute = field.attribute
    condition = condition_of(attribute, domain)
    if isinstance(condition, ValueSet) and not isinstance(field.now, Unknown):
        condition = ValueSet(attribute, condition.values - {int(field.now)})
    plain = attribute.values[int(value)] if attribute.values else value
    likely = field.plausible(domain)
    known = not isinstance(field.now, Unknown)
    up = isinstance(field.now, Unknown) or value > field.now
    return Change(
        attribute.name,
        field.text(UNKNOWN if isinstance(field.now, Unknown) else field.now),
        plain,
        field.text(value if likely is None else likely),
        condition.text(limit=10, complement=True),
        field.effort(value)[0],
        value,
        domain,
        up,
        impossible(attribute.name, up if attribute.is_numeric else None) if known else "",
    )

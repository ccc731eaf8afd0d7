"""Searching changes: the cheapest domains of an example's attributes for which a model answers as wanted.

A model is walked as a sequence of questions, each about one attribute. At a question the possible values of the
attribute are divided by the answers, and each part is followed by itself, the cheapest first (uniform-cost search). A
domain only ever narrows, so its cost only grows: what comes to an end first is the cheapest, and nothing is left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any, Protocol

from quercus.explain.cells import UNKNOWN, Unknown
from quercus.explain.counterfactual.domains import Field, meet

Position = Any
#: attribute, (domain, where its values go) …, where an unknown value goes
Ask = tuple[int, Sequence[tuple[Any, Position]], Position]


class Questions(Protocol):
    """A model as questions."""

    def start(self) -> Position:
        """Where the questions begin."""

    def ask(self, position: Position) -> Ask | None:
        """The question at a position; None: all is asked."""


@dataclass(frozen=True)
class Way:
    """One way through the questions: the domains (or UNKNOWN) of the attributes asked, its end, and its cost."""

    domains: Mapping[int, Any]
    changed: Mapping[int, float]
    position: Position
    cost: float


@dataclass
class Effort:
    """How many questions a search may ask; ``complete`` tells whether they were enough."""

    left: int
    complete: bool = True


_Key = tuple[float, int, float]


def cheapest(fields: Sequence[Field], questions: Questions, effort: Effort) -> Iterator[Way]:
    """Every way through the questions with the domains that lead there, the cheapest first; ties: fewer and smaller
    changes first."""
    counter = 0
    heap: list[Any] = [((0.0, 0, 0.0), 0, {}, {}, questions.start())]
    while heap:
        key, _, domains, changed, position = heappop(heap)
        while True:
            question = questions.ask(position)
            if question is None:
                yield Way(domains, {a: value for a, (value, _, _) in changed.items()}, position, key[0])
                break
            if effort.left <= 0:
                effort.complete = False
                return
            effort.left -= 1
            going_on = False
            for successor in _successors(fields, question, key, domains, changed):
                if not going_on and successor[0] == key:  # costs nothing more: go on with it at once
                    going_on = True
                    after = successor
                else:
                    counter += 1
                    heappush(heap, (successor[0], counter, *successor[1:]))
            if not going_on:
                break
            _, domains, changed, position = after


def _successors(
    fields: Sequence[Field], question: Ask, key: _Key, domains: Mapping[int, Any], changed: Mapping[int, Any]
) -> Iterator[tuple[_Key, Mapping[int, Any], Mapping[int, Any], Position]]:
    attribute, branches, unknown = question
    field = fields[attribute]
    domain = domains.get(attribute)
    if domain is UNKNOWN or (domain is None and isinstance(field.now, Unknown)):
        yield key, domains if domain is UNKNOWN else {**domains, attribute: UNKNOWN}, changed, unknown
        if domain is UNKNOWN or field.start is None:
            return
    if domain is None:
        domain = field.start
    before = changed.get(attribute)
    for part, position in branches:
        common = meet(domain, part)
        value = field.nearest(common)
        if value is None:
            continue
        narrowed = {**domains, attribute: common}
        if value == field.now or (before is not None and value == before[0]):
            yield key, narrowed, changed, position
            continue
        cost, far = field.effort(value)
        if cost == math.inf:
            continue
        now = {**changed, attribute: (value, cost, far)}
        total = (
            math.fsum(entry[1] for entry in now.values()),
            len(now),
            math.fsum(entry[2] for entry in now.values()) if far < math.inf else math.inf,
        )
        yield total, narrowed, now, position

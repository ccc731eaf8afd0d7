"""Routes: how one example goes down a tree, with the reason of every step; the rules are those of ``quercus.predict``.

Where a value is known only as a range or as several values, the example follows the branches that these allow, in
shares of the training weight of just those branches; if only one is allowed, the whole of it goes there. The range
narrows on the way: after ``x <= 5``, what is left of 2..8 is 2..5. A value without a branch is left out of several; if
none of several has one, they count as unknown. A surrogate decides only if all that is possible lies on one side.

An attribute without a cell was not asked yet. ``absent`` says what that means: it is "unknown", as in a row of a table;
the example "waits" there; or the question is "open", and the example goes down every branch in shares of their training
weight, whatever the model does with unknown values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from quercus.arrays import Floats
from quercus.errors import ParameterError
from quercus.explain.cells import UNKNOWN, Among, Between, Cell, Unknown
from quercus.tree.conditions import Interval
from quercus.tree.questions import Question
from quercus.tree.tree import Tree

How = Literal["start", "value", "surrogate", "missing branch", "spread", "possible", "open"]
Absent = Literal["unknown", "waits", "open"]
Cells = Mapping[int, Cell]


@dataclass(frozen=True, slots=True)
class Visit:
    """A part of the example at a node.

    node: where. part: which share of the example. above: the visit it came from (−1: none). how: why it came: by its
    value, a surrogate, the branch of unknown values, spread over all branches, one of the possible branches, or a
    branch of a question that is still open. attribute: the position of the attribute whose value decided. taken, of:
    the training weight of this node and of all branches that share the example; equal if it came whole. surrogate: the
    number of the one that decided, −1: none. last: whether the part ends here. waits_for: the attribute that must be
    known to go on, −1: none.
    """

    node: int
    part: float
    above: int = -1
    how: How = "start"
    attribute: int = -1
    taken: float = 1.0
    of: float = 1.0
    surrogate: int = -1
    last: bool = False
    waits_for: int = -1


def walk(tree: Tree, cells: Cells, *, absent: Absent = "unknown", spread: bool = False) -> list[Visit]:
    """Every node that the example reaches, each before those below it, left to right.

    cells: what is known, by the attribute's position. absent: what an attribute without a cell means. spread: an
    unknown value goes down every branch, also where the tree has a branch for it.
    """
    walker = Walker(tree, cells, absent, spread)
    visits: list[Visit] = []
    narrow = {a: cell for a, cell in cells.items() if isinstance(cell, Between | Among)}
    stack: list[tuple[Visit, Mapping[int, Cell]]] = [(Visit(0, 1.0), narrow)]
    while stack:
        visit, ranges = stack.pop()
        place = len(visits)
        below, waits_for = walker.below(visit, place, ranges)
        if not below:
            visit = replace(visit, last=True, waits_for=waits_for)
        visits.append(visit)
        stack.extend(reversed(below))
    return visits


_Below = tuple[list[tuple[Visit, Mapping[int, Cell]]], int]


class Walker:
    """One example and one tree."""

    def __init__(self, tree: Tree, cells: Cells, absent: Absent = "unknown", spread: bool = False) -> None:
        self.tree, self.cells, self.absent, self.spread = tree, cells, absent, spread

    def cell(self, attribute: int, ranges: Mapping[int, Cell]) -> Cell | None:
        """What is known of an attribute here; None: it was not asked yet."""
        cell = ranges.get(attribute)
        if cell is None:
            cell = self.cells.get(attribute)
        return UNKNOWN if cell is None and self.absent == "unknown" else cell

    def below(self, visit: Visit, place: int, ranges: Mapping[int, Cell]) -> _Below:
        """The visits that follow one, with what is known below it; and the attribute it waits for."""
        node = self.tree.node(visit.node)
        question = node.test
        if question is None:
            return [], -1
        first = int(self.tree.first_child[visit.node])
        everywhere = [(branch, ranges) for branch in range(question.n_branches)]

        def open_at(position: int) -> _Below:
            """What follows where an attribute was not asked yet, and so the side that it would take is open."""
            waits = self.absent == "waits"
            return ([], position) if waits else (self._shared(visit, place, "open", position, everywhere), -1)

        def whole(branch: int, how: How, by: int, surrogate: int = -1, known: Mapping[int, Cell] = ranges) -> _Below:
            return [(Visit(first + branch, visit.part, place, how, by, surrogate=surrogate), known)], -1

        positions = node.positions
        cells = {position: self.cell(position, ranges) for position in positions}
        for position, cell in cells.items():
            if cell is None:
                return open_at(position)
        allowed = _allowed(question, cells)
        if len(allowed) == 1:
            known = {**ranges, **allowed[0][1]} if allowed[0][1] else ranges
            return whole(allowed[0][0], "value", positions[0], known=known)
        if allowed:
            parts = [(branch, {**ranges, **known}) for branch, known in allowed]
            return self._shared(visit, place, "possible", positions[0], parts), -1
        for number, surrogate in enumerate(node.surrogates, start=int(self.tree.surrogate_start[visit.node])):
            by = int(self.tree.surrogate_attribute[number])
            cell = self.cell(by, ranges)
            if cell is None:
                return open_at(by)
            sides = _allowed(surrogate.test, {by: cell})
            if len(sides) == 1 and sides[0][1].get(by, cell) == cell:  # all that is possible lies on one side
                return whole(surrogate.children[sides[0][0]], "surrogate", by, number)
        if question.missing_child is not None and not self.spread:
            return whole(question.missing_child, "missing branch", positions[0])
        return self._shared(visit, place, "spread", positions[0], everywhere), -1

    def _shared(
        self, visit: Visit, place: int, how: How, by: int, branches: Sequence[tuple[int, Mapping[int, Cell]]]
    ) -> list[tuple[Visit, Mapping[int, Cell]]]:
        """The parts of the example in some branches, by their training weight; none if these weigh nothing."""
        first = int(self.tree.first_child[visit.node])
        weights = [float(self.tree.weight[first + branch]) for branch, _ in branches]
        total = 0.0
        for weight in weights:  # as the core adds them up: without the compensation of sum()
            total += weight
        if not total > 0.0:
            return []
        result = []
        for (branch, known), weight in zip(branches, weights, strict=True):
            part = visit.part * (weight / total)
            if part > 0.0:
                result.append((Visit(first + branch, part, place, how, by, weight, total), known))
        return result


def _allowed(question: Question, cells: Mapping[int, Cell | None]) -> list[tuple[int, Mapping[int, Cell]]]:
    """The branches that what is known allows, each with what it says of ranges and of several values.

    cells: what is known of the attributes that the question reads, in their order. None is allowed if a value is
    unknown or has no branch.
    """
    known = [cell for cell in cells.values() if isinstance(cell, float | int)]
    if len(known) == len(cells):
        branch = question.known_branch(*known)
        return [] if branch is None else [(branch, {})]
    if any(isinstance(cell, Unknown) for cell in cells.values()):
        return []
    if len(cells) > 1:
        raise ParameterError(f"{question} reads several attributes: give each as one value, or leave it unknown.")
    ((position, cell),) = cells.items()
    if isinstance(cell, Among):
        codes: dict[int, set[int]] = {}
        for code in sorted(cell.codes):
            branch = question.known_branch(code)
            if branch is not None:
                codes.setdefault(branch, set()).add(code)
        return [(branch, {position: Among(frozenset(codes[branch]))}) for branch in sorted(codes)]
    assert isinstance(cell, Between)
    result: list[tuple[int, Mapping[int, Cell]]] = []
    for branch, condition in enumerate(question.conditions()):
        assert isinstance(condition, Interval)
        part = cell.within(condition.low, condition.high)
        if not part.is_empty:
            result.append((branch, {position: part}))
    return result


def answer_of(visits: Sequence[Visit], values: Floats) -> Floats:
    """What the ends of a route predict, summed by part, left to right as the core does."""
    result = np.zeros(values.shape[1])
    for visit in visits:
        if visit.last:
            result += visit.part * values[visit.node]
    return result

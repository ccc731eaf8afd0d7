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
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from quercus.explain.cells import UNKNOWN, Among, Between, Cell, Unknown
from quercus.tree.layout import MULTIWAY, THRESHOLD
from quercus.tree.tree import Tree

How = Literal["start", "value", "surrogate", "missing branch", "spread", "possible", "open"]
Absent = Literal["unknown", "waits", "open"]
Cells = Mapping[int, Cell]
Floats = NDArray[np.float64]


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
        tree, node = self.tree, visit.node
        first = int(tree.first_child[node])
        if not first:
            return [], -1
        asked = int(tree.attribute[node])
        cell = self.cell(asked, ranges)
        everywhere = [(branch, ranges) for branch in range(int(tree.n_children[node]))]
        if cell is None:
            return (
                ([], asked) if self.absent == "waits" else (self._shared(visit, place, "open", asked, everywhere), -1)
            )

        def whole(branch: int, how: How, by: int, surrogate: int = -1, known: Mapping[int, Cell] = ranges) -> _Below:
            return [(Visit(first + branch, visit.part, place, how, by, surrogate=surrogate), known)], -1

        if isinstance(cell, Between | Among):
            allowed = _allowed(tree, node, cell)
            if len(allowed) == 1:
                return whole(allowed[0][0], "value", asked, known={**ranges, asked: allowed[0][1]})
            if allowed:
                parts = [(branch, {**ranges, asked: part}) for branch, part in allowed]
                return self._shared(visit, place, "possible", asked, parts), -1
        elif not isinstance(cell, Unknown):
            branch = branch_of(tree, node, cell)
            if branch >= 0:
                return whole(branch, "value", asked)
        for number in range(int(tree.surrogate_start[node]), int(tree.surrogate_start[node + 1])):
            by = int(tree.surrogate_attribute[number])
            other = self.cell(by, ranges)
            if other is None and self.absent == "waits":
                return [], by
            if other is None:  # its answer is open, and so is the side that it would take
                return self._shared(visit, place, "open", by, everywhere), -1
            branch = surrogate_branch(tree, number, other)
            if branch >= 0:
                return whole(branch, "surrogate", by, number)
        taker = int(tree.missing_child[node])
        if taker >= 0 and not self.spread:
            return whole(taker, "missing branch", asked)
        return self._shared(visit, place, "spread", asked, everywhere), -1

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


def branch_of(tree: Tree, node: int, code: float) -> int:
    """The branch of a known encoded value; −1: it has none."""
    if tree.kind[node] == THRESHOLD:
        return 0 if code <= float(tree.threshold[node]) else 1
    if tree.kind[node] == MULTIWAY:
        return int(code) if code < tree.n_children[node] else -1
    return _mapped(tree.group_child[tree.group_start[node] : tree.group_start[node + 1]], int(code))


def _mapped(children: NDArray[Any], code: int) -> int:
    return int(children[code]) if code < len(children) else -1


def surrogate_branch(tree: Tree, number: int, cell: Cell) -> int:
    """The branch that a surrogate gives; −1: it does not know."""
    if isinstance(cell, Unknown):
        return -1
    if tree.surrogate_kind[number] == THRESHOLD:
        low, cut = int(tree.surrogate_low_child[number]), float(tree.surrogate_threshold[number])
        if isinstance(cell, Between):
            return low if cell.high <= cut else 1 - low if cell.low > cut else -1
        assert not isinstance(cell, Among)
        return low if cell <= cut else 1 - low
    start = tree.surrogate_group_start
    children = tree.surrogate_group_child[start[number] : start[number + 1]]
    if isinstance(cell, Among):
        sides = {_mapped(children, code) for code in cell.codes}
        return sides.pop() if len(sides) == 1 else -1
    assert not isinstance(cell, Between)
    return _mapped(children, int(cell))


def _allowed(tree: Tree, node: int, cell: Between | Among) -> list[tuple[int, Cell]]:
    """The branches that what is possible allows, each with what is possible in it."""
    if isinstance(cell, Between):
        cut = float(tree.threshold[node])
        halves = [(0, cell.at_most(cut)), (1, cell.above(cut))]
        return [(branch, part) for branch, part in halves if not part.is_empty]
    codes: dict[int, set[int]] = {}
    for code in sorted(cell.codes):
        codes.setdefault(branch_of(tree, node, code), set()).add(code)
    return [(branch, Among(frozenset(codes[branch]))) for branch in sorted(codes) if branch >= 0]


def answer_of(visits: Sequence[Visit], values: Floats) -> Floats:
    """What the ends of a route predict, summed by part, left to right as the core does."""
    result = np.zeros(values.shape[1])
    for visit in visits:
        if visit.last:
            result += visit.part * values[visit.node]
    return result

"""Spans: what a tree may still answer when some attributes are not known yet.

Every question that is still open may be answered in any way, "unknown" too, so the answer below it lies anywhere
between what its branches allow. Where several parts of the example wait, each is taken at its extreme by itself: the
span is exact while one path is open, and never too narrow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.arrays import Floats
from quercus.explain.cells import Among, Between, Cell
from quercus.explain.why.route import Cells, Visit, Walker
from quercus.results import Result
from quercus.targets.labels import TIE
from quercus.tree.layout import LEAF
from quercus.tree.tree import Tree


@dataclass(frozen=True)
class Span(Result):
    """The least and greatest share of each class (or number) that is still possible, and the classes still possible.

    low, high: one number per class. labels: positions of the classes that may still be answered; None: a number.
    """

    low: tuple[float, ...]
    high: tuple[float, ...]
    labels: tuple[int, ...] | None

    @property
    def is_certain(self) -> bool:
        """Whether nothing can change the answer any more: one class is left, or one number."""
        return self.low == self.high if self.labels is None else len(self.labels) == 1


def tree_bounds(tree: Tree, cells: Cells, values: Floats, spread: bool = False) -> tuple[Floats, Floats]:
    """The least and greatest sum of what the ends say, for each column of values, over all that is not known yet."""
    walker = Walker(tree, cells, "waits", spread)
    ends = _may_end(tree, spread)
    nodes, positions = tree.reads
    answered = np.zeros(tree.n_nodes, dtype=np.bool_)
    answered[nodes[np.isin(positions, list(cells))]] = True
    ranges: Mapping[int, Cell] = {a: cell for a, cell in cells.items() if isinstance(cell, Between | Among)}
    places: list[_Place] = []
    stack: list[tuple[Visit, Mapping[int, Cell], int]] = [(Visit(0, 1.0), ranges, -1)]
    while stack:
        visit, known, above = stack.pop()
        if above >= 0:
            places[above].below.append(len(places))
            places[above].shares.append(visit.part)
        below, waits_for = walker.below(Visit(visit.node, 1.0), len(places), known)
        place = _Place(visit.node, waits_for >= 0, [], [])
        places.append(place)
        if waits_for < 0:
            stack.extend((after, narrowed, len(places) - 1) for after, narrowed in reversed(below))
            continue
        first, end = int(tree.first_child[visit.node]), int(tree.descendants_end[visit.node])
        if not answered[first:end].any():  # all of it is open: every end below is possible
            place.ends = [visit.node] * bool(ends[visit.node]) + (first + np.flatnonzero(ends[first:end])).tolist()
            continue
        children = range(first, first + int(tree.n_children[visit.node]))
        stack.extend((Visit(child, 1.0), known, len(places) - 1) for child in reversed(children))
    return _folded(places, values, ends)


@dataclass
class _Place:
    """A node in the fold: whether its question is open, the places below it and their shares; or all ends below."""

    node: int
    is_open: bool
    below: list[int]
    shares: list[float]
    ends: list[int] | None = None


def _folded(places: Sequence[_Place], values: Floats, ends: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """From the last place to the first: an open question takes the extreme of its branches, others their sum."""
    low = np.empty((len(places), values.shape[1]))
    high = np.empty_like(low)
    for number in range(len(places) - 1, -1, -1):
        place = places[number]
        if place.ends is not None:
            low[number], high[number] = values[place.ends].min(axis=0), values[place.ends].max(axis=0)
        elif not place.below:
            low[number] = high[number] = values[place.node]
        elif place.is_open:
            low[number], high[number] = low[place.below].min(axis=0), high[place.below].max(axis=0)
            if ends[place.node]:
                low[number] = np.minimum(low[number], values[place.node])
                high[number] = np.maximum(high[number], values[place.node])
        else:
            low[number], high[number] = place.shares @ low[place.below], place.shares @ high[place.below]
    return low[0], high[0]


def _may_end(tree: Tree, spread: bool) -> NDArray[np.bool_]:
    """The nodes where an example may end: leaves, and where an unknown value finds no branch that has weight."""
    below = np.bincount(tree.parent[1:], weights=tree.weight[1:], minlength=tree.n_nodes)
    return np.asarray((tree.kind == LEAF) | (((tree.missing_child < 0) | spread) & ~(below > 0)))


def tree_span(
    tree: Tree,
    cells: Cells,
    values: Floats,
    code: int | None,
    cost_matrix: ArrayLike | None = None,
    threshold: float | None = None,
    spread: bool = False,
) -> Span:
    """What the tree may still answer. code: the class it would answer now; None: a number. spread: as in ``walk``."""
    if code is None:
        low, high = tree_bounds(tree, cells, values, spread)
        return Span(tuple(low.tolist()), tuple(high.tolist()), None)
    n_classes = values.shape[1]
    costs = np.zeros((0, 0)) if cost_matrix is None else np.asarray(cost_matrix, dtype=np.float64)
    scores = values if cost_matrix is None else -(values @ costs)
    margins = scores - scores[:, [code]]
    low, high = tree_bounds(tree, cells, np.hstack([values, margins]), spread)
    shares = (tuple(low[:n_classes].tolist()), tuple(high[:n_classes].tolist()))
    if threshold is not None:
        possible = (bool(low[1] < threshold - TIE), bool(high[1] >= threshold - 2 * TIE))
        return Span(*shares, tuple(code for code in (0, 1) if possible[code]))
    tie = TIE * max(1.0, float(np.abs(costs).max(initial=0.0)))
    best = high[n_classes:]
    labels = [j for j in range(n_classes) if j == code or (best[j] > tie / 2 if j > code else best[j] >= -2 * tie)]
    return Span(*shares, tuple(labels))

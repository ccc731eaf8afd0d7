"""Spans: what a tree may still answer when some attributes are not known yet.

Every question that is still open may be answered in any way, "unknown" too, so the answer below it lies anywhere
between what its branches allow. Where several parts of the example wait, each is taken at its extreme by itself: the
span is exact while one path is open, and never too narrow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.explain.cells import Among, Between, Cell
from quercus.explain.route import Cells, Visit, Walker
from quercus.predict.labels import TIE
from quercus.tree.tree import Tree

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Span:
    """The least and greatest share of each class (or number) that is still possible, and the classes still possible.

    low, high: one number a class. labels: positions of the classes that may still be answered; None: a number.
    """

    low: tuple[float, ...]
    high: tuple[float, ...]
    labels: tuple[int, ...] | None

    @property
    def is_certain(self) -> bool:
        """Whether nothing can change the answer any more: one class is left, or one number."""
        return self.low == self.high if self.labels is None else len(self.labels) == 1


def tree_bounds(tree: Tree, cells: Cells, values: Floats) -> tuple[Floats, Floats]:
    """The least and greatest sum of what the ends say, for each column of values, over all that is not known yet."""
    walker = Walker(tree, cells, wait=True)
    ranges: Mapping[int, Cell] = {a: cell for a, cell in cells.items() if isinstance(cell, Between | Among)}
    places: list[tuple[int, bool, list[int], list[float]]] = []  # node, open, places below, their shares
    stack: list[tuple[Visit, Mapping[int, Cell], int]] = [(Visit(0, 1.0), ranges, -1)]
    while stack:
        visit, known, above = stack.pop()
        place = len(places)
        if above >= 0:
            places[above][2].append(place)
            places[above][3].append(visit.part)
        below, waits_for = walker.below(Visit(visit.node, 1.0), place, known)
        places.append((visit.node, waits_for >= 0, [], []))
        if waits_for >= 0:
            first, size = int(tree.first_child[visit.node]), int(tree.n_children[visit.node])
            stack.extend((Visit(child, 1.0), known, place) for child in range(first + size - 1, first - 1, -1))
        else:
            stack.extend((after, ranges_below, place) for after, ranges_below in reversed(below))
    return _folded(tree, places, values)


def _folded(tree: Tree, places: Any, values: Floats) -> tuple[Floats, Floats]:
    """From the last place to the first: an open question takes the extreme of its branches, others their sum."""
    low = np.empty((len(places), values.shape[1]))
    high = np.empty_like(low)
    for place in range(len(places) - 1, -1, -1):
        node, is_open, below, shares = places[place]
        if not below:
            low[place] = high[place] = values[node]
        elif is_open:
            low[place], high[place] = low[below].min(axis=0), high[below].max(axis=0)
            if _may_end(tree, node):
                low[place] = np.minimum(low[place], values[node])
                high[place] = np.maximum(high[place], values[node])
        else:
            low[place], high[place] = shares @ low[below], shares @ high[below]
    return low[0], high[0]


def _may_end(tree: Tree, node: int) -> bool:
    """Whether an unknown value would end at an inner node, because no branch has weight."""
    first, size = int(tree.first_child[node]), int(tree.n_children[node])
    return bool(tree.missing_child[node] < 0) and not tree.weight[first : first + size].sum() > 0


def tree_span(
    tree: Tree,
    cells: Cells,
    values: Floats,
    code: int | None,
    cost_matrix: ArrayLike | None = None,
    threshold: float | None = None,
) -> Span:
    """What the tree may still answer. code: the class it would answer now; None: a number."""
    if code is None:
        low, high = tree_bounds(tree, cells, values)
        return Span(tuple(low.tolist()), tuple(high.tolist()), None)
    n_classes = values.shape[1]
    costs = np.zeros((0, 0)) if cost_matrix is None else np.asarray(cost_matrix, dtype=np.float64)
    scores = values if cost_matrix is None else -(values @ costs)
    margins = scores - scores[:, [code]]
    low, high = tree_bounds(tree, cells, np.hstack([values, margins]))
    shares = (tuple(low[:n_classes].tolist()), tuple(high[:n_classes].tolist()))
    if threshold is not None:
        possible = (bool(low[1] < threshold - TIE), bool(high[1] >= threshold - 2 * TIE))
        return Span(*shares, tuple(code for code in (0, 1) if possible[code]))
    tie = TIE * max(1.0, float(np.abs(costs).max(initial=0.0)))
    best = high[n_classes:]
    labels = [j for j in range(n_classes) if j == code or (best[j] > tie / 2 if j > code else best[j] >= -2 * tie)]
    return Span(*shares, tuple(labels))

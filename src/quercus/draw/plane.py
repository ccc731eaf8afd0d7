"""Class regions: what a tree answers over the plane of two numeric attributes, as exact rectangles.

The tree is followed down with a rectangle of the plane. A question about one of the two attributes cuts it, any other
is answered by the value given for its attribute, or as unknown values are: by the first surrogate that knows, else by
the branch for unknown values, else by all branches in shares. No grid of points is tried.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.data.dataset import ClassTarget, Dataset
from quercus.data.names import quoted_name, quoted_value
from quercus.data.weights import named_costs
from quercus.draw.chart import Axis, Chart, Mark, Points, Regions
from quercus.errors import ParameterError, choice_message
from quercus.fitted.argument import of_models
from quercus.tree.conditions import Interval
from quercus.tree.questions import Question, encoded
from quercus.tree.tree import Tree

Limits = tuple[float, float, float, float]
MOST_POINTS = 2000


@dataclass(frozen=True)
class Region:
    """One rectangle, open at its low ends (``x_low < x <= x_high``), and what the tree answers in it.

    answer: class shares, or the predicted number.
    """

    x_low: float
    x_high: float
    y_low: float
    y_high: float
    answer: NDArray[np.float64]


@of_models(Tree)
def tree_regions(
    tree: Tree, x: str, y: str, *, given: Mapping[str, Any] | None = None, limits: Limits | None = None
) -> list[Region]:
    """The rectangles of the plane of x and y, each with the tree's answer; together they cover the limits once.

    x, y: names of numeric attributes. given: values of other attributes; those left out count as unknown. limits: (x
    low, x high, y low, y high); without them the whole plane.
    """
    first, second = _position(tree, x), _position(tree, y)
    if first == second:
        raise ParameterError(f"x and y are both {x!r}; give two attributes.")
    codes = np.full(len(tree.schema), np.nan)
    for name, value in (given or {}).items():
        codes[tree.schema.position(name)] = encoded(tree.schema[name], value)
    whole = limits or (-math.inf, math.inf, -math.inf, math.inf)
    return list(_Walker(tree, first, second, codes).regions(whole))


@of_models(Tree)
@named_costs
def class_regions(
    tree: Tree,
    x: str,
    y: str,
    *,
    given: Mapping[str, Any] | None = None,
    dataset: Dataset | None = None,
    target: ClassTarget | NDArray[Any] | None = None,
    limits: Limits | None = None,
    cost_matrix: Any = None,
    title: str | None = None,
) -> Chart:
    """What a tree answers for every pair of values of two numeric attributes, with the examples.

    x, y: names of the attributes. given: values of the others; those left out count as unknown. dataset, target:
    examples to show, at most 2000 of them evenly taken. limits: (x low, x high, y low, y high); by default those of the
    examples, without any those of the thresholds. cost_matrix: as in ``tree.answers``. The stronger the colour, the
    surer the answer (of a regression tree: the greater).

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.grow import grow
    >>> data = encode({"x": [1, 2, 3, 4], "y": [1, 5, 2, 6]})
    >>> tree = grow(data, encode_classes(["No", "No", "Yes", "Yes"]), cart_recipe())
    >>> [(mark.name, mark.rectangles) for mark in class_regions(tree, "x", "y", limits=(0, 5, 0, 7)).marks]
    [('No', ((0, 2.5, 0, 7),)), ('Yes', ((2.5, 5, 0, 7),))]
    """
    columns = [np.asarray(dataset.column(name), dtype=np.float64) for name in (x, y)] if dataset is not None else []
    shown = limits or _limits(tree, x, y, columns)
    regions = tree_regions(tree, x, y, given=given, limits=shown)
    marks = _areas(tree, regions, cost_matrix)
    if columns and isinstance(target, ClassTarget):
        marks += _examples(tree, columns, target)
    axes = [Axis(quoted_name(name), limits=bounds) for name, bounds in ((x, shown[:2]), (y, shown[2:]))]
    fixed = ", ".join(f"{quoted_name(name)} = {quoted_value(value, 30)}" for name, value in (given or {}).items())
    others = _asked(tree) - {x, y} - set(given or {})
    note = "; ".join(filter(None, (fixed, "all other attributes unknown" if others else "")))
    return Chart(title or f"Answers by {quoted_name(x)} and {quoted_name(y)}", axes[0], axes[1], tuple(marks), note)


Parts = list[tuple[int, float]]


class _Walker:
    """Follows parts of the plane down a tree."""

    def __init__(self, tree: Tree, x: int, y: int, codes: NDArray[np.float64]) -> None:
        self.tree, self.codes = tree, codes
        self.side = {x: 0, y: 2}  # where the bounds of an attribute stand in a box
        self.answers = tree.distributions()

    def regions(self, whole: Limits) -> Iterator[Region]:
        """Cut boxes until all parts of an example that come to one have been answered."""
        stack: list[tuple[Limits, Parts, NDArray[np.float64]]] = [(whole, [(0, 1.0)], np.zeros(self.answers.shape[1]))]
        while stack:
            box, parts, answer = stack.pop()
            if not parts:
                yield Region(*box, answer)
                continue
            (node, part), others = parts[-1], parts[:-1]
            for piece, shares in self._below(node, box):
                if shares:
                    stack.append((piece, others + [(child, part * share) for child, share in shares], answer))
                else:
                    stack.append((piece, others, answer + part * self.answers[node]))

    def _below(self, node: int, box: Limits) -> list[tuple[Limits, Parts]]:
        """The pieces of a box at a node and the children that take it, with their shares; none: the node answers."""
        view = self.tree.node(node)
        test = view.test
        if test is None:
            return [(box, [])]
        first = int(self.tree.first_child[node])
        pieces = self._pieces(test, box)
        if pieces:
            return [(piece, [(first + branch, 1.0)]) for piece, branch in pieces]
        for surrogate in view.surrogates:
            pieces = self._pieces(surrogate.test, box)
            if pieces:
                return [(piece, [(first + surrogate.children[branch], 1.0)]) for piece, branch in pieces]
        if test.missing_child is not None:
            return [(box, [(first + test.missing_child, 1.0)])]
        weights = self.tree.weight[first : first + test.n_branches]
        total = float(weights.sum())
        return [(box, [(first + i, float(w) / total) for i, w in enumerate(weights) if w > 0] if total > 0 else [])]

    def _pieces(self, test: Question, box: Limits) -> list[tuple[Limits, int]]:
        """The pieces of a box with the branches of a question that take them; none: a value is unknown."""
        positions = [self.tree.schema.position(attribute.name) for attribute in test.attributes]
        if self.side.keys().isdisjoint(positions):
            branch = test.known_branch(*self.codes[positions].tolist())
            return [] if branch is None else [(box, branch)]
        at, pieces = self.side[_only(positions, test)], []
        for branch, (low, high) in enumerate(_bounds(test)):
            piece = list(box)
            piece[at], piece[at + 1] = max(low, box[at]), min(high, box[at + 1])
            if piece[at] < piece[at + 1]:
                pieces.append(((piece[0], piece[1], piece[2], piece[3]), branch))
        return pieces[::-1]


def _only(positions: list[int], test: Question) -> int:
    """The one attribute that a question reads."""
    if len(positions) > 1:
        raise ParameterError(f"Class regions are rectangles; {test} cuts the plane of several attributes otherwise.")
    return positions[0]


def _bounds(test: Question) -> Iterator[tuple[float, float]]:
    """The least and greatest number of each branch; those of an ordered attribute halfway to the next value."""
    half = 0.5 if test.attribute.kind == "ordered" else 0.0
    for condition in test.conditions():
        assert isinstance(condition, Interval)
        yield (condition.low + half, condition.high + half)


def _position(tree: Tree, name: str) -> int:
    """The position of an attribute that is tested by thresholds."""
    numeric = [attribute.name for attribute in tree.schema if attribute.is_numeric]
    if name not in numeric:
        raise ParameterError(choice_message("The attribute of an axis", name, numeric))
    return tree.schema.position(name)


def _asked(tree: Tree) -> set[str]:
    return {tree.schema.attributes[place].name for place in set(tree.reads[1].tolist())}


def _limits(tree: Tree, x: str, y: str, columns: list[NDArray[np.float64]]) -> Limits:
    """The range of the examples, or else of the thresholds, with a little room."""
    limits = []
    for place, name in enumerate((x, y)):
        values = columns[place] if columns else _thresholds(tree, _position(tree, name))
        values = values[np.isfinite(values)]
        low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
        room = 0.05 * (high - low) if columns else 0.25 * (high - low)
        room = room or 0.5
        limits += [low - room, high + room]
    return limits[0], limits[1], limits[2], limits[3]


def _thresholds(tree: Tree, position: int) -> NDArray[np.float64]:
    """All bounds of the branches of the questions that ask an attribute."""
    nodes, positions = tree.reads
    questions = [tree.node(node).test for node in nodes[positions == position].tolist()]
    return np.array([bound for test in questions if test is not None for pair in _bounds(test) for bound in pair])


def _areas(tree: Tree, regions: list[Region], cost_matrix: ArrayLike | None) -> list[Mark]:
    """One mark per class with its rectangles; for numbers one mark."""
    answers = np.array([region.answer for region in regions])
    boxes = [(region.x_low, region.x_high, region.y_low, region.y_high) for region in regions]
    shadings = tree.target_kind.shadings(answers, tree.choices(answers, cost_matrix))
    return [
        Regions(tuple(boxes[place] for place in one.places), one.strengths, one.name, one.colour) for one in shadings
    ]


def _examples(tree: Tree, columns: list[NDArray[np.float64]], target: ClassTarget) -> list[Mark]:
    known = np.flatnonzero(np.isfinite(columns[0]) & np.isfinite(columns[1]))
    if len(known) > MOST_POINTS:
        known = known[np.linspace(0, len(known) - 1, MOST_POINTS).astype(np.int64)]
    size = 3.6 if len(known) <= 400 else 2.4
    marks: list[Mark] = []
    for j, label in enumerate(target.classes):
        rows = known[target.codes[known] == j]
        place = (tree.classes or ()).index(label) if label in (tree.classes or ()) else len(tree.classes or ()) + j
        if len(rows):
            xs, ys = (tuple(column[rows].tolist()) for column in columns)
            marks.append(Points(xs, ys, f"{quoted_value(label, 60)}, examples", place, size))
    return marks

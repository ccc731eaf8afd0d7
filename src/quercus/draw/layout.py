"""The layout of a tree's picture: a place for every box and every branch label, none of which overlap.

A branch's label stands in front of the box it leads to and shares its slot; slots are what the tidy layout keeps apart.
Boxes of one depth stand in one row (from left to right: in one column), and branches bend only between rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from quercus.data.weights import named_costs
from quercus.draw.boxes import Box, BoxMaker
from quercus.draw.tidy import tidy
from quercus.errors import ParameterError, choice_message, shorten
from quercus.fitted.argument import of_models
from quercus.tree.outline import Limits, Outline
from quercus.tree.tree import Tree

Orientation = Literal["top-down", "left-right"]
ORIENTATIONS: tuple[Orientation, ...] = get_args(Orientation)

LABEL_HEIGHT, LABEL_GAP = 15.0, 2.0
NEIGHBOUR_GAP = 14.0
LEAST_BEND, GREATEST_BEND, BEND_SHARE = 22.0, 150.0, 0.05
TITLE_VALUES = 30  # values named in a branch's tooltip

#: Nodes to highlight: numbers, or numbers with the part of an example that comes there.
Highlight = Mapping[int, float] | Iterable[int]


@dataclass(frozen=True)
class Place:
    """A rectangle: its upper left corner and its size."""

    x: float
    y: float
    width: float
    height: float

    def overlaps(self, other: Place) -> bool:
        """Whether two rectangles share more than their borders."""
        apart_x = self.x + self.width <= other.x or other.x + other.width <= self.x
        return not (apart_x or self.y + self.height <= other.y or other.y + other.height <= self.y)


@dataclass(frozen=True)
class Layout:
    """Where everything is.

    boxes: what stands there. parent: the box above, −1 for the root's. places: of the boxes. labels: of the words at
    the branch to each box (of no size at the root). bends: between which two heights (left to right: between which
    two x) the branch to each box bends. width, height: of the whole.

    >>> from quercus.datasets import load_play_tennis
    >>> from quercus import ID3Classifier
    >>> layout = tree_layout(ID3Classifier().fit(*load_play_tennis()).tree_)
    >>> [(box.node, box.heading, box.branch) for box in layout.boxes[:3]]
    [(0, 'Outlook', ''), (1, 'Yes', 'Overcast'), (2, 'Wind', 'Rain')]
    """

    boxes: tuple[Box, ...]
    parent: tuple[int, ...]
    places: tuple[Place, ...]
    labels: tuple[Place, ...]
    bends: tuple[tuple[float, float], ...]
    width: float
    height: float
    orientation: Orientation

    def branch_path(self, number: int) -> str:
        """The line from the box above to this box (from above: to its label), as the data of an SVG path."""
        above, here = self.places[self.parent[number]], self.places[number]
        begin, end = self.bends[number]
        middle = (begin + end) / 2
        if self.orientation == "top-down":
            x0, x1 = above.x + above.width / 2, here.x + here.width / 2
            start = f"M{x0:.1f},{above.y + above.height:.1f}V{begin:.1f}"
            return f"{start}C{x0:.1f},{middle:.1f} {x1:.1f},{middle:.1f} {x1:.1f},{end:.1f}"
        y0, y1 = above.y + above.height / 2, here.y + here.height / 2
        start, finish = f"M{above.x + above.width:.1f},{y0:.1f}H{begin:.1f}", f"H{here.x:.1f}"
        return f"{start}C{middle:.1f},{y0:.1f} {middle:.1f},{y1:.1f} {end:.1f},{y1:.1f}{finish}"


@of_models(Tree)
@named_costs
def tree_layout(
    tree: Tree,
    *,
    max_depth: int | None = None,
    max_nodes: int | None = None,
    max_branches: int | None = None,
    highlight: Highlight | None = None,
    orientation: Orientation | str = "top-down",
    cost_matrix: Any = None,
) -> Layout:
    """Choose what is shown of a tree, and give everything its place.

    max_depth: tests on a path. max_nodes: boxes, about; the heaviest nodes are opened first. max_branches: branches
    shown of one node, the heaviest. None: no limit. highlight: node numbers, or the part of an example at each; these
    nodes are always shown. orientation: "top-down" or "left-right". cost_matrix: as in ``tree.labels``.
    """
    if orientation not in ORIENTATIONS:
        raise ParameterError(choice_message("orientation", orientation, ORIENTATIONS))
    parts = highlighted_parts(tree, highlight)
    lines = None if max_nodes is None else max_nodes - 1 if max_nodes > 1 else max_nodes
    outline = Outline(tree, Limits(max_depth, lines, max_branches), frozenset(parts))
    shown = _shown_boxes(BoxMaker(tree, outline, cost_matrix, parts), outline)
    return _placed(shown, ORIENTATIONS[ORIENTATIONS.index(orientation)])


def highlighted_parts(tree: Tree, highlight: Highlight | None) -> dict[int, float]:
    """The nodes to highlight with their parts; checked."""
    if highlight is None:
        return {}
    pairs = highlight.items() if isinstance(highlight, Mapping) else ((node, 1.0) for node in highlight)
    parts = {int(node): float(part) for node, part in pairs}
    for node, part in parts.items():
        if not 0 <= node < tree.n_nodes:
            raise ParameterError(f"highlight names node {node}, but the tree's nodes are 0 … {tree.n_nodes - 1}.")
        if not 0 <= part <= 1 + 1e-9:
            raise ParameterError(f"highlight gives node {node} the part {shorten(part)}, but it must be from 0 to 1.")
    return {node: part for node, part in parts.items() if part > 0}


@dataclass
class _Shown:
    """The boxes shown, the children of each side by side."""

    boxes: list[Box]
    parent: list[int] = field(default_factory=lambda: [-1])
    depth: list[int] = field(default_factory=lambda: [0])
    first: list[int] = field(default_factory=lambda: [0])
    count: list[int] = field(default_factory=lambda: [0])

    def add(self, parent: int, boxes: list[Box]) -> None:
        """Put the boxes below another."""
        self.first[parent], self.count[parent] = len(self.boxes), len(boxes)
        self.boxes += boxes
        self.parent += [parent] * len(boxes)
        self.depth += [self.depth[parent] + 1] * len(boxes)
        self.first += [0] * len(boxes)
        self.count += [0] * len(boxes)


def _shown_boxes(maker: BoxMaker, outline: Outline) -> _Shown:
    shown = _Shown([maker.of_node(0, outline.is_open(0))])
    place = 0
    while place < len(shown.boxes):
        box = shown.boxes[place]
        if box.kind == "question":
            shown.add(place, _children(maker, outline, box.node))
        place += 1
    return shown


def _children(maker: BoxMaker, outline: Outline, node: int) -> list[Box]:
    rows = outline.rows(node)
    first = maker.first[node]
    test, words = maker.branches(node)
    boxes = []
    for child in rows.shown:
        place = child - first
        branch = words[place], test.branch(place, limit=TITLE_VALUES)
        boxes.append(maker.of_node(child, outline.is_open(child), branch))
    if rows.unseen:
        boxes.append(maker.of_unseen(rows.unseen))
    if rows.left_out:
        boxes.append(maker.of_left_out(rows.left_out))
    return boxes


def _placed(shown: _Shown, orientation: Orientation) -> Layout:
    down = orientation == "top-down"
    boxes = shown.boxes
    if down:
        breadth = [max(box.width, box.branch_width) for box in boxes]
        length = [box.height for box in boxes]
        ahead = [LABEL_HEIGHT + LABEL_GAP if box.branch else 0.0 for box in boxes]
    else:
        breadth = [max(box.height, LABEL_HEIGHT) for box in boxes]
        length = [box.width for box in boxes]
        ahead = [box.branch_width + 2 * LABEL_GAP + 8.0 if box.branch else 0.0 for box in boxes]
    centre, total = tidy(shown.first, shown.count, breadth, NEIGHBOUR_GAP)
    starts, ends, bend_ends, reach = _rows(shown, centre, length, ahead)
    places, labels, bends = [], [], []
    for i, box in enumerate(boxes):
        row = shown.depth[i]
        if down:
            places.append(Place(centre[i] - box.width / 2, starts[row], box.width, box.height))
            height = LABEL_HEIGHT if box.branch else 0.0
            labels.append(
                Place(centre[i] - box.branch_width / 2, starts[row] - LABEL_GAP - height, box.branch_width, height)
            )
        else:
            places.append(Place(starts[row], centre[i] - box.height / 2, box.width, box.height))
            height = LABEL_HEIGHT if box.branch else 0.0
            left = starts[row] - LABEL_GAP - 6.0 - box.branch_width
            labels.append(Place(left, centre[i] - height / 2, box.branch_width, height))
        bends.append((ends[row - 1], bend_ends[row]) if row else (0.0, 0.0))
    size = (total, reach) if down else (reach, total)
    return Layout(tuple(boxes), tuple(shown.parent), tuple(places), tuple(labels), tuple(bends), *size, orientation)


def _rows(
    shown: _Shown, centre: list[float], length: list[float], ahead: list[float]
) -> tuple[list[float], list[float], list[float], float]:
    """Where the boxes of every row begin and where the row ends, where branches to it are straight again, the end.

    The room between two rows grows with the longest way across that a branch has to take there.
    """
    n_rows = max(shown.depth) + 1
    deep, front, across = [0.0] * n_rows, [0.0] * n_rows, [0.0] * n_rows
    for i, row in enumerate(shown.depth):
        deep[row], front[row] = max(deep[row], length[i]), max(front[row], ahead[i])
        if row:
            across[row] = max(across[row], abs(centre[i] - centre[shown.parent[i]]))
    starts, ends, bend_ends, at = [], [], [], 0.0
    for row in range(n_rows):
        if row:
            at += min(max(LEAST_BEND, BEND_SHARE * across[row]), GREATEST_BEND)
        bend_ends.append(at)
        starts.append(at + front[row])
        at += front[row] + deep[row]
        ends.append(at)
    return starts, ends, bend_ends, at

"""The picture of a tree as SVG: boxes with questions and class bars, branches as wide as their share of the examples.

The picture is one self-contained text: no script, no outside font, every name escaped, light and dark.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.data.names import counted
from quercus.data.weights import named_costs
from quercus.draw.boxes import BAR_HEIGHT, PADDING, QUESTION_LINE, QUESTION_SIZE, TEXT_LINE, Box
from quercus.draw.colours import PALETTE, SHADES, ThemeName, checked_theme, fill_of, pattern_definitions
from quercus.draw.layout import Highlight, Layout, Orientation, Place, tree_layout
from quercus.draw.markup import escaped, number, picture
from quercus.draw.tree_legend import tree_header, tree_style
from quercus.fitted.argument import of_models
from quercus.tree.tree import Tree

MARGIN = 16.0
WIDEST_BRANCH = 10.0
DESCRIBED_LINES = 40


@of_models(Tree)
@named_costs
def tree_svg(
    tree: Tree,
    *,
    max_depth: int | None = None,
    max_nodes: int | None = None,
    max_branches: int | None = None,
    highlight: Highlight | None = None,
    orientation: Orientation | str = "top-down",
    theme: ThemeName | str = "auto",
    title: str | None = None,
    legend: bool = True,
    cost_matrix: Any = None,
) -> str:
    """Draw a tree.

    max_depth, max_nodes, max_branches: what is shown at most; a box that hides something says how much. highlight: the
    path of an example: node numbers, or for each the part of the example that comes there. orientation: "top-down" or
    "left-right". theme: "light", "dark", or "auto", as the reader's system is set. title: words above the picture.
    legend: names of the colours. cost_matrix: then leaves answer by least cost.

    >>> from quercus import ID3Classifier
    >>> from quercus.datasets import load_play_tennis
    >>> svg = tree_svg(ID3Classifier().fit(*load_play_tennis()).tree_, title="Shall we play?")
    >>> svg[:4], svg.count('class="question'), svg.count('class="leaf')
    ('<svg', 3, 5)
    """
    name = checked_theme(theme)
    layout = tree_layout(
        tree,
        max_depth=max_depth,
        max_nodes=max_nodes,
        max_branches=max_branches,
        highlight=highlight,
        orientation=orientation,
        cost_matrix=cost_matrix,
    )
    return _Drawing(tree, layout, name, title, legend, highlight is not None).text()


class _Drawing:
    """One picture in the making."""

    def __init__(
        self, tree: Tree, layout: Layout, theme: ThemeName, title: str | None, legend: bool, lit: bool
    ) -> None:
        self.tree, self.layout, self.theme, self.title, self.legend, self.lit = tree, layout, theme, title, legend, lit
        self.whole = float(tree.weight[0]) or 1.0
        self.scale = self.predicted = (0.0, 1.0)
        with np.errstate(over="ignore"):
            intervals = tree.target_kind.interval(tree.value, tree.weight)
        self.shaded = intervals is not None
        if intervals is not None:
            self.scale = _range(intervals[:, 0], intervals[:, 2])
            self.predicted = _range(tree.chosen(), tree.chosen())

    def text(self) -> str:
        """The whole SVG."""
        tree, layout = self.tree, self.layout
        header, header_width, header_height = self._header()
        width = max(layout.width, header_width) + 2 * MARGIN
        height = layout.height + header_height + 2 * MARGIN
        left = (width - layout.width) / 2
        classes = range(len(tree.classes or ()))
        body = [
            pattern_definitions(classes),
            f'<rect class="paper" width="{number(width)}" height="{number(height)}"/>\n',
            f'<g transform="translate({number(MARGIN)},{number(MARGIN)})">{header}</g>\n',
            f'<g transform="translate({number(left)},{number(MARGIN + header_height)})">\n',
            *self._branches(),
            *self._boxes(),
            "</g>\n",
        ]
        what = counted(tree.n_leaves, "leaf", "leaves")
        shown = f"Decision tree: {counted(tree.n_nodes, 'node')}, {what}, depth {tree.depth}"
        return picture(
            "".join(body),
            width,
            height,
            kind="quercus-tree",
            theme=self.theme,
            style=tree_style(self.theme, tree),
            title=self.title or shown,
            description=f"{shown}.\n{tree.to_text(max_nodes=DESCRIBED_LINES, max_branches=10)}",
        )

    def _header(self) -> tuple[str, float, float]:
        hidden = self.tree.n_nodes - sum(box.kind != "folded" for box in self.layout.boxes)
        room = max(self.layout.width, 420.0)
        return tree_header(self.tree, room, self.title, self.legend, hidden, self.predicted, self.lit)

    # Branches

    def _branches(self) -> Iterator[str]:
        """All lines first, then the lit ones above them, then the words."""
        layout = self.layout
        lit = []
        for i in range(1, len(layout.boxes)):
            box = layout.boxes[i]
            width = max(1.0, WIDEST_BRANCH * box.weight / self.whole)
            yield f'<path class="branch" stroke-width="{width:.1f}" d="{layout.branch_path(i)}"/>\n'
            if box.part is not None:
                width = max(1.5, 5.0 * box.part)
                lit.append(f'<path class="lit" stroke-width="{width:.1f}" d="{layout.branch_path(i)}"/>\n')
        yield from lit
        for box, place in zip(layout.boxes[1:], layout.labels[1:], strict=True):
            yield self._label(box, place)

    def _label(self, box: Box, place: Place) -> str:
        middle, base = place.x + place.width / 2, place.y + 11.5
        ground = (
            f'<rect class="paper" x="{place.x:.1f}" y="{place.y:.1f}" width="{place.width:.1f}" '
            f'height="{place.height:.1f}" rx="3"/>'
        )
        bold = " on" if box.part is not None else ""
        return (
            f'<g class="answer">{_tooltip(box.branch_note)}{ground}<text class="text{bold}" x="{middle:.1f}" '
            f'y="{base:.1f}">{escaped(box.branch)}</text></g>\n'
        )

    # Boxes

    def _boxes(self) -> Iterator[str]:
        for box, place in zip(self.layout.boxes, self.layout.places, strict=True):
            ground = self._ground(box, place)
            yield (
                f'<g class="{box.kind}" data-node="{box.node}">{_tooltip(box.note)}{ground}'
                f"{self._words(box, place)}{self._bar(box, place)}</g>\n"
            )

    def _ground(self, box: Box, place: Place) -> str:
        """The box itself; behind a box that hides others the edge of a second one."""
        look = "box"
        if box.kind != "question":
            look = f"shade{self._shade(box)}" if self.shaded else f"tint{int(box.chosen) % len(PALETTE)}"
        if box.weight <= 0 or box.kind == "folded":
            look += " few"
        if box.part is not None:
            look += " chosen"
        radius = 4 if box.kind == "question" else 11
        size = f'width="{place.width:.1f}" height="{place.height:.1f}" rx="{radius}"'
        behind = ""
        if box.kind == "closed" or (box.kind == "folded" and box.weight > 0):
            behind = f'<rect class="behind" x="{place.x + 4:.1f}" y="{place.y + 4:.1f}" {size}/>'
        return f'{behind}<rect class="{look}" x="{place.x:.1f}" y="{place.y:.1f}" {size}/>'

    def _words(self, box: Box, place: Place) -> str:
        middle, base = place.x + place.width / 2, place.y + PADDING + QUESTION_SIZE - 2
        text = f'<text class="head" x="{middle:.1f}" y="{base:.1f}">{escaped(box.heading)}</text>'
        for line in box.lines:
            base += TEXT_LINE if line is not box.lines[0] else QUESTION_LINE - 1
            text += f'<text class="text" x="{middle:.1f}" y="{base:.1f}">{escaped(line)}</text>'
        return text

    def _bar(self, box: Box, place: Place) -> str:
        """The classes as parts of a bar; for numbers an interval with a mark, as their kind of target says."""
        if box.weight <= 0:
            return ""
        x, y = place.x + PADDING, place.y + place.height - PADDING + 2 - BAR_HEIGHT
        width = place.width - 2 * PADDING
        if self.shaded:
            return self._interval_bar(box, x, y, width)
        total, shape = sum(box.parts) or 1.0, f'y="{y:.1f}" height="{BAR_HEIGHT:g}"'
        parts, at = [], x
        for j, value in enumerate(box.parts):
            if value > 0:
                size = width * value / total
                parts.append(
                    f'<rect x="{at:.2f}" y="{y:.1f}" width="{size:.2f}" height="{BAR_HEIGHT:g}" fill="{fill_of(j)}"/>'
                )
                at += size
        frame = f'<rect class="frame" x="{x:.1f}" {shape} width="{width:.1f}"/>'
        return "".join(parts) + frame

    def _interval_bar(self, box: Box, x: float, y: float, width: float) -> str:
        low, high = self.scale
        shares = ((value - low) / (high - low) for value in box.interval)
        begin, middle, end = (x + width * min(max(share, 0.0), 1.0) for share in shares)
        return (
            f'<path class="axis" d="M{x:.1f},{y + BAR_HEIGHT / 2:.1f}h{width:.1f}"/>'
            f'<rect class="spread" x="{begin:.1f}" y="{y + 1:.1f}" width="{max(end - begin, 0.5):.1f}" '
            f'height="{BAR_HEIGHT - 2:g}"/>'
            f'<rect class="mean" x="{middle - 1.25:.1f}" y="{y - 1:.1f}" width="2.5" height="{BAR_HEIGHT + 2:g}"/>'
        )

    def _shade(self, box: Box) -> int:
        low, high = self.predicted
        share = (box.chosen - low) / (high - low)
        return min(max(int(share * SHADES), 0), SHADES - 1)


def _range(low: NDArray[np.float64], high: NDArray[np.float64]) -> tuple[float, float]:
    """The least and the greatest of some numbers, never the same."""
    least, greatest = float(np.nan_to_num(low).min()), float(np.nan_to_num(high).max())
    return (least, greatest) if greatest > least else (least - 0.5, least + 0.5 + abs(least) * 1e-9)


def _tooltip(words: str) -> str:
    return f"<title>{escaped(words)}</title>"

"""The marks of a chart as SVG elements, and their samples in the legend."""

from __future__ import annotations

import math
from collections.abc import Sequence

from quercus.draw.advance import fitted, text_width
from quercus.draw.chart import Band, Bars, Cells, Colour, ErrorBars, Line, Mark, Points, Reference, Regions, Style
from quercus.draw.colours import PALETTE, SHADES, fill_of, pattern_definitions
from quercus.draw.markup import escaped
from quercus.draw.scale import Ruler

_DASHES: dict[Style, str] = {"solid": "", "dashed": ' stroke-dasharray="7 4"', "dotted": ' stroke-dasharray="2 3"'}
_SIZE = 11.0


def legend_items(marks: Sequence[Mark]) -> list[tuple[str, str]]:
    """The names of the marks that have one, each with a drawn sample 20 wide."""
    items, seen = [], set()
    for mark in marks:
        if isinstance(mark, Cells) or not mark.name or mark.name in seen:
            continue
        seen.add(mark.name)
        items.append((mark.name, _sample(mark)))
    return items


def _sample(mark: Mark) -> str:
    if isinstance(mark, Line):
        line = f'<path class="line {_stroke(mark.colour)}"{_DASHES[mark.style]} d="M0,6.5H21"/>'
        return line + (_shape(mark.colour, 10.5, 6.5, 4.0) if mark.markers else "")
    if isinstance(mark, Points):
        return _shape(mark.colour, 10.5, 6.5, 5.0)
    if isinstance(mark, Reference):
        return f'<path class="reference"{_DASHES[mark.style]} d="{"M10.5,0V13" if mark.axis == "x" else "M0,6.5H21"}"/>'
    if isinstance(mark, ErrorBars):
        path = "M2,6.5h17M2,2.5v8M19,2.5v8" if mark.horizontal else "M10.5,0v13M6.5,0h8M6.5,13h8"
        return f'<path class="reference {_stroke(mark.colour)}" d="{path}"/>'
    opacity = ' fill-opacity="0.3"' if isinstance(mark, Band) else ' fill-opacity="0.45"'
    if isinstance(mark, Bars):
        opacity = ""
    assert not isinstance(mark, Cells)
    return f'<rect class="bar" x="2" y="0.5" width="19" height="12"{_fill(mark.colour)}{opacity}/>'


def _stroke(colour: Colour) -> str:
    return f"stroke-{colour}" if isinstance(colour, str) else f"stroke{colour % len(PALETTE)}"


def _fill(colour: Colour) -> str:
    """The fill as an attribute; ink and muted, which depend on the theme, through a style class on the element."""
    return f' fill="{fill_of(colour)}"' if isinstance(colour, int) else ""


def _fill_class(colour: Colour) -> str:
    return f" fill-{colour}" if isinstance(colour, str) else ""


def _shape(colour: Colour, x: float, y: float, size: float) -> str:
    """A point: circle, square, triangle or diamond, by its colour."""
    kind = colour % 4 if isinstance(colour, int) else 0
    paint = f'class="mark{_fill_class(colour)}"{_fill(colour)}'
    if kind == 0:
        return f'<circle {paint} cx="{x:.1f}" cy="{y:.1f}" r="{size:g}"/>'
    half = size * (0.9, 1.25, 1.3)[kind - 1]
    path = (
        f"M{x - half:.1f},{y - half:.1f}h{2 * half:.1f}v{2 * half:.1f}h{-2 * half:.1f}z",
        f"M{x:.1f},{y - half:.1f}l{half:.1f},{1.8 * half:.1f}h{-2 * half:.1f}z",
        f"M{x:.1f},{y - half:.1f}l{half:.1f},{half:.1f}l{-half:.1f},{half:.1f}l{-half:.1f},{-half:.1f}z",
    )[kind - 1]
    return f'<path {paint} d="{path}"/>'


class MarkWriter:
    """Draws marks between the rulers of two axes; ``words`` collects the texts, which stand above all marks."""

    def __init__(self, x: Ruler, y: Ruler) -> None:
        self.x, self.y = x, y
        self.words: list[str] = []
        self._colours: set[int] = set()

    def definitions(self) -> str:
        """The patterns of the colours that have one (of the first 32)."""
        return pattern_definitions(sorted(self._colours))

    def draw(self, mark: Mark) -> str:
        """One mark."""
        colour = getattr(mark, "colour", None)
        if isinstance(colour, int):
            self._colours.add(colour)
        if isinstance(mark, Line):
            return self._line(mark)
        if isinstance(mark, Points):
            places = self._finite(mark.x, mark.y)
            return "".join(_shape(mark.colour, x, y, mark.size) for x, y in places)
        if isinstance(mark, Bars):
            return self._bars(mark)
        if isinstance(mark, ErrorBars):
            return self._error_bars(mark)
        if isinstance(mark, Band):
            above, below = self._finite(mark.x, mark.high), self._finite(mark.x, mark.low)
            path = "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in [*above, *reversed(below)]) + "z"
            return (
                f'<path class="region{_fill_class(mark.colour)}"{_fill(mark.colour)} fill-opacity="0.22" d="{path}"/>'
            )
        if isinstance(mark, Reference):
            return self._reference(mark)
        return self._regions(mark) if isinstance(mark, Regions) else self._cells(mark)

    def _finite(self, x: Sequence[float], y: Sequence[float]) -> list[tuple[float, float]]:
        pairs = zip(x, y, strict=True)
        return [(self.x.place(a), self.y.place(b)) for a, b in pairs if math.isfinite(a) and math.isfinite(b)]

    def _line(self, mark: Line) -> str:
        places = self._finite(mark.x, mark.y)
        if not places:
            return ""
        path = f"M{places[0][0]:.1f},{places[0][1]:.1f}"
        for x, y in places[1:]:
            path += f"H{x:.1f}V{y:.1f}" if mark.step else f"L{x:.1f},{y:.1f}"
        drawn = f'<path class="line {_stroke(mark.colour)}"{_DASHES[mark.style]} d="{path}"/>'
        if mark.markers:
            drawn += "".join(_shape(mark.colour, x, y, 3.6) for x, y in places)
        return drawn

    def _bars(self, mark: Bars) -> str:
        drawn = []
        along, across = (self.x, self.y) if mark.horizontal else (self.y, self.x)
        zero = along.place(min(max(mark.base, along.low), along.high))
        for i, (at, length) in enumerate(zip(mark.at, mark.length, strict=True)):
            end = along.place(length)
            one, other = sorted((across.place(at - mark.width / 2), across.place(at + mark.width / 2)))
            low, high = sorted((zero, end))
            box = (low, one, high - low, other - one) if mark.horizontal else (one, low, other - one, high - low)
            size = f'x="{box[0]:.1f}" y="{box[1]:.1f}" width="{box[2]:.1f}" height="{box[3]:.1f}"'
            drawn.append(f'<rect class="bar{_fill_class(mark.colour)}"{_fill(mark.colour)} {size}/>')
            if mark.texts and mark.texts[i]:
                middle = (one + other) / 2
                place = (high + 5, middle + 4, "") if mark.horizontal else (middle, low - 4, " middle")
                self._word(mark.texts[i], *place)
        return "".join(drawn)

    def _error_bars(self, mark: ErrorBars) -> str:
        path = ""
        if mark.horizontal:
            for y, low, high in zip(mark.x, mark.low, mark.high, strict=True):
                at, left, right = self.y.place(y), self.x.place(low), self.x.place(high)
                path += f"M{left:.1f},{at:.1f}H{right:.1f}M{left:.1f},{at - 4:.1f}v8M{right:.1f},{at - 4:.1f}v8"
            return f'<path class="reference {_stroke(mark.colour)}" d="{path}"/>'
        for x, low, high in zip(mark.x, mark.low, mark.high, strict=True):
            at, bottom, top = self.x.place(x), self.y.place(low), self.y.place(high)
            path += f"M{at:.1f},{bottom:.1f}V{top:.1f}M{at - 4:.1f},{top:.1f}h8M{at - 4:.1f},{bottom:.1f}h8"
        return f'<path class="reference {_stroke(mark.colour)}" d="{path}"/>'

    def _reference(self, mark: Reference) -> str:
        left, right = sorted((self.x.start, self.x.end))
        top, bottom = sorted((self.y.start, self.y.end))
        if mark.axis == "diagonal":
            low, high = max(self.x.low, self.y.low), min(self.x.high, self.y.high)
            path = f"M{self.x.place(low):.1f},{self.y.place(low):.1f}L{self.x.place(high):.1f},{self.y.place(high):.1f}"
        elif mark.axis == "y":
            path = f"M{left:.1f},{self.y.place(mark.value):.1f}H{right:.1f}"
        else:
            path = f"M{self.x.place(mark.value):.1f},{top:.1f}V{bottom:.1f}"
        return f'<path class="reference"{_DASHES[mark.style]} d="{path}"/>'

    def _regions(self, mark: Regions) -> str:
        drawn = []
        for (x0, x1, y0, y1), strength in zip(mark.rectangles, mark.strengths, strict=True):
            left, right = self.x.place(x0), self.x.place(x1)
            top, bottom = sorted((self.y.place(y0), self.y.place(y1)))
            if right > left and bottom > top:
                drawn.append(
                    f'<rect x="{left:.2f}" y="{top:.2f}" width="{right - left:.2f}" height="{bottom - top:.2f}" '
                    f'fill-opacity="{0.12 + 0.4 * strength:.2f}"/>'
                )
        return f'<g class="region" shape-rendering="crispEdges"{_fill(mark.colour)}>{"".join(drawn)}</g>'

    def _cells(self, mark: Cells) -> str:
        drawn = []
        for row, (strengths, texts) in enumerate(zip(mark.strengths, mark.texts, strict=True)):
            for column, (strength, text) in enumerate(zip(strengths, texts, strict=True)):
                left, right = self.x.place(column - 0.5), self.x.place(column + 0.5)
                top, bottom = sorted((self.y.place(row - 0.5), self.y.place(row + 0.5)))
                shade = min(int(strength * SHADES), SHADES - 1)
                size = f'x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{bottom - top:.1f}"'
                drawn.append(f'<rect class="shade{shade}" {size}/>')
                if mark.outlined and row == column:
                    inner = (
                        f'x="{left + 2:.1f}" y="{top + 2:.1f}" width="{right - left - 4:.1f}" '
                        f'height="{bottom - top - 4:.1f}"'
                    )
                    drawn.append(f'<rect class="reference" {inner}/>')
                self._cell_words(text, (left + right) / 2, (top + bottom) / 2, right - left, bottom - top)
        return "".join(drawn)

    def _cell_words(self, text: str, x: float, y: float, width: float, height: float) -> None:
        """The lines of a cell that it has room for."""
        lines = text.split("\n")[: max(int(height // 14), 0)]
        for place, line in enumerate(lines):
            if text_width(line, _SIZE) > width - 2:
                continue
            base = y + 4 + 14 * (place - (len(lines) - 1) / 2)
            strong = " strong" if place == 0 else ""
            self.words.append(
                f'<text class="word plain middle{strong}" x="{x:.1f}" y="{base:.1f}">{escaped(line)}</text>'
            )

    def _word(self, text: str, x: float, y: float, anchor: str) -> None:
        self.words.append(
            f'<text class="word{anchor}" x="{x:.1f}" y="{y:.1f}">{escaped(fitted(text, 260, _SIZE))}</text>'
        )

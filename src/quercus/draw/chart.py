"""A chart as a value: axes and marks, which a renderer of our own draws as SVG and matplotlib on its axes.

Marks are in the units of the data. A colour is a position in the palette, or "ink" or "muted".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from quercus.errors import ParameterError, choice_message

Colour = int | Literal["ink", "muted"]
Style = Literal["solid", "dashed", "dotted"]
Scale = Literal["linear", "log", "categories"]
Numbers = Sequence[float]
SCALES: tuple[Scale, ...] = ("linear", "log", "categories")


@dataclass(frozen=True)
class Axis:
    """One axis.

    label: its words. scale: "linear", "log", or "categories", the places 0, 1, … of ``names``. limits: least and
    greatest value; by default those of the marks with some room. ticks: values to mark; by default round ones.
    downwards: the least value of a vertical axis on top.
    """

    label: str = ""
    scale: Scale = "linear"
    limits: tuple[float, float] | None = None
    ticks: tuple[float, ...] | None = None
    names: tuple[str, ...] = ()
    downwards: bool = False

    def __post_init__(self) -> None:
        """Check the scale and the limits."""
        if self.scale not in SCALES:
            raise ParameterError(choice_message("scale", self.scale, SCALES))
        if self.limits is not None and not self.limits[0] < self.limits[1]:
            raise ParameterError(f"limits are {self.limits}, but the second must be greater than the first.")
        if self.scale == "log" and self.limits is not None and self.limits[0] <= 0:
            raise ParameterError(f"limits are {self.limits}, but a log axis needs numbers above 0.")


@dataclass(frozen=True)
class Line:
    """A line through points; ``step``: each value stays until the next."""

    x: Numbers
    y: Numbers
    name: str = ""
    colour: Colour = 0
    style: Style = "solid"
    markers: bool = False
    step: bool = False


@dataclass(frozen=True)
class Points:
    """Single points; their shape goes with their colour."""

    x: Numbers
    y: Numbers
    name: str = ""
    colour: Colour = 0
    size: float = 4.0


@dataclass(frozen=True)
class Bars:
    """Bars from ``base`` at places of the other axis; ``texts`` stand at their ends, ``width`` is in its units."""

    at: Numbers
    length: Numbers
    name: str = ""
    colour: Colour = 0
    texts: Sequence[str] = ()
    horizontal: bool = False
    width: float = 0.7
    base: float = 0.0


@dataclass(frozen=True)
class ErrorBars:
    """Bars with caps from low to high at places of the x axis; horizontal ones at places of the y axis."""

    x: Numbers
    low: Numbers
    high: Numbers
    name: str = ""
    colour: Colour = 0
    horizontal: bool = False


@dataclass(frozen=True)
class Band:
    """The area between two lines."""

    x: Numbers
    low: Numbers
    high: Numbers
    name: str = ""
    colour: Colour = 0


@dataclass(frozen=True)
class Reference:
    """A straight line across the chart: at a value of the x or the y axis, or the diagonal x = y."""

    value: float
    axis: Literal["x", "y", "diagonal"] = "y"
    name: str = ""
    style: Style = "dashed"


@dataclass(frozen=True)
class Regions:
    """Rectangles (x from, x to, y from, y to) of one colour, each with its strength from 0 to 1."""

    rectangles: Sequence[tuple[float, float, float, float]]
    strengths: Numbers
    name: str = ""
    colour: Colour = 0


@dataclass(frozen=True)
class Cells:
    """A heat map: row by row a strength from 0 to 1 and lines of text for each cell; rows and columns at 0, 1, …"""

    strengths: Sequence[Numbers]
    texts: Sequence[Sequence[str]]
    outlined: bool = False  # the diagonal


Mark = Line | Points | Bars | ErrorBars | Band | Reference | Regions | Cells


@dataclass(frozen=True)
class Chart:
    """A chart; made by one of the functions of ``quercus.draw``.

    title: words above it. x, y: the axes. marks: drawn in their order. note: a line of small words below the title.
    width, height: of the picture, where others are not asked for.

    >>> chart = Chart("Squares", Axis("x"), Axis("x²"), (Line((0, 1, 2), (0, 1, 4), name="square"),))
    >>> chart
    <Chart: Squares>
    >>> chart.to_svg(theme="light")[:4]
    '<svg'
    """

    title: str
    x: Axis
    y: Axis
    marks: tuple[Mark, ...]
    note: str = ""
    width: float = 640.0
    height: float = 400.0

    def to_svg(self, *, width: float | None = None, height: float | None = None, theme: str = "auto") -> str:
        """The chart as SVG. width, height: in pixels. theme: "light", "dark" or "auto"."""
        from quercus.draw.chart_svg import chart_svg

        return chart_svg(self, width=width or self.width, height=height or self.height, theme=theme)

    def to_matplotlib(self, ax: Any = None) -> Any:
        """Draw the chart on matplotlib axes, new ones if none are given, and return them (extra ``plot``)."""
        from quercus.draw.chart_matplotlib import draw_on_axes

        return draw_on_axes(self, ax)

    def _repr_svg_(self) -> str:
        """The picture, for notebooks."""
        return self.to_svg()

    def __repr__(self) -> str:
        """The title."""
        return f"<Chart: {self.title}>"

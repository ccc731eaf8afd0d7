"""Charts on matplotlib axes (extra ``plot``)."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

from quercus.data.names import shortened
from quercus.draw.chart import Axis, Band, Bars, Cells, Chart, Colour, ErrorBars, Line, Points, Reference, Regions
from quercus.draw.colours import LIGHT, PALETTE, SHADES, colour_of, shade_of
from quercus.draw.scale import axis_limits, ticks
from quercus.errors import missing_extra

_DASHES = {"solid": "-", "dashed": "--", "dotted": ":"}
_SHAPES = "os^D"
_HATCHES = ("", "///", "...", "xxx")


def draw_on_axes(chart: Chart, ax: Any = None) -> Any:
    """Draw all of a chart on axes, new ones if none are given; return them."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise missing_extra("matplotlib", "plot") from error
    if ax is None:
        _, ax = plt.subplots(figsize=(chart.width / 100, chart.height / 100), layout="constrained")
    for mark in chart.marks:
        _DRAWERS[type(mark)](ax, mark)
    _set_axis(ax, chart.x, axis_limits(chart, vertical=False), vertical=False)
    _set_axis(ax, chart.y, axis_limits(chart, vertical=True), vertical=True)
    lines = [chart.title, *textwrap.wrap(chart.note, 80)]
    ax.set_title(_plain("\n".join(filter(None, lines))), fontsize=10, loc="left")
    handles, names = ax.get_legend_handles_labels()
    if names:
        unique = dict(zip(names, handles, strict=True))
        ax.legend(unique.values(), [_plain(name) for name in unique], fontsize=8)
    return ax


def _plain(text: str) -> str:
    """Text without mathematics: matplotlib reads what stands between two dollar signs as a formula."""
    return text.replace("$", r"\$")


def _set_axis(ax: Any, axis: Axis, limits: tuple[float, float], vertical: bool) -> None:
    side = "y" if vertical else "x"
    if axis.scale == "log":
        getattr(ax, f"set_{side}scale")("log")
    marked = ticks(axis, *limits)
    if axis.scale == "categories" and not vertical and len(marked) > 16:
        marked = marked[:: -(-len(marked) // 16)]
    getattr(ax, f"set_{side}ticks")(
        [value for value, _ in marked], [_plain(shortened(text, 40)) for _, text in marked], fontsize=8
    )
    getattr(ax, f"{side}axis").minorticks_off()
    getattr(ax, f"set_{side}lim")(*(reversed(limits) if axis.downwards else limits))
    getattr(ax, f"set_{side}label")(_plain(axis.label))
    if axis.scale != "categories":
        ax.grid(axis=side, color=LIGHT.grid, zorder=0)
        ax.set_axisbelow(True)


def _paint(colour: Colour) -> str:
    return colour_of(colour) if isinstance(colour, int) else getattr(LIGHT, colour)


def _shape(colour: Colour) -> str:
    return _SHAPES[colour % 4] if isinstance(colour, int) else "o"


def _hatch(colour: Colour) -> str:
    return _HATCHES[colour // len(PALETTE) % len(_HATCHES)] if isinstance(colour, int) else ""


def _line(ax: Any, mark: Line) -> None:
    ax.plot(
        mark.x,
        mark.y,
        color=_paint(mark.colour),
        linestyle=_DASHES[mark.style],
        marker=_shape(mark.colour) if mark.markers else None,
        markersize=5,
        drawstyle="steps-post" if mark.step else "default",
        label=mark.name or None,
    )


def _points(ax: Any, mark: Points) -> None:
    ax.scatter(
        mark.x,
        mark.y,
        s=mark.size**2 * 2,
        color=_paint(mark.colour),
        marker=_shape(mark.colour),
        edgecolors="white",
        linewidths=0.6,
        label=mark.name or None,
        zorder=3,
    )


def _bars(ax: Any, mark: Bars) -> None:
    draw = ax.barh if mark.horizontal else ax.bar
    kind, base = ("height", "left") if mark.horizontal else ("width", "bottom")
    lengths = [length - mark.base for length in mark.length]
    more = {kind: mark.width, base: mark.base}
    bars = draw(mark.at, lengths, color=_paint(mark.colour), label=mark.name or None, **more)
    if mark.texts:
        ax.bar_label(bars, labels=[_plain(text) for text in mark.texts], fontsize=8, padding=2)


def _error_bars(ax: Any, mark: ErrorBars) -> None:
    middle = [(low + high) / 2 for low, high in zip(mark.low, mark.high, strict=True)]
    half = [(high - low) / 2 for low, high in zip(mark.low, mark.high, strict=True)]
    look: dict[str, Any] = {"fmt": "none", "ecolor": _paint(mark.colour), "capsize": 3, "label": mark.name or None}
    if mark.horizontal:
        ax.errorbar(middle, mark.x, xerr=half, **look)
    else:
        ax.errorbar(mark.x, middle, half, **look)


def _band(ax: Any, mark: Band) -> None:
    ax.fill_between(
        mark.x, mark.low, mark.high, color=_paint(mark.colour), alpha=0.22, linewidth=0, label=mark.name or None
    )


def _reference(ax: Any, mark: Reference) -> None:
    look: dict[str, Any] = {"color": LIGHT.muted, "linestyle": _DASHES[mark.style], "linewidth": 1}
    look["label"] = mark.name or None
    if mark.axis == "diagonal":
        ax.axline((0, 0), slope=1, **look)
    else:
        (ax.axhline if mark.axis == "y" else ax.axvline)(mark.value, **look)


def _regions(ax: Any, mark: Regions) -> None:
    from matplotlib.patches import Rectangle

    label = mark.name or None
    for (x0, x1, y0, y1), strength in zip(mark.rectangles, mark.strengths, strict=True):
        ax.add_patch(
            Rectangle(
                (x0, y0),
                x1 - x0,
                y1 - y0,
                facecolor=_paint(mark.colour),
                alpha=0.12 + 0.4 * strength,
                linewidth=0,
                hatch=_hatch(mark.colour) or None,
                label=label,
            )
        )
        label = None


def _cells(ax: Any, mark: Cells) -> None:
    from matplotlib.patches import Rectangle

    for row, (strengths, texts) in enumerate(zip(mark.strengths, mark.texts, strict=True)):
        for column, (strength, text) in enumerate(zip(strengths, texts, strict=True)):
            shade = shade_of(min(int(strength * SHADES), SHADES - 1), LIGHT)
            edge = LIGHT.muted if mark.outlined and row == column else "white"
            ax.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=shade, edgecolor=edge))
            ax.text(column, row, _plain(text), ha="center", va="center", fontsize=8, color=LIGHT.ink, clip_on=True)


_DRAWERS: dict[type, Callable[[Any, Any], None]] = {
    Line: _line,
    Points: _points,
    Bars: _bars,
    ErrorBars: _error_bars,
    Band: _band,
    Reference: _reference,
    Regions: _regions,
    Cells: _cells,
}

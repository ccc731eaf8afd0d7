"""Charts as SVG: the frame (title, legend, axes) and the marks in it."""

from __future__ import annotations

from dataclasses import dataclass

from quercus.draw.advance import fitted, text_width, wrapped
from quercus.draw.chart import Axis, Chart
from quercus.draw.chart_marks import MarkWriter, legend_items
from quercus.draw.colours import DARK, LIGHT, PALETTE, SHADES, checked_theme, shade_of, style_sheet
from quercus.draw.markup import escaped, number, picture
from quercus.draw.scale import Ruler, axis_limits, ticks
from quercus.draw.tree_legend import LINE, flow

TITLE_SIZE, LABEL_SIZE, TICK_SIZE = 15.0, 12.0, 11.0
MARGIN, NAME_ROOM = 14.0, 170.0


@dataclass(frozen=True)
class Frame:
    """Where the plot stands in the picture: left, right, top, bottom; and the rulers of both axes."""

    left: float
    right: float
    top: float
    bottom: float
    x: Ruler
    y: Ruler


def chart_svg(chart: Chart, *, width: float = 640.0, height: float = 400.0, theme: str = "auto") -> str:
    """Draw a chart as SVG of so many pixels."""
    name = checked_theme(theme)
    header, header_height = _header(chart, width - 2 * MARGIN)
    frame = _frame(chart, width, height, MARGIN + header_height)
    writer = MarkWriter(frame.x, frame.y)
    marks = "".join(writer.draw(mark) for mark in chart.marks)
    body = [
        writer.definitions(),
        f'<rect class="paper" width="{number(width)}" height="{number(height)}"/>\n',
        f'<g transform="translate({number(MARGIN)},{number(MARGIN)})">{header}</g>\n',
        _grid(chart, frame),
        f"<g>{marks}</g>\n",
        _axes(chart, frame),
        f"<g>{''.join(writer.words)}</g>\n",
    ]
    names = ", ".join(text for text, _ in legend_items(chart.marks))
    description = f"Chart of {chart.y.label or 'values'} against {chart.x.label or 'values'}" + (names and f": {names}")
    return picture(
        "".join(body),
        width,
        height,
        kind="quercus-chart",
        theme=name,
        style=style_sheet("quercus-chart", name, _rules(), _FIXED),
        title=chart.title or description,
        description=f"{description}. {chart.note}".strip(),
    )


def _header(chart: Chart, room: float) -> tuple[str, float]:
    """The title, the note and the legend, with their height."""
    parts, at = [], 0.0
    if chart.title:
        words = fitted(chart.title, room, TITLE_SIZE, True)
        parts.append(f'<text class="title" x="0" y="{at + 13:g}">{escaped(words)}</text>')
        at += 22
    lines = wrapped(chart.note, room, TICK_SIZE)
    for line in lines:
        parts.append(f'<text class="note" x="0" y="{at + 10:g}">{escaped(line)}</text>')
        at += 14
    at += 4 if lines else 0
    items, legend = [], legend_items(chart.marks)
    for name, drawing in legend:
        words = fitted(name, NAME_ROOM * 1.5 if len(legend) > 1 else room - 27, TICK_SIZE)
        text = f'{drawing}<text class="note" x="27" y="10.5">{escaped(words)}</text>'
        items.append((text, 27 + text_width(words, TICK_SIZE)))
    if items:
        text, _, rows = flow(items, room)
        parts.append(f'<g transform="translate(0,{at + 2:g})">{text}</g>')
        at += rows * LINE + 4
    return "".join(parts), at + 4


def _frame(chart: Chart, width: float, height: float, top: float) -> Frame:
    """Leave room for the words at the axes, then stretch the rulers over what is left."""
    low, high = axis_limits(chart, vertical=True)
    words = [_tick_words(chart.y, text) for _, text in ticks(chart.y, low, high)]
    left = MARGIN + max((text_width(text, TICK_SIZE) for text in words), default=0.0) + 8
    left += LABEL_SIZE + 8 if chart.y.label else 0
    lines = max((name.count("\n") + 1 for name in chart.x.names), default=1)
    bottom = height - MARGIN - 8 - 13 * lines - (LABEL_SIZE + 8 if chart.x.label else 0)
    right = width - MARGIN - 6
    top += 4
    ends = (top, bottom) if chart.y.downwards else (bottom, top)
    x_low, x_high = axis_limits(chart, vertical=False)
    return Frame(
        left,
        right,
        top,
        bottom,
        Ruler(x_low, x_high, left, right, chart.x.scale == "log"),
        Ruler(low, high, *ends, chart.y.scale == "log"),
    )


def _tick_words(axis: Axis, text: str) -> str:
    return fitted(text, NAME_ROOM, TICK_SIZE) if axis.scale == "categories" else text


def _grid(chart: Chart, frame: Frame) -> str:
    lines = []
    if chart.x.scale != "categories":
        for value, _ in ticks(chart.x, frame.x.low, frame.x.high):
            lines.append(f"M{frame.x.place(value):.1f},{frame.top:.1f}V{frame.bottom:.1f}")
    if chart.y.scale != "categories":
        for value, _ in ticks(chart.y, frame.y.low, frame.y.high):
            lines.append(f"M{frame.left:.1f},{frame.y.place(value):.1f}H{frame.right:.1f}")
    return f'<path class="grid" d="{"".join(lines)}"/>\n' if lines else ""


def _axes(chart: Chart, frame: Frame) -> str:
    parts = [
        f'<path class="axis" d="M{frame.left:.1f},{frame.top:.1f}V{frame.bottom:.1f}H{frame.right:.1f}"/>\n',
        *_x_words(chart, frame),
    ]
    for value, text in ticks(chart.y, frame.y.low, frame.y.high):
        y = frame.y.place(value) + 4
        words = escaped(_tick_words(chart.y, text))
        parts.append(f'<text class="tick end" x="{frame.left - 6:.1f}" y="{y:.1f}">{words}</text>')
    middle = (frame.top + frame.bottom) / 2
    if chart.y.label:
        x, words = MARGIN + LABEL_SIZE - 3, escaped(fitted(chart.y.label, frame.bottom - frame.top, LABEL_SIZE))
        parts.append(f'<text class="label" transform="translate({x:.1f},{middle:.1f}) rotate(-90)">{words}</text>')
    if chart.x.label:
        lines = max((name.count("\n") + 1 for name in chart.x.names), default=1)
        y = frame.bottom + 12 + 13 * lines + LABEL_SIZE - 2
        words = escaped(fitted(chart.x.label, frame.right - frame.left, LABEL_SIZE))
        parts.append(f'<text class="label" x="{(frame.left + frame.right) / 2:.1f}" y="{y:.1f}">{words}</text>')
    return "".join(parts) + "\n"


def _x_words(chart: Chart, frame: Frame) -> list[str]:
    """The words below the horizontal axis; those that would touch the one before are left out."""
    parts, marked, last = [], [], float("-inf")
    marks = ticks(chart.x, frame.x.low, frame.x.high)
    wide = (frame.right - frame.left) / max(len(marks), 1)
    one_line = not any("\n" in text for _, text in marks)
    shorten_to = wide - 8 if chart.x.scale == "categories" and wide >= 40 and one_line else NAME_ROOM
    for value, text in marks:
        x = frame.x.place(value)
        lines = [fitted(line, shorten_to, TICK_SIZE) for line in text.split("\n")]
        half = max(text_width(line, TICK_SIZE) for line in lines) / 2
        if x - half < last + 6:
            continue
        last = x + half
        if chart.x.scale == "categories":
            marked.append(f"M{x:.1f},{frame.bottom:.1f}v4")
        for place, line in enumerate(lines):
            y = frame.bottom + 15 + 13 * place
            parts.append(f'<text class="tick middle" x="{x:.1f}" y="{y:.1f}">{escaped(line)}</text>')
    parts.append(f'<path class="axis" d="{"".join(marked)}"/>' if marked else "")
    return parts


_FIXED = {
    "title": f"font-size:{TITLE_SIZE:g}px;font-weight:bold",
    "note": f"font-size:{TICK_SIZE:g}px",
    "tick": f"font-size:{TICK_SIZE:g}px",
    "label": f"font-size:{LABEL_SIZE:g}px;text-anchor:middle",
    "word": f"font-size:{TICK_SIZE:g}px",
    "strong": "font-weight:bold",
    "halo": "stroke-width:3px;stroke-linejoin:round",
    "middle": "text-anchor:middle",
    "end": "text-anchor:end",
    "grid": "fill:none;stroke-width:1",
    "axis": "fill:none;stroke-width:1",
    "line": "fill:none;stroke-width:2.25;stroke-linejoin:round",
    "reference": "fill:none;stroke-width:1.25",
    "region": "stroke:none",
    "bar": "stroke-width:0.75",
    "mark": "stroke-width:1",
    **{f"stroke{j}": f"stroke:{colour}" for j, colour in enumerate(PALETTE)},
}


def _rules() -> dict[str, tuple[str, str]]:
    looks = {
        "paper": "fill:{paper}",
        "title": "fill:{ink}",
        "note": "fill:{muted}",
        "tick": "fill:{muted}",
        "label": "fill:{ink}",
        "word": "fill:{ink}",
        "halo": "fill:{paper};stroke:{paper}",
        "grid": "stroke:{grid}",
        "axis": "stroke:{border}",
        "reference": "stroke:{muted}",
        "bar": "stroke:{border}",
        "mark": "stroke:{paper}",
        "stroke-ink": "stroke:{ink}",
        "stroke-muted": "stroke:{muted}",
        "fill-ink": "fill:{ink}",
        "fill-muted": "fill:{muted}",
    }
    rules = {name: (look.format(**vars(LIGHT)), look.format(**vars(DARK))) for name, look in looks.items()}
    for step in range(SHADES):
        pair = [f"fill:{shade_of(step, look)};stroke:{look.paper}" for look in (LIGHT, DARK)]
        rules[f"shade{step}"] = pair[0], pair[1]
    return rules

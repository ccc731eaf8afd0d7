"""The legend above a tree's picture, and the look of the picture's parts in both themes."""

from __future__ import annotations

from collections.abc import Sequence

from quercus.data.names import counted, quoted_value, significant
from quercus.draw.advance import fitted, text_width
from quercus.draw.boxes import QUESTION_SIZE, TEXT_SIZE
from quercus.draw.colours import (
    DARK,
    LIGHT,
    PALETTE,
    SHADES,
    ThemeName,
    colour_of,
    fill_of,
    shade_of,
    style_sheet,
    tint_of,
)
from quercus.draw.markup import escaped
from quercus.tree.tree import Tree

TITLE_SIZE = 16.0
LINE, SWATCH, CLASSES, NAME_ROOM = 20.0, 12.0, 32, 150.0


def tree_header(
    tree: Tree,
    room: float,
    title: str | None,
    legend: bool,
    hidden: int,
    predicted: tuple[float, float],
    lit: bool,
) -> tuple[str, float, float]:
    """The title, the legend and a word on what is not shown; with their width and height."""
    parts, width, height = [], 0.0, 0.0
    if title:
        words = fitted(title, max(room, 600.0), TITLE_SIZE, True)
        parts.append(f'<text class="title" x="0" y="15">{escaped(words)}</text>')
        width, height = text_width(words, TITLE_SIZE, True), 28.0
    if legend:
        items = _class_items(tree) if tree.classes else _value_items(predicted, tree.target_kind.interval_name)
        items += [_words("branch width: share of the examples")]
        if lit:
            items += [_lit_item()]
        if hidden > 0:
            items += [_words(f"{tree.n_nodes - hidden:,} of {counted(tree.n_nodes, 'node')} shown")]
        text, used, rows = flow(items, room)
        parts.append(f'<g transform="translate(0,{height:g})">{text}</g>')
        width, height = max(width, used), height + rows * LINE + 10.0
    return "".join(parts), width, height


Item = tuple[str, float]


def flow(items: Sequence[Item], room: float) -> tuple[str, float, int]:
    """Items one after the other, on a new line where there is no more room; with the width used and the lines."""
    x, y, used, placed = 0.0, 0.0, 0.0, []
    for text, width in items:
        if x and x + width > room:
            x, y = 0.0, y + LINE
        placed.append(f'<g transform="translate({x:.1f},{y:.1f})">{text}</g>')
        x += width + 18.0
        used = max(used, x - 18.0)
    return "".join(placed), used, round(y / LINE) + 1


def swatch_item(name: str, fill: str) -> Item:
    """A patch of colour and a name."""
    words = fitted(name, NAME_ROOM, TEXT_SIZE)
    patch = f'<rect class="frame" x="0.5" y="0.5" width="{SWATCH:g}" height="{SWATCH:g}" rx="2" style="fill:{fill}"/>'
    return f"{patch}{_text(words, SWATCH + 6)}", SWATCH + 6 + text_width(words, TEXT_SIZE)


def _words(text: str) -> Item:
    return _text(text, 0.0), text_width(text, TEXT_SIZE)


def _text(words: str, x: float) -> str:
    return f'<text class="note" x="{x:g}" y="10.5">{escaped(words)}</text>'


def _lit_item() -> Item:
    words = "path of the example"
    return f'<path class="lit" stroke-width="4" d="M0,6.5h22"/>{_text(words, 28.0)}', 28 + text_width(words, TEXT_SIZE)


def _class_items(tree: Tree) -> list[Item]:
    classes = tree.classes or ()
    items = [swatch_item(quoted_value(label, 200), fill_of(j)) for j, label in enumerate(classes[:CLASSES])]
    if len(classes) > CLASSES:
        items.append(_words(f"… {len(classes) - CLASSES:,} more classes"))
    return items


def _value_items(predicted: tuple[float, float], bars: str) -> list[Item]:
    """The shades from the least to the greatest prediction, and what the bars mean."""
    low, high = (significant(value, 4) for value in predicted)
    at = text_width(low, TEXT_SIZE) + 5
    shades = "".join(
        f'<rect class="shade{step}" x="{at + 11 * step:.1f}" y="0.5" width="11" height="{SWATCH:g}" '
        'style="stroke:none"/>'
        for step in range(SHADES)
    )
    after = at + 11 * SHADES + 5
    shades += f'<rect class="frame" x="{at:.1f}" y="0.5" width="{11 * SHADES}" height="{SWATCH:g}"/>'
    ends = _text(low, 0.0) + _text(high, after)
    return [(ends + shades, after + text_width(high, TEXT_SIZE)), _words(f"bar: {bars}")]


def tree_style(theme: ThemeName, tree: Tree) -> str:
    """The style sheet of a tree's picture."""
    fixed = {
        "branch": "fill:none;stroke-linecap:butt",
        "lit": "fill:none;stroke-linecap:round",
        "head": f"font-size:{QUESTION_SIZE:g}px;font-weight:bold;text-anchor:middle",
        "text": f"font-size:{TEXT_SIZE:g}px;text-anchor:middle",
        "note": f"font-size:{TEXT_SIZE:g}px",
        "title": f"font-size:{TITLE_SIZE:g}px;font-weight:bold",
        "on": "font-weight:bold",
        "frame": "fill:none;stroke-width:0.75",
        "axis": "fill:none;stroke-width:1",
        "spread": f"fill:{PALETTE[0]}",
    }
    rules = {
        "paper": _both("fill:{paper}"),
        "branch": _both("stroke:{edge}"),
        "lit": _both("stroke:{ink}"),
        "head": _both("fill:{ink}"),
        "text": _both("fill:{ink}"),
        "note": _both("fill:{muted}"),
        "title": _both("fill:{ink}"),
        "box": _both("fill:{box};stroke:{border}"),
        "behind": _both("fill:{box};stroke:{border}"),
        "frame": _both("stroke:{border}"),
        "axis": _both("stroke:{border}"),
        "mean": _both("fill:{ink}"),
    }
    if not tree.classes:
        for step in range(SHADES):
            looks = [f"fill:{shade_of(step, look)};stroke:{look.border}" for look in (LIGHT, DARK)]
            rules[f"shade{step}"] = looks[0], looks[1]
    for j in range(min(len(tree.classes or ()), len(PALETTE))):
        looks = [f"fill:{tint_of(j, look)};stroke:{colour_of(j)};stroke-width:1.5" for look in (LIGHT, DARK)]
        rules[f"tint{j}"] = looks[0], looks[1]
    rules["few"] = ("stroke-dasharray:4 3",) * 2
    rules["chosen"] = _both("stroke:{ink};stroke-width:3")
    return style_sheet("quercus-tree", theme, rules, fixed)


def _both(look: str) -> tuple[str, str]:
    return look.format(**vars(LIGHT)), look.format(**vars(DARK))

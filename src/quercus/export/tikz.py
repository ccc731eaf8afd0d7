"""Export to LaTeX: a document with the picture of a tree in TikZ, which pdfLaTeX sets as it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from quercus.data.latex import latex_document, latex_words
from quercus.draw.boxes import PADDING, QUESTION_LINE, TEXT_LINE, Box
from quercus.draw.colours import LIGHT, colour_of, tint_of
from quercus.draw.layout import Layout, Place
from quercus.errors import ExportError
from quercus.export.pictured import layout_of, pictured
from quercus.export.program import TreeTable, program_of

__all__ = ["to_tikz"]

#: One unit of the layout in points of TeX, and the widest picture that TeX can set (with a reserve).
UNIT, MOST_POINTS = 0.75, 14_000.0
MARGIN = 8.0


def to_tikz(model: Any, *, tree: Any = 0, max_depth: Any = None, max_nodes: Any = None) -> str:
    r"""A tree as a LaTeX document of one page that is as large as the picture.

    model: a fitted estimator, a model, a tree or a forest. tree: the number of the tree of a collection. max_depth,
    max_nodes: what is shown at most; a box that hides something says how much. The lines from ``\begin{tikzpicture}``
    to ``\end{tikzpicture}`` can be put into another document that loads ``tikz``.

    >>> from quercus import ID3Classifier
    >>> from quercus.datasets import load_play_tennis
    >>> picture = to_tikz(ID3Classifier().fit(*load_play_tennis()))
    >>> picture.splitlines()[1], picture.count(r"\draw")
    ('\\documentclass{article}', 15)
    """
    program = program_of(model)
    ((_, table),) = pictured(program, "TikZ", tree)
    layout = layout_of(program, table, max_depth, max_nodes)
    width, height = (UNIT * size + 2 * MARGIN for size in (layout.width, layout.height))
    if max(width, height) > MOST_POINTS:
        raise ExportError(
            f"The picture of {len(layout.boxes):,} boxes is {max(width, height) / 72.27 * 2.54:,.0f} cm wide, and TeX "
            f"sets {MOST_POINTS / 72.27 * 2.54:.0f} cm. Show less of it: max_depth=5, or max_nodes=100."
        )
    page = f"paperwidth={width:.1f}pt,paperheight={height + 4:.1f}pt,margin={MARGIN}pt"  # a reserve for one line
    preamble = "\n".join(
        [
            r"\documentclass{article}",
            r"\usepackage[T1]{fontenc}",
            r"\usepackage{amsmath}",
            r"\usepackage{tikz}",
            rf"\usepackage[{page}]{{geometry}}",
            r"\pagestyle{empty}\setlength{\parindent}{0pt}\setlength{\topskip}{0pt}",
            "",
        ]
    )
    return f"% {' '.join(program.title.split())}\n" + latex_document("\n".join(_picture(table, layout)), preamble)


def _picture(table: TreeTable, layout: Layout) -> Iterator[str]:
    yield rf"\begin{{tikzpicture}}[x={UNIT}pt,y=-{UNIT}pt,inner sep=0pt,outer sep=0pt,font=\sffamily]"
    yield rf"\useasboundingbox (0,0) rectangle ({layout.width:.1f},{layout.height:.1f});"
    for number in range(len(table.tree.classes or ())):
        yield rf"\definecolor{{ground{number}}}{{HTML}}{{{tint_of(number, LIGHT)[1:].upper()}}}"
        yield rf"\definecolor{{line{number}}}{{HTML}}{{{colour_of(number)[1:].upper()}}}"
    whole = float(table.tree.weight[0]) or 1.0
    for number in range(1, len(layout.boxes)):
        yield _branch(layout, number, whole)
    for box, label in zip(layout.boxes[1:], layout.labels[1:], strict=True):
        yield (
            rf"\node[fill=white,font=\sffamily\fontsize{{8}}{{9}}\selectfont] at {_middle(label)} "
            rf"{{{latex_words(box.branch)}}};"
        )
    for box, place in zip(layout.boxes, layout.places, strict=True):
        yield from _box(box, place, table)
    yield r"\end{tikzpicture}"


def _branch(layout: Layout, number: int, whole: float) -> str:
    above, here = layout.places[layout.parent[number]], layout.places[number]
    (begin, end), width = layout.bends[number], max(0.5, 5.0 * layout.boxes[number].weight / whole)
    x, to, half = above.x + above.width / 2, here.x + here.width / 2, (begin + end) / 2
    return (
        rf"\draw[black!35,line width={width:.2f}pt] ({x:.1f},{above.y + above.height:.1f}) -- ({x:.1f},{begin:.1f}) .. "
        rf"controls ({x:.1f},{half:.1f}) and ({to:.1f},{half:.1f}) .. ({to:.1f},{end:.1f}) -- ({to:.1f},{here.y:.1f});"
    )


def _box(box: Box, place: Place, table: TreeTable) -> Iterator[str]:
    number = int(box.chosen) if table.tree.target_kind.has_shares else 0
    look = "draw=black!60,fill=white"
    if box.kind != "question":
        coloured = table.tree.target_kind.has_shares
        look = "rounded corners=6pt," + (
            f"draw=line{number},fill=ground{number}" if coloured else "draw=black!60,fill=black!5"
        )
        look += ",dashed" if box.kind in ("closed", "folded") else ""
    yield (
        rf"\draw[{look}] ({place.x:.1f},{place.y:.1f}) rectangle ({place.x + place.width:.1f},"
        rf"{place.y + place.height:.1f});"
    )
    middle, at = place.x + place.width / 2, place.y + PADDING + QUESTION_LINE / 2 - 2
    yield _words(middle, at, r"\bfseries\fontsize{9.5}{10}", box.heading)
    for line in box.lines:
        at += QUESTION_LINE - 1 if line is box.lines[0] else TEXT_LINE
        yield _words(middle, at, r"\fontsize{8}{9}", line)
    yield from _bar(box, place)


def _words(x: float, y: float, size: str, text: str) -> str:
    return rf"\node[font=\sffamily{size}\selectfont] at ({x:.1f},{y:.1f}) {{{latex_words(text)}}};"


def _bar(box: Box, place: Place) -> Iterator[str]:
    """The classes as parts of a bar below the words."""
    total = sum(box.parts)
    at, below, room = place.x + PADDING, place.y + place.height - PADDING + 2, place.width - 2 * PADDING
    for number, weight in enumerate(box.parts):
        if weight > 0 and total > 0:
            size = room * weight / total
            yield rf"\fill[line{number}] ({at:.2f},{below - 7:.1f}) rectangle ({at + size:.2f},{below:.1f});"
            at += size


def _middle(place: Place) -> str:
    return f"({place.x + place.width / 2:.1f},{place.y + place.height / 2:.1f})"

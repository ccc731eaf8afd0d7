"""Export to DOT: a digraph for Graphviz, one cluster for each tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from quercus.draw.boxes import Box
from quercus.draw.colours import LIGHT, tint_of
from quercus.draw.layout import Layout
from quercus.export.pictured import layout_of, pictured
from quercus.export.program import TreeTable, program_of

__all__ = ["to_dot"]


def to_dot(model: Any, *, tree: Any = None, max_depth: Any = None, max_nodes: Any = None) -> str:
    r"""A tree, or the trees of a collection, as a graph that Graphviz lays out.

    model: a fitted estimator, a model, a tree or a forest. tree: the number of one tree; None: all, each in a cluster.
    max_depth, max_nodes: what is shown at most; a box that hides something says how much.

    >>> from quercus import ID3Classifier
    >>> from quercus.datasets import load_play_tennis
    >>> print(to_dot(ID3Classifier().fit(*load_play_tennis()), max_depth=0).splitlines()[4])
      n0_0 [label="Yes\n9 Yes, 5 No\n+7 nodes, 5 leaves", tooltip="Node 0 would predict Yes; ...", ...];
    """
    program = program_of(model)
    chosen = pictured(program, "DOT", tree)
    lines = [
        f"// {' '.join(program.title.split())}",
        "digraph quercus {",
        '  node [shape=box, style="filled", fillcolor="white", fontname="Helvetica", fontsize=11];',
        '  edge [fontname="Helvetica", fontsize=10, arrowhead=none];',
    ]
    for number, table in chosen:
        drawn = list(_graph(number, table, layout_of(program, table, max_depth, max_nodes)))
        if len(chosen) > 1:
            drawn = [f"subgraph cluster_{number} {{", f'  label="Tree {number}";', *(f"  {one}" for one in drawn), "}"]
        lines += [f"  {one}" for one in drawn]
    return "\n".join([*lines, "}"]) + "\n"


def _graph(number: int, table: TreeTable, layout: Layout) -> Iterator[str]:
    whole = float(table.tree.weight[0]) or 1.0
    for place, (box, parent) in enumerate(zip(layout.boxes, layout.parent, strict=True)):
        words = _quoted("\n".join([box.heading, *box.lines]))
        yield f"n{number}_{place} [label={words}, tooltip={_quoted(box.note)}{_look(box, table)}];"
        if parent >= 0:
            width = max(1.0, 6.0 * box.weight / whole)
            hint = _quoted(box.branch_note)
            yield (
                f"n{number}_{parent} -> n{number}_{place} "
                f"[label={_quoted(f' {box.branch} ')}, labeltooltip={hint}, penwidth={width:.1f}];"
            )


def _look(box: Box, table: TreeTable) -> str:
    """The look of a box: leaves are round and have the colour of their class; a box that hides nodes is dashed."""
    if box.kind == "question":
        return ""
    dashed = ",dashed" if box.kind in ("closed", "folded") else ""
    colour = f', fillcolor="{tint_of(int(box.chosen), LIGHT)}"' if table.tree.target_kind.has_shares else ""
    return f', style="rounded,filled{dashed}"{colour}'


def _quoted(text: str) -> str:
    r"""A text between quotes: Graphviz reads backslashes and entities in it, and nothing else.

    >>> print(_quoted('a "b" \\N &amp;'))
    "a \"b\" \\N &amp;amp;"
    """
    seen = "".join(one if one.isprintable() or one == "\n" else ascii(one)[1:-1] for one in text)
    return '"' + seen.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;").replace("\n", "\\n") + '"'

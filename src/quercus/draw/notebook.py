"""How notebooks show a tree: as a picture of readable size that scrolls, large trees closed to what can be read."""

from __future__ import annotations

import html
from typing import Any

from quercus.draw.tree_picture import tree_svg
from quercus.tree.tree import Tree

SHOWN_NODES = 63
SHOWN_BRANCHES = 12
#: Notebooks shrink wide pictures to the width of the page; the boxes of a large tree are to stay readable.
_FULL_SIZE = '<svg style="max-width:none;height:auto" '


def notebook_svg(tree: Tree, **options: Any) -> str:
    """The picture of a tree, of at most some dozen boxes; options as of :func:`tree_svg`."""
    return tree_svg(tree, **{"max_nodes": SHOWN_NODES, "max_branches": SHOWN_BRANCHES, **options})


def notebook_html(tree: Tree, heading: str = "", **options: Any) -> str:
    """The picture in its own size, in a frame that scrolls, below a line of code; every name escaped."""
    code = f"<code>{html.escape(heading)}</code>" if heading else ""
    picture = notebook_svg(tree, **options).replace("<svg ", _FULL_SIZE, 1)
    return (
        f'<div class="quercus-notebook">{code}'
        f'<div style="overflow:auto;max-width:100%;max-height:42em">{picture}</div></div>'
    )

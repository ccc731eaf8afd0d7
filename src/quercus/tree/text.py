"""The text form of a tree: indented branches with names, class counts at the leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quercus.tree.tree import Tree


def tree_text(
    tree: Tree, *, max_depth: int | None = None, max_nodes: int | None = None, max_branches: int | None = None
) -> str:
    """The tree as text."""
    return ""


def short_tree_text(tree: Tree) -> str:
    """The tree as text of at most 200 lines."""
    return tree_text(tree, max_nodes=200)

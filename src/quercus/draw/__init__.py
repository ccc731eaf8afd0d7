"""Draw: pictures of trees and charts as SVG, by a layout and a writer of our own."""

from quercus.draw.tree_layout import Layout, tree_layout
from quercus.draw.tree_svg import tree_svg

__all__ = ["Layout", "tree_layout", "tree_svg"]

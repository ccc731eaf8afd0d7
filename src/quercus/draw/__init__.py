"""Draw: pictures of trees and charts as SVG, by a layout and a writer of our own."""

from quercus.draw.layout import Layout, tree_layout
from quercus.draw.paths import path_parts
from quercus.draw.save import save_picture
from quercus.draw.tree_picture import tree_svg

__all__ = ["Layout", "path_parts", "save_picture", "tree_layout", "tree_svg"]

"""The tree: arrays, node views, tests, and the text and dictionary forms."""

from quercus.tree.node import Node, Step
from quercus.tree.numbering import renumbered
from quercus.tree.questions import Grouped, Multiway, Subset, Threshold
from quercus.tree.questions import Question as Test
from quercus.tree.surrogate import Surrogate
from quercus.tree.tree import Tree

__all__ = ["Grouped", "Multiway", "Node", "Step", "Subset", "Surrogate", "Test", "Threshold", "Tree", "renumbered"]

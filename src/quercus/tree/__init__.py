"""The tree: arrays, node views, tests, and the text and dictionary forms."""

from typing import Any

from quercus.errors import warn_renamed
from quercus.tree.node import BranchTaken, Node
from quercus.tree.numbering import renumbered
from quercus.tree.questions import Grouped, Multiway, Subset, Threshold
from quercus.tree.questions import Question as Test
from quercus.tree.surrogate import Surrogate
from quercus.tree.tree import Tree

__all__ = [
    "BranchTaken",
    "Grouped",
    "Multiway",
    "Node",
    "Subset",
    "Surrogate",
    "Test",
    "Threshold",
    "Tree",
    "renumbered",
]


def __getattr__(name: str) -> Any:
    """The old name of a class, which still works."""
    if name != "Step":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warn_renamed("quercus.tree.Step")
    return BranchTaken

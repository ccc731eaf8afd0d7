"""The result of pruning: the smaller tree, and for every removed node the numbers that were compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from quercus.data.names import counted, significant
from quercus.results import Result, frame_of
from quercus.tree.tree import Tree

Action = Literal["leaf", "raised", "merged"]


@dataclass(frozen=True, repr=False)
class Removal(Result):
    """Why a node of the tree that was given is no longer a question.

    node: its number in the tree that was given. action: ``"leaf"`` (a leaf took the place of its subtree), ``"raised"``
    (one of its branches took its place) or ``"merged"`` (its branches answered alike). reason: in words. figures: the
    numbers compared, by name.
    """

    node: int
    action: Action | str
    reason: str
    figures: Mapping[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        """The node and the reason."""
        return f"node {self.node} → {self.action}: {self.reason}"


@dataclass(frozen=True, repr=False)
class Cut(Result):
    """One step of a sequence of cuts: the node that became a leaf, the size of the tree after it, and its figures."""

    node: int
    n_nodes: int
    n_leaves: int
    figures: Mapping[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        """The step in one line."""
        numbers = ", ".join(f"{name} {significant(value)}" for name, value in self.figures.items())
        return f"cut node {self.node}: {counted(self.n_leaves, 'leaf', 'leaves')} left" + (numbers and f", {numbers}")


@dataclass(frozen=True, repr=False)
class Pruned(Result):
    """The result of a pruner.

    tree: the new tree. method: the pruner's name. removals: one for every question that went because of a comparison,
    by node. sequence: the cuts in the order they were made, for pruners that make them one after the other. table: a
    further result of the method. before: the tree that was given; it is never changed.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.grow import grow
    >>> from quercus.pruning import snip
    >>> tree = grow(encode({"x": [1, 2, 3, 4]}), encode_classes(["No", "No", "Yes", "No"]), cart_recipe())
    >>> pruned = snip(tree, [2])
    >>> print(pruned)
    manual: 5 nodes → 3 nodes, 3 leaves → 2 leaves
    node 2 → leaf: snipped by hand; 2 leaves below it went
    >>> pruned.why(4).node, pruned.why(1)
    (2, None)
    """

    tree: Tree
    method: str
    removals: tuple[Removal, ...] = ()
    sequence: tuple[Cut, ...] = ()
    table: Any = None
    before: Tree | None = None

    def to_frame(self) -> Any:
        """The questions that went as a pandas DataFrame: node, action, reason and the numbers compared."""
        names = ("node", "action", "reason")
        return frame_of([{**{name: getattr(one, name) for name in names}, **one.figures} for one in self.removals])

    @cached_property
    def _by_node(self) -> dict[int, Removal]:
        return {removal.node: removal for removal in reversed(self.removals)}

    def why(self, node: int) -> Removal | None:
        """Why a node of the given tree went: its own comparison, or that of the nearest node above that has one.

        None if the node stayed. (Below a node whose branch was raised, also the nodes that moved up get that answer.)
        """
        removal = self._by_node.get(int(node))
        if removal is not None or self.before is None or not 0 < node < self.before.n_nodes:
            return removal
        parent = self.before.parent
        while removal is None and node > 0:
            node = int(parent[node])
            removal = self._by_node.get(node)
        return removal

    def __str__(self) -> str:
        """The sizes before and after, and the first reasons."""
        size = counted(self.tree.n_nodes, "node"), counted(self.tree.n_leaves, "leaf", "leaves")
        if self.before is None:
            lines = [f"{self.method}: {size[0]}, {size[1]}"]
        else:
            old = counted(self.before.n_nodes, "node"), counted(self.before.n_leaves, "leaf", "leaves")
            lines = [f"{self.method}: {old[0]} → {size[0]}, {old[1]} → {size[1]}"]
            if self.before.n_nodes == self.tree.n_nodes:
                lines = [f"{self.method}: {size[0]}, {size[1]}, as before"]
        lines += [str(removal) for removal in self.removals[:20]]
        if len(self.removals) > 20:
            lines.append(f"… {len(self.removals) - 20:,} more")
        return "\n".join(lines)

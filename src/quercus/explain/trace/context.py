"""Context: what all nodes of a trace share, the tree, the recipe and what pruning did, and the unit of its numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from quercus.growing.recipe import Recipe
from quercus.tree.questions import asked_once
from quercus.tree.tree import Tree

if TYPE_CHECKING:
    from quercus.explain.trace.trace import CandidateTrace
    from quercus.pruning.result import Pruned

#: What pruning did with a node, in words.
ACTIONS = {"leaf": "made a leaf", "raised": "a branch of it took its place", "merged": "its branches answered alike"}


def unit_of(base: float) -> float:
    """How much one bit is, if logarithms have another base.

    >>> unit_of(2.0), round(unit_of(math.e), 4)
    (1.0, 0.6931)
    """
    return 1.0 if base == 2 else 1.0 / math.log2(base)


@dataclass(frozen=True, eq=False)
class Context:
    """What all nodes of a trace share.

    n_rows, root_weight: of all rows. multipliers: what the classes count; empty: 1 each. cuts: the attributes whose
    cuts are kept. surrogates: whether they are looked for where the tree has none. base: of the logarithms.
    """

    tree: Tree
    recipe: Recipe
    n_rows: int
    root_weight: float
    multipliers: tuple[float, ...] = ()
    cuts: frozenset[str] = frozenset()
    pruning: Pruned | None = None
    surrogates: bool = False
    base: float = 2.0
    #: What was put into words before: paths, branches by attribute and number, attributes that offer nothing.
    _paths: dict[int, tuple[str, ...]] = field(default_factory=lambda: {0: ()})
    branch_texts: dict[tuple[int, int], str] = field(default_factory=dict)
    idle: dict[tuple[int, str, int | None], CandidateTrace] = field(default_factory=dict)

    @cached_property
    def unit(self) -> float:
        """How much one bit is in the unit of the trace."""
        return unit_of(self.base)

    @cached_property
    def worth_unit(self) -> float:
        """The factor for the worth: ratios and powers of gains do not depend on the base; a squared gain does twice."""
        powers = {"gain": 1, "gain_ratio": 0, "tan_schlimmer": 2, "nunez": 0}
        return float(self.unit ** powers[self.recipe.selection])

    @cached_property
    def said(self) -> Recipe:
        """The recipe with its limits in the unit of the trace, for the sentences of the trace."""
        limits = ("gate_tolerance", "min_split_info", "min_gain", "min_impurity_decrease")
        return replace(self.recipe, **{name: getattr(self.recipe, name) * self.unit for name in limits})

    @cached_property
    def wide(self) -> frozenset[int]:
        """The nominal attributes with so many declared values that their gain does not count in the mean gain."""
        least, schema = self.recipe.wide_share * self.n_rows, self.tree.schema
        return frozenset(a for a, one in enumerate(schema) if not one.is_numeric and one.n_values >= least)

    def asked_once(self, node: int) -> frozenset[int]:
        """The attributes asked above a node by a question that nothing below asks again."""
        tree, asked = self.tree, set()
        while node:
            node = int(tree.parent[node])
            if asked_once(int(tree.kind[node])):
                asked.add(int(tree.attribute[node]))
        return frozenset(asked)

    def path(self, node: int) -> tuple[str, ...]:
        """The branches taken to a node, in words."""
        way = [node]
        while way[-1] not in self._paths:
            way.append(int(self.tree.parent[way[-1]]))
        for below, above in zip(way[-2::-1], way[:0:-1], strict=True):
            test = self.tree.node(above).test
            assert test is not None
            branch = below - int(self.tree.first_child[above])
            self._paths[below] = (*self._paths[above], test.branch(branch, limit=10))
        return self._paths[node]

    def pruned(self, node: int) -> str:
        """Why pruning took a node; empty if it did not."""
        removal = None if self.pruning is None else self.pruning.why(node)
        if removal is None or self.pruning is None:
            return ""
        if removal.node != node:
            return f"{self.pruning.method}: it went with node {removal.node} above it ({removal.reason})"
        return f"{self.pruning.method}, {ACTIONS.get(removal.action, removal.action)}: {removal.reason}"

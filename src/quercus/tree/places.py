"""Where the nodes of a tree stand: parents, depths, descendants, and which node reads which attribute."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Floats, Integers, read_only
from quercus.tree import numbering
from quercus.tree.layout import LEAF
from quercus.tree.questions import kinds_that

if TYPE_CHECKING:
    from quercus.data.schema import Schema
    from quercus.tree.tree import Tree


class Places:
    """The places of a tree's nodes, worked out from its arrays when they are first needed."""

    if TYPE_CHECKING:  # of the tree
        kind: NDArray[np.uint8]
        attribute: NDArray[np.int32]
        first_child: NDArray[np.int32]
        n_children: NDArray[np.int32]
        surrogate_attribute: NDArray[np.int32]
        schema: Schema

    @cached_property
    def parent(self) -> NDArray[np.int32]:
        """The parent of each node; −1 for the root."""
        return read_only(numbering.parents(self.first_child, self.n_children))

    @cached_property
    def node_depth(self) -> NDArray[np.int32]:
        """The number of tests above each node."""
        return read_only(numbering.depths(self.parent))

    @cached_property
    def descendants_end(self) -> NDArray[np.int32]:
        """The descendants of node v are ``first_child[v] … descendants_end[v] − 1``; a leaf has none."""
        return read_only(numbering.descendants_ends(self.parent, self.first_child, self.n_children))

    @cached_property
    def leaves_before(self) -> NDArray[np.int64]:
        """How many of the nodes 0 … i − 1 are leaves, for i = 0 … n_nodes."""
        return read_only(np.concatenate([[0], np.cumsum(self.kind == LEAF)]))

    @cached_property
    def reads(self) -> tuple[Integers, Integers]:
        """Which node reads which attribute: the numbers of nodes in order, and beside each an attribute's position."""
        nodes = np.flatnonzero(self.kind != LEAF)
        several = kinds_that(self.kind[nodes], lambda one: one.reads_several)
        if not several.any():
            return read_only(nodes), read_only(self.attribute[nodes].astype(np.int64))
        tree = cast("Tree", self)
        pairs = [(node, position) for node in nodes.tolist() for position in tree.node(node).positions]
        both = np.array(pairs, dtype=np.int64)
        return read_only(both[:, 0].copy()), read_only(both[:, 1].copy())

    def sums_by_attribute(self, amounts: Floats) -> Floats:
        """For each attribute the sum of the amounts of the nodes that read it; several share a node's amount equally.

        amounts: one for each node.
        """
        nodes, positions = self.reads
        shares = amounts[nodes] / np.bincount(nodes, minlength=len(self.kind))[nodes]
        return np.bincount(positions, weights=shares, minlength=len(self.schema)).astype(np.float64)

    @property
    def asked(self) -> tuple[int, ...]:
        """The positions of the attributes that some question or surrogate reads, in the order of first use."""
        return tuple(dict.fromkeys([*self.reads[1].tolist(), *self.surrogate_attribute.tolist()]))

"""The forest: many trees that share a schema and classes, as one value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.data.schema import Schema
from quercus.errors import DataError, ParameterError
from quercus.tree.layout import Array
from quercus.tree.tree import Tree

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Forest:
    """Trees in their order; never changed afterwards.

    trees: at least one, all of the same schema, classes and criterion. weights: how much each tree's answer counts;
    None: all the same. partial: whether growing was stopped before all trees asked for were there.
    """

    trees: tuple[Tree, ...]
    weights: Floats | None = None
    partial: bool = False

    def __post_init__(self) -> None:
        """Check that the trees fit together."""
        object.__setattr__(self, "trees", tuple(self.trees))
        if not self.trees:
            raise DataError("A forest needs at least one tree.")
        first = self.trees[0]
        for number, tree in enumerate(self.trees):
            if tree.schema != first.schema or tree.classes != first.classes:
                raise DataError(
                    f"Tree {number} has another schema or other classes than tree 0: they must be the same."
                )
        if self.weights is not None:
            object.__setattr__(self, "weights", _checked_weights(self.weights, len(self.trees)))

    @classmethod
    def from_arrays(
        cls,
        arrays: Sequence[Mapping[str, Array]],
        schema: Schema,
        classes: Sequence[Any] | None,
        *,
        criterion: str,
        empty_leaf: str = "parent_class",
        weights: ArrayLike | None = None,
        partial: bool = False,
    ) -> Forest:
        """Check the arrays of each tree and take them over."""
        trees = tuple(
            Tree.from_arrays(tree, schema, classes, criterion=criterion, empty_leaf=empty_leaf) for tree in arrays
        )
        return cls(trees, None if weights is None else np.asarray(weights, dtype=np.float64), partial)

    @property
    def schema(self) -> Schema:
        """The attributes that all trees know."""
        return self.trees[0].schema

    @property
    def classes(self) -> tuple[Any, ...] | None:
        """The classes; None for regression."""
        return self.trees[0].classes

    @property
    def is_regression(self) -> bool:
        """Whether the trees predict numbers."""
        return self.classes is None

    def __len__(self) -> int:
        """The number of trees."""
        return len(self.trees)

    def __iter__(self) -> Iterator[Tree]:
        """The trees in their order."""
        return iter(self.trees)

    def tree(self, number: int) -> Tree:
        """One tree."""
        if not 0 <= number < len(self.trees):
            raise ParameterError(f"There is no tree {number}; the forest's trees are 0 … {len(self.trees) - 1}.")
        return self.trees[number]

    @cached_property
    def n_nodes(self) -> NDArray[np.int64]:
        """The number of nodes of each tree."""
        return np.array([tree.n_nodes for tree in self.trees], dtype=np.int64)

    @property
    def nbytes(self) -> int:
        """The memory of all trees, in bytes."""
        return sum(tree.nbytes for tree in self.trees)

    def extended(self, other: Forest) -> Forest:
        """This forest's trees, then the other's."""
        if (self.weights is None) != (other.weights is None):
            raise ParameterError("Of two forests only one has weights; give both weights, or neither.")
        weights = None
        if self.weights is not None and other.weights is not None:
            weights = np.concatenate([self.weights, other.weights])
        return Forest(self.trees + other.trees, weights, self.partial or other.partial)

    def first(self, count: int) -> Forest:
        """The first trees only."""
        if not 1 <= count <= len(self.trees):
            raise ParameterError(f"count is {count}, but must be from 1 to the number of trees, {len(self.trees)}.")
        return Forest(self.trees[:count], None if self.weights is None else self.weights[:count], self.partial)

    def __repr__(self) -> str:
        """The forest in one line."""
        what = "regression" if self.classes is None else f"{len(self.classes)} classes"
        return f"<Forest: {len(self):,} trees, {int(self.n_nodes.sum()):,} nodes, {what}>"


def _checked_weights(weights: ArrayLike, n_trees: int) -> Floats:
    numbers = np.array(weights, dtype=np.float64)
    if numbers.shape != (n_trees,) or not np.isfinite(numbers).all() or (numbers < 0).any() or not numbers.any():
        raise DataError(f"weights must be {n_trees} numbers of at least 0, one a tree, not all 0.")
    numbers.flags.writeable = False
    return numbers

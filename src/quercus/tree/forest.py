"""The forest: many trees that share a schema and classes, as one value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.arrays import Array, Floats
from quercus.data.names import counted
from quercus.data.schema import Schema
from quercus.errors import DataError, ParameterError
from quercus.targets import TargetKind, kind_of
from quercus.targets.kind import OfTarget
from quercus.tree.layout import LEAF
from quercus.tree.packing import asks_binary, checked_packed, is_packed, packed_questions, records, unpacked
from quercus.tree.tree import Tree


@dataclass(frozen=True, eq=False, repr=False)
class Forest(OfTarget):
    """Trees in their order; made by :meth:`from_arrays` or :meth:`from_trees`, never changed afterwards.

    stored: the arrays of each tree, packed where its questions allow it (see ``tree/packing.py``). weights: how much
    each tree's answer counts; None: all the same. partial: whether growing was stopped before all trees asked for were
    there.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.grow import grow
    >>> tree = grow(encode({"x": [1, 2, 3, 4]}), encode_classes(["No", "No", "Yes", "No"]), cart_recipe())
    >>> forest = Forest.from_trees([tree, tree])
    >>> forest
    <Forest: 2 trees, 10 nodes, 2 classes>
    >>> forest.tree(1) == tree
    True
    """

    stored: tuple[dict[str, Array], ...]
    schema: Schema
    target_kind: TargetKind
    criterion: str
    empty_leaf: str
    weights: Floats | None = None
    partial: bool = False

    @classmethod
    def from_arrays(
        cls,
        arrays: Sequence[Mapping[str, Array]],
        schema: Schema,
        target: TargetKind | Sequence[Any] | None,
        *,
        criterion: str,
        empty_leaf: str = "parent_class",
        weights: ArrayLike | None = None,
        partial: bool = False,
    ) -> Forest:
        """Check the arrays of each tree, packed or not, and take them over."""
        if not arrays:
            raise DataError("A forest needs at least one tree.")
        kind = kind_of(target)
        stored = tuple(
            checked_packed(tree, schema, kind)
            if is_packed(tree)
            else Tree.from_arrays(tree, schema, kind, criterion=criterion, empty_leaf=empty_leaf).arrays
            for tree in arrays
        )
        checked = None if weights is None else _checked_weights(weights, len(stored))
        return cls(stored, schema, kind, criterion, empty_leaf, checked, bool(partial))

    @classmethod
    def grown(
        cls,
        arrays: Sequence[dict[str, Array]],
        schema: Schema,
        kind: TargetKind,
        *,
        criterion: str,
        empty_leaf: str,
        partial: bool,
    ) -> Forest:
        """The trees that the core has just grown. Packed ones are right by their making and are not checked again."""
        for array in (array for tree in arrays if is_packed(tree) for array in tree.values()):
            array.flags.writeable = False
        stored = tuple(
            tree
            if is_packed(tree)
            else Tree.from_arrays(tree, schema, kind, criterion=criterion, empty_leaf=empty_leaf).arrays
            for tree in arrays
        )
        return cls(stored, schema, kind, criterion, empty_leaf, None, partial)

    @classmethod
    def from_trees(cls, trees: Sequence[Tree], weights: ArrayLike | None = None) -> Forest:
        """A forest of trees that share schema, classes and criterion."""
        if not trees:
            raise DataError("A forest needs at least one tree.")
        first = trees[0]
        for number, tree in enumerate(trees):
            same_target = tree.target_kind == first.target_kind
            if tree.schema != first.schema or not same_target or tree.empty_leaf != first.empty_leaf:
                raise DataError(f"Tree {number} has another schema or other classes than tree 0; all need the same.")
        checked = None if weights is None else _checked_weights(weights, len(trees))
        stored = tuple(tree.arrays for tree in trees)
        return cls(stored, first.schema, first.target_kind, first.criterion, first.empty_leaf, checked)

    @property
    def classes(self) -> tuple[Any, ...] | None:
        """The names of the classes; None: numbers are predicted."""
        return self.target_kind.classes

    @cached_property
    def is_packed(self) -> bool:
        """Whether all trees are packed, so that they can be followed together."""
        return all(is_packed(arrays) for arrays in self.stored)

    @cached_property
    def asked(self) -> tuple[int, ...]:
        """The positions of the attributes that some tree reads."""
        read = np.zeros(len(self.schema) + 1, dtype=bool)  # a packed leaf names the attribute behind the last
        for arrays in self.stored:
            if is_packed(arrays):
                read[records(arrays)["attribute"]] = True
            else:
                read[arrays["attribute"][arrays["kind"] != LEAF]] = True
                read[arrays["surrogate_attribute"]] = True
        return tuple(np.flatnonzero(read[:-1]).tolist())

    @cached_property
    def questions(self) -> tuple[tuple[Array, Array], ...] | None:
        """The packed ``nodes`` and ``group`` of each tree, to follow all together; None if some tree cannot be packed.

        Trees that are stored whole stay so, since packing would lose the sums of their inner nodes: these arrays are
        made beside them when they are first asked for, and are no part of what is pickled or saved.
        """
        if len(self.schema.attributes) > 65535 or not all(asks_binary(arrays) for arrays in self.stored):
            return None
        return tuple(self._questions(number) for number in range(len(self)))

    def _questions(self, number: int) -> tuple[Array, Array]:
        arrays = self.stored[number]
        if is_packed(arrays):
            return arrays["nodes"], arrays["group"]
        numbers = None if self.target_kind.leaf_table else self.tree(number).distributions()[:, 0]
        return packed_questions(arrays, len(self.schema.attributes), numbers)

    @cached_property
    def leaf_answers(self) -> dict[Any, tuple[Array, ...]]:
        """What the leaves of each tree say, by the way of answering; filled by ``predict/forest.py``."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: not what was made for prediction."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __len__(self) -> int:
        """The number of trees."""
        return len(self.stored)

    def __iter__(self) -> Iterator[Tree]:
        """The trees in their order, each made when its turn comes."""
        return (self.tree(number) for number in range(len(self)))

    def tree(self, number: int) -> Tree:
        """One tree, made anew from what is stored of it."""
        if not 0 <= number < len(self.stored):
            raise ParameterError(f"There is no tree {number}; the forest's trees are 0 … {len(self.stored) - 1}.")
        arrays = self.stored[number]
        if is_packed(arrays):
            arrays = unpacked(arrays, self.target_kind)
        return Tree.from_arrays(
            arrays, self.schema, self.target_kind, criterion=self.criterion, empty_leaf=self.empty_leaf
        )

    @cached_property
    def n_nodes(self) -> NDArray[np.int64]:
        """The number of nodes of each tree."""
        return np.array([len(tree["nodes"] if is_packed(tree) else tree["kind"]) for tree in self.stored])

    @property
    def nbytes(self) -> int:
        """The memory of all trees, in bytes."""
        return sum(array.nbytes for tree in self.stored for array in tree.values())

    def extended(self, other: Forest) -> Forest:
        """This forest's trees, then the other's."""
        if (self.weights is None) != (other.weights is None):
            raise ParameterError("Of two forests only one has weights; give both weights, or neither.")
        same_target = self.target_kind == other.target_kind
        if self.schema != other.schema or not same_target or self.empty_leaf != other.empty_leaf:
            raise DataError("The other forest has another schema or other classes; both need the same.")
        weights = None
        if self.weights is not None and other.weights is not None:
            weights = np.concatenate([self.weights, other.weights])
        return replace(self, stored=self.stored + other.stored, weights=weights, partial=self.partial or other.partial)

    def part(self, begin: int, end: int) -> Forest:
        """The trees ``begin … end − 1`` only."""
        if not 0 <= begin < end <= len(self.stored):
            raise ParameterError(f"There are no trees {begin} … {end - 1}; the forest has {len(self.stored)}.")
        weights = None if self.weights is None else self.weights[begin:end]
        return replace(self, stored=self.stored[begin:end], weights=weights)

    def first(self, count: int) -> Forest:
        """The first trees only."""
        return self.part(0, count)

    def __eq__(self, other: object) -> bool:
        """Whether all trees, weights and names are exactly the same."""
        if not isinstance(other, Forest):
            return NotImplemented
        mine = self.schema, self.target_kind, len(self)
        theirs = other.schema, other.target_kind, len(other)
        if mine != theirs or not np.array_equal(tree_weights(self), tree_weights(other)):
            return False
        return all(one == another for one, another in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """The forest in one line."""
        size = f"{counted(len(self), 'tree')}, {counted(int(self.n_nodes.sum()), 'node')}"
        return f"<Forest: {size}, {self.target_kind.title}>"


def tree_weights(forest: Forest) -> Floats:
    """The weight of each tree, 1 where none is given."""
    return np.ones(len(forest)) if forest.weights is None else forest.weights


def _checked_weights(weights: ArrayLike, n_trees: int) -> Floats:
    numbers = np.array(weights, dtype=np.float64)
    if numbers.shape != (n_trees,) or not np.isfinite(numbers).all() or (numbers < 0).any() or not numbers.any():
        raise DataError(f"weights must be {n_trees} numbers of at least 0, one per tree, not all 0.")
    numbers.flags.writeable = False
    return numbers

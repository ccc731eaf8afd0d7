"""The trees of a model file: each is kept once, and named by its number wherever the model has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.data.schema import Schema
from quercus.errors import DataError, shorten
from quercus.models.arrays import ArrayReader, ArrayStore
from quercus.models.damage import at, need
from quercus.targets import TargetKind
from quercus.tree import Tree
from quercus.tree.layout import ARRAYS, without_empty_side_tables


class TreeStore:
    """Numbers the trees of a model that is being saved; all have its attributes and its classes."""

    def __init__(self, arrays: ArrayStore, schema: Schema, target_kind: TargetKind) -> None:
        self.arrays = arrays
        self.schema = schema
        self.target_kind = target_kind
        self.trees: list[Tree] = []
        self._numbers: dict[int, int] = {}

    def number(self, tree: Tree) -> int:
        """The number of a tree, which is taken in if it is new."""
        place = id(tree.kind)  # the same tree, whatever answers it shows
        if place not in self._numbers:
            same = tree.schema.attributes is self.schema.attributes or tree.schema.attributes == self.schema.attributes
            if not same or tree.target_kind != self.target_kind:
                raise DataError(
                    "The model holds a tree with other attributes or classes than its own; it is not saved."
                )
            self._numbers[place] = len(self.trees)
            self.trees.append(tree)
        return self._numbers[place]

    def to_json(self) -> list[dict[str, Any]]:
        """All trees, in the order of their numbers."""
        return [self._tree(number, tree) for number, tree in enumerate(self.trees)]

    def _tree(self, number: int, tree: Tree) -> dict[str, Any]:
        arrays = without_empty_side_tables(tree.arrays)
        return {
            "criterion": tree.criterion,
            "empty_leaf": tree.empty_leaf,
            "arrays": {name: self.arrays.put(f"trees.{number}.{name}", array) for name, array in arrays.items()},
        }


def read_trees(data: Any, arrays: ArrayReader, schema: Schema, kind: TargetKind) -> list[Tree]:
    """The trees of a file, every array and every link between nodes checked."""
    trees = []
    for number, part in enumerate(data):
        with at(f"/{number}"):
            result = {}
            for name, items in part["arrays"].items():
                with at(f"/arrays/{name}"):
                    need(name in ARRAYS, "a tree has no such array")
                    result[name] = arrays.read(
                        items, ARRAYS[name], width=kind.layout.width if name == "value" else None
                    )
            tree = Tree.from_arrays(result, schema, kind, criterion=part["criterion"], empty_leaf=part["empty_leaf"])
            check_ordered(schema, np.array(tree.asked, dtype=np.int64))
            trees.append(tree)
    return trees


def check_ordered(schema: Schema, asked: NDArray[Any]) -> None:
    """Refuse a threshold on an ordered attribute without values: it could not be written down.

    asked: the positions of attributes that are asked; those behind the last are nobody's.
    """
    for position in np.unique(asked).tolist():
        attribute = schema.attributes[position] if position < len(schema) else None
        has_values = attribute is None or attribute.kind != "ordered" or attribute.n_values > 0
        need(has_values, f"the ordered attribute {shorten(getattr(attribute, 'name', ''))} is asked, but has no values")


def tree_of(trees: Sequence[Tree], number: Any) -> Tree:
    """The tree of a number."""
    need(type(number) is int and 0 <= number < len(trees), f"there is no tree {number!r}; there are {len(trees)}")
    return trees[int(number)]

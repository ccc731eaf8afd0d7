"""Collapsed nodes: those that asked while the tree grew and are leaves now, with the errors that were compared."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from quercus.arrays import Floats, Integers
from quercus.growing.recipe import Recipe
from quercus.tree.layout import LEAF
from quercus.tree.tree import Tree


class Collapsed:
    """A grown tree beside the tree before useless splits were collapsed.

    tree, recipe: as grown. before: the tree before. costs: of errors; None: 1 each. case_weight: what one case weighs.
    """

    def __init__(self, tree: Tree, before: Tree, recipe: Recipe, costs: Floats | None, case_weight: float) -> None:
        self.before = before
        self.recipe = recipe
        self.unit = "cost" if costs is not None else "errors"
        values = before.value / case_weight
        self.as_leaf: Floats = (
            values.sum(axis=1) - values.max(axis=1) if costs is None else (values @ costs).min(axis=1)
        )
        self.place = _places(tree, before)
        self.below = self._errors_below()

    def _errors_below(self) -> Floats:
        """The errors of the branches of each node; bottom up, after their own collapsing."""
        before, below = self.before, np.zeros(self.before.n_nodes)
        allowed = self.recipe.collapse_tolerance + 1e-9
        for node in range(before.n_nodes - 1, 0, -1):
            errors = self.as_leaf[node]
            if before.kind[node] != LEAF:
                keeps = self.recipe.collapse != "bottom_up" or below[node] < errors - allowed
                errors = below[node] if keeps else errors
            below[before.parent[node]] += errors
        return below

    def why(self, node: int) -> str:
        """Why a node of the tree was collapsed; empty if it was not."""
        place = int(self.place[node])
        if self.before.kind[place] == LEAF:
            return ""
        inside = slice(int(self.before.first_child[place]), int(self.before.descendants_end[place]))
        leaves = int(np.count_nonzero(self.before.kind[inside] == LEAF))
        errors, own = float(self.below[place]), float(self.as_leaf[place])
        unit = "error" if self.unit == "errors" and abs(errors - 1) < 1e-9 else self.unit
        tolerance = f" (and {self.recipe.collapse_tolerance:g} is allowed for)" if errors < own - 1e-9 else ""
        return (
            f"its {leaves} leaves made {errors:.6g} {unit} on the training rows and one leaf makes {own:.6g}"
            f"{tolerance}, so it was collapsed after growing"
        )


def _places(tree: Tree, before: Tree) -> Integers:
    """For each node of a tree, its number in the tree before some nodes were made leaves."""
    place = np.zeros(tree.n_nodes, dtype=np.int64)
    for node in range(tree.n_nodes):
        first, size = int(tree.first_child[node]), int(tree.n_children[node])
        there = int(before.first_child[place[node]])
        place[first : first + size] = np.arange(there, there + size)
    return place


def why_cut_back(recipe: Recipe, node: int, collapsed: Callable[[], Collapsed]) -> str:
    """Why a node of an accepted split is a leaf: collapsed after growing, or there were leaves enough; "": neither."""
    why = collapsed().why(node) if recipe.collapse != "no" else ""
    if not why and recipe.max_leaf_nodes is not None:
        why = f"other nodes improved more, and the tree may have {recipe.max_leaf_nodes} leaves at most"
    return why

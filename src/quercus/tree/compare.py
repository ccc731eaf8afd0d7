"""Comparing trees: exactly, or in structure with numbers that agree within a tolerance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from quercus.tree.layout import NODE_ARRAYS, THRESHOLD, Array

if TYPE_CHECKING:
    from quercus.tree.tree import Tree

# what is asked first, then what is there
_ORDER = (
    "kind", "attribute", "n_children", "first_child", "threshold", "group_start", "group_child", "missing_child",
    "count", "weight", "value", "gain",
    "surrogate_start", "surrogate_kind", "surrogate_attribute", "surrogate_threshold", "surrogate_low_child",
    "surrogate_group_start", "surrogate_group_child", "surrogate_agreement", "surrogate_adjusted",
)  # fmt: skip


def first_difference(one: Tree, other: Tree, tolerance: float | None) -> str | None:
    """The first thing that differs, in words; None if nothing does. tolerance None: every number exactly the same.

    A threshold counts only where the test is one.
    """
    if one is other:
        return None
    if one.schema.attributes != other.schema.attributes:
        return "the attributes of the schema differ"
    if one.classes != other.classes:
        return f"classes: {one.classes} against {other.classes}"
    if tolerance is None:
        for name in ("schema", "criterion", "empty_leaf"):
            if getattr(one, name) != getattr(other, name):
                return f"{name}: {getattr(one, name)} against {getattr(other, name)}"
    if one.n_nodes != other.n_nodes:
        return f"{one.n_nodes} nodes against {other.n_nodes}" + _first_other_kind(one, other)
    for name in _ORDER:
        found = _array_difference(name, _compared(one, name), _compared(other, name), tolerance)
        if found is not None:
            return found
    return None


def _compared(tree: Tree, name: str) -> Array:
    array: Array = getattr(tree, name)
    if name == "threshold":
        return np.where(tree.kind == THRESHOLD, array, np.nan)
    if name == "surrogate_threshold":
        return np.where(tree.surrogate_kind == THRESHOLD, array, np.nan)
    return array


def _array_difference(name: str, one: Array, other: Array, tolerance: float | None) -> str | None:
    if one.shape != other.shape:
        return f"{name}: {len(one)} elements against {len(other)}"
    wrong = _differ(one, other, tolerance)
    if not wrong.any():
        return None
    place = np.argwhere(wrong)[0]
    where = f"node {place[0]}" if name in NODE_ARRAYS else f"element {place[0]}"
    column = f", column {place[1]}" if len(place) > 1 else ""
    return f"{where}{column}: {name} {one[tuple(place)].item()!r} against {other[tuple(place)].item()!r}"


def _differ(one: Array, other: Array, tolerance: float | None) -> NDArray[np.bool_]:
    same = one == other
    if one.dtype.kind == "f":
        same |= np.isnan(one) & np.isnan(other)
        if tolerance is not None:
            with np.errstate(invalid="ignore"):
                scale = np.maximum(1.0, np.maximum(np.abs(one), np.abs(other)))
                same |= np.isfinite(one) & np.isfinite(other) & (np.abs(one - other) <= tolerance * scale)
    return np.asarray(~same)


def _first_other_kind(one: Tree, other: Tree) -> str:
    """Where two trees of different size part first."""
    shared = min(one.n_nodes, other.n_nodes)
    for name in ("kind", "attribute", "n_children"):
        found = _array_difference(name, getattr(one, name)[:shared], getattr(other, name)[:shared], None)
        if found is not None:
            return f"; {found}"
    return ""

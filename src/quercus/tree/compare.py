"""Comparing trees: exactly, or in structure with numbers that agree within a tolerance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from quercus.arrays import Array, Integers, Truths
from quercus.tree.layout import ARRAYS, NODE_ARRAYS, NODE_TABLES, Row
from quercus.tree.questions import kinds_that

if TYPE_CHECKING:
    from quercus.tree.tree import Tree

# what is asked, first in the order in which it is told
_ASKED = ("kind", "attribute", "n_children", "threshold", "missing_child")
_ASKED_IN_TABLES = tuple(name for start, names in NODE_TABLES.items() if start != "surrogate_start" for name in names)
_TOLD_FIRST = ("kind", "attribute", "n_children", "first_child", "threshold", "group_start", *_ASKED_IN_TABLES)
_TOLD_NEXT = ("missing_child", "count", "weight", "value", "gain", "surrogate_start")
_ORDER = tuple(dict.fromkeys((*_TOLD_FIRST, *_TOLD_NEXT, *ARRAYS)))


def first_difference(one: Tree, other: Tree, tolerance: float | None) -> str | None:
    """The first thing that differs, in words; None if nothing does. tolerance None: every number exactly the same.

    A threshold counts only where the test is one.
    """
    if one is other:
        return None
    if one.schema.attributes != other.schema.attributes:
        return "the attributes of the schema differ"
    if one.target_kind != other.target_kind:
        return f"{one.target_kind.name}: {one.target_kind} against {other.target_kind}"
    if tolerance is None:
        for name in ("schema", "criterion", "empty_leaf"):
            if getattr(one, name) != getattr(other, name):
                return f"{name}: {getattr(one, name)} against {getattr(other, name)}"
    if one.n_nodes != other.n_nodes:
        return f"{one.n_nodes} nodes against {other.n_nodes}" + _first_other_kind(one, other)
    for name in _ORDER:
        difference = _array_difference(name, _compared(one, name), _compared(other, name), tolerance)
        if difference is not None:
            return difference
    return None


def _compared(tree: Tree, name: str) -> Array:
    array: Array = getattr(tree, name)
    if name not in ("threshold", "surrogate_threshold"):
        return array
    kind = tree.kind if name == "threshold" else tree.surrogate_kind
    return np.where(kinds_that(kind, lambda one: one.has_threshold), array, np.nan)


def same_questions(one: Tree, ours: Integers, other: Tree, theirs: Integers) -> Truths:
    """Which pairs of nodes of two trees ask the same and send unknown values the same way; surrogates apart."""
    same = np.ones(len(ours), dtype=np.bool_)
    for name in _ASKED:
        same &= ~_differ(_compared(one, name)[ours], _compared(other, name)[theirs], None)
    for name in _ASKED_IN_TABLES:
        if len(getattr(one, name)) or len(getattr(other, name)):
            for place in np.flatnonzero(same).tolist():
                same[place] = np.array_equal(Row(one, int(ours[place]))[name], Row(other, int(theirs[place]))[name])
    return same


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


def _differ(one: Array, other: Array, tolerance: float | None) -> Truths:
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
        difference = _array_difference(name, getattr(one, name)[:shared], getattr(other, name)[:shared], None)
        if difference is not None:
            return f"; {difference}"
    return ""

"""The dictionary form of a tree: what JSON can hold, exact, with a version; read back with every part checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from quercus.arrays import Array
from quercus.data.schema import Schema
from quercus.data.values import value_from_json
from quercus.errors import DataError, shorten
from quercus.targets import TargetKind, kind_from_json
from quercus.tree.layout import ARRAYS

if TYPE_CHECKING:
    from quercus.tree.tree import Tree

FORMAT = "quercus tree"
VERSION = 1
_KEYS = ("format", "version", "criterion", "empty_leaf", "classes", "schema", "arrays")
_NOT_FINITE = {None: math.nan, "inf": math.inf, "-inf": -math.inf}


def tree_to_dict(tree: Tree) -> dict[str, Any]:
    """Lists for arrays; a NaN is None, infinities are "inf" and "-inf", every other number itself."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "criterion": tree.criterion,
        "empty_leaf": tree.empty_leaf,
        **tree.target_kind.to_json(),
        "schema": tree.schema.to_dict(),
        "arrays": {name: _listed(array) for name, array in tree.arrays.items()},
    }


def _listed(array: Array) -> list[Any]:
    result: list[Any] = array.tolist()
    if array.ndim == 1 and array.dtype.kind == "f":
        for place in np.flatnonzero(~np.isfinite(array)):
            number = result[place]
            result[place] = None if number != number else "inf" if number > 0 else "-inf"
    return result


def arguments_from_dict(data: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of ``Tree.from_arrays`` from the dictionary form."""
    if not isinstance(data, Mapping):
        raise DataError(f"A tree's dictionary is needed; given: {shorten(data)}. Use the result of Tree.to_dict().")
    missing = [key for key in _KEYS if key not in data]
    if missing or data["format"] != FORMAT:
        problem = f"it lacks {', '.join(map(repr, missing))}" if missing else f"its format is {shorten(data['format'])}"
        raise DataError(f"This is no tree's dictionary: {problem}. Use the result of Tree.to_dict().")
    if type(data["version"]) is not int or data["version"] != VERSION:
        raise DataError(
            f"The tree's dictionary has version {shorten(data['version'])}; this library reads version {VERSION}. "
            f"Read it with the library that wrote it, or a newer one."
        )
    arrays = data["arrays"]
    if not isinstance(arrays, Mapping):
        raise DataError(f"The tree's 'arrays' must be a dictionary of lists; given: {shorten(arrays)}.")
    schema, kind = _read_names(data)
    return {
        "arrays": {name: _array(name, items, kind.layout.width) for name, items in arrays.items()},
        "schema": schema,
        "target": kind,
        "criterion": data["criterion"],
        "empty_leaf": data["empty_leaf"],
    }


def _read_names(data: Mapping[str, Any]) -> tuple[Schema, TargetKind]:
    """The schema and the kind of target, whose own readers see damaged parts of any type."""
    classes = data["classes"]
    if not isinstance(classes, list | tuple | None):
        raise DataError(f"The tree's 'classes' must be a list, or None for regression; given: {shorten(classes)}.")
    try:
        labels = tuple(map(value_from_json, classes)) if isinstance(classes, list | tuple) else None
        return Schema.from_dict(data["schema"]), kind_from_json(data, labels)
    except DataError:
        raise
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as error:
        raise DataError(f"The tree's schema or classes are damaged: {error}.") from error


def _array(name: str, items: Any, width: int) -> Array:
    """One array from its list; from_arrays then checks its name, length, element type and numbers."""
    dtype = np.dtype(ARRAYS.get(name, np.float64))
    if not isinstance(items, list | tuple):
        raise DataError(f"The tree's array {name!r} must be a list; given: {shorten(items)}.")
    try:
        if dtype.kind == "f" and name != "value":
            items = [_NOT_FINITE[x] if x is None or isinstance(x, str) else x for x in items]
        array = np.array(items)
        if array.dtype.kind not in ("iuf" if dtype.kind == "f" else "iu") and array.size:
            raise TypeError(f"{'numbers' if dtype.kind == 'f' else 'whole numbers'} are needed")
        return array.reshape(len(items), width) if name == "value" else array
    except (TypeError, ValueError, KeyError, OverflowError) as error:
        raise DataError(f"The tree's array {name!r} is damaged: {error}.") from error

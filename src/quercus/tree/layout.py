"""The layout of a tree's arrays: their names, element types, and how rows and side tables are taken together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

LEAF, THRESHOLD, MULTIWAY, GROUPED, SUBSET = range(5)
KIND_NAMES = ("leaf", "threshold", "multiway", "grouped", "subset")

#: One element a node; ``value`` one row a node.
NODE_ARRAYS: dict[str, type[np.generic]] = {
    "kind": np.uint8,
    "attribute": np.int32,
    "threshold": np.float64,
    "first_child": np.int32,
    "n_children": np.int32,
    "missing_child": np.int32,
    "weight": np.float64,
    "count": np.int64,
    "gain": np.float64,
    "value": np.float64,
}
#: One element a surrogate split.
SURROGATE_ARRAYS: dict[str, type[np.generic]] = {
    "surrogate_kind": np.uint8,
    "surrogate_attribute": np.int32,
    "surrogate_threshold": np.float64,
    "surrogate_low_child": np.int32,
    "surrogate_agreement": np.float64,
    "surrogate_adjusted": np.float64,
}
#: Side tables: where the entries of a row begin, and the entries.
SIDE_TABLES: dict[str, type[np.generic]] = {
    "group_start": np.int64,
    "group_child": np.int32,
    "surrogate_start": np.int64,
    "surrogate_group_start": np.int64,
    "surrogate_group_child": np.int32,
}
ARRAYS: dict[str, type[np.generic]] = {**NODE_ARRAYS, **SURROGATE_ARRAYS, **SIDE_TABLES}
#: Without value groups or surrogates these may be left out.
OPTIONAL = frozenset(SURROGATE_ARRAYS) | frozenset(SIDE_TABLES)


def joined_ranges(start: Array, length: Array) -> NDArray[np.int64]:
    """The ranges ``start[i] … start[i] + length[i] − 1``, one behind the other.

    >>> joined_ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    length = length.astype(np.int64)
    before = np.cumsum(length) - length
    shift: NDArray[np.int64] = np.repeat(start.astype(np.int64) - before, length)
    return np.arange(len(shift), dtype=np.int64) + shift


def with_empty_side_tables(arrays: Mapping[str, Array], n_nodes: int) -> dict[str, Array]:
    """The arrays, with empty ones where a tree has no value groups or no surrogates."""
    result = dict(arrays)
    for name, dtype in ARRAYS.items():
        if name in result or name not in OPTIONAL:
            continue
        rows = n_nodes if name in ("group_start", "surrogate_start") else 0
        result[name] = np.zeros(rows + 1 if name.endswith("_start") else 0, dtype=dtype)
    return result


def taken(arrays: Mapping[str, Array], nodes: Array) -> dict[str, Array]:
    """The rows of these nodes, in this order, with their groups and surrogates; first_child keeps the old numbers."""
    arrays = with_empty_side_tables(arrays, len(arrays["kind"]))
    result = {name: np.asarray(arrays[name])[nodes] for name in NODE_ARRAYS}
    result["group_start"], entries = _taken_ranges(arrays["group_start"], nodes)
    result["group_child"] = arrays["group_child"][entries]
    result["surrogate_start"], surrogates = _taken_ranges(arrays["surrogate_start"], nodes)
    for name in SURROGATE_ARRAYS:
        result[name] = arrays[name][surrogates]
    result["surrogate_group_start"], entries = _taken_ranges(arrays["surrogate_group_start"], surrogates)
    result["surrogate_group_child"] = arrays["surrogate_group_child"][entries]
    return result


def _taken_ranges(start: Array, rows: Array) -> tuple[Array, Array]:
    """New starts of a side table when only these rows stay, and the numbers of the entries that stay."""
    length = (start[1:] - start[:-1])[rows]
    new_start = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(length, dtype=np.int64)])
    return new_start, joined_ranges(start[:-1][rows], length)

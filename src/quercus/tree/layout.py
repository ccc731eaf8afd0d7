"""The layout of a tree's arrays: their names, element types, and how rows and side tables are taken together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Array, Integers, Truths
from quercus.errors import DataError

#: The kind of a node that asks nothing; the others are in ``questions/kinds.py``.
LEAF = 0

#: One element per node; ``value`` one row per node.
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
#: One element for each surrogate split.
SURROGATE_ARRAYS: dict[str, type[np.generic]] = {
    "surrogate_kind": np.uint8,
    "surrogate_attribute": np.int32,
    "surrogate_threshold": np.float64,
    "surrogate_low_child": np.int32,
    "surrogate_agreement": np.float64,
    "surrogate_adjusted": np.float64,
}
#: Side tables: where the entries of a node or surrogate begin, and the entries.
SIDE_TABLES: dict[str, type[np.generic]] = {
    "group_start": np.int64,
    "group_value": np.int32,
    "group_child": np.int32,
    "surrogate_start": np.int64,
    "surrogate_group_start": np.int64,
    "surrogate_group_value": np.int32,
    "surrogate_group_child": np.int32,
}
#: The values that have a child, ascending, and their children, by the array that says where those of a row begin.
GROUP_TABLES: dict[str, tuple[str, str]] = {
    "group_start": ("group_value", "group_child"),
    "surrogate_group_start": ("surrogate_group_value", "surrogate_group_child"),
}
#: The tables of a node and of a surrogate: the entries, by the array that says where they begin.
NODE_TABLES: dict[str, tuple[str, ...]] = {
    "group_start": GROUP_TABLES["group_start"],
    "surrogate_start": tuple(SURROGATE_ARRAYS),
}
SURROGATE_TABLES: dict[str, tuple[str, ...]] = {"surrogate_group_start": GROUP_TABLES["surrogate_group_start"]}
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
        rows = n_nodes if name in NODE_TABLES else 0
        result[name] = np.zeros(rows + 1 if name.endswith("_start") else 0, dtype=dtype)
    return result


def without_empty_side_tables(arrays: Mapping[str, Array]) -> dict[str, Array]:
    """The arrays without those of tables that have no entry; :func:`with_empty_side_tables` puts them back."""
    result = dict(arrays)
    for start, entries in NODE_TABLES.items():
        if len(arrays[entries[0]]):
            continue
        for name in (start, *entries):
            del result[name]
    if "surrogate_start" not in result:
        for start, entries in SURROGATE_TABLES.items():
            for name in (start, *entries):
                del result[name]
    return result


def taken(arrays: Mapping[str, Array], nodes: Array, emptied: Truths | None = None) -> dict[str, Array]:
    """The rows of these nodes, in this order, with their groups and surrogates; first_child keeps the old numbers.

    arrays: also in the form of ``Tree.from_arrays`` that has the child of every declared value; then the result has it.
    emptied: of all nodes those whose groups and surrogates are left out.
    """
    declared = {
        value: child for start, (value, child) in GROUP_TABLES.items() if start in arrays and value not in arrays
    }
    arrays = with_empty_side_tables(arrays, len(arrays["kind"]))
    arrays |= {value: arrays[child] for value, child in declared.items()}
    result = {name: np.asarray(arrays[name])[nodes] for name in NODE_ARRAYS}
    kept = np.ones(len(nodes), dtype=np.int64) if emptied is None else ~emptied[nodes]
    places = {start: _take_table(arrays, start, NODE_TABLES[start], nodes, kept, result) for start in NODE_TABLES}
    surrogates = places["surrogate_start"]
    for start, entries in SURROGATE_TABLES.items():
        _take_table(arrays, start, entries, surrogates, np.ones(len(surrogates), dtype=np.int64), result)
    return {name: array for name, array in result.items() if name not in declared}


def _take_table(
    arrays: Mapping[str, Array],
    start: str,
    entries: tuple[str, ...],
    rows: Array,
    kept: Array,
    result: dict[str, Array],
) -> Integers:
    """Put a table of these rows into the result, without entries where not kept; the numbers of those that stay."""
    length = (arrays[start][1:] - arrays[start][:-1])[rows] * kept
    result[start] = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(length, dtype=np.int64)])
    places = joined_ranges(arrays[start][:-1][rows], length)
    result.update({name: arrays[name][places] for name in entries})
    return places


def group_entries(value_child: Array | None) -> dict[str, Array]:
    """The entries of a table of groups, from the child of each declared value (−1: none).

    >>> group_entries(np.array([0, -1, 1]))["group_value"].tolist()
    [0, 2]
    """
    children = np.zeros(0, dtype=np.int32) if value_child is None else np.asarray(value_child)
    values = np.flatnonzero(children >= 0)
    return {"group_value": values.astype(np.int32), "group_child": children[values].astype(np.int32)}


def value_children(entries: Any, n_values: int) -> Integers:
    """The child of each declared value, −1 for none, from the entries of a node or surrogate.

    >>> value_children({"group_value": np.array([0, 2]), "group_child": np.array([0, 1])}, 4).tolist()
    [0, -1, 1, -1]
    """
    result = np.full(n_values, -1, dtype=np.int64)
    result[entries["group_value"]] = entries["group_child"]
    return result


def listed_values(start: Array, value_child: Array) -> tuple[Array, Array, Array]:
    """The table of the values that have a child: start, values, children.

    start, value_child: a table with the child of each declared value, −1 for none.

    >>> [array.tolist() for array in listed_values(np.array([0, 3, 3, 5]), np.array([0, -1, 1, 1, 0]))]
    [[0, 2, 2, 4], [0, 2, 0, 1], [0, 1, 1, 0]]
    """
    kept = value_child >= 0
    before = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(kept, dtype=np.int64)])
    value = np.arange(len(kept)) - np.repeat(start[:-1], start[1:] - start[:-1])
    return before[start], value[kept].astype(np.int32), value_child[kept].astype(np.int32)


def values_rise(start: Array, value: Array) -> Truths:
    """Of each value of a table whether it is 0 or more and above the one before it in its row."""
    rises = np.empty(len(value), dtype=np.bool_)
    rises[1:] = value[1:] > value[:-1]
    rises[start[:-1][start[:-1] < len(value)]] = True
    return rises & (value >= 0)


_TABLES = {**NODE_TABLES, **SURROGATE_TABLES}
_START_OF = {name: start for start in _TABLES if start != "surrogate_start" for name in _TABLES[start]}


class Row:
    """What a tree's arrays hold of one node, by the array's name: an element, or the entries of a side table."""

    __slots__ = ("number", "tree")

    def __init__(self, tree: object, number: int) -> None:
        self.tree, self.number = tree, number

    def __getitem__(self, name: str) -> Any:
        """The element or entries of an array."""
        array, start = getattr(self.tree, name), _START_OF.get(name)
        if start is None:
            return array[self.number]
        starts = getattr(self.tree, start)
        return array[starts[self.number] : starts[self.number + 1]]


class SurrogateRow(Row):
    """What a tree's arrays hold of one surrogate, by the names of a node's arrays; a surrogate has two branches."""

    __slots__ = ()

    def __getitem__(self, name: str) -> Any:
        """The element or entries of an array."""
        if name == "n_children":
            return 2
        if name == "missing_child":
            return -1
        return super().__getitem__(f"surrogate_{name}")


def reject(wrong: Any, rule: str, array: Array | None = None, *, what: str = "Node") -> None:
    """Raise for the first node that is ``wrong``, with what the array holds of it. what: what it is, if no node."""
    if wrong.any():
        first = int(np.argmax(wrong))
        shown = f" has {array[first].item()}" if array is not None else ""
        raise DataError(f"{what} {first}{shown}: {rule}")

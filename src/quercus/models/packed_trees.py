"""Packed trees in model files: the fields of all nodes of all trees, one tree behind the other.

What follows from the rest is not written: the numbers of leaves, and the width of whole numbers. Older files have the
child of each declared value of a subset instead of the values that have one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from quercus.arrays import Array
from quercus.data.schema import Schema
from quercus.models.arrays import ArrayReader, ArrayStore
from quercus.models.damage import at, need
from quercus.targets import TargetKind
from quercus.tree.layout import LEAF, listed_values, values_rise
from quercus.tree.packing import NODE, in_groups, packed_sets, records, value_sets

#: One element per node; of ``key`` only thresholds and the numbers that leaves predict.
_FIELDS: dict[str, str] = {"kind": "u1", "attribute": "u2", "first_child": "i4", "missing_child": "i1", "key": "f8"}
#: One element per question, a leaf (of classes: a leaf and class).
_SIDES: dict[str, str] = {"gain": "f8", "leaf_value": "f8", "leaf_weight": "f8", "leaf_count": "f8"}
#: Of subsets: how many values have a child; one element per value: the value and its child.
_GROUPS: dict[str, str] = {"group_size": "i4", "group_value": "i4", "group": "i1"}
_NARROW = ("uint16", "uint32")


def packed_to_json(stored: Sequence[dict[str, Array]], kind: TargetKind, store: ArrayStore) -> dict[str, Any]:
    """The arrays of packed trees, each of all trees together."""
    nodes = [records(tree) for tree in stored]
    columns: dict[str, Array] = {name: np.concatenate([part[name] for part in nodes]) for name in _FIELDS}
    known_by_kind = in_groups(columns["kind"])
    if kind.leaf_table:
        known_by_kind |= columns["kind"] == LEAF
    columns["key"][known_by_kind] = np.nan
    for name in _SIDES:
        columns[name] = np.concatenate([_filled(tree, name).reshape(-1) for tree in stored])
        columns[name] = _narrowed(columns[name]) if name.startswith("leaf") else columns[name]
    sets = [value_sets(tree) for tree in stored]
    of_groups = (np.concatenate(arrays) for arrays in zip(*((np.diff(s), v, c) for s, v, c in sets), strict=True))
    columns |= {name: array.astype(dtype) for (name, dtype), array in zip(_GROUPS.items(), of_groups, strict=True)}
    sizes = np.array([len(part) for part in nodes], dtype=np.int64)
    return {name: store.put(f"packed.{name}", array) for name, array in {"n_nodes": sizes, **columns}.items()}


def _filled(tree: dict[str, Array], name: str) -> Array:
    """An array of a tree; deviations that were left out as all 0 filled in."""
    if name == "leaf_value" and not len(tree[name]):
        return np.zeros(len(tree["leaf_count"]))
    return tree[name]


def _narrowed(numbers: Array) -> Array:
    """Whole numbers in 2 or 4 bytes, as growing keeps them."""
    whole = bool(((numbers >= 0) & (numbers < 2**32) & (numbers == np.floor(numbers))).all())
    if not whole:
        return numbers.astype(np.float64)
    return numbers.astype(np.uint16 if not len(numbers) or numbers.max() < 2**16 else np.uint32)


# Back


def read_packed(data: Any, arrays: ArrayReader, schema: Schema, kind: TargetKind) -> list[dict[str, Array]]:
    """Undo :func:`packed_to_json`: the arrays of each tree; what they say is checked by the forest."""
    sizes = _read(data, arrays, "n_nodes", "i8")
    need(bool((sizes > 0).all()) and len(sizes) > 0, "every tree has nodes")
    total = sum(sizes.tolist())  # whole numbers of any size: no sum can overflow
    fields = {name: _read(data, arrays, name, dtype, total) for name, dtype in _FIELDS.items()}
    leaf = fields["kind"] == LEAF
    need(bool((fields["attribute"][~leaf] < len(schema)).all()), "a question asks an attribute of the schema")
    subset = in_groups(fields["kind"])
    sets = _read_sets(data, arrays, schema, fields["attribute"][subset])
    counts = {"gain": ~leaf, "leaf_value": leaf * kind.width, "leaf_count": leaf}
    counts["leaf_weight"] = leaf * (not kind.leaf_table)
    sides = {name: _read(data, arrays, name, _SIDES[name], int(number.sum())) for name, number in counts.items()}
    ends = np.cumsum(sizes)
    cuts = {name: _steps(np.asarray(number), ends) for name, number in counts.items()}
    subsets = _steps(subset, ends)
    result = []
    for tree, (start, end) in enumerate(zip(ends - sizes, ends, strict=True)):
        own = {name: sides[name][cuts[name][tree] : cuts[name][tree + 1]] for name in counts}
        keys, own["group"] = _packed_part(sets, subsets[tree], subsets[tree + 1])
        nodes = _nodes({name: array[start:end] for name, array in fields.items()}, keys, kind)
        result.append({"nodes": nodes, **_leaves(own, kind)})
    return result


def _read(data: Any, arrays: ArrayReader, name: str, dtype: str, length: int | None = None) -> Array:
    with at(f"/{name}"):
        return arrays.read(data[name], dtype, length=length, narrow=_NARROW if name.startswith("leaf") else ())


def _steps(number: Array, ends: Array) -> list[int]:
    """Where the elements of each tree begin, if each of its nodes has so many, and where the last one's end."""
    sums = np.concatenate([[0], np.cumsum(number, dtype=np.int64)])
    return [0, *sums[ends].tolist()]


def _read_sets(data: Any, arrays: ArrayReader, schema: Schema, attribute: Array) -> tuple[Array, Array, Array]:
    """The values of all subsets that have a child: where those of each begin, the values and their children.

    attribute: what each subset asks.
    """
    declared = np.array([0 if one.is_numeric else one.n_values for one in schema])[attribute]
    if "group_value" not in data:  # older files: a child, or −1, for each declared value
        start = np.concatenate([[0], np.cumsum(declared, dtype=np.int64)])
        child = _read(data, arrays, "group", _GROUPS["group"], int(start[-1]))
        need(bool(((child >= -1) & (child <= 1)).all()), "a value's child is −1, 0 or 1")
        return listed_values(start, child)
    size = _read(data, arrays, "group_size", _GROUPS["group_size"], len(attribute))
    need(bool(((size >= 0) & (size <= declared)).all()), "a subset has at most the values of its attribute")
    start = np.concatenate([[0], np.cumsum(size, dtype=np.int64)])
    value, child = (_read(data, arrays, name, _GROUPS[name], int(start[-1])) for name in ("group_value", "group"))
    need(bool(((child >= 0) & (child <= 1)).all()), "a value's child is 0 or 1")
    rises = values_rise(start, value) & (value < np.repeat(declared, size))
    need(bool(rises.all()), "the values of a subset are among those of its attribute, ascending")
    return start, value, child.astype(np.int32)


def _packed_part(sets: tuple[Array, Array, Array], first: int, end: int) -> tuple[Array, Array]:
    """The keys and the table of the subsets ``first … end − 1``."""
    start, value, child = sets
    begin, stop = start[first], start[end]
    return packed_sets(start[first : end + 1] - begin, value[begin:stop], child[begin:stop])


def _nodes(fields: dict[str, Array], keys: Array, kind: TargetKind) -> Array:
    """The records of a tree's nodes as bytes; leaves are numbered. keys: of the subsets."""
    nodes = np.zeros(len(fields["kind"]), dtype=NODE)
    for name in _FIELDS:
        nodes[name] = fields[name]
    nodes["key"][in_groups(fields["kind"])] = keys
    leaf = fields["kind"] == LEAF
    if kind.leaf_table:
        nodes["key"][leaf] = np.arange(int(leaf.sum()), dtype=np.uint64).view(np.float64)
    return nodes.view(np.uint8).reshape(-1, NODE.itemsize)


def _leaves(own: dict[str, Array], kind: TargetKind) -> dict[str, Array]:
    """The other arrays of a tree as growing keeps them: narrow, deviations that are all 0 left out."""
    value, weight = own["leaf_value"], own["leaf_weight"]
    if kind.leaf_table:
        value, weight = _narrowed(value).reshape(-1, kind.width), weight.astype(np.float64)
    else:
        value, weight = _narrowed(value) if value.any() else np.zeros(0), _narrowed(weight)
    return {**own, "leaf_value": value, "leaf_weight": weight, "leaf_count": _narrowed(own["leaf_count"])}

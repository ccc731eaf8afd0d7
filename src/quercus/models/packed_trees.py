"""Packed trees in model files: the fields of all nodes of all trees, one tree behind the other.

What follows from the rest is not written: the numbers of leaves, where a subset's values begin, and the width of whole
numbers.
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
from quercus.tree.layout import LEAF
from quercus.tree.packing import NODE, in_groups, records

#: One element per node; of ``key`` only thresholds and the numbers that leaves predict.
_FIELDS: dict[str, str] = {"kind": "u1", "attribute": "u2", "first_child": "i4", "missing_child": "i1", "key": "f8"}
#: One element per question, a value of a subset, a leaf (of classes: a leaf and class).
_SIDES: dict[str, str] = {"gain": "f8", "group": "i1", "leaf_value": "f8", "leaf_weight": "f8", "leaf_count": "f8"}
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
    sizes = np.array([len(part) for part in nodes], dtype=np.int64)
    return {name: store.put(f"packed.{name}", array) for name, array in {"n_nodes": sizes, **columns}.items()}


def _filled(tree: dict[str, Array], name: str) -> Array:
    """An array of a tree; the end mark of the groups left out, deviations that were left out as all 0 filled in."""
    if name == "group":
        return tree[name][:-1]
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
    values = np.array([0 if attribute.is_numeric else attribute.n_values for attribute in schema])
    subset = in_groups(fields["kind"])
    lengths = np.zeros(total, dtype=np.int64)
    lengths[subset] = values[fields["attribute"][subset]]
    counts = {"gain": ~leaf, "group": lengths, "leaf_value": leaf * kind.width, "leaf_count": leaf}
    counts["leaf_weight"] = leaf * (not kind.leaf_table)
    sides = {name: _read(data, arrays, name, _SIDES[name], int(number.sum())) for name, number in counts.items()}
    ends = np.cumsum(sizes)
    cuts = {name: _steps(np.asarray(number), ends) for name, number in counts.items()}
    result = []
    for tree, (start, end) in enumerate(zip(ends - sizes, ends, strict=True)):
        own = {name: sides[name][cuts[name][tree] : cuts[name][tree + 1]] for name in counts}
        nodes = _nodes({name: array[start:end] for name, array in fields.items()}, lengths[start:end], kind)
        result.append({"nodes": nodes, **_leaves(own, kind)})
    return result


def _read(data: Any, arrays: ArrayReader, name: str, dtype: str, length: int | None = None) -> Array:
    with at(f"/{name}"):
        return arrays.read(data[name], dtype, length=length, narrow=_NARROW if name.startswith("leaf") else ())


def _steps(number: Array, ends: Array) -> list[int]:
    """Where the elements of each tree begin, if each of its nodes has so many, and where the last one's end."""
    sums = np.concatenate([[0], np.cumsum(number, dtype=np.int64)])
    return [0, *sums[ends].tolist()]


def _nodes(fields: dict[str, Array], lengths: Array, kind: TargetKind) -> Array:
    """The records of a tree's nodes as bytes; leaves and subsets are numbered."""
    nodes = np.zeros(len(lengths), dtype=NODE)
    for name in _FIELDS:
        nodes[name] = fields[name]
    key = nodes["key"].copy().view(np.uint64)
    subset, leaf = in_groups(fields["kind"]), fields["kind"] == LEAF
    key[subset] = (np.cumsum(lengths) - lengths)[subset]
    if kind.leaf_table:
        key[leaf] = np.arange(int(leaf.sum()))
    nodes["key"] = key.view(np.float64)
    return nodes.view(np.uint8).reshape(-1, NODE.itemsize)


def _leaves(own: dict[str, Array], kind: TargetKind) -> dict[str, Array]:
    """The other arrays of a tree as growing keeps them: narrow, deviations that are all 0 left out, groups ended."""
    value, weight = own["leaf_value"], own["leaf_weight"]
    if kind.leaf_table:
        value, weight = _narrowed(value).reshape(-1, kind.width), weight.astype(np.float64)
    else:
        value, weight = _narrowed(value) if value.any() else np.zeros(0), _narrowed(weight)
    own["group"] = np.append(own["group"], np.int8(-1))
    return {**own, "leaf_value": value, "leaf_weight": weight, "leaf_count": _narrowed(own["leaf_count"])}

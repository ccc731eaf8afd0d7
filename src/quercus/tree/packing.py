"""Packing: a tree of binary questions in 16 bytes per node, without what follows from its leaves.

A packed tree is a dictionary of arrays: ``nodes`` (records of 16 bytes, see NODE), ``gain`` (a number per question),
``group`` (the values of subset questions; only the core knows its form, see ``value_sets``), ``leaf_value`` (class
weights of each leaf; numbers: squared deviations, empty if all are 0), ``leaf_weight`` (numbers only) and
``leaf_count``. Whole numbers take 2 or 4 bytes.
The weights of a node that is no leaf are the sums of its leaves: exact where weights are whole numbers, else up to
rounding.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus import _core
from quercus.arrays import Array, Truths
from quercus.data.schema import Schema
from quercus.errors import DataError
from quercus.targets.kind import TargetKind
from quercus.tree.layout import LEAF, values_rise
from quercus.tree.numbering import first_misnumbered, parents
from quercus.tree.questions import kinds_that, named_kinds

#: key: a threshold, a subset's key to its values, a leaf's number, or what a leaf of numbers predicts.
#: A leaf's first_child is itself, its attribute one behind the last.
NODE = np.dtype([("key", "<f8"), ("first_child", "<i4"), ("attribute", "<u2"), ("kind", "u1"), ("missing_child", "i1")])
NAMES = ("nodes", "gain", "group", "leaf_value", "leaf_weight", "leaf_count")
_TYPES: dict[str, tuple[str, ...]] = {
    "nodes": ("uint8",),
    "gain": ("float64",),
    "group": ("uint32",),
    "leaf_value": ("uint16", "uint32", "float64"),
    "leaf_weight": ("uint16", "uint32", "float64"),
    "leaf_count": ("uint16", "uint32", "float64"),
}


def is_packed(arrays: Mapping[str, Array]) -> bool:
    """Whether the arrays are those of a packed tree."""
    return "nodes" in arrays


def asks_binary(arrays: Mapping[str, Array]) -> bool:
    """Whether a tree, packed or not, asks only questions that can be packed, without surrogates."""
    if is_packed(arrays):
        return True
    return not len(arrays["surrogate_kind"]) and _can_be_packed(arrays["kind"])


def in_groups(kind: Array) -> Truths:
    """Which nodes have their part of the table ``group``."""
    return kinds_that(kind, lambda one: one.has_groups)


def _by_threshold(kind: Array) -> Truths:
    return kinds_that(kind, lambda one: one.has_threshold)


def _can_be_packed(kind: Array) -> bool:
    return bool(((kind == LEAF) | kinds_that(kind, lambda one: one.can_be_packed)).all())


def packed_questions(arrays: Mapping[str, Array], n_attributes: int, numbers: Array | None) -> tuple[Array, Array]:
    """The ``nodes`` and ``group`` of a tree that asks binary questions; all that following rows to its leaves needs.

    arrays: all arrays of a tree, checked. numbers: what each node predicts; None: leaves have a table of answers.
    """
    kind, n = arrays["kind"], len(arrays["kind"])
    leaf, subset = kind == LEAF, in_groups(kind)
    nodes = np.zeros(n, dtype=NODE)
    nodes["key"] = arrays["threshold"]
    keys, group = packed_sets(
        arrays["group_start"][np.append(subset, True)], arrays["group_value"], arrays["group_child"]
    )
    nodes["key"][subset] = keys
    leaves = np.arange(int(leaf.sum()), dtype=np.uint64).view(np.float64)
    nodes["key"][leaf] = leaves if numbers is None else numbers[leaf]
    nodes["first_child"] = np.where(leaf, np.arange(n), arrays["first_child"])
    nodes["attribute"] = np.where(leaf, n_attributes, arrays["attribute"])
    nodes["kind"] = kind
    nodes["missing_child"] = np.where(leaf, 0, arrays["missing_child"])
    return nodes.view(np.uint8).reshape(n, NODE.itemsize), group


def value_sets(arrays: Mapping[str, Array]) -> tuple[Array, Array, Array]:
    """The values of the subset questions of a packed tree: where those of each begin, the values and their children."""
    nodes = records(arrays)
    keys = np.ascontiguousarray(nodes["key"][in_groups(nodes["kind"])]).view(np.uint64)
    try:
        return _core.value_sets(keys, arrays["group"])
    except ValueError as error:
        raise DataError(f"The packed tree is damaged: {error}.") from error


def packed_sets(start: Array, value: Array, child: Array) -> tuple[Array, Array]:
    """The reverse: the key of each question, and ``group``. All values must be checked."""
    keys, group = _core.packed_value_sets(start, value, child)
    return keys.view(np.float64), group


def checked_packed(arrays: Mapping[str, Array], schema: Schema, kind: TargetKind) -> dict[str, Array]:
    """The arrays of a packed tree, read-only, everything checked that unpacking and predicting rely on."""
    if set(arrays) != set(NAMES):
        raise DataError(f"A packed tree has the arrays {', '.join(NAMES)}; given: {', '.join(sorted(arrays))}.")
    result = {}
    for name in NAMES:
        array = np.ascontiguousarray(arrays[name])
        if array.dtype.name not in _TYPES[name]:
            raise DataError(f"The packed tree's {name} holds {array.dtype}; {' or '.join(_TYPES[name])} is needed.")
        result[name] = array
    if result["nodes"].ndim != 2 or result["nodes"].shape[1] != NODE.itemsize or not len(result["nodes"]):
        raise DataError(
            f"The packed tree's nodes have the shape {result['nodes'].shape}; (n, {NODE.itemsize}) is needed."
        )
    _check_nodes(result, schema, kind)
    for array in result.values():
        array.flags.writeable = False
    return result


def _check_nodes(arrays: dict[str, Array], schema: Schema, target: TargetKind) -> None:
    nodes = records(arrays)
    kind, leaf = nodes["kind"], nodes["kind"] == LEAF
    n_leaves = int(leaf.sum())
    kinds = named_kinds(lambda one: one.can_be_packed).replace(" or ", " or a ")
    _need(_can_be_packed(kind), f"a node is a leaf, a {kinds}")
    size = np.where(leaf, 0, 2).astype(np.int32)
    place = np.arange(len(nodes))
    _need(2 * (len(nodes) - n_leaves) == len(nodes) - 1, "every node but the root is the child of one question")
    _need(not (leaf & (nodes["first_child"] != place)).any(), "a leaf leads to itself")
    _need(bool((nodes["attribute"][leaf] == len(schema.attributes)).all()), "a leaf asks no attribute")
    _need(not nodes["missing_child"][leaf].any(), "a leaf's missing_child is 0")
    inner = np.flatnonzero(~leaf)
    first = nodes["first_child"][inner]
    _need(bool(((first > inner) & (first < len(nodes) - 1)).all()), "a child's number is above its parent's")
    children = np.where(leaf, 0, nodes["first_child"]).astype(np.int32)
    owner = parents(children, size)
    _need(first_misnumbered(owner, children, size) is None, "nodes are numbered depth first")
    _need(
        bool((nodes["attribute"][inner] < len(schema.attributes)).all()), "a question asks an attribute of the schema"
    )
    _need(bool(np.isin(nodes["missing_child"][inner], (-1, 0, 1)).all()), "missing_child is −1, 0 or 1")
    _check_keys(arrays, nodes, schema)
    _need(arrays["gain"].shape == (len(inner),), "gain has one number per question")
    _need(arrays["leaf_count"].shape == (n_leaves,), "leaf_count has one number per leaf")
    _need(bool(((arrays["leaf_count"] >= 1) & (arrays["leaf_count"] < 2**53)).all()), "leaves have examples")
    if not target.leaf_table:
        weight, value = arrays["leaf_weight"], arrays["leaf_value"]
        _need(weight.shape == (n_leaves,), "leaf_weight has one number per leaf")
        _need(bool(((weight > 0) & (weight < np.inf)).all()), "leaves have weight")
        _need(value.shape in ((n_leaves,), (0,)), "leaf_value has one number per leaf, or none")
        _need(bool(np.isfinite(value).all()), "leaf_value has numbers")
        _need(bool(np.isfinite(nodes["key"][leaf]).all()), "a leaf predicts a number")
        return
    _need(
        arrays["leaf_value"].shape == (n_leaves, target.width),
        "leaf_value has one row per leaf and one column per class",
    )
    weights = arrays["leaf_value"].sum(axis=1, dtype=np.float64)
    _need(
        bool(((weights > 0) & np.isfinite(weights)).all() and (arrays["leaf_value"] >= 0).all()), "leaves have weight"
    )
    numbers = np.ascontiguousarray(nodes["key"][leaf]).view(np.uint64)
    _need(bool((numbers == np.arange(n_leaves, dtype=np.uint64)).all()), "leaves are numbered in their order")


def _check_keys(arrays: dict[str, Array], nodes: Array, schema: Schema) -> None:
    """Thresholds are of numeric attributes, subsets of nominal ones; each subset has its part of the group table."""
    numeric = np.array([attribute.is_numeric for attribute in schema.attributes])
    sizes = np.array([0 if attribute.is_numeric else attribute.n_values for attribute in schema.attributes])
    attribute = nodes["attribute"]
    threshold, subset = _by_threshold(nodes["kind"]), in_groups(nodes["kind"])
    _need(bool(numeric[attribute[threshold]].all()), "a threshold asks a numeric attribute")
    _need(not np.isnan(nodes["key"][threshold]).any(), "a threshold is a number")
    _need(not numeric[attribute[subset]].any(), "a subset asks a nominal attribute")
    _need(arrays["group"].ndim == 1, "group has one dimension")
    start, value, _ = value_sets(arrays)
    declared = np.repeat(sizes[attribute[subset]], np.diff(start))
    _need(
        bool((values_rise(start, value) & (value < declared)).all()), "a subset has values of its attribute, ascending"
    )


def _need(fine: bool, rule: str) -> None:
    if not fine:
        raise DataError(f"The packed tree is damaged: {rule}, which does not hold here.")


def records(arrays: Mapping[str, Array]) -> Array:
    """The nodes as records."""
    return np.ascontiguousarray(arrays["nodes"]).view(NODE)[:, 0]


def unpacked(arrays: Mapping[str, Array], target: TargetKind) -> dict[str, Array]:
    """All arrays of the tree, as ``Tree.from_arrays`` takes them."""
    result, nodes = unpacked_questions(arrays), records(arrays)
    leaf = nodes["kind"] == LEAF
    result["gain"] = np.zeros(len(nodes))
    result["gain"][~leaf] = arrays["gain"]
    _add_sums(result, arrays, nodes, leaf, target)
    return result


def unpacked_questions(arrays: Mapping[str, Array]) -> dict[str, Array]:
    """The arrays of the tree that say what is asked and where the branches lead, without what the nodes hold."""
    nodes = records(arrays)
    kind = nodes["kind"]
    leaf = kind == LEAF
    result: dict[str, Array] = {
        "kind": kind.copy(),
        "attribute": np.where(leaf, 0, nodes["attribute"]).astype(np.int32),
        "threshold": np.where(_by_threshold(kind), nodes["key"], np.nan),
        "first_child": np.where(leaf, 0, nodes["first_child"]).astype(np.int32),
        "n_children": np.where(leaf, 0, 2).astype(np.int32),
        "missing_child": np.where(leaf, -1, nodes["missing_child"]).astype(np.int32),
    }
    start, result["group_value"], result["group_child"] = value_sets(arrays)
    lengths = np.zeros(len(nodes), dtype=np.int64)
    lengths[in_groups(kind)] = np.diff(start)
    result["group_start"] = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
    return result


def leaf_weights(arrays: Mapping[str, Array], target: TargetKind) -> Array:
    """The training weight of each leaf of a packed tree, in their order."""
    held = arrays["leaf_value"].sum(axis=1, dtype=np.float64) if target.leaf_table else arrays["leaf_weight"]
    return np.asarray(held, dtype=np.float64)


def _add_sums(
    result: dict[str, Array], arrays: Mapping[str, Array], nodes: Array, leaf: NDArray[np.bool_], target: TargetKind
) -> None:
    """Weights, counts and values: those of the leaves, and above them their sums."""
    first = nodes["first_child"]
    count = np.zeros(len(nodes), dtype=np.int64)
    count[leaf] = arrays["leaf_count"]
    value, weight = np.zeros((len(nodes), target.layout.width)), np.zeros(len(nodes))
    if target.leaf_table:
        value[leaf] = arrays["leaf_value"]
        weight[leaf] = value[leaf].sum(axis=1)
    else:  # the prediction is the mean
        squares = arrays["leaf_value"] if len(arrays["leaf_value"]) else np.zeros(int(leaf.sum()))
        value[leaf] = np.column_stack([nodes["key"][leaf], nodes["key"][leaf], squares])
        weight[leaf] = arrays["leaf_weight"]
    for level in _levels(first, leaf):
        children = np.stack([first[level], first[level] + 1], axis=1)
        count[level] = count[children].sum(axis=1)
        value[level] = target.joined(value[children], weight[children])
        weight[level] = value[level].sum(axis=1) if target.leaf_table else weight[children].sum(axis=1)
    result.update(weight=weight, count=count, value=value)


def _levels(first: Array, leaf: NDArray[np.bool_]) -> list[NDArray[Any]]:
    """The questions, level by level, from the deepest up."""
    levels = []
    at = np.zeros(1, dtype=np.int64)
    while len(at):
        at = at[~leaf[at]]
        if len(at):
            levels.append(at)
        children = first[at].astype(np.int64)
        at = np.concatenate([children, children + 1])
    return levels[::-1]

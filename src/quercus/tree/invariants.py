"""Invariants: what must hold of a tree's arrays before anything is built on them, each checked over whole arrays.

A violation is reported with the first node that shows it, what it holds and what is allowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.data.schema import Schema
from quercus.errors import DataError
from quercus.tree.layout import (
    ARRAYS,
    GROUPED,
    KIND_NAMES,
    LEAF,
    MULTIWAY,
    NODE_ARRAYS,
    OPTIONAL,
    SUBSET,
    SURROGATE_ARRAYS,
    THRESHOLD,
    Array,
    with_empty_side_tables,
)
from quercus.tree.numbering import first_misnumbered, parents

Bools = NDArray[np.bool_]


def checked_arrays(arrays: Mapping[str, Array], schema: Schema, n_classes: int | None) -> dict[str, Array]:
    """All arrays of a tree with their element types, read-only, every invariant checked; they are not copied."""
    result = _named_and_typed(arrays)
    _check_lengths(result, n_classes)
    result = with_empty_side_tables(result, len(result["kind"]))
    _check_side_lengths(result)
    _check_kinds(result)
    _check_links(result)
    _check_tests(result, schema)
    _check_amounts(result, n_classes is None)
    _check_groups(result, schema)
    _check_surrogates(result, schema)
    for name, array in result.items():
        result[name] = array.view()
        result[name].flags.writeable = False
    return result


def _named_and_typed(arrays: Mapping[str, Array]) -> dict[str, Array]:
    unknown = sorted(set(arrays) - set(ARRAYS))
    missing = [name for name in ARRAYS if name not in arrays and name not in OPTIONAL]
    if unknown or missing:
        problem = f"unknown: {', '.join(unknown)}" if unknown else f"missing: {', '.join(missing)}"
        raise DataError(f"A tree's arrays have fixed names; {problem}. Allowed: {', '.join(ARRAYS)}.")
    return {name: _typed(name, arrays[name]) for name in ARRAYS if name in arrays}


def _typed(name: str, given: Array) -> Array:
    wanted = np.dtype(ARRAYS[name])
    array = np.asarray(given)
    if array.dtype != wanted:
        if not (array.dtype.kind in "iufb" and (wanted.kind == "f" or array.dtype.kind != "f")) and array.size:
            raise DataError(f"The tree's array {name!r} holds {array.dtype}; {wanted} is needed.")
        if wanted.kind in "iu" and array.size:
            limits = np.iinfo(wanted)
            if array.min() < limits.min or array.max() > limits.max:
                raise DataError(f"The tree's array {name!r} holds a number outside {limits.min} … {limits.max}.")
        array = array.astype(wanted)
    return np.ascontiguousarray(array)


def _check_lengths(arrays: dict[str, Array], n_classes: int | None) -> None:
    n_nodes = len(arrays["kind"]) if arrays["kind"].ndim == 1 else 0
    if n_nodes == 0:
        raise DataError(
            "A tree needs at least one node: the array 'kind' must have one dimension and one element a node."
        )
    width = 3 if n_classes is None else n_classes
    meaning = "prediction, mean, squared deviations" if n_classes is None else "one column a class"
    for name in NODE_ARRAYS:
        wanted = (n_nodes, width) if name == "value" else (n_nodes,)
        if arrays[name].shape != wanted:
            why = f" ({meaning})" if name == "value" else ""
            raise DataError(f"The tree's array {name!r} has the shape {arrays[name].shape}; {wanted} is needed{why}.")


def _check_side_lengths(arrays: dict[str, Array]) -> None:
    n_surrogates = len(arrays["surrogate_kind"])
    for name in SURROGATE_ARRAYS:
        if arrays[name].shape != (n_surrogates,):
            raise DataError(
                f"The tree's array {name!r} has the shape {arrays[name].shape}; ({n_surrogates},) is needed."
            )
    for start, rows, entries in (
        ("group_start", len(arrays["kind"]), arrays["group_child"]),
        ("surrogate_start", len(arrays["kind"]), arrays["surrogate_kind"]),
        ("surrogate_group_start", n_surrogates, arrays["surrogate_group_child"]),
    ):
        table = arrays[start]
        if table.shape != (rows + 1,) or entries.ndim != 1:
            raise DataError(f"The tree's array {start!r} has the shape {table.shape}; ({rows + 1},) is needed.")
        if table[0] != 0 or table[-1] != len(entries) or (table[1:] < table[:-1]).any():
            raise DataError(f"The tree's array {start!r} must rise from 0 to the number of entries, {len(entries)}.")


def _reject(wrong: Any, rule: str, given: Array | None = None, *, what: str = "Node") -> None:
    """Raise for the first True of ``wrong``."""
    if wrong.any():
        first = int(np.argmax(wrong))
        shown = f" has {given[first].item()}" if given is not None else ""
        raise DataError(f"{what} {first}{shown}: {rule}")


def _check_kinds(arrays: dict[str, Array]) -> None:
    kind, size = arrays["kind"], arrays["n_children"]
    _reject(kind >= len(KIND_NAMES), "a node's kind is 0 leaf, 1 threshold, 2 multiway, 3 grouped or 4 subset.", kind)
    leaf = kind == LEAF
    for name, plain in (("attribute", 0), ("first_child", 0), ("n_children", 0), ("missing_child", -1), ("gain", 0)):
        _reject(leaf & (arrays[name] != plain), f"a leaf's {name} must be {plain}.", arrays[name])
    _reject(leaf & ~np.isnan(arrays["threshold"]), "a leaf's threshold must be NaN.", arrays["threshold"])
    _reject(~leaf & (size < 2), "a node that is no leaf has at least 2 children.", size)
    binary = (kind == THRESHOLD) | (kind == SUBSET)
    _reject(binary & (size != 2), "a threshold or subset test has exactly 2 children.", size)
    missing = arrays["missing_child"]
    _reject(
        (missing < -1) | (missing >= np.maximum(size, 1)), "missing_child is −1 or the position of a child.", missing
    )


def _check_links(arrays: dict[str, Array]) -> None:
    first, size = arrays["first_child"], arrays["n_children"]
    n_nodes = len(first)
    inner = size > 0
    _reject(inner & (first <= np.arange(n_nodes)), "a child's number must be greater than its parent's.", first)
    if int(size.sum(dtype=np.int64)) != n_nodes - 1:
        raise DataError(
            f"The nodes have {int(size.sum(dtype=np.int64)):,} children together; with {n_nodes:,} nodes "
            f"{n_nodes - 1:,} are needed, so that every node but the root has exactly one parent."
        )
    ids = np.flatnonzero(inner)
    ids = ids[np.argsort(first[ids], kind="stable")]
    expected = 1 + np.cumsum(size[ids], dtype=np.int64) - size[ids]
    wrong = np.flatnonzero(first[ids] != expected)
    if len(wrong):
        raise DataError(
            f"Node {ids[wrong[0]]} has its children from {first[ids[wrong[0]]]} on, which leaves a gap or gives a node "
            f"two parents: every node but the root needs exactly one parent."
        )
    misnumbered = first_misnumbered(parents(first, size), first, size)
    if misnumbered is not None:
        raise DataError(
            f"Node {misnumbered[0]} has its children from {first[misnumbered[0]]} on; numbered depth first they begin "
            f"at {misnumbered[1]}. Pass the arrays through quercus.tree.renumbered first."
        )


def _value_counts(schema: Schema) -> tuple[Bools, NDArray[np.int64]]:
    """Of each attribute: whether it is tested by threshold, and how many values it declares."""
    numeric = np.array([attribute.is_numeric for attribute in schema.attributes], dtype=bool)
    return numeric, np.array([attribute.n_values for attribute in schema.attributes], dtype=np.int64)


def _check_attributes(attribute: Array, by_threshold: Bools, used: Bools, schema: Schema, what: str) -> None:
    numeric, _ = _value_counts(schema)
    outside = used & ((attribute < 0) | (attribute >= len(numeric)))
    _reject(outside, f"the schema has {len(numeric)} attributes, numbered from 0.", attribute, what=what)
    if used.any():
        wrong = used & (numeric[np.where(used, attribute, 0)] != by_threshold)
        rule = "thresholds are for numeric, ordered and date attributes, the other tests for nominal and boolean ones."
        _reject(wrong, rule, what=what)


def _check_tests(arrays: dict[str, Array], schema: Schema) -> None:
    kind, size, threshold = arrays["kind"], arrays["n_children"], arrays["threshold"]
    cut = kind == THRESHOLD
    _check_attributes(arrays["attribute"], cut, kind != LEAF, schema, "Node")
    _reject(cut & (np.isnan(threshold) | (threshold == -np.inf)), "a threshold is a number.", threshold)
    never = cut & (threshold == np.inf) & (arrays["missing_child"] != 1)
    _reject(never, "a threshold of +inf means known | unknown, so missing_child must be 1.", arrays["missing_child"])
    multiway = np.flatnonzero(kind == MULTIWAY)
    if len(multiway):
        n_values = _value_counts(schema)[1][arrays["attribute"][multiway]]
        extra = size[multiway] - n_values
        wrong = np.flatnonzero((extra != 0) & (extra != 1))
        if len(wrong):
            raise DataError(
                f"Node {multiway[wrong[0]]} has {size[multiway[wrong[0]]]} children; a multiway test has one child a "
                f"declared value, here {n_values[wrong[0]]}, and at most one more for unknown."
            )


def _check_amounts(arrays: dict[str, Array], regression: bool) -> None:
    for name in ("weight", "count"):
        amount = arrays[name]
        _reject(~np.isfinite(amount) | (amount < 0), f"a {name} must be a number of at least 0.", amount)
    _reject(~np.isfinite(arrays["gain"]), "a gain must be a finite number.", arrays["gain"])
    value = arrays["value"]
    _reject(~np.isfinite(value).all(axis=1), "value must hold finite numbers.")
    amounts = value[:, 2:] if regression else value
    _reject((amounts < 0).any(axis=1), "class weights and squared deviations must be at least 0.")


def _check_groups(arrays: dict[str, Array], schema: Schema) -> None:
    kind = arrays["kind"]
    in_groups = (kind == GROUPED) | (kind == SUBSET)
    _check_value_children(
        arrays["group_start"],
        arrays["group_child"],
        in_groups,
        arrays["attribute"],
        arrays["n_children"],
        schema,
        "Node",
    )


def _check_value_children(
    start: Array, child: Array, in_groups: Bools, attribute: Array, size: Array, schema: Schema, what: str
) -> None:
    """One entry a declared value where the test has groups, none elsewhere; each entry −1 or a child's position."""
    length = start[1:] - start[:-1]
    wanted = np.zeros(len(length), dtype=np.int64)
    if in_groups.any():
        wanted[in_groups] = _value_counts(schema)[1][attribute[in_groups]]
    _reject(
        length != wanted,
        "a grouped or subset test has one group entry a declared value, others none.",
        length,
        what=what,
    )
    limit = np.repeat(size, length)
    wrong = np.flatnonzero((child < -1) | (child >= limit))
    if len(wrong):
        row = int(np.searchsorted(start, wrong[0], side="right")) - 1
        raise DataError(
            f"{what} {row} sends a value to child {child[wrong[0]]}; it has the children 0 … {size[row] - 1}, or −1."
        )


def _check_surrogates(arrays: dict[str, Array], schema: Schema) -> None:
    start, kind = arrays["surrogate_start"], arrays["surrogate_kind"]
    have = start[1:] > start[:-1]
    _reject(have & (arrays["n_children"] != 2), "only a node with 2 children has surrogates.", arrays["n_children"])
    if not len(kind):
        return
    what, cut, threshold = "Surrogate", kind == THRESHOLD, arrays["surrogate_threshold"]
    _reject(~cut & (kind != SUBSET), "a surrogate's kind is 1 threshold or 4 subset.", kind, what=what)
    _check_attributes(arrays["surrogate_attribute"], cut, np.ones(len(kind), dtype=bool), schema, what)
    _reject(cut & ~np.isfinite(threshold), "a surrogate's threshold is a finite number.", threshold, what=what)
    low = arrays["surrogate_low_child"]
    _reject(cut & (low != 0) & (low != 1), "surrogate_low_child is 0 or 1.", low, what=what)
    for name in ("surrogate_agreement", "surrogate_adjusted"):
        _reject(~np.isfinite(arrays[name]), f"{name} must be a finite number.", arrays[name], what=what)
    table, child = arrays["surrogate_group_start"], arrays["surrogate_group_child"]
    two = np.full(len(kind), 2, dtype=np.int32)
    _check_value_children(table, child, ~cut, arrays["surrogate_attribute"], two, schema, what)

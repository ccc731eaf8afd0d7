"""Invariants: what must hold of a tree's arrays before anything is built on them, each checked over whole arrays.

A violation is reported with the first node that shows it, what it holds and what is allowed.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Array, Truths
from quercus.data.schema import Schema
from quercus.errors import DataError
from quercus.targets.payload import Layout
from quercus.tree.layout import (
    ARRAYS,
    GROUP_TABLES,
    LEAF,
    NODE_ARRAYS,
    NODE_TABLES,
    OPTIONAL,
    SURROGATE_ARRAYS,
    SURROGATE_TABLES,
    listed_values,
    reject,
    values_rise,
    with_empty_side_tables,
)
from quercus.tree.numbering import first_misnumbered, parents
from quercus.tree.questions import KIND_NAMES, KINDS, kinds_that, named_kinds


def checked_arrays(arrays: Mapping[str, Array], schema: Schema, layout: Layout) -> dict[str, Array]:
    """All arrays of a tree with their element types, read-only, every invariant checked; they are not copied.

    layout: the columns of ``value``.
    """
    result = _named_and_typed(arrays)
    _check_lengths(result, layout)
    declared = {start for start in GROUP_TABLES if _has_all_values(result, start)}
    for start in declared:
        value, child = GROUP_TABLES[start]
        result[value] = result[child]  # until the values are listed
    result = with_empty_side_tables(result, len(result["kind"]))
    _check_side_lengths(result)
    _check_kinds(result)
    _check_links(result)
    _check_tests(result, schema)
    _check_amounts(result, layout)
    _check_groups(result, schema, "group_start" in declared)
    _check_surrogates(result, schema, "surrogate_group_start" in declared)
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


def _typed(name: str, numbers: Array) -> Array:
    form = np.dtype(ARRAYS[name])
    array = np.asarray(numbers)
    if array.dtype != form:
        if not (array.dtype.kind in "iufb" and (form.kind == "f" or array.dtype.kind != "f")) and array.size:
            raise DataError(f"The tree's array {name!r} holds {array.dtype}; {form} is needed.")
        if form.kind in "iu" and array.size:
            limits = np.iinfo(form)
            if array.min() < limits.min or array.max() > limits.max:
                raise DataError(f"The tree's array {name!r} holds a number outside {limits.min} … {limits.max}.")
        array = array.astype(form)
    return np.ascontiguousarray(array)


def _check_lengths(arrays: dict[str, Array], layout: Layout) -> None:
    n_nodes = len(arrays["kind"]) if arrays["kind"].ndim == 1 else 0
    if n_nodes == 0:
        raise DataError(
            "A tree needs at least one node: the array 'kind' must have one dimension and one element per node."
        )
    for name in NODE_ARRAYS:
        shape = (n_nodes, layout.width) if name == "value" else (n_nodes,)
        if arrays[name].shape != shape:
            why = f" ({layout.text})" if name == "value" else ""
            raise DataError(f"The tree's array {name!r} has the shape {arrays[name].shape}; {shape} is needed{why}.")


def _check_side_lengths(arrays: dict[str, Array]) -> None:
    n_surrogates = len(arrays["surrogate_kind"])
    for name in SURROGATE_ARRAYS:
        if arrays[name].shape != (n_surrogates,):
            raise DataError(
                f"The tree's array {name!r} has the shape {arrays[name].shape}; ({n_surrogates},) is needed."
            )
    for start, names in {**NODE_TABLES, **SURROGATE_TABLES}.items():
        table, entries = arrays[start], arrays[names[0]]
        rows = len(arrays["kind"]) if start in NODE_TABLES else n_surrogates
        if table.shape != (rows + 1,) or any(arrays[name].shape != (len(entries),) for name in names):
            raise DataError(f"The tree's array {start!r} has the shape {table.shape}; ({rows + 1},) is needed.")
        if table[0] != 0 or table[-1] != len(entries) or (table[1:] < table[:-1]).any():
            raise DataError(f"The tree's array {start!r} must rise from 0 to the number of entries, {len(entries)}.")


def _check_kinds(arrays: dict[str, Array]) -> None:
    kind, size = arrays["kind"], arrays["n_children"]
    numbered = [f"{number} {name}" for number, name in enumerate(KIND_NAMES)]
    reject(kind >= len(KIND_NAMES), f"a node's kind is {', '.join(numbered[:-1])} or {numbered[-1]}.", kind)
    leaf = kind == LEAF
    for name, plain in (("attribute", 0), ("first_child", 0), ("n_children", 0), ("missing_child", -1), ("gain", 0)):
        reject(leaf & (arrays[name] != plain), f"a leaf's {name} must be {plain}.", arrays[name])
    reject(leaf & ~np.isnan(arrays["threshold"]), "a leaf's threshold must be NaN.", arrays["threshold"])
    reject(~leaf & (size < 2), "a node that is no leaf has at least 2 children.", size)
    for one in KINDS:
        if one.fixed_branches is not None:
            wrong = (kind == one.kind) & (size != one.fixed_branches)
            reject(wrong, f"a {one.kind_name} test has exactly {one.fixed_branches} children.", size)
    missing = arrays["missing_child"]
    reject(
        (missing < -1) | (missing >= np.maximum(size, 1)), "missing_child is −1 or the position of a child.", missing
    )


def _check_links(arrays: dict[str, Array]) -> None:
    first, size = arrays["first_child"], arrays["n_children"]
    n_nodes = len(first)
    inner = size > 0
    reject(inner & (first <= np.arange(n_nodes)), "a child's number must be greater than its parent's.", first)
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


def _value_counts(schema: Schema) -> tuple[Truths, NDArray[np.int64]]:
    """For each attribute, whether it is tested by thresholds, and how many values it declares."""
    numeric = np.array([attribute.is_numeric for attribute in schema.attributes], dtype=bool)
    return numeric, np.array([attribute.n_values for attribute in schema.attributes], dtype=np.int64)


def _check_attributes(attribute: Array, by_threshold: Truths, used: Truths, schema: Schema, what: str) -> None:
    numeric, _ = _value_counts(schema)
    outside = used & ((attribute < 0) | (attribute >= len(numeric)))
    reject(outside, f"the schema has {len(numeric)} attributes, numbered from 0.", attribute, what=what)
    if used.any():
        wrong = used & (numeric[np.where(used, attribute, 0)] != by_threshold)
        rule = "thresholds are for numeric, ordered and date attributes, the other tests for nominal and boolean ones."
        reject(wrong, rule, what=what)


def _check_tests(arrays: dict[str, Array], schema: Schema) -> None:
    kind = arrays["kind"]
    by_number = kinds_that(kind, lambda one: one.asks_numbers)
    _check_attributes(arrays["attribute"], by_number, kind != LEAF, schema, "Node")
    for one in KINDS:
        here = kind == one.kind
        if here.any():
            one.check(arrays, here, schema)


def _check_amounts(arrays: dict[str, Array], layout: Layout) -> None:
    for name in ("weight", "count"):
        amount = arrays[name]
        reject(~np.isfinite(amount) | (amount < 0), f"a {name} must be a number of at least 0.", amount)
    reject(~np.isfinite(arrays["gain"]), "a gain must be a finite number.", arrays["gain"])
    value = arrays["value"]
    reject(~np.isfinite(value).all(axis=1), "value must hold finite numbers.")
    reject((layout.amounts(value) < 0).any(axis=1), "class weights and squared deviations must be at least 0.")


def _has_all_values(arrays: Mapping[str, Array], start: str) -> bool:
    """Whether a table has an entry for each declared value, and does not say which values they are."""
    value, child = GROUP_TABLES[start]
    return child in arrays and value not in arrays


def _check_groups(arrays: dict[str, Array], schema: Schema, declared: bool) -> None:
    in_groups = kinds_that(arrays["kind"], lambda one: one.has_groups)
    _check_value_children(
        arrays, "group_start", in_groups, arrays["attribute"], arrays["n_children"], schema, "Node", declared
    )


def _check_value_children(
    arrays: dict[str, Array],
    table: str,
    in_groups: Truths,
    attribute: Array,
    size: Array,
    schema: Schema,
    what: str,
    declared: bool,
) -> None:
    """Where the test has groups: the values that have a child, ascending, each with a child's position.

    declared: an entry for each declared value, −1 or a child's position; then those that have a child are listed.
    """
    start, (value, child) = arrays[table], (arrays[name] for name in GROUP_TABLES[table])
    length = start[1:] - start[:-1]
    counts = np.zeros(len(length), dtype=np.int64)
    if in_groups.any():
        counts[in_groups] = _value_counts(schema)[1][attribute[in_groups]]
    kinds = named_kinds(lambda one: one.has_groups)
    if declared:
        reject(
            length != counts, f"a {kinds} test has one group entry a declared value, others none.", length, what=what
        )
    else:
        reject(
            length > counts,
            f"a {kinds} test has at most one group entry a declared value, others none.",
            length,
            what=what,
        )
    wrong = np.flatnonzero((child < (-1 if declared else 0)) | (child >= np.repeat(size, length)))
    if len(wrong):
        row = int(np.searchsorted(start, wrong[0], side="right")) - 1
        other = ", or −1" if declared else ""
        raise DataError(
            f"{what} {row} sends a value to child {child[wrong[0]]}; it has the children 0 … {size[row] - 1}{other}."
        )
    if declared:
        arrays.update(zip((table, *GROUP_TABLES[table]), listed_values(start, child), strict=True))
        return
    wrong = np.flatnonzero(~values_rise(start, value) | (value >= np.repeat(counts, length)))
    if len(wrong):
        row = int(np.searchsorted(start, wrong[0], side="right")) - 1
        raise DataError(
            f"{what} {row} has a group entry for value {value[wrong[0]]}; its values are among 0 … {counts[row] - 1}, "
            f"each once, ascending."
        )


def _check_surrogates(arrays: dict[str, Array], schema: Schema, declared: bool) -> None:
    start, kind = arrays["surrogate_start"], arrays["surrogate_kind"]
    have = start[1:] > start[:-1]
    reject(have & (arrays["n_children"] != 2), "only a node with 2 children has surrogates.", arrays["n_children"])
    if not len(kind):
        return
    what, threshold = "Surrogate", arrays["surrogate_threshold"]
    allowed = [f"{one.kind} {one.kind_name}" for one in KINDS if one.can_stand_in]
    other = ~kinds_that(kind, lambda one: one.can_stand_in)
    reject(other, f"a surrogate's kind is {' or '.join(allowed)}.", kind, what=what)
    cut = kinds_that(kind, lambda one: one.has_threshold)
    _check_attributes(arrays["surrogate_attribute"], cut, np.ones(len(kind), dtype=bool), schema, what)
    reject(cut & ~np.isfinite(threshold), "a surrogate's threshold is a finite number.", threshold, what=what)
    low = arrays["surrogate_low_child"]
    reject(cut & (low != 0) & (low != 1), "surrogate_low_child is 0 or 1.", low, what=what)
    for name in ("surrogate_agreement", "surrogate_adjusted"):
        reject(~np.isfinite(arrays[name]), f"{name} must be a finite number.", arrays[name], what=what)
    two = np.full(len(kind), 2, dtype=np.int32)
    attribute = arrays["surrogate_attribute"]
    _check_value_children(arrays, "surrogate_group_start", ~cut, attribute, two, schema, what, declared)

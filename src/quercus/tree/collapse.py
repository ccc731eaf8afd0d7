"""Collapsing: the tree in which chosen nodes have become leaves. Every pruner ends here."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quercus.tree.layout import LEAF, SURROGATE_ARRAYS, Array, taken
from quercus.tree.numbering import covered

_LEAF_ROW = {
    "kind": LEAF,
    "attribute": 0,
    "threshold": np.nan,
    "first_child": 0,
    "n_children": 0,
    "missing_child": -1,
    "gain": 0,
}


def collapsed_arrays(arrays: dict[str, Array], descendants_end: Array, mask: NDArray[np.bool_]) -> dict[str, Array]:
    """The arrays without what stands below the mask. Depth-first numbers keep their order: the rest moves up."""
    kept = ~covered(arrays["first_child"], descendants_end, mask)
    new_number = np.cumsum(kept, dtype=np.int32) - np.int32(1)
    result = taken(_with_leaves(arrays, mask), np.flatnonzero(kept))
    result["first_child"] = np.where(result["n_children"] > 0, new_number[result["first_child"]], 0).astype(np.int32)
    return result


def _with_leaves(arrays: dict[str, Array], mask: NDArray[np.bool_]) -> dict[str, Array]:
    """The arrays with the nodes of the mask turned into leaves, their value groups and surrogates taken away."""
    result = dict(arrays)
    for name, plain in _LEAF_ROW.items():
        result[name] = np.where(mask, np.asarray(plain, dtype=arrays[name].dtype), arrays[name])
    result["group_start"], (result["group_child"],) = _emptied(arrays["group_start"], mask, arrays["group_child"])
    names = list(SURROGATE_ARRAYS)
    columns = [arrays[name] for name in names]
    n_surrogates = len(columns[0])
    numbers = np.arange(n_surrogates)
    result["surrogate_start"], (stay, *kept) = _emptied(arrays["surrogate_start"], mask, numbers, *columns)
    result.update(zip(names, kept, strict=True))
    gone = np.ones(n_surrogates, dtype=bool)
    gone[stay] = False
    table, (result["surrogate_group_child"],) = _emptied(
        arrays["surrogate_group_start"], gone, arrays["surrogate_group_child"]
    )
    result["surrogate_group_start"] = table[np.append(~gone, True)]
    return result


def _emptied(start: Array, mask: NDArray[np.bool_], *entries: Array) -> tuple[Array, list[Array]]:
    """A side table whose rows of the mask are empty: its new starts, and the entries that stay."""
    length = np.diff(start)
    stay = np.repeat(~mask, length)
    new_start = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.where(mask, 0, length), dtype=np.int64)])
    return new_start, [column[stay] for column in entries]

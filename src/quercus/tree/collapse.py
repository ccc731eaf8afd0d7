"""Collapsing: the tree in which chosen nodes have become leaves. Every pruner ends here."""

from __future__ import annotations

import numpy as np

from quercus.arrays import Array, Truths
from quercus.tree.layout import LEAF, taken
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


def collapsed_arrays(arrays: dict[str, Array], descendants_end: Array, mask: Truths) -> dict[str, Array]:
    """The arrays without what stands below the mask. Depth-first numbers keep their order: the rest moves up."""
    kept = ~covered(arrays["first_child"], descendants_end, mask)
    new_number = np.cumsum(kept, dtype=np.int32) - np.int32(1)
    leaves = {
        name: np.where(mask, np.asarray(plain, dtype=arrays[name].dtype), arrays[name])
        for name, plain in _LEAF_ROW.items()
    }
    result = taken({**arrays, **leaves}, np.flatnonzero(kept), emptied=mask)
    result["first_child"] = np.where(result["n_children"] > 0, new_number[result["first_child"]], 0).astype(np.int32)
    return result

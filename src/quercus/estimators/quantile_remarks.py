"""Warnings about the quantiles of a fitted model: levels that have no effect, and ranges without width."""

from __future__ import annotations

from itertools import islice

import numpy as np

from quercus.errors import shorten
from quercus.fitted.model import Model
from quercus.targets.pinball import checked_levels
from quercus.tree.forest import Forest
from quercus.tree.layout import LEAF

#: So many trees of a forest are looked at.
TREES = 10


def quantile_remarks(model: Model) -> list[str]:
    """What to say of the quantiles of a fitted model; nothing if there is nothing to say.

    >>> from quercus import CARTRegressor
    >>> X, y = [[x] for x in range(8)], [3.0, 1.0, 4.0, 1.5, 9.0, 2.0, 6.0, 5.0]
    >>> tree = CARTRegressor(criterion="pinball").fit(X, y)  # which warns of it, too
    >>> [text.split(":")[0] for text in quantile_remarks(tree.model_)]
    ['Leaves with 100 % of the training rows answer one number for all quantiles']
    """
    remarks = (_unused_levels(model), _narrow_ranges(model))
    return [text for text in remarks if text is not None]


def _unused_levels(model: Model) -> str | None:
    """Levels that were given, but that nothing is to answer."""
    made = model.member or model.method
    levels, criterion = made.parameters.get("quantiles"), made.parameters.get("criterion")
    if levels is None or criterion == "pinball" or model.leaf_targets is not None:
        return None
    if checked_levels(levels) == made.defaults["quantiles"]:
        return None
    return (
        f'quantiles={shorten(levels)} does not count: quantiles are answered with criterion="pinball" (a random '
        f"forest: or with keep_targets=True), but criterion is {shorten(criterion)}."
    )


def _narrow_ranges(model: Model) -> str | None:
    """Leaves too small for a range, where they hold most of the training rows."""
    if model.rule_list is not None or len(model.target_kind.levels) < 2:
        return None
    trees = list(islice(model.forest, TREES)) if isinstance(model.forest, Forest) else [model.need_tree("Quantiles")]
    leaves = [tree.kind == LEAF for tree in trees]
    value, count, weight = (
        np.concatenate([getattr(tree, name)[leaf] for tree, leaf in zip(trees, leaves, strict=True)])
        for name in ("value", "count", "weight")
    )
    return model.target_kind.caution(value, count, weight)

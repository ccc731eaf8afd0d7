"""Importance by impurity: the share of each attribute in what the questions of a forest gain."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from quercus.forests.score_sum import ScoreSum
from quercus.tree.forest import Forest, tree_weights


def impurity_importance(forest: Forest | ScoreSum) -> NDArray[np.float64]:
    """The mean over the trees of each attribute's share in the tree's gain, Σ weight · gain over its questions.

    forest: grown trees. Of trees that add up scores it is the share in the gains of all trees together.

    Together 1, or all 0 if no tree asks anything. It is known to favour attributes of many values.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.forest import Sampling, grow_forest
    >>> x, y = encode({"same": [1, 1, 1, 1], "x": [1, 2, 3, 4]}), encode_classes(["No", "No", "Yes", "Yes"])
    >>> impurity_importance(grow_forest(x, y, cart_recipe(), Sampling(bootstrap="no"), n_trees=2, seed=0))
    array([0., 1.])
    """
    total = np.zeros(len(forest.schema))
    if isinstance(forest, ScoreSum):
        total += sum(tree.sums_by_attribute(tree.weight * tree.gain) for tree in forest)
        return total / total.sum() if total.sum() > 0 else total
    for tree, weight in zip(forest, tree_weights(forest), strict=True):
        brought = tree.sums_by_attribute(tree.weight * tree.gain)
        if brought.sum() > 0:
            total += weight * brought / brought.sum()
    whole = float(total.sum())
    return total / whole if whole > 0 else total

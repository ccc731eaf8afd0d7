"""Quantile forests: the distribution of the training targets, weighted by how often they share a leaf with a row.

Meinshausen, Quantile regression forests, Journal of Machine Learning Research 7, 2006.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Floats
from quercus.data.dataset import Dataset
from quercus.errors import ParameterError
from quercus.growing.forest import Sampling, drawn_counts
from quercus.predict.forest import forest_leaves
from quercus.targets.pinball import checked_levels, weighted_quantiles
from quercus.tree.forest import Forest, tree_weights

#: Rows answered at once.
BLOCK = 500


@dataclass(frozen=True, eq=False)
class LeafTargets:
    """What a forest learned from, leaf by leaf.

    leaves: the leaf of each training row in each tree [rows, trees]. target, weights: of the rows (None: 1 each).
    sampling, seed: of the draws, from which is known how often a tree saw a row.
    """

    leaves: NDArray[np.int32]
    target: Floats
    weights: Floats | None
    sampling: Sampling
    seed: int

    @classmethod
    def of(
        cls,
        forest: Forest,
        dataset: Dataset,
        target: Floats,
        weights: Floats | None,
        sampling: Sampling,
        seed: int,
        n_jobs: int | None = 1,
    ) -> LeafTargets:
        """The training rows, all of weight, in the leaves of their forest."""
        return cls(forest_leaves(forest, dataset, n_jobs), target, weights, sampling, seed)

    def drawn(self, tree: int) -> Floats:
        """How much each row weighs in a tree."""
        counts = drawn_counts(self.sampling, self.seed, tree, len(self.target)).astype(np.float64)
        return counts if self.weights is None else counts * self.weights


def forest_quantiles(
    forest: Forest,
    kept: LeafTargets,
    dataset: Dataset,
    levels: Sequence[float],
    *,
    out_of_bag: bool = False,
    n_jobs: int | None = 1,
) -> Floats:
    r"""The quantiles of the numbers that a forest has learned, as far as they share leaves with each row [n, levels].

    A training row i counts for a row x by :math:`w_i(x) = \frac1T \sum_t \frac{c_{ti} [\ell_t(i) = \ell_t(x)]}{\sum_j
    c_{tj} [\ell_t(j) = \ell_t(x)]}`, with c how often tree t drew a row, times its weight, and ℓ the leaf of a row;
    quantiles as of :func:`quercus.targets.pinball.weighted_quantiles`. out_of_bag: the dataset holds the training
    rows, and each is answered by the trees that did not draw it; a row that all drew has NaN.

    >>> from quercus.data import encode
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.forest import grow_forest
    >>> x, y = encode({"x": [1.0, 1.0, 1.0, 2.0, 2.0]}), np.array([1.0, 2.0, 3.0, 7.0, 9.0])
    >>> recipe = cart_recipe("squared_error", min_samples_leaf=2)
    >>> forest = grow_forest(x, y, recipe, Sampling("no"), n_trees=2, seed=0)
    >>> forest_quantiles(forest, LeafTargets.of(forest, x, y, None, Sampling("no"), 0), x, [0.25, 0.5])[[0, 4]]
    array([[1., 2.],
           [7., 8.]])
    """
    from scipy.sparse import csr_matrix, vstack

    levels = checked_levels(levels)
    if out_of_bag and dataset.n_rows != len(kept.target):
        raise ParameterError("Out of the bag needs the training rows, in their order.")
    order = np.argsort(kept.target, kind="stable")
    numbers, trees = kept.target[order], np.arange(len(forest))
    tables, drawn = [], np.empty(kept.leaves.shape)
    for tree, n_nodes in zip(trees, forest.n_nodes, strict=True):
        drawn[:, tree] = kept.drawn(int(tree))
        weight, leaf = drawn[order, tree], kept.leaves[order, tree]
        whole = np.bincount(leaf, weight, minlength=int(n_nodes))
        share = np.divide(weight, whole[leaf], out=np.zeros_like(weight), where=whole[leaf] > 0)
        tables.append(csr_matrix((share, (leaf, np.arange(len(order)))), shape=(int(n_nodes), len(order))))
    table, begin = vstack(tables, format="csr"), np.concatenate([[0], np.cumsum(forest.n_nodes)])[:-1]
    leaves = forest_leaves(forest, dataset, n_jobs) + begin
    votes = np.tile(tree_weights(forest), (dataset.n_rows, 1))
    votes = np.where(drawn == 0, votes, 0.0) if out_of_bag else votes
    result = np.full((dataset.n_rows, len(levels)), np.nan)
    for first in range(0, dataset.n_rows, BLOCK):
        rows = np.arange(first, min(first + BLOCK, dataset.n_rows))
        where = np.repeat(np.arange(len(rows)), len(forest)), leaves[rows].ravel()
        votes_here = csr_matrix((votes[rows].ravel(), where), shape=(len(rows), table.shape[0]))
        weights = (votes_here @ table).toarray()
        for place, row in enumerate(rows):
            if weights[place].any():
                result[row] = weighted_quantiles(numbers, levels, weights[place])
    return result

"""Quantile forests: the distribution of the training targets, weighted by how often they share a leaf with a row.

Meinshausen, Quantile regression forests, Journal of Machine Learning Research 7, 2006.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Floats
from quercus.data.dataset import Dataset
from quercus.errors import ParameterError
from quercus.growing.forest import Sampling, drawn_counts
from quercus.predict.forest import forest_parts
from quercus.targets.pinball import asked_levels, weighted_quantiles
from quercus.tree.forest import Forest, tree_weights

#: Rows answered at once.
BLOCK = 500


@dataclass(frozen=True, eq=False)
class LeafTargets:
    """What a forest learned from, leaf by leaf.

    parts: which part of each training row is in each leaf, [rows, nodes of all trees], sparse. target, weights: of the
    rows (None: 1 each). sampling, seed: of the draws, from which is known how often a tree saw a row.
    """

    parts: Any
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
        return cls(forest_parts(forest, dataset, n_jobs)[0], target, weights, sampling, seed)

    def drawn(self, tree: int) -> Floats:
        """How much each row weighs in a tree."""
        counts = drawn_counts(self.sampling, self.seed, tree, len(self.target)).astype(np.float64)
        return counts if self.weights is None else counts * self.weights

    def shares(self, tree_of_node: NDArray[np.int64], drawn: Floats, order: NDArray[np.intp]) -> Any:
        """The share of each training row in what its leaves learned [nodes, rows], sparse.

        tree_of_node: the tree of each node. drawn: how much each row weighs in each tree. order: of the rows.
        """
        from scipy.sparse import csr_matrix

        entries = self.parts[order].tocoo()
        weight = entries.data * drawn[order[entries.row], tree_of_node[entries.col]]
        whole = np.bincount(entries.col, weight, minlength=len(tree_of_node))[entries.col]
        share = np.divide(weight, whole, out=np.zeros_like(weight), where=whole > 0)
        return csr_matrix((share, (entries.col, entries.row)), shape=self.parts.shape[::-1])


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

    A training row i counts for a row x by :math:`w_i(x) = \frac1T \sum_t \sum_\ell p_\ell(x) \frac{c_{ti}
    p_\ell(i)}{\sum_j c_{tj} p_\ell(j)}`, with c how often tree t drew a row, times its weight, and p the part of a row
    that comes to the leaf ℓ of the tree: 1 or 0, unless it follows several branches where its value is unknown. The
    mean of the numbers by these weights is what the forest predicts. Quantiles as of
    :func:`quercus.targets.pinball.weighted_quantiles`, in the order of the levels. out_of_bag: the dataset holds the
    training rows, and each is answered by the trees that did not draw it; a row that all drew has NaN.

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
    from scipy.sparse import csr_matrix

    levels = asked_levels(levels)
    if out_of_bag and dataset.n_rows != len(kept.target):
        raise ParameterError("Out of the bag needs the training rows, in their order.")
    order = np.argsort(kept.target, kind="stable")
    numbers, tree_of_node = kept.target[order], np.repeat(np.arange(len(forest)), forest.n_nodes)
    drawn = np.column_stack([kept.drawn(tree) for tree in range(len(forest))])
    table = kept.shares(tree_of_node, drawn, order)
    parts = forest_parts(forest, dataset, n_jobs)[0]
    result = np.full((dataset.n_rows, len(levels)), np.nan)
    for first in range(0, dataset.n_rows, BLOCK):
        asked = parts[first : first + BLOCK]
        row, tree = np.repeat(np.arange(asked.shape[0]), np.diff(asked.indptr)), tree_of_node[asked.indices]
        votes = asked.data * tree_weights(forest)[tree]
        votes = np.where(drawn[first + row, tree] == 0, votes, 0.0) if out_of_bag else votes
        weights = csr_matrix((votes, asked.indices, asked.indptr), shape=asked.shape) @ table
        for place in range(asked.shape[0]):
            here = slice(weights.indptr[place], weights.indptr[place + 1])
            if weights.data[here].any():
                result[first + place] = weighted_quantiles(numbers[weights.indices[here]], levels, weights.data[here])
    return result

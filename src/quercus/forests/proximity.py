"""Proximities: two rows are near if many trees bring them to the same leaf; neighbours and outliers by that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.arrays import Floats
from quercus.data.dataset import Dataset
from quercus.data.names import counted
from quercus.errors import DataError, ParameterError
from quercus.growing.forest import Sampling, drawn_counts
from quercus.predict.forest import forest_leaves
from quercus.tree.forest import Forest, tree_weights

#: Sampling and seed of a forest whose training rows are asked about.
Draws = tuple[Sampling, int]

#: A block of proximities has about so many numbers, 32 MB.
BLOCK = 4_000_000


class Proximities:
    """The proximities of rows to one another, made block by block; the whole matrix is never needed.

    forest: its trees count by their weights. dataset: the rows. others: the rows they are compared with; None: the same
    ones. out_of_bag: ``(sampling, seed)`` of the forest, whose training rows the dataset must hold: two rows are
    compared only by the trees that have learnt from neither; pairs without such a tree have NaN.

    The proximity of two rows is the share of the trees in which they reach the same leaf (of a row that goes to several
    leaves the one that holds most of it).

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.forest import grow_forest
    >>> x, y = encode({"x": [1, 2, 3, 4, 5, 6]}), encode_classes(["No"] * 3 + ["Yes"] * 3)
    >>> near = Proximities(grow_forest(x, y, cart_recipe(), Sampling(), n_trees=20, seed=0), x)
    >>> near.matrix()[0].tolist()
    [1.0, 1.0, 0.95, 0.25, 0.0, 0.0]
    >>> near.nearest(1)[0].ravel().tolist()
    [1, 0, 0, 4, 5, 4]
    """

    def __init__(
        self,
        forest: Forest,
        dataset: Dataset,
        others: Dataset | None = None,
        *,
        out_of_bag: Draws | None = None,
        n_jobs: int | None = 1,
    ) -> None:
        if out_of_bag is not None and others is not None:
            raise ParameterError("Out of the bag the training rows are compared with one another: others must be None.")
        self.same = others is None
        votes = tree_weights(forest)
        questions = self._asked(forest, dataset, out_of_bag)
        leaves = forest_leaves(forest, dataset, n_jobs)
        offsets = np.concatenate([[0], np.cumsum(forest.n_nodes)])
        self.rows = _indicator(leaves, offsets, questions)
        self.columns = self.rows if others is None else _indicator(forest_leaves(forest, others, n_jobs), offsets, None)
        self.weighted = self._weigh(self.rows, votes, offsets)
        self.asked = None if questions is None else questions.astype(np.float64)
        self.votes = votes
        self.shape = (self.rows.shape[0], self.columns.shape[0])

    def __repr__(self) -> str:
        """How many rows are compared by how many trees, in one line."""
        rows, columns = self.shape
        return f"<Proximities: {counted(rows, 'row')} and {columns:,}, by {counted(len(self.votes), 'tree')}>"

    @staticmethod
    def _asked(forest: Forest, dataset: Dataset, draws: Draws | None) -> NDArray[np.bool_] | None:
        """Which trees may speak about each row, [n, trees]; None: all."""
        if draws is None:
            return None
        sampling, seed = draws
        if sampling.bootstrap == "no":
            raise ParameterError("Without draws no row is out of the bag: grow with bootstrap 'with' or 'without'.")
        counts = [drawn_counts(sampling, seed, number, dataset.n_rows) == 0 for number in range(len(forest))]
        return np.column_stack(counts)

    @staticmethod
    def _weigh(rows: Any, votes: Floats, offsets: NDArray[Any]) -> Any:
        weighted = rows.copy()
        weighted.data = votes[np.searchsorted(offsets, weighted.indices, side="right") - 1]
        return weighted

    def blocks(self, size: int | None = None) -> Iterator[tuple[int, Floats]]:
        """The matrix in blocks of rows: (first row, proximities [rows of the block, all others])."""
        n_rows, n_columns = self.shape
        step = max(1, BLOCK // max(1, n_columns)) if size is None else int(size)
        if step < 1:
            raise ParameterError(f"size is {size!r}, but a block has at least 1 row.")
        transposed = self.columns.T.tocsr()
        for start in range(0, n_rows, step):
            yield start, self._block(start, min(start + step, n_rows), transposed)

    def _block(self, start: int, stop: int, transposed: Any) -> Floats:
        block = (self.weighted[start:stop] @ transposed).toarray()
        if self.asked is None:
            block /= self.votes.sum()
        else:
            together = (self.asked[start:stop] * self.votes) @ self.asked.T
            with np.errstate(invalid="ignore"):
                block = np.where(together > 0, block / together, np.nan)
        if self.same:
            inside = np.arange(start, stop)
            block[inside - start, inside] = 1.0
        return np.asarray(np.minimum(block, 1.0))

    def matrix(self) -> Floats:
        """All proximities at once, [n, others]: 8 bytes per pair."""
        return np.concatenate([block for _, block in self.blocks()])

    def nearest(self, count: int, *, size: int | None = None) -> tuple[NDArray[np.int64], Floats]:
        """The nearest others of each row, [n, count]: their positions and their proximities, the nearest first.

        Tied ones in the order of the rows; a row is not its own neighbour, and unknown proximities count as 0.
        """
        most = self.shape[1] - (1 if self.same else 0)
        if not 1 <= count <= most:
            raise ParameterError(f"count is {count!r}, but must be from 1 to the number of other rows, {most}.")
        places, values = np.empty((self.shape[0], count), dtype=np.int64), np.empty((self.shape[0], count))
        for start, block in self.blocks(size):
            known = np.where(np.isnan(block), 0.0, block)
            if self.same:
                inside = np.arange(len(block))
                known[inside, start + inside] = -1.0
            order = np.argsort(-known, axis=1, kind="stable")[:, :count]
            places[start : start + len(block)] = order
            values[start : start + len(block)] = np.take_along_axis(known, order, axis=1)
        return places, values


def _indicator(leaves: NDArray[np.int32], offsets: NDArray[Any], asked: NDArray[np.bool_] | None) -> Any:
    """A sparse matrix rows × nodes of all trees, 1 at the leaves of a row."""
    from scipy.sparse import csr_matrix

    n_rows, n_trees = leaves.shape
    nodes = (leaves + offsets[:-1]).ravel()
    starts = np.arange(n_rows + 1) * n_trees
    if asked is not None:
        nodes, starts = nodes[asked.ravel()], np.concatenate([[0], np.cumsum(asked.sum(axis=1))])
    return csr_matrix((np.ones(len(nodes)), nodes, starts), shape=(n_rows, int(offsets[-1])))


def outlier_measure(proximities: Proximities, classes: ArrayLike | None = None) -> Floats:
    r"""How far each row is from the others of its class, by Breiman: above about 10 it may be called an outlier.

    The raw measure is :math:`n / \sum_j prox(i, j)^2` over the other rows j of the class of row i; from it the class's
    median is taken off, and what is left is divided by the mean absolute deviation from that median. Rows without any
    neighbour in their class have the largest number that the others could have, n / 10⁻⁴. classes: one code per row;
    None: all rows are one class.
    """
    n_rows = proximities.shape[0]
    if not proximities.same:
        raise ParameterError("Outliers are found among rows compared with one another: others must be None.")
    codes = np.zeros(n_rows, dtype=np.int64) if classes is None else np.asarray(classes)
    if codes.shape != (n_rows,):
        raise DataError(f"classes has the shape {codes.shape}, but must hold one code for each of the {n_rows} rows.")
    raw = np.empty(n_rows)
    for start, block in proximities.blocks():
        known = np.where(np.isnan(block), 0.0, block) ** 2
        inside = np.arange(len(block))
        known[inside, start + inside] = 0.0
        near = (known * (codes[start : start + len(block), None] == codes)).sum(axis=1)
        raw[start : start + len(block)] = n_rows / np.maximum(near, 1e-4)
    for code in np.unique(codes):
        rows = codes == code
        away = raw[rows] - np.median(raw[rows])
        deviation = float(np.abs(away).mean())
        raw[rows] = away / deviation if deviation > 0 else 0.0
    return raw

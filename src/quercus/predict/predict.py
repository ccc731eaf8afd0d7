"""Predicting: the distribution or value, the leaf and the decision path of every row.

A row with a known value takes one branch. Where the value is unknown (or was never seen, or has no branch) it follows
the first surrogate that knows it, else the node's ``missing_child``, else every branch that has weight, in shares
:math:`w_c / \\sum_i w_i` of the children's training weights. A node whose branches all weigh nothing answers itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Floats
from quercus.data.dataset import Dataset
from quercus.errors import ParameterError
from quercus.predict.arguments import asked_rows, finite, thread_count
from quercus.tree.tree import Tree

#: From here on it pays to write only the shares that are not 0.
MANY_CLASSES = 48


def predict_distribution(
    tree: Tree, dataset: Dataset, leaf_values: Floats | None = None, n_jobs: int | None = 1
) -> Floats:
    r"""What the leaves of each row predict, :math:`\sum_l w_l(x)\, v_l`, where w_l(x) is the part of row x at leaf l.

    tree: a grown tree. dataset: rows encoded by its schema. leaf_values: what each node predicts, [n_nodes, k];
    ``tree.distributions()`` unless given. n_jobs: threads; the answer does not depend on it. Returns [n_rows, k]: class
    shares, or the value of a regression tree with k = 1.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.grow import grow
    >>> data = encode({"x": [1.0, 2.0, 3.0, 4.0]})
    >>> tree = grow(data, encode_classes(["No", "No", "No", "Yes"]), cart_recipe())
    >>> predict_distribution(tree, data)[2:]
    array([[1., 0.],
           [0., 1.]])
    """
    values = tree.distributions() if leaf_values is None else _node_values(leaf_values, tree)
    compact, table, n_rows = asked_rows(tree, dataset)
    result: Floats = finite(
        compact.predict_values(table, n_rows, values, thread_count(n_jobs), dataset.unproven), dataset
    )
    return result


class SparseValues(NamedTuple):
    """What nodes predict, without zeros: those of node v stand from ``starts[v]`` to ``starts[v + 1]``."""

    starts: NDArray[np.int64]
    places: NDArray[np.int32]
    numbers: Floats
    width: int

    @classmethod
    def of(cls, values: Floats) -> SparseValues | None:
        """The values [n_nodes, k] in this form; None if it would bring nothing."""
        if values.shape[1] < MANY_CLASSES or 8 * np.count_nonzero(values) > values.size:
            return None
        nodes, places = np.nonzero(values)
        starts = np.searchsorted(nodes, np.arange(len(values) + 1))
        return cls(starts.astype(np.int64), places.astype(np.int32), values[nodes, places], values.shape[1])


def predict_sparse(tree: Tree, dataset: Dataset, values: SparseValues, n_jobs: int | None = 1) -> Floats:
    """The same as :func:`predict_distribution`, faster where leaves hold few of many classes."""
    compact, table, n_rows = asked_rows(tree, dataset)
    output = compact.predict_sparse(table, n_rows, *values, thread_count(n_jobs), dataset.unproven)
    result: Floats = finite(output, dataset)
    return result


def predict_codes(
    tree: Tree,
    dataset: Dataset,
    leaf_values: Floats,
    leaf_codes: NDArray[np.int64],
    chosen: Callable[[Floats], NDArray[Any]],
    n_jobs: int | None = 1,
) -> NDArray[np.int64]:
    """The position of the class that is answered for each row.

    leaf_values: what each node predicts, [n_nodes, k]. leaf_codes: which class each node answers; that of a row in one
    leaf. chosen: from class shares, rows × classes, to positions; for the rows in several leaves.
    """
    compact, table, n_rows = asked_rows(tree, dataset)
    output = compact.predict_codes(table, n_rows, leaf_values, leaf_codes, thread_count(n_jobs), dataset.unproven)
    codes, spread = finite(output, dataset)
    if len(spread):
        codes[codes < 0] = chosen(spread)
    result: NDArray[np.int64] = codes
    return result


def predict_value(tree: Tree, dataset: Dataset, leaf_values: Floats | None = None, n_jobs: int | None = 1) -> Floats:
    """The number that a regression tree predicts for each row; over several leaves their mean by weight.

    Parameters as in :func:`predict_distribution`; leaf_values may have one dimension.
    """
    if leaf_values is not None:
        values = np.asarray(leaf_values, dtype=np.float64).reshape(tree.n_nodes, -1)
        return predict_distribution(tree, dataset, values, n_jobs)[:, 0]
    tree.target_kind.need_numbers("predict_value answers numbers; this tree has classes. Use predict_distribution.")
    return np.asarray(tree.target_kind.chosen(predict_distribution(tree, dataset, n_jobs=n_jobs)))


def apply(tree: Tree, dataset: Dataset, n_jobs: int | None = 1) -> NDArray[np.int64]:
    """The leaf of each row; of a row in several leaves the one that holds most of it, the leftmost if tied."""
    compact, table, n_rows = asked_rows(tree, dataset)
    result: NDArray[np.int64] = finite(
        compact.find_leaves(table, n_rows, thread_count(n_jobs), dataset.unproven), dataset
    )
    return result


def decision_path(tree: Tree, dataset: Dataset, n_jobs: int | None = 1, *, weights: bool = False) -> Any:
    """The nodes that each row reaches: a sparse CSR matrix of shape (n_rows, n_nodes), 1 where the row comes through.

    weights: say instead which part of the row comes through, a number in (0, 1]; less than 1 where a row with an
    unknown value follows several branches.
    """
    from scipy.sparse import csr_matrix

    compact, table, n_rows = asked_rows(tree, dataset)
    starts, nodes, parts = compact.find_paths(table, n_rows, weights, thread_count(n_jobs))
    if not weights:
        parts = np.ones(len(nodes), dtype=np.int64)
    return csr_matrix((parts, nodes, starts), shape=(dataset.n_rows, tree.n_nodes), copy=False)


def _node_values(leaf_values: Any, tree: Tree) -> Floats:
    values = np.ascontiguousarray(leaf_values, dtype=np.float64)
    if values.ndim != 2 or len(values) != tree.n_nodes:
        raise ParameterError(
            f"leaf_values has the shape {values.shape}, but must have one row for each of the {tree.n_nodes} nodes."
        )
    return values

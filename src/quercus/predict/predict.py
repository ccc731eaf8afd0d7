"""Predicting: the distribution or value, the leaf and the decision path of every row.

A row with a known value takes one branch. Where the value is unknown (or was never seen, or has no branch) it follows
the first surrogate that knows it, else the node's ``missing_child``, else every branch that has weight, in shares
:math:`w_c / \\sum_i w_i` of the children's training weights. A node whose branches all weigh nothing answers itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus import _core
from quercus.arrays import Floats
from quercus.data.dataset import Dataset
from quercus.errors import ParameterError
from quercus.predict.arguments import core_arguments, thread_count
from quercus.tree.tree import Tree


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
    arrays, columns, n_rows = core_arguments(tree, dataset)
    result: Floats = _core.predict_values(arrays, columns, n_rows, values, thread_count(n_jobs))
    return result


def predict_value(tree: Tree, dataset: Dataset, leaf_values: Floats | None = None, n_jobs: int | None = 1) -> Floats:
    """The number that a regression tree predicts for each row; over several leaves their mean by weight.

    Parameters as in :func:`predict_distribution`; leaf_values may have one dimension.
    """
    if leaf_values is not None:
        values = np.asarray(leaf_values, dtype=np.float64).reshape(tree.n_nodes, -1)
        return predict_distribution(tree, dataset, values, n_jobs)[:, 0]
    if tree.target_kind.classes is not None:
        raise ParameterError("predict_value answers numbers; this tree has classes. Use predict_distribution.")
    return np.asarray(tree.target_kind.chosen(predict_distribution(tree, dataset, n_jobs=n_jobs)))


def apply(tree: Tree, dataset: Dataset, n_jobs: int | None = 1) -> NDArray[np.int64]:
    """The leaf of each row; of a row in several leaves the one that holds most of it, the leftmost if tied."""
    result: NDArray[np.int64] = _core.find_leaves(*core_arguments(tree, dataset), thread_count(n_jobs))
    return result


def decision_path(tree: Tree, dataset: Dataset, n_jobs: int | None = 1, *, weights: bool = False) -> Any:
    """The nodes that each row reaches: a sparse CSR matrix of shape (n_rows, n_nodes), 1 where the row comes through.

    weights: say instead which part of the row comes through, a number in (0, 1]; less than 1 where a row with an
    unknown value follows several branches.
    """
    from scipy.sparse import csr_matrix

    starts, nodes, parts = _core.find_paths(*core_arguments(tree, dataset), weights, thread_count(n_jobs))
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

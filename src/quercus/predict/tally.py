"""Tallying: labelled rows go down a tree, and every node adds up what reaches it. Pruning decides by such sums."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.arrays import Floats
from quercus.data.dataset import ClassTarget, Dataset
from quercus.errors import DataError
from quercus.predict.arguments import asked_rows, thread_count
from quercus.tree.tree import Tree


def tally(
    tree: Tree,
    dataset: Dataset,
    target: ClassTarget | NDArray[Any],
    weights: ArrayLike | None = None,
    n_jobs: int | None = 1,
) -> Floats:
    """What reaches each node: class weights [n_nodes, k], or [n_nodes, 3] weight, mean and Σ w (y − mean)².

    A row that follows several branches counts in each by its part. tree: a grown tree. dataset: rows encoded by its
    schema. target: their classes (all among the tree's), or their numbers for a regression tree. weights: one per row,
    not negative. n_jobs: threads; the sums do not depend on it.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.grow import grow
    >>> data = encode({"x": [1.0, 2.0, 3.0, 4.0]})
    >>> tree = grow(data, encode_classes(["No", "No", "No", "Yes"]), cart_recipe())
    >>> tally(tree, data, encode_classes(["No", "Yes", "No", "Yes"]), weights=[1, 1, 1, 3])
    array([[2., 4.],
           [2., 1.],
           [0., 3.]])
    """
    compact, *rows = asked_rows(tree, dataset)
    threads = thread_count(n_jobs)
    checked = None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    if checked is not None and checked.shape != (dataset.n_rows,):
        raise DataError(
            f"weights has the shape {checked.shape}, but must hold one entry for each of the {dataset.n_rows} rows."
        )
    truth = tree.target_kind.truth(target, dataset.n_rows)
    result: Floats
    if truth.dtype.kind == "f":
        result = compact.tally_numbers(*rows, truth, checked, threads)
    else:
        result = compact.tally_classes(*rows, truth, tree.target_kind.width, checked, threads)
    return result

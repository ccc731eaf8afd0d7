"""Tallying: labelled rows go down a tree, and every node adds up what reaches it. Pruning decides by such sums."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus import _core
from quercus.data.dataset import ClassTarget, Dataset
from quercus.data.values import plain_value, value_key
from quercus.errors import DataError, shown_list
from quercus.predict.arguments import core_arguments, thread_count
from quercus.tree.tree import Tree

Floats = NDArray[np.float64]


def tally(
    tree: Tree,
    dataset: Dataset,
    target: ClassTarget | NDArray[Any],
    weights: ArrayLike | None = None,
    n_jobs: int | None = 1,
) -> Floats:
    """What reaches each node: class weights [n_nodes, k], or [n_nodes, 3] weight, mean and Σ w (y − mean)².

    A row that follows several branches counts in each by its part. tree: a grown tree. dataset: rows encoded by its
    schema. target: their classes (all among the tree's), or their numbers for a regression tree. weights: one a row,
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
    arguments = core_arguments(tree, dataset)
    threads = thread_count(n_jobs)
    checked = None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    _check_length(None if checked is None else checked.shape, "weights", dataset.n_rows)
    result: Floats
    if tree.classes is None:
        if isinstance(target, ClassTarget):
            raise DataError("The target has classes, but the tree predicts numbers: give an array of numbers.")
        numbers = np.ascontiguousarray(target, dtype=np.float64)
        _check_length(numbers.shape, "target", dataset.n_rows)
        result = _core.tally_numbers(*arguments, numbers, checked, threads)
    else:
        if not isinstance(target, ClassTarget):
            raise DataError(
                f"The tree has classes, but the target is of type {type(target).__name__}: encode_classes(y)."
            )
        codes = codes_of_tree(target, tree.classes)
        _check_length(codes.shape, "target", dataset.n_rows)
        result = _core.tally_classes(*arguments, codes, len(tree.classes), checked, threads)
    return result


def _check_length(shape: tuple[int, ...] | None, name: str, n_rows: int) -> None:
    if shape is not None and shape != (n_rows,):
        raise DataError(f"{name} has the shape {shape}, but must hold one entry for each of the {n_rows} rows.")


def codes_of_tree(target: ClassTarget, classes: tuple[Any, ...]) -> NDArray[np.int32]:
    """The target's codes as positions in the tree's classes; a target may lack some of them or order them otherwise."""
    codes = np.ascontiguousarray(target.codes, dtype=np.int32)
    positions = {value_key(label): position for position, label in enumerate(classes)}
    found = np.array([positions.get(value_key(plain_value(label)), -1) for label in target.classes], dtype=np.int32)
    if np.array_equal(found, np.arange(len(classes))):
        return codes
    translated = found[codes] if len(found) else codes
    if (translated < 0).any():
        strange = target.classes[codes[int(np.argmax(translated < 0))]]
        raise DataError(f"The target has the class {strange!r}, which the tree does not know: {shown_list(classes)}.")
    return translated

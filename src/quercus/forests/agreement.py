"""How far the members of a collection agree: votes for each class, the share that agrees, the spread of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Floats
from quercus.data.dataset import Dataset
from quercus.errors import ParameterError
from quercus.forests.collection import Collection, collection_answers, member_answer, member_weights, members_of
from quercus.forests.score_sum import ScoreSum


def votes(collection: Collection, dataset: Dataset, *, smoothing: Any = None, n_jobs: int | None = 1) -> Floats:
    """How many trees (by their weights) hold each class to be the most likely, [n, classes]; every row sums to all.

    Tied classes of a tree: it votes for the first.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.forest import Sampling, grow_forest
    >>> x, y = encode({"x": [1, 2, 3, 4, 5, 6]}), encode_classes(["No", "No", "No", "Yes", "Yes", "Yes"])
    >>> forest = grow_forest(x, y, cart_recipe(), Sampling(), n_trees=10, seed=0)
    >>> votes(forest, x)[2:4].tolist()
    [[9.0, 1.0], [3.0, 7.0]]
    """
    _refuse_scores(collection)
    collection.target_kind.need_classes("Votes are for classes; these trees answer numbers. Ask for their spread.")
    shares, used = collection_answers(collection, dataset, vote="majority", smoothing=smoothing, n_jobs=n_jobs)
    counted = shares * used[:, None]
    whole = np.rint(counted)
    return whole if np.allclose(counted, whole, rtol=0, atol=1e-9) else counted


def agreement(
    collection: Collection,
    dataset: Dataset,
    answers: NDArray[np.intp],
    *,
    smoothing: Any = None,
    n_jobs: int | None = 1,
) -> Floats:
    """The share of the trees that vote for the answer of each row, from 0 to 1.

    answers: the position of the class that the collection as a whole answers. Averaged probabilities, costs or a
    threshold may answer a class that few trees vote for.
    """
    counted = votes(collection, dataset, smoothing=smoothing, n_jobs=n_jobs)
    return np.asarray(counted[np.arange(len(counted)), answers] / counted.sum(axis=1))


def spread(collection: Collection, dataset: Dataset, *, n_jobs: int | None = 1) -> Floats:
    """The standard deviation of the trees' numbers for each row; 0 where all say the same."""
    _refuse_scores(collection)
    kind = collection.target_kind
    kind.need_numbers("The spread is of numbers; these trees answer classes. Ask for their votes.")
    mean, squares, total = np.zeros(dataset.n_rows), np.zeros(dataset.n_rows), 0.0
    for member, weight in zip(members_of(collection), member_weights(collection), strict=True):
        numbers = kind.chosen(member_answer(member, dataset, n_jobs=n_jobs))
        total += weight
        away = numbers - mean
        mean += away * (weight / total)
        squares += weight * away * (numbers - mean)
    return np.asarray(np.sqrt(np.maximum(squares, 0.0) / total))


def _refuse_scores(collection: Collection) -> None:
    if isinstance(collection, ScoreSum):
        raise ParameterError(
            "The trees of a sum of scores each add a part of the answer, so that they neither vote nor agree. Ask for "
            "predict_proba, or for the curve over the trees."
        )

"""Stages of a collection: the common answers of its first members, and their error on some rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.arrays import Floats
from quercus.data.dataset import Dataset
from quercus.errors import DataError, ParameterError
from quercus.forests.collection import Collection, collection_sums, part_of
from quercus.forests.importance import Losses
from quercus.forests.out_of_bag import POINTS
from quercus.forests.score_sum import ScoreSum
from quercus.predict.forest import Vote
from quercus.pruning.curves import Curve
from quercus.pruning.nested import checked_weights


def stages(n_members: int, points: int = POINTS) -> list[int]:
    """After how many members to look: at most so many times, evenly, and after the last.

    >>> stages(5), stages(10, points=4)
    ([1, 2, 3, 4, 5], [3, 6, 9, 10])
    """
    if points < 1:
        raise ParameterError(f"points={points!r} is not allowed; give a number of points, 1 or more.")
    step = -(-n_members // points)
    return [*range(step, n_members, step), n_members]


def staged_answers(
    collection: Collection,
    dataset: Dataset,
    counts: Sequence[int],
    *,
    vote: Vote = "probability",
    smoothing: Any = None,
    n_jobs: int | None = 1,
) -> Iterator[Floats]:
    """What the first members answer together, for each of some growing numbers of them; every member is asked once.

    counts: numbers of members, each above the one before. Answers and options are those of ``collection_answers``.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.forest import Sampling, grow_forest
    >>> x, y = encode({"x": [1, 2, 3, 4, 5, 6]}), encode_classes(["No", "No", "No", "Yes", "Yes", "Yes"])
    >>> forest = grow_forest(x, y, cart_recipe(), Sampling(), n_trees=10, seed=0)
    >>> [shares[2].tolist() for shares in staged_answers(forest, x, [1, 5, 10])]
    [[1.0, 0.0], [0.8, 0.2], [0.9, 0.1]]
    """
    if isinstance(collection, ScoreSum):
        yield from collection.staged(dataset, counts, n_jobs)
        return
    sums, total = np.zeros((dataset.n_rows, collection.target_kind.width)), 0.0
    for begin, end in zip([0, *counts[:-1]], counts, strict=True):
        part = part_of(collection, begin, end)
        added, used = collection_sums(part, dataset, vote=vote, smoothing=smoothing, n_jobs=n_jobs)
        sums += added
        total += float(used[0]) if len(used) else 0.0
        yield sums / total if total > 0 else sums


def trees_curve(
    collection: Collection,
    sets: Mapping[str, tuple[Any, ...]],
    *,
    points: int = POINTS,
    cost_matrix: ArrayLike | None = None,
    threshold: float | None = None,
    **options: Any,
) -> Curve:
    """The error after so many members, on several sets of rows.

    sets: rows by name, ``{"test": (dataset, target)}``; a third entry gives weights. points: of the curve, at most.
    The error is the share of wrong answers, with costs the mean cost, of numbers the mean squared deviation.
    cost_matrix, threshold: how a class is chosen. options: vote, smoothing, n_jobs.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.forest import Sampling, grow_forest
    >>> x, y = encode({"x": list(range(20))}), encode_classes(["No"] * 10 + ["Yes"] * 10)
    >>> forest = grow_forest(x, y, cart_recipe(), Sampling(), n_trees=30, seed=0)
    >>> print(trees_curve(forest, {"training": (x, y)}, points=3))
    error against the number of trees
    trees  training
       10         0
       20         0
       30         0
    """
    counts = stages(len(collection), points)
    columns: dict[str, NDArray[Any]] = {"trees": np.array(counts)}
    for name, rows in sets.items():
        if name in columns:
            raise ParameterError(f"A set may not be called {name!r}, which is a column already.")
        if not isinstance(rows, tuple) or len(rows) not in (2, 3):
            raise DataError(f"The rows {name!r} must be a tuple (dataset, target) or (dataset, target, weights).")
        dataset, target = rows[:2]
        if dataset.n_rows == 0:
            raise DataError(f"There are no rows {name!r} to measure on.")
        losses = Losses.of(target, collection.target_kind, cost_matrix, threshold)
        if len(losses.truth) != dataset.n_rows:
            raise DataError(f"The rows {name!r} have {len(losses.truth)} targets, but there are {dataset.n_rows} rows.")
        row_weights = rows[2] if len(rows) == 3 else None
        weights = np.ones(dataset.n_rows) if row_weights is None else checked_weights(row_weights, dataset.n_rows)
        staged = staged_answers(collection, dataset, counts, **options)
        columns[name] = np.array([float(np.average(losses(answers), weights=weights)) for answers in staged])
    return Curve(f"{'error' if cost_matrix is None else 'mean cost'} against the number of trees", columns)

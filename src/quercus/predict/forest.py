"""Prediction by a forest: every tree answers, and the answers are averaged or counted."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from quercus import _core
from quercus.data import Dataset
from quercus.errors import ParameterError, choice_message
from quercus.predict.arguments import thread_count
from quercus.predict.predict import apply, predict_distribution
from quercus.tree.forest import Forest, tree_weights
from quercus.tree.packing import PREDICTED

Vote = Literal["probability", "majority"]
Floats = NDArray[np.float64]


def forest_distribution(
    forest: Forest,
    dataset: Dataset,
    *,
    vote: Vote = "probability",
    n_jobs: int | None = 1,
    out_of_bag: tuple[Any, int, int] | None = None,
) -> tuple[Floats, Floats]:
    """What the trees say together: class shares [n, classes] (regression: [n, 1] numbers), and who said it.

    vote: ``"probability"``: the trees' class shares are averaged; ``"majority"``: each tree votes for its most likely
    class, the first if tied, and the votes are averaged. Trees count by their weights. out_of_bag: ``(sampling, seed,
    first tree)`` of a grown forest, whose training rows the dataset must hold: each row is answered only by the trees
    that did not learn from it. The second array tells the weight of the trees that answered each row; a row that none
    answered has NaN.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.forest import Sampling, grow_forest
    >>> x, y = encode({"x": [1, 2, 3, 4, 5, 6]}), encode_classes(["No", "No", "No", "Yes", "Yes", "Yes"])
    >>> forest = grow_forest(x, y, cart_recipe(), Sampling(), n_trees=5, seed=0)
    >>> shares, trees = forest_distribution(forest, x)
    >>> shares[0].tolist(), trees[0].item()
    ([1.0, 0.0], 5.0)
    """
    sums, used = forest_sums(forest, dataset, vote=vote, n_jobs=n_jobs, out_of_bag=out_of_bag)
    with np.errstate(invalid="ignore", divide="ignore"):
        return sums / used[:, None], used


def forest_sums(
    forest: Forest,
    dataset: Dataset,
    *,
    vote: Vote = "probability",
    n_jobs: int | None = 1,
    out_of_bag: tuple[Any, int, int] | None = None,
) -> tuple[Floats, Floats]:
    """The same before the division: the weighted sums of the trees' answers, 0 where none answered, and who did."""
    if vote not in get_args(Vote):
        raise ParameterError(choice_message("vote", vote, get_args(Vote)))
    found = _packed_sums(forest, dataset, vote, n_jobs, out_of_bag) if forest.is_packed else None
    return _tree_by_tree(forest, dataset, vote, n_jobs, out_of_bag) if found is None else found


def _packed_sums(
    forest: Forest, dataset: Dataset, vote: str, n_jobs: int | None, out_of_bag: tuple[Any, int, int] | None
) -> tuple[Floats, Floats] | None:
    """The weighted sums by the packed trees; None if a row must follow several branches."""
    sampling, numbers = None, list[int]()
    if out_of_bag is not None:
        drawn, seed, first = out_of_bag
        sampling, numbers = drawn.core(dataset.n_rows, seed), list(range(first, first + len(forest)))
    return _core.predict_forest(
        [tuple(tree[name] for name in PREDICTED) for tree in forest.stored],
        tuple(dataset.columns),
        dataset.n_rows,
        0 if forest.classes is None else len(forest.classes),
        vote == "majority",
        tree_weights(forest).tolist(),
        sampling,
        numbers,
        thread_count(n_jobs),
    )


def _tree_by_tree(
    forest: Forest, dataset: Dataset, vote: str, n_jobs: int | None, out_of_bag: tuple[Any, int, int] | None
) -> tuple[Floats, Floats]:
    """The same for trees of any questions, one after the other."""
    width = 1 if forest.classes is None else len(forest.classes)
    sums, used = np.zeros((dataset.n_rows, width)), np.zeros(dataset.n_rows)
    for number, (tree, weight) in enumerate(zip(forest, tree_weights(forest), strict=True)):
        answers = predict_distribution(tree, dataset, n_jobs=n_jobs)
        if vote == "majority" and not forest.is_regression:
            answers = np.eye(width)[answers.argmax(axis=1)]
        rows: Any = slice(None)
        if out_of_bag is not None:
            sampling, seed, first = out_of_bag
            drawn = _core.drawn_counts(sampling.core(dataset.n_rows, seed), first + number, dataset.n_rows)
            rows = drawn == 0
        sums[rows] += weight * answers[rows]
        used[rows] += weight
    return sums, used


def forest_leaves(forest: Forest, dataset: Dataset, n_jobs: int | None = 1) -> NDArray[np.int32]:
    """The leaf that each row reaches in each tree, [n, trees]; of several, the one that holds most of the row."""
    if forest.is_packed:
        packed = [tuple(tree[name] for name in PREDICTED) for tree in forest.stored]
        found = _core.forest_leaves(packed, tuple(dataset.columns), dataset.n_rows, thread_count(n_jobs))
        if found is not None:
            return found
    return np.column_stack([apply(tree, dataset, n_jobs) for tree in forest]).astype(np.int32)

"""A collection of models (a forest, a committee or a sum of scores): its members' common answer, and parts of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from quercus.arrays import Floats
from quercus.data.dataset import Dataset
from quercus.forests.committee import Committee
from quercus.forests.score_sum import ScoreSum
from quercus.growing.forest import Sampling, drawn_counts
from quercus.predict.forest import Vote, forest_sums, mean_answers, tree_answer
from quercus.rules.rule_list import RuleList
from quercus.tree.forest import Forest, tree_weights
from quercus.tree.tree import Tree

#: Members whose answers are averaged.
Averaged = Forest | Committee
Collection = Averaged | ScoreSum
#: The draws of a collection: sampling, seed and the number of its first member.
Draws = tuple[Sampling, int, int]


def collection_answers(
    collection: Collection,
    dataset: Dataset,
    *,
    vote: Vote = "probability",
    smoothing: Any = None,
    n_jobs: int | None = 1,
    out_of_bag: Draws | None = None,
) -> tuple[Floats, Floats]:
    """What the members answer together, and the weight of those who did; as ``quercus.predict.forest`` does for trees.

    vote: how the members answer together, "probability" or "majority". smoothing: of the trees' class shares: None,
    "laplace" or ("m", m). out_of_bag: ``(sampling, seed, first member)``: the dataset holds the training rows, and each
    is answered only by the members that did not learn from it. Rows that no member answered have NaN and the weight 0.
    """
    if isinstance(collection, ScoreSum):
        answers = collection.answers(collection.scores(dataset, n_jobs))
        return answers, np.full(dataset.n_rows, member_weights(collection).sum())
    return mean_answers(
        *collection_sums(collection, dataset, vote=vote, smoothing=smoothing, n_jobs=n_jobs, out_of_bag=out_of_bag)
    )


def collection_sums(
    collection: Averaged,
    dataset: Dataset,
    *,
    vote: Vote = "probability",
    smoothing: Any = None,
    n_jobs: int | None = 1,
    out_of_bag: Draws | None = None,
) -> tuple[Floats, Floats]:
    """The weighted sums of the members' answers (0 where none answered), and the weight of those who answered."""
    if isinstance(collection, Forest):
        return forest_sums(collection, dataset, vote=vote, smoothing=smoothing, n_jobs=n_jobs, out_of_bag=out_of_bag)
    sums, used = np.zeros((dataset.n_rows, collection.target_kind.width)), np.zeros(dataset.n_rows)
    for number, member in enumerate(collection):
        rows: Any = slice(None)
        if out_of_bag is not None:
            sampling, seed, first = out_of_bag
            rows = drawn_counts(sampling, seed, first + number, dataset.n_rows) == 0
        sums[rows] += member_answer(member, dataset, vote=vote)[rows]
        used[rows] += 1.0
    return sums, used


def member_answer(
    member: Tree | RuleList,
    dataset: Dataset,
    *,
    vote: Vote = "probability",
    smoothing: Any = None,
    n_jobs: int | None = 1,
) -> Floats:
    """What one member answers: class shares [n, classes], by majority 1 for its class; or numbers [n, 1]."""
    if isinstance(member, RuleList):
        if vote == "majority":
            return member.target_kind.ballots(member.predict(dataset))
        return member.distribution(dataset).reshape(dataset.n_rows, -1)
    return tree_answer(member, dataset, vote=vote, smoothing=smoothing, n_jobs=n_jobs)


def members_of(collection: Collection) -> Iterator[Tree | RuleList]:
    """The members in their order."""
    yield from collection


def member_weights(collection: Collection) -> Floats:
    """How much each member's answer counts."""
    if isinstance(collection, Committee):
        return np.ones(len(collection))
    return tree_weights(collection if isinstance(collection, Forest) else collection.trees)


def part_of(collection: Any, start: int, stop: int) -> Any:
    """The members ``start … stop − 1`` as a collection of its own."""
    if isinstance(collection, Committee):
        return replace(collection, members=collection.members[start:stop])
    return collection.part(start, stop)

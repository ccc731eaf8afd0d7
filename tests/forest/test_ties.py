"""Tied classes: a tree of a forest votes for the class that it answers alone, the first of those tied to rounding."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from quercus import BaggingClassifier, CARTClassifier, RandomForestClassifier
from quercus.predict import label_codes, predict_distribution
from quercus.predict.forest import forest_distribution
from quercus.tree.forest import Forest

#: 0.1 + 0.2 is a little more than 0.3 in floating point: the exactly largest weight is that of the second class.
TWO = (["a", "b", "b"], [0.3, 0.1, 0.2])
THREE = (["a", "b", "b", "c"], [0.3, 0.1, 0.2, 0.05])


def one_leaf(labels: list[str], weights: list[float], n_trees: int = 3) -> Any:
    """A forest of trees of one leaf each."""
    forest = RandomForestClassifier(n_trees, bootstrap=False, vote="majority")
    return forest.fit(np.zeros((len(labels), 1)), labels, sample_weight=weights)


@pytest.mark.parametrize(("labels", "weights"), [TWO, THREE])
def test_a_tie_up_to_rounding_goes_to_the_first_class(labels: list[str], weights: list[float]) -> None:
    forest, row = one_leaf(labels, weights), np.zeros((1, 1))
    single = CARTClassifier().fit(np.zeros((len(labels), 1)), labels, sample_weight=weights)
    assert forest.forest_.stored[0]["leaf_value"].argmax() == 1 and forest.forest_.is_packed
    assert single.predict(row) == ["a"] and forest.predict(row) == ["a"]
    assert forest.votes(row)[0, 0] == 3 and forest.agreement(row) == [1.0]


@pytest.mark.parametrize("packed", [True, False])
def test_a_clear_majority_stays_one_however_small_the_weights(packed: bool) -> None:
    forest = one_leaf(["a", "b"], [1e-9, 1.1e-9])
    trees = forest.forest_ if packed else Forest.from_trees(list(forest.forest_))
    shares, _ = forest_distribution(trees, forest.encode_rows(np.zeros((1, 1))), vote="majority")
    assert shares.tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("gaps", [False, True])
def test_packed_and_single_trees_vote_as_each_answers_alone(n_classes: int, gaps: bool) -> None:
    random = np.random.default_rng(n_classes)
    X = random.integers(0, 3, (400, 3)).astype(float)  # few different rows: leaves of mixed classes
    y = random.integers(0, n_classes, 400)
    weights = random.choice([0.1, 0.2, 0.3], 400)  # sums that are tied up to rounding
    forest = RandomForestClassifier(30, vote="majority", missing="fractional")
    forest.fit(X, y, sample_weight=weights)
    if gaps:
        X = np.vstack([X, [[np.nan, 1.0, 2.0]]])  # follows several branches: no packed answer
    dataset = forest.encode_rows(X)
    alone = [predict_distribution(tree, dataset) for tree in forest.forest_]
    said = [label_codes(shares) for shares in alone]
    assert any((shares.argmax(axis=1) != codes).any() for shares, codes in zip(alone, said, strict=True))
    counted = np.column_stack([np.sum([codes == label for codes in said], axis=0) for label in range(n_classes)])
    for trees in (forest.forest_, Forest.from_trees(list(forest.forest_))):
        assert (np.rint(forest_distribution(trees, dataset, vote="majority")[0] * 30) == counted).all()
    assert (forest.votes(X) == counted).all()


def test_bagging_votes_as_its_members_answer() -> None:
    labels, weights = THREE
    X = np.zeros((len(labels), 1))
    bag = BaggingClassifier(CARTClassifier(), 4, bootstrap=False, vote="majority").fit(X, labels, sample_weight=weights)
    assert bag.predict(X[:1]) == bag.estimators_[0].predict(X[:1]) == ["a"]


def test_a_part_and_a_longer_forest_vote_by_their_own_trees() -> None:
    forest = one_leaf(*TWO).forest_
    plain = one_leaf(["a", "b"], [0.1, 0.2]).forest_
    dataset = one_leaf(*TWO).encode_rows(np.zeros((1, 1)))
    assert forest_distribution(forest, dataset, vote="majority")[0].tolist() == [[1.0, 0.0]]  # made and kept
    assert forest_distribution(forest.first(1).extended(plain), dataset, vote="majority")[0].tolist() == [[0.25, 0.75]]
    assert forest_distribution(forest, dataset)[0] == pytest.approx(np.array([[0.5, 0.5]]))
    assert pickle.loads(pickle.dumps(forest)) == forest

"""Choices of growing that courses ask for: gain ratio in ID3, C4.5 without its price, a sufficient majority."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

from quercus import (
    C45Classifier,
    C45RulesClassifier,
    CARTClassifier,
    ID3Classifier,
    RandomForestClassifier,
)
from quercus.datasets import load_play_tennis, load_threshold_example
from quercus.errors import ParameterError
from quercus.measures import gain_of, gain_ratio_of


def test_id3_chooses_by_gain_ratio() -> None:
    """A date, different in every row, has the largest gain and the root without the ratio; with it, Outlook has."""
    X, y = load_play_tennis()
    dated = {"Date": [f"D{i}" for i in range(len(y))], **{name: list(X[name]) for name in X}}
    assert max(dated, key=lambda name: gain_of(dated[name], y)) == "Date"
    assert ID3Classifier().fit(dated, y).tree_.root.attribute.name == "Date"
    tree = ID3Classifier(selection="gain_ratio").fit(X, y).tree_
    assert tree.root.attribute.name == max(X, key=lambda name: gain_ratio_of(X[name], y)) == "Outlook"
    assert not ID3Classifier(selection="gain_ratio").fit(X, y).recipe_.gate


def test_c45_without_the_price_asks_the_lectures_question() -> None:
    X, y = load_threshold_example()
    assert C45Classifier(min_objects=6, prune=False).fit(X, y).get_n_leaves() == 1  # the gain does not pay the price
    free = C45Classifier(min_objects=6, prune=False, threshold_price=False).fit(X, y)
    assert str(free).splitlines() == ["x <= 4.5: 1 (6; 1: 5, 0: 1)", "x > 4.5: 0 (10; 0: 6, 1: 4)"]
    gain = next(line for line in free.trace(X, y).to_text(node=0).splitlines() if "gain(x)" in line)
    assert gain.strip() == "gain(x) = 0.989 − 6/16·0.650 − 10/16·0.971 = 0.138"
    rules = C45RulesClassifier(min_objects=6, threshold_price=False).fit(X, y)
    assert rules.tree_ == free.tree_


@pytest.mark.parametrize("preset", ["r8", "j48"])
def test_presets_of_other_programs_keep_their_thresholds(preset: Any) -> None:
    X, y = load_threshold_example()
    with pytest.raises(
        ParameterError, match=f"threshold='short' is not allowed; give None or another preset: '{preset}'"
    ):
        C45Classifier(preset=preset, threshold="short").fit(X, y)
    assert C45Classifier(preset=preset).fit(X, y).recipe_.threshold == "data_value"
    short = C45Classifier(threshold="short", min_objects=6, threshold_price=False, prune=False).fit(X, y)
    assert short.tree_.threshold[0] == 4.6  # of 4.5, 4.6 and 4.7 one of the two next to 4.65


@pytest.mark.parametrize("kind", [ID3Classifier, C45Classifier, CARTClassifier])
def test_growing_stops_at_a_sufficient_majority(kind: Any) -> None:
    X, y = load_iris(return_X_y=True)
    plain = kind(prune=False).fit(X, y)
    early = kind(prune=False, sufficient_majority=0.9).fit(X, y)
    shares = early.tree_.value.max(axis=1) / early.tree_.weight
    assert early.get_n_leaves() < plain.get_n_leaves()
    assert (shares[early.tree_.kind != 0] < 0.9).all()
    assert (plain.tree_.value.max(axis=1) / plain.tree_.weight)[plain.tree_.kind != 0].max() >= 0.9
    assert kind(prune=False, sufficient_majority=1.0).fit(X, y).tree_ == plain.tree_
    leaf = next(node.id for node in early.tree_.root.walk() if node.is_leaf and 0.9 <= shares[node.id] < 1)
    said = early.trace(X, y).node(leaf).decision
    assert "the share of the most common class, 0.9" in said and "reaches sufficient_majority = 0.9" in said


@pytest.mark.parametrize("more", [{}, {"missing": "surrogate"}, {"max_bins": 16}])
def test_trees_of_a_forest_stop_there_too(more: dict[str, Any]) -> None:
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(20, sufficient_majority=0.9, progress=False, **more).fit(X, y)
    for tree in forest.forest_:
        assert (tree.value.max(axis=1)[tree.kind != 0] < 0.9 * tree.weight[tree.kind != 0]).all()
    assert np.mean([tree.n_leaves for tree in forest.forest_]) < np.mean(
        [tree.n_leaves for tree in RandomForestClassifier(20, progress=False, **more).fit(X, y).forest_]
    )

"""With costs, a threshold or smoothing every text, picture and rule shows the answers that the model gives."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from quercus import C45Classifier, CARTClassifier, ID3Classifier, RandomForestClassifier, load, save
from quercus.data import encode
from quercus.draw import alpha_chart, class_regions, size_curve, trees_chart
from quercus.fitted import model_of
from quercus.pruning import tune
from quercus.tree import Tree

PULSE = {"Pulse": [50, 55, 60, 62, 64, 66, 70, 72, 75, 90], "Age": [30, 40, 50, 60, 70, 20, 30, 40, 50, 60]}
STATE = ["well"] * 5 + ["ill"] + ["well"] * 3 + ["ill"]
COSTS = {("ill", "well"): 10, ("well", "ill"): 1}

MODELS = {
    "costs": CARTClassifier(max_depth=1, cost_matrix=COSTS),
    "threshold": CARTClassifier(max_depth=1, decision_threshold=0.95),
    "smoothing": CARTClassifier(max_depth=1, smoothing=("m", 50)),
    "C4.5 with costs": C45Classifier(cost_matrix=COSTS, prune=False, min_objects=5),
}


@pytest.fixture(params=list(MODELS), name="model")
def _model(request: pytest.FixtureRequest) -> Any:
    return MODELS[request.param].fit(PULSE, STATE)


def _leaf_answers(model: Any) -> dict[int, str]:
    """What the model answers for the training rows of each leaf."""
    return dict(zip(model.apply(PULSE).tolist(), model.predict(PULSE).tolist(), strict=True))


def test_nodes_texts_and_rules_answer_as_the_model(model: Any) -> None:
    answers = _leaf_answers(model)
    plain = Tree.from_dict(model.tree_.to_dict())
    assert any(plain.node(leaf).label != answer for leaf, answer in answers.items())  # the decision matters here
    assert {leaf: model.tree_.node(leaf).label for leaf in answers} == answers
    assert {rule.leaf: rule.label for rule in model.rules().rules if rule.leaf in answers} == answers
    assert str(model.tree_) == str(model) == model.tree_.to_text()
    for leaf, answer in answers.items():
        assert f"Node {leaf} predicts {answer}." in model.to_svg()
        assert f"predicts {answer}" in model.summary().node_text(leaf)
        assert model.tree_.node(leaf).describe().endswith(f"Predicts {answer}.")


def test_the_answers_stay_with_copies_files_and_smaller_trees(model: Any, tmp_path: Any) -> None:
    text = str(model.tree_)
    save(model, tmp_path / "model.json")
    assert str(load(tmp_path / "model.json").tree_) == text
    assert str(pickle.loads(pickle.dumps(model)).tree_) == str(pickle.loads(pickle.dumps(model.tree_))) == text
    assert model.tree_.collapse(np.zeros(model.tree_.n_nodes, dtype=bool)).to_text() == text
    assert model_of(model.tree_).predict(PULSE).tolist() == model.predict(PULSE).tolist()
    assert str(model.unpruned_tree_) == text


def test_a_pruned_tree_shows_the_answers_of_the_model() -> None:
    pruned = C45Classifier(cost_matrix=COSTS, prune=False).fit(PULSE, STATE).prune_with("keep_depth", depth=0)
    assert str(pruned.tree_) == str(pruned.pruning_.tree) == "ill (10: 8 well, 2 ill)"
    assert pruned.predict(PULSE).tolist() == ["ill"] * 10


def test_the_rules_of_a_tree_answer_rows_of_unknown_values_as_the_model() -> None:
    model = C45Classifier(cost_matrix=COSTS, prune=False, min_objects=5).fit(PULSE, STATE)
    rows = encode({"Pulse": [None, 50.0], "Age": [None, 30.0]})
    codes = model.rules().predict(rows)
    assert model.classes_[codes].tolist() == model.predict({"Pulse": [None, 50.0], "Age": [None, 30.0]}).tolist()


def test_regions_are_coloured_by_the_answers_of_the_model() -> None:
    model = CARTClassifier(max_depth=1, decision_threshold=0.95).fit(PULSE, STATE)
    assert [mark.name for mark in class_regions(model.tree_, "Pulse", "Age").marks] == ["ill"]


def test_without_costs_trees_are_as_they_were() -> None:
    model = ID3Classifier().fit(PULSE, STATE)
    assert model.tree_.decision is None


def test_mean_costs_are_not_called_errors() -> None:
    model = CARTClassifier(cost_matrix=COSTS, prune="cost_complexity", ccp_alpha=None, folds=2).fit(PULSE, STATE)
    curve = model.curve({"training": (PULSE, STATE)})
    assert curve.title.startswith("mean cost") and size_curve(curve).y.label == "mean cost"
    table = model.alpha_table_
    assert "cv mean cost" in table.columns and "cv error" not in str(table)
    assert alpha_chart(table).y.label.startswith("mean cost") and "mean cost" in alpha_chart(table).title
    forest = RandomForestClassifier(5, cost_matrix=COSTS, oob_score=True, random_state=0).fit(PULSE, STATE)
    assert "mean cost" in forest.oob_curve_.columns
    chart = trees_chart(forest.oob_curve_, forest.curve({"test": (PULSE, STATE)}))
    assert chart.y.label == "mean cost" and chart.title == "Mean cost against the number of trees"


def test_a_table_of_tuning_with_costs_says_mean_cost() -> None:
    from quercus.data import encode_classes
    from quercus.growing.cart import cart_recipe
    from quercus.growing.grow import grow

    costs = np.array([[0.0, 10.0], [1.0, 0.0]])
    table = tune(
        lambda data, target, weights: grow(data, target, cart_recipe(), weights=weights, cost_matrix=costs),
        *(encode(PULSE), encode_classes(STATE)),
        depths=[1],
        folds=2,
        cost_matrix=costs,
    )
    assert "mean cost" in table.columns and "mean cost" in str(table) and "error" not in table.columns

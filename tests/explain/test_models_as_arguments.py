"""The functions of explain and draw take a fitted model where they take a tree or rules."""

from __future__ import annotations

from typing import Any

import pytest

from quercus import C45Classifier, PARTClassifier, RandomForestClassifier
from quercus.datasets import load_play_tennis
from quercus.draw import path_parts, tree_layout, tree_svg
from quercus.errors import ModelKindError, ParameterError
from quercus.explain import (
    cost_of_use,
    counterfactuals,
    gain_importance,
    reason_codes,
    summarize,
    why,
    why_rules,
)

X, Y = load_play_tennis()
COSTS = {("Yes", "No"): 5.0}
TREE = C45Classifier(cost_matrix=COSTS, smoothing="laplace", prune=False).fit(X, Y)
RULES = PARTClassifier().fit(X, Y)


@pytest.mark.parametrize("model", [TREE, TREE.model_], ids=["estimator", "model"])
def test_a_model_is_explained_by_its_tree_and_its_own_decision(model: Any) -> None:
    for row in range(len(X)):
        assert str(why(model, X, row)) == str(TREE.explain(X, row))
        assert str(reason_codes(model, X, row)) == str(TREE.reason_codes(X, row))
    assert str(counterfactuals(model, X, 3, n=2)) == str(TREE.counterfactuals(X, 3, n=2))
    assert str(gain_importance(model)) == str(gain_importance(TREE.tree_))
    assert str(cost_of_use(model)) == str(cost_of_use(TREE.tree_))
    assert str(summarize(model)) == str(summarize(TREE.tree_))
    assert tree_svg(model) == tree_svg(TREE.tree_)
    assert tree_layout(model) == tree_layout(TREE.tree_)
    assert path_parts(model, X, 1) == path_parts(TREE.tree_, TREE.encode_rows(X), 1)


def test_what_is_said_goes_before_the_decision_of_the_model() -> None:
    rows = TREE.encode_rows(X)
    assert str(why(TREE, X, 0, cost_matrix=None, smoothing=None)) == str(why(TREE.tree_, rows, 0))
    assert str(why(tree=TREE.tree_, dataset=rows)) == str(why(TREE.tree_, rows))  # type: ignore[call-arg]
    assert str(why(tree=TREE, dataset=X)) == str(TREE.explain(X))  # type: ignore[call-arg]


def test_a_model_of_rules_is_explained_by_them() -> None:
    assert str(why_rules(RULES, X, 2)) == str(RULES.explain(X, 2))
    assert str(counterfactuals(RULES.model_, X, 2)) == str(RULES.counterfactuals(X, 2))
    with pytest.raises(ModelKindError, match="why needs a model that answers with one tree; this is a PARTClassifier"):
        why(RULES, X)
    with pytest.raises(ModelKindError, match="why_rules needs a model that answers with rules; this is a C45"):
        why_rules(TREE, X)
    with pytest.raises(ModelKindError, match="counterfactuals needs a model that answers with one tree"):
        counterfactuals(RandomForestClassifier(2).fit(X, Y), X)


def test_what_is_no_model_is_refused_in_words() -> None:
    with pytest.raises(ParameterError, match="tree is a list, but must be a Tree, or a fitted model that answers by"):
        why([1, 2], X)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="model is a str, but must be a Tree or a RuleList, or a fitted model"):
        counterfactuals("tree", X)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        why()  # type: ignore[call-arg]

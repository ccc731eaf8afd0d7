"""Evidence: what it holds, that it is JSON of bounded size, and that the walks are what predicting says."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from quercus import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier, RIPPERClassifier
from quercus.datasets import load_play_tennis
from quercus.report import collect_evidence
from quercus.report import evidence as evidence_module
from quercus.report import walks as walks_module
from quercus.report.evidence import with_test
from quercus.report.subject import numbers_in, subject_of
from quercus.report.walks import pruning_walks
from quercus.tree import Tree


def noisy(n_rows: int = 300, seed: int = 0) -> tuple[dict[str, Any], list[str]]:
    random = np.random.default_rng(seed)
    x, z = random.random(n_rows).round(2), random.choice(["a", "b", "c"], n_rows)
    label = np.where(random.random(n_rows) < 0.2, random.choice(["p", "q"], n_rows), np.where(x > 0.5, "p", "q"))
    known = random.random(n_rows) > 0.1
    return {"x": np.where(known, x, np.nan), "z": z}, label.tolist()


def with_tree(model: Any, tree: Tree) -> Any:
    return replace(model.model_, tree=tree).as_estimator()


@pytest.mark.parametrize("prune", [False, "reduced_error", "cost_complexity", "error_based", "mdl", "same_prediction"])
def test_every_step_of_a_walk_is_measured_as_predicting_says(prune: Any) -> None:
    X, y = noisy()
    X_test, y_test = noisy(200, seed=1)
    model = C45Classifier(prune=prune, min_objects=1).fit(X, y)
    found = collect_evidence(model, X, y, test=(X_test, y_test), trace=False)["pruning"]
    tree = model.unpruned_tree_ if found["tree"] == "grown" else model.tree_
    assert found["n_nodes"] == tree.n_nodes
    for walk in found["walks"]:
        for step in {0, walk["n_steps"] // 2, walk["n_steps"] - 1}:
            cut = (np.array(walk["cut_step"]) <= step) & (tree.n_children > 0)
            small = with_tree(model, tree.collapse(cut))
            assert (small.tree_.n_nodes, small.tree_.n_leaves) == (walk["nodes"][step], walk["leaves"][step])
            assert walk["sets"]["training"][step] == pytest.approx(small.score(X, y), abs=1e-6)
            assert walk["sets"]["test"][step] == pytest.approx(small.score(X_test, y_test), abs=1e-6)
        if walk["model_step"] is not None:
            cut = (np.array(walk["cut_step"]) <= walk["model_step"]) & (tree.n_children > 0)
            assert tree.collapse(cut) == model.tree_
    assert any(walk["model_step"] is not None for walk in found["walks"])


def test_without_rows_walks_show_what_the_tree_remembers() -> None:
    X, y = load_play_tennis(d15=True)
    model = ID3Classifier().fit(X, y)
    plain = pruning_walks(subject_of(model))["walks"]
    measured = collect_evidence(model, X, y, trace=False)["pruning"]["walks"]
    assert plain == measured


@pytest.mark.parametrize(
    "model", [C45Classifier(), CARTClassifier(prune=True), CARTClassifier(prune="reduced_error"), RIPPERClassifier()]
)
def test_test_rows_can_be_added_to_evidence_from_before(model: Any) -> None:
    (X, y), (X2, y2) = noisy(), noisy(150, seed=1)
    model = model.fit(X, y)
    before = collect_evidence(model, X, y)
    kept = json.dumps(before)
    assert with_test(model, before, (X2, y2)) == collect_evidence(model, X, y, test=(X2, y2))
    assert json.dumps(before) == kept


def test_test_rows_alone_are_shown_beside_what_the_tree_remembers() -> None:
    (X, y), (X2, y2) = noisy(), noisy(150, seed=1)
    model = CARTClassifier(prune=True).fit(X, y)
    whole, alone = collect_evidence(model, X, y, test=(X2, y2)), with_test(model, None, (X2, y2))
    assert alone["evaluation"]["test"] == whole["evaluation"]["test"] and "train" not in alone["evaluation"]
    assert [walk["sets"]["test"] for walk in alone["pruning"]["walks"]] == [
        walk["sets"]["test"] for walk in whole["pruning"]["walks"]
    ]
    assert set(alone["curves"]["growing"]["columns"]) == {"nodes", "leaves", "test"}
    pruned = model.prune_with("keep_depth", depth=1)
    assert with_test(pruned, whole, (X2, y2))["evaluation"]["test"]["accuracy"] == pruned.score(X2, y2)


def test_long_walks_are_thinned(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = noisy(400)
    model = CARTClassifier(ccp_alpha=0.004).fit(X, y)
    whole = pruning_walks(subject_of(model))["walks"][0]
    monkeypatch.setattr(walks_module, "MOST_STEPS", 5)
    thin = pruning_walks(subject_of(model))["walks"][0]
    assert thin["n_steps"] <= 6 < whole["n_steps"]
    assert thin["leaves"][0] == whole["leaves"][0] and thin["leaves"][-1] == whole["leaves"][-1] == 1
    assert thin["leaves"][thin["model_step"]] == model.tree_.n_leaves
    tree = model.unpruned_tree_
    for step in range(thin["n_steps"]):
        cut = (np.array(thin["cut_step"]) <= step) & (tree.n_children > 0)
        assert tree.collapse(cut).n_leaves == thin["leaves"][step]


@pytest.mark.parametrize("model", [C45Classifier(), CARTClassifier(prune=True), RIPPERClassifier(), CARTRegressor()])
def test_evidence_is_json(model: Any) -> None:
    X, y = noisy()
    target = np.arange(len(y)) * 0.5 if isinstance(model, CARTRegressor) else y
    found = collect_evidence(model.fit(X, target), X, target, validation=(X, target), test=(X, target, np.ones(len(y))))
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert set(found["evaluation"]) == {"task", "train", "validation", "test"}


def test_the_trace_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = noisy()
    model = CARTClassifier().fit(X, y)
    assert len(collect_evidence(model, X, y, trace=7)["trace"]["nodes"]) == 7
    heaviest = set(np.argsort(-model.tree_.weight, kind="stable")[:7].tolist())
    assert {entry["node"] for entry in collect_evidence(model, X, y, trace=7)["trace"]["nodes"]} == heaviest
    assert "trace" not in collect_evidence(model, X, y, trace=False)
    monkeypatch.setattr(evidence_module, "TRACE_SIZE", 20_000)
    assert len(json.dumps(collect_evidence(model, X, y)["trace"]["nodes"])) < 21_000


def test_numbers_follow_a_pruning_and_refuse_another_tree() -> None:
    X, y = noisy()
    grown = CARTClassifier().fit(X, y).tree_
    mask = np.arange(grown.n_nodes) % 7 == 3
    small = grown.collapse(mask)
    number = numbers_in(grown, small)
    assert number is not None
    kept = np.flatnonzero(number >= 0)
    assert number[kept].tolist() == list(range(small.n_nodes))
    np.testing.assert_array_equal(grown.weight[kept], small.weight)
    assert numbers_in(grown, CARTClassifier(max_depth=4).fit(X, y[::-1]).tree_) is None

"""Traces of fitted models: the training rows are found again or refused, and what came after growing is told."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from quercus import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
from quercus.datasets import load_play_tennis
from quercus.errors import DataError, ParameterError
from quercus.explain import Trace, Tracer, TraceWalk, trace_growing
from quercus.explain.trace.decisions import TrainingTable
from quercus.explain.trace.grown_nodes import grown_nodes

HOSTILE = [
    "a & b_c % $ # ^ ~ { } \\ end",
    r"\end{tabular}\input{/etc/passwd}",
    "<img src=x onerror=alert(1)>",
    'say "hi"\nnext | line',
]


def noisy(n_rows: int = 400, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(seed)
    table = pd.DataFrame(random.normal(size=(n_rows, 4)), columns=list("abcd")).round(2)
    table["n"] = random.choice(["u", "v", "w", "z"], n_rows)
    table.loc[random.random(n_rows) < 0.1, "a"] = np.nan
    y = np.where(table["b"] + (table["n"] == "u") + random.normal(size=n_rows) > 0.5, "yes", "no")
    return table, y


@pytest.mark.parametrize(
    "model",
    [
        C45Classifier(),
        C45Classifier(preset="j48"),
        C45Classifier(preset="r8", value_groups=True, missing="own_value"),
        C45Classifier(prune="reduced_error"),
        C45Classifier(priors={"no": 0.2, "yes": 0.8}, significance=0.05),
        C45Classifier(selection="nunez", attribute_costs={"a": 5, "b": 1}, cost_exponent=0.5, max_bins=16),
        CARTClassifier(max_leaf_nodes=9, class_weight="balanced"),
        CARTClassifier(prune=True, folds=3, missing="surrogate"),
        CARTClassifier(cost_matrix={("yes", "no"): 5}, ccp_alpha=0.01),
        ID3Classifier(missing="class_most_common", max_depth=4),
    ],
    ids=lambda model: re.sub(r"\s+", " ", repr(model))[:60],
)
def test_every_kind_of_model_is_traced(model: Any) -> None:
    X, y = noisy()
    weights = np.random.default_rng(1).choice([0.0, 1.0, 2.5], len(y))
    model.fit(X, y, sample_weight=weights)
    trace = model.trace(X, y, weights)
    assert trace.is_complete
    assert [node for node in trace if node.note] == []
    pruned = [node for node in trace if node.pruned]
    assert bool(pruned) == (model.tree_.n_nodes < model.unpruned_tree_.n_nodes)
    if model.pruning_ is not None:
        kept = model.trace(X, y, weights, nodes="kept")
        assert kept.grown == grown_nodes(model.pruning_)
        assert None not in kept.grown
        for number, place in enumerate(kept.grown):
            node, found = model.tree_.node(number), kept.node(place)
            if not node.is_leaf:
                assert str(node.test) == found.candidates[found.best].test


def test_other_rows_are_refused() -> None:
    X, y = noisy()
    model = CARTClassifier(max_depth=3).fit(X, y)
    with pytest.raises(DataError, match="not the rows that the model was fitted to: there are 399 rows"):
        model.trace(X[:-1], y[:-1])
    with pytest.raises(DataError, match="not the rows that the model was fitted to"):
        model.trace(X, y[::-1])
    changed = X.copy()
    changed["b"] = changed["b"].to_numpy()[::-1]
    with pytest.raises(DataError, match="not the rows that the model was fitted to"):
        model.trace(changed, y)
    with pytest.raises(DataError, match="weight"):
        model.trace(X, y, np.full(len(y), 2.0))
    with pytest.raises(ParameterError, match="There is no node 999"):
        model.trace(X, y, nodes=[999])
    with pytest.raises(ParameterError, match="'kept'"):
        model.trace(X, y, nodes="some")
    with pytest.raises(ParameterError, match="not traced"):
        model.trace(X, y, nodes=[1]).node(0)


def test_a_tree_that_asks_otherwise_is_marked() -> None:
    """The tree is the truth: where the table does not lead to its question, the trace says so."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = CARTClassifier(criterion="gini", max_depth=2).fit(X, y)

    def traced(**other: Any) -> Any:
        return replace(model.model_, recipe=replace(model.recipe_, **other)).trace(X, y)

    trace = traced(criterion="entropy")
    assert trace.node(0).note == "the tree says gain 0.333333, this trace 0.918296."
    assert trace.node(0).note in trace.to_text(0)
    assert "should be a leaf (the gain is below min_gain)" in traced(min_gain=0.35).node(0).note
    assert "not what this trace chose" in traced(min_samples_leaf=60).node(0).note


def test_only_the_nodes_looked_at_are_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = noisy()
    model = CARTClassifier().fit(X, y)
    judged: list[int] = []
    decisions = TrainingTable.decisions

    def counted(table: TrainingTable, nodes: Iterable[int], *rest: Any) -> Any:
        judged.extend(nodes := list(nodes))
        return decisions(table, nodes, *rest)

    monkeypatch.setattr(TrainingTable, "decisions", counted)
    trace = model.trace(X, y)
    assert len(trace) == model.tree_.n_nodes
    assert judged == []
    assert trace.node(17).node == 17
    assert trace.node(17) is trace.node(17)
    assert judged == [17]
    assert [node.node for node in model.trace(X, y, nodes=[17])] == [17]
    heavy = model.trace(X, y, max_nodes=5)
    assert sum(node.weight for node in heavy) == pytest.approx(sorted(model.tree_.weight)[-5:] @ np.ones(5))
    assert len(judged) == 7
    assert pickle.loads(pickle.dumps(trace)) == trace
    assert len(judged) == 7 + model.tree_.n_nodes - 1


def test_collapsed_and_left_out_nodes_say_so() -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    trace = C45Classifier().fit(X, y).trace(X, y)
    collapsed = [node for node in trace if "collapsed" in node.decision]
    assert collapsed
    assert "its 2 leaves made 1 error on the training rows and one leaf makes 1, so it was collapsed" in (
        collapsed[0].decision
    )
    assert collapsed[0].candidates[collapsed[0].best].status == "not kept"
    best_first = CARTClassifier(max_leaf_nodes=3).fit(X, y).trace(X, y)
    left = [node for node in best_first if "may have 3 leaves at most" in node.decision]
    assert left
    assert best_first.order[:2] == (0, 2)


def test_pruned_nodes_say_why() -> None:
    X, y = noisy()
    model = C45Classifier().fit(X, y)
    trace = model.trace(X, y)
    for removal in model.pruning_.removals:
        assert removal.reason in trace.node(removal.node).pruned
    assert "Pruned later by error_based" in trace.to_text(model.pruning_.removals[0].node)


def test_walk_goes_forward_and_back_and_looks_when_asked() -> None:
    X, y = load_play_tennis()
    model = ID3Classifier().fit(X, y)
    tracer = model.tracer(X, y)
    assert isinstance(tracer, Tracer)
    walk = TraceWalk(tracer)
    seen = [walk.current.node]
    while not walk.is_last:
        seen.append(walk.forward().node)
    assert tuple(seen) == model.trace(X, y).order
    assert walk.forward().node == seen[-1]
    while not walk.is_first:
        assert walk.back().node == seen[walk.place]
    assert walk.back().node == 0
    assert walk.go(2).path == ("Outlook = Rain",)
    assert "Wind is asked" in walk.to_text()
    assert TraceWalk(model.trace(X, y, nodes=[2, 3]), start=3).progress == "2 of 2"
    with pytest.raises(ParameterError, match="no node 77"):
        walk.go(77)


def test_hostile_names_stay_names() -> None:
    rows = [[f"{name} {i % 3}" for name in HOSTILE] for i in range(12)]
    X = pd.DataFrame(rows, columns=HOSTILE)
    y = [HOSTILE[i % 2] for i in range(12)]
    trace = C45Classifier(min_objects=1).fit(X, y).trace(X, y)
    latex = trace.to_latex(document=True)
    assert r"\end{tabular}\input" not in latex
    assert latex.count(r"\begin{") == latex.count(r"\end{")
    unescaped = latex.replace(r"\{", "").replace(r"\}", "")
    assert unescaped.count("{") == unescaped.count("}")
    for line in latex.splitlines():
        assert not re.search(r"(?<!\\)[%#]", line)
    assert "onerror" in json.dumps(trace.to_dict())
    assert "\nnext" not in trace.to_text()


def test_frame_has_a_row_a_candidate() -> None:
    X, y = load_play_tennis()
    trace = ID3Classifier().fit(X, y).trace(X, y)
    frame = trace.to_frame()
    assert len(frame) == sum(max(1, len(node.candidates)) for node in trace)
    root = frame[frame["node"] == 0].set_index("attribute")
    assert root["gain"].round(4).to_dict() == {
        "Outlook": 0.2467, "Temperature": 0.0292, "Humidity": 0.1518, "Wind": 0.0481,
    }  # fmt: skip
    assert root["chosen"].sum() == 1
    assert (frame["chosen"].sum()) == sum(not node.is_leaf for node in trace)


def test_damaged_dictionaries_are_refused() -> None:
    X, y = load_play_tennis()
    good = ID3Classifier().fit(X, y).trace(X, y).to_dict()

    def damaged(change: Any) -> dict[str, Any]:
        data = json.loads(json.dumps(good))
        change(data)
        return data

    for change in (
        lambda data: data.update(version=2),
        lambda data: data.pop("criterion"),
        lambda data: data.update(criterion="beauty"),
        lambda data: data.update(nodes={}),
        lambda data: data["nodes"][0].update(chosen=99),
        lambda data: data["nodes"][0].update(weight="many"),
        lambda data: data["nodes"][0].update(weight=float("nan")),
        lambda data: data["nodes"][0]["candidates"][0].pop("branches"),
        lambda data: data["nodes"][0]["candidates"][0]["branches"].append(3),
    ):
        with pytest.raises(DataError):
            Trace.from_dict(damaged(change))
    with pytest.raises(DataError):
        Trace.from_dict([])  # type: ignore[arg-type]


def test_regression_with_all_criteria_and_weights() -> None:
    X, _ = noisy(200)
    y = np.random.default_rng(2).poisson(2.0, 200) + (X["b"] > 0)
    weights = np.random.default_rng(3).random(200) + 0.1
    for criterion in ("squared_error", "absolute_error", "poisson"):
        model = CARTRegressor(criterion=criterion, max_depth=4, min_samples_leaf=5).fit(X, y, sample_weight=weights)
        trace = model.trace(X, y, weights)
        assert [node for node in trace if node.note] == []
        root = trace.node(0)
        assert root.prediction == pytest.approx(model.tree_.root.label)
        assert "w·" in root.formula
        assert trace.to_latex(0)


def test_a_large_table_by_one_node() -> None:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = C45Classifier().fit(X, y)
    rows = model.read_rows(X, y)
    tracer = Tracer(model.unpruned_tree_, rows.dataset, rows.target, model.recipe_, cuts=True)
    node = tracer.node(model.unpruned_tree_.n_nodes - 1)
    assert node.count == model.unpruned_tree_.count[-1]
    with pytest.raises(ParameterError, match="max_nodes is 0"):
        tracer.trace(max_nodes=0)
    with pytest.raises(DataError, match="no attribute"):
        trace_growing(model.tree_, rows.dataset, rows.target, model.recipe_, cuts=["height"])

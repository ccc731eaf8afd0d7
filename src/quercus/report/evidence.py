"""Evidence: facts that need the rows, collected when a model is fitted, so that its report needs no rows later."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from quercus.criteria import OwnCriterion
from quercus.data.rows import Rows
from quercus.evaluation.evaluate import Evaluation, rows_scores
from quercus.evaluation.out_of_bag import rows_out_of_bag
from quercus.evaluation.scores import Scores
from quercus.explain.trace.tracing import tracer_of
from quercus.fitted.model import Model, model_of
from quercus.fitted.reading import Readable
from quercus.report.data_summary import summarise_data
from quercus.report.subject import Subject, subject_of, traced_numbers
from quercus.report.walks import pruning_walks

#: So many nodes are traced, the heaviest; and so many characters of JSON they may take.
TRACED_NODES = 250
TRACE_SIZE = 4_000_000
#: So many points of a curve are kept.
CURVE_POINTS = 1_000


def collect_evidence(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    validation: tuple[Any, ...] | None = None,
    test: tuple[Any, ...] | None = None,
    trace: bool | int = True,
) -> dict[str, Any]:
    """What a report shows beside the model itself, as data that JSON can hold; of bounded size.

    model: a fitted estimator. X, y, sample_weight: what it was fitted on. validation, test: further rows,
    (X, y) or (X, y, weights). trace: whether to trace how the heaviest nodes were decided, or how many of them.

    Returns the keys ``summary``, ``pruning``, ``curves``, ``trace``, ``evaluation``; those that make no sense for the
    model are left out.

    >>> from quercus import ID3Classifier
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> evidence = collect_evidence(ID3Classifier().fit(X, y), X, y, trace=False)
    >>> evidence["summary"]["rows"], evidence["pruning"]["walks"][0]["leaves"]
    (14, [5, 1])
    """
    row_sets = {"validation": validation, "test": test}
    training = read_set(model, X, y, sample_weight)
    sets = {name: read_set(model, *rows) for name, rows in row_sets.items() if rows is not None}
    return evidence_of(model_of(model), {"training": training, **sets}, trace=trace)


def read_set(model: Any, X: Any, y: Any, sample_weight: Any = None, new_classes: bool = False) -> Rows:
    """Labelled rows as evidence takes them, encoded by the model. new_classes: whether it need not know them all."""
    readable = model if isinstance(model, Readable) else model_of(model)
    return readable.model_.labelled(readable.encode_rows(X), y, sample_weight, new_classes=new_classes)


def evidence_of(
    model: Model, sets: Mapping[str, Rows], *, scores: Mapping[str, Scores] | None = None, trace: bool | int = True
) -> dict[str, Any]:
    """The same from encoded rows: "training", and maybe "validation" and "test". scores: those that are known."""
    subject = subject_of(model)
    measured = {name: rows.measuring for name, rows in sets.items()}
    result: dict[str, Any] = {"summary": summarise_data(*measured["training"])}
    if subject.tree is not None and model.answers_by == "tree":
        result["pruning"] = pruning_walks(subject, measured)
        result["curves"] = _curves(subject, measured)
    traced = _trace(subject, sets["training"], trace)
    if traced is not None:
        result["trace"] = traced
    result["evaluation"] = _evaluation(model, sets, scores or {})
    if model.answers_by == "members":
        training = sets["training"]
        unseen = rows_out_of_bag(model, training.target, training.sample_weights)
        result["evaluation"] |= {} if unseen is None else {"out_of_bag": unseen.to_dict()["test"]}
    return result


def with_test(model: Any, evidence: Mapping[str, Any] | None, test: tuple[Any, ...]) -> dict[str, Any]:
    """Evidence that was gathered before, and how the model does on further rows that it has not seen.

    test: (X, y) or (X, y, weights). Scores, walks and curves get the test rows beside those that they have.
    """
    subject, result = subject_of(model), dict(evidence or {})
    table, target, weights = (*test, None)[:3]
    rows = read_set(model, table, target, weights, new_classes=subject.model.answers_by != "tree")
    result["evaluation"] = {**(result.get("evaluation") or {}), **_evaluation(subject.model, {"test": rows}, {})}
    if subject.grown is None or subject.model.answers_by != "tree":
        return result
    sets = {"test": rows.measuring}
    known = result.get("pruning")
    if not known or known["n_nodes"] != subject.grown.n_nodes:
        known = pruning_walks(subject)
    measured = {walk["method"]: walk for walk in pruning_walks(subject, sets)["walks"]}
    result["pruning"] = {**known, "walks": [_beside(walk, measured.get(walk["method"])) for walk in known["walks"]]}
    curves, seen = dict(result.get("curves") or {}), _curves(subject, sets)["growing"]
    columns = (curves.get("growing") or seen)["columns"]
    if columns["leaves"] == seen["columns"]["leaves"]:
        curves["growing"] = {**seen, "columns": {**columns, "test": seen["columns"]["test"]}}
    result["curves"] = curves
    return result


def _beside(walk: Mapping[str, Any], measured: Mapping[str, Any] | None) -> dict[str, Any]:
    """A walk with the figures of the same walk on further rows."""
    same = measured is not None and measured["leaves"] == walk["leaves"]
    return {**walk, "sets": {**walk["sets"], **measured["sets"]}} if same and measured is not None else dict(walk)


def _curves(subject: Subject, sets: Mapping[str, tuple[Any, ...]]) -> dict[str, Any]:
    """Accuracy (regression: error) against size while the tree grew, best question first."""
    from quercus.pruning.curves import growing_curve

    assert subject.grown is not None
    curve = growing_curve(subject.grown, sets, cost_matrix=subject.model.decision.choosing)
    return {"growing": curve_data(curve)}


def curve_data(curve: Any) -> dict[str, Any]:
    """A curve as lists; of a long one evenly spread points."""
    places = np.unique(np.linspace(0, len(curve) - 1, min(len(curve), CURVE_POINTS)).round().astype(np.int64))
    columns = {name: np.asarray(column)[places] for name, column in curve.columns.items()}
    return {"title": curve.title, "columns": _listed(columns)}


def _listed(columns: Mapping[str, Any]) -> dict[str, list[Any]]:
    return {name: [_short(value) for value in np.asarray(column).tolist()] for name, column in columns.items()}


def _short(value: Any) -> Any:
    """A number of at most six digits; None if it is none that JSON has."""
    if not isinstance(value, float):
        return value
    return float(f"{value:.6g}") if np.isfinite(value) else None


def _trace(subject: Subject, rows: Rows, detail: bool | int) -> dict[str, Any] | None:
    """The trace of the heaviest nodes, as many as are wanted and as fit; None where the model cannot be traced."""
    grown = subject.unpruned
    recipe = subject.model.recipe
    if detail is False or grown is None or (recipe is not None and isinstance(recipe.criterion, OwnCriterion)):
        return None
    most = TRACED_NODES if detail is True else int(detail)
    kept = np.zeros(grown.n_nodes, dtype=bool)
    known = traced_numbers(subject, grown)
    kept[known[known >= 0]] = True
    if subject.number is not None:  # nodes that pruning took away come last
        kept[np.flatnonzero(subject.number < 0)] = False
    order = np.lexsort((-grown.weight, ~kept))[:most]
    tracer = tracer_of(subject.model, rows)
    traced = replace(tracer.empty_trace, nodes=tuple(tracer.nodes(order.tolist()))).to_dict()
    entries = {entry["node"]: entry for entry in traced["nodes"]}
    size, chosen = 0, list[int]()
    for node in order.tolist():
        size += len(json.dumps(entries[node]))
        if size > TRACE_SIZE and chosen:
            break
        chosen.append(node)
    return {**traced, "nodes": [entries[node] for node in sorted(chosen)]}


def _evaluation(model: Model, sets: Mapping[str, Rows], scores: Mapping[str, Scores]) -> dict[str, Any]:
    """How well the model answers, in the form of ``Evaluation.to_dict``, with ``validation`` beside train and test."""
    result: dict[str, Any] = {}
    for name, rows in sets.items():
        scores_data = Evaluation(scores[name] if name in scores else rows_scores(model, rows)).to_dict()
        result |= {"task": scores_data["task"], "train" if name == "training" else name: scores_data["test"]}
    return result

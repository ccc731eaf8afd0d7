"""Evidence: what only the rows can tell, gathered when a model is fitted, so that its report needs no rows later."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from quercus.data.dataset import ClassTarget, Dataset, encode_like
from quercus.data.rows import checked_target, encode_known_classes
from quercus.data.weights import read_sample_weight
from quercus.evaluation.out_of_bag import evaluate_out_of_bag
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
    subject = subject_of(model)
    given = {"training": (X, y, sample_weight), "validation": validation, "test": test}
    sets = {name: _rows(subject, rows) for name, rows in given.items() if rows is not None}
    training = sets["training"]
    result: dict[str, Any] = {"summary": summarise_data(*training)}
    if subject.tree is not None and subject.answers_by == "tree":
        result["pruning"] = pruning_walks(subject, sets)
        result["curves"] = _curves(subject, sets)
    traced = _trace(model, subject, X, y, sample_weight, trace)
    if traced is not None:
        result["trace"] = traced
    result["evaluation"] = _evaluation(model, given)
    if subject.answers_by == "members":
        unseen = evaluate_out_of_bag(model, y, sample_weight)
        result["evaluation"] |= {} if unseen is None else {"out_of_bag": unseen.to_dict()["test"]}
    return result


def with_test(model: Any, evidence: Mapping[str, Any] | None, test: tuple[Any, ...]) -> dict[str, Any]:
    """Evidence that was gathered before, and how the model does on further rows that it has not seen.

    test: (X, y) or (X, y, weights). Scores, walks and curves get the test rows beside those that they have.
    """
    subject, result = subject_of(model), dict(evidence or {})
    result["evaluation"] = {**(result.get("evaluation") or {}), **_evaluation(model, {"test": test})}
    if subject.grown is None or subject.answers_by != "tree":
        return result
    sets = {"test": _rows(subject, test)}
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


def _rows(subject: Subject, rows: tuple[Any, ...]) -> tuple[Dataset, ClassTarget | Any, Any]:
    """Encode labelled rows by the model's schema: dataset, target and weights."""
    table, target, weights = (*rows, None)[:3]
    dataset = encode_like(table, subject.schema)
    read = checked_target(target, dataset.n_rows, subject.name)
    row_weights = read_sample_weight(weights, dataset.n_rows)
    if subject.classes is None:
        return dataset, np.asarray(read, dtype=np.float64), row_weights
    return dataset, encode_known_classes(read, list(subject.classes)), row_weights


def _curves(subject: Subject, sets: Mapping[str, tuple[Any, ...]]) -> dict[str, Any]:
    """Accuracy (regression: error) against size while the tree grew, best question first."""
    from quercus.pruning.curves import growing_curve

    assert subject.grown is not None
    curve = growing_curve(subject.grown, sets, cost_matrix=subject.costs)
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


def _trace(model: Any, subject: Subject, X: Any, y: Any, weights: Any, wanted: bool | int) -> dict[str, Any] | None:
    """The trace of the heaviest nodes, as many as are wanted and as fit; None where the model cannot be traced."""
    if wanted is False or not hasattr(model, "trace"):
        return None
    most = TRACED_NODES if wanted is True else int(wanted)
    grown = model.unpruned_tree_
    kept = np.zeros(grown.n_nodes, dtype=bool)
    known = traced_numbers(subject, grown)
    kept[known[known >= 0]] = True
    if subject.number is not None:  # nodes that pruning took away come last
        kept[np.flatnonzero(subject.number < 0)] = False
    order = np.lexsort((-grown.weight, ~kept))[:most]
    traced: dict[str, Any] = model.trace(X, y, weights, nodes=sorted(order.tolist())).to_dict()
    entries = {entry["node"]: entry for entry in traced["nodes"]}
    size, chosen = 0, list[int]()
    for node in order.tolist():
        size += len(json.dumps(entries[node]))
        if size > TRACE_SIZE and chosen:
            break
        chosen.append(node)
    return {**traced, "nodes": [entries[node] for node in sorted(chosen)]}


def _evaluation(model: Any, given: Mapping[str, tuple[Any, ...] | None]) -> dict[str, Any]:
    """How well the model answers, in the form of ``Evaluation.to_dict``, with ``validation`` beside train and test."""
    from quercus.evaluation import evaluate

    result: dict[str, Any] = {}
    for name, rows in given.items():
        if rows is not None:
            table, target, weights = (*rows, None)[:3]
            found = evaluate(model, table, target, weights).to_dict()
            result |= {"task": found["task"], "train" if name == "training" else name: found["test"]}
    return result

"""Walks: the sequences of prunings that a report's slider goes through, with sizes and accuracies of every step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.errors import QuercusError
from quercus.pruning.cost_complexity import cost_complexity_path, risk_of
from quercus.pruning.curves import cut_in_order, growing_order
from quercus.pruning.nested import NestedTrees
from quercus.report.subject import Subject
from quercus.tree.layout import LEAF
from quercus.tree.numbering import covered

_TITLES = {
    "cost_complexity": "Cost-complexity pruning",
    "reduced_error": "Reduced-error pruning",
    "stop_by_validation": "Stopping by validation",
    "keep_leaves": "Pruning to a number of leaves",
}
Sets = Mapping[str, tuple[Any, ...]]
#: More steps than this are thinned out: a slider cannot show them, and the file would grow.
MOST_STEPS = 2_000


def pruning_walks(subject: Subject, sets: Sets | None = None) -> dict[str, Any]:
    """The walks from the grown tree to its root as data that JSON can hold.

    subject: of a tree model. sets: rows to measure every step on, by name: (dataset, target) or (dataset, target,
    weights). Without any, the training errors that the tree itself remembers are shown.

    Returns ``{"tree": "grown" | "model", "measure": …, "walks": [walk, …]}``; a walk has its ``method``, ``title``,
    ``cut_step`` (for every node the step from which on it is a leaf), ``n_steps`` (and ``all_steps`` before a long walk
    was thinned), ``nodes`` and ``leaves`` by step, ``alphas`` or None, ``sets`` (numbers by step), and ``model_step``,
    the step that is the model's tree, or None.
    """
    tree = subject.grown
    assert tree is not None
    walks = []
    own = _own_sequence(subject)
    if own is not None:
        walks.append(_walk(subject, *own, None, sets))
    walks.append(_cost_complexity(subject, sets))
    # the walks that lead through the model's tree first
    walks.sort(key=lambda walk: walk["model_step"] is None)
    growing = cut_in_order(tree, growing_order(tree)[::-1])
    walks.append(_walk(subject, "growing", "Growing, question by question", growing, None, sets))
    return {
        "tree": "model" if subject.number is None else "grown",
        "n_nodes": tree.n_nodes,
        "measure": tree.target_kind.measure_name(subject.model.decision.choosing),
        "walks": walks,
    }


def _own_sequence(subject: Subject) -> tuple[str, str, NestedTrees] | None:
    """The cuts of the model's own pruner: one after the other, or, if it made them all at once, in a single step."""
    grown, tree, pruned = subject.grown, subject.tree, subject.model.pruning
    if subject.number is None or grown is None or tree is None or tree.n_nodes == grown.n_nodes:
        return None
    method = "pruning" if pruned is None else pruned.method
    title = _TITLES.get(method, method.replace("_", "-").capitalize() + " pruning")
    sequence = () if pruned is None else pruned.sequence
    if method == "cost_complexity":
        return None  # its whole path is shown anyway
    if sequence:
        return method, title, cut_in_order(grown, [cut.node for cut in sequence])
    leaf_now = (subject.number >= 0) & (grown.kind != LEAF)
    leaf_now &= tree.kind[np.maximum(subject.number, 0)] == LEAF
    step = np.where(leaf_now, 1, 2).astype(np.int64)
    return method, title + " (all cuts at once)", NestedTrees(grown, step, 2)


def _cost_complexity(subject: Subject, sets: Sets | None) -> dict[str, Any]:
    """The whole path; before it the tree as it was grown, if some questions lower no risk at all."""
    tree, costs = subject.grown, subject.model.decision.choosing
    assert tree is not None
    try:
        path = cost_complexity_path(tree, costs, risk_of(tree, costs))
    except QuercusError:  # an impurity that the tree cannot tell
        path = cost_complexity_path(tree, costs)
    nested, alphas = path.nested, path.alphas
    if nested.n_nodes[0] < tree.n_nodes:
        nested = NestedTrees(tree, nested.cut_step + 1, nested.n_steps + 1)
        alphas = np.append(np.nan, alphas)
    return _walk(subject, "cost_complexity", _TITLES["cost_complexity"], nested, alphas, sets)


def _walk(
    subject: Subject,
    method: str,
    title: str,
    nested: NestedTrees,
    alphas: NDArray[np.float64] | None,
    sets: Sets | None,
) -> dict[str, Any]:
    tree = nested.tree
    if sets is None:  # what the tree itself remembers of its examples
        node_error = cost_complexity_path(tree, subject.model.decision.choosing).node_risk
        measured = {"training": nested.leaf_sums(node_error)}
    else:
        measured = {name: _mean_loss(nested, rows, subject.model.decision.choosing) for name, rows in sets.items()}
    model_step = _model_step(subject, nested)
    kept = _kept_steps(nested.n_steps, model_step)
    accuracy = tree.target_kind.measure_name(subject.model.decision.choosing) == "accuracy"
    # the first step that is kept and not before the node's own
    cut_step = np.searchsorted(kept, np.minimum(nested.cut_step, nested.n_steps))
    cut_step = np.where((tree.kind == LEAF) | (nested.cut_step >= nested.n_steps), len(kept), cut_step)
    return {
        "method": method,
        "title": title,
        "cut_step": cut_step.tolist(),
        "n_steps": len(kept),
        "all_steps": nested.n_steps,
        "nodes": nested.n_nodes[kept].tolist(),
        "leaves": nested.n_leaves[kept].tolist(),
        "alphas": None if alphas is None else [None if a != a else a for a in alphas[kept].tolist()],
        "sets": {name: _rounded(1.0 - e[kept] if accuracy else e[kept]) for name, e in measured.items()},
        "model_step": None if model_step is None else int(np.searchsorted(kept, model_step)),
    }


def _mean_loss(nested: NestedTrees, rows: tuple[Any, ...], costs: Any) -> NDArray[np.float64]:
    return nested.losses(rows[0], rows[1], rows[2] if len(rows) > 2 else None, costs).mean


def _kept_steps(n_steps: int, model_step: int | None) -> NDArray[np.int64]:
    """All steps, or so many of them as are not too many, the first, the last and the model's always."""
    if n_steps <= MOST_STEPS:
        return np.arange(n_steps)
    chosen = np.linspace(0, n_steps - 1, MOST_STEPS).round().astype(np.int64)
    return np.unique(chosen if model_step is None else np.append(chosen, model_step))


def _model_step(subject: Subject, nested: NestedTrees) -> int | None:
    """The step whose tree is the model's."""
    grown, tree = subject.grown, subject.tree
    assert grown is not None and tree is not None
    if subject.number is None:
        return 0 if nested.n_nodes[0] == grown.n_nodes else None
    for step in np.flatnonzero(nested.n_nodes == tree.n_nodes).tolist():
        if np.array_equal(~covered(grown.first_child, grown.descendants_end, nested.mask(step)), subject.number >= 0):
            return int(step)
    return None


def _rounded(values: NDArray[np.float64]) -> list[float]:
    return [float(f"{value:.6g}") for value in values.tolist()]

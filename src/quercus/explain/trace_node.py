"""One node of a trace: the decision of the grower with its numbers and words, compared with what the tree asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import chi2

from quercus.explain.replay import Visit
from quercus.explain.trace import (
    CHOSEN,
    LOST,
    NOT_KEPT,
    REFUSED,
    TIED,
    CandidateTrace,
    NodeTrace,
)
from quercus.explain.trace_candidate import Judge, asked_above, unit_of, worth_unit
from quercus.explain.trace_formula import impurity_formula, style_of
from quercus.explain.trace_surrogates import surrogates_at
from quercus.explain.trace_words import why_stopped, why_won
from quercus.growing.recipe import Recipe
from quercus.growing.reference import Decision
from quercus.growing.reference_examples import Examples
from quercus.growing.reference_purity import FIRST, Floats
from quercus.growing.reference_splits import Candidate, Refusal
from quercus.tree.layout import LEAF
from quercus.tree.names import class_counts, quoted_value
from quercus.tree.tree import Tree

if TYPE_CHECKING:
    from quercus.pruning.result import Pruned


#: What pruning did with a node, in words.
ACTIONS = {"leaf": "made a leaf", "raised": "a branch of it took its place", "merged": "its branches answered alike"}


@dataclass(frozen=True)
class Context:
    """What all nodes of a trace share: the tree, its recipe, the attributes whose cuts are kept, what pruning did,
    whether surrogates are looked for where the tree has none, and the base of the logarithms."""

    tree: Tree
    recipe: Recipe
    cuts: frozenset[str]
    pruning: Pruned | None
    surrogates: bool = False
    base: float = 2.0

    @cached_property
    def said(self) -> Recipe:
        """The recipe with its limits in the unit of the trace, as they stand in its sentences."""
        unit, recipe = unit_of(self.base), self.recipe
        if unit == 1:
            return recipe
        limits = ("gate_tolerance", "min_split_info", "min_gain", "min_impurity_decrease")
        return replace(recipe, **{name: getattr(recipe, name) * unit for name in limits})

    def path(self, node: int) -> tuple[str, ...]:
        """The branches taken to a node, in words."""
        return tuple(step.test.branch(step.branch, limit=10) for step in self.tree.node(node).path())

    def pruned(self, node: int) -> str:
        """Why pruning took a node; empty if it did not."""
        removal = None if self.pruning is None else self.pruning.why(node)
        if removal is None or self.pruning is None:
            return ""
        if removal.node != node:
            return f"{self.pruning.method}: it went with node {removal.node} above it ({removal.reason})"
        return f"{self.pruning.method}, {ACTIONS.get(removal.action, removal.action)}: {removal.reason}"


def empty_node(context: Context, node: int) -> NodeTrace:
    """The leaf of a branch that received no instance."""
    width = 2 if context.tree.is_regression else context.tree.value.shape[1]
    return NodeTrace(
        node=node,
        depth=int(context.tree.node_depth[node]),
        path=context.path(node),
        weight=0.0,
        count=0,
        values=(0.0,) * width,
        prediction=float(context.tree.distributions()[node, 0]) if context.tree.is_regression else None,
        total=0.0,
        impurity=0.0,
        formula="0",
        reason="no example came here",
        chosen=None,
        best=None,
        margin=None,
        runner_up=None,
        tied=(),
        mean_gain=None,
        decision="Leaf: no example came here; it answers as its parent would.",
        candidates=(),
        pruned=context.pruned(node),
    )


def node_trace(context: Context, visit: Visit, decision: Decision, cut_back: str | None) -> NodeTrace:
    """A node from the grower's decision; cut_back: why an accepted split is not in the tree (None: it is)."""
    examples = visit.examples
    assert examples is not None
    tree, recipe, node = context.tree, context.recipe, visit.node
    judge = Judge(examples, context.said, context.cuts, decision, context.base)
    found: dict[int, Candidate | Refusal] = {c.attribute: c for c in decision.candidates}
    found |= {refusal.attribute: refusal for refusal in decision.refused}
    looked = bool(found)
    attributes = [a for a in range(len(tree.schema)) if looked and (a in found or a in visit.used)]
    candidates = [judge.candidate(found[a]) if a in found else asked_above(tree.schema[a], recipe) for a in attributes]
    best = None if decision.chosen is None else attributes.index(decision.chosen.attribute)
    runner_up, tied, margin = _rivals(candidates, best, examples.tie * worth_unit(recipe, context.base))
    reason = decision.reason or (cut_back if cut_back is not None else "")
    is_leaf = bool(tree.kind[node] == LEAF)
    note = "" if decision.reason and is_leaf else _difference(tree, visit, decision, cut_back)
    candidates = _with_status(candidates, best, tied, decision, is_leaf)
    if is_leaf:
        words = _leaf_words(context, visit, decision, candidates, best, cut_back)
    elif best is None:
        words = ""
    else:
        words = why_won(candidates, best, runner_up, tied, recipe.selection, context.base)
    prediction, values = _values(examples)
    return NodeTrace(
        node=node,
        depth=int(tree.node_depth[node]),
        path=context.path(node),
        weight=examples.weight,
        count=len(examples.rows),
        values=values,
        prediction=prediction,
        total=examples.scale,
        impurity=judge.impurity(examples.total),
        formula=_formula(examples, judge.impurity(examples.total), prediction, context.base),
        reason=reason if is_leaf else "",
        chosen=None if is_leaf else best,
        best=best,
        margin=margin,
        runner_up=runner_up,
        tied=tuple(tied),
        mean_gain=judge.mean_gain if recipe.gate else None,
        decision=f"{words} Note: {note}" if note else words,
        candidates=tuple(candidates),
        pruned=context.pruned(node),
        note=note,
        surrogates=() if is_leaf or note else surrogates_at(tree, node, examples, decision, context.surrogates),
    )


def _values(examples: Examples) -> tuple[float | None, tuple[float, ...]]:
    """The prediction of a regression node (None: classes) and the class weights, or mean and variance."""
    if examples.problem.classes is not None:
        return None, tuple(examples.value.tolist())
    prediction, mean, squares = examples.value.tolist()
    return prediction, (mean, squares / examples.weight)


def _formula(examples: Examples, impurity: float, prediction: float | None, base: float) -> str:
    problem = examples.problem
    entering: Sequence[float] = ()
    if problem.classes is not None:
        entering = (examples.total[FIRST:] * problem.multipliers).tolist()
    return impurity_formula(
        problem.recipe.criterion,
        entering,
        impurity,
        weight=examples.weight,
        centre=prediction if prediction is not None else 0.0,
        unit_weights=bool((examples.weights == 1).all()),
        style=style_of(base),
    )


def _rivals(
    candidates: Sequence[CandidateTrace], best: int | None, tie: float
) -> tuple[int | None, list[int], float | None]:
    """The runner-up, those tied with the best, and the best's worth above the runner-up's."""
    if best is None:
        return None, [], None
    worth = candidates[best].worth or 0.0
    others = [place for place, c in enumerate(candidates) if c.takes_part and place != best]
    if not others:
        return None, [], None
    tied = [place for place in others if (candidates[place].worth or 0.0) >= worth - tie]
    runner_up = max(others, key=lambda place: (candidates[place].worth or 0.0, -place))
    runner_up = tied[0] if tied else runner_up
    return runner_up, tied, max(worth - (candidates[runner_up].worth or 0.0), 0.0)


def _with_status(
    candidates: list[CandidateTrace], best: int | None, tied: Sequence[int], decision: Decision, is_leaf: bool
) -> list[CandidateTrace]:
    """Say of every candidate that took part what became of it."""
    result = []
    for place, candidate in enumerate(candidates):
        if candidate.takes_part:
            status = LOST
            if place == best:
                status = CHOSEN if not is_leaf else REFUSED if decision.reason else NOT_KEPT
            elif place in tied:
                status = TIED
            candidate = replace(candidate, status=status)
        result.append(candidate)
    return result


def _leaf_words(
    context: Context,
    visit: Visit,
    decision: Decision,
    candidates: Sequence[CandidateTrace],
    best: int | None,
    cut_back: str | None,
) -> str:
    """Why a node is a leaf, in a sentence."""
    examples = visit.examples
    assert examples is not None
    tree = context.tree
    if not decision.reason:
        asked = candidates[best].test if best is not None else "a question"
        return f"Leaf: {asked} was asked while growing, but " + (cut_back or "the node was made a leaf later") + "."
    figures = {
        "weight": examples.weight,
        "root": float(examples.problem.weights.sum()),
        "count": float(len(examples.rows)),
        "depth": float(tree.node_depth[visit.node]),
        "mean": float(examples.value[1]) if tree.is_regression else 0.0,
        "majority": 0.0 if tree.is_regression else float(examples.value.max() / examples.weight),
    }
    if decision.chosen is not None:
        figures["gain"] = decision.chosen.gain * unit_of(context.base)
        figures["decrease"] = examples.weight / figures["root"] * figures["gain"]
        if context.recipe.significance is not None:
            figures |= chi_square(decision.chosen.branches[:, FIRST:], context.recipe.significance)
    names = [quoted_value(label) for label in tree.classes or ()]
    counts = "" if tree.is_regression else class_counts(examples.value.tolist(), names, 5)
    return why_stopped(decision.reason, context.said, figures, counts)


def chi_square(table: Floats, alpha: float) -> dict[str, float]:
    """The statistic of a table branches × classes, its degrees of freedom and the critical value."""
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True) / table.sum()
    critical = float(chi2.isf(alpha, freedom)) if freedom > 0 else 0.0
    statistic = float(((table - expected) ** 2 / expected).sum())
    return {"chi_square": statistic, "freedom": float(freedom), "critical": critical}


def _difference(tree: Tree, visit: Visit, decision: Decision, cut_back: str | None) -> str:
    """How the tree's node differs from the decision; empty if it does not."""
    split, node, examples = decision.split, visit.node, visit.examples
    assert examples is not None
    if tree.kind[node] == LEAF:
        if cut_back == "":
            return "by this trace the node should ask; the tree was cut here after growing."
        return ""
    asked = tree.node(node).test
    if split is None:
        return f"the tree asks {asked} here, but by this trace the node should be a leaf ({decision.reason})."
    same = tree.kind[node] == split.kind and tree.attribute[node] == split.attribute
    same = same and int(tree.n_children[node]) == len(split.branches)
    if same and not np.isnan(split.threshold):
        same = bool(np.isclose(tree.threshold[node], split.threshold, rtol=1e-12, atol=0.0, equal_nan=True))
    if same and split.value_branch is not None:
        groups = tree.group_child[tree.group_start[node] : tree.group_start[node + 1]]
        same = np.array_equal(groups, split.value_branch)
    if not same:
        return f"the tree asks {asked} here, which is not what this trace chose."
    size = abs(split.gain) + abs(float(tree.gain[node]))
    noise = 1e-9 * abs(float(examples.purity.of(examples.total))) / examples.scale if examples.scale > 0 else 0.0
    noise += 0.0 if tree.is_regression else 1e-12
    if abs(split.gain - float(tree.gain[node])) > 1e-6 * size + noise:
        return f"the tree says gain {float(tree.gain[node]):.6g}, this trace {split.gain:.6g}."
    return ""

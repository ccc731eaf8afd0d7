"""Tracing: the decision of every node of a grown tree, made again from the training rows and held to the tree."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.data import ClassTarget, Dataset
from quercus.data.weights import named_costs
from quercus.errors import ModelKindError, ParameterError
from quercus.explain.grown_nodes import grown_nodes, kept_nodes
from quercus.explain.large_nodes import examine_any
from quercus.explain.replay import Replay, Visit
from quercus.explain.trace import NodeTrace, Trace
from quercus.explain.trace_node import Context, empty_node, node_trace
from quercus.growing.grow import grow
from quercus.growing.recipe import Recipe
from quercus.growing.reference import decide
from quercus.growing.reference_problem import Problem
from quercus.measures.counts import check_base
from quercus.tree.layout import LEAF
from quercus.tree.tree import Tree

if TYPE_CHECKING:
    from quercus.data.rows import Rows
    from quercus.fitted.model import Model
    from quercus.pruning.result import Pruned

Nodes = NDArray[np.int64]


@named_costs
def trace_growing(
    tree: Tree,
    dataset: Dataset,
    target: ClassTarget | ArrayLike,
    recipe: Recipe,
    *,
    weights: ArrayLike | None = None,
    class_multipliers: ArrayLike | None = None,
    cost_matrix: Any = None,
    nodes: Iterable[int] | Literal["kept"] | None = None,
    max_nodes: int | None = None,
    cuts: bool | Collection[str] = False,
    pruning: Pruned | None = None,
    surrogates: bool = False,
    n_jobs: int = 1,
    base: float = 2.0,
) -> Trace:
    """Every decision of growing as data.

    tree: as grown. dataset, target, weights, class_multipliers, cost_matrix, recipe: what it was grown from; other rows
    are refused. nodes: the numbers of those to trace, no other is looked at; "kept": those that pruning left; None:
    all. max_nodes: the heaviest so many. cuts: keep every threshold tried with its gain, of all attributes or of those
    named. pruning: what was cut later, so that a node that went can say why. surrogates: look for them also if the tree
    has none (of questions with two branches). n_jobs: threads of the core, where it is asked. base: of the logarithms
    of entropies; 2 gives bits, ``math.e`` nats.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> data, target = encode({"x": [1, 2, 3, 4]}), encode_classes(["No", "No", "Yes", "No"])
    >>> trace = trace_growing(grow(data, target, cart_recipe()), data, target, cart_recipe(), cuts=True)
    >>> trace.node(0).decision
    'x <= 2.5 is asked: its gain is 0.125, and no other attribute takes part.'
    >>> [(threshold, round(gain, 3)) for threshold, gain in trace.node(0).candidate("x").cuts]
    [(1.5, 0.042), (2.5, 0.125), (3.5, 0.042)]
    """
    tracer = Tracer(
        tree,
        dataset,
        target,
        recipe,
        weights=weights,
        class_multipliers=class_multipliers,
        cost_matrix=cost_matrix,
        cuts=cuts,
        pruning=pruning,
        surrogates=surrogates,
        n_jobs=n_jobs,
        base=base,
    )
    return tracer.trace(nodes, max_nodes)


def tracer_of(
    model: Model, rows: Rows, *, cuts: bool | Collection[str] = False, n_jobs: int = 1, base: float = 2.0
) -> Tracer:
    """The tracer of a fitted model. rows: those of fitting, also those that were held out to prune by."""
    grown = model.grown if model.grown is not None else model.need_tree("A trace")
    if model.recipe is None:
        raise ModelKindError(f"A trace needs the recipe by which the tree was grown; this {model.name} has none.")
    if model.held_out is not None and rows.n_weighty > max(1, int(grown.count[0])):
        rows = model.held_out.split(rows)[0]
    return Tracer(
        grown,
        rows.dataset,
        rows.target,
        model.recipe,
        weights=rows.weights,
        cost_matrix=model.decision.costs,
        cuts=cuts,
        pruning=model.pruning,
        n_jobs=n_jobs,
        base=base,
    )


class Tracer:
    """A grown tree with its training table, to trace nodes when they are asked for; arguments as in trace_growing."""

    @named_costs
    def __init__(
        self,
        tree: Tree,
        dataset: Dataset,
        target: ClassTarget | ArrayLike,
        recipe: Recipe,
        *,
        weights: ArrayLike | None = None,
        class_multipliers: ArrayLike | None = None,
        cost_matrix: Any = None,
        cuts: bool | Collection[str] = False,
        pruning: Pruned | None = None,
        surrogates: bool = False,
        n_jobs: int = 1,
        base: float = 2.0,
    ) -> None:
        if check_base(base) != 2 and recipe.criterion != "entropy":
            raise ParameterError(
                f"base={base:g} is for the logarithms of entropies, but the tree was grown by {recipe.criterion!r}; "
                "leave it out, or grow with criterion='entropy'."
            )
        costs = {"class_multipliers": class_multipliers, "cost_matrix": cost_matrix}
        self.tree = tree
        self.replay = Replay(tree, dataset, target, recipe, weights=weights, **costs)
        names = set(dataset.schema.names) if cuts is True else set(cuts or ())
        for name in names:
            dataset.schema.position(name)  # refuses names that there are not
        self.context = Context(tree, recipe, frozenset(names), _pruning_of(pruning, tree), surrogates, float(base))
        self._dataset, self._n_jobs = dataset, n_jobs

    @property
    def problem(self) -> Problem:
        """What the tree was grown from."""
        return self.replay.problem

    def node(self, number: int) -> NodeTrace:
        """One node; only the rows on its way are looked at."""
        return self.trace([number]).nodes[0]

    def trace(self, nodes: Iterable[int] | Literal["kept"] | None = None, max_nodes: int | None = None) -> Trace:
        """Some nodes, or all."""
        wanted = self._wanted(nodes, max_nodes)
        found = {visit.node: self._judge(visit) for visit in self.replay.visits(wanted)}
        return replace(self.empty_trace, nodes=tuple(found[node] for node in self.order if node in found))

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The nodes in the order of growing."""
        return growing_order(self.tree, self.context.recipe, self.problem.multipliers)

    @cached_property
    def empty_trace(self) -> Trace:
        """The trace without any node."""
        problem, recipe = self.problem, self.context.recipe
        multiplied = problem.classes is not None and not bool((problem.multipliers == 1).all())
        return Trace(
            algorithm=recipe.name,
            criterion=recipe.criterion,
            selection=recipe.selection,
            missing=recipe.missing,
            cost_exponent=float(recipe.cost_exponent),
            classes=problem.classes,
            multipliers=tuple(problem.multipliers.tolist()) if multiplied else None,
            target=self.tree.schema.target,
            n_rows=problem.n_rows,
            order=self.order,
            nodes=(),
            grown=None if self.context.pruning is None else grown_nodes(self.context.pruning),
            base=self.context.base,
        )

    def _wanted(self, nodes: Iterable[int] | Literal["kept"] | None, max_nodes: int | None) -> list[int]:
        if isinstance(nodes, str):
            if nodes != "kept":
                raise ParameterError(f"nodes is {nodes!r}, but must be numbers of nodes, 'kept', or None for all.")
            chosen = kept_nodes(self.context.pruning, self.tree)
        else:
            chosen = list(range(self.tree.n_nodes)) if nodes is None else [int(node) for node in nodes]
        if max_nodes is None:
            return chosen
        if max_nodes < 1:
            raise ParameterError(f"max_nodes is {max_nodes}, but must be at least 1, or None for all.")
        return sorted(chosen, key=lambda node: (-self.tree.weight[node], node))[:max_nodes]

    def _judge(self, visit: Visit) -> NodeTrace:
        """Decide at a node as growing did, and tell it."""
        if visit.examples is None:
            return empty_node(self.context, visit.node)
        depth = int(self.tree.node_depth[visit.node])
        decision = decide(visit.examples, depth, visit.used, examine_any)
        cut_back = None
        if self.tree.kind[visit.node] == LEAF and decision.split is not None:
            cut_back = self._cut_back(visit.node)
        return node_trace(self.context, visit, decision, cut_back)

    # A node that asked while the tree grew, and is a leaf now

    def _cut_back(self, node: int) -> str:
        """Why a node of an accepted split is a leaf: collapsed after growing, or there were leaves enough."""
        recipe = self.context.recipe
        if recipe.collapse != "no":
            before, place = self._before_collapse
            if before.kind[place[node]] != LEAF:
                return self._collapsed(before, int(place[node]))
        if recipe.max_leaf_nodes is not None:
            return f"other nodes improved more, and the tree may have {recipe.max_leaf_nodes} leaves at most"
        return ""

    @cached_property
    def _before_collapse(self) -> tuple[Tree, Nodes]:
        """The tree before useless splits were collapsed, and the place in it of every node."""
        problem, recipe = self.problem, replace(self.context.recipe, collapse="no")
        kept = Dataset(problem.schema, tuple(self._kept_columns()), problem.n_rows)
        target: Any = problem.target
        if problem.classes is not None:
            target = ClassTarget(np.array(problem.classes, dtype=object), problem.target.astype(np.int32))
        before = grow(
            kept,
            target,
            recipe,
            weights=problem.weights,
            class_multipliers=None if problem.classes is None else problem.multipliers,
            cost_matrix=problem.cost_matrix,
            n_jobs=self._n_jobs,
        )
        place = np.zeros(self.tree.n_nodes, dtype=np.int64)
        for node in range(self.tree.n_nodes):
            size = int(self.tree.n_children[node])
            first, there = int(self.tree.first_child[node]), int(before.first_child[place[node]])
            place[first : first + size] = np.arange(there, there + size)
        return before, place

    def _kept_columns(self) -> Iterable[NDArray[Any]]:
        """The columns of the rows that have weight, encoded as the core takes them."""
        for attribute, column in zip(self.problem.schema, self.replay.numbers, strict=True):
            if attribute.is_numeric:
                yield np.ascontiguousarray(column)
            else:
                yield np.where(np.isnan(column), -1, column).astype(np.int32)

    def _collapsed(self, before: Tree, node: int) -> str:
        """The errors that were compared when a node was collapsed."""
        problem, recipe = self.problem, self.context.recipe
        below = np.arange(before.first_child[node], before.descendants_end[node])
        leaves = below[before.kind[below] == LEAF]
        errors = sum(problem.leaf_errors(before.value[leaf]) for leaf in leaves)
        if recipe.collapse == "bottom_up":
            errors = self._least_errors(before, node)
        own = problem.leaf_errors(before.value[node])
        what = "cost" if problem.cost_matrix is not None else "error" if abs(errors - 1) < 1e-9 else "errors"
        tolerance = f" (and {recipe.collapse_tolerance:g} is allowed for)" if errors < own - 1e-9 else ""
        return (
            f"its {len(leaves)} leaves made {errors:.6g} {what} on the training rows and one leaf makes {own:.6g}"
            f"{tolerance}, so it was collapsed after growing"
        )

    def _least_errors(self, before: Tree, node: int) -> float:
        """The errors of the branches of a node after their own collapsing."""
        problem, recipe = self.problem, self.context.recipe
        numbers = [node, *range(int(before.first_child[node]), int(before.descendants_end[node]))]
        errors = {number: problem.leaf_errors(before.value[number]) for number in numbers}
        for number in reversed(numbers):
            first, size = int(before.first_child[number]), int(before.n_children[number])
            if size:
                below = sum(errors[child] for child in range(first, first + size))
                if number == node:
                    return float(below)
                if below < errors[number] - recipe.collapse_tolerance - 1e-9:
                    errors[number] = below
        return errors[node]


def _pruning_of(pruning: Pruned | None, tree: Tree) -> Pruned | None:
    """The pruning, if it began with this tree."""
    if pruning is None or pruning.before is None or pruning.before.n_nodes != tree.n_nodes:
        return None
    return pruning


def growing_order(tree: Tree, recipe: Recipe, multipliers: NDArray[np.float64]) -> tuple[int, ...]:
    """The nodes as they were grown: depth first, or with ``max_leaf_nodes`` questions by improvement, then the leaves.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> recipe = cart_recipe(max_leaf_nodes=3)
    >>> tree = grow(encode({"x": [1, 2, 3, 4]}), encode_classes(["No", "No", "Yes", "No"]), recipe)
    >>> growing_order(tree, recipe, np.ones(2))
    (0, 2, 1, 3, 4)
    """
    if recipe.max_leaf_nodes is None:
        return tuple(node.id for node in tree.walk())
    scale = tree.weight if tree.is_regression else tree.value @ multipliers
    improvement = tree.gain * scale
    waiting, questions = [(-float(improvement[0]), 0)] if tree.kind[0] != LEAF else [], []
    while waiting:
        _, node = heapq.heappop(waiting)
        questions.append(node)
        first = int(tree.first_child[node])
        for child in range(first, first + int(tree.n_children[node])):
            if tree.kind[child] != LEAF:
                heapq.heappush(waiting, (-float(improvement[child]), child))
    return (*questions, *(int(leaf) for leaf in np.flatnonzero(tree.kind == LEAF)))

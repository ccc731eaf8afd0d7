"""Tracing: the decision of every node of a grown tree, made again from the training rows and held to the tree."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from quercus import _core
from quercus.criteria import OwnCriterion
from quercus.data import ClassTarget, Dataset
from quercus.data.weights import named_costs
from quercus.errors import DataError, ModelKindError, ParameterError, shorten
from quercus.explain.trace.collapsed import Collapsed, why_cut_back
from quercus.explain.trace.context import Context
from quercus.explain.trace.decisions import OTHER_ROWS, ROWS_OF_FITTING, Decisions, TrainingTable
from quercus.explain.trace.grown_nodes import grown_nodes, kept_nodes
from quercus.explain.trace.node import NodeWriter, empty_node
from quercus.explain.trace.trace import NodeTrace, OnDemand, Trace
from quercus.growing.recipe import Recipe
from quercus.measures.counts import check_base
from quercus.tree.layout import LEAF
from quercus.tree.tree import Tree

if TYPE_CHECKING:
    from quercus.data.rows import Rows
    from quercus.fitted.model import Model
    from quercus.pruning.result import Pruned


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
    >>> from quercus.growing.grow import grow
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
    if rows.n_weighty > max(1, int(grown.count[0])):
        rows = _rows_of_growing(model, rows, int(grown.count[0]))
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


def _rows_of_growing(model: Model, rows: Rows, size: int) -> Rows:
    """The rows without those that were held out to prune by. size: how many there must be."""
    if model.held_out is not None:
        growing = model.held_out.split(rows)[0]
        if growing.n_weighty == size:
            return growing
        raise DataError(
            f"{OTHER_ROWS}: without the share that is held out to prune by, {growing.n_weighty} of these "
            f"{rows.n_weighty} rows are left, but the tree was grown from {size}. {ROWS_OF_FITTING}"
        )
    from quercus.pruning import METHODS

    method = None if model.pruning is None else METHODS.get(model.pruning.method)
    if method is not None and method.rows == "validation":
        raise DataError(
            f"The tree was grown from {size} rows and pruned on others ({method.name}), but {rows.n_weighty} "
            "rows were given, and the model does not say which of them were held out. Give the rows that the tree was "
            "grown from, without those that it was pruned on; or fit the model again with a whole number as "
            "random_state and save it with this version, which keeps the draw."
        )
    return rows


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
        if isinstance(recipe.criterion, OwnCriterion):
            raise ModelKindError(
                f"A trace makes every decision again in the core, which cannot call the {recipe.criterion}; grow "
                "with a criterion that has a name to see one."
            )
        if check_base(base) != 2 and recipe.criterion != "entropy":
            raise ParameterError(
                f"base={base:g} is for the logarithms of entropies, but the tree was grown by {recipe.criterion!r}; "
                "leave it out, or grow with criterion='entropy'."
            )
        names = set(dataset.schema.names) if cuts is True else set(cuts or ())
        for name in names:
            dataset.schema.position(name)  # refuses names that there are not
        costs = {"class_multipliers": class_multipliers, "cost_matrix": cost_matrix, "n_jobs": n_jobs}
        self.tree = tree
        self.table = TrainingTable(tree, dataset, target, recipe, weights=weights, **costs)
        self.context = Context(
            tree,
            recipe,
            self.table.n_rows,
            self.table.root_weight,
            self.table.multipliers,
            frozenset(names),
            _pruning_of(pruning, tree),
            surrogates,
            float(base),
        )
        self._costs = None if cost_matrix is None else np.asarray(cost_matrix, dtype=np.float64)

    def node(self, number: int) -> NodeTrace:
        """One node; only the rows on its way are looked at."""
        return next(self.nodes([number]))

    def nodes(self, numbers: Iterable[int]) -> Iterator[NodeTrace]:
        """Some nodes, each after those above it; the rows go down the tree once."""
        chosen = self._checked(numbers)
        decisions = self.table.decisions(chosen, self.context.cuts, self.context.surrogates)
        for entry, node in enumerate(decisions.node):
            if node in chosen:
                yield self._node(decisions, entry)

    def _node(self, decisions: Decisions, entry: int) -> NodeTrace:
        node = decisions.node[entry]
        if not decisions.count[entry]:
            return empty_node(self.context, node)
        cut_back = None
        if self.tree.kind[node] == LEAF and _core.stop_names[decisions.stop[entry]] == "no":
            cut_back = why_cut_back(self.context.recipe, node, lambda: self._collapsed)
        return NodeWriter(self.context, decisions, entry, cut_back).trace()

    def trace(self, nodes: Iterable[int] | Literal["kept"] | None = None, max_nodes: int | None = None) -> Trace:
        """Some nodes, or all; each is looked at when it is asked for."""
        chosen = self._chosen(nodes, max_nodes)
        self.table.check(chosen)
        order = tuple(node for node in self.order if node in chosen)
        traced = OnDemand[NodeTrace](order, lambda numbers: [(node.node, node) for node in self.nodes(numbers)])
        return replace(self.empty_trace, nodes=traced)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The nodes in the order of growing."""
        return growing_order(self.tree, self.context.recipe, self.table.multipliers)

    @cached_property
    def empty_trace(self) -> Trace:
        """The trace without any node."""
        recipe, multipliers = self.context.recipe, self.table.multipliers
        return Trace(
            algorithm=recipe.name,
            criterion=str(recipe.criterion),
            selection=recipe.selection,
            missing=recipe.missing,
            cost_exponent=float(recipe.cost_exponent),
            classes=self.tree.classes,
            multipliers=multipliers if any(factor != 1 for factor in multipliers) else None,
            target=self.tree.schema.target,
            n_rows=self.table.n_rows,
            order=self.order,
            nodes=(),
            grown=None if self.context.pruning is None else grown_nodes(self.context.pruning),
            base=self.context.base,
        )

    def _chosen(self, nodes: Iterable[int] | Literal["kept"] | None, max_nodes: int | None) -> set[int]:
        if isinstance(nodes, str):
            if nodes != "kept":
                raise ParameterError(f"nodes is {nodes!r}, but must be numbers of nodes, 'kept', or None for all.")
            nodes = kept_nodes(self.context.pruning, self.tree)
        chosen = self._checked(range(self.tree.n_nodes) if nodes is None else nodes)
        if max_nodes is None:
            return chosen
        if max_nodes < 1:
            raise ParameterError(f"max_nodes is {max_nodes}, but must be at least 1, or None for all.")
        return set(sorted(chosen, key=lambda node: (-self.tree.weight[node], node))[:max_nodes])

    def _checked(self, numbers: Iterable[int]) -> set[int]:
        """The numbers of nodes, refused if there is no such node."""
        try:
            return {self.tree.node(number).id for number in numbers}
        except TypeError as error:
            raise ParameterError(
                f"nodes is {shorten(numbers)}, but must be numbers of nodes, 'kept', or None for all."
            ) from error

    @cached_property
    def _collapsed(self) -> Collapsed:
        """The tree beside the one before useless splits were collapsed."""
        recipe = self.context.recipe
        before = self.table.grown_by(replace(recipe, collapse="no"))
        return Collapsed(self.tree, before, recipe, self._costs, self.table.case_weight)


def _pruning_of(pruning: Pruned | None, tree: Tree) -> Pruned | None:
    """The pruning, if it began with this tree."""
    if pruning is None or pruning.before is None or pruning.before.n_nodes != tree.n_nodes:
        return None
    return pruning


def growing_order(tree: Tree, recipe: Recipe, multipliers: Sequence[float] = ()) -> tuple[int, ...]:
    """The nodes as they were grown: depth first, or with ``max_leaf_nodes`` questions by improvement, then the leaves.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.grow import grow
    >>> recipe = cart_recipe(max_leaf_nodes=3)
    >>> tree = grow(encode({"x": [1, 2, 3, 4]}), encode_classes(["No", "No", "Yes", "No"]), recipe)
    >>> growing_order(tree, recipe)
    (0, 2, 1, 3, 4)
    """
    if recipe.max_leaf_nodes is None:
        return tuple(node.id for node in tree.walk())
    scale = tree.value @ np.array(multipliers) if multipliers else tree.weight
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

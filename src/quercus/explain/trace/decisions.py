"""Decisions: how the core decided at the nodes of a grown tree, found again from the training rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from quercus import _core
from quercus.arrays import Array, Floats
from quercus.data import ClassTarget, Dataset
from quercus.data.names import counted
from quercus.errors import DataError
from quercus.growing.grow import core_arguments, grow
from quercus.growing.recipe import Recipe
from quercus.predict.arguments import core_arguments as tree_arguments
from quercus.tree.layout import group_entries
from quercus.tree.tree import Tree

_NUMBERS, _DECISION = 1, 2  # how much the core tells of a node
#: How messages about wrong rows begin and end.
OTHER_ROWS = "These are not the rows that the model was fitted to"
ROWS_OF_FITTING = "Give the X, y and sample_weight of fit (to trace_growing also its recipe and the tree as grown)."


class Decisions:
    """The decisions at some nodes, as lists; what they hold is said in core/candidates.h.

    The candidates of the node in entry i are those from ``candidate_start[i]`` up to ``candidate_start[i + 1]``; the
    branches, cuts, groups and surrogates are found in the same way.
    """

    node: list[int]
    count: list[int]
    weight: list[float]
    unit: list[int]
    decided: list[int]
    total: list[float]
    impurity: list[float]
    value: list[list[float]]
    mean_gain: list[float]
    stop: list[int]
    chosen: list[int]
    candidate_start: list[int]
    surrogate_start: list[int]
    attribute: list[int]
    offer: list[int]
    kind: list[int]
    gain: list[float]
    split_information: list[float]
    worth: list[float]
    threshold: list[float]
    forbidden_gain: list[float]
    forbidden_threshold: list[float]
    missing_child: list[int]
    n_branches: list[int]
    n_cuts: list[int]
    n_tried: list[int]
    n_best: list[int]
    unknown: list[float]
    placed: list[float]
    known: list[float]
    known_impurity: list[float]
    branch_start: list[int]
    group_start: list[int]
    group: Array
    cut_start: list[int]
    cut_threshold: list[float]
    cut_gain: list[float]
    branch: list[int]
    branch_count: list[int]
    branch_weight: list[float]
    branch_total: list[float]
    branch_impurity: list[float]
    branch_value: list[list[float]]
    surrogate_kind: list[int]
    surrogate_attribute: list[int]
    surrogate_low_child: list[int]
    surrogate_threshold: list[float]
    surrogate_agreement: list[float]
    surrogate_adjusted: list[float]
    surrogate_group_start: list[int]
    surrogate_group: Array

    def __init__(self, arrays: dict[str, Array]) -> None:
        for name, array in arrays.items():
            setattr(self, name, array if name in ("group", "surrogate_group") else array.tolist())

    def candidates(self, entry: int) -> range:
        """The places of a node's candidates."""
        return range(self.candidate_start[entry], self.candidate_start[entry + 1])

    def entries(self, place: int) -> dict[str, Any]:
        """What a tree's arrays would hold of the question of a candidate, by its place."""
        return {
            "attribute": self.attribute[place],
            "threshold": self.threshold[place],
            "missing_child": self.missing_child[place],
            "n_children": self.n_branches[place],
            **group_entries(self.group[self.group_start[place] : self.group_start[place + 1]]),
        }

    def surrogate_entries(self, place: int) -> dict[str, Any]:
        """What a tree's arrays would hold of a surrogate."""
        return {
            "attribute": self.surrogate_attribute[place],
            "threshold": self.surrogate_threshold[place],
            "missing_child": -1,
            "n_children": 2,
            **group_entries(self.surrogate_group[slice(*self.surrogate_group_start[place : place + 2])]),
        }


class TrainingTable:
    """What a tree was grown from, laid out by the core for as many looks at the tree's nodes as one likes.

    tree: as grown, not pruned. dataset, target, recipe, weights, class_multipliers, cost_matrix: what it was grown
    from. n_jobs: threads. case_weight: what one case weighs; the core's weights are numbers of cases.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> data, target = encode({"x": [1, 2, 3, 4]}), encode_classes(["No", "No", "Yes", "No"])
    >>> table = TrainingTable(grow(data, target, cart_recipe()), data, target, cart_recipe())
    >>> decisions = table.decisions([2])
    >>> decisions.node, decisions.value, decisions.threshold, decisions.gain
    ([0, 2], [[3.0, 1.0], [1.0, 1.0]], [3.5], [0.5])
    """

    def __init__(
        self,
        tree: Tree,
        dataset: Dataset,
        target: ClassTarget | ArrayLike,
        recipe: Recipe,
        *,
        weights: ArrayLike | None = None,
        class_multipliers: ArrayLike | None = None,
        cost_matrix: ArrayLike | None = None,
        n_jobs: int = 1,
    ) -> None:
        self._arrays = tree_arguments(tree, dataset)[0]  # refuses rows that are encoded otherwise
        target = tree.target_kind.aligned(target)
        numbers = target if isinstance(target, ClassTarget) else np.asarray(target, dtype=np.float64)
        costs = _floats(class_multipliers), _floats(cost_matrix)
        self._growing = dataset, numbers, _floats(weights), costs, n_jobs
        arguments, _, self.case_weight = core_arguments(
            *(dataset, numbers, recipe, _floats(weights)),
            class_multipliers=costs[0],
            cost_matrix=costs[1],
            n_jobs=n_jobs,
        )
        self.tree = tree
        self.n_rows = len(arguments.target)
        self.root_weight = self.n_rows if arguments.weights is None else float(arguments.weights.sum())
        self.multipliers: tuple[float, ...] = tuple(arguments.options["class_multipliers"])
        self._core = _core.Retracer(*arguments)

    def decisions(self, nodes: Iterable[int], cuts: Collection[str] = (), surrogates: bool = False) -> Decisions:
        """The decisions of some nodes, each after those above it, whose numbers are included, too.

        cuts: the attributes whose cuts are all included. surrogates: whether they are searched.
        """
        return Decisions(self._walk(nodes, _DECISION, cuts, surrogates))

    def grown_by(self, recipe: Recipe) -> Tree:
        """The tree that grows from the same table by another recipe."""
        dataset, target, weights, (multipliers, costs), n_jobs = self._growing
        return grow(
            *(dataset, target, recipe),
            weights=weights,
            class_multipliers=multipliers,
            cost_matrix=costs,
            n_jobs=n_jobs,
        )

    def check(self, nodes: Iterable[int]) -> None:
        """Refuse rows that do not give the numbers of these nodes, and of those above them."""
        self._walk(nodes, _NUMBERS)

    def _walk(
        self, nodes: Iterable[int], told: int, cuts: Collection[str] = (), surrogates: bool = False
    ) -> dict[str, Array]:
        marked = np.zeros(self.tree.n_nodes, dtype=np.uint8)
        marked[list(nodes)] = told
        names = np.array([name in cuts for name in self.tree.schema.names], dtype=np.uint8)
        arrays = self._core.walk(self._arrays, marked, names, surrogates)
        self._check(arrays)
        return arrays

    def _check(self, arrays: dict[str, Array]) -> None:
        tree, unit, nodes = self.tree, self.case_weight, arrays["node"]
        same = np.isclose(arrays["weight"] * unit, tree.weight[nodes], rtol=1e-6, atol=1e-9 * unit)
        same &= arrays["count"] == tree.count[nodes]
        kept = tree.target_kind.same_values(arrays["value"], tree.value[nodes], unit, self.root_weight)
        same &= kept | (arrays["count"] == 0)
        if same.all():
            return
        entry = int(np.argmin(same))
        node, count, weight = int(nodes[entry]), int(arrays["count"][entry]), float(arrays["weight"][entry]) * unit
        value = tree.target_kind.layout.weighed(arrays["value"][entry], unit)
        raise DataError(f"{OTHER_ROWS}: {self._difference(node, count, weight, value)}. {ROWS_OF_FITTING}")

    def _difference(self, node: int, count: int, weight: float, value: Floats) -> str:
        """What differs at a node, in words. count, weight, value: of the rows given that come there."""
        tree = self.tree
        here, there = "there are", "the tree was grown from"
        if node:
            where = " and ".join(step.text for step in tree.node(node).path())
            here, there = f"to node {node} ({where}) come", "in growing there came"
        if count != tree.count[node]:
            return f"{here} {counted(count, 'row')}, but {there} {int(tree.count[node])}"
        if not np.isclose(weight, tree.weight[node], rtol=1e-6):
            return f"{here} {counted(count, 'row')} of weight {weight:g}, but {there} the weight {tree.weight[node]:g}"
        ours = tree.target_kind.rows_text(value, counted(count, "row"))
        return f"{here} {ours}, but {there} {tree.target_kind.rows_text(tree.value[node], 'rows')}"


def _floats(numbers: Any) -> Floats | None:
    return None if numbers is None else np.asarray(numbers, dtype=np.float64)

"""Curves: accuracy on training, validation and test data against the size of the tree or the number of examples.

While a tree grows, accuracy on its own examples rises and on others falls at last: overfitting. While it is pruned, the
curve is walked back. Each curve is data, a few columns of equal length.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.data.dataset import Dataset, check_dataset
from quercus.data.target import Target, take_target
from quercus.data.weights import named_costs
from quercus.errors import (
    DataError,
    ParameterError,
    checked_choice,
    checked_function,
    checked_random,
    checked_whole,
    choice_message,
)
from quercus.pruning.columns import column_cells
from quercus.pruning.cost_complexity import AlphaPath
from quercus.pruning.nested import NestedTrees, StepLosses, checked_weights
from quercus.pruning.result import Pruned
from quercus.results import Cells, Table, frame_of
from quercus.tree.tree import Tree

Grow = Callable[[Dataset, Target, NDArray[np.float64] | None], Tree]
#: Rows to measure on, by name: (dataset, target) or (dataset, target, weights).
Sets = Mapping[str, tuple[Any, ...]]


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Table):
    """Columns of equal length by name; the first is what the others are drawn against."""

    title: str
    columns: Mapping[str, NDArray[Any]]

    def __len__(self) -> int:
        """The number of points."""
        return len(next(iter(self.columns.values())))

    def __getitem__(self, name: str) -> NDArray[Any]:
        """One column by its name."""
        if name not in self.columns:
            raise ParameterError(choice_message("The column", name, tuple(self.columns)))
        return self.columns[name]

    def to_frame(self) -> Any:
        """The columns as a pandas DataFrame."""
        return frame_of(self.columns)

    def cells(self) -> Cells:
        """The title and one line per point; of a long curve the first and last ten."""
        return column_cells(self.columns, title=self.title)


@named_costs
def growing_curve(
    tree: Tree,
    sets: Sets,
    *,
    by: Literal["size", "depth"] = "size",
    measure: Literal["accuracy", "error"] | None = None,
    cost_matrix: Any = None,
) -> Curve:
    """Accuracy against size while the tree grew, from one leaf to the whole tree.

    tree: a grown tree. sets: the rows to measure on, ``{"training": (dataset, target), "validation": (…)}``; a third
    entry gives weights. by: ``"size"``, the question of greatest weight · gain first among those that can be asked
    next (best first), or ``"depth"``, all questions of a depth at once. measure: ``"accuracy"`` or ``"error"``; for
    numbers the error is the mean squared one, with a cost matrix the mean cost.
    """
    checked_choice("by", by, ("size", "depth"))
    nested = _by_depth(tree) if by == "depth" else cut_in_order(tree, growing_order(tree)[::-1])
    first = {"depth": np.arange(nested.n_steps)[::-1]} if by == "depth" else {}
    return _measured(f"while growing, by {by}", nested, sets, measure, cost_matrix, first, backwards=True)


@named_costs
def pruning_curve(
    pruned: Pruned | AlphaPath,
    sets: Sets,
    *,
    measure: Literal["accuracy", "error"] | None = None,
    cost_matrix: Any = None,
) -> Curve:
    """Accuracy against size while a tree is pruned: after every cut of a sequence, or for every α of a path.

    pruned: what a pruner that cuts one after the other gave (its ``sequence``), or an :class:`AlphaPath`. sets,
    measure, cost_matrix: as in :func:`growing_curve`.
    """
    if isinstance(pruned, AlphaPath):
        alphas: dict[str, NDArray[Any]] = {"alpha": pruned.alphas}
        return _measured("while pruning, cost complexity", pruned.nested, sets, measure, cost_matrix, alphas)
    if pruned.before is None:
        raise ParameterError(
            f"The result of {pruned.method} does not hold the tree before pruning, so it has no curve."
        )
    if not pruned.sequence and pruned.removals:
        raise ParameterError(
            f"{pruned.method} decides all cuts at once and has no sequence of them. Give the result of a pruner that "
            "cuts one after the other (reduced_error with order='best_first', cost_complexity) or an AlphaPath."
        )
    nested = cut_in_order(pruned.before, [cut.node for cut in pruned.sequence])
    first: dict[str, NDArray[Any]] = {"cuts": np.arange(nested.n_steps)}
    return _measured(f"while pruning, {pruned.method}", nested, sets, measure, cost_matrix, first)


@named_costs
def learning_curve(
    grow: Grow,
    dataset: Dataset,
    target: Target,
    test: tuple[Any, ...],
    *,
    sizes: Sequence[int] | None = None,
    repeats: int = 10,
    random_state: int = 0,
    weights: ArrayLike | None = None,
    measure: Literal["accuracy", "error"] | None = None,
    cost_matrix: Any = None,
) -> Curve:
    """Accuracy against the number of training examples, the mean over several draws of them.

    grow: a function of (dataset, target, weights) that gives a tree. test: (dataset, target) or (dataset, target,
    weights). sizes: numbers of examples; by default ten, evenly spread up to all. repeats: draws for each size, without
    replacement; the columns “training” and “test” are means, “test spread” the standard deviation of the draws.
    measure, cost_matrix: as in :func:`growing_curve`.
    """
    check_dataset(dataset)
    checked_function("grow", grow, dataset, target, weights)
    chosen = _sizes(sizes, dataset.n_rows)
    repeats = checked_whole("repeats", repeats, "a whole number from 1 to 1,000,000", 1, 1e6)
    row_weights = None if weights is None else checked_weights(weights, dataset.n_rows)
    numbers = checked_random("random_state", random_state)
    results = np.zeros((len(chosen), repeats, 3))
    for draw in range(repeats):
        order = numbers.permutation(dataset.n_rows)
        for place, size in enumerate(chosen):
            rows = np.sort(order[:size])  # in the table's order, which decides ties
            part = dataset.take(rows), take_target(target, rows), None if row_weights is None else row_weights[rows]
            tree = grow(*part)
            nested = cut_in_order(tree, [])
            name = _measure_name(tree, measure, cost_matrix)
            scores = [_score(_losses(nested, rows_of, cost_matrix), name)[0] for rows_of in (part, test)]
            results[place, draw] = tree.n_leaves, *scores
    mean = results.mean(axis=1)
    columns = {"examples": np.array(chosen), "leaves": mean[:, 0], "training": mean[:, 1], "test": mean[:, 2]}
    columns["test spread"] = results[:, :, 2].std(axis=1)
    return Curve(f"learning curve, {name}", columns)


def growing_order(tree: Tree) -> NDArray[np.int64]:
    """The questions in the order of best-first growth: the greatest weight · gain first, of equal ones the first made.

    Numbers that agree in their first ten digits count as equal, as in growing.
    """
    digits, power = np.frexp(tree.weight * tree.gain)
    worth = np.ldexp(np.round(digits * 2.0**33), power - 33).tolist()
    first, size = tree.first_child.tolist(), tree.n_children.tolist()
    heap, order, made = ([(-worth[0], 0, 0)] if size[0] else []), [], 1
    while heap:
        _, _, node = heapq.heappop(heap)
        order.append(node)
        for child in range(first[node], first[node] + size[node]):
            if size[child]:
                heapq.heappush(heap, (-worth[child], made, child))
            made += 1
    return np.array(order, dtype=np.int64)


def cut_in_order(tree: Tree, nodes: Sequence[int] | NDArray[np.int64]) -> NestedTrees:
    """The trees after each of a series of cuts, the whole tree first."""
    step = np.full(tree.n_nodes, len(nodes) + 1, dtype=np.int64)
    for place, node in reversed(list(enumerate(nodes, start=1))):
        step[node] = place
    return NestedTrees(tree, step, len(nodes) + 1)


def _by_depth(tree: Tree) -> NestedTrees:
    """The tree cut at every depth, the whole tree first."""
    return NestedTrees(tree, tree.depth - tree.node_depth.astype(np.int64), tree.depth + 1)


def _measured(
    title: str,
    nested: NestedTrees,
    sets: Sets,
    measure: str | None,
    cost_matrix: ArrayLike | None,
    first: dict[str, NDArray[Any]],
    backwards: bool = False,
) -> Curve:
    name = _measure_name(nested.tree, measure, cost_matrix)
    columns = {**first, "nodes": nested.n_nodes, "leaves": nested.n_leaves}
    for set_name, rows in sets.items():
        if set_name in columns:
            raise ParameterError(f"A set may not be called {set_name!r}, which is a column already.")
        columns[set_name] = _score(_losses(nested, rows, cost_matrix), name)
    if backwards:
        columns = {key: column[::-1] for key, column in columns.items()}
    return Curve(f"{name} {title}", columns)


def _measure_name(tree: Tree, measure: str | None, cost_matrix: ArrayLike | None) -> str:
    if measure is not None:
        checked_choice("measure", measure, ("accuracy", "error"))
    counts_errors = tree.target_kind.measure_name(cost_matrix) == "accuracy"
    if measure == "accuracy" and not counts_errors:
        raise ParameterError("measure='accuracy' needs classes, and no cost matrix. Use measure='error'.")
    if cost_matrix is not None:
        return "mean cost"
    return measure or ("accuracy" if counts_errors else "error")


def _losses(nested: NestedTrees, rows: tuple[Any, ...], cost_matrix: ArrayLike | None) -> StepLosses:
    if not isinstance(rows, tuple) or len(rows) not in (2, 3):
        raise DataError("Rows to measure on must be a tuple (dataset, target) or (dataset, target, weights).")
    return nested.losses(rows[0], rows[1], rows[2] if len(rows) == 3 else None, cost_matrix)


def _score(losses: StepLosses, name: str) -> NDArray[np.float64]:
    return 1.0 - losses.mean if name == "accuracy" else losses.mean


def _sizes(sizes: Sequence[int] | None, n_rows: int) -> list[int]:
    if sizes is None:
        return sorted({int(size) for size in np.linspace(0, n_rows, 11)[1:] if size >= 1})
    chosen = [int(size) for size in sizes]
    if not chosen or min(chosen) < 1 or max(chosen) > n_rows:
        raise ParameterError(f"sizes must lie between 1 and the {n_rows} examples there are, but are {chosen}.")
    return chosen

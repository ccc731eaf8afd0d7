"""Replaying: the training rows at the nodes of a grown tree, sent down again as growing sent them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from quercus.data import ClassTarget, Dataset
from quercus.errors import DataError, ParameterError
from quercus.growing.recipe import Recipe
from quercus.growing.reference_examples import Examples, placed_values
from quercus.growing.reference_problem import Problem, state_problem
from quercus.growing.reference_purity import Floats, Integers
from quercus.predict.arguments import core_arguments
from quercus.predict.tally import codes_of_tree
from quercus.tree.layout import MULTIWAY, THRESHOLD
from quercus.tree.tree import Tree

MOST_BINS = 254  # as in the core, whose codes are bytes


@dataclass(frozen=True)
class Visit:
    """A node and the instances at it; ``examples`` is None at the leaf of a branch that received none.

    used: the nominal attributes that a question above asks, one branch a value.
    """

    node: int
    examples: Examples | None
    used: frozenset[int]


class Replay:
    """The training table of a grown tree; :meth:`visits` sends its rows to the nodes asked for.

    tree: as grown, not pruned. dataset, target, weights, class_multipliers, cost_matrix: what it was grown from.
    recipe: the choices of growing.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.grow import grow
    >>> data, target = encode({"x": [1, 2, 3, 4]}), encode_classes(["No", "No", "Yes", "No"])
    >>> replay = Replay(grow(data, target, cart_recipe()), data, target, cart_recipe())
    >>> [(visit.node, visit.examples.rows.tolist()) for visit in replay.visits([2, 3])]
    [(2, [2, 3]), (3, [2])]
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
    ) -> None:
        core_arguments(tree, dataset)  # refuses rows that are encoded otherwise
        if isinstance(target, ClassTarget) and tree.classes is not None:
            target = ClassTarget(np.array(tree.classes, dtype=object), codes_of_tree(target, tree.classes))
        exact = replace(recipe, max_bins=None)
        problem = state_problem(dataset, target, exact, weights, class_multipliers, cost_matrix)
        self.tree = tree
        self.recipe = recipe
        self.numbers = problem.columns
        self.problem = problem if recipe.max_bins is None else binned(problem, recipe.max_bins)

    def visits(self, nodes: Iterable[int]) -> Iterator[Visit]:
        """The nodes asked for, each before those below it; no row is sent where nobody asked."""
        wanted, passed = self._passed(nodes)
        rows = np.arange(self.problem.n_rows)
        waiting = [Visit(0, Examples(self.problem, rows, self.problem.weights), frozenset())]
        while waiting:
            visit = waiting.pop()
            self._check(visit)
            if visit.node in wanted:
                yield visit
            first, size = int(self.tree.first_child[visit.node]), int(self.tree.n_children[visit.node])
            below = [child for child in range(first, first + size) if child in passed]
            waiting.extend(reversed(self._children(visit, below)))

    def _passed(self, nodes: Iterable[int]) -> tuple[set[int], set[int]]:
        """The nodes asked for, and those with all nodes above them."""
        wanted = {int(node) for node in nodes}
        for node in wanted:
            self.tree.node(node)  # refuses numbers that there are not
        passed = set(wanted)
        for node in wanted:
            above = int(self.tree.parent[node])
            while above >= 0 and above not in passed:
                passed.add(above)
                above = int(self.tree.parent[above])
        return wanted, passed | {0}

    def _children(self, visit: Visit, children: list[int]) -> list[Visit]:
        """The visits of some children of a node."""
        tree, examples = self.tree, visit.examples
        if not children or examples is None:
            return [Visit(child, None, visit.used) for child in children]
        node = visit.node
        branch = self.branches_at(examples, node)
        used = visit.used | {int(tree.attribute[node])} if tree.kind[node] == MULTIWAY else visit.used
        parts = divided(examples, branch, int(tree.n_children[node]))
        first = int(tree.first_child[node])
        return [Visit(child, parts(child - first), used) for child in children]

    def branches_at(self, examples: Examples, node: int) -> Integers:
        """The branch that each instance takes at a node; −1: every branch, by the branches' weights."""
        tree = self.tree
        attribute = int(tree.attribute[node])
        values, _ = placed_values(examples, attribute)
        unknown = np.isnan(values)
        if tree.kind[node] == THRESHOLD:
            branch = np.where(values <= self._bound(node, attribute), 0, 1)
        else:
            codes = np.where(unknown, -1, values).astype(np.int64)
            branch = codes
            if tree.kind[node] != MULTIWAY:
                groups = tree.group_child[tree.group_start[node] : tree.group_start[node + 1]]
                branch = np.append(groups, [tree.missing_child[node], -1])[codes].astype(np.int64)
        branch[unknown] = -1
        if examples.problem.recipe.missing == "fractional" or not unknown.any():
            return branch
        if examples.problem.recipe.missing == "surrogate":
            branch = self._by_surrogates(examples, node, branch)
        return np.where(branch < 0, tree.missing_child[node], branch)

    def _bound(self, node: int, attribute: int) -> float:
        """The threshold of a node, in bins if there are any."""
        threshold = float(self.tree.threshold[node])
        bins = None if self.problem.bins is None else self.problem.bins[attribute]
        return threshold if bins is None else float(np.searchsorted(bins[1], threshold, side="right") - 1)

    def _by_surrogates(self, examples: Examples, node: int, branch: Integers) -> Integers:
        """Unknown instances by the first surrogate of the tree that knows."""
        tree = self.tree
        for number in range(int(tree.surrogate_start[node]), int(tree.surrogate_start[node + 1])):
            values = self.numbers[int(tree.surrogate_attribute[number])][examples.rows]
            unknown = np.isnan(values)
            if tree.surrogate_kind[number] == THRESHOLD:
                low = int(tree.surrogate_low_child[number])
                told = np.where(values <= tree.surrogate_threshold[number], low, 1 - low)
            else:
                start = tree.surrogate_group_start
                groups = tree.surrogate_group_child[start[number] : start[number + 1]]
                told = groups[np.where(unknown, 0, values).astype(np.int64)].astype(np.int64)
            branch = np.where((branch < 0) & ~unknown, told, branch)
        return branch

    def _check(self, visit: Visit) -> None:
        """Refuse rows that do not give the numbers of the tree."""
        tree, node, examples = self.tree, visit.node, visit.examples
        unit = self.problem.case_weight
        count, weight = (0, 0.0) if examples is None else (len(examples.rows), examples.weight * unit)
        same = count == tree.count[node] and bool(np.isclose(weight, tree.weight[node], rtol=1e-6, atol=1e-9 * unit))
        if same and examples is not None:
            same = self._same_value(examples.value, tree.value[node] / self.problem.value_scale)
        if not same:
            raise DataError(
                f"These are not the rows that the tree was grown from: node {node} was made of {int(tree.count[node])} "
                f"rows of weight {float(tree.weight[node]):g}, but {count} of weight {weight:g} come there"
                f"{' with other values of the target' if count == tree.count[node] else ''}. Give the table, target, "
                "weights and recipe of growing, and the tree as grown, not a pruned one."
            )

    def _same_value(self, ours: Floats, theirs: Floats) -> bool:
        if not self.tree.is_regression:
            total = float(self.tree.weight[0]) / self.problem.case_weight
            return bool(np.allclose(ours, theirs, rtol=1e-6, atol=1e-9 * max(1.0, total)))
        spread = np.sqrt(abs(float(theirs[2])))
        return bool(np.allclose(ours[:2], theirs[:2], rtol=1e-6, atol=1e-6 * spread))


def divided(examples: Examples, branch: Integers, size: int) -> Any:
    """A function from the number of a branch to its instances, with its share of those that go everywhere."""
    everywhere = branch < 0
    known = np.bincount(branch[~everywhere], weights=examples.weights[~everywhere], minlength=size)
    if everywhere.any():
        shares = known / known.sum()

        def part(number: int) -> Examples | None:
            factors = np.where(everywhere, shares[number], 1.0)
            inside = ((branch == number) | everywhere) & (examples.weights * factors > 0)
            return examples.part(inside, factors[inside]) if inside.any() else None

        return part
    order = np.argsort(branch, kind="stable")
    bounds = np.searchsorted(branch[order], np.arange(size + 1))

    def whole(number: int) -> Examples | None:
        inside = order[bounds[number] : bounds[number + 1]]
        return examples.part(inside) if len(inside) else None

    return whole


def binned(problem: Problem, max_bins: int) -> Problem:
    """The problem with the numbers of bins in the place of numeric values, as ``max_bins`` asks for."""
    columns, bins = [], []
    for attribute, column in zip(problem.schema, problem.columns, strict=True):
        edges = bin_edges(column, min(int(max_bins), MOST_BINS)) if attribute.is_numeric else None
        bins.append(edges)
        if edges is None:
            columns.append(column)
        else:
            codes = np.searchsorted(edges[1], column).astype(np.float64)
            columns.append(np.where(np.isnan(column), np.nan, codes))
    # the training column's own values, for thresholds that must be one of them
    result = replace(problem, columns=tuple(columns), bins=tuple(bins))
    result.__dict__["known_values"] = problem.known_values
    return result


def bin_edges(column: Floats, bins: int) -> tuple[Floats, Floats] | None:
    """The least and the greatest value of each bin of about equal numbers of rows; None if every value has its own.

    >>> bin_edges(np.array([1.0, 1.0, 2.0, 3.0, 4.0, np.nan]), 2)
    (array([1., 3.]), array([2., 4.]))
    """
    if bins < 1:
        raise ParameterError(f"max_bins is {bins}, but must be at least 2.")
    distinct, starts = np.unique(np.sort(column[~np.isnan(column)]), return_index=True)
    if len(distinct) <= bins:
        return None
    share = float(np.count_nonzero(~np.isnan(column))) / bins
    first = [0]
    while len(first) < bins:
        following = max(int(np.searchsorted(starts, len(first) * share)), first[-1] + 1)
        if following >= len(distinct):
            break
        first.append(following)
    return distinct[first], np.append(distinct[np.array(first[1:]) - 1], distinct[-1])

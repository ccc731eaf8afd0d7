"""Shapley values by definition: the answer of every coalition in plain Python, and the sum over all of them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import factorial

import numpy as np
from oracle.routing import cell, known_child, surrogate_child

from quercus.data import Dataset
from quercus.predict.predict import predict_distribution
from quercus.tree.tree import Tree

Coalition = frozenset[int]
Game = Callable[[Coalition], np.ndarray]


def by_shares(tree: Tree, values: np.ndarray, dataset: Dataset, row: int) -> Game:
    """The game with training shares: what a row is answered if only the values of a coalition count.

    At a question the attribute whose value decides is the one asked, or the surrogate's that stands in for it. If it
    counts, the row goes as in prediction. If not, it goes down all branches by their training shares; a question
    whose branches have no weight answers itself.
    """

    def value(node: int, coalition: Coalition) -> np.ndarray:
        if tree.kind[node] == 0:
            return values[node]
        parts = own_parts(tree, dataset, row, node) if player(tree, dataset, row, node) in coalition else None
        return sum_of(node, training_shares(tree, node) if parts is None else parts, coalition)

    def sum_of(node: int, parts: dict[int, float], coalition: Coalition) -> np.ndarray:
        if not parts:
            return values[node]
        return np.sum([part * value(child, coalition) for child, part in parts.items()], axis=0)

    return lambda coalition: value(0, coalition)


def player(tree: Tree, dataset: Dataset, row: int, node: int) -> int:
    """The attribute whose value decides at a question."""
    asked = int(tree.attribute[node])
    number = cell(dataset, asked, row)
    if number is not None and known_child(tree, node, number) is not None:
        return asked
    for s in range(int(tree.surrogate_start[node]), int(tree.surrogate_start[node + 1])):
        other = int(tree.surrogate_attribute[s])
        number = cell(dataset, other, row)
        if number is None:
            continue
        if tree.surrogate_kind[s] == 1:
            return other
        here = slice(tree.surrogate_group_start[s], tree.surrogate_group_start[s + 1])
        if number in tree.surrogate_group_value[here].tolist():
            return other
    return asked


def own_parts(tree: Tree, dataset: Dataset, row: int, node: int) -> dict[int, float]:
    """The children that a row goes to, with its parts."""
    first = int(tree.first_child[node])
    number = cell(dataset, int(tree.attribute[node]), row)
    child = None if number is None else known_child(tree, node, number)
    child = surrogate_child(tree, node, dataset, row) if child is None else child
    if child is None and tree.missing_child[node] >= 0:
        child = int(tree.missing_child[node])
    return training_shares(tree, node) if child is None else {first + child: 1.0}


def training_shares(tree: Tree, node: int) -> dict[int, float]:
    """The children that have weight, with their shares."""
    first, count = int(tree.first_child[node]), int(tree.n_children[node])
    weights = tree.weight[first : first + count]
    return {first + i: float(weight / weights.sum()) for i, weight in enumerate(weights) if weight > 0}


def against(tree: Tree, values: np.ndarray, dataset: Dataset, row: int, background: Dataset) -> Game:
    """The game against background rows: the mean answer of rows mixed from the row and each of the background."""

    def value(coalition: Coalition) -> np.ndarray:
        columns = [
            np.repeat(dataset.columns[a][[row]], background.n_rows) if a in coalition else background.columns[a]
            for a in range(len(dataset.schema))
        ]
        mixed = Dataset(dataset.schema, tuple(np.ascontiguousarray(c) for c in columns), background.n_rows)
        return predict_distribution(tree, mixed, values).mean(axis=0)

    return value


def coalitions(players: int) -> list[Coalition]:
    """All of them."""
    return [frozenset(chosen) for size in range(players + 1) for chosen in combinations(range(players), size)]


def shapley_values(game: Game, players: int) -> np.ndarray:
    """[players, outputs]: the mean worth of each player over all orders."""
    worth = {coalition: game(coalition) for coalition in coalitions(players)}
    result = np.zeros((players, len(worth[frozenset()])))
    for coalition, value in worth.items():
        size = len(coalition)
        for i in coalition:
            orders = factorial(size - 1) * factorial(players - size) / factorial(players)
            result[i] += orders * (value - worth[coalition - {i}])
    return result


def shapley_interactions(game: Game, players: int) -> np.ndarray:
    """[players, players, outputs]: half the interaction index of each pair; on the diagonal what remains."""
    worth = {coalition: game(coalition) for coalition in coalitions(players)}
    result = np.zeros((players, players, len(worth[frozenset()])))
    for coalition, value in worth.items():
        for i, j in combinations(sorted(coalition), 2):
            rest = len(coalition) - 2
            orders = factorial(rest) * factorial(players - rest - 2) / factorial(players - 1) / 2
            both = value - worth[coalition - {i}] - worth[coalition - {j}] + worth[coalition - {i, j}]
            result[i, j] += orders * both
            result[j, i] = result[i, j]
    for i, alone in enumerate(shapley_values(game, players)):
        result[i, i] = alone - result[i].sum(axis=0)
    return result

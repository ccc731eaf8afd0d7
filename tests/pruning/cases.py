"""Random trees with rows for them, every pruning of a small tree, and plain counts by prediction alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from predict.random_trees import random_rows, random_schema, random_tree

from quercus.data import ClassTarget, Dataset
from quercus.growing.c45 import c45_recipe
from quercus.growing.cart import cart_recipe
from quercus.growing.grow import grow
from quercus.growing.id3 import id3_recipe
from quercus.predict import label_codes, predict_distribution
from quercus.tree import Tree

RECIPES = (id3_recipe(), id3_recipe("threshold"), c45_recipe(), cart_recipe())


def random_case(
    seed: int, most_nodes: int = 60, unknown: float = 0.0, policy: str = "child"
) -> tuple[Tree, Dataset, ClassTarget]:
    """A tree of any questions (its counts are random too) with classes a, b, c, and rows to prune it by.

    policy: "child": a row takes one branch always; "any": some take several, or stay at a question.
    """
    random = np.random.default_rng(seed)
    schema = random_schema(random, ("numbers", "codes", "mixed")[seed % 3])
    tree = random_tree(random, schema, policy, n_classes=2 + seed % 2, most_nodes=most_nodes)
    rows = random_rows(random, schema, int(random.integers(1, 60)), unknown)
    codes = random.integers(0, 2 + seed % 2, rows.n_rows).astype(np.int32)
    return tree, rows, ClassTarget(np.array(tree.classes), codes)


def grown_case(
    seed: int, n_rows: int = 120, unknown: float = 0.0
) -> tuple[Tree, Dataset, ClassTarget, Dataset, ClassTarget]:
    """A tree grown from random rows of three classes by one of the recipes, its rows, and as many others."""
    random = np.random.default_rng(seed)
    schema = random_schema(random, "mixed")
    rows = random_rows(random, schema, 2 * n_rows, unknown, narrow=0.0)
    hint = np.nan_to_num(np.asarray(rows.columns[0], dtype=np.float64)) > 0.3
    noise = random.random(2 * n_rows) < 0.25
    codes = np.where(noise, random.integers(0, 3, 2 * n_rows), hint.astype(int) * 2).astype(np.int32)
    names = np.array(["a", "b", "c"])
    first, second = np.arange(n_rows), np.arange(n_rows, 2 * n_rows)
    recipe = RECIPES[seed % len(RECIPES)]
    training = rows.take(first), ClassTarget(names, codes[first])
    return grow(*training, recipe), *training, rows.take(second), ClassTarget(names, codes[second])


def errors_by_predicting(tree: Tree, rows: Dataset, target: ClassTarget) -> int:
    """How many rows the tree answers wrong."""
    return int((label_codes(predict_distribution(tree, rows)) != target.codes).sum())


def prunings(tree: Tree, node: int = 0) -> Iterator[list[int]]:
    """Every way to cut the subtree of a node, as lists of nodes that become leaves."""
    if tree.kind[node] == 0:
        yield []
        return
    yield [node]
    first = int(tree.first_child[node])
    ways: list[list[int]] = [[]]
    for child in range(first, first + int(tree.n_children[node])):
        ways = [one + other for one in ways for other in prunings(tree, child)]
    yield from ways


def count_prunings(tree: Tree) -> int:
    """How many there are."""
    ways = [1] * tree.n_nodes
    for node in range(tree.n_nodes - 1, -1, -1):
        if tree.kind[node]:
            first = int(tree.first_child[node])
            ways[node] = 1 + int(
                np.prod([ways[c] for c in range(first, first + int(tree.n_children[node]))], dtype=object)
            )
    return ways[0]


def cut(tree: Tree, nodes: Any) -> Tree:
    """The tree with these nodes as leaves."""
    mask = np.zeros(tree.n_nodes, dtype=bool)
    mask[list(nodes)] = True
    return tree.collapse(mask)


def inner_nodes(tree: Tree) -> list[int]:
    """The questions."""
    return np.flatnonzero(tree.kind).tolist()


def paths(tree: Tree) -> set[tuple[str, ...]]:
    """Every node as the texts on its way: what can be compared between a tree and its pruning."""
    return {tuple(step.text for step in node.path()) for node in tree.walk()}

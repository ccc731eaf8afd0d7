"""Large trees: passes over whole arrays, no loop over nodes, no recursion; with generous limits for slow machines."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from quercus.tree import Tree, renumbered
from tree.build import large_arrays


def seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


@pytest.mark.parametrize("chain", [False, True])
def test_a_hundred_thousand_nodes(chain: bool) -> None:
    arrays, schema = large_arrays(50_000, chain=chain)
    arrays = renumbered(arrays)
    tree = Tree.from_arrays(arrays, schema, ["No", "Yes"], criterion="entropy")
    assert tree.n_nodes == 100_001 and (tree.depth == 50_000) == chain
    mask = np.random.default_rng(1).random(tree.n_nodes) < 0.001
    assert seconds(lambda: Tree.from_arrays(arrays, schema, ["No", "Yes"], criterion="entropy").node_depth) < 1
    assert seconds(lambda: tree.collapse(mask)) < 1
    assert seconds(lambda: str(tree)) < 1
    assert tree.collapse(np.zeros(tree.n_nodes, dtype=bool)) == tree


def test_parents_and_depths_agree_with_a_plain_loop() -> None:
    arrays, schema = large_arrays(3000, seed=3)
    tree = Tree.from_arrays(renumbered(arrays), schema, ["No", "Yes"], criterion="entropy")
    parent, depth, end = [-1] * tree.n_nodes, [0] * tree.n_nodes, [0] * tree.n_nodes
    for node in range(tree.n_nodes):
        for child in range(tree.first_child[node], tree.first_child[node] + tree.n_children[node]):
            parent[child], depth[child] = node, depth[node] + 1
    for node in range(tree.n_nodes - 1, 0, -1):
        end[parent[node]] = max(end[parent[node]], node + 1, end[node])
    assert tree.parent.tolist() == parent and tree.node_depth.tolist() == depth
    assert tree.descendants_end.tolist() == end

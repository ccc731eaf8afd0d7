"""Large trees: passes over whole arrays, no call for each node, no recursion."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from quercus.tree import Tree, renumbered
from tree.build import large_arrays


def calls(work: Callable[[], Any]) -> int:
    """How many functions of Python the work calls."""
    events: list[str] = []
    sys.setprofile(lambda frame, event, argument: events.append(event))
    try:
        work()
    finally:
        sys.setprofile(None)
    return events.count("call")


@pytest.mark.parametrize("chain", [False, True])
def test_a_hundred_thousand_nodes(chain: bool) -> None:
    arrays, schema = large_arrays(50_000, chain=chain)
    arrays = renumbered(arrays)
    tree = Tree.from_arrays(arrays, schema, ["No", "Yes"], criterion="entropy")
    assert tree.n_nodes == 100_001 and (tree.depth == 50_000) == chain
    mask = np.random.default_rng(1).random(tree.n_nodes) < 0.001
    most = tree.n_nodes // 4
    assert calls(lambda: Tree.from_arrays(arrays, schema, ["No", "Yes"], criterion="entropy").node_depth) < most
    assert calls(lambda: tree.collapse(mask)) < most
    assert calls(lambda: str(tree)) < most
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

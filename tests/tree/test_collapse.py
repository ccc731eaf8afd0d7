"""Collapsing and comparing trees."""

from __future__ import annotations

import numpy as np
import pytest

from quercus.errors import ParameterError
from quercus.tree import Tree
from tree.build import build, cut, leaf, schema_of
from tree.examples import every_kind, play_tennis


def mask(tree: Tree, *nodes: int) -> np.ndarray:
    result = np.zeros(tree.n_nodes, dtype=bool)
    result[list(nodes)] = True
    return result


def test_a_collapsed_node_is_a_leaf_and_the_rest_moves_up() -> None:
    tree = play_tennis()
    smaller = tree.collapse(mask(tree, 1))
    assert str(smaller).split("\n") == [
        "Outlook = Sunny: No (5: 3 No, 2 Yes)",
        "Outlook = Overcast: Yes (4)",
        "Outlook = Rain",
        "|   Wind = Weak: Yes (3)",
        "|   Wind = Strong: No (2)",
    ]
    assert smaller.first_child.tolist() == [1, 0, 0, 4, 0, 0]
    assert tree.n_nodes == 8  # the tree itself is unchanged


def test_nothing_the_root_and_leaves() -> None:
    tree = every_kind()
    assert tree.collapse(mask(tree)) == tree
    assert tree.collapse(mask(tree, *np.flatnonzero(tree.kind == 0))) == tree
    root = tree.collapse(mask(tree, 0))
    assert (root.n_nodes, root.weight[0], root.value[0].tolist()) == (1, tree.weight[0], tree.value[0].tolist())
    assert len(root.group_child) == len(root.surrogate_kind) == len(root.surrogate_group_child) == 0
    assert tree.collapse(mask(tree, 1, 3, 7)) == tree.collapse(mask(tree, 1))


def test_groups_and_surrogates_stay_with_their_nodes() -> None:
    tree = every_kind()
    smaller = tree.collapse(mask(tree, 1))
    assert [str(node.test) for node in smaller.walk() if node.test] == [
        "Day <= 2024-05-01",
        "Soil = clay",
        "Height known",
    ]
    assert [str(s) for s in smaller.root.surrogates] == [str(s) for s in tree.root.surrogates]
    assert [str(s) for s in smaller.node(2).surrogates] == [str(s) for s in tree.node(2).surrogates]
    other = tree.collapse(mask(tree, 2))
    assert [str(node.test) for node in other.walk() if node.test][1] == str(tree.node(1).test)
    assert [len(node.surrogates) for node in other.walk()][:2] == [2, 0] and len(other.surrogate_kind) == 2


def test_a_mask_needs_one_boolean_a_node() -> None:
    for wrong in ([True], np.zeros(8), np.zeros((8, 1), dtype=bool)):
        with pytest.raises(ParameterError, match="one boolean for each of the 8 nodes"):
            play_tennis().collapse(wrong)


def test_equality_is_exact() -> None:
    tree = play_tennis()
    assert tree == play_tennis() and tree == tree and tree != "tree"
    with pytest.raises(TypeError, match="unhashable"):
        hash(tree)

    def stump(threshold: float, weight: float = 2.0, **more: str) -> Tree:
        return build(cut("x", threshold, leaf([weight, 0]), leaf([0, 1])), schema_of(x="numeric"), ["a", "b"], **more)

    assert stump(0.3) != stump(0.1 + 0.2) and stump(0.3).same_structure(stump(0.1 + 0.2))
    assert stump(0.3, 2.0) != stump(0.3, 2.0 + 1e-15)
    assert stump(0.3) != stump(0.3, criterion="gini") and stump(0.3).same_structure(stump(0.3, criterion="gini"))
    assert stump(0.3) != stump(0.3, empty_leaf="parent_distribution")
    assert not stump(0.3).same_structure(stump(0.31)) and stump(0.3).same_structure(stump(0.31), tolerance=0.1)


def test_the_first_difference_is_told_in_words() -> None:
    tree = play_tennis()
    assert tree.first_difference(play_tennis()) is None
    assert tree.first_difference(tree.collapse(mask(tree, 3))) == "8 nodes against 6; node 3: kind 2 against 0"

    def stump(threshold: float) -> Tree:
        return build(cut("x", threshold, leaf([2, 0]), leaf([0, 1])), schema_of(x="numeric"), ["a", "b"])

    assert stump(1).first_difference(stump(2)) == "node 0: threshold 1.0 against 2.0"
    assert stump(1).first_difference(tree) == "the attributes of the schema differ"

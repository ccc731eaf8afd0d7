"""What holds of every tree."""

from __future__ import annotations

import json
import pickle

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from quercus.tree import Tree, renumbered
from quercus.tree.layout import taken
from quercus.tree.numbering import depth_first_order
from tree.strategies import trees

many = settings(max_examples=40, deadline=None)


@many
@given(trees())
def test_dictionary_and_pickle_give_the_same_tree(tree: Tree) -> None:
    assert Tree.from_dict(json.loads(json.dumps(tree.to_dict(), allow_nan=False))) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert (
        tree.same_structure(tree) and tree.first_difference(tree.collapse(np.zeros(tree.n_nodes, dtype=bool))) is None
    )


@many
@given(trees())
def test_places_agree_with_each_other(tree: Tree) -> None:
    nodes = list(tree.walk())
    assert sorted(node.id for node in nodes) == list(range(tree.n_nodes))
    assert sum(node.is_leaf for node in nodes) == tree.n_leaves == len(list(tree.leaves()))
    assert max(node.depth for node in nodes) == tree.depth
    for node in nodes:
        assert all(
            child.parent == node and child.id > node.id and child.depth == node.depth + 1 for child in node.children
        )
        assert len(list(node.walk())) == node.n_descendants + 1
        assert len(node.path()) == node.depth
        assert node.test is None or node.test.n_branches == len(node.children)
    assert depth_first_order(tree.first_child, tree.n_children).tolist() == list(range(tree.n_nodes))


@many
@given(trees())
def test_leaves_hold_what_the_root_holds(tree: Tree) -> None:
    leaves = [node.id for node in tree.leaves()]
    np.testing.assert_allclose(tree.weight[leaves].sum(), tree.weight[0])
    if not tree.is_regression:
        np.testing.assert_allclose(tree.value[leaves].sum(axis=0), tree.value[0])
        for shares in (tree.distributions(), tree.distributions(laplace=True), tree.distributions(m_estimate=3.0)):
            np.testing.assert_allclose(shares.sum(axis=1), 1)
            assert (shares >= 0).all()


@many
@given(trees(), st.data())
def test_collapsing_keeps_what_is_above(tree: Tree, data: st.DataObject) -> None:
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=tree.n_nodes, max_size=tree.n_nodes)))
    smaller = tree.collapse(mask)
    expected = []
    stack = [tree.root]
    while stack:
        node = stack.pop()
        open_ = not node.is_leaf and not mask[node.id]
        expected.append(
            (str(node.test) if open_ else None, node.weight, [str(s) for s in node.surrogates] if open_ else [])
        )
        stack.extend(reversed(node.children) if open_ else ())
    found = [(str(n.test) if n.test else None, n.weight, [str(s) for s in n.surrogates]) for n in smaller.walk()]
    assert found == expected
    root = tree.collapse(np.arange(tree.n_nodes) == 0)
    assert root.n_nodes == 1 and root.root.weight == tree.root.weight


@many
@given(trees(), st.integers(1, 12), st.integers(0, 4))
def test_text_has_a_line_a_node_and_obeys_its_limits(tree: Tree, max_nodes: int, max_depth: int) -> None:
    whole = tree.to_text()
    n_lines = len(whole.split("\n"))
    if "values never seen" in whole:
        assert n_lines < tree.n_nodes - 1
    else:
        assert n_lines == max(tree.n_nodes - 1, 1)
    assert len(whole.splitlines()) == n_lines and all(line.isprintable() for line in whole.split("\n"))
    assert len(tree.to_text(max_nodes=max_nodes).split("\n")) <= max_nodes
    if "more node" not in whole:  # which a name may say
        assert ("more node" in tree.to_text(max_depth=max_depth)) == (tree.depth > max_depth)
    assert len(str(tree).split("\n")) <= 200
    assert all(node.describe().isprintable() for node in tree.walk())


@many
@given(trees(), st.randoms(use_true_random=False))
def test_any_order_of_families_is_renumbered_to_the_same_tree(tree: Tree, random: object) -> None:
    families = [[0], *([child.id for child in node.children] for node in tree.walk() if not node.is_leaf)]
    rest = families[1:]
    random.shuffle(rest)  # type: ignore[attr-defined]
    order = np.array([number for family in [families[0], *rest] for number in family])
    new_number = np.empty(tree.n_nodes, dtype=np.int32)
    new_number[order] = np.arange(tree.n_nodes)
    arrays = taken(tree.arrays, order)
    arrays["first_child"] = np.where(arrays["n_children"] > 0, new_number[arrays["first_child"]], 0).astype(np.int32)
    again = Tree.from_arrays(
        renumbered(arrays), tree.schema, tree.classes, criterion=tree.criterion, empty_leaf=tree.empty_leaf
    )
    assert again == tree

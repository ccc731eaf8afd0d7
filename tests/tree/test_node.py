"""Node views: walking, paths, what a node holds and how it describes itself."""

from __future__ import annotations

import numpy as np
import pytest

from quercus.errors import ParameterError
from quercus.tree import Multiway, Subset, Threshold
from tree.build import build, leaf, multiway, schema_of
from tree.examples import every_kind, play_tennis, prices


def test_walk_is_pre_order_and_leaves_go_from_the_first_branch_to_the_last() -> None:
    tree = play_tennis()
    assert [node.id for node in tree.walk()] == [0, 1, 4, 5, 2, 3, 6, 7]
    assert [node.id for node in tree.leaves()] == [4, 5, 2, 6, 7]
    assert [node.id for node in tree.node(3).walk()] == [3, 6, 7]
    assert [node.id for node in tree.node(2).leaves()] == [2]


def test_size_of_the_tree() -> None:
    tree = play_tennis()
    assert (tree.n_nodes, tree.n_leaves, tree.depth) == (8, 5, 2)
    assert tree.parent.tolist() == [-1, 0, 0, 0, 1, 1, 3, 3]
    assert tree.node_depth.tolist() == [0, 1, 1, 1, 2, 2, 2, 2]
    assert tree.descendants_end.tolist() == [8, 6, 0, 8, 0, 0, 0, 0]
    assert tree.nbytes == sum(array.nbytes for array in tree.arrays.values())
    assert tree.bytes_per_node == tree.nbytes / 8
    assert repr(tree) == "<Tree: 8 nodes, 5 leaves, depth 2, 2 classes>"


def test_a_node_knows_its_place() -> None:
    tree = play_tennis()
    root, humidity = tree.root, tree.node(1)
    assert root.parent is None and humidity.parent == root
    assert [child.id for child in root.children] == [1, 2, 3]
    assert tree.node(2).children == () and tree.node(2).is_leaf and tree.node(2).attribute is None
    assert root.n_descendants == 7 and humidity.n_descendants == 2 and tree.node(2).n_descendants == 0
    assert len({root, tree.node(0), humidity}) == 2
    assert root != play_tennis().root
    with pytest.raises(ParameterError, match="There is no node 8; the tree's nodes are 0 … 7"):
        tree.node(8)
    with pytest.raises(ParameterError, match="There is no node -1"):
        tree.node(-1)


def test_a_path_names_the_branches_taken() -> None:
    steps = play_tennis().node(7).path()
    assert [str(step) for step in steps] == ["Outlook = Rain", "Wind = Strong"]
    assert [(step.node.id, step.branch, str(step.test)) for step in steps] == [(0, 2, "Outlook"), (3, 1, "Wind")]
    assert play_tennis().root.path() == ()


def test_what_a_node_holds() -> None:
    node = play_tennis().node(1)
    assert (node.weight, node.count, node.gain, node.label, node.spread) == (5.0, 5, 0.971, "No", None)
    assert node.class_weights is not None and node.class_weights.tolist() == [3.0, 2.0]
    np.testing.assert_allclose(node.distribution, [0.6, 0.4])
    regression = prices().node(3)
    assert (regression.label, regression.spread, regression.class_weights) == (2.0, 0.5, None)


def test_tests_of_every_kind() -> None:
    tree = every_kind()
    assert [str(tree.node(number).test) for number in (0, 1, 2, 3, 7, 10)] == [
        "Day <= 2024-05-01",
        "Soil in {clay, peat} | {loam} | {sand}",
        "Soil = clay",
        "Size <= S",
        "Wet",
        "Height known",
    ]
    assert isinstance(tree.root.test, Threshold)
    assert isinstance(tree.node(2).test, Subset)
    assert isinstance(tree.node(7).test, Multiway)
    assert repr(tree.root.test) == "Threshold(Day <= 2024-05-01)"
    assert tree.root.test.missing_child == 0 and tree.node(1).test.missing_child is None  # type: ignore[union-attr]
    assert tree.root.attribute is tree.schema["Day"]


def test_surrogates_have_words() -> None:
    first, second = every_kind().root.surrogates
    assert str(first) == "Height <= 1.25 stands for Day > 2024-05-01 (agreement 0.9, adjusted 0.75)"
    assert str(second) == "Soil = clay stands for Day <= 2024-05-01 (agreement 0.8, adjusted 0.5)"
    assert [first.branch_of(value) for value in (1.0, 2.0, None)] == [1, 0, None]
    assert [second.branch_of(value) for value in ("clay", "sand", "peat", "snow")] == [0, 1, None, None]
    assert [first.branch_of_code(1.25), second.branch_of_code(-1)] == [1, None]
    assert every_kind().node(1).surrogates == ()


def test_a_node_describes_itself() -> None:
    tree = play_tennis()
    assert tree.root.describe() == (
        "Node 0, the root. Holds 14 examples: 9 Yes, 5 No. Asks Outlook (gain 0.2467). Outlook = Sunny → node 1, "
        "Outlook = Overcast → node 2, Outlook = Rain → node 3. "
        "An unknown Outlook goes to all 3 branches by their weights."
    )
    assert tree.node(7).describe() == (
        "Node 7, depth 2. Reached when Outlook = Rain and Wind = Strong. Holds 2 examples: 2 No. Predicts No."
    )
    assert repr(tree.root) == "<Node 0: asks Outlook, weight 14>"
    assert repr(tree.node(7)) == "<Node 7: predicts No, weight 2>"


def test_descriptions_say_where_unknown_values_go() -> None:
    tree = every_kind()
    assert "An unknown Day goes where Day <= 2024-05-01." in tree.root.describe()
    assert "If unknown: Soil = clay stands for Day <= 2024-05-01" in tree.root.describe()
    assert "An unknown Height has a branch of its own." in tree.node(10).describe()
    assert "No training example came here. Predicts b as its parent would." in tree.node(8).describe()


def test_a_value_named_unknown_is_a_value() -> None:
    tree = build(multiway("A", leaf([1, 0]), leaf([0, 1]), missing=1), schema_of(A=("known", "unknown")), ["a", "b"])
    assert "An unknown A goes where A = unknown." in tree.root.describe()
    assert tree.to_text(unknown=True).endswith("A = unknown or unknown: b (1)")


def test_a_regression_node_describes_itself() -> None:
    assert "Holds 4 examples of mean 2, spread 0.5. Predicts 2." in prices().node(3).describe()
    assert "No training example came here. Predicts 2 as its parent would." in prices().node(4).describe()


def test_a_tree_of_one_leaf() -> None:
    tree = build(leaf([1, 4]), schema_of(), ["No", "Yes"])
    assert (tree.n_nodes, tree.n_leaves, tree.depth) == (1, 1, 0)
    assert tree.root.test is None and tree.root.path() == () and tree.root.label == "Yes"
    assert tree.root.describe() == "Node 0, the root. Holds 5 examples: 4 Yes, 1 No. Predicts Yes."

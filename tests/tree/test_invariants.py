"""Arrays that are no tree are refused with the node and the rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from quercus.errors import DataError, ParameterError
from quercus.tree import Tree
from tree.examples import every_kind, play_tennis, prices


def damaged(tree: Tree, name: str, place: Any, value: Any) -> dict[str, np.ndarray]:
    arrays = {key: array.copy() for key, array in tree.arrays.items()}
    arrays[name][place] = value
    return arrays


def remade(tree: Tree, arrays: dict[str, np.ndarray]) -> Tree:
    return Tree.from_arrays(arrays, tree.schema, tree.classes, criterion=tree.criterion, empty_leaf=tree.empty_leaf)


# every_kind: 0 Day (1, 2); 1 Soil grouped (3 4 5); 2 Soil subset (10 11); 3 Size (6 7); 7 Wet (8 9); 10 Height (12 13)
@pytest.mark.parametrize(
    ("name", "place", "value", "message"),
    [
        ("kind", 3, 9, "Node 3 has 9: a node's kind is"),
        ("kind", 4, 1, "at least 2 children"),
        ("kind", 1, 4, "exactly 2 children"),
        ("attribute", 4, 1, "Node 4 has 1: a leaf's attribute must be 0"),
        ("attribute", 0, 5, "Node 0 has 5: the schema has 5 attributes"),
        ("attribute", 0, -1, "the schema has 5 attributes"),
        ("attribute", 0, 0, "Node 0: thresholds are for numeric"),
        ("attribute", 1, 1, "the other tests for nominal"),
        ("attribute", 7, 0, "Node 7 has 2 children; a multiway test has one child a declared value, here 4"),
        ("threshold", 4, 1.0, "a leaf's threshold must be NaN"),
        ("threshold", 0, np.nan, "a threshold is a number"),
        ("threshold", 0, -np.inf, "a threshold is a number"),
        ("threshold", 0, np.inf, "missing_child must be 1"),
        ("missing_child", 0, 2, "missing_child is −1 or the position"),
        ("missing_child", 0, -2, "missing_child is −1 or the position"),
        ("missing_child", 4, 0, "a leaf's missing_child must be -1"),
        ("gain", 4, 0.5, "a leaf's gain must be 0"),
        ("gain", 0, np.nan, "a gain must be a finite number"),
        ("weight", 5, -1.0, "Node 5 has -1.0: a weight must be"),
        ("weight", 5, np.inf, "a weight must be"),
        ("count", 5, -1, "a count must be"),
        ("value", (5, 1), -0.5, "Node 5: class weights"),
        ("value", (5, 1), np.nan, "Node 5: value must hold finite numbers"),
        ("first_child", 0, 0, "a child's number must be greater"),
        ("first_child", 3, 3, "a child's number must be greater"),
        ("first_child", 3, 8, "exactly one parent"),
        ("n_children", 1, 4, "exactly one parent"),
        ("n_children", 7, -3, "at least 2 children"),
        ("group_child", 0, 3, "Node 1 sends a value to child 3; it has the children 0 … 2."),
        ("group_child", 0, -1, "Node 1 sends a value to child -1"),
        ("group_start", 1, 1, "at most one group entry a declared value"),
        ("group_value", 0, -1, "Node 1 has a group entry for value -1; its values are among 0 … 3"),
        ("group_value", 0, 3, "each once, ascending"),
        ("group_value", 1, 0, "Node 1 has a group entry for value 0"),
        ("group_value", 3, 4, "for value 4"),
        ("group_start", 0, 1, "must rise from 0"),
        ("group_start", 3, 99, "must rise from 0"),
        ("surrogate_kind", 0, 2, "Surrogate 0 has 2: a surrogate's kind"),
        ("surrogate_attribute", 0, 0, "Surrogate 0: thresholds are for numeric"),
        ("surrogate_attribute", 0, 7, "Surrogate 0 has 7: the schema has 5"),
        ("surrogate_threshold", 0, np.nan, "a surrogate's threshold is a finite number"),
        ("surrogate_low_child", 0, 2, "surrogate_low_child is 0 or 1"),
        ("surrogate_agreement", 1, np.nan, "surrogate_agreement must be a finite number"),
        ("surrogate_group_child", 0, 2, "Surrogate 1 sends a value to child 2"),
        ("surrogate_group_value", 0, 9, "Surrogate 1 has a group entry for value 9"),
        ("surrogate_group_start", 1, 2, "Surrogate 0 has 2: a grouped or subset test has at most"),
    ],
)  # fmt: skip
def test_a_damaged_array_is_refused(name: str, place: Any, value: Any, message: str) -> None:
    tree = every_kind()
    assert remade(tree, tree.arrays) == tree
    with pytest.raises(DataError, match=message.replace("(", r"\(").replace("|", r"\|")):
        remade(tree, damaged(tree, name, place, value))


@pytest.mark.parametrize(
    ("name", "place", "value", "message"),
    [
        ("group_child", 0, 3, "Node 1 sends a value to child 3; it has the children 0 … 2, or −1"),
        ("group_child", 0, -2, "Node 1 sends a value to child -2"),
        ("group_start", 2, 3, "one group entry a declared value"),
        ("surrogate_group_child", 0, 2, "Surrogate 1 sends a value to child 2"),
        ("surrogate_group_start", 1, 2, "Surrogate 0 has 2: a grouped or subset test"),
    ],
)
def test_a_child_for_each_declared_value_may_be_given(name: str, place: int, value: int, message: str) -> None:
    """The form of older files: no values, and −1 for those that have no child."""
    tree = every_kind()
    arrays = {**tree.arrays, **all_children(tree, ""), **all_children(tree, "surrogate_")}
    arrays = {key: array.copy() for key, array in arrays.items() if not key.endswith("group_value")}
    assert (arrays["group_child"] < 0).any()
    assert remade(tree, arrays) == tree
    arrays[name][place] = value
    with pytest.raises(DataError, match=message):
        remade(tree, arrays)


def all_children(tree: Tree, prefix: str) -> dict[str, np.ndarray]:
    """The table of a node's or a surrogate's groups with an entry for each declared value."""
    arrays = {name: getattr(tree, f"{prefix}{name}") for name in ("kind", "attribute", "group_start")}
    start, child = [0], []
    for row, (kind, attribute) in enumerate(zip(arrays["kind"], arrays["attribute"], strict=True)):
        entries = slice(arrays["group_start"][row], arrays["group_start"][row + 1])
        listed = dict(
            zip(*(getattr(tree, f"{prefix}group_{of}")[entries].tolist() for of in ("value", "child")), strict=True)
        )
        child += [listed.get(code, -1) for code in range(tree.schema[int(attribute)].n_values)] if kind >= 3 else []
        start.append(len(child))
    return {f"{prefix}group_start": np.array(start), f"{prefix}group_child": np.array(child, dtype=np.int32)}


def test_surrogates_only_at_binary_tests() -> None:
    tree = every_kind()
    with pytest.raises(DataError, match="Node 1 has 3: only a node with 2 children has surrogates"):
        remade(tree, damaged(tree, "surrogate_start", 1, 0))


def test_breadth_first_numbers_are_refused_and_renumbered_repairs_them() -> None:
    from quercus.tree import renumbered

    tree = play_tennis()
    order = np.array([0, 2, 1, 3, 4, 5, 6, 7])  # Overcast's leaf before Sunny's test, whose children come first
    arrays = {name: tree.arrays[name] for name in tree.arrays if "start" not in name and "group" not in name}
    arrays = {name: array[order] if len(array) == 8 else array for name, array in arrays.items()}
    assert remade(tree, arrays).n_nodes == 8  # another order of branches, but depth first
    swapped = {name: array.copy() for name, array in arrays.items()}
    swapped["first_child"][[2, 3]] = [6, 4]
    with pytest.raises(
        DataError, match=r"Node 2 has its children from 6 on; numbered depth first they begin at 4\. Pass"
    ):
        remade(tree, swapped)
    assert remade(tree, renumbered(swapped)).first_child.tolist() == [1, 0, 4, 6, 0, 0, 0, 0]


def test_lengths_names_and_types() -> None:
    tree = play_tennis()
    arrays = tree.arrays
    with pytest.raises(DataError, match="missing: threshold"):
        remade(tree, {name: array for name, array in arrays.items() if name != "threshold"})
    with pytest.raises(DataError, match="unknown: colour"):
        remade(tree, {**arrays, "colour": arrays["kind"]})
    with pytest.raises(DataError, match=r"'weight' has the shape \(7,\); \(8,\) is needed"):
        remade(tree, {**arrays, "weight": arrays["weight"][1:]})
    with pytest.raises(DataError, match=r"'value' has the shape \(8, 1\); \(8, 2\) is needed \(one column per class\)"):
        remade(tree, {**arrays, "value": arrays["value"][:, :1]})
    with pytest.raises(DataError, match="'first_child' holds float64; int32 is needed"):
        remade(tree, {**arrays, "first_child": arrays["first_child"].astype(float)})
    with pytest.raises(DataError, match="'first_child' holds a number outside"):
        remade(tree, {**arrays, "first_child": arrays["first_child"].astype(np.int64) + 2**40})
    with pytest.raises(DataError, match="'kind' holds a number outside 0 … 255"):
        remade(tree, {**arrays, "kind": arrays["kind"].astype(np.int64) - 1})
    with pytest.raises(DataError, match="holds <U"):
        remade(tree, {**arrays, "weight": np.array(["a"] * 8)})
    with pytest.raises(DataError, match="at least one node"):
        remade(tree, {name: array[:0] for name, array in arrays.items()})
    with pytest.raises(DataError, match=r"'surrogate_agreement' has the shape \(1,\); \(0,\)"):
        remade(tree, {**arrays, "surrogate_agreement": np.ones(1)})
    assert remade(tree, {**arrays, "weight": arrays["weight"].astype(np.float32)}) == tree
    assert remade(tree, {**arrays, "first_child": arrays["first_child"].astype(np.int64)}) == tree


def test_squared_deviations_are_not_negative_but_means_may_be() -> None:
    tree = prices()
    assert remade(tree, damaged(tree, "value", (2, 0), -5.0)).node(2).label == -5.0
    with pytest.raises(DataError, match="Node 2: class weights and squared deviations must be at least 0"):
        remade(tree, damaged(tree, "value", (2, 2), -5.0))


def test_names_are_checked() -> None:
    tree = play_tennis()
    with pytest.raises(ParameterError, match="empty_leaf is 'parent'"):
        Tree.from_arrays(tree.arrays, tree.schema, tree.classes, criterion="entropy", empty_leaf="parent")
    with pytest.raises(ParameterError, match="criterion is 3"):
        Tree.from_arrays(tree.arrays, tree.schema, tree.classes, criterion=3)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="schema is of type list"):
        Tree.from_arrays(tree.arrays, [], tree.classes, criterion="entropy")  # type: ignore[arg-type]
    for classes in ([], ["a", "a"]):
        with pytest.raises(DataError, match="at least one class and none twice"):
            Tree.from_arrays(tree.arrays, tree.schema, classes, criterion="entropy")


def test_arrays_are_read_only_and_side_tables_optional() -> None:
    tree = play_tennis()
    for array in (*tree.arrays.values(), tree.parent, tree.node_depth, tree.distributions(), tree.labels()):
        assert not array.flags.writeable
    plain = {name: tree.arrays[name] for name in tree.arrays if "start" not in name and "group" not in name}
    plain = {name: array for name, array in plain.items() if not name.startswith("surrogate")}
    assert remade(tree, plain) == tree
    with pytest.raises(AttributeError):
        tree.criterion = "gini"  # type: ignore[misc]

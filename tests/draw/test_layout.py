"""The layout of a tree's picture: no two boxes intersect, no label lies on a box, everything lies in the picture."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tree.build import build, large_arrays, leaf, multiway, schema_of
from tree.strategies import trees

from quercus.draw import tree_layout
from quercus.draw.layout import Layout, Place
from quercus.errors import ParameterError
from quercus.tree import Tree
from quercus.tree.numbering import renumbered


def shrunk(place: Place) -> Place:
    """Without the last bit of its border, where rounding may touch."""
    return Place(place.x + 1e-6, place.y + 1e-6, place.width - 2e-6, place.height - 2e-6)


def check_layout(layout: Layout) -> None:
    things = [("box", shrunk(place)) for place in layout.places]
    things += [("label", shrunk(place)) for place in layout.labels[1:]]
    for i, (_, one) in enumerate(things):
        for _, other in things[i + 1 :]:
            assert not one.overlaps(other)
        assert one.x >= 0 and one.y >= 0
        assert one.x + one.width <= layout.width + 1e-3 and one.y + one.height <= layout.height + 1e-3
    down = layout.orientation == "top-down"
    for number, parent in enumerate(layout.parent[1:], start=1):
        above, here = layout.places[parent], layout.places[number]
        begin, end = layout.bends[number]
        from_end = above.y + above.height if down else above.x + above.width
        assert from_end - 1e-6 <= begin < end <= (here.y if down else here.x) + 1e-6
        label = layout.labels[number]  # stands between the bend and the box
        assert end - 1e-6 <= (label.y if down else label.x)
        assert (label.y + label.height if down else label.x + label.width) <= (here.y if down else here.x) + 1e-6
    for row_begin, row_end in set(layout.bends[1:]):  # branches bend where no box stands
        for place in layout.places:
            low, high = (place.y, place.y + place.height) if down else (place.x, place.x + place.width)
            assert high <= row_begin + 1e-6 or low >= row_end - 1e-6


@settings(max_examples=30, deadline=None)
@given(trees(), st.sampled_from(["top-down", "left-right"]), st.sampled_from([None, 1, 4, 9]), st.data())
def test_nothing_overlaps(tree: Tree, orientation: str, max_nodes: int | None, data: st.DataObject) -> None:
    lit = data.draw(st.dictionaries(st.integers(0, tree.n_nodes - 1), st.floats(0, 1), max_size=4))
    layout = tree_layout(tree, orientation=orientation, max_nodes=max_nodes, highlight=lit)
    check_layout(layout)
    shown = {box.node for box in layout.boxes if box.kind != "folded"}
    assert {node for node, part in lit.items() if part > 0} <= shown


@settings(max_examples=20, deadline=None)
@given(trees())
def test_children_stand_in_the_order_of_the_branches(tree: Tree) -> None:
    layout = tree_layout(tree)
    middle = [place.x + place.width / 2 for place in layout.places]
    for number in range(len(layout.boxes)):
        children = [child for child, parent in enumerate(layout.parent) if parent == number]
        if children:
            assert [middle[child] for child in children] == sorted(middle[child] for child in children)
            assert middle[number] == pytest.approx((middle[children[0]] + middle[children[-1]]) / 2)


@settings(max_examples=30, deadline=None)
@given(trees(), st.sampled_from([None, 0, 1, 2]), st.sampled_from([None, 1, 2, 5, 12]), st.sampled_from([None, 1, 2]))
def test_what_is_hidden_and_what_is_shown_are_the_whole_tree(
    tree: Tree, max_depth: int | None, max_nodes: int | None, max_branches: int | None
) -> None:
    layout = tree_layout(tree, max_depth=max_depth, max_nodes=max_nodes, max_branches=max_branches)
    nodes = 0
    for box in layout.boxes:
        if box.kind != "folded":
            nodes += 1
            assert box.weight == tree.weight[box.node]
        hidden = [line for line in box.lines if line.startswith("+")]
        if hidden:
            nodes += int(hidden[0][1:].split(" ")[0].replace(",", ""))
        elif box.kind == "folded":
            nodes += int(box.branch.split(" ")[0].replace(",", ""))
    assert nodes == tree.n_nodes


def test_a_large_tree_and_a_deep_one() -> None:
    for chain, orientation in ((False, "top-down"), (True, "left-right")):
        arrays, schema = large_arrays(700, chain=chain)
        tree = Tree.from_arrays(renumbered(arrays), schema, ["No", "Yes"], criterion="entropy")
        layout = tree_layout(tree, orientation=orientation)
        assert len(layout.boxes) == tree.n_nodes
        rows: dict[float, list[Place]] = {}
        for place in layout.places:
            rows.setdefault(place.y if orientation == "top-down" else place.x, []).append(place)
        for row in rows.values():
            low = np.array([p.x if orientation == "top-down" else p.y for p in row])
            size = np.array([p.width if orientation == "top-down" else p.height for p in row])
            order = np.argsort(low)
            assert (low[order][1:] >= (low + size)[order][:-1] - 1e-6).all()


def test_more_examples_open_first_and_the_budget_is_kept() -> None:
    arrays, schema = large_arrays(500)
    tree = Tree.from_arrays(renumbered(arrays), schema, ["No", "Yes"], criterion="entropy")
    layout = tree_layout(tree, max_nodes=31)
    assert len(layout.boxes) == 31
    opened = [tree.weight[box.node] for box in layout.boxes if box.kind == "question"]
    closed = [tree.weight[box.node] for box in layout.boxes if box.kind == "closed"]
    assert min(opened) >= max(closed)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"orientation": "up"}, "orientation is 'up'"),
        ({"highlight": {99: 1.0}}, "node 99"),
        ({"highlight": {0: 1.5}}, "from 0 to 1"),
        ({"max_depth": -1}, "max_depth is -1"),
        ({"max_nodes": 0}, "max_nodes is 0"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], words: str) -> None:
    tree = build(multiway("w", leaf([1, 0]), leaf([0, 1])), schema_of(w=("a", "b")), ["n", "y"])
    with pytest.raises(ParameterError, match=words):
        tree_layout(tree, **options)

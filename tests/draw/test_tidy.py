"""The tidy layout: nothing of a row overlaps, children keep their order, parents stand over them, at any depth."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quercus.draw.tidy import tidy


@st.composite
def forests(draw: st.DrawFn) -> tuple[list[int], list[int], list[float]]:
    """Nodes with up to five children each, numbered with siblings side by side, of different breadth."""
    first, count = [0], [0]
    place = 0
    while place < len(first) and len(first) < 60:
        size = draw(st.sampled_from([0, 0, 1, 2, 2, 3, 5])) if place else draw(st.integers(1, 5))
        if size:
            first[place], count[place] = len(first), size
            first += [0] * size
            count += [0] * size
        place += 1
    breadth = draw(st.lists(st.floats(1.0, 200.0), min_size=len(first), max_size=len(first)))
    return first, count, breadth


def depths(first: list[int], count: list[int]) -> list[int]:
    depth = [0] * len(first)
    for node, size in enumerate(count):
        for child in range(first[node], first[node] + size):
            depth[child] = depth[node] + 1
    return depth


@given(forests(), st.floats(0.0, 30.0))
def test_rows_do_not_overlap_and_parents_stand_over_their_children(
    forest: tuple[list[int], list[int], list[float]], gap: float
) -> None:
    first, count, breadth = forest
    centre, total = tidy(first, count, breadth, gap)
    for node, size in enumerate(count):
        if size:
            children = centre[first[node] : first[node] + size]
            assert children == sorted(children)
            assert centre[node] == pytest.approx((children[0] + children[-1]) / 2)
    depth = depths(first, count)
    for row in range(max(depth) + 1):
        nodes = sorted((node for node in range(len(first)) if depth[node] == row), key=lambda node: centre[node])
        for left, right in pairwise(nodes):
            assert centre[right] - centre[left] >= (breadth[left] + breadth[right]) / 2 + gap - 1e-6
    left_ends = [c - b / 2 for c, b in zip(centre, breadth, strict=True)]
    right_ends = [c + b / 2 for c, b in zip(centre, breadth, strict=True)]
    assert min(left_ends) == pytest.approx(0) and max(right_ends) == pytest.approx(total)


@given(forests())
def test_some_pair_touches_between_all_neighbouring_subtrees(forest: tuple[list[int], list[int], list[float]]) -> None:
    """Narrow: of two neighbouring children without others between, some nodes of one row stand a gap apart."""
    first, count, breadth = forest
    if count[0] != 2:
        return
    centre, _ = tidy(first, count, breadth, 3.0)
    depth = depths(first, count)
    side = [-1] * len(first)
    side[first[0]], side[first[0] + 1] = 0, 1
    for node, size in enumerate(count):
        for child in range(first[node], first[node] + size) if node else ():
            side[child] = side[node]
    distances = []
    for row in range(1, max(depth) + 1):
        left = [centre[n] + breadth[n] / 2 for n in range(len(first)) if depth[n] == row and side[n] == 0]
        right = [centre[n] - breadth[n] / 2 for n in range(len(first)) if depth[n] == row and side[n] == 1]
        if left and right:
            distances.append(min(right) - max(left))
    assert min(distances) == pytest.approx(3.0, abs=1e-6)


def test_a_deep_chain_needs_no_deep_stack() -> None:
    size = 60_001
    first = [node + 1 if node % 2 == 0 and node + 2 < size else 0 for node in range(size)]
    count = [2 if above else 0 for above in first]
    centre, total = tidy(first, count, [10.0] * size, 2.0)
    assert len(centre) == size and np.isfinite(total)


def test_one_node_and_none() -> None:
    assert tidy([0], [0], [8.0], 5.0) == ([4.0], 8.0)
    assert tidy([], [], [], 5.0) == ([], 0.0)

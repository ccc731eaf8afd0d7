"""A tidy layout: every node centred over its children, subtrees as close together as their contours allow.

Buchheim, Jünger and Leipert's linear form of Walker's and Reingold–Tilford's method ("Improving Walker's Algorithm to
Run in Linear Time", 2002), for nodes of different breadth. It works level by level, so nodes of one depth stand in one
row. Loops over the node numbers take the place of recursion: a deep tree needs no deep stack.
"""

from __future__ import annotations

from collections.abc import Sequence


def tidy(
    first_child: Sequence[int], n_children: Sequence[int], breadth: Sequence[float], gap: float
) -> tuple[list[float], float]:
    """The centre of every node across its row, the leftmost edge at 0, and the breadth of all.

    first_child, n_children: the children of a node have numbers side by side, above its own. breadth: of every node.
    gap: between neighbours of a row.

    >>> tidy([1, 0, 0, 0], [3, 0, 0, 0], [10, 10, 30, 10], gap=5)
    ([30.0, 5.0, 30.0, 55.0], 60.0)
    """
    layout = _Tidy(list(first_child), list(n_children), list(breadth), gap)
    centre = layout.centres()
    left = min((place - size / 2 for place, size in zip(centre, breadth, strict=True)), default=0.0)
    right = max((place + size / 2 for place, size in zip(centre, breadth, strict=True)), default=0.0)
    return [place - left for place in centre], right - left


class _Tidy:
    """The working arrays of one layout; names as in the paper (preliminary place, modifier, thread, shift, change)."""

    def __init__(self, first: list[int], count: list[int], breadth: list[float], gap: float) -> None:
        self.first, self.count, self.breadth, self.gap = first, count, breadth, gap
        size = len(first)
        self.middle = [0.0] * size  # of a node's children, as they stand before the node itself is placed
        self.place = [0.0] * size
        self.modifier = [0.0] * size
        self.shift = [0.0] * size
        self.change = [0.0] * size
        self.thread = [-1] * size
        self.ancestor = list(range(size))

    def centres(self) -> list[float]:
        """Place all subtrees from the last node to the first, then add up what every node was moved by."""
        for node in range(len(self.first) - 1, -1, -1):
            if self.count[node]:
                self._place_children(node)
        total = [0.0] * len(self.first)
        if self.first:
            self.place[0] = self.middle[0]
        for node, size in enumerate(self.count):
            for child in range(self.first[node], self.first[node] + size) if size else ():
                self.place[child] += total[node]
                total[child] = total[node] + self.modifier[child]
        return self.place

    def _place_children(self, node: int) -> None:
        first, end = self.first[node], self.first[node] + self.count[node]
        place, modifier, middle = self.place, self.modifier, self.middle
        deepest = first
        place[first] = middle[first]
        for child in range(first + 1, end):
            place[child] = place[child - 1] + (self.breadth[child - 1] + self.breadth[child]) / 2 + self.gap
            modifier[child] = place[child] - middle[child]
            deepest = self._push_apart(child, first, deepest)
        shift = change = 0.0
        for child in range(end - 1, first - 1, -1):
            place[child] += shift
            modifier[child] += shift
            change += self.change[child]
            shift += self.shift[child] + change
        middle[node] = (place[first] + place[end - 1]) / 2

    def _left(self, node: int) -> int:
        return self.first[node] if self.count[node] else self.thread[node]

    def _right(self, node: int) -> int:
        return self.first[node] + self.count[node] - 1 if self.count[node] else self.thread[node]

    def _push_apart(self, child: int, first: int, deepest: int) -> int:
        """Walk down between a child and its left neighbours, and move it where they would touch."""
        place, modifier, breadth = self.place, self.modifier, self.breadth
        inside, outside, inside_left, outside_left = child, child, child - 1, first
        sum_inside = sum_outside = modifier[child]
        sum_inside_left, sum_outside_left = modifier[child - 1], modifier[first]
        right, left = self._right(inside_left), self._left(inside)
        while right >= 0 and left >= 0:
            inside_left, inside = right, left
            outside_left, outside = self._left(outside_left), self._right(outside)
            self.ancestor[outside] = child
            room = (breadth[inside_left] + breadth[inside]) / 2 + self.gap
            shift = place[inside_left] + sum_inside_left - place[inside] - sum_inside + room
            if shift > 0:
                above = self.ancestor[inside_left]
                self._move(above if first <= above < child else deepest, child, shift)
                sum_inside += shift
                sum_outside += shift
            sum_inside_left += modifier[inside_left]
            sum_inside += modifier[inside]
            sum_outside_left += modifier[outside_left]
            sum_outside += modifier[outside]
            right, left = self._right(inside_left), self._left(inside)
        if right >= 0 and self._right(outside) < 0:
            self.thread[outside] = right
            modifier[outside] += sum_inside_left - sum_outside
        if left >= 0 and self._left(outside_left) < 0:
            self.thread[outside_left] = left
            modifier[outside_left] += sum_inside - sum_outside_left
            deepest = child
        return deepest

    def _move(self, left: int, right: int, shift: float) -> None:
        """Move a subtree; those between it and the one it would touch take their part of the way later."""
        between = right - left
        self.change[right] -= shift / between
        self.shift[right] += shift
        self.change[left] += shift / between
        self.place[right] += shift
        self.modifier[right] += shift

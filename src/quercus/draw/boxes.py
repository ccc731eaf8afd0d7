"""The content of the boxes and branches of a tree's picture: words, counts and sizes, before the layout."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.arrays import Floats
from quercus.data.names import counted, short_number, significant
from quercus.draw.advance import fitted, text_width
from quercus.targets.payload import Words
from quercus.tree.outline import Outline
from quercus.tree.questions import Question
from quercus.tree.tree import Tree

Kind = Literal["question", "leaf", "closed", "folded"]

QUESTION_SIZE, TEXT_SIZE = 13.0, 11.0
QUESTION_LINE, TEXT_LINE = 17.0, 14.0
PADDING, BAR_HEIGHT, BAR_GAP = 9.0, 7.0, 5.0
LEAST_WIDTH = 58.0
NAME_ROOM, COUNT_ROOM, BRANCH_ROOM = 170.0, 150.0, 136.0
LONG = 200  # characters of one name in a tooltip
CLASSES_WRITTEN = 3  # further classes of a node are shown only by its bar
_MORE = re.compile(r"… ([\d,]+) more}$")


@dataclass(frozen=True, slots=True)
class Box:
    """One box and the branch that leads to it.

    node: its number; of a folded box, which stands for several branches, the first of them. kind: "question", "leaf",
    "closed" (a question whose branches are not shown) or "folded". heading, lines: the words, shortened. note: all of
    it, for the tooltip. chosen: the position of the class, or the number that is answered. parts: class weights (none:
    numbers are predicted). interval: of numbers, what the bar shows: low end, mark and high end. weight: of the
    examples. branch, branch_note: the answer that leads here. width, height: of the box. part: of the
    highlighted example that comes here.
    """

    node: int
    kind: Kind
    heading: str
    lines: tuple[str, ...]
    note: str
    chosen: float
    parts: tuple[float, ...]
    interval: tuple[float, ...]
    weight: float
    branch: str
    branch_note: str
    width: float
    height: float
    part: float | None = None

    @property
    def branch_width(self) -> float:
        """Of the words at the branch; 0 at the root."""
        return text_width(self.branch, TEXT_SIZE, self.part is not None) + 6.0 if self.branch else 0.0


class BoxMaker:
    """Makes the boxes of one picture of one tree."""

    def __init__(self, tree: Tree, outline: Outline, cost_matrix: ArrayLike | None, parts: Mapping[int, float]) -> None:
        self.tree, self.outline, self.cost_matrix, self.parts = tree, outline, cost_matrix, parts
        self.weights: list[float] = tree.weight.tolist()
        self.first: list[int] = tree.first_child.tolist()

    @cached_property
    def _chosen(self) -> NDArray[Any]:
        return self.tree.chosen(self.cost_matrix)

    @cached_property
    def _words(self) -> Words:
        return self.tree.target_kind.words(width=LONG, digits=(5, 3))

    def of_node(self, node: int, opened: bool, branch: tuple[str, str] = ("", "")) -> Box:
        """The box of a node, opened or not, at the end of a branch (its short and its long words)."""
        tree = self.tree
        value, weight = tree.value[node], self.weights[node]
        holding, held = self._holding(value, weight)
        kind: Kind = "leaf"
        lines: tuple[str, ...] = (holding,)
        if opened:
            test = tree.node(node).test
            assert test is not None
            name = test.subject(LONG)
            heading, kind = fitted(name, NAME_ROOM, QUESTION_SIZE, True), "question"
            if weight > 0:
                lines = (f"{self._words.centre(value)} {holding}".strip(),)
            note = f"Node {node} asks {name} (gain {significant(float(tree.gain[node]))}). {held}"
        else:
            answer, (heading, *more) = self._answer(node), self._answer_lines(node)
            lines = (*more, holding)
            note = f"Node {node} predicts {answer}. {held}"
            if self.first[node]:
                below = np.array([node])
                hidden = _size_text(self.outline.count_below(below), self.outline.leaves_below(below))
                kind, lines = "closed", (*lines, f"+{hidden}")
                note = f"Node {node} would predict {answer}; {hidden} below it are not shown. {held}"
        return self._sized(node, kind, heading, lines, note, self._chosen[node], value, weight, branch)

    def of_unseen(self, nodes: list[int]) -> Box:
        """One box for branches that no example took."""
        answer = self._answer(nodes[0])
        branch = f"{len(nodes):,} values never seen"
        note = f"{branch}: no example came here; predicts {answer} as the node above would."
        heading, *more = self._answer_lines(nodes[0])
        first = nodes[0]
        value, chosen = self.tree.value[first], self._chosen[first]
        lines = (*more, "no examples")
        return self._sized(first, "folded", heading, lines, note, chosen, value, 0.0, (branch, branch))

    def of_left_out(self, nodes: list[int]) -> Box:
        """One box for branches that there is no room for."""
        places = np.array(nodes)
        weight = float(self.tree.weight[places].sum())
        kind = self.tree.target_kind
        value = kind.joined(self.tree.value[places], self.tree.weight[places])
        size = _size_text(self.outline.count_below(places) + len(nodes), self.outline.leaves_below(places))
        branch = counted(len(nodes), "more branch", "more branches")
        holding, held = self._holding(value, weight)
        chosen = kind.chosen(kind.node_answers(value[None], np.zeros(1, dtype=np.int64), None))[0]
        note = f"{branch} with {size} are not shown. {held}"
        return self._sized(nodes[0], "folded", "…", (holding, f"+{size}"), note, chosen, value, weight, (branch, note))

    def _sized(
        self,
        node: int,
        kind: Kind,
        heading: str,
        lines: tuple[str, ...],
        note: str,
        chosen: Any,
        value: Floats,
        weight: float,
        branch: tuple[str, str],
    ) -> Box:
        target = self.tree.target_kind
        weights, interval = target.class_weights(value), target.interval(value, weight)
        shown = () if weights is None else tuple(weights.tolist()), () if interval is None else tuple(interval.tolist())
        room = max(text_width(heading, QUESTION_SIZE, True), *(text_width(line, TEXT_SIZE) for line in lines))
        height = PADDING + QUESTION_LINE + TEXT_LINE * len(lines) + BAR_GAP + BAR_HEIGHT + PADDING - 2
        width = max(math.ceil(room) + 2 * PADDING, LEAST_WIDTH)
        part = self.parts.get(node) if kind != "folded" else None
        short = branch[0]
        if short and part is not None and part < 1 - 1e-9:
            short = f"{short} · {_share_text(part)}"
        return Box(
            node, kind, heading, lines, note, float(chosen), *shown, weight, short, branch[1], width, height, part
        )

    # Words

    def _answer(self, node: int) -> str:
        return self._words.answer(self._chosen[node], self.tree.distributions()[node])

    def _answer_lines(self, node: int) -> list[str]:
        """The answer as a heading and the lines below it, which hold as many of its parts as there is room for."""
        first, *rest = self._words.parts(self._chosen[node], self.tree.distributions()[node])
        lines: list[str] = []
        for part in rest:
            longer = f"{lines[-1]}, {part}" if lines else part
            if lines and text_width(longer, TEXT_SIZE) <= COUNT_ROOM:
                lines[-1] = longer
            else:
                lines.append(fitted(part, COUNT_ROOM, TEXT_SIZE))
        return [fitted(first, COUNT_ROOM, QUESTION_SIZE, True), *lines]

    def _holding(self, value: Floats, weight: float) -> tuple[str, str]:
        """How many examples of which classes, short and long."""
        if weight <= 0:
            return "no examples", "No training example came here."
        examples = f"{short_number(weight)} example{'' if weight == 1 else 's'}"
        held = self._words.held(value, weight)
        parts = self.tree.target_kind.class_weights(value)
        short = ", ".join(filter(None, (self._words.reach(value, weight), f"n = {short_number(weight)}")))
        if parts is not None and (parts > 0).sum() <= CLASSES_WRITTEN:
            counts = held.removeprefix(": ")
            short = counts if text_width(counts, TEXT_SIZE) <= COUNT_ROOM else short
        return short, f"{examples}{held}."

    def branches(self, node: int) -> tuple[Question, list[str]]:
        """The test of a node, and the short words for its branches."""
        test = self.tree.node(node).test
        assert test is not None
        return test, [_branch_text(test, place) for place in range(test.n_branches)]


def _branch_text(test: Question, place: int) -> str:
    """A branch without what is asked for: ``Sunny``, ``≤ 54``, ``{clay, peat}``, ``unknown``."""
    words = ""
    for limit, width in ((3, 40), (2, 40), (1, 40), (1, 16), (1, 10)):
        words = test.answer(place, limit=limit, width=width, digits=6)
        words = f"≤ {words[3:]}" if words.startswith("<= ") else words
        words = words[2:] if words.startswith("= ") else _MORE.sub(r"+\1}", words.removeprefix("in "))
        if text_width(words, TEXT_SIZE) <= BRANCH_ROOM:
            break
    return fitted(words, BRANCH_ROOM, TEXT_SIZE)


def _size_text(nodes: int, leaves: int) -> str:
    return f"{counted(nodes, 'node')}, {counted(leaves, 'leaf', 'leaves')}"


def _share_text(part: float) -> str:
    """A share as a percentage that is never shown as none or all.

    >>> _share_text(0.5625), _share_text(1 / 3), _share_text(1e-6)
    ('56.25 %', '33.3 %', '< 0.1 %')
    """
    if part < 0.001:
        return "< 0.1 %"
    exact = f"{100 * part:.2f}"
    return f"{short_number(float(exact)) if exact[-1] in '05' else f'{100 * part:.1f}'} %"

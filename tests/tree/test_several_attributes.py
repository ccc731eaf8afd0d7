"""A kind of question that reads two attributes, made for these tests alone: what Python does with it, and refuses."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from quercus.arrays import Array, Integers, Truths
from quercus.data import Attribute, Dataset, Schema
from quercus.data.names import UNLIMITED
from quercus.draw.plane import class_regions
from quercus.errors import ParameterError
from quercus.explain.cells import cells_of
from quercus.explain.consult.consultation import Consultation
from quercus.explain.counterfactual.questions import TreeQuestions
from quercus.explain.why.route import walk
from quercus.pruning import mdl
from quercus.report.subject import subject_of
from quercus.report.tree_data import tree_data
from quercus.rules import RuleList
from quercus.rules.extract import extract_rules
from quercus.tree import Tree, invariants
from quercus.tree.conditions import Condition
from quercus.tree.questions import KIND_NAMES, KINDS, Question, kinds
from quercus.tree.questions.question import Entries

PAIR = 5
SCHEMA = Schema((Attribute("x", "numeric"), Attribute("y", "numeric"), Attribute("z", "numeric")))


@dataclass(frozen=True, repr=False)
class InOrder(Condition):
    """``x <= y``, or the contrary."""

    pair: tuple[Attribute, Attribute]
    holds_if: bool
    unknown: bool = False
    has_no_value = False
    has_every_value = False

    @property
    def name(self) -> str:
        return f"{self.pair[0].name}, {self.pair[1].name}"

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        return self.pair

    def _known_text(self, name: str, limit: int | None, complement: bool, at_most: str) -> str:
        return f"{self.pair[0].name} {at_most if self.holds_if else '>'} {self.pair[1].name}"

    def as_numbers(self, position: Callable[[str], int]) -> dict[str, Any]:
        return {"pair": [position(attribute.name) for attribute in self.pair], "holds_if": self.holds_if}

    def _among_known(self, column: Array) -> Truths:
        raise NotImplementedError

    implies = intersection = union = to_dict = _known_latex = _among_known  # type: ignore[assignment]


@dataclass(frozen=True, repr=False)
class Pair(Question):
    """``x <= y`` (branch 0) or ``x > y``; where the other attribute stands is told by the array ``threshold``."""

    other: Attribute = SCHEMA[1]

    kind = PAIR
    kind_name = "pair"
    asks_numbers = True
    has_threshold = True
    reads_several = True
    fixed_branches = 2

    @classmethod
    def read(cls, schema: Schema, missing_child: int | None, entries: Entries) -> Pair:
        first, second = cls.positions(entries)
        return cls(schema[first], missing_child, schema[second])

    @classmethod
    def positions(cls, entries: Entries) -> tuple[int, ...]:
        return int(entries["attribute"]), int(entries["threshold"])

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        return self.attribute, self.other

    @property
    def n_branches(self) -> int:
        return 2

    def condition(self, position: int, *, unknown: bool = False) -> InOrder:
        return InOrder((self.attribute, self.other), position == 0, unknown and position == self.missing_child)

    def answer(
        self, position: int, *, limit: int | None = None, width: int = UNLIMITED, digits: int | None = 10
    ) -> str:
        return f"{('<=', '>')[position]} {self.other.name}"

    def is_unknown_branch(self, position: int) -> bool:
        return False

    def _branch_of_known(self, codes: Sequence[float]) -> int | None:
        return 0 if codes[0] <= codes[1] else 1

    def branches_of(self, columns: Sequence[Array]) -> Integers:
        unknown = np.isnan(columns[0]) | np.isnan(columns[1])
        return np.where(unknown, -1, np.where(columns[0] <= columns[1], 0, 1))


@pytest.fixture
def tree(monkeypatch: pytest.MonkeyPatch) -> Iterator[Tree]:
    """x <= y, below it z <= 1."""
    monkeypatch.setitem(kinds._BY_NUMBER, PAIR, Pair)
    for module in (invariants, sys.modules["quercus.pruning.mdl"]):
        monkeypatch.setattr(module, "KINDS", (*KINDS, Pair))
    monkeypatch.setattr(invariants, "KIND_NAMES", (*KIND_NAMES, "pair"))
    arrays = {
        "kind": np.array([PAIR, 1, 0, 0, 0]),
        "attribute": np.array([0, 2, 0, 0, 0]),
        "threshold": np.array([1.0, 1.0, np.nan, np.nan, np.nan]),
        "first_child": np.array([1, 3, 0, 0, 0]),
        "n_children": np.array([2, 2, 0, 0, 0]),
        "missing_child": np.array([-1, 1, -1, -1, -1]),
        "weight": np.array([10.0, 6, 4, 4, 2]),
        "count": np.array([10, 6, 4, 4, 2]),
        "gain": np.array([0.3, 0.2, 0, 0, 0]),
        "value": np.array([[5.0, 5], [4, 2], [1, 3], [4, 0], [0, 2]]),
    }
    yield Tree.from_arrays(arrays, SCHEMA, ["No", "Yes"], criterion="entropy")


def rows(*cells: tuple[float, float, float]) -> Dataset:
    return Dataset(SCHEMA, tuple(np.array(column) for column in zip(*cells, strict=True)), len(cells))


def test_it_is_written_drawn_and_compared(tree: Tree) -> None:
    assert str(tree).splitlines()[0] == "x <= y"
    assert "x > y: Yes (4: 3 Yes, 1 No)" in str(tree)
    assert ">x<" in tree.to_svg() and "≤ y" in tree.to_svg()
    assert Tree.from_dict(tree.to_dict()) == tree
    assert tree.collapse(np.array([False, True, False, False, False])).n_nodes == 3


def test_all_its_attributes_are_read_and_share_its_gain(tree: Tree) -> None:
    assert tree.root.positions == (0, 1) and tree.asked == (0, 1, 2)
    assert [tree.node(0).branch_of(row) for row in ([1, 2, 0], [2, 1, 0], [np.nan, 1, 0])] == [0, 1, None]
    np.testing.assert_allclose(tree.sums_by_attribute(tree.weight * tree.gain), [1.5, 1.5, 1.2])


def test_examples_follow_it_by_their_values_or_spread(tree: Tree) -> None:
    """Where one of the two is unknown, the example goes down both branches by their weights."""
    visits = walk(tree, cells_of(rows((1.0, 2.0, 0.0))))
    assert [(visit.node, visit.how) for visit in visits] == [(0, "start"), (1, "value"), (3, "value")]
    spread = walk(tree, cells_of(rows((np.nan, 2.0, 0.0))))
    assert [(visit.node, visit.how, visit.part) for visit in spread[1:]] == [
        (1, "spread", 0.6),
        (3, "value", 0.6),
        (2, "spread", 0.4),
    ]


def test_a_consultation_asks_for_one_attribute_after_the_other(tree: Tree) -> None:
    start = Consultation(tree)
    assert start.question is not None and start.question.attribute == "x"
    after = start.answer(3.0)
    assert after.question is not None and after.question.attribute == "y"
    assert after.answer(1.0).label == "Yes"
    with pytest.raises(ParameterError, match="reads several attributes: give each as one value"):
        start.answer("1..3").answer(2.0).distribution  # noqa: B018


def test_its_rules_can_be_read_but_not_applied(tree: Tree) -> None:
    assert str(extract_rules(tree)[2]).startswith("IF x > y THEN Yes")
    rules = RuleList.from_tree(tree)
    with pytest.raises(ParameterError, match="can be shown, but not applied to rows"):
        rules.predict(rows((1.0, 2.0, 0.0)))


def test_the_page_gets_its_conditions(tree: Tree) -> None:
    data = tree_data(subject_of(tree))
    assert data is not None
    assert data["tests"][2] == {"text": "> y"}
    assert data["routes"] is None, "the form says that it cannot ask for several attributes"
    assert data["subjects"][data["subject"][0]] == "x"


def test_what_needs_one_attribute_says_so(tree: Tree) -> None:
    with pytest.raises(ParameterError, match="Class regions are rectangles; x <= y"):
        class_regions(tree, "x", "y", limits=(0, 1, 0, 1))
    with pytest.raises(ParameterError, match="Counterfactuals change one attribute after the other; x <= y"):
        questions = TreeQuestions(tree)
        questions.ask(questions.start())
    with pytest.raises(ParameterError, match="MDL pruning has no code for pair questions"):
        mdl(tree)

"""A TreeModel of PMML as nodes: its predicates become questions, each answered as PMML says."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from quercus.data.schema import Schema
from quercus.errors import DataError, shorten
from quercus.imports.nodes import Ask, ReadNode
from quercus.imports.pmml_document import number_of
from quercus.imports.pmml_tests import OTHERS, PREDICATES, Test, Tests

_NOBODY = -1  # no child takes a value
_SPREAD = -1
#: The weight of a node that no training row came to: without any it would answer from its parent.
_LITTLE = 1e-100
_STRATEGIES = ("none", "defaultChild", "lastPrediction", "nullPrediction", "weightedConfidence")


@dataclass(frozen=True)
class Answers:
    """The answers of nodes: the classes as the texts of their scores; None: numbers."""

    texts: tuple[str, ...] | None

    def value(self, element: Element, where: str) -> tuple[list[float], int | None]:
        """The class weights of a node, and the class that it names; or its number in the columns of a tree."""
        score = element.get("score")
        if self.texts is None:
            number = number_of(score, where)
            return [number, number, 0.0], None
        weights, named = [0.0] * len(self.texts), None if score is None else self.place(score, where)
        parts = element.findall("ScoreDistribution")
        key = "probability" if any(part.get("probability") for part in parts) else "recordCount"
        for part in parts:
            weight = number_of(part.get(key), where)
            if weight < 0:
                raise DataError(f"{where} has the negative {key} {weight!r}.")
            weights[self.place(part.get("value", ""), where)] += weight
        if not any(weights):
            if named is None:
                raise DataError(f"{where} has neither a score nor a ScoreDistribution.")
            weights[named] = 1.0
        return weights, named

    def place(self, text: str, where: str) -> int:
        """The position of a class."""
        if self.texts is None or text not in self.texts:
            raise DataError(f"{where} names {shorten(text)}, which is no value of the target.")
        return self.texts.index(text)


class TreeReader:
    """Reads the nodes of one TreeModel. schema: of all fields. answers: of the target. replaced: of missing values."""

    def __init__(
        self, model: Element, tests: Tests, schema: Schema, answers: Answers, replaced: dict[str, Any]
    ) -> None:
        self.tests, self.schema, self.answers, self.replaced = tests, schema, answers, replaced
        self.strategy = model.get("missingValueStrategy", "none")
        self.last = model.get("noTrueChildStrategy") == "returnLastPrediction"
        if self.strategy not in _STRATEGIES:
            raise DataError(
                f"The tree has the missingValueStrategy {shorten(self.strategy)}; an import takes "
                f"{', '.join(_STRATEGIES)}."
            )

    def read(self, root: Element) -> ReadNode:
        """The nodes of the tree below a root, and the root itself."""
        top = self._new(root)
        stack = [(root, top)]
        while stack:
            element, node = stack.pop()
            parts = element.findall("Node")
            if not parts:
                self._fill(element, node)
                continue
            children = [self._new(part) for part in parts]
            self._ask(element, node, parts, children)
            stack += zip(parts, children, strict=True)
        return _without_empty(top, self.answers.texts is None)

    def _new(self, element: Element) -> ReadNode:
        return ReadNode([], name=element.get("id", "without id"))

    def _fill(self, element: Element, node: ReadNode) -> None:
        """Set the answer of a leaf; also of an inner node, if it has one."""
        where = f"Node {shorten(node.name)}"
        node.value, node.label = self.answers.value(element, where)
        count = element.get("recordCount")
        whole = 1.0 if self.answers.texts is None else float(sum(node.value))
        node.weight = whole if count is None else max(number_of(count, where), _LITTLE)
        node.count = round(node.weight)

    def _leaf(self, element: Element, node: ReadNode, why: str) -> ReadNode:
        """A leaf with the answer of an inner node."""
        leaf = self._new(element)
        if element.get("score") is None and not element.findall("ScoreDistribution"):
            raise DataError(f"Node {shorten(node.name)} has no score, which is to be answered for {why}.")
        self._fill(element, leaf)
        return leaf

    # Questions

    def _ask(self, element: Element, node: ReadNode, parts: list[Element], children: list[ReadNode]) -> None:
        """Set the question of a node, with its children."""
        if element.get("score") is not None or element.findall("ScoreDistribution"):
            self._fill(element, node)
        predicates = [_predicate(part, child) for part, child in zip(parts, children, strict=True)]
        try:
            if any(one.get("booleanOperator") == "surrogate" for one in predicates):
                self._surrogates(element, node, predicates, children)
            else:
                tests = [self.tests.read(one) for one in predicates]
                self._plain(element, node, tests, children)
        except DataError as error:
            if str(error).startswith("Node "):
                raise
            raise DataError(f"Node {shorten(node.name)}: {error}") from error

    def _default(self, element: Element, node: ReadNode, parts: Sequence[ReadNode]) -> int:
        """The child that the node's defaultChild names for unknown values; −1: none is named."""
        name = element.get("defaultChild")
        names = [child.name for child in parts]
        if name is not None and name not in names:
            raise DataError(f"Node {shorten(node.name)} has the defaultChild {shorten(name)}, which is no child of it.")
        return names.index(name) if name is not None else _SPREAD

    def _missing(self, element: Element, node: ReadNode, tests: list[Test], children: list[ReadNode]) -> int:
        """The child of a missing value; −1: it is spread; the number of children: the node itself answers."""
        for place, test in enumerate(tests):
            if test.unknown:
                return place
            if test.unknown is None and self.strategy != "none":
                if self.strategy == "defaultChild":
                    return self._default(element, node, children)
                return len(children) if self.strategy == "lastPrediction" else _SPREAD
        return len(children) if self.last else _SPREAD

    def _plain(self, element: Element, node: ReadNode, tests: list[Test], children: list[ReadNode]) -> None:
        """A question about one field."""
        names = {test.field for test in tests} - {None}
        if len(names) > 1:
            raise DataError(
                f"its children ask for the fields {' and '.join(sorted(map(repr, names)))}; an import takes questions "
                "about one field."
            )
        if not names:
            self._same(node, next((place for place, test in enumerate(tests) if test.unknown), None), children)
            return
        name = str(next(iter(names)))
        place = self.schema.position(name)
        missing = self._missing(element, node, tests, children)
        if name in self.replaced:
            missing = self._first(tests, self.replaced[name], len(children))
        if not self.tests.fields[name].continuous:
            missing = self._with_others(name, tests, missing, len(children))
            self._codes(element, node, place, tests, children, missing)
        else:
            self._numbers(element, node, place, tests, children, missing)

    def _same(self, node: ReadNode, place: int | None, children: list[ReadNode]) -> None:
        """A node whose children ask nothing: it is replaced by its first child that is true."""
        if place is None:
            raise DataError("no child of it is ever true.")
        # a question whose branches are the same would be needed; the child takes the node's place instead
        node.ask, node.children = None, [children[place]]

    def _first(self, tests: list[Test], value: float, size: int) -> int:
        """The child of the known value that replaces a missing one."""
        for place, test in enumerate(tests):
            inside = value in test.codes if test.codes is not None else any(a < value <= b for a, b in test.pieces)
            if test.constant or inside:
                return place
        return size if self.last else _SPREAD

    def _with_others(self, name: str, tests: list[Test], missing: int, size: int) -> int:
        """The child of missing values, which is also that of values that no predicate names; else it is refused."""
        if not self.tests.is_open(name):
            return missing
        others = self._first(tests, OTHERS, size)
        if others in (_SPREAD, missing):  # they get no answer, or that of missing values
            return missing
        if missing == _SPREAD and self.strategy != "weightedConfidence":  # missing values get no answer
            return others
        raise DataError(others_apart(name))

    def _codes(
        self, element: Element, node: ReadNode, place: int, tests: list[Test], children: list[ReadNode], missing: int
    ) -> None:
        """A question about the values of a nominal or ordered attribute."""
        attribute = self.schema[place]
        without = frozenset().union(*(test.without for test in tests))
        table = [len(children) if self.last else _NOBODY] * attribute.n_values
        everything = range(attribute.n_values)
        for at in reversed(range(len(tests))):  # the first child that takes a value has it
            for code in everything if tests[at].constant else (tests[at].codes or frozenset()) - {OTHERS}:
                table[code] = at
        for code in without:
            table[code] = _NOBODY
        if len(children) in table or missing == len(children):
            children = [*children, self._leaf(element, node, "values that no child takes")]
        self._put(node, Ask(place, table=tuple(table)), children, missing)

    def _numbers(
        self, element: Element, node: ReadNode, place: int, tests: list[Test], children: list[ReadNode], missing: int
    ) -> None:
        """A question about numbers: cuts, one below the other, between its pieces."""
        ends = sorted({end for test in tests for piece in test.pieces for end in piece if math.isfinite(end)})
        takers = []
        for low in (-math.inf, *ends):
            inside = (at for at, test in enumerate(tests) if test.constant or _holds(test, low))
            takers.append(next(inside, len(children)))
        if len(children) in takers and not self.last:
            piece = takers.index(len(children))
            which = (
                f"numbers above {ends[piece - 1]!r}" if piece else f"numbers up to {ends[0]!r}" if ends else "numbers"
            )
            raise DataError(f"{which} have no child, and get no answer, which a tree of Quercus cannot express.")
        if len(children) in takers or missing == len(children):
            children = [*children, self._leaf(element, node, "numbers that no child takes")]
        kept = [at for at in range(len(ends)) if takers[at] != takers[at + 1]]
        cuts, order = [ends[at] for at in kept], [takers[at] for at in kept] + [takers[-1]]
        only_missing = missing >= 0 and missing not in order
        below = self._chain(place, cuts, order, children, missing)
        if only_missing:
            below = self._put(ReadNode([]), Ask(place, math.inf), [below, children[missing]], 1)
        node.ask, node.children, node.missing = below.ask, below.children, below.missing
        if node.ask is None:
            node.children = [below]

    def _chain(
        self, place: int, cuts: list[float], order: list[int], children: list[ReadNode], missing: int
    ) -> ReadNode:
        """Cuts, one below the other."""
        copies = [children[at] if at not in order[:number] else None for number, at in enumerate(order)]
        if None in copies:
            raise DataError("a child takes several ranges of numbers, which a tree of Quercus cannot express.")
        below = children[order[-1]]
        inside = order[-1] == missing
        for cut, at in zip(reversed(cuts), reversed(order[:-1]), strict=True):
            branch = 0 if at == missing else 1 if inside else _SPREAD
            inside = inside or at == missing
            below = self._put(ReadNode([]), Ask(place, cut), [children[at], below], branch)
        return below

    def _put(self, node: ReadNode, ask: Ask, children: list[ReadNode], missing: int) -> ReadNode:
        """Set the question of a node; a question whose only branch takes all rows is left out."""
        if ask.table is not None:
            used = sorted({*ask.table, missing} - {_NOBODY})
            if not used:
                raise DataError("no child of it is ever true.")
            if len(used) == 1:  # all that get an answer get this one
                node.ask, node.children = None, [children[used[0]]]
                return node
            place = {at: number for number, at in enumerate(used)}
            ask = replace(ask, table=tuple(place.get(at, _NOBODY) for at in ask.table))
            children, missing = [children[at] for at in used], place.get(missing, _SPREAD)
        if self.schema[ask.attribute].kind == "ordered":
            ask, children, missing = _cut_of_table(ask, children, missing)
        node.ask, node.children, node.missing = ask, children, missing
        return node

    # Surrogates

    def _surrogates(
        self, element: Element, node: ReadNode, predicates: list[Element], children: list[ReadNode]
    ) -> None:
        """A question of two branches with its surrogates."""
        if len(children) != 2:
            raise DataError(f"it has surrogates and {len(children)} children; an import takes two.")
        both = []
        for one in predicates:
            surrogate = one.get("booleanOperator") == "surrogate"
            parts = [part for part in one if part.tag in PREDICATES] if surrogate else [one]
            both.append([self.tests.read(part) for part in parts])
        first, second = both
        missing = self._missing(element, node, [Test(None)], children)
        while first and first[-1].constant is not None:
            missing = 0 if first.pop().constant else 1
        while second and second[-1].constant is not None:
            missing = 1 if second.pop().constant and missing != 0 else missing
        if len(first) != len(second) or not first:
            raise DataError("the surrogates of its two children do not match.")
        asks = [self._pair(one, other) for one, other in zip(first, second, strict=True)]
        if self.last and self.tests.is_open(str(first[0].field)):
            raise DataError(others_apart(str(first[0].field)))
        node.surrogates = asks[1:]
        if missing > 1:
            raise DataError("unknown values get the answer of this node itself, which surrogates cannot express.")
        main = asks[0]
        lost = [code for code, at in enumerate(main.table or ()) if at < 0 and code not in first[0].without]
        inner = node
        if self.last and lost:  # values that neither child takes get the node's own answer: they are divided first
            inner = ReadNode([], name=node.name, surrogates=node.surrogates)
            node.surrogates = []
            apart = tuple(int(code in lost) for code in range(len(main.table or ())))
            self._put(node, Ask(main.attribute, table=apart), [inner, self._leaf(element, node, "other values")], 0)
        inner.ask, inner.children, inner.missing = replace(main, swapped=False), children, missing
        if main.swapped:
            inner.children, inner.missing = children[::-1], missing if missing < 0 else 1 - missing
            inner.surrogates = [_turned(ask) for ask in inner.surrogates]

    def _pair(self, one: Test, other: Test) -> Ask:
        """The question whose two branches are two tests."""
        if one.field is None or one.field != other.field:
            raise DataError("the surrogates of its two children do not match.")
        place = self.schema.position(one.field)
        if one.codes is not None and other.codes is not None:
            if OTHERS in one.codes | other.codes:
                raise DataError(others_apart(one.field))
            codes = range(self.schema[place].n_values)
            table = tuple(0 if code in one.codes else 1 if code in other.codes else _NOBODY for code in codes)
            table = tuple(_NOBODY if code in one.without else at for code, at in enumerate(table))
            ask = Ask(place, table=table)
            return _cut_of_table(ask, [], 0)[0] if self.schema[place].kind == "ordered" else ask
        cut = one.pieces[0][1] if one.pieces and one.pieces[0][0] == -math.inf else math.inf
        if one.pieces == ((-math.inf, cut),) and other.pieces == ((cut, math.inf),):
            return Ask(place, cut)
        cut = one.pieces[0][0] if one.pieces else math.inf
        if one.pieces == ((cut, math.inf),) and other.pieces == ((-math.inf, cut),):
            return Ask(place, cut, swapped=True)
        raise DataError(f"its two children are not the two sides of one cut of {one.field!r}.")


def others_apart(name: str) -> str:
    """Why values that no predicate names are refused."""
    return (
        f"field {name!r} lists no values, so that it allows any; those that no predicate names go another way than "
        "missing ones, which a model of Quercus cannot say. List the values of the field in the data dictionary."
    )


def _turned(ask: Ask) -> Ask:
    """The same question with its branches exchanged."""
    if ask.table is None:
        return replace(ask, swapped=not ask.swapped)
    return replace(ask, table=tuple(1 - at if at >= 0 else at for at in ask.table))


def _cut_of_table(ask: Ask, children: list[ReadNode], missing: int) -> tuple[Ask, list[ReadNode], int]:
    """A table of two branches of an ordered attribute as a cut."""
    assert ask.table is not None
    swapped = ask.table[0] == 1
    other = 0 if swapped else 1
    cut = ask.table.index(other) - 0.5 if other in ask.table else math.inf
    turned = replace(ask, cut=cut, table=None, swapped=swapped and not children)
    if swapped and children:
        return turned, children[::-1], missing if missing < 0 else 1 - missing
    return turned, children, missing


def _predicate(part: Element, child: ReadNode) -> Element:
    predicate = next((one for one in part if one.tag in PREDICATES), None)
    if predicate is None:
        raise DataError(f"Node {shorten(child.name)} has no predicate.")
    return predicate


def _holds(test: Test, low: float) -> bool:
    """Whether the numbers just above a bound pass."""
    return any(begin <= low < end for begin, end in test.pieces)


def _without_empty(root: ReadNode, numbers: bool) -> ReadNode:
    """The tree without nodes that ask nothing but have a child, which takes their place."""

    def real(node: ReadNode) -> ReadNode:
        while node.ask is None and node.children:
            node = node.children[0]
        return node

    order = [real(root)]
    for node in order:
        node.children = [real(child) for child in node.children]
        order.extend(node.children)
    for node in reversed(order):
        if not node.value:  # an inner node that does not say what it holds: its children together
            _sum_up(node, numbers)
    return order[0]


def _sum_up(node: ReadNode, numbers: bool) -> None:
    weights = np.array([child.weight for child in node.children])
    values = np.array([child.value for child in node.children])
    node.weight, node.count = float(weights.sum()), sum(child.count for child in node.children)
    node.value = values.sum(axis=0).tolist()
    if numbers:
        node.value = [*(weights @ values[:, :2] / weights.sum()).tolist(), float(values[:, 2].sum())]

"""Import of R's rpart: the tree as ``print`` shows it becomes a model of Quercus."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quercus.data.schema import Attribute, Schema
from quercus.errors import DataError, ParameterError, shorten, shown_list
from quercus.files.bounded import MAX_BYTES
from quercus.fitted.model import Model
from quercus.imports.nodes import Ask, ReadNode, labelled_model, walked
from quercus.imports.source import read_source

_NUMBER = r"-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?"
_NODE = re.compile(r"^ *(?P<number>\d+)\) (?P<rest>.*?) *(?P<leaf>\*?) *$")
_CLASS = re.compile(
    rf"^(?P<split>.+?(?:< |>=){_NUMBER}|.+?) (?P<n>\d+) +(?P<loss>{_NUMBER}) (?P<answer>.+?) +"
    rf"\((?P<shares>{_NUMBER}(?: +{_NUMBER})*)\)$"
)
_VALUE = re.compile(rf"^(?P<split>.+) (?P<n>\d+) +(?P<loss>{_NUMBER}) +(?P<answer>{_NUMBER})$")
_CUT = re.compile(rf"^(?P<name>.+?)(?P<side>< |>=)(?P<cut>{_NUMBER})$")


@dataclass(frozen=True)
class _Row:
    """A printed node: the split that leads to it, its rows, its loss or deviance, its answer and its shares.

    error: by how much the printed shares may be wrong.
    """

    number: int
    split: str
    n: int
    loss: float
    answer: str
    shares: tuple[float, ...]
    error: float
    leaf: bool


def from_rpart(
    source: str | os.PathLike[str],
    *,
    schema: Schema | None = None,
    classes: Sequence[Any] | None = None,
    cost_matrix: Any = None,
    max_bytes: int | None = MAX_BYTES,
) -> Model:
    """The model of a tree that R's rpart printed: pictures, rules, reports, explanations and exports follow.

    source: the text that ``print(fit)`` shows in R, or the path of a file with it. schema: the attributes; None: those
    that the text names, in the order in which they occur. classes: in the order of R's levels; None: those of the
    schema, or those that nodes answer. cost_matrix: as in the estimators: the loss matrix, if mistakes had different
    costs. max_bytes: the largest size of a file; None: any size.

    The text does not contain the whole tree. Numbers have few digits (``options(digits = 15)`` in R prints more), and
    there are no surrogates. So an unknown value goes to the branch with more rows, as rpart does when no surrogate
    decides. A tree that was saved by R's package pmml has the surrogates: see ``from_pmml``.

    >>> text = '''
    ... node), split, n, loss, yval, (yprob)
    ... 1) root 81 17 absent (0.79012346 0.20987654)
    ...   2) Start>=8.5 62  6 absent (0.90322581 0.09677419) *
    ...   3) Start< 8.5 19  8 present (0.42105263 0.57894737) *
    ... '''
    >>> print(from_rpart(text))
    Start <= 8.5: present (19: 11 present, 8 absent)
    Start > 8.5: absent (62: 56 absent, 6 present)
    """
    text, called = read_source(source, "\n", max_bytes)
    try:
        rows = _rows(text)
        return _Reader(rows, schema, classes).model(cost_matrix)
    except DataError as error:
        raise DataError(f"{called}: {error}") from error


def _rows(text: str) -> dict[int, _Row]:
    """The printed nodes by their numbers."""
    lines = text.splitlines()
    start = next((number for number, line in enumerate(lines) if line.startswith("node), split, n,")), -1)
    by_class = start >= 0 and "(yprob)" in lines[start]
    if start < 0:
        raise DataError('there is no tree of rpart in it; give all that print(fit) shows, with "node), split, n, …".')
    rows: dict[int, _Row] = {}
    for number, line in enumerate(lines[start + 1 :], start + 2):
        head = _NODE.match(line)
        if head is None:
            continue
        parts = (_CLASS if by_class else _VALUE).match(head["rest"])
        if parts is None:
            raise DataError(f"line {number} is no node of rpart's {'classes' if by_class else 'numbers'}: {line!r}.")
        texts = parts["shares"].split() if by_class else []
        _refuse_immense(number, [parts["n"], parts["loss"], *(texts or [parts["answer"]])])
        shares, error = tuple(map(float, texts)), max(map(_rounding, texts), default=0.0)
        place = int(head["number"])
        if place in rows:
            raise DataError(f"line {number} is node {place} for the second time; give one tree.")
        numbers = int(parts["n"]), float(parts["loss"])
        rows[place] = _Row(place, parts["split"], *numbers, parts["answer"], shares, error, bool(head["leaf"]))
    if 1 not in rows:
        raise DataError("there is no root, node 1, in it.")
    return rows


class _Reader:
    def __init__(self, rows: dict[int, _Row], schema: Schema | None, classes: Sequence[Any] | None) -> None:
        self.rows = rows
        self.width = len(rows[1].shares)
        if any(len(row.shares) != self.width for row in rows.values()):
            raise DataError("the nodes tell shares of different numbers of classes.")
        labels = classes if classes is not None else schema.classes if schema is not None else None
        self.classes = self._classes(labels) if self.width else None
        self.questions = {number: self._question(number) for number, row in rows.items() if not row.leaf}
        self.schema = schema if schema is not None else self._schema()

    def _classes(self, labels: Sequence[Any] | None) -> tuple[Any, ...]:
        """The classes in the order of the shares: the caller's, or those that nodes name as their most likely."""
        answers = dict.fromkeys(row.answer for row in self.rows.values())
        if labels is not None:
            if len(labels) != self.width or not set(answers) <= {str(label) for label in labels}:
                raise ParameterError(
                    f"classes is {shown_list(labels)}; the text tells {self.width} shares, and answers "
                    f"{shown_list(list(answers))}."
                )
            return tuple(labels)
        named: dict[int, str] = {}
        for row in self.rows.values():
            place = int(np.argmax(row.shares))
            tied = sum(share == row.shares[place] for share in row.shares) > 1
            if not tied and named.setdefault(place, row.answer) != row.answer:
                raise DataError(
                    f"node {row.number} does not answer its most likely class, so that the order of the classes is not "
                    "known. Give them as classes, in the order of R's levels."
                )
        missing = [place for place in range(self.width) if place not in named]
        rest = [label for label in answers if label not in named.values()]
        if len(set(named.values())) < len(named) or len(rest) > len(missing) or (len(missing) > 1 and rest):
            raise DataError("the order of the classes is not known. Give them as classes, in the order of R's levels.")
        for number, place in enumerate(missing):
            named[place] = rest[number] if number < len(rest) else f"class {place + 1}"
        return tuple(named[place] for place in range(self.width))

    def _question(self, number: int) -> tuple[str, float | list[str], float | list[str]]:
        """What an inner node asks: the attribute, and of each child the cut (below 0: its upper side) or the values."""
        children = [self.rows.get(2 * number), self.rows.get(2 * number + 1)]
        if None in children:
            raise DataError(f"node {number} is no leaf, but has not both children {2 * number} and {2 * number + 1}.")
        left, right = (row.split for row in children if row is not None)
        one, other = _CUT.match(left), _CUT.match(right)
        if one and other and one["name"] == other["name"] and {one["side"], other["side"]} == {"< ", ">="}:
            cut = float(one["cut"])
            if not math.isfinite(cut):
                raise DataError(f"node {2 * number} compares with {shorten(one['cut'])}, which is too large a number.")
            return one["name"], (-math.inf if one["side"] == "< " else math.inf), cut
        for place in (place for place, sign in enumerate(left) if sign == "="):
            name = left[: place + 1]
            if right.startswith(name):
                one_side, other_side = left[place + 1 :].split(","), right[place + 1 :].split(",")
                _refuse_twice(number, [*one_side, *other_side])
                return name[:-1], one_side, other_side
        raise DataError(f"the children of node {number} are not two sides of one question: {left!r}, {right!r}.")

    def _schema(self) -> Schema:
        domains: dict[str, dict[str, None]] = {}
        for name, one, other in self.questions.values():
            values = domains.setdefault(name, {})
            for side in (one, other):
                values.update(dict.fromkeys(side) if isinstance(side, list) else {})
        attributes = [
            Attribute(name, "nominal", tuple(sorted(values))) if values else Attribute(name, "numeric")
            for name, values in domains.items()
        ]
        return Schema(tuple(attributes)).with_target(None, self.classes)

    def model(self, cost_matrix: Any) -> Model:
        """The model of all nodes."""
        root = self._node(1)
        stack = [(1, root)]
        while stack:
            number, node = stack.pop()
            if number in self.questions:
                numbers = [2 * number, 2 * number + 1]
                children = [self._node(one) for one in numbers]
                self._ask(node, number, children)
                stack += zip(numbers, children, strict=True)
        lost = len(self.rows) - len(walked(root))
        if lost:
            raise DataError(f"{lost} nodes stand below no question; give one whole tree.")
        return labelled_model(root, self.schema, self.classes, cost_matrix)

    def _node(self, number: int) -> ReadNode:
        row = self.rows[number]
        node = ReadNode([], weight=float(row.n), count=row.n, name=str(number))
        if not self.width:
            node.value = [float(row.answer), float(row.answer), row.loss]
        else:
            node.label = [str(label) for label in self.classes or ()].index(row.answer)
            node.value = _counts(row, node.label)
        return node

    def _ask(self, node: ReadNode, number: int, children: list[ReadNode]) -> None:
        name, one, other = self.questions[number]
        place = self.schema.position(name)
        attribute = self.schema[place]
        node.children, node.missing = children, int(children[1].count > children[0].count)
        if isinstance(one, list) and isinstance(other, list):
            texts = {str(value): code for code, value in enumerate(attribute.values)}
            table = [-1] * attribute.n_values
            for branch, side in enumerate((one, other)):
                for value in side:
                    if value not in texts:
                        raise DataError(f"node {number} asks for {shorten(value)}, which is no value of {name!r}.")
                    table[texts[value]] = branch
            node.ask = Ask(place, table=tuple(table))
            return
        if not attribute.is_numeric:
            raise DataError(f"node {number} compares {name!r} with a number, but it is {attribute.kind}.")
        assert isinstance(one, float) and isinstance(other, float)
        node.ask = Ask(place, math.nextafter(other, -math.inf))  # below the cut, not at it
        if one > 0:  # the first child is the upper side
            node.children, node.missing = children[::-1], 1 - node.missing


def _refuse_immense(number: int, texts: Sequence[str]) -> None:
    """Refuse numbers that are too large for a double. number: of the line."""
    immense = next((text for text in texts if not math.isfinite(float(text))), None)
    if immense is not None:
        raise DataError(f"line {number} has {shorten(immense)}, which is too large a number.")


def _refuse_twice(number: int, values: Sequence[str]) -> None:
    """Refuse a node whose children name a value twice: values that hold commas look like several."""
    twice = next((value for place, value in enumerate(values) if value in values[:place]), None)
    if twice is not None:
        raise DataError(
            f"the children of node {number} name {shorten(twice)} twice. If names of values hold commas, the text does "
            "not tell them apart: rename the levels in R, or save the tree by R's package pmml."
        )


def _rounding(text: str) -> float:
    """Half a unit of the last digit of a printed share."""
    mantissa, _, exponent = text.lower().partition("e")
    return 0.5 * 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


def _counts(row: _Row, label: int) -> list[float]:
    """The class weights of a node: whole numbers of rows, if the shares and the loss fit such numbers."""
    counts = [share * row.n for share in row.shares]
    whole = [round(count) for count in counts]
    apart = max(abs(one - other) for one, other in zip(counts, whole, strict=True))
    sure = apart < 1e-3 or (apart <= row.error * row.n + 1e-9 and row.n - whole[label] == row.loss)
    return [float(count) for count in whole] if sure and sum(whole) == row.n else counts

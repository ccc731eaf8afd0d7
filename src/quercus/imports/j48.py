"""Import of Weka's J48: the tree as it is printed becomes a model of Quercus."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from quercus.data.schema import Attribute, Schema
from quercus.errors import DataError, shorten
from quercus.files.bounded import MAX_BYTES
from quercus.files.read import read_file
from quercus.fitted.model import Model, model_of
from quercus.imports.nodes import Ask, ReadNode, tree_of
from quercus.imports.source import read_source

_TITLE = re.compile(r"^J48 (un)?pruned tree\s*$")
_LEAF = re.compile(r"^(?P<body>.*: .*) \((?P<weight>\d+(?:\.\d*)?)(?:/(?P<errors>\d+(?:\.\d*)?))?\)$", re.DOTALL)
_DEPTH = re.compile(r"^(?:\|   )*")
_OPERATORS = (" <= ", " > ", " = ", " != ")


@dataclass
class _Line:
    """One line: its number, its depth, the text before the leaf, and the leaf's class and weights."""

    number: int
    depth: int
    test: str
    leaf: tuple[str, float, float] | None
    below: list[_Line] = field(default_factory=list)


def from_j48(
    source: str | os.PathLike[str],
    *,
    schema: Schema | str | os.PathLike[str] | None = None,
    max_bytes: int | None = MAX_BYTES,
) -> Model:
    """The model of a tree that Weka's J48 printed: pictures, rules, reports, explanations and exports follow.

    source: the output of Weka as a text, or the path of a file with it; text around the tree is ignored. schema: the
    attributes and the classes, in Weka's order, or the path of the ARFF file, whose last attribute is the target; None:
    those that the text names, in the order in which they occur. max_bytes: the largest size of a file; None: any size.

    The text tells less than the tree: thresholds have at most six decimals, and a leaf tells the weight of its errors,
    but not of which classes they are: of more than two, the others are given equal parts of it. So labels are J48's
    where all values are known (but for numbers between a threshold and its rounded text); shares are, for two classes,
    up to the two decimals of the weights. Values and classes that hold a colon and a space need the schema.

    >>> text = '''
    ... petalwidth <= 0.6: Iris-setosa (50.0)
    ... petalwidth > 0.6
    ... |   petalwidth <= 1.7: Iris-versicolor (54.0/5.0)
    ... |   petalwidth > 1.7: Iris-virginica (46.0/1.0)
    ... '''
    >>> from_j48(text).predict({"petalwidth": [0.2, 1.5, 2.0]}).tolist()
    ['Iris-setosa', 'Iris-versicolor', 'Iris-virginica']
    """
    text, called = read_source(source, "\n", max_bytes)
    try:
        known = schema if schema is None or isinstance(schema, Schema) else _arff_schema(schema)
        return _Reader(_lines(text, None if known is None else _Words(known)), known).model()
    except DataError as error:
        raise DataError(f"{called}: {error}") from error


def _arff_schema(path: str | os.PathLike[str]) -> Schema:
    """The attributes of an ARFF file; the last is the target."""
    table = read_file(path)
    *names, target = table.columns
    if target not in table.domains:
        raise DataError(f"the last column of {os.fspath(path)}, {target!r}, declares no classes.")
    kinds: dict[str, Any] = dict(table.kinds)
    attributes = [Attribute(name, kinds[name], tuple(table.domains.get(name, ()))) for name in names]
    return Schema(tuple(attributes)).with_target(target, table.domains[target])


class _Words:
    """What a schema calls its attributes, their values and its classes; so a line has one reading."""

    def __init__(self, schema: Schema) -> None:
        self.values = {
            attribute.name: None if attribute.is_numeric else {_text(value) for value in attribute.values}
            for attribute in schema
        }
        self.labels = {_text(label) for label in schema.classes or ()}

    def asks(self, test: str) -> bool:
        """Whether a text is an attribute, an operator, and a number or one of its values."""
        for operator in _OPERATORS:
            for place in _places(test, operator):
                name, value = test[:place], test[place + len(operator) :]
                values = self.values.get(name)
                if name in self.values and (_is_number(value) if values is None else value in values):
                    return True
        return False

    def readings(self, rest: str) -> list[tuple[str, str | None]]:
        """The ways to read a line: its question, and the class behind it; None: none is there."""
        found: list[tuple[str, str | None]] = [(rest, None)] if self.asks(rest) else []
        leaf = _LEAF.match(rest)
        body = "" if leaf is None else leaf["body"]
        for place in _places(body, ": "):
            test, label = body[:place].strip(), body[place + 2 :]
            if label in self.labels and (not test or self.asks(test)):
                found.append((test, label))
        return found


def _places(text: str, part: str) -> list[int]:
    return [place for place in range(len(text)) if text.startswith(part, place)]


def _lines(text: str, words: _Words | None) -> list[_Line]:
    """The lines of the tree: the branches of the root, with all others below them. words: None: no schema."""
    rows = text.splitlines()
    title = next((number for number, row in enumerate(rows) if _TITLE.match(row)), None)
    numbered = list(enumerate(rows, 1))[0 if title is None else title + 1 :]
    top: list[_Line] = []
    open_lines: list[_Line] = []
    for number, row in numbered:
        if row.startswith("Number of Leaves"):
            break
        if not row.strip() or set(row.strip()) == {"-"}:
            if top and not row.strip() and title is not None:
                break
            continue
        line = _line(number, row, words)
        if line.depth > len(open_lines) or (line.depth and open_lines[line.depth - 1].leaf is not None):
            raise DataError(f"line {number} stands below no question: {shorten(row)}.")
        (open_lines[line.depth - 1].below if line.depth else top).append(line)
        open_lines[line.depth :] = [line]
    if not top:
        raise DataError('there is no tree of J48 in it; give what Weka prints below "J48 pruned tree".')
    return top


def _line(number: int, row: str, words: _Words | None) -> _Line:
    bars = _DEPTH.match(row)
    start = 0 if bars is None else bars.end()
    rest = row[start:].rstrip()
    leaf = _LEAF.match(rest)
    readings = [] if words is None else words.readings(rest)
    if len(readings) > 1:
        raise DataError(f"line {number} can be read in several ways, even by the schema: {shorten(row)}.")
    if leaf is None or (readings and readings[0][1] is None):
        return _Line(number, start // 4, rest, None)
    test, _, label = leaf["body"].partition(": ")
    if readings:
        test, label = readings[0][0], str(readings[0][1])
    return _Line(number, start // 4, test.strip(), (label, float(leaf["weight"]), float(leaf["errors"] or 0.0)))


def _split(lines: Sequence[_Line], names: Sequence[str]) -> tuple[str, list[tuple[str, str]]]:
    """The attribute that the branches of a node test, and for each branch the operator and the value.

    names: of the attributes of a schema, which are tried first.
    """
    first = lines[0].test
    starts = sorted((place, operator) for operator in _OPERATORS for place in _places(first, operator))
    # two sides of a number before values
    for place, _ in sorted(starts, key=lambda one: (first[: one[0]] not in names, one[1] != " <= ")):
        name = first[:place]
        tests = [_after(line.test, name) for line in lines]
        if all(tests) and _fit([one for one in tests if one]):
            return name, [one for one in tests if one]
    raise DataError(f"line {lines[0].number} and its siblings are no branches of one question: {shorten(first)}.")


def _after(test: str, name: str) -> tuple[str, str] | None:
    """The operator and the value after a name; None: there is none."""
    operator = next((one for one in _OPERATORS if test.startswith(name + one)), None)
    return None if operator is None else (operator.strip(), test[len(name) + len(operator) :])


def _fit(branches: list[tuple[str, str]]) -> bool:
    """Whether branches form one question: two sides of a number, one value and the others, or one branch per value."""
    operators = [operator for operator, _ in branches]
    if operators in (["<=", ">"], ["=", "!="]):
        return branches[0][1] == branches[1][1] and (operators[0] == "=" or _is_number(branches[0][1]))
    values = [value for _, value in branches]
    return set(operators) == {"="} and len(set(values)) == len(values)


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d+)?([eE][-+]?\d+)?", text) is not None


class _Reader:
    def __init__(self, top: list[_Line], schema: Schema | None) -> None:
        self.top, self.user_schema = top, schema
        self.domains: dict[str, dict[str, None]] = {}
        self.labels: dict[int, str] = {}  # by the number of the line
        self.questions: dict[int, tuple[str, list[tuple[str, str]]]] = {}
        self._look(top)
        self.schema = schema if schema is not None else self._schema()
        if self.schema.classes is None:
            raise DataError("the schema names no classes; give one with its classes, as schema.with_target makes it.")
        self.classes = self.schema.classes
        self.places = {_text(label): place for place, label in enumerate(self.classes)}
        for number, label in sorted(self.labels.items()):
            if label not in self.places:
                raise DataError(f"line {number} answers {shorten(label)}, which is no class of the schema.")

    def _look(self, top: list[_Line]) -> None:
        """Find the question of every node, and the names of attributes and classes."""
        stack = [top]
        while stack:
            lines = stack.pop()
            if len(lines) == 1 and lines[0].test == "" and lines[0].leaf is not None:
                self.labels[lines[0].number] = lines[0].leaf[0]
                continue
            name, branches = _split(lines, () if self.user_schema is None else self.user_schema.names)
            self.questions[id(lines)] = (name, branches)
            domain = self.domains.setdefault(name, {})
            if branches[-1][0] == "!=" and self.user_schema is None:
                raise DataError(
                    f"line {lines[0].number} asks for one value of {name!r} and all others, which the text does not "
                    'name. Give the schema, for example quercus.files.read_file("table.arff").schema.'
                )
            if branches[0][0] != "<=":
                domain.update(dict.fromkeys(value for _, value in branches))
            for line in lines:
                if line.leaf is not None:
                    self.labels[line.number] = line.leaf[0]
                    if self.user_schema is None and domain and ": " in line.leaf[0]:
                        raise DataError(
                            f"line {line.number} can be read in several ways, since a value or a class of it holds "
                            f"': ': {shorten(line.leaf[0])}. Give the schema."
                        )
                elif not line.below:
                    raise DataError(f"line {line.number} has neither a class nor branches: {shorten(line.test)}.")
            stack += [line.below for line in reversed(lines) if line.below]

    def _schema(self) -> Schema:
        attributes = [
            Attribute(name, "nominal", tuple(values)) if values else Attribute(name, "numeric")
            for name, values in self.domains.items()
        ]
        return Schema(tuple(attributes)).with_target(
            None, tuple(dict.fromkeys(self.labels[number] for number in sorted(self.labels)))
        )

    def model(self) -> Model:
        """The model of all lines."""
        root = ReadNode([])
        stack = [(root, self.top)]
        order = []
        while stack:
            node, lines = stack.pop()
            order.append(node)
            if id(lines) not in self.questions:
                self._leaf(node, lines[0])
                continue
            children = [ReadNode([]) for _ in lines]
            self._ask(node, lines, children)
            for line, child in reversed(list(zip(lines, children, strict=True))):  # the first is read first
                if line.leaf is not None:
                    order.append(child)
                    self._leaf(child, line)
                else:
                    stack.append((child, line.below))
        for node in reversed(order):
            if node.ask is not None:
                node.value = [sum(parts) for parts in zip(*(child.value for child in node.children), strict=True)]
                node.weight = sum(child.weight for child in node.children)
                node.count = round(node.weight)
        return model_of(tree_of(root, self.schema, self.classes, empty_leaf="parent_distribution"))

    def _leaf(self, node: ReadNode, line: _Line) -> None:
        """The class weights of a leaf; its class has the largest weight."""
        assert line.leaf is not None
        label, weight, errors = line.leaf
        others = errors / max(len(self.classes) - 1, 1)
        own = max(weight - errors, others * (1.0 + 1e-9))  # tied, or rounded to a tie: it is the class that was chosen
        node.value = [own if place == self.places[label] else others for place in range(len(self.classes))]
        node.weight, node.count = weight, round(weight)
        if not weight:
            node.value = [0.0] * len(self.classes)

    def _ask(self, node: ReadNode, lines: list[_Line], children: list[ReadNode]) -> None:
        name, branches = self.questions[id(lines)]
        place = self.schema.position(name)
        attribute = self.schema[place]
        node.children = children
        if attribute.is_numeric:
            if branches[0][0] != "<=":
                raise DataError(f"line {lines[0].number} asks for values of {name!r}, which is {attribute.kind}.")
            node.ask = Ask(place, float(branches[0][1]))
            return
        texts = {_text(value): code for code, value in enumerate(attribute.values)}
        for line, (operator, value) in zip(lines, branches, strict=True):
            if operator in ("<=", ">") or value not in texts:
                raise DataError(f"line {line.number} asks for {shorten(value)}, which is no value of {name!r}.")
        if branches[-1][0] == "!=":
            one = texts[branches[0][1]]
            node.ask = Ask(place, table=tuple(int(code != one) for code in range(attribute.n_values)))
            return
        table = [-1] * attribute.n_values
        for branch, (_, value) in enumerate(branches):
            table[texts[value]] = branch
        node.ask = Ask(place, table=tuple(table))


def _text(value: Any) -> str:
    """A value as Weka prints it."""
    return str(value).lower() if isinstance(value, bool) else str(value)

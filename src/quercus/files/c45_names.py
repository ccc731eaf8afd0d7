"""C4.5's .names and .costs: the classes, the attributes with their kinds and values, the costs of mistakes."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass

from quercus.errors import did_you_mean, shorten, shown_list
from quercus.files.content import Content, decode
from quercus.files.place import file_error
from quercus.files.rules import ColumnRule

__all__ = ["C45Attribute", "C45Names", "Name", "read_costs", "read_names", "read_parts"]

_WEIGHT = "case weight"
_WORDS = ("continuous", "ignore", "label", "date", "time", "timestamp")


@dataclass(frozen=True)
class Name:
    """One name of a file: its text, its place, and the sign that ended it (',', ':', '.' or '' for a line's end)."""

    text: str
    line: int
    column: int
    end: str


@dataclass(frozen=True)
class C45Attribute:
    """One attribute: its name, its rule, and, for ``discrete N``, how many values it may have."""

    name: str
    rule: ColumnRule
    most: int | None = None


@dataclass(frozen=True)
class C45Names:
    """The content of a .names file: the attributes in the order of the data, the target and its classes.

    - last: the class is the last value of each case (C4.5); else the target is one of the attributes (C5.0).
    - weight: the attribute that holds the weight of each case (C5.0's ``case weight: continuous``).
    """

    attributes: tuple[C45Attribute, ...]
    target: str
    classes: tuple[str, ...] | None
    last: bool
    weight: str | None = None


def read_parts(path: str, text: str) -> list[Name]:
    """Divide a .names or .costs file into names.

    A name ends at a comma, a colon, the end of the line, or a period that blanks or a comment follow; | begins a
    comment; a backslash takes the next character as it is; several blanks count as one.

    >>> [(name.text, name.end) for name in read_parts("a.names", "play, don't play. | classes\\nwind: a\\\\, b.")]
    [('play', ','), ("don't play", '.'), ('wind', ':'), ('a, b', '.')]
    """
    parts: list[Name] = []
    for number, line in enumerate(re.split(r"\r\n?|\n", text), start=1):
        position = 0
        while True:
            while position < len(line) and line[position].isspace():
                position += 1
            if position == len(line) or line[position] == "|":
                break
            name, end, after = _one_name(path, line, position, number)
            parts.append(Name(name, number, position + 1, end))
            position = after
    return parts


def _one_name(path: str, line: str, start: int, number: int) -> tuple[str, str, int]:
    """Return a name, the sign that ended it and the position after the sign."""
    kept: list[str] = []
    position = start
    while position < len(line):
        sign = line[position]
        if sign == "\\":
            if position + 1 == len(line):
                raise file_error(path, "expected a character after the backslash.", number, position + 1)
            kept.append(line[position + 1])
            position += 2
            continue
        after = line[position + 1 : position + 2]
        if sign == "|" or sign in ",:" or (sign == "." and (not after or after.isspace() or after == "|")):
            break
        kept.append(sign)
        position += 1
    text = " ".join("".join(kept).split())
    if position == len(line) or line[position] == "|":
        return text, "", len(line)
    return text, line[position], position + 1


def read_names(content: Content) -> C45Names:
    """Read a .names file: C4.5's (classes first), or C5.0's that begins with the name of the attribute to predict.

    Kinds: ``continuous`` is numeric; a list of values, or ``discrete N`` (at most N values, found in the data), is
    nominal; ``[ordered]`` before a list makes it ordered; ``ignore`` and ``label`` are no attributes; ``date`` and
    ``timestamp`` are dates. ``case weight: continuous`` is no attribute either, but the weight of each case.

    >>> names = read_names(Content("golf.names", b"play, stay.\\noutlook: sunny, rain.\\nhumidity: continuous.\\n", ""))
    >>> names.classes, [(attribute.name, attribute.rule.kind) for attribute in names.attributes]
    (('play', 'stay'), [('outlook', 'nominal'), ('humidity', 'numeric')])
    """
    path = content.path
    parts = read_parts(path, decode(content))
    if not parts:
        raise file_error(path, "expected the classes and the attributes, found only comments.")
    classes: list[Name] = []
    while len(classes) < len(parts):
        classes.append(parts[len(classes)])
        if classes[-1].end != ",":
            break
    if classes[-1].end == ":":
        problem = (
            f"expected the classes, or the name of the attribute to predict, found {classes[0].text!r} with a ':'."
        )
        raise file_error(path, problem, classes[0].line, classes[0].column)
    _refuse_repeats(path, classes, "class")
    attributes = _attributes(path, parts[len(classes) :])
    if not attributes:
        raise file_error(path, "expected attributes after the classes, found none.", classes[-1].line)
    attributes, listed = _included(path, attributes)
    labels = tuple(name.text for name in classes)
    weight = next((item.name for item in listed if item.name == _WEIGHT and item.rule.kind == "numeric"), None)
    named = next((attribute for attribute in listed if attribute.name == labels[0]), None)
    if len(labels) == 1 and named is not None:
        return C45Names(tuple(attributes), named.name, named.rule.values, False, weight)
    target = "class"
    while target in {attribute.name for attribute in attributes}:
        target += "_"
    return C45Names(tuple(attributes), target, labels, True, weight)


def _refuse_repeats(path: str, names: list[Name], what: str) -> None:
    seen: set[str] = set()
    for name in names:
        if not name.text or name.text in seen:
            problem = (
                f"the {what} {shorten(name.text)} comes twice." if name.text else f"expected a {what}, found nothing."
            )
            raise file_error(path, problem, name.line, name.column)
        seen.add(name.text)


def _attributes(path: str, parts: list[Name]) -> list[C45Attribute]:
    attributes: list[C45Attribute] = []
    seen: set[str] = set()
    position = 0
    while position < len(parts):
        name = parts[position]
        if name.end != ":":
            problem = f"expected the name of an attribute and ':', found {shorten(name.text)}."
            raise file_error(path, problem, name.line, name.column)
        if not name.text:
            raise file_error(path, "expected the name of an attribute before ':'.", name.line, name.column)
        if name.text in seen:
            raise file_error(path, f"the attribute {name.text!r} is declared twice.", name.line, name.column)
        seen.add(name.text)
        values: list[Name] = []
        position += 1
        while position < len(parts):
            values.append(parts[position])
            position += 1
            if values[-1].end != ",":
                break
        if not values or values[-1].end == ":":
            problem = f"expected the values or the kind of {name.text!r}, and '.' or the end of the line after them."
            place = values[-1] if values else name
            raise file_error(path, problem, place.line, place.column)
        attributes.append(_attribute(path, name, values))
    return attributes


def _attribute(path: str, name: Name, values: list[Name]) -> C45Attribute:
    first = values[0].text
    word = first.lower()
    if len(values) == 1:
        if word == "continuous":
            return C45Attribute(name.text, ColumnRule("numeric"))
        if word in ("ignore", "label"):
            return C45Attribute(name.text, ColumnRule(ignore=True))
        if word in ("date", "timestamp", "time"):
            return C45Attribute(name.text, ColumnRule("date", read_date=_READERS[word]))
        count = re.fullmatch(r"discrete\s+(\d{1,9})", word)
        if count is not None and int(count[1]) > 0:
            return C45Attribute(name.text, ColumnRule("nominal"), int(count[1]))
        if word.startswith("discrete"):
            problem = f"expected 'discrete N' with a number of values, found {shorten(first)}."
            raise file_error(path, problem, values[0].line, values[0].column)
        if first.startswith("="):
            problem = f"the attribute {name.text!r} is defined by a formula, which cannot be read."
            raise file_error(path, f"{problem} Compute its values first.", values[0].line, values[0].column)
    ordered = re.match(r"\[ordered\]\s*", first, re.IGNORECASE)
    if ordered:
        values = [Name(first[ordered.end() :], values[0].line, values[0].column, values[0].end), *values[1:]]
    _refuse_repeats(path, values, "value")
    if len(values) == 1 and not ordered:
        hint = did_you_mean(word, [*_WORDS, "discrete 10"])
        if hint:
            problem = f"expected the kind or the values of {name.text!r}, found {shorten(first)}.{hint}"
            raise file_error(path, problem, values[0].line, values[0].column)
    rule = ColumnRule("ordered" if ordered else "nominal", tuple(value.text for value in values))
    return C45Attribute(name.text, rule)


def _date(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text.replace("/", "-"))


_READERS = {"date": _date, "timestamp": _date, "time": dt.time.fromisoformat}


def _included(path: str, attributes: list[C45Attribute]) -> tuple[list[C45Attribute], list[C45Attribute]]:
    """Apply C5.0's entries ``attributes included`` and ``attributes excluded``: the others, or these, are ignored."""
    real = [item for item in attributes if item.name not in ("attributes included", "attributes excluded")]
    for entry in attributes:
        if entry in real:
            continue
        listed = entry.rule.values or ()
        known = {item.name for item in real}
        strange = [name for name in listed if name not in known]
        if strange:
            raise file_error(path, f"{entry.name}: there is no attribute {shown_list(strange)}.")
        excluded, named = entry.name.endswith("excluded"), set(listed)
        real = [
            C45Attribute(item.name, ColumnRule(ignore=True))
            if (item.name in named) == excluded and item.name != _WEIGHT
            else item
            for item in real
        ]
    return real, real


def read_costs(content: Content, classes: tuple[str, ...]) -> dict[tuple[str, str], float]:
    """Read a .costs file: lines ``predicted class, true class: cost``. The result has the true class first.

    Pairs that are not listed cost 1, as everywhere in this library.

    >>> read_costs(Content("a.costs", b"well, ill: 10\\n", ""), ("well", "ill"))
    {('ill', 'well'): 10.0}
    """
    path = content.path
    parts = read_parts(path, decode(content))
    costs: dict[tuple[str, str], float] = {}
    for start in range(0, len(parts), 3):
        entry = parts[start : start + 3]
        ends = [name.end for name in entry]
        if len(entry) < 3 or ends[:2] != [",", ":"] or ends[2] not in ("", "."):
            problem = "expected 'predicted class, true class: cost', one per line."
            raise file_error(path, problem, entry[0].line, entry[0].column)
        for name in entry[:2]:
            if name.text not in classes:
                problem = f"expected a class, one of {shown_list(classes)}, found {shorten(name.text)}."
                raise file_error(path, problem + did_you_mean(name.text, classes), name.line, name.column)
        cost = _cost(path, entry[2])
        pair = (entry[1].text, entry[0].text)
        if pair[0] == pair[1] and cost:
            problem = f"the right answer {pair[0]!r} has a cost; it must be 0."
            raise file_error(path, problem, entry[0].line, entry[0].column)
        if pair in costs:
            problem = f"the cost of predicted {pair[1]!r}, true {pair[0]!r} is given twice."
            raise file_error(path, problem, entry[0].line, entry[0].column)
        costs[pair] = cost
    return costs


def _cost(path: str, name: Name) -> float:
    if not re.fullmatch(r"\d{1,300}(?:\.\d*)?|\.\d+", name.text):
        problem = f"expected a cost, a number of 0 or more, found {shorten(name.text)}."
        raise file_error(path, problem, name.line, name.column)
    return float(name.text)

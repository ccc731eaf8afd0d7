"""Predicates of PMML as tests of one field: the values that pass, and the result for an unknown value."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from quercus.errors import DataError, shorten
from quercus.imports.pmml_document import Field, number_of
from quercus.imports.pmml_ranges import Range
from quercus.imports.scikit_learn import exact_thresholds

#: Numbers above the first and up to the second.
Pieces = tuple[tuple[float, float], ...]
_ALL: Pieces = ((-math.inf, math.inf),)
_TOKEN = re.compile(r'"((?:\\"|[^"])*)"|(\S+)')
#: Stands among codes for all values that a field without listed values allows and no predicate names.
OTHERS = -1
PREDICATES = ("SimplePredicate", "SimpleSetPredicate", "CompoundPredicate", "True", "False")


@dataclass(frozen=True)
class Test:
    """A predicate about one field.

    field: its name; None: the predicate is the same for all rows. pieces: the numbers that pass. codes: the values that
    pass, and OTHERS if all others do; None: of a field of numbers. unknown: what it says of a missing value: True,
    False, or None for unknown. without: values that are unknown to it although they are known.
    """

    field: str | None
    pieces: Pieces = ()
    codes: frozenset[int] | None = None
    unknown: bool | None = None
    without: frozenset[int] = frozenset()

    @property
    def constant(self) -> bool | None:
        """The result for every row; None: it depends on the row."""
        return self.unknown if self.field is None else None


class Tests:
    """Reads predicates.

    fields: of the data dictionary. domains: the values of each nominal field; those of fields that list none are filled
    in by what predicates name. derived: fields that stand for others, with the values that these know. ranges: of
    fields of numbers.
    """

    def __init__(
        self, fields: dict[str, Field], derived: dict[str, tuple[str, frozenset[int]]], ranges: dict[str, Range]
    ) -> None:
        self.fields, self.derived, self.ranges = fields, derived, ranges
        self.domains = {
            name: {value: code for code, value in enumerate(field.domain)}
            for name, field in fields.items()
            if not field.continuous
        }
        self.read_with: dict[str, Callable[[Element], Test]] = {
            "True": lambda _: Test(None, unknown=True),
            "False": lambda _: Test(None, unknown=False),
            "SimplePredicate": self._simple,
            "SimpleSetPredicate": self._set,
            "CompoundPredicate": self._compound,
        }

    def read(self, predicate: Element) -> Test:
        """The test of a predicate."""
        if predicate.tag not in self.read_with:
            raise DataError(f"{predicate.tag} is no predicate that an import reads.")
        return self.read_with[predicate.tag](predicate)

    def is_open(self, name: str) -> bool:
        """Whether a field allows any value, since it lists none."""
        return not self.fields[name].continuous and not self.fields[name].domain

    def _all_codes(self, name: str) -> frozenset[int]:
        """The codes of all values that a field allows."""
        return frozenset(range(len(self.domains[name]))) | ({OTHERS} if self.is_open(name) else set())

    def codes_of(self, name: str, values: Sequence[Any]) -> list[int]:
        """The codes of values; for a field without a list, new values are added to it."""
        domain = self.domains[name]
        if self.is_open(name):
            for value in values:
                domain.setdefault(value, len(domain))
        return [domain[value] for value in values if value in domain]  # others never occur

    def _field(self, predicate: Element) -> tuple[Field, frozenset[int]]:
        """The field of a predicate, and those of its values that count as unknown there."""
        name = predicate.get("field", "")
        base, without = self.derived.get(name, (name, frozenset[int]()))
        if base not in self.fields:
            raise DataError(f"A predicate asks for {shorten(name)}, which is no field of the data dictionary.")
        refused = self.ranges[base].refused if base in self.ranges else None
        if refused is not None:
            raise DataError(refused)
        return self.fields[base], without

    def _numbers(self, field: Field, pieces: Pieces) -> Test:
        """The test of numbers; those outside the range of a field count as its ends."""
        limits = self.ranges.get(field.name, Range())
        return Test(field.name, _clamped(pieces, limits.low, limits.high, field.kind == "float"))

    def _simple(self, predicate: Element) -> Test:
        field, without = self._field(predicate)
        operator, text = predicate.get("operator", ""), predicate.get("value")
        if operator == "isMissing":
            return Test(field.name, (), None if field.continuous else frozenset(), True)
        if operator == "isNotMissing":
            return replace(self._everything({field.name}), unknown=False)
        where = f"A predicate of {field.name!r}"
        if text is None:
            raise DataError(f"{where} has no value.")
        if field.continuous:
            return self._numbers(field, _pieces(operator, number_of(text, where), field.kind == "float", where))
        places = self.codes_of(field.name, [field.value(text)])
        return Test(field.name, codes=self._compared(field, operator, places, where), without=without)

    def _compared(self, field: Field, operator: str, places: list[int], where: str) -> frozenset[int]:
        """The codes that pass a comparison."""
        if operator == "equal":
            return frozenset(places)
        everything = self._all_codes(field.name)
        if operator == "notEqual":
            return everything - set(places)
        orders: dict[str, Callable[[int, int], bool]] = {
            "lessThan": lambda code, place: code < place,
            "lessOrEqual": lambda code, place: code <= place,
            "greaterThan": lambda code, place: code > place,
            "greaterOrEqual": lambda code, place: code >= place,
        }
        if operator not in orders or not field.ordinal or not places or self.is_open(field.name):
            raise DataError(f"{where} has the operator {shorten(operator)}, which an import cannot read there.")
        return frozenset(code for code in everything if orders[operator](code, places[0]))

    def _set(self, predicate: Element) -> Test:
        field, without = self._field(predicate)
        array, operator = predicate.find("Array"), predicate.get("booleanOperator")
        if array is None or operator not in ("isIn", "isNotIn"):
            raise DataError(f"A set predicate of {field.name!r} needs an Array, and isIn or isNotIn.")
        texts = [bare if bare else quoted.replace('\\"', '"') for quoted, bare in _TOKEN.findall(array.text or "")]
        where = f"A set of {field.name!r}"
        if field.continuous:
            points = _union([_pieces("equal", number_of(text, where), field.kind == "float", where) for text in texts])
            return self._numbers(field, points if operator == "isIn" else complement(points))
        codes = frozenset(self.codes_of(field.name, [field.value(text) for text in texts]))
        if operator == "isNotIn":
            codes = self._all_codes(field.name) - codes
        return Test(field.name, codes=codes, without=without)

    def _compound(self, predicate: Element) -> Test:
        operator = predicate.get("booleanOperator")
        if operator not in ("and", "or"):
            raise DataError(
                f"A compound predicate has the operator {shorten(operator)}; an import takes and, or, and surrogate "
                "for the branches of a node."
            )
        tests = [self.read(part) for part in predicate if part.tag in PREDICATES]
        names = {test.field for test in tests} - {None}
        if len(names) > 1:
            raise DataError(
                f"A predicate joins the fields {' and '.join(sorted(map(repr, names)))} by {operator}; in a tree an "
                "import takes predicates of one field."
            )
        return _joined(tests, operator == "and", self._everything(names))

    def _everything(self, names: set[str | None]) -> Test:
        """The test that every known value of a field passes."""
        name = next(iter(names), None)
        if name is None:
            return Test(None, unknown=True)
        if self.fields[name].continuous:
            return Test(name, _ALL)
        return Test(name, codes=self._all_codes(name))


def _joined(tests: Sequence[Test], both: bool, everything: Test) -> Test:
    """Tests of one field joined by and, or by or."""
    results = [test.unknown for test in tests]
    unknown = (not both) if (not both) in results else None if None in results else both
    if everything.field is None:
        return Test(None, unknown=unknown)
    whole = [test for test in tests if test.field is not None]
    constants = [test.unknown for test in tests if test.field is None]
    without = frozenset().union(*(test.without for test in whole))
    if (not both) in constants:
        whole = [] if both else [everything]
    if everything.codes is not None:
        sets = [test.codes or frozenset() for test in whole] or [frozenset()]
        codes = frozenset.intersection(*sets) if both else frozenset().union(*sets)
        return Test(everything.field, codes=codes, unknown=unknown, without=without)
    pieces: Pieces = _ALL if both and whole else ()
    for test in whole:
        pieces = _intersection(pieces, test.pieces) if both else _union([pieces, test.pieces])
    return Test(everything.field, pieces, unknown=unknown)


def _pieces(operator: str, value: float, is_float: bool, where: str) -> Pieces:
    """The numbers that pass a comparison."""

    def up_to(strict: bool) -> float:
        """The largest double that is at most the value, or below it; in float32 that rounds to such a number."""
        if not is_float:
            return math.nextafter(value, -math.inf) if strict else value
        near = np.float32(value)
        near = np.nextafter(near, np.float32(-np.inf)) if strict else near
        return float(exact_thresholds(np.array([float(near)]))[0])

    pieces: dict[str, Callable[[], Pieces]] = {
        "lessOrEqual": lambda: ((-math.inf, up_to(False)),),
        "lessThan": lambda: ((-math.inf, up_to(True)),),
        "greaterThan": lambda: ((up_to(False), math.inf),),
        "greaterOrEqual": lambda: ((up_to(True), math.inf),),
        "equal": lambda: ((up_to(True), up_to(False)),),
        "notEqual": lambda: ((-math.inf, up_to(True)), (up_to(False), math.inf)),
    }
    if operator not in pieces:
        raise DataError(f"{where} has the operator {shorten(operator)}, which PMML does not have.")
    return pieces[operator]()


def _clamped(pieces: Pieces, low: float, high: float, is_float: bool) -> Pieces:
    """The numbers that pass if smaller ones than low count as low, and larger ones than high as high."""
    below, above = -math.inf, math.inf
    outer: list[tuple[float, float]] = []
    for end, operator in ((low, "lessOrEqual"), (high, "greaterOrEqual")):
        if math.isfinite(end):
            (outside,) = _pieces(operator, end, is_float, "")
            below, above = (outside[1], above) if operator == "lessOrEqual" else (below, outside[0])
            value = float(np.float32(end)) if is_float else end
            outer += [outside] if any(begin < value <= last for begin, last in pieces) else []
    return _union([_intersection(pieces, ((below, above),)), tuple(outer)])


def complement(pieces: Pieces) -> Pieces:
    """The numbers that are in none of the pieces."""
    result, low = [], -math.inf
    for begin, end in pieces:
        if begin > low:
            result.append((low, begin))
        low = end
    return (*result, (low, math.inf)) if low < math.inf else tuple(result)


def _union(several: Sequence[Pieces]) -> Pieces:
    result: list[tuple[float, float]] = []
    for low, high in sorted(piece for pieces in several for piece in pieces):
        if result and low <= result[-1][1]:
            result[-1] = (result[-1][0], max(result[-1][1], high))
        else:
            result.append((low, high))
    return tuple(result)


def _intersection(one: Pieces, other: Pieces) -> Pieces:
    both = [(max(a, c), min(b, d)) for a, b in one for c, d in other]
    return tuple(sorted((low, high) for low, high in both if low < high))

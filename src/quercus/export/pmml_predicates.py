"""The predicates of an export to PMML: the conditions of branches and rules."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from quercus.data.schema import Attribute
from quercus.export.pmml_fields import Fields
from quercus.export.pmml_xml import Document, number, value_as_text
from quercus.export.program import Ask, Program, TreeTable


@dataclass(frozen=True)
class Part:
    """The condition of one branch: an operator and a value, or the codes of some values of an attribute."""

    place: int
    name: str
    operator: str = ""
    value: str | None = None
    codes: list[int] | None = None


class Predicates:
    """Writes predicates.

    Where a question has surrogates, a value that has no branch must be unknown to it, while other questions know it.
    So a derived field stands for the attribute there: its value if that has a branch, else missing.
    """

    def __init__(self, program: Program, xml: Document, fields: Fields) -> None:
        self.program, self.xml, self.fields = program, xml, fields
        self._derived: dict[tuple[int, tuple[int, ...]], str] = {}
        for table in program.trees():
            for node in range(table.size if table.has_surrogates else 0):
                surrogates = table.surrogates(node)
                for ask in (table.ask(node), *surrogates) if surrogates else ():
                    self._derive(self._of_codes(ask))

    def _derive(self, ask: Ask) -> None:
        if ask.cut is None and -1 in ask.table:
            key = (ask.attribute, _known(ask))
            if key not in self._derived:
                self._derived[key] = self.fields.free_name(
                    f"{self.program.schema[ask.attribute].name} known {len(self._derived)}"
                )

    def dictionary(self) -> None:
        """Write the derived fields."""
        if not self._derived:
            return
        with self.xml.element("TransformationDictionary"):
            for (place, codes), name in self._derived.items():
                attribute = self.program.schema[place]
                kind = self.fields.type_of(attribute)
                with (
                    self.xml.element("DerivedField", name=name, optype="categorical", dataType=kind),
                    self.xml.element("Apply", function="if"),
                ):
                    self._has_branch(attribute, codes)
                    self.xml.empty("FieldRef", field=attribute.name)

    def _has_branch(self, attribute: Attribute, codes: tuple[int, ...]) -> None:
        """Whether the value is one of these; an empty text is never listed, since PMML4S takes it to be missing."""
        rest = sorted(set(range(attribute.n_values)) - set(codes))
        empty = "" in (attribute.values[code] for code in codes)
        with self.xml.element("Apply", function="isNotIn" if empty else "isIn"):
            self.xml.empty("FieldRef", field=attribute.name)
            for code in rest if empty else codes:
                with self.xml.element("Constant", dataType=self.fields.type_of(attribute)):
                    self.xml.characters(value_as_text(attribute.values[code]))

    def _of_codes(self, ask: Ask) -> Ask:
        """A cut of an ordered attribute as a table of its values; other questions stay as they are."""
        attribute = self.program.schema[ask.attribute]
        if attribute.kind != "ordered" or ask.cut is None or ask.cut == math.inf:
            return ask
        low, high = (1, 0) if ask.swapped else (0, 1)
        table = tuple(low if code <= ask.cut else high for code in range(attribute.n_values))
        return replace(ask, cut=None, table=table, swapped=False)

    # Branches of a tree

    def branches(self, table: TreeTable, node: int) -> list[list[Part]]:
        """The conditions of each branch of a node: of its question, and of its surrogates."""
        surrogates = table.surrogates(node) if table.has_surrogates else []
        size, missing = len(table.children(node)), None if surrogates else table.missing(node)
        asks = [self._parts(self._of_codes(ask), size, missing) for ask in (table.ask(node), *surrogates)]
        return [list(parts) for parts in zip(*asks, strict=True)]

    def _parts(self, ask: Ask, size: int, missing: int | None) -> list[Part]:
        """The conditions of one question, branch by branch.

        missing: the branch that takes values without a branch; −1: none does; None: they are unknown.
        """
        place = ask.attribute
        name = self.program.schema[place].name
        if ask.cut == math.inf:
            return [Part(place, name, "isNotMissing"), Part(place, name, "isMissing")]
        if ask.cut is not None:
            sides = [Part(place, name, operator, number(ask.cut)) for operator in ("lessOrEqual", "greaterThan")]
            return sides[::-1] if ask.swapped else sides
        groups: list[list[int]] = [[] for _ in range(size + 1)]  # the last: values without a branch
        for code, branch in enumerate(ask.table):
            groups[branch].append(code)
        if missing is None:
            name = self._derived.get((place, _known(ask)), name)
        elif missing >= 0:
            groups[missing] = sorted(groups[missing] + groups[-1])
        parts = [Part(place, name, codes=codes) for codes in groups[:-1]]
        if missing is not None and missing >= 0 and not groups[missing]:
            parts[missing] = Part(place, name, "isMissing")
        return parts

    def write(self, parts: list[Part]) -> None:
        """Write the predicate of one branch."""
        if len(parts) == 1:
            self._part(parts[0])
            return
        with self.xml.element("CompoundPredicate", booleanOperator="surrogate"):
            for part in parts:
                self._part(part)

    def _part(self, part: Part) -> None:
        if part.codes is None:
            self._simple(part.name, part.operator, part.value)
        else:
            self._set(part.place, part.name, part.codes)

    def _simple(self, name: str, operator: str, value: str | None = None) -> None:
        self.xml.empty("SimplePredicate", field=name, operator=operator, value=value)

    def _set(self, place: int, name: str, codes: list[int]) -> None:
        """Write the predicate that a field has one of some values."""
        attribute = self.program.schema[place]
        texts, kind = [value_as_text(attribute.values[code]) for code in codes], self.fields.type_of(attribute)
        if not texts:
            self.xml.empty("False")
        elif len(texts) == 1 and kind != "double":  # PMML4S finds a double in a set only
            self._simple(name, "equal", texts[0])
        elif kind == "string" and any(_is_awkward(text) for text in texts):
            with self.xml.element("CompoundPredicate", booleanOperator="or"):
                for text in texts:
                    self._simple(name, "equal", text)
        else:
            with self.xml.element("SimpleSetPredicate", field=name, booleanOperator="isIn"):
                kinds = {"integer": "int", "double": "real"}
                with self.xml.element("Array", n=str(len(texts)), type=kinds.get(kind, "string")):
                    quoted = (f'"{text}"' if kind == "string" else text for text in texts)
                    self.xml.characters(" ".join(quoted))

    # Rules

    def rule(self, tests: list[dict[str, Any]]) -> None:
        """Write the predicate that all conditions of a rule hold."""
        if not tests:
            self.xml.empty("True")
        elif len(tests) == 1:
            self._condition(tests[0])
        else:
            with self.xml.element("CompoundPredicate", booleanOperator="and"):
                for test in tests:
                    self._condition(test)

    def _condition(self, test: dict[str, Any]) -> None:
        """Write one condition of a rule."""
        attribute = self.program.schema[test["attribute"]]
        if not test.get("unknown"):
            self._known_condition(test)
        elif test.get("codes") == []:
            self._simple(attribute.name, "isMissing")
        else:
            with self.xml.element("CompoundPredicate", booleanOperator="or"):
                self._simple(attribute.name, "isMissing")
                self._known_condition(test)

    def _known_condition(self, test: dict[str, Any]) -> None:
        place = test["attribute"]
        attribute = self.program.schema[place]
        low, high = test.get("above", -math.inf), test.get("up_to", math.inf)
        if "codes" in test:
            self._set(place, attribute.name, list(test["codes"]))
        elif low == -math.inf and high == math.inf:
            self._simple(attribute.name, "isNotMissing")
        elif attribute.kind == "ordered":
            self._set(place, attribute.name, [code for code in range(attribute.n_values) if low < code <= high])
        elif low == -math.inf:
            self._simple(attribute.name, "lessOrEqual", number(high))
        elif high == math.inf:
            self._simple(attribute.name, "greaterThan", number(low))
        else:
            with self.xml.element("CompoundPredicate", booleanOperator="and"):
                self._simple(attribute.name, "greaterThan", number(low))
                self._simple(attribute.name, "lessOrEqual", number(high))


def _known(ask: Ask) -> tuple[int, ...]:
    """The codes that have a branch."""
    return tuple(code for code, branch in enumerate(ask.table) if branch >= 0)


def _is_awkward(text: str) -> bool:
    """Whether engines may misread a text in an array."""
    return not text or any(sign in text for sign in '"\\\n\r\t') or text != text.strip()

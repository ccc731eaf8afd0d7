"""Rules of PMML as a rule list: a RuleSetModel, or a tree of one level whose first child that holds answers."""

from __future__ import annotations

import math
from typing import Any
from xml.etree.ElementTree import Element

from quercus.data.schema import Schema
from quercus.errors import DataError, shorten
from quercus.imports.pmml_tests import PREDICATES, Test, Tests
from quercus.imports.pmml_trees import Answers
from quercus.rules.condition import Condition, Interval, ValueSet, merged
from quercus.rules.rule import Rule
from quercus.rules.rule_list import RuleList


class RuleReader:
    """Reads rules. schema: of all fields. classes: None: numbers are answered. answers: of the target."""

    def __init__(self, tests: Tests, schema: Schema, classes: tuple[Any, ...] | None, answers: Answers) -> None:
        self.tests, self.schema, self.classes, self.answers = tests, schema, classes, answers

    def rule_set(self, model: Element) -> RuleList:
        """The rules of a RuleSetModel."""
        rules = model.find("RuleSet")
        method = None if rules is None else rules.find("RuleSelectionMethod")
        if rules is None or method is None or method.get("criterion") != "firstHit":
            raise DataError('A RuleSetModel is read if its first RuleSelectionMethod is "firstHit"; this is another.')
        if rules.find("CompoundRule") is not None:
            raise DataError("A CompoundRule is not read; write its rules as SimpleRules.")
        default = Element("Node", {"score": rules.get("defaultScore", "")})
        default.extend(rules.findall("ScoreDistribution"))
        return self._list(rules.findall("SimpleRule"), default)

    def is_list(self, model: Element) -> bool:
        """Whether a TreeModel is a rule list: its root's children are leaves, the last of which is always true."""
        parts = model.findall("Node/Node")
        flat = parts and not model.findall("Node/Node/Node") and parts[-1].find("True") is not None
        return bool(flat) and model.get("missingValueStrategy", "none") == "none"

    def tree(self, model: Element) -> RuleList:
        """The rules of a tree of one level."""
        parts = model.findall("Node/Node")
        return self._list(parts[:-1], parts[-1])

    def _list(self, parts: list[Element], last: Element) -> RuleList:
        rules = [rule for part in parts if (rule := self._rule(part)) is not None]
        default = self._rule(last, always=True)
        assert default is not None
        return RuleList(
            tuple(rules), default.consequent, self.schema, self.classes, default_weights=default.class_weights
        )

    def _rule(self, part: Element, always: bool = False) -> Rule | None:
        """One rule; None: it never holds."""
        where = f"Rule {shorten(part.get('id', 'without id'))}"
        value, label = self.answers.value(part, where)
        predicate = None if always else next((one for one in part if one.tag in PREDICATES), None)
        if predicate is None and not always:
            raise DataError(f"{where} has no predicate.")
        try:
            conditions = () if predicate is None else self._conditions(predicate)
        except DataError as error:
            raise DataError(f"{where}: {error}") from error
        if conditions is None:
            return None
        covered = float(part.get("recordCount") or sum(value))
        if self.classes is None:
            return Rule(conditions, value[0], covered=covered)
        if label is None:
            raise DataError(f"{where} has no score.")
        return Rule(conditions, label, self.classes, covered=covered, correct=value[label], class_weights=tuple(value))

    def _conditions(self, predicate: Element) -> tuple[Condition, ...] | None:
        """The conditions that must all hold; None: they can never all hold."""
        parts = [predicate]
        if predicate.get("booleanOperator") == "and":
            parts = [part for part in predicate if part.tag in PREDICATES]
        conditions = []
        for part in parts:
            test = self.tests.read(part)
            if test.constant is False:
                return None
            if test.field is not None:
                conditions.append(self._condition(test))
        return merged(conditions)

    def _condition(self, test: Test) -> Condition:
        attribute = self.schema[str(test.field)]
        unknown = test.unknown is True
        if test.codes is not None and attribute.kind != "ordered":
            return ValueSet(attribute, test.codes, unknown)
        pieces = test.pieces
        if test.codes is not None:
            codes = sorted(test.codes)
            pieces = ((codes[0] - 0.5, codes[-1] + 0.5),) if codes else ()
            if codes and len(codes) != codes[-1] - codes[0] + 1:
                raise DataError(f"a condition on {test.field!r} takes values that do not stand together in its order.")
        if len(pieces) > 1:
            raise DataError(f"a condition on {test.field!r} takes several ranges of numbers; an import takes one.")
        low, high = pieces[0] if pieces else (math.inf, -math.inf)
        return Interval(attribute, low, high, unknown)

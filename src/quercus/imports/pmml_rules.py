"""Rules of PMML as a rule list: a RuleSetModel, or a tree of one level whose first child that holds answers."""

from __future__ import annotations

import math
from typing import Any
from xml.etree.ElementTree import Element

from quercus.data.schema import Schema
from quercus.errors import DataError, shorten
from quercus.imports.pmml_document import number_of
from quercus.imports.pmml_tests import OTHERS, PREDICATES, Test, Tests
from quercus.imports.pmml_trees import Answers, others_apart
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
        if rules.get("defaultScore") is None:
            raise DataError(
                "The RuleSet has no defaultScore, so that rows that no rule takes get no answer, which rules of "
                "Quercus cannot say. Give it a defaultScore."
            )
        default = Element("Node", {"id": "defaultScore", "score": rules.get("defaultScore", "")})
        if rules.get("defaultConfidence") is not None:
            default.set("confidence", rules.get("defaultConfidence", ""))
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
        count = part.get("recordCount")
        covered = None if count is None else _at_least_0(count, where, "recordCount")
        if not self.classes:
            return Rule(conditions, value[0], covered=1.0 if covered is None else covered)
        if label is None:
            raise DataError(f"{where} has no score.")
        if part.find("ScoreDistribution") is None:
            value = _weights(part, where, label, len(value), covered)
        total = sum(value)
        covered = total if covered is None else covered
        correct = value[label] if covered == total else value[label] / total * covered  # shares, not counts
        return Rule(conditions, label, self.classes, covered=covered, correct=correct, class_weights=tuple(value))

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
        if test.codes is not None and self.tests.is_open(attribute.name) and (OTHERS in test.codes) != unknown:
            raise DataError(others_apart(attribute.name))
        if test.codes is not None and attribute.kind != "ordered":
            return ValueSet(attribute, test.codes - {OTHERS}, unknown)
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


def _at_least_0(text: str, where: str, name: str) -> float:
    number = number_of(text, f"{name} of {where}")
    if number < 0:
        raise DataError(f"{where} has the negative {name} {number!r}.")
    return number


def _weights(part: Element, where: str, label: int, size: int, covered: float | None) -> list[float]:
    """The class weights of a rule that tells only how many of its rows are right, or their share.

    The others get equal parts of the rest: the rule does not tell of which classes they are.
    """
    right, confidence = part.get("nbCorrect"), part.get("confidence")
    whole = covered or 1.0
    if covered and right is not None:
        own = _at_least_0(right, where, "nbCorrect")
    else:
        own = whole * (1.0 if confidence is None else _at_least_0(confidence, where, "confidence"))
    if own > whole:
        raise DataError(f"{where} is right for {own:g} rows, more than the {whole:g} that it covers.")
    return [own if code == label else (whole - own) / (size - 1) for code in range(size)]

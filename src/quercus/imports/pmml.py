"""Import from PMML: a TreeModel, a RuleSetModel, or a MiningModel of them becomes a model of Quercus."""

from __future__ import annotations

import json
import os
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from quercus.data.schema import Attribute, Schema
from quercus.errors import DataError, FileError, shorten
from quercus.files.bounded import MAX_BYTES
from quercus.fitted.decision import Decision
from quercus.fitted.model import Model, model_of
from quercus.fitted.parts import Method
from quercus.forests.committee import Committee
from quercus.imports.nodes import ReadNode, labelled_model, tree_of, walked
from quercus.imports.pmml_document import Field, child, extension, number_of, read_document, read_fields
from quercus.imports.pmml_ranges import range_of
from quercus.imports.pmml_rules import RuleReader
from quercus.imports.pmml_tests import Tests
from quercus.imports.pmml_trees import Answers, TreeReader
from quercus.imports.source import read_source
from quercus.rules.rule_list import RuleList
from quercus.targets import kind_of
from quercus.targets.labels import label_codes
from quercus.tree.forest import Forest

_MODELS = ("TreeModel", "RuleSetModel", "MiningModel")
_METHODS = ("average", "weightedAverage", "majorityVote", "weightedMajorityVote", "sum")


def from_pmml(source: str | os.PathLike[str], *, cost_matrix: Any = None, max_bytes: int | None = MAX_BYTES) -> Model:
    """The model of a PMML document: pictures, rules, reports, explanations and exports follow.

    source: the path of a file, or the document itself as a text. cost_matrix: as in the estimators: the costs of
    mistakes by which the scores of a tree were chosen, if these are not the most likely classes. max_bytes: the largest
    size of a file; None: any size.

    It reads a TreeModel, a RuleSetModel in which the first rule that holds answers, and a MiningModel of them (average,
    weightedAverage, majorityVote, weightedMajorityVote; for numbers also sum). Values that a field does not list are
    unknown. A document that a tree of Quercus cannot express is refused; the error names the node.

    >>> from quercus import CARTClassifier
    >>> tree = CARTClassifier().fit({"x": [1.0, 2.0, 3.0]}, ["a", "a", "b"])
    >>> model = from_pmml(tree.export("pmml"))
    >>> print(model)
    x <= 2.5: a (2)
    x > 2.5: b (1)
    """
    text, called = read_source(source, "<", max_bytes)
    root = read_document(text.lstrip("\ufeff"), called)
    if root.tag != "PMML":
        raise FileError(f"{called}: no PMML: its first element is {shorten(root.tag)}.")
    try:
        return _Reader(root).model(cost_matrix)
    except DataError as error:
        raise DataError(f"{called}: {error}") from error


class _Reader:
    def __init__(self, root: Element) -> None:
        matches = [element for element in root if element.tag in _MODELS]
        others = [element.tag for element in root if element.tag.endswith(("Model", "Network", "Scorecard"))]
        if len(matches) != 1:
            raise DataError(
                f"one {', '.join(_MODELS[:-1])} or {_MODELS[-1]} is read; the document has "
                f"{', '.join(others) if others else 'none'}."
            )
        self.top, self.fields = matches[0], read_fields(root)
        self.mining = {one.get("name", ""): one for one in child(self.top, "MiningSchema").findall("MiningField")}
        unknown = [name for name in self.mining if name not in self.fields]
        if unknown:
            raise DataError(f"the mining schema names {shorten(unknown[0])}, which is no field of the data dictionary.")
        ranges = {
            name: range_of(self.fields[name], one)
            for name, one in self.mining.items()
            if self.fields[name].continuous and _is_active(one)
        }
        self.tests = Tests(self.fields, _derived(root, self.top, self.fields), ranges)
        self.target = next((name for name, one in self.mining.items() if _is_target(one)), None)
        self.kind = kind_of(self._classes())
        self.classes = self.kind.classes
        texts = tuple(_class_texts(self.top, self._target_field(), self.classes)) if self.classes else None
        self.answers = Answers(texts)
        for part in self.top.iter():  # fills the domains of fields that list no values
            if part.tag in ("SimplePredicate", "SimpleSetPredicate"):
                self.tests.read(part)
        self.replaced = self._replaced()
        self.schema = self._schema()
        self.rules = RuleReader(self.tests, self.schema, self.classes, self.answers)

    # Fields

    def _target_field(self) -> Field | None:
        return None if self.target is None else self.fields[self.target]

    def _classes(self) -> tuple[Any, ...] | None:
        """The classes in the order of the target's values; without a list, in the order in which they occur."""
        if self.top.get("functionName") == "regression":
            return None
        if self.top.get("functionName") != "classification":
            raise DataError(f"the model is for {shorten(self.top.get('functionName'))}; classification or regression.")
        field = self._target_field()
        if field is not None and field.values:
            return field.values
        texts = dict.fromkeys(
            str(text)
            for one in self.top.iter()
            for text in ((one.get("value") if one.tag == "ScoreDistribution" else one.get("score")),)
            if text is not None and one.tag in ("ScoreDistribution", "Node", "SimpleRule")
        )
        return tuple(texts) if field is None else tuple(field.value(text) for text in texts)

    def _schema(self) -> Schema:
        attributes = [self._attribute(name) for name, one in self.mining.items() if _is_active(one)]
        return Schema(tuple(attributes)).with_target(self.target, self.classes)

    def _attribute(self, name: str) -> Attribute:
        field = self.fields[name]
        unknown = self.tests.ranges[name].unknown if name in self.tests.ranges else ()
        return field.attribute(list(self.tests.domains.get(name, ())), unknown)

    def _replaced(self) -> dict[str, Any]:
        """The value that replaces missing values: a number, or a code."""
        result: dict[str, Any] = {}
        for name, one in self.mining.items():
            text = one.get("missingValueReplacement")
            if text is None or not _is_active(one):
                continue
            if self.fields[name].continuous:
                result[name] = number_of(text, f"The replacement of {name!r}")
                if not self.tests.ranges[name].low <= result[name] <= self.tests.ranges[name].high:
                    raise DataError(f"the replacement of {name!r}, {text}, is outside its lowValue and highValue.")
            else:
                codes = self.tests.codes_of(name, [self.fields[name].value(text)])
                if codes:
                    result[name] = codes[0]
        return result

    # Models

    def model(self, cost_matrix: Any) -> Model:
        """The model of the whole document."""
        _refuse_targets(self.top)
        if self.top.tag == "MiningModel":
            return self._collection()
        rules = self._rules(self.top)
        if rules is not None:
            return model_of(rules)
        root = self._root(self.top)
        decision = self._decision()
        if decision is None:
            return labelled_model(root, self.schema, self.classes, cost_matrix)
        return model_of(tree_of(root, self.schema, self.classes).answering(decision))

    def _rules(self, model: Element) -> RuleList | None:
        """The rules of a model; None: it is a tree."""
        if model.tag == "RuleSetModel":
            return self.rules.rule_set(model)
        return self.rules.tree(model) if self.rules.is_list(model) else None

    def _root(self, model: Element) -> ReadNode:
        reader = TreeReader(model, self.tests, self.schema, self.answers, self.replaced)
        return reader.read(child(model, "Node"))

    def _decision(self) -> Decision | None:
        """The costs and the threshold that an export of Quercus has written."""
        text = extension(self.top, "decision")
        if text is None or not self.kind.has_shares:
            return None
        try:
            data = json.loads(text)
            costs, threshold = data["costs"], data["threshold"]
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(f"the extension of Quercus holds {shorten(text)}, which is damaged.") from error
        return Decision.read(
            self.classes, cost_matrix=None if costs is None else np.array(costs), decision_threshold=threshold
        )

    def _collection(self) -> Model:
        """The segments of a MiningModel as members."""
        segmentation = child(self.top, "Segmentation")
        method, segments = segmentation.get("multipleModelMethod"), segmentation.findall("Segment")
        what = "classes" if self.kind.has_shares else "numbers"
        taken = _METHODS[:-1] if self.kind.has_shares else _METHODS  # classes are not added up
        if method not in taken:
            raise DataError(
                f"the segments are joined by {shorten(method)}; of {what} an import takes {', '.join(taken)}."
            )
        models = [self._segment(segment) for segment in segments]
        weights = [number_of(one.get("weight", "1"), f"Segment {shorten(one.get('id'))}") for one in segments]
        majority = str(method).lower().endswith("vote")
        members = [self._rules(model) for model in models]
        if any(member is not None for member in members):
            lists = tuple(member for member in members if member is not None)
            if len(lists) < len(models) or str(method).startswith("weighted"):
                raise DataError("rules are read as members if all members are rules, and none has a weight.")
            collection: Any = Committee(lists)
        else:
            trees = [self._member(model, majority, len(models) if method == "sum" else 1) for model in models]
            collection = Forest.from_trees(trees, weights if str(method).startswith("weighted") else None)
        return self._joined(collection, majority)

    def _joined(self, collection: Any, majority: bool) -> Model:
        decision = self._decision() or Decision()
        return Model(
            Method("Forest"),
            self.schema,
            self.kind.class_array,
            forest=collection,
            decision=decision,
            vote="majority" if majority and self.kind.has_shares else "probability",
        )

    def _segment(self, segment: Element) -> Element:
        where = f"segment {shorten(segment.get('id', 'without id'))}"
        if segment.find("True") is None:
            raise DataError(f"{where} is not for all rows; an import takes segments whose predicate is True.")
        matches = [one for one in segment if one.tag in _MODELS[:2]]
        if len(matches) != 1:
            raise DataError(f"{where} is no {' or '.join(_MODELS[:2])}.")
        _refuse_targets(matches[0])
        return matches[0]

    def _member(self, model: Element, majority: bool, factor: int) -> Any:
        """One tree of a collection. factor: multiplies its numbers, since members are averaged."""
        root = self._root(model)
        for node in walked(root):
            if majority and node.label is not None and self.kind.has_shares:
                node.value = _voting(node)
            if not self.kind.has_shares and factor != 1:
                node.value = [node.value[0] * factor, node.value[1] * factor, node.value[2]]
        return tree_of(root, self.schema, self.classes)


def _is_target(field: Element) -> bool:
    return field.get("usageType") in ("target", "predicted")


def _is_active(field: Element) -> bool:
    return field.get("usageType", "active") == "active"


def _class_texts(top: Element, field: Field | None, classes: tuple[Any, ...]) -> list[str]:
    """The text that scores use for each class."""
    if field is None:
        return [str(label) for label in classes]
    named = {one.get("value", "") for one in top.iter("ScoreDistribution")}
    named |= {str(one.get("score")) for one in top.iter() if one.get("score") is not None}
    named |= {str(one.get("defaultScore")) for one in top.iter("RuleSet")}
    texts = {field.value(text): text for text in sorted(named)}
    return [texts.get(label, str(label)) for label in classes]


def _derived(root: Element, top: Element, fields: dict[str, Field]) -> dict[str, tuple[str, frozenset[int]]]:
    """The derived fields that exports of Quercus write: a field, missing if its value is not in a list."""
    result = {}
    for field in (*root.findall("TransformationDictionary/DerivedField"), *top.iter("DerivedField")):
        name, outer = field.get("name", ""), field.find("Apply")
        inner = None if outer is None else outer.find("Apply")
        base = None if inner is None else inner.find("FieldRef")
        if outer is None or inner is None or base is None or outer.get("function") != "if":
            raise DataError(f"the derived field {name!r} is computed in a way that an import does not read.")
        source = fields.get(base.get("field", ""))
        plain = [one.get("field") for one in outer.findall("FieldRef")] == [base.get("field")]
        if source is None or not plain or inner.get("function") not in ("isIn", "isNotIn") or not source.domain:
            raise DataError(f"the derived field {name!r} is computed in a way that an import does not read.")
        values = [source.value(one.text or "") for one in inner.findall("Constant")]
        codes = {value: code for code, value in enumerate(source.domain)}
        listed, everything = frozenset(codes[value] for value in values if value in codes), frozenset(codes.values())
        result[name] = (source.name, listed if inner.get("function") == "isNotIn" else everything - listed)
    return result


def _refuse_targets(model: Element) -> None:
    """Refuse a target that is changed after prediction."""
    for target in model.findall("Targets/Target"):
        if any(target.get(key) for key in ("rescaleConstant", "rescaleFactor", "castInteger", "min", "max")):
            raise DataError("the predicted number is rescaled or cast (Targets), which an import does not read.")


def _voting(node: ReadNode) -> list[float]:
    """The class weights of a node that votes: its own if its class is the most likely, else only that class."""
    shares = np.array([node.value]) / sum(node.value)
    if label_codes(shares)[0] == node.label:
        return node.value
    return [node.weight if code == node.label else 0.0 for code in range(len(node.value))]

"""Export to PMML 4.4: a TreeModel, a RuleSetModel, or a MiningModel of them, as XML.

The class of a tree or rule is written at its leaf (``score``), after costs and thresholds have chosen it. The class of
many members is computed from their shares, in the output field ``label``, by Quercus's own rule for ties.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from quercus.arrays import Floats
from quercus.errors import ExportError, choice_message
from quercus.export.pmml_fields import Fields
from quercus.export.pmml_predicates import Part, Predicates
from quercus.export.pmml_xml import Document, number, value_as_text
from quercus.export.program import ELSEWHERE, Member, Program, RuleTables, TreeTable, program_of
from quercus.targets.labels import TIE
from quercus.tree.distribution import added_weights, class_weights

__all__ = ["to_pmml"]


def to_pmml(model: Any, *, unknown: str = "answer", rules: str = "tree") -> str:
    """A model as PMML 4.4.

    model: a fitted estimator, a model, a tree, a forest or a rule list. unknown: "answer": a model that spreads unknown
    values over several branches is refused, since no engine for PMML does this; "refuse": it is written, but a row in
    which such a value is unknown gets no answer. rules: how a rule list is written: "tree": as a TreeModel whose root
    has one child per rule, for which engines return the shares of the classes; "rule_set": as a RuleSetModel, for which
    they return only the label.

    The fields are the attributes that are read; dates are microseconds since 1970. The output fields are ``label`` and,
    for each class, ``p_`` and the class (regression: ``value``). A value that the field does not list is unknown. Rules
    that vote, and rules that leave rows with unknown values to a tree, are refused.

    >>> from quercus import CARTClassifier
    >>> text = to_pmml(CARTClassifier().fit({"x": [1.0, 2.0, 3.0]}, ["a", "a", "b"]))
    >>> print(text[text.index("<SimplePredicate") :].splitlines()[0])
    <SimplePredicate field="x" operator="lessOrEqual" value="2.5"/>
    """
    program = program_of(model)
    for name, value, allowed in (("unknown", unknown, ("answer", "refuse")), ("rules", rules, ("tree", "rule_set"))):
        if value not in allowed:
            raise ExportError(choice_message(name, value, allowed))
    for place, member in enumerate(program.members):
        if isinstance(member, RuleTables):
            _refuse_rules(member, place, program)
        elif member.spreads:
            _refuse_spread(member, place, program, unknown == "refuse")
    if rules == "rule_set" and (program.together or not program.has_classes or program.model.rule_list is None):
        raise ExportError(
            f'rules="rule_set" is for one rule list that answers classes; this is a {program.model.name}. Leave it out.'
        )
    return _Writer(program, rules == "rule_set").text()


def _refuse_rules(member: RuleTables, place: int, program: Program) -> None:
    """Refuse rules that PMML cannot express."""
    which = f"Rule list {place}" if program.together else "The rule list"
    if member.rules.mode == "voting":
        raise ExportError(
            f"{which} lets all rules vote, and PMML does not say how ties are decided. Use "
            f'rules.with_mode("ordered"), or {ELSEWHERE}'
        )
    if member.behind is not None:
        raise ExportError(
            f"{which} leaves rows with unknown values to the tree that it was made from, which PMML cannot express. "
            f"Export the tree, or {ELSEWHERE}"
        )


def _refuse_spread(table: TreeTable, place: int, program: Program, strict: bool) -> None:
    """Refuse unknown values that follow several branches, unless rows with such values get no answer (strict)."""
    tree = table.tree
    nodes = np.flatnonzero((tree.n_children > 0) & (tree.missing_child < 0)).tolist()
    policy = 'Fit with another policy for unknown values, such as missing="most_common"'
    if not strict:
        raise ExportError(
            f"Node {nodes[0]} of tree {place} spreads unknown values over all its branches, which no engine for PMML "
            f'does. {policy}, give unknown="refuse" (then rows with unknown values get no answer), or {ELSEWHERE}'
        )
    node = next((node for node in nodes if -1 in table.ask(node).table), None)
    if program.together and node is not None:
        raise ExportError(
            f"Node {node} of tree {place} spreads values that it has no branch for over all its branches; engines for "
            f"PMML would leave this tree out of the average. {policy}, or {ELSEWHERE}"
        )


class _Writer:
    def __init__(self, program: Program, as_rule_set: bool) -> None:
        self.program, self.as_rule_set = program, as_rule_set
        self.xml = Document()
        self.fields = Fields(program, self.xml)
        self.predicates = Predicates(program, self.xml, self.fields)
        self._labels = [value_as_text(label) for label in program.classes]

    def text(self) -> str:
        from quercus import __version__

        program, xml = self.program, self.xml
        with xml.element("PMML", xmlns="http://www.dmg.org/PMML-4_4", version="4.4"):
            with xml.element("Header", description=program.title):
                xml.empty("Application", name="Quercus", version=__version__)
            self.fields.dictionary()
            self.predicates.dictionary()
            if program.together:
                self._mining_model()
            else:
                self._model(program.members[0], program.costs, program.threshold, alone=True)
        return xml.text()

    # Models

    @property
    def _function(self) -> str:
        return self.program.target_kind.task

    def _mining_model(self) -> None:
        """The members as segments; their answers are averaged or counted."""
        program, xml = self.program, self.xml
        equal = len(set(program.weights)) == 1
        method = ("majorityVote" if equal else "weightedMajorityVote") if program.majority else ""
        method = method or ("average" if equal else "weightedAverage")
        weights = np.array(program.weights)
        if program.majority:  # PMML4S divides votes by the number of members, so that the mean weight must be 1
            weights = weights * (len(weights) / weights.sum())
        with xml.element("MiningModel", modelName=program.model.name, functionName=self._function):
            self._decision()
            self.fields.mining_schema(program.inputs)
            self._output(alone=False)
            with xml.element("Segmentation", multipleModelMethod=method):
                for place, (member, weight) in enumerate(zip(program.members, weights, strict=True)):
                    with xml.element("Segment", id=str(place), weight=None if equal else number(weight)):
                        xml.empty("True")
                        self._model(member, None, None, alone=False)

    def _model(self, member: Member, costs: Any, threshold: float | None, *, alone: bool) -> None:
        """One tree or rule list. alone: it is the whole model, and has its outputs."""
        program, xml = self.program, self.xml
        inputs = program.inputs if alone else sorted(member.asked)
        about = ({"modelName": program.model.name} if alone else {}) | {"functionName": self._function}
        with xml.element("RuleSetModel" if self.as_rule_set else "TreeModel", **about, **self._strategy(member)):
            if alone:
                self._decision()
            self.fields.mining_schema(inputs)
            if alone:
                self._output(alone=True)
            if isinstance(member, TreeTable):
                self._tree(member, costs, threshold, inner=alone)
            elif self.as_rule_set:
                self._rule_set(member, costs)
            else:
                self._rule_tree(member, costs)

    def _strategy(self, member: Member) -> dict[str, str]:
        """How a TreeModel treats unknown values; in rules an unknown value does not meet a condition."""
        if self.as_rule_set:
            return {}
        if isinstance(member, RuleTables):
            return {"missingValueStrategy": "none", "splitCharacteristic": "multiSplit"}
        several = int(member.tree.n_children.max()) > 2
        return {
            "missingValueStrategy": "defaultChild",
            "splitCharacteristic": "multiSplit" if several else "binarySplit",
        }

    def _decision(self) -> None:
        """Write costs and threshold as an extension, for an import; PMML has no element for them."""
        program = self.program
        if program.costs is not None or program.threshold is not None:
            extension = json.dumps({"costs": program.costs, "threshold": program.threshold})
            self.xml.empty("Extension", extender="Quercus", name="decision", value=extension)

    # Trees

    def _tree(self, table: TreeTable, costs: Any, threshold: float | None, *, inner: bool) -> None:
        """The nodes, each before its children. inner: whether inner nodes have answers, too."""
        leaves, weights, scores = (
            table.tree.n_children == 0,
            self._weights(table),
            self._scores(table, costs, threshold),
        )
        stack: list[tuple[int, list[Part]]] = [(0, [])]
        while stack:
            node, asked = stack.pop()
            if node < 0:
                self.xml.end()
                continue
            leaf = bool(leaves[node])
            shown = leaf or inner
            self.xml.start(
                "Node",
                id=str(node),
                score=scores[node] if shown else None,
                recordCount=number(table.tree.weight[node]) if shown else None,
                defaultChild=self._default_child(table, node),
            )
            if asked:
                self.predicates.write(asked)
            else:
                self.xml.empty("True")
            if shown and weights is not None:
                self._shares(weights[node])
            stack.append((-1, []))
            below = [] if leaf else self.predicates.branches(table, node)
            stack += reversed(list(zip(table.children(node), below, strict=True)))

    def _default_child(self, table: TreeTable, node: int) -> str | None:
        """The child for an unknown value; None: there is none, or such a row gets no answer."""
        missing = table.missing(node)
        return None if missing < 0 else str(table.children(node)[missing])

    def _weights(self, table: TreeTable) -> Floats | None:
        """The class weights from which the nodes answer; None: the nodes answer numbers."""
        if not self.program.has_classes:
            return None
        smoothing = table.tree.target_kind.smoothing(self.program.model.decision.smoothing)
        return class_weights(table.tree, added_weights(table.tree, *smoothing, None))

    def _scores(self, table: TreeTable, costs: Any, threshold: float | None) -> list[str]:
        """The answer of each node as text."""
        if not self.program.has_classes:
            return [number(one) for one in table.answers[:, 0].tolist()]
        kind = table.tree.target_kind
        return [self._labels[int(code)] for code in kind.chosen(np.asarray(table.answers), costs, threshold)]

    def _shares(self, weights: Floats) -> None:
        """The class weights of a node or rule; numbers have none."""
        for label, weight in zip(self._labels, weights.tolist() if self._labels else (), strict=True):
            self.xml.empty("ScoreDistribution", value=label, recordCount=number(weight))

    # Rules

    def _rule_set(self, member: RuleTables, costs: Any) -> None:
        """The rules in their order; the first that holds answers."""
        scores, answers, xml = self._rule_scores(member, costs), member.answers, self.xml
        sure = number(answers[-1].max())
        with xml.element("RuleSet", defaultScore=scores[-1], defaultConfidence=sure):
            xml.empty("RuleSelectionMethod", criterion="firstHit")
            self._shares(_rule_weights(member, -1))
            for place, rule in enumerate(member.rules.rules):
                sure = number(answers[place][int(rule.consequent)])
                with xml.element(
                    "SimpleRule",
                    id=str(place + 1),
                    score=scores[place],
                    recordCount=number(rule.covered),
                    confidence=sure,
                ):
                    self.predicates.rule(member.tests[place])
                    self._shares(_rule_weights(member, place))

    def _rule_tree(self, member: RuleTables, costs: Any) -> None:
        """The same as a tree of one level: the first child that holds answers, and the last child always holds."""
        scores, xml = self._rule_scores(member, costs), self.xml
        covered = [number(rule.covered) for rule in member.rules.rules]
        with xml.element("Node", id="0"):
            xml.empty("True")
            for place in range(len(covered) + 1):
                last = place == len(covered)
                count = None if last else covered[place]
                with xml.element("Node", id=str(place + 1), score=scores[place], recordCount=count):
                    self.predicates.rule([] if last else member.tests[place])
                    self._shares(_rule_weights(member, -1 if last else place))

    def _rule_scores(self, member: RuleTables, costs: Any) -> list[str]:
        if not self.program.has_classes:
            return [number(one) for one in member.answers[:, 0].tolist()]
        chosen = member.rules.consequents
        if costs is not None:
            chosen = member.rules.target_kind.chosen(member.answers, costs)
        return [self._labels[int(code)] for code in chosen]

    # Outputs

    def _output(self, *, alone: bool) -> None:
        """The fields ``label`` and ``p_…``, or ``value``. alone: the label stands at a leaf or rule."""
        program, xml = self.program, self.xml
        with xml.element("Output"):
            if not program.has_classes:
                xml.empty("OutputField", name="value", optype="continuous", dataType="double", feature="predictedValue")
                return
            label = {"name": "label", "optype": "categorical", "dataType": self.fields.target_type}
            if alone or len(self._labels) == 1:
                xml.empty("OutputField", **label, feature="predictedValue")
            number_field = {"optype": "continuous", "dataType": "double"}
            if self.as_rule_set:
                xml.empty("OutputField", name="confidence", **number_field, feature="confidence")
                return
            for name, one in zip(self.fields.share_names, self._labels, strict=True):
                xml.empty("OutputField", name=name, **number_field, feature="probability", value=one)
            if not alone and len(self._labels) > 1:
                self._label(label)

    def _label(self, label: dict[str, str]) -> None:
        """Write the class from the shares: by the threshold, the costs, or the largest share; the first among ties."""
        program, shares = self.program, list(self.fields.share_names)
        if program.threshold is not None:
            least = ("constant", number(program.threshold - TIE))
            with self.xml.element("OutputField", **label, feature="transformedValue"):
                self._first([(1, shares[1], least)], last=0)
            return
        tie, scores = TIE, shares
        if program.costs is not None:
            tie, scores = TIE * max(1.0, float(np.abs(program.costs).max())), self._expected_costs(shares)
        least_name = self.fields.free_name("least")
        with self._hidden(least_name), self.xml.element("Apply", function="-"):
            with self.xml.element("Apply", function="max"):
                for name in scores:
                    self.xml.empty("FieldRef", field=name)
            self.xml.constant(number(tie), "double")
        with self.xml.element("OutputField", **label, feature="transformedValue"):
            places = [(place, name, ("field", least_name)) for place, name in enumerate(scores[:-1])]
            self._first(places, last=len(scores) - 1)

    def _expected_costs(self, shares: list[str]) -> list[str]:
        """Write output fields with the negated expected costs of the classes; return their names."""
        names = []
        for code, line in enumerate(np.transpose(self.program.costs or [[]]).tolist()):
            name = self.fields.free_name(f"expected_{code}")
            names.append(name)
            with self._hidden(name):
                for _ in range(len(shares) - 1):
                    self.xml.start("Apply", function="+")
                for place, (share, cost) in enumerate(zip(shares, line, strict=True)):
                    with self.xml.element("Apply", function="*"):
                        self.xml.empty("FieldRef", field=share)
                        self.xml.constant(number(-cost), "double")
                    if place:
                        self.xml.end()
        return names

    def _hidden(self, name: str) -> Any:
        return self.xml.element(
            "OutputField",
            name=name,
            optype="continuous",
            dataType="double",
            feature="transformedValue",
            isFinalResult="false",
        )

    def _first(self, places: list[tuple[int, str, tuple[str, str]]], last: int) -> None:
        """The class of the first field that reaches its bound; else the last class."""
        for place, field, (kind, bound) in places:
            self.xml.start("Apply", function="if")
            with self.xml.element("Apply", function="greaterOrEqual"):
                self.xml.empty("FieldRef", field=field)
                if kind == "field":
                    self.xml.empty("FieldRef", field=bound)
                else:
                    self.xml.constant(bound, "double")
            self.xml.constant(self._labels[place], self.fields.target_type)
        self.xml.constant(self._labels[last], self.fields.target_type)
        for _ in places:
            self.xml.end()


def _rule_weights(member: RuleTables, place: int) -> Floats:
    """The class weights of a rule, or its shares if it has none. place: −1: the default."""
    rules = member.rules
    weights = rules.default_weights if place < 0 else rules.rules[place].class_weights
    known = weights is not None and sum(weights) > 0
    return np.asarray(weights if known else member.answers[place], dtype=np.float64)

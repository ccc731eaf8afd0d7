"""The program of a model: what it asks and what it answers, as plain tables that every format of export writes down.

A question about a number is a cut: branch 0 up to it, branch 1 above. A question about values is a table: the branch of
each code. So no format needs to know the kinds of question. A question of another form is refused here for all.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from quercus.arrays import Floats, Integers
from quercus.data.schema import Attribute, Schema
from quercus.data.values import value_to_json
from quercus.errors import ExportError
from quercus.fitted.decision import Decision
from quercus.fitted.model import Model, model_of
from quercus.forests.collection import member_weights, members_of
from quercus.forests.score_sum import ScoreSum
from quercus.rules.rule_list import RuleList
from quercus.rules.voting import strengths
from quercus.targets import TargetKind
from quercus.tree.distribution import node_answers
from quercus.tree.layout import Row, SurrogateRow, value_children
from quercus.tree.questions.kinds import question_class
from quercus.tree.tree import Tree

#: The end of a refusal. It names no list of formats: each of the others may refuse the same model for its own reason.
ELSEWHERE = (
    'export to another format: "python" can express every model, and quercus export --list tells which others can.'
)


@dataclass(frozen=True)
class Ask:
    """One question: the branch by a cut of a number, or by a table of codes.

    attribute: its position. cut: branch 0 up to it, else branch 1; None: codes are asked. table: the branch of each
    code; −1: none. swapped: branch 1 up to the cut, as some surrogates have it.
    """

    attribute: int
    cut: float | None = None
    table: tuple[int, ...] = ()
    swapped: bool = False

    def codes(self, branch: int) -> list[int]:
        """The codes that take this branch."""
        return self.groups().get(branch, [])

    def groups(self) -> dict[int, list[int]]:
        """The codes of each branch that has any."""
        groups: dict[int, list[int]] = {}
        for code, branch in enumerate(self.table):
            if branch >= 0:
                groups.setdefault(branch, []).append(code)
        return groups


@dataclass(frozen=True, eq=False)
class TreeTable:
    """One tree as tables.

    tree: the tree. answers: what each node answers [n_nodes, width].
    """

    tree: Tree
    answers: Floats

    @property
    def size(self) -> int:
        """The number of nodes of the tree."""
        return self.tree.n_nodes

    def is_leaf(self, node: int) -> bool:
        """Whether a node has no question."""
        return bool(self.tree.n_children[node] == 0)

    def children(self, node: int) -> range:
        """The numbers of the children."""
        first = int(self.tree.first_child[node])
        return range(first, first + int(self.tree.n_children[node]))

    def missing(self, node: int) -> int:
        """The branch of an unknown value; −1: all branches, by their shares."""
        return int(self.tree.missing_child[node])

    def ask(self, node: int) -> Ask:
        """The question of an inner node."""
        tree = self.tree
        kind = question_class(int(tree.kind[node]))
        attribute = int(tree.attribute[node])
        if kind.reads_several:
            raise ExportError(f"Node {node} asks for several attributes at once, which exports cannot express yet.")
        if kind.has_threshold:
            return Ask(attribute, float(tree.threshold[node]))
        if kind.has_groups:
            return Ask(
                attribute, table=tuple(value_children(Row(tree, node), tree.schema[attribute].n_values).tolist())
            )
        return Ask(attribute, table=tuple(range(tree.schema[attribute].n_values)))

    def surrogates(self, node: int) -> list[Ask]:
        """The questions that are tried, in this order, where the value is unknown."""
        tree, result = self.tree, []
        for place in range(int(tree.surrogate_start[node]), int(tree.surrogate_start[node + 1])):
            attribute = int(tree.surrogate_attribute[place])
            if question_class(int(tree.surrogate_kind[place])).has_threshold:
                swapped = bool(tree.surrogate_low_child[place])
                result.append(Ask(attribute, float(tree.surrogate_threshold[place]), swapped=swapped))
            else:
                children = value_children(SurrogateRow(tree, place), tree.schema[attribute].n_values)
                result.append(Ask(attribute, table=tuple(children.tolist())))
        return result

    @cached_property
    def spreads(self) -> bool:
        """Whether an unknown value may follow several branches at once."""
        inner = self.tree.n_children > 0
        return bool((inner & (self.tree.missing_child < 0)).any())

    @cached_property
    def has_surrogates(self) -> bool:
        """Whether some question has surrogates."""
        return len(self.tree.surrogate_kind) > 0

    @cached_property
    def shares(self) -> Floats:
        """The part of a row that each node gets where its parent spreads it; 0 where no sibling has weight."""
        weight = self.tree.weight.tolist()
        result = np.zeros(self.size)
        for node in np.flatnonzero((self.tree.n_children > 0) & (self.tree.missing_child < 0)).tolist():
            total = 0.0
            for child in self.children(node):
                total += weight[child]
            for child in self.children(node):
                result[child] = weight[child] / total if total > 0 else 0.0
        return result

    def ends(self, node: int) -> bool:
        """Whether an unknown value ends at an inner node, since none of its branches has weight."""
        return self.missing(node) < 0 and not any(self.shares[child] > 0 for child in self.children(node))

    @cached_property
    def leaf_row(self) -> Integers:
        """The place of each end's answer among the different answers, which :attr:`leaf_answers` holds; else 0."""
        row = np.zeros(self.size, dtype=np.int64)
        row[self._ends] = np.unique(self.answers[self._ends], axis=0, return_inverse=True)[1].reshape(-1)
        return row

    @cached_property
    def leaf_answers(self) -> Floats:
        """The different answers of nodes where a row can end [n, width]."""
        return np.unique(self.answers[self._ends], axis=0)

    @cached_property
    def _ends(self) -> Integers:
        """The nodes where a row can end: leaves, and questions none of whose branches has weight."""
        is_end = self.tree.n_children == 0
        for node in np.flatnonzero(~is_end & (self.tree.missing_child < 0)).tolist():
            is_end[node] = self.ends(node)
        return np.flatnonzero(is_end)

    @cached_property
    def asked(self) -> set[int]:
        """The positions of the attributes that questions and surrogates read."""
        return set(self.tree.attribute[self.tree.n_children > 0].tolist()) | set(self.tree.surrogate_attribute.tolist())


@dataclass(frozen=True, eq=False)
class RuleTables:
    """A rule list as tables: its rules, and the tree behind them, which decides where an unknown value fails all."""

    rules: RuleList

    @cached_property
    def tests(self) -> list[list[dict[str, Any]]]:
        """The conditions of each rule in numbers: attribute, above, up_to, codes, unknown."""
        position = self.rules.schema.position
        return [[condition.as_numbers(position) for condition in rule.conditions] for rule in self.rules.rules]

    @cached_property
    def answers(self) -> Floats:
        """The answer of each rule, and at the end that of the default."""
        return self.rules.answers

    @cached_property
    def strengths(self) -> list[float]:
        """The weight of each rule's vote."""
        return strengths(self.rules).tolist() if len(self.rules) else []

    @cached_property
    def behind(self) -> TreeTable | None:
        """The tree that decides where no rule does; None: the default decides."""
        if self.rules.tree is None or self.rules.mode != "ordered":
            return None
        return TreeTable(self.rules.tree, self.rules.node_answers)

    @cached_property
    def behind_decision(self) -> Decision:
        """How that tree chooses its class."""
        decision = None if self.rules.tree is None else self.rules.tree.decision
        return decision if isinstance(decision, Decision) else Decision()

    @property
    def behind_costs(self) -> list[list[float]] | None:
        """The costs by which that tree chooses; None: it answers the most likely class."""
        costs = self.behind_decision.choosing
        return None if costs is None else costs.tolist()

    @cached_property
    def asked(self) -> set[int]:
        """The positions of the attributes that conditions read."""
        asked = {test["attribute"] for tests in self.tests for test in tests}
        return asked | (set() if self.behind is None else self.behind.asked)


Member = TreeTable | RuleTables


@dataclass(frozen=True, eq=False)
class Program:
    """What a model asks and answers, in tables.

    model: the model. members: what answers, one or many. weights: how much each counts. together: whether the answers
    are averaged, or added up to scores; else there is one member.
    """

    model: Model
    members: tuple[Member, ...]
    weights: tuple[float, ...]
    together: bool

    @property
    def schema(self) -> Schema:
        """The attributes of the model."""
        return self.model.schema

    @property
    def target_kind(self) -> TargetKind:
        """The kind of target of the model."""
        return self.model.target_kind

    @property
    def has_classes(self) -> bool:
        """Whether one of some classes is answered, with the share of each; else one number."""
        return self.target_kind.has_shares

    @cached_property
    def classes(self) -> tuple[Any, ...]:
        """The classes as plain values; a model of numbers has none."""
        return self.model.labels or ()

    def listed_classes(self, form: Callable[[Any], Any]) -> list[Any] | None:
        """The classes, each in a form that the format can write; None: numbers are answered."""
        return [form(label) for label in self.classes] or None

    @property
    def width(self) -> int:
        """How many numbers are answered: one for each class, or one."""
        return self.model.target_kind.n_classes or 1

    @property
    def scores(self) -> ScoreSum | None:
        """How the members' numbers, times their weights, are added up to scores, and what becomes of these.

        None: the members' answers are averaged. Labels are chosen by scores, unless by costs or a threshold.
        """
        return self.model.score_sum

    @property
    def by_scores(self) -> bool:
        """Whether the label is chosen by scores."""
        return self.scores is not None and self.model.decision.is_plain

    @property
    def majority(self) -> bool:
        """Whether each member votes for its class, instead of giving its shares."""
        return self.together and self.model.vote == "majority" and self.model.target_kind.has_shares

    @cached_property
    def costs(self) -> list[list[float]] | None:
        """The costs by which the class is chosen; None: the most likely class is answered."""
        costs = self.model.decision.choosing
        return None if costs is None else costs.tolist()

    @property
    def threshold(self) -> float | None:
        """The share from which the second of two classes is answered."""
        return self.model.decision.threshold

    @cached_property
    def inputs(self) -> list[int]:
        """The positions of the attributes that are read, in the order of the schema."""
        return sorted(set().union(*(member.asked for member in self.members)))

    def attribute(self, position: int) -> Attribute:
        """An attribute by its position."""
        return self.schema[position]

    def trees(self) -> Iterator[TreeTable]:
        """All trees: those that are members, and those that rules use."""
        for member in self.members:
            if isinstance(member, TreeTable):
                yield member
            elif member.behind is not None:
                yield member.behind

    @cached_property
    def n_nodes(self) -> int:
        """The nodes of all trees together."""
        return sum(table.size for table in self.trees())

    @cached_property
    def title(self) -> str:
        """The model in one line, with its checksum."""
        from quercus import __version__

        return f"{self.model.name}, exported by Quercus {__version__}; checksum of the model sha256:{self.checksum}"

    @cached_property
    def checksum(self) -> str:
        """The SHA-256 digest of everything that decides an answer: models with the same checksum answer alike."""
        digest = hashlib.sha256()
        content: dict[str, Any] = {
            "attributes": [_attribute_data(self.schema[position]) for position in self.inputs],
            "classes": self.listed_classes(value_to_json),
            "costs": self.costs,
            "threshold": self.threshold,
            "majority": self.majority,
            "weights": list(self.weights),
            "together": self.together,
        }
        if self.scores is not None:
            content["scores"] = score_data(self.scores)
        digest.update(json.dumps(content, sort_keys=True).encode())
        for member in self.members:
            for part in _parts(member):
                digest.update(part)
        return digest.hexdigest()


def _attribute_data(attribute: Attribute) -> dict[str, Any]:
    return {
        "name": attribute.name,
        "kind": attribute.kind,
        "values": [value_to_json(value) for value in attribute.values],
        "date_type": attribute.date_type,
        "missing": [value_to_json(token) for token in attribute.missing_tokens],
    }


_TREE_PARTS = (
    *("kind", "attribute", "threshold", "first_child", "n_children", "missing_child", "group_start"),
    *("group_value", "group_child"),
    *("surrogate_start", "surrogate_kind", "surrogate_attribute", "surrogate_threshold", "surrogate_low_child"),
    *("surrogate_group_start", "surrogate_group_value", "surrogate_group_child"),
)


def _parts(member: Member) -> Iterator[bytes]:
    if isinstance(member, RuleTables):
        rules = member.rules
        yield json.dumps([member.tests, rules.mode, member.strengths, rules.consequents.tolist()]).encode()
        yield member.answers.tobytes()
        if member.behind is not None:
            yield from _parts(member.behind)
        return
    for name in _TREE_PARTS:
        yield np.ascontiguousarray(getattr(member.tree, name)).tobytes()
    yield member.shares.tobytes()
    yield np.ascontiguousarray(member.answers).tobytes()


def score_data(scores: ScoreSum) -> dict[str, Any]:
    """The bases of the scores, the score that each member adds to, and the link."""
    return {"link": scores.link, "base": list(scores.base), "places": list(scores.places)}


def program_of(thing: Any, *, scores: bool = False) -> Program:
    """The program of a model.

    thing: a fitted estimator, a model, a tree, a forest or a rule list; a program is returned as it is. scores: whether
    the format can write members that add up scores (:attr:`Program.scores`); else they are refused.
    """
    program = thing if isinstance(thing, Program) else _program(model_of(thing))
    if program.scores is not None and not scores:
        raise ExportError(
            f"The {len(program.members):,} trees of this model add up scores, which a link ({program.scores.link}) "
            "turns into the answer; this format cannot express that. Export to SQL, ONNX, Python, JavaScript or C, or "
            "export one tree: model.member_model(0)."
        )
    return program


def _program(model: Model) -> Program:
    smoothing = model.decision.smoothing
    if model.forest is not None:
        members = tuple(_member(member, smoothing) for member in members_of(model.forest))
        return Program(model, members, tuple(member_weights(model.forest).tolist()), True)
    single = model.rule_list if model.rule_list is not None else model.need_tree("An export")
    return Program(model, (_member(single, smoothing),), (1.0,), False)


def _member(member: Tree | RuleList, smoothing: Any) -> Member:
    if isinstance(member, RuleList):
        return RuleTables(member)
    answers, kind = node_answers(member, smoothing), member.target_kind
    if kind.levels:  # of several quantiles the one that stands for all
        answers = kind.chosen(answers)[:, None]
    return TreeTable(member, np.ascontiguousarray(answers))


def exact(number: float) -> str:
    """A finite number as text from which every language reads the same double."""
    if not math.isfinite(number):
        raise ExportError(f"{number!r} cannot be written as a number.")
    return repr(float(number))

"""Models as questions: trees (with surrogates and shared examples) and rule lists, as the search for changes asks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from quercus.arrays import Floats
from quercus.errors import ParameterError
from quercus.explain.counterfactual.search import Ask
from quercus.rules.condition import Condition, Interval, ValueSet
from quercus.rules.rule_list import RuleList
from quercus.tree.questions import Question
from quercus.tree.tree import Tree


class TreeQuestions:
    """A tree. A position is (node, stage, part, waiting, ended): stage 0 is the node's own question, then its
    surrogates; waiting and ended are linked lists of (node, part, …)."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.first_child = tree.first_child.tolist()
        self.surrogate_start = tree.surrogate_start.tolist()
        self._known: dict[tuple[int, int], tuple[int, list[tuple[Any, int]]]] = {}

    def start(self) -> Any:
        """The root, which the whole example reaches."""
        return (0, 0, 1.0, None, None)

    def ask(self, position: Any) -> Ask | None:
        """The question at a position; None: every part has ended."""
        while position is not None:
            node, stage, part, waiting, ended = position
            first = self.first_child[node]
            if not first:
                if waiting is None:
                    return None
                ended = (node, part, ended)
                node, part, waiting = waiting
                position = (node, 0, part, waiting, ended)
                continue
            if stage == -1:  # a part that ended at an inner node, the last of all
                return None
            n_surrogates = self.surrogate_start[node + 1] - self.surrogate_start[node]
            if stage > n_surrogates:
                position = self._unknown(node, part, waiting, ended)
                continue
            attribute, branches = self._question(node, stage)
            further = (node, stage + 1, part, waiting, ended)
            return (
                attribute,
                [
                    (domain, (first + branch, 0, part, waiting, ended) if branch >= 0 else further)
                    for domain, branch in branches
                ],
                further,
            )
        return None

    def _unknown(self, node: int, part: float, waiting: Any, ended: Any) -> Any:
        """Where an example goes that neither its value nor a surrogate decides."""
        tree, first = self.tree, self.first_child[node]
        taker = int(tree.missing_child[node])
        if taker >= 0:
            return (first + taker, 0, part, waiting, ended)
        weights = tree.weight[first : first + int(tree.n_children[node])].tolist()
        total = 0.0
        for weight in weights:
            total += weight
        parts = [(first + c, part * (w / total)) for c, w in enumerate(weights)] if total > 0 else []
        parts = [(child, share) for child, share in parts if share > 0]
        if not parts:
            if waiting is None:
                return (node, -1, part, None, ended)
            ended = (node, part, ended)
            following, share, waiting = waiting
            return (following, 0, share, waiting, ended)
        for child, share in reversed(parts[1:]):
            waiting = (child, share, waiting)
        return (parts[0][0], 0, parts[0][1], waiting, ended)

    def ends(self, position: Any) -> list[tuple[int, float]]:
        """The nodes where the parts of the example end, left to right, of a position where all is asked.

        What :meth:`ask` went through by itself is gone through again.
        """
        while True:
            node, stage, part, waiting, ended = position
            inner = bool(self.first_child[node]) and stage != -1
            if inner:  # nothing was asked here any more
                position = self._unknown(node, part, waiting, ended)
                continue
            ended = (node, part, ended)
            if waiting is None:
                break
            node, part, waiting = waiting
            position = (node, 0, part, waiting, ended)
        result = []
        while ended is not None:
            node, part, ended = ended
            result.append((node, part))
        return result[::-1]

    def answer(self, position: Any, values: Floats) -> Floats:
        """What the ends say, summed by part."""
        ends = self.ends(position)
        if len(ends) == 1 and ends[0][1] == 1.0:
            return np.asarray(values[ends[0][0]])
        result = np.zeros(values.shape[1])
        for node, part in ends:
            result += part * values[node]
        return result

    def _question(self, node: int, stage: int) -> tuple[int, list[tuple[Any, int]]]:
        question = self._known.get((node, stage))
        if question is None:
            view = self.tree.node(node)
            if stage == 0:
                assert view.test is not None
                question = self._asked(view.test, range(view.test.n_branches))
            else:
                surrogate = view.surrogates[stage - 1]
                question = self._asked(surrogate.test, surrogate.children)
            self._known[node, stage] = question
        return question

    def _asked(self, question: Question, children: Sequence[int]) -> tuple[int, list[tuple[Any, int]]]:
        """The attribute of a question, and what sends an example to which child (−1: values that have no branch)."""
        if len(question.attributes) > 1:
            raise ParameterError(
                f"Counterfactuals change one attribute after the other; {question} reads several together."
            )
        attribute = question.attribute
        conditions = zip(question.conditions(), children, strict=True)
        domains = [(_domain(condition), child) for condition, child in conditions if not condition.has_no_value]
        if not attribute.is_numeric:
            nowhere = frozenset(range(attribute.n_values)).difference(*(domain for domain, _ in domains))
            domains += [(nowhere, -1)] if nowhere else []
        return self.tree.schema.position(attribute.name), domains


def _domain(condition: Condition) -> Any:
    """The values that fulfil a condition: an interval, or a set of codes."""
    if isinstance(condition, Interval):
        return (condition.low, condition.high)
    assert isinstance(condition, ValueSet)
    return condition.values


class RuleQuestions:
    """A rule list: the conditions of the first rule, of the next where one fails, and so on; then the tree behind it.

    A position is (rule, condition, fired, position in the tree); fired is a linked list of rules, for voting.
    """

    def __init__(self, rules: RuleList) -> None:
        self.rules = rules
        self.voting = rules.mode == "voting"
        self.tree = TreeQuestions(rules.tree) if rules.tree is not None and not self.voting else None
        self.places = {attribute.name: place for place, attribute in enumerate(rules.schema)}
        self._known: dict[Condition, tuple[list[Any], list[Any]]] = {}

    def start(self) -> Any:
        """The first condition of the first rule."""
        return (0, 0, None, None)

    def ask(self, position: Any) -> Ask | None:
        """The question at a position; None: a rule has decided, or all have been asked."""
        while True:
            number, place, fired, below = position
            if number == len(self.rules):
                return self._ask_tree(position)
            conditions = self.rules[number].conditions
            if place < len(conditions):
                break
            if not self.voting:
                return None
            position = (number + 1, 0, (number, fired), below)
        condition = conditions[place]
        held, failed = (number, place + 1, fired, below), (number + 1, 0, fired, below)
        inside, outside = self._domains(condition)
        branches = [(domain, held) for domain in inside] + [(domain, failed) for domain in outside]
        return self.places[condition.name], branches, held if condition.unknown else failed

    def _ask_tree(self, position: Any) -> Ask | None:
        if self.tree is None:
            return None
        number, place, fired, below = position
        question = self.tree.ask(self.tree.start() if below is None else below)
        if question is None:
            return None
        attribute, branches, unknown = question
        return (
            attribute,
            [(domain, (number, place, fired, after)) for domain, after in branches],
            (number, place, fired, unknown),
        )

    def _domains(self, condition: Condition) -> tuple[list[Any], list[Any]]:
        domains = self._known.get(condition)
        if domains is None:
            domains = _divided(condition)
            self._known[condition] = domains
        return domains

    def decided_by(self, position: Any) -> tuple[int, Any]:
        """The rule that decided (−1: none) and the position in the tree behind them, if that decides."""
        number, _, _, below = position
        if number < len(self.rules):
            return number, None
        return -1, (self.tree.start() if below is None else below) if self.tree is not None else None


def _divided(condition: Condition) -> tuple[list[Any], list[Any]]:
    """The domains that fulfil a condition, and those that do not."""
    if isinstance(condition, Interval):
        if condition.has_no_value:
            return [], [(-math.inf, math.inf)]
        low, high = condition.low, condition.high
        outside = [(-math.inf, low)] * (low > -math.inf) + [(high, math.inf)] * (high < math.inf)
        return [(low, high)], outside
    inside = _domain(condition)
    return [inside], [frozenset(range(condition.attribute.n_values)) - inside]

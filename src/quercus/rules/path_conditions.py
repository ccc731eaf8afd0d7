"""The conditions on the paths of a tree, each question by itself, numbered and laid out for the core.

C4.5 drops the questions of a path one by one, so here ``x <= 10`` and a later ``x <= 5`` stay two conditions; a
:class:`Rule` has them merged.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.data.schema import Schema
from quercus.rules.condition import Condition, Interval, ValueSet, merged, one_attribute
from quercus.rules.extract import Unknown, branch_conditions
from quercus.tree.tree import Tree

Numbers = NDArray[np.int32]

#: A path of more questions is first merged to at most two conditions per attribute.
LONGEST_PATH = 64
_AT_MOST, _ABOVE, _AMONG = 0, 1, 2


@dataclass(frozen=True)
class ConditionLists:
    """Rules as lists of numbered conditions: rule i has ``conditions[condition[start[i]:start[i + 1]]]``."""

    conditions: tuple[Condition, ...]
    start: NDArray[np.int64]
    condition: Numbers
    label: Numbers

    def __len__(self) -> int:
        """How many rules there are."""
        return len(self.label)

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """The rules as the core takes them."""
        return self.start, self.condition, self.label

    def numbers(self, rule: int) -> Numbers:
        """The numbers of a rule's conditions."""
        return self.condition[self.start[rule] : self.start[rule + 1]]

    def merged(self, rule: int) -> tuple[Condition, ...]:
        """A rule's conditions, at most one per attribute."""
        return merged(self.conditions[number] for number in self.numbers(rule))

    def take(self, rules: NDArray[Any]) -> ConditionLists:
        """Some of the rules, by position or mask."""
        places = np.arange(len(self))[rules]
        lists = [self.numbers(rule) for rule in places]
        return from_lists(self.conditions, lists, self.label[places])


def from_lists(conditions: Sequence[Condition], lists: Sequence[Any], labels: ArrayLike) -> ConditionLists:
    """Rules from one list of condition numbers each."""
    start = np.zeros(len(lists) + 1, dtype=np.int64)
    np.cumsum([len(numbers) for numbers in lists], out=start[1:])
    flat = np.fromiter((number for numbers in lists for number in numbers), dtype=np.int32, count=int(start[-1]))
    return ConditionLists(tuple(conditions), start, flat, np.ascontiguousarray(labels, dtype=np.int32))


def path_rules(
    tree: Tree, *, least: float = 1.0, unknown: Unknown = "fails", cost_matrix: ArrayLike | None = None
) -> ConditionLists:
    """One rule per leaf that holds at least the weight ``least``, its conditions in the order of the path.

    unknown, cost_matrix: as in :func:`extract_rules`.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.grow import grow
    >>> data = encode({"Temperature": [40.0, 48.0, 60.0, 72.0, 80.0, 90.0]})
    >>> tree = grow(data, encode_classes(["No", "No", "Yes", "Yes", "Yes", "No"]), cart_recipe())
    >>> rules = path_rules(tree)
    >>> [[str(rules.conditions[number]) for number in rules.numbers(rule)] for rule in range(len(rules))]
    [['Temperature <= 54'], ['Temperature > 54', 'Temperature <= 85'], ['Temperature > 54', 'Temperature > 85']]
    """
    known: dict[Condition, int] = {}
    weights, first_child = tree.weight.tolist(), tree.first_child.tolist()
    leaves: list[int] = []
    paths: list[tuple[int, ...]] = []
    stack: list[tuple[int, tuple[int, ...], int]] = [(0, (), LONGEST_PATH)]
    while stack:
        node, path, longest = stack.pop()
        first = first_child[node]
        if not first:
            if weights[node] >= least - 1e-9 and weights[node] > 0:
                leaves.append(node)
                paths.append(path)
            continue
        if len(path) > longest:
            path = _shortened(path, known)
            longest = max(LONGEST_PATH, 2 * len(path))
        branches = branch_conditions(tree, node, unknown)
        for position in range(len(branches) - 1, -1, -1):
            number = known.setdefault(branches[position], len(known))
            stack.append((first + position, (*path, number), longest))
    return from_lists(tuple(known), paths, tree.labels(cost_matrix)[leaves])


def _shortened(path: tuple[int, ...], known: dict[Condition, int]) -> tuple[int, ...]:
    """The path with the conditions on each attribute merged, an interval as its two ends."""
    numbered = list(known)
    result = []
    for condition in merged(numbered[number] for number in path):
        parts: list[Condition] = [condition]
        if isinstance(condition, Interval) and -math.inf < condition.low < condition.high < math.inf:
            parts = [
                Interval(condition.attribute, low=condition.low, unknown=condition.unknown),
                Interval(condition.attribute, high=condition.high, unknown=condition.unknown),
            ]
        result += [known.setdefault(part, len(known)) for part in parts]
    return tuple(result)


def condition_arrays(conditions: Sequence[Condition], schema: Schema) -> tuple[NDArray[Any], ...]:
    """Conditions as the core takes them: attribute, kind, unknown, threshold, and the codes of value sets."""
    positions = {attribute.name: position for position, attribute in enumerate(schema)}
    size = len(conditions)
    kind, threshold = np.empty(size, dtype=np.uint8), np.zeros(size)
    value_start = np.zeros(size + 1, dtype=np.int64)
    values: list[int] = []
    for number, condition in enumerate(conditions):
        if isinstance(condition, ValueSet):
            kind[number] = _AMONG
            values += condition.codes
        elif isinstance(condition, Interval):
            above = condition.high == math.inf and condition.low > -math.inf
            kind[number], threshold[number] = (_ABOVE, condition.low) if above else (_AT_MOST, condition.high)
        value_start[number + 1] = len(values)
    return (
        np.array([positions[one_attribute(condition).name] for condition in conditions], dtype=np.int32),
        kind,
        np.array([condition.unknown for condition in conditions], dtype=np.uint8),
        threshold,
        value_start,
        np.array(values, dtype=np.int32),
    )

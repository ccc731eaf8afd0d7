"""Trees from nested Python literals, for tests of any kind.

A leaf is ``leaf([3, 0])`` (class weights) or ``leaf(mean=2.5, weight=4, squares=1.0)`` (regression). An inner node is

    cut("Temperature", 54, low, high)              x <= 54 | x > 54
    multiway("Outlook", sunny, overcast, rain)     one child a declared value, one more for unknown
    grouped("Soil", {"clay": 0, "sand": 1}, a, b)  the child of each value; values left out go nowhere
    subset("Soil", {"clay": 0, "sand": 1}, a, b)

each with the keyword arguments gain, missing (child of unknown values) and surrogates (a list of ``stand_in(…)``). The
class weights of an inner node are the sums of its children's. ``build`` makes the Tree:

>>> schema = schema_of(Wind=("Weak", "Strong"))
>>> print(build(multiway("Wind", leaf([0, 6]), leaf([3, 3])), schema, ["No", "Yes"]).n_nodes)
3
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from quercus.data.schema import Attribute, Schema
from quercus.tree import Tree
from quercus.tree.layout import LEAF
from quercus.tree.questions import Grouped, Multiway, Subset, Threshold


@dataclass
class Plan:
    """One node as written in a test."""

    kind: int
    attribute: str = ""
    threshold: float = np.nan
    values: Mapping[Any, int] = field(default_factory=dict)
    children: tuple[Plan, ...] = ()
    gain: float = 0.0
    missing: int = -1
    surrogates: Sequence[StandIn] = ()
    value: np.ndarray = field(default_factory=lambda: np.zeros(0))
    numbers: bool = False
    weight: float = 0.0
    count: int = 0


@dataclass
class StandIn:
    """One surrogate as written in a test."""

    attribute: str
    threshold: float
    low: int
    values: Mapping[Any, int]
    agreement: float
    adjusted: float


def leaf(
    counts: Sequence[float] | None = None,
    *,
    mean: float = 0.0,
    weight: float | None = None,
    squares: float = 0.0,
    count: int | None = None,
) -> Plan:
    """A leaf with class weights, or with mean, weight and squared deviations."""
    value = np.array([mean, mean, squares]) if counts is None else np.array(counts, dtype=np.float64)
    heavy = float(weight if weight is not None else 1.0 if counts is None else value.sum())
    return Plan(
        LEAF, value=value, numbers=counts is None, weight=heavy, count=int(np.ceil(heavy)) if count is None else count
    )


def cut(attribute: str, threshold: float, low: Plan, high: Plan, **more: Any) -> Plan:
    """``attribute <= threshold``: low, otherwise high."""
    return Plan(Threshold.kind, attribute, threshold, children=(low, high), **more)


def multiway(attribute: str, *children: Plan, **more: Any) -> Plan:
    """One child a declared value; one more child: unknown."""
    return Plan(Multiway.kind, attribute, children=children, **more)


def grouped(attribute: str, values: Mapping[Any, int], *children: Plan, **more: Any) -> Plan:
    """The child of each value."""
    return Plan(Grouped.kind, attribute, values=values, children=children, **more)


def subset(attribute: str, values: Mapping[Any, int], *children: Plan, **more: Any) -> Plan:
    """The child, 0 or 1, of each value."""
    return Plan(Subset.kind, attribute, values=values, children=children, **more)


def stand_in(
    attribute: str,
    threshold: float = np.nan,
    low: int = 0,
    values: Mapping[Any, int] | None = None,
    agreement: float = 0.9,
    adjusted: float = 0.5,
) -> StandIn:
    """A surrogate: a threshold with the child of its low side, or the child of each value."""
    return StandIn(attribute, threshold, low, values or {}, agreement, adjusted)


def schema_of(**attributes: Any) -> Schema:
    """A schema from names: a tuple of values is nominal, a kind is that kind, an Attribute itself."""
    return Schema(tuple(_attribute(name, given) for name, given in attributes.items()))


def _attribute(name: str, given: Any) -> Attribute:
    if isinstance(given, Attribute):
        return given
    return Attribute(name, "nominal", values=given) if isinstance(given, tuple) else Attribute(name, given)


def build(
    plan: Plan,
    schema: Schema,
    classes: Sequence[Any] | None = None,
    *,
    criterion: str = "entropy",
    empty_leaf: str = "parent_class",
) -> Tree:
    """The tree of a plan."""
    return Tree.from_arrays(arrays_of(plan, schema), schema, classes, criterion=criterion, empty_leaf=empty_leaf)


def arrays_of(plan: Plan, schema: Schema) -> dict[str, np.ndarray]:
    """The arrays of a plan: numbered depth first, children side by side."""
    plans, first_child = numbered(plan)
    fill_from_children(plans, first_child)
    arrays = {
        "kind": np.array([p.kind for p in plans], dtype=np.uint8),
        "attribute": np.array([schema.position(p.attribute) if p.children else 0 for p in plans], dtype=np.int32),
        "threshold": np.array([p.threshold for p in plans], dtype=np.float64),
        "first_child": np.array(first_child, dtype=np.int32),
        "n_children": np.array([len(p.children) for p in plans], dtype=np.int32),
        "missing_child": np.array([p.missing for p in plans], dtype=np.int32),
        "weight": np.array([p.weight for p in plans], dtype=np.float64),
        "count": np.array([p.count for p in plans], dtype=np.int64),
        "gain": np.array([p.gain for p in plans], dtype=np.float64),
        "value": np.array([p.value for p in plans], dtype=np.float64),
    }
    arrays["group_start"], arrays["group_child"] = _value_children(plans, schema)
    stand_ins = [s for p in plans for s in p.surrogates]
    arrays["surrogate_start"] = _starts([len(p.surrogates) for p in plans])
    arrays["surrogate_kind"] = np.array(
        [Subset.kind if s.values else Threshold.kind for s in stand_ins], dtype=np.uint8
    )
    arrays["surrogate_attribute"] = np.array([schema.position(s.attribute) for s in stand_ins], dtype=np.int32)
    arrays["surrogate_threshold"] = np.array([s.threshold for s in stand_ins], dtype=np.float64)
    arrays["surrogate_low_child"] = np.array([s.low for s in stand_ins], dtype=np.int32)
    arrays["surrogate_agreement"] = np.array([s.agreement for s in stand_ins], dtype=np.float64)
    arrays["surrogate_adjusted"] = np.array([s.adjusted for s in stand_ins], dtype=np.float64)
    arrays["surrogate_group_start"], arrays["surrogate_group_child"] = _value_children(stand_ins, schema)
    return arrays


def numbered(plan: Plan) -> tuple[list[Plan], list[int]]:
    """The plans in the order of their numbers, and the number of each one's first child."""
    plans, first_child, stack = [plan], [0], [0]
    while stack:
        number = stack.pop()
        children = plans[number].children
        if children:
            first_child[number] = len(plans)
            stack.extend(range(len(plans) + len(children) - 1, len(plans) - 1, -1))
            plans.extend(children)
            first_child.extend([0] * len(children))
    return plans, first_child


def fill_from_children(plans: list[Plan], first_child: list[int]) -> None:
    """Weights and values of inner nodes, from the last to the first."""
    for number in range(len(plans) - 1, -1, -1):
        plan = plans[number]
        if not plan.children:
            continue
        below = plans[first_child[number] : first_child[number] + len(plan.children)]
        plan.weight, plan.count = sum(p.weight for p in below), sum(p.count for p in below)
        plan.numbers = below[0].numbers
        if plan.numbers and plan.weight > 0:
            mean = sum(p.weight * p.value[1] for p in below) / plan.weight
            plan.value = np.array([mean, mean, sum(p.value[2] + p.weight * (p.value[1] - mean) ** 2 for p in below)])
        else:
            plan.value = np.sum([p.value for p in below], axis=0)


def _value_children(rows: Sequence[Plan | StandIn], schema: Schema) -> tuple[np.ndarray, np.ndarray]:
    entries = [
        [row.values.get(value, -1) for value in schema[row.attribute].values] if row.values else [] for row in rows
    ]
    return _starts([len(e) for e in entries]), np.array([child for e in entries for child in e], dtype=np.int32)


def _starts(lengths: Sequence[int]) -> np.ndarray:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.array(lengths, dtype=np.int64))])


def large_arrays(n_tests: int, seed: int = 0, *, chain: bool = False) -> tuple[dict[str, np.ndarray], Schema]:
    """The arrays of a random tree of 2·n_tests + 1 nodes over 4 attributes, numbered in the order of splitting.

    chain: always split the last node made: depth n_tests. Pass through ``renumbered`` before from_arrays.
    """
    schema = schema_of(a="numeric", b="numeric", c=("x", "y"), d=("p", "q"))
    rng = np.random.default_rng(seed)
    n_nodes = 2 * n_tests + 1
    first_child = np.zeros(n_nodes, dtype=np.int32)
    weight = np.zeros(n_nodes)
    weight[0] = 2.0 * n_nodes
    share, pick = rng.uniform(0.2, 0.8, n_tests), rng.random(n_tests)
    leaves = [0]
    for step in range(n_tests):
        place = len(leaves) - 1 if chain else int(pick[step] * len(leaves))
        node, leaves[place] = leaves[place], 2 * step + 1
        leaves.append(2 * step + 2)
        first_child[node] = 2 * step + 1
        weight[2 * step + 1] = weight[node] * share[step]
        weight[2 * step + 2] = weight[node] - weight[2 * step + 1]
    inner = first_child > 0
    attribute = np.where(inner, rng.integers(0, 4, n_nodes), 0).astype(np.int32)
    cuts = inner & (attribute < 2)
    yes = weight * rng.random(n_nodes)
    arrays = {
        "kind": np.where(inner, np.where(cuts, Threshold.kind, Multiway.kind), LEAF).astype(np.uint8),
        "attribute": attribute,
        "threshold": np.where(cuts, rng.normal(size=n_nodes).round(3), np.nan),
        "first_child": first_child,
        "n_children": np.where(inner, 2, 0).astype(np.int32),
        "missing_child": np.full(n_nodes, -1, dtype=np.int32),
        "weight": weight,
        "count": np.ceil(weight).astype(np.int64),
        "gain": np.where(inner, 0.1, 0.0),
        "value": np.column_stack([weight - yes, yes]),
    }
    return arrays, schema

"""Random trees of any kind with any names, for hypothesis."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from quercus.data.schema import Attribute, Schema
from quercus.tree import Tree
from tree.build import Plan, build, cut, grouped, leaf, multiway, stand_in, subset

HOSTILE = [
    "",
    " ",
    "a, b",
    'say "hi"',
    "it's",
    "two\nlines",
    "\x00\x1b[31m",
    "\u202e",
    "|   ",
    "…",
    "a = b: c",
    "{}",
    "unknown",
]
names = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=6))
weights = st.one_of(st.integers(0, 5).map(float), st.floats(0, 1e6, allow_nan=False))
numbers = st.floats(-1e9, 1e9, allow_nan=False)


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    """One to four attributes of any kind."""
    attributes = []
    for name in draw(st.lists(names, min_size=1, max_size=4, unique=True)):
        kind = draw(st.sampled_from(["numeric", "nominal", "ordered", "boolean", "date"]))
        values = draw(st.lists(names, min_size=2, max_size=5, unique=True)) if kind in ("nominal", "ordered") else ()
        attributes.append(Attribute(name, kind, values=tuple(values)))
    return Schema(tuple(attributes))


@st.composite
def plans(draw: st.DrawFn, schema: Schema, n_classes: int | None, budget: int) -> Plan:
    """A node that spends at most ``budget`` tests below and including it."""
    if budget == 0 or draw(st.integers(0, 4)) == 4:
        return draw(leaves(n_classes))
    attribute = draw(st.sampled_from(schema.attributes))
    more: dict[str, Any] = {"gain": draw(st.floats(0, 2))}
    below = plans(schema, n_classes, (budget - 1) // 2)
    if attribute.is_numeric:
        more["missing"] = draw(st.integers(-1, 1))
        more["surrogates"] = draw(st.lists(stand_ins(schema), max_size=2))
        threshold = float("inf") if more["missing"] == 1 and draw(st.booleans()) else draw(numbers)
        return cut(attribute.name, threshold, draw(below), draw(below), **more)
    make = draw(st.sampled_from([multiway, grouped, subset]))
    if make is multiway:
        size = attribute.n_values + draw(st.integers(0, 1))
        return multiway(
            attribute.name, *[draw(below) for _ in range(size)], missing=draw(st.integers(-1, size - 1)), **more
        )
    size = 2 if make is subset else draw(st.integers(2, 4))
    more["missing"] = draw(st.integers(-1, size - 1))
    values = {value: draw(st.integers(-1, size - 1)) for value in attribute.values}
    return make(attribute.name, values, *[draw(below) for _ in range(size)], **more)


@st.composite
def stand_ins(draw: st.DrawFn, schema: Schema) -> Any:
    """A surrogate on any attribute."""
    attribute = draw(st.sampled_from(schema.attributes))
    if attribute.is_numeric:
        return stand_in(attribute.name, draw(numbers), draw(st.integers(0, 1)))
    return stand_in(attribute.name, values={value: draw(st.integers(-1, 1)) for value in attribute.values})


def leaves(n_classes: int | None) -> st.SearchStrategy[Plan]:
    """A leaf, often empty."""
    if n_classes is None:
        return st.builds(leaf, mean=numbers, weight=weights, squares=weights)
    return st.lists(weights, min_size=n_classes, max_size=n_classes).map(leaf) | st.just(leaf([0] * n_classes))


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """A tree of up to some dozen nodes, classification or regression."""
    schema = draw(schemas())
    classes = draw(st.none() | st.lists(names, min_size=1, max_size=4, unique=True))
    plan = draw(plans(schema, None if classes is None else len(classes), 7))
    return build(plan, schema, classes, empty_leaf=draw(st.sampled_from(["parent_class", "parent_distribution"])))

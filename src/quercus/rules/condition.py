"""Conditions: what a rule demands of one attribute: an interval of numbers or a set of values.

A condition is a set: the values that fulfil it, and whether an unknown value does (by itself it does not). So two
conditions on the same attribute can be intersected, united and compared, and a path of tests becomes one condition per
attribute.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from quercus.data.schema import Attribute, Schema
from quercus.data.values import value_from_json
from quercus.errors import DataError, ParameterError, shorten
from quercus.tree.conditions import Condition, Interval, ValueSet, value_name

__all__ = [
    "Condition",
    "Interval",
    "ValueSet",
    "condition_from_dict",
    "is_known",
    "is_unknown",
    "joined_latex",
    "joined_texts",
    "merged",
    "one_attribute",
    "value_name",
]


def is_unknown(attribute: Attribute) -> Condition:
    """The condition that the value is unknown.

    >>> print(is_unknown(Attribute("Income", "numeric")))
    Income unknown
    """
    if attribute.is_numeric:
        return Interval(attribute, math.inf, -math.inf, unknown=True)
    return ValueSet(attribute, (), unknown=True)


def is_known(attribute: Attribute) -> Condition:
    """The condition that the value is known.

    >>> print(is_known(Attribute("Income", "numeric")))
    Income known
    """
    return Interval(attribute) if attribute.is_numeric else ValueSet(attribute, range(attribute.n_values))


def condition_from_dict(data: Mapping[str, Any], schema: Schema) -> Condition:
    """Undo ``Condition.to_dict``.

    >>> temperature = Attribute("Temperature", "numeric")
    >>> condition_from_dict({"attribute": "Temperature", "above": None, "up_to": 54.0}, Schema((temperature,)))
    Interval(Temperature <= 54)
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("attribute"), str):
        raise DataError(f"A condition needs the name of an 'attribute'; given: {shorten(data)}.")
    attribute, unknown = schema[data["attribute"]], data.get("unknown", False)
    if not isinstance(unknown, bool) or ("values" not in data and not {"above", "up_to"} <= set(data)):
        raise DataError(f"A condition needs 'values', or 'above' and 'up_to'; given: {shorten(data)}.")
    if "values" not in data:
        low, high = data["above"], data["up_to"]
        if not all(bound is None or type(bound) in (int, float) for bound in (low, high)):
            raise DataError(f"'above' and 'up_to' must be numbers or None; given: {shorten(data)}.")
        return Interval(attribute, -math.inf if low is None else low, math.inf if high is None else high, unknown)
    if attribute.is_numeric and not data["values"]:
        return Interval(attribute, math.inf, -math.inf, unknown)
    values = [value_from_json(value) for value in data["values"]]
    codes = attribute.codes(values)
    if -1 in codes:
        raise DataError(f"{shorten(values[codes.index(-1)])} is not a value of {attribute.name!r}.")
    return ValueSet(attribute, codes, unknown)


def merged(conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    """The conditions with those on the same attribute intersected, each at the place of its first.

    conditions: all of them must hold.

    >>> temperature = Attribute("Temperature", "numeric")
    >>> merged([Interval(temperature, 54.0), Interval(temperature, high=85.0)])
    (Interval(54 < Temperature <= 85),)
    """
    result: dict[str, Condition] = {}
    for condition in conditions:
        before = result.get(condition.name)
        result[condition.name] = condition if before is None else before.intersection(condition)
    return tuple(result.values())


def one_attribute(condition: Condition) -> Attribute:
    """The attribute of a condition that rows are to meet; one on several attributes can only be read."""
    if len(condition.attributes) != 1:
        raise ParameterError(f"{condition} reads several attributes: its rule can be shown, but not applied to rows.")
    return condition.attributes[0]


def joined_texts(conditions: Sequence[Condition], **options: Any) -> list[str]:
    """The words of conditions that AND is to join: where one of several has an "or", it stands in brackets.

    options: of :meth:`Condition.text`.

    >>> income, age = Attribute("Income", "numeric"), Attribute("Age", "numeric")
    >>> joined_texts([Interval(income, high=30.0, unknown=True), Interval(age, 18.0)])
    ['(Income <= 30 or unknown)', 'Age > 18']
    """
    brackets = len(conditions) > 1 and not options.get("mark")
    texts = [condition.text(**options) for condition in conditions]
    return [
        f"({text})" if brackets and condition.has_alternative else text
        for text, condition in zip(texts, conditions, strict=True)
    ]


def joined_latex(conditions: Sequence[Condition], *, mark: bool = False) -> str:
    r"""Conditions as LaTeX with ``\land`` between them, those with an "or" in brackets."""
    several = len(conditions) > 1
    parts = [
        rf"({condition.latex(mark=mark)})"
        if several and (condition.is_marked if mark else condition.has_alternative)
        else condition.latex(mark=mark)
        for condition in conditions
    ]
    return r" \land ".join(parts)

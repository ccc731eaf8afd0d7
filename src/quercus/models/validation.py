"""Validation by a JSON Schema: the part of draft 2020-12 that our schema uses, so that loading needs no library.

A library would make every load slower (a long array is looked at number by number) and would be needed for each. The
tests hold these checks to those of ``jsonschema``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any

from quercus.errors import shorten
from quercus.models.damage import DamageError

Rule = Mapping[str, Any]
Problem = tuple[tuple[str | int, ...], str] | None

_TYPES: dict[str, tuple[type, ...]] = {
    "null": (type(None),),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "string": (str,),
    "array": (list,),
    "object": (dict,),
}


def check(value: Any, schema: Rule) -> None:
    """Refuse a value that the schema does not allow, with the place of the first fault.

    >>> check({"version": "1"}, {"properties": {"version": {"type": "integer"}}})
    Traceback (most recent call last):
    quercus.models.damage.DamageError: at /version: it is '1', but must be of the type integer
    """
    problem = _problem(value, schema, schema)
    if problem is not None:
        steps = (str(step).replace("~", "~0").replace("/", "~1") for step in problem[0])
        place = "".join(f"/{step if len(step) <= 60 else step[:57] + '...'}" for step in steps)
        raise DamageError(place, problem[1])


def _problem(value: Any, rule: Rule, root: Rule) -> Problem:
    """Find the first fault; the type is looked at first, so that every other check sees the type it is for."""
    if "$ref" in rule and (problem := _problem(value, _definition(rule, root), root)) is not None:
        return problem
    if "type" in rule and not _is_type(value, rule["type"]):
        return (), f"it is {shorten(value)}, but must be of the type {' or '.join(_names(rule))}"
    for word, (kind, reason) in _WORDS.items():
        if word in rule and isinstance(value, kind) and (fault := reason(value, rule[word])) is not None:
            return (), fault
    for step, part, its_rule in _parts(value, rule):
        if its_rule is False:
            return (), f"{shorten(step)} is not known here"
        if (problem := _problem(part, its_rule, root)) is not None:
            return (step, *problem[0]), problem[1]
    all_of = [*rule.get("allOf", ())]
    if "if" in rule and _problem(value, rule["if"], root) is None:
        all_of.insert(0, rule["then"])
    for other in all_of:
        if (problem := _problem(value, other, root)) is not None:
            return problem
    return _any(value, rule["anyOf"], root) if "anyOf" in rule else None


def _any(value: Any, choices: list[Rule], root: Rule) -> Problem:
    """None if one of the alternatives allows the value; else what the one says that came furthest."""
    problems = []
    fitting = [choice for choice in choices if _is_type(value, _definition(choice, root).get("type", [*_TYPES]))]
    for choice in fitting or choices:
        reason = _problem(value, choice, root)
        if reason is None:
            return None
        problems.append(reason)
    return max(problems, key=lambda problem: len(problem[0]))


def _definition(rule: Rule, root: Rule) -> Rule:
    """Return the rule that a rule refers to, or itself if it refers to none."""
    if "$ref" in rule:
        rule, steps = root, rule["$ref"].removeprefix("#/").split("/")
        for step in steps:
            rule = rule[step]
    return rule


def _parts(value: Any, rule: Rule) -> Iterator[tuple[Any, Any, Any]]:
    """Go through the members or elements of a value that have a rule (False: no member may be there)."""
    if isinstance(value, dict):
        known = rule.get("properties", {})
        yield from ((name, value[name], part) for name, part in known.items() if name in value)
        if "additionalProperties" in rule:
            yield from ((name, value[name], rule["additionalProperties"]) for name in value if name not in known)
    elif isinstance(value, list) and "items" in rule and not _all_of(value, rule["items"]):
        yield from ((place, item, rule["items"]) for place, item in enumerate(value))


def _names(rule: Rule) -> list[str]:
    return [rule["type"]] if isinstance(rule["type"], str) else rule["type"]


def _is_type(value: Any, names: str | list[str]) -> bool:
    kind, names = type(value), [names] if isinstance(names, str) else names
    whole = kind is float and value.is_integer() and "integer" in names
    return whole or any(kind in _TYPES[name] for name in names)


def _all_of(values: list[Any], rule: Rule) -> bool:
    """Whether a list holds only the types that its rule names, seen at once for long lists; False: look closer."""
    if set(rule) == {"type", "items"} and rule["type"] == "array":
        return set(map(type, values)) <= {list} and _all_of(list(chain.from_iterable(values)), rule["items"])
    if "type" not in rule or not set(rule) <= {"type", "pattern", "description"}:
        return False
    allowed = {kind for name in _names(rule) for kind in _TYPES[name]}
    return set(map(type, values)) <= (allowed - {str} if "pattern" in rule else allowed)


def _equal(one: Any, other: Any) -> bool:
    """Whether two values are the same in JSON: 1 is 1.0, but not true."""
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _among(value: Any, allowed: list[Any], few: str = "one of ") -> str | None:
    if any(_equal(value, word) for word in allowed):
        return None
    return f"it is {shorten(value)}, but must be {few}{', '.join(map(repr, allowed))}"


def _lacks(value: Any, names: list[str]) -> str | None:
    return next((f"{name!r} is missing" for name in names if name not in value), None)


def _too_small(value: Any, least: float) -> str | None:
    return None if isinstance(value, bool) or value >= least else f"it is {value!r}, but at least {least}"


def _other_form(value: str, pattern: str) -> str | None:
    return None if re.search(pattern, value) else f"it is {shorten(value)}, but must match {pattern}"


def _wrong_count(value: list[Any], fits: bool) -> str | None:
    return None if fits else f"it has {len(value)} elements, which is not allowed"


#: By word of the schema: the types it speaks of, and what is wrong with a value (None: nothing). Words about parts and
#: alternatives are in the functions above.
_WORDS: dict[str, tuple[Any, Callable[[Any, Any], str | None]]] = {
    "const": (object, lambda value, content: _among(value, [content], "")),
    "enum": (object, _among),
    "minimum": ((int, float), _too_small),
    "pattern": (str, _other_form),
    "required": (dict, _lacks),
    "minItems": (list, lambda value, least: _wrong_count(value, len(value) >= least)),
    "maxItems": (list, lambda value, most: _wrong_count(value, len(value) <= most)),
}

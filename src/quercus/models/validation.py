"""Validation by a JSON Schema: the part of draft 2020-12 that our schema uses, so that loading needs no library.

The words known are in ``_CHECKS``; ``if`` … ``then``, ``allOf``, ``anyOf`` and local ``$ref`` too. Text such as
``title`` is passed over, any other word is an error in the schema.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
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
_WORDS = frozenset({"$schema", "$id", "$defs", "title", "description", "$ref", "allOf", "anyOf", "if", "then", "type"})


def check(value: Any, schema: Rule) -> None:
    """Refuse a value that the schema does not allow, with the place of the first fault.

    >>> check({"version": "1"}, {"properties": {"version": {"type": "integer"}}})
    Traceback (most recent call last):
    quercus.models.damage.DamageError: at /version: it is '1', but must be of the type integer
    """
    problem = _Checker(schema).problem(value, schema)
    if problem is not None:
        place, reason = problem
        raise DamageError("".join(f"/{pointer_step(step)}" for step in place), reason)


def pointer_step(step: str | int) -> str:
    """A name as a step of a JSON pointer, shortened if it is long.

    >>> pointer_step("a/b")
    'a~1b'
    """
    text = str(step).replace("~", "~0").replace("/", "~1")
    return text if len(text) <= 60 else text[:57] + "..."


class _Checker:
    """Finds the first fault; types are looked at first, so that every other check sees the type it is for."""

    def __init__(self, root: Rule) -> None:
        self.root = root

    def problem(self, value: Any, rule: Rule) -> Problem:
        if "$ref" in rule:
            found = self.problem(value, self._definition(rule["$ref"]))
            if found is not None:
                return found
        if "type" in rule and not _is_type(value, rule["type"]):
            return (), f"it is {shorten(value)}, but must be of the type {_words(rule['type'])}"
        for word, content in rule.items():
            if word in _CHECKS:
                wanted, test = _CHECKS[word]
                found = test(self, value, content, rule) if isinstance(value, wanted) else None
                if found is not None:
                    return found
            elif word not in _WORDS:
                raise AssertionError(f"the schema uses {word!r}, which is not known here")
        return self._combined(value, rule)

    def _combined(self, value: Any, rule: Rule) -> Problem:
        if "if" in rule and self.problem(value, rule["if"]) is None:
            found = self.problem(value, rule["then"])
            if found is not None:
                return found
        for part in rule.get("allOf", ()):
            found = self.problem(value, part)
            if found is not None:
                return found
        return self._any(value, rule["anyOf"]) if "anyOf" in rule else None

    def _any(self, value: Any, choices: list[Rule]) -> Problem:
        """None if one of the alternatives allows the value; else what the one says that came furthest."""
        furthest: Problem = None
        of_its_type = [choice for choice in choices if self._is_of_type(value, choice)]
        for choice in of_its_type or choices:
            found = self.problem(value, choice)
            if found is None:
                return None
            if furthest is None or len(found[0]) > len(furthest[0]):
                furthest = found
        return furthest

    def _is_of_type(self, value: Any, rule: Rule) -> bool:
        if "$ref" in rule:
            rule = self._definition(rule["$ref"])
        return "type" not in rule or _is_type(value, rule["type"])

    def _definition(self, reference: str) -> Rule:
        found: Any = self.root
        for step in reference.removeprefix("#/").split("/"):
            found = found[step]
        return found  # type: ignore[no-any-return]

    # One method a word of the schema

    def const(self, value: Any, content: Any, rule: Rule) -> Problem:
        return None if _equal(value, content) else ((), f"it is {shorten(value)}, but must be {content!r}")

    def enum(self, value: Any, content: Any, rule: Rule) -> Problem:
        if any(_equal(value, word) for word in content):
            return None
        return (), f"it is {shorten(value)}, but must be one of {', '.join(map(repr, content))}"

    def minimum(self, value: Any, content: Any, rule: Rule) -> Problem:
        return None if isinstance(value, bool) or value >= content else ((), f"it is {value!r}, but at least {content}")

    def pattern(self, value: Any, content: Any, rule: Rule) -> Problem:
        return None if re.search(content, value) else ((), f"it is {shorten(value)}, but must match {content}")

    def required(self, value: Any, content: Any, rule: Rule) -> Problem:
        missing = [name for name in content if name not in value]
        return ((), f"{missing[0]!r} is missing") if missing else None

    def properties(self, value: Any, content: Any, rule: Rule) -> Problem:
        for name, part in content.items():
            if name in value:
                found = self.problem(value[name], part)
                if found is not None:
                    return (name, *found[0]), found[1]
        return None

    def additional(self, value: Any, content: Any, rule: Rule) -> Problem:
        for name in value:
            if name not in rule.get("properties", {}):
                if content is False:
                    return (), f"{shorten(name)} is not known here"
                found = self.problem(value[name], content)
                if found is not None:
                    return (name, *found[0]), found[1]
        return None

    def counts(self, value: Any, content: Any, rule: Rule) -> Problem:
        least, most = rule.get("minItems", 0), rule.get("maxItems", len(value))
        return None if least <= len(value) <= most else ((), f"it has {len(value)} elements, which is not allowed")

    def names(self, value: Any, content: Any, rule: Rule) -> Problem:
        least, most = rule.get("minProperties", 0), rule.get("maxProperties", len(value))
        return None if least <= len(value) <= most else ((), f"it has {len(value)} members, which is not allowed")

    def items(self, value: Any, content: Any, rule: Rule) -> Problem:
        if _all_of(value, content):
            return None
        for place, item in enumerate(value):
            found = self.problem(item, content)
            if found is not None:
                return (place, *found[0]), found[1]
        return None


def _is_type(value: Any, names: str | list[str]) -> bool:
    kind = type(value)
    for name in [names] if isinstance(names, str) else names:
        if kind in _TYPES[name] or (name == "integer" and kind is float and value.is_integer()):
            return True
    return False


def _equal(one: Any, other: Any) -> bool:
    """Whether two values are the same in JSON: 1 is 1.0, but not true."""
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _all_of(values: list[Any], rule: Rule) -> bool:
    """Whether a list holds only the types that its rule names, seen at once for long lists; False: look closer."""
    if set(rule) == {"type", "items"} and rule["type"] == "array":
        return set(map(type, values)) <= {list} and _all_of(list(chain.from_iterable(values)), rule["items"])
    if "type" not in rule or not set(rule) <= {"type", "pattern", "description"}:
        return False
    names = [rule["type"]] if isinstance(rule["type"], str) else rule["type"]
    allowed = {kind for name in names for kind in _TYPES[name]}
    return set(map(type, values)) <= (allowed - {str} if "pattern" in rule else allowed)


def _words(names: str | list[str]) -> str:
    return names if isinstance(names, str) else " or ".join(names)


_CHECKS: dict[str, tuple[Any, Callable[[_Checker, Any, Any, Rule], Problem]]] = {
    "const": (object, _Checker.const),
    "enum": (object, _Checker.enum),
    "minimum": ((int, float), _Checker.minimum),
    "pattern": (str, _Checker.pattern),
    "required": (dict, _Checker.required),
    "properties": (dict, _Checker.properties),
    "additionalProperties": (dict, _Checker.additional),
    "minProperties": (dict, _Checker.names),
    "maxProperties": (dict, _Checker.names),
    "minItems": (list, _Checker.counts),
    "maxItems": (list, _Checker.counts),
    "items": (list, _Checker.items),
}

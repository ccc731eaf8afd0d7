"""What cannot change in a person's life: attributes such as sex and age, known by their names."""

from __future__ import annotations

import re

#: Words of names of attributes that only grow, and of those that stay as they are.
_GROWING = frozenset({"age"})
_STAYING = frozenset(
    {"sex", "gender", "race", "ethnicity", "born", "birth", "birthday", "birthdate", "birthplace", "dob"}
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def impossible(name: str, up: bool | None) -> str:
    """Why an attribute cannot change so, in words; empty: nothing speaks against it.

    name: of the attribute; only its words are known, so this is a guess to be shown, not a bound. up: whether its value
    grows; None: it has no order.

    >>> impossible("AgeAtEntry", up=False), impossible("age", up=True), impossible("wage", up=False)
    ('AgeAtEntry cannot go down', '', '')
    >>> impossible("sex", up=None)
    'sex cannot change'
    """
    words = {word.lower() for word in _WORD.findall(name)}
    if words & _STAYING:
        return f"{name} cannot change"
    return f"{name} cannot go down" if words & _GROWING and up is False else ""

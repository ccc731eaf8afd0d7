"""The kinds of question: the one list of them, and how a question is read from a tree's arrays."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from quercus.arrays import Array, Truths
from quercus.data.schema import Schema
from quercus.tree.layout import LEAF
from quercus.tree.questions.grouped import Grouped
from quercus.tree.questions.multiway import Multiway
from quercus.tree.questions.question import Entries, Question
from quercus.tree.questions.subset import Subset
from quercus.tree.questions.threshold import Threshold

#: All kinds, in the order of their numbers.
KINDS: tuple[type[Question], ...] = (Threshold, Multiway, Grouped, Subset)
KIND_NAMES = ("leaf", *(kind.kind_name for kind in KINDS))
_BY_NUMBER = {kind.kind: kind for kind in KINDS}


def question_of(kind: int, schema: Schema, entries: Entries) -> Question:
    """The question of a kind from what a tree's arrays hold of it.

    >>> from quercus.data import Attribute
    >>> schema = Schema((Attribute("x", "numeric"),))
    >>> print(question_of(1, schema, {"attribute": 0, "threshold": 2.5, "missing_child": -1}))
    x <= 2.5
    """
    missing_child = int(entries["missing_child"])
    return _BY_NUMBER[int(kind)].read(schema, None if missing_child < 0 else missing_child, entries)


def question_class(kind: int) -> type[Question]:
    """The kind of question that a number of the array ``kind`` means."""
    return _BY_NUMBER[int(kind)]


def positions_of(kind: int, entries: Entries) -> tuple[int, ...]:
    """The positions in the schema of the attributes that a question reads."""
    return _BY_NUMBER[int(kind)].positions(entries)


def asked_once(kind: int) -> bool:
    """Whether no question below one of this kind asks its attribute again."""
    return _BY_NUMBER[int(kind)].asked_once


def kinds_that(kind: Array, holds: Callable[[type[Question]], bool]) -> Truths:
    """For each number of an array ``kind``, whether that kind of question has a property; leaves do not have it.

    >>> kinds_that(np.array([0, 1, 4]), lambda kind: kind.asks_numbers)
    array([False,  True, False])
    """
    table = np.zeros(256, dtype=np.bool_)
    for number, one in _BY_NUMBER.items():
        table[number] = holds(one)
    assert not table[LEAF]
    return table[kind]


def named_kinds(holds: Callable[[type[Question]], bool]) -> str:
    """The names of the kinds of which something holds."""
    return " or ".join(kind.kind_name for kind in KINDS if holds(kind))

"""The policies for unknown values, one row each: how an unknown value counts, and what the policy needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

MissingPolicy = Literal["fractional", "most_common", "class_most_common", "own_value", "surrogate"]


@dataclass(frozen=True)
class Policy:
    """One policy. The core and the reference carry it out by its name.

    meaning: for the documentation of parameters. traced: how a trace says it; ``{branch}`` is where unknown values go.
    needs_classes: whether numbers cannot have it. needs_binary: whether all splits must have two branches.
    """

    meaning: str
    traced: str
    needs_classes: bool = False
    needs_binary: bool = False


POLICIES: dict[str, Policy] = {
    "fractional": Policy(
        "the row follows every branch, with the branch's share of the rows as its weight",
        "left out here, then shared among the branches",
    ),
    "most_common": Policy(
        "the row counts as the most common value at the node",
        "unknown counts as the most common value here, in the branch {branch}",
    ),
    "class_most_common": Policy(
        "in training, the row counts as the most common value of its class at the node",
        "unknown counts as the most common value that examples of the same class have here",
        needs_classes=True,
    ),
    "own_value": Policy(
        "unknown is a value like the others; a two-way question sends it to the better side",
        "unknown counts as a value of its own, in the branch {branch}",
    ),
    "surrogate": Policy(
        "the question that agrees best with the one at the node answers instead",
        "left out here, then sent by surrogates",
        needs_binary=True,
    ),
}
NEED_CLASSES = tuple(name for name, policy in POLICIES.items() if policy.needs_classes)
NEED_BINARY = tuple(name for name, policy in POLICIES.items() if policy.needs_binary)

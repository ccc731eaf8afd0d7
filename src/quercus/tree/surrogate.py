"""Surrogates: tests on other attributes that imitate a binary split where its own value is unknown."""

from __future__ import annotations

from dataclasses import dataclass

from quercus.data.names import significant
from quercus.tree.questions import Question


@dataclass(frozen=True)
class Surrogate:
    """A test that sends most instances where the primary test sends them.

    test: the imitating test. children: the child of each of its two branches. agreement: the share of weight sent the
    same way. adjusted: the same above the guess "the larger side"; 1 is perfect. sides: texts of the primary branches.
    """

    test: Question
    children: tuple[int, int]
    agreement: float
    adjusted: float
    sides: tuple[str, str]

    def branch_of_code(self, code: float) -> int | None:
        """The child for an encoded value; None: the surrogate does not know."""
        branch = self.test.branch_of_code(code)
        return None if branch is None else self.children[branch]

    def branch_of(self, value: object) -> int | None:
        """The child for a value as the table holds it; None: the surrogate does not know."""
        branch = self.test.branch_of(value)
        return None if branch is None else self.children[branch]

    def __str__(self) -> str:
        """Which answer stands for which branch, and how well."""
        answer = self.test.branch(0, limit=10) if self.test.n_branches else ""
        return (
            f"{answer} stands for {self.sides[self.children[0]]} "
            f"(agreement {significant(self.agreement)}, adjusted {significant(self.adjusted)})"
        )

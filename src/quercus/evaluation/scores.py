"""Scores: the results of a model on some rows; one class for each kind of target."""

from __future__ import annotations

from typing import Any, ClassVar

from quercus.evaluation.text_table import text_table
from quercus.results import Result


class Scores(Result):
    """What a model did on some rows; a class for each kind of target says which figures there are.

    task: "classification" or "regression".
    """

    task: ClassVar[str]

    def measures(self) -> dict[str, str]:
        """The scores that are one number, by name, as text; those that exist."""
        raise NotImplementedError

    def headline(self) -> str:
        """The scores that count most and the number of rows, in words."""
        raise NotImplementedError

    def details(self) -> list[str]:
        """What an evaluation shows below the scores, each a text of some lines."""
        return []

    def to_dict(self) -> dict[str, Any]:
        """Everything as data that JSON can hold; what is not a finite number is None."""
        raise NotImplementedError

    def __repr__(self) -> str:
        """The most important scores in one line."""
        return f"<{type(self).__name__}: {self.headline()}>"

    def __str__(self) -> str:
        """The scores by name."""
        return text_table([[name, value] for name, value in self.measures().items()], left=(0, 1))

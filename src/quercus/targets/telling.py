"""How a kind of target is shown: nodes and answers in words, in colours, and as data for pages and traces."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Floats
from quercus.targets.payload import Shading, Words


class Telling(ABC):
    """How a kind of target shows nodes and answers."""

    @abstractmethod
    def words(self, *, width: int = 1 << 60, digits: tuple[int, int] = (6, 4)) -> Words:
        """The words for nodes. width: characters of one name. digits: of an answered number, and of a spread."""

    @abstractmethod
    def label_text(self, label: Any) -> str:
        """One class or number as text."""

    def label_latex(self, label: Any) -> str:
        """One class or number in LaTeX."""
        return self.label_text(label)

    @abstractmethod
    def answer_text(self, answer: Floats) -> str:
        """All numbers of one answer as text: ``No 0.25, Yes 0.75`` or ``7.5``."""

    def standing_text(self, answer: Floats, label: Any) -> str:
        """The answer, and how sure it is: ``Yes (Yes 75 %, No 25 %)`` or ``7.5``."""
        return self.answer_text(answer)

    def heaviest(self, answer: Floats) -> list[Any]:
        """The classes that have a share, the largest first; numbers have none."""
        return []

    @abstractmethod
    def shadings(self, answers: Floats, chosen: NDArray[Any]) -> list[Shading]:
        """The colours of places where these answers are given."""

    @abstractmethod
    def page_data(
        self, value: Floats, weight: Floats, answers: Floats, chosen: NDArray[Any], counts: Floats | None
    ) -> dict[str, Any]:
        """The data of a tree's nodes for a report. counts: the class weights from which each node answers."""

    @abstractmethod
    def rule_data(self, chosen: Any, precision: float, spread: float | None) -> dict[str, Any]:
        """The data of a rule for a report."""

    # What a trace tells

    @abstractmethod
    def traced(self, value: Sequence[float] | Floats, weight: float) -> tuple[float, ...]:
        """The numbers that a trace shows of some examples: the weight of each class, or mean and variance."""

    @abstractmethod
    def traced_text(self, values: Sequence[float], median: float | None, limit: int) -> str:
        """These numbers in words. median: whether it is the answer. limit: the most classes that are named."""

    def prediction(self, value: Sequence[float] | Floats) -> float | None:
        """The number that is answered; None: the target has classes."""
        return None

    def entering(self, values: Sequence[float], multipliers: Sequence[float] | None) -> Sequence[float]:
        """The class weights, multiplied by costs, from which an impurity is computed; none for numbers."""
        return ()

    def multiplied_text(self, values: Sequence[float], multipliers: Sequence[float] | None) -> str:
        """How costs multiply the class weights, in words; empty for numbers."""
        return ""

    @abstractmethod
    def tied_gain(self, impurity: float) -> float:
        """Gains this close are tied at a node of this impurity."""

    @abstractmethod
    def same_values(self, ours: Floats, theirs: Floats, unit: float, size: float) -> NDArray[np.bool_]:
        """Whether each node of a trace holds what the tree's does.

        ours: of the trace, in cases. theirs: of the tree. unit: what one case weighs. size: of the whole table.
        """

    @abstractmethod
    def rows_text(self, value: Floats, count: str, limit: int = 10) -> str:
        """Some rows in words: ``3 Yes, 1 No``, or ``4 rows of the mean 7``. count: how many, in words."""

    @abstractmethod
    def pure_text(self, value: Sequence[float], count: int, classes: str) -> str:
        """Why a node is pure. count: of the examples. classes: the class that they have, in words."""

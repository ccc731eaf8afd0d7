"""Small values that kinds of target return: the columns of a node, its words, colours, choices and goals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from quercus.arrays import Floats

#: What chose an answer.
ChosenBy = Literal["most likely", "least expected cost", "decision threshold", "number", "deciding rule", "votes"]


@dataclass(frozen=True)
class Layout:
    """The columns of what a tree keeps of each node, ``Tree.value`` [nodes, columns].

    names: of the columns. n_answers: so many at the front are what the node answers. n_amounts: so many at the end grow
    with the weight of the examples, and are at least 0. text: the columns in words.

    >>> layout = Layout(("prediction", "mean", "squared_deviations"), 1, 1, "prediction, mean, squared deviations")
    >>> value = np.array([[2.0, 2.0, 8.0]])
    >>> layout.column(value, "mean"), layout.weighed(value, 0.5)
    (array([2.]), array([[2., 2., 4.]]))
    """

    names: tuple[str, ...]
    n_answers: int
    n_amounts: int
    text: str

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.names)

    def column(self, value: Floats, name: str) -> Floats:
        """One column by its name, of the values of one node or of many."""
        return value[..., self.names.index(name)]

    def answers(self, value: Floats) -> Floats:
        """The columns that a node answers."""
        return value[..., : self.n_answers]

    def amounts(self, value: Floats) -> Floats:
        """The columns that grow with the weight."""
        return value[..., self.width - self.n_amounts :]

    def weighed(self, value: Floats, unit: float) -> Floats:
        """The values of examples that weigh ``unit`` times as much."""
        factors = np.ones(self.width)
        factors[self.width - self.n_amounts :] = unit
        return value * factors


@dataclass(frozen=True)
class Shading:
    """Places of a picture that have one colour. name: of the colour. colour: its number. strengths: from 0 to 1."""

    name: str
    colour: int
    places: tuple[int, ...]
    strengths: tuple[float, ...]


@dataclass(frozen=True)
class Choice:
    """How an answer was chosen. by: what chose it. costs: the expected cost of each answer. sentences: in words."""

    by: ChosenBy
    costs: tuple[float, ...] | None = None
    sentences: tuple[str, ...] = ()


@dataclass(frozen=True)
class Goal:
    """Answers that are wanted. fits: whether what was chosen is one of them. text: which, in words."""

    fits: Callable[[Any], bool]
    text: str


class Words(ABC):
    """The words for a node of a tree."""

    @abstractmethod
    def answer(self, chosen: Any, answers: Floats) -> str:
        """The answer in words. chosen: the position of the class, or the number. answers: of the node."""

    def parts(self, chosen: Any, answers: Floats) -> tuple[str, ...]:
        """The answer in parts that may be on lines of their own; the chosen one is first."""
        return (self.answer(chosen, answers),)

    @abstractmethod
    def short(self, value: Floats, weight: float, chosen: Any) -> str:
        """The text after the answer in a line: ``4: 3 Yes, 1 No`` or ``n = 4, spread 2.5``."""

    @abstractmethod
    def held(self, value: Floats, weight: float, *, limit: int = 20) -> str:
        """The text after the number of examples: ``: 3 Yes, 1 No`` or `` of mean 7, spread 2.5``."""

    def centre(self, value: Floats) -> str:
        """Where the numbers of a node lie: ``7``; empty for classes."""
        return ""

    def reach(self, value: Floats, weight: float) -> str:
        """How far the numbers of a node reach: ``± 2.5``; empty for classes."""
        return ""

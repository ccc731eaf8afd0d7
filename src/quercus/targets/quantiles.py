"""Quantiles of numbers as the target: a node keeps one number for each level, and answers all of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.arrays import Array, Floats
from quercus.data.names import significant
from quercus.errors import ParameterError
from quercus.targets.kind import TargetKind, weighted_mean
from quercus.targets.numbers import Numbers, NumberWords
from quercus.targets.payload import Layout, Words
from quercus.targets.pinball import checked_levels, pinball_loss, weighted_quantiles


@dataclass(frozen=True)
class Quantiles(Numbers):
    """One number for each row, of which quantiles are predicted. levels: rising numbers between 0 and 1.

    Errors are pinball losses, added up over the levels. The answer that stands for all is that of the level nearest to
    0.5 (the first if tied). Rows that come to several leaves get the mean of their quantiles by weight, level by level,
    so that a higher level never answers less.

    >>> kind = Quantiles((0.1, 0.5, 0.9))
    >>> kind.noun, kind.chosen(np.array([[3.0, 7.0, 12.0]]))
    ('quantiles 0.1, 0.5, 0.9', array([7.]))
    >>> kind.losses(np.array([[3.0, 7.0, 12.0]]), np.array([7.0])).round(3)
    array([0.9])
    """

    levels: tuple[float, ...] = (0.5,)

    name = "quantiles"
    leaf_table = True
    in_rules = False
    sums_tell_losses = False
    in_forests = False

    def __post_init__(self) -> None:
        """Refuse numbers that are not levels."""
        object.__setattr__(self, "levels", checked_levels(self.levels))

    @classmethod
    def read(cls, data: Mapping[str, Any], classes: Sequence[Any] | Array | None) -> TargetKind | None:
        """The kind ``Quantiles``, if the dictionary has levels."""
        return Quantiles(tuple(data["quantiles"])) if data.get("quantiles") else None

    def to_json(self) -> dict[str, Any]:
        """The levels; there are no classes."""
        return {**super().to_json(), "quantiles": list(self.levels)}

    @cached_property
    def layout(self) -> Layout:
        """One column for each level, then mean, squared deviations and pinball loss."""
        names = tuple(f"quantile {level:g}" for level in self.levels)
        rest = ("mean", "squared_deviations", "pinball_loss")
        text = "one column per quantile, mean, squared deviations, pinball loss"
        return Layout((*names, *rest), len(names), 2, text)

    @property
    def noun(self) -> str:
        """The quantiles with their levels: ``quantiles 0.1, 0.9``."""
        return f"quantiles {', '.join(f'{level:g}' for level in self.levels)}"

    @property
    def title(self) -> str:
        """The words for the line of a tree."""
        return self.noun

    @cached_property
    def middle(self) -> int:
        """The position of the level that stands for all."""
        return int(np.argmin(np.round(np.abs(np.array(self.levels) - 0.5), 12)))

    def chosen(self, answers: Floats, costs: ArrayLike | None = None, threshold: float | None = None) -> NDArray[Any]:
        """The number of the level that stands for all."""
        return np.ascontiguousarray(answers[..., self.middle])

    def position(self, label: Any) -> int:
        """The position of the level that stands for all."""
        return self.middle

    def caution(self, value: Floats, count: Array, weight: Floats) -> str | None:
        """A warning if most rows are in leaves of so few rows that all their quantiles are one number."""
        few = math.ceil(1.0 / min(self.levels[0], 1.0 - self.levels[-1]) - 1e-9)
        narrow = (value[:, 0] == value[:, len(self.levels) - 1]) & (count < few)
        share = float(weight[narrow].sum() / weight.sum())
        if len(self.levels) < 2 or share <= 0.5:
            return None
        return (
            f"Leaves with {100 * share:.0f} % of the training rows answer one number for all quantiles: they are too "
            f"small for a range. Give min_samples_leaf={few} or more (with {few} rows the quantiles {self.levels[0]:g} "
            f"and {self.levels[-1]:g} need not be the least and the greatest number), another limit, or prune the tree."
        )

    def joined(self, value: Floats, weight: Floats) -> Floats:
        """Mean and deviations of all rows together, the weighted mean of their quantiles, and the sum of the losses."""
        total = np.maximum(weight.sum(axis=-1), 1e-300)
        levels = (weight[..., None] * self.layout.answers(value)).sum(axis=-2) / total[..., None]
        moments = Numbers().joined(np.concatenate([value[..., -3:-2], value[..., -3:-1]], axis=-1), weight)
        return np.concatenate([levels, moments[..., 1:], value[..., -1:].sum(axis=-2)], axis=-1)

    def losses(
        self, answers: Floats, truth: NDArray[Any], costs: Floats | None = None, threshold: float | None = None
    ) -> Floats:
        """The pinball losses, added up over the levels."""
        return np.asarray(pinball_loss(truth[:, None], answers, self.levels).sum(axis=1))

    def loss_unit(self, costs: Any = None) -> str:
        """The losses are pinball losses."""
        return "pinball loss"

    def tally_losses(self, sums: Floats, chosen: NDArray[Any], costs: Floats | None = None) -> Floats:
        """Refuse: pinball losses cannot be computed from sums of squares."""
        raise ParameterError("Pinball losses cannot be told from sums of squares; count them row by row.")

    def node_losses(self, value: Floats, costs: ArrayLike | None = None) -> Floats:
        """The pinball losses of the training examples."""
        return np.ascontiguousarray(self.layout.column(value, "pinball_loss"))

    def keeps_impurity(self, criterion: str) -> bool:
        """True for the pinball loss alone."""
        return criterion == "pinball"

    def constant_loss(self, truth: NDArray[Any], weights: Floats, costs: Floats | None = None) -> float:
        """The loss of the quantiles of all rows."""
        answers = np.tile(weighted_quantiles(truth, self.levels, weights), (len(truth), 1))
        return weighted_mean(self.losses(answers, truth), weights)

    @property
    def answer_names(self) -> tuple[Any, ...]:
        """The levels as texts."""
        return self.layout.names[: len(self.levels)]

    def asked_column(self, label: Any) -> int:
        """The position of the level; by default of the one that stands for all."""
        if label is None:
            return self.middle
        if label not in self.levels:
            raise ParameterError(f"label={label!r} is not allowed; give one of the levels {self.levels!r}.")
        return self.levels.index(label)

    def page_data(
        self, value: Floats, weight: Floats, answers: Floats, chosen: NDArray[Any], counts: Floats | None
    ) -> dict[str, Any]:
        """The data of numbers, and all quantiles."""
        levels = [f"{level:g}" for level in self.levels]
        own = {"levels": levels, "middle": self.middle, "numbers": answers.tolist()}
        return super().page_data(value, weight, answers, chosen, counts) | {"quantiles": own}

    def expected(self, answers: Floats) -> Floats:
        """The number that stands for all."""
        return self.chosen(answers)[:, None]

    def interval(self, value: Floats, weight: ArrayLike) -> Floats:
        """The lowest quantile, the one that stands for all, and the highest."""
        return np.asarray(value[..., [0, self.middle, len(self.levels) - 1]])

    @property
    def interval_name(self) -> str:
        """What a bar of quantiles shows."""
        return f"quantiles {self.levels[0]:g} to {self.levels[-1]:g}, mark at {self.levels[self.middle]:g}"

    def words(self, *, width: int = 1 << 60, digits: tuple[int, int] = (6, 4)) -> Words:
        """The words for nodes: the quantile that stands for all, and the others in brackets."""
        return QuantileWords(self, digits)

    def answer_text(self, answer: Floats) -> str:
        """One answer in the same words."""
        return QuantileWords(self, (6, 4)).answer(answer[self.middle], answer)


@dataclass(frozen=True)
class QuantileWords(NumberWords):
    """Nodes that hold numbers whose quantiles are predicted, in words."""

    kind: Quantiles

    def answer(self, chosen: Any, answers: Floats) -> str:
        """The text ``7 (0.1: 3, 0.9: 12)``; the level that stands for all is named unless it is 0.5.

        >>> QuantileWords(Quantiles((0.7, 0.9)), (6, 4)).answer(0.0, np.array([0.0, 30.0]))
        '0 (quantile 0.7; 0.9: 30)'
        """
        middle, *others = self.parts(chosen, answers)
        named = [others.pop(0)] if others and others[0].startswith("quantile") else []
        details = "; ".join([*named, *([", ".join(others)] if others else [])])
        return f"{middle} ({details})" if details else middle

    def parts(self, chosen: Any, answers: Floats) -> tuple[str, ...]:
        """The number of the level that stands for all, this level unless it is 0.5, and the others."""
        levels, middle = self.kind.levels, self.kind.middle
        named = () if levels[middle] == 0.5 else (f"quantile {levels[middle]:g}",)
        others = (
            f"{level:g}: {significant(float(answers[place]), self.digits[0])}"
            for place, level in enumerate(levels)
            if place != middle
        )
        return (super().answer(chosen, answers), *named, *others)

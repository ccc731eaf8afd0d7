"""Purity sums of the reference grower: how pure a set of instances is, and so what a split improves.

The instances at a node are written as *tallies*: one row of numbers per instance, such that the tally of a set of
instances is the sum of theirs. Column 0 counts rows, column 1 sums weights; what follows depends on the criterion: the
class weights, the moments of y, or the weight at each distinct y. A purity sum P ≤ 0 is −(weight · impurity) of a set.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlog1py, xlogy

from quercus.arrays import Floats, Integers, Truths
from quercus.criteria import CLASS_CRITERIA
from quercus.targets import Quantiles

#: A user-written measure: class weights of a node (k) and of its branches (b rows of k) → a number, larger is better.
Measure = Callable[[Floats, Floats], float]

ROWS, WEIGHT, FIRST = 0, 1, 2  # the columns of a tally
WEIGHT_ALLOWANCE = 1e-9  # what comparisons of weights allow for rounding, as a share of them


def about(least: float) -> float:
    """What counts as at least so much: rounding may have taken a little from a sum."""
    return least - WEIGHT_ALLOWANCE * least


def divided(numerator: Floats, denominator: Floats) -> Floats:
    """Divide; nothing divided by nothing is 0.

    >>> divided(np.array([1.0, 0.0]), np.array([4.0, 0.0])).tolist()
    [0.25, 0.0]
    """
    return np.asarray(np.divide(numerator, denominator, out=np.zeros(np.shape(numerator)), where=denominator > 0))


def lower_quantile(weights: Floats, level: float) -> Integers:
    """The position of the lower end of a quantile of the last axis: the first whose cumulative weight is ≥ q·W."""
    cumulative = np.cumsum(weights, axis=-1)
    total = cumulative[..., -1:]
    return np.asarray(np.argmax(cumulative >= level * total - WEIGHT_ALLOWANCE * total, axis=-1))


def upper_quantile(weights: Floats, level: float) -> Integers:
    """The position of the upper end of a quantile of the last axis: the first whose cumulative weight is above q·W."""
    cumulative = np.cumsum(weights, axis=-1)
    total = cumulative[..., -1:]
    above = cumulative > level * total + WEIGHT_ALLOWANCE * total
    last = weights.shape[-1] - 1 - np.argmax(np.flip(weights > 0, axis=-1), axis=-1)
    return np.asarray(np.where(above.any(axis=-1), np.argmax(above, axis=-1), last))


def lower_median(weights: Floats) -> Integers:
    """The position of the lower weighted median of the last axis: the first whose cumulative weight is ≥ half.

    >>> int(lower_median(np.array([1.0, 1.0, 1.0, 1.0])))
    1
    """
    cumulative = np.cumsum(weights, axis=-1)
    total = cumulative[..., -1:]
    return np.asarray(np.argmax(cumulative >= total / 2 - WEIGHT_ALLOWANCE * total, axis=-1))


def upper_median(weights: Floats) -> Integers:
    """The position of the upper weighted median of the last axis: the first whose cumulative weight is above half.

    >>> int(upper_median(np.array([1.0, 1.0, 1.0, 1.0])))
    2
    """
    cumulative = np.cumsum(weights, axis=-1)
    total = cumulative[..., -1:]
    return np.asarray(np.argmax(cumulative > total / 2 + WEIGHT_ALLOWANCE * total, axis=-1))


@dataclass(frozen=True)
class ClassPurity:
    """P = −s · I(c): the impurity of class weights by a criterion, each class multiplied by what its errors cost.

    c_j are the multiplied class weights, s = Σ c_j; the sum is that of the table of criteria. totals: the class weights
    of the node.

    >>> purity = ClassPurity("gini", np.ones(2))
    >>> tallies = purity.tallies(np.array([0, 0, 0, 1]), np.ones(4))
    >>> float(purity.of(tallies.sum(axis=0)))  # 4 · (1 − 9/16 − 1/16), negated
    -1.5
    """

    criterion: str
    multipliers: Floats
    totals: Floats | None = None

    def tallies(self, codes: NDArray[Any], weights: Floats) -> Floats:
        """One tally per instance: 1, its weight, its weight in the column of its class."""
        table = np.zeros((len(codes), FIRST + len(self.multipliers)))
        table[:, ROWS] = 1
        table[:, WEIGHT] = weights
        table[np.arange(len(codes)), FIRST + codes] = weights
        return table

    def total(self, codes: NDArray[Any], weights: Floats) -> Floats:
        """The tally of all these instances."""
        classes = np.bincount(codes, weights=weights, minlength=len(self.multipliers))
        return np.concatenate([[len(codes), weights.sum()], classes])

    def of(self, tally: Floats) -> Floats:
        """The purity sum of each tally along the last axis."""
        row, classes = CLASS_CRITERIA[self.criterion], tally[..., FIRST:]
        if row.steep and self.totals is not None:  # what rounding leaves of a class is nothing
            classes = np.where(classes > WEIGHT_ALLOWANCE * self.totals, classes, 0.0)
        return row.purity(classes * self.multipliers)

    def payload(self, tally: Floats, weights: Floats) -> Floats:
        """What the tree keeps of a node: the class weights."""
        return np.asarray(tally[FIRST:])

    def scale(self, tally: Floats) -> float:
        """N': the multiplied weight, by which improvements are divided to give gains."""
        return float((tally[FIRST:] * self.multipliers).sum())

    def whole(self, tally: Floats) -> float:
        """The largest improvement that there can be, to which rounding is compared: N'."""
        return self.scale(tally)

    def tie(self, tally: Floats) -> float:
        """τ: gains closer than this are tied."""
        return 1e-12

    def sensible(self, tally: Floats) -> Truths:
        """Whether the criterion accepts such a branch: always."""
        return np.ones(tally.shape[:-1], dtype=bool)


class NumberPurity(ABC):
    """What the criteria of regression share; the node's weighted mean is taken off y before anything is summed."""

    def __init__(self, y: Floats, weights: Floats) -> None:
        rough = float(np.average(y, weights=weights))
        self.mean = rough + float(np.average(y - rough, weights=weights))  # so the mean of equal numbers is that number
        self.centred = y - self.mean
        self.variance = float(np.average(self.centred**2, weights=weights))

    @abstractmethod
    def tallies(self, y: Floats, weights: Floats) -> Floats:
        """One tally per instance."""

    def total(self, y: Floats, weights: Floats) -> Floats:
        """The tally of all these instances."""
        return np.asarray(self.tallies(y, weights).sum(axis=0))

    @abstractmethod
    def of(self, tally: Floats) -> Floats:
        """The purity sum of each tally along the last axis."""

    def payload(self, tally: Floats, weights: Floats) -> Floats:
        """What the tree keeps of a node: the answers, the mean and Σ w (y − mean)²."""
        squares = float((weights * self.centred**2).sum())
        return np.array([self.prediction(tally), self.mean, squares])

    def scale(self, tally: Floats) -> float:
        """N' is the plain weight here."""
        return float(tally[WEIGHT])

    def whole(self, tally: Floats) -> float:
        """The largest improvement that there can be, to which rounding is compared: the purity sum, negated."""
        return float(-self.of(tally))

    def tie(self, tally: Floats) -> float:
        """τ = 1e-10 · the node's impurity, P(node)/N negated."""
        return 1e-10 * float(-self.of(tally) / tally[WEIGHT])

    def sensible(self, tally: Floats) -> Truths:
        """Whether the criterion accepts such a branch: always, but for poisson."""
        return np.ones(tally.shape[:-1], dtype=bool)

    def prediction(self, tally: Floats) -> float:
        """What a leaf of these instances answers: the mean of y, for absolute error the median."""
        return self.mean

    def leaf_answers(self, tallies: Floats) -> Floats:
        """What a leaf of each tally would answer [..., answers]: one number, or a quantile of each level."""
        return np.asarray(self.mean + self.centre(tallies))[..., None]

    def centre(self, tally: Floats) -> Floats:
        """The mean of y relative to the node's mean: what orders the values of a nominal attribute."""
        return divided(tally[..., FIRST], tally[..., WEIGHT])


class SquaredError(NumberPurity):
    """P = −Σ w (y − mean)², from the sums of w, w·y and w·y².

    >>> y, weights = np.array([1.0, 2.0, 6.0]), np.ones(3)
    >>> purity = SquaredError(y, weights)
    >>> float(purity.of(purity.tallies(y, weights).sum(axis=0)))
    -14.0
    """

    def tallies(self, y: Floats, weights: Floats) -> Floats:
        """One tally per instance: 1, w, w·(y − node mean), w·(y − node mean)²."""
        return np.column_stack([np.ones(len(y)), weights, weights * self.centred, weights * self.centred**2])

    def of(self, tally: Floats) -> Floats:
        """S²/W − Q, which is −Σ w (y − mean)²."""
        return divided(tally[..., FIRST] ** 2, tally[..., WEIGHT]) - tally[..., FIRST + 1]


class AbsoluteError(NumberPurity):
    """P = −Σ w |y − median|, from the weight at each distinct y.

    >>> y, weights = np.array([1.0, 2.0, 6.0]), np.ones(3)
    >>> purity = AbsoluteError(y, weights)
    >>> float(purity.of(purity.tallies(y, weights).sum(axis=0)))
    -5.0
    """

    def __init__(self, y: Floats, weights: Floats) -> None:
        super().__init__(y, weights)
        self.quantiles: tuple[float, ...] = (0.5,)
        self.distinct, self.level = np.unique(y, return_inverse=True)
        self.levels = self.distinct - self.mean

    def tallies(self, y: Floats, weights: Floats) -> Floats:
        """One tally per instance: 1, w, then w in the column of its y."""
        table = np.zeros((len(y), FIRST + len(self.levels)))
        table[:, ROWS] = 1
        table[:, WEIGHT] = weights
        table[np.arange(len(y)), FIRST + self.level] = weights
        return table

    def total(self, y: Floats, weights: Floats) -> Floats:
        """The tally of all these instances, without a table of all."""
        return self.tally_of(np.ones(len(y), dtype=bool), weights)

    def tally_of(self, inside: Truths, weights: Floats) -> Floats:
        """The tally of some of the node's instances, without a table of all."""
        at = np.bincount(self.level[inside], weights=weights[inside], minlength=len(self.levels))
        return np.concatenate([[np.count_nonzero(inside), weights[inside].sum()], at])

    def of(self, tally: Floats) -> Floats:
        """−Σ w |y − lower weighted median|."""
        weights = tally[..., FIRST:]
        median = self.levels[lower_median(weights)]
        return -np.asarray((weights * np.abs(self.levels - median[..., None])).sum(axis=-1))

    def prediction(self, tally: Floats) -> float:
        """The midpoint of the lower and the upper weighted median."""
        weights = tally[FIRST:]
        return float(self.distinct[lower_median(weights)] / 2 + self.distinct[upper_median(weights)] / 2)

    def leaf_answers(self, tallies: Floats) -> Floats:
        """The midpoints of the medians, or of the quantiles."""
        weights, levels = tallies[..., FIRST:], self.quantiles
        ends = [(lower_quantile(weights, level), upper_quantile(weights, level)) for level in levels]
        return np.stack([self.distinct[low] / 2 + self.distinct[high] / 2 for low, high in ends], axis=-1)

    def centre(self, tally: Floats) -> Floats:
        """The lower weighted median relative to the node's mean."""
        return np.asarray(self.levels[lower_median(tally[..., FIRST:])])


class PinballError(AbsoluteError):
    """P = −Σ_q Σ w ρ_q(y − quantile of level q), from the weight at each distinct y.

    >>> y, weights = np.array([1.0, 2.0, 6.0]), np.ones(3)
    >>> purity = PinballError(y, weights, (0.5,))
    >>> float(purity.of(purity.tallies(y, weights).sum(axis=0)))
    -2.5
    """

    def __init__(self, y: Floats, weights: Floats, quantiles: tuple[float, ...]) -> None:
        super().__init__(y, weights)
        self.quantiles = quantiles

    def of(self, tally: Floats) -> Floats:
        """The sum over the levels, each by the lower end of its quantile."""
        weights = tally[..., FIRST:]
        total = np.zeros(tally.shape[:-1])
        for level in self.quantiles:
            total -= self._loss(weights, level, self.levels[lower_quantile(weights, level)])
        return total

    def _loss(self, weights: Floats, level: float, answer: Floats) -> Floats:
        away = self.levels - np.asarray(answer)[..., None]
        return np.asarray((weights * np.where(away >= 0, level * away, (level - 1.0) * away)).sum(axis=-1))

    def answers(self, tally: Floats) -> list[float]:
        """The quantile of each level."""
        weights = tally[FIRST:]
        ends = [(lower_quantile(weights, level), upper_quantile(weights, level)) for level in self.quantiles]
        return [float(self.distinct[low] / 2 + self.distinct[high] / 2) for low, high in ends]

    def payload(self, tally: Floats, weights: Floats) -> Floats:
        """All quantiles, and their loss behind."""
        return np.array([*self.answers(tally), *super().payload(tally, weights)[1:], self.loss(tally)])

    def loss(self, tally: Floats) -> float:
        """The pinball losses of the answers."""
        pairs = zip(self.quantiles, self.answers(tally), strict=True)
        return sum(float(self._loss(tally[FIRST:], level, np.asarray(answer - self.mean))) for level, answer in pairs)

    def centre(self, tally: Floats) -> Floats:
        """The lower end of the quantile that stands for all, relative to the node's mean."""
        middle = self.quantiles[Quantiles(self.quantiles).middle]
        return np.asarray(self.levels[lower_quantile(tally[..., FIRST:], middle)])


class Poisson(NumberPurity):
    """P = −Σ w (y ln(y/mean) − y + mean), the deviance of counts.

    Of P only what a split changes is kept, W·M·((1 + d) ln(1 + d) − d) with M the node's mean and d the mean of the
    instances relative to it, (mean − M)/M; the rest, −Σ w (y ln(y/M) − y + M), is the same for every split.

    >>> y, weights = np.array([1.0, 1.0, 4.0]), np.ones(3)
    >>> purity = Poisson(y, weights)
    >>> float(purity.of(purity.tallies(y, weights).sum(axis=0)).round(4))  # −(2 ln(1/2) + 4 ln 2)
    -1.3863
    """

    def __init__(self, y: Floats, weights: Floats) -> None:
        super().__init__(y, weights)
        self.node_sum = float((weights * y).sum())

    def tallies(self, y: Floats, weights: Floats) -> Floats:
        """One tally per instance: 1, w, w·(y − M), w·y, w·(y ln(y/M) − y + M)."""
        deviance = weights * (xlogy(y, y) - xlogy(y, self.mean) - self.centred)
        return np.column_stack([np.ones(len(y)), weights, weights * self.centred, weights * y, deviance])

    def of(self, tally: Floats) -> Floats:
        """The purity sum; 0 of instances whose y are all 0."""
        expected = tally[..., WEIGHT] * self.mean
        shift = np.where(tally[..., FIRST + 1] > 0, divided(tally[..., FIRST], expected), -1.0)
        return np.asarray(expected * (xlog1py(1 + shift, shift) - shift) - tally[..., FIRST + 2])

    def sensible(self, tally: Floats) -> Truths:
        """A branch that has instances must have a positive Σ w y (above 1e-10 of the node's, which is rounding)."""
        return np.asarray((tally[..., ROWS] == 0) | (tally[..., FIRST + 1] > 1e-10 * self.node_sum))


Purity = ClassPurity | NumberPurity
REGRESSION_PURITIES: dict[str, type[SquaredError] | type[AbsoluteError] | type[Poisson]] = {
    "squared_error": SquaredError,
    "absolute_error": AbsoluteError,
    "poisson": Poisson,
}


def number_purity(criterion: str, y: Floats, weights: Floats, quantiles: tuple[float, ...]) -> NumberPurity:
    """The purity sum of a criterion for numbers, for a node with these. quantiles: their levels, if it has any."""
    return PinballError(y, weights, quantiles) if quantiles else REGRESSION_PURITIES[criterion](y, weights)

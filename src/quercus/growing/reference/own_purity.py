"""Purity sums by a function that a user wrote: every answer of the function is checked."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from quercus.arrays import Floats
from quercus.criteria import OwnCriterion
from quercus.errors import DataError, ParameterError, shorten
from quercus.growing.reference.purity import FIRST, WEIGHT_ALLOWANCE, AbsoluteError, ClassPurity, divided

#: A node is written with a number for each row and each distinct target: so many take about 1.4 gigabytes.
MOST_NUMBERS = 25_000_000


class OwnImpurity:
    """The impurity of a node by a user's function.

    The function gets what a node is made of, as arrays that it may not change: the weight of each class; or the
    distinct numbers, rising, and the weight of each. It must return a number of at least 0, and 0 for a pure node: one
    that has a single class or number.

    >>> impurity = OwnImpurity(OwnCriterion("rest", False, lambda weights: 1 - weights.max() / weights.sum()))
    >>> impurity(np.array([3.0, 1.0]))
    0.25
    """

    def __init__(self, criterion: OwnCriterion) -> None:
        if criterion.function is None:
            raise ParameterError(
                f"The criterion is the {criterion}, but a model file holds only the name of a function. Give the "
                f"function itself before fitting: set_params(criterion={criterion.name}), of bagging and boosting "
                f"set_params(estimator__criterion={criterion.name})."
            )
        self.name, self.function = criterion.name, criterion.function
        self.noise = 0.0

    def check(self, whole: tuple[Floats, ...], pure: list[tuple[Floats, ...]]) -> None:
        """Try the function on all rows (whole), and on some pure nodes, for which it must return 0 but for rounding."""
        self.noise = 1e-9 * (self(*whole) or 1.0)
        for arrays in pure:
            if (impurity := self(*arrays)) > self.noise:
                self._refuse(f"returned {impurity:g}", arrays, "a pure node must have the impurity 0")

    def __call__(self, *arrays: Floats) -> float:
        copies = [array.copy() for array in arrays]
        for copy in copies:
            copy.flags.writeable = False
        try:
            answer: Any = self.function(*copies)
        except Exception as error:
            raise ParameterError(
                f"The criterion {self.name} raised {type(error).__name__} ({error}) for {_words(arrays)}. It must "
                "return a number of at least 0 for every node."
            ) from error
        if isinstance(answer, np.ndarray) and answer.shape == ():
            answer = answer[()]
        if not isinstance(answer, Real) or isinstance(answer, bool):
            self._refuse(f"returned {shorten(answer)} of type {type(answer).__name__}", arrays, "return one number")
        impurity = float(answer)
        if not math.isfinite(impurity) or impurity < -self.noise:
            self._refuse(f"returned {impurity:g}", arrays, "return a finite number of at least 0")
        return max(impurity, 0.0)

    def _refuse(self, answer: str, arrays: tuple[Floats, ...], remedy: str) -> None:
        raise ParameterError(f"The criterion {self.name} {answer} for {_words(arrays)}; {remedy}.")


def _words(arrays: tuple[Floats, ...]) -> str:
    """What a function was called with, for messages."""
    names = ("the class weights",) if len(arrays) == 1 else ("the numbers", "the weights")
    return " and ".join(f"{name} {shorten(array.tolist())}" for name, array in zip(names, arrays, strict=True))


@dataclass(frozen=True)
class OwnClassPurity(ClassPurity):
    """P = −s · I(c) by a user's function I of the multiplied class weights c; 0 where there is one class or none."""

    impurity: OwnImpurity | None = None

    def of(self, tally: Floats) -> Floats:
        """The purity sum of each tally along the last axis."""
        assert self.impurity is not None and self.totals is not None
        classes = tally[..., FIRST:]
        weights = np.where(classes > WEIGHT_ALLOWANCE * self.totals, classes, 0.0) * self.multipliers
        rows = weights.reshape(-1, weights.shape[-1])
        sums = [-row.sum() * self.impurity(row) if np.count_nonzero(row) > 1 else 0.0 for row in rows]
        return np.array(sums).reshape(tally.shape[:-1])


class OwnError(AbsoluteError):
    """P = −W · I(y, w) by a user's function I, from the weight at each distinct y; a leaf predicts the mean."""

    def __init__(self, y: Floats, weights: Floats, impurity: OwnImpurity) -> None:
        super().__init__(y, weights)
        self.impurity = impurity
        if len(y) * len(self.distinct) > MOST_NUMBERS:
            raise DataError(
                f"The criterion {impurity.name} is a function of numbers, which is for small tables: the rows times "
                f"their distinct targets are {len(y) * len(self.distinct):,}, and at most {MOST_NUMBERS:,} are "
                "allowed. Learn from fewer rows, round the target, or take a criterion by its name."
            )

    def of(self, tally: Floats) -> Floats:
        """The purity sum of each tally along the last axis."""
        rows = tally[..., FIRST:].reshape(-1, len(self.distinct))
        return np.array([self._sum(row) for row in rows]).reshape(tally.shape[:-1])

    def _sum(self, weights: Floats) -> float:
        present = weights > 0
        if np.count_nonzero(present) < 2:
            return 0.0
        return -float(weights.sum()) * self.impurity(self.distinct[present], weights[present])

    def prediction(self, tally: Floats) -> float:
        """The mean of y."""
        return self.mean

    def centre(self, tally: Floats) -> Floats:
        """The mean of y relative to the node's mean."""
        weights = tally[..., FIRST:]
        return divided(np.asarray(weights @ self.levels), np.asarray(weights.sum(axis=-1)))

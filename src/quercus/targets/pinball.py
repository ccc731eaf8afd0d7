"""Quantiles: the pinball loss, and the weighted quantile that makes it least."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from quercus.arrays import Floats
from quercus.errors import DataError, ParameterError, shorten

#: What comparisons of weights allow for rounding, as a share of them.
ALLOWANCE = 1e-9


def pinball_loss(y: ArrayLike, answer: ArrayLike, level: ArrayLike) -> Floats:
    """The pinball loss of answers for a quantile level q: q·(y − a) where y ≥ a, (1 − q)·(a − y) where y < a.

    y: the numbers. answer: one for all, or one for each. level: q, between 0 and 1.

    Of all constant answers the q-quantile has the least mean loss; for q = 0.5 the loss is half the absolute error.

    >>> pinball_loss([1.0, 5.0], 3.0, 0.9)
    array([0.2, 1.8])
    """
    away = np.asarray(y, dtype=np.float64) - np.asarray(answer, dtype=np.float64)
    q = np.asarray(level, dtype=np.float64)
    return np.asarray(np.where(away >= 0, q * away, (q - 1.0) * away))


def weighted_quantiles(y: ArrayLike, levels: ArrayLike, weights: ArrayLike | None = None) -> Floats:
    r"""The quantiles of weighted numbers. y: the numbers. levels: each between 0 and 1.

    All numbers of least pinball loss :math:`\sum w\, \rho_q(y - a)` are an interval. Its lower end is the smallest y up
    to which the weight is at least q·W, its upper end the smallest y up to which it is more than q·W (W the whole
    weight; both comparisons allow 1e-9·W). The quantile is the midpoint of the interval.

    >>> weighted_quantiles([1, 2, 3, 10], [0.1, 0.5, 0.75])
    array([1. , 2.5, 6.5])
    """
    numbers = np.asarray(y, dtype=np.float64)
    weight = np.ones(len(numbers)) if weights is None else np.asarray(weights, dtype=np.float64)
    present = weight > 0
    if not present.any():
        raise DataError("Quantiles need at least one number of weight above 0; there is none.")
    order = np.argsort(numbers[present], kind="stable")
    numbers, run = numbers[present][order], np.cumsum(weight[present][order])
    q, whole = np.asarray(levels, dtype=np.float64), run[-1]
    last = len(numbers) - 1
    lower = numbers[np.minimum(np.searchsorted(run, q * whole - ALLOWANCE * whole, side="left"), last)]
    upper = numbers[np.minimum(np.searchsorted(run, q * whole + ALLOWANCE * whole, side="right"), last)]
    return np.asarray(np.where(lower == upper, lower, lower / 2 + upper / 2))


def checked_levels(levels: object, name: str = "quantiles") -> tuple[float, ...]:
    """Quantile levels as rising numbers between 0 and 1, each once; a text has commas between them.

    >>> checked_levels([0.9, 0.1])
    (0.1, 0.9)
    """
    return tuple(sorted(set(asked_levels(levels, name))))


def asked_levels(levels: object, name: str = "quantiles") -> tuple[float, ...]:
    """The same levels, in the order of the argument and as often as they occur there.

    >>> asked_levels([0.9, 0.1]), asked_levels("0.5, 0.5")
    ((0.9, 0.1), (0.5, 0.5))
    """
    texts = levels.split(",") if isinstance(levels, str) else [levels] if isinstance(levels, int | float) else levels
    try:
        numbers = tuple(float(level) for level in texts)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        numbers = ()
    if not numbers or not all(0 < number < 1 for number in numbers):
        raise ParameterError(
            f"{name} is {shorten(levels)}, but must be numbers above 0 and below 1, such as (0.1, 0.5, 0.9)."
        )
    return numbers

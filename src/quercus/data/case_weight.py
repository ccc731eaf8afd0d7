"""The weight of one case: what a tolerance of a thousandth of a case, or a count of cases, means for these weights.

Some rules count cases: C4.5 wants 25 of them, corrects a gain by log2(T)/N, sees errors within 0.001 as equal, and
estimates errors from N cases. A row of weight 3 stands for three cases, so the weight of one case is 1. Weights so
small or so large that they cannot be such numbers (0.00000001 each, or 1e200) only tell how the rows compare: one case
then weighs as much as the mean row. Growing and pruning divide by it, so that squares and sums stay within the range of
a float64, and multiply what they give by it.
"""

from __future__ import annotations

import math

import numpy as np

from quercus.arrays import Floats
from quercus.errors import DataError

#: Mean weights of a row that can be numbers of cases: a thousandth of a case (errors that close count as equal in C4.5)
#: to the largest number up to which a float64 counts one by one.
LEAST_MEAN, GREATEST_MEAN = 2.0**-10, 2.0**53


def case_weight(total: float, n_rows: int) -> float:
    """The weight of one case where so many rows weigh so much: 1, or their mean.

    >>> case_weight(150.0, 150), case_weight(3.0, 150), case_weight(1.5e-6, 150)
    (1.0, 1.0, 1e-08)
    """
    if n_rows < 1 or not 0.0 < total < math.inf:
        return 1.0
    mean = total / n_rows
    return 1.0 if LEAST_MEAN <= mean <= GREATEST_MEAN or mean == 0.0 else mean


def case_weight_of(weights: Floats | None) -> float:
    """The weight of one case for these weights of rows; rows of weight 0 do not count.

    >>> case_weight_of(np.array([2.0, 0.0, 3.0])), case_weight_of(np.full(3, 2.0**600)) == 2.0**600
    (1.0, True)
    """
    if weights is None:
        return 1.0
    check_total(weights)
    unit = case_weight(float(weights.sum()), int(np.count_nonzero(weights)))
    largest = float(weights.max(initial=0.0))
    equal = unit != 1.0 and bool(((weights == largest) | (weights == 0.0)).all())
    return largest if equal else unit  # of equal weights the sum, and so the mean, may be rounded


def check_total(weights: Floats, name: str = "weights") -> None:
    """Refuse weights whose sum is more than a float64 holds."""
    with np.errstate(over="ignore"):
        total = float(weights.sum())
    if not np.isfinite(total):
        raise DataError(
            f"The {name} add up to more than 1.8e308, the largest number there is here; the largest of them is "
            f"{float(weights.max()):.3g}. Only their proportions matter: divide all of them by that number."
        )

"""The corrected resampled paired t-test: is one model better than another, or only on these folds?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from quercus.errors import DataError, ParameterError, shorten
from quercus.results import Result


@dataclass(frozen=True)
class PairedTest(Result):
    """The mean difference, its corrected standard error, t with its degrees of freedom, and the two-sided p."""

    difference: float
    standard_error: float
    t: float
    degrees: int
    p: float


def corrected_paired_test(differences: ArrayLike, test_share: float) -> PairedTest:
    r"""Test whether the mean of differences of scores on the same test folds is 0.

    The folds of a cross-validation share training rows, so their scores are not independent, and the plain t-test finds
    differences that are not there. Nadeau and Bengio (2003) add the ratio of test to training rows:

    .. math:: t = \frac{\bar d}{\sqrt{\left(\frac{1}{J} + \frac{n_{test}}{n_{train}}\right) s^2}}

    with J differences of variance s² (divisor J − 1), and J − 1 degrees of freedom.

    differences: one per fold, over all repeats. test_share: :math:`n_{test} / n_{train}`; for k folds 1 / (k − 1).

    >>> result = corrected_paired_test([0.02, 0.03, 0.01, 0.04, 0.00], test_share=1 / 4)
    >>> round(result.t, 4), result.degrees, round(result.p, 4)
    (1.8856, 4, 0.1324)
    """
    from scipy.special import stdtr

    numbers = np.asarray(differences, dtype=np.float64)
    if numbers.ndim != 1 or len(numbers) < 2 or not np.isfinite(numbers).all():
        raise DataError(
            f"differences is {shorten(differences)}, but must be at least two finite numbers, one per fold."
        )
    if not (isinstance(test_share, int | float | np.number) and 0 <= test_share < math.inf):
        raise ParameterError(
            f"test_share is {shorten(test_share)}, but must be a number of at least 0: n_test / n_train."
        )
    mean = float(numbers.mean())
    spread = float(numbers.var(ddof=1))
    error = math.sqrt((1 / len(numbers) + float(test_share)) * spread)
    degrees = len(numbers) - 1
    if error <= 1e-15 * max(1.0, abs(mean)):  # the same difference on every fold
        value = 0.0 if abs(mean) <= 1e-15 else math.copysign(math.inf, mean)
        return PairedTest(mean, error, value, degrees, 1.0 if value == 0 else 0.0)
    value = mean / error
    return PairedTest(mean, error, value, degrees, float(2 * stdtr(degrees, -abs(value))))

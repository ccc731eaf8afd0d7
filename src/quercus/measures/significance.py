"""Significance of a split: the chi-square test, its critical values, and a permutation test."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from quercus.arrays import Floats
from quercus.criteria import CLASS_CRITERIA, shares
from quercus.errors import DataError, ParameterError, checked_choice, checked_number, checked_random, checked_whole
from quercus.measures.contingency import (
    as_column,
    checked_threshold,
    encode_labels,
    encode_values,
    row_weights,
    with_unknown,
)
from quercus.measures.counts import as_table
from quercus.measures.gain_table import MEASURES
from quercus.measures.thresholds import cumulative_counts, cut_gains
from quercus.results import Result


@dataclass(frozen=True)
class ChiSquareTest(Result):
    """Result of a chi-square test: could the branches differ in their classes by chance alone?"""

    statistic: float
    degrees_of_freedom: int
    p_value: float

    def is_significant(self, level: float = 0.05) -> bool:
        """Whether the statistic reaches the critical value of the level; never without degrees of freedom."""
        return self.degrees_of_freedom > 0 and self.statistic >= critical_value(level, self.degrees_of_freedom)


@dataclass(frozen=True)
class PermutationTest(Result):
    """Result of a permutation test: how often shuffled examples give a split at least as good."""

    statistic: float
    p_value: float
    n_permutations: int

    def is_significant(self, level: float = 0.05) -> bool:
        """Whether the p-value is at most the level."""
        return self.p_value <= _check_level(level)


def _check_level(level: float) -> float:
    return checked_number(
        "The significance level", level, "between 0 and 1 (0.05 is usual)", lambda number: 0.0 < number < 1.0
    )


def critical_value(level: float, degrees_of_freedom: int) -> float:
    """Critical value of chi-square: what the statistic exceeds by chance in a share ``level`` of the cases.

    Parameters
    ----------
    level : significance level, between 0 and 1.
    degrees_of_freedom : (branches − 1)·(classes − 1), at least 1.

    >>> round(critical_value(0.05, 1), 3), round(critical_value(0.01, 2), 3)
    (3.841, 9.21)
    """
    from scipy.special import chdtri

    degrees = checked_number(
        "degrees_of_freedom", degrees_of_freedom, "a finite number of at least 1", lambda number: 1 <= number < math.inf
    )
    return float(chdtri(degrees, _check_level(level)))


def chi_square(branches: ArrayLike) -> ChiSquareTest:
    """Chi-square test of independence of branch and class.

    Formula: ``χ² = Σ (observed − expected)² / expected``, expected = branch size · class size / all, with
    (branches − 1)·(classes − 1) degrees of freedom; empty branches and classes are left out. (No continuity
    correction.) Without degrees of freedom the statistic is 0 and the p-value 1.

    Parameters
    ----------
    branches : table branches × classes of counts or weights of the examples whose value is known.

    >>> test = chi_square([[2, 3], [4, 0], [3, 2]])
    >>> round(test.statistic, 3), test.degrees_of_freedom, round(test.p_value, 3)
    (3.547, 2, 0.17)
    >>> test.is_significant(0.05)
    False
    """
    from scipy.special import chdtrc

    statistic, degrees = _statistic_and_degrees(as_table(branches))
    return ChiSquareTest(statistic, degrees, float(chdtrc(degrees, statistic)) if degrees else 1.0)


def _statistic_and_degrees(table: Floats) -> tuple[float, int]:
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    degrees = (table.shape[0] - 1) * (table.shape[1] - 1)
    if table.size == 0 or degrees == 0:
        return 0.0, 0
    expected = table.sum(axis=1, keepdims=True) * shares(table.sum(axis=0))
    return float(((table - expected) ** 2 / expected).sum()), degrees


#: Measures that a permutation test may use: each with its function of a table, and the criterion of its best threshold.
PERMUTATION_MEASURES: Mapping[str, tuple[Callable[[Floats], float], str]] = MappingProxyType(
    {**MEASURES, "chi_square": (lambda table: _statistic_and_degrees(table)[0], "entropy")}
)


def permutation_significance(
    attribute_values: Iterable[object],
    labels: Iterable[object],
    *,
    measure: str = "gain",
    threshold: float | Literal["best"] | None = None,
    n_permutations: int = 999,
    seed: int = 0,
    weights: ArrayLike | None = None,
    missing: object = None,
) -> PermutationTest:
    """Permutation significance of a split: the share of shuffles of the column that measure at least as well.

    Formula: ``p = (1 + #{shuffled ≥ observed}) / (1 + n_permutations)``. The observed order counts as one of the
    shuffles, so that p is never 0 and the test is exact: a level α errs in at most a share α of the cases. Examples
    whose value is unknown are left out. With the best threshold the search is repeated in every shuffle, so that
    trying many thresholds earns nothing.

    Parameters
    ----------
    attribute_values, labels : the two columns.
    measure : ``"gain"``, ``"gain_ratio"``, ``"gini_gain"``, ``"accuracy_gain"``, the gain of another criterion
        (``quercus.criteria``), or ``"chi_square"``.
    threshold : None: a branch for each value; a number t: x ≤ t against x > t; ``"best"``: the threshold of best gain
        (of the measure's impurity), for ``"gain"``, ``"gini_gain"`` and ``"accuracy_gain"``.
    n_permutations : how many shuffles, at most 1,000,000,000. seed : the same seed gives the same answer.
    weights : weight of each example (it stays with the label). missing : value or values that also mean unknown.

    >>> test = permutation_significance(["a"] * 6 + ["b"] * 6, ["Yes"] * 6 + ["No"] * 6)
    >>> test.p_value < 0.01, permutation_significance(["a", "b"] * 6, ["Yes"] * 6 + ["No"] * 6).p_value
    (True, 1.0)
    """
    checked_choice("measure", measure, PERMUTATION_MEASURES)
    n_permutations = checked_whole(
        "n_permutations", n_permutations, "at least 1 (999 is usual), at most 1,000,000,000, and whole", 1, 1e9
    )
    random = checked_random("seed", seed)
    column = with_unknown(attribute_values, missing)
    classes, codes = encode_labels(labels)
    weight = row_weights(weights, len(column))
    known = np.asarray([value is not None for value in column], dtype=bool) & (weight > 0)
    if known.size != codes.size:
        raise DataError(f"The attribute has {known.size} values but there are {codes.size} labels.")
    if not known.any():
        return PermutationTest(0.0, 1.0, n_permutations)
    values = [value for value, keep in zip(column, known, strict=True) if keep]
    measured = _statistic(values, threshold, measure, len(classes))
    observed_codes, observed_weight = codes[known], weight[known]
    observed = measured(observed_codes, observed_weight)
    as_good = 1
    for _ in range(n_permutations):
        order = random.permutation(observed_codes.size)
        as_good += measured(observed_codes[order], observed_weight[order]) >= observed - 1e-12 * max(1.0, abs(observed))
    return PermutationTest(observed, as_good / (1 + n_permutations), n_permutations)


def _statistic(
    values: list[object], threshold: float | Literal["best"] | None, measure: str, n_classes: int
) -> Callable[[np.ndarray, Floats], float]:
    """Return the measure of a column as a function of the class codes and weights laid beside it."""
    of_table, criterion = PERMUTATION_MEASURES[measure]
    cut = checked_threshold(threshold, best=True)
    if cut == "best":
        gains = [row.gain_name for row in CLASS_CRITERIA.values()]
        if measure not in gains:
            raise ParameterError(f"threshold='best' works with {', '.join(gains)}, but not with {measure!r}.")
        impurity = CLASS_CRITERIA[criterion].impurity
        x = as_column(values)

        def of_best_cut(codes: np.ndarray, weight: Floats) -> float:
            left, right = cumulative_counts(x, codes, weight, n_classes)
            return float(cut_gains(left, right, 0.0, impurity).max(initial=0.0))

        return of_best_cut
    branches = encode_values(values)[1] if cut is None else (as_column(values) > cut).astype(np.int64)
    shape = (int(branches.max()) + 1, n_classes)

    def of_branches(codes: np.ndarray, weight: Floats) -> float:
        cells = np.bincount(branches * n_classes + codes, weights=weight, minlength=shape[0] * n_classes)
        return of_table(cells.reshape(shape).astype(np.float64))

    return of_branches

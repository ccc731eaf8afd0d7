"""Log-likelihood of a probability tree: to grow it by likelihood is to grow it by entropy."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from quercus.errors import DataError
from quercus.measures.counts import as_numbers, as_weights, check_base
from quercus.measures.entropy import conditional_entropy


def average_log_likelihood(
    y: ArrayLike, f: ArrayLike, *, weights: ArrayLike | None = None, base: float = math.e
) -> float:
    """Average log-likelihood of predicted probabilities f of y = 1.

    Formula: ``1/N Σ [y·ln f + (1 − y)·ln(1 − f)]``, with 0·ln 0 = 0; −inf if something happened that f calls
    impossible.

    Parameters
    ----------
    y : 0 or 1 for each example.
    f : the predicted probability of 1 for each example (or one number for all).
    weights : weight of each example, all 1 if not given.
    base : base of the logarithm, e unless asked for.

    >>> round(average_log_likelihood([1, 0, 1, 1], 0.75), 4)
    -0.5623
    """
    check_base(base)
    outcomes = as_numbers(y, "y")
    if outcomes.ndim != 1 or outcomes.size == 0 or not np.isin(outcomes, (0.0, 1.0)).all():
        raise DataError("y must be one column of at least one 0 or 1; give other classes as y == class.")
    probabilities = as_weights(f, "f")
    if probabilities.shape not in ((), outcomes.shape) or (probabilities > 1).any():
        raise DataError(f"f must be one probability from 0 to 1, or one for each of the {outcomes.size} examples.")
    weight = np.ones_like(outcomes) if weights is None else as_weights(weights, "weights")
    if weight.shape != outcomes.shape or not weight.sum() > 0:
        raise DataError(f"weights must be {outcomes.size} numbers ≥ 0, one for each example, not all 0.")
    of_what_happened = np.where(outcomes == 1.0, probabilities, 1.0 - probabilities)
    present = weight > 0
    with np.errstate(divide="ignore"):
        logarithms = np.log(of_what_happened[present]) / math.log(base)
    return float(logarithms @ weight[present] / weight.sum())


def tree_log_likelihood(leaves: ArrayLike, *, base: float = math.e) -> float:
    """Average log-likelihood of a probability tree whose leaves predict their own class shares, on its own examples.

    Formula: ``Σ (n_v/N)·Σ p(y | v)·ln p(y | v) = −H(Y | leaf)``. No other prediction in the same leaves is likelier,
    and of two trees the likelier is the one of lower weighted entropy: maximising one is minimising the other.

    Parameters
    ----------
    leaves : table leaves × classes of counts or weights.
    base : base of the logarithm, e unless asked for.

    >>> round(tree_log_likelihood([[1, 3], [2, 2]]), 4)
    -0.6277
    """
    return -conditional_entropy(leaves, base=base) + 0.0

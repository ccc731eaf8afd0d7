"""Gain ratio: gain per bit of the split itself, so that many small branches cost something."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from quercus.measures.counts import as_split, as_weights
from quercus.measures.entropy import entropy
from quercus.measures.gain import gain


def split_information(sizes: ArrayLike, *, unknown: ArrayLike = 0.0, base: float = 2.0) -> float:
    """Split information: the entropy of which branch an example takes, whatever its class.

    Formula: ``−Σ (n_v/N)·log(n_v/N)`` over the branches; unknown values are one more outcome (C4.5).

    Parameters
    ----------
    sizes : weight of each branch, or the table branches × classes (its row sums are then the sizes).
    unknown : weight (or class counts) of the examples whose value is unknown.
    base : base of the logarithm.

    >>> round(split_information([5, 4, 5]), 4)
    1.5774
    >>> round(split_information([5, 3, 5], unknown=1), 4)
    1.8092
    """
    weights = as_weights(sizes, "sizes")
    known, unknown_weight = as_split(weights[:, np.newaxis] if weights.ndim == 1 else weights, unknown)
    return entropy(np.append(known.sum(axis=1), unknown_weight), base=base)


def gain_ratio(branches: ArrayLike, *, unknown: ArrayLike = 0.0) -> float:
    """Gain ratio of a split, C4.5's measure; it does not depend on the base of the logarithm.

    Formula: ``gain / split information``. A split that divides nothing (split information 0) has ratio 0.
    An attribute with another value in every example has the highest gain there is, and pays for it here.

    Parameters
    ----------
    branches : table branches × classes of the examples whose value is known.
    unknown : weight (or class counts) of the examples whose value is unknown.

    >>> round(gain_ratio([[2, 3], [4, 0], [3, 2]]), 4)
    0.1564
    """
    gained = gain(branches, unknown=unknown)
    divided = split_information(branches, unknown=unknown)
    return gained / divided if divided > 0 else 0.0

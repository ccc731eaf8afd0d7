"""Entropy: Shannon's information, entropy, its joint and conditional forms, and mutual information."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from quercus.criteria import entropy_of_rows, shares
from quercus.errors import DataError, checked_number, checked_whole
from quercus.measures.counts import as_counts, as_table, check_base, safely_scaled


def information(p: float, *, base: float = 2.0) -> float:
    """Shannon information of an outcome of probability p: how surprising it is.

    Formula: ``log(1 / p)``. A certain outcome tells nothing (0), an impossible one would tell infinitely much.

    Parameters
    ----------
    p : probability of the outcome, from 0 to 1.
    base : base of the logarithm; 2 gives bits, ``math.e`` nats.

    >>> information(1 / 2)
    1.0
    >>> information(1 / 8)
    3.0
    """
    check_base(base)
    probability = checked_number("p", p, "a probability from 0 to 1", lambda number: 0.0 <= number <= 1.0, DataError)
    if probability == 0.0:
        return math.inf
    bits = -math.log2(probability) + 0.0
    return bits if base == 2 else bits / math.log2(base)


def entropy(counts: ArrayLike, *, base: float = 2.0) -> float:
    """Entropy of a distribution: the expected information of its outcome.

    Formula: ``H = −Σ p·log p`` with ``p = counts / Σ counts`` and ``0·log 0 = 0``.

    Parameters
    ----------
    counts : class counts, weights or probabilities; only their ratios matter. All zero (no example): entropy 0.
    base : base of the logarithm; 2 gives bits, ``math.e`` nats.

    >>> entropy([1, 1])
    1.0
    >>> round(entropy([9, 5]), 3)
    0.94
    >>> round(entropy([0.5, 0.1, 0.1, 0.1, 0.1, 0.1]), 2)
    2.16
    """
    check_base(base)
    return float(entropy_of_rows(as_counts(counts), base=base))


def joint_entropy(joint: ArrayLike, *, base: float = 2.0) -> float:
    """Joint entropy H(X, Y): the entropy of the pair.

    Formula: ``H(X, Y) = −ΣΣ p(x, y)·log p(x, y)``.

    Parameters
    ----------
    joint : table of counts or probabilities, a row for each x, a column for each y.
    base : base of the logarithm.

    >>> round(joint_entropy([[24, 1], [25, 50]]), 2)
    1.56
    """
    return entropy(as_table(joint, "joint").ravel(), base=base)


def specific_conditional_entropy(joint: ArrayLike, row: int, *, base: float = 2.0) -> float:
    """Specific conditional entropy H(Y | X = x): what is left to learn of Y once X is known to be x.

    Formula: ``H(Y | X = x) = −Σ p(y | x)·log p(y | x)``, the entropy of one row.

    Parameters
    ----------
    joint : table of counts or probabilities, a row for each x, a column for each y.
    row : position of x among the rows.
    base : base of the logarithm.

    >>> round(specific_conditional_entropy([[24, 1], [25, 50]], 0), 2)
    0.24
    """
    table = as_table(joint, "joint")
    most = len(table) - 1
    position = checked_whole("row", row, f"from 0 to {most}, the position of a row of the joint table", 0, most)
    return entropy(table[position], base=base)


def conditional_entropy(joint: ArrayLike, *, base: float = 2.0) -> float:
    """Conditional entropy H(Y | X): what is left to learn of Y, on average, once X is known.

    Formula: ``H(Y | X) = Σ p(x)·H(Y | X = x)``. For H(X | Y) give the transposed table.

    Parameters
    ----------
    joint : table of counts or probabilities, a row for each x, a column for each y.
    base : base of the logarithm.

    >>> round(conditional_entropy([[24, 1], [25, 50]]), 2)
    0.75
    """
    check_base(base)
    table = safely_scaled(as_table(joint, "joint"))
    return float(shares(table.sum(axis=1)) @ entropy_of_rows(table, base=base))


def mutual_information(joint: ArrayLike, *, base: float = 2.0) -> float:
    """Mutual information I(X; Y): how much knowing one tells of the other.

    Formula: ``I(X; Y) = H(Y) − H(Y | X) = H(X) − H(X | Y) = H(X) + H(Y) − H(X, Y)``; it is the information gain
    IG(Y | X). Rounding is not shown as a negative number.

    Parameters
    ----------
    joint : table of counts or probabilities, a row for each x, a column for each y.
    base : base of the logarithm.

    >>> round(mutual_information([[24, 1], [25, 50]]), 2)
    0.25
    """
    table = safely_scaled(as_table(joint, "joint"))
    return max(0.0, entropy(table.sum(axis=0), base=base) - conditional_entropy(table, base=base))

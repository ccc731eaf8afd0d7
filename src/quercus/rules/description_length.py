"""Description length: the bits that send a rule set, and the rows that it gets wrong (Quinlan 1995, Cohen 1995)."""

from __future__ import annotations

import math

_REDUNDANCY = 0.5  # conditions may be sent in any order, and attributes overlap: half of a rule's bits are enough


def integer_bits(k: int) -> float:
    """The bits that send a whole number k >= 1: log2 k + log2 log2 k + …, as long as the terms are positive.

    >>> integer_bits(1), integer_bits(2), integer_bits(4), integer_bits(16)
    (0.0, 1.0, 3.0, 7.0)
    """
    bits, term = 0.0, float(k)
    while (term := math.log2(term)) > 0.0:
        bits += term
    return bits


def subset_bits(n: float, k: float, p: float) -> float:
    """The bits that tell which k of n elements are chosen, if sender and receiver expect each with probability p.

    S(n, k, p) = k log2 1/p + (n − k) log2 1/(1 − p).

    >>> subset_bits(8, 2, 0.25), subset_bits(8, 0, 0.0), subset_bits(8, 8, 1.0)
    (6.490224995673063, 0.0, 0.0)
    """
    chosen = -k * math.log2(p) if k > 0 else 0.0
    rest = -(n - k) * math.log2(1.0 - p) if n - k > 0 else 0.0
    return chosen + rest


def rule_bits(n_conditions: int, n_possible: int) -> float:
    """The bits of a rule of k conditions out of n possible: ½ (‖k‖ + S(n, k, k/n)), ‖k‖ the bits of k itself.

    >>> rule_bits(2, 8)
    3.7451124978365313
    """
    if n_conditions == 0:
        return 0.0
    n = max(n_possible, n_conditions)
    return _REDUNDANCY * (integer_bits(n_conditions) + subset_bits(n, n_conditions, n_conditions / n))


def exception_bits(covered: float, uncovered: float, false_positive: float, false_negative: float) -> float:
    """The bits that tell which rows a rule set gets wrong.

    With C rows covered, U not, fp and fn wrong among them, e = fp + fn: the number of errors, log2(C + U + 1), then
    which ones, on the larger side as if half of the errors lay there::

        C >= U:  S(C, fp, e / 2C) + S(U, fn, fn / U)
        C <  U:  S(U, fn, e / 2U) + S(C, fp, fp / C)

    >>> exception_bits(covered=9, uncovered=5, false_positive=0, false_negative=0)  # only log2 15
    3.9068905956085187
    >>> exception_bits(4, 12, 1, 2) < exception_bits(4, 12, 3, 4)
    True
    """
    errors = false_positive + false_negative
    bits = math.log2(covered + uncovered + 1.0)
    large, small = (covered, false_positive), (uncovered, false_negative)
    if covered < uncovered:
        large, small = small, large
    if large[0] > 0:
        bits += subset_bits(large[0], large[1], _probability(errors, 2.0 * large[0], large[1], large[0]))
    if small[0] > 0:
        bits += subset_bits(small[0], small[1], small[1] / small[0])
    return bits


def _probability(errors: float, doubled: float, wrong: float, side: float) -> float:
    """e / 2C, inside what the side's own errors need: not 0 if some are wrong, not 1 if some are right."""
    p = min(errors / doubled, 1.0)
    return p if wrong >= side or p < 1.0 else wrong / side

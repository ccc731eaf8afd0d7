"""Information gain: the bits a split tells about the class, over a table of counts."""

from __future__ import annotations

from functools import partial

from numpy.typing import ArrayLike

from quercus.criteria import entropy_of_rows
from quercus.measures.counts import check_base
from quercus.measures.impurity import reduction


def gain(branches: ArrayLike, *, unknown: ArrayLike = 0.0, base: float = 2.0) -> float:
    """Information gain of a split, ID3's measure; with unknown values in C4.5's form.

    Formula: ``(K/N)·[H(known) − Σ (n_v/K)·H(v)]``, where K is the weight of the examples whose value is known, N of
    all, n_v of branch v. With no unknown value this is ``H(S) − Σ |S_v|/|S|·H(S_v)``, the mutual information.

    Parameters
    ----------
    branches : table branches × classes of the examples whose value is known, counts or weights. The node's own
        counts are its column sums.
    unknown : weight of the examples whose value is unknown, or their class counts (only the sum matters).
    base : base of the logarithm.

    >>> round(gain([[2, 3], [4, 0], [3, 2]]), 4)  # Outlook in PlayTennis: Sunny, Overcast, Rain
    0.2467
    >>> round(gain([[2, 3], [3, 0], [3, 2]], unknown=1), 3)  # one Overcast day unknown: 13/14 · 0.214
    0.199
    """
    check_base(base)
    return reduction(branches, partial(entropy_of_rows, base=base), unknown=unknown)

"""Costs: which numbers may be the cost of a mistake or of learning a value."""

from __future__ import annotations

from typing import Any

import numpy as np

#: Sums of costs times the weights of all rows stay finite numbers.
MOST_COST = 1e100


def are_costs(costs: Any) -> bool:
    """Whether all of these are numbers from 0 to :data:`MOST_COST`.

    >>> are_costs([[0, 1], [10, 0]]), are_costs([0.0, -1.0]), are_costs(1e308)
    (True, False, False)
    """
    try:
        numbers = np.asarray(costs, dtype=np.float64)
    except OverflowError:  # a whole number that no float holds
        return False
    return bool(((numbers >= 0) & (numbers <= MOST_COST)).all())

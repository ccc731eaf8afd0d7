"""When to stop adding trees: the out-of-bag curve is flat."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from quercus.errors import ParameterError
from quercus.pruning.curves import Curve
from quercus.results import Result


@dataclass(frozen=True)
class FlatCurve(Result):
    """Stop when the out-of-bag error has not moved for a while.

    The curve is flat at its last point if over the last ``window`` trees the largest and the smallest error differ by
    no more than ``tolerance`` times the error of the best constant answer (always the same class or number). That makes
    the tolerance the same for errors, costs and squared deviations of any scale. The forest has at least ``least``
    trees, and is asked after every ``every`` more.

    >>> rule = FlatCurve(window=2, tolerance=0.01, least=3, every=1)
    >>> rule.is_flat([1, 2, 3, 4], [0.4, 0.3, 0.2, 0.1], constant_error=0.5)
    False
    >>> rule.is_flat([1, 2, 3, 4], [0.4, 0.2, 0.203, 0.2], constant_error=0.5)
    True
    """

    window: int = 30
    tolerance: float = 0.01
    least: int = 50
    every: int = 10

    def __post_init__(self) -> None:
        """Refuse what has no meaning."""
        for name in ("window", "least", "every"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
                raise ParameterError(f"{name}={value!r} is not allowed; give a number of trees, at least 1.")
        if not self.tolerance >= 0:
            raise ParameterError(f"tolerance={self.tolerance!r} is not allowed; give a number >= 0.")

    def is_flat(self, trees: ArrayLike, errors: ArrayLike, constant_error: float) -> bool:
        """Whether a curve (errors after so many trees, rising) is flat at its end.

        constant_error: the error of the best constant answer, which the tolerance is a share of.
        """
        numbers, heights = np.asarray(trees), np.asarray(errors, dtype=np.float64)
        if len(numbers) == 0 or numbers[-1] < max(self.least, self.window + 1):
            return False
        last = heights[numbers >= numbers[-1] - self.window]
        return bool(last.max() - last.min() <= self.tolerance * constant_error)  # a NaN is not flat

    def flat_from(self, curve: Curve, constant_error: float) -> int | None:
        """The number of trees after which a whole curve would first have been called flat; None: never."""
        trees, errors = (list(curve.columns.values())[place] for place in (0, 1))
        for point in range(len(curve)):
            if self.is_flat(trees[: point + 1], errors[: point + 1], constant_error):
                return int(trees[point])
        return None

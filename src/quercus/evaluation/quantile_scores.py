"""The scores of predicted quantiles on rows whose numbers are known: pinball losses and the coverage of intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from quercus.arrays import Floats
from quercus.data.names import counted, significant
from quercus.evaluation.scores import Scores
from quercus.evaluation.text_table import json_number, share_text
from quercus.targets.pinball import pinball_loss, weighted_quantiles


@dataclass(frozen=True, repr=False)
class QuantileScores(Scores):
    """What predicted quantiles did on some rows.

    levels: of the quantiles. pinball: the mean loss of each. baseline: the sum of the losses of always answering the
    quantiles of these rows. below: the share of rows whose number is at most the quantile, which should be its level.
    coverage: the share of rows between the lowest and the highest quantile; width: how far these lie apart on average.
    """

    task = "regression"

    n_rows: int
    weight: float
    levels: tuple[float, ...]
    pinball: tuple[float, ...]
    baseline: float
    below: tuple[float, ...]
    coverage: float
    width: float
    test_cost: float | None

    @property
    def pinball_loss(self) -> float:
        """The sum of the losses of all levels."""
        return sum(self.pinball)

    def measures(self) -> dict[str, str]:
        """The scores by name, as text."""
        result = {"rows": f"{self.n_rows:,}", "pinball loss": significant(self.pinball_loss)}
        result["  always the same quantiles"] = significant(self.baseline)
        for level, loss, below in zip(self.levels, self.pinball, self.below, strict=True):
            result[f"  quantile {level:g}"] = f"{significant(loss)} ({share_text(below)} of the rows at or below it)"
        if len(self.levels) > 1:
            nominal = self.levels[-1] - self.levels[0]
            result["coverage"] = f"{share_text(self.coverage)} (wanted: {share_text(nominal)})"
            result["mean width"] = significant(self.width)
        return result

    def headline(self) -> str:
        """The loss and the coverage, in words."""
        coverage = f", coverage {share_text(self.coverage)}" if len(self.levels) > 1 else ""
        return f"pinball loss {significant(self.pinball_loss)}{coverage} on {counted(self.n_rows, 'row')}"

    def to_dict(self) -> dict[str, Any]:
        """Everything as data that JSON can hold; what is not a finite number is None."""
        names = ("weight", "baseline", "coverage", "width", "test_cost")
        lists = {name: list(map(json_number, getattr(self, name))) for name in ("levels", "pinball", "below")}
        numbers = {name: json_number(getattr(self, name)) for name in names}
        return {"rows": self.n_rows, "pinball_loss": json_number(self.pinball_loss), **numbers, **lists}


def quantile_scores(
    true: Floats, answers: Floats, levels: tuple[float, ...], weights: Floats | None, test_cost: float | None = None
) -> QuantileScores:
    """Score quantiles [n, levels] against what is true.

    >>> print(quantile_scores(np.array([1.0, 2.0, 3.0, 9.0]), np.tile([1.0, 4.0], (4, 1)), (0.25, 0.75), None))
    rows                         4
    pinball loss                 2
      always the same quantiles  2
      quantile 0.25              0.6875 (0.250 of the rows at or below it)
      quantile 0.75              1.312 (0.750 of the rows at or below it)
    coverage                     0.750 (wanted: 0.500)
    mean width                   3
    """
    best = np.tile(weighted_quantiles(true, levels, weights), (len(true), 1))

    def mean(numbers: Floats) -> Floats:
        return np.asarray(np.average(numbers, axis=0, weights=weights))

    inside = (true >= answers[:, 0]) & (true <= answers[:, -1])
    return QuantileScores(
        n_rows=len(true),
        weight=float(len(true) if weights is None else weights.sum()),
        levels=levels,
        pinball=tuple(mean(pinball_loss(true[:, None], answers, levels)).tolist()),
        baseline=float(mean(pinball_loss(true[:, None], best, levels)).sum()),
        below=tuple(mean((true[:, None] <= answers).astype(np.float64)).tolist()),
        coverage=float(mean(inside.astype(np.float64))),
        width=float(mean(answers[:, -1] - answers[:, 0])),
        test_cost=test_cost,
    )

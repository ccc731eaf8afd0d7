"""The scores of a regression on labelled rows: R², mean absolute error, root of the mean squared error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from quercus.arrays import Floats
from quercus.data.names import counted, short_number, significant
from quercus.evaluation.quantile_scores import QuantileScores
from quercus.evaluation.scores import Scores
from quercus.evaluation.text_table import json_number, share_text


@dataclass(frozen=True, repr=False)
class NumberScores(Scores):
    """What a regression did on some rows.

    r2: the share of the variance that is explained; NaN for fewer than two rows or equal numbers. mae: the mean of
    \\|y − answer\\|. rmse: the root of the mean of (y − answer)². baseline: the rmse of always answering the mean of
    these rows. test_cost: the mean cost of the tests that an answer needs; None if attributes have no costs. quantiles:
    the scores of the quantiles that a quantile forest answers, too.
    """

    task = "regression"

    n_rows: int
    weight: float
    r2: float
    mae: float
    rmse: float
    baseline: float
    test_cost: float | None
    quantiles: QuantileScores | None = None

    def measures(self) -> dict[str, str]:
        """The scores by name, as text."""
        result = {
            "rows": f"{self.n_rows:,}",
            "R²": share_text(self.r2),
            "mean absolute error": significant(self.mae),
            "root mean squared error": significant(self.rmse),
            "  always the mean": significant(self.baseline),
        }
        result |= {} if self.quantiles is None else self.quantiles.measures()
        return result if self.test_cost is None else {**result, "cost of tests": short_number(self.test_cost)}

    def headline(self) -> str:
        """The scores that count most and the number of rows, in words."""
        scores = f"R² {share_text(self.r2)}, root mean squared error {significant(self.rmse)}"
        return (
            f"{scores}, {self.quantiles.headline()}" if self.quantiles else f"{scores} on {counted(self.n_rows, 'row')}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as data that JSON can hold; what is not a finite number is None."""
        names = ("weight", "r2", "mae", "rmse", "baseline", "test_cost")
        data = {"rows": self.n_rows, **{name: json_number(getattr(self, name)) for name in names}}
        if self.quantiles is None:
            return data
        quantile_data = self.quantiles.to_dict()
        return {
            **data,
            **{name: quantile_data[name] for name in ("pinball_loss", "coverage", "width")},
            "quantiles": quantile_data,
        }


def number_scores(true: Floats, answered: Floats, weights: Floats | None, test_cost: float | None) -> NumberScores:
    """Score answers against what is true."""
    from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score

    mean = np.average(true, weights=weights)
    spread = float(np.sqrt(np.average((true - mean) ** 2, weights=weights)))
    return NumberScores(
        n_rows=len(true),
        weight=float(len(true) if weights is None else weights.sum()),
        r2=float(r2_score(true, answered, sample_weight=weights)) if spread > 0 else math.nan,
        mae=float(mean_absolute_error(true, answered, sample_weight=weights)),
        rmse=float(np.sqrt(mean_squared_error(true, answered, sample_weight=weights))),
        baseline=spread,
        test_cost=test_cost,
    )

"""What regressors of many models share: the mean of the members' numbers, and how far they are apart."""

from __future__ import annotations

import numpy as np
from sklearn.base import RegressorMixin

from quercus.data.dataset import ClassTarget
from quercus.data.rows import Floats, Rows
from quercus.estimators.base import NumberAnswers, learnt
from quercus.estimators.forest_base import ForestEstimator
from quercus.fitted.model import Model
from quercus.fitted.reading import SpreadReading


class ForestRegressor(SpreadReading, NumberAnswers, RegressorMixin, ForestEstimator):  # type: ignore[misc]
    """Many models of numbers."""

    oob_prediction_: Floats = learnt("out_of_bag.answers", "The out-of-bag number of each training row.")

    def _score(self, model: Model, rows: Rows, answers: Floats) -> float:
        assert callable(self.oob_score) and not isinstance(rows.target, ClassTarget)
        known = ~np.isnan(answers)
        return float(self.oob_score(rows.target[known], answers[known]))

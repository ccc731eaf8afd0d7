"""What regressors of many models share: the mean of the members' numbers, and how far they are apart."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import effective_n_jobs  # type: ignore[import-untyped]
from sklearn.base import RegressorMixin

from quercus.data.dataset import Dataset, encode_numbers
from quercus.estimators.cart_regressor import check_poisson_target
from quercus.estimators.forest_base import ForestEstimator
from quercus.estimators.pruning import Rows
from quercus.estimators.reading import named_target, read_target
from quercus.estimators.weights import Floats, read_sample_weight
from quercus.forests.agreement import spread
from quercus.forests.out_of_bag import OutOfBag


class ForestRegressor(RegressorMixin, ForestEstimator):  # type: ignore[misc]
    """Many models of numbers."""

    oob_prediction_: Floats

    def _read(self, member: Any, dataset: Dataset, y: Any, sample_weight: Any) -> tuple[Rows, Floats | None]:
        y = read_target(self, y, dataset.n_rows)
        weights = read_sample_weight(sample_weight, dataset.n_rows)
        numbers = encode_numbers(y)
        if member.criterion == "poisson":
            check_poisson_target(numbers, weights)
        going_on = dataset.schema is vars(self).get("schema_")
        return Rows(dataset if going_on else named_target(dataset, y, None), numbers, weights), weights

    def _keep_out_of_bag(self, rows: Rows, found: OutOfBag, answers: Floats) -> None:
        self.oob_prediction_ = answers[:, 0].copy()
        if callable(self.oob_score):
            known = ~np.isnan(self.oob_prediction_)
            self.oob_score_ = float(self.oob_score(rows.target[known], self.oob_prediction_[known]))  # type: ignore[index]

    def predict(self, X: Any) -> Floats:
        """The mean of the numbers that the members predict for each row."""
        return np.ascontiguousarray(self._answers(self._encode_rows(X))[:, 0])

    def spread(self, X: Any) -> Floats:
        """The standard deviation of the members' numbers for each row: small where they agree."""
        dataset = self._encode_rows(X)
        return spread(self.forest_, dataset, n_jobs=effective_n_jobs(self.n_jobs))

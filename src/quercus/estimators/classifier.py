"""What the tree classifiers share: class weights, priors, costs, smoothing, and how one class is answered."""

from __future__ import annotations

from typing import Any

from sklearn.base import ClassifierMixin

from quercus.errors import ParameterError
from quercus.estimators.base import ClassAnswers
from quercus.estimators.parameters import check_number, check_smoothing
from quercus.estimators.tree_estimator import TreeEstimator


class TreeClassifier(ClassAnswers, ClassifierMixin, TreeEstimator):  # type: ignore[misc]
    """A tree whose leaves hold class distributions."""

    class_weight: Any
    priors: Any
    cost_matrix: Any
    smoothing: Any
    decision_threshold: float | None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_smoothing(self.smoothing)
        check_number("decision_threshold", self.decision_threshold, low=0.0, high=1.0, optional=True)
        if self.decision_threshold is not None and self.cost_matrix is not None:
            raise ParameterError(
                "decision_threshold and cost_matrix are both given, but each decides which class is answered; give one."
            )

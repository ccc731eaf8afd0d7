"""What the classifiers share: class weights, priors, costs, probabilities, and how one class is answered."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from joblib import effective_n_jobs  # type: ignore[import-untyped]
from sklearn.base import ClassifierMixin

from quercus.data.dataset import ClassTarget, encode_classes
from quercus.errors import ParameterError
from quercus.estimators.base import TreeEstimator
from quercus.estimators.parameters import check_decision_threshold, check_number, check_smoothing
from quercus.estimators.weights import (
    Floats,
    class_factors,
    class_totals,
    read_cost_matrix,
)
from quercus.predict import label_codes, predict_distribution
from quercus.tree import Tree


class TreeClassifier(ClassifierMixin, TreeEstimator):  # type: ignore[misc]
    """A tree whose leaves hold class distributions."""

    class_weight: Any
    priors: Any
    cost_matrix: Any
    smoothing: Any
    decision_threshold: float | None
    classes_: npt.NDArray[Any]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_smoothing(self.smoothing)
        check_number("decision_threshold", self.decision_threshold, low=0.0, high=1.0, optional=True)
        if self.decision_threshold is not None and self.cost_matrix is not None:
            raise ParameterError(
                "decision_threshold and cost_matrix are both given, but each decides which class is answered; give one."
            )

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        dataset, y, weights = self._encode_training(X, y, sample_weight)
        target = encode_classes(y)
        labels = np.asarray(target.classes).tolist()
        check_decision_threshold(self.decision_threshold, labels)
        costs = read_cost_matrix(self.cost_matrix, labels)
        self.classes_ = np.asarray(target.classes)
        weights = self._weigh_classes(target, labels, weights)
        name = getattr(y, "name", None)
        return self._grow(dataset, target, weights, name=name, costs=costs)

    def _weigh_classes(self, target: ClassTarget, labels: list[Any], weights: Floats | None) -> Floats | None:
        """The sample weights times the factor of each row's class, if class weights or priors are asked for."""
        if self.class_weight is None and self.priors is None:
            return weights
        factors = class_factors(
            self.class_weight, self.priors, labels, class_totals(target.codes, weights, len(labels))
        )
        if factors is None:
            return weights
        return factors[target.codes] if weights is None else weights * factors[target.codes]

    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class (in the order of ``classes_``) for every row, smoothed as ``smoothing`` says.

        A row whose value is unknown at a question follows the missing-value policy; over several leaves the
        distributions are summed by weight.
        """
        dataset = self._encode_rows(X)
        leaf_values = smoothed_distributions(self.tree_, self.smoothing)
        return predict_distribution(self.tree_, dataset, leaf_values, effective_n_jobs(self.n_jobs))

    def predict_log_proba(self, X: Any) -> Floats:
        """The natural logarithm of :meth:`predict_proba`; −inf for a class that a leaf has never seen."""
        probabilities = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return np.log(probabilities)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class of each row: the most probable, with ``cost_matrix`` the one of least expected cost.

        With ``decision_threshold`` (two classes) the second of ``classes_`` if its probability reaches the threshold.
        """
        probabilities = self.predict_proba(X)
        costs = read_cost_matrix(self.cost_matrix, self.classes_.tolist())
        return self.classes_[label_codes(probabilities, costs, self.decision_threshold)]

    def __str__(self) -> str:
        """The tree as text once fitted, its leaves labelled by least expected cost; the parameters before."""
        if self.cost_matrix is None or not hasattr(self, "tree_"):
            return super().__str__()
        return self.tree_.short_text(read_cost_matrix(self.cost_matrix, self.classes_.tolist()))


def smoothed_distributions(tree: Tree, smoothing: Any) -> Floats:
    """The class distribution of every node: shares, or (n_c + 1)/(n + k) by Laplace, or (n_c + m p_c)/(n + m).

    The m-estimate pulls a leaf to the shares p_c of the whole training table, with the weight of m examples.
    """
    if smoothing is None:
        return tree.distributions()
    if isinstance(smoothing, str):
        return tree.distributions(laplace=True)
    return tree.distributions(m_estimate=float(smoothing[1]))

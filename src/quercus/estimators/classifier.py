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
from quercus.estimators.pruning import Rows
from quercus.estimators.reading import encode_known_classes, named_target, read_target
from quercus.estimators.weights import Floats, class_factors, class_totals, read_cost_matrix, read_sample_weight
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
    _class_factors: Floats | None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_smoothing(self.smoothing)
        check_number("decision_threshold", self.decision_threshold, low=0.0, high=1.0, optional=True)
        if self.decision_threshold is not None and self.cost_matrix is not None:
            raise ParameterError(
                "decision_threshold and cost_matrix are both given, but each decides which class is answered; give one."
            )

    def _fit(self, X: Any, y: Any, sample_weight: Any, X_val: Any, y_val: Any) -> Self:
        dataset, y, weights = self._encode_training(X, y, sample_weight)
        target = encode_classes(y)
        labels = np.asarray(target.classes).tolist()
        check_decision_threshold(self.decision_threshold, labels)
        read_cost_matrix(self.cost_matrix, labels)
        self.classes_ = np.asarray(target.classes)
        self._class_factors = self._read_class_factors(target, weights)
        return self._grow(
            Rows(named_target(dataset, y, target.classes), target, self._weighed(target, weights)), X_val, y_val
        )

    def _read_class_factors(self, target: ClassTarget, weights: Floats | None) -> Floats | None:
        """The factor of each class's weights, if class weights or priors are asked for."""
        if self.class_weight is None and self.priors is None:
            return None
        labels = np.asarray(target.classes).tolist()
        totals = class_totals(target.codes, weights, len(labels))
        return class_factors(self.class_weight, self.priors, labels, totals)

    def _weighed(self, target: ClassTarget, weights: Floats | None) -> Floats | None:
        """The sample weights times the factor of each row's class."""
        if self._class_factors is None:
            return weights
        factors = self._class_factors[target.codes]
        return factors if weights is None else weights * factors

    def _labelled_rows(self, X: Any, y: Any, sample_weight: Any = None) -> Rows:
        dataset = self._encode_rows(X)
        target = encode_known_classes(read_target(self, y, dataset.n_rows), self.classes_)
        return Rows(dataset, target, self._weighed(target, read_sample_weight(sample_weight, dataset.n_rows)))

    def _costs(self) -> Floats | None:
        return None if self.cost_matrix is None else read_cost_matrix(self.cost_matrix, self.classes_.tolist())

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
        return self.classes_[label_codes(probabilities, self._costs(), self.decision_threshold)]

    def __str__(self) -> str:
        """The tree as text once fitted, its leaves labelled by least expected cost; the parameters before."""
        if self.cost_matrix is None or not hasattr(self, "tree_"):
            return super().__str__()
        return self.tree_.short_text(self._costs())


def smoothed_distributions(tree: Tree, smoothing: Any) -> Floats:
    """The class distribution of every node: shares, or (n_c + 1)/(n + k) by Laplace, or (n_c + m p_c)/(n + m).

    The m-estimate pulls a leaf to the shares p_c of the whole training table, with the weight of m examples.
    """
    if smoothing is None:
        return tree.distributions()
    if isinstance(smoothing, str):
        return tree.distributions(laplace=True)
    return tree.distributions(m_estimate=float(smoothing[1]))

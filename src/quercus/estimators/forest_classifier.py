"""What classifiers of many models share: probabilities, votes, agreement, and how one class is answered."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import effective_n_jobs  # type: ignore[import-untyped]
from sklearn.base import ClassifierMixin

from quercus.data.dataset import ClassTarget, Dataset, encode_classes
from quercus.estimators.forest_base import ForestEstimator
from quercus.estimators.parameters import check_decision_threshold
from quercus.estimators.pruning import Rows
from quercus.estimators.reading import encode_known_classes, named_target, read_target
from quercus.estimators.weights import Floats, class_factors, class_totals, read_cost_matrix, read_sample_weight
from quercus.forests.agreement import agreement, votes
from quercus.forests.out_of_bag import OutOfBag
from quercus.predict.labels import label_codes


class ForestClassifier(ClassifierMixin, ForestEstimator):  # type: ignore[misc]
    """Many models of class distributions."""

    classes_: npt.NDArray[Any]
    oob_decision_function_: Floats

    def _read(self, member: Any, dataset: Dataset, y: Any, sample_weight: Any) -> tuple[Rows, Floats | None]:
        y = read_target(self, y, dataset.n_rows)
        weights = read_sample_weight(sample_weight, dataset.n_rows)
        going_on = dataset.schema is vars(self).get("schema_")
        target = encode_known_classes(y, self.classes_) if going_on else encode_classes(y)
        labels = np.asarray(target.classes).tolist()
        check_decision_threshold(getattr(member, "decision_threshold", None), labels)
        self.classes_ = np.asarray(target.classes)
        totals = class_totals(target.codes, weights, len(labels))
        factors = class_factors(member.class_weight, getattr(member, "priors", None), labels, totals)
        growing = weights
        if factors is not None:
            growing = factors[target.codes] * (1.0 if weights is None else weights)
        named = dataset if going_on else named_target(dataset, y, target.classes)
        return Rows(named, target, growing), weights

    def _costs(self, member: Any) -> Floats | None:
        return read_cost_matrix(member.cost_matrix, self.classes_.tolist())

    def _label_codes(self, probabilities: Floats) -> npt.NDArray[np.intp]:
        member = self._fitted_member
        return label_codes(probabilities, self._costs(member), getattr(member, "decision_threshold", None))

    def _keep_out_of_bag(self, rows: Rows, found: OutOfBag, answers: Floats) -> None:
        self.oob_decision_function_ = answers
        if callable(self.oob_score):
            assert isinstance(rows.target, ClassTarget)
            known = ~np.isnan(answers[:, 0])
            answered = self.classes_[self._label_codes(answers[known])]
            self.oob_score_ = float(self.oob_score(self.classes_[rows.target.codes[known]], answered))

    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class (in the order of ``classes_``) for every row.

        By ``vote``: the mean of the members' class shares, or the share of the members that vote for the class.
        """
        return self._answers(self._encode_rows(X))

    def predict_log_proba(self, X: Any) -> Floats:
        """The natural logarithm of :meth:`predict_proba`; −inf for a class that no member thinks of."""
        probabilities = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return np.log(probabilities)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class of each row: the most probable, with costs the one of least expected cost.

        With a decision threshold (two classes) the second of ``classes_`` if its probability reaches the threshold.
        """
        probabilities = self.predict_proba(X)
        return np.asarray(self.classes_[self._label_codes(probabilities)])

    def votes(self, X: Any) -> Floats:
        """How many members hold each class (in the order of ``classes_``) to be the most likely, rows × classes."""
        dataset = self._encode_rows(X)
        return votes(self.forest_, dataset, **self._asking())

    def agreement(self, X: Any) -> Floats:
        """The share of the members that vote for the class that :meth:`predict` answers, for each row."""
        dataset = self._encode_rows(X)
        return agreement(self.forest_, dataset, self._label_codes(self._answers(dataset)), **self._asking())

    def _asking(self) -> dict[str, Any]:
        smoothing = getattr(self._fitted_member, "smoothing", None)
        return {"smoothing": smoothing, "n_jobs": effective_n_jobs(self.n_jobs)}

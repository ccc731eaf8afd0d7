"""The chain of a rule learner: check the parameters, encode the table, learn a rule list, ask it about new rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from quercus.data.dataset import ClassTarget, Dataset, encode, encode_classes, encode_like
from quercus.estimators.explaining import RuleExplainingMixin
from quercus.estimators.parameters import check_running
from quercus.estimators.reading import check_column_names, learn_column_names, read_target
from quercus.estimators.weights import (
    Floats,
    class_factors,
    class_totals,
    read_cost_matrix,
    read_sample_weight,
)

if TYPE_CHECKING:  # rules are imported when they are first asked for
    from quercus.rules.rule_list import RuleList


class RuleLearner(RuleExplainingMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """What classifiers share that learn rules from rows, without a tree behind them."""

    # parameters that every rule learner has
    class_weight: Any
    cost_matrix: Any
    kinds: Any
    domains: Any
    missing_tokens: Any
    progress: Any

    # what fitting learns
    n_features_in_: int
    feature_names_in_: npt.NDArray[np.object_]
    classes_: npt.NDArray[Any]
    schema_: Any
    rules_: RuleList

    def _check_parameters(self) -> None:
        """Refuse wrong parameters; a class checks its own, then calls this."""
        check_running(None, self.progress)

    def _learn(self, dataset: Dataset, target: ClassTarget, weights: Floats | None, costs: Floats | None) -> RuleList:
        """Learn the rules; everything is checked and encoded."""
        raise TypeError(f"{type(self).__name__} learns no rules; use one of the classes of quercus.estimators.")

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the rules from a table and the class of each of its rows.

        X: a pandas, polars or pyarrow table, an array, a dict of columns or a list of rows; text and unknown values may
        stay as they are. y: one class a row. sample_weight: a number >= 0 a row. A fit that fails or is stopped leaves
        the estimator as it was.
        """
        self._check_parameters()
        before = dict(self.__dict__)
        try:
            return self._fit(X, y, sample_weight)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        dataset = encode(X, kinds=self.kinds, domains=self.domains, missing_tokens=self.missing_tokens)
        learn_column_names(self, X, dataset.schema)
        y = read_target(self, y, dataset.n_rows)
        weights = read_sample_weight(sample_weight, dataset.n_rows)
        target = encode_classes(y)
        labels = np.asarray(target.classes).tolist()
        costs = read_cost_matrix(self.cost_matrix, labels)
        factors = class_factors(self.class_weight, None, labels, class_totals(target.codes, weights, len(labels)))
        if factors is not None:
            weights = factors[target.codes] * (1.0 if weights is None else weights)
        name = getattr(y, "name", None)
        schema = dataset.schema.with_target(name if isinstance(name, str) else None, target.classes)
        self.classes_ = np.asarray(target.classes)
        self.rules_ = self._learn(replace(dataset, schema=schema), target, weights, costs)
        self.schema_ = self.rules_.schema
        return self

    def _encode_rows(self, X: Any) -> Dataset:
        """Encode new rows by the schema that fitting learned."""
        check_is_fitted(self)
        check_column_names(self, X)
        return encode_like(X, self.schema_)

    def _answer_costs(self) -> Floats | None:
        """The misclassification costs by which an answer is chosen, in the order of the classes; None without."""
        return read_cost_matrix(self.cost_matrix, self.classes_.tolist())

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class that the first matching rule names; with ``cost_matrix`` the one of least expected cost."""
        dataset = self._encode_rows(X)
        return np.asarray(self.classes_[self.rules_.predict(dataset, self._answer_costs())])

    def predict_proba(self, X: Any) -> Floats:
        """The share of each class (in the order of ``classes_``) among what the first matching rule covered."""
        dataset = self._encode_rows(X)
        return self.rules_.distribution(dataset)

    def predict_log_proba(self, X: Any) -> Floats:
        """The natural logarithm of :meth:`predict_proba`; −inf for a class that a rule has never covered."""
        probabilities = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return np.log(probabilities)

    def fired(self, X: Any) -> npt.NDArray[np.int64]:
        """The position in ``rules_`` of the rule that decides each row; −1: the default."""
        dataset = self._encode_rows(X)
        return self.rules_.fired(dataset)

    def __str__(self) -> str:
        """The rules as text once fitted; the parameters before."""
        return str(self.rules_) if hasattr(self, "rules_") else repr(self)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that unknown values, text and categories may come as they are."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = False
        tags.target_tags.required = True
        return tags

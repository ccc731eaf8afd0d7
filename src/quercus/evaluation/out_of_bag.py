"""Evaluating a collection out of the bag: its own training rows, each answered by the members that have not seen it."""

from __future__ import annotations

from typing import Any

import numpy as np

from quercus.evaluation.evaluate import Evaluation, evaluate, own_costs


def evaluate_out_of_bag(model: Any, y: Any, sample_weight: Any = None, **options: Any) -> Evaluation | None:
    """Measure a fitted collection on its training rows out of the bag; None if fitting kept no such answers.

    y, sample_weight: those of fitting, in their order. options: as for ``evaluate``. Rows that every member has seen
    have no answer and do not count.

    >>> from quercus import RandomForestClassifier
    >>> from quercus.datasets import load_lemons_and_oranges
    >>> X, y = load_lemons_and_oranges()
    >>> forest = RandomForestClassifier(oob_score=True).fit(X, y)
    >>> found = evaluate_out_of_bag(forest, y)
    >>> bool(found.test.accuracy == forest.oob_score_)
    True
    """
    answers = getattr(model, "oob_decision_function_", getattr(model, "oob_prediction_", None))
    if answers is None or len(answers) != len(y):
        return None
    known = ~np.isnan(answers.reshape(len(answers), -1)[:, 0])
    if not known.any():
        return None
    truth = [label for label, answered in zip(y, known, strict=True) if answered]
    weights = None if sample_weight is None else np.asarray(sample_weight)[known]
    return evaluate(_Answers(model, answers[known]), None, truth, weights, **options)


class _Answers:
    """A model that has already answered."""

    def __init__(self, model: Any, answers: Any) -> None:
        self._model, self._answers = model, answers
        if hasattr(model, "classes_"):
            self.classes_ = model.classes_
            self.cost_matrix = own_costs(model)
            self.predict_proba = lambda X: answers

    def predict(self, X: Any) -> Any:
        """The answers, whatever X is."""
        if not hasattr(self, "classes_"):
            return self._answers
        return self.classes_[self._model.model_.decision.codes(self._answers)]

"""Evaluating a collection out of the bag: its own training rows, each answered by the members that have not seen it."""

from __future__ import annotations

from typing import Any

import numpy as np

from quercus.arrays import Floats
from quercus.data.target import ClassTarget, Target, take_target
from quercus.data.weights import read_sample_weight
from quercus.evaluation.evaluate import Answers, Evaluation, answer_scores
from quercus.fitted.model import Model, model_of


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
    fitted = model_of(model)
    target = fitted.target_kind.encode(y, new_classes=True)
    return rows_out_of_bag(fitted, target, read_sample_weight(sample_weight, len(y)), **options)


def rows_out_of_bag(model: Model, target: Target, weights: Floats | None, **options: Any) -> Evaluation | None:
    """The same for encoded targets."""
    n_rows = len(target.codes if isinstance(target, ClassTarget) else target)
    if model.out_of_bag is None or len(model.out_of_bag.answers) != n_rows:
        return None
    shares = model.out_of_bag.answers.reshape(n_rows, -1)
    known = ~np.isnan(shares[:, 0])
    if not known.any():
        return None
    weights = None if weights is None else weights[known]
    chosen = model.chosen(shares[known])
    answers = Answers(model, take_target(target, known), weights, shares[known], chosen)
    return Evaluation(answer_scores(answers, **options))

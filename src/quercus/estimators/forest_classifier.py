"""What classifiers of many models share: probabilities, votes, agreement, and how one class is answered."""

from __future__ import annotations

import numpy as np
from sklearn.base import ClassifierMixin

from quercus.data.rows import Floats, Rows
from quercus.estimators.base import ClassAnswers, learnt
from quercus.estimators.forest_base import ForestEstimator
from quercus.fitted.model import Model
from quercus.fitted.reading import VoteReading


class ForestClassifier(VoteReading, ClassAnswers, ClassifierMixin, ForestEstimator):  # type: ignore[misc]
    """Many models of class distributions."""

    oob_decision_function_: Floats = learnt("out_of_bag.answers", "The out-of-bag class shares of each training row.")

    def _score(self, model: Model, rows: Rows, answers: Floats) -> float:
        assert callable(self.oob_score) and model.classes is not None and rows.codes is not None
        known = ~np.isnan(answers[:, 0])
        answered = model.classes[model.decision.codes(answers[known])]
        return float(self.oob_score(model.classes[rows.codes[known]], answered))

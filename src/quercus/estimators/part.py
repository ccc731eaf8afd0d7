"""PART as a scikit-learn classifier."""

from __future__ import annotations

from typing import Any, ClassVar

from quercus.arrays import Floats
from quercus.data.dataset import ClassTarget
from quercus.data.rows import Rows
from quercus.estimators.checks import flag, number
from quercus.estimators.declaration import changed, declares, parameter
from quercus.estimators.growing_parameters import Thresholds
from quercus.estimators.rule_learner import RuleLearner
from quercus.growing.c45 import THRESHOLD
from quercus.growing.recipe import ThresholdRule


@declares
class PARTClassifier(Thresholds, RuleLearner):
    """PART: an ordered rule list, each rule the heaviest leaf of a partial C4.5 tree on the rows that are left.

    An unknown value fails every condition.

    Examples
    --------
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> print(PARTClassifier().fit(X, y))
    1. IF Outlook = Overcast THEN Yes (4, 1.00)
    2. IF Humidity = High THEN No (5, 0.80)
    Otherwise: Yes
    """

    confidence: float = parameter(
        number(high=1.0, above_low=True),
        "The confidence level of error-based pruning inside the partial trees; a smaller one prunes more.",
        default=0.25,
    )
    prune: bool = parameter(
        flag(),
        "Whether a leaf may take the place of branches in the partial trees; False: rules are longer.",
        default=True,
    )
    min_objects: float = parameter(
        number(above_low=True), "At least two branches of a split must weigh this much.", default=2
    )
    value_groups: bool = parameter(
        flag(),
        "Whether the values of a nominal attribute are merged into groups while the gain ratio improves.",
        default=False,
    )
    progress = changed(doc="A function that is called now and then with (rows covered, rows, rules so far).")

    own_threshold: ClassVar[ThresholdRule] = THRESHOLD

    def _make_rules(self, rows: Rows, validation: Rows | None, costs: Floats | None, n_jobs: int) -> dict[str, Any]:
        from quercus.rules.part import part

        assert isinstance(rows.target, ClassTarget)
        rules = part(
            rows.dataset,
            rows.target,
            weights=rows.weights,
            cost_matrix=costs,
            min_objects=float(self.min_objects),
            confidence=float(self.confidence),
            prune=bool(self.prune),
            value_groups=bool(self.value_groups),
            threshold=self.threshold,
            progress=self.progress,
        )
        return {"rule_list": rules}

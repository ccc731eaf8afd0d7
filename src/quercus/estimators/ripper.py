"""RIPPER as a scikit-learn classifier."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.utils import check_random_state as generator_of

from quercus.arrays import Floats
from quercus.data.dataset import ClassTarget
from quercus.data.rows import Rows
from quercus.estimators.checks import count, flag, number, seed
from quercus.estimators.declaration import changed, declares, parameter
from quercus.estimators.growing_parameters import Thresholds
from quercus.estimators.rule_learner import RuleLearner
from quercus.growing.recipe import ThresholdRule


@declares
class RIPPERClassifier(Thresholds, RuleLearner):
    """RIPPER: rules for one class after the other, rarest first; the most frequent class is the default.

    An unknown value fails every condition.

    Examples
    --------
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> print(RIPPERClassifier(prune=False).fit(X, y))
    1. IF Humidity = High AND Outlook = Sunny THEN No (3, 1.00)
    2. IF Outlook = Rain AND Wind = Strong THEN No (2, 1.00)
    Otherwise: Yes
    """

    optimisations: int = parameter(
        count(least=0), "How often every rule is weighed against a replacement and a revision.", default=2
    )
    min_objects: float = parameter(
        number(above_low=True), "A condition must keep this much weight of the class among the growing rows.", default=2
    )
    prune: bool = parameter(
        flag(),
        "Whether rules are pruned and optimised; False: rules as grown from all rows, without any draw.",
        default=True,
    )
    random_state: Any = parameter(
        seed(), "The seed of the draws of growing and pruning rows; the same number gives the same rules.", default=0
    )
    cost_matrix = changed(
        doc="What it costs to answer one class where another is true; classes whose errors are dear weigh more in "
        "learning, and the class of least expected cost is answered."
    )
    progress = changed(doc="A function that is called after each class with (rows covered, rows, rules so far).")

    own_threshold: ClassVar[ThresholdRule] = "data_value"

    def _make_rules(self, rows: Rows, validation: Rows | None, costs: Floats | None, n_jobs: int) -> dict[str, Any]:
        from quercus.rules.ripper import ripper

        assert isinstance(rows.target, ClassTarget)
        rules = ripper(
            rows.dataset,
            rows.target,
            weights=rows.weights,
            cost_matrix=costs,
            optimisations=int(self.optimisations),
            min_objects=float(self.min_objects),
            prune=bool(self.prune),
            threshold=self.threshold,
            seed=int(generator_of(self.random_state).randint(2**31 - 1)),
            progress=self.progress,
        )
        return {"rule_list": rules}

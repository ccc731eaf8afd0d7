"""The chain of a rule learner: learn a rule list from rows, by costs if there are any, and ask it about new rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quercus.arrays import Floats
from quercus.data.rows import Rows
from quercus.estimators.base import ClassLabels, Estimator, Training, learnt
from quercus.estimators.parameters import Classes, Progress, Table
from quercus.estimators.scikit_learn import ClassifierMixin
from quercus.fitted.model import Model
from quercus.fitted.reading import RuleReading

if TYPE_CHECKING:  # rules are imported when they are first asked for
    from quercus.rules.rule_list import RuleList


class RuleParameters(Classes, Table, Progress):
    """The parameters of every rule learner."""


class RuleLearner(RuleReading, ClassLabels, ClassifierMixin, RuleParameters, Estimator):
    """What classifiers share that learn rules from rows."""

    rules_: RuleList = learnt("rule_list", "The rules, a ``quercus.rules.RuleList``.")

    def _make_rules(self, rows: Rows, validation: Rows | None, costs: Floats | None, n_jobs: int) -> dict[str, Any]:
        """Learn the rules; returned as parts of a model, with the tree behind them if there is one."""
        raise TypeError(f"{type(self).__name__} learns no rules; use one of the classes of quercus.estimators.")

    def _learn(self, training: Training) -> Model:
        described = self._described(training)
        costs = described["decision"].costs
        return Model(**described, **self._make_rules(training.rows, training.validation, costs, self.n_threads))

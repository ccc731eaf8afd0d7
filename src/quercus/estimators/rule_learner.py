"""The chain of a rule learner: learn a rule list from rows, by costs if there are any, and ask it about new rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.base import ClassifierMixin

from quercus.data.rows import Floats, Rows
from quercus.estimators.base import ClassAnswers, Estimator, Training, learnt
from quercus.estimators.parameters import check_running
from quercus.fitted.model import Model
from quercus.fitted.reading import RuleReading

if TYPE_CHECKING:  # rules are imported when they are first asked for
    from quercus.rules.rule_list import RuleList


class RuleLearner(RuleReading, ClassAnswers, ClassifierMixin, Estimator):  # type: ignore[misc]
    """What classifiers share that learn rules from rows."""

    # parameters that every rule learner has
    class_weight: Any
    cost_matrix: Any
    kinds: Any
    domains: Any
    missing_tokens: Any
    progress: Any

    rules_: RuleList = learnt("rule_list", "The rules, a ``quercus.rules.RuleList``.")

    def _check_parameters(self) -> None:
        """Refuse wrong parameters; a class checks its own, then calls this."""
        check_running(None, self.progress)

    def _make_rules(self, rows: Rows, validation: Rows | None, costs: Floats | None, n_jobs: int) -> dict[str, Any]:
        """Learn the rules; returned as parts of a model, with the tree behind them if there is one."""
        raise TypeError(f"{type(self).__name__} learns no rules; use one of the classes of quercus.estimators.")

    def _learn(self, training: Training) -> Model:
        described = self._described(training)
        costs = described["decision"].costs
        return Model(**described, **self._make_rules(training.rows, training.validation, costs, self.n_threads))

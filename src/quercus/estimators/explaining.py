"""What estimators tell of one answer: why it is so, what would change it, what pushed it, and a consultation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:  # explaining is imported when it is first asked for
    from quercus.data.dataset import Dataset
    from quercus.explain.answer import Answer
    from quercus.explain.change import Counterfactuals
    from quercus.explain.consultation import Consultation
    from quercus.explain.reasons import Reasons
    from quercus.explain.why_rules import RuleAnswer
    from quercus.growing.recipe import Recipe
    from quercus.rules.rule_list import RuleList
    from quercus.tree import Tree


def one_or_many(estimator: Any, X: Any) -> Dataset | Mapping[str, Any]:
    """The table encoded; one row's values by attribute name stay as they are."""
    check_is_fitted(estimator)
    if isinstance(X, Mapping) and all(isinstance(value, str) or not hasattr(value, "__len__") for value in X.values()):
        return X
    dataset: Dataset = estimator._encode_rows(X)
    return dataset


class ExplainingMixin:
    """Methods of a fitted tree estimator that explain single answers.

    X is always a table and ``row`` the number of one of its rows; or X is one row's values by attribute name, where
    those not named are unknown.
    """

    if TYPE_CHECKING:
        tree_: Tree
        recipe_: Recipe

        def _costs(self) -> Any: ...

    def _choice(self) -> dict[str, Any]:
        """How an answer is chosen: smoothing, costs and threshold of the estimator."""
        return {
            "smoothing": getattr(self, "smoothing", None),
            "cost_matrix": self._costs(),
            "decision_threshold": getattr(self, "decision_threshold", None),
        }

    def explain(self, X: Any, row: int = 0) -> Answer:
        """Why a row gets its answer: its path with the class counts at each step, or all its paths with their weights.

        >>> from quercus import C45Classifier
        >>> from quercus.datasets import load_play_tennis
        >>> X, y = load_play_tennis()
        >>> print(C45Classifier().fit(X, y).explain(X, row=2))
        14 examples: 9 Yes, 5 No → Outlook = Overcast (4 examples: 4 Yes) → Yes, 4 of 4
        Yes is the most likely class (100 %).
        Answer: Yes.
        """
        from quercus.explain.why import why

        rows = one_or_many(self, X)
        return why(self.tree_, rows, row, **self._choice())

    def counterfactuals(self, X: Any, row: int = 0, **options: Any) -> Counterfactuals:
        """The cheapest changes of a row that give another answer.

        options: target, above, below, change_costs, unit_costs, fixed, directions, n, max_steps, as in
        :func:`quercus.explain.counterfactuals`.

        >>> from quercus import C45Classifier
        >>> from quercus.datasets import load_play_tennis
        >>> X, y = load_play_tennis()
        >>> print(C45Classifier().fit(X, y).counterfactuals(X, row=0, fixed=["Outlook"]))
        Now: No. Wanted: another class. The smallest change:
        1. Humidity from High to Normal → Yes (100 %), cost 1
        """
        from quercus.explain.counterfactual import counterfactuals

        rows = one_or_many(self, X)
        return counterfactuals(self.tree_, rows, row, **{**self._choice(), **options})

    def reason_codes(self, X: Any, row: int = 0, n: int | None = 4, **options: Any) -> Reasons:
        """The attributes that pushed a row's answer most, the strongest first.

        n: at most so many. options: label, scale, only, as in :func:`quercus.explain.reason_codes`.

        >>> from quercus import C45Classifier
        >>> from quercus.datasets import load_play_tennis
        >>> X, y = load_play_tennis()
        >>> C45Classifier().fit(X, y).reason_codes(X, row=0)[0].attribute
        'Humidity'
        """
        from quercus.explain.reasons import reason_codes

        rows = one_or_many(self, X)
        return reason_codes(self.tree_, rows, row, n, **{**self._choice(), **options})

    def consult(self, **options: Any) -> Consultation:
        """A conversation that asks only for what the tree needs.

        options: known, order, stop_early, unknown, as in :class:`quercus.explain.Consultation`.

        >>> from quercus import C45Classifier
        >>> from quercus.datasets import load_play_tennis
        >>> print(C45Classifier().fit(*load_play_tennis()).consult().answer("Rain").question)
        Wind? (Strong, Weak)
        """
        from quercus.explain.consultation import Consultation

        check_is_fitted(self)
        unknown = "model" if self.recipe_.missing == "own_value" else "shares"
        return Consultation(self.tree_, **{"unknown": unknown, **self._choice(), **options})


class RuleExplainingMixin:
    """Methods of a fitted rule learner that explain single answers; X and row as in :class:`ExplainingMixin`."""

    if TYPE_CHECKING:
        rules_: RuleList

        def _answer_costs(self) -> Any: ...

    def explain(self, X: Any, row: int = 0) -> RuleAnswer:
        """Which rule decides a row, which nearly did, and which condition each of these failed by.

        >>> from quercus import PARTClassifier
        >>> from quercus.datasets import load_play_tennis
        >>> X, y = load_play_tennis()
        >>> PARTClassifier().fit(X, y).explain(X, row=0).label
        'No'
        """
        from quercus.explain.why_rules import why_rules

        rows = one_or_many(self, X)
        return why_rules(self.rules_, rows, row, cost_matrix=self._answer_costs())

    def counterfactuals(self, X: Any, row: int = 0, **options: Any) -> Counterfactuals:
        """The cheapest changes of a row that give another answer.

        options: target, change_costs, unit_costs, fixed, directions, n, max_steps, as in
        :func:`quercus.explain.counterfactuals`.
        """
        from quercus.explain.counterfactual import counterfactuals

        rows = one_or_many(self, X)
        return counterfactuals(self.rules_, rows, row, **{"cost_matrix": self._answer_costs(), **options})

    def consult(self, **options: Any) -> Consultation:
        """A conversation that asks only for what the rules need.

        options: known, order, stop_early, as in :class:`quercus.explain.Consultation`.
        """
        from quercus.explain.consultation import Consultation

        check_is_fitted(self)
        return Consultation(self.rules_, **{"cost_matrix": self._answer_costs(), **options})

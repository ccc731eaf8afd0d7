"""PART as a scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quercus.data.dataset import ClassTarget
from quercus.data.rows import Floats, Rows
from quercus.estimators.parameters import check_flag, check_number
from quercus.estimators.rule_learner import RuleLearner


class PARTClassifier(RuleLearner):
    """PART: an ordered rule list, each rule the heaviest leaf of a partial C4.5 tree on the rows that are left.

    Parameters
    ----------
    confidence : the confidence level of error-based pruning inside the partial trees; smaller prunes more
    prune : False: no leaf takes the place of branches, so rules are longer
    min_objects : at least two branches of a split must weigh this much
    value_groups : merge the values of a nominal attribute into groups while the gain ratio improves
    class_weight : {class: weight} or "balanced"
    cost_matrix : cost of answering class j for class i, rows = true class, or {(true, answered): cost}; used in
        learning, and the class of least expected cost is answered
    kinds : {column: "numeric", "nominal", "ordered", "boolean" or "date"} where the dtype does not say it
    domains : {column: values}: values that an attribute may have, whether or not they occur in training
    missing_tokens : texts such as "?" that mean unknown; None, NaN and NaT always do; an unknown value
        fails every condition
    progress : a function called now and then with (rows covered, rows, rules so far)

    Attributes
    ----------
    rules_ (a RuleList), schema_, classes_, n_features_in_, feature_names_in_

    Examples
    --------
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> print(PARTClassifier().fit(X, y))
    1. IF Outlook = Overcast THEN Yes (4, 1.00)
    2. IF Humidity = High THEN No (5, 0.80)
    Otherwise: Yes
    """

    def __init__(
        self,
        *,
        confidence: float = 0.25,
        prune: bool = True,
        min_objects: float = 2,
        value_groups: bool = False,
        class_weight: Any = None,
        cost_matrix: Any = None,
        kinds: Any = None,
        domains: Any = None,
        missing_tokens: Any = (),
        progress: Callable[..., Any] | None = None,
    ) -> None:
        self.confidence = confidence
        self.prune = prune
        self.min_objects = min_objects
        self.value_groups = value_groups
        self.class_weight = class_weight
        self.cost_matrix = cost_matrix
        self.kinds = kinds
        self.domains = domains
        self.missing_tokens = missing_tokens
        self.progress = progress

    def _check_parameters(self) -> None:
        check_number("confidence", self.confidence, high=1.0, above_low=True)
        check_flag("prune", self.prune)
        check_number("min_objects", self.min_objects, above_low=True)
        check_flag("value_groups", self.value_groups)
        super()._check_parameters()

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
            progress=self.progress,
        )
        return {"rule_list": rules}

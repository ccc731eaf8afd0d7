"""RIPPER as a scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.utils import check_random_state as generator_of

from quercus.data.dataset import ClassTarget
from quercus.data.rows import Floats, Rows
from quercus.estimators.parameters import check_count, check_flag, check_number
from quercus.estimators.pruning import check_random_state
from quercus.estimators.rule_learner import RuleLearner


class RIPPERClassifier(RuleLearner):
    """RIPPER: rules for one class after the other, rarest first; the most frequent class is the default.

    Parameters
    ----------
    optimisations : how often every rule is weighed against a replacement and a revision
    min_objects : a condition must keep this much weight of the class among the growing rows
    prune : False: rules as grown from all rows; no description length, no optimisation, no draws
    random_state : seed of the draws of growing and pruning rows; the same number gives the same rules
    class_weight : {class: weight} or "balanced"
    cost_matrix : cost of answering class j for class i, rows = true class, or {(true, answered): cost}; classes whose
        errors are dear weigh more in learning, and the class of least expected cost is answered
    kinds : {column: "numeric", "nominal", "ordered", "boolean" or "date"} where the dtype does not say it
    domains : {column: values}: values that an attribute may have, whether or not they occur in training
    missing_tokens : texts such as "?" that mean unknown; None, NaN and NaT always do; an unknown value
        fails every condition
    progress : a function called after each class with (rows covered, rows, rules so far)

    Attributes
    ----------
    rules_ (a RuleList), schema_, classes_, n_features_in_, feature_names_in_

    Examples
    --------
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> print(RIPPERClassifier(prune=False).fit(X, y))
    1. IF Humidity = High AND Outlook = Sunny THEN No (3, 1.00)
    2. IF Outlook = Rain AND Wind = Strong THEN No (2, 1.00)
    Otherwise: Yes
    """

    def __init__(
        self,
        *,
        optimisations: int = 2,
        min_objects: float = 2,
        prune: bool = True,
        random_state: Any = 0,
        class_weight: Any = None,
        cost_matrix: Any = None,
        kinds: Any = None,
        domains: Any = None,
        missing_tokens: Any = (),
        progress: Callable[..., Any] | None = None,
    ) -> None:
        self.optimisations = optimisations
        self.min_objects = min_objects
        self.prune = prune
        self.random_state = random_state
        self.class_weight = class_weight
        self.cost_matrix = cost_matrix
        self.kinds = kinds
        self.domains = domains
        self.missing_tokens = missing_tokens
        self.progress = progress

    def _check_parameters(self) -> None:
        check_count("optimisations", self.optimisations, least=0)
        check_number("min_objects", self.min_objects, above_low=True)
        check_flag("prune", self.prune)
        check_random_state(self.random_state)
        super()._check_parameters()

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
            seed=int(generator_of(self.random_state).randint(2**31 - 1)),
            progress=self.progress,
        )
        return {"rule_list": rules}

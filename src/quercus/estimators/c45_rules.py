"""C4.5's rules as a scikit-learn classifier: a tree is grown, and its paths become a short ordered rule list."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from quercus.data.dataset import ClassTarget
from quercus.data.rows import Floats, Rows
from quercus.errors import DataError
from quercus.estimators.base import learnt
from quercus.estimators.parameters import (
    MOST_BINS,
    check_choice,
    check_count,
    check_flag,
    check_missing,
    check_number,
    check_running,
    check_selection,
    check_threshold,
)
from quercus.estimators.pruning import seed_of
from quercus.estimators.rule_learner import RuleLearner
from quercus.fitted.hold_out import HoldOut
from quercus.growing.c45 import PRESETS, C45Preset, c45_recipe
from quercus.growing.grower import GrowOptions, core_grower, one_tree
from quercus.growing.recipe import MissingPolicy, Recipe, Selection, ThresholdRule
from quercus.tree import Tree

if TYPE_CHECKING:
    from quercus.rules.pruning_reasons import RulePruning


class C45RulesClassifier(RuleLearner):
    """C4.5's rule post-pruning: every path of an unpruned tree a rule, conditions dropped, the best few kept in order.

    Parameters
    ----------
    preset : "c45" (the semantics of Release 8 without its accidents), "r8" or "j48"; for growing and for the
        pessimistic error rate
    confidence : of the pessimistic error rate of a rule; a smaller one drops more conditions
    min_objects, missing, value_groups, selection, cost_exponent, attribute_costs, max_depth, sufficient_majority,
    significance, max_bins, threshold, threshold_price : of the tree, as in :class:`C45Classifier`
    unknown : "fails", an unknown value fulfils no condition; "tree", it fulfils that of the branch which takes unknown
        values (for ``missing`` other than "fractional")
    validation_fraction : None: conditions are judged by their pessimistic error on all rows. A share: so many rows are
        kept from growing, and conditions are judged by their error there; :meth:`fit` can be given such rows, too
    random_state : of that share, and of the search for the best rules of a class that has more than 10; None: another
        one each time
    class_weight : {class: weight} or "balanced"
    priors : {class: share} or a list; the classes' shares are made these
    cost_matrix : cost of answering class j for class i, rows = true class, or {(true, answered): cost}; used in
        growing, in choosing and in ordering the rules
    kinds : {column: "numeric", "nominal", "ordered", "boolean" or "date"} where the dtype does not say it
    domains : {column: values}: values that an attribute may have, whether or not they occur in training
    missing_tokens : texts such as "?" that mean unknown; None, NaN and NaT always do
    n_jobs : threads; None: one, -1: all; the rules are the same
    progress : a function called while the tree grows

    Attributes
    ----------
    rules_ : the rule list (``quercus.rules.RuleList``)
    tree_ : the unpruned tree it was made from
    schema_, recipe_, classes_, n_features_in_, feature_names_in_

    Examples
    --------
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> print(C45RulesClassifier().fit(X, y))
    1. IF Outlook = Sunny AND Humidity = High THEN No (3, 1.00)
    2. IF Outlook = Rain AND Wind = Strong THEN No (2, 1.00)
    3. IF Outlook = Overcast THEN Yes (4, 1.00)
    4. IF Humidity = Normal THEN Yes (7, 0.86)
    5. IF Outlook = Rain AND Wind = Weak THEN Yes (3, 1.00)
    Otherwise: Yes
    """

    tree_: Tree = learnt("tree", "The unpruned tree that the rules were made from.")
    recipe_: Recipe = learnt("recipe", "The choices by which the tree was grown.")

    def __init__(
        self,
        *,
        preset: C45Preset = "c45",
        confidence: float = 0.25,
        min_objects: float = 2,
        missing: MissingPolicy = "fractional",
        value_groups: bool = False,
        selection: Selection = "gain_ratio",
        cost_exponent: float = 1.0,
        attribute_costs: Any = None,
        max_depth: int | None = None,
        sufficient_majority: float | None = None,
        significance: float | None = None,
        max_bins: int | None = None,
        threshold: ThresholdRule | None = None,
        threshold_price: bool = True,
        unknown: str = "fails",
        validation_fraction: float | None = None,
        random_state: Any = 0,
        class_weight: Any = None,
        priors: Any = None,
        cost_matrix: Any = None,
        kinds: Any = None,
        domains: Any = None,
        missing_tokens: Any = (),
        n_jobs: int | None = None,
        progress: Callable[..., Any] | None = None,
    ) -> None:
        self.preset = preset
        self.confidence = confidence
        self.min_objects = min_objects
        self.missing = missing
        self.value_groups = value_groups
        self.selection = selection
        self.cost_exponent = cost_exponent
        self.attribute_costs = attribute_costs
        self.max_depth = max_depth
        self.sufficient_majority = sufficient_majority
        self.significance = significance
        self.max_bins = max_bins
        self.threshold = threshold
        self.threshold_price = threshold_price
        self.unknown = unknown
        self.validation_fraction = validation_fraction
        self.random_state = random_state
        self.class_weight = class_weight
        self.priors = priors
        self.cost_matrix = cost_matrix
        self.kinds = kinds
        self.domains = domains
        self.missing_tokens = missing_tokens
        self.n_jobs = n_jobs
        self.progress = progress

    def _check_parameters(self) -> None:
        check_choice("preset", self.preset, PRESETS)
        check_number("confidence", self.confidence, high=1.0, above_low=True)
        check_number("min_objects", self.min_objects, above_low=True)
        check_missing(self.missing, binary=False)
        check_flag("value_groups", self.value_groups)
        measures = ("gain_ratio", "gain", "tan_schlimmer", "nunez")
        check_selection(self.selection, measures, self.cost_exponent, self.attribute_costs)
        check_count("max_depth", self.max_depth, least=0, optional=True)
        check_number("sufficient_majority", self.sufficient_majority, high=1.0, above_low=True, optional=True)
        check_number("significance", self.significance, high=1.0, above_low=True, below_high=True, optional=True)
        check_count("max_bins", self.max_bins, least=2, most=MOST_BINS, optional=True)
        check_threshold(self.threshold, self.preset)
        check_flag("threshold_price", self.threshold_price)
        check_choice("unknown", self.unknown, ("fails", "tree"))
        fraction = self.validation_fraction
        check_number("validation_fraction", fraction, high=1.0, above_low=True, below_high=True, optional=True)
        seed_of(self.random_state)
        check_running(self.n_jobs, self.progress)

    def _check_validation(self) -> None:
        """Conditions are judged by the validation rows."""

    def make_recipe(self) -> Recipe:
        return c45_recipe(
            self.preset,
            min_objects=float(self.min_objects),
            value_groups=bool(self.value_groups),
            missing=self.missing,
            selection=self.selection,
            cost_exponent=float(self.cost_exponent),
            max_depth=self.max_depth,
            sufficient_majority=self.sufficient_majority,
            significance=self.significance,
            max_bins=self.max_bins,
            threshold=self.threshold,
            threshold_price=bool(self.threshold_price),
        )

    def _make_rules(self, rows: Rows, validation: Rows | None, costs: Floats | None, n_jobs: int) -> dict[str, Any]:
        from quercus.rules.post_pruning import c45_rules

        if validation is None and self.validation_fraction is not None:
            rows, validation = self._hold_out(rows)
        assert isinstance(rows.target, ClassTarget)
        recipe = self.make_recipe()
        tree = one_tree(core_grower, rows, recipe, GrowOptions(costs, n_jobs, self.progress))
        rules = c45_rules(tree, rows.dataset, rows.target, **self._rule_options(rows, validation, costs, n_jobs))
        return {"tree": tree, "recipe": recipe, "rule_list": rules}

    def _rule_options(self, rows: Rows, validation: Rows | None, costs: Floats | None, n_jobs: int) -> dict[str, Any]:
        return {
            "weights": rows.weights,
            "confidence": float(self.confidence),
            "preset": self.preset,
            "validation": None if validation is None else validation.growing,
            "cost_matrix": costs,
            "unknown": "tree" if self.unknown == "tree" else "fails",
            "seed": seed_of(self.random_state),
            "n_jobs": n_jobs,
        }

    def rule_pruning(
        self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None
    ) -> RulePruning:
        """Why post-pruning dropped each condition and each rule, from the leaves of ``tree_`` to ``rules_``.

        The arguments are those of fitting; other rows are refused.

        >>> from quercus.datasets import load_play_tennis
        >>> X, y = load_play_tennis()
        >>> for entry in C45RulesClassifier().fit(X, y).rule_pruning(X, y).leaves[4].dropped:
        ...     print(entry)
        Outlook = Sunny: wrong for 1 of 7 rows without it, for 0 of 2 with it; pessimistic error rate 0.335 below 0.500
        """
        from quercus.rules.pruning_reasons import explain_c45_rules

        if (X_val is None) != (y_val is None):
            raise DataError(f"{'X_val' if X_val is None else 'y_val'} is None; give both X_val and y_val, or neither.")
        rows = self.read_rows(X, y, sample_weight)
        validation = None if X_val is None else self.read_rows(X_val, y_val)
        if validation is None and self.validation_fraction is not None:
            rows, validation = self._hold_out(rows)
        assert isinstance(rows.target, ClassTarget)
        options = self._rule_options(rows, validation, self.model_.decision.costs, self.n_threads)
        found = explain_c45_rules(self.tree_, rows.dataset, rows.target, **options)
        if found.rules != self.rules_:
            raise DataError(
                "These are not the rows of fitting: post-pruning makes other rules of them. (With random_state=None "
                "the rows held out are drawn anew each time; give a number.)"
            )
        return found

    def _hold_out(self, rows: Rows) -> tuple[Rows, Rows]:
        if rows.n_weighty < 2:
            raise DataError(
                f"validation_fraction={self.validation_fraction!r} keeps rows from growing, which n_samples = "
                f"{rows.n_weighty} (1 sample) does not allow; give more rows, or None."
            )
        return HoldOut(float(self.validation_fraction or 0.0), seed_of(self.random_state)).split(rows)

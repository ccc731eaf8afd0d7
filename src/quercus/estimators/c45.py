"""C4.5 as a scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from quercus.estimators.classifier import TreeClassifier
from quercus.estimators.parameters import (
    MOST_BINS,
    check_choice,
    check_count,
    check_flag,
    check_missing,
    check_number,
    check_selection,
    check_threshold,
    refuse,
)
from quercus.estimators.pruning import method_of
from quercus.growing.c45 import PRESETS, THRESHOLD, C45Preset, c45_recipe
from quercus.growing.recipe import MissingPolicy, Recipe, Selection, ThresholdRule


class C45Classifier(TreeClassifier):
    """C4.5: gain ratio, thresholds on numbers, branches for values, fractional examples for what is unknown.

    Parameters
    ----------
    preset : "c45" (the semantics of Release 8 without its accidents), "r8" or "j48" (as those programs grow a tree)
    min_objects : at least two branches of a split must weigh this much
    missing : what becomes of an unknown value: "fractional" (every branch by its share), "most_common",
        "class_most_common" or "own_value"
    value_groups : merge the values of a nominal attribute into groups while the gain ratio improves
    selection : "gain_ratio", "gain", or with ``attribute_costs`` "tan_schlimmer" gain²/cost or "nunez"
        (2^gain − 1)/(cost + 1)^``cost_exponent``
    cost_exponent : how much the costs count in "nunez", from 0.0 (not) to 1.0
    attribute_costs : {column: cost} or a list of costs; see also :meth:`expected_test_cost`
    max_depth : at most so many questions on a path; None: any number
    sufficient_majority : a node is a leaf when one class holds at least this share of its weight (0.95, say); None:
        only when it holds all
    significance : a split must be significant at this level by the chi-square test; None: not tested
    max_bins : look at so many quantiles of a numeric attribute only (faster, not exact); None: at every value
    threshold : how a threshold between two neighbouring values is written: "midpoint", "data_value" (the largest
        training value that is not above the midpoint) or "short", the shortest number between them (66, not 66.5); the
        training rows divide alike. None: "data_value", as C4.5 does; the presets "r8" and "j48" know no "short"
    threshold_price : whether the best of T cuts of a number pays log2(T)/N of its gain for the choice; False: not, as
        in textbooks that do not know this price (J48's option -J)
    prune : False, the tree as grown; True, C4.5's error-based pruning; or a method of ``quercus.pruning``:
        "error_based", "reduced_error", "stop_by_validation" (a question stays only where unseen rows are answered
        better; "validation" is an alias), "cost_complexity", "mdl", "minimum_error", "critical_value", "chi_square" or
        "same_prediction". With a
        ``cost_matrix`` take care: "error_based" (and so True, the default), "mdl", "critical_value" and "chi_square"
        count errors or examples, not what mistakes cost; they may cut branches that the costs were to keep. The others
        count costs; "cost_complexity" needs no further rows
    confidence : of "error_based": the confidence level of the pessimistic errors; a smaller one prunes more
    subtree_raising : whether "error_based" may also put the largest branch in the place of its question
    ccp_alpha : of "cost_complexity": the price of a leaf in impurity, as in scikit-learn; a number above 0 prunes by
        itself, too. None: chosen by cross-validation
    alpha_choice : how cross-validation chooses: "min", the least error, or "1se", the smallest tree whose error is
        within one standard error of that
    folds : of that cross-validation
    validation_fraction : the share of the rows that "reduced_error" and "stop_by_validation" keep from growing to prune
        by, unless :meth:`fit` is given X_val and y_val
    m : of "minimum_error": how many examples the prior class shares count as
    pruning_significance : of "critical_value" and "chi_square": the level at which a split must be significant
    critical_gain : of "critical_value": the gain that a question, or one below it, must reach; None: chi-square decides
    random_state : of the held-out share and of the folds; None: another one each time
    class_weight : {class: weight} or "balanced"
    priors : {class: share} or a list; the classes' shares are made these
    cost_matrix : cost of answering class j for class i, rows = true class, or {(true, answered): cost}; used in
        growing, and the class of least expected cost is answered; in pruning only by some methods, see ``prune``
    smoothing : of the probabilities: None, "laplace" or ("m", m)
    decision_threshold : for two classes: the second is answered if its probability reaches this
    kinds : {column: "numeric", "nominal", "ordered", "boolean" or "date"} where the dtype does not say it
    domains : {column: values}: values that an attribute may have, whether or not they occur in training
    missing_tokens : texts such as "?" that mean unknown; None, NaN and NaT always do
    n_jobs : threads; None: one, -1: all; the tree is the same
    progress : a function called while the tree grows

    Attributes
    ----------
    tree_ : the tree, pruned if that was asked for
    unpruned_tree_ : the tree as it was grown
    pruning_ : what was cut and why (``quercus.pruning.Pruned``); None: nothing was to be
    alpha_table_ : the table of the cross-validation that chose the price of leaves; None: it was not asked
    schema_, recipe_, classes_, n_features_in_, feature_names_in_, feature_importances_

    Examples
    --------
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> C45Classifier().fit(X, y).tree_.root.attribute.name
    'Outlook'
    """

    own_pruning = "error_based"
    own_threshold: ThresholdRule = THRESHOLD

    def __init__(
        self,
        *,
        preset: C45Preset = "c45",
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
        prune: Any = True,
        confidence: float = 0.25,
        subtree_raising: bool = True,
        ccp_alpha: float | None = None,
        alpha_choice: Literal["1se", "min"] = "1se",
        folds: int = 10,
        validation_fraction: float = 0.3,
        m: float = 2.0,
        pruning_significance: float = 0.05,
        critical_gain: float | None = None,
        random_state: Any = 0,
        class_weight: Any = None,
        priors: Any = None,
        cost_matrix: Any = None,
        smoothing: Any = None,
        decision_threshold: float | None = None,
        kinds: Any = None,
        domains: Any = None,
        missing_tokens: Any = (),
        n_jobs: int | None = None,
        progress: Callable[..., Any] | None = None,
    ) -> None:
        self.preset = preset
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
        self.prune = prune
        self.confidence = confidence
        self.subtree_raising = subtree_raising
        self.ccp_alpha = ccp_alpha
        self.alpha_choice = alpha_choice
        self.folds = folds
        self.validation_fraction = validation_fraction
        self.m = m
        self.pruning_significance = pruning_significance
        self.critical_gain = critical_gain
        self.random_state = random_state
        self.class_weight = class_weight
        self.priors = priors
        self.cost_matrix = cost_matrix
        self.smoothing = smoothing
        self.decision_threshold = decision_threshold
        self.kinds = kinds
        self.domains = domains
        self.missing_tokens = missing_tokens
        self.n_jobs = n_jobs
        self.progress = progress

    def _check_parameters(self) -> None:
        check_choice("preset", self.preset, PRESETS)
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
        super()._check_parameters()
        if self.preset == "j48" and self.confidence > 0.5 and method_of(self) == "error_based":
            refuse("confidence", self.confidence, "a number > 0 and <= 0.5 with preset='j48', as J48 does")

    def make_recipe(self, n_rows: int, total_weight: float) -> Recipe:
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

"""CART as a scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from quercus.estimators.cart_parameters import CARTParameters
from quercus.estimators.classifier import TreeClassifier
from quercus.estimators.parameters import check_choice, check_number, check_selection
from quercus.growing.cart import cart_recipe
from quercus.growing.recipe import MissingPolicy, Recipe, Selection, ThresholdRule

CRITERIA = {"gini": "gini", "entropy": "entropy", "log_loss": "entropy", "misclassification": "misclassification"}


class CARTClassifier(CARTParameters, TreeClassifier):
    """CART for classes: two-way questions that lower the Gini impurity most.

    Parameters with scikit-learn's names mean what they mean in its DecisionTreeClassifier.

    Parameters
    ----------
    criterion : "gini", "entropy" (also called "log_loss") or "misclassification"
    max_depth : at most so many questions on a path; None: any number
    min_samples_split, min_samples_leaf : rows (a whole number) or a share of all rows (a float)
    min_weight_fraction_leaf : share of the whole weight that a leaf must have
    max_leaf_nodes : grow best first until there are so many leaves
    min_impurity_decrease : a split must lower the impurity, weighted by the node's share, by this much
    sufficient_majority : a node is a leaf when one class holds at least this share of its weight (0.95, say); None:
        only when it holds all
    significance : a split must be significant at this level by the chi-square test; None: not tested
    missing : what becomes of an unknown value: "own_value" (the better side is tried at each question; free on complete
        data), "surrogate" (the question that agrees best answers instead; searched at every node), "fractional",
        "most_common" or "class_most_common"
    max_surrogates : at most so many surrogates a node
    selection : "gain", or a measure that regards ``attribute_costs``: "tan_schlimmer" gain²/cost, "nunez"
        (2^gain − 1)/(cost + 1)^``cost_exponent``
    cost_exponent : how much the costs count in "nunez", from 0.0 (not) to 1.0
    attribute_costs : {column: cost} or a list of costs; see also :meth:`expected_test_cost`
    max_bins : look at so many quantiles of a numeric attribute only (faster, not exact); None: at every value
    threshold : how a threshold between two neighbouring values is written: "midpoint", "data_value" (the largest
        training value that is not above the midpoint) or "short", the shortest number between them (66, not 66.5); the
        training rows divide alike. None: "midpoint", as CART does
    prune : False, the tree as grown; True, CART's cost-complexity pruning; or a method of ``quercus.pruning``:
        "error_based", "reduced_error", "stop_by_validation" (a question stays only where unseen rows are answered
        better; "validation" is an alias), "cost_complexity", "mdl", "minimum_error", "critical_value", "chi_square" or
        "same_prediction". The first, "mdl"
        and the two tests of significance count examples, whatever ``cost_matrix`` says of them
    confidence : of "error_based": the confidence level of the pessimistic errors; a smaller one prunes more
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
        growing, and the class of least expected cost is answered
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
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> CARTClassifier(max_depth=2).fit(X, y).score(X, y)
    0.96
    """

    own_pruning = "cost_complexity"

    def __init__(
        self,
        *,
        criterion: Literal["gini", "entropy", "log_loss", "misclassification"] = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        sufficient_majority: float | None = None,
        significance: float | None = None,
        missing: MissingPolicy = "own_value",
        max_surrogates: int = 5,
        selection: Selection = "gain",
        cost_exponent: float = 1.0,
        attribute_costs: Any = None,
        max_bins: int | None = None,
        threshold: ThresholdRule | None = None,
        prune: Any = False,
        confidence: float = 0.25,
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
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.sufficient_majority = sufficient_majority
        self.significance = significance
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.selection = selection
        self.cost_exponent = cost_exponent
        self.attribute_costs = attribute_costs
        self.max_bins = max_bins
        self.threshold = threshold
        self.prune = prune
        self.confidence = confidence
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
        check_choice("criterion", self.criterion, CRITERIA)
        self._check_cart_parameters(classes=True)
        check_number("sufficient_majority", self.sufficient_majority, high=1.0, above_low=True, optional=True)
        check_number("significance", self.significance, high=1.0, above_low=True, below_high=True, optional=True)
        measures = ("gain", "tan_schlimmer", "nunez")
        check_selection(self.selection, measures, self.cost_exponent, self.attribute_costs)
        super()._check_parameters()

    def make_recipe(self, n_rows: int, total_weight: float) -> Recipe:
        return cart_recipe(
            CRITERIA[self.criterion],  # type: ignore[arg-type]
            **self._cart_limits(n_rows, total_weight),
            sufficient_majority=self.sufficient_majority,
            significance=self.significance,
            selection=self.selection,
            cost_exponent=float(self.cost_exponent),
        )

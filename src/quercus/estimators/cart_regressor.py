"""CART as a scikit-learn regressor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from sklearn.base import RegressorMixin

from quercus.data.dataset import ClassTarget
from quercus.data.rows import Floats, Rows
from quercus.errors import DataError
from quercus.estimators.base import NumberAnswers
from quercus.estimators.cart_parameters import CARTParameters
from quercus.estimators.parameters import check_choice
from quercus.estimators.tree_estimator import TreeEstimator
from quercus.growing.cart import cart_recipe
from quercus.growing.recipe import REGRESSION_CRITERIA, MissingPolicy, Recipe, ThresholdRule


class CARTRegressor(NumberAnswers, CARTParameters, RegressorMixin, TreeEstimator):  # type: ignore[misc]
    """CART for numbers: two-way questions that lower the squared error most; a leaf predicts its mean.

    Parameters with scikit-learn's names mean what they mean in its DecisionTreeRegressor.

    Parameters
    ----------
    criterion : "squared_error", "absolute_error" (a leaf predicts its median) or "poisson" (y >= 0)
    max_depth : at most so many questions on a path; None: any number
    min_samples_split, min_samples_leaf : rows (a whole number) or a share of all rows (a float)
    min_weight_fraction_leaf : share of the whole weight that a leaf must have
    max_leaf_nodes : grow best first until there are so many leaves
    min_impurity_decrease : a split must lower the impurity, weighted by the node's share, by this much
    missing : what becomes of an unknown value: "own_value" (the better side is tried at each question; free on complete
        data), "surrogate" (the question that agrees best answers instead; searched at every node), "fractional" or
        "most_common"
    max_surrogates : at most so many surrogates a node
    attribute_costs : {column: cost} or a list of costs, for :meth:`expected_test_cost`
    max_bins : look at so many quantiles of a numeric attribute only (faster, not exact); None: at every value
    threshold : how a threshold between two neighbouring values is written: "midpoint", "data_value" (the largest
        training value that is not above the midpoint) or "short", the shortest number between them (66, not 66.5); the
        training rows divide alike. None: "midpoint", as CART does
    prune : False, the tree as grown; True, CART's cost-complexity pruning; or a method of ``quercus.pruning``:
        "cost_complexity", "reduced_error", "stop_by_validation" (a question stays only where unseen rows are answered
        better; "validation" is an alias) or "same_prediction"; errors are squared, whatever the criterion
    ccp_alpha : of "cost_complexity": the price of a leaf in impurity, as in scikit-learn; a number above 0 prunes by
        itself, too. None: chosen by cross-validation
    alpha_choice : how cross-validation chooses: "min", the least error, or "1se", the smallest tree whose error is
        within one standard error of that
    folds : of that cross-validation
    validation_fraction : the share of the rows that "reduced_error" and "stop_by_validation" keep from growing to prune
        by, unless :meth:`fit` is given X_val and y_val
    random_state : of the held-out share and of the folds; None: another one each time
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
    schema_, recipe_, n_features_in_, feature_names_in_, feature_importances_

    Examples
    --------
    >>> tree = CARTRegressor().fit([[1], [2], [3], [4]], [10.0, 10.0, 20.0, 30.0])
    >>> tree.predict([[0], [3], [9]])
    array([10., 20., 30.])
    """

    own_pruning = "cost_complexity"

    def __init__(
        self,
        *,
        criterion: Literal["squared_error", "absolute_error", "poisson"] = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        missing: MissingPolicy = "own_value",
        max_surrogates: int = 5,
        attribute_costs: Any = None,
        max_bins: int | None = None,
        threshold: ThresholdRule | None = None,
        prune: Any = False,
        ccp_alpha: float | None = None,
        alpha_choice: Literal["1se", "min"] = "1se",
        folds: int = 10,
        validation_fraction: float = 0.3,
        random_state: Any = 0,
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
        self.missing = missing
        self.max_surrogates = max_surrogates
        self.attribute_costs = attribute_costs
        self.max_bins = max_bins
        self.threshold = threshold
        self.prune = prune
        self.ccp_alpha = ccp_alpha
        self.alpha_choice = alpha_choice
        self.folds = folds
        self.validation_fraction = validation_fraction
        self.random_state = random_state
        self.kinds = kinds
        self.domains = domains
        self.missing_tokens = missing_tokens
        self.n_jobs = n_jobs
        self.progress = progress

    def _check_parameters(self) -> None:
        check_choice("criterion", self.criterion, REGRESSION_CRITERIA)
        self._check_cart_parameters(classes=False)
        super()._check_parameters()

    def make_recipe(self, n_rows: int, total_weight: float) -> Recipe:
        return cart_recipe(self.criterion, **self._cart_limits(n_rows, total_weight))

    def _check_target(self, rows: Rows) -> None:
        if self.criterion == "poisson":
            assert not isinstance(rows.target, ClassTarget)
            check_poisson_target(rows.target, rows.sample_weights)


def check_poisson_target(y: Floats, weights: Floats | None) -> None:
    """Refuse what no Poisson distribution can give, in scikit-learn's words."""
    if (y < 0).any():
        raise DataError(
            "Some value(s) of y are negative which is not allowed for Poisson regression. "
            "Use criterion='squared_error'."
        )
    if not (np.sum(y if weights is None else y * weights) > 0):
        raise DataError(
            "Sum of y is not strictly positive which is necessary for Poisson regression. "
            "Use criterion='squared_error'."
        )

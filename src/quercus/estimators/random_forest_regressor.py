"""The random forest as a scikit-learn regressor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from quercus.estimators.cart_regressor import CARTRegressor
from quercus.estimators.forest_regressor import ForestRegressor
from quercus.estimators.forest_sampling import CONSTANT, attributes_of, check_max_features
from quercus.estimators.parameters import check_choice, check_flag
from quercus.forests.stopping import FlatCurve
from quercus.growing.cart import THRESHOLD
from quercus.growing.forest import Constant
from quercus.growing.recipe import MissingPolicy, ThresholdRule


class RandomForestRegressor(ForestRegressor):
    """A random forest for numbers: CART trees, each from its own draw of rows, whose predictions are averaged.

    Parameters with scikit-learn's names mean what they mean in its RandomForestRegressor.

    Parameters
    ----------
    n_estimators : trees
    criterion : "squared_error", "absolute_error" or "poisson"
    max_depth : at most so many questions on a path; None: any number
    min_samples_split, min_samples_leaf : rows (a whole number) or a share of all rows (a float); a row counts once,
        however often it was drawn
    min_weight_fraction_leaf : share of the whole weight that a leaf must have
    max_features : attributes that a node draws to choose its question from:
        "sqrt", "log2", a number, a share, None (all)
    constant_features : a drawn attribute that is constant at the node: "redraw" another one, as scikit-learn does, or
        "count" it, as ranger does: a node none of whose attributes varies is a leaf, so trees are smaller
    max_leaf_nodes : grow each tree best first until there are so many leaves
    min_impurity_decrease : a split must lower the impurity, weighted by the node's share, by this much
    bootstrap : whether each tree sees its own draw of the rows; False: all of them
    replacement : rows are drawn "with" replacement or "without"
    max_samples : rows drawn for a tree, a number or a share; None: as many as there are, without replacement 63.2 %
    max_features_per_tree : attributes that a tree draws to use at all, as in max_features; None: all
    random_thresholds : try one random cut of each attribute instead of all (extremely randomised trees)
    oob_score : answer every row by the trees that have not seen it, and measure that (``oob_score_``,
        ``oob_curve_`` and the answers); a function of (y_true, y_answered) measures in its own way
    stop_when_flat : stop before n_estimators when the out-of-bag error does not move any more; True, or a
        ``quercus.forests.FlatCurve`` with its own window and tolerance
    missing : what becomes of an unknown value: "own_value" (the better side is tried at each question), "surrogate",
        "fractional", "most_common"
    attribute_costs : {column: cost} or a list of costs
    max_bins : look at so many quantiles of a numeric attribute only (faster, not exact); None: at every value
    threshold : how a threshold between two neighbouring values is written: "midpoint", "data_value" (the largest
        training value that is not above the midpoint) or "short", the shortest number between them (66, not 66.5); the
        training rows divide alike. None: "midpoint", as CART does
    ccp_alpha : the price of a leaf, by which each tree is pruned as in scikit-learn; 0.0: not pruned
    kinds : {column: "numeric", "nominal", "ordered", "boolean" or "date"} where the dtype does not say it
    domains : {column: values}: values that an attribute may have, whether or not they occur in training
    missing_tokens : texts such as "?" that mean unknown; None, NaN and NaT always do
    n_jobs : threads; None: one, -1: all; the forest is the same
    random_state : the seed: tree t of a seed is the same on every machine and for any number of threads or trees; None
        or a RandomState: a seed is drawn once and kept as ``seed_``
    warm_start : keep the trees of the fit before and add those that n_estimators has more, as if grown all at once
    progress : "auto" (a bar with the time left, if stderr is a terminal and it takes longer than a second), True, False
        or a function of (trees grown, trees)

    Attributes
    ----------
    forest_ : the trees (``quercus.tree.forest.Forest``); ``forest_.partial``: growing was ended early
    estimators_ : the trees as fitted CARTRegressor, made when asked for
    oob_score_ : R² of the out-of-bag answers; oob_prediction_ : these, NaN for a row that every tree has seen;
        oob_curve_ : their mean squared error after so many trees
    seed_, sampling_, recipe_, schema_, n_features_in_, feature_names_in_, feature_importances_
    partial_ : what Ctrl-C left of the last fit, as a fitted estimator

    Examples
    --------
    >>> X = [[x] for x in range(20)]
    >>> forest = RandomForestRegressor(n_estimators=50).fit(X, [x[0] ** 2 for x in X])
    >>> forest.predict([[10]]).round(), forest.spread([[10]]).round()
    (array([95.]), array([13.]))
    """

    own_threshold: ThresholdRule = THRESHOLD  # the rule that ``threshold=None`` means

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: Literal["squared_error", "absolute_error", "poisson"] = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = 1.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = True,
        replacement: Literal["with", "without"] = "with",
        max_samples: Any = None,
        max_features_per_tree: Any = None,
        constant_features: Constant = "redraw",
        random_thresholds: bool = False,
        oob_score: bool | Callable[[Any, Any], float] = False,
        stop_when_flat: bool | FlatCurve = False,
        missing: MissingPolicy = "own_value",
        attribute_costs: Any = None,
        max_bins: int | None = None,
        threshold: ThresholdRule | None = None,
        ccp_alpha: float | None = 0.0,
        kinds: Any = None,
        domains: Any = None,
        missing_tokens: Any = (),
        n_jobs: int | None = None,
        random_state: Any = 0,
        warm_start: bool = False,
        progress: Any = "auto",
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.replacement = replacement
        self.max_samples = max_samples
        self.max_features_per_tree = max_features_per_tree
        self.constant_features = constant_features
        self.random_thresholds = random_thresholds
        self.oob_score = oob_score
        self.stop_when_flat = stop_when_flat
        self.missing = missing
        self.attribute_costs = attribute_costs
        self.max_bins = max_bins
        self.threshold = threshold
        self.ccp_alpha = ccp_alpha
        self.kinds = kinds
        self.domains = domains
        self.missing_tokens = missing_tokens
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.progress = progress

    def _check_parameters(self) -> None:
        check_max_features("max_features", self.max_features)
        check_max_features("max_features_per_tree", self.max_features_per_tree)
        check_choice("constant_features", self.constant_features, CONSTANT)
        check_flag("random_thresholds", self.random_thresholds)
        super()._check_parameters()

    def _member(self) -> CARTRegressor:
        shared = set(CARTRegressor._get_param_names()) & set(self._get_param_names()) - {"random_state", "progress"}
        return CARTRegressor(**{name: getattr(self, name) for name in shared})

    def _attributes_drawn(self, n_attributes: int) -> tuple[int | None, int | None]:
        per_tree = attributes_of("max_features_per_tree", self.max_features_per_tree, n_attributes)
        per_node = attributes_of("max_features", self.max_features, n_attributes)
        return (None if per_tree is not None and per_node is not None and per_node >= per_tree else per_node), per_tree

"""The random forest as a scikit-learn classifier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from quercus.estimators.cart_classifier import CARTClassifier
from quercus.estimators.forest_classifier import ForestClassifier
from quercus.estimators.forest_sampling import CONSTANT, attributes_of, check_max_features
from quercus.estimators.parameters import check_choice, check_flag
from quercus.forests.stopping import FlatCurve
from quercus.growing.cart import THRESHOLD
from quercus.growing.forest import Constant
from quercus.growing.recipe import MissingPolicy, Selection, ThresholdRule
from quercus.predict.forest import Vote


class RandomForestClassifier(ForestClassifier):
    """A random forest for classes: CART trees, each from its own draw of rows, each question from a draw of attributes.

    Parameters with scikit-learn's names mean what they mean in its RandomForestClassifier. Nominal attributes of any
    number of values, unknown values and class costs are taken as they are.

    Parameters
    ----------
    n_estimators : trees
    criterion : "gini", "entropy" (also called "log_loss") or "misclassification"
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
    sufficient_majority : a node is a leaf when one class holds at least this share of its weight (0.95, say); None:
        only when it holds all
    bootstrap : whether each tree sees its own draw of the rows; False: all of them
    replacement : rows are drawn "with" replacement or "without"
    max_samples : rows drawn for a tree, a number or a share; None: as many as there are, without replacement 63.2 %
    max_features_per_tree : attributes that a tree draws to use at all, as in max_features; None: all
    random_thresholds : try one random cut of each attribute instead of all (extremely randomised trees)
    vote : "probability": the trees' class shares are averaged; "majority": each tree votes for its most likely class
    oob_score : answer every row by the trees that have not seen it, and measure that (``oob_score_``,
        ``oob_curve_`` and the answers); a function of (y_true, y_answered) measures in its own way
    stop_when_flat : stop before n_estimators when the out-of-bag error does not move any more; True, or a
        ``quercus.forests.FlatCurve`` with its own window and tolerance
    missing : what becomes of an unknown value: "own_value" (the better side is tried at each question), "surrogate",
        "fractional", "most_common" or "class_most_common"
    selection : "gain", or a measure that regards ``attribute_costs``: "tan_schlimmer" gain²/cost, "nunez"
        (2^gain − 1)/(cost + 1)^``cost_exponent``
    cost_exponent : how much the costs count in "nunez", from 0.0 (not) to 1.0
    attribute_costs : {column: cost} or a list of costs
    max_bins : look at so many quantiles of a numeric attribute only (faster, not exact); None: at every value
    threshold : how a threshold between two neighbouring values is written: "midpoint", "data_value" (the largest
        training value that is not above the midpoint) or "short", the shortest number between them (66, not 66.5); the
        training rows divide alike. None: "midpoint", as CART does
    ccp_alpha : the price of a leaf, by which each tree is pruned as in scikit-learn; 0.0: not pruned
    class_weight : {class: weight} or "balanced", of the whole table
    priors : {class: share} or a list; the classes' shares are made these
    cost_matrix : cost of answering class j for class i, rows = true class, or {(true, answered): cost}; used in
        growing, and the class of least expected cost is answered
    decision_threshold : for two classes: the second is answered if its probability reaches this
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
    estimators_ : the trees as fitted CARTClassifier, made when asked for
    oob_score_ : the accuracy of the out-of-bag answers; oob_decision_function_ : their class shares, NaN for a row that
        every tree has seen; oob_curve_ : their error after so many trees
    seed_, sampling_, recipe_, schema_, classes_, n_features_in_, feature_names_in_, feature_importances_
    partial_ : what Ctrl-C left of the last fit, as a fitted estimator

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(oob_score=True).fit(X, y)
    >>> round(forest.oob_score_, 2)
    0.95
    >>> forest.votes(X[50:51]), forest.agreement(X[50:51])
    (array([[ 0., 99.,  1.]]), array([0.99]))
    """

    own_threshold: ThresholdRule = THRESHOLD  # the rule that ``threshold=None`` means

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: Literal["gini", "entropy", "log_loss", "misclassification"] = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        sufficient_majority: float | None = None,
        bootstrap: bool = True,
        replacement: Literal["with", "without"] = "with",
        max_samples: Any = None,
        max_features_per_tree: Any = None,
        constant_features: Constant = "redraw",
        random_thresholds: bool = False,
        vote: Vote = "probability",
        oob_score: bool | Callable[[Any, Any], float] = False,
        stop_when_flat: bool | FlatCurve = False,
        missing: MissingPolicy = "own_value",
        selection: Selection = "gain",
        cost_exponent: float = 1.0,
        attribute_costs: Any = None,
        max_bins: int | None = None,
        threshold: ThresholdRule | None = None,
        ccp_alpha: float | None = 0.0,
        class_weight: Any = None,
        priors: Any = None,
        cost_matrix: Any = None,
        decision_threshold: float | None = None,
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
        self.sufficient_majority = sufficient_majority
        self.bootstrap = bootstrap
        self.replacement = replacement
        self.max_samples = max_samples
        self.max_features_per_tree = max_features_per_tree
        self.constant_features = constant_features
        self.random_thresholds = random_thresholds
        self.vote = vote
        self.oob_score = oob_score
        self.stop_when_flat = stop_when_flat
        self.missing = missing
        self.selection = selection
        self.cost_exponent = cost_exponent
        self.attribute_costs = attribute_costs
        self.max_bins = max_bins
        self.threshold = threshold
        self.ccp_alpha = ccp_alpha
        self.class_weight = class_weight
        self.priors = priors
        self.cost_matrix = cost_matrix
        self.decision_threshold = decision_threshold
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

    def _member(self) -> CARTClassifier:
        shared = set(CARTClassifier._get_param_names()) & set(self._get_param_names()) - {"random_state", "progress"}
        return CARTClassifier(**{name: getattr(self, name) for name in shared})

    def _attributes_drawn(self, n_attributes: int) -> tuple[int | None, int | None]:
        per_tree = attributes_of("max_features_per_tree", self.max_features_per_tree, n_attributes)
        per_node = attributes_of("max_features", self.max_features, n_attributes)
        return (None if per_tree is not None and per_node is not None and per_node >= per_tree else per_node), per_tree

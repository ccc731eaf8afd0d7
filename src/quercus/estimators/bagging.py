"""Bagging of any algorithm as scikit-learn estimators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from sklearn.base import clone

from quercus.errors import ParameterError
from quercus.estimators.cart_classifier import CARTClassifier
from quercus.estimators.cart_regressor import CARTRegressor
from quercus.estimators.classifier import TreeClassifier
from quercus.estimators.forest_classifier import ForestClassifier
from quercus.estimators.forest_growing import is_tree_estimator
from quercus.estimators.forest_regressor import ForestRegressor
from quercus.estimators.forest_sampling import attributes_of, check_max_features
from quercus.estimators.rule_learner import RuleLearner
from quercus.forests.stopping import FlatCurve
from quercus.predict.forest import Vote


class BaggingClassifier(ForestClassifier):
    """Bagging: trees or rule lists of any algorithm here, each from its own draw of the rows, answer together.

    How tables are read, class weights, costs, thresholds and smoothing are parameters of ``estimator``.

    Parameters
    ----------
    estimator : what one member is: ID3Classifier(), C45Classifier(), CARTClassifier(), C45RulesClassifier(), … with
        any parameters, pruning too; None: CARTClassifier()
    n_estimators : members
    max_samples : rows drawn for a member, a number or a share; None: as many as there are, without replacement 63.2 %
    max_features : attributes that a tree draws to use at all: "sqrt", "log2", a number, a share, None (all)
    bootstrap : whether each member sees its own draw of the rows; False: all of them
    replacement : rows are drawn "with" replacement or "without"
    max_features_per_node : attributes that a node draws to choose its question from, as in max_features; None: all
    vote : "probability": the members' class shares are averaged; "majority": each votes for its own class
    oob_score : answer every row by the members that have not seen it, and measure that (``oob_score_``,
        ``oob_curve_`` and the answers); a function of (y_true, y_answered) measures in its own way
    stop_when_flat : stop before n_estimators when the out-of-bag error does not move any more; True, or a
        ``quercus.forests.FlatCurve`` with its own window and tolerance
    n_jobs : threads; None: one, -1: all; the members are the same
    random_state : the seed: member t of a seed is the same on every machine and for any number of threads or members;
        None or a RandomState: a seed is drawn once and kept as ``seed_``
    warm_start : keep the members of the fit before and add those that n_estimators has more, as if grown all at once
    progress : "auto" (a bar with the time left, if stderr is a terminal and it takes longer than a second), True, False
        or a function of (members made, members)

    Attributes
    ----------
    forest_ : the trees (``quercus.tree.forest.Forest``) or rule lists (``quercus.forests.Committee``);
        ``forest_.partial``: growing was ended early
    estimators_ : the members as fitted estimators, made when asked for
    oob_score_, oob_decision_function_, oob_curve_ : of the out-of-bag answers, as in RandomForestClassifier
    seed_, sampling_, recipe_, schema_, classes_, n_features_in_, feature_names_in_, feature_importances_ (of trees)
    partial_ : what Ctrl-C left of the last fit, as a fitted estimator

    Examples
    --------
    >>> from quercus import C45Classifier, C45RulesClassifier
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> trees = BaggingClassifier(C45Classifier(), n_estimators=20, oob_score=True).fit(X, y)
    >>> round(trees.score(X, y), 2), round(trees.oob_score_, 2)
    (0.93, 0.71)
    >>> BaggingClassifier(C45RulesClassifier(), n_estimators=5).fit(X, y).forest_
    <Committee: 5 rule lists, 15 rules, 2 classes>
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        max_samples: Any = None,
        max_features: Any = 1.0,
        bootstrap: bool = True,
        replacement: Literal["with", "without"] = "with",
        max_features_per_node: Any = None,
        vote: Vote = "probability",
        oob_score: bool | Callable[[Any, Any], float] = False,
        stop_when_flat: bool | FlatCurve = False,
        n_jobs: int | None = None,
        random_state: Any = 0,
        warm_start: bool = False,
        progress: Any = "auto",
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.replacement = replacement
        self.max_features_per_node = max_features_per_node
        self.vote = vote
        self.oob_score = oob_score
        self.stop_when_flat = stop_when_flat
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.progress = progress

    def _check_parameters(self) -> None:
        check_attributes(self)
        super()._check_parameters()

    def _member(self) -> Any:
        return checked_member(
            self.estimator,
            CARTClassifier(),
            (
                TreeClassifier,
                RuleLearner,
            ),
        )

    def _attributes_drawn(self, n_attributes: int) -> tuple[int | None, int | None]:
        return bagged_attributes(self, n_attributes)


class BaggingRegressor(ForestRegressor):
    """Bagging for numbers: many regression trees, each from its own draw of the rows, whose predictions are averaged.

    How tables are read and how the trees are pruned are parameters of ``estimator``.

    Parameters
    ----------
    estimator : what one member is: CARTRegressor() with any parameters; None: CARTRegressor()
    n_estimators : members
    max_samples : rows drawn for a member, a number or a share; None: as many as there are, without replacement 63.2 %
    max_features : attributes that a tree draws to use at all: "sqrt", "log2", a number, a share, None (all)
    bootstrap : whether each member sees its own draw of the rows; False: all of them
    replacement : rows are drawn "with" replacement or "without"
    max_features_per_node : attributes that a node draws to choose its question from, as in max_features; None: all
    oob_score : answer every row by the members that have not seen it, and measure that (``oob_score_``,
        ``oob_curve_`` and the answers); a function of (y_true, y_answered) measures in its own way
    stop_when_flat : stop before n_estimators when the out-of-bag error does not move any more; True, or a
        ``quercus.forests.FlatCurve`` with its own window and tolerance
    n_jobs : threads; None: one, -1: all; the trees are the same
    random_state : the seed: tree t of a seed is the same on every machine and for any number of threads or trees; None
        or a RandomState: a seed is drawn once and kept as ``seed_``
    warm_start : keep the trees of the fit before and add those that n_estimators has more, as if grown all at once
    progress : "auto" (a bar with the time left, if stderr is a terminal and it takes longer than a second), True, False
        or a function of (trees grown, trees)

    Attributes
    ----------
    forest_ : the trees (``quercus.tree.forest.Forest``); ``forest_.partial``: growing was ended early
    estimators_ : the trees as fitted CARTRegressor, made when asked for
    oob_score_, oob_prediction_, oob_curve_ : of the out-of-bag answers, as in RandomForestRegressor
    seed_, sampling_, recipe_, schema_, n_features_in_, feature_names_in_, feature_importances_
    partial_ : what Ctrl-C left of the last fit, as a fitted estimator

    Examples
    --------
    >>> from quercus import CARTRegressor
    >>> X = [[x] for x in range(20)]
    >>> trees = BaggingRegressor(CARTRegressor(max_depth=3), n_estimators=5).fit(X, [x[0] ** 2 for x in X])
    >>> trees.predict([[10]]).round()
    array([97.])
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        max_samples: Any = None,
        max_features: Any = 1.0,
        bootstrap: bool = True,
        replacement: Literal["with", "without"] = "with",
        max_features_per_node: Any = None,
        oob_score: bool | Callable[[Any, Any], float] = False,
        stop_when_flat: bool | FlatCurve = False,
        n_jobs: int | None = None,
        random_state: Any = 0,
        warm_start: bool = False,
        progress: Any = "auto",
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.replacement = replacement
        self.max_features_per_node = max_features_per_node
        self.oob_score = oob_score
        self.stop_when_flat = stop_when_flat
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.progress = progress

    def _check_parameters(self) -> None:
        check_attributes(self)
        super()._check_parameters()

    def _member(self) -> Any:
        return checked_member(self.estimator, CARTRegressor(), (CARTRegressor,))

    def _attributes_drawn(self, n_attributes: int) -> tuple[int | None, int | None]:
        return bagged_attributes(self, n_attributes)


def check_attributes(estimator: Any) -> None:
    """Refuse wrong numbers of attributes."""
    check_max_features("max_features", estimator.max_features)
    check_max_features("max_features_per_node", estimator.max_features_per_node)


def checked_member(given: Any, default: Any, kinds: tuple[type, ...]) -> Any:
    """The estimator of one member, of one of the kinds; never the user's own object."""
    if given is None:
        return default
    if not isinstance(given, kinds):
        names = "a classifier of trees or rules" if len(kinds) > 1 else "a CARTRegressor"
        raise ParameterError(f"estimator={given!r} is not allowed; give None or {names} of quercus.")
    member = clone(given)
    return member.set_params(progress=None)


def bagged_attributes(estimator: Any, n_attributes: int) -> tuple[int | None, int | None]:
    """How many attributes a node and a tree draw; rule learners use all."""
    per_tree = attributes_of("max_features", estimator.max_features, n_attributes)
    per_node = attributes_of("max_features_per_node", estimator.max_features_per_node, n_attributes)
    if (per_tree is not None or per_node is not None) and not is_tree_estimator(estimator._member()):
        raise ParameterError(
            f"{type(estimator.estimator).__name__} learns rules from all attributes; give max_features=None and "
            "max_features_per_node=None, or an estimator of trees."
        )
    return per_node, per_tree

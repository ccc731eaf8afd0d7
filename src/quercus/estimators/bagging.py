"""Bagging of any algorithm as scikit-learn estimators."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from quercus.errors import ParameterError
from quercus.estimators.base import algorithm_of
from quercus.estimators.cart import CARTClassifier, CARTRegressor
from quercus.estimators.checks import MOST_TREES, anything, attributes_drawn, count, flag
from quercus.estimators.declaration import changed, declares, parameter
from quercus.estimators.forest_base import ForestClassifier, ForestEstimator, ForestRegressor
from quercus.estimators.forest_growing import is_tree_estimator
from quercus.estimators.forest_sampling import attributes_of, node_draws
from quercus.estimators.outside import OutsideMembers, asks_outside, is_outside
from quercus.estimators.rule_learner import RuleLearner
from quercus.estimators.tree_estimator import TreeClassifier
from quercus.growing.forest import drawn_attributes


@declares
class Bagged(OutsideMembers, ForestEstimator):
    """What bagging has, whatever it predicts."""

    #: the kinds of Quercus that make members here
    _kinds: ClassVar[tuple[type, ...]]

    estimator: Any = parameter(
        anything("None (CART) or an estimator"),
        "What one member is: an estimator with any parameters, those of pruning too. One that is not of Quercus, such "
        "as an SVC or a pipeline, is bagged by scikit-learn, with the draws of scikit-learn.",
        default=None,
        kw_only=False,
    )
    n_estimators: int = parameter(count(least=1, most=MOST_TREES), "The number of members.", default=10, kw_only=False)
    max_samples = changed(after="n_estimators")
    max_features: Any = parameter(
        attributes_drawn(), "How many attributes a member draws to use at all.", default=1.0, after="max_samples"
    )
    bootstrap_features: bool = parameter(
        flag(),
        "Whether these attributes are drawn with replacement, so that a member may use fewer of them.",
        default=False,
        after="max_features",
    )
    max_features_per_node: Any = parameter(
        attributes_drawn(),
        "How many attributes a node draws to choose its question from.",
        default=None,
        after="replacement",
    )

    def _is_outside(self) -> bool:
        return is_outside(self.estimator, self._kinds, classes=not algorithm_of(self).numbers)

    def _theirs(self, n_attributes: int) -> Any:
        from sklearn import ensemble

        self._refuse_outside("max_features_per_node", "stop_when_flat")
        without = self.bootstrap and self.replacement == "without"
        share = 0.632 if without and self.max_samples is None else self.max_samples
        kind = ensemble.BaggingRegressor if algorithm_of(self).numbers else ensemble.BaggingClassifier
        return kind(
            clone(self.estimator),
            n_estimators=self.n_estimators,
            **({} if share is None else {"max_samples": share}),
            max_features=attributes_of("max_features", self.max_features, n_attributes) or 1.0,
            bootstrap=self.bootstrap and not without,
            bootstrap_features=self.bootstrap_features,
            oob_score=self.oob_score,
            warm_start=self.warm_start,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
        )

    @property
    def estimators_features_(self) -> list[npt.NDArray[np.int64]]:
        """The numbers of the attributes that each member may use, in the order of their draw; drawn again."""
        model = self.model_
        assert model.draws is not None and model.draws.sampling is not None
        sampling, seed, n_attributes = model.draws.sampling, model.draws.seed, len(model.schema)
        return [drawn_attributes(sampling, seed, t, n_attributes).astype(np.int64) for t in range(len(self))]

    def _attributes_drawn(self, n_attributes: int) -> dict[str, Any]:
        per_tree = attributes_of("max_features", self.max_features, n_attributes)
        per_node = attributes_of("max_features_per_node", self.max_features_per_node, n_attributes)
        if self.bootstrap_features and per_tree is None:
            per_tree = n_attributes
        if (per_tree is not None or per_node is not None) and not is_tree_estimator(self._member()):
            raise ParameterError(
                f"{type(self.estimator).__name__} learns rules from all attributes; give max_features=None, "
                "max_features_per_node=None and bootstrap_features=False, or an estimator of trees."
            )
        at_nodes = node_draws(self._member(), n_attributes)
        if per_node is not None:
            at_nodes["attributes_per_node"] = per_node
        return {**at_nodes, "attributes_per_tree": per_tree, "attribute_bootstrap": bool(self.bootstrap_features)}


@asks_outside
@declares
class BaggingClassifier(Bagged, ForestClassifier):
    """Bagging: trees or rule lists of any algorithm here, each from its own draw of the rows, answer together.

    How tables are read, class weights, costs, thresholds and smoothing are parameters of ``estimator``.

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

    _kinds = (TreeClassifier, RuleLearner)
    _also_outside = ("decision_function",)

    def _theirs(self, n_attributes: int) -> Any:
        self._refuse_outside("vote")
        return super()._theirs(n_attributes)

    def _member(self) -> Any:
        return checked_member(self.estimator, CARTClassifier(), self._kinds)


@asks_outside
@declares
class BaggingRegressor(Bagged, ForestRegressor):
    """Bagging for numbers: many regression trees, each from its own draw of the rows, whose predictions are averaged.

    How tables are read and how the trees are pruned are parameters of ``estimator``.

    Examples
    --------
    >>> from quercus import CARTRegressor
    >>> X = [[x] for x in range(20)]
    >>> trees = BaggingRegressor(CARTRegressor(max_depth=3), n_estimators=5).fit(X, [x[0] ** 2 for x in X])
    >>> trees.predict([[10]]).round()
    array([97.])
    """

    _kinds = (CARTRegressor,)

    def _member(self) -> Any:
        return checked_member(self.estimator, CARTRegressor(), self._kinds)


def checked_member(one: Any, default: Any, kinds: tuple[type, ...]) -> Any:
    """The estimator of one member, of one of the kinds; never the user's own object."""
    if one is None:
        return default
    if not isinstance(one, kinds):
        names = "a classifier of trees or rules" if len(kinds) > 1 else "a CARTRegressor"
        raise ParameterError(f"estimator={one!r} is not allowed; give None or {names} of quercus.")
    member = clone(one)
    return member.set_params(progress=None)

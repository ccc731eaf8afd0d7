"""Bagging of any algorithm as scikit-learn estimators."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from quercus.errors import ParameterError
from quercus.estimators.cart import CARTClassifier, CARTRegressor
from quercus.estimators.checks import MOST_TREES, anything, attributes_drawn, count
from quercus.estimators.declaration import changed, declares, parameter
from quercus.estimators.forest_base import ForestClassifier, ForestEstimator, ForestRegressor
from quercus.estimators.forest_growing import is_tree_estimator
from quercus.estimators.forest_sampling import attributes_of, node_draws
from quercus.estimators.rule_learner import RuleLearner
from quercus.estimators.tree_estimator import TreeClassifier


@declares
class Bagged(ForestEstimator):
    """What bagging has, whatever it predicts."""

    estimator: Any = parameter(
        anything("None (CART) or an estimator of trees or rules of quercus"),
        "What one member is: an estimator with any parameters, those of pruning too.",
        default=None,
        kw_only=False,
    )
    n_estimators: int = parameter(count(least=1, most=MOST_TREES), "The number of members.", default=10, kw_only=False)
    max_samples = changed(after="n_estimators")
    max_features: Any = parameter(
        attributes_drawn(), "How many attributes a member draws to use at all.", default=1.0, after="max_samples"
    )
    max_features_per_node: Any = parameter(
        attributes_drawn(),
        "How many attributes a node draws to choose its question from.",
        default=None,
        after="replacement",
    )

    def _attributes_drawn(self, n_attributes: int) -> dict[str, Any]:
        per_tree = attributes_of("max_features", self.max_features, n_attributes)
        per_node = attributes_of("max_features_per_node", self.max_features_per_node, n_attributes)
        if (per_tree is not None or per_node is not None) and not is_tree_estimator(self._member()):
            raise ParameterError(
                f"{type(self.estimator).__name__} learns rules from all attributes; give max_features=None and "
                "max_features_per_node=None, or an estimator of trees."
            )
        at_nodes = node_draws(self._member(), n_attributes)
        if per_node is not None:
            at_nodes["attributes_per_node"] = per_node
        return {**at_nodes, "attributes_per_tree": per_tree}


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

    def _member(self) -> Any:
        return checked_member(self.estimator, CARTClassifier(), (TreeClassifier, RuleLearner))


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

    def _member(self) -> Any:
        return checked_member(self.estimator, CARTRegressor(), (CARTRegressor,))


def checked_member(one: Any, default: Any, kinds: tuple[type, ...]) -> Any:
    """The estimator of one member, of one of the kinds; never the user's own object."""
    if one is None:
        return default
    if not isinstance(one, kinds):
        names = "a classifier of trees or rules" if len(kinds) > 1 else "a CARTRegressor"
        raise ParameterError(f"estimator={one!r} is not allowed; give None or {names} of quercus.")
    member = clone(one)
    return member.set_params(progress=None)

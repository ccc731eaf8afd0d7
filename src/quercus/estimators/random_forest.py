"""The random forest as scikit-learn estimators, for classes and for numbers."""

from __future__ import annotations

from typing import Any

from quercus.estimators.cart import CARTClassifier, CARTGrowing, CARTRegressor
from quercus.estimators.checks import MOST_TREES, anything, attributes_drawn, choice, count, flag, number, optional
from quercus.estimators.criterion import FOR_CLASSES, FOR_NUMBERS, ClassCriterion, NumberCriterion, named
from quercus.estimators.declaration import changed, declares, parameter
from quercus.estimators.forest_base import ForestClassifier, ForestRegressor
from quercus.estimators.forest_sampling import attributes_of
from quercus.estimators.growing_parameters import Majority, Selecting
from quercus.estimators.parameters import Classes, DecisionThreshold, Priors, Table
from quercus.growing.forest import Constant


@declares
class RandomForestParameters(CARTGrowing, Table):
    """The parameters of a random forest."""

    n_estimators: int = parameter(count(least=1, most=MOST_TREES), "The number of trees.", default=100, kw_only=False)
    max_features: Any = parameter(
        attributes_drawn(),
        "How many attributes a node draws to choose its question from.",
        default="sqrt",
        after="min_weight_fraction_leaf",
    )
    max_features_per_tree: Any = parameter(
        attributes_drawn(), "How many attributes a tree draws to use at all.", default=None, after="max_samples"
    )
    constant_features: Constant = parameter(
        choice(
            {
                "redraw": "another one is drawn, until enough of them vary",
                "count": "it counts, as ranger does: a node none of whose attributes varies is a leaf",
            }
        ),
        "What becomes of a drawn attribute that is constant at the node.",
        default="redraw",
        after="max_features_per_tree",
    )
    random_thresholds: bool = parameter(
        flag(),
        "Whether one random threshold of each attribute is tried instead of all (extremely randomised trees).",
        default=False,
        after="constant_features",
    )
    ccp_alpha: float | None = parameter(
        optional(number()),
        "The price of a leaf, by which each tree is pruned as in scikit-learn; 0.0: trees are not pruned.",
        default=0.0,
        after="threshold",
    )

    def _attributes_drawn(self, n_attributes: int) -> dict[str, Any]:
        per_tree = attributes_of("max_features_per_tree", self.max_features_per_tree, n_attributes)
        per_node = attributes_of("max_features", self.max_features, n_attributes)
        return {
            "attributes_per_node": None if per_tree is not None and (per_node or 0) >= per_tree else per_node,
            "attributes_per_tree": per_tree,
            "random_thresholds": bool(self.random_thresholds),
            "constant_attributes": self.constant_features,
        }


def tree_of_forest(forest: Any, kind: Any) -> Any:
    """The estimator of one tree: it has the parameters that both have, but for those of the forest's own draws."""
    names = {*kind().get_params()} - {"random_state", "progress", "max_features", "splitter"}
    values = {name: value for name, value in forest.get_params(deep=False).items() if name in names}
    if isinstance(weight := values.get("class_weight"), str) and weight == "balanced_subsample":
        values["class_weight"] = None  # each tree has its own weights
    return kind(**values)


class ClassForestParameters(ClassCriterion, Majority, Selecting, Classes, Priors, DecisionThreshold):
    """What a random forest for classes has besides."""


@declares
class RandomForestClassifier(ClassForestParameters, RandomForestParameters, ForestClassifier):
    """A random forest for classes: CART trees, each from its own draw of rows, each question from a draw of attributes.

    Parameters with scikit-learn's names mean what they mean in its RandomForestClassifier; a row counts once in
    min_samples_split and min_samples_leaf, however often it was drawn. Nominal attributes of any number of values,
    unknown values and class costs are taken as they are.

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

    criterion = changed(check=named(FOR_CLASSES), doc="The impurity that a split lowers.")
    class_weight = changed(
        check=anything("None, 'balanced', 'balanced_subsample' or {class: weight}"),
        doc="What the rows of each class weigh; 'balanced': all classes weigh the same together; 'balanced_subsample': "
        "they do so among the rows that are drawn for a tree.",
    )

    def _member(self) -> CARTClassifier:
        tree: CARTClassifier = tree_of_forest(self, CARTClassifier)
        return tree


@declares
class RandomForestRegressor(NumberCriterion, RandomForestParameters, ForestRegressor):
    """A random forest for numbers: CART trees, each from its own draw of rows, whose predictions are averaged.

    Parameters with scikit-learn's names mean what they mean in its RandomForestRegressor; a row counts once in
    min_samples_split and min_samples_leaf, however often it was drawn.

    Examples
    --------
    >>> X = [[x] for x in range(20)]
    >>> forest = RandomForestRegressor(n_estimators=50).fit(X, [x[0] ** 2 for x in X])
    >>> forest.predict([[10]]).round(), forest.spread([[10]]).round()
    (array([95.]), array([13.]))
    """

    criterion = changed(check=named(FOR_NUMBERS), doc="The error that a split lowers.")
    max_features = changed(default=1.0)
    keep_targets: bool = parameter(
        flag(),
        "Whether the training targets are kept in their leaves, so that predict_quantiles can answer any quantile.",
        default=False,
    )

    def _member(self) -> CARTRegressor:
        tree: CARTRegressor = tree_of_forest(self, CARTRegressor)
        return tree

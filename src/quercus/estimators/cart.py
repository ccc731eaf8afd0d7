"""CART as scikit-learn estimators, for classes and for numbers."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils import Bunch

from quercus.arrays import Floats
from quercus.data.dataset import ClassTarget
from quercus.data.rows import Rows
from quercus.errors import DataError
from quercus.estimators.checks import seed_of
from quercus.estimators.criterion import ClassCriterion, NumberCriterion
from quercus.estimators.declaration import changed, declares
from quercus.estimators.forest_sampling import attributes_of, node_draws
from quercus.estimators.growing_parameters import (
    BestFirst,
    Bins,
    Constraints,
    Growing,
    LightValues,
    NodeDraws,
    NodeSizes,
    Surrogates,
)
from quercus.estimators.pruning import pruning_methods
from quercus.estimators.scikit_learn import RegressorMixin
from quercus.estimators.tree_estimator import TreeClassifier, TreeEstimator
from quercus.fitted.answering import NumberAnswers
from quercus.fitted.model import Model
from quercus.growing.cart import THRESHOLD, cart_recipe
from quercus.growing.forest import Sampling
from quercus.growing.grower import Grower, GrowOptions, core_grower, drawn_grower
from quercus.growing.recipe import Recipe, ThresholdRule
from quercus.tree.forest import Forest
from quercus.tree.tree import Tree


class CARTGrowing(NodeSizes, BestFirst, LightValues, Bins, Constraints, Growing):
    """How CART grows a tree."""

    own_threshold: ClassVar[ThresholdRule] = THRESHOLD


class CARTParameters(CARTGrowing, NodeDraws, Surrogates):
    """A tree of its own, whose nodes may draw attributes and thresholds, and whose leaves have prices."""

    random_state: Any
    model_: Model

    @property
    def grower(self) -> Grower:
        """What grows the tree: with draws at its nodes, the grower of forests."""
        return self._grow

    @property
    def max_features_(self) -> int:
        """How many attributes a node draws."""
        n_attributes = len(self.model_.schema)
        return attributes_of("max_features", self.max_features, n_attributes) or n_attributes

    def _grow(self, rows: Rows, recipe: Recipe, options: GrowOptions) -> Tree | Forest:
        drawn = node_draws(self, len(rows.dataset.schema))
        if not any(drawn.values()):
            return core_grower(rows, recipe, options)
        sampling = Sampling(bootstrap="no", **drawn)
        return drawn_grower(sampling, seed_of(self.random_state))(rows, recipe, options)

    def cost_complexity_pruning_path(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> Bunch:
        """The prices at which leaves go, and what is left then: ``ccp_alphas``, ``impurities`` and ``n_leaves``.

        X, y, sample_weight: as in :meth:`fit`; a tree is grown from them and forgotten. Without X and y it is the path
        of the fitted ``unpruned_tree_``. From each of ``ccp_alphas`` on (rising, 0.0 first) ``ccp_alpha`` gives the
        tree of so many leaves and so much impurity a row (with ``cost_matrix`` the mean cost).

        >>> from sklearn.datasets import load_iris
        >>> from quercus import CARTClassifier
        >>> path = CARTClassifier().cost_complexity_pruning_path(*load_iris(return_X_y=True))
        >>> [round(float(alpha), 4) for alpha in path.ccp_alphas], path.n_leaves.tolist()
        ([0.0, 0.0065, 0.0089, 0.0131, 0.0297, 0.2598, 0.3333], [9, 7, 5, 4, 3, 2, 1])
        """
        from quercus.pruning.cost_complexity import cost_complexity_path, risk_of

        fitted: Any = self
        if X is not None or y is not None:
            fitted = clone(fitted).set_params(prune=False, ccp_alpha=None).fit(X, y, sample_weight)
        tree, costs = fitted.model_.grown, fitted.model_.decision.costs
        path = cost_complexity_path(tree, costs, risk_of(tree, costs))
        return Bunch(ccp_alphas=path.alphas, impurities=path.risks, n_leaves=path.n_leaves)


@declares
class CARTClassifier(ClassCriterion, CARTParameters, TreeClassifier):
    """CART for classes: two-way questions that lower the Gini impurity most.

    Parameters with scikit-learn's names mean what they mean in its DecisionTreeClassifier.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> CARTClassifier(max_depth=2).fit(X, y).score(X, y)
    0.96
    """

    prune = changed(check=pruning_methods("cost_complexity"))

    own_pruning = "cost_complexity"
    _recipe_function = staticmethod(cart_recipe)


@declares
class CARTRegressor(NumberAnswers, NumberCriterion, CARTParameters, RegressorMixin, TreeEstimator):
    """CART for numbers: two-way questions that lower the squared error most; a leaf predicts its mean.

    Parameters with scikit-learn's names mean what they mean in its DecisionTreeRegressor.

    Examples
    --------
    >>> tree = CARTRegressor().fit([[1], [2], [3], [4]], [10.0, 10.0, 20.0, 30.0])
    >>> tree.predict([[0], [3], [9]])
    array([10., 20., 30.])
    """

    prune = changed(check=pruning_methods("cost_complexity", numbers=True))

    own_pruning = "cost_complexity"
    _recipe_function = staticmethod(cart_recipe)

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

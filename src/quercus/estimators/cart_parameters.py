"""The parameters that CART's classifier and regressor share: how small, how deep and how large a tree may be."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone
from sklearn.utils import Bunch

from quercus.estimators.parameters import (
    MOST_BINS,
    check_count,
    check_count_or_share,
    check_missing,
    check_number,
    check_threshold,
    count_of,
)
from quercus.growing.cart import THRESHOLD
from quercus.growing.recipe import MissingPolicy, ThresholdRule


class CARTParameters:
    """Checks CART's limits and turns them into fields of the recipe; prices leaves as scikit-learn does."""

    max_depth: int | None
    min_samples_split: float
    min_samples_leaf: float
    min_weight_fraction_leaf: float
    max_leaf_nodes: int | None
    min_impurity_decrease: float
    missing: MissingPolicy
    max_surrogates: int
    max_bins: int | None
    threshold: ThresholdRule | None

    own_threshold: ThresholdRule = THRESHOLD

    def _check_cart_parameters(self, *, classes: bool) -> None:
        check_count("max_depth", self.max_depth, least=0, optional=True)
        check_count_or_share("min_samples_split", self.min_samples_split, least=2)
        check_count_or_share("min_samples_leaf", self.min_samples_leaf, least=1)
        check_number("min_weight_fraction_leaf", self.min_weight_fraction_leaf, high=0.5)
        check_count("max_leaf_nodes", self.max_leaf_nodes, least=2, optional=True)
        check_number("min_impurity_decrease", self.min_impurity_decrease)
        check_missing(self.missing, binary=True, classes=classes)
        check_count("max_surrogates", self.max_surrogates, least=0)
        check_count("max_bins", self.max_bins, least=2, most=MOST_BINS, optional=True)
        check_threshold(self.threshold)

    def _cart_limits(self, n_rows: int, total_weight: float) -> dict[str, Any]:
        return {
            "max_depth": None if self.max_depth is None else int(self.max_depth),
            "min_samples_split": count_of(self.min_samples_split, n_rows, least=2),
            "min_samples_leaf": count_of(self.min_samples_leaf, n_rows, least=1),
            "min_weight_leaf": float(self.min_weight_fraction_leaf) * total_weight,
            "max_leaf_nodes": None if self.max_leaf_nodes is None else int(self.max_leaf_nodes),
            "min_impurity_decrease": float(self.min_impurity_decrease),
            "missing": self.missing,
            "max_surrogates": int(self.max_surrogates),
            "max_bins": None if self.max_bins is None else int(self.max_bins),
            "threshold": self.threshold,
        }

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

"""The chain of a tree estimator: check the parameters, encode the table, grow the tree, ask it about new rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from joblib import effective_n_jobs  # type: ignore[import-untyped]
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from quercus.data.dataset import ClassTarget, Dataset, encode, encode_like
from quercus.estimators.parameters import check_running
from quercus.estimators.reading import check_column_names, learn_column_names, read_target
from quercus.estimators.weights import Floats, read_sample_weight
from quercus.growing.grow import grow
from quercus.growing.recipe import Recipe
from quercus.predict import apply, decision_path, expected_test_cost
from quercus.tree import Tree


class TreeEstimator(BaseEstimator):  # type: ignore[misc]
    """What every tree estimator shares; the classes below it add their parameters, their recipe and their target."""

    # parameters that every estimator has
    attribute_costs: Any
    kinds: Any
    domains: Any
    missing_tokens: Any
    n_jobs: int | None
    progress: Any

    # what fitting learns
    n_features_in_: int
    feature_names_in_: npt.NDArray[np.object_]
    tree_: Tree
    schema_: Any
    recipe_: Recipe

    def _check_parameters(self) -> None:
        """Refuse wrong parameters; a class checks its own, then calls this."""
        check_running(self.n_jobs, self.progress)

    def _make_recipe(self, n_rows: int, total_weight: float) -> Recipe:
        """The recipe that the parameters ask for, on so many rows of so much weight."""
        raise TypeError(f"{type(self).__name__} has no recipe; use one of the classes of quercus.estimators.")

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        """Fit; the parameters are checked already."""
        raise TypeError(f"{type(self).__name__} has no target; use one of the classes of quercus.estimators.")

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree from a table and what is to be predicted for each of its rows.

        X: a pandas, polars or pyarrow table, an array, a dict of columns or a list of rows; text and unknown values may
        stay as they are. y: one class (regression: one number) a row. sample_weight: a number >= 0 a row; weight 3
        counts as three equal rows. A fit that fails or is stopped leaves the estimator as it was.
        """
        self._check_parameters()
        before = dict(self.__dict__)
        try:
            return self._fit(X, y, sample_weight)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _encode_training(self, X: Any, y: Any, sample_weight: Any) -> tuple[Dataset, Any, Floats | None]:
        """Check and encode the table; return it with the checked target and the sample weights."""
        dataset = encode(
            X,
            kinds=self.kinds,
            domains=self.domains,
            missing_tokens=self.missing_tokens,
            attribute_costs=self.attribute_costs,
        )
        learn_column_names(self, X, dataset.schema)
        y = read_target(self, y, dataset.n_rows)
        return dataset, y, read_sample_weight(sample_weight, dataset.n_rows)

    def _grow(
        self,
        dataset: Dataset,
        target: ClassTarget | Floats,
        weights: Floats | None,
        *,
        name: object = None,
        costs: Floats | None = None,
    ) -> Self:
        """Grow the tree by the recipe and keep it. name: the target's, if it has one."""
        classes = target.classes if isinstance(target, ClassTarget) else None
        schema = dataset.schema.with_target(name if isinstance(name, str) else None, classes)
        dataset = replace(dataset, schema=schema)
        n_rows = dataset.n_rows if weights is None else np.count_nonzero(weights)
        recipe = self._make_recipe(int(n_rows), float(n_rows if weights is None else weights.sum()))
        self.tree_ = grow(
            dataset,
            target,
            recipe,
            weights=weights,
            cost_matrix=costs,
            n_jobs=effective_n_jobs(self.n_jobs),
            progress=self.progress,
        )
        self.schema_ = self.tree_.schema
        self.recipe_ = recipe
        return self

    def _encode_rows(self, X: Any) -> Dataset:
        """Encode new rows by the schema that fitting learned."""
        check_is_fitted(self)
        check_column_names(self, X)
        return encode_like(X, self.schema_)

    def apply(self, X: Any) -> npt.NDArray[np.int64]:
        """The number of the leaf that each row reaches; of several, if a value is unknown, the one of most weight."""
        dataset = self._encode_rows(X)
        return apply(self.tree_, dataset, effective_n_jobs(self.n_jobs))

    def decision_path(self, X: Any) -> Any:
        """The nodes that each row passes: a sparse matrix of rows and nodes, 1 where the row comes through."""
        dataset = self._encode_rows(X)
        return decision_path(self.tree_, dataset, effective_n_jobs(self.n_jobs))

    def expected_test_cost(self, X: Any) -> Floats:
        """What it costs to answer for each row: the attribute costs of the questions asked on its way.

        An attribute is paid once however often it is asked; rows that follow several branches pay by their weights.
        """
        dataset = self._encode_rows(X)
        return expected_test_cost(self.tree_, dataset, effective_n_jobs(self.n_jobs))

    def get_depth(self) -> int:
        """The depth of the tree: the number of questions on its longest path."""
        check_is_fitted(self)
        return int(self.tree_.depth)

    def get_n_leaves(self) -> int:
        """The number of leaves, those of empty branches too."""
        check_is_fitted(self)
        return int(self.tree_.n_leaves)

    @property
    def feature_importances_(self) -> Floats:
        """The share of each attribute in the gain of the whole tree: Σ weight · gain over its questions, together 1."""
        check_is_fitted(self)
        split = self.tree_.kind != 0
        brought: Floats = np.bincount(
            self.tree_.attribute[split],
            weights=self.tree_.weight[split] * self.tree_.gain[split],
            minlength=self.n_features_in_,
        ).astype(np.float64)
        total = float(brought.sum())
        return brought / total if total > 0 else brought

    def __str__(self) -> str:
        """The tree as text once fitted; the parameters before."""
        return str(self.tree_) if hasattr(self, "tree_") else repr(self)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that unknown values, text and categories may come as they are."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = False
        tags.target_tags.required = True
        return tags

"""The chain of a tree estimator: check the parameters, encode the table, grow, prune, answer for new rows."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from joblib import effective_n_jobs  # type: ignore[import-untyped]
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from quercus.data.dataset import Dataset, encode, encode_like
from quercus.estimators.drawing import DrawingMixin
from quercus.estimators.explaining import ExplainingMixin
from quercus.estimators.parameters import check_running
from quercus.estimators.pruning import (
    Rows,
    Situation,
    alpha_table_of,
    check_parameters_of,
    check_pruning,
    check_validation_given,
    hold_out,
    method_of,
    needs_validation,
    prune_tree,
)
from quercus.estimators.reading import check_column_names, learn_column_names, read_target
from quercus.estimators.tracing import TracingMixin
from quercus.estimators.weights import Floats, read_sample_weight
from quercus.growing.grow import grow
from quercus.growing.recipe import Recipe
from quercus.predict import apply, decision_path, expected_test_cost
from quercus.tree import Tree

if TYPE_CHECKING:  # pruning and rules are imported when they are first asked for
    from quercus.pruning.result import Pruned
    from quercus.rules import RuleList


class TreeEstimator(DrawingMixin, ExplainingMixin, TracingMixin, BaseEstimator):  # type: ignore[misc]
    """What every tree estimator shares; the classes below it add their parameters, their recipe and their target."""

    # parameters that every estimator has
    attribute_costs: Any
    kinds: Any
    domains: Any
    missing_tokens: Any
    n_jobs: int | None
    progress: Any

    #: the method that ``prune=True`` means
    own_pruning: ClassVar[str]

    # what fitting learns
    n_features_in_: int
    feature_names_in_: npt.NDArray[np.object_]
    tree_: Tree
    unpruned_tree_: Tree
    pruning_: Pruned | None
    alpha_table_: Any
    schema_: Any
    recipe_: Recipe

    def _check_parameters(self) -> None:
        """Refuse wrong parameters; a class checks its own, then calls this."""
        check_running(self.n_jobs, self.progress)
        check_pruning(self)

    def _make_recipe(self, n_rows: int, total_weight: float) -> Recipe:
        """The recipe that the parameters ask for, on so many rows of so much weight."""
        raise TypeError(f"{type(self).__name__} has no recipe; use one of the classes of quercus.estimators.")

    def _fit(self, X: Any, y: Any, sample_weight: Any, X_val: Any, y_val: Any) -> Self:
        """Fit; the parameters are checked already."""
        raise TypeError(f"{type(self).__name__} has no target; use one of the classes of quercus.estimators.")

    def _labelled_rows(self, X: Any, y: Any, sample_weight: Any = None) -> Rows:
        """Encode labelled rows by the schema and the target that fitting learned."""
        raise TypeError(f"{type(self).__name__} has no target; use one of the classes of quercus.estimators.")

    def _costs(self) -> Floats | None:
        """The misclassification costs in the order of the classes; None without."""
        return None

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None) -> Self:
        """Grow the tree from a table and what is to be predicted for each of its rows, and prune it if asked to.

        X: a pandas, polars or pyarrow table, an array, a dict of columns or a list of rows; text and unknown values may
        stay as they are. y: one class (regression: one number) a row. sample_weight: a number >= 0 a row; weight 3
        counts as three equal rows. X_val, y_val: rows that are not for growing, for a pruning method that compares on
        unseen rows ("reduced_error", "validation"); without them a share of X is held out. A fit that fails or is
        stopped leaves the estimator as it was.
        """
        self._check_parameters()
        check_validation_given(self, X_val, y_val)
        before = dict(self.__dict__)
        try:
            return self._fit(X, y, sample_weight, X_val, y_val)
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

    def _grow(self, rows: Rows, X_val: Any, y_val: Any) -> Self:
        """Grow the tree by the recipe from the rows, or from what is not held out of them, prune it, and keep both."""
        method, costs = method_of(self), self._costs()
        self.schema_ = rows.dataset.schema
        validation = None if X_val is None else self._labelled_rows(X_val, y_val)
        if needs_validation(method) and validation is None:
            rows, validation = hold_out(self, rows)
        weights = rows.weights
        n_rows = rows.dataset.n_rows if weights is None else np.count_nonzero(weights)
        recipe = self._make_recipe(int(n_rows), float(n_rows if weights is None else weights.sum()))
        jobs = effective_n_jobs(self.n_jobs)
        tree = grow(
            rows.dataset,
            rows.target,
            recipe,
            weights=weights,
            cost_matrix=costs,
            n_jobs=jobs,
            progress=self.progress,
        )
        self.recipe_ = recipe
        self.unpruned_tree_ = tree
        return self._keep(prune_tree(self, method, Situation(tree, recipe, rows, validation, costs, jobs)))

    def _keep(self, pruned: Pruned | None) -> Self:
        """Set what pruning gives; None: the tree as grown."""
        self.pruning_ = pruned
        self.tree_ = self.unpruned_tree_ if pruned is None else pruned.tree
        self.alpha_table_ = None if pruned is None else alpha_table_of(pruned)
        return self

    def prune_with(
        self, method: str | bool = True, X: Any = None, y: Any = None, sample_weight: Any = None, **parameters: Any
    ) -> Self:
        """A fitted estimator with the same grown tree (``unpruned_tree_``), pruned in another way; nothing is grown.

        method: a value of ``prune``, or "snip" (with ``nodes``), "keep_depth" (with ``depth``), "keep_leaves" (with
        ``n_leaves``). X, y, sample_weight: rows for the methods that need any: unseen ones for "reduced_error" and
        "validation", those of fitting for "error_based", for the cross-validation of "cost_complexity" and, if there
        are numbers, for "mdl" (which else guesses how many cuts there were). parameters: estimator parameters of the
        method, such as ``confidence``. The new estimator has them, and the method, as its own, so that a clone of it is
        pruned the same way when it is fitted.

        >>> from quercus import ID3Classifier
        >>> from quercus.datasets import load_play_tennis
        >>> tree = ID3Classifier().fit(*load_play_tennis(d15=True))
        >>> stump = tree.prune_with("keep_depth", depth=1)
        >>> tree.get_n_leaves(), stump.get_n_leaves(), stump.get_depth()
        (7, 3, 1)
        """
        check_is_fitted(self)
        other = copy(self)
        options = check_parameters_of(other, method, parameters)
        other._check_parameters()
        rows = None if X is None and y is None else other._labelled_rows(X, y, sample_weight)
        jobs = effective_n_jobs(self.n_jobs)
        situation = Situation(self.unpruned_tree_, self.recipe_, rows, rows, other._costs(), jobs)
        name = method if isinstance(method, str) else method_of(other)
        return other._keep(prune_tree(other, name, situation, options))

    def rules(self, *, keep_empty: bool = True, unknown: Literal["tree", "fails"] = "tree") -> RuleList:
        """The tree as rules, one a leaf, conditions on the same attribute merged; they answer as the tree does.

        keep_empty: the rules of leaves that no example reached, too. unknown: "tree", a row of unknown value is
        answered as the tree does it; "fails", it meets no condition, and the default answers what no rule covers.

        >>> from quercus import C45Classifier
        >>> from quercus.datasets import load_play_tennis
        >>> print(C45Classifier().fit(*load_play_tennis()).rules())
        1. IF Outlook = Overcast THEN Yes (4, 1.00)
        2. IF Outlook = Rain AND Wind = Strong THEN No (2, 1.00)
        3. IF Outlook = Rain AND Wind = Weak THEN Yes (3, 1.00)
        4. IF Outlook = Sunny AND Humidity = High THEN No (3, 1.00)
        5. IF Outlook = Sunny AND Humidity = Normal THEN Yes (2, 1.00)
        Otherwise: Yes
        """
        from quercus.rules import RuleList

        check_is_fitted(self)
        return RuleList.from_tree(self.tree_, keep_empty=keep_empty, unknown=unknown, cost_matrix=self._costs())

    def _encode_rows(self, X: Any) -> Dataset:
        """Encode new rows by the schema that fitting learned."""
        if "schema_" not in self.__dict__:
            check_is_fitted(self)
        check_column_names(self, X)
        return encode_like(X, self.schema_)

    def apply(self, X: Any) -> npt.NDArray[np.int64]:
        """The number of the leaf that each row reaches; of several, if a value is unknown, the one of most weight."""
        dataset = self._encode_rows(X)
        return apply(self.tree_, dataset, effective_n_jobs(self.n_jobs))

    def decision_path(self, X: Any) -> Any:
        """The nodes that each row passes: a sparse CSR indicator matrix, rows × nodes, 1 where the row comes through.

        A row that follows several branches, because a value is unknown, has a 1 at every node of each of them; the
        entries are ones whatever part of the row comes there (``quercus.predict.decision_path`` tells the parts).
        """
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

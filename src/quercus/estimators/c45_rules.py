"""C4.5's rules as a scikit-learn classifier: a tree is grown, and its paths become a short ordered rule list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from joblib import effective_n_jobs  # type: ignore[import-untyped]

from quercus.data.dataset import ClassTarget, encode, encode_classes, encode_like
from quercus.errors import DataError
from quercus.estimators.parameters import (
    check_choice,
    check_count,
    check_flag,
    check_missing,
    check_number,
    check_running,
    check_selection,
)
from quercus.estimators.pruning import Rows, hold_out, seed_of
from quercus.estimators.reading import learn_column_names, read_target
from quercus.estimators.rule_learner import RuleLearner
from quercus.estimators.weights import (
    Floats,
    class_factors,
    class_totals,
    read_cost_matrix,
    read_sample_weight,
)
from quercus.growing.c45 import PRESETS, C45Preset, c45_recipe
from quercus.growing.grow import grow
from quercus.growing.recipe import MissingPolicy, Recipe, Selection

if TYPE_CHECKING:
    from quercus.rules.rule_list import RuleList
    from quercus.tree import Tree


class C45RulesClassifier(RuleLearner):
    """C4.5's rule post-pruning: every path of an unpruned tree a rule, conditions dropped, the best few kept in order.

    Parameters
    ----------
    preset : "c45" (the semantics of Release 8 without its accidents), "r8" or "j48"; for growing and for the
        pessimistic error rate
    confidence : of the pessimistic error rate of a rule; a smaller one drops more conditions
    min_objects, missing, value_groups, selection, cost_exponent, attribute_costs, max_depth, significance, max_bins :
        of the tree, as in :class:`C45Classifier`
    unknown : "fails", an unknown value fulfils no condition; "tree", it fulfils that of the branch which takes unknown
        values (for ``missing`` other than "fractional")
    validation_fraction : None: conditions are judged by their pessimistic error on all rows. A share: so many rows are
        kept from growing, and conditions are judged by their error there; :meth:`fit` can be given such rows, too
    random_state : of that share, and of the search for the best rules of a class that has more than 10; None: another
        one each time
    class_weight : {class: weight} or "balanced"
    priors : {class: share} or a list; the classes' shares are made these
    cost_matrix : cost of answering class j for class i, rows = true class, or {(true, answered): cost}; used in
        growing, in choosing and in ordering the rules
    kinds : {column: "numeric", "nominal", "ordered", "boolean" or "date"} where the dtype does not say it
    domains : {column: values}: values that an attribute may have, whether or not they occur in training
    missing_tokens : texts such as "?" that mean unknown; None, NaN and NaT always do
    n_jobs : threads; None: one, -1: all; the rules are the same
    progress : a function called while the tree grows

    Attributes
    ----------
    rules_ : the rule list (``quercus.rules.RuleList``)
    tree_ : the unpruned tree it was made from
    schema_, recipe_, classes_, n_features_in_, feature_names_in_

    Examples
    --------
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> print(C45RulesClassifier().fit(X, y))
    1. IF Outlook = Sunny AND Humidity = High THEN No (3, 1.00)
    2. IF Outlook = Rain AND Wind = Strong THEN No (2, 1.00)
    3. IF Outlook = Overcast THEN Yes (4, 1.00)
    4. IF Humidity = Normal THEN Yes (7, 0.86)
    5. IF Outlook = Rain AND Wind = Weak THEN Yes (3, 1.00)
    Otherwise: Yes
    """

    tree_: Tree
    recipe_: Recipe

    def __init__(
        self,
        *,
        preset: C45Preset = "c45",
        confidence: float = 0.25,
        min_objects: float = 2,
        missing: MissingPolicy = "fractional",
        value_groups: bool = False,
        selection: Selection = "gain_ratio",
        cost_exponent: float = 1.0,
        attribute_costs: Any = None,
        max_depth: int | None = None,
        significance: float | None = None,
        max_bins: int | None = None,
        unknown: str = "fails",
        validation_fraction: float | None = None,
        random_state: Any = 0,
        class_weight: Any = None,
        priors: Any = None,
        cost_matrix: Any = None,
        kinds: Any = None,
        domains: Any = None,
        missing_tokens: Any = (),
        n_jobs: int | None = None,
        progress: Callable[..., Any] | None = None,
    ) -> None:
        self.preset = preset
        self.confidence = confidence
        self.min_objects = min_objects
        self.missing = missing
        self.value_groups = value_groups
        self.selection = selection
        self.cost_exponent = cost_exponent
        self.attribute_costs = attribute_costs
        self.max_depth = max_depth
        self.significance = significance
        self.max_bins = max_bins
        self.unknown = unknown
        self.validation_fraction = validation_fraction
        self.random_state = random_state
        self.class_weight = class_weight
        self.priors = priors
        self.cost_matrix = cost_matrix
        self.kinds = kinds
        self.domains = domains
        self.missing_tokens = missing_tokens
        self.n_jobs = n_jobs
        self.progress = progress

    def _check_parameters(self) -> None:
        check_choice("preset", self.preset, PRESETS)
        check_number("confidence", self.confidence, high=1.0, above_low=True)
        check_number("min_objects", self.min_objects, above_low=True)
        check_missing(self.missing, binary=False)
        check_flag("value_groups", self.value_groups)
        measures = ("gain_ratio", "gain", "tan_schlimmer", "nunez")
        check_selection(self.selection, measures, self.cost_exponent, self.attribute_costs)
        check_count("max_depth", self.max_depth, least=0, optional=True)
        check_number("significance", self.significance, high=1.0, above_low=True, below_high=True, optional=True)
        check_count("max_bins", self.max_bins, least=2, optional=True)
        check_choice("unknown", self.unknown, ("fails", "tree"))
        fraction = self.validation_fraction
        check_number("validation_fraction", fraction, high=1.0, above_low=True, below_high=True, optional=True)
        seed_of(self.random_state)
        check_running(self.n_jobs, self.progress)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None) -> Self:
        """Grow the tree and make the rules from a table and the class of each of its rows.

        X, y, sample_weight: as in :meth:`C45Classifier.fit`. X_val, y_val: rows that are not for growing, by which
        conditions are judged instead of the pessimistic error. A fit that fails or is stopped leaves the estimator as
        it was.
        """
        self._check_parameters()
        if (X_val is None) != (y_val is None):
            raise DataError(f"{'X_val' if X_val is None else 'y_val'} is None; give both X_val and y_val, or neither.")
        before = dict(self.__dict__)
        try:
            return self._fit_rules(X, y, sample_weight, X_val, y_val)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _fit_rules(self, X: Any, y: Any, sample_weight: Any, X_val: Any, y_val: Any) -> Self:
        rows = self._read(X, y, sample_weight)
        costs = read_cost_matrix(self.cost_matrix, self.classes_.tolist())
        validation: Rows | None = None
        if X_val is not None:
            dataset = encode_like(X_val, rows.dataset.schema)
            validation = Rows(dataset, encode_classes(read_target(self, y_val, dataset.n_rows)), None)
        elif self.validation_fraction is not None:
            rows, validation = self._hold_out(rows)
        self.recipe_ = self._make_recipe()
        jobs = effective_n_jobs(self.n_jobs)
        self.tree_ = grow(
            rows.dataset,
            rows.target,
            self.recipe_,
            weights=rows.weights,
            cost_matrix=costs,
            n_jobs=jobs,
            progress=self.progress,
        )
        self.schema_ = self.tree_.schema
        self.rules_ = self._make_rules(rows, validation, costs, jobs)
        return self

    def _read(self, X: Any, y: Any, sample_weight: Any) -> Rows:
        """Check and encode the table, its classes and its weights; learn the names."""
        dataset = encode(
            X,
            kinds=self.kinds,
            domains=self.domains,
            missing_tokens=self.missing_tokens,
            attribute_costs=self.attribute_costs,
        )
        learn_column_names(self, X, dataset.schema)
        y = read_target(self, y, dataset.n_rows)
        weights = read_sample_weight(sample_weight, dataset.n_rows)
        target = encode_classes(y)
        labels = np.asarray(target.classes).tolist()
        totals = class_totals(target.codes, weights, len(labels))
        factors = class_factors(self.class_weight, self.priors, labels, totals)
        if factors is not None:
            weights = factors[target.codes] * (1.0 if weights is None else weights)
        name = getattr(y, "name", None)
        schema = dataset.schema.with_target(name if isinstance(name, str) else None, target.classes)
        self.classes_ = np.asarray(target.classes)
        return Rows(replace(dataset, schema=schema), target, weights)

    def _hold_out(self, rows: Rows) -> tuple[Rows, Rows]:
        size = rows.dataset.n_rows if rows.weights is None else int(np.count_nonzero(rows.weights))
        if size < 2:
            raise DataError(
                f"validation_fraction={self.validation_fraction!r} keeps rows from growing, which n_samples = {size} "
                "(1 sample) does not allow; give more rows, or None."
            )
        return hold_out(self, rows)

    def _make_recipe(self) -> Recipe:
        return c45_recipe(
            self.preset,
            min_objects=float(self.min_objects),
            value_groups=bool(self.value_groups),
            missing=self.missing,
            selection=self.selection,
            cost_exponent=float(self.cost_exponent),
            max_depth=self.max_depth,
            significance=self.significance,
            max_bins=self.max_bins,
        )

    def _make_rules(self, rows: Rows, validation: Rows | None, costs: Floats | None, jobs: int) -> RuleList:
        from quercus.rules.post_pruning import c45_rules

        assert isinstance(rows.target, ClassTarget)
        return c45_rules(
            self.tree_,
            rows.dataset,
            rows.target,
            weights=rows.weights,
            confidence=float(self.confidence),
            preset=self.preset,
            validation=None if validation is None else (validation.dataset, validation.target, validation.weights),
            cost_matrix=costs,
            unknown="tree" if self.unknown == "tree" else "fails",
            seed=seed_of(self.random_state),
            n_jobs=jobs,
        )

    def _answer_costs(self) -> None:
        """Costs have had their say when the rules were made."""
        return

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class that the first matching rule names; costs have had their say when the rules were made."""
        dataset = self._encode_rows(X)
        codes: npt.NDArray[np.int64] = self.rules_.predict(dataset)
        return np.asarray(self.classes_[codes])

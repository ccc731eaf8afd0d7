"""Boosting as a scikit-learn classifier: AdaBoost for any number of classes, and trials in the manner of C5.0."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, Self
from warnings import warn

import numpy as np
import numpy.typing as npt
from joblib import effective_n_jobs  # type: ignore[import-untyped]

from quercus.data.dataset import ClassTarget, Dataset, encode
from quercus.errors import DataError, ParameterError
from quercus.estimators.bagging import checked_member
from quercus.estimators.c45 import C45Classifier
from quercus.estimators.cart_classifier import CARTClassifier
from quercus.estimators.classifier import TreeClassifier
from quercus.estimators.forest_base import fingerprint
from quercus.estimators.forest_classifier import ForestClassifier
from quercus.estimators.forest_growing import Plan, make_members
from quercus.estimators.interrupted import as_before_if_stopped
from quercus.estimators.parameters import check_choice, check_count, check_flag, check_number, check_running
from quercus.estimators.progress_bar import check_progress, progress_for
from quercus.estimators.pruning import (
    Rows,
    Situation,
    check_random_state,
    hold_out,
    method_of,
    needs_validation,
    prune_tree,
    seed_of,
)
from quercus.estimators.reading import encode_known_classes, learn_column_names, read_target
from quercus.estimators.weights import Floats
from quercus.forests.boosting import Boosted, Method, answer_options, boost, staged_shares
from quercus.forests.collection import collection_answers
from quercus.growing.forest import GrowingInterrupted, Sampling
from quercus.growing.grow import grow
from quercus.pruning.curves import Curve
from quercus.tree.forest import Forest
from quercus.tree.tree import Tree


class BoostedClassifier(ForestClassifier):
    """Boosting: trees one after the other, each from rows weighed by the mistakes of those before it, vote together.

    ``method="samme"`` is AdaBoost for any number of classes k: a tree of weighted error e votes with the weight
    α = ln((1 − e)/e) + ln(k − 1), and the rows it gets wrong count e^α times as much for the next. It ends early when a
    tree makes no mistake (it is the last, with the vote 1) or is no better than guessing, e ≥ 1 − 1/k (it is dropped,
    unless it is the first).

    ``method="trials"`` follows the published outline of C5.0's boosting, which is not AdaBoost. Weights sum to the
    number of examples. With S₋ the weight of the mistakes and S₊ that of the rest, m = ((S₋ + S₊)/2 − S₋)/2 is moved
    from right to wrong: right rows are multiplied by (S₊ − m)/S₊, every mistaken example gains m divided by their
    number; so the weights are readjusted halfway to where both would weigh the same. It ends when the mistakes weigh
    less than 0.1 example (too accurate; the tree is kept) or at least half (too inaccurate; dropped, unless it is the
    first). All trees vote alike, by their confidence in each class, (n_c + p_c)/(n + 1) at the leaf, p_c the class's
    share at the root. Nothing more is claimed: C5.0's own trees, its global pruning, its winnowing and its rules are
    not imitated, so that its trials and these differ in figures.

    How tables are read, class weights, costs and thresholds are parameters of ``estimator``: costs are regarded in
    growing, and when the class is chosen from the votes.

    Parameters
    ----------
    estimator : what one tree is: ID3Classifier(), C45Classifier() or CARTClassifier() with any parameters, pruning too;
        None: CARTClassifier(max_depth=1) for "samme", C45Classifier() for "trials"
    n_estimators : trees at most
    method : "samme" or "trials"
    learning_rate : of "samme": multiplies the votes; smaller needs more trees
    early_stopping : stop by rows that are not learnt from: after ``n_iter_no_change`` trees without less error there;
        the trees up to the least error are kept. The rows are X_val and y_val of :meth:`fit`, or a share of X
    validation_fraction : that share
    n_iter_no_change : how many trees may bring nothing
    n_jobs : threads; None: one, -1: all; the trees are the same
    random_state : of the share held out, and of ``estimator``'s own draws if its random_state is not a number; without
        such draws boosting has no chance in it
    warm_start : keep the trees of the fit before and add those that n_estimators has more, as if grown all at once
    progress : "auto" (a bar with the time left, if stderr is a terminal and it takes longer than a second), True, False
        or a function of (trees grown, trees)

    Attributes
    ----------
    forest_ : the trees (``quercus.tree.forest.Forest``), their votes as ``forest_.weights``; ``forest_.partial``:
        growing was ended early
    estimators_ : the trees as fitted estimators, made when asked for
    estimator_weights_, estimator_errors_ : the vote and the weighted error of each tree
    boosting_curve_ : the error of all trees together after each, on the training rows and on those held out
    stopped_ : why there are no more trees
    seed_, recipe_, schema_, classes_, n_features_in_, feature_names_in_, feature_importances_
    partial_ : what Ctrl-C left of the last fit, as a fitted estimator

    Examples
    --------
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> stumps = BoostedClassifier(n_estimators=10).fit(X, y)
    >>> [round(float(score), 2) for score in stumps.staged_score(X, y)][:5], stumps.stopped_
    ([0.64, 0.71, 0.86, 0.86, 0.86], 'all trees asked for are there')
    >>> BoostedClassifier(method="trials", n_estimators=10).fit(X, y).stopped_
    'a tree is very accurate'
    """

    estimator_weights_: Floats
    estimator_errors_: Floats
    boosting_curve_: Curve
    stopped_: str

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 50,
        *,
        method: Method = "samme",
        learning_rate: float = 1.0,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 10,
        n_jobs: int | None = None,
        random_state: Any = 0,
        warm_start: bool = False,
        progress: Any = "auto",
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.method = method
        self.learning_rate = learning_rate
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.progress = progress

    def _member(self) -> Any:
        default = CARTClassifier(max_depth=1) if self.method == "samme" else C45Classifier()
        if self.estimator is not None and not isinstance(self.estimator, TreeClassifier):
            raise ParameterError(
                f"estimator={self.estimator!r} is not allowed; give None or a tree classifier of quercus."
            )
        return checked_member(self.estimator, default, (TreeClassifier,))

    def _check_parameters(self) -> Any:
        check_count("n_estimators", self.n_estimators, least=1)
        check_choice("method", self.method, ("samme", "trials"))
        check_number("learning_rate", self.learning_rate, above_low=True)
        if self.method == "trials" and self.learning_rate != 1.0:
            raise ParameterError(
                f"learning_rate={self.learning_rate!r} is of method='samme'; trials have none: give 1.0."
            )
        check_flag("early_stopping", self.early_stopping)
        check_number("validation_fraction", self.validation_fraction, high=1.0, above_low=True, below_high=True)
        check_count("n_iter_no_change", self.n_iter_no_change, least=1)
        check_flag("warm_start", self.warm_start)
        check_running(self.n_jobs, None)
        check_progress(self.progress)
        check_random_state(self.random_state)
        member = self._member()
        member._check_parameters()
        return member

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None) -> Self:
        """Grow the trees from a table and the class of each of its rows.

        X: a pandas, polars or pyarrow table, an array, a dict of columns or a list of rows; text and unknown values may
        stay as they are. y: one class a row. sample_weight: a number >= 0 a row, the weights that boosting starts from.
        X_val, y_val: rows that are not for growing, to stop by (``early_stopping``). A fit that fails leaves the
        estimator as it was. So does Ctrl-C; the trees that are there then make :attr:`partial_`.
        """
        member = self._check_parameters()
        if (X_val is None) != (y_val is None):
            raise DataError(f"{'X_val' if X_val is None else 'y_val'} is None; give both X_val and y_val, or neither.")
        if X_val is not None and not self.early_stopping:
            raise ParameterError("X_val and y_val are rows to stop by; give early_stopping=True, or leave them out.")
        with as_before_if_stopped(self):
            return self._boost(member, X, y, sample_weight, X_val, y_val)

    def _boost(self, member: Any, X: Any, y: Any, sample_weight: Any, X_val: Any, y_val: Any) -> Self:
        grown = self.forest_ if self.warm_start and hasattr(self, "forest_") else None
        if grown is None:
            names = ("kinds", "domains", "missing_tokens", "attribute_costs")
            dataset = encode(X, **{name: getattr(member, name) for name in names})
            learn_column_names(self, X, dataset.schema)
            self.__dict__.pop("schema_", None)
            self.seed_ = seed_of(self.random_state)
        else:
            dataset = self._encode_rows(X)
        rows, _ = self._read(member, dataset, y, sample_weight)
        self._check_grown(grown, rows)
        every_row, rows = rows, rows.with_weight()
        self.schema_ = rows.dataset.schema
        if not isinstance(getattr(member, "random_state", 0), int | np.integer):
            member.set_params(random_state=self.seed_ % 2**32)
        self._fitted_member = member
        held_out = self._validation_rows(X_val, y_val) if X_val is not None else None
        if self.early_stopping and held_out is None:
            chance = SimpleNamespace(random_state=self.seed_, validation_fraction=self.validation_fraction)
            rows, held_out = hold_out(chance, rows)
        jobs = effective_n_jobs(self.n_jobs)
        plan = Plan(member, rows, Sampling(bootstrap="no"), self.seed_, self._costs(member), jobs)
        self.recipe_ = plan.recipe()
        try:
            with progress_for(self.progress) as progress:
                self._keep(self._run(plan, held_out, grown, progress.update))
        except GrowingInterrupted as interrupt:
            self._keep(interrupt.partial)
            self._rows_fingerprint = fingerprint(every_row)
            raise
        if self.forest_.partial:
            warn(
                f"Growing was stopped: {len(self.forest_)} of {self.n_estimators} trees are there and used "
                "(forest_.partial is True).",
                UserWarning,
                stacklevel=3,
            )
        return self

    def _check_grown(self, grown: Forest | None, rows: Rows) -> None:
        """Refuse to go on from trees of other rows, and remember which rows these are."""
        before, now = self.__dict__.get("_rows_fingerprint"), fingerprint(rows) if self.warm_start else None
        if grown is not None and now != before:
            raise DataError(
                "warm_start=True adds trees to those of the same rows, but the rows or their weights are others than "
                "before (or warm_start was False then). Give the same again, or warm_start=False."
            )
        if grown is not None and self.n_estimators < len(grown):
            raise ParameterError(
                f"n_estimators={self.n_estimators} must be larger or equal to the {len(grown)} trees that are there "
                "already when warm_start=True; give more, or warm_start=False."
            )
        self._rows_fingerprint = now

    def _run(self, plan: Plan, held_out: Rows | None, grown: Forest | None, tick: Any) -> Boosted:
        rows = plan.rows
        assert isinstance(rows.target, ClassTarget)
        unseen, there = None, 0 if grown is None else len(grown)
        if held_out is not None:
            assert isinstance(held_out.target, ClassTarget)
            unseen = (held_out.dataset, held_out.target, held_out.weights)

        return boost(
            lambda weights, number: (
                grown.tree(number) if number < there and grown is not None else _weighed_tree(plan, weights)
            ),
            rows.dataset,
            rows.target,
            method=self.method,
            n_trees=int(self.n_estimators),
            weights=rows.weights,
            learning_rate=float(self.learning_rate),
            held_out=unseen,
            patience=int(self.n_iter_no_change),
            smoothing=plan.member.smoothing,
            n_jobs=plan.n_jobs,
            tick=tick,
        )

    def _keep(self, found: Boosted) -> None:
        self.forest_ = found.forest
        self.estimator_weights_ = np.array(found.forest.weights)
        self.estimator_errors_ = found.errors
        self.boosting_curve_ = found.curve
        self.stopped_ = found.stopped

    def _validation_rows(self, X_val: Any, y_val: Any) -> Rows:
        dataset = self._encode_rows(X_val)
        return Rows(dataset, encode_known_classes(read_target(self, y_val, dataset.n_rows), self.classes_), None)

    def _options(self) -> dict[str, Any]:
        return answer_options(self.method, self._fitted_member.smoothing, effective_n_jobs(self.n_jobs))

    def _answers(self, dataset: Dataset) -> Floats:
        return collection_answers(self.forest_, dataset, **self._options())[0]

    def votes(self, X: Any) -> Floats:
        """The votes for each class (in the order of ``classes_``), rows × classes: the sum of the trees' weights.

        By "trials" the sum of their confidences.
        """
        return self.predict_proba(X) * float(self.estimator_weights_.sum())

    def agreement(self, X: Any) -> Floats:
        """The share of the trees' votes that the class has which :meth:`predict` answers, for each row."""
        shares = self.predict_proba(X)
        return np.asarray(shares[np.arange(len(shares)), self._label_codes(shares)])

    def decision_function(self, X: Any) -> Floats:
        """For two classes the votes for the second less those for the first, from −2 to 2; else [n, k].

        As in scikit-learn's AdaBoostClassifier: a tree's vote is 1 for its class and −1/(k − 1) for each other, the
        mean is by weight, and two classes have the difference of both columns.
        """
        return _margins(self.predict_proba(X))

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """The probabilities after one tree, after two, and so on."""
        dataset = self._encode_rows(X)
        for shares in staged_shares(self.forest_, dataset, self._options()):
            yield np.array(shares)

    def staged_predict(self, X: Any) -> Iterator[npt.NDArray[Any]]:
        """The answers after one tree, after two, and so on."""
        for shares in self.staged_predict_proba(X):
            yield np.asarray(self.classes_[self._label_codes(shares)])

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """The accuracy after one tree, after two, and so on."""
        from sklearn.metrics import accuracy_score

        for answers in self.staged_predict(X):
            yield float(accuracy_score(y, answers, sample_weight=sample_weight))


def _weighed_tree(plan: Plan, weights: Floats) -> Tree:
    """A tree of the rows weighed anew, grown and pruned as its estimator says."""
    rows, method = replace(plan.rows, weights=weights), method_of(plan.member)
    if needs_validation(method):
        held: Tree = make_members(replace(plan, rows=rows), 0, 1, lambda done, total: None).tree(0)
        return held
    recipe = plan.recipe()
    tree = grow(rows.dataset, rows.target, recipe, weights=weights, cost_matrix=plan.costs, n_jobs=plan.n_jobs)
    pruned = prune_tree(plan.member, method, Situation(tree, recipe, rows, None, plan.costs, plan.n_jobs))
    return tree if pruned is None else pruned.tree


def _margins(shares: Floats) -> Floats:
    k = shares.shape[1]
    if k == 1:
        return np.zeros((len(shares), 1))
    if k == 2:
        return np.asarray(2.0 * (shares[:, 1] - shares[:, 0]))
    return np.asarray(shares - (1.0 - shares) / (k - 1.0))

"""Boosting as a scikit-learn classifier: AdaBoost for any number of classes, and trials in the manner of C5.0."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar
from warnings import warn

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from quercus.arrays import Floats
from quercus.data.dataset import ClassTarget
from quercus.data.rows import Rows
from quercus.errors import DataError, ParameterError
from quercus.estimators.bagging import checked_member
from quercus.estimators.base import ClassLabels, Training, learnt
from quercus.estimators.c45 import C45Classifier
from quercus.estimators.cart import CARTClassifier
from quercus.estimators.checks import (
    MOST_LEARNING_RATE,
    MOST_TREES,
    anything,
    choice,
    count,
    flag,
    number,
    share_inside,
)
from quercus.estimators.declaration import changed, declares, parameter
from quercus.estimators.forest_base import CollectionEstimator, fingerprint
from quercus.estimators.forest_growing import Plan, make_members
from quercus.estimators.interrupted import LearningInterrupted
from quercus.estimators.outside import OutsideMembers, asks_outside, is_outside
from quercus.estimators.progress_bar import progress_for
from quercus.estimators.pruning import method_of, needs_validation, prune_tree
from quercus.estimators.scikit_learn import ClassifierMixin
from quercus.estimators.tree_estimator import TreeClassifier
from quercus.fitted.hold_out import HoldOut
from quercus.fitted.member_reading import VoteReading
from quercus.fitted.model import Model
from quercus.fitted.parts import Boosting, Draws
from quercus.forests.boosting import Boosted, Method, answer_options, boost, staged_shares
from quercus.growing.forest import GrowingInterrupted, Sampling
from quercus.growing.grower import GrowOptions, one_tree
from quercus.pruning.curves import Curve
from quercus.tree.tree import Tree


@asks_outside
@declares
class BoostedClassifier(OutsideMembers, VoteReading, ClassLabels, ClassifierMixin, CollectionEstimator):
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

    estimator_errors_: ClassVar[Floats] = learnt("boosting.errors", "The weighted error of each tree.")
    boosting_curve_: ClassVar[Curve] = learnt("boosting.curve", "The error of all trees together after each.")
    stopped_: ClassVar[str] = learnt("boosting.stopped", "Why there are no more trees.")

    estimator: Any = parameter(
        anything("None or a classifier"),
        "What one tree is, with any parameters, those of pruning too; one that is not of Quercus, such as an SVC or a "
        "pipeline, is boosted by scikit-learn's AdaBoostClassifier. None: CARTClassifier(max_depth=1) for "
        '"samme", C45Classifier() for "trials".',
        default=None,
        kw_only=False,
    )
    n_estimators: int = parameter(
        count(least=1, most=MOST_TREES), "The largest number of trees.", default=50, kw_only=False
    )
    method: Method = parameter(
        choice(("samme", "trials")), "How rows are weighed and trees vote; see above.", default="samme"
    )
    learning_rate: float = parameter(
        number(high=MOST_LEARNING_RATE, above_low=True),
        'Of "samme": it multiplies the votes; a smaller one needs more trees.',
        default=1.0,
    )
    early_stopping: bool = parameter(
        flag(),
        "Whether boosting stops after ``n_iter_no_change`` trees that do not lower the error on rows that are not "
        "learnt from; the trees up to the least error are kept. The rows are X_val and y_val of :meth:`fit`, or a "
        "share of X.",
        default=False,
    )
    validation_fraction: float = parameter(share_inside(), "That share.", default=0.1)
    n_iter_no_change: int = parameter(count(least=1), "How many trees may bring nothing.", default=10)
    random_state = changed(
        doc="The seed of the share held out, and of the draws of ``estimator`` if its own random_state is not a "
        "number; without such draws boosting has no chance in it."
    )

    def _is_outside(self) -> bool:
        return is_outside(self.estimator, (TreeClassifier,), classes=True)

    def _theirs(self, n_attributes: int) -> Any:
        from sklearn.ensemble import AdaBoostClassifier

        self._refuse_outside("method", "early_stopping", "warm_start")
        return AdaBoostClassifier(
            clone(self.estimator),
            n_estimators=self.n_estimators,
            learning_rate=self.learning_rate,
            random_state=self.random_state,
        )

    def _member(self) -> Any:
        default = CARTClassifier(max_depth=1) if self.method == "samme" else C45Classifier()
        if self.estimator is not None and not isinstance(self.estimator, TreeClassifier):
            raise ParameterError(
                f"estimator={self.estimator!r} is not allowed; give None or a tree classifier of quercus."
            )
        return checked_member(self.estimator, default, (TreeClassifier,))

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.method == "trials" and self.learning_rate != 1.0:
            raise ParameterError(
                f"learning_rate={self.learning_rate!r} is of method='samme'; trials have none: give 1.0."
            )

    def _check_validation(self) -> None:
        if not self.early_stopping:
            raise ParameterError("X_val and y_val are rows to stop by; give early_stopping=True, or leave them out.")

    def _vote(self) -> Any:
        return answer_options(self.method)["vote"]

    def _learn(self, training: Training) -> Model:
        self._check_grown(training)
        described = self._described(training)
        costs = described["decision"].costs
        plan = self._plan(training, training.rows.with_weight(), Sampling(bootstrap="no"), costs)
        held_out = training.validation
        if self.early_stopping and held_out is None:
            rows, held_out = HoldOut(float(self.validation_fraction), plan.seed).split(plan.rows)
            plan = replace(plan, rows=rows)
        grown = None if training.before is None else training.before.forest
        interrupt = None
        try:
            with progress_for(self.progress) as progress:
                boosting = self._run(plan, held_out, grown, progress.update)
        except GrowingInterrupted as stop:
            boosting, interrupt = stop.partial, stop
        if boosting.forest.partial and interrupt is None:
            warn(
                f"Growing was stopped: {len(boosting.forest)} of {self.n_estimators} trees are there and used "
                "(forest_.partial is True).",
                UserWarning,
                stacklevel=4,
            )
        known = fingerprint(training.rows) if self.warm_start or boosting.forest.partial else None
        record = Boosting(boosting.errors, boosting.curve, boosting.stopped)
        draws = Draws(plan.seed, None, known)
        model = self._following(self._collected(described, plan, boosting.forest, draws=draws, boosting=record))
        if interrupt is not None:
            raise LearningInterrupted(model) from interrupt
        return model

    def _following(self, model: Model) -> Model:
        """By trials a tree answers by its confidence, which is smoothed unless its estimator says how."""
        followed = super()._following(model)
        smoothing = answer_options(self.method, followed.decision.smoothing)["smoothing"]
        return replace(followed, decision=replace(followed.decision, smoothing=smoothing))

    def _check_grown(self, training: Training) -> None:
        """Refuse to go on from trees of other rows."""
        before = training.before
        if before is None or before.forest is None or before.draws is None:
            return
        if fingerprint(training.rows) != before.draws.fingerprint:
            raise DataError(
                "warm_start=True adds trees to those of the same rows, but the rows or their weights are others than "
                "before (or warm_start was False then). Give the same again, or warm_start=False."
            )
        if self.n_estimators < len(before.forest):
            raise ParameterError(
                f"n_estimators={self.n_estimators} must be larger or equal to the {len(before.forest)} trees that are "
                "there already when warm_start=True; give more, or warm_start=False."
            )

    def _run(self, plan: Plan, held_out: Rows | None, grown: Any, tick: Any) -> Boosted:
        rows = plan.rows
        assert isinstance(rows.target, ClassTarget)
        unseen: Any = None if held_out is None else held_out.growing
        there = 0 if grown is None else len(grown)
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

    @property
    def estimator_weights_(self) -> Floats:
        """The vote of each tree."""
        return np.array(self.forest_.weights)

    def decision_function(self, X: Any) -> Floats:
        """For two classes the votes for the second less those for the first, from −2 to 2; else [n, k].

        As in scikit-learn's AdaBoostClassifier: a tree's vote is 1 for its class and −1/(k − 1) for each other, the
        mean is by weight, and two classes have the difference of both columns.
        """
        return _margins(self.predict_proba(X))

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """The probabilities after one tree, after two, and so on."""
        dataset, model = self.encode_rows(X), self.model_
        for shares in staged_shares(self.forest_, dataset, model.asking(self.n_threads)):
            yield np.array(shares)

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """The :meth:`decision_function` after one tree, after two, and so on."""
        return map(_margins, self.staged_predict_proba(X))

    def staged_predict(self, X: Any) -> Iterator[npt.NDArray[Any]]:
        """The answers after one tree, after two, and so on."""
        for shares in self.staged_predict_proba(X):
            yield np.asarray(self.classes_[self.model_.decision.codes(shares)])

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
    tree = one_tree(plan.member.grower, rows, recipe, GrowOptions(plan.costs, plan.n_jobs))
    pruned = prune_tree(plan.member, method, tree, recipe, rows, None, plan.costs, plan.n_jobs)
    return tree if pruned is None else pruned.tree


def _margins(shares: Floats) -> Floats:
    k = shares.shape[1]
    if k == 1:
        return np.zeros((len(shares), 1))
    if k == 2:
        return np.asarray(2.0 * (shares[:, 1] - shares[:, 0]))
    return np.asarray(shares - (1.0 - shares) / (k - 1.0))

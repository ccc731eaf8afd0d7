"""The chain of an estimator of many models: draw, make the members, ask them together."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Self, cast
from warnings import warn

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from quercus.arrays import Floats
from quercus.data.dataset import ClassTarget
from quercus.data.rows import Rows
from quercus.errors import DataError, ParameterError
from quercus.estimators.base import ClassLabels, Estimator, Training, learnt, method_of_model
from quercus.estimators.checks import seed_of
from quercus.estimators.forest_growing import Plan, add_members, is_tree_estimator
from quercus.estimators.forest_sampling import ForestParameters, check_row_draws, sampling_of
from quercus.estimators.growing_parameters import Voting
from quercus.estimators.interrupted import LearningInterrupted, partial_of
from quercus.estimators.making import estimator_of
from quercus.estimators.parameters import Continuing, Threads
from quercus.estimators.progress_bar import progress_for
from quercus.estimators.pruning import remark_on_costs
from quercus.estimators.scikit_learn import ClassifierMixin, RegressorMixin
from quercus.fitted.answering import NumberAnswers
from quercus.fitted.decision import Decision
from quercus.fitted.member_reading import SpreadReading, VoteReading
from quercus.fitted.model import Model
from quercus.fitted.parts import Draws, OutOfBagScore
from quercus.forests.collection import Collection
from quercus.forests.out_of_bag import OutOfBag, OutOfBagTally
from quercus.forests.quantile_forest import LeafTargets
from quercus.forests.stopping import FlatCurve
from quercus.growing.forest import GrowingInterrupted, Sampling, drawn_counts
from quercus.growing.recipe import Recipe
from quercus.targets import kind_of
from quercus.tree.forest import Forest


class CollectionParameters(Threads, Continuing):
    """The parameters of every collection; how many members there are, each declares for itself."""


class CollectionEstimator(CollectionParameters, Estimator):
    """What estimators of many models share; the classes below it say what one member is and how many are made."""

    n_estimators: int

    forest_: Any = learnt("forest", "The trees or rule lists; ``forest_.partial``: Ctrl-C came before the last.")
    recipe_: Recipe | None = learnt("recipe", "The choices by which the trees were grown; None: rules.")
    seed_: int = learnt("draws.seed", "The seed of all draws.")

    def _member(self) -> Any:
        """An estimator of one member, not fitted, with the parameters that are asked for."""
        raise TypeError(f"{type(self).__name__} has no members; use one of the classes of quercus.estimators.")

    def _remark(self) -> str | None:
        member = vars(self).get("estimator")
        return None if member is None else remark_on_costs(member)

    def _one(self) -> Any:
        return self._member()

    def _vote(self) -> Any:
        """How the members' answers become one; numbers are averaged."""
        return vars(self).get("vote", "probability")

    def _check_parameters(self) -> None:
        """Refuse wrong parameters, those of the members too."""
        super()._check_parameters()
        self._member()._check_parameters()

    def _plan(self, training: Training, rows: Rows, sampling: Sampling, costs: Floats | None) -> Plan:
        """All that making members needs; the member's own draws have a seed from now on."""
        seed = seed_of(self.random_state)
        if training.before is not None and training.before.draws is not None:
            seed = training.before.draws.seed
        member = training.one
        if not isinstance(vars(member).get("random_state", 0), int | np.integer):
            member.set_params(random_state=seed % 2**32)
        balanced = isinstance(weight := vars(self).get("class_weight"), str) and weight == "balanced_subsample"
        return Plan(member, rows, sampling, seed, costs, self.n_threads, balanced)

    def _collected(self, described: dict[str, Any], plan: Plan, forest: Collection, **parts: Any) -> Model:
        """The model of members that answer together."""
        recipe = plan.recipe() if is_tree_estimator(plan.member) else None
        member = method_of_model(plan.member)
        if vars(self).get("keep_targets"):
            dataset, target, weights = plan.rows.growing
            drawn = plan.sampling, plan.seed, plan.n_jobs
            parts["leaf_targets"] = LeafTargets.of(cast(Forest, forest), dataset, cast(Floats, target), weights, *drawn)
        return Model(**described, forest=forest, member=member, recipe=recipe, vote=self._vote(), **parts)

    @property
    def partial_(self) -> Self:
        """What Ctrl-C left of the last fit, as a fitted estimator; ``model = model.partial_`` takes it over.

        It answers with the members that are there, and ``partial_.set_params(warm_start=True).fit(X, y)`` of the same
        rows adds the others. It goes with the next fit.
        """
        return cast(Self, partial_of(self))

    def _following(self, model: Model) -> Model:
        assert model.member is not None
        return replace(model, vote=self._vote(), decision=Decision.of(model.member.parameters, model.classes))

    @property
    def estimators_(self) -> Members:
        """The members as fitted estimators of one tree or rule list each, made when they are asked for."""
        return Members(self.model_)

    @property
    def estimator_(self) -> Any:
        """An estimator of one member, not fitted."""
        check_is_fitted(self)
        return self._member()

    def __len__(self) -> int:
        """The number of members."""
        return len(self.estimators_)

    def __getitem__(self, number: Any) -> Any:
        """One member as a fitted estimator, or several as a list."""
        return self.estimators_[number]

    def __iter__(self) -> Iterator[Any]:
        """The members as fitted estimators."""
        return iter(self.estimators_)

    def __bool__(self) -> bool:
        """True, whether or not there are members yet."""
        return True


class ForestEstimator(ForestParameters, CollectionEstimator):
    """What random forests and bagging share: every member is made from its own draw of the rows."""

    sampling_: Sampling = learnt("draws.sampling", "How rows and attributes are drawn.")
    oob_score_: float = learnt("out_of_bag.score", "The accuracy (of numbers: R²) of the out-of-bag answers.")
    oob_curve_: Any = learnt("out_of_bag.curve", "The out-of-bag error after so many members.")

    @property
    def estimators_samples_(self) -> list[npt.NDArray[np.int64]]:
        """The numbers of the rows that each member learnt from; a row that was drawn twice comes twice.

        They are drawn again from the seed. A model that was loaded from a file does not know how many rows there were.
        """
        model, rows = self.model_, vars(self).get("_drawn_from")
        if rows is None:
            raise AttributeError("estimators_samples_ is known after fit only: model files do not keep the rows.")
        assert model.draws is not None and model.draws.sampling is not None
        sampling, seed = model.draws.sampling, model.draws.seed
        return [np.repeat(rows, drawn_counts(sampling, seed, number, len(rows))) for number in range(len(self))]

    def _attributes_drawn(self, n_attributes: int) -> dict[str, Any]:
        """What a ``Sampling`` says of attributes."""
        raise TypeError(f"{type(self).__name__} draws no attributes; use one of the classes of quercus.estimators.")

    def _score(self, model: Model, rows: Rows, told: OutOfBagScore) -> float:
        """The measure of the user's own on out-of-bag answers."""
        raise TypeError(f"{type(self).__name__} has no target; use one of the classes of quercus.estimators.")

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_row_draws(self)

    def _learn(self, training: Training) -> Model:
        rows = training.rows
        kept = rows.with_weight()
        self._drawn_from = np.arange(rows.n_rows) if rows.weights is None else np.flatnonzero(rows.weights)
        sampling = sampling_of(self, kept.n_rows, self._attributes_drawn(len(rows.dataset.schema)))
        grown = self._grown_before(training.before, rows, sampling)
        described = self._described(training)
        plan = self._plan(training, kept, sampling, described["decision"].costs)
        tally = self._tally(plan)
        interrupt = None
        try:
            forest = self._grow(plan, grown, tally)
        except GrowingInterrupted as stop:
            forest, interrupt = stop.partial, stop
        known = fingerprint(rows) if self.warm_start or forest.partial else None
        model = self._collected(described, plan, forest, draws=Draws(plan.seed, sampling, known))
        try:
            if self.oob_score and tally is not None and tally.n_trees == len(forest):
                model = replace(model, out_of_bag=self._measure_out_of_bag(model, rows, tally))
        finally:
            if interrupt is not None:
                raise LearningInterrupted(model) from interrupt
        return model

    def _grow(self, plan: Plan, grown: Any, tally: OutOfBagTally | None) -> Any:
        """Make the members that are missing, and say so if not all of them are there at the end."""
        total, there = int(self.n_estimators), 0 if grown is None else len(grown)
        rule = FlatCurve() if self.stop_when_flat is True else self.stop_when_flat or None
        with progress_for(self.progress, there) as progress:
            forest = add_members(plan, grown, total, rule, tally, progress.update)
        if forest.partial:
            warn(
                f"Growing was stopped: {len(forest)} of {total} members are there and used (forest_.partial is "
                "True); fit again with warm_start=True to add the others.",
                UserWarning,
                stacklevel=5,
            )
        return forest

    def _grown_before(self, before: Model | None, rows: Rows, sampling: Sampling) -> Collection | None:
        """The members that a warm start goes on from, if they belong to the same rows and draws."""
        if before is None:
            return None
        assert before.forest is not None and before.draws is not None
        grown = before.forest
        if self.n_estimators < len(grown):
            raise ParameterError(
                f"n_estimators={self.n_estimators} must be larger or equal to the {len(grown)} members that are there "
                "already when warm_start=True; give more, or warm_start=False."
            )
        if sampling != before.draws.sampling or fingerprint(rows) != before.draws.fingerprint:
            raise DataError(
                "warm_start=True adds members that are drawn from the same rows in the same way, but the rows, their "
                "weights or the parameters of the draw are others than before (or warm_start was False then). "
                "Give the same again, or warm_start=False."
            )
        if self.n_estimators == len(grown):
            warn("Warm-start fitting without increasing n_estimators does not add members.", UserWarning, stacklevel=5)
        return grown

    def _tally(self, plan: Plan) -> OutOfBagTally | None:
        """What follows the out-of-bag error, if that is asked for."""
        if not self.oob_score and not self.stop_when_flat:
            return None
        rows, values = plan.rows, vars(plan.member)
        target = rows.target
        levels = plan.recipe().quantiles if is_tree_estimator(plan.member) else ()
        return OutOfBagTally(
            rows.dataset,
            target,
            plan.sampling,
            plan.seed,
            kind=kind_of(getattr(target, "classes", None), levels),
            vote=self._vote(),
            smoothing=values.get("smoothing"),
            weights=rows.sample_weights,
            cost_matrix=plan.costs,
            threshold=values.get("decision_threshold"),
            n_jobs=plan.n_jobs,
        )

    def _measure_out_of_bag(self, model: Model, rows: Rows, tally: OutOfBagTally) -> OutOfBagScore:
        """The out-of-bag score, curve and answers; rows of weight 0 are out of every bag."""
        result: OutOfBag = tally.result()
        answers = result.answers
        if rows.weights is not None and not rows.weights.all():
            answers = np.empty((rows.n_rows, result.answers.shape[1]))
            without = np.flatnonzero(rows.weights == 0)
            answers[rows.weights > 0] = result.answers
            answers[without] = model.shares(rows.dataset.take(without), self.n_threads)
        if not result.answered.all():
            missing = int((~result.answered).sum())
            warn(
                f"{missing} of {len(result.trees)} rows were drawn for every member, so that they "
                "have no out-of-bag answer (NaN) and do not count in the score; more members help.",
                UserWarning,
                stacklevel=5,
            )
        if not model.target_kind.leaf_table:
            answers = answers[:, 0].copy()
        told = OutOfBagScore(result.score, result.curve, answers, model.target_kind.middle)
        return replace(told, score=self._score(model, rows, told)) if callable(self.oob_score) else told


class Members(Sequence[Any]):
    """The members of a fitted collection as estimators; a view, nothing is kept."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def __len__(self) -> int:
        """The number of members."""
        return len(self._model.need_members("Members"))

    def __iter__(self) -> Iterator[Any]:
        """The members in their order."""
        return (self[number] for number in range(len(self)))

    def __getitem__(self, number: Any) -> Any:
        """One member as a fitted estimator, or several as a list."""
        if isinstance(number, slice):
            return [self[place] for place in range(*number.indices(len(self)))]
        place = number + len(self) if number < 0 else number
        if not 0 <= place < len(self):
            raise IndexError(f"There is no member {number}; there are {len(self)}.")
        return estimator_of(self._model.member_model(place))


def fingerprint(rows: Rows) -> int:
    """A number that tells other rows, targets or weights from these."""
    target = rows.target.codes if isinstance(rows.target, ClassTarget) else rows.target
    arrays = [*rows.dataset.columns, target, *([] if rows.weights is None else [rows.weights])]
    number = rows.n_rows
    for array in arrays:
        number = zlib.crc32(np.ascontiguousarray(array).view(np.uint8).data, number)
    return number


class ForestClassifier(VoteReading, ClassLabels, ClassifierMixin, Voting, ForestEstimator):
    """Many models of class distributions."""

    oob_decision_function_: Floats = learnt("out_of_bag.answers", "The out-of-bag class shares of each training row.")

    def _score(self, model: Model, rows: Rows, told: OutOfBagScore) -> float:
        assert callable(self.oob_score) and rows.codes is not None
        answers = told.answers
        known = ~np.isnan(answers[:, 0])
        answered = model.named(model.decision.codes(answers[known]))
        return float(self.oob_score(model.named(rows.codes[known]), answered))


class ForestRegressor(SpreadReading, NumberAnswers, RegressorMixin, ForestEstimator):
    """Many models of numbers."""

    oob_prediction_: Floats = learnt("out_of_bag.numbers", "The out-of-bag number of each training row.")

    def _score(self, model: Model, rows: Rows, told: OutOfBagScore) -> float:
        assert callable(self.oob_score) and not isinstance(rows.target, ClassTarget)
        answers = told.numbers
        known = ~np.isnan(answers)
        return float(self.oob_score(rows.target[known], answers[known]))

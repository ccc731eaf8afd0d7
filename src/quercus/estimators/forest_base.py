"""The chain of an estimator of many models: read the table, draw, make the members, ask them together."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Self, cast
from warnings import warn

import numpy as np
import numpy.typing as npt
from joblib import effective_n_jobs  # type: ignore[import-untyped]
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from quercus.data.dataset import ClassTarget, Dataset, encode, encode_like
from quercus.data.values import plain_value
from quercus.errors import DataError, ParameterError
from quercus.estimators.forest_growing import Plan, add_members, is_tree_estimator
from quercus.estimators.forest_sampling import check_row_draws, sampling_of
from quercus.estimators.interrupted import as_before_if_stopped, partial_of
from quercus.estimators.parameters import check_choice, check_count, check_flag, check_running, refuse
from quercus.estimators.progress_bar import check_progress, progress_for
from quercus.estimators.pruning import Rows, check_random_state, seed_of
from quercus.estimators.reading import check_column_names, learn_column_names
from quercus.estimators.weights import Floats
from quercus.forests.collection import Collection, collection_answers
from quercus.forests.impurity_importance import impurity_importance
from quercus.forests.out_of_bag import OutOfBag, OutOfBagTally
from quercus.forests.stopping import FlatCurve
from quercus.growing.forest import GrowingInterrupted, Sampling
from quercus.growing.recipe import Recipe
from quercus.predict.forest import forest_leaves, forest_paths
from quercus.pruning.curves import Curve


class ForestEstimator(BaseEstimator):  # type: ignore[misc]
    """What estimators of many models share; the classes below it say what one member is and what chance decides."""

    # parameters that every one of them has
    n_estimators: int
    bootstrap: bool
    replacement: str
    max_samples: Any
    oob_score: bool | Callable[[Any, Any], float]
    stop_when_flat: bool | FlatCurve
    warm_start: bool
    n_jobs: int | None
    random_state: Any
    progress: Any

    # what fitting learns
    n_features_in_: int
    feature_names_in_: npt.NDArray[np.object_]
    forest_: Any
    schema_: Any
    recipe_: Recipe | None
    sampling_: Sampling
    seed_: int
    oob_score_: float
    oob_curve_: Any
    _fitted_member: Any
    _rows_fingerprint: int | None

    def _member(self) -> Any:
        """An estimator of one member, not fitted, with the parameters that are asked for."""
        raise TypeError(f"{type(self).__name__} has no members; use one of the classes of quercus.estimators.")

    def _attributes_drawn(self, n_attributes: int) -> tuple[int | None, int | None]:
        """How many attributes a node and a tree may use; None: all."""
        raise TypeError(f"{type(self).__name__} draws no attributes; use one of the classes of quercus.estimators.")

    def _read(self, member: Any, dataset: Dataset, y: Any, sample_weight: Any) -> tuple[Rows, Floats | None]:
        """The encoded rows with the weights to grow by, and the sample weights alone."""
        raise TypeError(f"{type(self).__name__} has no target; use one of the classes of quercus.estimators.")

    def _vote(self) -> Any:
        """How the members' answers become one; numbers are averaged."""
        return getattr(self, "vote", "probability")

    def _costs(self, member: Any) -> Floats | None:
        """The misclassification costs in the order of the classes; None without."""
        return None

    def _keep_out_of_bag(self, rows: Rows, found: OutOfBag, answers: Floats) -> None:
        """Set what is known of the training rows; a class sets its own form of it."""

    def _check_parameters(self) -> Any:
        """Refuse wrong parameters; return the estimator of one member, whose parameters are checked too."""
        check_count("n_estimators", self.n_estimators, least=1)
        check_row_draws(self)
        check_choice("vote", self._vote(), ("probability", "majority"))
        check_flag("warm_start", self.warm_start)
        if not isinstance(self.stop_when_flat, bool | FlatCurve):
            refuse("stop_when_flat", self.stop_when_flat, "True, False or a quercus.forests.FlatCurve")
        check_running(self.n_jobs, None)
        check_progress(self.progress)
        check_random_state(self.random_state)
        member = self._member()
        member._check_parameters()
        return member

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Make the members from a table and what is to be predicted for each of its rows.

        X: a pandas, polars or pyarrow table, an array, a dict of columns or a list of rows; text and unknown values may
        stay as they are. y: one class (regression: one number) a row. sample_weight: a number >= 0 a row; it does not
        change how often a row is drawn, but how much it counts; a row of weight 0 is left out. A fit that fails leaves
        the estimator as it was. So does Ctrl-C; the members that are there then make :attr:`partial_`.
        """
        member = self._check_parameters()
        with as_before_if_stopped(self):
            return self._fit(member, X, y, sample_weight)

    @property
    def partial_(self) -> Self:
        """What Ctrl-C left of the last fit, as a fitted estimator; ``model = model.partial_`` takes it over.

        It answers with the members that are there, and ``partial_.set_params(warm_start=True).fit(X, y)`` of the same
        rows adds the others. It goes with the next fit.
        """
        return cast(Self, partial_of(self))

    def _fit(self, member: Any, X: Any, y: Any, sample_weight: Any) -> Self:
        going_on = bool(self.warm_start) and hasattr(self, "forest_")
        if going_on:
            check_column_names(self, X)
            dataset = encode_like(X, self.schema_)
        else:
            dataset = encode(X, **_encoding(member))
            learn_column_names(self, X, dataset.schema)
        rows, sample_weights = self._read(member, dataset, y, sample_weight)
        kept = rows.with_weight()
        n_rows = kept.dataset.n_rows
        sampling = sampling_of(self, n_rows, *self._attributes_drawn(len(dataset.schema)))
        grown = self._grown_before(rows, sampling) if going_on else None
        self.seed_ = self.seed_ if going_on else seed_of(self.random_state)
        if not isinstance(getattr(member, "random_state", 0), int | np.integer):
            member.set_params(random_state=self.seed_ % 2**32)
        self.schema_, self.sampling_, self._rows_fingerprint = rows.dataset.schema, sampling, None
        self._fitted_member = member
        plan = Plan(member, kept, sampling, self.seed_, self._costs(member), effective_n_jobs(self.n_jobs))
        self.recipe_ = plan.recipe() if is_tree_estimator(member) else None
        tally = self._tally(plan, rows, sample_weights)
        interrupt = self._grow(plan, grown, tally)
        self._rows_fingerprint = fingerprint(rows) if self.warm_start or self.forest_.partial else None
        for name in [name for name in self.__dict__ if name.startswith("oob_") and name.endswith("_")]:
            del self.__dict__[name]  # of the fit before
        try:
            if self.oob_score and tally is not None and tally.n_trees == len(self.forest_):
                self._measure_out_of_bag(rows, tally)
        finally:
            if interrupt is not None:
                raise interrupt
        return self

    def _grow(self, plan: Plan, grown: Any, tally: OutOfBagTally | None) -> KeyboardInterrupt | None:
        """Make the members that are missing, and say so if not all of them are there at the end.

        After Ctrl-C those that are there are kept, and the interrupt is returned, to be raised when the fit is whole.
        """
        total, there = int(self.n_estimators), 0 if grown is None else len(grown)
        rule = FlatCurve() if self.stop_when_flat is True else self.stop_when_flat or None
        try:
            with progress_for(self.progress, there) as progress:
                self.forest_ = add_members(plan, grown, total, rule, tally, progress.update)
        except GrowingInterrupted as interrupt:
            self.forest_ = interrupt.partial
            return interrupt
        if self.forest_.partial:
            warn(
                f"Growing was stopped: {len(self.forest_)} of {total} members are there and used (forest_.partial is "
                "True); fit again with warm_start=True to add the others.",
                UserWarning,
                stacklevel=4,
            )
        return None

    def _grown_before(self, rows: Rows, sampling: Sampling) -> Collection:
        """The members that a warm start goes on from, if they belong to the same rows and draws."""
        grown: Collection = self.forest_
        if self.n_estimators < len(grown):
            raise ParameterError(
                f"n_estimators={self.n_estimators} must be larger or equal to the {len(grown)} members that are there "
                "already when warm_start=True; give more, or warm_start=False."
            )
        if sampling != self.sampling_ or fingerprint(rows) != self._rows_fingerprint:
            raise DataError(
                "warm_start=True adds members that are drawn from the same rows in the same way, but the rows, their "
                "weights or the parameters of the draw are others than before (or warm_start was False then). "
                "Give the same again, or warm_start=False."
            )
        if self.n_estimators == len(grown):
            warn("Warm-start fitting without increasing n_estimators does not add members.", UserWarning, stacklevel=4)
        return grown

    def _tally(self, plan: Plan, rows: Rows, sample_weights: Floats | None) -> OutOfBagTally | None:
        """What follows the out-of-bag error, if that is asked for."""
        if not self.oob_score and not self.stop_when_flat:
            return None
        if rows.weights is not None and sample_weights is not None:
            sample_weights = sample_weights[rows.weights > 0]
        target = plan.rows.target
        return OutOfBagTally(
            plan.rows.dataset,
            target,
            plan.sampling,
            plan.seed,
            classes=tuple(map(plain_value, target.classes)) if isinstance(target, ClassTarget) else None,
            vote=self._vote(),
            smoothing=getattr(plan.member, "smoothing", None),
            weights=sample_weights,
            cost_matrix=plan.costs,
            threshold=getattr(plan.member, "decision_threshold", None),
            n_jobs=plan.n_jobs,
        )

    def _measure_out_of_bag(self, rows: Rows, tally: OutOfBagTally) -> None:
        """Set the out-of-bag score, curve and answers; rows of weight 0 are out of every bag."""
        found = tally.result()
        answers = found.answers
        if rows.weights is not None and not rows.weights.all():
            answers = np.empty((rows.dataset.n_rows, found.answers.shape[1]))
            without = np.flatnonzero(rows.weights == 0)
            answers[rows.weights > 0] = found.answers
            answers[without] = self._answers(rows.dataset.take(without))
        if not found.answered.all():
            warn(
                f"{int((~found.answered).sum())} of {len(found.trees)} rows were drawn for every member, so that they "
                "have no out-of-bag answer (NaN) and do not count in the score; more members help.",
                UserWarning,
                stacklevel=4,
            )
        self.oob_curve_ = found.curve
        self.oob_score_ = found.score
        self._keep_out_of_bag(rows, found, answers)

    def _answers(self, dataset: Dataset) -> Floats:
        """What the members answer together."""
        return collection_answers(self.forest_, dataset, **self._options())[0]

    def _options(self) -> dict[str, Any]:
        """How the members answer together."""
        smoothing = getattr(self._fitted_member, "smoothing", None)
        return {"vote": self._vote(), "smoothing": smoothing, "n_jobs": effective_n_jobs(self.n_jobs)}

    def _encode_rows(self, X: Any) -> Dataset:
        """Encode new rows by the schema that fitting learned."""
        if "schema_" not in self.__dict__:
            check_is_fitted(self)
        check_column_names(self, X)
        return encode_like(X, self.schema_)

    def apply(self, X: Any) -> npt.NDArray[np.int32]:
        """The number of the leaf that each row reaches in each tree, rows × trees."""
        dataset = self._encode_rows(X)
        self._need_trees("apply")
        return forest_leaves(self.forest_, dataset, effective_n_jobs(self.n_jobs))

    def decision_path(self, X: Any) -> tuple[Any, npt.NDArray[np.int64]]:
        """The nodes that each row passes in each tree, and where each tree's nodes begin, as scikit-learn's forests do.

        (indicator, n_nodes_ptr): a sparse CSR matrix, rows × nodes of all trees, 1 where the row comes through; the
        columns ``n_nodes_ptr[t] … n_nodes_ptr[t + 1] − 1`` are the ``decision_path`` of tree t.
        """
        dataset = self._encode_rows(X)
        self._need_trees("decision_path")
        return forest_paths(self.forest_, dataset, effective_n_jobs(self.n_jobs))

    def curve(self, sets: Mapping[str, tuple[Any, ...]], *, points: int = 100) -> Curve:
        """The error on several sets of rows after so many members.

        sets: rows by name, ``{"training": (X, y), "test": (X_test, y_test)}``; a third entry gives weights. points: of
        the curve, at most. The error is the share of wrong answers, with costs the mean cost, of numbers the mean
        squared deviation. ``oob_curve_`` is the same out of the bag; ``quercus.draw.trees_chart`` draws both.

        >>> from quercus import RandomForestClassifier
        >>> from quercus.datasets import make_waveform
        >>> forest = RandomForestClassifier(100).fit(*make_waveform(n_rows=300))
        >>> print(forest.curve({"test": make_waveform(n_rows=1000, random_state=1)}, points=4))
        error against the number of trees
        trees  test
           25  0.181
           50  0.169
           75  0.165
          100  0.16
        """
        from quercus.estimators.curves import forest_curve

        return forest_curve(self, sets, points)

    @property
    def feature_importances_(self) -> Floats:
        """The share of each attribute in the gain of the trees, the mean over them, together 1."""
        check_is_fitted(self)
        self._need_trees("feature_importances_")
        return impurity_importance(self.forest_)

    @property
    def estimators_(self) -> Members:
        """The members as fitted estimators of one tree or rule list each, made when they are asked for."""
        check_is_fitted(self)
        return Members(self)

    def _need_trees(self, what: str) -> None:
        if not is_tree_estimator(self._fitted_member):
            raise AttributeError(f"{what} needs trees; the members are {type(self._fitted_member).__name__}.")

    def __str__(self) -> str:
        """The forest in a line once fitted; the parameters before."""
        return repr(self.forest_) if hasattr(self, "forest_") else repr(self)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that unknown values, text and categories may come as they are."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = False
        tags.target_tags.required = True
        return tags


class Members(Sequence[Any]):
    """The members of a fitted collection as estimators; a view, nothing is kept."""

    def __init__(self, parent: Any) -> None:
        self._parent = parent

    def __len__(self) -> int:
        """The number of members."""
        return len(self._parent.forest_)

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
        return self._fitted(place)

    def _fitted(self, place: int) -> Any:
        parent = self._parent
        member = clone(parent._fitted_member)
        learnt = ("n_features_in_", "feature_names_in_", "schema_", "classes_")
        vars(member).update({name: vars(parent)[name] for name in learnt if name in vars(parent)})
        if not is_tree_estimator(member):
            member.rules_ = parent.forest_.member(place)
            return member
        tree = parent.forest_.tree(place)
        member.tree_ = member.unpruned_tree_ = tree
        member.pruning_ = member.alpha_table_ = member._class_factors = None
        member.recipe_ = parent.recipe_
        return member


def fingerprint(rows: Rows) -> int:
    """A number that tells other rows, targets or weights from these."""
    target = rows.target.codes if isinstance(rows.target, ClassTarget) else rows.target
    arrays = [*rows.dataset.columns, target, *([] if rows.weights is None else [rows.weights])]
    found = rows.dataset.n_rows
    for array in arrays:
        found = zlib.crc32(np.ascontiguousarray(array).view(np.uint8).data, found)
    return found


def _encoding(member: Any) -> dict[str, Any]:
    """The parameters of one member that say how a table is read."""
    names = ("kinds", "domains", "missing_tokens", "attribute_costs")
    return {name: getattr(member, name) for name in names if hasattr(member, name)}

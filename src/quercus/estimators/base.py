"""What all estimators share: parameters, one fit for all of them, and the model that fitting learns."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Self
from warnings import warn

import numpy as np
import numpy.typing as npt
from joblib import effective_n_jobs  # type: ignore[import-untyped]
from sklearn.utils.validation import check_is_fitted

from quercus.arrays import Floats
from quercus.data.dataset import Dataset, encode, encode_like
from quercus.data.rows import Rows, checked_target, known_rows, training_rows
from quercus.data.sparse import is_sparse
from quercus.errors import DataError, DataTypeError, ParameterError, warn_renamed
from quercus.estimators.constraints import check_order_kept
from quercus.estimators.declaration import parameters_of
from quercus.estimators.interrupted import LearningInterrupted, partial_estimator, stopped_message
from quercus.estimators.quantile_remarks import quantile_remarks
from quercus.estimators.reading import check_column_names, flat_target, learn_column_names
from quercus.estimators.scikit_learn import BaseEstimator
from quercus.fitted.algorithms import ALGORITHMS, Algorithm
from quercus.fitted.answering import ClassAnswers
from quercus.fitted.decision import Decision
from quercus.fitted.model import Model, model_text
from quercus.fitted.parts import Method
from quercus.fitted.reading import Readable
from quercus.growing.recipe import Recipe
from quercus.targets import kind_of


@cache
def parameter_defaults(kind: Any) -> dict[str, Any]:
    """The parameters of a class of estimators that belong to a model, with their defaults."""
    known, declared = inspect.signature(kind.__init__).parameters, parameters_of(kind)
    return {
        name: known[name].default
        for name in sorted(known)
        if name != "self" and (name not in declared or declared[name].saved is not None)
    }


@cache
def _argument_names(function: Callable[..., Any]) -> frozenset[str]:
    return frozenset(inspect.signature(function).parameters)


def recipe_arguments(estimator: Any, function: Callable[..., Recipe]) -> dict[str, Any]:
    """The arguments of a function that makes a recipe: the parameters that are called like them."""
    kind: Any = type(estimator)
    names, values = _argument_names(function), vars(estimator)
    return {name: entry.check.read(values[name]) for name, entry in parameters_of(kind).items() if name in names}


def algorithm_of(estimator: Any) -> Algorithm:
    """The row of an estimator in the table of algorithms; one of the user's own class has that of its base."""
    return next(ALGORITHMS[base.__name__] for base in type(estimator).__mro__ if base.__name__ in ALGORITHMS)


def method_of_model(estimator: Any) -> Method:
    """The algorithm and the parameters of an estimator, as a model keeps them."""
    kind: Any = type(estimator)
    defaults = parameter_defaults(kind)
    parameters = {name: value for name, value in estimator.get_params(deep=False).items() if name in defaults}
    return Method(algorithm_of(estimator).name, parameters, defaults)


@dataclass(frozen=True, eq=False)
class Training:
    """What a fit has read.

    rows: to learn from. validation: rows to compare on, if any were given. factors: of the classes' weights. one: the
    estimator that says how tables are read: the fitted one itself, or that of a collection's members. before: the model
    that a warm start goes on from.
    """

    rows: Rows
    validation: Rows | None = None
    factors: Floats | None = None
    one: Any = None
    before: Model | None = None

    @property
    def classes(self) -> Any:
        """The classes; None: numbers are learned."""
        return None if self.rows.codes is None else np.asarray(self.rows.target.classes)  # type: ignore[union-attr]


class Learnt:
    """An attribute of a fitted estimator that is a part of its model."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.__doc__ = path.split("."), text

    def __set_name__(self, owner: type, name: str) -> None:
        """Keep the name of the attribute for messages."""
        self.name = name

    def __get__(self, estimator: Any, owner: type | None = None) -> Any:
        """The part of the model; an AttributeError where there is none."""
        if estimator is None:
            return self
        part = estimator.model_
        for name in self.path[:-1]:
            part = getattr(part, name)
            if part is None:
                raise AttributeError(f"This {type(estimator).__name__} has no {self.name!r}.")
        return getattr(part, self.path[-1])

    def __set__(self, estimator: Any, part: Any) -> None:
        """Refuse it: a model is never changed."""
        raise AttributeError(
            f"{self.name} is a part of the fitted model, which is never changed. Fit again, prune with prune_with, or "
            "make another model with dataclasses.replace(estimator.model_, …) and its as_estimator() from that."
        )


def learnt(path: str, text: str) -> Any:
    """An attribute that fitting learns; path: its place in the model."""
    return Learnt(path, text)


class Estimator(Readable, BaseEstimator):
    """An algorithm as a scikit-learn estimator; the classes below it say how they learn."""

    # what fitting learns
    n_features_in_: int
    feature_names_in_: npt.NDArray[np.object_]
    schema_: Any = learnt("schema", "The attributes and the target.")
    _model: Model
    _partial: Self

    # What a class says

    def _check_parameters(self) -> None:
        """Refuse wrong parameters: each by its declaration; a class adds what must go together."""
        kind: Any = type(self)
        values = vars(self)
        for name, entry in parameters_of(kind).items():
            if name in values:
                entry.check(name, values[name])

    def _warn_of_old_words(self) -> None:
        """Warn of values that are called otherwise now."""
        kind: Any = type(self)
        for name, entry in parameters_of(kind).items():
            value = vars(self).get(name)
            if isinstance(value, str) and value in entry.check.old:
                warn_renamed(value)

    def _one(self) -> Any:
        """The estimator that says how tables are read: itself, or that of a collection's members."""
        return self

    def _check_validation(self) -> None:
        """Refuse validation rows that nothing would be compared on."""
        raise ParameterError(
            f"X_val and y_val are given, but {type(self).__name__} compares nothing on validation rows; leave them out."
        )

    def _check_target(self, rows: Rows) -> None:
        """Refuse a target that the criterion cannot do with."""

    def _learn(self, training: Training) -> Model:
        """Learn the model; everything is checked and encoded."""
        raise TypeError(f"{type(self).__name__} learns nothing; use one of the classes of quercus.estimators.")

    # Fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None) -> Self:
        """Learn from a table and what is to be predicted for each of its rows.

        X: a pandas, polars or pyarrow table, an array, a dict of columns or a list of rows; text and unknown values may
        stay as they are. y: one class (regression: one number) for each row. sample_weight: a number >= 0 for each row;
        weight 3 counts as three equal rows (a collection draws rows as if all weighed the same; those of weight 0 are
        left out). X_val, y_val: rows that are not to learn from, for what compares on unseen rows: the pruning methods
        "reduced_error" and "stop_by_validation", C4.5's rules, early stopping of boosting; without them these hold out
        a share of X, and all others refuse them. A fit that fails or is stopped leaves the estimator as it was. If
        Ctrl-C ends the growing of a collection, the members that are there make another fitted estimator, ``partial_``.
        """
        self.fit_rows(X, y, sample_weight, X_val=X_val, y_val=y_val)
        for remark in (self._remark(), *quantile_remarks(self.model_)):
            if remark is not None:
                warn(remark, stacklevel=2)
        return self

    def _remark(self) -> str | None:
        """What may surprise in how the estimator does its work."""
        return None

    def fit_rows(self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None) -> Training:
        """Fit, and return the rows as they were encoded, for those who want to look at them again.

        X, y, sample_weight, X_val, y_val: as in :meth:`fit`.
        """
        self._check_parameters()
        if (X_val is None) != (y_val is None):
            raise DataError(f"{'X_val' if X_val is None else 'y_val'} is None; give both X_val and y_val, or neither.")
        if X_val is not None:
            self._check_validation()
        before = {name: value for name, value in vars(self).items() if name != "_partial"}
        self.__dict__.pop("_outside", None)  # members that scikit-learn made in the fit before
        try:
            training = self._read(self._one(), X, y, sample_weight, X_val, y_val)
            check_order_kept(self, training.one, kind_of(training.classes).n_classes)
            self._model = self._learn(training)
        except BaseException as error:
            partial = partial_estimator(self, error.model) if isinstance(error, LearningInterrupted) else None
            self.__dict__.clear()
            self.__dict__.update(before)
            if partial is None:
                raise
            self._partial = partial
            raise KeyboardInterrupt(stopped_message(partial)) from None
        self.__dict__.pop("_partial", None)
        return training

    def _read(self, one: Any, X: Any, y: Any, sample_weight: Any, X_val: Any, y_val: Any) -> Training:
        """Check and encode the table, its target and its weights; learn the names of the columns."""
        one._warn_of_old_words()
        if is_sparse(X) and algorithm_of(one).answers_by == "rules":
            raise DataTypeError(
                f"Sparse data was passed for X, but {type(one).__name__} learns from dense data. "
                "Use '.toarray()' to convert to a dense numpy array."
            )
        before = self.model_ if vars(self).get("warm_start") and "_model" in vars(self) else None
        if before is None:
            dataset = encode(X, **_encoding(one))
            learn_column_names(self, X, dataset.schema)
        else:
            check_column_names(self, X)
            dataset = encode_like(X, before.schema)
        name, values = type(self).__name__, vars(one)
        y = checked_target(flat_target(y), dataset.n_rows, name)
        rows, factors = training_rows(
            dataset,
            y,
            sample_weight,
            numbers=algorithm_of(self).numbers,
            class_weight=values.get("class_weight"),
            priors=values.get("priors"),
            known=None if before is None else before.known,
        )
        one._check_target(rows)
        training = Training(rows, None, factors, one, before)
        if X_val is None:
            return training
        check_column_names(self, X_val)
        dataset = encode_like(X_val, rows.dataset.schema)
        y_val = checked_target(flat_target(y_val), dataset.n_rows, name)
        target = kind_of(training.classes).encode(y_val, classes=training.classes)
        return replace(training, validation=known_rows(dataset, target, factors=factors))

    def _described(self, training: Training) -> dict[str, Any]:
        """The parts of a model that say what it was made from and how."""
        algorithm = algorithm_of(self)
        return {
            "method": method_of_model(self),
            "schema": training.rows.dataset.schema,
            "classes": training.classes,
            "decision": Decision.of(vars(training.one), training.classes, algorithm.costs_in_rules),
            "class_factors": training.factors,
            "named_columns": "feature_names_in_" in vars(self),
        }

    def refitted(self, rows: Rows) -> Model:
        """A model that is fitted to other rows in the same way. rows: encoded as those of fitting."""
        other = copy(self).set_params(progress=None)
        return other._learn(Training(rows, None, self.model_.class_factors, other))

    # What was fitted

    @property
    def n_outputs_(self) -> int:
        """The number of targets."""
        check_is_fitted(self)
        return 1

    @property
    def model_(self) -> Model:
        """The fitted model as a value; costs, threshold, smoothing and votes are those of the parameters now."""
        mine = vars(self)
        if "_model" not in mine:
            check_is_fitted(self)
        model: Model = mine["_model"]
        if any(mine.get(name, value) is not value for name, value in model.method.parameters.items()):
            self._model = model = self._following(replace(model, method=method_of_model(self)))
        return model

    def _following(self, model: Model) -> Model:
        """The model that answers by the parameters as they are now."""
        in_rules = algorithm_of(self).costs_in_rules
        return replace(model, decision=Decision.of(vars(self), model.classes, in_rules))

    def fitted_to(self, model: Model) -> Self:
        """The estimator with a model, as if it had been fitted; the model follows its parameters.

        model: of the same algorithm.
        """
        self._model = self._following(model)
        self.n_features_in_ = len(model.schema)
        if model.named_columns:
            names = np.empty(len(model.schema), dtype=object)
            names[:] = model.schema.names
            self.feature_names_in_ = names
        return self

    def as_estimator(self) -> Self:
        """The estimator itself."""
        return self

    @property
    def n_threads(self) -> int:  # type: ignore[override]
        return int(effective_n_jobs(vars(self).get("n_jobs")))

    def encode_rows(self, X: Any) -> Dataset:
        model = self.model_
        if not isinstance(X, Dataset):
            check_column_names(self, X)
        return model.encode_rows(X)

    def encode_asked(self, X: Any) -> Dataset:
        """Encode new rows for answering only: columns that no question reads are not looked at."""
        model = self.model_
        if not isinstance(X, Dataset):
            check_column_names(self, X)
        return model.encode_asked(X)

    def __sklearn_is_fitted__(self) -> bool:
        """Whether there is a model."""
        return "_model" in vars(self)

    def __str__(self) -> str:
        """The tree or the rules as text, a collection in a line, once fitted; the parameters before."""
        return model_text(self.model_) if "_model" in vars(self) else repr(self)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn that unknown values, text and categories may come as they are."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = algorithm_of(self).answers_by != "rules"
        tags.target_tags.required = True
        return tags


def _encoding(one: Any) -> Mapping[str, Any]:
    """The parameters that say how a table is read."""
    values = vars(one)
    return {name: values[name] for name in ("kinds", "domains", "missing_tokens", "attribute_costs") if name in values}


class ClassLabels(ClassAnswers):
    """What classifiers answer, and the classes."""

    classes_: npt.NDArray[Any] = learnt("classes", "The classes in the order of probabilities.")

    @property
    def n_classes_(self) -> int:
        """The number of classes."""
        return len(self.classes_)

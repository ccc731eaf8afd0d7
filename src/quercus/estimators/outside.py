"""Members from outside: bagging and boosting of estimators that are not trees or rules of Quercus.

scikit-learn's own bagging or boosting makes them and asks them, with the same parameters; it is kept as ``_outside``.
"""

from __future__ import annotations

from typing import Any, Self, TypeVar

from sklearn.base import is_classifier
from sklearn.utils import get_tags

from quercus.errors import ModelKindError, ParameterError
from quercus.estimators.base import Estimator
from quercus.estimators.declaration import parameters_of

Kind = TypeVar("Kind", bound=type)

#: What is asked of scikit-learn's collection, once it is fitted.
ASKED = (
    "predict", "predict_proba", "predict_log_proba", "decision_function", "classes_", "n_classes_", "estimators_",
    "estimators_samples_", "estimators_features_", "estimator_", "oob_score_", "oob_decision_function_",
    "oob_prediction_", "estimator_weights_", "estimator_errors_", "feature_importances_", "staged_predict",
    "staged_predict_proba", "staged_decision_function", "staged_score",
)  # fmt: skip


def is_outside(one: Any, kinds: tuple[type, ...], *, classes: bool) -> bool:
    """Whether an estimator of members is from outside. kinds: those of Quercus that make members here themselves."""
    if one is None or isinstance(one, (type, *kinds)) or not (hasattr(one, "fit") and hasattr(one, "get_params")):
        return False
    return not isinstance(one, Estimator) or is_classifier(one) == classes


class _Asked:
    """An attribute that scikit-learn's collection has if the members are from outside; else the inherited one."""

    def __init__(self, name: str, own: Any) -> None:
        self.name, self.own = name, own

    def __get__(self, estimator: Any, owner: type | None = None) -> Any:
        outside = None if estimator is None else vars(estimator).get("_outside")
        if outside is not None:
            return getattr(outside, self.name)
        if self.own is None:
            raise AttributeError(f"This {'class' if owner is None else owner.__name__} has no {self.name!r}.")
        return self.own.__get__(estimator, owner)

    def __set__(self, estimator: Any, value: Any) -> None:
        if not hasattr(self.own, "__set__"):
            raise AttributeError(f"{self.name} is not to be set.")
        self.own.__set__(estimator, value)


class _Fit(_Asked):
    """``fit``: that of members from outside, or the inherited one."""

    def __get__(self, estimator: Any, owner: type | None = None) -> Any:
        if estimator is not None and estimator._is_outside():
            return estimator._fit_outside
        return self.own.__get__(estimator, owner)


def asks_outside(kind: Kind) -> Kind:
    """Let a class of estimators ask scikit-learn's collection, where there is one."""
    kind.fit = _Fit("fit", Estimator.fit)  # type: ignore[attr-defined]
    for name in ASKED:
        own = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
        if own is not None or name in getattr(kind, "_also_outside", ()):
            setattr(kind, name, _Asked(name, own))
    return kind


class OutsideMembers(Estimator):
    """An estimator of a collection whose members may be from outside."""

    estimator: Any
    #: names of ``ASKED`` that only members from outside have
    _also_outside: tuple[str, ...] = ()
    _outside: Any

    def _is_outside(self) -> bool:
        """Whether the members are made by scikit-learn."""
        raise TypeError(f"{type(self).__name__} does not say which members it makes itself.")

    def _theirs(self, n_attributes: int) -> Any:
        """scikit-learn's collection with the same parameters."""
        raise TypeError(f"{type(self).__name__} has no members from outside.")

    def _fit_outside(self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None) -> Self:
        """Fit members from outside, which read the table in their own way; a fit that fails leaves all as it was."""
        Estimator._check_parameters(self)
        if X_val is not None or y_val is not None:
            raise ParameterError("Members from outside of Quercus compare nothing on X_val and y_val; leave them out.")
        before = vars(self).get("_outside") if vars(self).get("warm_start") else None
        shape = getattr(X, "shape", None)
        theirs = self._theirs(shape[1] if shape is not None and len(shape) == 2 else len(X[0]))
        if before is not None:
            theirs = before.set_params(**{name: value for name, value in theirs.get_params(deep=False).items()})
        theirs.fit(X, y) if sample_weight is None else theirs.fit(X, y, sample_weight=sample_weight)
        for name in ("_model", "_partial", "feature_names_in_", "n_features_in_"):
            self.__dict__.pop(name, None)
        self.__dict__.update(
            {name: getattr(theirs, name) for name in ("feature_names_in_", "n_features_in_") if hasattr(theirs, name)}
        )
        self._outside = theirs
        return self

    def _refuse_outside(self, *names: str) -> None:
        """Refuse parameters that members from outside cannot follow."""
        kind: Any = type(self)
        for name in names:
            default = parameters_of(kind)[name].default
            if vars(self)[name] != default:
                one = type(self.estimator).__name__
                raise ParameterError(
                    f"{name}={vars(self)[name]!r} is for trees and rules of Quercus, not for members of {one}; give "
                    f"{name}={default!r}."
                )

    @property
    def model_(self) -> Any:
        """The fitted model as a value; members from outside have none."""
        if "_outside" in vars(self):
            raise ModelKindError(
                f"The members are of {type(self.estimator).__name__}, which is not of Quercus: they answer, but have "
                "no trees or rules to show, explain, export or save. Keep the estimator by pickle or joblib."
            )
        return super().model_

    def __sklearn_is_fitted__(self) -> bool:
        """Whether there are members."""
        return "_outside" in vars(self) or super().__sklearn_is_fitted__()

    def __str__(self) -> str:
        """The collection in a line; of members from outside, its parameters."""
        return repr(self) if "_outside" in vars(self) else super().__str__()

    def __sklearn_tags__(self) -> Any:
        """Which tables may come; members from outside say it themselves."""
        tags = super().__sklearn_tags__()
        if self._is_outside():
            tags.input_tags = get_tags(self.estimator).input_tags
        return tags

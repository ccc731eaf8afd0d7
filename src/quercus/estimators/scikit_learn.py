"""scikit-learn's base classes; type checkers see their public methods, which scikit-learn itself has no types for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:

    class BaseEstimator:
        """What every estimator has."""

        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Self: ...
        def __sklearn_tags__(self) -> Any: ...
        def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]: ...

    class ClassifierMixin:
        """What every classifier has."""

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...
        def __sklearn_tags__(self) -> Any: ...

    class RegressorMixin:
        """What every regressor has."""

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...
        def __sklearn_tags__(self) -> Any: ...

else:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

__all__ = ["BaseEstimator", "ClassifierMixin", "RegressorMixin"]

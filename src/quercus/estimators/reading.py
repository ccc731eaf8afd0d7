"""Names and shapes of X and y as scikit-learn's users expect them; the data layer reads the values."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.validation import validate_data

from quercus.data.schema import Schema
from quercus.errors import DataError, did_you_mean, shown_list


def learn_column_names(estimator: Any, X: Any, schema: Schema) -> None:
    """Set ``n_features_in_`` and, if all columns have names, ``feature_names_in_``."""
    if scikit_learn_reads(X):
        validate_data(estimator, X, reset=True, skip_check_array=True)
    else:  # a dict of columns and its like: always with names
        estimator.n_features_in_ = len(schema)
        estimator.feature_names_in_ = np.array(schema.names, dtype=object)


def check_column_names(estimator: Any, X: Any) -> None:
    """Refuse other columns than those of fitting, and name them; the data layer matches a dict by name.

    Which columns fit is scikit-learn's decision; its words, which its own tools look for, stand behind ours.
    """
    if _same_columns(estimator, X):
        return  # nothing to complain of, and a single row is answered sooner
    if not scikit_learn_reads(X):
        return
    try:
        validate_data(estimator, X, reset=False, skip_check_array=True)
    except ValueError as error:
        raise DataError(f"{_columns_message(estimator, X)} (scikit-learn: {error})") from error


def _columns_message(estimator: Any, X: Any) -> str:
    """Which columns are missing, unknown or out of order, and what to do.

    >>> from types import SimpleNamespace
    >>> fitted = SimpleNamespace(feature_names_in_=np.array(["Age", "Income"]), n_features_in_=2)
    >>> print(_columns_message(fitted, SimpleNamespace(columns=["age", "Income", "City"])))
    The table lacks the column 'Age' of fitting and has 'age', 'City', which fitting did not have. Did you mean 'age'?
    Give the columns of fitting, in their order: 'Age', 'Income'. A column of unknown values may be empty.
    """
    names = vars(estimator).get("feature_names_in_")
    columns = getattr(X, "columns", None)
    if names is None or columns is None:
        width = np.shape(X)[1] if columns is None else len(columns)
        known = "" if names is None else f": {shown_list(names.tolist(), limit=30)}"
        return f"The table has {width} columns, but the model was fitted to {estimator.n_features_in_}{known}."
    known, names_here = names.tolist(), list(columns)
    lacking = [name for name in known if name not in names_here]
    strange = [name for name in names_here if name not in known]
    parts = [f"lacks {_the_columns(lacking)} of fitting"] if lacking else []
    parts += [f"has {shown_list(strange)}, which fitting did not have"] if strange else []
    if not parts:
        parts = ["has the columns of fitting in another order"]
    near = did_you_mean(lacking[0], strange) if lacking else ""
    advice = " A column of unknown values may be empty." if lacking else ""
    remedy = f"Give the columns of fitting, in their order: {shown_list(known, limit=30)}."
    return f"The table {' and '.join(parts)}.{near} {remedy}{advice}"


def _the_columns(names: list[Any]) -> str:
    return f"the column{'s' if len(names) > 1 else ''} {shown_list(names)}"


def _same_columns(estimator: Any, X: Any) -> bool:
    """Whether a plain array has the number of columns, or a frame the very names, that fitting saw."""
    names = vars(estimator).get("feature_names_in_")
    if names is None:
        return type(X) is np.ndarray and X.ndim == 2 and X.shape[1] == estimator.n_features_in_
    columns = getattr(X, "columns", None)
    if columns is None:
        return False
    model = vars(estimator).get("_model")
    if model is not None and model.schema.names == tuple(names.tolist()):
        return bool(model.schema.matches(columns))
    return len(columns) == len(names) and list(columns) == names.tolist()


def scikit_learn_reads(X: Any) -> bool:
    """Whether scikit-learn can count the columns: of frames, two-dimensional arrays and lists of rows.

    >>> scikit_learn_reads([[1, 2], [3, 4]]), scikit_learn_reads({"x": [1, 3]}), scikit_learn_reads(np.zeros(3))
    (True, False, False)
    """
    if isinstance(X, list | tuple):
        return len(X) > 0 and isinstance(X[0], list | tuple | np.ndarray)
    shape = getattr(X, "shape", None)
    if shape is None and hasattr(X, "__array__"):
        shape = np.asarray(X).shape
    return shape is not None and len(shape) == 2


def flat_target(y: Any) -> Any:
    """The target, a column vector flattened with scikit-learn's warning."""
    return column_or_1d(y, warn=True) if getattr(y, "ndim", 1) == 2 else y

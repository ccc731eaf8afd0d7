"""Names and shapes of X and y as scikit-learn's users expect them; the data layer reads the values."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.validation import validate_data

from quercus.data.schema import Schema


def learn_column_names(estimator: Any, X: Any, schema: Schema) -> None:
    """Set ``n_features_in_`` and, if all columns have names, ``feature_names_in_``."""
    if scikit_learn_reads(X):
        validate_data(estimator, X, reset=True, skip_check_array=True)
    else:  # a dict of columns and its like: always with names
        estimator.n_features_in_ = len(schema)
        estimator.feature_names_in_ = np.array(schema.names, dtype=object)


def check_column_names(estimator: Any, X: Any) -> None:
    """Refuse other columns than those of fitting, in scikit-learn's words; the data layer matches a dict by name."""
    if _same_columns(estimator, X):
        return  # nothing to complain of, and a single row is answered sooner
    if scikit_learn_reads(X):
        validate_data(estimator, X, reset=False, skip_check_array=True)


def _same_columns(estimator: Any, X: Any) -> bool:
    """Whether a plain array has the number of columns, or a frame the very names, that fitting saw."""
    names = vars(estimator).get("feature_names_in_")
    if names is None:
        return type(X) is np.ndarray and X.ndim == 2 and X.shape[1] == estimator.n_features_in_
    columns = getattr(X, "columns", None)
    return columns is not None and len(columns) == len(names) and list(columns) == names.tolist()


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

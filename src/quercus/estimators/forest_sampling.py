"""What chance decides, as parameters: the draw of rows and of attributes, in scikit-learn's forms, and the seed."""

from __future__ import annotations

import math
from typing import Any

from quercus.errors import ParameterError
from quercus.estimators.parameters import LARGEST_COUNT, check_choice, check_flag, is_real, is_whole, refuse
from quercus.growing.forest import Sampling

REPLACEMENT = ("with", "without")
MOST_SHARE = 1000.0  # of the rows, drawn with replacement
CONSTANT = ("redraw", "count")
FEATURES = "None (all), 'sqrt', 'log2', a whole number of attributes from 1 on, or a share above 0 up to 1.0"


def check_max_features(name: str, value: Any) -> None:
    """Refuse what is no number of attributes."""
    if value is None or (isinstance(value, str) and value in ("sqrt", "log2")):
        return
    if (is_whole(value) and value >= 1) or (not is_whole(value) and is_real(value) and 0 < value <= 1):
        return
    refuse(name, value, FEATURES)


def attributes_of(name: str, value: Any, n_attributes: int) -> int | None:
    """The number of attributes that a value of ``max_features`` means; None: all of them.

    >>> [attributes_of("max_features", value, 20) for value in ("sqrt", "log2", 7, 0.3, 1.0, None)]
    [4, 4, 7, 6, None, None]
    """
    if value is None:
        return None
    if isinstance(value, str):
        wanted = int(math.sqrt(n_attributes) if value == "sqrt" else math.log2(n_attributes))
    elif is_whole(value):
        wanted = int(value)
        if wanted > n_attributes:
            raise ParameterError(f"{name}={value!r} is more than the {n_attributes} attributes there are.")
    else:
        wanted = int(float(value) * n_attributes)
    wanted = max(1, wanted)
    return None if wanted == n_attributes else wanted


def check_row_draws(estimator: Any) -> None:
    """Refuse wrong parameters of the draw of rows, and those that ask for a draw where there is none."""
    check_flag("bootstrap", estimator.bootstrap)
    check_choice("replacement", estimator.replacement, REPLACEMENT)
    value = estimator.max_samples
    count = is_whole(value) and 1 <= value <= LARGEST_COUNT
    share = not is_whole(value) and is_real(value) and 0 < value <= MOST_SHARE
    if value is not None and not count and not share:
        large = is_real(value) and value > MOST_SHARE
        allowed = f"a whole number of rows from 1 to {LARGEST_COUNT}, or a share above 0 up to {MOST_SHARE:g}"
        few = "a whole number of rows from 1 on, or a share above 0"
        refuse("max_samples", value, "None, " + (allowed if large else few))
    if not (isinstance(estimator.oob_score, bool) or callable(estimator.oob_score)):
        refuse("oob_score", estimator.oob_score, "True, False or a function of (y_true, y_answered)")
    if estimator.bootstrap:
        return
    for name, asked in (("oob_score", bool(estimator.oob_score)), ("stop_when_flat", bool(estimator.stop_when_flat))):
        if asked:
            raise ParameterError(f"{name} needs rows that are out of the bag: give bootstrap=True (or {name}=False).")
    if value is not None and not (not is_whole(value) and value == 1.0):
        raise ParameterError(f"max_samples={value!r} needs bootstrap=True; without draws every tree sees all rows.")


def sampling_of(estimator: Any, n_rows: int, per_node: int | None, per_tree: int | None) -> Sampling:
    """The draw that the parameters ask for, of a table with so many rows of weight."""
    value, share = estimator.max_samples, None
    if estimator.bootstrap and value is not None:
        share = value / n_rows if is_whole(value) else float(value)
        if estimator.replacement == "without" and share > 1:
            raise ParameterError(
                f"max_samples={value!r} is more than the {n_rows} rows there are; replacement='without' cannot draw it."
            )
    return Sampling(
        bootstrap=estimator.replacement if estimator.bootstrap else "no",
        share=share,
        attributes_per_node=per_node,
        attributes_per_tree=per_tree,
        random_thresholds=bool(getattr(estimator, "random_thresholds", False)),
        constant_attributes=getattr(estimator, "constant_features", "redraw"),
    )

"""What chance decides, as parameters: the draw of rows and of attributes, in scikit-learn's forms, and the seed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from quercus.errors import ParameterError
from quercus.estimators.checks import is_whole
from quercus.estimators.growing_parameters import OutOfBag, RowDraws
from quercus.growing.forest import Sampling


class ForestParameters(RowDraws, OutOfBag):
    """The parameters of random forests and bagging."""


def attributes_of(name: str, value: Any, n_attributes: int) -> int | None:
    """The number of attributes that a value of ``max_features`` means; None: all of them.

    >>> [attributes_of("max_features", value, 20) for value in ("sqrt", "log2", 7, 0.3, 1.0, None)]
    [4, 4, 7, 6, None, None]
    """
    if value is None:
        return None
    if isinstance(value, str):
        number = int(math.sqrt(n_attributes) if value == "sqrt" else math.log2(n_attributes))
    elif is_whole(value):
        number = int(value)
        if number > n_attributes:
            raise ParameterError(f"{name}={value!r} is more than the {n_attributes} attributes there are.")
    else:
        number = int(float(value) * n_attributes)
    number = max(1, number)
    return None if number == n_attributes else number


def node_draws(tree: Any, n_attributes: int) -> dict[str, Any]:
    """What a ``Sampling`` says of the draws at the nodes of a single tree; trees that draw nothing have none.

    tree: its estimator.
    """
    values = vars(tree)
    per_node = attributes_of("max_features", values.get("max_features"), n_attributes)
    return {"attributes_per_node": per_node, "random_thresholds": values.get("splitter") == "random"}


def check_row_draws(estimator: ForestParameters) -> None:
    """Refuse what asks for a draw of the rows where there is none."""
    if estimator.bootstrap:
        return
    for name, value in (("oob_score", estimator.oob_score), ("stop_when_flat", estimator.stop_when_flat)):
        if value:
            raise ParameterError(f"{name} needs rows that are out of the bag: give bootstrap=True (or {name}=False).")
    value = estimator.max_samples
    if value is not None and not (not is_whole(value) and value == 1.0):
        raise ParameterError(f"max_samples={value!r} needs bootstrap=True; without draws every tree sees all rows.")


def sampling_of(estimator: ForestParameters, n_rows: int, drawn: Mapping[str, Any]) -> Sampling:
    """The draw that the parameters ask for, of so many rows with weight; drawn: what it says of attributes."""
    value, share = estimator.max_samples, None
    if estimator.bootstrap and value is not None:
        share = value / n_rows if is_whole(value) else float(value)
        if estimator.replacement == "without" and share > 1:
            raise ParameterError(
                f"max_samples={value!r} is more than the {n_rows} rows there are; replacement='without' cannot draw it."
            )
    return Sampling(bootstrap=estimator.replacement if estimator.bootstrap else "no", share=share, **drawn)

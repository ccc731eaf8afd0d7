"""Gain of an attribute: the measures of columns as they come, values and labels side by side."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from numpy.typing import ArrayLike

from quercus.errors import checked_list
from quercus.measures.contingency import ContingencyTable, checked_threshold, contingency_table, with_unknown
from quercus.measures.gain import gain
from quercus.measures.gain_ratio import gain_ratio, split_information
from quercus.measures.thresholds import best_threshold


def gain_of(
    attribute_values: Iterable[object],
    labels: Iterable[object],
    weights: ArrayLike | None = None,
    missing: object = None,
    *,
    threshold: float | Literal["best"] | None = None,
    base: float = 2.0,
) -> float:
    """Information gain of an attribute, from its column and the labels (see :func:`gain`).

    Parameters
    ----------
    attribute_values : the attribute's column; None, NaN, NaT and pandas' NA are unknown values.
    labels : the class of each example.
    weights : weight of each example, all 1 if not given.
    missing : one more value, or a collection of values, that also mean unknown (such as ``"?"``).
    threshold : None: a branch for each value; a number t: x ≤ t against x > t; ``"best"``: the threshold of most gain.
    base : base of the logarithm.

    >>> gain_of(["Sunny", "Sunny", "Rain", "Rain"], ["Yes", "Yes", "No", "No"])
    1.0
    >>> round(gain_of([40, 48, 60, 72, 80, 90], ["No", "No", "Yes", "Yes", "Yes", "No"], threshold="best"), 3)
    0.459
    """
    table = _table(attribute_values, labels, weights, missing, threshold)
    return gain(table.counts, unknown=table.unknown, base=base) if table.values else 0.0


def split_information_of(
    attribute_values: Iterable[object],
    labels: Iterable[object],
    weights: ArrayLike | None = None,
    missing: object = None,
    *,
    threshold: float | Literal["best"] | None = None,
    base: float = 2.0,
) -> float:
    """Split information of an attribute, from its column (see :func:`split_information`).

    Parameters as in :func:`gain_of`.

    >>> split_information_of(["Sunny", "Sunny", "Rain", "Rain"], ["Yes", "Yes", "No", "No"])
    1.0
    """
    table = _table(attribute_values, labels, weights, missing, threshold)
    return split_information(table.counts, unknown=table.unknown, base=base) if table.values else 0.0


def gain_ratio_of(
    attribute_values: Iterable[object],
    labels: Iterable[object],
    weights: ArrayLike | None = None,
    missing: object = None,
    *,
    threshold: float | Literal["best"] | None = None,
) -> float:
    """Gain ratio of an attribute, from its column and the labels (see :func:`gain_ratio`).

    Parameters as in :func:`gain_of`. The best threshold is the one of most gain, as in C4.5, not the one of the highest
    ratio.

    >>> gain_ratio_of(["d1", "d2", "d3", "d4"], ["Yes", "Yes", "No", "No"])
    0.5
    """
    table = _table(attribute_values, labels, weights, missing, threshold)
    return gain_ratio(table.counts, unknown=table.unknown) if table.values else 0.0


def _table(
    attribute_values: Iterable[object],
    labels: Iterable[object],
    weights: ArrayLike | None,
    missing: object,
    threshold: float | Literal["best"] | None,
) -> ContingencyTable:
    """Count the column; the table of a column without any known value has no row (nor any gain)."""
    column, label_list = with_unknown(attribute_values, missing), checked_list("labels", labels)
    cut = checked_threshold(threshold, best=True)
    if cut == "best":
        best = best_threshold(column, label_list, weights=weights)
        cut = best.threshold if best is not None else float("inf")
    return contingency_table(column, label_list, weights=weights, threshold=cut)

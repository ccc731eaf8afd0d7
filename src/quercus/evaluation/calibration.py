"""Calibration: whether what is predicted with probability 0.8 comes true in eight cases of ten."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.data.names import short_number
from quercus.errors import DataError, ParameterError, shorten
from quercus.evaluation.text_table import json_number, share_text
from quercus.results import Cells, Result, Table, frame_of


@dataclass(frozen=True)
class CalibrationBin(Result):
    """Predictions between two probabilities: their weight, their mean, and the share of them that came true."""

    low: float
    high: float
    weight: float
    predicted: float
    observed: float


@dataclass(frozen=True, repr=False)
class Calibration(Table):
    """Bins of equal width, and the expected calibration error.

    event: what is predicted. error: :math:`\\sum_b w_b / w \\, |observed_b - predicted_b|`, the mean distance between
    what was said and what came true. Bins without predictions have NaN.
    """

    event: str
    bins: tuple[CalibrationBin, ...]
    error: float

    def to_dict(self) -> dict[str, Any]:
        """The table as data that JSON can hold."""
        rows = [{name: json_number(value) for name, value in vars(entry).items()} for entry in self.bins]
        return {"event": self.event, "error": json_number(self.error), "bins": rows}

    def to_frame(self) -> Any:
        """The bins as a pandas DataFrame."""
        return frame_of([vars(entry) for entry in self.bins])

    def cells(self) -> Cells:
        """The bins that have predictions, one in each line."""
        rows = [["predicted", "rows", "mean predicted", "came true"]]
        for entry in self.bins:
            if entry.weight > 0:
                cells = [share_text(entry.predicted), share_text(entry.observed)]
                rows.append([f"{entry.low:.1f}–{entry.high:.1f}", short_number(entry.weight), *cells])
        return Cells(rows)


def calibration(
    probability: ArrayLike, happened: ArrayLike, weights: ArrayLike | None = None, *, bins: int = 10, event: str = ""
) -> Calibration:
    """Compare predicted probabilities with what came true.

    probability: one per row. happened: whether it came true. weights: one per row, all 1 if not given. bins: how many,
    of equal width; a probability on a border belongs to the bin above it, 1 to the last. event: what is predicted.

    >>> table = calibration([0.1, 0.1, 0.9, 0.9], [False, False, True, False], bins=2)
    >>> print(table)
    predicted  rows  mean predicted  came true
    0.0–0.5       2           0.100      0.000
    0.5–1.0       2           0.900      0.500
    >>> round(table.error, 3)
    0.25
    """
    if isinstance(bins, bool) or not isinstance(bins, int) or bins < 1:
        raise ParameterError(f"bins is {shorten(bins)}, but must be a whole number of at least 1.")
    said = np.asarray(probability, dtype=np.float64)
    true = np.asarray(happened, dtype=np.float64)
    weight = np.ones(len(said)) if weights is None else np.asarray(weights, dtype=np.float64)
    if not said.shape == true.shape == weight.shape or said.ndim != 1:
        raise DataError(
            f"There are {said.shape} probabilities, {true.shape} events, {weight.shape} weights: one per row."
        )
    place = np.clip(np.floor(said * bins + 1e-9).astype(np.int64), 0, bins - 1)
    total = np.bincount(place, weight, bins).astype(np.float64)
    predicted = _means(np.bincount(place, weight * said, bins).astype(np.float64), total)
    observed = _means(np.bincount(place, weight * true, bins).astype(np.float64), total)
    rows = tuple(
        CalibrationBin(i / bins, (i + 1) / bins, float(total[i]), float(predicted[i]), float(observed[i]))
        for i in range(bins)
    )
    gap = np.abs(np.nan_to_num(observed - predicted))
    error = float((total * gap).sum() / total.sum()) if total.sum() > 0 else math.nan
    return Calibration(event, rows, error)


def _means(sums: NDArray[np.float64], total: NDArray[np.float64]) -> NDArray[np.float64]:
    means: NDArray[np.float64] = np.divide(sums, total, out=np.full(len(sums), np.nan), where=total > 0)
    return means

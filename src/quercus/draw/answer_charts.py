"""Charts of answers: the confusion matrix, and how far predicted probabilities come true."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from quercus.data.names import quoted_value, short_number
from quercus.draw.chart import Axis, Bars, Cells, Chart, Line, Mark, Reference
from quercus.errors import DataError

MOST_CLASSES = 40
MANY_CLASSES = 12
BAR_ROOM, BAR_LENGTH = 0.24, 0.13  # below the chart, for the numbers of examples


def confusion_chart(matrix: ArrayLike, classes: Sequence[Any], *, title: str = "Confusion matrix") -> Chart:
    """The confusion matrix: how often each true class (rows) was answered by each class (columns).

    matrix: counts or weights [true, predicted]. classes: their names. Each cell shows its count and its share of the
    row; the darker, the greater the share. With more than 12 classes only counts are shown, and no zeros.

    >>> chart = confusion_chart([[8, 2], [1, 4]], ["No", "Yes"])
    >>> chart.y.label, chart.y.names, chart.marks[0].texts[0][1]
    ('true class', ('No', 'Yes'), '2\\n20 %')
    """
    table = np.asarray(matrix, dtype=np.float64)
    if table.shape != (len(classes), len(classes)) or not np.isfinite(table).all() or (table < 0).any():
        raise DataError(
            f"The confusion matrix has the shape {table.shape}, but must hold {len(classes)} × {len(classes)} numbers "
            "of 0 or more: row = true class, column = predicted class."
        )
    if len(classes) > MOST_CLASSES:
        raise DataError(f"A confusion matrix of {len(classes)} classes cannot be read; at most {MOST_CLASSES} can.")
    total = table.sum(axis=1, keepdims=True)
    share = np.divide(table, total, out=np.zeros_like(table), where=total > 0)
    many = len(classes) > MANY_CLASSES
    texts = [
        [_cell_text(count, part, many) for count, part in zip(counts, parts, strict=True)]
        for counts, parts in zip(table.tolist(), share.tolist(), strict=True)
    ]
    names = tuple(quoted_value(label, 60) for label in classes)
    right, whole = float(np.trace(table)), float(table.sum())
    note = f"{short_number(right)} of {short_number(whole)} right ({_percent(right / whole)})" if whole > 0 else ""
    return Chart(
        title,
        Axis("predicted class", "categories", names=names),
        Axis("true class", "categories", names=names, downwards=True),
        (Cells(share.tolist(), texts, outlined=True),),
        note,
        max(420.0, 170.0 + (46.0 if many else 80.0) * len(names)),
        max(220.0, 120.0 + (30.0 if many else 46.0) * len(names)),
    )


def reliability_chart(calibration: Any, *, title: str | None = None) -> Chart:
    """Predicted probability against what came true; on the diagonal a model means what it says.

    calibration: with ``bins`` that have predicted, observed, weight, low and high: an evaluation's calibration, or its
    ``to_dict()``. The bars say how many examples each bin has.

    >>> bins = [{"low": 0, "high": 0.5, "predicted": 0.1, "observed": 0.2, "weight": 10},
    ...         {"low": 0.5, "high": 1, "predicted": 0.9, "observed": 0.7, "weight": 30}]
    >>> reliability_chart({"event": "Yes", "bins": bins}).marks[-1].y
    (0.2, 0.7)
    """
    data = calibration if isinstance(calibration, Mapping) else vars(calibration)
    rows = [entry if isinstance(entry, Mapping) else vars(entry) for entry in data["bins"]]
    kept = [row for row in rows if row["weight"] and row["predicted"] is not None and math.isfinite(row["predicted"])]
    weights = [float(row["weight"]) for row in kept]
    most = max(weights, default=1.0)
    middles = tuple((float(row["low"]) + float(row["high"])) / 2 for row in kept)
    width = min((float(row["high"]) - float(row["low"]) for row in kept), default=0.1)
    marks: tuple[Mark, ...] = (
        Bars(
            middles,
            tuple(BAR_LENGTH * weight / most - BAR_ROOM for weight in weights),
            "examples in the bin",
            7,
            tuple(short_number(weight) for weight in weights),
            width=0.7 * width,
            base=-BAR_ROOM,
        ),
        Reference(0.0, "diagonal", "came true as often as predicted"),
        Line(
            tuple(float(row["predicted"]) for row in kept),
            tuple(float(row["observed"]) for row in kept),
            "share that came true",
            0,
            markers=True,
        ),
    )
    event = data.get("event")
    axis = Axis(f"predicted probability of {event}" if event else "predicted probability", limits=(0.0, 1.0))
    shares = Axis("share that came true", limits=(-BAR_ROOM, 1.0), ticks=(0.0, 0.2, 0.4, 0.6, 0.8, 1.0))
    error = data.get("error")
    note = f"mean distance from the diagonal: {error:.3f}" if error is not None and math.isfinite(error) else ""
    return Chart(title or "Reliability", axis, shares, marks, note)


def _cell_text(count: float, part: float, short: bool) -> str:
    if short:
        return short_number(count) if count else ""
    return f"{short_number(count)}\n{_percent(part)}"


def _percent(part: float) -> str:
    """A share as a percentage without decimals; never 0 or 100 if it is not.

    >>> _percent(0.204), _percent(0.0), _percent(0.0001), _percent(0.9999)
    ('20 %', '0 %', '< 1 %', '> 99 %')
    """
    if 0 < part < 0.005:
        return "< 1 %"
    return "> 99 %" if 0.995 <= part < 1 else f"{100 * part:.0f} %"

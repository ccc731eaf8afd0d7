"""Charts of Shapley values: of one answer, of a table, and of one attribute against its values.

Each takes an explanation as ``model.shap_values`` gives it, with or without the package shap. If the model has several
outputs, take one first: ``found[:, :, 1]`` of a table, ``found[0, :, 1]`` of one row.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Floats
from quercus.data.names import quoted_value, short_number
from quercus.draw.chart import Axis, Bars, Chart, Mark, Points, Reference
from quercus.errors import DataError, ParameterError, did_you_mean

MOST_SHOWN = 12
_UP, _DOWN = 1, 0
_THIRDS = ("low value", "middle value", "high value")
_THIRD_COLOURS = (0, 7, 1)


def waterfall_chart(explanation: Any, *, most: int = MOST_SHOWN, title: str | None = None) -> Chart:
    """How one answer came about: from the base value, attribute by attribute, to what is answered.

    explanation: of one row, such as ``model.shap_values(X)[0]``. most: at most so many attributes, the strongest; the
    others stand together in one line.

    >>> from quercus import CARTRegressor
    >>> X = {"x": [1, 2, 3, 4], "y": [0, 1, 0, 1]}
    >>> found = CARTRegressor().fit(X, [0.0, 2.0, 4.0, 10.0]).shap_values(X)
    >>> chart = waterfall_chart(found[3])
    >>> chart.y.names, chart.note
    (('x = 4', 'y = 1'), 'base value 4, answer 10')
    """
    values = _checked(explanation, 1)
    base = float(explanation.base_values)
    order = np.argsort(-np.abs(values), kind="stable")
    shown = order[: _limit(most)]
    rest = float(values[order[len(shown) :]].sum())
    names = [f"{explanation.feature_names[i]} = {_shown(explanation.data[i])}" for i in shown]
    steps = [float(values[i]) for i in shown]
    if len(shown) < len(order):
        names.append(f"{len(order) - len(shown)} others")
        steps.append(rest)
    ends = base + np.cumsum(steps[::-1])[::-1] if steps else np.array([base])
    starts = ends - np.array(steps) if steps else ends
    marks: list[Mark] = [
        Bars((float(place),), (float(end),), "", _UP if step >= 0 else _DOWN, (_signed(step),), True, 0.7, float(start))
        for place, (start, end, step) in enumerate(zip(starts, ends, steps, strict=False))
    ]
    marks.append(Reference(base, "x", "base value"))
    answer = base + float(values.sum())
    return Chart(
        title or "From the base value to the answer",
        Axis("answer"),
        Axis("", "categories", names=tuple(names), downwards=True),
        tuple(marks),
        f"base value {short_number(base)}, answer {short_number(round(answer, 12) + 0.0)}",
        640.0,
        max(220.0, 130.0 + 30.0 * len(names)),
    )


def beeswarm_chart(explanation: Any, *, most: int = MOST_SHOWN, title: str | None = None) -> Chart:
    """The Shapley values of a whole table, a line of points for each attribute, the strongest on top.

    explanation: of a table. most: at most so many attributes. A point is a row; where many lie at one place, the line
    is thick. The colour says whether the attribute's value is among its lowest, middle or highest third; values that
    are no numbers have one colour.

    >>> from quercus import CARTRegressor
    >>> X = {"x": [1, 2, 3, 4], "y": [0, 1, 0, 1]}
    >>> found = CARTRegressor().fit(X, [0.0, 2.0, 4.0, 10.0]).shap_values(X)
    >>> chart = beeswarm_chart(found)
    >>> chart.y.names, [mark.name for mark in chart.marks[1:]]
    (('x', 'y'), ['low value', 'middle value', 'high value'])
    """
    values = _checked(explanation, 2)
    shown = np.argsort(-np.abs(values).mean(axis=0), kind="stable")[: _limit(most)]
    points: dict[str, tuple[list[float], list[float]]] = {}
    for place, column in enumerate(shown):
        across = place + _spread(values[:, column])
        for name, chosen in _thirds(np.asarray(explanation.data)[:, column]):
            x, y = points.setdefault(name, ([], []))
            x.extend(values[chosen, column].tolist())
            y.extend(across[chosen].tolist())
    colours = {**dict(zip(_THIRDS, _THIRD_COLOURS, strict=True)), "": "muted"}
    order = [name for name in (*_THIRDS, "") if name in points]
    marks: tuple[Mark, ...] = (
        Reference(0.0, "x"),
        *(Points(*points[name], name, colours[name], 2.5) for name in order),  # type: ignore[arg-type]
    )
    names = tuple(str(explanation.feature_names[column]) for column in shown)
    return Chart(
        title or "What the attributes brought",
        Axis("Shapley value: change of the answer"),
        Axis("", "categories", names=names, downwards=True),
        marks,
        "",
        640.0,
        max(220.0, 130.0 + 34.0 * len(names)),
    )


def dependence_chart(explanation: Any, attribute: str, *, title: str | None = None) -> Chart:
    """The Shapley values of one attribute against its values.

    explanation: of a table. attribute: its name. Rows whose value is unknown are left out.

    >>> from quercus import CARTRegressor
    >>> X = {"x": [1, 2, 3, 4], "y": [0, 1, 0, 1]}
    >>> found = CARTRegressor().fit(X, [0.0, 2.0, 4.0, 10.0]).shap_values(X)
    >>> dependence_chart(found, "y").x.label
    'y'
    """
    values = _checked(explanation, 2)
    names = list(explanation.feature_names)
    if attribute not in names:
        raise ParameterError(f"There is no attribute {attribute!r}.{did_you_mean(attribute, names)}")
    column = names.index(attribute)
    cells = np.asarray(explanation.data)[:, column]
    numbers = _as_numbers(cells)
    axis = Axis(attribute)
    if numbers is None:
        domain = sorted({str(cell) for cell in cells if cell is not None})
        numbers = np.array([np.nan if cell is None else domain.index(str(cell)) for cell in cells], dtype=np.float64)
        axis = Axis(attribute, "categories", names=tuple(domain))
    known = np.isfinite(numbers)
    marks = (Reference(0.0, "y"), Points(numbers[known].tolist(), values[known, column].tolist(), "", 0, 3.0))
    missing = int((~known).sum())
    note = f"{missing} of {len(known)} rows have no known value" if missing else ""
    return Chart(title or f"What {attribute} brought", axis, Axis("Shapley value"), marks, note)


def _checked(explanation: Any, ndim: int) -> Floats:
    """The values of one row (1) or of a table (2); of others the way to get there is told."""
    values = np.asarray(explanation.values, dtype=np.float64)
    if values.ndim != ndim or np.ndim(explanation.data) != ndim:
        needed = "one row: found[0], or found[0, :, 1] of several outputs"
        needed = needed if ndim == 1 else "a table and one output: found[:, :, 1] of several outputs"
        raise DataError(f"The explanation has values of the shape {values.shape}, but this chart is of {needed}.")
    return values


def _limit(most: int) -> int:
    if not isinstance(most, int | np.integer) or most < 1:
        raise ParameterError(f"most is {most!r}, but must be a whole number of at least 1.")
    return int(most)


def _shown(cell: Any) -> str:
    if isinstance(cell, float | np.floating | np.integer | int) and not isinstance(cell, bool):
        return "unknown" if cell != cell else short_number(float(cell))
    return "unknown" if cell is None else quoted_value(cell, 40)


def _signed(number: float) -> str:
    return f"{'+' if number >= 0 else '−'}{short_number(abs(number))}"


def _as_numbers(cells: NDArray[Any]) -> Floats | None:
    """The cells as numbers; None if some are none."""
    try:
        return np.asarray(cells, dtype=np.float64)
    except (TypeError, ValueError):
        return None


def _thirds(cells: NDArray[Any]) -> list[tuple[str, NDArray[np.bool_]]]:
    """The rows of the lowest, middle and highest third of the known numbers; all others have no name."""
    numbers = _as_numbers(cells)
    if numbers is None or not np.isfinite(numbers).any():
        return [("", np.ones(len(cells), dtype=np.bool_))]
    low, high = np.quantile(numbers[np.isfinite(numbers)], [1 / 3, 2 / 3])
    masks = (numbers <= low, (numbers > low) & (numbers < high), (numbers >= high) & (numbers > low))
    groups = list(zip(_THIRDS, masks, strict=True))
    return groups if np.isfinite(numbers).all() else [*groups, ("", ~np.isfinite(numbers))]


def _spread(values: Floats) -> Floats:
    """How far each point stands beside the middle of its line: points at nearly the same place lie side by side."""
    result = np.zeros(len(values))
    width = float(np.ptp(values)) / 60 if len(values) else 0.0
    if width <= 0.0:
        width = 1.0
    bins = np.floor((values - values.min()) / width).astype(np.int64) if len(values) else np.zeros(0, np.int64)
    counts = np.bincount(bins) if len(bins) else np.zeros(1, np.int64)
    for place in np.flatnonzero(counts):
        rows = np.flatnonzero(bins == place)
        beside = np.arange(len(rows))
        side = np.where(beside % 2 == 0, 1.0, -1.0) * ((beside + 1) // 2)
        result[rows] = 0.4 * side / max(1.0, counts.max() / 2)
    return result

"""The data summary of a report: kind, unknown values, range or commonest values of every column, and the target."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.data.dataset import ClassTarget, Dataset
from quercus.data.names import quoted_name, quoted_value, significant
from quercus.data.schema import Attribute

#: How many bars the picture of a numeric column has, and how many values of a nominal one are named.
BARS = 12
NAMED = 5


def summarise_data(
    dataset: Dataset, target: ClassTarget | NDArray[Any], weights: ArrayLike | None = None
) -> dict[str, Any]:
    """What is in a table, as data that JSON can hold.

    dataset: the encoded rows. target: their classes or numbers. weights: one per row; only what is said of the target
    heeds them, everything else counts rows.

    >>> from quercus.data import encode, encode_classes
    >>> data = encode({"Wind": ["Weak", "Strong", "Weak", None], "Humidity": [65, 70, 90, 95]})
    >>> summary = summarise_data(data, encode_classes(["Yes", "No", "Yes", "Yes"]))
    >>> summary["columns"][0]["unknown"], summary["columns"][0]["values"]
    (1, [['Weak', 2], ['Strong', 1]])
    >>> summary["columns"][1]["least"], summary["columns"][1]["middle"], summary["columns"][1]["greatest"]
    ('65', '80', '95')
    >>> summary["target"]["classes"]
    [['No', 1.0], ['Yes', 3.0]]
    """
    pairs = zip(dataset.schema, dataset.columns, strict=True)
    return {
        "rows": dataset.n_rows,
        "columns": [_column(attribute, column) for attribute, column in pairs],
        "target": _target(dataset, target, weights),
    }


def _column(attribute: Attribute, column: NDArray[Any]) -> dict[str, Any]:
    known = column[~np.isnan(column)] if attribute.is_numeric else column[column >= 0]
    result: dict[str, Any] = {
        "name": quoted_name(attribute.name),
        "kind": attribute.kind,
        "unknown": len(column) - len(known),
        "distinct": len(np.unique(known)),
    }
    if attribute.kind in ("numeric", "date"):
        return result | _range(attribute, known.astype(np.float64))
    counts = np.bincount(known.astype(np.int64), minlength=attribute.n_values)
    order = np.arange(len(counts)) if attribute.kind == "ordered" else np.argsort(-counts, kind="stable")
    shown = order[: BARS if attribute.kind == "ordered" else NAMED]
    result["values"] = [[_value(attribute, int(code)), int(counts[code])] for code in shown if counts[code] > 0]
    return result


def _value(attribute: Attribute, code: int) -> str:
    return quoted_value(attribute.show(code)) if isinstance(attribute.values[code], str) else attribute.show(code)


def _range(attribute: Attribute, known: NDArray[np.float64]) -> dict[str, Any]:
    finite = known[np.isfinite(known)]
    if not len(finite):
        return {"least": None, "middle": None, "greatest": None, "bars": []}
    low, high = float(finite.min()), float(finite.max())
    least, middle, greatest = (attribute.show(number, 6) for number in (low, float(np.median(finite)), high))
    bars = np.histogram(finite, BARS)[0] if high > low and np.isfinite(high - low) else np.array([len(finite)])
    return {"least": least, "middle": middle, "greatest": greatest, "bars": bars.tolist()}


def _target(dataset: Dataset, target: ClassTarget | NDArray[Any], weights: ArrayLike | None) -> dict[str, Any]:
    name = dataset.schema.target
    result: dict[str, Any] = {"name": None if name is None else quoted_name(name)}
    if isinstance(target, ClassTarget):
        row_weights = None if weights is None else np.asarray(weights, dtype=np.float64)
        counts = np.bincount(target.codes, weights=row_weights, minlength=len(target.classes)).astype(np.float64)
        names = [quoted_value(label) for label in np.asarray(target.classes).tolist()]
        return result | {"classes": [list(pair) for pair in zip(names, counts.tolist(), strict=True)]}
    numbers = np.asarray(target, dtype=np.float64)
    heed = np.ones(len(numbers)) if weights is None else np.asarray(weights, dtype=np.float64)
    mean = float(np.average(numbers, weights=heed))
    spread = float(np.sqrt(np.average((numbers - mean) ** 2, weights=heed)))
    return result | {
        "mean": significant(mean, 6),
        "spread": significant(spread),
        **_range(Attribute("target", "numeric"), numbers),
    }

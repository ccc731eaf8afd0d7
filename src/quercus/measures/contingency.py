"""Contingency tables: two columns (an attribute and the class) counted against each other."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.arrays import Floats
from quercus.data.values import is_missing, number_text, plain_value, value_key, value_text
from quercus.errors import DataError, checked_list, checked_number, shorten
from quercus.measures.counts import as_weights
from quercus.results import Cells, Table, frame_of


@dataclass(frozen=True, repr=False)
class ContingencyTable(Table):
    """The branches of a split against the classes.

    values: what each branch (row) stands for: a value of the attribute, or the texts ``"<= t"`` and ``"> t"``.
    classes: what each column stands for. counts: weight of the known examples, branches × classes.
    unknown: weight of the examples whose value is unknown, by class.
    """

    values: tuple[Any, ...]
    classes: tuple[Any, ...]
    counts: Floats
    unknown: Floats

    def cells(self) -> Cells:
        """A line for each branch, a column for each class; the weight of unknown values last, if there is any."""
        head = ["", *(value_text(label) for label in self.classes)]
        names = map(value_text, self.values)
        rows = [[name, *(f"{n:g}" for n in line)] for name, line in zip(names, self.counts, strict=True)]
        rows += [["unknown", *(f"{n:g}" for n in self.unknown)]] if self.unknown.any() else []
        return Cells([head, *rows])

    def to_frame(self) -> Any:
        """The weights as a pandas DataFrame, one row for each branch."""
        columns = {value_text(label): self.counts[:, place] for place, label in enumerate(self.classes)}
        return frame_of({"value": self.values, **columns}, "value")


def contingency_table(
    attribute_values: Iterable[object],
    labels: Iterable[object],
    *,
    weights: ArrayLike | None = None,
    missing: object = None,
    threshold: float | None = None,
) -> ContingencyTable:
    """Count an attribute's values against the labels, so that every measure can be taken of the table.

    Parameters
    ----------
    attribute_values : the attribute's column. None, NaN, NaT and pandas' NA are unknown values; rows of weight 0 are
        left out.
    labels : the class of each example; none may be missing.
    weights : weight of each example, all 1 if not given.
    missing : one more value, or a collection of values, that also mean unknown (such as ``"?"``).
    threshold : None makes a branch of each value, in ascending order; a number t makes two branches, ≤ t and > t.

    >>> table = contingency_table(["Weak", "Strong", "?", "Weak"], ["Yes", "No", "No", "No"], missing="?")
    >>> table.values, table.classes
    (('Strong', 'Weak'), ('No', 'Yes'))
    >>> table.counts.tolist(), table.unknown.tolist()
    ([[1.0, 0.0], [1.0, 1.0]], [1.0, 0.0])
    """
    column, classes, class_codes, weight = _read_rows(attribute_values, labels, weights, missing)
    cut = checked_threshold(threshold)
    if cut is None:
        values, codes = encode_values(column)
    else:
        numbers = as_column(column)
        sign = number_text(cut)
        values = (f"<= {sign}", f"> {sign}")
        codes = np.where(np.isnan(numbers), -1, numbers > cut).astype(np.int64)
    counts = np.zeros((len(values) + 1, len(classes)))
    np.add.at(counts, (codes, class_codes), weight)  # unknown (-1) is counted in the last row
    return ContingencyTable(values, classes, counts[:-1], counts[-1])


def _read_rows(
    attribute_values: Iterable[object], labels: Iterable[object], weights: ArrayLike | None, missing: object
) -> tuple[list[Any], tuple[Any, ...], NDArray[np.int64], Floats]:
    """Return the column with None for unknown, the classes, the class codes and the weights of rows that weigh."""
    column = with_unknown(attribute_values, missing)
    label_list = checked_list("labels", labels)
    if len(column) != len(label_list):
        raise DataError(
            f"The attribute has {len(column)} values but there are {len(label_list)} labels; both need one per row."
        )
    weight = row_weights(weights, len(column))
    kept = np.flatnonzero(weight > 0)
    if kept.size < len(column):
        column, label_list, weight = [column[i] for i in kept], [label_list[i] for i in kept], weight[kept]
    classes, class_codes = encode_labels(label_list)
    return column, classes, class_codes, weight


def row_weights(weights: ArrayLike | None, n_rows: int) -> Floats:
    """Return one weight per row, all 1 if none are given."""
    if weights is None:
        return np.ones(n_rows)
    weight = as_weights(weights, "weights")
    if weight.shape != (n_rows,):
        raise DataError(
            f"weights must be one number per row, {n_rows} of them, but the shape {weight.shape} was given."
        )
    return weight


def missing_tokens(missing: object) -> tuple[object, ...]:
    """Return the values that mean unknown: none for None, the members of a collection, else the one value given."""
    if missing is None:
        return ()
    one = isinstance(missing, (str, bytes)) or getattr(missing, "ndim", None) == 0
    return tuple(missing) if isinstance(missing, Collection) and not one else (missing,)


def checked_threshold(threshold: Any, best: bool = False) -> Any:
    """Return a threshold as a float, or None. best: whether the word "best" is allowed, too."""
    if threshold is None or (best and isinstance(threshold, str) and threshold == "best"):
        return threshold
    allowed = (
        'None (a branch for each value), a number or "best"' if best else "None (a branch for each value) or a number"
    )
    return checked_number("threshold", threshold, allowed, lambda number: not math.isnan(number))


def with_unknown(column: Iterable[object], missing: object, name: str = "The column") -> list[Any]:
    """Return the plain values of a column, with None for each that is unknown. name: of the column, in a message."""
    keys = {value_key(plain_value(token)) for token in missing_tokens(missing) if not is_missing(token)}
    plain = [None if is_missing(value) else plain_value(value) for value in checked_list(name, column)]
    return [None if value is None or value_key(value) in keys else value for value in plain] if keys else plain


def encode_values(column: Sequence[Any]) -> tuple[tuple[Any, ...], NDArray[np.int64]]:
    """Return the distinct values (ascending if they can be compared, else as met) and each row's code, −1 for None."""
    met: dict[object, Any] = {}
    for value in column:
        if value is not None:
            met.setdefault(value_key(value), value)
    values = list(met.values())
    with suppress(TypeError):
        values = sorted(values)
    codes = {value_key(value): code for code, value in enumerate(values)}
    return tuple(values), np.asarray([-1 if v is None else codes[value_key(v)] for v in column], dtype=np.int64)


def encode_labels(labels: Iterable[object]) -> tuple[tuple[Any, ...], NDArray[np.int64]]:
    """Return the classes in ascending order and the class code of each row."""
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "iu" and labels.ndim == 1 and labels.size:
        classes, codes = np.unique(labels, return_inverse=True)
        return tuple(classes.tolist()), codes.astype(np.int64)
    column = with_unknown(labels, None, "The column of labels")
    if not column:
        raise DataError("labels must hold at least one class (of an example of weight above 0), but none was given.")
    if None in column:
        raise DataError(f"The label of row {column.index(None)} is missing; leave out examples whose class is unknown.")
    return encode_values(column)


def as_column(values: Iterable[object]) -> Floats:
    """Return a numeric column as float64, NaN where the value is unknown."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiub":
        numbers = values.astype(np.float64)
    else:
        plain = with_unknown(values, None)
        try:
            numbers = np.asarray([np.nan if value is None else value for value in plain], dtype=np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise DataError(f"A threshold needs a column of numbers, but {error}.") from error
    if numbers.ndim != 1 or np.isinf(numbers).any():
        raise DataError(f"A threshold needs one column of finite numbers (NaN: unknown), but got {shorten(numbers)}.")
    return numbers

"""The target: class labels as codes, or numbers."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Array
from quercus.data.column import Column, first_row
from quercus.data.conversion import distinct_codes
from quercus.data.names import counted
from quercus.data.table import read_column
from quercus.errors import DataError, DataTypeError, shorten, shown_list

__all__ = ["ClassTarget", "encode_classes", "encode_numbers"]

_LARGEST = sys.float_info.max


@dataclass(frozen=True, eq=False, repr=False)
class ClassTarget:
    """Class labels: ``classes[codes[i]]`` is the label of row i."""

    classes: Array
    codes: NDArray[np.int32]

    def __repr__(self) -> str:
        """Rows and classes in one line."""
        return f"<ClassTarget: {counted(len(self.codes), 'row')}, classes {shown_list(self.classes.tolist(), 6)}>"

    @property
    def n_classes(self) -> int:
        """How many classes there are, those that a categorical declares but no row has included."""
        return len(self.classes)


#: The target of some rows: classes by their codes, or numbers.
Target = ClassTarget | NDArray[np.float64]


def take_target(target: Target, rows: Any) -> Target:
    """The target of some rows; all classes stay declared."""
    if isinstance(target, ClassTarget):
        return ClassTarget(target.classes, np.ascontiguousarray(target.codes[rows]))
    return np.asarray(np.asarray(target)[rows])


def encode_classes(y: Any) -> ClassTarget:
    """Encode class labels. Classes are sorted (like np.unique), or the categories of a categorical in their order.

    >>> target = encode_classes(["Yes", "No", "Yes"])
    >>> target.classes, target.codes
    (array(['No', 'Yes'], dtype='<U3'), array([1, 0, 1], dtype=int32))
    """
    column, dtype = _read_target(y)
    if column.numbers is not None and column.kind == "numeric":
        _check_label_numbers(column.numbers)
    codes, values = distinct_codes(column)
    if bool((codes < 0).any()):
        raise DataError(
            f"Input y contains NaN: the label of {first_row(codes < 0)} is missing. Drop the rows without a label."
        )
    if not column.declared:
        codes, values = _sorted_present(codes, values)
    return ClassTarget(_class_array(values, dtype), np.ascontiguousarray(codes, dtype=np.int32))


def encode_numbers(y: Any) -> NDArray[np.float64]:
    """Return a numeric target as contiguous float64; every number must be finite.

    >>> encode_numbers([1, 2.5])
    array([1. , 2.5])
    """
    column, _ = _read_target(y)
    if column.numbers is None or column.kind != "numeric":
        numbers = _numbers_of_labels(column)
    else:
        numbers = np.ascontiguousarray(column.numbers, dtype=np.float64)
        if column.missing is not None:
            numbers = np.where(column.missing, np.nan, numbers)
    _check_finite(numbers)
    return numbers


def _read_target(y: Any) -> tuple[Column, np.dtype[Any] | None]:
    """Read the target as one column, and the dtype that its classes should have (None: objects)."""
    if y is None:
        raise DataError("The target y is None; fitting requires y to be passed, one label or number for each row.")
    if isinstance(y, (str, bytes)) or hasattr(type(y), "toarray"):
        raise DataTypeError(f"The target y is {shorten(y)}, but must be a dense one-dimensional array, list or series.")
    if nw.dependencies.is_into_dataframe(y):
        frame = nw.from_native(y, eager_only=True)
        if frame.shape[1] != 1:
            raise DataError(f"y should be a 1d array, got an array of shape {frame.shape} instead.")
        y = next(iter(frame.iter_columns())).to_native()
    library = type(y).__module__.partition(".")[0]
    if isinstance(y, np.ndarray) or (hasattr(y, "__array__") and library not in ("pandas", "polars", "pyarrow")):
        y = y if isinstance(y, np.ndarray) else np.asarray(y)
        y = y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
        if y.ndim != 1:
            raise DataError(f"y should be a 1d array, got an array of shape {y.shape} instead.")
    column = read_column("y", y)
    if len(column) == 0:
        raise DataError("Found array with 0 sample(s) in y while a minimum of 1 is required.")
    return column, _class_dtype(y)


def _class_dtype(y: Any) -> np.dtype[Any] | None:
    if isinstance(y, (list, tuple)):
        kinds = set(map(type, y))
        return np.dtype(np.str_) if kinds <= {str, np.str_} else None
    dtype = getattr(y, "dtype", None)
    return dtype if isinstance(dtype, np.dtype) and dtype.kind in "iufUSb" else None


def _check_label_numbers(numbers: Array) -> None:
    if numbers.dtype.kind != "f":
        return
    infinite = np.isinf(numbers)
    if bool(infinite.any()):
        raise DataError(
            f"Input y contains infinity or a value too large for {numbers.dtype!r}: {first_row(infinite)}. "
            "Correct the label."
        )
    fraction = (np.floor(numbers) != numbers) & ~np.isnan(numbers)
    if bool(fraction.any()):
        value = numbers[int(np.argmax(fraction))]
        raise DataError(
            f"Unknown label type: continuous. The label of {first_row(fraction)} is {value}; classes are names or "
            "whole numbers. Use a regressor, or turn the numbers into classes first."
        )


def _sorted_present(codes: NDArray[np.int32], values: tuple[Any, ...]) -> tuple[NDArray[np.int32], tuple[Any, ...]]:
    present = np.flatnonzero(np.bincount(codes, minlength=len(values)))
    order = present.tolist()
    try:
        order.sort(key=values.__getitem__)
    except TypeError:  # labels that cannot be compared: by type, then by value or text
        order.sort(key=lambda code: (type(values[code]).__name__, str(values[code])))
    new = np.full(len(values), -1, dtype=np.int32)
    new[order] = np.arange(len(order), dtype=np.int32)
    return new[codes], tuple(values[code] for code in order)


def _class_array(values: tuple[Any, ...], dtype: np.dtype[Any] | None) -> Array:
    if dtype is None and values and all(type(value) is int for value in values) and max(map(abs, values)) < 2**63:
        dtype = np.dtype(np.int64)
    elif dtype is None and values and len({type(value) for value in values}) == 1 and type(values[0]) in (bool, float):
        dtype = np.dtype(type(values[0]))
    if dtype is not None:
        classes = np.array(values, dtype=np.str_ if dtype.kind == "U" else dtype)
        if classes.tolist() == list(values):  # NumPy's text drops a NUL at the end
            return classes
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _numbers_of_labels(column: Column) -> NDArray[np.float64]:
    codes, values = distinct_codes(column)
    table = np.full(len(values) + 1, np.nan)
    for position, value in enumerate(values):
        if not isinstance(value, (bool, int, float)):
            raise DataError(
                f"The target of {first_row(codes == position)} is {shorten(value)}, but regression needs numbers. "
                "Convert y to numbers, or use a classifier."
            )
        table[position] = value if abs(value) <= _LARGEST else math.inf
    return table[codes]


def _check_finite(numbers: NDArray[np.float64]) -> None:
    if bool(np.isfinite(numbers).all()):
        return
    unknown = np.isnan(numbers)
    if bool(unknown.any()):
        raise DataError(
            f"Input y contains NaN: the target of {first_row(unknown)} is missing. Drop the rows without one."
        )
    infinite = np.isinf(numbers)
    raise DataError(
        f"Input y contains infinity or a value too large for dtype('float64'): {first_row(infinite)}. "
        "Correct the target."
    )

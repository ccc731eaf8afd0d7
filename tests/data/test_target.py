"""Targets: class labels and numbers."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from quercus.data import encode_classes, encode_numbers
from quercus.errors import DataError

LABELS = ["Yes", "No", "Yes", "Maybe"]


@pytest.mark.parametrize(
    "y",
    [
        LABELS,
        tuple(LABELS),
        np.array(LABELS),
        np.array(LABELS, dtype=object),
        np.array(LABELS).reshape(-1, 1),
        pd.Series(LABELS, index=[9, 8, 7, 6]),
        pd.Series(LABELS, dtype=object),
        pd.DataFrame({"y": LABELS}),
        pl.Series(LABELS),
        pl.DataFrame({"y": LABELS}),
        pl.Series(LABELS, dtype=pl.Categorical),
        pa.chunked_array([LABELS]),
        pa.array(LABELS),
    ],
)
def test_text_labels_are_sorted(y: object) -> None:
    target = encode_classes(y)
    assert target.classes.tolist() == ["Maybe", "No", "Yes"] and target.n_classes == 3
    assert target.codes.tolist() == [2, 1, 2, 0] and target.codes.dtype == np.int32
    assert target.classes.dtype.kind in "OU"


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (np.array([3, -1, 3], dtype=np.int8), np.array([-1, 3], dtype=np.int8)),
        (np.array([3, -1, 3]), np.array([-1, 3])),
        (np.array([2**62 + 1, 2**62]), np.array([2**62, 2**62 + 1])),
        (np.array([1.0, 0.0]), np.array([0.0, 1.0])),
        ([1.0, 0.0], np.array([0.0, 1.0])),
        (np.array([True, True]), np.array([True])),
        ([True, False], np.array([False, True])),
        ([2, 1], np.array([1, 2])),
        (np.array([2, 1], dtype=object), np.array([1, 2])),
        (pd.Series([2, 1], dtype="Int64"), np.array([1, 2])),
        (pl.Series([2, 1]), np.array([1, 2])),
        ([10**30, 1], np.array([1, 10**30], dtype=object)),
        (np.array([b"b", b"a"]), np.array([b"a", b"b"])),
        (["a\0", "a"], np.array(["a", "a\0"], dtype=object)),
        (
            [dt.date(2024, 1, 2), dt.date(2024, 1, 1)],
            np.array([dt.date(2024, 1, 1), dt.date(2024, 1, 2)], dtype=object),
        ),
    ],
)
def test_labels_keep_their_type(y: object, classes: np.ndarray) -> None:
    target = encode_classes(y)
    assert target.classes.dtype == classes.dtype and target.classes.tolist() == classes.tolist()
    assert [target.classes[code] for code in target.codes] == list(y)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    "y",
    [
        pd.Series(pd.Categorical(["b", "a"], categories=["c", "b", "a"])),
        pd.Categorical(["b", "a"], categories=["c", "b", "a"]),
        pl.Series(["b", "a"], dtype=pl.Enum(["c", "b", "a"])),
        pa.DictionaryArray.from_arrays([1, 2], ["c", "b", "a"]),
    ],
)
def test_a_categorical_declares_the_classes_and_their_order(y: object) -> None:
    target = encode_classes(y)
    assert target.classes.tolist() == ["c", "b", "a"] and target.codes.tolist() == [1, 2]


def test_labels_of_several_types_stay_apart() -> None:
    target = encode_classes([1, "1", True, 1.0])
    assert [target.classes[code] for code in target.codes] == [1, "1", True, 1]
    assert len(target.classes) == 3


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a", None], r"Input y contains NaN: the label of row 1 \(counting from 0\)"),
        (np.array([0.0, np.nan]), r"Input y contains NaN.*row 1"),
        (pl.Series(["a", None]), "row 1"),
        (pd.Series(pd.Categorical([None, "a"])), "row 0"),
        ([0.0, np.inf], "Input y contains infinity or a value too large for dtype"),
        ([0.0, 0.5], "Unknown label type: continuous.*row 1 .*0.5.*regressor"),
        (np.zeros((2, 2)), r"y should be a 1d array, got an array of shape \(2, 2\) instead"),
        (pd.DataFrame({"a": [1], "b": [2]}), r"y should be a 1d array"),
        ([], r"0 sample\(s\)"),
        (None, "y is None"),
        ("Yes", "one-dimensional"),
        (np.array([1j]), "Complex data not supported"),
        (np.array(3), "1d array"),
        ([[1], [2]], "argument must be"),
        (scipy.sparse.csr_array([[1]]), "dense"),
        (3, "a list, an array or a series"),
    ],
)
def test_labels_that_cannot_be_used(y: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        encode_classes(y)


@pytest.mark.parametrize(
    "y",
    [
        [1, 2.5],
        np.array([1, 2.5], dtype=np.float32),
        np.array([[1], [2.5]]),
        np.array([1, 2.5], dtype=object),
        pd.Series([1, 2.5]),
        pd.Series([1, 2.5], dtype="Float64"),
        pl.Series([1.0, 2.5]),
        pa.chunked_array([[1, 2.5]]),
        pd.Series([1, 2.5], dtype="category"),
    ],
)
def test_numbers_become_float64(y: object) -> None:
    numbers = encode_numbers(y)
    assert numbers.dtype == np.float64 and numbers.flags.c_contiguous and numbers.tolist() == [1.0, 2.5]


def test_whole_numbers_and_booleans_are_numbers() -> None:
    assert encode_numbers(np.array([2**62, 1])).tolist() == [2.0**62, 1.0]
    assert encode_numbers([True, False]).tolist() == [1.0, 0.0]
    assert encode_numbers([10**30, 1]).tolist() == [1e30, 1.0]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1.0, None], r"Input y contains NaN: the target of row 1"),
        (pd.Series([1, None], dtype="Int64"), r"Input y contains NaN: the target of row 1"),
        ([1.0, np.nan], r"Input y contains NaN"),
        ([1.0, -np.inf], r"Input y contains infinity or a value too large for dtype\('float64'\): row 1"),
        ([1, 10**400], "Input y contains infinity"),
        (["a", "b"], "row 0 .*'a', but regression needs numbers"),
        (np.array(["2024"], dtype="datetime64[s]"), "regression needs numbers"),
    ],
)
def test_targets_that_are_no_finite_numbers(y: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        encode_numbers(y)

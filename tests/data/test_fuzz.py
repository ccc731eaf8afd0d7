"""Garbage in: a dataset, or an error of ours (or a TypeError, ValueError); never anything else."""

import datetime as dt
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quercus.data import Dataset, encode, encode_classes, encode_like, encode_numbers

RELAXED = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


class Odd:
    """An object whose methods fail, each in its own way."""

    def __init__(self, failing: str) -> None:
        self.failing = failing

    def __hash__(self) -> int:
        if self.failing == "hash":
            raise RuntimeError("no hash")
        return 1

    def __eq__(self, other: object) -> bool:
        if self.failing == "eq":
            raise ZeroDivisionError("no comparison")
        return self is other

    def __str__(self) -> str:
        if self.failing == "str":
            raise KeyError("no text")
        return "odd"


def hostile(number: int) -> object:
    """Return one of the values that have broken some reader of tables."""
    values = [
        pd.NA,
        pd.NaT,
        pd.Timestamp("2024-05-01"),
        pd.Timedelta(1, "h"),
        pd.Interval(0, 1),
        np.datetime64("NaT"),
        np.datetime64("2024"),
        np.timedelta64(3, "Y"),
        np.float32(0.1),
        np.int8(3),
        np.str_("x"),
        np.bool_(True),
        np.longdouble("1e400"),
        np.void(b"ab"),
        np.complex64(1j),
        10**400,
        Decimal("Infinity"),
        Decimal("sNaN"),
        Fraction(10**400),
        {"foo": "bar"},
        [1, 2],
        (1, 2),
        ([],),
        {1},
        frozenset({1}),
        object(),
        Odd("hash"),
        Odd("eq"),
        Odd("str"),
        Odd(""),
        int,
        len,
        dt.UTC,
        np.zeros(2),
        np.array(3.0),
        "nan",
        "\ud800",
        "\0",
        "2024-05-01",
        "1e5",
    ]
    return values[number % len(values)]


scalars = st.one_of(
    st.none(),
    st.text(max_size=4),
    st.integers(),
    st.integers(-3, 3),
    st.floats(),
    st.booleans(),
    st.binary(max_size=3),
    st.dates(),
    st.datetimes(),
    st.datetimes(timezones=st.timezones()),
    st.times(),
    st.timedeltas(),
    st.decimals(),
    st.fractions(),
    st.complex_numbers(),
    st.integers(0, 1000).map(hostile),
)
columns = st.lists(scalars, max_size=6)
labels = st.one_of(st.text(max_size=3), st.integers(0, 3), st.none(), st.tuples(st.integers()))


def arrays(draw: Callable) -> object:
    dtype = draw(
        st.sampled_from(["f8", "f4", "i8", "u8", "?", "O", "U3", "S3", "M8[D]", "m8[s]", "c16", "V3", "f2", ">f8"])
    )
    shape = draw(st.sampled_from([(), (0,), (3,), (0, 2), (3, 0), (3, 2), (2, 2, 2), (1, 1)]))
    data = draw(st.lists(st.one_of(scalars, st.floats()), min_size=8, max_size=8))
    try:
        return np.array(data[: int(np.prod(shape))], dtype=dtype).reshape(shape)
    except Exception:
        return np.zeros(shape, dtype=dtype)


def framed(table: object, maker: Callable) -> object:
    try:
        return maker(table)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:  # the library itself refuses these columns; a panic of polars is no Exception
        return table


@st.composite
def tables(draw: Callable) -> object:
    kind = draw(st.sampled_from(["dict", "equal dict", "rows", "equal rows", "dicts", "array", "frame", "scalar"]))
    if kind == "scalar":
        return draw(st.one_of(scalars, columns))
    if kind == "array":
        return arrays(draw)
    if kind == "rows":
        return draw(st.lists(st.one_of(columns, columns.map(tuple), scalars), max_size=4))
    if kind == "dicts":
        return draw(st.lists(st.dictionaries(labels, scalars, max_size=3), max_size=4))
    if kind == "dict":
        return draw(st.dictionaries(labels, st.one_of(columns, scalars), max_size=3))
    n_rows = draw(st.integers(0, 5))
    same_length = st.lists(scalars, min_size=n_rows, max_size=n_rows)
    if kind == "equal rows":
        return draw(st.lists(same_length, max_size=4))
    table = draw(st.dictionaries(labels, same_length, max_size=3))
    makers = [pd.DataFrame, pl.DataFrame, pa.table, lambda t: pd.DataFrame(t, dtype="category")]
    return framed(table, draw(st.sampled_from(makers))) if kind == "frame" else table


options = st.fixed_dictionaries(
    {},
    optional={
        "kinds": st.one_of(
            st.sampled_from(["nominal", 3, {"a": "date"}]),
            st.lists(
                st.sampled_from(["nominal", "numeric", "ordered", "boolean", "date", None]), min_size=1, max_size=3
            ),
        ),
        "missing_tokens": st.one_of(scalars, columns),
        "domains": st.one_of(scalars, st.dictionaries(labels, columns, max_size=1)),
        "attribute_costs": st.one_of(scalars, columns),
        "feature_names": columns,
    },
)


@RELAXED
@given(tables(), options)
def test_any_table_is_read_or_refused(table: object, chosen: dict) -> None:
    try:
        dataset = encode(table, **chosen)
    except (TypeError, ValueError):
        return
    assert isinstance(dataset, Dataset) and dataset.n_rows > 0
    again = encode_like(table, dataset.schema) if "feature_names" not in chosen else dataset
    for attribute, column, same in zip(dataset.schema, dataset.columns, again.columns, strict=True):
        np.testing.assert_array_equal(column, same)
        if column.dtype == np.int32:
            assert column.min() >= -1 and column.max() < attribute.n_values
        else:
            assert not np.isinf(column).any()


@RELAXED
@given(tables(), tables(), options)
def test_any_other_table_is_encoded_alike_or_refused(first: object, second: object, chosen: dict) -> None:
    try:
        schema = encode(first, **chosen).schema
        dataset = encode_like(second, schema)
    except (TypeError, ValueError):
        return
    for attribute, column in zip(schema, dataset.columns, strict=True):
        assert column.dtype != np.int32 or (column.min() >= -1 and column.max() < attribute.n_values)


@RELAXED
@given(st.one_of(columns, tables(), columns.map(lambda c: np.array([*c, None], dtype=object)[:-1])))
def test_any_target_is_read_or_refused(y: object) -> None:
    with suppress(TypeError, ValueError):
        target = encode_classes(y)
        assert target.codes.min() >= 0 and target.codes.max() < len(target.classes)
    with suppress(TypeError, ValueError):
        assert np.isfinite(encode_numbers(y)).all()

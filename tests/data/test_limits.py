"""Large and wide tables stay fast: no function is called for every row, and few for a column or a value."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from calls import calls_of

from quercus.data import encode, encode_like


def test_ten_thousand_columns() -> None:
    array = np.random.default_rng(0).random((20, 10_000))
    assert calls_of(lambda: encode(array)) < 1_000_000
    frame = pd.DataFrame(array).rename(columns=str)
    frame["text"] = "a"
    assert calls_of(lambda: encode(frame)) < 2_000_000
    schema = encode(frame).schema
    assert len(schema) == 10_001 and schema["9999"].kind == "numeric"
    assert calls_of(lambda: encode_like(frame, schema)) < 2_000_000


def test_a_hundred_thousand_values() -> None:
    column = [f"value {number}" for number in range(100_000)]
    assert calls_of(lambda: encode({"a": column})) < 4_000_000
    dataset = encode({"a": column})
    assert dataset.schema[0].n_values == 100_000
    assert dataset.columns[0].tolist() == [dataset.schema[0].code(value) for value in column]
    assert encode_like({"a": column[::-1]}, dataset.schema).columns[0].tolist() == dataset.columns[0].tolist()[::-1]
    assert dataset.schema.from_dict(dataset.schema.to_dict()) == dataset.schema
    assert dataset.schema[0].show(99_999) == "value 99999"


@pytest.mark.parametrize("library", ["object", "pandas", "polars"])
def test_a_million_rows_of_text(library: str) -> None:
    numbers = np.random.default_rng(0).integers(0, 50, 1_000_000)
    words = np.array([f"word {number}" for number in range(50)], dtype=object)[numbers]
    column = {"object": lambda: words, "pandas": lambda: pd.Series(words), "polars": lambda: pl.Series(words.tolist())}[
        library
    ]()
    dataset = encode({"a": column})
    assert calls_of(lambda: encode_like({"a": column}, dataset.schema)) < 5_000
    assert [dataset.schema[0].values[code] for code in dataset.columns[0][:5]] == words[:5].tolist()


def test_wide_ranges_of_integers_are_sorted_and_narrow_ones_counted() -> None:
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 50, 1000), rng.integers(-(2**62), 2**62, 1000)]
    for dtype in ("i1", "u1", "i2", "i8", "u8"):
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        columns += [np.array(row, dtype=dtype) for row in ([low, low + 3, low], [high, high - 3, high], [high, low, 1])]
    for column in columns:
        dataset = encode({"a": column}, kinds={"a": "nominal"})
        distinct, codes = np.unique(column, return_inverse=True)
        assert dataset.schema[0].values == tuple(distinct.tolist())
        np.testing.assert_array_equal(dataset.columns[0], codes)

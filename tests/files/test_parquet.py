"""Parquet: types and categories come from the file; damaged files are refused."""

import datetime as dt
import io
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from files.written import cells, read
from quercus.data import encode
from quercus.errors import DependencyError, FileError

pa = pytest.importorskip("pyarrow", reason="Parquet is read by pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


def packed(table: Any) -> bytes:
    stream = io.BytesIO()
    parquet.write_table(table, stream)
    return stream.getvalue()


def test_types_and_categories(tmp_path: Path) -> None:
    size = pa.DictionaryArray.from_arrays([0, None, 2], ["S", "M", "L"], ordered=True)
    colour = pa.DictionaryArray.from_arrays([1, 1, 0], ["red", "blue", "green"])
    columns = {
        "zip": ["01234", None, "5"], "n": [1, 2, None], "f": [0.5, None, 1.5], "b": [True, None, False],
        "day": [dt.date(2024, 5, 1), None, dt.date(2024, 5, 2)], "when": [dt.datetime(2024, 5, 1, 1), None, None],
        "d": [Decimal("1.5"), None, Decimal("2.5")], "t": [dt.time(1), None, None], "nothing": [None] * 3,
        "size": size, "colour": colour, "half": pa.array([1.5, 2.5, None], pa.float16()),
    }  # fmt: skip
    table = read(tmp_path, "a.parquet", packed(pa.table(columns)))
    assert table.kinds == {
        "zip": "nominal", "n": "numeric", "f": "numeric", "b": "boolean", "day": "date", "when": "date", "d": "numeric",
        "t": "date", "size": "ordered", "colour": "nominal", "half": "numeric",
    }  # fmt: skip
    assert table.domains == {"size": ["S", "M", "L"], "colour": ["red", "blue", "green"]}
    assert cells(table)["zip"] == ["01234", None, "5"] and table.format == "parquet"
    data = encode(dict(table.columns), **table.options())
    assert data.schema["size"].values == ("S", "M", "L") and data.schema["size"].kind == "ordered"
    _, y = table.split("colour")
    assert y.cat.categories.tolist() == ["red", "blue", "green"] and y.tolist() == ["blue", "blue", "red"]
    assert cells(table.take([2, 0]))["n"] == [None, 1]


def test_found_by_its_first_bytes(tmp_path: Path) -> None:
    assert read(tmp_path, "data.bin", packed(pa.table({"a": [1], "b": [2]}))).format == "parquet"


def test_faults(tmp_path: Path) -> None:
    whole = packed(pa.table({"a": list(range(100)), "b": ["x"] * 100}))
    with pytest.raises(FileError, match=r"a\.parquet: expected a Parquet file, which begins"):
        read(tmp_path, "a.parquet", b"a,b\n1,2\n")
    with pytest.raises(FileError, match=r"a\.parquet: expected a Parquet file to end.*cut off"):
        read(tmp_path, "a.parquet", whole[:-20])
    with pytest.raises(FileError, match=r"a\.parquet: the Parquet data are damaged"):
        read(tmp_path, "a.parquet", whole[:20] + b"PAR1")
    with pytest.raises(FileError, match="found one without rows"):
        read(tmp_path, "a.parquet", packed(pa.table({"a": pa.array([], pa.int64())})))
    with pytest.raises(FileError, match="found one without columns"):
        read(tmp_path, "a.parquet", packed(pa.table({})))
    with pytest.raises(FileError, match=r"column 'a' is of type list.*Split it"):
        read(tmp_path, "a.parquet", packed(pa.table({"a": [[1], [2]]})))
    with pytest.raises(FileError, match="have the same name, 'a'"):
        read(tmp_path, "a.parquet", packed(pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])))


def test_without_pyarrow_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DependencyError, match=r'pip install "quercus\[files\]"'):
        read(tmp_path, "a.parquet", b"PAR1PAR1")

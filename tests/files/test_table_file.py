"""What was read, as an estimator takes it."""

import hashlib
import sys
from pathlib import Path

import numpy as np
import pytest

from files.written import cells, read
from quercus.errors import DataError, ParameterError
from quercus.files import read_file

TEXT = "a,b,c\n1,x,5\n2,y,6\n3,x,7\n"


def test_split_options_and_take(tmp_path: Path) -> None:
    table = read(tmp_path, "a.csv", TEXT)
    assert table.fingerprint == hashlib.sha256(TEXT.encode()).hexdigest() and table.n_rows == 3
    X, y = table.split("b")
    assert list(X) == ["a", "c"] and list(y) == ["x", "y", "x"] and y.name == "b"
    assert list(table.options("b")["kinds"]) == ["a", "c"] and table.options("b")["domains"] is None
    with pytest.raises(DataError, match=r"does not say which column to predict\. Give target=, one of 'a', 'b', 'c'"):
        table.split()
    with pytest.raises(DataError, match=r"there is no column 'bb' to predict.*Did you mean 'b'"):
        table.split("bb")
    assert cells(table.take([2, 0]))["a"] == [3, 1]
    assert cells(table.take(np.array([False, True, False])))["b"] == ["y"]
    assert table.with_target("c").target == "c" and table.with_target("c").attributes() == ["a", "b"]
    assert "a.csv: 3 rows, 3 columns" in str(table) and "  b: nominal" in str(table)


def test_without_pandas_y_is_an_array(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = read(tmp_path, "a.csv", TEXT)
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert isinstance(table.split("b")[1], np.ndarray)


def test_a_table_of_the_target_alone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no column to learn from"):
        read(tmp_path, "a.csv", "a\nx\ny\n").split("a")


def test_formats_are_found_by_content_where_the_ending_says_nothing(tmp_path: Path) -> None:
    assert read(tmp_path, "a.x", "@relation r\n@attribute a real\n@data\n1\n").format == "arff"
    assert read(tmp_path, "a.x", '{"a": 1}\n').format == "json_lines"
    assert read(tmp_path, "a", TEXT).format == "delimited"
    assert read(tmp_path, "a.txt", '{"a": 1}\n', format="jsonl").format == "json_lines"
    assert read_file(str(tmp_path / "a"), format="csv").n_rows == 3


@pytest.mark.parametrize("name", ["a.csv", "a.arff"])
def test_the_error_for_a_wrong_option_names_only_those_of_the_help(name: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"has no option 'colour'; it takes .*'encoding'") as caught:
        read(tmp_path, name, "@relation a\n@attribute a numeric\n@data\n1\n", colour="red")
    assert "fast" not in str(caught.value)

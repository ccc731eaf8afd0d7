"""Delimited text: what is found out by itself, what stays text, and every fault with its place."""

from pathlib import Path

import pytest

from files.written import cells, read, written
from quercus.data import encode
from quercus.errors import FileError, ParameterError
from quercus.files import read_file


def test_names_and_kinds(tmp_path: Path) -> None:
    table = read(tmp_path, "a.csv", "zip,age,share,day,name\n01234,41,0.5,2024-05-01,Ann\n99,,1e-3,2024-05-02,\n")
    assert table.kinds == {"zip": "nominal", "age": "numeric", "share": "numeric", "day": "date", "name": "nominal"}
    assert cells(table)["zip"] == ["01234", "99"] and cells(table)["age"] == [41.0, None]
    assert cells(table)["name"] == ["Ann", None] and table.n_rows == 2 and table.format == "delimited"
    data = encode(dict(table.columns), **table.options())
    assert [attribute.kind for attribute in data.schema] == list(table.kinds.values())


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (["1", "2"], [1, 2]),
        (["1", "2.5"], [1.0, 2.5]),
        ([" 1 ", "-2"], [1, -2]),
        ([".5", "5.", "+3", "1E5"], [0.5, 5.0, 3.0, 1e5]),
        (["01234", "99"], ["01234", "99"]),
        (["1e5x", "1e5"], ["1e5x", "1e5"]),
        (["-01", "2"], ["-01", "2"]),
        (["nan", "1"], [None, 1.0]),
        (["nan", "x"], ["nan", "x"]),
        (["inf", "1"], ["inf", "1"]),
        (["1_000", "1"], ["1_000", "1"]),
        (["0x1F", "1"], ["0x1F", "1"]),
        (["1e999", "1"], ["1e999", "1"]),
        (["9007199254740993", "1"], ["9007199254740993", "1"]),
        (["9007199254740992", "1"], [9007199254740992, 1]),
        (["9" * 5000, "1"], ["9" * 5000, "1"]),
        (["true", "false"], ["true", "false"]),
        (["1", "  ", "3"], [1.0, None, 3.0]),
        (["a", "  "], ["a", "  "]),
        (["٣", "1"], ["٣", "1"]),
        (["2024-02-30", "2024-01-01"], ["2024-02-30", "2024-01-01"]),
    ],
)
@pytest.mark.parametrize("fast", [False, True])
def test_what_is_a_number(column: list[str], expected: list, fast: bool, tmp_path: Path) -> None:
    text = "x,other\n" + "".join(f"{cell},t\n" for cell in column)
    assert cells(read(tmp_path, "a.csv", text, fast=fast, header=True))["x"] == expected


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends_are_found(delimiter: str, end: str, tmp_path: Path) -> None:
    lines = [["a", "b", "c"], ["1", "x y", "2.5"], ["2", f'"q{delimiter}r"', ""]]
    text = end.join(delimiter.join(line) for line in lines)
    for final in ("", end, end + end):
        table = read(tmp_path, "a.csv", text + final)
        assert cells(table) == {"a": [1, 2], "b": ["x y", f"q{delimiter}r"], "c": [2.5, None]}


def test_one_delimiter_within_cells_of_another(tmp_path: Path) -> None:
    table = read(tmp_path, "a.csv", "a;b\n1,5;x\n2,5;y\n")
    assert cells(table)["a"] == [1.5, 2.5] and table.notes == ("Numbers are read so: 1,5 is 1.5 in column 'a'.",)
    assert cells(read(tmp_path, "a.csv", "a;b\n1,5;x\n2;y\n", decimal=","))["a"] == [1.5, 2.0]
    assert list(read(tmp_path, "a.tsv", "a,b\tc\n1,2\t3\n").columns) == ["a,b", "c"]


def test_quotes_are_found(tmp_path: Path) -> None:
    assert cells(read(tmp_path, "a.csv", 'a,b\n"x ""y"", z\n w",1\n')) == {"a": ['x "y", z\n w'], "b": [1]}
    assert cells(read(tmp_path, "a.csv", "'a','b'\n'x, y',1\n'it''s',2\n")) == {"a": ["x, y", "it's"], "b": [1, 2]}
    assert cells(read(tmp_path, "a.csv", "a,b\nDon't,1\n'tis,2\n"))["a"] == ["Don't", "'tis"]
    assert cells(read(tmp_path, "a.csv", 'a,b\n5" disk,1\n', quote=None))["a"] == ['5" disk']
    assert cells(read(tmp_path, "a.csv", 'a,b\n5" disk,1\n'))["a"] == ['5" disk']


def test_blanks_after_the_delimiter_are_dropped_if_they_always_follow(tmp_path: Path) -> None:
    table = read(tmp_path, "a.csv", 'a, b, c\nx, 1, "y, z"\nw, , v\n\n')
    assert cells(table) == {"a": ["x", "w"], "b": [1.0, None], "c": ["y, z", "v"]}
    assert cells(read(tmp_path, "a.csv", "a,b\nx, y\nz,w\n"))["b"] == [" y", "w"]


def test_header(tmp_path: Path) -> None:
    table = read(tmp_path, "a.csv", "1,x\n2,y\n")
    assert cells(table) == {"x0": [1, 2], "x1": ["x", "y"]} and "taken as data" in table.notes[0]
    assert list(read(tmp_path, "a.csv", "2019,2020\n1,2\n", header=True).columns) == ["2019", "2020"]
    assert list(read(tmp_path, "a.csv", "a,b\nc,d\n").columns) == ["a", "b"]
    assert read(tmp_path, "a.csv", "a,b\nc,d\n", header=False).n_rows == 2
    repeated = read(tmp_path, "a.csv", "p,x,p\ne,x,s\np,y,p\np,x,p\n")
    assert repeated.n_rows == 4 and "comes again" in repeated.notes[0]
    unnamed = read(tmp_path, "a.csv", ",a\n0,5\n1,6\n")
    assert list(unnamed.columns) == ["x0", "a"] and unnamed.notes
    assert "called 'x0'" in read(tmp_path, "a.csv", ",a\n0.5,5\n0.5,6\n").notes[0]


def test_missing_tokens(tmp_path: Path) -> None:
    text = "a,b\n1,NA\n?,x\n-999,NA\n"
    table = read(tmp_path, "a.csv", text)
    assert table.kinds["a"] == "numeric" and "'?' means unknown" in table.notes[0]
    table = read(tmp_path, "a.csv", text, missing_tokens="")
    assert table.kinds["a"] == "nominal" and cells(table)["a"] == ["1", "?", "-999"]
    table = read(tmp_path, "a.csv", text, missing_tokens="?")
    assert cells(table) == {"a": [1.0, None, -999.0], "b": ["NA", "x", "NA"]} and table.missing_tokens == ("?",)
    table = read(tmp_path, "a.csv", text, missing_tokens={"a": ["?", "-999"]})
    assert cells(table)["a"] == [1.0, None, None] and table.missing_tokens == {"a": ("?", "-999", -999)}
    assert cells(read(tmp_path, "a.csv", text, missing_tokens=["?", -999]))["a"] == [1.0, None, None]
    with pytest.raises(ParameterError, match="'c', which is no column"):
        read(tmp_path, "a.csv", text, missing_tokens={"c": "?"})


def test_none_is_a_value(tmp_path: Path) -> None:
    assert cells(read(tmp_path, "a.csv", "Pat,b\nNone,1\nSome,2\n"))["Pat"] == ["None", "Some"]


def test_one_column_keeps_its_blank_lines(tmp_path: Path) -> None:
    assert cells(read(tmp_path, "a.csv", "x\n1\n\n3\n\n\n"))["x"] == [1.0, None, 3.0]
    assert cells(read(tmp_path, "a.csv", 'x\n1\n""\n3\n'))["x"] == [1.0, None, 3.0]


def test_encodings(tmp_path: Path) -> None:
    assert cells(read(tmp_path, "a.csv", "\ufeffa,b\ngrün,1\n".encode())) == {"a": ["grün"], "b": [1]}
    assert cells(read(tmp_path, "a.csv", "a,b\ngrün,1\n".encode("latin-1"), encoding="latin-1"))["a"] == ["grün"]
    with pytest.raises(FileError, match=r"a\.csv, line 2, column 3: expected UTF-8 text, found the byte 0xFC"):
        read(tmp_path, "a.csv", "a,b\ngrün,1\n".encode("latin-1"))
    with pytest.raises(ParameterError, match="encoding='klingon' is not known"):
        read(tmp_path, "a.csv", "a,b\n1,2\n", encoding="klingon")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n3\n", r"line 3, column 2: expected 2 cells as there are names, found 1"),
        ("a,b\n1,2\n\n3,4,5\n", r"line 4, column 5: expected 2 cells as there are names, found 3"),
        ('a,b\n"1\n",2\n3\n', r"line 4, column 2: expected 2 cells"),
        ('a,b\n1,2\n3,"x\n5,6\n', r"line 3, column 3: the quote \" is never closed"),
        ('a,b\n1,2\n"3"4,5\n', r"line 3, column 4: expected ',' or the end of the line after a closing quote"),
        ('a,"b\n1,2\n', r"line 1, column 3: the quote \" is never closed"),
        ("", r"the file is empty"),
        ("\n \n", r"the file is empty"),
        ("a,b\n", r"line 1: expected rows below the names a, b, found none"),
        ("a,b,a\n1,2,3\n", r"line 1, column 5: the 1st and the 3rd column have the same name, 'a'"),
        ("a,b\n1,\0\n", r"line 2, column 3: expected text, found a zero byte"),
    ],
)
def test_faults_have_a_place(text: str, message: str, tmp_path: Path) -> None:
    for fast in (False, True):
        with pytest.raises(FileError, match=rf"a\.csv.*{message}"):
            read(tmp_path, "a.csv", text, fast=fast)


def test_packed_files(tmp_path: Path) -> None:
    assert read(tmp_path, "a.csv.gz", "a,b\n1,2\n").n_rows == 1
    whole = (tmp_path / "a.csv.gz").read_bytes()
    with pytest.raises(FileError, match=r"b\.csv\.gz: the gzip data end too soon"):
        read_file(_raw(tmp_path, "b.csv.gz", whole[:-5]))
    with pytest.raises(FileError, match="damaged"):
        read_file(_raw(tmp_path, "c.csv.gz", whole[:12] + b"\xff\xff\xff" + whole[15:]))
    with pytest.raises(FileError, match="ZIP archive"):
        read_file(_raw(tmp_path, "a.csv", b"PK\x03\x04abc"))


def _raw(folder: Path, name: str, data: bytes) -> Path:
    (folder / name).write_bytes(data)
    return folder / name


def test_paths_and_options(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="there is no such file"):
        read_file(tmp_path / "absent.csv")
    with pytest.raises(FileError, match="this is a folder"):
        read_file(tmp_path)
    file = written(tmp_path, "a.csv", "a,b\n1,2\n")
    for options, message in [
        ({"delimiter": "ab"}, "one character"),
        ({"header": "yes"}, "True, False"),
        ({"quote": ""}, "one character"),
        ({"quote": ",", "delimiter": ","}, "different"),
        ({"decimal": "x"}, "decimal"),
        ({"delimeter": ","}, "Did you mean 'delimiter'"),
        ({"format": "cvs"}, "Did you mean 'csv'"),
    ]:
        with pytest.raises(ParameterError, match=message):
            read_file(file, **options)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="path is 5"):
        read_file(5)  # type: ignore[arg-type]
    with pytest.raises(FileError, match="no column 'c' to predict"):
        read_file(file, target="c")


def test_only_what_has_a_fault_goes_the_careful_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from quercus.files import delimited

    rows = "".join(f"{k},v{k % 7},{'' if k % 5 else k / 8}\n" for k in range(100_000))
    file = written(tmp_path, "a.csv", "n,s,f\n" + rows)
    slow = read_file(file, fast=False)
    with monkeypatch.context() as patch:
        patch.setattr(delimited, "careful_columns", None)
        fast = read_file(file)
    assert fast.kinds == slow.kinds and cells(fast) == cells(slow)
    with pytest.raises(FileError, match=r"line 100002, column 2: expected 3 cells"):
        read(tmp_path, "b.csv", "n,s,f\n" + rows + "7\n")


def test_without_pyarrow_delimited_text_is_read_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert cells(read(tmp_path, "a.csv", "a,b\n1,x\n", fast=True)) == {"a": [1], "b": ["x"]}

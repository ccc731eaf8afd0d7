"""What text columns are recognised as: usual tokens for unknown, forms of numbers and dates, and what is only noted."""

import datetime as dt
from pathlib import Path

import pytest

from files.written import cells, read
from quercus import CARTClassifier
from quercus.errors import FileError, ParameterError
from quercus.files import read_file
from quercus.files.recognition import Question, recognise, recognise_all


@pytest.mark.parametrize("token", ["NA", "N/A", "NaN", "null", "?", "-", ".", "na", " NA ", "#N/A"])
@pytest.mark.parametrize("fast", [False, True])
def test_usual_tokens_among_numbers_and_dates_are_unknown(token: str, fast: bool, tmp_path: Path) -> None:
    table = read(tmp_path, "a.csv", f"a,b,c\n1,2024-05-01,x\n{token},{token},{token}\n2.5,2024-05-02,y\n", fast=fast)
    assert table.kinds == {"a": "numeric", "b": "date", "c": "nominal"}
    assert cells(table)["a"] == [1.0, None, 2.5] and cells(table)["c"] == ["x", token, "y"]
    assert cells(table)["b"] == [dt.datetime(2024, 5, 1), None, dt.datetime(2024, 5, 2)]
    unknown, kept = table.notes
    assert "means unknown among the numbers and dates of 2 columns ('a', 'b')" in unknown and "--missing" in unknown
    assert "is a value like any other in column 'c'" in kept and "missing_tokens=" in kept


def test_one_line_tells_of_many_columns(tmp_path: Path) -> None:
    names = [f"c{k}" for k in range(12)]
    text = ",".join(names) + "\n" + ",".join("1" * 12) + "\n" + ",".join(["NA"] * 12) + "\n"
    table = read(tmp_path, "a.csv", text)
    assert set(table.kinds.values()) == {"numeric"} and len(table.notes) == 1 and "12 columns" in table.notes[0]


def test_the_way_back_keeps_tokens_as_text(tmp_path: Path) -> None:
    text = "a,b\n1,5\nNA,NA\n"
    assert cells(read(tmp_path, "a.csv", text, missing_tokens=""))["a"] == ["1", "NA"]
    assert cells(read(tmp_path, "a.csv", text, missing_tokens={"a": ""})) == {"a": ["1", "NA"], "b": [5.0, None]}
    assert cells(read(tmp_path, "a.csv", text, schema={"columns": {"a": {"kind": "nominal"}}}))["a"] == ["1", "NA"]
    assert cells(read(tmp_path, "a.csv", text, missing_tokens="?"))["a"] == [1.0, None]  # both: what is said and usual


def test_other_words_among_numbers_are_only_noted(tmp_path: Path) -> None:
    table = read(tmp_path, "a.csv", "a,b\n1,x\nnone,y\n")
    assert cells(table)["a"] == ["1", "none"] and "'none'" in table.notes[0] and "--missing" in table.notes[0]


def test_a_model_reads_what_was_unknown_by_another_token(tmp_path: Path) -> None:
    X, y = read(tmp_path, "a.csv", "a,y\n1,n\n2,n\n8,p\n9,p\n", target="y").split()
    model = CARTClassifier().fit(X, y)
    table = read(tmp_path, "b.csv", "a\nNA\n007\n", schema=model.schema_)
    assert cells(table)["a"] == [None, 7.0]
    with pytest.raises(FileError, match="expected a number, found 'many'"):
        read(tmp_path, "b.csv", "a\nmany\n", schema=model.schema_)


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        (["1,5", "2"], [1.5, 2.0]),
        (["0,123", "1,234"], [0.123, 1.234]),
        (["1,234.5", "7"], [1234.5, 7.0]),
        (["1.234,5", "7"], [1234.5, 7.0]),
        (["1,234,567", "1,234"], [1234567, 1234]),
        (["1.234.567", "1.234"], [1234567, 1234]),
        (["1'234", "56"], [1234, 56]),
        (["12\u00a0345,5", "6"], [12345.5, 6.0]),
        (["10%", "2.5 %"], [10.0, 2.5]),
        (["10,5%", "2,5%"], [10.5, 2.5]),
        (["1.234", "5.678"], [1.234, 5.678]),
        (["-1,5", "+2,25"], [-1.5, 2.25]),
    ],
)
def test_forms_of_numbers_that_leave_no_doubt(values: list[str], numbers: list[float]) -> None:
    found = recognise(Question(values))
    assert found.kind == "numeric" and found.cells == pytest.approx(numbers)


@pytest.mark.parametrize("values", [["1,5", "2.5"], ["1,23,456"], ["01,5"], ["12,3456.7"], ["1 2"], ["%"], ["1.2.3"]])
def test_what_only_resembles_numbers_stays_text(values: list[str]) -> None:
    assert recognise(Question(values)).kind == "nominal"


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("1,234", 'decimal="," or decimal="." decides (--read decimal=,)'),
        ("9007199254740993", "beyond 2**53"),
        ("1e400", "1.8e308"),
        ("inf", "give it as missing_tokens, or --missing"),
        ("-Infinity", "1.8e308"),
        ("05/04/2024", 'date_order="dmy" or "mdy" decides'),
        ("31.12.99", 'date_order="dmy" or "mdy" decides'),
        ("10%", "only some cells have the sign %"),
        ("007", 'kind = "numeric" in a schema makes numbers'),
        ("0x1F", 'kind = "numeric" in a schema makes numbers'),
        ("1_000", "only programs write numbers so"),
    ],
)
def test_what_is_in_doubt_is_noted_in_one_line(cell: str, words: str, tmp_path: Path) -> None:
    other = "7" if cell == "10%" or cell.lower().strip("-").startswith("inf") else cell
    table = read(tmp_path, "a.csv", f'a;b\n"{cell}";"{other}"\n"{other}";"{cell}"\n', header=True)
    assert set(table.kinds.values()) == {"nominal"} and len(table.notes) == 1
    assert words in table.notes[0] and "2 columns ('a', 'b')" in table.notes[0] and cell in table.notes[0]


@pytest.mark.parametrize("written", ["True yes 0", "true True", "Yes y no", "T FALSE"])
def test_truth_values_in_several_spellings_are_noted_and_a_schema_makes_them_one(written: str, tmp_path: Path) -> None:
    rows = "a,b\n" + "".join(f"{cell},{i}\n" for i, cell in enumerate(written.split()))
    (note,) = read(tmp_path, "a.csv", rows, header=True).notes
    assert all(cell in note for cell in written.split()) and 'kind = "boolean" in a schema makes them one' in note
    table = read(tmp_path, "a.csv", rows, header=True, schema={"columns": {"a": {"kind": "boolean"}}})
    assert table.notes == () and table.kinds["a"] == "boolean"
    assert cells(table)["a"] == [cell.lower()[0] in "ty1" for cell in written.split()]


@pytest.mark.parametrize("written", ["yes no", "Yes no", "T F", "maybe yes no true", "yes", "N Y"])
def test_one_spelling_of_truth_values_or_other_words_have_no_note(written: str, tmp_path: Path) -> None:
    rows = "a,b\n" + "".join(f"{cell},{i}\n" for i, cell in enumerate(written.split()))
    assert read(tmp_path, "a.csv", rows, header=True).notes == ()


def test_a_schema_makes_numbers_of_codes_and_of_program_numbers(tmp_path: Path) -> None:
    numeric = {"columns": {name: {"kind": "numeric"} for name in "abc"}}
    table = read(tmp_path, "a.csv", "a,b,c\n007,0x1F,1_000\n12,-0X10,5\n", header=True, schema=numeric)
    assert table.notes == () and cells(table) == {"a": [7, 12], "b": [31, -16], "c": [1000, 5]}
    for strange in ("0x", "0xG", "1__000", "1_00", "_1", "0x" + "F" * 14):
        with pytest.raises(FileError, match="expected a number, found"):
            read(tmp_path, "a.csv", f"a,b,c\n{strange},1,1\n2,2,2\n", schema=numeric)


def test_a_cell_that_is_infinite_can_be_unknown_and_is_no_number(tmp_path: Path) -> None:
    table = read(tmp_path, "a.csv", "a,b\n1,x\ninf,y\n2.5,x\n", missing_tokens="inf")
    assert table.kinds["a"] == "numeric" and repr(cells(table)["a"]) == "[1.0, None, 2.5]"
    with pytest.raises(FileError, match="line 3, column 1: column 'a': expected a number, found 'inf'"):
        read(tmp_path, "a.csv", "a,b\n1,x\ninf,y\n2.5,x\n", schema={"columns": {"a": {"kind": "numeric"}}})
    assert read(tmp_path, "a.csv", "a,b\nninf,x\ninf,y\n2.5,x\n", header=True).notes == ()


def test_the_example_of_a_form_is_a_number_of_the_file(tmp_path: Path) -> None:
    table = read(tmp_path, "a.csv", "a;b;c\n1,25;7;12,5%\n2;3,456,789;10%\n")
    shown = "1,25 is 1.25 in column 'a'; 3,456,789 is 3456789 in column 'b'; 12,5% is 12.5 in column 'c'"
    assert table.notes == (f"Numbers are read so: {shown}.",)
    assert read(tmp_path, "a.csv", "a;b\n1;x\n2;y\n", decimal=",").notes == ()


@pytest.mark.parametrize("fast", [False, True])
def test_values_that_differ_in_blanks_are_noted_and_can_be_one(fast: bool, tmp_path: Path) -> None:
    rows = "a,b,c\nyes,1,u\n yes,2 ,v\nno ,3,w\n  ,4,u\n"
    table = read(tmp_path, "a.csv", rows, fast=fast)
    assert table.notes == (
        "'yes' and ' yes' differ only in blanks, but are two values in column 'a' (strip=True, or --read strip=yes, "
        "makes them one).",
    )
    one = read(tmp_path, "a.csv", rows, fast=fast, strip=True)
    assert one.notes == () and list(one.columns) == ["a", "b", "c"] and one.kinds["b"] == "numeric"
    assert one.columns["a"].tolist() == ["yes", "yes", "no", None]
    assert one.texts is not None and one.texts()["a"].tolist() == ["yes", "yes", "no", None]
    model = CARTClassifier().fit({"a": ["yes", "no"] * 5}, [0, 1] * 5)
    assert len(read(tmp_path, "a.csv", "a\n yes\nno\n", header=True, schema=model.schema_).notes) == 1
    with pytest.raises(ParameterError, match="strip=2 is not allowed"):
        read(tmp_path, "a.csv", rows, strip=2)
    with pytest.raises(FileError, match="the 1st and the 2nd column have the same name, 'a'"):
        read(tmp_path, "a.csv", "a,a \n1,2\n", strip=True)


@pytest.mark.parametrize("fast", [False, True])
def test_names_with_blanks_are_noted_and_can_be_without(fast: bool, tmp_path: Path) -> None:
    rows = " a , b \n1 , 2 \n3 , 4 \n"
    table = read(tmp_path, "a.csv", rows, fast=fast)
    assert table.notes == (
        "Blanks are part of the name of 2 columns ('a ', 'b ') (strip=True, or --read strip=yes, leaves them out).",
    )
    assert list(table.columns) == ["a ", "b "]
    stripped = read(tmp_path, "a.csv", rows, fast=fast, strip=True)
    assert stripped.notes == () and list(stripped.columns) == ["a", "b"]
    assert read(tmp_path, "a.csv", rows, fast=fast, drop=["a ", "b "]).notes == ()
    assert list(read(tmp_path, "a.csv", "a, b,c\n1,2,3\n", fast=fast, strip=True).columns) == ["a", "b", "c"]


def test_bytes_that_only_windows_writes_are_named_cp1252(tmp_path: Path) -> None:
    for text, encoding in {"price\n5 €\n": "cp1252", "“größe”\n1\n": "cp1252", "größe\n1\n": "latin-1"}.items():
        words = f'encoding="{encoding}", or --read encoding={encoding}'
        with pytest.raises(FileError, match=words):
            read(tmp_path, "a.csv", text.encode("cp1252"))
        assert list(read(tmp_path, "a.csv", text.encode("cp1252"), encoding=encoding, header=True).columns) == [
            text.split("\n")[0]
        ]


def test_other_encodings_are_named_with_the_way_to_read_them(tmp_path: Path) -> None:
    text = "größe,b\n1,x\n2,y\n"
    for encoding, words in {
        "latin-1": 'encoding="latin-1", or --read encoding=latin-1',
        "utf-16": 'the mark of UTF-16. .*encoding="utf-16", or --read encoding=utf-16',
        "utf-32": 'the mark of UTF-32. .*encoding="utf-32", or --read encoding=utf-32',
        "utf-16-le": 'found the byte 0xF6. .*encoding="utf-16-le", or --read encoding=utf-16-le',
    }.items():
        path = tmp_path / f"{encoding}.csv"
        path.write_bytes(text.encode(encoding))
        with pytest.raises(FileError, match=words):
            read_file(path)
        assert list(read_file(path, encoding=encoding).columns) == ["größe", "b"]


def test_options_decide_what_is_in_doubt(tmp_path: Path) -> None:
    text = "a;b\n1,234;05/04/2024\n5,678;06/04/24\n"
    assert cells(read(tmp_path, "a.csv", text, decimal=","))["a"] == [1.234, 5.678]
    assert cells(read(tmp_path, "a.csv", text, decimal="."))["a"] == [1234, 5678]
    assert cells(read(tmp_path, "a.csv", text, date_order="dmy"))["b"] == [
        dt.datetime(2024, 4, 5),
        dt.datetime(2024, 4, 6),
    ]
    assert cells(read(tmp_path, "a.csv", text, date_order="mdy"))["b"] == [
        dt.datetime(2024, 5, 4),
        dt.datetime(2024, 6, 4),
    ]
    assert cells(read(tmp_path, "a.csv", "a,b\n12/31/23,1\n", date_order="dmy"))["a"] == ["12/31/23"]
    with pytest.raises(ParameterError, match="date_order is 'us'"):
        read(tmp_path, "a.csv", text, date_order="us")
    assert cells(read(tmp_path, "a.csv", "a;b\n1.5;x\n2;y\n", decimal=","))["a"] == [1.5, 2.0]  # a point still counts


def test_a_stated_kind_is_read_in_the_form_of_the_file(tmp_path: Path) -> None:
    schema = {"columns": {"a": {"kind": "numeric"}, "b": {"kind": "date"}}}
    table = read(tmp_path, "a.csv", "a;b\n1,5;31.12.2023\n2;\n", schema=schema)
    assert cells(table) == {"a": [1.5, 2.0], "b": [dt.datetime(2023, 12, 31), None]}
    with pytest.raises(FileError, match=r'line 2, column 1: column .a.: expected a number, found .1,234.*decimal=","'):
        read(tmp_path, "a.csv", "a;b\n1,234;31.12.2023\n", schema=schema)
    with pytest.raises(FileError, match=r"line 2, column 3: column .b.: expected a date.*--read date_order"):
        read(tmp_path, "a.csv", "a;b\n1;01/02/2023\n", schema=schema)


@pytest.mark.parametrize(
    ("values", "dates"),
    [
        (["31.12.2023", "1.2.2024"], [(2023, 12, 31), (2024, 2, 1)]),
        (["12/31/2023", "01/02/2024"], [(2023, 12, 31), (2024, 1, 2)]),
        (["31/12/2023", "01/02/2024"], [(2023, 12, 31), (2024, 2, 1)]),
        (["2023/12/31"], [(2023, 12, 31)]),
        (["31.12.2023 23:59", "1.1.2024 00:00:01"], [(2023, 12, 31, 23, 59), (2024, 1, 1, 0, 0, 1)]),
        (["12/31/2023 11:59 PM", "1/1/2024 12:00 AM"], [(2023, 12, 31, 23, 59), (2024, 1, 1)]),
    ],
)
def test_dates_that_leave_no_doubt(values: list[str], dates: list[tuple[int, ...]]) -> None:
    found = recognise(Question(values))
    assert found.kind == "date" and found.cells == [dt.datetime(*date) for date in dates]  # type: ignore[arg-type]


@pytest.mark.parametrize("values", [["31.13.2023"], ["13/13/2023"], ["1.2.2023", "1/2/2023"], ["12/2023"], ["1.2.3"]])
def test_what_only_resembles_dates_stays_text(values: list[str]) -> None:
    assert recognise(Question(values)).kind == "nominal"


def test_columns_of_one_file_decide_for_each_other() -> None:
    clear, doubtful = Question(["12/31/2023"]), Question(["01/02/2024"])
    assert recognise_all({"a": clear, "b": doubtful})["b"].cells == [dt.datetime(2024, 1, 2)]
    assert recognise_all({"a": Question(["31.12.2023"]), "b": doubtful})["b"].doubt == "date_order"  # another sign
    both = {"a": clear, "b": Question(["31/12/2023"]), "c": doubtful}
    assert recognise_all(both)["c"].doubt == "date_order"
    assert recognise_all({"a": Question(["0.5"]), "b": Question(["1,234"])})["b"].cells == [1234]
    assert recognise_all({"a": Question(["0,5"]), "b": Question(["1,234"])})["b"].cells == [1.234]
    assert recognise_all({"a": Question(["1.234"]), "b": Question(["1,234"])})["b"].doubt == "decimal"


@pytest.mark.parametrize("fast", [False, True])
def test_the_line_of_excel_says_the_delimiter(fast: bool, tmp_path: Path) -> None:
    table = read(tmp_path, "a.csv", "sep=;\r\na;b\r\n1;x,y\r\n", fast=fast)
    assert cells(table) == {"a": [1], "b": ["x,y"]}
    assert cells(read(tmp_path, "a.csv", "sep=;\n1\n2\n", header=False, fast=fast)) == {"x0": [1, 2]}
    with pytest.raises(FileError, match="line 4, column 2: expected 2 cells"):
        read(tmp_path, "a.csv", "sep=;\na;b\n1;2\n3\n", fast=fast)
    assert list(read(tmp_path, "a.csv", "sep=x,b\n1,2\n").columns) == ["sep=x", "b"]


def test_the_places_of_names_are_looked_up_only_for_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from quercus.files.delimited_records import Record

    looked_up = []
    real = Record.place
    monkeypatch.setattr(Record, "place", lambda *given: looked_up.append(given) or real(*given))
    names = ",".join(f"c{k}" for k in range(500))
    assert len(read(tmp_path, "a.csv", f"{names}\n{','.join('1' * 500)}\n").columns) == 500 and not looked_up
    with pytest.raises(FileError, match="have the same name"):
        read(tmp_path, "a.csv", f"{names},c7\n{','.join('1' * 501)}\n")
    assert len(looked_up) == 1


# Columns that number or name the rows


def _rows(first: str, cell: str, n_rows: int = 12) -> str:
    lines = "".join(f"{cell.format(k, k * k % 7, 100 - k)},{k % 2}\n" for k in range(n_rows))
    return f"{first},y\n{lines}"


@pytest.mark.parametrize("cell", ["{0}", "{0}1", "car {0}"])
@pytest.mark.parametrize("name", ["", "Unnamed: 0"])
def test_a_nameless_first_column_that_numbers_the_rows_is_left_out(name: str, cell: str, tmp_path: Path) -> None:
    text = _rows(f"{name},a", cell + ",{1}", 3)
    table = read(tmp_path, "a.csv", text, target="y")
    column = name or "x0"
    assert table.attributes() == ["a"] and table.ignored == (column,) and len(table.notes) == 1
    assert f"--keep {column}" in table.notes[0]
    assert read(tmp_path, "a.csv", text, target="y", keep=column).attributes() == [column, "a"]


def test_other_nameless_columns_stay(tmp_path: Path) -> None:
    assert read(tmp_path, "a.csv", _rows(",a", "{1},{0}", 9), target="y").attributes() == ["x0", "a"]
    assert read(tmp_path, "a.csv", _rows(",a", "{0}.5,{0}", 9), target="y").attributes() == ["x0", "a"]
    assert read(tmp_path, "a.csv", _rows("a,", "{1},{0}", 9), target="y").attributes() == ["a", "x1"]


@pytest.mark.parametrize(
    ("name", "cell", "warned"),
    [
        ("Day", "D{0}", True),
        ("n", "{0}", True),
        ("n", "{2}", True),
        ("patient_id", "{1}{0}", True),
        ("patientId", "{1}{0}", True),
        ("income", "{1}{0}", False),
        ("weight", "{0}.5", False),
        ("day", "2024-05-{0:02d}", False),
        ("kind", "k{1}", False),
    ],
)
def test_columns_that_differ_in_every_row_are_warned_of(name: str, cell: str, warned: bool, tmp_path: Path) -> None:
    rows = "".join(f"{cell.format(k + 1, k * 5 % 8 + 1, 100 - k)},{k % 2}\n" for k in range(12))
    table = read(tmp_path, "a.csv", f"{name},y\n{rows}", target="y")
    assert table.attributes() == [name] and bool(table.notes) == warned
    if warned:
        assert f"--drop {name}" in table.notes[0]
        assert not read(tmp_path, "a.csv", f"{name},y\n{rows}", target="y", keep=[name]).notes
        assert not read(tmp_path, "a.csv", f"{name},y\n{rows}", target=name).notes  # a target is no question
        assert not read(tmp_path, "a.csv", f"{name},y\n{rows}", target="y", drop=name).notes


def test_drop_and_keep(tmp_path: Path) -> None:
    text = "a,b,y\n1,2,n\n3,4,p\n"
    assert read(tmp_path, "a.csv", text, target="y", drop="a").attributes() == ["b"]
    schema = {"ignore": ["a", "b"]}
    assert read(tmp_path, "a.csv", text, target="y", schema=schema, keep=["b"]).attributes() == ["b"]
    with pytest.raises(ParameterError, match="drop names 'c', which is no column"):
        read(tmp_path, "a.csv", text, drop=["c"])
    with pytest.raises(ParameterError, match="in drop and in keep"):
        read(tmp_path, "a.csv", text, drop="a", keep="a")


def test_a_model_is_not_told_of_columns_it_does_not_ask(tmp_path: Path) -> None:
    text = _rows("id,a", "D{0},{1}")
    X, y = read(tmp_path, "a.csv", text, target="y", drop="id").split()
    assert read_file(tmp_path / "a.csv", schema=CARTClassifier().fit(X, y).schema_).notes == ()


@pytest.mark.parametrize("stray", ["k.A.", "12 (sic)", "#DIV/0!"])
def test_a_stray_text_among_numbers_is_noted(tmp_path: Path, stray: str) -> None:
    lines = [f"{number / 7:.3f},{number % 2}" for number in range(199)]
    path = tmp_path / "stray.csv"
    path.write_text("\n".join(["x,y", *lines, f"{stray},1"]) + "\n")
    notes = read_file(path, target="y").notes
    assert any(repr(stray) in note and "all else in it are numbers" in note and "--missing" in note for note in notes)


def test_a_stray_date_is_noted(tmp_path: Path) -> None:
    lines = [f"2023-01-{day:02d},{day % 2}" for day in range(1, 32)]
    path = tmp_path / "stray.csv"
    path.write_text("\n".join(["d,y", *lines, "2023-02-30,1"]) + "\n")
    notes = read_file(path, target="y").notes
    assert any("'2023-02-30'" in note and "all else in it are dates" in note for note in notes)


def test_names_with_some_numbers_are_not_noted(tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    path.write_text(
        "c,y\n" + "\n".join(f"{text},1" for text in ["a1", "b2", "7", "8", "c", "dd", "e", "9", "10"]) + "\n"
    )
    assert not any("all else" in note for note in read_file(path, target="y").notes)


DAYS = [str(dt.date(2022, 1, 1) + dt.timedelta(day)) for day in range(200)]
HALVES = [f"{number}.5" for number in range(100)]


@pytest.mark.parametrize(
    ("column", "examples", "reason", "way"),
    [
        ([*DAYS, *["31/01/2023"] * 3], "'2022-01-01', '31/01/2023'", "dates, but written in several ways", "--missing"),
        (["13/01/2023", "01/13/2023"], "'13/01/2023', '01/13/2023'", "written in several ways", "--missing"),
        ([*(f"{day}T10:00" for day in DAYS), "2023-01-01T10:00Z"], "'2023-01-01T10:00Z'", "time zone", "--missing"),
        ([*HALVES, *(f"{number},5" for number in range(20))], "'0,5'", "a decimal comma", "--missing"),
        ([*HALVES, "2,5"], "'2,5'", "only some cells have a decimal comma", "--missing"),
        ([*HALVES, "oops", "huh", "eh", "ah"], "'oops', 'huh', 'eh', 'ah'", "all else in it are numbers", "--missing"),
        ([*["1", "2", "3", "4", "5"] * 100, "oops"], "'oops'", "all else in it are numbers", "--missing"),
        ([*["2022-01-01", "2022-01-02"] * 100, "oops"], "'oops'", "all else in it are dates", "--missing"),
        ([f"${half}" for half in HALVES], "'$0.5'", "the sign of a currency", 'kind = "nominal" in a schema'),
        (["1.234,50 €", "-3 €"], "'1.234,50 €'", "the sign of a currency", 'kind = "nominal" in a schema'),
        ([*HALVES, "$7"], "'$7'", "the sign of a currency", 'kind = "nominal" in a schema'),
    ],
)
def test_a_column_that_turns_to_text_is_noted(
    column: list[str], examples: str, reason: str, way: str, tmp_path: Path
) -> None:
    rows = "a;b\n" + "".join(f"{cell};{'xyz'[row % 3]}\n" for row, cell in enumerate(column))
    table = read(tmp_path, "a.csv", rows, header=True, keep="a")
    (note,) = table.notes
    assert table.kinds["a"] == "nominal" and examples in note and reason in note and way in note
    assert (
        read(tmp_path, "a.csv", rows, header=True, keep="a", schema={"columns": {"a": {"kind": "nominal"}}}).notes == ()
    )


@pytest.mark.parametrize(
    "column",
    [
        ["1", "2", "3", "A"] * 50,
        [*["1", "2", "3"] * 100, "A"],
        ["1", "2", "3", "other"] * 50,
        [*map(str, range(30)), *(f"V{number}" for number in range(11))],
        ["<20", "20-29", "30-39"] * 20,
        ["1.2.3", "1.2.10", "2.0.1"] * 20,
        ["US$", "$", "€"] * 20,
    ],
)
def test_codes_and_names_are_not_noted(column: list[str], tmp_path: Path) -> None:
    rows = "a;b\n" + "".join(f"{cell};{'xyz'[row % 3]}\n" for row, cell in enumerate(column))
    table = read(tmp_path, "a.csv", rows, header=True, keep="a")
    assert table.kinds["a"] == "nominal" and table.notes == ()

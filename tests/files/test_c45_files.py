"""C4.5's files: names, cases, tests and costs, however they are given, and every fault with its place."""

import datetime as dt
import gzip
from pathlib import Path

import pytest

from files.written import cells, read, written
from quercus import C45Classifier
from quercus.errors import FileError, ParameterError
from quercus.files import read_file

NAMES = """| a comment, with: signs.
Play, Don't   Play.     | the classes

out\\, look:  sunny, over\\: cast, St\\. Ives | no period
temperature: continuous.
id: ignore.   windy: true,
  false.
colour: discrete 3.
size: [ordered] S, M, L.
day: date.
name: label.
"""
DATA = """| a comment
sunny, 85, 007, true, red, S, 2024/05/01, Ann, Play.
over: cast, ?, 8, false, blue, L, 2024-05-02, ?, Don't Play | 7

St. Ives, 7.5, 9\\,5, ?, red, ?, ?, Bob\\. , Don't  Play.|395
"""


@pytest.fixture
def golf(tmp_path: Path) -> Path:
    written(tmp_path, "golf.names", NAMES)
    written(tmp_path, "golf.data", DATA)
    written(tmp_path, "golf.test", "sunny, 1, 1, true, green, M, ?, x, Play\n")
    return tmp_path / "golf"


def test_everything_at_once(golf: Path) -> None:
    table = read_file(golf)
    assert cells(table) == {
        "out, look": ["sunny", "over: cast", "St. Ives"],
        "temperature": [85.0, None, 7.5],
        "id": ["007", "8", "9,5"],
        "windy": ["true", "false", None],
        "colour": ["red", "blue", "red"],
        "size": ["S", "L", None],
        "day": [dt.datetime(2024, 5, 1), dt.datetime(2024, 5, 2), None],
        "name": ["Ann", None, "Bob."],
        "class": ["Play", "Don't Play", "Don't Play"],
    }
    assert table.target == "class" and table.classes == ("Play", "Don't Play") and table.ignored == ("id", "name")
    assert table.domains["out, look"] == ["sunny", "over: cast", "St. Ives"] and table.domains["size"] == [
        "S",
        "M",
        "L",
    ]
    assert table.kinds["size"] == "ordered" and table.kinds["day"] == "date" and "colour" not in table.domains
    X, y = table.split()
    assert list(X) == ["out, look", "temperature", "windy", "colour", "size", "day"]
    assert y.cat.categories.tolist() == ["Play", "Don't Play"] and y.name == "class"
    model = C45Classifier(**table.options()).fit(X, y)
    assert model.classes_.tolist() == ["Play", "Don't Play"]
    assert model.predict(read_file(golf, part="test").split()[0]).shape == (1,)


@pytest.mark.parametrize("ending", ["", ".names", ".data"])
def test_any_of_the_files_stands_for_all(golf: Path, ending: str) -> None:
    table = read_file(f"{golf}{ending}")
    assert table.n_rows == 3 and table.path == f"{golf}.data" and table.fingerprint == read_file(golf).fingerprint
    assert read_file(f"{golf}{ending}", part="test").path == f"{golf}.test"


def test_test_files_and_packed_files(golf: Path) -> None:
    assert read_file(f"{golf}.test").n_rows == 1
    for ending in ("names", "data"):
        file = Path(f"{golf}.{ending}")
        Path(f"{file}.gz").write_bytes(gzip.compress(file.read_bytes()))
        file.unlink()
    for given in ("", ".names", ".data", ".names.gz", ".data.gz"):
        assert read_file(f"{golf}{given}").n_rows == 3
    with pytest.raises(ParameterError, match=r"part is 'tests'.*Did you mean 'test'"):
        read_file(golf, part="tests")
    with pytest.raises(FileError, match=r"golf\.cases: there is no such file"):
        read_file(golf, part="cases")


def test_costs_have_the_predicted_class_first_in_the_file(golf: Path) -> None:
    written(golf.parent, "golf.costs", "| predicted, true: cost\nPlay, Don't Play: 10\nDon't Play, Play: 0.5.\n")
    table = read_file(golf)
    assert table.cost_matrix == {("Don't Play", "Play"): 10.0, ("Play", "Don't Play"): 0.5}
    X, y = table.split()
    assert C45Classifier(cost_matrix=table.cost_matrix, **table.options()).fit(X, y)


def test_another_target_has_other_classes_and_no_costs(golf: Path) -> None:
    written(golf.parent, "golf.costs", "Play, Don't Play: 10\n")
    for table in (read_file(golf, target="windy"), read_file(golf, schema={"target": "windy"})):
        assert table.classes == ("true", "false") and table.cost_matrix is None
        assert "class" in table.attributes() and table.target == "windy"


def test_c5_names_its_target(tmp_path: Path) -> None:
    written(
        tmp_path, "a.names", "play.\nwind: weak, strong.\nplay: yes, no.\nx: continuous.\nattributes excluded: x.\n"
    )
    table = read(tmp_path, "a.data", "weak,yes,1\nstrong,no,2\n")
    assert table.target == "play" and table.classes == ("yes", "no") and table.ignored == ("x",)
    assert table.attributes() == ["wind"]


def test_data_without_names_is_delimited_text(tmp_path: Path) -> None:
    assert read(tmp_path, "a.data", "1,x\n2,y\n").format == "delimited"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("yes, no.\na: continous.\n", r"line 2, column 4: expected the kind.*'continous'\. Did you mean 'continuous'"),
        ("yes, no.\na: discrete.\n", r"line 2, column 4: expected 'discrete N'"),
        ("yes, no.\na: discrete x.\n", r"line 2, column 4: expected 'discrete N'"),
        ("yes, yes.\na: continuous.\n", r"line 1, column 6: the class 'yes' comes twice"),
        ("yes, no.\na: x, y, x.\n", r"line 2, column 10: the value 'x' comes twice"),
        ("yes, no.\na: x, y.\na: continuous.\n", r"line 3, column 1: the attribute 'a' is declared twice"),
        ("yes, no.\n", r"line 1: expected attributes after the classes"),
        ("a: x, y.\n", r"line 1, column 1: expected the classes"),
        ("| only this\n", r"found only comments"),
        ("yes, no.\nhello\n", r"line 2, column 1: expected the name of an attribute and ':', found 'hello'"),
        ("yes, no.\na:\nb: x, y.\n", r"line 3, column 1: expected the values or the kind of 'a'"),
        ("yes, no.\na: x, y.\nb:\n", r"line 3, column 1: expected the values or the kind of 'b'"),
        ("yes, no.\na\\", r"line 2, column 2: expected a character after the backslash"),
        ("yes, no.\na := b + 1.\n", r"line 2, column 4: the attribute 'a' is defined by a formula"),
        ("yes, no.\na: x, , y.\n", r"line 2, column 7: expected a value, found nothing"),
    ],
)
def test_faults_in_names_have_a_place(names: str, message: str, tmp_path: Path) -> None:
    written(tmp_path, "a.data", "1,yes\n")
    with pytest.raises(FileError, match=rf"a\.names.*{message}"):
        read(tmp_path, "a.names", names)


@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("x,1,yes\nz,2,no\n", r"line 2, column 1: column 'a': expected one of 'x', 'y', found 'z'"),
        ("x,1,yes\ny, 2b,no\n", r"line 2, column 4: column 'b': expected a number, found '2b'"),
        ("x,1,yes\ny,2,maybe\n", r"line 2, column 5: column 'class': expected one of 'yes', 'no', found 'maybe'"),
        ("x,1,yes\ny,2\n", r"line 2, column 4: expected 3 values, as \.names says, found 2"),
        ("x,1,yes\ny,2,no,no\n", r"line 2, column 8: expected 3 values, as \.names says, found 4"),
        ("x,1,yes\ny,,no\n", r"line 2, column 3: expected a value of 'b'"),
        ("x,1,yes\ny,2,no\\", r"line 2, column 7: expected a character after the backslash"),
        ("| nothing\n", r"expected cases, found only comments"),
    ],
)
def test_faults_in_cases_have_a_place(data: str, message: str, fast: bool, tmp_path: Path) -> None:
    written(tmp_path, "a.names", "yes, no.\na: x, y.\nb: continuous.\n")
    with pytest.raises(FileError, match=rf"a\.data.*{message}"):
        read(tmp_path, "a.data", data, fast=fast)


def test_too_many_discrete_values(tmp_path: Path) -> None:
    written(tmp_path, "a.names", "yes, no.\na: discrete 2.\n")
    assert read(tmp_path, "a.data", "x,yes\ny,no\nx,no\n").n_rows == 3
    with pytest.raises(FileError, match=r"line 3, column 1: column 'a': expected at most 2 different values"):
        read(tmp_path, "a.data", "x,yes\ny,no\nz,no\n")


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ("yes, no\n", r"line 1, column 1: expected 'predicted class, true class: cost'"),
        ("yes, maybe: 3\n", r"line 1, column 6: expected a class, one of 'yes', 'no', found 'maybe'"),
        ("yes, no: -3\n", r"line 1, column 10: expected a cost"),
        ("yes, no: 3\nyes, no: 4\n", r"line 2, column 1: the cost of predicted 'yes', true 'no' is given twice"),
        ("yes, yes: 3\n", r"line 1, column 1: the right answer 'yes' has a cost"),
    ],
)
def test_faults_in_costs_have_a_place(costs: str, message: str, tmp_path: Path) -> None:
    written(tmp_path, "a.names", "yes, no.\na: x, y.\n")
    written(tmp_path, "a.data", "x,yes\n")
    written(tmp_path, "a.costs", costs)
    with pytest.raises(FileError, match=rf"a\.costs.*{message}"):
        read_file(tmp_path / "a")


def test_the_fast_way_agrees(tmp_path: Path) -> None:
    written(tmp_path, "a.names", "yes, no.\na: x, y.\nb: continuous.\n")
    file = written(tmp_path, "a.data", "x, 1.5,yes\n?,?,no\n\ny,-3,yes\n" * 4)
    assert cells(read_file(file, fast=True)) == cells(read_file(file, fast=False))


WEIGHED = """ill, well.
age: continuous.
size: S, M.
rank: [ordered] low, high.
colour: discrete 2.
case weight: continuous.
"""


@pytest.fixture
def weighed(tmp_path: Path) -> Path:
    written(tmp_path, "w.names", WEIGHED)
    cases = ["30,S,low,red,1,ill", "N/A,M,high,N/A,3,well", "?,N/A,N/A,blue,N/A,well", "50,S,low,red,0,ill"]
    written(tmp_path, "w.data", "\n".join(cases) + "\n")
    written(tmp_path, "w.test", "40,S,low,red,1,ill\n")
    return tmp_path / "w"


def test_case_weights_are_weights(weighed: Path) -> None:
    table = read_file(weighed)
    assert table.weight == "case weight" and "case weight" not in table.attributes()
    assert table.weights.tolist() == [1.0, 3.0, 2.0, 2.0] and "2 of 4 weights" in table.notes[-1]
    X, y = table.split()
    model = C45Classifier(min_objects=1, **table.options()).fit(X, y, sample_weight=table.weights)
    assert model.tree_.weight[0] == 8.0 and "case weight" not in model.schema_.names
    assert read_file(weighed, schema={"columns": {"case weight": {"ignore": True}}}).weight == "case weight"


def test_a_schema_names_the_weight(tmp_path: Path) -> None:
    table = read(tmp_path, "a.csv", "a,w,y\n1,2,n\n3,4,p\n", schema={"weight": "w", "target": "y"})
    assert read(tmp_path, "a.csv", "a,w\n1,0\n3,4\n", schema={"weight": "w"}).weights.tolist() == [0.0, 4.0]
    assert table.attributes() == ["a"] and table.weights.tolist() == [2.0, 4.0] and "w: numeric (weight)" in str(table)
    with pytest.raises(FileError, match="weight is 'v', a column that"):
        read(tmp_path, "a.csv", "a,w,y\n1,2,n\n", schema={"weight": "v"})
    with pytest.raises(FileError, match="weight is 'y', but must be the name of a column"):
        read(tmp_path, "a.csv", "a,w,y\n1,2,n\n", schema={"weight": "y", "target": "y"})


def test_values_that_do_not_apply_are_not_unknown(weighed: Path) -> None:
    table = read_file(weighed)
    found = cells(table)
    assert found["age"] == [30.0, None, None, 50.0] and found["age applicable"] == ["yes", "N/A", None, "yes"]
    assert found["rank applicable"] == ["yes", "yes", "N/A", "yes"] and table.kinds["rank"] == "ordered"
    assert table.domains["size"] == ["S", "M", "N/A"] and found["colour"] == ["red", "N/A", "blue", "red"]
    assert "means that a value does not apply in 2 columns ('age', 'rank')" in table.notes[0]


def test_values_that_do_not_apply_survive_saving_and_answering(weighed: Path, tmp_path: Path) -> None:
    import quercus

    names = "ill, well.\nage: continuous.\nsize: S, M.\n"
    written(tmp_path, "v.names", names)
    written(tmp_path, "v.data", "20,S,ill\n30,M,ill\n25,S,ill\nN/A,S,well\nN/A,M,well\nN/A,S,well\n?,M,ill\n")
    written(tmp_path, "v.test", "40,S,ill\n")
    table = read_file(tmp_path / "v")
    model = C45Classifier(min_objects=1, prune=False, **table.options()).fit(*table.split())
    assert "age applicable = N/A: well" in str(model.tree_)
    quercus.save(model, tmp_path / "m.json")
    loaded = quercus.load(tmp_path / "m.json")
    again = read_file(tmp_path / "v.test", schema=loaded.schema_)
    assert cells(again)["age applicable"] == ["yes"] and loaded.predict(again.split()[0]).tolist() == ["ill"]
    csv = read(tmp_path, "a.csv", "age,size\nN/A,M\n50,S\n", schema=loaded.schema_)
    assert loaded.predict({name: csv.columns[name] for name in loaded.schema_.names}).tolist() == ["well", "ill"]


def test_a_schema_says_which_text_does_not_apply(tmp_path: Path) -> None:
    text = "a,b,y\nnone,2,n\n3,4,p\n"
    table = read(tmp_path, "a.csv", text, schema={"not_applicable": "none"}, target="y")
    assert table.attributes() == ["a", "a applicable", "b"] and cells(table)["a"] == [None, 3.0]
    always = {"columns": {"b": {"not_applicable": ["none"]}}}
    assert cells(read(tmp_path, "a.csv", text, schema=always))["b applicable"] == ["yes", "yes"]
    with pytest.raises(FileError, match="not_applicable is 5, but must be a list of texts"):
        read(tmp_path, "a.csv", text, schema={"not_applicable": 5})

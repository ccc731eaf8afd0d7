"""The schema file goes over what the file says; a wrong key is named with what is allowed."""

from pathlib import Path

import pytest

from files.written import cells, read, written
from quercus import C45Classifier
from quercus.data import encode
from quercus.errors import DataTypeError, FileError
from quercus.files import read_file

SCHEMA = """
target = "class"
ignore = ["id"]
missing_tokens = ["?"]
classes = ["well", "ill"]

[columns.zip]
kind = "nominal"
[columns.size]
kind = "ordered"
values = ["S", "M", "L"]
cost = 2.5
[columns.grade]
values = [3, 1, 2]
[columns.age]
missing_tokens = [-1]
[columns.smokes]
kind = "boolean"

[[cost_matrix]]
true = "ill"
predicted = "well"
cost = 10
"""
DATA = "id,zip,size,grade,age,smokes,class\na,7,S,1,41,1,ill\nb,?,L,3,-1,false,well\nc,9,?,2,5,?,ill\n"


def test_everything_at_once(tmp_path: Path) -> None:
    table = read(tmp_path, "a.csv", DATA, schema=written(tmp_path, "a.toml", SCHEMA))
    assert table.target == "class" and table.classes == ("well", "ill") and table.ignored == ("id",)
    assert cells(table) == {
        "id": ["a", "b", "c"], "zip": ["7", None, "9"], "size": ["S", "L", None], "grade": [1, 3, 2],
        "age": [41.0, None, 5.0], "smokes": [True, False, None], "class": ["ill", "well", "ill"],
    }  # fmt: skip
    assert table.kinds == {
        "id": "nominal", "zip": "nominal", "size": "ordered", "grade": "nominal", "age": "numeric", "smokes": "boolean",
        "class": "nominal",
    }  # fmt: skip
    assert table.cost_matrix == {("ill", "well"): 10.0} and table.attribute_costs == {"size": 2.5}
    X, y = table.split()
    options = table.options()
    assert options["attribute_costs"] == {"size": 2.5} and options["missing_tokens"]["age"] == (-1,)
    data = encode(X, **options)
    assert data.schema["grade"].values == (3, 1, 2) and data.schema["size"].cost == 2.5
    model = C45Classifier(cost_matrix=table.cost_matrix, **options).fit(X, y)
    assert model.classes_.tolist() == ["well", "ill"]


def test_the_callers_target_and_tokens_win(tmp_path: Path) -> None:
    table = read(tmp_path, "a.csv", "a,b\n1,x\n?,y\n", schema={"target": "b", "missing_tokens": ["x"]}, target="a")
    assert table.target == "a" and table.classes is None
    table = read(tmp_path, "a.csv", "a,b\n1,x\n?,y\n", schema={"missing_tokens": ["x"]}, missing_tokens="?")
    assert cells(table) == {"a": [1.0, None], "b": ["x", "y"]}


def test_classes_hold_for_the_callers_target(tmp_path: Path) -> None:
    schema = {"classes": ["y", "x"]}
    assert read(tmp_path, "a.csv", "a,b\n1,x\n2,y\n", schema=schema, target="b").classes == ("y", "x")
    with pytest.raises(FileError, match=r"line 3, column 3: column 'b': expected one of 'y', 'x', found 'z'"):
        read(tmp_path, "a.csv", "a,b\n1,x\n2,z\n", schema=schema, target="b")
    assert read(tmp_path, "a.csv", "a,b\n1,x\n2,z\n", schema=schema).classes is None


def test_it_goes_over_what_arff_says(tmp_path: Path) -> None:
    text = "@relation r\n@attribute a {1,2}\n@attribute b numeric\n@data\n1,01\n2,2\n"
    table = read(tmp_path, "a.arff", text, schema={"columns": {"a": {"kind": "numeric"}, "b": {"kind": "nominal"}}})
    assert cells(table) == {"a": [1.0, 2.0], "b": ["01", "2"]} and table.domains == {}


def test_a_models_schema_reads_its_columns_as_it_knows_them(tmp_path: Path) -> None:
    train = read(tmp_path, "train.csv", "zip,n,class\n01234,1,a\n99,2.5,b\n01234,3,b\n", target="class")
    X, y = train.split()
    model = C45Classifier(**train.options()).fit(X, y)
    later = read(tmp_path, "new.csv", "zip,n\n99,7\n5,8\n", schema=model.tree_.schema)
    assert cells(later) == {"zip": ["99", "5"], "n": [7.0, 8.0]} and later.target is None and later.domains == {}
    assert len(model.predict(dict(later.columns))) == 2
    with pytest.raises(FileError, match=r"line 2, column 4: column 'n': expected a number, found 'x'"):
        read(tmp_path, "new.csv", "zip,n\n99,x\n", schema=model.tree_.schema)
    labelled = read(tmp_path, "new.csv", "zip,n,class\n99,7,a\n", schema=model.tree_.schema)
    assert labelled.target == "class"


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ("targt = 'a'", r"the key targt is not known; allowed are 'target'.*Did you mean 'target'"),
        ("target = 5", r"target is 5, but must be the name of a column"),
        ("target = 'z'", r"there is no column 'z' to predict"),
        ("ignore = 'a'", r"ignore is 'a', but must be a list of column names"),
        ("ignore = ['z']", r"columns\.z speaks of a column that .* does not have; it has 'a', 'b'"),
        ("target = 'a'\nignore = ['a']", r"that column is to be ignored"),
        ("missing_tokens = {a = 1}", r"missing_tokens is .*, but must be a text or a number"),
        ("classes = []", r"classes is \[\], but must be a list of values"),
        ("columns = 5", r"columns is 5, but must be a table"),
        ("columns.a = 5", r"columns\.a is 5, but must be a table"),
        ("columns.a.kind = 'number'", r"columns\.a\.kind is 'number', but must be one of 'numeric'"),
        ("columns.a.kind = []", r"columns\.a\.kind is \[\], but must be one of 'numeric'"),
        ("columns.a.knid = 'number'", r"the key columns\.a\.knid is not known.*Did you mean 'kind'"),
        ("columns.a.values = ['x', 'x']", r"columns\.a\.values has a value twice"),
        ("columns.a.values = [nan]", r"columns\.a\.values is nan"),
        ("columns.a = {values = ['x'], kind = 'numeric'}", r"columns\.a has values and the kind numeric"),
        ("columns.a.cost = -1", r"columns\.a\.cost is -1, but must be a number from 0 to 1e\+100"),
        ("columns.a.cost = inf", r"columns\.a\.cost is inf"),
        ("columns.a.cost = true", r"columns\.a\.cost is True"),
        ("columns.a.ignore = 1", r"columns\.a\.ignore is 1, but must be true or false"),
        ("cost_matrix = 5", r"cost_matrix is 5, but must be a list of tables"),
        ("[[cost_matrix]]\ntrue = 'x'", r"cost_matrix\[0\] lacks 'predicted', 'cost'"),
        ("[[cost_matrix]]\ntrue = 'x'\npredicted = []\ncost = 1", r"cost_matrix\[0\]\.predicted is \[\]"),
        ("[[cost_matrix]]\ntrue = 'x'\npredicted = 'y'\ncost = -1", r"cost_matrix\[0\]\.cost is -1"),
        ("target = \n", r"s\.toml, line 1, column 10: this is not TOML"),
        ("target = 'a", r"s\.toml.*this is not TOML"),
        ("target = 'a'\ntarget = 'b'", r"s\.toml, line 2.*: this is not TOML"),
    ],
)
def test_faults_name_the_key(schema: str, message: str, tmp_path: Path) -> None:
    file = written(tmp_path, "s.toml", schema)
    with pytest.raises(FileError, match=message):
        read(tmp_path, "a.csv", "a,b\n1,x\n2,y\n", schema=file)


def test_other_things_are_no_schema(tmp_path: Path) -> None:
    file = written(tmp_path, "a.csv", "a,b\n1,x\n")
    with pytest.raises(DataTypeError, match="schema is 5"):
        read_file(file, schema=5)
    with pytest.raises(FileError, match=r"none\.toml: there is no such file"):
        read_file(file, schema="none.toml")

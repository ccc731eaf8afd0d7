"""ARFF: declared kinds and values, quotes, comments, dates, sparse rows, and every fault with its place."""

import datetime as dt
import re
from pathlib import Path

import pytest

from files.written import cells, read
from quercus.data import encode
from quercus.errors import FileError

HEADER = """% a comment
@RELATION 'the weather'

@attribute outlook {sunny, 'over cast', "ra,in", it\\'s}
@Attribute 'the temperature' REAL
@attribute windy {true,false}   % another
@attribute note string
@attribute day DATE "dd.MM.yyyy HH:mm"
@data
"""


def test_everything_at_once(tmp_path: Path) -> None:
    rows = """sunny,85,true,'a, "b"',"01.05.2024 12:30"
% comment
'over cast' , 8.5e1 , ? , ? , ?  % the rest is a comment
"ra,in",?,false,'?',02.05.2024 00:00

{0 'ra,in', 3 "it\\'s 5%", 4 '03.05.2024 00:00'}
{ 1 7, 3 x, 4 ? }
"""
    table = read(tmp_path, "a.arff", HEADER.replace("it\\'s", "'it\\'s'") + rows)
    assert list(table.kinds.values()) == ["nominal", "numeric", "nominal", "nominal", "date"]
    assert table.domains == {"outlook": ["sunny", "over cast", "ra,in", "it's"], "windy": ["true", "false"]}
    assert cells(table) == {
        "outlook": ["sunny", "over cast", "ra,in", "ra,in", "sunny"],
        "the temperature": [85.0, 85.0, None, 0.0, 7.0],
        "windy": ["true", None, "false", "true", "true"],
        "note": ['a, "b"', None, "?", "it's 5%", "x"],
        "day": [dt.datetime(2024, 5, 1, 12, 30), None, dt.datetime(2024, 5, 2), dt.datetime(2024, 5, 3), None],
    }
    data = encode(dict(table.columns), **table.options())
    assert data.schema["outlook"].values == ("sunny", "over cast", "ra,in", "it's")
    X, y = table.split("windy")
    assert list(X) == ["outlook", "the temperature", "note", "day"] and y.cat.categories.tolist() == ["true", "false"]


def test_numbers_may_be_integers_and_have_ranges(tmp_path: Path) -> None:
    table = read(tmp_path, "a.arff", "@relation r\n@attribute a integer [0,5]\n@attribute b numeric\n@data\n007,1\n")
    assert cells(table) == {"a": [7.0], "b": [1.0]}


def test_dates_have_a_default_pattern(tmp_path: Path) -> None:
    table = read(tmp_path, "a.arff", "@relation r\n@attribute a date\n@data\n2024-05-01T01:02:03\n")
    assert cells(table)["a"] == [dt.datetime(2024, 5, 1, 1, 2, 3)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "@a a numeric\n@data\n1\nx\n",
            r"line 5, column 1: column 'a': expected a number, found 'x'",
        ),
        (
            "@a a {x}\n@a b real\n@data\nx,1\nx,2\ny,3\n",
            r"line 7, column 1: column 'a': expected one of 'x', found 'y'",
        ),
        (
            "@a a {x}\n@a b real\n@data\n'x', 'z'\n",
            r"line 5, column 6: column 'b': expected a number",
        ),
        (
            "@a a numeric\n@a b real\n@data\n1\n",
            r"line 5, column 2: expected 2 values as there are attributes, found 1",
        ),
        (
            "@a a numeric\n@data\n1,2\n",
            r"line 4, column 3: expected 1 values as there are attributes, found 2",
        ),
        (
            "@a a numeric\n@a b real\n@data\n1,\n",
            r"line 5, column 3: expected a value, or \?",
        ),
        (
            "@a a numerics\n@data\n1\n",
            r"line 2, column 14: expected a type.*found 'numerics'\. Did you mean 'numeric'",
        ),
        ("@a a\n@data\n1\n", r"line 2, column 13: expected a type.*found nothing"),
        ("@a\n@data\n1\n", r"line 2, column 11: expected the name"),
        ("@a a relational\n@data\n1\n", r"line 2, column 14: attribute 'a' is relational"),
        ("@a a {x, y\n@data\nx\n", r"line 2, column 19: expected ',' or '}'"),
        ("@a a {x, x}\n@data\nx\n", r"line 2, column 17: the value 'x' of 'a' comes twice"),
        ("@a a {}\n@data\nx\n", r"line 2.*has no values"),
        ("@a 'a numeric\n@data\nx\n", r"line 2, column 12: the quote ' is never closed"),
        (
            "@a a numeric\n@a a real\n@data\n1,2\n",
            r"line 3, column 1: the 1st and the 2nd column have the same name, 'a'",
        ),
        ("@a a string\n@data\n'x\n", r"line 4, column 1: the quote ' is never closed"),
        ("@a a string\n@data\n'x' y\n", r"line 4, column 5: expected ',' or the end of the line"),
        ("@a a numeric\n@data\n", r"line 3: expected rows after @data, found none"),
        ("@a a numeric\n", r"expected @data, found the end of the file"),
        ("@data\n1\n", r"line 2, column 1: expected @attribute lines before @data"),
        ("hello\n", r"line 2, column 1: expected @relation, @attribute or @data, found 'hello'"),
        ("@a a date 'QQ'\n@data\n1\n", r"line 2.*date pattern 'QQ' cannot be read"),
        (
            "@a a date yyyy-MM-dd\n@data\n01/02/03\n",
            r"line 4, column 1: column 'a': expected a date, found '01/02/03' \(its pattern is 'yyyy-MM-dd'\)",
        ),
        ("@a a numeric\n@data\n{1 5}\n", r"line 4, column 2: the attribute 1 is none of the 1"),
        ("@a a numeric\n@data\n{0 5, 0 6}\n", r"line 4, column 7: the attribute 0 comes twice"),
        ("@a a numeric\n@data\n{0 5\n", r"line 4, column 5: expected ',' or '}'"),
        ("@a a numeric\n@data\n{a 5}\n", r"line 4, column 2: expected the number of an attribute"),
        ("@a a string\n@data\n{}\n", r"line 4, column 1: the row leaves out 'a'"),
        (
            "@a a numeric\n@data\n5, {2}\n",
            r"line 4, column 4: expected a value, found '{': weights",
        ),
    ],
)
def test_faults_have_a_place(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=rf"a\.arff.*{message}"):
        read(tmp_path, "a.arff", "@relation r\n" + re.sub(r"@a\b", "@attribute", text))


def test_the_fast_way_agrees(tmp_path: Path) -> None:
    text = "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@data\n" + "1.5, x\n?,y\n\n-2,?\n" * 5
    fast, slow = (read(tmp_path, "a.arff.gz", text, fast=fast) for fast in (True, False))
    assert cells(fast) == cells(slow) and fast.n_rows == 15
    for fault in ("1\n", "1,\n", "1,z\n", "x,y\n", "1,x,\n"):
        messages = []
        for fast_way in (True, False):
            with pytest.raises(FileError) as error:
                read(tmp_path, "a.arff", text + fault, fast=fast_way)
            messages.append(str(error.value))
        assert messages[0] == messages[1] and "line 25" in messages[0]

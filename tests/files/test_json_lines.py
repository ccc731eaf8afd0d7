"""JSON lines: types as JSON says, absent keys, and every fault with its place."""

from pathlib import Path

import pytest

from files.written import cells, read
from quercus.data import encode
from quercus.errors import FileError


def test_types_are_as_json_says(tmp_path: Path) -> None:
    text = '{"zip": "01234", "n": 1, "b": true}\r\n\n{"n": 2.5, "b": null, "zip": "5", "late": "x"}\n'
    table = read(tmp_path, "a.jsonl", text)
    assert cells(table) == {"zip": ["01234", "5"], "n": [1, 2.5], "b": [True, None], "late": [None, "x"]}
    assert table.kinds == {"zip": "nominal", "n": "numeric", "b": "boolean", "late": "nominal"}
    assert [a.kind for a in encode(dict(table.columns), **table.options()).schema] == list(table.kinds.values())


def test_all_missing_and_mixed_columns(tmp_path: Path) -> None:
    table = read(tmp_path, "a.ndjson.gz", '{"a": null, "m": 1}\n{"a": null, "m": "1"}\n')
    assert table.kinds == {"m": "nominal"} and "mixes numbers and text" in table.notes[0]
    assert encode(dict(table.columns), **table.options()).schema["m"].values == (1, "1")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1}\n{"a": }\n', r"line 2, column 7: this is not JSON"),
        ('{"a": 1}\n\n{"a": 1\n', r"line 3, column 8: this is not JSON"),
        ("[1, 2]\n", r"line 1, column 1: expected an object.*found \[1, 2\]\. Write one object per line"),
        ("5\n", r"line 1, column 1: expected an object"),
        ('{"a": [1]}\n', r"line 1, column 1: column 'a': expected text, a number, true, false or null, found a list"),
        ('{"a": {"b": 1}}\n', r"line 1, column 1: column 'a'.*found an object"),
        ('{"a": NaN}\n', r"line 1, column 1: this is not JSON.*found NaN; write null"),
        ('{"a": 1, "a": 2}\n', r"line 1, column 10: the key 'a' comes twice"),
        ("{}\n", r"line 1: the objects have no keys"),
        ('{"a": "\\ud800"}\n', r"line 1: column 'a': expected Unicode text"),
        ('{"a": ' + "9" * 5000 + "}\n", r"line 1, column 1: this is not JSON"),
        ("[" * 100_000 + "\n", r"line 1: the object is nested too deep"),
        ("", r"the file is empty"),
    ],
)
def test_faults_have_a_place(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=rf"a\.jsonl.*{message}"):
        read(tmp_path, "a.jsonl", text)

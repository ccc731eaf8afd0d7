"""Real tables beside the repository, where they are present: kinds as their descriptions say."""

import json
from pathlib import Path

import pytest

from quercus.files import read_file

FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "data"
TABLES = sorted(FOLDER.glob("*.csv.gz"))
pytestmark = pytest.mark.skipif(not TABLES, reason="the real tables are not beside the repository")
KINDS = {"num": "numeric", "cat": "nominal", "ord": "ordered"}


@pytest.mark.parametrize("file", TABLES, ids=lambda file: file.name)
def test_kinds_are_as_described(file: Path) -> None:
    about = json.loads(file.with_name(file.name.replace(".csv.gz", ".json")).read_text())
    table = read_file(file, target=about["target"])
    for name, kind in about["kinds"].items():
        if kind == "ord":  # the file itself cannot say so
            continue
        if name == about["target"] in ("Cover_Type", "DefaultNextMonth"):  # classes that are numbers
            continue
        assert table.kinds[name] == KINDS[kind], name
    assert table.notes == ()


@pytest.mark.parametrize(
    ("stem", "data", "test"), [("golf", 14, 0), ("hypo", 2514, 1258), ("labor-neg", 40, 17), ("vote", 300, 135)]
)
def test_c45_files(stem: str, data: int, test: int) -> None:
    table = read_file(FOLDER / "c45" / stem)
    assert table.n_rows == data and table.classes is not None and set(table.split()[1].dropna()) <= set(table.classes)
    if test:
        assert read_file(FOLDER / "c45" / f"{stem}.test").n_rows == test

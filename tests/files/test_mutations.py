"""Random edits of valid files: every one gives a table or an error of the library, never another exception."""

from __future__ import annotations

import gzip
import io
import os
from pathlib import Path

import numpy as np
import pytest

from files.test_c45_files import DATA as C45_DATA
from files.test_c45_files import NAMES as C45_NAMES
from files.test_schema_file import SCHEMA
from quercus.data import encode
from quercus.errors import FileError, QuercusError
from quercus.files import TableFile, read_file

ARFF = """@relation r
@attribute 'a b' {x, 'y z'}
@attribute n numeric
@attribute s string
@attribute d date "yyyy-MM-dd HH:mm"
@data
x,1.5,'it\\'s',"2024-05-01 12:30" % c
{0 'y z', 1 7, 2 q, 3 "2024-05-01 12:31"}
?,?,?,?
"""
SAMPLES = {
    "a.csv": b'"a b",n,zip\n"x, ""y""\n",1.5,01234\n,,\nz,2,99\n',
    "a.tsv": b"a\tb\n1\t2024-05-01\n2\t2024-05-02\n",
    "a.arff": ARFF.encode(),
    "a.jsonl": b'{"a": 1, "b": "x\\u00e4"}\n{"a": null, "b": true, "c": 1.5e3}\n',
    "a.csv.gz": gzip.compress(b"a,b\n1,x\n2,y\n", mtime=0),
    "golf.data": C45_DATA.encode(),
    "golf.names": C45_NAMES.encode(),
    "golf.costs": b"Play, Don't Play: 10.\nDon't Play, Play: 0.5\n",
    "s.toml": SCHEMA.encode(),
}
SIGNS = np.frombuffer(b"\"',;|\t\n\r {}%?\\#=[]:.@0-9eEnN\x00\xff\xc3\xef", dtype=np.uint8)


def mutated(data: bytes, random: np.random.Generator) -> bytes:
    """Change, insert, drop, double or cut off a few bytes."""
    content = bytearray(data)
    for _ in range(random.integers(1, 4)):
        position = int(random.integers(0, len(content) + 1))
        sign = int(random.choice(SIGNS)) if random.random() < 0.7 else int(random.integers(0, 256))
        match random.integers(0, 6):
            case 0 | 1:
                content[position : position + 1] = bytes([sign])
            case 2:
                content[position:position] = bytes([sign])
            case 3:
                del content[position : position + int(random.integers(1, 6))]
            case 4:
                piece = content[position : position + int(random.integers(1, 20))]
                content[position:position] = piece
            case _:
                if random.random() < 0.2:
                    del content[position:]
    return bytes(content)


def survives(path: Path, **options: object) -> TableFile | None:
    try:
        table = read_file(path, **options)  # type: ignore[arg-type]
    except QuercusError as error:
        if isinstance(error, FileError):
            assert str(error).startswith((str(path.parent), "the schema"))
        return None
    try:
        encode({name: table.columns[name] for name in table.attributes()}, **table.options())
    except QuercusError:  # no attribute left, an infinite number in JSON
        return None
    return table


@pytest.mark.parametrize("name", SAMPLES)
def test_mutated_files(name: str, tmp_path: Path) -> None:
    for sample, data in SAMPLES.items():
        (tmp_path / sample).write_bytes(data)
    options = {"schema": tmp_path / "s.toml"} if name == "s.toml" else {}
    file = tmp_path / name
    target = file
    if name == "s.toml":
        target = tmp_path / "b.csv"
        target.write_bytes(b"id,zip,size,grade,age,smokes,class\na,7,S,1,41,1,ill\nb,?,L,3,-1,false,well\n")
    elif name.startswith("golf"):
        target = tmp_path / "golf.data"
    assert survives(target, **options) is not None, "the sample itself is valid"
    random = np.random.default_rng(len(name))
    read = 0
    for _ in range(200):
        file.write_bytes(mutated(SAMPLES[name], random))
        read += survives(target, **options) is not None
    assert 0 < read < 200 or name.endswith(".gz")


def test_mutated_parquet(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    stream = io.BytesIO()
    table = pa.table({"a": list(range(50)), "b": pa.array(["x", None] * 25).dictionary_encode(), "c": ["t"] * 50})
    pytest.importorskip("pyarrow.parquet").write_table(table, stream)
    whole = stream.getvalue()
    random = np.random.default_rng(5)
    for k in range(300):
        (tmp_path / "a.parquet").write_bytes(mutated(whole, random) if k % 3 else whole[: random.integers(len(whole))])
        survives(tmp_path / "a.parquet")


@pytest.mark.parametrize("ending", ["csv", "arff", "jsonl", "parquet", "names", "gz", "unknown"])
def test_binary_garbage(ending: str, tmp_path: Path) -> None:
    random = np.random.default_rng(7)
    (tmp_path / "a.data").write_bytes(b"1,2\n")
    for size in (1, 10, 1000):
        (tmp_path / f"a.{ending}").write_bytes(random.bytes(size))
        with pytest.raises(QuercusError):
            read_file(tmp_path / f"a.{ending}")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs a user who may not read everything")
def test_a_file_without_permission(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("a,b\n1,2\n")
    file.chmod(0)
    with pytest.raises(FileError, match="cannot be read"):
        read_file(file)

"""Files are read within bounds: bombs, endless devices and pipes are refused before they fill the memory or wait."""

from __future__ import annotations

import gzip
import os
import threading
import zlib
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import quercus
from quercus import CARTClassifier
from quercus.datasets import load_play_tennis
from quercus.errors import FileError, ParameterError
from quercus.files import bounded, content, read_file
from quercus.models import read_model

posix = pytest.mark.skipif(os.name != "posix", reason="pipes and devices of POSIX systems")
READERS: list[Callable[[Any], Any]] = [quercus.load, read_model, read_file]


def zeros(path: Path, megabytes: int) -> None:
    with gzip.open(path, "wb", compresslevel=1) as stream:
        for _ in range(megabytes):
            stream.write(bytes(1_000_000))


@posix
@pytest.mark.parametrize("read", READERS)
def test_pipes_and_devices_are_refused_without_waiting(read: Callable[[Any], Any], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    for path, kind in ((tmp_path / "pipe", "pipe"), (tmp_path / "link", "pipe"), ("/dev/zero", "device")):
        message = rf"{path}: this is a {kind}, not a regular file\. Write its content to a file first"
        with pytest.raises(FileError, match=message):
            read(path)


def test_a_packed_model_is_not_unpacked_beyond_the_limit(tmp_path: Path) -> None:
    zeros(tmp_path / "bomb.json.gz", 20)
    message = r"bomb\.json\.gz: it unpacks to more than 1 MB, the limit\. If you know where .* give a larger max_bytes"
    for read in (quercus.load, read_model):
        with pytest.raises(FileError, match=message):
            read(tmp_path / "bomb.json.gz", max_bytes=1_000_000)
    with pytest.raises(FileError, match="no model of Quercus, or damaged"):
        quercus.load(tmp_path / "bomb.json.gz", max_bytes=None)


def test_a_model_and_its_arrays_have_a_limit_each(tmp_path: Path) -> None:
    model = CARTClassifier().fit(*load_play_tennis())
    file = tmp_path / "model.json"
    quercus.save(model, file, arrays="beside")
    beside = next(tmp_path.glob("*.safetensors"))
    largest = max(file.stat().st_size, beside.stat().st_size)
    assert quercus.load(file, max_bytes=largest).tree_ == model.tree_
    with pytest.raises(FileError, match=r"model\.json: it has more than 100 bytes, the limit"):
        quercus.load(file, max_bytes=100)
    os.truncate(beside, 10**9)
    with pytest.raises(FileError, match=r"model-\w+\.safetensors: it has more than 100 KB, the limit"):
        quercus.load(file, max_bytes=100_000)


@pytest.mark.parametrize("limit", [0, -1, 1.5, True, "2 GB"])
def test_a_limit_is_a_whole_number(limit: Any, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"max_bytes is .* but must be a whole number from 1 on, or None"):
        quercus.load(tmp_path / "m.json", max_bytes=limit)


@posix
def test_a_pipe_is_read_if_that_is_asked_for(tmp_path: Path) -> None:
    model = CARTClassifier().fit(*load_play_tennis())
    os.mkfifo(tmp_path / "pipe")
    thread = threading.Thread(target=quercus.save, args=(model, tmp_path / "pipe"))
    thread.start()
    assert quercus.load(tmp_path / "pipe", special_files=True).tree_ == model.tree_
    thread.join()
    with pytest.raises(FileError, match="/dev/zero: it has more than 10 MB, the limit"):
        quercus.load("/dev/zero", special_files=True, max_bytes=10_000_000)


def test_tables_beyond_the_memory_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (content.memory_size() or 10**9) > 10**8
    monkeypatch.setattr(content, "memory_size", lambda: 1_000_000)
    zeros(tmp_path / "bomb.csv.gz", 20)
    with pytest.raises(FileError, match=r"bomb\.csv\.gz: it unpacks to more than 1 MB, the limit\. That is the memory"):
        read_file(tmp_path / "bomb.csv.gz")
    with open(tmp_path / "sparse.csv", "wb") as stream:
        stream.truncate(10**10)
    with pytest.raises(FileError, match=r"sparse\.csv: it has more than 1 MB, the limit\. That is the memory"):
        read_file(tmp_path / "sparse.csv")


def _outcome(packed: bytes) -> object:
    try:
        return bounded.unpack_bounded("a.gz", packed, 10**6)
    except (OSError, EOFError, zlib.error) as error:
        return type(error), str(error)


@pytest.mark.parametrize("seed", range(5))
def test_isal_unpacks_as_zlib_does(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole, damaged, cut and joined data: the same bytes, or the same error."""
    isal_zlib = pytest.importorskip("isal.isal_zlib")
    random = Random(seed)
    raw = "".join(f"{random.random()},x{random.randrange(9)}\n" for _ in range(3000)).encode()
    for _ in range(20):
        packed = bytearray(gzip.compress(raw[: random.choice([0, 1, 99, len(raw)])], random.choice([1, 9])))
        damaged, at = bytearray(packed), random.randrange(len(packed))
        damaged[at] ^= 1 << random.randrange(8)
        for data in (packed, damaged, packed[: max(2, at)], packed + packed, packed + bytes(9), packed + b"more"):
            monkeypatch.setattr(bounded, "_unpacker", lambda: isal_zlib)
            fast = _outcome(bytes(data))
            monkeypatch.setattr(bounded, "_unpacker", lambda: zlib)
            assert fast == _outcome(bytes(data))


@pytest.mark.parametrize("data", [b"\x1f\x8bgarb", b"\x1f\x8b\x07" + bytes(40), b"\x00\xffgarbage\n" * 9, b"a\n\xe4\n"])
def test_what_is_no_gzip_file_is_not_called_cut_off(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(data)
    with pytest.raises(FileError, match=r"(?i)this is no gzip file, though its") as caught:
        read_file(path)
    assert "cut off" not in str(caught.value)


def test_a_gzip_file_that_ends_too_soon_is_called_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    for size in (2, 3, 9, 25):
        path.write_bytes(gzip.compress(b"a,b\n1,2\n3,4\n")[:size])
        with pytest.raises(FileError, match="the file is cut off"):
            read_file(path)
    path.write_bytes(b"a,b\n1,2\n")  # plain text may be called so
    assert read_file(path).n_rows == 1

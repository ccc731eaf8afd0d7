"""Models that several processes save under one name, or are killed in saving: one of them is there, whole."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import quercus
from quercus import CARTClassifier
from quercus.datasets import load_play_tennis
from quercus.errors import FileError
from quercus.models import loading

TENNIS = load_play_tennis()
MODELS = [CARTClassifier(max_depth=depth).fit(*TENNIS) for depth in (1, 2, None)]
TREES = [model.tree_ for model in MODELS]
pytestmark = pytest.mark.slow
posix = pytest.mark.skipif(os.name != "posix", reason="locks and signals of POSIX systems")

#: Saves models of several depths under one name, the number of times that is given, or waits at a step of saving.
WRITER = """
import os, sys
import quercus
from quercus.datasets import load_play_tennis

path, times, step, ending, depths = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4], eval(sys.argv[5])
models = [quercus.CARTClassifier(max_depth=depth).fit(*load_play_tennis()) for depth in depths]
calls = []

def waiting(plain):
    def wait(*arguments):
        calls.append(1)
        if (str(arguments[-1]).endswith(ending) if step == "replace" else len(calls) == int(ending)):
            print("there", flush=True)
            sys.stdin.readline()
        return plain(*arguments)
    return wait

if step != "none":
    setattr(os, step, waiting(getattr(os, step)))
else:
    print("there", flush=True)
for number in range(times):
    quercus.save(models[number % len(models)], path, arrays="beside")
"""


@contextmanager
def writer(path: Path, times: int, step: str = "none", ending: str = "", depths: Any = (1,)) -> Iterator[Any]:
    """A process that saves; the body begins when it is at its step."""
    arguments = [sys.executable, "-c", WRITER, str(path), str(times), step, ending, repr(tuple(depths))]
    process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None and process.stdout is not None
    try:
        assert process.stdout.readline() == "there\n"
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@posix
def test_many_writers_leave_one_whole_model_and_readers_never_miss_it(tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    quercus.save(MODELS[0], file, arrays="beside")
    reads = 0
    with (
        writer(file, 25, depths=(1, 2)) as one,
        writer(file, 25, depths=(2, None)) as two,
        writer(file, 25, depths=(None, 1)) as three,
    ):
        while any(process.poll() is None for process in (one, two, three)):
            assert quercus.load(file).tree_ in TREES
            reads += 1
        assert [process.returncode for process in (one, two, three)] == [0, 0, 0]
    assert reads > 0 and quercus.load(file).tree_ in TREES
    beside, name = names(tmp_path)
    assert name == "model.json" and beside.startswith("model-") and beside in file.read_text()


def test_a_model_that_is_replaced_while_it_is_read_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "model.json"
    quercus.save(MODELS[0], file, arrays="beside")
    plain, later = loading._arrays_bytes, [MODELS[1], MODELS[0], MODELS[2]]

    def replaced(*arguments: Any) -> Any:
        if later:
            quercus.save(later.pop(0), file, arrays="beside")
        return plain(*arguments)

    monkeypatch.setattr(loading, "_arrays_bytes", replaced)
    assert quercus.load(file).tree_ == TREES[2] and not later


@posix
@pytest.mark.parametrize(
    ("step", "ending", "arrays"),
    [
        ("fsync", "1", "inline"),  # the arrays are written, not flushed
        ("fsync", "2", "beside"),  # the JSON too
        ("replace", ".safetensors", "beside"),  # both are flushed
        ("replace", ".json", "beside"),  # the arrays are in their place, the JSON is not
        ("replace", ".json", "inline"),
    ],
)
def test_what_a_killed_writer_left_goes_with_the_next_saving(
    step: str, ending: str, arrays: Any, tmp_path: Path
) -> None:
    file = tmp_path / "model.json"
    quercus.save(MODELS[0], file, arrays="beside")
    with writer(file, 1, step, ending, depths=(2,)) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert any(name.endswith(".part") for name in names(tmp_path))
    assert quercus.load(file).tree_ == TREES[0]
    quercus.save(MODELS[2], file, arrays=arrays)
    assert quercus.load(file).tree_ == TREES[2]
    assert len(names(tmp_path)) == (2 if arrays == "beside" else 1) and names(tmp_path)[-1] == "model.json"


@posix
def test_the_parts_of_a_living_writer_stay(tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    with writer(file, 1, "fsync", "1", depths=(2,)) as process:
        quercus.save(MODELS[0], file, arrays="beside")
        assert quercus.load(file).tree_ == TREES[0] and names(tmp_path)[0].endswith(".part")
        process.communicate("go on\n")
        assert process.returncode == 0
    assert quercus.load(file).tree_ == TREES[1] and len(names(tmp_path)) == 2


@posix
def test_a_link_leads_to_both_files(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "use").mkdir()
    link, file = tmp_path / "use" / "link.json", tmp_path / "store" / "model.json"
    link.symlink_to(file)
    for model in MODELS:
        quercus.save(model, link, arrays="beside")
        assert link.is_symlink() and names(tmp_path / "use") == ["link.json"] and len(names(tmp_path / "store")) == 2
        assert quercus.load(link).tree_ == quercus.load(file).tree_ == model.tree_
    beside = next((tmp_path / "store").glob("*.safetensors"))
    (tmp_path / "use" / beside.name).symlink_to(beside.rename(tmp_path / "blob"))  # each file behind a link of its own
    assert quercus.load(link).tree_ == TREES[-1]


def test_arrays_that_a_copy_of_the_model_names_stay(tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    quercus.save(MODELS[0], file, arrays="beside")
    (tmp_path / "copy.json").write_bytes(file.read_bytes())
    quercus.save(MODELS[0], tmp_path / "model.json.gz", arrays="beside")
    quercus.save(MODELS[1], file, arrays="beside")
    assert quercus.load(tmp_path / "copy.json").tree_ == TREES[0]
    (tmp_path / "copy.json").unlink()
    quercus.save(MODELS[2], file, arrays="beside")
    assert quercus.load(tmp_path / "model.json.gz").tree_ == TREES[0]
    assert len(names(tmp_path)) == 4


@posix
def test_arrays_are_as_private_as_the_model(tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    quercus.save(MODELS[0], file)
    file.chmod(0o600)
    quercus.save(MODELS[1], file, arrays="beside")
    assert [path.stat().st_mode & 0o777 for path in tmp_path.iterdir()] == [0o600, 0o600]


@pytest.mark.parametrize("arrays", ["inline", "beside"])
def test_long_names(arrays: Any, tmp_path: Path) -> None:
    for stem in ("x" * 250, "ü" * 125, "🌳" * 62):
        file = tmp_path / f"{stem}.json"
        quercus.save(MODELS[0], file, arrays=arrays)
        quercus.save(MODELS[1], file, arrays=arrays)
        assert quercus.load(file).tree_ == TREES[1]
        assert len(names(tmp_path)) == (2 if arrays == "beside" else 1)
        for path in tmp_path.iterdir():
            path.unlink()
    with pytest.raises(FileError, match=r"x\.json: its name has 256 bytes, more than the file system takes. Give a sh"):
        quercus.save(MODELS[0], tmp_path / f"{'x' * 251}.json", arrays=arrays)
    with pytest.raises(FileError, match=r"m\.json: its path has 5\d\d\d bytes, more than the file system takes"):
        quercus.save(MODELS[0], f"{tmp_path}/{('x' * 200 + '/') * 25}m.json", arrays=arrays)
    assert names(tmp_path) == []


@posix
def test_nothing_stands_beside_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match=r'pipe: this is no regular file.* Give arrays="inline"'):
        quercus.save(MODELS[0], tmp_path / "pipe", arrays="beside")

"""A file is written whole or not at all."""

import errno
import os
import stat
from pathlib import Path

import pytest

from quercus.errors import FileError
from quercus.files import write_whole


def failing(*_arguments: object, **_options: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def interrupted(*_arguments: object, **_options: object) -> None:
    raise KeyboardInterrupt


def test_text_and_bytes_are_written(tmp_path: Path) -> None:
    write_whole(tmp_path / "a.txt", "größer\r\n")
    write_whole(str(tmp_path / "b.bin"), b"\0\xff")
    assert (tmp_path / "a.txt").read_bytes() == "größer\r\n".encode()
    assert (tmp_path / "b.bin").read_bytes() == b"\0\xff"


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
@pytest.mark.parametrize("old", [True, False])
def test_a_failing_step_changes_nothing(step: str, old: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if step == "chmod" and not old:
        pytest.skip("a new file has no permissions to keep")
    file = tmp_path / "model.json"
    if old:
        file.write_text("old")
    monkeypatch.setattr(os, step, failing)
    with pytest.raises(FileError, match=r"model\.json: the file could not be written \(No space left on device\)"):
        write_whole(file, "new")
    monkeypatch.undo()
    assert [entry.name for entry in tmp_path.iterdir()] == (["model.json"] if old else [])
    assert not old or file.read_text() == "old"


def test_a_failing_write_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "model.json"
    file.write_text("old")
    real = os.fdopen

    def open_full(*arguments: object, **options: object) -> object:
        stream = real(*arguments, **options)  # type: ignore[call-overload]

        class Full:
            def __enter__(self) -> "Full":
                return self

            def __exit__(self, *_error: object) -> None:
                stream.close()

            def write(self, content: bytes) -> None:
                stream.write(content[: len(content) // 2])
                failing()

        return Full()

    monkeypatch.setattr(os, "fdopen", open_full)
    with pytest.raises(FileError, match="No space left"):
        write_whole(file, "new" * 1000)
    monkeypatch.undo()
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.json"] and file.read_text() == "old"


def test_an_interruption_leaves_no_temporary_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "model.json", "new")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX systems")
def test_permissions_of_an_existing_file_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "secret.json"
    file.write_text("old")
    file.chmod(0o640)
    write_whole(file, "new")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640 and file.read_text() == "new"
    (tmp_path / "plain").write_text("")
    write_whole(tmp_path / "fresh", "")
    assert (tmp_path / "fresh").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.skipif(os.name != "posix", reason="symbolic links of POSIX systems")
def test_a_symbolic_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_whole(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_text() == "new"


@pytest.mark.skipif(not os.path.exists(os.devnull), reason="needs a device to write to")
def test_a_device_is_written_to_directly() -> None:
    write_whole(os.devnull, "gone")
    assert not stat.S_ISREG(os.stat(os.devnull).st_mode)


def test_a_missing_folder_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="there is no folder"):
        write_whole(tmp_path / "absent" / "model.json", "new")
    with pytest.raises(FileError, match="this is a folder"):
        write_whole(tmp_path, "new")
    (tmp_path / "file").write_text("old")
    with pytest.raises(FileError, match="there is no folder"):
        write_whole(tmp_path / "file" / "model.json", "new")


def test_a_very_long_name_is_refused_with_its_reason(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="xxx: its name has 300 bytes, more than the file system takes"):
        write_whole(tmp_path / ("x" * 300), "new")
    assert list(tmp_path.iterdir()) == []


def test_a_name_with_a_null_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="could not be written"):
        write_whole(f"{tmp_path}/a\0b", "new")

"""Writing a file whole or not at all: a reader, or a crash, never meets half of it."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path
from typing import Any

from quercus.errors import FileError
from quercus.files.place import file_error

__all__ = ["write_whole"]


def write_whole(path: str | os.PathLike[str], data: str | bytes) -> None:
    """Write a file so that it is either complete or as it was before.

    The data go into a temporary file beside it, which is flushed to the disk and then renamed over the old one. If any
    step fails, the old file stays as it was and no temporary file is left. An existing file keeps its permissions; a
    symbolic link stays a link, and the file that it names is replaced. Text is written as UTF-8, lines as they are.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder) / "tree.txt", "Outlook = Overcast: Yes")
    ...     os.listdir(folder)
    ['tree.txt']
    >>> write_whole("no/such/folder/tree.txt", "")
    Traceback (most recent call last):
    quercus.errors.FileError: no/such/folder/tree.txt: there is no folder 'no/such/folder'. Make it first, or write ...
    """
    shown = os.fspath(path)
    content = data.encode("utf-8") if isinstance(data, str) else bytes(data)
    try:
        target = Path(os.path.realpath(shown))
        found = _stat(target)
        if found is not None and not stat.S_ISREG(found.st_mode):
            _write_in_place(shown, target, found, content)
        else:
            _replace(target, content, None if found is None else stat.S_IMODE(found.st_mode))
    except (OSError, ValueError) as error:
        if isinstance(error, FileError):
            raise
        raise _explained(shown, error) from error


def _stat(target: Path) -> os.stat_result | None:
    try:
        return target.stat()
    except FileNotFoundError:
        return None


def _write_in_place(shown: str, target: Path, found: os.stat_result, content: bytes) -> None:
    """Write to a device or a pipe such as /dev/stdout, which nothing can be renamed over."""
    if stat.S_ISDIR(found.st_mode):
        raise file_error(shown, "this is a folder. Give the name of a file in it.")
    with open(target, "wb") as stream:
        stream.write(content)


def _replace(target: Path, content: bytes, mode: int | None) -> None:
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.part")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        if mode is not None:
            os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException:  # also Ctrl-C: the temporary file must not stay
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _flush_folder(target.parent)


def _flush_folder(folder: Path) -> None:
    """Make the new name last; systems that cannot flush a folder are left as they are, for the file itself is whole."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _explained(shown: Any, error: Exception) -> FileError:
    folder = os.path.dirname(shown) or "."
    if isinstance(error, (FileNotFoundError, NotADirectoryError)) and not os.path.isdir(folder):
        return file_error(str(shown), f"there is no folder {folder!r}. Make it first, or write to another place.")
    reason = getattr(error, "strerror", None) or str(error)
    return file_error(str(shown), f"the file could not be written ({reason}); nothing was changed.")

"""Writing a file whole or not at all: neither a reader nor a crash ever sees half of it."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: there is no lock that ends with its process
    fcntl = None  # type: ignore[assignment]

from quercus.errors import FileError, QuercusError
from quercus.files.place import file_error

__all__ = ["Part", "complete_part", "dead_parts", "locked_folder", "remove_part", "write_whole", "writing_errors"]

#: The most bytes of a file's name on the usual file systems.
LONGEST_NAME = 255


def write_whole(path: str | os.PathLike[str], data: str | bytes) -> None:
    """Write a file so that it is either complete or as it was before.

    path: the file. data: its new content.

    The data go into a temporary file beside it, which is flushed to the disk and then renamed over the old one. If any
    step fails, the old file stays as it was and no temporary file is left; what a killed process left of the same file
    is removed. An existing file keeps its permissions; a symbolic link stays a link, and the file that it names is
    replaced. Text is written as UTF-8, lines as they are.

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
    with writing_errors(shown):
        target = Path(os.path.realpath(shown))
        status = _stat(target)
        if status is not None and not stat.S_ISREG(status.st_mode):
            _write_in_place(shown, target, status, content)
        else:
            for dead in dead_parts(target):
                remove_part(dead)
            with complete_part(target, content) as part:
                part.place()


@contextlib.contextmanager
def writing_errors(shown: str) -> Iterator[None]:
    """Turn a system error while writing into an error that names the file and says what to do."""
    try:
        yield
    except QuercusError:
        raise
    except (OSError, ValueError) as error:
        raise _explained(shown, error) from error


def _stat(target: Path) -> os.stat_result | None:
    try:
        return target.stat()
    except FileNotFoundError:
        return None


def _write_in_place(shown: str, target: Path, status: os.stat_result, content: bytes) -> None:
    """Write to a device or a pipe such as /dev/stdout, which cannot be replaced by renaming."""
    if stat.S_ISDIR(status.st_mode):
        raise file_error(shown, "this is a folder. Give the name of a file in it.")
    with open(target, "wb") as stream:
        stream.write(content)


class Part:
    """A complete file under a temporary name, beside the place where it belongs."""

    def __init__(self, temporary: Path, target: Path) -> None:
        self.temporary, self.target = temporary, target

    def place(self) -> None:
        """Put the file into its place; an old file there is replaced."""
        os.replace(self.temporary, self.target)
        _flush_folder(self.target.parent)


@contextlib.contextmanager
def complete_part(
    target: Path, content: bytes, mode: int | None = None, named_after: Path | None = None
) -> Iterator[Part]:
    """A complete file beside its place, flushed to the disk; it is removed at the end unless it was placed.

    mode: its permissions; None: those of the file to be replaced, if there is one. named_after: the file whose
    temporary files this is one of, for :func:`dead_parts`; None: its own place. The file stays open and locked, so that
    others see that its writer lives.
    """
    if mode is None:
        status = _stat(target)
        mode = None if status is None else stat.S_IMODE(status.st_mode)
    descriptor, temporary = _new_part(named_after or target)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
            if mode is not None:
                os.chmod(temporary, mode)
            if fcntl is None:
                stream.close()  # an open file cannot be renamed there
            yield Part(temporary, target)
    finally:  # also after Ctrl-C: the temporary file must not stay
        remove_part(temporary)


def remove_part(part: Path) -> None:
    """Remove a temporary file, if it is there and can be removed."""
    with contextlib.suppress(OSError):
        os.unlink(part)


def _part_prefix(target: Path) -> str:
    """The beginning of the temporary names of a file; the whole names are not longer than the system allows."""
    return f".{os.fsencode(target.name)[:200].decode('utf-8', 'ignore')}."


def _new_part(target: Path) -> tuple[int, Path]:
    while True:
        temporary = target.with_name(f"{_part_prefix(target)}{secrets.token_hex(6)}.part")
        descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        if fcntl is None:
            return descriptor, temporary
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return descriptor, temporary
        os.close(descriptor)  # before it was locked, another writer took it for a dead one's


def dead_parts(target: Path) -> Iterator[Path]:
    """The temporary files for a place whose writers were killed: nobody locks them any more.

    Where the system has no locks that end with their process, there is no telling, and none are given.
    """
    if fcntl is None:
        return
    ours = re.compile(re.escape(_part_prefix(target)) + r"[0-9a-f]{12}\.part")
    with contextlib.suppress(OSError):  # a folder that cannot be listed
        for name in os.listdir(target.parent):
            if ours.fullmatch(name):
                yield from _if_dead(target.with_name(name))


def _if_dead(part: Path) -> Iterator[Path]:
    assert fcntl is not None
    with contextlib.suppress(OSError):  # it is locked, it is gone, or it may not be opened
        descriptor = os.open(part, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield part
        finally:
            os.close(descriptor)


@contextlib.contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Keep out other writers that use the same lock of a folder, where the system can lock folders."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows, or a folder that cannot be listed
        yield
        return
    try:
        if fcntl is not None:
            with contextlib.suppress(OSError):  # a file system without locks
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        if fcntl is not None:
            with contextlib.suppress(OSError):  # said aloud, since a process forked meanwhile has the lock, too
                fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def _flush_folder(folder: Path) -> None:
    """Make the new name durable; where the system cannot flush a folder, nothing is done: the file is whole."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _explained(shown: str, error: Exception) -> FileError:
    folder, name = os.path.split(shown)
    folder = folder or "."
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        size = len(os.fsencode(name))
        which = f"its name has {size} bytes" if size > LONGEST_NAME else f"its path has {len(os.fsencode(shown))} bytes"
        return file_error(shown, f"{which}, more than the file system takes. Give a shorter one.")
    if isinstance(error, (FileNotFoundError, NotADirectoryError)) and not os.path.isdir(folder):
        return file_error(shown, f"there is no folder {folder!r}. Make it first, or write to another place.")
    reason = getattr(error, "strerror", None) or str(error)
    return file_error(shown, f"the file could not be written ({reason}); nothing was changed.")

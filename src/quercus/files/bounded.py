"""Reading the bytes of a file within limits: regular files only, and no more bytes than a limit, packed or not."""

from __future__ import annotations

import gzip
import io
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, Protocol

from quercus.errors import FileError
from quercus.files.place import file_error

__all__ = ["GZIP", "MAX_BYTES", "open_bounded", "read_bounded", "shown_size", "unpack_bounded"]

#: The first bytes of every gzip file.
GZIP = b"\x1f\x8b"
#: The most bytes of a model's file that are read unless told otherwise.
MAX_BYTES = 2_000_000_000
_CHUNK = 1 << 20
_PIECE = 1 << 14  # packed bytes; they cannot become more than a thousand times as many
_KINDS = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


@contextmanager
def open_bounded(
    path: str | os.PathLike[str], limit: int | None, *, special_files: bool = False, remedy: str = "", advice: str = ""
) -> Iterator[tuple[BinaryIO, os.stat_result]]:
    """Open a file that has no more bytes than a limit, and return its system information; see read_bounded."""
    # A pipe without a writer would block in being opened; without that flag nothing else changes.
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | (0 if special_files else getattr(os, "O_NONBLOCK", 0))
    with open(path, "rb", opener=lambda name, _: os.open(name, flags)) as stream:
        status = os.fstat(stream.fileno())
        if not special_files:
            _refuse_special(os.fspath(path), status, advice)
        if limit is not None and status.st_size > limit:
            raise _too_large(os.fspath(path), limit, remedy)
        yield stream, status


def read_bounded(
    path: str | os.PathLike[str], limit: int | None, *, special_files: bool = False, remedy: str = "", advice: str = ""
) -> tuple[bytes, os.stat_result]:
    """Read a file, and return the system information about the file that was read.

    - limit: the most bytes; None: any number.
    - special_files: whether pipes and devices are read too; they may never end, or never begin.
    - remedy, advice: ends of the messages about the limit and about pipes and devices: what to do.

    A file that cannot be opened gives the ``OSError`` or ``ValueError`` of ``open``.

    >>> read_bounded(os.devnull, 100)
    Traceback (most recent call last):
    quercus.errors.FileError: ...: this is a device, not a regular file. ...
    """
    options: Any = {"special_files": special_files, "remedy": remedy, "advice": advice}
    with open_bounded(path, limit, **options) as (stream, status):
        if stat.S_ISREG(status.st_mode) and status.st_size > 0:
            return stream.read(), status
        data = _at_most(stream, limit)
    if data is None:
        raise _too_large(os.fspath(path), limit, remedy)
    return data, status


def unpack_bounded(path: str, packed: bytes, limit: int | None, *, remedy: str = "") -> bytes:
    """Unpack gzip data, but no more than a limit; damaged data give the errors of :mod:`gzip`.

    >>> unpack_bounded("bomb.gz", gzip.compress(bytes(10**6)), 10**5, remedy="Unpack it first.")
    Traceback (most recent call last):
    quercus.errors.FileError: bomb.gz: it unpacks to more than 100 KB, the limit. Unpack it first.
    """
    unpacker = _unpacker()
    try:
        data = _at_most(_OneMember(packed, unpacker), limit)
    except (EOFError, zlib.error, unpacker.error):  # several members, or damaged ones, which this reader names
        with gzip.GzipFile(fileobj=io.BytesIO(packed)) as stream:
            data = _at_most(stream, limit)
    if data is None:
        raise _too_large(path, limit, remedy, "it unpacks to")
    return data


def _unpacker() -> Any:
    """The fastest module that unpacks as :mod:`zlib` does: isal, where it is installed."""
    try:
        from isal import isal_zlib
    except ImportError:
        return zlib
    return isal_zlib


class _OneMember:
    """The bytes of gzip data with one member, as most have; data with more give an error at the end."""

    def __init__(self, packed: bytes, unpacker: Any) -> None:
        self._pieces = (packed[begin : begin + _PIECE] for begin in range(0, len(packed), _PIECE))
        self._unpacker = unpacker.decompressobj(wbits=16 + zlib.MAX_WBITS)  # 16: with gzip's header and check sum

    def read(self, _: int, /) -> bytes:
        """Return the next bytes; empty at the end."""
        for piece in self._pieces:
            unpacked: bytes = self._unpacker.decompress(piece)
            if unpacked:
                return unpacked
        if not self._unpacker.eof or self._unpacker.unused_data:
            raise EOFError
        return b""


class _Stream(Protocol):
    """Anything from which bytes can be read."""

    def read(self, size: int, /) -> bytes: ...


def _at_most(stream: _Stream, limit: int | None) -> bytes | None:
    """All bytes of a stream, or None as soon as there are more than the limit."""
    whole = io.BytesIO()  # which gives its bytes away without a copy
    while chunk := stream.read(_CHUNK):
        whole.write(chunk)
        if limit is not None and whole.tell() > limit:
            return None
    return whole.getvalue()


def _refuse_special(shown: str, status: os.stat_result, advice: str) -> None:
    for is_kind, name in _KINDS:
        if is_kind(status.st_mode):
            problem = f"this is {name}, not a regular file. Write its content to a file first"
            raise file_error(shown, f"{problem}{f', or {advice}' if advice else ''}.")


def _too_large(shown: str, limit: int | None, remedy: str, verb: str = "it has") -> FileError:
    return file_error(shown, f"{verb} more than {shown_size(limit or 0)}, the limit. {remedy}".rstrip())


def shown_size(size: int) -> str:
    """A number of bytes in a form for people, such as 2 MB.

    >>> shown_size(2_000_000_000), shown_size(1500), shown_size(10)
    ('2 GB', '1.5 KB', '10 bytes')
    """
    for unit, name in ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "KB")):
        if size >= unit:
            return f"{size / unit:.3g} {name}"
    return f"{size} bytes"

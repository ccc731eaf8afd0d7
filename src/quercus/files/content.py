"""The bytes of a file: read once, unpacked if they are compressed, fingerprinted, and turned into text."""

from __future__ import annotations

import codecs
import hashlib
import io
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property

from quercus.errors import FileError, ParameterError, shorten
from quercus.files.bounded import GZIP, open_bounded, unpack_bounded
from quercus.files.place import file_error

__all__ = ["Content", "decode", "read_content", "utf8"]

_LONG = 1 << 23  # bytes
_TOO_LARGE = "That is the memory of this machine: read a part of the file, or use a machine that has more."
_OTHER_MARKS = {codecs.BOM_UTF32_LE: "UTF-32", codecs.BOM_UTF32_BE: "UTF-32"} | {
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
_WINDOWS = re.compile(b"[\x80-\x9f]")  # letters and signs in cp1252; controls, which no text has, in latin-1
_NO_GZIP = "this is no gzip file"
_DEFLATE = 8  # the one method of gzip, in the byte after the first two
_PACKED = {
    b"PK\x03\x04": "a ZIP archive",
    b"BZh": "packed by bzip2",
    b"\xfd7zXZ": "packed by xz",
    b"\x28\xb5\x2f\xfd": "packed by zstd",
}


class Content:
    """A file's path, its bytes (unpacked) and the SHA-256 of its bytes as they are on the disk.

    A long file is not held: ``stream`` reads it from the disk, and ``data`` and ``fingerprint`` do so when first asked.
    misnamed: whether the path ends with .gz, but the file is not packed by gzip.
    """

    def __init__(
        self,
        path: str,
        data: bytes | None,
        fingerprint: str = "",
        status: os.stat_result | None = None,
        misnamed: bool = False,
    ) -> None:
        self.misnamed = misnamed
        self.path, self._data, self._fingerprint, self._status = path, data, fingerprint, status

    @property
    def size(self) -> int:
        """The number of bytes."""
        return len(self.data) if self._status is None else self._status.st_size

    @cached_property
    def data(self) -> bytes:
        """All bytes of the file, unpacked."""
        return self.beginning(-1) if self._data is None else self._data

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of the file."""
        if self._data is not None:
            return self._fingerprint
        with self.stream() as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()

    def beginning(self, size: int) -> bytes:
        """Return the first bytes; -1: all."""
        with self.stream() as stream:
            return stream.read(size)

    @contextmanager
    def stream(self) -> Iterator[io.BytesIO | io.FileIO]:
        """Read the bytes from the start; the file must be the same, and unchanged, each time."""
        if self._data is not None:
            yield io.BytesIO(self._data)
            return
        try:
            with open(self.path, "rb", buffering=0) as stream:
                self._check(os.fstat(stream.fileno()))
                yield stream
                self._check(os.fstat(stream.fileno()))
        except OSError as error:
            raise _unreadable(self.path, error) from error

    def _check(self, status: os.stat_result) -> None:
        parts = ("st_dev", "st_ino", "st_size", "st_mtime_ns")
        if any(getattr(status, part) != getattr(self._status, part) for part in parts):
            raise file_error(self.path, "the file was changed while it was read. Read it again.")


def read_content(path: str | os.PathLike[str]) -> Content:
    """Read a regular file; gzip is recognised by the file's first bytes, whatever its name.

    A file that is, or unpacks to, more than the memory of this machine is refused before the memory is full.

    >>> read_content("no/such/file.csv")
    Traceback (most recent call last):
    quercus.errors.FileError: no/such/file.csv: there is no such file.
    """
    shown = os.fspath(path)
    try:
        with open_bounded(shown, memory_size(), remedy=_TOO_LARGE) as (stream, status):
            data = stream.read(_LONG)
            is_long = len(data) == _LONG and not data.startswith(GZIP)
            packed = data if is_long else data + stream.read()
    except FileError:
        raise
    except (OSError, ValueError) as error:
        raise _unreadable(shown, error) from error
    data = _unpacked(shown, packed) if packed.startswith(GZIP) else packed
    for mark, what in _PACKED.items():
        if data.startswith(mark):
            raise file_error(shown, f"the file is {what}; only gzip is unpacked. Unpack it first.")
    if not data or data.isspace():
        raise file_error(shown, "the file is empty.")
    misnamed = shown.lower().endswith(".gz") and not packed.startswith(GZIP)
    if is_long:
        return Content(shown, None, status=status, misnamed=misnamed)
    return Content(shown, data, hashlib.sha256(packed).hexdigest(), misnamed=misnamed)


def memory_size() -> int | None:
    """The bytes of memory of this machine; None if the system does not tell."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _unreadable(shown: str, error: Exception) -> FileError:
    if isinstance(error, FileNotFoundError):
        return file_error(shown, "there is no such file.")
    if isinstance(error, IsADirectoryError):
        return file_error(shown, "this is a folder. Give a file in it.")
    return file_error(shown, f"the file cannot be read ({getattr(error, 'strerror', None) or error}).")


def _unpacked(shown: str, packed: bytes) -> bytes:
    if packed[len(GZIP) :][:1] not in (b"", bytes([_DEFLATE])):
        raise file_error(shown, f"{_NO_GZIP}, though its first two bytes are those of one. Copy the file again.")
    try:
        return unpack_bounded(shown, packed, memory_size(), remedy=_TOO_LARGE)
    except EOFError as error:
        raise file_error(shown, "the gzip data end too soon: the file is cut off. Copy it again.") from error
    except (OSError, zlib.error) as error:
        raise file_error(shown, f"the gzip data are damaged ({error}). Copy the file again.") from error


def decode(content: Content, encoding: str = "utf-8") -> str:
    """Turn the bytes into text; a byte-order mark of UTF-8 is dropped, binary data and other encodings are refused.

    >>> decode(Content("a.csv", "größe".encode(), ""))
    'größe'
    >>> decode(Content("a.csv", b"a,b\\n1,gr\\xf6\\xdfe\\n", ""))
    Traceback (most recent call last):
    quercus.errors.FileError: a.csv, line 2, column 5: expected UTF-8 text, found the byte 0xF6. ...
    """
    name, data = _encoding_name(encoding), content.data
    way_out = f"{_NO_GZIP.capitalize()}, though its name ends with .gz. " if content.misnamed else ""
    if name == "utf-8":
        _refuse_other_text(content)
        data = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = data.decode(name)
    except UnicodeDecodeError as error:
        line, column = _byte_place(data, error.start)
        expected = "UTF-8" if name == "utf-8" else name
        way_out += _way_out(_likely_encoding(data))
        problem = f"expected {expected} text, found the byte 0x{data[error.start]:02X}. {way_out}"
        raise file_error(content.path, problem, line, column) from error
    except (LookupError, UnicodeError, ValueError, AssertionError) as error:
        raise file_error(content.path, f"the bytes are not {name} text ({error}).") from error
    if "\0" in text:
        at = text.index("\0")
        line, column = _byte_place(text[: at + 1].encode("utf-8", "replace"), len(text[:at].encode("utf-8", "replace")))
        problem = "expected text, found a zero byte: this is binary data, or text in UTF-16."
        raise file_error(content.path, f"{problem} {way_out}{_way_out(_likely_encoding(data))}", line, column)
    if not text or text.isspace():
        raise file_error(content.path, "the file is empty.")
    return text


def utf8(content: Content, encoding: str = "utf-8") -> Content:
    """Return the content as UTF-8: another encoding is translated; bytes that are declared as UTF-8 stay as they are.

    >>> utf8(Content("a.csv", "größe".encode("latin-1")), "latin-1").data.decode()
    'größe'
    """
    if _encoding_name(encoding) == "utf-8":
        return content
    try:
        return Content(content.path, decode(content, encoding).encode(), content.fingerprint)
    except UnicodeEncodeError as error:
        raise file_error(content.path, f"the bytes are not {encoding} text (half of a surrogate pair).") from error


def _encoding_name(encoding: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except (LookupError, TypeError, ValueError) as error:
        raise ParameterError(f'encoding={shorten(encoding)} is not known; give a name such as "utf-8".') from error


def _refuse_other_text(content: Content) -> None:
    for mark, name in _OTHER_MARKS.items():
        if content.data.startswith(mark):
            problem = f"expected UTF-8 text, found the mark of {name}. {_way_out(name.lower())}"
            raise file_error(content.path, problem)


def _likely_encoding(data: bytes) -> str:
    """Return the most frequent encoding of texts that are not UTF-8; zero bytes mean UTF-16."""
    zero = data[:1000].find(b"\0")
    if zero >= 0:
        return "utf-16-le" if zero % 2 else "utf-16-be"
    return "cp1252" if _WINDOWS.search(data) else "latin-1"


def _way_out(encoding: str) -> str:
    """Say what to do with a table in another encoding."""
    return f'Save the file as UTF-8, or name its encoding (encoding="{encoding}", or --read encoding={encoding}).'


def _byte_place(data: bytes, position: int) -> tuple[int, int]:
    before = data[:position]
    start = max(before.rfind(b"\n"), before.rfind(b"\r")) + 1
    line = before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n") + 1
    return line, len(before[start:].decode("utf-8", "replace")) + 1

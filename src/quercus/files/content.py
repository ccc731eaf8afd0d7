"""The bytes of a file: read once, unpacked if they are compressed, fingerprinted, and turned into text."""

from __future__ import annotations

import codecs
import hashlib
import os
import zlib
from dataclasses import dataclass

from quercus.errors import FileError, ParameterError, shorten
from quercus.files.bounded import GZIP, read_bounded, unpack_bounded
from quercus.files.place import file_error

__all__ = ["Content", "decode", "read_content"]

_TOO_LARGE = "That is the memory of this machine: read a part of the file, or use a machine that has more."
_OTHER_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16", b"\x00\x00\xfe\xff": "UTF-32"}
_PACKED = {
    b"PK\x03\x04": "a ZIP archive",
    b"BZh": "packed by bzip2",
    b"\xfd7zXZ": "packed by xz",
    b"\x28\xb5\x2f\xfd": "packed by zstd",
}


@dataclass(frozen=True)
class Content:
    """A file's path, its bytes (unpacked) and the SHA-256 of its bytes as they are on the disk."""

    path: str
    data: bytes
    fingerprint: str


def read_content(path: str | os.PathLike[str]) -> Content:
    """Read a regular file; gzip is recognised by the file's first bytes, whatever its name.

    A file that is, or unpacks to, more than the memory of this machine is refused before the memory is full.

    >>> read_content("no/such/file.csv")
    Traceback (most recent call last):
    quercus.errors.FileError: no/such/file.csv: there is no such file.
    """
    shown = os.fspath(path)
    try:
        packed, _ = read_bounded(shown, memory_size(), remedy=_TOO_LARGE)
    except FileError:
        raise
    except (OSError, ValueError) as error:
        raise _unreadable(shown, error) from error
    fingerprint = hashlib.sha256(packed).hexdigest()
    data = _unpacked(shown, packed) if packed.startswith(GZIP) else packed
    for mark, what in _PACKED.items():
        if data.startswith(mark):
            raise file_error(shown, f"the file is {what}; only gzip is unpacked. Unpack it first.")
    if not data.strip():
        raise file_error(shown, "the file is empty.")
    return Content(shown, data, fingerprint)


def memory_size() -> int | None:
    """The bytes of memory that this machine has; None if the system does not say."""
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
    try:
        name = codecs.lookup(encoding).name
    except (LookupError, TypeError, ValueError) as error:
        raise ParameterError(f'encoding={shorten(encoding)} is not known; give a name such as "utf-8".') from error
    data = content.data
    if name == "utf-8":
        _refuse_other_text(content)
        data = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = data.decode(name)
    except UnicodeDecodeError as error:
        line, column = _byte_place(data, error.start)
        expected = "UTF-8" if name == "utf-8" else name
        problem = f"expected {expected} text, found the byte 0x{data[error.start]:02X}. Save the file as UTF-8"
        raise file_error(
            content.path, f'{problem}, or name its encoding (encoding="latin-1").', line, column
        ) from error
    except (LookupError, UnicodeError, ValueError, AssertionError) as error:
        raise file_error(content.path, f"the bytes are not {name} text ({error}).") from error
    if "\0" in text:
        at = text.index("\0")
        line, column = _byte_place(text[: at + 1].encode("utf-8", "replace"), len(text[:at].encode("utf-8", "replace")))
        raise file_error(content.path, "expected text, found a zero byte: this is binary data.", line, column)
    if not text.strip():
        raise file_error(content.path, "the file is empty.")
    return text


def _refuse_other_text(content: Content) -> None:
    for mark, name in _OTHER_MARKS.items():
        if content.data.startswith(mark):
            raise file_error(content.path, f"expected UTF-8 text, found the mark of {name}. Save the file as UTF-8.")


def _byte_place(data: bytes, position: int) -> tuple[int, int]:
    before = data[:position]
    start = max(before.rfind(b"\n"), before.rfind(b"\r")) + 1
    line = before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n") + 1
    return line, len(before[start:].decode("utf-8", "replace")) + 1

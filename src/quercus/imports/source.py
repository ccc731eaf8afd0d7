"""The source of an import: a file, or its text."""

from __future__ import annotations

import os
from pathlib import Path

from quercus.errors import DataTypeError, FileError
from quercus.files.bounded import MAX_BYTES, read_bounded

_REMEDY = "Give max_bytes=None to read it all the same."


def read_source(source: str | os.PathLike[str], mark: str, max_bytes: int | None = MAX_BYTES) -> tuple[str, str]:
    """The text of a source, and its name in messages.

    source: the text itself, if it contains the mark; else the path of a file in UTF-8. max_bytes: the largest size of
    the file; None: any size.
    """
    if not isinstance(source, str | os.PathLike):
        raise DataTypeError(f"The source is of type {type(source).__name__}; give a text or the path of a file.")
    if isinstance(source, str) and mark in source:
        if max_bytes is not None and len(source) > max_bytes:
            raise FileError(f"The text has {len(source):,} characters, more than max_bytes={max_bytes:,}. {_REMEDY}")
        return source, "The text"
    if isinstance(source, str) and not source.strip():
        raise FileError("The source is an empty text; give a text that holds a model, or the path of a file.")
    path = Path(source)
    try:
        data, _ = read_bounded(path, max_bytes, remedy=_REMEDY)
        return data.decode("utf-8-sig"), str(path)
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: byte {error.start} is no UTF-8. Save the file as UTF-8.") from error
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror or error}.") from error
    except ValueError as error:  # a NUL in the name
        raise FileError(f"{str(path)!r}: cannot be read: {error}.") from error

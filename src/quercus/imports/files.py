"""Files of other libraries: read up to a size limit; anything unexpected in them is an error that names the place."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from quercus.errors import DataError, FileError, QuercusError, shorten
from quercus.files.bounded import MAX_BYTES, read_bounded


def is_path(thing: Any) -> bool:
    """Whether a source names a file."""
    return isinstance(thing, str | os.PathLike)


def file_bytes(path: str | os.PathLike[str]) -> bytes:
    """The content of a file."""
    if not os.fspath(path):
        raise FileError("The path is empty; give that of a file.")
    try:
        return read_bounded(path, MAX_BYTES)[0]
    except QuercusError:
        raise
    except (OSError, ValueError) as error:
        raise FileError(f"{os.fspath(path)} cannot be read: {getattr(error, 'strerror', None) or error}.") from error


def parsed_json(data: bytes | str, whose: str) -> Any:
    """The content of a JSON document. whose: what the document should be, for messages."""
    try:
        return json.loads(data)
    except UnicodeDecodeError as error:
        raise DataError(f"This is not {whose}: it is no text in UTF-8.") from error
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise DataError(f"This is not {whose}, or it is cut off: {error.msg} in {where}.") from error
    except RecursionError as error:
        raise DataError(f"This is not {whose}: it is nested too deeply.") from error


@contextmanager
def reading(place: str) -> Iterator[None]:
    """Turn an error inside the block into a :class:`DataError` that names the place."""
    try:
        yield
    except QuercusError:
        raise
    except KeyError as error:
        raise DataError(f"{place}: {shorten(error.args[0])} is missing.") from error
    except (TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        raise DataError(f"{place}: something is not as expected there ({shorten(str(error), 120)}).") from error

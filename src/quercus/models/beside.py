"""The file of arrays beside a model's JSON: its name, the files that refer to it, and when it may be removed."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import re
import zlib
from pathlib import Path

from quercus.files.atomic import LONGEST_NAME

ENDING = ".safetensors"
#: Characters of the digest in the name: enough that two models never meet under one name.
_DIGITS = 16
#: A JSON file names its arrays in its last line; no more than this is read of it.
_TAIL = 4096
#: A packed file is read as a whole; the JSON of a model whose arrays are beside it is smaller than this.
_LARGEST_PACKED = 8_000_000
_MEMBER = re.compile(rb'"arrays_file":\s*(\{[^{}]*\})')


def arrays_name(file: Path, digest: str) -> str:
    """The name of the arrays of a model, made of its own name and their digest.

    So the arrays of two models that are saved under one name at once never stand in the same file.

    >>> arrays_name(Path("model.json.gz"), "0123456789abcdef0123")
    'model-0123456789abcdef.safetensors'
    """
    return f"{_stem(file)}-{digest[:_DIGITS]}{ENDING}"


def _stem(file: Path) -> str:
    stem = file.name.removesuffix(".gz").removesuffix(".json").replace("\\", "_")
    longest = LONGEST_NAME - len(ENDING) - 1 - _DIGITS
    encoded = os.fsencode(stem)
    return stem if len(encoded) <= longest else encoded[:longest].decode("utf-8", "ignore")


def named_arrays(document: Path, file: Path) -> str | None:
    """The name of the arrays that a document names, if they belong to the model of this file."""
    members = _MEMBER.findall(_end_of(document, packed=file.suffix == ".gz"))
    try:
        name = json.loads(members[-1])["name"]
    except (IndexError, KeyError, ValueError):
        return None
    mine = isinstance(name, str) and name.startswith(_stem(file)) and name.endswith(ENDING) and "/" not in name
    return name if mine else None


def remove_unnamed(folder: Path, name: str) -> None:
    """Remove a file of arrays, unless a model of the folder names it: the new one, or a copy of the old."""
    named = json.dumps(name).encode("ascii")
    try:
        others = [folder / other for other in os.listdir(folder) if other.endswith((".json", ".gz"))]
    except OSError:  # who cannot look must not remove
        return
    if not any(named in _end_of(other, packed=other.suffix == ".gz") for other in others):
        with contextlib.suppress(OSError):
            (folder / name).unlink(missing_ok=True)


def _end_of(file: Path, *, packed: bool) -> bytes:
    """The end of a file, where a model names its arrays; of a packed one all of it, if it is not large."""
    try:
        if not file.is_file():  # nothing, or a pipe
            return b""
        with open(file, "rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            if not packed:
                stream.seek(max(0, size - _TAIL))
                return stream.read()
            if size > _LARGEST_PACKED:
                return b""
            with gzip.GzipFile(fileobj=stream) as unpacked:
                return unpacked.read(10 * _LARGEST_PACKED)
    except (OSError, EOFError, zlib.error):
        return b""

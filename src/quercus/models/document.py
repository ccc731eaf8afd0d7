"""The document of a model file: its members as JSON text with a checksum; everything is checked when it is read."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

from quercus.criteria import CRITERIA, FUNCTION
from quercus.errors import FileError, shorten
from quercus.files.bounded import GZIP, unpack_bounded
from quercus.models.damage import DamageError
from quercus.models.validation import check

#: What the field "format" of a model file says.
FORMAT = "quercus model"
#: The version of model files that is written; files of this and of earlier versions are read.
VERSION = 1
RESTORE = "Restore the file from a copy, or save the model again."

#: The order in which people read the members.
_ORDER = ("format", "version", "checksum", "written_by", "model", "classes", "schema", "provenance", "evidence")


@cache
def library_version() -> str:
    """The version of this library, looked up once."""
    return version_of("quercus")


@cache
def _schema_text() -> str:
    return Path(__file__).with_name("model.schema.json").read_text(encoding="utf-8")


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of model files.

    >>> schema()["title"]
    'A model of the Python library Quercus'
    """
    read: dict[str, Any] = json.loads(_schema_text())
    read["$defs"]["criterion"]["anyOf"] = [{"enum": list(CRITERIA)}, {"pattern": f"^{FUNCTION}."}]
    return read


@cache
def _known_schema() -> dict[str, Any]:
    return schema()


# Writing


def written(document: Mapping[str, Any], default: Callable[[Any], Any] | None = None) -> str:
    """The text of a document, one line per member, with its checksum; numbers exact, everything ASCII.

    default: turns what is no JSON into what is.
    """
    members = {name: _compact(value, default) for name, value in document.items()}
    members["checksum"] = _compact(_digest(members))
    order = [*(name for name in _ORDER if name in members), *(name for name in members if name not in _ORDER)]
    return "{\n" + ",\n".join(f"{_compact(name)}: {members[name]}" for name in order) + "\n}\n"


def checksum(document: Mapping[str, Any]) -> str:
    """SHA-256 of all members but the checksum itself, in one form: names sorted, no spaces, ASCII.

    >>> checksum({"b": 1, "a": [0.5]}) == checksum({"a": [0.5], "b": 1, "checksum": "?"})
    True
    """
    return _digest({name: _compact(value) for name, value in document.items()})


def _digest(members: Mapping[str, str]) -> str:
    parts = (f"{_compact(name)}:{members[name]}" for name in sorted(members) if name != "checksum")
    return "sha256:" + hashlib.sha256(("{" + ",".join(parts) + "}").encode("ascii")).hexdigest()


def _compact(value: Any, default: Callable[[Any], Any] | None = None) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False, default=default)


# Reading


#: What to do about a file above the limit of bytes.
ALLOW_MORE = "If you know where the file comes from, give a larger max_bytes, or max_bytes=None."


def read_document(data: bytes, name: str, max_bytes: int | None = None) -> dict[str, Any]:
    """The members of a model file, if it is one, of a version known here, undamaged and as the schema says.

    name: of the file, for messages. max_bytes: the most that packed data may unpack to; None: any number.
    """
    document = _parsed(_unzipped(data, name, max_bytes), name)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise FileError(f"{name}: this is JSON, but not a model of Quercus. Give a file that quercus.save wrote.")
    version = document.get("version")
    if type(version) is not int or version < 1:
        raise FileError(f"{name}: damaged: its version is {shorten(version)}. {RESTORE}")
    if version > VERSION:
        raise FileError(
            f"{name}: written by a newer Quercus, in version {version} of the format; this is Quercus "
            f"{library_version()}, which reads version {VERSION}. Update it: pip install --upgrade quercus"
        )
    try:
        sum_here = checksum(document)
        if document.get("checksum") != sum_here:
            raise DamageError(
                "/checksum", "the content is not that of which the checksum was taken, so something was changed"
            )
        check(document, _known_schema())
    except (DamageError, ValueError, RecursionError) as error:
        raise damaged(name, error) from error
    return document


def damaged(name: str, error: Exception) -> FileError:
    """The error for a file in which something is wrong."""
    reason = str(error) or "it is nested too deeply"
    return FileError(f"{name}: damaged {reason if isinstance(error, DamageError) else f'content: {reason}'}. {RESTORE}")


def _unzipped(data: bytes, name: str, max_bytes: int | None) -> str:
    try:
        if data.startswith(GZIP):
            data = unpack_bounded(name, data, max_bytes, remedy=ALLOW_MORE)
        return data.decode("utf-8-sig")
    except (EOFError, OSError, zlib.error) as error:
        raise FileError(f"{name}: damaged, it cannot be unpacked: {error}. {RESTORE}") from error
    except UnicodeDecodeError as error:
        raise FileError(
            f"{name}: no model of Quercus, or damaged: it is not UTF-8 text ({error}). {RESTORE}"
        ) from error


def _parsed(text: str, name: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_members, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        if text.startswith("{") and not text.rstrip().endswith("}"):
            raise FileError(f"{name}: cut off: it ends before the model does. {RESTORE}") from error
        where = f"line {error.lineno}, column {error.colno}"
        raise FileError(f"{name}, {where}: no model of Quercus, or damaged: {error.msg}. {RESTORE}") from error
    except (ValueError, RecursionError) as error:
        raise damaged(name, error) from error


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ValueError(f"the name {shorten(twice)} stands twice in one object")
    return members


def _refuse_constant(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")

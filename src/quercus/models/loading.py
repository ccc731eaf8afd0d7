"""Loading: from a file back to the fitted model, without running any code of the file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quercus.errors import FileError, ParameterError, shorten
from quercus.files.bounded import MAX_BYTES, read_bounded
from quercus.models.arrays import ArrayReader, read_safetensors
from quercus.models.damage import DamageError, at
from quercus.models.document import ALLOW_MORE, RESTORE, damaged, read_document
from quercus.models.fitted import read_fitted


@dataclass(frozen=True)
class ModelFile:
    """What a model file holds.

    model: the fitted estimator (or tree, or rule list, or the model of a forest or a sum of scores). provenance: how it
    was made. evidence: what was computed in fitting for explanations and reports. version: of the format. written_by:
    the versions of the libraries that wrote it.
    """

    model: Any
    provenance: dict[str, Any] | None
    evidence: dict[str, Any] | None
    version: int
    written_by: dict[str, str]


#: How often a model is read again that was replaced while it was read.
_TRIES = 100


def load(path: str | os.PathLike[str], *, max_bytes: int | None = MAX_BYTES, special_files: bool = False) -> Any:
    """Read a fitted model from a file that :func:`save` wrote; it answers exactly as the one that was saved.

    Loading runs no code: the file names one of a fixed list of classes, and every number, name and link is checked. A
    file that is damaged, cut off, or written by a newer version gives a ``quercus.errors.FileError`` that says what is
    wrong and where. See :func:`save` for an example.

    Parameters
    ----------
    path : the file. A model that another process replaces meanwhile is read again: the old one or the new one, whole.
    max_bytes : the most bytes of the JSON, unpacked if it is compressed, and of the arrays beside it; None: any number.
    special_files : whether pipes and devices (``/dev/stdin``) are read too, which may never end.
    """
    return read_model(path, max_bytes=max_bytes, special_files=special_files).model


def read_model(
    path: str | os.PathLike[str], *, max_bytes: int | None = MAX_BYTES, special_files: bool = False
) -> ModelFile:
    """Read a model file with all that it holds beside the model: how it was made, and evidence for explanations.

    Parameters as in :func:`load`.

    >>> import quercus, tempfile
    >>> from quercus.datasets import load_play_tennis
    >>> from quercus.models import read_model
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model = quercus.ID3Classifier().fit(*load_play_tennis())
    ...     quercus.save(model, f"{folder}/tennis.json", provenance={"data": {"name": "PlayTennis", "rows": 14}})
    ...     file = read_model(f"{folder}/tennis.json")
    >>> file.version, file.provenance["data"]["name"], file.model.get_n_leaves()
    (1, 'PlayTennis', 5)
    """
    if max_bytes is not None and (type(max_bytes) is not int or max_bytes < 1):
        raise ParameterError(f"max_bytes is {shorten(max_bytes)}, but must be a whole number from 1 on, or None.")
    file = Path(path)
    try:
        document, beside = _document_and_arrays(file, max_bytes, special_files)
        with at(""):
            model = read_fitted(document, ArrayReader(beside))
    except DamageError as error:
        raise damaged(str(file), error) from error
    return ModelFile(model, document["provenance"], document["evidence"], document["version"], document["written_by"])


def _document_and_arrays(
    file: Path, max_bytes: int | None, special_files: bool
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """The JSON and the arrays that it names, read again if both were replaced in between."""
    for _ in range(_TRIES):
        data, status = _bytes(file, max_bytes, special_files)
        document = read_document(data, str(file), max_bytes)
        try:
            return document, _beside(file, document["arrays_file"], max_bytes)
        except FileError as error:
            fault = error
            if not _was_replaced(file, status):
                break
    raise fault


def _was_replaced(file: Path, status: os.stat_result) -> bool:
    """Whether another file has this name by now; arrays go only after the JSON that names them is replaced."""
    try:
        now = file.stat()
    except OSError:
        return False
    return (now.st_dev, now.st_ino, now.st_mtime_ns) != (status.st_dev, status.st_ino, status.st_mtime_ns)


def _bytes(file: Path, max_bytes: int | None, special_files: bool) -> tuple[bytes, os.stat_result]:
    try:
        return read_bounded(
            file, max_bytes, special_files=special_files, remedy=ALLOW_MORE, advice="give special_files=True"
        )
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"{file}: cannot be read: {error.strerror or error}.") from error
    except ValueError as error:  # a NUL in the name
        raise FileError(f"{str(file)!r}: cannot be read: {error}.") from error


def _beside(file: Path, named: Mapping[str, Any] | None, max_bytes: int | None) -> dict[str, Any] | None:
    """The arrays of the file beside the JSON, if the model has one."""
    if named is None:
        return None
    beside, data = _arrays_bytes(file, named["name"], max_bytes)
    if hashlib.sha256(data).hexdigest() != named["sha256"]:
        raise FileError(
            f"{beside}: not the file that was saved with {file.name}: its SHA-256 is another. It was changed, cut off, "
            f"or belongs to another model. {RESTORE}"
        )
    try:
        return read_safetensors(data)
    except DamageError as error:
        raise FileError(f"{beside}: damaged: {error.reason}. {RESTORE}") from error


def _arrays_bytes(file: Path, name: str, max_bytes: int | None) -> tuple[Path, bytes]:
    """The arrays and their place: beside the path that was given, or, if that is a link, beside what it names."""
    try:
        beside = file.with_name(name)
        if file.is_symlink() and not beside.exists():
            beside = Path(os.path.realpath(file)).with_name(name)
        return beside, read_bounded(beside, max_bytes, remedy=ALLOW_MORE)[0]
    except FileError:
        raise
    except (OSError, ValueError) as error:
        raise FileError(
            f"{file}: the numbers of this model are in the file {name!r} beside it, which cannot be read "
            f"({getattr(error, 'strerror', None) or error}). Move both files together."
        ) from error

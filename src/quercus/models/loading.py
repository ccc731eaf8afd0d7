"""Loading: from a file back to the fitted model, without running any code of the file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quercus.errors import FileError
from quercus.models.arrays import ArrayReader, read_safetensors
from quercus.models.damage import DamageError, at
from quercus.models.document import RESTORE, damaged, read_document
from quercus.models.fitted import read_fitted


@dataclass(frozen=True)
class ModelFile:
    """What a model file holds.

    model: the fitted estimator (or tree, or rule list). provenance: how it was made. evidence: what was computed in
    fitting for explanations and reports. version: of the format. written_by: the versions of the libraries that wrote
    it.
    """

    model: Any
    provenance: dict[str, Any] | None
    evidence: dict[str, Any] | None
    version: int
    written_by: dict[str, str]


def load(path: str | os.PathLike[str]) -> Any:
    """Read a fitted model from a file that :func:`save` wrote; it answers exactly as the one that was saved.

    Loading runs no code: the file names one of a fixed list of classes, and every number, name and link is checked. A
    file that is damaged, cut off, or written by a newer version gives a ``quercus.errors.FileError`` that says what is
    wrong and where. See :func:`save` for an example.
    """
    return read_model(path).model


def read_model(path: str | os.PathLike[str]) -> ModelFile:
    """Read a model file with all that it holds beside the model: how it was made, and evidence for explanations.

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
    file = Path(path)
    try:
        document = read_document(_bytes(file), str(file))
        arrays = ArrayReader(_beside(file, document["arrays_file"]))
        with at(""):
            model = read_fitted(document, arrays)
    except DamageError as error:
        raise damaged(str(file), error) from error
    return ModelFile(model, document["provenance"], document["evidence"], document["version"], document["written_by"])


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise FileError(f"{file}: cannot be read: {error.strerror or error}.") from error
    except ValueError as error:  # a NUL in the name
        raise FileError(f"{str(file)!r}: cannot be read: {error}.") from error


def _beside(file: Path, named: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The arrays of the file beside the JSON, if the model has one."""
    if named is None:
        return None
    name = named["name"]
    beside = file.with_name(name)
    try:
        data = beside.read_bytes()
    except (OSError, ValueError) as error:
        raise FileError(
            f"{file}: the numbers of this model are in the file {name!r} beside it, which cannot be read "
            f"({getattr(error, 'strerror', None) or error}). Move both files together."
        ) from error
    if hashlib.sha256(data).hexdigest() != named["sha256"]:
        raise FileError(
            f"{beside}: not the file that was saved with {file.name}: its SHA-256 is another. It was changed, cut off, "
            f"or belongs to another model. {RESTORE}"
        )
    try:
        return read_safetensors(data)
    except DamageError as error:
        raise FileError(f"{beside}: damaged: {error.reason}. {RESTORE}") from error

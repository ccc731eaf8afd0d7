"""Saving: a fitted model as a file, written whole or not at all."""

from __future__ import annotations

import datetime as dt
import gzip
import hashlib
import math
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np

from quercus.errors import DataError, FileError, ParameterError, choice_message, shorten
from quercus.files.atomic import (
    Part,
    complete_part,
    dead_parts,
    locked_folder,
    remove_part,
    write_whole,
    writing_errors,
)
from quercus.models.arrays import ArrayStore, Stored, has_safetensors, listed
from quercus.models.beside import arrays_name, named_arrays, remove_unnamed
from quercus.models.document import FORMAT, VERSION, library_version, written
from quercus.models.fitted import model_to_json

Arrays = Literal["auto", "inline", "beside"]
#: With more bytes of arrays (some 50,000 nodes) they go beside the JSON, if safetensors is installed.
INLINE_LIMIT = 4_000_000


def save(
    model: Any,
    path: str | os.PathLike[str],
    *,
    arrays: Arrays = "auto",
    provenance: Mapping[str, Any] | None = None,
    evidence: Mapping[str, Any] | None = None,
) -> None:
    """Write a fitted model to a file that :func:`load` reads; an older file of that name is replaced as a whole.

    Several processes may save to one name: the last one wins, and who loads meanwhile gets one of the models, whole.

    Parameters
    ----------
    model : a fitted estimator of Quercus, or a ``Tree``, ``RuleList``, ``Forest`` or ``ScoreSum``. What
        fitting learned and all parameters are kept, but for functions: ``progress`` gets its default, and a function as
        ``oob_score`` becomes True.
    path : the file, such as ``model.json``; one that ends in ``.gz`` is compressed. Through a symbolic link the file
        that it names is written, with the arrays beside that.
    arrays : where the numbers of the nodes stand: "inline", in the JSON; "beside", in a safetensors file beside it
        (``model-`` and a digest; needs ``quercus[forests]``), to be moved together with it; "auto", beside it if they
        are more than 4 megabytes (some 50,000 nodes).
    provenance : how the model was made: data, options, versions; anything that JSON can hold.
    evidence : what was computed in fitting for explanations and reports; anything that JSON can hold. In both, a NaN
        becomes null, infinities the texts "inf" and "-inf", arrays and tuples lists, dates text.

    >>> import quercus, tempfile
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     quercus.save(quercus.C45Classifier().fit(X, y), f"{folder}/tennis.json")
    ...     model = quercus.load(f"{folder}/tennis.json")
    >>> bool((model.predict(X) == y).all())
    True
    """
    if arrays not in ("auto", "inline", "beside"):
        raise ParameterError(choice_message("arrays", arrays, ("auto", "inline", "beside")))
    store = ArrayStore()
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "written_by": {"quercus": library_version()},
        **model_to_json(model, store),
        "arrays_file": None,
        "provenance": None if provenance is None else plain_json(provenance, "provenance"),
        "evidence": None if evidence is None else plain_json(evidence, "evidence"),
    }
    shown = os.fspath(path)
    with writing_errors(shown):
        file = Path(os.path.realpath(shown))  # both files stand side by side, whatever link leads there
        special = file.exists() and not file.is_file()
        if not special and _goes_beside(arrays, store):
            _write_both(file, shown, document, store.safetensors())
            return
        if special and arrays == "beside":
            raise FileError(f'{shown}: this is no regular file, so nothing can stand beside it. Give arrays="inline".')
        data = _packed(_text(document, _as_list), shown)
        if special:
            write_whole(path, data)
        else:
            _remove_remains(file)
            _write(file, data)


def _write_both(file: Path, shown: str, document: dict[str, Any], tensors: bytes) -> None:
    digest = hashlib.sha256(tensors).hexdigest()
    name = arrays_name(file, digest)
    document["arrays_file"] = {"name": name, "sha256": digest}
    data = _packed(_text(document, _by_name), shown)
    mode = stat.S_IMODE(file.stat().st_mode) if file.exists() else None  # who may read one file may read both
    _remove_remains(file)
    with complete_part(file.with_name(name), tensors, mode, named_after=file) as beside:
        _write(file, data, beside)


def _write(file: Path, data: bytes, beside: Part | None = None) -> None:
    """Put the files of a model into their places, and remove the old arrays unless a model still names them.

    The arrays come first, so that a JSON that a reader meets has its arrays. One writer at a time does this: two at
    once would remove what the other one is about to name.
    """
    with complete_part(file, data) as part, locked_folder(file.parent):
        old = named_arrays(file, file)
        if beside is not None:
            beside.place()
        part.place()
        if old is not None:
            remove_unnamed(file.parent, old)


def _remove_remains(file: Path) -> None:
    """Remove what writers of the same file left that were killed: temporary files, and arrays that those name."""
    with locked_folder(file.parent):
        for dead in dead_parts(file):
            arrays = named_arrays(dead, file)
            if arrays is not None:
                remove_unnamed(file.parent, arrays)
            remove_part(dead)


def _packed(text: str, shown: str) -> bytes:
    data = text.encode("ascii")
    return gzip.compress(data, mtime=0) if shown.endswith(".gz") else data


def _goes_beside(arrays: Arrays, store: ArrayStore) -> bool:
    large = arrays == "beside" or (arrays == "auto" and store.nbytes > INLINE_LIMIT and has_safetensors())
    return large and bool(store.stored)


def _text(document: Mapping[str, Any], default: Any) -> str:
    try:
        return written(document, default)
    except ValueError as error:
        raise DataError(f"The model cannot be saved: {error}.") from error


def _by_name(value: Any) -> Any:
    return {"tensor": value.name} if isinstance(value, Stored) else _unknown(value)


def _as_list(value: Any) -> Any:
    return listed(value.array) if isinstance(value, Stored) else _unknown(value)


def _unknown(value: Any) -> Any:
    raise DataError(f"The model holds {shorten(value)}, which a model file cannot.")


def plain_json(value: Any, place: str) -> Any:
    """A value as JSON holds it; see :func:`save` for what becomes of other types.

    >>> plain_json({"rows": np.int64(14), "share": [np.nan, 0.5]}, "provenance")
    {'rows': 14, 'share': [None, 0.5]}
    """
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None if value != value else "inf" if value > 0 else "-inf"
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    try:
        if isinstance(value, Mapping):
            return {_name(key, place): plain_json(item, f"{place}[{key!r}]") for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [plain_json(item, f"{place}[{number}]") for number, item in enumerate(value)]
    except RecursionError as error:
        raise DataError(f"{place[:60]}… is nested too deeply for JSON.") from error
    raise DataError(f"{place} is {shorten(value)} of type {type(value).__name__}, which JSON cannot hold.")


def _name(key: Any, place: str) -> str:
    if not isinstance(key, str):
        raise DataError(f"{place} has the name {shorten(key)}; the names of JSON's objects are strings.")
    return key

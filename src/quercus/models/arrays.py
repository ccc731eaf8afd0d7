"""Arrays in model files: as lists inside the JSON, or, if they are large, in a safetensors file beside it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from quercus.arrays import Array
from quercus.errors import missing_extra, shorten
from quercus.models.damage import at, need

_NOT_FINITE = {None: math.nan, "inf": math.inf, "-inf": -math.inf}


class Stored:
    """An array that has its place in the file; whether as a list or beside it is decided when all are known."""

    def __init__(self, name: str, array: Array) -> None:
        self.name = name
        self.array = array


class ArrayStore:
    """Takes the arrays of a model that is being saved."""

    def __init__(self) -> None:
        self.stored: dict[str, Array] = {}

    @property
    def nbytes(self) -> int:
        """The size of all arrays."""
        return sum(array.nbytes for array in self.stored.values())

    def put(self, name: str, array: Array) -> Stored:
        """Take an array under a name of its own."""
        if name in self.stored:
            raise AssertionError(f"two arrays are called {name}")
        self.stored[name] = array
        return Stored(name, array)

    def safetensors(self) -> bytes:
        """All arrays as the bytes of a safetensors file."""
        try:
            from safetensors.numpy import save
        except ImportError as error:
            raise missing_extra("safetensors", "forests") from error
        return bytes(save({name: np.ascontiguousarray(array) for name, array in self.stored.items()}))


def has_safetensors() -> bool:
    """Whether arrays can be written beside the JSON."""
    try:
        import safetensors.numpy  # noqa: F401
    except ImportError:
        return False
    return True


def listed(array: Array) -> list[Any]:
    """An array as (nested) lists; a NaN is None, infinities are "inf" and "-inf", every other number itself.

    >>> listed(np.array([0.1, np.nan, -np.inf]))
    [0.1, None, '-inf']
    """
    if array.dtype.kind != "f" or np.isfinite(array).all():
        return list(array.tolist())
    if array.ndim > 1:
        return [listed(row) for row in array]
    result: list[Any] = array.tolist()
    for place in np.flatnonzero(~np.isfinite(array)).tolist():
        number = result[place]
        result[place] = None if number != number else "inf" if number > 0 else "-inf"
    return result


def read_safetensors(data: bytes) -> dict[str, Array]:
    """The arrays of a safetensors file, by name."""
    try:
        from safetensors import SafetensorError
        from safetensors.numpy import load
    except ImportError as error:
        raise missing_extra("safetensors", "forests") from error
    with at(""):
        try:
            return dict(load(data))
        except SafetensorError as error:  # a class of its own, which is no ValueError
            raise ValueError(str(error)) from error


class ArrayReader:
    """Gives back the arrays of a model that is being loaded."""

    def __init__(self, beside: Mapping[str, Array] | None = None) -> None:
        self.beside = beside or {}

    def read(
        self,
        data: Any,
        dtype: Any,
        length: int | None = None,
        width: int | None = None,
        narrow: tuple[str, ...] = (),
    ) -> Array:
        """The array that a list or ``{"tensor": name}`` stands for, with its element type and shape checked.

        length, width: how many rows and columns it must have; a width of None means one dimension. narrow: further
        element types that it may have beside the file.
        """
        form = np.dtype(dtype)
        array = self._beside(data, form, narrow) if isinstance(data, dict) else _from_list(data, form, width)
        need(array.ndim == (1 if width is None else 2), f"it has {array.ndim} dimensions")
        need(width is None or array.shape[1] == width, f"it has {array.shape[-1]} columns, {width} are needed")
        need(length is None or len(array) == length, f"it has {len(array)} elements, {length} are needed")
        return array

    def _beside(self, data: Mapping[str, Any], form: np.dtype[Any], narrow: tuple[str, ...]) -> Array:
        name = data["tensor"]
        need(name in self.beside, f"the file beside it has no array {shorten(name)}")
        array = self.beside[name]
        fits = array.dtype == form or array.dtype.name in narrow
        need(fits, f"the array {shorten(name)} beside it holds {array.dtype}, {form} is needed")
        return np.require(array, requirements=("C", "A"))


def _from_list(items: Any, form: np.dtype[Any], width: int | None) -> Array:
    if form.kind == "f" and width is None:
        items = [_NOT_FINITE[item] if item is None or isinstance(item, str) else item for item in items]
    array = np.array(items)
    if array.size:
        allowed = "iuf" if form.kind == "f" else "iu"
        need(array.dtype.kind in allowed, "it must hold " + ("numbers" if form.kind == "f" else "whole numbers"))
        if form.kind != "f":
            limits = np.iinfo(form)
            inside = limits.min <= int(array.min()) and int(array.max()) <= limits.max
            need(inside, f"it holds a number outside {limits.min} … {limits.max}")
    elif width is not None:
        array = array.reshape(0, width)
    return array.astype(form)

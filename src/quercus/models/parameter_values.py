"""The JSON form of parameters: plain values as they are, everything else as {type: content}; reading runs no code.

The types are those of ``quercus.data.values`` and, for parameters, "tuple", "dict" (pairs), "set", "array",
"random_state", "estimator" (one that is not fitted) and "flat_curve". Lists are lists. A text array of NumPy or a
column of a frame becomes an array.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.data.values import value_from_json, value_to_json
from quercus.errors import ParameterError, QuercusError, shorten
from quercus.estimators.base import method_of_model, parameter_defaults
from quercus.estimators.declaration import parameters_of
from quercus.estimators.making import class_of
from quercus.estimators.making import unfitted as unfitted_estimator
from quercus.fitted.algorithms import ALGORITHMS
from quercus.fitted.parts import Method
from quercus.forests.stopping import FlatCurve
from quercus.models.damage import at, need

#: Element types of arrays: the name in the file, and NumPy's.
DTYPES: dict[str, str] = {
    **{name: name for name in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")},
    **{name: name for name in ("float16", "float32", "float64")},
    "text": "U",
    "bytes": "S",
    "object": "O",
}
#: The estimators that may be a parameter of another: what a collection's members are.
INNER = tuple(row.name for row in ALGORITHMS.values() if row.module and row.answers_by != "members")
_TIMES = re.compile(r"(datetime64|timedelta64)(\[(Y|M|W|D|h|m|s|ms|us|ns)\])?")


def to_json(value: Any) -> Any:
    """Turn a parameter into what JSON holds.

    >>> to_json({("ill", "well"): 10.0})
    {'dict': [[{'tuple': ['ill', 'well']}, 10.0]]}
    >>> to_json(np.array([1, 2]))
    {'array': {'dtype': 'int64', 'shape': [2], 'values': [1, 2]}}
    """
    if isinstance(value, list | range):
        return [to_json(item) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [to_json(item) for item in value]}
    if isinstance(value, set | frozenset):
        return {"set": sorted(map(to_json, value), key=json.dumps)}  # sets iterate in no order of their own
    if isinstance(value, Mapping):
        return {"dict": [[to_json(key), to_json(item)] for key, item in value.items()]}
    if isinstance(value, np.random.RandomState):
        return {"random_state": _state_to_json(value)}
    if hasattr(value, "__array__") and not isinstance(value, np.generic):  # NumPy's, or a column or frame
        return {"array": array_to_json(np.asarray(value))}
    if isinstance(value, FlatCurve):
        return {"flat_curve": asdict(value)}
    if type(value).__name__ in INNER and type(value) is class_of(type(value).__name__):
        return {"estimator": method_to_json(method_of_model(value))}
    if callable(value) or isinstance(value, np.random.Generator):
        raise ParameterError(f"{shorten(value)} cannot be saved; give plain values, lists, dicts or arrays.")
    return value_to_json(value)


def from_json(data: Any) -> Any:
    """Undo :func:`to_json`.

    >>> from_json({"dict": [[{"tuple": ["ill", "well"]}, 10.0]]})
    {('ill', 'well'): 10.0}
    """
    if isinstance(data, list):
        return [from_json(item) for item in data]
    if not isinstance(data, dict) or len(data) != 1:
        return value_from_json(data)
    name, content = next(iter(data.items()))
    if name == "tuple":
        return tuple(from_json(item) for item in content)
    if name == "set":
        return {from_json(item) for item in content}
    if name == "dict":
        return {from_json(key): from_json(item) for key, item in content}
    if name == "array":
        return array_from_json(content)
    if name == "estimator":
        return unfitted_estimator(method_from_json(content))
    if name == "flat_curve":
        return FlatCurve(**content)
    return _state_from_json(content) if name == "random_state" else value_from_json(data)


def method_to_json(method: Method) -> dict[str, Any]:
    """The class of an estimator and its parameters.

    >>> from quercus import C45Classifier
    >>> method_to_json(method_of_model(C45Classifier(confidence=0.1)))["parameters"]["confidence"]
    0.1
    """
    return {"class": method.algorithm, "parameters": parameters_to_json(method)}


def parameters_to_json(method: Method) -> dict[str, Any]:
    """Parameters by name, each as its declaration says that files hold it."""
    result, declared = {}, parameters_of(class_of(method.algorithm))
    for name, value in method.parameters.items():
        saved = declared[name].saved
        try:
            result[name] = to_json(value if saved is None else saved(value))
        except QuercusError as error:
            raise ParameterError(f"The parameter {name}={shorten(value)}: {error}") from error
    return result


def method_from_json(data: Any) -> Method:
    """Undo :func:`method_to_json`, of the classes that may be a parameter."""
    need(data["class"] in INNER, f"{shorten(data['class'])} is none of the classes {', '.join(INNER)}")
    return method_of_model(unfitted(data["class"], data["parameters"]))


def unfitted(name: str, parameters: Mapping[str, Any]) -> Any:
    """The estimator of a class with its parameters; those that the file lacks have their defaults."""
    kind = class_of(name)
    known = parameter_defaults(kind)
    values = {}
    for key, value in parameters.items():
        with at(f"/{key}"):
            need(key in known, f"{name} has no such parameter")
            values[key] = from_json(value)
    return kind(**values)


def array_to_json(array: NDArray[Any]) -> dict[str, Any]:
    """An array with its element type and shape; the elements in one list."""
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        array = array.astype(np.float64)
    name = {"U": "text", "S": "bytes", "O": "object"}.get(array.dtype.kind, array.dtype.name)
    flat = array.reshape(-1)
    if array.dtype.kind in "Mm":
        flat = flat.astype(np.int64)
    elif name not in DTYPES:
        raise ParameterError(f"An array of {array.dtype} cannot be saved; convert it to numbers, text or objects.")
    return {"dtype": name, "shape": list(array.shape), "values": [to_json(item) for item in flat.tolist()]}


def array_from_json(data: Any) -> NDArray[Any]:
    """Undo :func:`array_to_json`."""
    name, shape, values = data["dtype"], tuple(data["shape"]), [from_json(item) for item in data["values"]]
    size = 1
    for length in shape:
        need(type(length) is int and length >= 0, f"shape {shorten(data['shape'])} must hold whole numbers")
        size *= length
    need(size == len(values), f"shape {shorten(data['shape'])} does not fit {len(values)} values")
    if name == "object":
        array = np.empty(len(values), dtype=object)
        array[:] = values
        return array.reshape(shape)
    if _TIMES.fullmatch(name):
        need(all(type(item) is int for item in values), "dates are saved as whole numbers")
        return np.array(values, dtype=np.int64).astype(name).reshape(shape)
    need(name in DTYPES, f"{shorten(name)} is not an element type: {', '.join(DTYPES)}")
    allowed = {"text": str, "bytes": bytes, "bool": bool}.get(name, int if "int" in name else (int, float))
    fits = all(isinstance(item, allowed) and isinstance(item, bool) == (name == "bool") for item in values)
    need(fits, f"an array of type {name} holds another type of element")
    with np.errstate(over="ignore"):
        return np.array(values, dtype=DTYPES[name]).reshape(shape)


def _state_to_json(random_state: np.random.RandomState) -> dict[str, Any]:
    state: Any = random_state.get_state(legacy=False)
    if state["bit_generator"] != "MT19937":
        raise ParameterError(
            f"random_state draws from {state['bit_generator']}, which cannot be saved; give a whole number as seed."
        )
    return {
        "key": state["state"]["key"].tolist(),
        "position": int(state["state"]["pos"]),
        "has_gauss": int(state["has_gauss"]),
        "gauss": float(state["gauss"]),
    }


def _state_from_json(data: Any) -> np.random.RandomState:
    with at("/random_state"):
        key = np.array(data["key"], dtype=np.uint32)
        need(key.shape == (624,) and 0 <= data["position"] <= 624, "this is no state of a RandomState")
        need(data["has_gauss"] in (0, 1), "has_gauss must be 0 or 1")
        result = np.random.RandomState()
        result.set_state(("MT19937", key, int(data["position"]), int(data["has_gauss"]), float(data["gauss"])))
        return result

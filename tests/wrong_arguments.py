"""Wrong arguments: every parameter of a function gets values of the wrong type, shape and size, one at a time."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from quercus.errors import QuercusError

#: A name and a value each; most functions refuse most of them, and some accept some of them.
WRONG: dict[str, Any] = {
    "None": None,
    "text": "bst",
    "bytes": b"ab",
    "ragged": [[1, 2], [3]],
    "empty": [],
    "empty table": [[]],
    "NaN": float("nan"),
    "NaN among numbers": [1.0, float("nan"), 2.0],
    "infinity": float("inf"),
    "infinity among numbers": [1.0, float("inf")],
    "minus one": -1,
    "negative numbers": [-1, 2],
    "one": 1,
    "half": 0.5,
    "truth": True,
    "huge whole number": 10**5000,
    "huge number": 1e308,
    "object": object(),
    "texts": ["a", "b"],
    "dictionary": {"a": 1},
    "set": {1, 2},
    "too short": [1],
    "mixed": [1, "a", None],
    "table with None": [[1, None], [2, 3]],
    "complex": [1j, 2],
    "three dimensions": np.zeros((2, 2, 2)),
    "no dimension": np.array(1.5),
    "huge whole number in a list": [10**400, 1],
    "function": len,
}


def bare_errors(
    function: Callable[..., Any], arguments: dict[str, Any], parameters: Iterable[str] | None = None
) -> Iterator[str]:
    """Call the function with each wrong value in place of each argument, and tell every error that is not Quercus' own.

    arguments: a call that works, by the names of the parameters; parameters that are not in it get wrong values, too.
    parameters: those that get wrong values, all if not given.
    """
    function(**arguments)
    for parameter in inspect.signature(function).parameters if parameters is None else parameters:
        for name, value in WRONG.items():
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    function(**arguments | {parameter: value})
            except QuercusError as error:
                if len(str(error)) < 20:
                    yield f"{parameter} = {name}: the message {str(error)!r} does not tell what is allowed"
            except Exception as error:
                yield f"{parameter} = {name}: {type(error).__name__}: {error}"

"""Boolean functions as tables: AND, OR, XOR, parity, majority, with attributes that do not matter and with noise."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.datasets.frames import generator, noisy, table, whole_number
from quercus.errors import ParameterError, choice_message

__all__ = ["BOOLEAN_FUNCTIONS", "make_boolean"]

_Bits = NDArray[np.int64]

BOOLEAN_FUNCTIONS: dict[str, Callable[[_Bits], Any]] = {
    "and": lambda bits: bits.all(axis=1),
    "or": lambda bits: bits.any(axis=1),
    "xor": lambda bits: bits.sum(axis=1) % 2 == 1,
    "parity": lambda bits: bits.sum(axis=1) % 2 == 1,
    "majority": lambda bits: 2 * bits.sum(axis=1) > bits.shape[1],
}
_LARGEST_TRUTH_TABLE = 20


def make_boolean(
    function: str = "xor",
    n_attributes: int = 2,
    n_irrelevant: int = 0,
    n_rows: int | None = None,
    noise: float = 0.0,
    random_state: Any = 0,
) -> tuple[Any, Any]:
    """Return the table of a Boolean function: attributes x1, x2, … of values 0 and 1, the class "true" or "false".

    - function: "and", "or", "xor" (of two or more: the same as parity), "parity" (an odd number of ones is true) or
      "majority" (more ones than zeros).
    - n_attributes: how many attributes the function is of; n_irrelevant: how many more, z1, z2, …, do not matter.
    - n_rows: None gives the whole truth table, each row once; a number draws rows at random.
    - noise: the share of rows whose class is turned round.

    >>> X, y = make_boolean("xor")
    >>> [(row, label) for row, label in zip(X.to_numpy().tolist(), y)]
    [([0, 0], 'false'), ([0, 1], 'true'), ([1, 0], 'true'), ([1, 1], 'false')]
    >>> make_boolean("majority", 3, n_irrelevant=2, n_rows=1000)[0].shape
    (1000, 5)
    """
    if function not in BOOLEAN_FUNCTIONS:
        raise ParameterError(choice_message("function", function, list(BOOLEAN_FUNCTIONS)))
    relevant = whole_number("n_attributes", n_attributes, least=1)
    width = relevant + whole_number("n_irrelevant", n_irrelevant, least=0)
    random = generator(random_state)
    if n_rows is None:
        if width > _LARGEST_TRUTH_TABLE:
            raise ParameterError(
                f"The truth table of {width} attributes has 2**{width} rows; give n_rows to draw some of them."
            )
        bits = np.array(list(product((0, 1), repeat=width)), dtype=np.int64)
    else:
        bits = random.integers(0, 2, (whole_number("n_rows", n_rows, least=1), width))
    truth = np.asarray(BOOLEAN_FUNCTIONS[function](bits[:, :relevant]), dtype=np.int64)
    codes = noisy(truth, 2, noise, random)
    names = [f"x{k + 1}" for k in range(relevant)] + [f"z{k + 1}" for k in range(width - relevant)]
    labels = np.array(["false", "true"], dtype=object)[codes].tolist()
    return table({name: bits[:, k].tolist() for k, name in enumerate(names)}, labels, function)

"""Names for the types of array that the package uses."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Truths = NDArray[np.bool_]

Element = TypeVar("Element", bound=np.generic)


def read_only(array: NDArray[Element]) -> NDArray[Element]:
    """The array itself, which from now on cannot be changed."""
    array.flags.writeable = False
    return array

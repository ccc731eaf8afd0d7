"""Known values: nominal columns to predict for, encoded straight by the domain that a model knows.

Reading a column first finds its distinct values. Here every cell is looked up in the domain at once; what is not there
is unknown. None says that a column needs more care than this.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus import _core
from quercus.arrays import Array
from quercus.data.schema import Attribute
from quercus.data.values import is_missing

__all__ = ["codes_of_arrow", "codes_of_categories", "codes_of_numbers", "codes_of_objects"]

Codes = NDArray[np.int32]

_MOST_APART = 1 << 20  # how far apart the least and the largest number of a domain may be
_MOST_NUMBER = 1 << 29


def codes_of_objects(entries: Array, attribute: Attribute) -> Codes | None:
    """Encode an array of Python objects; None if one is neither a text nor missing, and no value of the domain.

    >>> colour = Attribute("colour", "nominal", ("blue", "red"))
    >>> codes_of_objects(np.array(["red", None, "green", "blue"], dtype=object), colour)
    array([ 1, -1, -1,  0], dtype=int32)
    >>> codes_of_objects(np.array(["red", 5], dtype=object), colour)
    """
    known = _known_texts(attribute)
    if known is not None:
        codes = known.codes_of_objects(entries)
        if codes is not None:
            return codes
    return _codes_of_others(entries.tolist(), attribute)


def _codes_of_others(entries: Sequence[Any], attribute: Attribute) -> Codes | None:
    """Encode objects of any type, as a dictionary finds them."""
    known = attribute.text_codes
    if not known:
        return None
    try:
        codes = np.fromiter(map(known.get, entries, repeat(-1)), dtype=np.int32, count=len(entries))
    except Exception:  # a value that has no hash is named elsewhere
        return None
    others = [entries[place] for place in np.flatnonzero(codes < 0).tolist()]
    return codes if all(isinstance(entry, str) or is_missing(entry) for entry in others) else None


def _known_texts(attribute: Attribute) -> _core.KnownTexts | None:
    """The domain as the core looks it up; None if it does not consist of texts."""
    held = attribute.domain_elsewhere
    if "core" not in held:
        try:
            held["core"] = _core.KnownTexts(attribute.values) if attribute.text_codes else None
        except UnicodeEncodeError:  # half of a surrogate pair
            held["core"] = None
    known: _core.KnownTexts | None = held["core"]
    return known


def codes_of_arrow(column: Any, attribute: Attribute) -> Codes | None:
    """Encode texts that offer Arrow's C data, as columns of pyarrow and polars do; None if they are no texts.

    >>> import polars
    >>> colour = Attribute("colour", "nominal", ("blue", "red"))
    >>> codes_of_arrow(polars.Series(["red", None, "green"]), colour)
    array([ 1, -1, -1], dtype=int32)
    >>> codes_of_arrow(polars.Series([1, 2, 3]), colour)
    """
    known = _known_texts(attribute)
    return None if known is None else known.codes_of_arrow(column)


def codes_of_categories(codes: Array, table: Codes) -> Codes:
    """Encode cells that are positions in a table of codes; a position outside of it is unknown.

    >>> codes_of_categories(np.array([1, -1, 0], dtype=np.int8), np.array([5, 3], dtype=np.int32))
    array([ 3, -1,  5], dtype=int32)
    """
    return _core.codes_of_numbers(codes, table, 0)


def codes_of_numbers(cells: Array, attribute: Attribute) -> Codes | None:
    """Encode numbers by a domain of whole numbers; None if the attribute has another domain, or tokens for missing.

    >>> codes_of_numbers(np.array([2.0, np.nan, 2.5, 7.0]), Attribute("grade", "nominal", (2, 7)))
    array([ 0, -1, -1,  1], dtype=int32)
    """
    held = attribute.domain_elsewhere
    if "numbers" not in held:
        held["numbers"] = _number_table(attribute)
    if held["numbers"] is None or cells.dtype.char not in "fdbhilq" or not cells.dtype.isnative:
        return None
    return _core.codes_of_numbers(cells, *held["numbers"])


def _number_table(attribute: Attribute) -> tuple[Codes, int] | None:
    """The code of each whole number from the least one of the domain on, and this number."""
    values = attribute.values
    if attribute.kind != "nominal" or attribute.missing_tokens or not {*map(type, values)} <= {int, float}:
        return None
    if not values or not all(-_MOST_NUMBER < value < _MOST_NUMBER and value == int(value) for value in values):
        return None
    low, high = int(min(values)), int(max(values))
    if high - low >= _MOST_APART:
        return None
    table = np.full(high - low + 1, -1, dtype=np.int32)
    table[[int(value) - low for value in values]] = range(len(values))
    return table, low

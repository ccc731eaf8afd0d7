"""Known texts: nominal columns of text to predict for, encoded straight by the domain that a model knows.

Reading a column first finds its distinct values. Here every cell is looked up in the domain at once; what is not there
is unknown. None says that a column needs more care than this.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.data.schema import Attribute
from quercus.data.values import is_missing

__all__ = ["codes_of_arrow", "codes_of_objects", "codes_of_polars"]

Codes = NDArray[np.int32]


def codes_of_objects(entries: Sequence[Any], attribute: Attribute) -> Codes | None:
    """Encode Python objects; None if one of them is neither a text nor missing, and no value of the domain.

    >>> colour = Attribute("colour", "nominal", ("blue", "red"))
    >>> codes_of_objects(["red", None, "green", "blue"], colour), codes_of_objects(["red", 5], colour)
    (array([ 1, -1, -1,  0], dtype=int32), None)
    """
    known = attribute.text_codes
    if not known:
        return None
    try:
        codes = np.fromiter(map(known.get, entries, repeat(-1)), dtype=np.int32, count=len(entries))
    except Exception:  # a value that has no hash is named elsewhere
        return None
    others = [entries[place] for place in np.flatnonzero(codes < 0).tolist()]
    return codes if all(isinstance(entry, str) or is_missing(entry) for entry in others) else None


def codes_of_arrow(column: Any, attribute: Attribute) -> Codes | None:
    """Encode texts of pyarrow, which is loaded; chunked or not."""
    if not attribute.text_codes:
        return None
    import pyarrow.compute

    pyarrow = sys.modules["pyarrow"]
    key = f"pyarrow {column.type}"
    if key not in attribute.domain_elsewhere:
        attribute.domain_elsewhere[key] = pyarrow.array(attribute.values, type=column.type)
    codes = pyarrow.compute.index_in(column, attribute.domain_elsewhere[key]).fill_null(-1)
    result: Codes = np.asarray(codes.to_numpy() if hasattr(codes, "chunks") else codes.to_numpy(zero_copy_only=False))
    return result


def codes_of_polars(frame: Any, attributes: Sequence[Attribute]) -> list[Codes | None]:
    """Encode columns of a polars frame, all in one query; None for those that are no texts.

    >>> import polars
    >>> frame = polars.DataFrame({"colour": ["red", None, "green"], "size": [1, 2, 3]})
    >>> size, colour = Attribute("size", "numeric"), Attribute("colour", "nominal", ("blue", "red"))
    >>> codes_of_polars(frame, [colour, size])
    [array([ 1, -1, -1], dtype=int32), None]
    """
    polars = sys.modules["polars"]
    texts = {
        attribute.name: polars.col(attribute.name)
        .cast(_enumeration(polars, attribute), strict=False)
        .to_physical()
        .cast(polars.Int32)
        .fill_null(-1)
        for attribute in attributes
        if attribute.text_codes and frame.schema[attribute.name] in (polars.String, polars.Categorical)
    }
    selection = frame.select(list(texts.values())) if texts else frame
    return [
        selection.get_column(attribute.name).to_numpy() if attribute.name in texts else None for attribute in attributes
    ]


def _enumeration(polars: Any, attribute: Attribute) -> Any:
    if "polars" not in attribute.domain_elsewhere:
        attribute.domain_elsewhere["polars"] = polars.Enum(attribute.values)
    return attribute.domain_elsewhere["polars"]

"""The columns of a model as inputs of an ONNX graph: doubles or texts, and the codes of values."""

from __future__ import annotations

import math
from typing import Any

from quercus.data.schema import Attribute
from quercus.errors import ExportError
from quercus.export.onnx_pieces import Pieces
from quercus.export.program import Program
from quercus.export.vectors import number_tokens


def read_columns(program: Program) -> list[int]:
    """The positions of the attributes that are inputs: those that the model reads; of one that reads none the first.

    A graph needs an input to know how many rows there are.
    """
    return program.inputs or [0]


def are_texts(attribute: Attribute) -> bool:
    """Whether the values of an attribute are texts; else they are doubles."""
    if attribute.kind not in ("nominal", "ordered"):
        return False
    values = attribute.values
    if all(isinstance(value, str) for value in values):
        return True
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return False
    raise ExportError(
        f"Column {attribute.name!r} has values that are neither all texts nor all numbers, which an input of ONNX "
        "cannot be. Convert them to texts before fitting."
    )


def column(pieces: Pieces, attribute: Attribute, source: str) -> str:
    """A column as doubles: the number, or the code; NaN where the value is unknown. source: texts or doubles."""
    if attribute.kind == "date":
        return source
    op = pieces.op
    if attribute.kind == "numeric":
        for token in number_tokens(attribute):
            source = op("Where", [op("Equal", [source, pieces.double(token)]), pieces.double(math.nan), source])
        return source
    nothing = pieces.double(math.nan)
    if attribute.kind == "boolean":  # a number other than 0 and 1 is no value
        truth = op("Or", [op("Equal", [source, pieces.double(value)]) for value in (0.0, 1.0)])
        return op("Where", [truth, source, nothing])
    texts = are_texts(attribute)
    keys: dict[str, Any] = {"keys_strings": [str(value) for value in attribute.values]}
    asked = source
    if not texts:
        keys = {"keys_int64s": _whole_keys(attribute)}
        asked = pieces.to_whole(source)
    places = op(
        "LabelEncoder",
        [asked],
        domain="ai.onnx.ml",
        values_int64s=list(range(attribute.n_values)),
        default_int64=-1,
        **keys,
    )
    codes = pieces.cast(places)
    if not texts:  # a number that is no whole one was cut by the cast: it is no value
        codes = op("Where", [op("Equal", [pieces.cast(asked), source]), codes, nothing])
    return op("Where", [op("Less", [codes, pieces.double(0.0)]), nothing, codes])


def _whole_keys(attribute: Attribute) -> list[int]:
    if any(int(value) != value or abs(value) > 2**53 for value in attribute.values):
        raise ExportError(
            f"Column {attribute.name!r} has values that are no whole numbers, which ONNX cannot look up exactly. "
            "Convert them to texts before fitting."
        )
    return [int(value) for value in attribute.values]

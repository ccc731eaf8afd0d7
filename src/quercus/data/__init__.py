"""Data: any table becomes a schema and encoded columns, once."""

from quercus.data.dataset import Dataset, encode, encode_like
from quercus.data.latex import LATEX_PREAMBLE
from quercus.data.schema import Attribute, Kind, Schema
from quercus.data.target import ClassTarget, encode_classes, encode_numbers

__all__ = [
    "LATEX_PREAMBLE",
    "Attribute",
    "ClassTarget",
    "Dataset",
    "Kind",
    "Schema",
    "encode",
    "encode_classes",
    "encode_like",
    "encode_numbers",
]

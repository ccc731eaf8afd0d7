"""Data: any table becomes a schema and encoded columns, once."""

from quercus.data.schema import Attribute, Kind, Schema

__all__ = ["Attribute", "Kind", "Schema"]

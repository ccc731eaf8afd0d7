"""Names for imported models: of columns, of classes, and of the values of nominal columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from quercus.data.schema import Attribute
from quercus.data.values import plain_value
from quercus.errors import ParameterError, did_you_mean
from quercus.targets import TargetKind, kind_of


def column_names(own: Sequence[Any], override: Sequence[str] | None) -> list[str]:
    """The names of the columns: the caller's, else the model's own. own: one per column of the model."""
    names = [str(name) for name in (own if override is None else override)]
    if len(names) != len(own):
        raise ParameterError(f"There are {len(names)} feature_names, but the model was fitted with {len(own)} columns.")
    return names


def named_kind(own: Sequence[Any] | None, override: Sequence[Any] | None) -> TargetKind:
    """The kind of target, with the classes of the caller, else those of the model.

    own: the classes of the model; None: it answers numbers, and class names are refused.
    """
    if own is None:
        if override is not None:
            raise ParameterError("class_names are given, but the model answers numbers.")
        return kind_of(None)
    labels = tuple(plain_value(label) for label in (own if override is None else override))
    if len(labels) != len(own):
        raise ParameterError(f"There are {len(labels)} class_names, but the model has {len(own)} classes.")
    return kind_of(labels)


def checked_categories(
    categories: Mapping[str, Sequence[Any]] | None, names: Sequence[str]
) -> dict[str, tuple[Any, ...]]:
    """The values of nominal columns by name, in the order of their codes; unknown columns are refused."""
    result = {name: tuple(plain_value(value) for value in values) for name, values in (categories or {}).items()}
    for name in result:
        if name not in names:
            raise ParameterError(
                f"categories names the column {name!r}, which the model has not.{did_you_mean(name, names)}"
            )
    return result


def attribute_of(name: str, nominal: bool, values: tuple[Any, ...] | None) -> Attribute:
    """A column: nominal if questions use sets of its values; ordered if it has values, but questions use thresholds."""
    if values is None:
        return Attribute(name, "numeric")
    return Attribute(name, "nominal" if nominal else "ordered", values)

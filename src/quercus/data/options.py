"""The user's declarations about columns (kinds, domains, missing tokens, costs), checked and in column order."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from quercus.data.costs import MOST_COST
from quercus.data.schema import KINDS, Kind
from quercus.data.values import is_missing, plain_value, value_key
from quercus.errors import ParameterError, choice_message, did_you_mean, shorten, shown_list

__all__ = ["Options", "read_options"]


@dataclass(frozen=True)
class Options:
    """One entry per column: its kind and domain (None: as the data suggest), its missing tokens and its cost."""

    kinds: tuple[Kind | None, ...]
    domains: tuple[tuple[Any, ...] | None, ...]
    tokens: tuple[tuple[Any, ...], ...]
    costs: tuple[float, ...]


def read_options(names: Sequence[str], kinds: Any, domains: Any, missing_tokens: Any, attribute_costs: Any) -> Options:
    """Check the parameters of :func:`quercus.data.encode` against the names of the columns.

    >>> read_options(["a", "b"], {"b": "nominal"}, None, "?", {"a": 2}).costs
    (2.0, 0.0)
    """
    checked_kinds = [
        _checked_kind(name, kind) for name, kind in zip(names, _per_column("kinds", kinds, names), strict=True)
    ]
    checked_domains = _checked_domains(names, domains)
    for name, kind, domain in zip(names, checked_kinds, _per_column("domains", domains, names), strict=True):
        if kind == "ordered" and isinstance(domain, (set, frozenset)):
            raise ParameterError(f"The domain of the ordered column {name!r} is a set, without order: give a list.")
    return Options(
        tuple(checked_kinds),
        checked_domains,
        _checked_tokens(names, missing_tokens),
        _checked_costs(names, attribute_costs),
    )


def _by_name(parameter: str, entries: Mapping[Any, Any], names: Sequence[str]) -> dict[str, Any]:
    result = {str(label): value for label, value in entries.items()}
    if result:
        known = set(names)
        for label in result:
            if label not in known:
                raise ParameterError(
                    f"{parameter} names the column {label!r}, but the table has "
                    f"{shown_list(names)}.{did_you_mean(label, names)}"
                )
    return result


def _per_column(parameter: str, entries: Any, names: Sequence[str]) -> list[Any]:
    """Return one entry per column from a mapping by name (others: None) or a sequence for all columns."""
    if entries is None:
        return [None] * len(names)
    if isinstance(entries, Mapping):
        by_name = _by_name(parameter, entries, names)
        return [by_name.get(name) for name in names]
    single = isinstance(entries, (str, bytes)) or getattr(entries, "ndim", None) == 0
    if single or not isinstance(entries, (Sequence, np.ndarray)):
        raise ParameterError(
            f"{parameter} is {shorten(entries)}, but must be a dict by column name or a list, one per column."
        )
    if len(entries) != len(names):
        raise ParameterError(f"{parameter} has {len(entries)} entries, but the table has {len(names)} columns.")
    return list(entries)


def _checked_kind(name: str, kind: Any) -> Kind | None:
    if kind is None:
        return None
    if not isinstance(kind, str) or kind not in KINDS:
        raise ParameterError(choice_message(f"The kind of column {name!r}", kind, KINDS))
    return kind


def _checked_domains(names: Sequence[str], domains: Any) -> tuple[tuple[Any, ...] | None, ...]:
    if domains is not None and not isinstance(domains, Mapping):
        raise ParameterError(f"domains is {shorten(domains)}, but must be a dict of column name: list of values.")
    return tuple(
        None if domain is None else _checked_domain(name, domain)
        for name, domain in zip(names, _per_column("domains", domains, names), strict=True)
    )


def _checked_domain(name: str, domain: Any) -> tuple[Any, ...]:
    if isinstance(domain, (str, bytes)) or not isinstance(domain, Iterable):
        raise ParameterError(f"The domain of column {name!r} is {shorten(domain)}, but must be a list of values.")
    labels = list(domain)
    if isinstance(domain, (set, frozenset)):
        labels = _in_some_order(labels)
    if not labels:
        raise ParameterError(f"The domain of column {name!r} is empty; list its values, or leave it out.")
    for value in labels:
        if is_missing(value):
            raise ParameterError(f"The domain of column {name!r} holds {shorten(value)}, which always means missing.")
    values = tuple(plain_value(value) for value in labels)
    if len({value_key(value) for value in values}) < len(values):
        raise ParameterError(f"The domain of column {name!r} has a value twice: {shown_list(values)}.")
    return values


def _in_some_order(values: list[Any]) -> list[Any]:
    """The values of a set, which has none, in an order that is the same in every run."""
    try:
        return sorted(values)
    except TypeError:  # cannot be compared
        return sorted(values, key=lambda value: (type(value).__name__, repr(value)))


def _checked_tokens(names: Sequence[str], tokens: Any) -> tuple[tuple[Any, ...], ...]:
    if isinstance(tokens, Mapping):
        return tuple(
            () if entry is None else _token_tuple(entry) for entry in _per_column("missing_tokens", tokens, names)
        )
    every = _token_tuple(tokens)
    return (every,) * len(names)


def _token_tuple(tokens: Any) -> tuple[Any, ...]:
    """Return the tokens; a single string or number is one token."""
    if tokens is None:
        return ()
    if isinstance(tokens, (str, bytes, numbers.Number)) or not isinstance(tokens, Iterable):
        tokens = (tokens,)
    return tuple(plain_value(token) for token in tokens if not is_missing(token))


def _checked_costs(names: Sequence[str], costs: Any) -> tuple[float, ...]:
    result = []
    for name, cost in zip(names, _per_column("attribute_costs", costs, names), strict=True):
        if cost is None:
            cost = 0.0
        if not isinstance(cost, numbers.Real) or isinstance(cost, bool) or not 0 <= float(cost) <= MOST_COST:
            raise ParameterError(
                f"attribute_costs gives {shorten(cost)} for {name!r}, but a cost is a number from 0 to {MOST_COST:g}."
            )
        result.append(float(cost))
    return tuple(result)

"""Rows for brute force: every combination of values that a tree or a rule list can tell apart."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np

from quercus.data import Attribute, Dataset, Schema
from quercus.rules.condition import Interval
from quercus.rules.rule_list import RuleList
from quercus.tree import Tree


def cuts_of(model: Tree | RuleList, place: int) -> list[float]:
    """The bounds by which a model cuts a numeric attribute."""
    if isinstance(model, Tree):
        own = model.threshold[(model.kind == 1) & (model.attribute == place)]
        other = model.surrogate_threshold[(model.surrogate_kind == 1) & (model.surrogate_attribute == place)]
        found = {*own.tolist(), *other.tolist()}
    else:
        conditions = [c for rule in model for c in rule.conditions if isinstance(c, Interval)]
        name = model.schema[place].name
        found = {bound for c in conditions if c.name == name for bound in (c.low, c.high)}
        if model.tree is not None:
            found |= set(cuts_of(model.tree, place))
    return sorted(cut for cut in found if math.isfinite(cut))


def representatives(model: Tree | RuleList, place: int, now: float | None) -> list[float]:
    """The value now (None: unknown), and of every cell the values nearest to it: one float64 beside each cut."""
    attribute: Attribute = model.schema[place]
    kept = [] if now is None else [now]
    if not attribute.is_numeric:
        return [*kept, *(float(code) for code in range(attribute.n_values) if code != now)]
    if attribute.values:
        return [*kept, *(float(code) for code in range(attribute.n_values) if code != now)]
    cuts = cuts_of(model, place)
    values = {value for cut in cuts for value in (cut, math.nextafter(cut, math.inf))}
    values |= {0.0} if now is None and not cuts else set()
    return [*kept, *(value for value in sorted(values) if value != now and math.isfinite(value))]


def every_row(
    model: Tree | RuleList, now: list[float | None], allowed: Any = lambda place, value: True, most: int = 20_000
) -> np.ndarray | None:
    """All rows of representatives, one line per row (NaN: unknown, as only an unknown value may be); None: too many."""
    choices = []
    for place, value in enumerate(now):
        others = [v for v in representatives(model, place, value) if v == value or allowed(place, v)]
        choices.append([math.nan, *others] if value is None else others)
    if math.prod(len(choice) for choice in choices) > most:
        return None
    return np.array(list(product(*choices)))


def dataset_of(schema: Schema, rows: np.ndarray) -> Dataset:
    """Encoded rows as a dataset."""
    columns = []
    for place, attribute in enumerate(schema):
        column = rows[:, place]
        if not attribute.is_numeric:
            column = np.where(np.isnan(column), -1, column).astype(np.int32)
        columns.append(np.ascontiguousarray(column))
    return Dataset(schema, tuple(columns), len(rows))


def row_of(dataset: Dataset, row: int) -> list[float | None]:
    """A row's encoded values, None where unknown."""
    values = []
    for attribute, column in zip(dataset.schema, dataset.columns, strict=True):
        value = float(column[row])
        values.append(None if math.isnan(value) or (not attribute.is_numeric and value < 0) else value)
    return values

"""Counts: how every measure reads the class counts of a node and the table branches × classes of a split."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from quercus.arrays import Floats
from quercus.errors import DataError, checked_number

#: Totals outside this range are rescaled by a power of two, so that no sum overflows and no share underflows.
_SAFE_TOTAL = (1e-280, 1e280)


def as_numbers(values: ArrayLike, name: str) -> Floats:
    """Return values as float64, or say which of them is no finite number."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"{name} must be numbers, but could not be read as such ({error}).") from error
    if not np.isfinite(numbers).all():
        first = numbers[~np.isfinite(numbers)].flat[0]
        raise DataError(f"{name} must be finite numbers, but {first} was given; leave unknown values out.")
    return numbers


def as_weights(values: ArrayLike, name: str) -> Floats:
    """Return values as finite float64 ≥ 0: counts, weights and probabilities."""
    numbers = as_numbers(values, name)
    if (numbers < 0).any():
        raise DataError(f"{name} must not be negative, but {numbers[numbers < 0].flat[0]} was given.")
    return numbers


def as_counts(counts: ArrayLike, name: str = "counts") -> Floats:
    """Return one row of counts (or probabilities), checked and safely scaled."""
    row = as_weights(counts, name)
    if row.ndim != 1:
        raise DataError(
            f"{name} must be one row of numbers, but the shape {row.shape} was given; "
            "for a table use joint_entropy, conditional_entropy or gain."
        )
    if row.size == 0:
        raise DataError(f"{name} must hold at least one number, but none was given.")
    return safely_scaled(row)


def as_table(table: ArrayLike, name: str = "branches") -> Floats:
    """Return a table branches × classes (or a joint table X × Y), checked but not scaled."""
    rows = as_weights(table, name)
    if rows.ndim != 2:
        raise DataError(f"{name} must be a table (rows × columns), but the shape {rows.shape} was given.")
    if rows.size == 0:
        raise DataError(f"{name} must have at least one row and one column, but the shape {rows.shape} was given.")
    return rows


def as_split(branches: ArrayLike, unknown: ArrayLike) -> tuple[Floats, float]:
    """Return the table branches × classes of the known examples and the weight of the unknown ones, on one scale."""
    table = as_table(branches)
    unknown_counts = as_weights(unknown, "unknown")
    both = safely_scaled(np.append(table.ravel(), unknown_counts.ravel()))
    return both[: table.size].reshape(table.shape), float(both[table.size :].sum())


def safely_scaled(weights: Floats) -> Floats:
    """Return the weights times a power of two, when their sum would overflow or be denormal; else unchanged."""
    largest = float(weights.max(initial=0.0))
    if largest == 0.0 or _SAFE_TOTAL[0] < largest < _SAFE_TOTAL[1]:
        return weights
    return np.asarray(np.ldexp(weights, -math.frexp(largest)[1]), dtype=np.float64)


def check_base(base: float) -> float:
    """Return the base of the logarithm if it is a finite number above 1."""
    return checked_number(
        "base", base, "a number above 1 (2: bits, math.e: nats, 10: bans)", lambda number: 1 < number < math.inf
    )

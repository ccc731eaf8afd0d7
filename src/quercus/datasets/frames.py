"""The form in which tables are handed out: a pandas frame and series, or without pandas a dict and a list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.errors import ParameterError, shorten

__all__ = ["check_share", "generator", "noisy", "table", "whole_number"]


def table(columns: Mapping[str, Any], labels: Any, target: str, index: Sequence[str] | None = None) -> tuple[Any, Any]:
    """Return (X, y): with pandas a frame and a named series, without it a dict of columns and the labels."""
    try:
        import pandas as pd
    except ImportError:
        return dict(columns), labels
    return pd.DataFrame(dict(columns), index=index), pd.Series(labels, index=index, name=target)


def generator(random_state: Any) -> np.random.Generator:
    """Return a random generator: the same numbers for the same seed, on every machine."""
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"random_state={shorten(random_state)} is not allowed; give a whole number of at least 0, or a Generator."
        ) from error


def whole_number(name: str, value: Any, least: int, most: int | None = None) -> int:
    """Check a parameter that is a whole number."""
    fits = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not fits or value < least or (most is not None and value > most):
        allowed = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise ParameterError(f"{name}={shorten(value)} is not allowed; give a whole number {allowed}.")
    return int(value)


def check_share(name: str, value: Any) -> None:
    """Check a parameter that is a share."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 <= value <= 1.0:
        raise ParameterError(f"{name}={shorten(value)} is not allowed; give a number from 0 to 1.")


def noisy(codes: NDArray[np.int64], n_classes: int, noise: Any, random: np.random.Generator) -> NDArray[np.int64]:
    """Replace a share of the class codes by another class, drawn with equal chances."""
    check_share("noise", noise)
    wrong = random.random(len(codes)) < noise
    step = random.integers(1, n_classes, len(codes)) if n_classes > 1 else np.zeros(len(codes), dtype=np.int64)
    return np.where(wrong, (codes + step) % n_classes, codes)

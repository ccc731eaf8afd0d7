"""The waveforms: mixtures of two of three triangular waves, with noise, at 21 points."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.datasets.frames import generator, table, whole_number

__all__ = ["BASE_WAVES", "make_waveform"]


def _wave(peak: int) -> NDArray[np.float64]:
    return np.maximum(6.0 - np.abs(np.arange(1, 22) - peak), 0.0)


BASE_WAVES = np.stack([_wave(11), _wave(15), _wave(7)])
_PAIRS = np.array([[0, 1], [0, 2], [1, 2]])


def make_waveform(n_rows: int = 1000, n_irrelevant: int = 0, random_state: Any = 0) -> tuple[Any, Any]:
    """Return the waveform problem of Breiman and others (1984): 21 numeric attributes, three classes of equal chances.

    A row of a class is u·h₁ + (1 − u)·h₂ + ε: two of three triangular waves, u uniform on [0, 1], ε normal with
    variance 1 at each point. The best that any classifier can do is about 86 %.

    - n_rows: how many rows.
    - n_irrelevant: so many further attributes are only noise (19 in the original with 40 attributes).

    >>> X, y = make_waveform(300)
    >>> X.shape, sorted(set(y))
    ((300, 21), [0, 1, 2])
    """
    count = whole_number("n_rows", n_rows, least=1)
    extra = whole_number("n_irrelevant", n_irrelevant, least=0)
    random = generator(random_state)
    classes = random.integers(0, 3, count)
    share = random.random((count, 1))
    first, second = BASE_WAVES[_PAIRS[classes, 0]], BASE_WAVES[_PAIRS[classes, 1]]
    points = np.column_stack([share * first + (1.0 - share) * second, np.zeros((count, extra))])
    points += random.standard_normal(points.shape)
    columns = {f"x{k + 1}": points[:, k].tolist() for k in range(points.shape[1])}
    return table(columns, classes.tolist(), "wave")

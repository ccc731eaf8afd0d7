"""Generated tables, each with a trait that real tables have and plain random numbers have not.

Few distinct values, Zipf levels, many classes, sparse wide counts, gaps. Fixed seeds; nominal columns are pandas
categoricals, numbers float32, unknown cells NaN; four fifths of the rows train.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import pandas as pd

from .data import Table, cut

Random = np.random.Generator


def nominal(codes: np.ndarray, n_levels: int) -> pd.Categorical:
    """A column of levels; a code below 0 is an unknown cell."""
    return pd.Categorical.from_codes(codes, [f"v{level}" for level in range(n_levels)])


def zipf_codes(random: Random, rows: int, n_levels: int, power: float = 1.1) -> np.ndarray:
    """Levels whose frequency falls as 1 / rank^power, as those of routes, shops and words do; in no order of codes."""
    share = np.arange(1, n_levels + 1) ** -power
    drawn = np.searchsorted(np.cumsum(share / share.sum()), random.random(rows))
    return np.asarray(random.permutation(n_levels)[np.minimum(drawn, n_levels - 1)])


def classes_of(random: Random, scores: np.ndarray, n_classes: int, noise: float) -> np.ndarray:
    """Classes of equal frequency from numbers, after noise of that share of their spread is added."""
    noisy = scores + noise * scores.std() * random.normal(size=len(scores))
    return np.searchsorted(np.quantile(noisy, np.arange(1, n_classes) / n_classes), noisy)


def numbers_frame(matrix: np.ndarray) -> pd.DataFrame:
    """Columns x0, x1, … of float32, each contiguous."""
    columns = [f"x{place}" for place in range(matrix.shape[1])]
    return pd.DataFrame(np.asfortranarray(matrix, dtype=np.float32), columns=columns)


@lru_cache(maxsize=1)
def few_values(rows: int) -> Table:
    """16 numeric columns of 2 to 60 distinct values and two classes, as in surveys and scores."""
    random = np.random.default_rng(1)
    hidden = random.normal(size=(rows, 16)) @ np.linalg.qr(random.normal(size=(16, 16)))[0]
    steps = np.linspace(2, 60, 16).astype(int)
    matrix = np.clip(np.round((hidden + 2.5) / 5 * (steps - 1)), 0, steps - 1)
    scores = hidden[:, 0] * hidden[:, 1] + hidden[:, 2] * (hidden[:, 3] > 0) + hidden[:, 4:8].sum(axis=1) / 2
    return cut("few values", numbers_frame(matrix), classes_of(random, scores, 2, 0.5))


@lru_cache(maxsize=1)
def zipf_levels(rows: int, n_levels: int = 3000) -> Table:
    """Four nominal columns of 12 to `n_levels` levels by Zipf's law and four numbers; two classes."""
    random = np.random.default_rng(2)
    sizes = (12, 60, 400, n_levels)
    codes = [zipf_codes(random, rows, size) for size in sizes]
    effects = [random.normal(size=size)[each] for size, each in zip(sizes, codes, strict=True)]
    matrix = random.normal(size=(rows, 4))
    frame = numbers_frame(matrix)
    for place, (size, each) in enumerate(zip(sizes, codes, strict=True)):
        frame[f"c{place}"] = nominal(each, size)
    scores = np.sum(effects, axis=0) + matrix[:, 0] * effects[1] + np.abs(matrix[:, 1])
    return cut(f"Zipf levels to {n_levels:,}", frame, classes_of(random, scores, 2, 0.5))


@lru_cache(maxsize=1)
def many_classes(rows: int, n_classes: int = 128) -> Table:
    """16 numbers of 16 distinct values around the centre of each of `n_classes` classes, as letters are measured."""
    random = np.random.default_rng(3)
    centres = random.uniform(2, 13, size=(n_classes, 16))
    target = np.minimum(zipf_codes(random, rows, n_classes, 0.3), n_classes - 1)
    matrix = np.clip(np.round(centres[target] + 1.5 * random.normal(size=(rows, 16))), 0, 15)
    return cut(f"{n_classes} classes", numbers_frame(matrix), target)


@lru_cache(maxsize=1)
def sparse_counts(rows: int, columns: int = 2000) -> Table:
    """Word counts: `columns` columns, of which about 40 are not 0 in a row, frequent words first; two classes."""
    random = np.random.default_rng(4)
    target = random.integers(0, 2, rows)
    rate = 2.2 * np.arange(2, columns + 2) ** -0.75
    tilt = np.exp(0.8 * random.normal(size=(2, columns)) * (random.random(columns) < 0.1))
    length = random.gamma(2.0, 0.5, rows)
    counts = random.poisson(length[:, None] * rate * tilt[target])
    return cut("sparse counts", numbers_frame(counts), target)


@lru_cache(maxsize=1)
def gaps(rows: int, share: float = 0.25) -> Table:
    """Eight numbers and six nominal columns; up to twice `share` of the cells of a column unknown; three classes."""
    random = np.random.default_rng(5)
    matrix, sizes = random.normal(size=(rows, 8)), (2, 3, 5, 8, 15, 40)
    codes = [zipf_codes(random, rows, size, 0.8) for size in sizes]
    effects = [random.normal(size=size)[each] for size, each in zip(sizes, codes, strict=True)]
    scores = matrix[:, 0] + matrix[:, 1] * matrix[:, 2] + effects[5] * (matrix[:, 3] > 0) + np.sum(effects[:5], axis=0)
    target = classes_of(random, scores, 3, 0.5)
    unknown = random.random((rows, 14)) < 2 * share * random.permutation(np.arange(14) / 13)
    frame = numbers_frame(np.where(unknown[:, :8], np.nan, matrix))
    for place, (size, each) in enumerate(zip(sizes, codes, strict=True)):
        frame[f"c{place}"] = nominal(np.where(unknown[:, 8 + place], -1, each), size)
    return cut(f"gaps, {100 * share:.0f} % unknown", frame, target)


#: By name; the argument is the number of rows.
TRAITS: dict[str, Callable[[int], Table]] = {
    "few_values": few_values,
    "zipf_levels": zipf_levels,
    "many_classes": many_classes,
    "sparse_counts": sparse_counts,
    "gaps": gaps,
}

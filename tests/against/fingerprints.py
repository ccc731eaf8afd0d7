"""What is compared of two trees: sizes, training predictions and how the training rows fall into leaves."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np


def of_labels(labels: Iterable[object]) -> str:
    """Twelve hex digits that stand for a sequence of class labels."""
    return hashlib.sha256(",".join(map(str, labels)).encode()).hexdigest()[:12]


def of_partition(leaf_ids: np.ndarray) -> str:
    """Twelve hex digits that stand for a division of rows into leaves, however the leaves are numbered."""
    _, first, leaf = np.unique(leaf_ids, return_index=True, return_inverse=True)
    order = np.empty(len(first), dtype=int)
    order[np.argsort(first)] = np.arange(len(first))
    return of_labels(order[leaf])


def of_numbers(predictions: np.ndarray) -> list[float]:
    """Sum and sum of squares of predictions, then every 50th of them: compared with a tolerance."""
    predictions = np.asarray(predictions, dtype=float)
    return [float(v) for v in (predictions.sum(), (predictions**2).sum(), *predictions[::50])]

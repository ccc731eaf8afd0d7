"""The tables on which J48 was run with pruning: complete ones, ones with gaps, random ones, C4.5's, real ones."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd

from .tables import C45_FOLDER, bundled, read_c45, with_gaps

SHARED_FOLDER = C45_FOLDER.parent
BUNDLED = ("iris", "wine", "breast_cancer", "digits")
#: Bundled sets with a fifth of the cells removed: (set, columns that are cut into named bands, only column with gaps).
GAPS: dict[str, tuple[str, tuple[int, ...], int | None]] = {
    "iris-gaps": ("iris", (1, 3), None),
    "wine-gaps": ("wine", (0, 2, 6, 9), None),
    "breast_cancer-gaps": ("breast_cancer", (0, 7, 20, 22, 27), None),
    "digits-gaps": ("digits", (), 21),
    "digits-bands": ("digits", (10, 20, 21, 26, 33, 42), 26),
}
#: Seeds of small random tables. Even ones are complete, and equally heavy branches decide what is raised (found by
#: trying both ways); odd ones have gaps.
RANDOM = {f"random-{seed}": seed for seed in (92, 124, 184, 340, 486, 101, 203, 305, 407, 509)}
#: Real mixed tables and how many of their first rows are used.
SHARED = {"titanic": 1309, "uci_credit_g": 1000, "uci_car": 1728, "uci_nursery": 6000, "adult": 8000}


def table(name: str) -> tuple[pd.DataFrame, pd.Categorical]:
    """One of the tables by name: its columns and its classes."""
    if name in BUNDLED:
        matrix, target = bundled(name)
        frame = pd.DataFrame({f"x{j}": matrix[:, j] for j in range(matrix.shape[1])})
        return frame, pd.Categorical(target, categories=np.unique(target))
    if name in GAPS:
        source, nominal, only = GAPS[name]
        frame, target = with_gaps(source, nominal, only)
        return frame, pd.Categorical(target, categories=np.unique(target))
    if name in RANDOM:
        return _random(RANDOM[name])
    if name in SHARED:
        return _shared(name, SHARED[name])
    files = read_c45(name)
    return files.train, files.train_classes


def _random(seed: int) -> tuple[pd.DataFrame, pd.Categorical]:
    """Three nominal and two numeric columns, three classes, all noise; RandomState gives the same numbers for ever."""
    random = np.random.RandomState(seed)
    rows = 20 + int(random.randint(60))
    columns = {}
    for j in range(5):
        cells, gone = random.randint(0, 2 if j < 3 else 6, rows), random.rand(rows) < 0.1 * (seed % 2)
        if j < 3:
            columns[f"x{j}"] = pd.Series(pd.Categorical.from_codes(np.where(gone, -1, cells), categories=["a", "b"]))
        else:
            columns[f"x{j}"] = pd.Series(np.where(gone, np.nan, cells.astype(float)))
    return pd.DataFrame(columns), pd.Categorical.from_codes(random.randint(0, 3, rows), categories=["x", "y", "z"])


def _shared(name: str, rows: int) -> tuple[pd.DataFrame, pd.Categorical]:
    about = json.loads((SHARED_FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    frame = pd.read_csv(SHARED_FOLDER / f"{name}.csv.gz").head(rows)
    target = frame.pop(about["target"]).astype(str)
    for column, kind in about["kinds"].items():
        if column in frame and kind != "num":
            frame[column] = frame[column].astype("string").astype(object)
            frame[column] = pd.Categorical(frame[column])
    return frame, pd.Categorical(target)

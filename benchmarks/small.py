"""Small things that are felt often: the import, a fit on fourteen rows, and predicting."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from quercus import C45Classifier, CARTClassifier, ID3Classifier
from quercus.datasets import load_play_tennis

from . import data
from .cases import Sizes
from .contestants import installed, lightgbm

TIMER = """
import time
start = time.perf_counter()
import sklearn.base, sklearn.utils.validation
middle = time.perf_counter()
from quercus import C45Classifier, CARTClassifier
print(middle - start, time.perf_counter() - middle)
"""


def import_seconds(runs: int = 3) -> tuple[float, float]:
    """Seconds to import what we use of scikit-learn, then our estimators on top of it; the least of some processes."""
    done = [
        subprocess.run([sys.executable, "-c", TIMER], capture_output=True, text=True, check=True) for _ in range(runs)
    ]
    times = np.array([[float(part) for part in run.stdout.split()] for run in done])
    return float(times[:, 0].min()), float(times[:, 1].min())


def least(work: Callable[[], Any], runs: int) -> float:
    """The least wall time of several calls."""
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def tiny_fits(runs: int = 200) -> list[tuple[str, float]]:
    """Seconds of a fit on the 14 rows of PlayTennis, a frame of strings."""
    frame, target = load_play_tennis()
    codes = np.column_stack([np.unique(frame[name], return_inverse=True)[1] for name in frame])
    models: list[tuple[str, Any, Any]] = [
        ("Quercus ID3Classifier, frame of strings", ID3Classifier(), frame),
        ("Quercus C45Classifier, frame of strings", C45Classifier(prune=False), frame),
        ("Quercus CARTClassifier, frame of strings", CARTClassifier(), frame),
        ("Quercus CARTClassifier, array of codes", CARTClassifier(), codes),
        ("scikit-learn DecisionTreeClassifier, array of codes", DecisionTreeClassifier(), codes),
    ]
    return [(name, least(lambda m=model, t=table: m.fit(t, target), runs)) for name, model, table in models]


def predictions(sizes: Sizes, runs: int = 5) -> list[tuple[str, str, float]]:
    """Rows a second that one tree predicts, by task and program, on one thread."""
    found = []
    for table in (data.numeric(sizes.rows), data.real("adult")):
        if table is None:
            continue
        codes, test_codes = table.codes(table.train), table.codes(table.test)
        ours = CARTClassifier(n_jobs=1).fit(table.train, table.train_target)
        theirs = DecisionTreeClassifier(random_state=0, max_depth=None).fit(codes, table.train_target)
        work: list[tuple[str, Callable[[], Any]]] = [
            ("Quercus, frame", lambda m=ours, t=table: m.predict(t.test)),
            ("scikit-learn, array of codes", lambda m=theirs, c=test_codes: m.predict(c)),
        ]
        if not table.nominal:
            on_array = CARTClassifier(n_jobs=1).fit(codes, table.train_target)
            work.insert(1, ("Quercus, array", lambda m=on_array, c=test_codes: m.predict(c)))
        if installed("lightgbm"):
            one = lightgbm(table)
            booster = one.fit()
            work.append(("LightGBM, frame, 1,024 leaves", lambda m=booster, t=table: m.predict(t.test)))
        for name, call in work:
            found.append((f"{table.name}, {len(table.test):,} rows", name, len(table.test) / least(call, runs)))
    return found

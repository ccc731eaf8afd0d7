"""Overhead: a fit on the textbook's 14 rows, and the import, do little in Python."""

from __future__ import annotations

import json
import subprocess
import sys

from quercus import C45Classifier
from quercus.datasets import load_play_tennis

IMPORTED = """
import json, sys
import joblib, narwhals, sklearn.base, sklearn.utils.multiclass, sklearn.utils.validation
before = set(sys.modules)
from quercus import C45Classifier
print(json.dumps(sorted(set(sys.modules) - before)))
"""
#: Functions of Python that one fit may call; benchmarks/ measures the time.
MOST_CALLS = 3_000


def test_fitting_14_rows_calls_few_functions() -> None:
    X, y = load_play_tennis()
    tree = C45Classifier().fit(X, y)  # imports and caches are filled
    events: list[str] = []
    sys.setprofile(lambda frame, event, argument: events.append(event))
    try:
        tree.fit(X, y)
    finally:
        sys.setprofile(None)
    assert events.count("call") < MOST_CALLS


def test_importing_the_estimators_is_light() -> None:
    output = subprocess.run([sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=True).stdout
    modules = json.loads(output)
    assert not {"pandas", "polars", "pyarrow", "matplotlib", "quercus.growing.reference", "quercus.measures"} & set(
        modules
    )

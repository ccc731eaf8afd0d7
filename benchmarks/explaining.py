"""How fast Shapley values of a forest's answers are found, beside the package shap on the same trees."""

from __future__ import annotations

from typing import Any

import numpy as np

from quercus import RandomForestClassifier, RandomForestRegressor

from . import data
from .cases import Sizes
from .clock import Contestant, Result, race
from .contestants import installed

TREES = 100


def shap_race(task: str, forest: Any, rows: np.ndarray, sizes: Sizes) -> list[Result]:
    """The same trees for both; what is timed is the whole call, shap's with the making of its explainer.

    shap reads scikit-learn's trees, which are made before; ours are read from the forest in every call.
    """
    if not installed("shap"):
        return []
    import shap

    copied, nodes = forest.to_sklearn(), int(forest.forest_.n_nodes.sum())

    def ours() -> Any:
        return forest.shap_values(rows).values

    def theirs() -> Any:
        return shap.TreeExplainer(copied).shap_values(rows, check_additivity=False)

    def quality(values: Any) -> float:  # 1: the values add up to the answers
        answers = forest.predict_proba(rows) if hasattr(forest, "classes_") else forest.predict(rows)
        base = np.asarray(forest.shap_values(rows[:1]).base_values[0])
        return 1.0 - float(np.abs(base + np.asarray(values).sum(axis=1) - answers).max())

    note = f"{len(rows):,} rows"
    contestants = [
        Contestant("Quercus", ours, lambda _: nodes, quality, held_out=len(rows), note=note),
        Contestant("shap", theirs, lambda _: nodes, quality, held_out=len(rows), runs=1, note=note),
    ]
    return race(task, contestants, sizes.runs)


def _numbers(rows: int = 5000) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    X = random.normal(size=(rows, 20)).astype(np.float32).astype(np.float64)
    return X, X[:, 0] * X[:, 1] + X[:, 2] + random.normal(size=rows)


def shap_two_classes(sizes: Sizes) -> list[Result]:
    """Two classes, full trees."""
    X, y = _numbers()
    forest = RandomForestClassifier(TREES, random_state=0).fit(X, y > 0)
    return shap_race("shap: 2 classes, full trees", forest, X[:200], sizes)


def shap_shallow(sizes: Sizes) -> list[Result]:
    """Two classes, trees of depth 6."""
    X, y = _numbers()
    forest = RandomForestClassifier(TREES, max_depth=6, random_state=0).fit(X, y > 0)
    return shap_race("shap: 2 classes, depth 6", forest, X[:2000], sizes)


def shap_ten_classes(sizes: Sizes) -> list[Result]:
    """Ten classes, full trees."""
    X, y = _numbers()
    forest = RandomForestClassifier(TREES, random_state=0).fit(X, np.digitize(y, np.quantile(y, np.arange(1, 10) / 10)))
    return shap_race("shap: 10 classes, full trees", forest, X[:100], sizes)


def shap_numbers(sizes: Sizes) -> list[Result]:
    """Regression, full trees."""
    X, y = _numbers()
    forest = RandomForestRegressor(TREES, random_state=0).fit(X, y)
    return shap_race("shap: regression, full trees", forest, X[:100], sizes)


def shap_adult(sizes: Sizes) -> list[Result]:
    """The census table, its values as numbers, since shap reads no others."""
    table = data.real("adult")
    if table is None:
        return []
    X = np.nan_to_num(np.asarray(table.codes(table.train), dtype=np.float64), nan=-1.0)
    forest = RandomForestClassifier(TREES, random_state=0).fit(X, table.train_target)
    return shap_race("shap: adult, full trees", forest, X[:50], sizes)


SHAP_CASES = {
    task.__name__: task for task in (shap_two_classes, shap_shallow, shap_ten_classes, shap_numbers, shap_adult)
}

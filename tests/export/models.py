"""Random models of every kind, and rows to try them on, with names that no program would choose."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import quercus as q

NAMES = ['a"b; DROP TABLE rows', "select", "it's", "größe\n2", "c\\d*/'''", "</script>${x}"]
VALUES = ["O'Brien", 'say "x"', "ü\\n", "NULL", "*/ -- ;", ""]
CLASSES = ["no'", "yes", 'may"be', "x; --"]

MAKERS: dict[str, Callable[[], Any]] = {
    "id3": lambda: q.ID3Classifier(),
    "id3 ratio": lambda: q.ID3Classifier(selection="gain_ratio", missing="own_value"),
    "c45": lambda: q.C45Classifier(),
    "c45 whole": lambda: q.C45Classifier(prune=False, smoothing="laplace"),
    "c45 groups": lambda: q.C45Classifier(value_groups=True, prune=False),
    "cart": lambda: q.CARTClassifier(),
    "cart surrogates": lambda: q.CARTClassifier(missing="surrogate", max_depth=5),
    "cart own": lambda: q.CARTClassifier(missing="own_value"),
    "cart common": lambda: q.CARTClassifier(missing="most_common", smoothing=("m", 2.0)),
    "regression": lambda: q.CARTRegressor(max_depth=5),
    "regression fractions": lambda: q.CARTRegressor(max_depth=3, missing="fractional"),
    "quantiles": lambda: q.CARTRegressor(criterion="pinball", quantiles=(0.1, 0.5), max_depth=3),
    "forest": lambda: q.RandomForestClassifier(4, random_state=1),
    "forest votes": lambda: q.RandomForestClassifier(4, random_state=1, vote="majority", max_depth=4),
    "forest of numbers": lambda: q.RandomForestRegressor(23, max_depth=3, random_state=1),
    "boosted": lambda: q.BoostedClassifier(n_estimators=3),
    "bagging": lambda: q.BaggingClassifier(q.C45Classifier(), 2, random_state=1),
    "bagging votes": lambda: q.BaggingClassifier(q.C45Classifier(), 3, random_state=1, vote="majority"),
    "bagged rules": lambda: q.BaggingClassifier(q.PARTClassifier(), 2, random_state=1),
    "part": lambda: q.PARTClassifier(),
    "c45 rules": lambda: q.C45RulesClassifier(),
    "ripper": lambda: q.RIPPERClassifier(random_state=1),
}


def random_table(chance: np.random.Generator, n: int) -> dict[str, list[Any]]:
    """Columns of numbers, few numbers, texts and booleans, with gaps."""
    columns: dict[str, list[Any]] = {}
    for name in NAMES:
        kind, gaps = chance.integers(0, 5), chance.choice([0.0, 0.1, 0.3])
        if kind == 0:
            values: list[Any] = np.round(chance.normal(size=n), 2).tolist()
        elif kind == 1:
            values = [float(number) for number in chance.integers(0, 4, n)]
        elif kind == 2:
            values = (chance.normal(size=n) * 10.0 ** chance.integers(-200, 200)).tolist()
        elif kind == 3:
            values = [VALUES[place] for place in chance.integers(0, len(VALUES), n)]
        else:
            values = [bool(place) for place in chance.integers(0, 2, n)]
        columns[name] = [None if chance.random() < gaps else value for value in values]
    return columns


def random_model(name: str, seed: int) -> Any:
    """A model of a kind, fitted to a random table."""
    chance = np.random.default_rng([seed, sorted(MAKERS).index(name)])
    n = int(chance.integers(10, 90))
    columns = random_table(chance, n)
    estimator = MAKERS[name]()
    numbers = "Regressor" in type(estimator).__name__
    y = chance.normal(size=n) if numbers else np.array(CLASSES)[chance.integers(0, chance.integers(2, 5), n)]
    if not numbers and chance.random() < 0.3 and "cost_matrix" in estimator.get_params():
        k = len(set(y.tolist()))
        estimator.set_params(cost_matrix=chance.integers(1, 6, (k, k)) * (1 - np.eye(k)))
    weights = chance.choice([0.5, 1.0, 2.25], n) if chance.random() < 0.3 else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(columns, y, weights)


def random_models(seeds: range) -> Iterator[tuple[str, int, Any]]:
    """Models of every kind for some seeds."""
    for seed in seeds:
        for name in MAKERS:
            yield name, seed, random_model(name, seed)

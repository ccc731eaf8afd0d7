"""Random models of every kind, with names that no program would choose: the one generator of the tests of exports.

``random_model(name, seed)`` is the model of a kind and a number; ``drawn_model(number)`` goes through all kinds.
"""

from __future__ import annotations

import datetime as dt
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import quercus as q

NAMES = [
    *('a"b; DROP TABLE rows', "select", "it's", "größe\n2", "c\\d*/'''", "</script>${x}", "Order By", "__proto__"),
    *("class", "50%_a&b$#{x}~^\\", "=1+1", "<b>&amp;", "ключ 🌳", "x" * 80, " [a].[b] ", "{0} %s", "-- /*", "return"),
]
VALUES = ["O'Brien", 'say "x"', "ü\\n", "NULL", "*/ -- ;", "", "a", "A", " a", "1", "🌳\t", "=2*3", "]]>", "%s\\"]
CLASSES: list[list[Any]] = [["no'", "yes", 'may"be', "x; --"], ["=1", "A", "a", ""], [3, -1, 7, 0], [True, False]]
EPOCH = dt.datetime(2024, 1, 1)

MAKERS: dict[str, Callable[[], Any]] = {
    "id3": lambda: q.ID3Classifier(),
    "id3 ratio": lambda: q.ID3Classifier(selection="gain_ratio", missing="own_value"),
    "id3 class": lambda: q.ID3Classifier(missing="class_most_common"),
    "c45": lambda: q.C45Classifier(),
    "c45 whole": lambda: q.C45Classifier(prune=False, smoothing="laplace"),
    "c45 groups": lambda: q.C45Classifier(value_groups=True, prune=False),
    "cart": lambda: q.CARTClassifier(),
    "cart surrogates": lambda: q.CARTClassifier(missing="surrogate", max_depth=5),
    "cart own": lambda: q.CARTClassifier(missing="own_value"),
    "cart common": lambda: q.CARTClassifier(missing="most_common", smoothing=("m", 2.0)),
    "cart pruned": lambda: q.CARTClassifier(missing="fractional", max_leaf_nodes=6),
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
    "ripper": lambda: q.RIPPERClassifier(random_state=1, optimisations=1),
}


# Columns: a function of the draws and the number of rows for each kind


def _wide(chance: np.random.Generator, n: int) -> list[Any]:
    return [float(x) for x in chance.normal(size=n) * 10.0 ** chance.integers(-310, 290)]


def _zeros(chance: np.random.Generator, n: int) -> list[Any]:
    return [[0.0, -0.0, 5e-324, -5e-324, 1.0, float(np.nextafter(1.0, 2.0))][i] for i in chance.integers(0, 6, n)]


def _texts(chance: np.random.Generator, n: int) -> list[Any]:
    known = chance.permutation(VALUES)[: chance.integers(2, 7)].tolist()
    return [known[i] for i in chance.integers(0, len(known), n)]


def _moments(chance: np.random.Generator, n: int) -> list[Any]:
    return [EPOCH + dt.timedelta(days=int(d), microseconds=int(d) % 3) for d in chance.integers(-40_000, 3_000, n)]


#: The kinds of column, each with how often it is drawn.
COLUMNS: dict[Callable[[np.random.Generator, int], list[Any]], float] = {
    lambda chance, n: np.round(chance.normal(size=n), 2).tolist(): 3,
    lambda chance, n: [float(number) for number in chance.integers(0, 4, n)]: 2,
    lambda chance, n: chance.integers(-5, 2**40, n).tolist(): 1,
    _wide: 2,
    _zeros: 1,
    _texts: 4,
    lambda chance, n: [bool(place) for place in chance.integers(0, 2, n)]: 2,
    _moments: 0.6,
}


def random_table(chance: np.random.Generator, n: int) -> dict[str, list[Any]]:
    """Columns of numbers, few numbers, texts, booleans and dates, with gaps and hostile names."""
    share = np.array(list(COLUMNS.values()))
    makers = list(COLUMNS)
    columns: dict[str, list[Any]] = {}
    for name in chance.permutation(len(NAMES))[:6]:
        values = makers[int(chance.choice(len(makers), p=share / share.sum()))](chance, n)
        gaps = chance.choice([0.0, 0.1, 0.3])
        columns[NAMES[name]] = [None if chance.random() < gaps else value for value in values]
    return columns


def _kinds(chance: np.random.Generator, columns: dict[str, list[Any]]) -> dict[str, str]:
    """Some columns of few values are told to be names, or names in an order."""
    kinds = {}
    for name, values in columns.items():
        known = {value for value in values if value is not None}
        few = 1 < len(known) < 8 and not any(isinstance(value, bool | float) for value in known)
        if few and chance.random() < 0.3:
            kinds[name] = str(chance.choice(["nominal", "ordered"]))
    return kinds


def _varied(chance: np.random.Generator, estimator: Any, name: str, columns: dict[str, Any], k: int) -> None:
    """Parameters that all kinds have or many: kinds of columns, texts for missing, costs, policy, threshold."""
    known = estimator.get_params()
    prefix = "" if "kinds" in known else "estimator__" if "estimator__kinds" in known else None
    if prefix is not None:
        estimator.set_params(**{f"{prefix}kinds": _kinds(chance, columns)})
        if chance.random() < 0.2:
            estimator.set_params(**{f"{prefix}missing_tokens": ("a", "*/ -- ;", 1)})
    if k and chance.random() < 0.3 and "cost_matrix" in known:
        estimator.set_params(cost_matrix=chance.integers(1, 6, (k, k)) * (1 - np.eye(k)))
    elif k == 2 and chance.random() < 0.2 and "decision_threshold" in known:
        estimator.set_params(decision_threshold=float(chance.choice([0.25, 0.6])))
    if name in ("cart", "forest", "forest of numbers", "regression", "id3"):
        estimator.set_params(missing=str(chance.choice(["own_value", "most_common", "fractional"])))


def random_model(name: str, seed: int) -> Any:
    """A model of a kind, fitted to a random table.

    name: one of ``MAKERS``. seed: another number is another table, with other parameters, weights and classes.
    """
    chance = np.random.default_rng([seed, sorted(MAKERS).index(name)])
    n = int(chance.integers(10, 90))
    columns = random_table(chance, n)
    estimator = MAKERS[name]()
    numbers = "Regressor" in type(estimator).__name__
    labels = CLASSES[int(chance.choice(len(CLASSES), p=[0.7, 0.1, 0.1, 0.1]))]
    drawn = [labels[place] for place in chance.integers(0, chance.integers(2, len(labels) + 1), n)]
    y: Any = (chance.normal(size=n) * 10.0 ** chance.choice([0, -5, 9])).tolist() if numbers else drawn
    _varied(chance, estimator, name, columns, 0 if numbers else len(set(drawn)))
    weights = chance.choice([0.5, 1.0, 2.25], n) if chance.random() < 0.3 else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(columns, y, weights)


def drawn_model(number: int) -> tuple[str, Any]:
    """The model of a running number, all kinds in turn, with a word that finds it again: ``cart, seed 3``."""
    names = list(MAKERS)
    seed, place = divmod(number, len(names))
    return f"{names[place]}, seed {seed}", random_model(names[place], seed)


def chain(depth: int = 501) -> Any:
    """A tree that asks hundreds of questions one below the other."""
    x = np.arange(float(depth))
    return q.CARTClassifier(criterion="misclassification").fit(x[:, None], np.arange(depth) % 2)


def many_values(count: int = 10_000, binary: bool = True) -> Any:
    """A tree over a column of thousands of values."""
    table = {"c": [f"v{i}" for i in range(count)], "n": np.arange(count) % 13}
    return (q.CARTClassifier(max_depth=3) if binary else q.ID3Classifier(prune=False)).fit(
        table, np.arange(count) % 7 % 2
    )

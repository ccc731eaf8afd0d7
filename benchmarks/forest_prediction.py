"""How fast a grown forest answers, what its model weighs in memory, and what one row costs through Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from quercus import CARTClassifier

from . import data
from .cases import Sizes
from .clock import Contestant, Result, race
from .contestants import installed
from .forest_contestants import (
    Forest,
    lightgbm_model,
    lightgbm_nodes,
    quercus_model,
    root_of,
    scikit_learn_model,
    score,
    ydf_answers,
    ydf_columns,
    ydf_learner,
)
from .small import least

TRAINING_ROWS = 100_000


class Asked:
    """A table whose rows are asked again and again until there are enough of them."""

    def __init__(self, table: data.Table, rows: int) -> None:
        self.table = table
        places = np.resize(np.arange(len(table.test)), rows)
        self.frame = table.test.iloc[places].reset_index(drop=True)
        self.target = table.test_target[places]

    def asks(
        self, program: str, call: Callable[[], np.ndarray], nodes: int, size: int | None = None, **more: Any
    ) -> Contestant:
        """A grown forest as a contestant; `call` gives the class shares, first or only column for two classes."""

        def quality(shares: np.ndarray) -> float:
            answers = shares.argmax(axis=1) if shares.ndim == 2 else (shares > 0.5).astype(int)
            return score(answers, self.target, False)

        return Contestant(program, call, lambda _: nodes, quality, model_bytes=size, held_out=len(self.frame), **more)


def quercus_asked(asked: Asked, forest: Forest, threads: tuple[int, ...]) -> list[Contestant]:
    """Our forest, asked with a frame and, if there are numbers only, with an array."""
    table, found = asked.table, []
    model = quercus_model(forest).fit(table.train, table.train_target)
    nodes, size = int(model.forest_.n_nodes.sum()), int(model.forest_.nbytes)
    for number in threads:

        def call(number: int = number) -> np.ndarray:
            return np.asarray(model.set_params(n_jobs=number).predict_proba(asked.frame))

        found.append(asked.asks("Quercus", call, nodes, size, threads=number, note="frame"))
    if not table.nominal:
        other = quercus_model(forest).fit(table.codes(table.train), table.train_target)
        matrix = table.codes(asked.frame)
        found.append(
            asked.asks("Quercus, array", lambda: np.asarray(other.predict_proba(matrix)), nodes, size, note="array")
        )
    return found


def scikit_learn_asked(asked: Asked, forest: Forest, runs: int) -> Contestant:
    """scikit-learn's forest; its memory are the arrays of nodes and of values."""
    table, matrix = asked.table, asked.table.codes(asked.frame)
    model = scikit_learn_model(forest).fit(table.codes(table.train), table.train_target)
    states = [tree.tree_.__getstate__() for tree in model.estimators_]
    size = sum(state["nodes"].nbytes + state["values"].nbytes for state in states)
    nodes = sum(state["node_count"] for state in states)
    return asked.asks("scikit-learn", lambda: np.asarray(model.predict_proba(matrix)), nodes, size, runs=runs)


def ydf_asked(asked: Asked, forest: Forest, runs: int) -> Contestant:
    """YDF's forest, by its fast engine where that takes the forest."""
    table, columns = asked.table, ydf_columns(asked.table, asked.frame)
    model = ydf_learner(forest).train({**ydf_columns(table, table.train), "class": table.train_target})
    few = {name: column[:100] for name, column in columns.items()}
    slow = False
    try:
        model.predict(few)
    except Exception:
        slow = True
    note = "slow engine: the fast one refuses the forest" if slow else ""

    def shares() -> np.ndarray:
        return np.asarray(model.predict(columns, use_slow_engine=slow, num_threads=1))

    done = asked.asks("YDF", shares, int(model.num_nodes()), runs=runs, note=note)
    return replace(done, quality=lambda found: score(ydf_answers(model, found), asked.target, False))


def lightgbm_asked(asked: Asked, forest: Forest, leaves: int, runs: int) -> Contestant:
    """LightGBM's rf with as many leaves per tree as ours has on average."""
    table = asked.table
    model = lightgbm_model(replace(forest, leaves=leaves))
    model.set_params(feature_fraction_bynode=forest.attributes / table.train.shape[1])
    model.fit(table.train, table.train_target)
    note = f"rf, at most {leaves:,} leaves"
    nodes = lightgbm_nodes(model)
    return asked.asks("LightGBM", lambda: np.asarray(model.predict_proba(asked.frame)), nodes, runs=runs, note=note)


def prediction_race(table: data.Table, sizes: Sizes) -> list[Result]:
    """Class shares of a million rows through a hundred full trees (the quick run: twenty)."""
    asked, forest = Asked(table, sizes.rows), Forest(100 if sizes.both_criteria else 20, root_of(table))
    field = quercus_asked(asked, forest, (1, 2))
    leaves = field[0].size(None) // (2 * forest.trees) + 1
    field.append(scikit_learn_asked(asked, forest, sizes.slow_runs))
    if installed("ydf"):
        field.append(ydf_asked(asked, forest, sizes.slow_runs))
    if installed("lightgbm"):
        field.append(lightgbm_asked(asked, forest, leaves, sizes.slow_runs))
    task = f"predicting {sizes.rows:,} rows, {forest.words}: {table.name}, grown on {table.shape}"
    return race(task, field, sizes.runs)


def forest_predict_numeric(sizes: Sizes) -> list[Result]:
    """Numbers only."""
    table = data.numeric(sizes.rows)
    few = min(TRAINING_ROWS, len(table.train))
    return prediction_race(
        data.Table(table.name, table.train.iloc[:few], table.train_target[:few], table.test, table.test_target), sizes
    )


def forest_predict_adult(sizes: Sizes) -> list[Result]:
    """Nominal and numeric columns with missing cells."""
    table = data.real("adult")
    return [] if table is None else prediction_race(table, sizes)


def forest_single_row(sizes: Sizes, calls: int = 2000) -> list[Result]:
    """One row at a time through Python: predict(row) of one tree, then of a forest of a hundred."""
    table = data.numeric(sizes.rows).head(min(TRAINING_ROWS, sizes.rows // 2))
    matrix, target, row = table.codes(table.train), table.train_target, table.codes(table.test.iloc[:1])
    forest = Forest(100, root_of(table))
    models: list[tuple[str, str, Any, Any]] = [
        ("one tree", "Quercus", CARTClassifier(), row),
        ("one tree", "scikit-learn", DecisionTreeClassifier(random_state=0), row),
        ("100 trees", "Quercus", quercus_model(forest), row),
        ("100 trees", "scikit-learn", scikit_learn_model(forest), row),
    ]
    found = []
    for what, program, model, asked in models:
        model.fit(matrix, target)
        times = calls if program == "Quercus" or what == "one tree" else 100
        found.append(single_row_result(what, program, partial(model.predict, asked), times, "array of one row"))
    framed: pd.DataFrame = table.test.iloc[:1]
    model = CARTClassifier().fit(table.train, target)
    found.append(
        single_row_result("one tree", "Quercus, frame", lambda: model.predict(framed), calls, "frame of one row")
    )
    return found


def single_row_result(what: str, program: str, call: Callable[[], Any], calls: int, note: str) -> Result:
    """The least time of a call, by ten calls at a time."""
    call()
    wall = least(lambda: [call() for _ in range(10)], calls // 10) / 10
    return Result(f"one row, {what}", program, 1, wall, float("nan"), 0, float("nan"), calls, note)

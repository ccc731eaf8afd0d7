"""How fast one tree or a forest answers on tables of traits that are hard for it: wide, many classes, many levels.

The tables are made ones with those traits, and real ones where they are present. Peers are asked with the array of
codes that they want; Quercus with the frame as it is and, if there are numbers only, with the same array.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier as PeerForest
from sklearn.tree import DecisionTreeClassifier

from quercus import CARTClassifier, RandomForestClassifier

from . import data
from .cases import Sizes
from .clock import Contestant, Result, race
from .contestants import installed
from .forest_prediction import single_row_result

TREES = 20


def word_counts(rows: int = 8_000, columns: int = 2_000) -> data.Table:
    """Sparse counts in many columns, of which a tree asks some."""
    random = np.random.default_rng(0)
    rate = 2.0 / (1.0 + np.arange(columns)) ** 0.9
    topic, target = random.random((2, columns)), (random.random(rows) < 0.4).astype(np.int64)
    counts = random.poisson(rate * (0.6 + 0.8 * topic[target])).astype(np.float32)
    target = np.where(random.random(rows) < 0.08, 1 - target, target)
    return data.cut("word counts", pd.DataFrame(counts, columns=[f"w{j}" for j in range(columns)]), target)


def many_classes(rows: int = 50_000, classes: int = 128) -> data.Table:
    """Classes around centres in 20 columns."""
    random = np.random.default_rng(1)
    centre, target = random.normal(size=(classes, 20)), random.integers(0, classes, rows)
    cells = (centre[target] + 0.9 * random.normal(size=(rows, 20))).astype(np.float32)
    return data.cut(f"{classes} classes", pd.DataFrame(cells, columns=[f"x{j}" for j in range(20)]), target)


def connections(rows: int = 200_000, classes: int = 23) -> data.Table:
    """38 numeric columns, many of them counts, and 3 nominal ones; a few classes are most of the rows."""
    random = np.random.default_rng(2)
    share = 1.0 / (1.0 + np.arange(classes)) ** 2
    target = random.choice(classes, rows, p=share / share.sum())
    columns: dict[str, Any] = {}
    for j in range(38):
        shift = random.normal(size=classes) * (random.random(classes) < 0.4) * 3.0
        x = shift[target] + 0.7 * random.normal(size=rows)
        columns[f"n{j}"] = (np.maximum(np.round(10.0 * x), 0.0) if j % 3 else x).astype(np.float32)
    for j, levels in enumerate((3, 70, 11)):
        usual = random.integers(0, levels, classes)
        codes = np.where(random.random(rows) < 0.6, usual[target], random.integers(0, levels, rows))
        columns[f"c{j}"] = pd.Categorical.from_codes(codes, [f"v{k}" for k in range(levels)])
    return data.cut("connections", pd.DataFrame(columns), target)


def routes(rows: int = 400_000, levels: int = 3_300) -> data.Table:
    """One nominal column whose many levels follow Zipf's law, two with few, and numbers of few distinct values."""
    random = np.random.default_rng(3)
    share = 1.0 / (1.0 + np.arange(levels))
    route = random.choice(levels, rows, p=share / share.sum())
    hour, month = random.integers(0, 24, rows), random.integers(0, 12, rows)
    late = 0.15 + 0.02 * hour + 0.2 * random.random(levels)[route] + 0.1 * random.random((12, 24))[month, hour]
    frame = pd.DataFrame(
        {
            "route": pd.Categorical.from_codes(route, [f"r{k}" for k in range(levels)]),
            "month": pd.Categorical.from_codes(month, [f"m{k}" for k in range(12)]),
            "hour": hour.astype(np.float32),
            "distance": np.round(random.random(levels)[route] * 2_000.0).astype(np.float32),
        }
    )
    return data.cut(f"{levels:,} levels", frame, (random.random(rows) < late).astype(np.int64))


def onnx_call(model: Any, cells: np.ndarray, output: str) -> Callable[[], Any] | None:
    """scikit-learn's model in onnxruntime, on one thread; None if that is not installed."""
    if not (installed("onnxruntime") and installed("skl2onnx")):
        return None
    import onnxruntime
    from skl2onnx import to_onnx

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    made = to_onnx(model, cells[:1], options={"zipmap": False})
    session = onnxruntime.InferenceSession(made.SerializeToString(), options)
    return lambda: session.run([output], {"X": cells})[0]


def lightgbm_model(table: data.Table, forest: bool, nodes: int) -> Any:
    """LightGBM with about as many leaves."""
    import lightgbm

    classes = len(np.unique(table.train_target))
    leaves = nodes // (2 * (TREES if forest else 1)) // (1 if classes == 2 else classes)
    way: dict[str, Any] = {"boosting_type": "rf", "subsample": 0.63, "subsample_freq": 1} if forest else {}
    model = lightgbm.LGBMClassifier(
        n_estimators=TREES if forest else 1,
        num_leaves=min(max(2, leaves), 100_000),
        min_child_samples=1,
        min_child_weight=0.0,
        n_jobs=1,
        verbose=-1,
        **way,
    )
    return model.fit(table.codes(table.train), table.train_target)


def asked(table: data.Table, forest: bool, shares: bool, runs: int) -> list[Result]:
    """Labels or class shares of the held-out rows."""
    train, cells, target = table.codes(table.train), table.codes(table.test), table.train_target
    unknown = bool(np.isnan(train).any())
    ours = RandomForestClassifier(TREES, random_state=0, n_jobs=1) if forest else CARTClassifier(n_jobs=1)
    theirs = PeerForest(TREES, random_state=0, n_jobs=1) if forest else DecisionTreeClassifier(random_state=0)
    ours.fit(table.train, target)
    theirs.fit(train, target)
    held = ours.forest_ if forest else ours.tree_
    nodes, method = int(np.sum(held.n_nodes)), "predict_proba" if shares else "predict"
    calls: list[tuple[str, Callable[[], Any], int | None]] = [
        ("Quercus", partial(getattr(ours, method), table.test), int(held.nbytes))
    ]
    if not table.nominal:
        other = type(ours)(**ours.get_params()).fit(train, target)
        calls.append(("Quercus, array", partial(getattr(other, method), cells), None))
    calls.append(("scikit-learn", partial(getattr(theirs, method), cells), None))
    call = None if unknown else onnx_call(theirs, cells, "probabilities" if shares else "label")
    if call is not None:
        calls.append(("onnxruntime", call, None))
    if installed("lightgbm"):
        calls.append(("LightGBM", partial(getattr(lightgbm_model(table, forest, nodes), method), cells), None))

    def quality(answer: Any) -> float:
        answer = np.asarray(answer)
        return float(np.mean((answer.argmax(axis=1) if answer.ndim == 2 else answer) == table.test_target))

    field = [
        Contestant(who, call, lambda _: nodes, quality, model_bytes=size, held_out=len(table.test))
        for who, call, size in calls
    ]
    what = f"{'class shares' if shares else 'labels'} by {f'{TREES} trees' if forest else 'one tree'}"
    return race(f"predicting {what}: {table.name}, {len(table.test):,} rows × {cells.shape[1]}", field, runs)


def prediction(make: Callable[[], data.Table | None], forest: bool, shares: bool, sizes: Sizes) -> list[Result]:
    """One task; nothing if the table is not there."""
    table = make()
    return [] if table is None else asked(table, forest, shares, max(sizes.runs, 5))


def single_rows(sizes: Sizes, calls: int = 500) -> list[Result]:
    """One row at a time: known, with an unknown value, and as a frame of pandas or polars, numeric or mixed."""
    import polars

    found = []
    for rows in (2_000, 50_000, min(sizes.rows, 400_000)):
        table = data.numeric(max(rows, 2_000))
        matrix = table.codes(table.train).astype(np.float64)
        tree = CARTClassifier().fit(matrix, table.train_target)
        known, unknown = matrix[:1].copy(), matrix[:1].copy()
        unknown[0, tree.tree_.attribute[0]] = np.nan
        note = f"{tree.tree_.n_nodes:,} nodes"
        for what, row in (("array", known), ("array with an unknown value", unknown)):
            found.append(single_row_result(what, "Quercus", partial(tree.predict, row), calls, note))
    for table in (data.numeric(20_000), connections(20_000)):
        framed = CARTClassifier().fit(table.train, table.train_target)
        one = table.test.iloc[:1]
        columns = f"{one.shape[1]} columns, {len(table.nominal)} of them nominal"
        for what, row in (("pandas", one), ("polars", polars.from_pandas(one))):
            found.append(single_row_result(f"frame of {what}", "Quercus", partial(framed.predict, row), calls, columns))
    return found


TABLES: dict[str, Callable[[], data.Table | None]] = {
    "wide": word_counts,
    "classes": many_classes,
    "connections": connections,
    "levels": routes,
    "routes": partial(data.real, "flights_route"),
    "letter": partial(data.real, "letter"),
    "bank": partial(data.real, "bank"),
}
PREDICTION_CASES: dict[str, Callable[[Sizes], list[Result]]] = {
    "predict_single_row": single_rows,
    **{
        f"predict_{name}_{'forest' if forest else 'tree'}{'_shares' if shares else ''}": partial(
            prediction, make, forest, shares
        )
        for name, make in TABLES.items()
        for forest in (False, True)
        for shares in (False, True)
    },
}

"""How fast one tree answers frames of texts: from the texts themselves, and from ready codes.

Like is compared with like. From texts: scikit-learn's tree behind its OrdinalEncoder, and the same in onnxruntime, get
the same texts. From codes: the other programs get a matrix of codes; Quercus gets categoricals, or the same matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

from quercus import CARTClassifier

from . import data
from .cases import Sizes
from .clock import Contestant, Result, race
from .contestants import installed
from .prediction import connections, lightgbm_model, onnx_call, routes

Calls = dict[str, Callable[[], Any]]


def with_texts(table: data.Table, frame: pd.DataFrame, kind: str) -> pd.DataFrame:
    """The frame with texts in place of categories; kind: "object", or "str", which Arrow holds where it is there."""
    columns: dict[str, Any] = {}
    for name in frame:
        cells = frame[name]
        if name in table.nominal:
            texts = cells.astype(object).where(cells.notna(), None).to_numpy(dtype=object)
            columns[str(name)] = pd.Series(texts, dtype=kind)
        else:
            columns[str(name)] = cells
    return pd.DataFrame(columns)


def from_texts(table: data.Table) -> Calls:
    """Who answers the texts themselves."""
    import polars

    ours = CARTClassifier(n_jobs=1).fit(table.train, table.train_target)
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    tree = DecisionTreeClassifier(random_state=0)
    theirs = make_pipeline(make_column_transformer((encoder, table.nominal), remainder="passthrough"), tree)
    objects, arrow = (with_texts(table, table.test, kind) for kind in ("object", "str"))
    theirs.fit(with_texts(table, table.train, "object"), table.train_target)
    return {
        "Quercus": partial(ours.predict, objects),
        "Quercus, Arrow": partial(ours.predict, arrow),
        "Quercus, polars": partial(ours.predict, polars.from_pandas(arrow)),
        "scikit-learn": partial(theirs.predict, objects),
        **onnx_texts(table, theirs, objects),
    }


def onnx_texts(table: data.Table, model: Any, frame: pd.DataFrame) -> Calls:
    """scikit-learn's encoder and tree in onnxruntime, on one thread; nothing if that is not installed."""
    if not (installed("onnxruntime") and installed("skl2onnx")) or bool(frame.isna().any(axis=None)):
        return {}
    import onnxruntime
    from skl2onnx import to_onnx
    from skl2onnx.common.data_types import FloatTensorType, StringTensorType

    kinds = {name: StringTensorType if name in table.nominal else FloatTensorType for name in frame}
    types = [(name, kind([None, 1])) for name, kind in kinds.items()]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    made = to_onnx(model, initial_types=types, options={"zipmap": False})
    session = onnxruntime.InferenceSession(made.SerializeToString(), options)
    return {
        "onnxruntime": lambda: session.run(["label"], {name: frame[name].to_numpy().reshape(-1, 1) for name in frame})[
            0
        ]
    }


def from_codes(table: data.Table) -> Calls:
    """Who answers ready codes."""
    train, cells = table.codes(table.train), table.codes(table.test)
    framed = CARTClassifier(n_jobs=1).fit(table.train, table.train_target)
    nominal = {f"x{place}": "nominal" for place, name in enumerate(table.train) if name in table.nominal}
    coded = CARTClassifier(n_jobs=1, kinds=nominal).fit(train, table.train_target)
    theirs = DecisionTreeClassifier(random_state=0).fit(train, table.train_target)
    calls: Calls = {
        "Quercus": partial(framed.predict, table.test),
        "Quercus, array": partial(coded.predict, cells),
        "scikit-learn": partial(theirs.predict, cells),
    }
    call = None if np.isnan(train).any() else onnx_call(theirs, cells, "label")
    if call is not None:
        calls["onnxruntime"] = call
    if installed("lightgbm"):
        calls["LightGBM"] = partial(lightgbm_model(table, False, framed.tree_.n_nodes).predict, cells)
    return calls


def answered(make: Callable[[], data.Table | None], way: Callable[[data.Table], Calls], sizes: Sizes) -> list[Result]:
    """One task; nothing if the table is not there. Every call is made three times in a row, and the best one counts."""
    table = make()
    if table is None:
        return []
    nodes = CARTClassifier(n_jobs=1).fit(table.train, table.train_target).tree_.n_nodes

    def quality(answer: Any) -> float:
        return float(np.mean(np.asarray(answer) == table.test_target))

    field = [
        Contestant(who, call, lambda _: nodes, quality, held_out=len(table.test))
        for who, call in way(table).items()
        for _ in range(3)
    ]
    what = way.__name__.replace("_", " ")
    results = race(f"answers {what}: {table.name}, {len(table.test):,} rows", field, max(sizes.runs, 5))
    best: dict[str, Result] = {}
    for result in results:
        if result.program not in best or result.cpu < best[result.program].cpu:
            best[result.program] = result
    return list(best.values())


TABLES: dict[str, Callable[[], data.Table | None]] = {
    "bank": partial(data.real, "bank"),
    "taiwan": partial(data.real, "taiwan"),
    "adult": partial(data.real, "adult"),
    "flights": partial(data.real, "flights_route"),
    "connections": connections,
    "levels": routes,
    "few_values": partial(data.few_values, 200_000),
}
FRAME_CASES: dict[str, Callable[[Sizes], list[Result]]] = {
    f"predict_{way.__name__}_{name}": partial(answered, make, way)
    for way in (from_texts, from_codes)
    for name, make in TABLES.items()
}

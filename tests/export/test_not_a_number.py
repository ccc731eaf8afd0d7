"""NaN against NULL: in every engine that has both, both are unknown."""

from __future__ import annotations

from typing import Any

import pytest

from quercus import C45Classifier, CARTClassifier
from quercus.export import export, to_sql

X = {"x": [1.0, 2.0, 3.0, None, 4.0, None], "n": ["a", "b", "a", "b", "a", None]}
Y = ["p", "q", "p", "q", "q", "q"]
ROWS: list[tuple[Any, Any]] = [(float("nan"), "a"), (None, "a"), (1.0, None), (9.0, "b")]


@pytest.mark.parametrize("maker", [C45Classifier(prune=False, min_objects=1), CARTClassifier()], ids=["c45", "cart"])
def test_nan_and_null_are_unknown_alike(maker: Any) -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    model = maker.fit(X, Y)
    wanted = model.predict_proba({"x": [row[0] for row in ROWS], "n": [row[1] for row in ROWS]}).tolist()
    assert wanted[0] == wanted[1]
    base = duckdb.connect()
    base.execute("CREATE TABLE rows (id INTEGER, x DOUBLE, n VARCHAR)")
    base.executemany("INSERT INTO rows VALUES (?, ?, ?)", [(place, *row) for place, row in enumerate(ROWS)])
    found = sorted(base.execute(to_sql(model, dialect="duckdb", key="id")).fetchall())
    assert [list(line[2:]) for line in found] == wanted
    names: dict[str, Any] = {}
    exec(export(model, "python"), names)
    assert [names["predict_proba"]({"x": x, "n": n}) for x, n in ROWS] == wanted

"""Reports that the browser tests look at, each made once a process; ``drawn`` waits until one is drawn."""

from __future__ import annotations

import datetime as dt
from functools import cache
from typing import Any

import numpy as np

from quercus import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
from quercus.datasets import load_play_tennis
from quercus.report import collect_evidence, report_html

HOSTILE = '<img src=x onerror="alert(1)">'
ENDING = "</script><script>alert(2)</script>"


def drawn(page: Any) -> None:
    """Wait until the page has drawn what was asked for: it draws in the frame after, however long that takes."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


@cache
def play_tennis() -> str:
    """ID3 on PlayTennis with D15, whose subtree overfits."""
    X, y = load_play_tennis(d15=True)
    return report_html(ID3Classifier().fit(X, y), X=X, y=y, title="PlayTennis")


def mixed_table(n_rows: int = 400, seed: int = 0) -> tuple[dict[str, list[Any]], list[str]]:
    """Numbers, names, dates, truth values and unknown ones of every kind."""
    random = np.random.default_rng(seed)
    size = random.normal(50, 20, n_rows).round(1)
    soil = random.choice(["clay", "loam", "peat", "sand", "rock"], n_rows)
    wet = random.random(n_rows) < 0.5
    day = [dt.date(2024, 1, 1) + dt.timedelta(days=int(d)) for d in random.integers(0, 300, n_rows)]
    score = size / 30 + (soil == "clay") - (soil == "rock") + wet + np.array([d.month for d in day]) / 6
    label = np.array(["low", "middle", "high"])[np.digitize(score + random.normal(0, 0.5, n_rows), [2.7, 3.8])]
    hidden = random.random((4, n_rows)) < 0.12
    columns: dict[str, Any] = {"size": size, "soil": soil, "wet": wet, "day": day}
    table = {}
    for (name, column), gone in zip(columns.items(), hidden, strict=True):
        plain = [value.item() if hasattr(value, "item") else value for value in column]
        table[name] = [None if lost else value for value, lost in zip(plain, gone, strict=True)]
    return table, label.tolist()


MODELS: dict[str, Any] = {
    "c45": lambda: C45Classifier(prune=False),
    "c45 pruned": lambda: C45Classifier(prune="reduced_error", smoothing="laplace"),
    "c45 groups": lambda: C45Classifier(value_groups=True, prune=False),
    "id3": lambda: ID3Classifier(missing="own_value", max_depth=4),
    "cart": lambda: CARTClassifier(prune="cost_complexity", smoothing=("m", 5.0)),
    "cart surrogates": lambda: CARTClassifier(missing="surrogate", max_depth=6),
    "cart costs": lambda: CARTClassifier(max_depth=5, cost_matrix=[[0, 1, 5], [2, 0, 1], [9, 1, 0]]),
}


@cache
def many_nodes() -> str:
    """A tree of some 10,000 nodes, grown on noise."""
    random = np.random.default_rng(3)
    table = {f"attribute {i}": random.random(16_000).round(4) for i in range(8)}
    labels = random.choice(["alpha", "beta", "gamma"], 16_000)
    model = CARTClassifier().fit(table, labels)
    assert model.tree_.n_nodes >= 10_000
    return report_html(model, evidence=collect_evidence(model, table, labels, trace=5), title="Many nodes")


@cache
def regression() -> str:
    """A regression tree with test rows."""
    random = np.random.default_rng(5)
    X = {"x": random.random(300).round(3), "kind": random.choice(["a", "b"], 300)}
    y = np.sin(6 * X["x"]) + (X["kind"] == "a") + random.normal(0, 0.1, 300)
    model = CARTRegressor(min_samples_leaf=10).fit(X, y)
    return report_html(model, X=X, y=y, test=(X, y), title="Regression")


@cache
def hostile() -> str:
    """Names, values, classes and a title that would be markup if they were not escaped."""
    X = {
        HOSTILE: [HOSTILE, ENDING, "b", "b", HOSTILE, "b", ENDING, "b"],
        "2 &lt; <b>3</b> \u2028\u202e": [1, 2, 3, 4, 5, 6, 7, 8],
        ENDING: [3, 1, 2, 5, 4, 8, 7, 6],
    }
    y = [HOSTILE, ENDING, "plain & simple", HOSTILE, ENDING, HOSTILE, "plain & simple", ENDING]
    model = CARTClassifier().fit(X, y)
    provenance = {
        "data": {"name": HOSTILE, "fingerprint": ENDING},
        "options": {HOSTILE: ENDING},
        "command": HOSTILE,
        "created": ENDING,
    }
    return report_html(model, X=X, y=y, test=(X, y), provenance=provenance, title=HOSTILE + ENDING)

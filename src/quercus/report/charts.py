"""The charts of a report: from the model and its evidence to pictures, drawn by quercus.draw."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from quercus.data.values import value_from_json
from quercus.draw.answer_charts import MOST_CLASSES, confusion_chart, reliability_chart
from quercus.draw.chart import Chart
from quercus.draw.curve_charts import alpha_chart, reduced_error_effect, size_curve, trees_chart
from quercus.draw.measure_charts import importance_chart
from quercus.forests.importance import IMPURITY_NOTE
from quercus.pruning.curves import Curve
from quercus.report.quality import measured_set
from quercus.report.subject import Subject


def chart_pictures(subject: Subject, evidence: Mapping[str, Any]) -> list[dict[str, str]]:
    """The SVG text, in light and in dark, and the caption of every chart that the evidence allows."""
    return [
        {"light": chart.to_svg(theme="light"), "dark": chart.to_svg(theme="dark"), "caption": caption}
        for chart, caption in _charts(subject, evidence)
    ]


def _charts(subject: Subject, evidence: Mapping[str, Any]) -> Iterator[tuple[Chart, str]]:
    growing = _curve((evidence.get("curves") or {}).get("growing"))
    if growing is not None and len(growing) > 1:
        words = "Training accuracy rises with every question; on other rows it falls at last: overfitting."
        if not growing.title.startswith("accuracy"):
            measure = "cost" if growing.title.startswith("mean cost") else "error"
            words = f"Training {measure} falls with every question; on other rows it rises at last: overfitting."
        yield size_curve(growing, title="Size of the tree while it grows"), words
        pruning = _pruning_curve(evidence)
        if pruning is not None:
            yield reduced_error_effect(growing, pruning), "Pruning walks the curve back, cut by cut."
    if subject.curve is not None and len(subject.curve) > 1:
        yield trees_chart(subject.curve), "More members lower the error, until it stays: further ones bring nothing."
    if subject.model.alpha_table is not None:
        yield alpha_chart(subject.model.alpha_table), "The price α of a leaf, chosen by cross-validation."
    if subject.importances and any(subject.importances.values()):
        whole = "all trees’" if subject.model.answers_by == "members" else "the whole tree's"
        words = f"Weight times gain of an attribute's questions, as a share of {whole}. {IMPURITY_NOTE}"
        yield importance_chart(subject.importances), words
    yield from _answer_charts(evidence)


def _answer_charts(evidence: Mapping[str, Any]) -> Iterator[tuple[Chart, str]]:
    """Confusion and reliability, on the rows that say most about new ones."""
    chosen = measured_set(evidence)
    if chosen is None or not chosen[1].get("confusion"):
        return
    name, scores = chosen
    classes = [value_from_json(label) for label in scores["classes"]]
    if len(classes) <= MOST_CLASSES:
        yield confusion_chart(scores["confusion"], classes), f"On the {name} rows: true classes by answers."
    if scores.get("calibration"):
        words = f"On the {name} rows: on the diagonal, a probability means what it says."
        yield reliability_chart(scores["calibration"]), words


def _curve(data: Mapping[str, Any] | None) -> Curve | None:
    if not data:
        return None
    return Curve(str(data["title"]), {name: np.array(column, dtype=float) for name, column in data["columns"].items()})


def _pruning_curve(evidence: Mapping[str, Any]) -> Curve | None:
    """The walk of reduced-error pruning, if the model was pruned so, cut by cut."""
    pruning = evidence.get("pruning") or {}
    for walk in pruning.get("walks", ()):
        if walk["method"] == "reduced_error" and walk["n_steps"] > 2 and walk["sets"]:
            columns = {"leaves": walk["leaves"], **walk["sets"]}
            measure = pruning["measure"] if pruning["measure"] in ("accuracy", "mean cost") else "error"
            return _curve({"title": f"{measure} while pruning", "columns": columns})
    return None

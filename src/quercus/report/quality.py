"""The quality of a model in a report: its scores on every set of rows, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from quercus.data.names import quoted_value, short_number, significant
from quercus.data.values import value_from_json, value_text
from quercus.evaluation.class_scores import beside_constant

_SETS = {"train": "training", "out_of_bag": "out-of-bag", "validation": "validation", "test": "test"}
#: Scores by key: name, and whether they are shares.
_MEASURES = {
    "accuracy": ("accuracy", True),
    "r2": ("R²", False),
    "rmse": ("root mean squared error", False),
    "mae": ("mean absolute error", False),
    "pinball_loss": ("pinball loss", False),
    "coverage": ("coverage of the range", True),
    "width": ("mean width of the range", False),
    "mean_cost": ("mean cost", False),
    "log_loss": ("log loss", False),
    "brier": ("Brier score", False),
    "auc": ("ROC AUC", False),
    "test_cost": ("cost of the tests for an answer", False),
}
#: Classes shown of many.
MOST_CLASSES = 50


def score_sets(evidence: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The scores of each set of rows, as ``ClassScores.to_dict`` and ``NumberScores.to_dict`` give them."""
    evaluation = evidence.get("evaluation") or {}
    return {name: evaluation[key] for key, name in _SETS.items() if isinstance(evaluation.get(key), Mapping)}


def measured_set(evidence: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]] | None:
    """The set that says most about new rows: test, else validation, else out-of-bag, else training."""
    sets = score_sets(evidence)
    return next(((name, sets[name]) for name in reversed(_SETS.values()) if name in sets), None)


def measure_table(evidence: Mapping[str, Any]) -> dict[str, Any] | None:
    """A line for each score, a column for each set of rows.

    >>> measure_table({"evaluation": {"test": {"rows": 5, "accuracy": 0.8, "low": 0.38, "high": 0.96}}})["rows"]
    [('rows', ['5']), ('accuracy', ['80.0 % (38.0–96.0)'])]
    """
    sets = score_sets(evidence)
    if not sets:
        return None
    rows = [("rows", [f"{scores['rows']:,}" for scores in sets.values()])]
    for key, (name, share) in _MEASURES.items():
        if any(scores.get(key) is not None for scores in sets.values()):
            text = _accuracy if key == "accuracy" else cost_text if key == "mean_cost" else partial(_score, key, share)
            rows.append((name, [text(scores) for scores in sets.values()]))
        if key == "accuracy" and any(scores.get("baseline") is not None for scores in sets.values()) and len(rows) > 1:
            rows.append(("always the largest class", [_share(scores.get("baseline")) for scores in sets.values()]))
    return {"sets": list(sets), "rows": [row for row in rows if any(cell != "–" for cell in row[1])]}


def class_table(evidence: Mapping[str, Any]) -> dict[str, Any] | None:
    """Precision, recall, F1 and support of each class, on the set that says most."""
    chosen = measured_set(evidence)
    if chosen is None or not chosen[1].get("per_class"):
        return None
    name, scores = chosen
    rows = []
    for row in scores["per_class"][:MOST_CLASSES]:
        shares = [_share(row.get(key)) for key in ("precision", "recall", "f1")]
        rows.append((quoted_value(value_from_json(row["class"])), [*shares, short_number(row["support"])]))
    return {"set": name, "rows": rows}


def _accuracy(scores: Mapping[str, Any]) -> str:
    if scores.get("low") is None or scores.get("high") is None:
        return _share(scores.get("accuracy"))
    return f"{_share(scores.get('accuracy'))} ({100 * scores['low']:.1f}–{100 * scores['high']:.1f})"


def _share(number: float | None) -> str:
    return "–" if number is None else f"{100 * number:.1f} %"


def _score(key: str, share: bool, scores: Mapping[str, Any]) -> str:
    return _share(scores.get(key)) if share else _number(scores.get(key))


def cost_text(scores: Mapping[str, Any]) -> str:
    """The mean cost beside that of the cheapest constant answer, if the evidence has it."""
    cost, cheapest = scores.get("mean_cost"), scores.get("cheapest_cost")
    if cost is None or cheapest is None:
        return _number(cost)
    return beside_constant(cost, value_text(value_from_json(scores["cheapest"])), cheapest)


def _number(number: float | None) -> str:
    return "–" if number is None else significant(number)

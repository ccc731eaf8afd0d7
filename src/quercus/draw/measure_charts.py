"""Charts of measures: the entropy curve, the gains of a node's candidates, the importances of attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from quercus.draw.chart import Axis, Bars, Chart, Colour, ErrorBars, Line, Mark, Style
from quercus.errors import ParameterError, choice_message
from quercus.measures.entropy import entropy_of_rows
from quercus.measures.gini import gini_of_rows
from quercus.measures.misclassification import misclassification_of_rows
from quercus.tree.names import listed, quoted_name, significant

_STATUS: dict[str, tuple[str, Colour]] = {"chosen": ("chosen", 0), "tied": ("tied with it", 1)}


def entropy_curve(points: int = 201) -> Chart:
    """Entropy, Gini index and misclassification error of two classes against the share of one of them.

    >>> chart = entropy_curve()
    >>> [(mark.name, round(max(mark.y), 3)) for mark in chart.marks]
    [('entropy', 1.0), ('Gini index', 0.5), ('misclassification error', 0.5)]
    """
    if points < 3:
        raise ParameterError(f"points is {points}, but must be at least 3.")
    share = np.linspace(0.0, 1.0, points)
    table = np.column_stack([share, 1.0 - share])
    measures: tuple[tuple[str, Any, int, Style], ...] = (
        ("entropy", entropy_of_rows, 0, "solid"),
        ("Gini index", gini_of_rows, 1, "dashed"),
        ("misclassification error", misclassification_of_rows, 2, "dotted"),
    )
    marks = tuple(
        Line(tuple(share.tolist()), tuple(np.asarray(measure(table)).tolist()), name, colour, style)
        for name, measure, colour, style in measures
    )
    return Chart(
        "Impurity of two classes", Axis("share of the first class", limits=(0.0, 1.0)), Axis("impurity"), marks
    )


def gains_chart(node: Mapping[str, Any], measure: str = "gain", *, limit: int = 20) -> Chart:
    """The candidates of one node as bars, the best first: what the winner won by.

    node: one of the ``nodes`` of a trace's ``to_dict()``. measure: "gain", "worth" (what was compared), or
    "split_information". limit: bars at most.

    >>> candidates = [{"attribute": "Outlook", "test": "Outlook", "gain": 0.247, "status": "chosen"},
    ...               {"attribute": "Wind", "test": "Wind", "gain": 0.048, "status": "lost"}]
    >>> gains_chart({"node": 0, "candidates": candidates}).y.names
    ('Outlook', 'Wind')
    """
    if measure not in ("gain", "worth", "split_information"):
        raise ParameterError(choice_message("measure", measure, ("gain", "worth", "split_information")))
    found = [candidate for candidate in node["candidates"] if candidate.get(measure) is not None]
    found.sort(key=lambda candidate: -float(candidate[measure]))
    shown = found[:limit]
    names = tuple(str(candidate.get("test") or candidate["attribute"]) for candidate in shown)
    left = f"{len(found) - limit} more candidates are not shown" if len(found) > limit else ""
    groups: dict[tuple[str, Colour], list[int]] = {}
    for place, candidate in enumerate(shown):
        groups.setdefault(_STATUS.get(str(candidate.get("status")), ("other candidates", 7)), []).append(place)
    marks = [
        _bars(places, [float(shown[place][measure]) for place in places], name, colour)
        for (name, colour), places in groups.items()
    ]
    words = measure.replace("_", " ")
    return _row_chart(f"Candidates of node {node.get('node', 0)} by {words}", words, names, marks, left)


def importance_chart(
    importances: Mapping[str, float],
    *,
    intervals: Mapping[str, tuple[float, float]] | None = None,
    words: str = "interval",
    limit: int = 20,
    title: str = "Importance of the attributes",
) -> Chart:
    """How much each attribute brings, as bars, the most important first.

    importances: by name of the attribute. intervals: the ends of the interval around each, drawn over the bars, and
    called by these words. limit: bars at most; the others are summed up in the note.

    >>> importance_chart({"Wind": 0.2, "Outlook": 0.8}).y.names
    ('Outlook', 'Wind')
    """
    order = sorted(importances, key=lambda name: -float(importances[name]))
    shown, rest = order[:limit], order[limit:]
    names = tuple(quoted_name(name) for name in shown)
    together = sum(float(importances[name]) for name in rest)
    left = (
        f"not shown: {listed(map(quoted_name, rest), len(rest), 3)}, together {significant(together, 3)}"
        if rest
        else ""
    )
    lengths = [float(importances[name]) for name in shown]
    marks = [_bars(range(len(shown)), lengths, "", 0, numbers=intervals is None)]
    if intervals is not None:
        low, high = zip(*(intervals[name] for name in shown), strict=True)
        marks.append(ErrorBars(tuple(map(float, range(len(shown)))), low, high, words, "ink", horizontal=True))
    return _row_chart(title, "importance", names, marks, left)


def _bars(places: Any, lengths: list[float], name: str, colour: Colour, numbers: bool = True) -> Mark:
    texts = tuple(significant(length, 3) for length in lengths) if numbers else ()
    return Bars(tuple(float(place) for place in places), tuple(lengths), name, colour, texts, horizontal=True)


def _row_chart(title: str, label: str, names: tuple[str, ...], marks: list[Mark], note: str) -> Chart:
    rows = Axis("", "categories", names=names, downwards=True)
    return Chart(title, Axis(label), rows, tuple(marks), note, height=max(150.0, 110.0 + 26.0 * len(names)))

"""Charts of measures: entropies, the gains of a node's candidates, importances of attributes, bias and variance."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from quercus.criteria import entropy_of_rows, gini_of_rows, misclassification_of_rows
from quercus.data.names import listed, quoted_name, significant
from quercus.draw.chart import Axis, Bars, Chart, Colour, ErrorBars, Line, Mark, Style
from quercus.errors import ParameterError, choice_message
from quercus.explain.importance import Importances
from quercus.forests.importance import Importance
from quercus.measures.counts import as_table
from quercus.measures.entropy import entropy, mutual_information

_STATUS: dict[str, tuple[str, Colour]] = {"chosen": ("chosen", 0), "tied": ("tied with it", 1)}


def entropy_curve(points: int = 201) -> Chart:
    """Entropy, Gini index and misclassification error of two classes against the share of one of them.

    points: how many points of each curve are computed.

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


def entropy_diagram(joint: ArrayLike, x: str = "X", y: str = "Y", *, base: float = 2.0) -> Chart:
    """Entropies of two things as bars one below the other, so placed that they add up: what each tells of the other.

    joint: table of counts or probabilities, a row for each value of the first, a column for each of the second. x, y:
    their names. base: of the logarithm; 2 gives bits, ``math.e`` nats.

    >>> chart = entropy_diagram([[24, 1], [25, 50]], "rain", "clouds")
    >>> for name, bar in zip(chart.y.names, chart.marks):
    ...     print(f"{name:<17} {bar.base:.2f} … {bar.length[0]:.2f}")
    H(rain, clouds)   0.00 … 1.56
    H(rain)           0.00 … 0.81
    H(clouds)         0.56 … 1.56
    H(rain | clouds)  0.00 … 0.56
    I(rain; clouds)   0.56 … 0.81
    H(clouds | rain)  0.81 … 1.56
    """
    table = as_table(joint, "joint")
    first, second = entropy(table.sum(axis=1), base=base), entropy(table.sum(axis=0), base=base)
    shared = mutual_information(table, base=base)
    whole, left = first + second - shared, first - shared
    rows: tuple[tuple[str, float, float, Colour], ...] = (
        (f"H({x}, {y})", 0.0, whole, 7),
        (f"H({x})", 0.0, first, 0),
        (f"H({y})", left, whole, 1),
        (f"H({x} | {y})", 0.0, left, 0),
        (f"I({x}; {y})", left, first, 2),
        (f"H({y} | {x})", first, whole, 1),
    )
    marks = [
        Bars((float(place),), (end,), "", colour, (f"{end - start:.3f}",), horizontal=True, base=start)
        for place, (_, start, end, colour) in enumerate(rows)
    ]
    unit = "bits" if base == 2 else "nats" if base == math.e else f"logarithms of base {base:g}"
    note = "I is the part that both have: what each of them tells of the other"
    return _row_chart(f"What {x} and {y} tell of each other", unit, tuple(row[0] for row in rows), list(marks), note)


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
    candidates = [candidate for candidate in node["candidates"] if candidate.get(measure) is not None]
    candidates.sort(key=lambda candidate: -float(candidate[measure]))
    shown = candidates[:limit]
    names = tuple(str(candidate.get("test") or candidate["attribute"]) for candidate in shown)
    left = f"{len(candidates) - limit} more candidates are not shown" if len(candidates) > limit else ""
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
    importances: Mapping[str, float] | Importance | Importances,
    *,
    intervals: Mapping[str, tuple[float, float]] | None = None,
    words: str = "interval",
    limit: int = 20,
    title: str | None = None,
) -> Chart:
    """How much each attribute brings, as bars, the most important first.

    importances: what :func:`quercus.importance` or a function of ``quercus.explain`` gives, with its own intervals and
    title; or numbers by name of the attribute. intervals: the ends of the interval around each, drawn over the bars.
    words: what they are called in the picture. limit: bars at most; the others are summed up in the note.

    >>> importance_chart({"Wind": 0.2, "Outlook": 0.8}).y.names
    ('Outlook', 'Wind')
    """
    note = ""
    if isinstance(importances, Importance):
        measured = importances
        importances, intervals = dict(zip(measured.names, measured.values.tolist(), strict=True)), measured.intervals
        words, note = f"{100 * measured.level:g} % interval, over {measured.about}", measured.note
        title = title or measured.title[:1].upper() + measured.title[1:]
    elif isinstance(importances, Importances):
        title = title or f"Importance by {importances.kind}"
        importances = dict(zip(importances.attributes, importances.values, strict=True))
    return _importance_bars(importances, intervals, words, limit, title or "Importance of the attributes", note)


def _importance_bars(
    importances: Mapping[str, float],
    intervals: Mapping[str, tuple[float, float]] | None,
    words: str,
    limit: int,
    title: str,
    note: str,
) -> Chart:
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
    return _row_chart(title, "importance", names, marks, "; ".join(filter(None, [left, note])))


def bias_variance_chart(models: Mapping[str, Any], *, title: str = "Bias and variance") -> Chart:
    """The error of several models as bars of two parts: bias, and what variance adds to it.

    models: by name, each with ``bias``, ``variance``, ``lucky``, ``error`` and ``measure``, as
    :func:`quercus.evaluation.stability` gives them; all of one measure.

    >>> from types import SimpleNamespace
    >>> stump = SimpleNamespace(bias=0.3, variance=0.05, lucky=0.03, error=0.32, measure="error")
    >>> chart = bias_variance_chart({"one question": stump})
    >>> [(mark.name, mark.base, round(mark.length[0], 2)) for mark in chart.marks]
    [('bias', 0.0, 0.3), ('variance', 0.3, 0.32)]
    """
    measures = {str(model.measure) for model in models.values()}
    if len(measures) != 1:
        raise ParameterError(f"models must be at least one, all of the same measure, but there are {sorted(measures)}.")
    squared = "" if measures == {"error"} else "²"
    marks: list[Mark] = []
    for place, model in enumerate(models.values()):
        at, bias, error = (float(place),), float(model.bias), float(model.error)
        texts = (significant(error, 3),)
        marks.append(Bars(at, (bias,), f"bias{squared}", 0, texts if error < bias else (), horizontal=True))
        # luck may outweigh variance: then the error is less than the bias, and the bar lies on the end of that
        marks.append(
            Bars(at, (max(bias, error),), "variance", 1, texts if error >= bias else (), True, 0.7, min(bias, error))
        )
    note = "A bar is the error of a model: its bias, and what variance adds"
    return _row_chart(title, measures.pop(), tuple(models), marks, note)


def _bars(places: Any, lengths: list[float], name: str, colour: Colour, numbers: bool = True) -> Mark:
    texts = tuple(significant(length, 3) for length in lengths) if numbers else ()
    return Bars(tuple(float(place) for place in places), tuple(lengths), name, colour, texts, horizontal=True)


def _row_chart(title: str, label: str, names: tuple[str, ...], marks: list[Mark], note: str) -> Chart:
    rows = Axis("", "categories", names=names, downwards=True)
    return Chart(title, Axis(label), rows, tuple(marks), note, height=max(150.0, 110.0 + 26.0 * len(names)))

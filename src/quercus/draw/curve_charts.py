"""Charts of curves: accuracy against size and against examples, reduced-error pruning, the table of alphas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from quercus.data.names import counted, significant
from quercus.draw.chart import Axis, Band, Chart, Colour, ErrorBars, Line, Mark, Points, Reference, Style
from quercus.errors import ParameterError, choice_message
from quercus.pruning.alpha_table import CVTable, chosen_place
from quercus.pruning.curves import Curve

_SIZES = ("leaves", "nodes", "depth", "cuts", "alpha", "examples")
_WORDS = {
    "leaves": "leaves of the tree",
    "nodes": "nodes of the tree",
    "cuts": "cuts",
    "alpha": "α",
    "examples": "training examples",
}
_COLOURS: dict[str, Colour] = {"training": 1, "train": 1, "validation": 2, "test": 0}
_STYLES: dict[str, Style] = {"training": "dashed", "train": "dashed", "validation": "dotted"}


def size_curve(curve: Curve, x: str | None = None, *, log: bool | None = None, title: str | None = None) -> Chart:
    """Accuracy (or error) on every set of rows against the size of the tree.

    curve: of ``growing_curve`` or ``pruning_curve``. x: the column to draw against, the number of leaves unless given.
    log: of the horizontal axis; by default if the sizes go over more than a factor of 50.

    >>> curve = Curve("accuracy while growing", {"leaves": np.array([1, 2, 3]), "test": np.array([0.6, 0.8, 0.7])})
    >>> chart = size_curve(curve)
    >>> chart.x.label, chart.y.label, [mark.name for mark in chart.marks]
    ('leaves of the tree', 'accuracy', ['test'])
    """
    column = x or next((name for name in _SIZES if name in curve.columns), next(iter(curve.columns)))
    sizes = np.asarray(curve[column], dtype=np.float64)
    marks = _lines(curve, sizes, _sets(curve, column))
    words = title or curve.title[:1].upper() + curve.title[1:]
    return Chart(words, _size_axis(column, sizes, log), Axis(_measure(curve)), tuple(marks))


def trees_chart(curve: Curve, *beside: Curve) -> Chart:
    """The error of a forest, or another collection, after so many of its members.

    curve, beside: ``oob_curve_``, ``boosting_curve_`` or ``curve(…)`` of a fitted collection. A set of rows that stands
    in several is drawn from the last of them.

    >>> error = {"trees": np.array([1, 2]), "error": np.array([0.2, 0.1]), "answered": np.array([0.4, 0.6])}
    >>> unseen = Curve("out-of-bag error against the number of trees", error)
    >>> test = Curve("error against the number of trees", {"trees": np.array([2]), "test": np.array([0.15])})
    >>> [mark.name for mark in trees_chart(unseen, test).marks], trees_chart(unseen).title
    (['out of the bag', 'test'], 'Out-of-bag error against the number of trees')
    """
    unseen = "out of the bag"
    names = {"error": unseen, "mean cost": unseen, "training error": "training", "held-out error": "validation"}
    lines: dict[str, Line] = {}
    for one in (curve, *beside):
        columns = {names.get(name, name): column for name, column in one.columns.items() if name != "answered"}
        sets = tuple(name for name in columns if name != "trees")
        lines |= {line.name: line for line in _lines(Curve(one.title, columns), one["trees"], sets)}
    if beside and "out of the bag" in lines:  # told apart without colours, too
        lines["out of the bag"] = replace(lines["out of the bag"], style="dotted")
    title = f"{_measure(curve)} against the number of trees" if beside else curve.title
    sizes = np.concatenate([one["trees"] for one in (curve, *beside)])
    words = title[:1].upper() + title[1:]
    return Chart(words, _size_axis("trees", sizes, False), Axis(_measure(curve)), tuple(lines.values()))


def reduced_error_effect(
    growing: Curve, pruning: Curve, *, log: bool | None = None, title: str = "Effect of reduced-error pruning"
) -> Chart:
    """What pruning does to the curve of a tree: the sets while it grew, and again while it was pruned.

    growing: of ``growing_curve`` on the sets to show. pruning: of ``pruning_curve`` on the result of ``reduced_error``,
    with some of the same sets. log: as in :func:`size_curve`.

    The same colour is the same set; thin dashes lead from the whole tree back.
    """
    sizes, back = (np.asarray(curve["leaves"], dtype=np.float64) for curve in (growing, pruning))
    marks: list[Mark] = []
    for place, name in enumerate(_sets(growing, "leaves")):
        marks.append(Line(_floats(sizes), _floats(growing[name]), f"{name}, while growing", _colour(name, place)))
    for place, name in enumerate(_sets(pruning, "leaves")):
        colour = _colour(name, place)
        marks.append(Line(_floats(back), _floats(pruning[name]), f"{name}, while pruning", colour, "dashed"))
        marks.append(Points(_floats(back[-1:]), _floats(pruning[name][-1:]), "", colour, 5.0))
    end = float(back[-1])
    marks.append(Reference(end, "x", f"after pruning: {counted(int(end), 'leaf', 'leaves')}", "dotted"))
    both = np.concatenate([sizes, back])
    return Chart(title, _size_axis("leaves", both, log), Axis(_measure(growing)), tuple(marks))


def learning_chart(curve: Curve, *, title: str = "Learning curve") -> Chart:
    """Accuracy (or error) against the number of training examples, with the spread of the draws.

    curve: of ``learning_curve``.
    """
    sizes = np.asarray(curve["examples"], dtype=np.float64)
    marks: list[Mark] = []
    if "test spread" in curve.columns:
        test, spread = np.asarray(curve["test"]), np.asarray(curve["test spread"])
        band = _floats(test - spread), _floats(test + spread)
        marks.append(Band(_floats(sizes), *band, "test, ± one standard deviation of the draws", _colour("test", 0)))
    marks += _lines(curve, sizes, ("training", "test"), markers=True)
    return Chart(title, _size_axis("examples", sizes, False), Axis(_measure(curve)), tuple(marks))


def alpha_chart(table: CVTable, *, title: str | None = None) -> Chart:
    """The table of alphas: the error of every tree of the path, ± one standard error, and the line of the 1-SE rule.

    table: of ``cross_validated_alphas``. The trees stand side by side, the largest first, with leaves and α below. With
    costs of mistakes the error is the mean cost.
    """
    places = tuple(range(len(table)))
    error, spread = np.asarray(table.cv_error), np.asarray(table.standard_error)
    least, chosen = (chosen_place(error, spread, rule) for rule in ("min", "1se"))
    names = tuple(
        f"{int(leaves):,}\n{significant(float(alpha), 2)}"
        for leaves, alpha in zip(table.path.n_leaves, table.path.alphas, strict=True)
    )
    marks = (
        Line(places, _floats(table.training_error), "training", 1, "dashed"),
        ErrorBars(places, _floats(error - spread), _floats(error + spread), "± one standard error", 0),
        Line(places, _floats(error), f"cross-validated, {len(table.fold_paths)} folds", 0, markers=True),
        Reference(float(error[least] + spread[least]), "y", f"least {table.measure} + one standard error"),
        Points((least,), _floats(error[least : least + 1]), f"least {table.measure}", 2, 6.5),
        Points((chosen,), _floats(error[chosen : chosen + 1]), "1-SE rule: smallest tree below the line", 3, 6.5),
    )
    words = "leaves, and α below" if len(table) <= 24 else "leaves, and α below (some left out)"
    share = f"{table.measure} (1 = root alone)" if table.root_error > 0 else table.measure
    title = title or f"Cross-validated {table.measure} of cost-complexity pruning"
    return Chart(title, Axis(words, "categories", names=names), Axis(share), marks)


def _floats(values: Any) -> tuple[float, ...]:
    return tuple(np.asarray(values, dtype=np.float64).tolist())


def _colour(name: str, place: int) -> Colour:
    return _COLOURS.get(name, place + 3)


def _sets(curve: Curve, column: str) -> tuple[str, ...]:
    """The columns that are measured on rows."""
    names = tuple(name for name in curve.columns if name not in _SIZES and name != column and name != "test spread")
    if not names:
        raise ParameterError(choice_message("The column to draw", column, tuple(curve.columns)))
    return names


def _lines(curve: Curve, sizes: Any, names: Sequence[str], markers: bool = False) -> list[Line]:
    many = markers and len(curve) <= 30
    return [
        Line(_floats(sizes), _floats(curve[name]), name, _colour(name, place), _STYLES.get(name, "solid"), many)
        for place, name in enumerate(names)
    ]


def _size_axis(column: str, sizes: Any, log: bool | None) -> Axis:
    positive = bool(len(sizes)) and float(sizes.min()) > 0
    wide = positive and float(sizes.max()) > 50 * float(sizes.min())
    if log and not positive:
        raise ParameterError(f"log=True needs values above 0, but {column!r} has {float(sizes.min()):g}.")
    return Axis(_WORDS.get(column, column), "log" if log or (log is None and wide) else "linear")


def _measure(curve: Curve) -> str:
    """What a curve's title begins or ends with: accuracy, mean cost or error."""
    return next((name for name in ("accuracy", "mean cost", "error") if name in curve.title), "score")

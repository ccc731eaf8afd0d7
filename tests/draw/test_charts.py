"""Charts: each is made from the library's values and drawn by both renderers, whatever the names."""

from __future__ import annotations

import math
import sys
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quercus.data import encode, encode_classes
from quercus.draw import (
    Chart,
    alpha_chart,
    class_regions,
    confusion_chart,
    entropy_curve,
    entropy_diagram,
    gains_chart,
    importance_chart,
    learning_chart,
    reduced_error_effect,
    reliability_chart,
    size_curve,
)
from quercus.draw.chart import Axis, Band, Bars, Cells, ErrorBars, Line, Points, Reference, Regions
from quercus.draw.scale import Ruler, axis_limits, ticks
from quercus.errors import DataError, DependencyError, ParameterError
from quercus.growing.cart import cart_recipe
from quercus.growing.grow import grow
from quercus.pruning.alpha_table import cross_validated_alphas
from quercus.pruning.curves import growing_curve, learning_curve, pruning_curve
from quercus.pruning.reduced_error import reduced_error

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '<img src=x onerror="alert(1)"> $x^{$'


def noisy(seed: int, size: int) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    x = random.random((size, 2))
    yes = (x[:, 0] > 0.5) ^ (random.random(size) < 0.15)
    return encode({"x": x[:, 0], "y": x[:, 1]}), encode_classes(np.where(yes, "Yes", "No"))


def grown(data: Any, target: Any, weights: Any = None) -> Any:
    return grow(data, target, cart_recipe(), weights=weights)


def all_charts() -> dict[str, Chart]:
    train, validation, test = noisy(0, 120), noisy(1, 60), noisy(2, 60)
    tree = grown(*train)
    curve = growing_curve(tree, {"training": train, "validation": validation, "test": test})
    pruned = reduced_error(tree, *validation)
    marks = (
        Band((1, 2), (0, 1), (2, 3), HOSTILE, 9),
        Points((1, 2), (1, math.nan), "points", "ink"),
        Bars((1.5,), (2.0,), "bar", "muted", (HOSTILE,)),
        ErrorBars((1,), (0.5,), (1.5,), "error", "ink"),
        ErrorBars((1,), (0.5,), (1.5,), "level error", 2, horizontal=True),
        Line((1, 2, 3), (1, 2, math.inf), "steps", 3, step=True, markers=True),
        Regions(((1, 2, 0, 1),), (0.5,), "region", 17),
        *(Reference(1.0, axis, f"at {axis}") for axis in ("x", "y", "diagonal")),
    )
    trace = {
        "node": 0,
        "candidates": [
            {"attribute": HOSTILE, "test": HOSTILE, "gain": 0.2, "worth": 0.1, "status": "chosen"},
            {"attribute": "b", "test": "b", "gain": 0.2, "worth": None, "status": "tied"},
            {"attribute": "c", "test": "c <= 5", "gain": 0.0, "worth": 0.0, "status": "lost"},
        ],
    }
    bins = [
        {"low": i / 4, "high": i / 4 + 0.25, "predicted": i / 4 + 0.1, "observed": i / 4, "weight": i} for i in range(4)
    ]
    return {
        "entropy": entropy_curve(),
        "entropies": entropy_diagram([[24, 1], [25, 50]], HOSTILE, "clouds"),
        "size": size_curve(curve),
        "size, log": size_curve(curve, "nodes", log=True),
        "reduced error": reduced_error_effect(curve, pruning_curve(pruned, {"validation": validation, "test": test})),
        "alpha": alpha_chart(cross_validated_alphas(grown, *train, folds=4)),
        "learning": learning_chart(learning_curve(grown, *train, test, sizes=(20, 60, 120), repeats=2)),
        "regions": class_regions(tree, "x", "y", dataset=train[0], target=train[1]),
        "importance": importance_chart({HOSTILE: 0.7, "b": 0.3, "c": 0.0}),
        "importance, intervals": importance_chart(
            {HOSTILE: 0.7, "b": -0.1}, intervals={HOSTILE: (0.5, 0.9), "b": (-0.3, 0.1)}, words=HOSTILE
        ),
        "importance, none": importance_chart({"a": 0.0}),
        "confusion": confusion_chart([[8, 2], [0, 0]], [HOSTILE, 1.5]),
        "confusion, many": confusion_chart(np.eye(30) * 7, list(range(30))),
        "reliability": reliability_chart({"event": HOSTILE, "bins": bins, "error": 0.05}),
        "gains": gains_chart(trace),
        "worth": gains_chart(trace, "worth"),
        "marks": Chart(HOSTILE, Axis(HOSTILE), Axis("y"), marks, HOSTILE),
        "empty": Chart("", Axis(), Axis(scale="log"), ()),
    }


@pytest.fixture(scope="module")
def charts() -> dict[str, Chart]:
    return all_charts()


NAMES = tuple(all_charts())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("theme", ["light", "dark", "auto"])
def test_every_chart_is_well_formed_and_the_same_every_time(charts: dict[str, Chart], name: str, theme: str) -> None:
    svg = charts[name].to_svg(theme=theme)
    root = ET.fromstring(svg)
    assert svg == charts[name].to_svg(theme=theme)
    assert root.get("role") == "img" and root[0].tag == f"{SVG}title" and root[0].text
    assert "<img" not in svg and "<script" not in svg and "nan" not in svg and "inf" not in svg.replace("info", "")
    width, height = float(root.get("width") or 0), float(root.get("height") or 0)
    for element in root.iter(f"{SVG}rect"):
        x, y = float(element.get("x") or 0), float(element.get("y") or 0)
        assert x >= -1 and x + float(element.get("width") or 0) <= width + 1
        assert y >= -1 and y + float(element.get("height") or 0) <= height + 1


@pytest.mark.parametrize("name", NAMES)
def test_every_chart_is_drawn_on_matplotlib_axes(charts: dict[str, Chart], name: str) -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="the extra plot is not installed")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots()
    assert charts[name].to_matplotlib(ax) is ax
    figure.canvas.draw()  # a name with dollar signs must not be read as a formula
    assert ax.get_xlabel().replace("\\$", "$") == charts[name].x.label
    plt.close(figure)


def test_new_axes_are_made_if_none_are_given(charts: dict[str, Chart]) -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="the extra plot is not installed")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    ax = charts["entropy"].to_matplotlib()
    assert len(ax.get_lines()) == 3
    plt.close(ax.figure)


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(DependencyError, match=r"quercus\[plot\]"):
        entropy_curve().to_matplotlib()


def test_the_entropy_diagram_adds_up() -> None:
    chart = entropy_diagram([[24, 1], [25, 50]], "rain", "clouds")
    bars = {
        name: (mark.base, mark.length[0])
        for name, mark in zip(chart.y.names, chart.marks, strict=True)
        if isinstance(mark, Bars)
    }
    sizes = {name: round(end - start, 2) for name, (start, end) in bars.items()}
    assert sizes["H(rain, clouds)"] == 1.56 and sizes["H(clouds | rain)"] == 0.75 and sizes["I(rain; clouds)"] == 0.25
    assert bars["I(rain; clouds)"] == pytest.approx((bars["H(clouds)"][0], bars["H(rain)"][1]))  # where both overlap
    assert bars["H(clouds | rain)"] == pytest.approx((bars["H(rain)"][1], bars["H(rain, clouds)"][1]))
    apart = entropy_diagram([[1, 1], [1, 1]])
    assert isinstance(apart.marks[4], Bars) and apart.marks[4].length[0] == apart.marks[4].base  # I = 0
    assert entropy_diagram([[1, 0], [0, 1]], base=math.e).x.label == "nats"


def test_the_entropy_curve_has_the_lecture_s_figures() -> None:
    entropy, gini, error = (mark for mark in entropy_curve(15).marks if isinstance(mark, Line))
    assert entropy.x[5] == pytest.approx(5 / 14) and entropy.y[5] == pytest.approx(0.940, abs=5e-4)
    assert gini.y[5] == pytest.approx(1 - (25 + 81) / 196) and error.y[5] == pytest.approx(5 / 14)


def test_curves_show_the_columns_they_are_given() -> None:
    train, validation = noisy(0, 120), noisy(1, 60)
    curve = growing_curve(grown(*train), {"training": train, "validation": validation})
    marks = {mark.name: mark for mark in size_curve(curve, log=False).marks}
    assert marks.keys() == {"training", "validation"}
    assert marks["validation"].y == pytest.approx(curve["validation"].tolist())
    assert marks["validation"].x == pytest.approx(curve["leaves"].tolist())
    with pytest.raises(ParameterError, match="log=True"):
        size_curve(growing_curve(grown(*train), {"training": train}, by="depth"), "depth", log=True)


def test_reduced_error_leads_back_to_the_pruned_size(charts: dict[str, Chart]) -> None:
    chart = charts["reduced error"]
    line = next(mark for mark in chart.marks if isinstance(mark, Reference))
    assert any(isinstance(mark, Points) and mark.x == (line.value,) for mark in chart.marks)
    assert f"{int(line.value)} lea" in line.name


def test_the_table_of_alphas_shows_both_choices() -> None:
    train = noisy(0, 120)
    table = cross_validated_alphas(grown, *train, folds=4)
    chart = alpha_chart(table)
    line = next(mark for mark in chart.marks if isinstance(mark, Reference))
    best = table.best("min")
    assert line.value == pytest.approx(best.cv_error + best.standard_error)
    least, chosen = (mark for mark in chart.marks if isinstance(mark, Points))
    assert least.y[0] == best.cv_error and table.row(int(chosen.x[0])) == table.best("1se")
    bars = next(mark for mark in chart.marks if isinstance(mark, ErrorBars))
    assert np.subtract(bars.high, bars.low) == pytest.approx(2 * table.standard_error)
    assert len(chart.x.names) == len(table)


def test_confusion_counts_and_shares() -> None:
    chart = confusion_chart([[3, 1], [0, 6]], ["a", "b"])
    (cells,) = (mark for mark in chart.marks if isinstance(mark, Cells))
    assert [list(row) for row in cells.texts] == [["3\n75 %", "1\n25 %"], ["0\n0 %", "6\n100 %"]]
    assert chart.note == "9 of 10 right (90 %)"
    with pytest.raises(DataError, match="2 × 2"):
        confusion_chart([[1, 2, 3]], ["a", "b"])
    with pytest.raises(DataError, match="at most"):
        confusion_chart(np.eye(41), list(range(41)))


def test_gains_are_sorted_and_the_winner_stands_out() -> None:
    chart = all_charts()["gains"]
    chosen = next(mark for mark in chart.marks if isinstance(mark, Bars) and mark.name == "chosen")
    assert chosen.at == (0.0,) and chosen.length == (0.2,)
    with pytest.raises(ParameterError, match="measure"):
        gains_chart({"candidates": []}, "luck")


def test_intervals_of_importances_lie_over_their_bars() -> None:
    ends = {"a": (-0.1, 0.4), "b": (0.5, 0.9)}
    chart = importance_chart({"a": 0.2, "b": 0.7}, intervals=ends, words="95 % interval")
    bars, intervals = chart.marks
    assert isinstance(bars, Bars) and isinstance(intervals, ErrorBars)
    assert bars.length == (0.7, 0.2) and (intervals.low, intervals.high) == ((0.5, -0.1), (0.9, 0.4))
    assert axis_limits(chart, vertical=False)[0] < -0.1 and axis_limits(chart, vertical=False)[1] > 0.9
    assert "95 % interval" in chart.to_svg()


def test_importances_beyond_the_limit_are_summed_up() -> None:
    chart = importance_chart({f"x{i}": i / 10 for i in range(5)}, limit=2)
    assert chart.y.names == ("x4", "x3") and chart.note == "not shown: x2, x1, x0, together 0.3"


@example(450359963.4941406, 1e-6, 6)
@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e9), st.integers(2, 9))
def test_ticks_are_few_round_and_inside(low: float, size: float, most: int) -> None:
    high = low + size
    if not high > low:
        return
    values = [value for value, _ in ticks(Axis(), low, high, most)]
    assert len(values) <= most + 1
    assert all(low <= value or math.isclose(low, value) for value in values)
    assert all(value <= high or math.isclose(high, value) for value in values)


@given(st.floats(1e-6, 1e6), st.floats(1.5, 1e9))
def test_log_ticks_lie_inside(low: float, factor: float) -> None:
    values = [value for value, _ in ticks(Axis(scale="log"), low, low * factor)]
    assert all(low * 0.999 <= value <= low * factor * 1.001 for value in values) and len(values) <= 16


def test_a_ruler_keeps_values_inside() -> None:
    ruler = Ruler(1.0, 100.0, 0.0, 10.0, log=True)
    assert [ruler.place(value) for value in (0.0, 1.0, 10.0, 1e9)] == pytest.approx([0, 0, 5, 10])


def test_axes_are_checked() -> None:
    with pytest.raises(ParameterError, match="scale"):
        Axis(scale="polar")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="above 0"):
        Axis(scale="log", limits=(0, 1))
    with pytest.raises(ParameterError, match="greater"):
        Axis(limits=(1, 1))
    chart = Chart("", Axis(), Axis(), (Line((1, 1), (2, 2)),))
    assert axis_limits(chart, vertical=True) == pytest.approx((1.5, 2.5))

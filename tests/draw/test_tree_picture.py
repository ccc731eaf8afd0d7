"""The SVG of a tree: well-formed, the tree's own numbers, any name harmless, the same every time, readable colours."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tree.build import build, cut, leaf, multiway, schema_of
from tree.strategies import trees

from quercus import C45Classifier, CARTRegressor, ID3Classifier
from quercus.datasets import load_play_tennis
from quercus.draw import entropy_curve, path_parts, tree_svg
from quercus.draw.advance import fitted, text_width
from quercus.draw.colours import DARK, LIGHT, PALETTE, SHADES, contrast, shade_of, tint_of
from quercus.errors import ParameterError
from quercus.tree import Tree

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    '<img src=x onerror="alert(1)">',
    "</text><script>alert(1)</script>",
    "two\nlines",
    "a\x00\x1b]b",
    "§ \ud800",
    "x" * 500,
]


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)


def words(svg: str) -> list[str]:
    return [element.text or "" for element in parsed(svg).iter(f"{SVG}text")]


@pytest.fixture(scope="module")
def tennis() -> Tree:
    return ID3Classifier().fit(*load_play_tennis()).tree_


def test_the_picture_of_play_tennis_says_what_the_tree_says(tennis: Tree) -> None:
    found = words(tree_svg(tennis))
    for text in (
        "Outlook",
        "9 Yes, 5 No",
        "Overcast",
        "Rain",
        "Sunny",
        "4 Yes",
        "Wind",
        "3 Yes, 2 No",
        "Humidity",
        "3 No",
    ):
        assert text in found
    assert found.count("Yes") == 3 + 1  # three leaves and the legend


@settings(max_examples=40, deadline=None)
@given(trees(), st.sampled_from(["top-down", "left-right"]), st.sampled_from(["auto", "light", "dark"]), st.booleans())
def test_any_tree_is_well_formed_and_the_same_every_time(tree: Tree, orientation: str, theme: str, small: bool) -> None:
    options: dict[str, Any] = {"orientation": orientation, "theme": theme, "max_nodes": 4 if small else None}
    svg = tree_svg(tree, **options)
    root = parsed(svg)
    assert svg == tree_svg(tree, **options)
    assert root.get("role") == "img" and root[0].tag == f"{SVG}title" and root[1].tag == f"{SVG}desc"
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    assert set((root.get("aria-labelledby") or "").split()) <= set(ids)
    allowed = {"svg", "title", "desc", "style", "g", "rect", "path", "text", "defs", "pattern"}
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= allowed


@settings(max_examples=25, deadline=None)
@given(trees())
def test_the_bars_are_the_class_weights(tree: Tree) -> None:
    if tree.is_regression:
        return
    for group in parsed(tree_svg(tree)).iter(f"{SVG}g"):
        if group.get("data-node") is None or group.get("class") == "folded":
            continue
        node = int(group.get("data-node") or 0)
        parts = [e for e in group.iter(f"{SVG}rect") if e.get("class") is None]
        sizes = np.array([float(part.get("width") or 0) for part in parts])
        weights = tree.value[node][tree.value[node] > 0]
        if tree.weight[node] > 0:
            assert sizes / sizes.sum() == pytest.approx(weights / weights.sum(), abs=0.01)
        assert f"Node {node} " in (group[0].text or "")


def test_hostile_names_stay_text() -> None:
    schema = schema_of(**{HOSTILE[0]: tuple(HOSTILE), HOSTILE[5]: "numeric"})
    plan = multiway(HOSTILE[0], *[leaf([1, 2])] * 5, cut(HOSTILE[5], 0.5, leaf([1, 0]), leaf([0, 1])))
    svg = tree_svg(build(plan, schema, HOSTILE[:2]), title=HOSTILE[1])
    root = parsed(svg)
    assert "<script" not in svg and "<img" not in svg and 'onerror="' not in svg
    assert all(not name.lower().startswith("on") for element in root.iter() for name in element.attrib)
    shown = " ".join(element.text or "" for element in root.iter(f"{SVG}title"))
    assert "<img src=x onerror=" in shown  # the full text is in a tooltip
    assert max(len(text) for text in words(svg)) < 80  # and the picture stays narrow


def test_a_class_named_like_the_marks_of_ids_is_left_alone() -> None:
    tree = build(cut("x", 1, leaf([1, 0]), leaf([0, 1])), schema_of(x="numeric"), ["§ 5", "\x00"])
    assert any("§ 5" in text for text in words(tree_svg(tree)))


def test_every_text_fits_its_box() -> None:
    schema = schema_of(**{"a rather long attribute name, in centimetres": "numeric"})
    plan = cut("a rather long attribute name, in centimetres", 1.5, leaf([1000, 234567]), leaf([3, 0]))
    root = parsed(tree_svg(build(plan, schema, ["first class of all", "second class"])))
    for group in root.iter(f"{SVG}g"):
        if group.get("data-node") is None:
            continue
        box = next(e for e in group.iter(f"{SVG}rect") if e.get("rx"))
        for text in group.iter(f"{SVG}text"):
            bold = text.get("class") == "head"
            assert text_width(text.text or "", 13 if bold else 11, bold) <= float(box.get("width") or 0) - 8


def test_closed_nodes_say_what_they_hide(tennis: Tree) -> None:
    found = words(tree_svg(tennis, max_depth=1))
    assert found.count("+2 nodes, 2 leaves") == 2 and "4 of 8 nodes shown" in found
    assert not any(text.startswith("+") for text in words(tree_svg(tennis)))


def test_an_example_is_highlighted_by_its_parts() -> None:
    X, y = load_play_tennis()
    model = C45Classifier().fit(X, y)
    case = {"Outlook": ["Sunny"], "Temperature": ["Hot"], "Humidity": [None], "Wind": ["Weak"]}
    parts = path_parts(model.tree_, model.encode_rows(case))
    assert parts == pytest.approx({0: 1.0, 3: 1.0, 6: 0.6, 7: 0.4})
    svg = model.to_svg(case)
    assert svg == tree_svg(model.tree_, highlight=parts)
    lit = [e for e in parsed(svg).iter(f"{SVG}path") if e.get("class") == "lit"]
    widths = sorted(float(e.get("stroke-width") or 0) for e in lit)
    assert widths == pytest.approx([2.0, 3.0, 4.0, 5.0])  # 0.4, 0.6, the legend's and the whole
    assert {"High · 60 %", "Normal · 40 %", "Sunny"} <= set(words(svg))
    assert svg.count(" chosen") == 4
    with pytest.raises(ParameterError, match="row is 5"):
        model.to_svg(case, row=5)


def test_a_highlighted_node_is_shown_however_little_is_shown(tennis: Tree) -> None:
    deepest = tennis.n_nodes - 1
    lit = {node: 1.0 for node in (0, int(tennis.parent[deepest]), deepest)}
    for options in ({"max_depth": 0}, {"max_nodes": 1}, {"max_nodes": 2, "max_branches": 1}):
        assert f'data-node="{deepest}"' in tree_svg(tennis, highlight=lit, **options)


def test_branches_are_as_wide_as_their_share(tennis: Tree) -> None:
    paths = [e for e in parsed(tree_svg(tennis)).iter(f"{SVG}path") if e.get("class") == "branch"]
    widths = sorted(float(e.get("stroke-width") or 0) for e in paths)
    assert widths == pytest.approx(sorted(max(1.0, 10 * w / 14) for w in tennis.weight[1:]), abs=0.051)


def test_regression_leaves_have_value_and_spread() -> None:
    x = np.arange(40.0)
    model = CARTRegressor(max_depth=1).fit({"x": x}, np.where(x < 20, 1.0, 5.0) + (x % 2))
    svg = tree_svg(model.tree_)
    found = words(svg)
    assert "1.5" in found and "5.5" in found and "± 0.5, n = 20" in found
    assert svg.count('class="spread"') == 3 and "shade0" in svg and f"shade{SHADES - 1}" in svg


def test_costs_change_the_answer_of_leaves() -> None:
    tree = build(leaf([3, 2]), schema_of(x="numeric"), ["No", "Yes"])
    assert "No" in words(tree_svg(tree, legend=False))
    assert "Yes" in words(tree_svg(tree, legend=False, cost_matrix=[[0, 1], [10, 0]]))


def test_many_classes_get_patterns_and_keep_their_names() -> None:
    classes = [f"class {j}" for j in range(40)]
    svg = tree_svg(build(leaf(list(range(1, 41))), schema_of(x="numeric"), classes))
    assert len(re.findall("<pattern ", svg)) == 24 and "class 8" in words(svg) and "… 8 more classes" in words(svg)
    used = set(re.findall(r"url\(#([^)]*)\)", svg))
    assert used <= set(re.findall(r'id="([^"]*)"', svg)) and len(used) == 24


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_text_can_be_read_on_every_ground(theme: Any) -> None:
    grounds = [theme.paper, theme.box]
    grounds += [tint_of(j, theme) for j in range(len(PALETTE))] + [shade_of(step, theme) for step in range(SHADES)]
    assert min(contrast(theme.ink, ground) for ground in grounds) >= 4.5
    assert contrast(theme.muted, theme.paper) >= 4.5
    assert all(contrast(theme.border, ground) >= 3 for ground in (theme.paper, theme.box))


def test_themes(tennis: Tree) -> None:
    light, dark, auto = (tree_svg(tennis, theme=theme) for theme in ("light", "dark", "auto"))
    assert LIGHT.paper in light and DARK.paper not in light
    assert DARK.paper in dark and "prefers-color-scheme" not in dark
    assert "prefers-color-scheme: dark" in auto
    with pytest.raises(ParameterError, match="theme is 'blue'"):
        tree_svg(tennis, theme="blue")


def test_text_widths_are_not_less_than_those_of_a_wide_font() -> None:
    pytest.importorskip("matplotlib")
    from matplotlib import font_manager
    from matplotlib.ft2font import FT2Font

    texts = ["Outlook", "petal length (cm) <= 2.45", "MWmw WWW", "Größe äöü é", "0123456789 − … ± ·", "iiilll.,;"]
    for weight in ("normal", "bold"):
        path = font_manager.findfont(font_manager.FontProperties(family="DejaVu Sans", weight=weight))
        font = FT2Font(path)
        font.set_size(100, 72)
        for text in texts:
            font.set_text(text, 0.0)
            assert text_width(text, 100, weight == "bold") >= font.get_width_height()[0] / 64 * 0.97


@given(st.text(max_size=80), st.floats(20, 300))
def test_fitted_text_fits(text: str, width: float) -> None:
    short = fitted(text, width, 11.0)
    assert text_width(short, 11.0) <= width or len(short) <= 1
    assert short == text or "…" in short


def test_counts_of_classes_that_are_numbers_cannot_be_misread() -> None:
    tree = build(leaf([2, 170, 0]), schema_of(x="numeric"), [0, 2, 5])
    assert "2: 170, 0: 2" in words(tree_svg(tree))


def test_styles_of_one_kind_of_picture_do_not_touch_another(tennis: Tree) -> None:
    chart, tree = entropy_curve().to_svg(), tree_svg(tennis)
    scopes = [set(re.findall(r"^(\S+) \.\w", svg, re.MULTILINE)) for svg in (chart, tree)]
    assert scopes == [{".quercus-chart-auto"}, {".quercus-tree-auto"}]
    for svg, (scope,) in zip((chart, tree), scopes, strict=True):
        assert scope[1:] in (parsed(svg).get("class") or "").split()

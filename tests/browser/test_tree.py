"""The tree in the page: the click, the keyboard, search, opening and closing, zooming, the pruning slider."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from browser import reports
from quercus import C45Classifier, CARTClassifier, ID3Classifier
from quercus.datasets import load_play_tennis
from quercus.pruning import cost_complexity_path
from quercus.report import report_html


def item(page: Any, name: str) -> Any:
    return page.get_by_role("treeitem", name=name)


def test_the_tree_is_there_with_names_and_counts(open_report: Any) -> None:
    page = open_report(reports.play_tennis())
    X, y = load_play_tennis(d15=True)
    tree = ID3Classifier().fit(X, y).tree_
    assert page.get_by_role("tree").count() == 1
    assert page.get_by_role("treeitem").count() == tree.n_nodes
    assert page.locator("[role=treeitem]").first.get_attribute("aria-label").startswith("asks Outlook; 9 Yes, 6 No")


def test_a_click_shows_how_the_node_was_decided(open_report: Any) -> None:
    page = open_report(reports.play_tennis())
    item(page, "asks Outlook").click()
    panel = page.locator("#node-panel")
    assert "Node 0, the root" in panel.inner_text()
    assert "−9/15·log2(9/15) − 6/15·log2(6/15) = 0.971" in panel.inner_text()
    assert "Outlook is asked: its gain" in panel.locator(".decision").inner_text()
    rows = panel.locator(".candidates tbody tr")
    assert rows.count() == 4 and "Outlook" in rows.first.inner_text() and "chosen" in rows.first.get_attribute("class")
    rows.first.locator("summary").click()
    assert "Outlook = Overcast: 4 (4 Yes)" in rows.first.inner_text()


def test_without_rows_the_panel_says_how_to_get_the_trace(open_report: Any) -> None:
    X, y = load_play_tennis()
    page = open_report(report_html(ID3Classifier().fit(X, y)))
    item(page, "asks Outlook").click()
    text = page.locator("#node-panel").inner_text()
    assert "Holds 14 examples" in text and "report_html(model, X=X, y=y)" in text


def test_the_keyboard_walks_opens_and_chooses(open_report: Any) -> None:
    page = open_report(reports.play_tennis())
    page.locator("#step").focus()
    page.keyboard.press("Tab")
    focused = "document.activeElement.getAttribute('aria-label')"
    assert page.evaluate(focused).startswith("asks Outlook")
    page.keyboard.press("ArrowRight")
    assert "Outlook = Overcast" in page.evaluate(focused)
    page.keyboard.press("ArrowDown")
    assert "Outlook = Rain" in page.evaluate(focused)
    count = page.get_by_role("treeitem").count()
    page.keyboard.press("ArrowLeft")
    reports.drawn(page)
    assert page.get_by_role("treeitem").count() < count
    assert page.evaluate("document.activeElement.getAttribute('aria-expanded')") == "false"
    page.keyboard.press("ArrowRight")
    reports.drawn(page)
    assert page.get_by_role("treeitem").count() == count
    page.keyboard.press("Enter")
    assert "Outlook = Rain" in page.locator("#node-panel").inner_text()
    page.keyboard.press("End")
    last = page.evaluate(focused)
    page.keyboard.press("Home")
    assert page.evaluate(focused).startswith("asks Outlook") and last != page.evaluate(focused)
    scale = page.evaluate("quercus.viewport.scale")
    page.keyboard.press("+")
    assert page.evaluate("quercus.viewport.scale") > scale
    page.keyboard.press("0")
    assert page.evaluate("quercus.viewport.scale") == pytest.approx(scale)


def test_wheel_and_drag_zoom_and_move(open_report: Any) -> None:
    page = open_report(reports.play_tennis())
    item(page, "asks Outlook").click()
    box = page.locator("#canvas").bounding_box()
    page.mouse.move(box["x"] + 40, box["y"] + 40)
    before = page.evaluate("[quercus.viewport.scale, quercus.viewport.x]")
    page.mouse.wheel(0, -200)
    page.wait_for_function("scale => quercus.viewport.scale > scale", arg=before[0])
    page.mouse.down()
    page.mouse.move(box["x"] + 140, box["y"] + 60, steps=4)
    page.mouse.up()
    x = page.evaluate("quercus.viewport.x")
    assert x > before[1]
    assert page.evaluate("quercus.view.selected") == 0  # a drag chooses nothing


def test_search_finds_attributes_values_classes_and_numbers(open_report: Any) -> None:
    page = open_report(reports.play_tennis())
    page.locator("#close-all").click()
    field = page.get_by_label("Search", exact=True)
    for words, wanted in {"wind": "asks Wind", "outlook = rain": "Outlook = Rain", "#7": "Node 7"}.items():
        field.fill(words)
        assert "1 of" in page.locator("#search-count").inner_text()
        reports.drawn(page)
        assert wanted in page.locator(".node.selected").get_attribute("aria-label")
        assert page.locator(".node.found").count() >= 1
    field.fill("yes")
    total = int(page.locator("#search-count").inner_text().split()[-1])
    X, y = load_play_tennis(d15=True)
    tree = ID3Classifier().fit(X, y).tree_
    assert total == sum(node.is_leaf and node.label == "Yes" for node in tree.walk())
    field.press("Enter")
    assert page.locator("#search-count").inner_text() == f"2 of {total}"
    field.fill("no such thing")
    assert page.locator("#search-count").inner_text() == "nothing found"


def slide_to(page: Any, leaves: int) -> None:
    """Move the slider by its keys until the tree has so many leaves."""
    slider = page.get_by_label("Size of the tree shown")
    slider.focus()
    page.keyboard.press("End")
    for _ in range(200):
        if page.locator("#step-text").inner_text().startswith(f"{leaves} lea"):
            return
        page.keyboard.press("ArrowLeft")
    raise AssertionError(f"no step has {leaves} leaves")


def test_the_slider_walks_the_prunings_with_sizes_and_accuracies(open_report: Any) -> None:
    table, labels = reports.mixed_table()
    fresh, answers = reports.mixed_table(300, seed=9)
    model = CARTClassifier(max_depth=6).fit(table, labels)
    page = open_report(report_html(model, X=table, y=labels, test=(fresh, answers)))
    path = cost_complexity_path(model.tree_, risk="impurity")
    for step in np.linspace(0, len(path) - 1, 3).astype(int).tolist():
        tree = path.nested.pruned(step)
        slide_to(page, tree.n_leaves)
        text = page.locator("#step-text").inner_text()
        assert f"{tree.n_nodes} node" in text
        pruned = replace(model.model_, tree=tree).as_estimator()
        figures = page.locator("#step-figures b").all_inner_texts()
        wanted = [pruned.score(table, labels), pruned.score(fresh, answers)]
        assert [float(text.rstrip(" %")) for text in figures] == pytest.approx([100 * w for w in wanted], abs=0.051)
        shown = page.evaluate("quercus.tree.below[0] + 1")
        assert shown == tree.n_nodes
        codes = [[None, None, None, None]]
        answer = page.evaluate("rows => rows.map(quercus.classify)", codes)[0]
        unknown = {name: [None] for name in table}
        assert answer == pytest.approx(pruned.predict_proba(unknown)[0].tolist())
    assert "the model’s tree" not in page.locator("#step-text").inner_text()
    page.get_by_role("button", name="The model’s tree").click()
    assert "the model’s tree" in page.locator("#step-text").inner_text()


def test_pruning_changes_the_drawn_tree(open_report: Any) -> None:
    page = open_report(reports.play_tennis())
    before = page.get_by_role("treeitem").count()
    slide_to(page, 1)
    reports.drawn(page)
    assert page.get_by_role("treeitem").count() == 1 < before
    assert "leaf, answers Yes" in page.get_by_role("treeitem").get_attribute("aria-label")


@pytest.mark.parametrize("prune", ["reduced_error", "cost_complexity", "mdl", "error_based"])
def test_a_pruned_model_starts_at_its_own_tree(prune: str, open_report: Any) -> None:
    table, labels = reports.mixed_table()
    model = C45Classifier(prune=prune, min_objects=1).fit(table, labels)
    page = open_report(report_html(model, X=table, y=labels))
    text = page.locator("#step-text").inner_text()
    assert f"{model.tree_.n_leaves} lea" in text and "the model’s tree" in text
    assert page.evaluate("quercus.tree.below[0] + 1") == model.tree_.n_nodes
    leaf = int(np.flatnonzero(model.tree_.n_children == 0)[-1])
    page.get_by_label("Search", exact=True).fill(f"#{leaf}")
    label = model.tree_.node(leaf).label
    assert f"answers {label}" in page.locator(".node.selected").get_attribute("aria-label")


def test_of_ten_thousand_nodes_only_those_in_the_window_are_drawn(open_report: Any) -> None:
    page = open_report(reports.many_nodes())
    for name in ("open-all", "zoom-fit", "zoom-in", "turn", "close-all"):
        page.evaluate("id => { document.getElementById(id).click(); quercus.picture.draw(); }", name)
    set_field = """([id, value]) => { const f = document.getElementById(id); f.value = value ?? f.max / 2;
                                      f.dispatchEvent(new Event("input")); quercus.picture.draw(); }"""
    page.evaluate(set_field, ["search", "beta"])
    page.evaluate(set_field, ["step", None])
    page.locator("#open-all").click()
    reports.drawn(page)
    assert page.locator("[role=treeitem]").count() < 800

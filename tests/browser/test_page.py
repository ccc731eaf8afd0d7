"""The page as a whole: rules, colours, printing, accessibility, and names that want to be markup."""

from __future__ import annotations

from typing import Any

import pytest

from browser import reports
from quercus import RandomForestClassifier, RIPPERClassifier
from quercus.report import report_html


def rules_report() -> str:
    table, labels = reports.mixed_table()
    return report_html(RIPPERClassifier().fit(table, labels), X=table, y=labels, title="Rules")


def forest_report() -> str:
    table, labels = reports.mixed_table()
    return report_html(RandomForestClassifier(20, oob_score=True).fit(table, labels), X=table, y=labels, title="Forest")


PAGES = {
    "forest": forest_report,
    "tennis": reports.play_tennis,
    "regression": reports.regression,
    "rules": rules_report,
    "hostile": reports.hostile,
}


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(name: str, scheme: str, open_report: Any) -> None:
    page = open_report(PAGES[name](), color_scheme=scheme)
    if page.get_by_role("tree").count():
        page.get_by_role("treeitem").first.click()
        assert violations(page, ".panel", colours_only=scheme == "dark") == []
    if page.get_by_role("tab", name="New case").count():
        page.get_by_role("tab", name="New case").click()
    assert violations(page, colours_only=scheme == "dark") == []


@pytest.mark.slow
def test_axe_finds_nothing_in_a_large_tree(open_report: Any) -> None:
    page = open_report(reports.many_nodes())
    page.locator("#open-all").click()
    reports.drawn(page)
    page.locator("#zoom-fit").click()
    reports.drawn(page)
    assert violations(page, ".stage") == []


def violations(page: Any, part: str | None = None, colours_only: bool = False) -> list[Any]:
    """What axe complains of in the page, or in a part of it; the dark page differs from the light one in colours."""
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if colours_only:
        options["runOnly"] = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    found = axe.Axe().run(page, context=part, options=options).response["violations"]
    return [(one["id"], one["help"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found]


def test_rules_are_sorted_and_filtered(open_report: Any) -> None:
    page = open_report(reports.play_tennis())
    rows = page.locator("#rules tbody tr")
    count = rows.count()
    covers = [float(text) for text in page.locator("#rules tbody tr td:nth-child(4)").all_inner_texts()]
    page.get_by_role("button", name="Covers").click()
    assert [float(t) for t in page.locator("#rules tbody tr td:nth-child(4)").all_inner_texts()] == sorted(covers)
    page.get_by_role("button", name="Covers").click()
    assert page.locator("th[aria-sort=descending]").inner_text() == "Covers"
    falling = [float(t) for t in page.locator("#rules tbody tr td:nth-child(4)").all_inner_texts()]
    assert falling == sorted(covers, reverse=True)
    page.get_by_role("button", name="If").click()
    texts = page.locator("#rules tbody tr td:nth-child(2)").all_inner_texts()
    assert texts == sorted(texts)
    page.get_by_label("Filter", exact=True).fill("wind strong")
    assert 0 < rows.count() < count
    assert all("Wind = Strong" in text for text in rows.all_inner_texts())
    page.get_by_role("button", name="Show leaf").first.click()
    assert "Wind = Strong" in page.locator("#node-panel").inner_text()


def test_light_and_dark(open_report: Any) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    page = open_report(reports.play_tennis(), color_scheme="dark")
    dark = page.evaluate(ground)
    page.get_by_role("button", name="Light colours").click()
    assert page.evaluate(ground) != dark
    page.get_by_role("button", name="Dark colours").click()
    assert page.evaluate(ground) == dark


def test_on_paper_the_tree_is_whole_and_there_are_no_controls(open_report: Any) -> None:
    page = open_report(reports.play_tennis(), color_scheme="dark")
    page.locator("#close-all").click()
    reports.drawn(page)
    closed = page.get_by_role("treeitem").count()
    page.emulate_media(media="print", color_scheme="dark")
    reports.drawn(page)
    assert page.locator("[role=treeitem]").count() > closed
    assert page.locator("button:visible").count() == page.locator("#rules button:visible").count()
    assert page.locator("input:visible, select:visible, nav:visible").count() == 0
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    frame, tree = page.locator("#canvas svg").bounding_box(), page.locator("#canvas svg > g").bounding_box()
    assert frame["x"] - 1 <= tree["x"] and tree["x"] + tree["width"] <= frame["x"] + frame["width"] + 1
    page.emulate_media(media="screen")
    reports.drawn(page)
    assert page.get_by_role("treeitem").count() == closed


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_wider_than_a_small_screen(name: str, open_report: Any) -> None:
    page = open_report(PAGES[name](), width=390, height=800)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_hostile_names_stay_text(open_report: Any) -> None:
    page = open_report(reports.hostile())
    assert page.title() == reports.HOSTILE + reports.ENDING
    item = page.get_by_role("treeitem")
    for place in range(item.count()):
        item.nth(place).click()
    page.get_by_role("tab", name="New case").click()
    for field in page.locator("#case-fields select").all():
        field.select_option(index=1)
    page.get_by_label("Search", exact=True).fill("<img")
    page.get_by_label("Filter", exact=True).fill("<script>")
    page.get_by_label("Filter", exact=True).fill("")
    page.emulate_media(media="print")
    reports.drawn(page)
    assert page.locator("img, b img, script:not([type]) ~ script").count() == 0
    assert page.evaluate("document.scripts.length") == 2
    assert reports.HOSTILE in page.locator("body").inner_text()
    inline = "[...document.querySelectorAll('*')].flatMap(e => e.getAttributeNames()).filter(n => n.startsWith('on'))"
    assert page.evaluate(inline) == []


def test_what_is_injected_cannot_reach_the_network(open_report: Any, browser: Any) -> None:
    """The page's own policy stops a script, a picture and a request, should escaping ever fail."""
    injected = '<img src="http://127.0.0.1:9/x.png"><script>window.broken = 1</script></main>'
    text = reports.play_tennis().replace("</main>", injected, 1)
    context = browser.new_context()
    page = context.new_page()
    page.set_content(text)
    page.wait_for_selector("html[data-ready]")
    assert page.evaluate("window.broken") is None
    assert page.evaluate("fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'stopped')") == "stopped"
    assert "connect-src" in text or "default-src 'none'" in text
    context.close()

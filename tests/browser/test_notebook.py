"""Results as a notebook shows them: the report works in its frame, and texts keep their columns."""

from __future__ import annotations

from typing import Any

from quercus import C45Classifier
from quercus.datasets import load_play_tennis
from quercus.measures import gain_table
from quercus.report import report

#: What notebooks do to the results that they show: a proportional font, also for preformatted text.
NOTEBOOK = (
    "<!DOCTYPE html><html data-ready><title>notebook</title><style>* {{ font-family: sans-serif }}</style>"
    "<body>{}</body></html>"
)


def test_the_report_can_be_walked_through_in_its_frame(open_report: Any) -> None:
    X, y = load_play_tennis()
    page = open_report(NOTEBOOK.format(report(C45Classifier().fit(X, y), X=X, y=y, title="PlayTennis").to_html()))
    frame = page.frame_locator("iframe.quercus-report")
    frame.get_by_role("heading", name="PlayTennis").wait_for()
    frame.get_by_role("treeitem").first.click()
    frame.locator(".panel").get_by_text("Outlook").first.wait_for()
    frame.get_by_role("searchbox", name="Search").fill("Wind")
    frame.get_by_text("1 of 3").wait_for()  # the question and its two branches


def test_the_columns_of_a_text_stand_under_each_other(open_report: Any) -> None:
    page = open_report(NOTEBOOK.format(gain_table(*load_play_tennis()).to_html()))
    assert page.locator("pre").evaluate("text => getComputedStyle(text).fontFamily") == "monospace"

"""One browser for all tests of the report, and pages that tell what they did wrong."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Debian's chromium, driven by Playwright."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed (extra dev)")
    names = ("chromium", "chromium-browser", "google-chrome")
    program = next((found for name in names if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip("no chromium on PATH; on Debian: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield started
        started.close()


class Opened:
    """A report in the browser, and what went wrong while it was looked at."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.problems: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: message.type in ("error", "warning") and self.problems.append(message.text))
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("dialog", lambda dialog: (self.problems.append(f"dialog {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: self.requests.append(request.url))


@pytest.fixture
def open_report(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Open a report's text as a file; when the test ends, the page must have been without errors and requests."""
    opened: list[Opened] = []
    contexts: list[Any] = []

    def opening(text: str, *, width: int = 1300, height: int = 900, **options: Any) -> Any:
        path = tmp_path / f"report{len(opened)}.html"
        path.write_text(text, encoding="utf-8")
        context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce", **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(300_000)  # a busy machine is slow; a page that hangs still ends the test
        opened.append(Opened(page))
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]")
        return page

    yield opening
    for one in opened:
        assert one.problems == []
        assert [url for url in one.requests if not url.startswith("file:")] == []
        assert len([url for url in one.requests if url.startswith("file:")]) == 1
    for context in contexts:
        context.close()

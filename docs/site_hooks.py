"""What the site shows differently from the pages' sources: examples without the marks that only the tests need."""

from __future__ import annotations

import re
from typing import Any

MARK = re.compile(r"  # doctest: [+\w, ]+$", flags=re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Show a blank line as a blank line, and no options of the tests."""
    return MARK.sub("", markdown.replace("<BLANKLINE>\n", "\n"))

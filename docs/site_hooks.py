"""What the site shows differently from the pages' sources: examples without test marks, and copied without prompts."""

from __future__ import annotations

import html
import re
from typing import Any

MARK = re.compile(r"  # doctest: [+\w, ]+$", flags=re.MULTILINE)
SESSION = re.compile(r'<div class="language-(pycon|console) highlight">(.*?)</div>', flags=re.DOTALL)
TAG = re.compile(r"<[^>]+>")
PROMPTS = {"pycon": (">>> ", "... "), "console": ("$ ",)}


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Show a blank line as a blank line, and no options of the tests."""
    return MARK.sub("", markdown.replace("<BLANKLINE>\n", "\n"))


def on_page_content(content: str, **_: Any) -> str:
    """Let the copy button of a session copy what was typed: no prompts and no output."""
    return SESSION.sub(_with_code, content)


def _with_code(block: re.Match[str]) -> str:
    language, content = block.groups()
    code = html.escape(typed(language, html.unescape(TAG.sub("", content))), quote=True)
    return f'<div class="language-{language} highlight" data-copy="{code}">{content}</div>'


def typed(language: str, session: str) -> str:
    """What a reader would type to repeat a session.

    >>> typed("pycon", ">>> for x in 'a':" + chr(10) + "...     print(x)" + chr(10) + "..." + chr(10) + "a")
    "for x in 'a':\\n    print(x)\\n"
    """
    prompts = PROMPTS[language]
    lines = []
    for line in session.splitlines():
        prompt = next((prompt for prompt in prompts if (line + " ").startswith(prompt)), None)
        if prompt is not None:
            lines.append(line[len(prompt) :])
    return "\n".join(lines)

"""What the site shows differently from the pages' sources: the reference, links to it, and examples to copy.

Examples are shown without the marks of the tests, and copied without prompts and output.
"""

from __future__ import annotations

import html
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
import command_reference
import reference

MARK = re.compile(r"  # doctest: [+\w, ]+$", flags=re.MULTILINE)
SESSION = re.compile(r'<div class="language-(pycon|console) highlight">(.*?)</div>', flags=re.DOTALL)
TAG = re.compile(r"<[^>]+>")
PROMPTS = {"pycon": (">>> ", "... "), "console": ("$ ",)}


#: What is left as it is, and code that may be a public name.
CODE = re.compile(r"<(a|pre|h[1-6])\b.*?</\1>|<code>([\w.]+)</code>", flags=re.DOTALL)


def generated_pages() -> dict[str, str]:
    """The pages that are made while the site is built: the references to the library and to the command line."""
    return reference.pages() | {command_reference.PAGE: command_reference.page()}


def on_files(files: Any, config: Any) -> Any:
    """Add the reference to the site."""
    from mkdocs.structure.files import File

    for place, text in generated_pages().items():
        files.append(File.generated(config, place, content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Show a blank line as a blank line, and no options of the tests."""
    return MARK.sub("", markdown.replace("<BLANKLINE>\n", "\n"))


def on_page_content(content: str, page: Any, **_: Any) -> str:
    """Let the copy button of a session copy what was typed, and let public names lead to the reference."""
    content = SESSION.sub(_with_code, content)
    return content if page is None else linked(content, page.url)


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


def linked(content: str, address: str) -> str:
    """A page in which code that is a public name leads to its explanation; address: the page's own.

    >>> linked("<code>quercus.measures.gain</code>, <code>n</code>", "concepts/entropy.html")
    '<a href="../reference/measures.html#gain"><code>quercus.measures.gain</code></a>, <code>n</code>'
    """
    here = re.fullmatch(r"reference/(\w+)\.html", address)
    own = reference.public_names().get(here[1], []) if here else []

    def link(match: re.Match[str]) -> str:
        name = match[2] or ""
        place = (here[1], name) if here and name in own else None
        if place is None and (here or "." in name or name.endswith(("Classifier", "Regressor"))):
            place = reference.places().get(name)
        if place is None:
            return match[0]
        return f'<a href="{"../" * address.count("/")}reference/{place[0]}.html#{place[1]}">{match[0]}</a>'

    return CODE.sub(link, content)

"""The page docs/rules.md: every example on it is run, and every public name is on it."""

import doctest
import re
from pathlib import Path

import quercus.rules

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"


def test_every_example_of_the_page_gives_what_it_says() -> None:
    text = PAGE.read_text(encoding="utf-8")
    sessions = re.findall(r"^```pycon\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    examples = doctest.DocTestParser().get_doctest("\n".join(sessions), {}, PAGE.name, str(PAGE), 0)
    assert len(examples.examples) > 30
    report: list[str] = []
    doctest.DocTestRunner().run(examples, out=report.append)
    assert not report, "".join(report)


def test_every_public_name_is_on_the_page_and_says_what_it_is() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in quercus.rules.__all__ if not re.search(rf"`{name}\b", text)] == []
    for name in quercus.rules.__all__:
        assert (getattr(quercus.rules, name).__doc__ or "").strip(), name

"""The page docs/pruning.md: every example on it is run, and every public name is on it."""

import doctest
import re
from pathlib import Path

import quercus.pruning

PAGE = Path(__file__).parents[2] / "docs" / "pruning.md"


def test_every_example_of_the_page_gives_what_it_says() -> None:
    text = PAGE.read_text(encoding="utf-8")
    sessions = re.findall(r"^```pycon\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    examples = doctest.DocTestParser().get_doctest("\n".join(sessions), {}, PAGE.name, str(PAGE), 0)
    assert len(examples.examples) > 30
    report: list[str] = []
    doctest.DocTestRunner().run(examples, out=report.append)
    assert not report, "".join(report)


def test_every_public_name_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in quercus.pruning.__all__ if not re.search(rf"`{name}\b", text)] == []


def test_every_public_name_says_what_it_is() -> None:
    for name in quercus.pruning.__all__:
        assert (getattr(quercus.pruning, name).__doc__ or "").strip(), name

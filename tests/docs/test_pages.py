"""The pages of docs/: every example is run, every picture is what the library draws, every link leads somewhere."""

from __future__ import annotations

import importlib
import itertools
import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import quercus.measures
import quercus.pruning
import quercus.rules

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def _tool(name: str) -> ModuleType:
    """A program of docs/; those that it imports itself stand beside it."""
    if str(DOCS) not in sys.path:
        sys.path.append(str(DOCS))
    return importlib.import_module(name)


RUN = _tool("run_pages")
PAGES = RUN.pages()
NAMES = [str(page.relative_to(DOCS)) for page in PAGES]
WITHOUT_EXAMPLES = {"benchmarks.md", "comparison.md", "specification.md"}

GENERATED = _tool("site_hooks").generated_pages()

pytest.importorskip("pandas", reason="the pages' tables are pandas frames")
pytest.importorskip("typer", reason='the pages call the command line: pip install "quercus[cli]"')


def _erratic_clock() -> SimpleNamespace:
    """A clock on which a fit takes now a millisecond, now minutes: a page must hold on any machine."""
    steps = itertools.accumulate(itertools.cycle([0.0, 0.001, 0.0, 7.3, 0.0, 4000.0]))
    return SimpleNamespace(perf_counter=lambda: next(steps))


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_example_gives_what_the_page_says_and_every_picture_is_as_drawn(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quercus.evaluation.comparison.time", _erratic_clock())
    examples, wrong, pictures = RUN.run_page(page)
    assert not wrong, "\n".join(wrong)
    assert (examples > 0) == (page.name not in WITHOUT_EXAMPLES and page.parent.name != "decisions")
    shown = set(re.findall(r"!\[[^\]]+\]\((?:\.\./)?pictures/(\w+\.svg)\)", page.read_text(encoding="utf-8")))
    assert shown <= set(pictures), "a page shows only what its own code draws"
    for name in shown:
        assert (DOCS / "pictures" / name).read_text(encoding="utf-8") == pictures[name], f"{name}: run make pictures"


def test_a_wrong_page_is_found_out(tmp_path: Path) -> None:
    page = tmp_path / "wrong.md"
    page.write_text(
        "```pycon\n>>> 1 + 1\n3\n>>> x = 5\n```\ntext\n```pycon\n>>> x\n5\n```\n"
        "```console\n$ quercus measures 9 5\nentropy = 1\n$ rm x\n```\n"
    )
    examples, wrong, _ = RUN.run_page(page)
    assert examples == 5
    assert len(wrong) == 3
    assert "Expected:\n    3" in wrong[0] and "0.9403" in wrong[1] and "not rm" in wrong[2]


def test_all_pictures_are_shown_and_small() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    for picture in (DOCS / "pictures").iterdir():
        assert f"pictures/{picture.name})" in text, f"{picture.name} is on no page: run make pictures"
        assert picture.stat().st_size < 100_000, f"{picture.name} is large for a page"


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_code_block_is_one_that_is_run(page: Path) -> None:
    assert {language for _, language, _ in RUN.blocks(page)} <= {"pycon", "console"}


def _anchors(page: Path) -> set[str]:
    heads = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", head.lower())).strip("-") for head in heads}


@pytest.mark.parametrize(
    "page", [*PAGES, ROOT / "README.md", ROOT / "ARCHITECTURE.md"], ids=[*NAMES, "README", "HOUSE"]
)
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    prose = RUN.FENCE.sub("", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if target.startswith(("http://", "https://")):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        if there.parent == DOCS / "reference":  # made while the site is built
            made = GENERATED[f"reference/{there.name}"]
            assert not anchor or f"{{ #{anchor} }}" in made, f"{page.name}: {target}"
            continue
        assert there.exists(), f"{page.name}: {target}"
        assert not anchor or anchor in _anchors(there), f"{page.name}: {target}"


def test_every_page_has_its_place_in_the_site() -> None:
    site = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    shown = set(re.findall(r"^ +- (?:[^:\n]+: )?(\S+\.md)$", site, re.MULTILINE))
    assert shown == {*NAMES, *GENERATED}
    assert "http" not in re.sub(r"#.*", "", site), "the site must not need the network"


@pytest.mark.parametrize(
    ("page", "module"),
    [("measures.md", quercus.measures), ("pruning.md", quercus.pruning), ("rules.md", quercus.rules)],
)
def test_every_public_name_is_on_its_page_and_says_what_it_is(page: str, module: Any) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    assert [name for name in module.__all__ if not re.search(rf"`{name}\b", text)] == []
    assert [name for name in module.__all__ if not (getattr(module, name).__doc__ or "").strip()] == []


def test_the_copy_button_copies_what_was_typed_without_prompts_and_output() -> None:
    prompt = '<span class="gp">&gt;&gt;&gt; </span>'
    python = f'{prompt}print("a &lt; b")\na &lt; b\n{prompt}x = 1\n'
    shown = f'<div class="language-pycon highlight"><pre><code>{python}</code></pre></div>'
    shown += '<div class="language-console highlight"><pre>$ quercus show m\nx</pre></div>'
    made = _tool("site_hooks").on_page_content(shown, page=None)
    assert 'data-copy="print(&quot;a &lt; b&quot;)\nx = 1"' in made and 'data-copy="quercus show m"' in made
    assert re.sub(r' data-copy="[^"]*"', "", made) == shown
    site = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert "pygments_lang_class: true" in site, "the hook knows a session by the class of its language"


def test_search_works_from_a_file_without_the_network() -> None:
    site = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert re.search(r"^  - offline\b", site, re.MULTILINE)
    assert re.search(r"^    - iframe-worker\.js\b", site, re.MULTILINE), "else the plugin names one on the network"
    assert "window.Worker = class" in (DOCS / "iframe-worker.js").read_text(encoding="utf-8")


def test_every_claim_about_another_program_names_its_source() -> None:
    page = (DOCS / "comparison.md").read_text(encoding="utf-8")
    sources = dict(re.findall(r"^\[([a-z]\d)\]: (https://\S+)$", page, re.MULTILINE))
    assert set(re.findall(r"\[([a-z]\d)\](?!:)", page)) == set(sources)
    without = {"other packages", "by hand", "yes", "R serialisation", "R's numbers", "Java"}
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and not line.startswith(("| |", "| ---")):
            for cell in cells[2:]:
                assert cell == "–" or cell in without or re.search(r"\[[a-z]\d\]", cell), (cells[0], cell)

"""The page docs/model_files.md: every example on it is run, and every member of the file is on it."""

from __future__ import annotations

import doctest
import os
import re
from pathlib import Path

import pytest

import quercus.models

PAGE = Path(__file__).parents[2] / "docs" / "model_files.md"


def test_every_example_of_the_page_gives_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(os.getcwd())  # the page changes the folder; this puts it back
    text = PAGE.read_text(encoding="utf-8")
    sessions = re.findall(r"^```pycon\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    examples = doctest.DocTestParser().get_doctest("\n".join(sessions), {}, PAGE.name, str(PAGE), 0)
    assert len(examples.examples) > 15
    report: list[str] = []
    doctest.DocTestRunner().run(examples, out=report.append)
    assert not report, "".join(report)


def test_every_member_of_the_file_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in quercus.models.schema()["properties"] if f"`{name}`" not in text] == []

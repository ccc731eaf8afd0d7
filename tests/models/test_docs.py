"""The page docs/model_files.md: every member of the file is on it."""

from __future__ import annotations

from pathlib import Path

import quercus.models

PAGE = Path(__file__).parents[2] / "docs" / "model_files.md"


def test_every_member_of_the_file_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in quercus.models.schema()["properties"] if f"`{name}`" not in text] == []

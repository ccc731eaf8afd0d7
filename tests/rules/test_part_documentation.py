"""The page on rule learners shows what really happens."""

from __future__ import annotations

import doctest
from pathlib import Path


def test_examples_of_the_page_on_rule_learners() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "rule_learners.md"
    outcome = doctest.testfile(str(page), module_relative=False)
    assert outcome.attempted > 8
    assert outcome.failed == 0

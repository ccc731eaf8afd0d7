"""The lecture's comparison with nearest neighbours: its claims hold in the example."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "knn_comparison.py"


@pytest.fixture(scope="module")
def example() -> Any:
    """The example as a module."""
    if not EXAMPLE.exists():
        pytest.skip("the examples are not part of this copy")
    specification = importlib.util.spec_from_file_location("knn_comparison", EXAMPLE)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    import sys

    sys.modules["knn_comparison"] = module
    specification.loader.exec_module(module)
    return module


def test_claims_of_the_lecture(example: Any) -> None:
    before, alphabet, unit, scaled, irrelevant, unknown = example.compare(n_rows=400, n_asked=600)
    # names: a tree takes them as they are; numbers for names give neighbours what are none
    assert alphabet.tree_changed == alphabet.forest_changed == 0
    assert alphabet.knn_changed > 0 and alphabet.knn < before.tree
    # scale: a unit cannot matter to a question, but it rules the distance
    assert unit.tree_changed == unit.forest_changed == 0
    assert unit.knn < before.knn - 0.05
    assert scaled.tree_changed == 0 and scaled.knn > unit.knn
    # irrelevant attributes: hardly asked by the tree, half of the distance of the neighbours
    assert irrelevant.knn < before.knn - 0.05
    assert before.tree - irrelevant.tree < before.knn - irrelevant.knn
    # unknown values: both trees answer, and stay better than neighbours with means put in
    assert unknown.tree > 0.5 and unknown.forest > unknown.knn


def test_table_has_a_line_a_situation(example: Any) -> None:
    lines = example.compare(n_rows=60, n_asked=60)
    text = example.table_text(lines).splitlines()
    assert len(text) == 8 and len({len(line.split()) > 3 for line in text}) == 1

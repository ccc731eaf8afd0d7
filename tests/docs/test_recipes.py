"""The recipes of CONTRIBUTING.md: each names every file that its model stands in, and no other."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def _house() -> ModuleType:
    spec = importlib.util.spec_from_file_location("house", ROOT / "tools" / "house.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


HOUSE = _house()
RECIPES = dict(re.findall(r"^### (.+?)\n(.*?)(?=^##)", TEXT, re.MULTILINE | re.DOTALL))


def _listed(recipe: str) -> set[str]:
    """The files that a recipe lists, and those that it says ask for the addition."""
    lines = [line for line in re.split(r"\n(?! )", recipe) if line.startswith(("- ", "These ask for it"))]
    heads = [line.partition(": ")[0] if line.startswith("- ") else line for line in lines]
    return {path for head in heads for path in re.findall(r"`((?:src|core)/[\w./]+)`", head)}


def test_there_is_a_recipe_for_each_addition() -> None:
    assert set(RECIPES) == set(HOUSE.RECIPES)


@pytest.mark.parametrize("title", HOUSE.RECIPES)
def test_a_recipe_names_the_files_of_its_model_and_no_other(title: str) -> None:
    places = {file.relative_to(ROOT).as_posix() for file in HOUSE.places(ROOT, HOUSE.RECIPES[title])}
    assert _listed(RECIPES[title]) == places
    model = re.match(r"Like `(\w+)`", RECIPES[title])
    assert model is not None and re.search(HOUSE.RECIPES[title], f"{model[1]} 'tune')"), "the pattern is of that model"


def test_a_file_that_a_recipe_leaves_out_is_found() -> None:
    recipe = RECIPES["A pruner"].replace("- `src/quercus/pruning/__init__.py`", "- the table")
    assert len(_listed(recipe)) == len(_listed(RECIPES["A pruner"])) - 1


def test_additions_need_no_more_files_than_the_house_allows() -> None:
    most = {
        "A pruner": 2,
        "A command": 2,
        "An estimator": 4,
        "A rule learner": 5,
        "A question": 15,
        "A criterion": 2,
        "An exporter": 3,
        "A policy for unknown values": 8,
        "A kind of target": 18,
    }
    assert {title: len(_listed(RECIPES[title])) for title in most if len(_listed(RECIPES[title])) > most[title]} == {}

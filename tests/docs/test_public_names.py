"""What is public, and how a name is taken away: old names work, warn, and stand on the page with their end."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import pytest

from quercus import BaggingClassifier, C45Classifier, CARTClassifier
from quercus.datasets import load_play_tennis
from quercus.errors import RENAMED

DOCS = Path(__file__).resolve().parents[2] / "docs"
X, y = load_play_tennis()


def _caught(call: Any) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [warning for warning in caught if warning.category is FutureWarning]


@pytest.mark.parametrize(
    "call",
    [
        lambda: CARTClassifier(prune="validation").fit(X, y),
        lambda: BaggingClassifier(CARTClassifier(prune="validation"), n_estimators=2).fit(X, y),
        lambda: C45Classifier().fit(X, y).prune_with("validation", X, y),
    ],
    ids=["fit", "member", "prune_with"],
)
def test_an_old_name_warns_once_at_the_line_that_uses_it(call: Any) -> None:
    [warning] = _caught(call)
    assert str(warning.message) == RENAMED["validation"].message
    assert warning.filename == __file__


def test_a_new_name_and_a_model_file_of_the_old_one_do_not_warn(tmp_path: Path) -> None:
    import quercus

    assert _caught(lambda: CARTClassifier(prune="stop_by_validation").fit(X, y)) == []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        quercus.save(CARTClassifier(prune="validation").fit(X, y), tmp_path / "old.json")
    assert _caught(lambda: quercus.load(tmp_path / "old.json")) == []


def test_the_command_line_takes_old_names_and_says_so(tmp_path: Path) -> None:
    testing = pytest.importorskip("typer.testing", reason='the command line: pip install "quercus[cli]"')
    from quercus.cli.app import app

    def call(*arguments: str) -> Any:
        shown = testing.CliRunner().invoke(app, list(arguments), prog_name="quercus")
        assert shown.exit_code == 0, shown.output
        return shown

    model = str(tmp_path / "model.json")
    made = call("fit", "play_tennis", "--prune", "validation", "-o", model)
    assert made.stderr.count(RENAMED["validation"].message) == 1 and "FutureWarning" not in made.stderr
    assert call("rules", model, "--data", "play_tennis").stderr.count(RENAMED["--data"].message) == 1
    assert "called" not in call("rules", model, "play_tennis").stderr
    grown = str(tmp_path / "grown.json")
    call("fit", "play_tennis", "--prune", "no", "-o", grown)
    again = call("prune", grown, "play_tennis", "--method", "stop_by_validation")
    assert "so that stop_by_validation cuts little or nothing" in again.stderr


def test_the_page_lists_the_old_names() -> None:
    page = (DOCS / "public_names.md").read_text(encoding="utf-8").partition("## Old names")[2]
    rows = re.findall(r"^\| (The .+?) \| `(.+?)` \| `(.+?)` \| (\S+) \|$", page, re.MULTILINE)
    assert rows == [(row.what, row.old, row.new, row.ends) for row in RENAMED.values()]


def test_the_pages_import_public_names_only() -> None:
    """What a page tells readers to import is what the reference explains."""
    import importlib

    pages = [*DOCS.rglob("*.md"), DOCS.parent / "README.md"]
    lines = [line for page in pages for line in page.read_text(encoding="utf-8").splitlines()]
    imports = [match for line in lines if (match := re.match(r"(?:>>> )?from (quercus[\w.]*) import (.+)$", line))]
    assert len(imports) > 50
    for module, names in (match.groups() for match in imports):
        listed = importlib.import_module(module).__all__
        wanted = [name.strip() for name in re.sub(r"#.*", "", names).split(",")]
        assert module.count(".") <= 1 and set(wanted) - {"*"} <= set(listed), f"from {module} import {names}"

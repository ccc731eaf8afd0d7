"""Models that were fitted with weights are traced, reported, pruned and measured with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from cli.calling import error
from quercus import CARTClassifier
from quercus.cli.app import app
from quercus.report import report_html

runner = CliRunner()


@pytest.fixture
def table(tmp_path: Path) -> str:
    chance = np.random.default_rng(0)
    lines = ["a,b,w,cls"]
    for _ in range(60):
        a, b = chance.normal(size=2)
        lines.append(f"{a:.3f},{b:.3f},{chance.integers(1, 4)},{'yes' if a + b > 0 else 'no'}")
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def test_every_command_takes_the_weights_of_fitting(table: str, tmp_path: Path) -> None:
    model = str(tmp_path / "model.json")
    shown = runner.invoke(app, ["fit", table, "-t", "cls", "--weight", "w", "-a", "cart", "-o", model])
    assert shown.exit_code == 0 and "the weight of these 60 rows" in shown.output
    weight = ["--weight", "w"]
    page = str(tmp_path / "report.html")
    for words in (
        ["explain", model, table, "--node", "0", *weight],
        ["report", model, table, "-o", page, *weight],
        ["rules", model, table, *weight],
        ["prune", model, table, "-m", "cost_complexity", *weight],
    ):
        done = runner.invoke(app, words)
        assert done.exit_code == 0, done.output


def test_a_report_from_rows_takes_their_weights() -> None:
    X, y, w = {"x": [1.0, 2.0, 3.0, 4.0]}, ["a", "b", "a", "b"], [1.0, 2.0, 3.0, 4.0]
    model = CARTClassifier().fit(X, y, w)
    assert "<html" in report_html(model, X=X, y=y, sample_weight=w)


def test_a_wrong_option_of_pruning_by_hand_names_the_right_ones(table: str, tmp_path: Path) -> None:
    model = str(tmp_path / "model.json")
    runner.invoke(app, ["fit", table, "-t", "cls", "--drop", "w", "-a", "cart", "-o", model])
    done = runner.invoke(app, ["prune", model, "-m", "keep_leaves", "-p", "leaves=2"])
    assert "keep_leaves has no option 'leaves'; it takes 'n_leaves'" in done.output


@pytest.mark.parametrize(
    ("cell", "shown"), [("north", "'north'"), ("", "unknown"), ("inf", "'inf'"), ("2024-05-01", "'2024-05-01'")]
)
def test_a_weight_that_is_no_number_is_named(cell: str, shown: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(f"a,w,cls\n1,2,yes\n2,{cell},no\n3,1,no\n")
    message = error("fit", path, "-t", "cls", "--weight", "w", code=1)
    assert f"--weight w: the weight in line 3 of {path} is {shown}, but must be a finite number." in message
    assert "target" not in message and "regression" not in message

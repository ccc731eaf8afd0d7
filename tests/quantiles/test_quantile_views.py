"""Trees of quantiles to look at: pictures, reports and the command line."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli.calling import call, data, error, text

from quercus import CARTRegressor, load
from quercus.draw import tree_layout
from quercus.export.runtime import runtime
from quercus.report import collect_evidence, report_html

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3)) * 1000
Y = 30000 + X[:, 0] + np.abs(X[:, 1]) * RNG.normal(size=200)
DATA = re.compile(r'<script type="application/json" id="report-data">(.*?)</script>', re.DOTALL)


def tree(**options: Any) -> CARTRegressor:
    return CARTRegressor(**{"criterion": "pinball", "max_depth": 2, **options}).fit(X, Y)


def page_data(html: str) -> Any:
    found = DATA.search(html)
    assert found is not None
    return json.loads(found.group(1))


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("quantiles") / "prices.csv"
    lines = [",".join(f"{number:.2f}" for number in row) for row in np.column_stack([X, Y])]
    path.write_text("\n".join(["a,b,c,price", *lines]) + "\n")
    return path


@pytest.fixture(scope="module")
def model(table: Path) -> Path:
    path = table.parent / "model.json"
    call("fit", table, "-t", "price", "-p", "criterion=pinball", "-p", "max_depth=2", "-o", path)
    return path


# Pictures


@pytest.mark.parametrize("levels", [(0.1, 0.5, 0.9), (0.7, 0.9), (0.9,), tuple(i / 20 for i in range(1, 20))])
def test_a_leaf_shows_all_its_quantiles_whole(levels: tuple[float, ...]) -> None:
    fitted = tree(quantiles=levels)
    leaves = [box for box in tree_layout(fitted.tree_).boxes if box.kind == "leaf"]
    for box in leaves:
        words = fitted.tree_.target_kind.words(digits=(5, 3))
        number = fitted.tree_.chosen()[box.node]
        heading, *rest = words.parts(number, fitted.tree_.distributions()[box.node])
        assert box.heading == heading
        assert ", ".join(box.lines[:-1]) == ", ".join(rest)
        assert not any("…" in line for line in (box.heading, *box.lines))


def test_a_picture_of_numbers_is_as_before() -> None:
    boxes = tree_layout(CARTRegressor(max_depth=1).fit(X, Y).tree_).boxes
    assert [len(box.lines) for box in boxes] == [1, 1, 1]


# Reports


@pytest.mark.parametrize("levels", [(0.1, 0.5, 0.9), (0.7, 0.9), (0.9,)])
def test_a_tree_of_quantiles_has_a_report(levels: tuple[float, ...]) -> None:
    fitted = tree(quantiles=levels)
    html = report_html(fitted, evidence=collect_evidence(fitted, X, Y))
    found = page_data(html)
    rules = found["rules"]
    assert rules["total"] == fitted.tree_.n_leaves and not rules["decides"]
    words, answers = fitted.tree_.target_kind.words(), fitted.tree_.distributions()
    for row in rules["rows"]:
        assert row["then"] == words.answer(fitted.tree_.chosen()[row["leaf"]], answers[row["leaf"]])
        assert row["if"]
    assert found["tree"]["quantiles"]["numbers"] == answers.tolist()
    assert found["tree"]["mean"] == fitted.tree_.target_kind.layout.column(fitted.tree_.value, "mean").tolist()
    assert "pinball loss" in html
    assert report_html(fitted) and report_html(fitted.tree_)


def test_a_report_calls_a_mean_what_is_one() -> None:
    fitted = CARTRegressor(criterion="absolute_error", max_depth=1).fit(X, Y)
    found = page_data(report_html(fitted))["tree"]
    assert found["mean"][0] == pytest.approx(Y.mean()) and found["answer"][0] == pytest.approx(np.median(Y))
    assert "mean" not in page_data(report_html(CARTRegressor(max_depth=1).fit(X, Y)))["tree"]


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_form_of_a_report_answers_all_quantiles(tmp_path: Path) -> None:
    """The page's own scripts, outside a browser."""
    fitted = tree(missing="fractional", quantiles=(0.2, 0.7, 0.9))
    rows = [[0.0, 10.0, 20.0], [None, 900.0, None], [None, None, None]]
    folder = files("quercus.report") / "assets"
    names = ("words.js", "tree_model.js", "case_form.js")
    scripts = [(folder / name).read_text(encoding="utf-8") for name in names]
    scripts.insert(0, runtime("answers.js"))
    scripts.insert(0, "const document = { createElement: () => ({ getContext: () => ({}) }) };")
    script = f"""
    const data = {json.dumps(page_data(report_html(fitted)))};
    const tree = new TreeModel(data);
    const told = {json.dumps(rows)}.map((row) => tree.classify(row).shares);
    console.log(JSON.stringify([told, tree.numberWords([1, 2, 3.5], 5), tree.shortText(0)]));
    """
    path = tmp_path / "form.js"
    path.write_text("\n".join([*scripts, script]), encoding="utf-8")
    done = subprocess.run(["node", str(path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    answers, words, short = json.loads(done.stdout)
    np.testing.assert_allclose(answers, fitted.predict_quantiles(np.array(rows, dtype=float)))
    assert words == "2 (quantile 0.7; 0.2: 1, 0.9: 3.5)" and "(" not in short


# The command line


def test_quantiles_on_the_command_line(table: Path, model: Path) -> None:
    lines = text("predict", model, table, "--quantiles", "0.9,0.1").splitlines()
    assert lines[0] == "answer price,quantile 0.9,quantile 0.1"
    loaded = load(model)
    expected = loaded.predict_quantiles({name: X[:, place].round(2) for place, name in enumerate("abc")}, [0.9, 0.1])
    found = np.array([[float(cell) for cell in line.split(",")[1:]] for line in lines[1:]])
    np.testing.assert_allclose(found, expected)
    assert list(data("predict", model, table, "--quantiles", "all")[0])[1:] == [
        "quantile 0.1",
        "quantile 0.5",
        "quantile 0.9",
    ]
    assert "is asked for 0.2" in error("predict", model, table, "--quantiles", "0.2", code=2)
    assert "--quantiles is 'x'" in error("predict", model, table, "--quantiles", "x", code=2)


def test_a_model_without_quantiles_says_so(table: Path, tmp_path: Path) -> None:
    call("fit", table, "-t", "price", "-p", "max_depth=1", "-o", tmp_path / "m.json")
    for levels in ("all", "0.1"):
        assert "answers numbers, no quantiles" in error(
            "predict", tmp_path / "m.json", table, "--quantiles", levels, code=2
        )


def test_reasons_and_a_report_of_a_tree_of_quantiles(table: Path, model: Path, tmp_path: Path) -> None:
    lines = text("predict", model, table, "--explain").splitlines()
    assert lines[0] == "answer price,why" and all(" <= " in line or " > " in line for line in lines[1:])
    text("report", model, "-o", tmp_path / "r.html")
    assert "report-data" in (tmp_path / "r.html").read_text()


def test_the_effect_of_pruning_by_unseen_rows(table: Path, model: Path, tmp_path: Path) -> None:
    text("plot", model, "-k", "pruning", "--test", table, "-o", tmp_path / "p.svg")
    assert "leaves of the tree" in (tmp_path / "p.svg").read_text()


def test_notes_on_quantiles(table: Path, tmp_path: Path) -> None:
    forest = ("fit", table, "-t", "price", "-a", "forest", "--trees", "3")
    told = call(*forest, "-p", "keep_targets=true", "-o", tmp_path / "f.json").stderr
    assert "does not keep the training targets" in told
    assert "does not keep" not in call(*forest, "-p", "keep_targets=true").stderr
    assert "does not count" in call("fit", table, "-t", "price", "-p", "quantiles=0.05,0.95").stderr
    notes = data("fit", table, "-t", "price", "-p", "criterion=pinball")["notes"]
    assert len(notes) == 1 and "min_samples_leaf=10" in notes[0]


def test_a_forest_by_pinball_on_the_command_line(table: Path, tmp_path: Path) -> None:
    path = tmp_path / "f.json"
    options = ("-p", "criterion=pinball", "-p", "min_samples_leaf=10")
    call("fit", table, "-t", "price", "-a", "forest", "--trees", "20", *options, "-o", path)
    assert "coverage" in text("evaluate", path, table)
    text("report", path, "-o", tmp_path / "r.html")
    assert text("predict", path, table, "--quantiles", "all").startswith("answer price,quantile 0.1,")

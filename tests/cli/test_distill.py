"""``quercus distill``: one tree or rule list from a collection, with its table, errors, data and model file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import quercus
from cli.calling import ROWS, UNSEEN, call, data, error, text
from quercus.cli.tables import read_rows
from quercus.models import read_model


def labelled(path: str, model: Any) -> tuple[Any, Any]:
    rows = read_rows(path, model=model)
    return rows.X, rows.y


def test_it_is_the_distillation_of_the_library(forest: Path, tmp_path: Path) -> None:
    out = tmp_path / "tree.json"
    found = data("distill", forest, ROWS, "--test", UNSEEN, "--leaves", 5, "--synthetic", 30, "--seed", 3, "-o", out)
    model = quercus.load(forest)
    expected = quercus.distill(
        model,
        *labelled(ROWS, model),
        max_leaf_nodes=5,
        n_synthetic=30,
        random_state=3,
        test=labelled(UNSEEN, model),
    )
    assert found["distilled"] == expected.to_dict() and found["output"] == str(out)
    assert quercus.load(out).tree_ == expected.model.tree_
    assert found["model"]["leaves"] == 5 and found["tree"] == expected.model.tree_.to_dict()


def test_it_prints_the_tree_and_the_table(forest: Path, tmp_path: Path) -> None:
    out = tmp_path / "tree.json"
    shown = text("distill", forest, ROWS, "--test", UNSEEN, "--leaves", 4, "-o", out)
    model = quercus.load(out)
    assert shown.startswith(model.tree_.to_text()) and "CART: 7 nodes, 4 leaves" in shown
    lines = shown.splitlines()
    header = lines.index("model      size      accuracy  fidelity")
    assert [line.split()[0] for line in lines[header + 1 : header + 4]] == ["forest", "distilled", "plain"]
    rows = labelled(UNSEEN, model)
    assert lines[header + 1].endswith("1.000")
    assert lines[header + 2].split() == [
        "distilled", "4", "leaves", f"{model.score(*rows):.3f}",
        f"{(model.predict(rows[0]) == quercus.load(forest).predict(rows[0])).mean():.3f}",
    ]  # fmt: skip
    assert "rows that the imitation has not learnt from" in shown and f"Written to {out}" in shown


def test_into_rules(forest: Path, tmp_path: Path) -> None:
    out = tmp_path / "rules.json"
    shown = text("distill", forest, ROWS, "--into", "rules", "--test", UNSEEN, "-o", out)
    model = quercus.load(out)
    assert isinstance(model, quercus.C45RulesClassifier) and shown.startswith(model.rules_.text())
    assert f"distilled  {len(model.rules_)} rules" in shown and "C4.5 rules:" in shown
    found = data("distill", forest, ROWS, "--into", "rules", "--depth", 2)
    assert found["distilled"]["into"] == "rules" and "tree" not in found and found["rules"]
    assert not found["distilled"]["held_out"] and found["output"] is None


def test_the_imitation_is_a_model_like_any_other(forest: Path, tmp_path: Path) -> None:
    out = tmp_path / "tree.json"
    call("distill", forest, ROWS, "--leaves", 4, "-o", out)
    made = read_model(out).provenance
    assert made["distilled"]["from"]["model"] == forest.name and made["distilled"]["models"][1]["size"] == "4 leaves"
    assert made["distilled"]["from"]["provenance"]["data"]["rows"] == 200 == made["data"]["rows"]
    assert "IF" in text("rules", out) and text("evaluate", out, UNSEEN).startswith("CART: 7 nodes")
    call("plot", out, "-o", tmp_path / "tree.svg")
    call("report", out, "-o", tmp_path / "tree.html")
    assert "Answer:" in text("explain", out, "--data", UNSEEN, "--row", 1)
    assert len(text("predict", out, UNSEEN, "--explain").splitlines()) == 151


def test_a_share_of_the_rows_is_held_out(forest: Path) -> None:
    ran = call("distill", forest, ROWS, "--test", "0.25", "--json")
    assert '"n_rows": 150' in ran.stdout and '"held_out": true' in ran.stdout
    assert ran.stderr.startswith("Note: the forest was fitted to monks") and "has seen the rows" in ran.stderr
    other = call("distill", forest, UNSEEN, "--test", "0.2", "--json")
    assert '"n_rows": 120' in other.stdout and other.stderr == ""
    one, again = (data("distill", forest, UNSEEN, "--test", 0.2, "--seed", 5) for _ in range(2))
    assert one == again and one != data("distill", forest, UNSEEN, "--test", 0.2, "--seed", 6)


def test_without_test_rows_it_says_on_what_it_measured(forest: Path) -> None:
    shown = text("distill", forest, ROWS)
    assert "measured on the rows that the imitation was learnt from; --test" in shown
    assert "The model was not kept" in shown


def test_rows_need_no_target(forest: Path, tmp_path: Path) -> None:
    table = tmp_path / "asked.csv"
    call("datasets", UNSEEN, "-o", table)
    table.write_text("\n".join(line.rpartition(",")[0] for line in table.read_text().splitlines()))
    assert "monk_1" not in table.read_text()
    for more in ([], ["--test", "0.5"]):
        found = data("distill", forest, table, *more)["distilled"]["models"]
        assert [row["name"] for row in found] == ["forest", "distilled"]
        assert found[1]["score"] is None and 0.5 < found[1]["fidelity"] <= 1
    assert "–" in text("distill", forest, table)


def test_numbers(number_forest: Path, prices_csv: Path, tmp_path: Path) -> None:
    out = tmp_path / "tree.json"
    shown = text("distill", number_forest, prices_csv, "--test", "0.3", "--leaves", 6, "-o", out)
    assert "R²" in shown and "6 leaves" in shown and quercus.load(out).get_n_leaves() == 6
    assert "--into rules is for classes" in error("distill", number_forest, prices_csv, "--into", "rules", code=2)


@pytest.mark.parametrize(
    "options", [["-a", "boosted"], ["-a", "bagging", "-p", "estimator=part"], ["-a", "bagging", "-p", "estimator=c45"]]
)
def test_every_collection_can_be_imitated(tmp_path: Path, options: list[str]) -> None:
    path = tmp_path / "many.json"
    call("fit", ROWS, *options, "--trees", 5, "-o", path)
    found = data("distill", path, ROWS, "--test", UNSEEN, "--leaves", 8)["distilled"]["models"]
    assert found[0]["fidelity"] == 1.0 and found[1]["fidelity"] > 0.7


def test_a_model_that_is_no_collection_is_refused(tennis: Path, ripper: Path) -> None:
    said = error("distill", tennis, "play_tennis", code=2)
    assert "This is a C45Classifier, which is one tree already; distill takes a collection" in said
    assert "quercus fit DATA --algorithm forest -o forest.json" in said
    assert "This is a RIPPERClassifier, which is rules already" in error("distill", ripper, "play_tennis", code=2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--into", "leaf"], "--into is 'leaf', but must be one of 'tree', 'rules'"),
        (["--into", "rules", "--leaves", "4"], "--leaves is for --into tree"),
        (["--test", ROWS], "holds the same rows as"),
        (["--test", "1.5"], "--test is 1.5, but must be a share between 0 and 1, or a file."),
        (["--test", "nan"], "--test is nan, but must be a share"),
        (["--test", "no.csv"], "There is no file 'no.csv'"),
        (["--leaves", "1"], "--leaves"),
        (["--synthetic", "-1"], "--synthetic"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(forest: Path, arguments: list[str], words: str) -> None:
    assert words in error("distill", forest, ROWS, *arguments, code=2)


def test_rows_that_lack_columns_are_refused(forest: Path, prices_csv: Path) -> None:
    assert "which the model was fitted with" in error("distill", forest, prices_csv, code=1)

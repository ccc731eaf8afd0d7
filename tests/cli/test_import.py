"""``quercus import``: files of other libraries become model files that every command takes."""

from __future__ import annotations

import json
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from imports.test_lightgbm import TEXT
from imports.test_rpart import LOSS
from imports.test_xgboost import booster, tree
from typer.testing import CliRunner

import quercus
from quercus.cli.app import app
from quercus.imports.importers import IMPORTERS

runner = CliRunner()


def run(*words: Any, code: int = 0) -> Any:
    done = runner.invoke(app, [str(word) for word in words])
    assert done.exit_code == code, done.output
    return done


@pytest.fixture
def model(tmp_path: Path) -> Path:
    (tmp_path / "booster.json").write_text(json.dumps(booster(tree(), tree(), objective="binary:logistic", base="0.5")))
    path = tmp_path / "model.json"
    run("import", tmp_path / "booster.json", "--from", "xgboost", "--classes", "no, yes", "-t", "y", "-o", path)
    (tmp_path / "rows.csv").write_text("x,y\n1,no\n2,no\n3,yes\n4,yes\n")
    return path


def test_a_text_of_lightgbm_becomes_a_model_file(tmp_path: Path) -> None:
    (tmp_path / "model.txt").write_text(TEXT)
    done = run(
        "import", tmp_path / "model.txt", "--from", "lightgbm", "--features", "age", "-o", tmp_path / "model.json"
    )
    assert "Sum of trees: 1 tree, 5 nodes, 3 leaves" in done.output
    loaded = quercus.load(tmp_path / "model.json")
    assert loaded.schema.names == ("age",) and loaded.predict({"age": [1.0, 3.0]}).tolist() == [1.0, 2.0]


def test_every_command_takes_it(model: Path, tmp_path: Path) -> None:
    rows, one = tmp_path / "rows.csv", tmp_path / "one.json"
    assert run("predict", model, rows).output.split() == ["answer", "y", "no", "no", "yes", "yes"]
    assert "accuracy                  1.000" in run("evaluate", model, rows).output
    assert "Share of each attribute in the gain" in run("show", model).output
    assert "x <= 2.499999881: -1" in run("show", model, "--tree", "1", "-o", one).output
    assert "Answer: 1" in run("explain", one, rows, "--row", "4").output
    assert "x > 2.499999881" in run("predict", one, rows, "--explain").output
    assert "importance by permutation" in run("importance", model, rows).output
    assert run("report", model, "-o", tmp_path / "page.html").output.startswith("Written")
    run("export", model, "-f", "python", "-o", tmp_path / "model.py", "--vectors", tmp_path / "vectors.json")
    assert "all labels equal" in run("verify-export", tmp_path / "model.py", tmp_path / "vectors.json").output
    told = json.loads(run("show", model, "--json").output)["model"]
    assert told["estimator"] == "ScoreSum" and told["classes"] == ["no", "yes"]


def test_what_needs_one_tree_says_how_to_get_one(model: Path, tmp_path: Path) -> None:
    for words in (
        ["rules", model],
        ["explain", model, tmp_path / "rows.csv"],
        ["plot", model, "-o", tmp_path / "a.svg"],
    ):
        assert "quercus show MODEL --tree 0" in " ".join(run(*words, code=2).output.split())


def test_json_tells_what_was_made(model: Path, tmp_path: Path) -> None:
    done = run("import", tmp_path / "booster.json", "--from", "xgboost", "-o", tmp_path / "two.json", "--json")
    assert json.loads(done.output)["model"]["members"] == 2


def test_pickles_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "model.pkl").write_bytes(b"cos\nsystem\n(S'touch here'\ntR.")
    done = run("import", tmp_path / "model.pkl", "--from", "sklearn", "-o", tmp_path / "model.json", code=2)
    assert "quercus.from_sklearn(joblib.load(" in done.output and not (tmp_path / "model.json").exists()


def test_wrong_calls(tmp_path: Path) -> None:
    (tmp_path / "model.txt").write_text(TEXT)
    words = ["import", tmp_path / "model.txt", "-o", tmp_path / "model.json"]
    assert "--from" in run(*words, "--from", "catboost", code=2).output
    assert "2 feature_names, but" in run(*words, "--from", "lightgbm", "--features", "a,b", code=2).output
    assert "XGBoost" in run(*words, "--from", "xgboost", code=1).output
    assert not (tmp_path / "model.json").exists()


def test_the_table_names_functions_that_there_are() -> None:
    for one in IMPORTERS.values():
        assert callable(one.load()) and getattr(quercus, one.function) is one.load()


def test_help_names_every_importer_and_option() -> None:
    told = " ".join(run("import", "--help").output.split())
    for one in IMPORTERS.values():
        assert one.name in told
        assert set(one.options) <= {"--features", "--classes", "--schema"}
        assert set(one.options.values()) <= set(signature(one.load()).parameters)


def test_rpart_takes_classes(tmp_path: Path) -> None:
    (tmp_path / "fit.txt").write_text(LOSS)
    words = ["import", tmp_path / "fit.txt", "--from", "rpart", "-o", tmp_path / "model.json"]
    told = " ".join(run(*words, "--features", "a", code=2).output.split())
    assert "--from rpart takes no --features; it takes --classes." in told
    run(*words, "--classes", "absent,present")
    assert quercus.load(tmp_path / "model.json").labels == ("absent", "present")


def test_j48_takes_the_arff_file(tmp_path: Path) -> None:
    (tmp_path / "tree.txt").write_text(
        "J48 pruned tree\n---\n\nc = a: no (2.0)\nc != a: yes (3.0)\n\nNumber of Leaves: 2\n"
    )
    (tmp_path / "t.arff").write_text("@relation t\n@attribute c {a,b,d}\n@attribute y {yes,no}\n@data\na,no\n")
    words = ["import", tmp_path / "tree.txt", "--from", "j48", "-o", tmp_path / "model.json"]
    run(*words, code=1)
    run(*words, "--schema", tmp_path / "t.arff")
    assert quercus.load(tmp_path / "model.json").predict({"c": ["a", "b", "d"]}).tolist() == ["no", "yes", "yes"]


def test_dead_ends_say_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "fit.txt").write_text(LOSS)
    (tmp_path / "rows.csv").write_text("Start,Age,K\n3,10,present\n13,20,absent\n")
    model, rows = tmp_path / "model.json", tmp_path / "rows.csv"
    run("import", tmp_path / "fit.txt", "--from", "rpart", "--classes", "absent,present", "-o", model)
    told = " ".join(run("report", model, rows, "-o", tmp_path / "page.html", code=2).output.split())
    assert "Import the model again with --target COLUMN" in told and "'K'" in told
    assert "accuracy" in run("evaluate", model, rows, "--target", "K").output
    for words in ([], [rows], ["--natural"]):
        told = " ".join(run("explain", model, *words, code=2).output.split())
        assert "An imported model has no trace" in told and "quercus explain MODEL DATA --row 1" in told
    assert "Answer: " in run("explain", model, rows, "--row", "1").output


def test_a_report_points_other_rows_to_test(tmp_path: Path) -> None:
    few, other, model = tmp_path / "few.csv", tmp_path / "other.csv", tmp_path / "model.json"
    few.write_text("c,y\na,no\na,no\nb,yes\nb,yes\n")
    other.write_text("c,y\na,no\nb,no\nb,yes\nb,yes\nb,yes\n")
    run("fit", few, "-t", "y", "-o", model)
    told = run("report", model, other, "-o", tmp_path / "page.html", code=1).output
    assert "--test" in told and "sample_weight" not in told and not (tmp_path / "page.html").exists()
    run("report", model, "--test", other, "-o", tmp_path / "page.html")

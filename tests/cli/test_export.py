"""``quercus export`` and ``quercus verify-export``."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from quercus import C45Classifier, ID3Classifier, save
from quercus.cli.app import app
from quercus.cli.verify_export import verify_export
from quercus.datasets import load_play_tennis
from quercus.export import ENGINES

runner = CliRunner()


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "model.json"
    save(C45Classifier().fit(*load_play_tennis()), path)
    return str(path)


def run(*words: str, code: int = 0) -> Any:
    done = runner.invoke(app, list(words))
    assert done.exit_code == code, done.output
    return done


@pytest.mark.parametrize("form, suffix", [("python", "py"), ("sql", "sql")])
def test_an_export_is_written_and_verified(model: str, tmp_path: Path, form: str, suffix: str) -> None:
    written, vectors = str(tmp_path / f"out.{suffix}"), str(tmp_path / "vectors.json")
    words = ["--key", "id"] if form == "sql" else []
    done = run("export", model, "--format", form, "-o", written, "--vectors", vectors, *words)
    assert "Checksum of the model: sha256:" in done.output
    assert "all labels equal, numbers equal to the last bit" in run("verify-export", written, vectors).output
    assert json.loads(run("verify-export", written, "--model", model, "--json").output)["wrong"] == 0


def test_an_export_of_another_model_is_noticed(model: str, tmp_path: Path) -> None:
    X, y = load_play_tennis()
    other, written = str(tmp_path / "other.json"), str(tmp_path / "out.py")
    save(C45Classifier(prune=False, min_objects=1, smoothing="laplace").fit(X, y), other)
    run("export", other, "-f", "python", "-o", written)
    done = run("verify-export", written, "--model", model, code=1)
    assert "made from another one, or changed" in done.output


def test_the_list_says_what_each_format_can(model: str) -> None:
    assert "can say this model" in run("export", model, "--list").output
    listed = json.loads(run("export", model, "--list", "--json").output)
    assert {row["format"]: row["can"] for row in listed["formats"]}["python"] is True


def test_options_of_formats(model: str) -> None:
    assert "int loan_predict(" in run("export", model, "-f", "c", "--set", "prefix=loan").output
    assert "CREATE VIEW" in run("export", model, "-f", "sql", "--dialect", "postgres", "--view", "v").output


@pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="no C compiler is installed")
def test_an_export_to_c_with_another_prefix_is_verified(model: str, tmp_path: Path) -> None:
    written = str(tmp_path / "loan.c")
    run("export", model, "-f", "c", "--set", "prefix=loan", "-o", written)
    assert "numbers equal to the last bit" in run("verify-export", written, "--model", model).output


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
def test_an_export_to_excel_is_verified(tmp_path: Path) -> None:
    path, written = str(tmp_path / "tennis.json"), str(tmp_path / "tennis.xlsx")
    save(ID3Classifier().fit(*load_play_tennis()), path)
    run("export", path, "-f", "excel", "-o", written)
    assert "all labels equal" in run("verify-export", written, "--model", path).output


def test_endings_and_engines_are_told(model: str, tmp_path: Path) -> None:
    source = Path(verify_export.__code__.co_filename).read_text(encoding="utf-8")
    assert f'help="{", ".join(ENGINES)}; "' in source, "the help lists every engine"
    message = run("verify-export", str(tmp_path / "model.txt"), "--model", model, code=2).output
    assert ".js, .mjs" in message and ".xlsx" in message
    if shutil.which("node"):
        written = str(tmp_path / "model.js")
        run("export", model, "-f", "javascript", "-o", written)
        assert "node: " in run("verify-export", written, "--model", model).output


def test_an_export_that_was_cut_off_is_named_with_its_line(model: str, tmp_path: Path) -> None:
    whole, broken = str(tmp_path / "whole.py"), tmp_path / "broken.py"
    run("export", model, "-f", "python", "-o", whole)
    text = Path(whole).read_text(encoding="utf-8")
    pieces = {
        "is broken in line ": text[: text.index("'members'") + 40],
        "ends before its function predict": text[: text.index("def _encoded")],
    }
    for words, piece in pieces.items():
        broken.write_text(piece, encoding="utf-8")
        said = run("verify-export", str(broken), "--model", model, code=2).output
        assert words in said and "export the model again" in said and "broken.py" in said, said
        assert "not expected" not in said
    broken.write_bytes(text.encode() + b"# \xe2\x80")
    said = run("verify-export", str(broken), "--model", model, code=2).output
    assert f"is no text in line {text.count(chr(10)) + 1}." in said and "export the model again" in said

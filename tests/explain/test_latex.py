"""What is written as LaTeX can be set by LaTeX: traces, rules and gain tables, whatever the names; no line too long."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

from quercus import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
from quercus.data.latex import LATEX_PREAMBLE, latex_document, latex_words
from quercus.datasets import load_play_tennis
from quercus.measures import gain_table
from quercus.rules import class_formula

HOSTILE = [
    "50%_a&b$#{x}~^\\",
    'he said "<no>"',
    "größer ≤ π 日本 `a' −²",
    "x" * 120,
    "a long name with spaces that goes on and on for a while and then some",
]
needs_latex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")


def _hostile_table() -> tuple[pd.DataFrame, pd.Series]:
    X, y = load_play_tennis()
    X["number"] = [i * 1.25 / 7 for i in range(14)]
    X.columns = pd.Index(HOSTILE)
    X[HOSTILE[1]] = [HOSTILE[i % 3] for i in range(14)]
    X.iloc[3, 1] = X.iloc[7, 4] = None
    return X, pd.Series([HOSTILE[0] if label == "Yes" else HOSTILE[2] for label in y])


@cache
def _documents() -> dict[str, str]:
    X, y = load_play_tennis()
    hostile, labels = _hostile_table()
    numbers = list(range(14))
    by_sets = CARTClassifier(min_samples_leaf=1).fit(hostile, labels)
    regression = CARTRegressor(criterion="absolute_error").fit(hostile[HOSTILE[3:]], numbers)
    return {
        "ID3": ID3Classifier().fit(X, y).trace(X, y).to_latex(document=True),
        "C4.5": C45Classifier(min_objects=1).fit(hostile, labels).trace(hostile, labels).to_latex(document=True),
        "CART": by_sets.trace(hostile, labels).to_latex(document=True),
        "regression": regression.trace(hostile[HOSTILE[3:]], numbers).to_latex(document=True),
        "rules": by_sets.rules().to_latex(document=True),
        "formula": latex_document(f"${class_formula(by_sets.tree_, HOSTILE[0]).latex()}$"),
        "gain table": gain_table(hostile, labels).to_latex(document=True),
    }


@needs_latex
@pytest.mark.parametrize("name", ["ID3", "C4.5", "CART", "regression", "rules", "formula", "gain table"])
def test_documents_are_set_by_latex(name: str, tmp_path: Path) -> None:
    (tmp_path / "page.tex").write_text(_documents()[name], encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=600)
    assert run.returncode == 0, run.stdout[-2000:]
    assert (tmp_path / "page.pdf").stat().st_size > 1000
    # only a formula in mathematics, whose names are one piece each, may have a line that is too long
    allowed = name in ("rules", "formula")
    assert allowed or not re.findall(r"Overfull \\hbox.*", run.stdout)


@needs_latex
def test_rules_of_a_small_table_have_no_line_too_long(tmp_path: Path) -> None:
    X, y = load_play_tennis(d15=True)
    (tmp_path / "page.tex").write_text(ID3Classifier().fit(X, y).rules().to_latex(document=True), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=600)
    assert run.returncode == 0 and "Overfull" not in run.stdout


def test_nothing_needs_more_than_the_stated_preamble() -> None:
    """Commands of packages that the preamble does not load, or of encodings that LaTeX does not start with."""
    for document in _documents().values():
        assert document.startswith(LATEX_PREAMBLE)
        assert not re.search(r"\\(textquotedbl|toprule|mathbb|guillemet)", document)


def test_prose_can_be_broken_into_lines() -> None:
    X, y = load_play_tennis()
    latex = ID3Classifier().fit(X, y).trace(X, y).to_latex()
    assert r"\text{" not in latex and r"\begin{align*}" not in latex
    assert "Outlook is asked: its gain 0.247 is the largest" in latex
    assert latex_words("x" * 60).count(r"\allowbreak{}") == 7

"""The report as text: escaping, what is in it for each kind of model, its files, and its errors."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import quercus
from quercus import C45RulesClassifier, CARTClassifier, CARTRegressor, ID3Classifier, PARTClassifier
from quercus.datasets import load_play_tennis
from quercus.errors import DependencyError, ParameterError
from quercus.models import read_model
from quercus.report import collect_evidence, content, page, report_html, subject, walks, write_report
from quercus.report.page import SCRIPTS, STYLES, script_json
from quercus.report.tree_data import MOST_VALUES

DATA = re.compile(r'<script type="application/json" id="report-data">(.*?)</script>', re.DOTALL)


def fitted() -> Any:
    return ID3Classifier().fit(*load_play_tennis())


@given(st.recursive(st.text() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_json_in_a_script_is_the_same_data_and_no_markup(data: Any) -> None:
    text = script_json(data)
    assert json.loads(text) == data
    assert not set("<>&\u2028\u2029") & set(text)


def test_half_a_surrogate_pair_does_no_harm() -> None:
    text = report_html(fitted(), title="half \ud800 pair")
    assert text.encode("utf-8")


def test_the_policy_allows_this_script_only() -> None:
    text = report_html(fitted())
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    assert policy[1].replace("&#39;", "'").startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy[1] and "http" not in policy[1]
    assert re.findall(r'(?:src|href)="(?!#)[^"]*"', text.split("<script")[0]) == []


def test_scripts_make_no_markup_from_text() -> None:
    for name in SCRIPTS:
        text = files("quercus.report").joinpath("assets", name).read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", text), name


def test_every_asset_is_used_readable_and_short() -> None:
    folder = Path(str(files("quercus.report").joinpath("assets")))
    assert {path.name for path in folder.iterdir()} == {*SCRIPTS, *STYLES, "page.html"}
    for path in folder.iterdir():
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 400, path.name


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_scripts_are_valid() -> None:
    folder = Path(str(files("quercus.report").joinpath("assets")))
    for name in SCRIPTS:
        done = subprocess.run(["node", "--check", str(folder / name)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_a_report_from_the_model_file_alone(tmp_path: Path) -> None:
    X, y = load_play_tennis(d15=True)
    model = ID3Classifier(prune="reduced_error").fit(X, y)
    evidence = collect_evidence(model, X, y)
    provenance = {"data": {"name": "tennis.csv", "fingerprint": "abc123", "rows": 15}, "options": {"prune": "x"}}
    quercus.save(model, tmp_path / "model.json", evidence=evidence, provenance=provenance)
    read = read_model(tmp_path / "model.json")
    write_report(read.model, tmp_path / "report.html", evidence=read.evidence, provenance=read.provenance)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "abc123" in text and "tennis.csv" in text
    loaded, direct = (json.loads(DATA.search(t)[1]) for t in (text, report_html(model, X=X, y=y)))  # type: ignore[index]
    assert loaded == direct


@pytest.mark.parametrize("kind", ["tree", "rules", "regression", "list"])
def test_every_kind_of_model_has_a_report(kind: str) -> None:
    X, y = load_play_tennis()
    models = {
        "tree": lambda: fitted().tree_,
        "rules": lambda: C45RulesClassifier().fit(X, y),
        "regression": lambda: CARTRegressor().fit(X, np.arange(14.0)),
        "list": lambda: PARTClassifier().fit(X, y).rules_,
    }
    text = report_html(models[kind]())
    assert "How it was made" in text and DATA.search(text) is not None


def test_a_model_of_one_leaf_has_a_report() -> None:
    X, _ = load_play_tennis()
    y = ["Yes"] * 14
    assert "report-data" in report_html(ID3Classifier().fit(X, y), X=X, y=y)


def test_the_report_says_what_its_slider_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    X, y = {"x": random.random(300)}, random.choice(["p", "q"], 300)
    plain = report_html(CARTClassifier(ccp_alpha=0.005).fit(X, y), X=X, y=y)
    assert all(
        words not in plain for words in ("do not count in them", "does not count", "evenly spread", "that this page")
    )
    model = CARTClassifier(ccp_alpha=0.005, smoothing="laplace", decision_threshold=0.3).fit(X, y)
    assert "the model&#39;s smoothing and decision_threshold do not count in them" in report_html(model, X=X, y=y)
    monkeypatch.setattr(walks, "MOST_STEPS", 20)
    monkeypatch.setattr(content, "MOST_STEPS", 20)
    steps = model.unpruned_tree_.n_leaves
    assert f"Of walks of more than 20 steps (here up to {steps}) so many are kept" in report_html(model, X=X, y=y)
    monkeypatch.setattr(subject, "LARGEST_GROWN", 50)
    monkeypatch.setattr(content, "LARGEST_GROWN", 50)
    grown = model.unpruned_tree_.n_nodes
    assert grown > 50 > model.tree_.n_nodes
    assert f"The tree before pruning has {grown} nodes, more than the 50" in report_html(model)


def test_wrong_calls_say_what_is_needed() -> None:
    X, _ = load_play_tennis()
    with pytest.raises(ParameterError, match="give both X and y"):
        report_html(fitted(), X=X)
    with pytest.raises(ParameterError, match="not fitted"):
        report_html(ID3Classifier())
    with pytest.raises(ParameterError, match="not of str"):
        report_html("model")


def test_without_jinja2_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    page._template.cache_clear()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(DependencyError, match=r"quercus\[report\]"):
        report_html(fitted())
    page._template.cache_clear()


def test_of_very_many_values_the_first_are_listed_and_the_rest_counted() -> None:
    names = [f"town {i:05}" for i in range(MOST_VALUES + 1_520)]
    labels = ["far" if i >= MOST_VALUES + 1_500 else "near" for i in range(len(names))]
    data = json.loads(DATA.search(report_html(CARTClassifier().fit({"town": names}, labels)))[1])  # type: ignore[index]
    town = data["attributes"][0]
    assert town["values"] == names[:MOST_VALUES]
    assert town["more"] == 1_520
    assert list(town["named"].values()) == names[MOST_VALUES + 1_500 :]  # the branch of the far towns names them
    few = json.loads(DATA.search(report_html(fitted()))[1])["attributes"][0]  # type: ignore[index]
    assert "more" not in few and few["values"] == ["Overcast", "Rain", "Sunny"]


def test_a_report_says_why_the_tree_before_a_raised_branch_is_absent() -> None:
    """A branch that was raised holds other rows: the grown tree cannot be folded into the pruned one."""
    import numpy as np

    from quercus import C45Classifier
    from quercus.report.content import pruning_notes
    from quercus.report.subject import subject_of

    for seed in range(60):
        chance = np.random.default_rng(seed)
        X = {name: chance.integers(0, 3, 60).astype(str) for name in "abcd"}
        y = np.where(chance.random(60) < 0.25, chance.integers(0, 2, 60), X["a"] == X["b"]).astype(str)
        model = C45Classifier(preset="r8").fit(X, y)
        if any(removal.action == "raised" for removal in model.pruning_.removals):
            break
    else:
        raise AssertionError("no tree of these has a raised branch")
    notes = " ".join(pruning_notes(subject_of(model), {}))
    assert f"had {model.unpruned_tree_.n_nodes} nodes. Pruning raised a branch" in notes
    assert "nodes before pruning" in report_html(model) and "Pruning raised a branch" in report_html(model)

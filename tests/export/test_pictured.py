"""Trees drawn elsewhere: Graphviz and LaTeX set what is written, hostile names too; what cannot be drawn is refused."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from export.models import NAMES, VALUES, random_model

from quercus import CARTClassifier, ID3Classifier, PARTClassifier, RandomForestClassifier
from quercus.datasets import load_play_tennis
from quercus.errors import ExportError
from quercus.export import to_dot, to_tikz

HOSTILE = ["50%_a&b$#{x}~^\\", 'a"]; n9 [label="x', "\\input{x}", "}\\end{document}", "&lt;b&gt; \\N \\G", "größe\n2"]


def hostile() -> Any:
    """A tree whose names, values and classes all try to get out of their quotes."""
    chance = np.random.default_rng(3)
    columns: dict[str, Any] = {name: chance.permutation([*HOSTILE, *HOSTILE]).tolist() for name in HOSTILE[:3]}
    columns |= {name: chance.normal(size=12).tolist() for name in HOSTILE[3:]}
    return CARTClassifier(max_depth=4).fit(columns, HOSTILE * 2)


def graph(text: str) -> dict[str, Any]:
    """What Graphviz reads in a file."""
    if shutil.which("dot") is None:
        pytest.skip("Graphviz is not installed")
    done = subprocess.run(["dot", "-Tjson"], input=text, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0 and not done.stderr, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def compiled(text: str, folder: Path) -> str:
    """The log of LaTeX, which must set one page."""
    if shutil.which("pdflatex") is None or subprocess.run(["kpsewhich", "tikz.sty"], capture_output=True).returncode:
        pytest.skip("pdflatex or tikz is not installed")
    (folder / "tree.tex").write_text(text, encoding="utf-8")
    words = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "tree.tex"]
    done = subprocess.run(words, cwd=folder, capture_output=True, encoding="utf-8", errors="replace")
    assert done.returncode == 0, done.stdout[-1500:]
    assert "(1 page" in done.stdout
    return done.stdout


def test_graphviz_reads_every_node_and_branch() -> None:
    model = ID3Classifier().fit(*load_play_tennis())
    found = graph(to_dot(model))
    assert len(found["objects"]) == model.tree_.n_nodes and len(found["edges"]) == model.tree_.n_nodes - 1
    assert {edge["label"].strip() for edge in found["edges"]} >= {"Overcast", "Rain", "Sunny", "Strong", "Weak"}
    labels = {one["name"]: one["label"] for one in found["objects"]}
    assert labels["n0_0"].startswith("Outlook\\n")


def test_names_stay_inside_their_quotes_in_dot() -> None:
    model = hostile()
    found = graph(to_dot(model))
    assert len(found["objects"]) == model.tree_.n_nodes and len(found["edges"]) == model.tree_.n_nodes - 1
    text = to_dot(ID3Classifier().fit({"&amp; \\N": ['"', "b"]}, ["\\", "y"]))
    assert "&amp;amp; \\\\\\\\N" in text


@pytest.mark.parametrize("make", [hostile, lambda: ID3Classifier().fit(*load_play_tennis())], ids=["hostile", "plain"])
def test_latex_sets_the_picture(make: Any, tmp_path: Path) -> None:
    compiled(to_tikz(make()), tmp_path)


@pytest.mark.slow
def test_latex_sets_every_hostile_name_and_value(tmp_path: Path) -> None:
    names = {name: [str(i % 2) for i in range(len(VALUES))] for name in NAMES} | {"v": VALUES}
    model = ID3Classifier().fit(names, [f"{value}!" for value in VALUES])
    compiled(to_tikz(model), tmp_path)
    for seed in range(3):
        compiled(to_tikz(random_model("cart", seed)), tmp_path)
        graph(to_dot(random_model("c45", seed)))


def test_a_forest_is_drawn_tree_by_tree_or_side_by_side(tmp_path: Path) -> None:
    model = RandomForestClassifier(3, random_state=1).fit(*load_play_tennis())
    assert to_dot(model).count("subgraph cluster_") == 3
    assert "cluster" not in to_dot(model, tree="2") and "n2_0 " in to_dot(model, tree=2)
    compiled(to_tikz(model, tree=1), tmp_path)
    many = RandomForestClassifier(40, random_state=1).fit(*load_play_tennis())
    with pytest.raises(ExportError, match=r"40 trees, and at most 12 .* Choose one: tree=0"):
        to_dot(many)


@pytest.mark.parametrize(
    "options, words",
    [({"tree": 3}, "trees are 0 … 2"), ({"tree": "x"}, "tree is 'x'"), ({"max_depth": -1}, "max_depth is -1")],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], words: str) -> None:
    model = RandomForestClassifier(3, random_state=1).fit(*load_play_tennis())
    for write in (to_dot, to_tikz):
        with pytest.raises(ExportError, match=words):
            write(model, **options)


def test_rules_and_pictures_that_tex_cannot_hold_are_refused() -> None:
    rules = PARTClassifier().fit(*load_play_tennis())
    for write in (to_dot, to_tikz):
        with pytest.raises(ExportError, match="answers by rules"):
            write(rules)
    chance = np.random.default_rng(0)
    model = CARTClassifier().fit(chance.normal(size=(3_000, 3)), chance.integers(0, 2, 3_000))
    with pytest.raises(ExportError, match=r"cm wide, and TeX sets .* max_depth"):
        to_tikz(model)
    assert "nodes" in to_tikz(model, max_depth=3)

"""Constraints in recipes, model files, traces and on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli.calling import error, text
from oracle.same_tree import assert_same_tree

from quercus import BaggingClassifier, CARTClassifier, RandomForestClassifier
from quercus.growing.cart import cart_recipe
from quercus.growing.recipe import Recipe
from quercus.models import load, save


def table(n_rows: int = 200) -> tuple[dict[str, Any], np.ndarray]:
    random = np.random.default_rng(0)
    income, debts = random.uniform(0, 9, n_rows), random.uniform(0, 9, n_rows)
    town = random.choice(["north", "south"], n_rows)
    score = income + 3 * np.sin(2 * income) - debts + 2 * (town == "south")
    return {"income": income.round(2), "debts": debts.round(2), "town": town}, np.where(score > 0, "yes", "no")


def test_recipes_tell_their_constraints() -> None:
    free, bound = cart_recipe(), cart_recipe(monotonic_cst=np.array([1, 0, -1]), interaction_cst=[{"b", "a"}])
    assert bound.differences(free) == {
        "monotonic_cst": (((0, None, 1), (1, None, 0), (2, None, -1)), ()),
        "interaction_cst": ((("a", "b"),), None),
    }
    assert bound.has_order and not free.has_order
    assert not Recipe(name="mine", monotonic_cst=[0, 0]).has_order  # type: ignore[arg-type]


MODELS = [
    CARTClassifier(monotonic_cst={"income": {"yes": 1}, "debts": -1}),
    CARTClassifier(monotonic_cst=np.array([1, -1, 0]), interaction_cst=[{"income", "town"}, {"debts"}]),
    CARTClassifier(interaction_cst="pairwise"),
    RandomForestClassifier(3, monotonic_cst=(1, -1, 0), interaction_cst=[(0, 1)]),
    BaggingClassifier(CARTClassifier(monotonic_cst={"income": 1}), 2),
]


@pytest.mark.parametrize("model", MODELS)
def test_model_files_keep_them(model: Any, tmp_path: Path) -> None:
    X, y = table()
    model.fit(X, y)
    save(model, tmp_path / "model.json")
    read: Any = load(tmp_path / "model.json")
    assert read.recipe_ == model.recipe_
    assert (read.predict_proba(X) == model.predict_proba(X)).all()
    again = read.fit(X, y)
    assert (again.predict_proba(X) == model.predict_proba(X)).all()


def test_a_trace_says_what_was_forbidden() -> None:
    X, y = table()
    model = CARTClassifier(monotonic_cst={"income": 1, "debts": -1}, max_depth=4).fit(X, y)
    trace = model.trace(X, y)
    told = [node.decision for node in trace if "breaks the order of answers" in node.decision]
    assert told and any("would gain" in text for text in told)
    assert not any("Note:" in node.decision for node in trace), "the trace makes the decisions of growing again"
    statuses = {candidate.status for node in trace for candidate in node.candidates}
    assert "against the order of answers" in statuses
    free = CARTClassifier(max_depth=4).fit(X, y).trace(X, y)
    assert not any("order of answers" in node.decision for node in free)


def test_a_trace_says_which_attributes_may_not_meet() -> None:
    X, y = table()
    model = CARTClassifier(interaction_cst="no_interactions", max_depth=2).fit(X, y)
    trace = model.trace(X, y)
    assert not any("Note:" in node.decision for node in trace)
    root = trace.node(0)
    others = [place for place in range(3) if place != root.best]
    below = [trace.node(1).candidates[place] for place in others]
    assert {candidate.status for candidate in below} == {"not together with those above"}
    assert "interaction_cst" in below[0].why


@pytest.fixture
def file(tmp_path: Path) -> Path:
    X, y = table()
    lines = ["income,debts,town,granted"]
    lines += [f"{a},{b},{c},{d}" for a, b, c, d in zip(*X.values(), y, strict=True)]
    (tmp_path / "loans.csv").write_text("\n".join(lines))
    return tmp_path / "loans.csv"


def test_the_command_line(file: Path, tmp_path: Path) -> None:
    X, y = table()
    out = tmp_path / "model.json"
    text(
        *("fit", file, "-t", "granted", "-a", "cart", "--monotone", "income=+", "--monotone", "debts:yes=-"),
        *("--together", "income,debts", "--param", "threshold=midpoint", "-o", out),
    )
    model = CARTClassifier(monotonic_cst={"income": 1, "debts": -1}, interaction_cst=[["income", "debts"]])
    assert_same_tree(model.fit(X, y).tree_, load(out).tree_, "the command line")
    kept = json.loads(out.read_text())["model"]["recipe"]
    assert kept["monotonic_cst"] == [["income", None, 1], ["debts", "yes", -1]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--monotone", "income"), "must be NAME=+ or NAME=-"),
        (("--monotone", "income=up"), "must be NAME=+ or NAME=-"),
        (("--monotone", "income=+", "--monotone", "income=-"), "contradicts another"),
        (("--monotone", "income=+", "--monotone", "income:yes=+"), "contradicts another"),
        (("--monotone", "wage=+"), "names the attribute 'wage'"),
        (("--monotone", "income:maybe=+"), "names the class 'maybe'"),
        (("--together", "income,wage"), "names the attribute 'wage'"),
        (("-a", "c45", "--monotone", "income=+"), "--monotone is not for C4.5"),
    ],
)
def test_wrong_options(file: Path, arguments: tuple[str, ...], message: str) -> None:
    algorithm = () if "-a" in arguments else ("-a", "cart")
    assert message in error("fit", file, "-t", "granted", *algorithm, *arguments, code=2)


def test_numbers_on_the_command_line(file: Path) -> None:
    options = ("-a", "forest", "--trees", "3", "--monotone", "income=-", "--together", "pairwise")
    assert "3 trees" in text("fit", file, "-t", "debts", *options)

"""Sums of scores leave the house: labels always equal, scores to the last bit, powers to 1e-12."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from export.test_exact import needs
from forest.test_score_sum import CLASSES, random_sum

from quercus.errors import ExportError
from quercus.export import ENGINES, FORMATS, export, program_of, vectors_of, verify
from quercus.fitted.decision import Decision
from quercus.fitted.model import model_of

SAID = ("sql", "onnx", "python", "javascript", "c")


def check(engine: str, model: Any, seed: int) -> None:
    form = ENGINES[engine][0]
    options = {"dialect": engine, "key": "id"} if form == "sql" else {}
    result = verify(export(model, form, **options), vectors_of(model, drawn=40, most=100, seed=seed), engine)
    assert result.wrong == 0 and result.largest <= 1e-12, f"{engine}, {model}, seed {seed}: {result}"
    if model.score_sum.link == "identity":
        assert result.bits == 0, f"{engine}, {model}, seed {seed}: {result}"


@pytest.mark.parametrize("link", list(CLASSES))
@pytest.mark.parametrize("engine", sorted(name for name in ENGINES if ENGINES[name][0] in SAID and name != "postgres"))
def test_an_export_answers_as_the_sum(engine: str, link: str) -> None:
    needs(engine)
    for seed in range(4):
        check(engine, random_sum(link, seed)[0], seed)
    check(engine, random_sum(link, 9, n_trees=45)[0], 9)


@pytest.mark.parametrize("engine", ["python", "node", "cc", "sqlite", "onnxruntime"])
def test_two_classes_thresholds_and_costs(engine: str) -> None:
    needs(engine)
    model, _ = random_sum("softmax", 3, classes=("no", "yes"))
    one_score = model_of(replace(model.score_sum, base=(0.0, 0.25), places=(1,) * 7))
    check(engine, one_score, 1)
    check(engine, replace(one_score, decision=Decision(threshold=0.3)), 2)
    costs = Decision.read(["no", "yes"], cost_matrix={("no", "yes"): 4})
    check(engine, replace(one_score, decision=costs), 3)


@pytest.mark.parametrize("engine", ["python", "node", "cc", "sqlite", "duckdb", "onnxruntime"])
def test_scores_far_apart(engine: str) -> None:
    needs(engine)
    model, _ = random_sum("softmax", 4)
    check(engine, model_of(replace(model.score_sum, base=(900.0, 0.0, -900.0))), 4)


def test_formats_that_cannot_say_scores_refuse_them() -> None:
    model, _ = random_sum("exp", 5)
    for name, form in FORMATS.items():
        refusal = form.refusal(program_of(model, scores=True))
        assert (refusal == "") == (name in SAID), (name, refusal)
        assert name in SAID or "add up scores" in refusal or "installed" in refusal
    with pytest.raises(ExportError, match=r"7 trees of this model add up scores, which a link \(exp\)"):
        model.to_sklearn()
    assert model.member_model(0).export("python")


def test_the_checksum_tells_links_and_bases_apart() -> None:
    model, _ = random_sum("exp", 6)
    scores = model.score_sum
    sums = {
        program_of(one, scores=True).checksum
        for one in (model, replace(scores, base=(9.0,)), replace(scores, link="identity"))
    }
    assert len(sums) == 3

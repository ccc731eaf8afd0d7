"""Sums of scores leave the house: labels always equal, scores to the last bit, powers to 1e-12."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from export.suite import TRIED, Tried, answered, skip_without
from forest.test_score_sum import CLASSES, random_sum

from quercus.errors import ExportError
from quercus.export import ENGINES, FORMATS, export, program_of, vectors_of
from quercus.export.verify import compared
from quercus.fitted.decision import Decision
from quercus.fitted.model import model_of

SAID = ("sql", "onnx", "python", "javascript", "c")
ENGINES_THAT_SAY = [
    pytest.param(tried, id=str(tried)) for tried in TRIED if ENGINES[tried.engine][0] in SAID and tried.name != "clang"
]


@pytest.fixture
def tried(request: pytest.FixtureRequest) -> Tried:
    skip_without(request.param)
    if str(request.param) in ("postgres", "mariadb"):
        request.getfixturevalue(str(request.param))
    result: Tried = request.param
    return result


def check(tried: Tried, model: Any, seed: int) -> None:
    options = {"prefix": "m0"} if tried.engine == "cc" else {}  # as many exports in one file are called
    exported = export(model, ENGINES[tried.engine][0], **tried.options, **options)
    vectors = vectors_of(model, drawn=40, most=100, seed=seed)
    result = compared(tried.engine, answered(tried, [(exported, vectors)])[0], vectors)
    assert result.wrong == 0 and result.largest <= 1e-12, f"{tried}, {model}, seed {seed}: {result}"
    if model.score_sum.link == "identity":
        assert result.bits == 0, f"{tried}, {model}, seed {seed}: {result}"


@pytest.mark.parametrize("link", list(CLASSES))
@pytest.mark.parametrize("tried", ENGINES_THAT_SAY, indirect=True)
def test_an_export_answers_as_the_sum(tried: Tried, link: str) -> None:
    for seed in range(3):
        check(tried, random_sum(link, seed)[0], seed)
    check(tried, random_sum(link, 9, n_trees=45)[0], 9)


@pytest.mark.parametrize("tried", ENGINES_THAT_SAY, indirect=True)
def test_two_classes_thresholds_and_costs(tried: Tried) -> None:
    model, _ = random_sum("softmax", 3, classes=("no", "yes"))
    one_score = model_of(replace(model.score_sum, base=(0.0, 0.25), places=(1,) * 7))
    check(tried, one_score, 1)
    check(tried, replace(one_score, decision=Decision(threshold=0.3)), 2)
    costs = Decision.read(["no", "yes"], cost_matrix={("no", "yes"): 4})
    check(tried, replace(one_score, decision=costs), 3)


@pytest.mark.parametrize("tried", ENGINES_THAT_SAY, indirect=True)
def test_scores_far_apart(tried: Tried) -> None:
    model, _ = random_sum("softmax", 4)
    check(tried, model_of(replace(model.score_sum, base=(900.0, 0.0, -900.0))), 4)


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

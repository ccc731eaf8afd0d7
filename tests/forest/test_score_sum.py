"""Sums of scores: against a plain loop over the trees, through files and pickles, and in all that a model is asked."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import quercus
from quercus.data import encode
from quercus.errors import DataError, FileError, ModelKindError, ParameterError
from quercus.evaluation import evaluate
from quercus.fitted.decision import Decision
from quercus.fitted.model import Model, model_of
from quercus.forests import ScoreSum
from quercus.growing.cart import cart_recipe
from quercus.growing.grow import grow
from quercus.targets import kind_of
from quercus.tree.forest import Forest

CLASSES = {"identity": None, "exp": None, "softmax": ("no", "may'be", "yes")}


def random_sum(link: str, seed: int, n_trees: int = 7, classes: Any = ...) -> tuple[Model, dict[str, list[Any]]]:
    """Trees grown from random numbers, put together at random; and the rows that they were grown from."""
    chance = np.random.default_rng([seed, len(link)])
    n, labels = 60, CLASSES[link] if classes is ... else classes
    rows: dict[str, list[Any]] = {
        "x": [None if chance.random() < 0.1 else float(number) for number in np.round(chance.normal(size=n), 1)],
        "c": [None if chance.random() < 0.1 else "abcd"[place] for place in chance.integers(0, 4, n)],
    }
    table, recipe = encode(rows), cart_recipe("squared_error", missing="most_common", max_depth=3)
    trees = [grow(table, chance.normal(size=n), recipe) for _ in range(n_trees)]
    n_scores = 1 if labels is None else len(labels)
    weights = chance.choice([0.5, 1.0, 2.0], n_trees) if chance.random() < 0.5 else None
    base = tuple(chance.normal(size=n_scores).tolist())
    places = tuple(chance.integers(0, n_scores, n_trees).tolist())
    return model_of(ScoreSum(Forest.from_trees(trees, weights), kind_of(labels), link, base, places)), rows


def by_hand(model: Model, rows: dict[str, list[Any]]) -> tuple[np.ndarray, np.ndarray]:
    """Scores and answers by a loop over rows and trees."""
    scores = model.score_sum
    weights = [1.0] * len(scores) if scores.trees.weights is None else scores.trees.weights.tolist()
    answers = [model_of(tree).predict(rows).tolist() for tree in scores]
    every, said = [], []
    for row in range(len(rows["x"])):
        sums = [0.0] * len(scores.base)
        for number, place in enumerate(scores.places):
            sums[place] += weights[number] * answers[number][row]
        sums = [base + number for base, number in zip(scores.base, sums, strict=True)]
        powers = [math.exp(number - max(sums)) for number in sums]
        every.append(sums)
        said.append(
            {
                "identity": sums,
                "exp": [math.exp(sums[0])],
                "softmax": [power / sum(powers) for power in powers],
            }[scores.link]
        )
    return np.array(every), np.array(said)


@pytest.mark.parametrize("link", list(CLASSES))
def test_answers_are_those_of_a_plain_loop(link: str) -> None:
    for seed in range(30):
        model, rows = random_sum(link, seed)
        scores, answers = by_hand(model, rows)
        dataset = model.encode_rows(rows)
        assert (model.score_sum.scores(dataset) == scores).all()
        assert np.allclose(model.shares(dataset), answers, rtol=1e-13)
        if link == "softmax":
            assert model.predict(rows).tolist() == [CLASSES[link][place] for place in scores.argmax(axis=1)]
            assert np.allclose(model.predict_proba(rows).sum(axis=1), 1.0)
        else:
            assert np.allclose(model.predict(rows), answers[:, 0], rtol=1e-13)


def test_one_score_of_two_classes_is_the_logistic_function() -> None:
    model, rows = random_sum("softmax", 1, classes=("no", "yes"))
    scores = replace(model.score_sum, base=(0.0, 0.25), places=(1,) * 7)
    score = scores.scores(model.encode_rows(rows))[:, 1]
    assert np.allclose(model_of(scores).predict_proba(rows)[:, 1], 1 / (1 + np.exp(-score)), rtol=1e-14)
    assert model_of(scores).predict(rows).tolist() == ["yes" if one > 0 else "no" for one in score]


def test_tied_scores_answer_the_first_class() -> None:
    model, rows = random_sum("softmax", 2, n_trees=1)
    tied = replace(model.score_sum, base=(1.0, -99.0, 0.0), places=(2,))
    score = tied.scores(model.encode_rows(rows))[:, 2]
    at = replace(tied, base=(float(score[0]), -99.0, 0.0))
    assert model_of(at).predict({name: column[:1] for name, column in rows.items()}).tolist() == ["no"]


def test_large_scores_have_shares_and_numbers() -> None:
    model, rows = random_sum("softmax", 3)
    far = model_of(replace(model.score_sum, base=(5000.0, -5000.0, 0.0)))
    assert far.predict_proba(rows)[0].tolist() == [1.0, 0.0, 0.0]
    model, rows = random_sum("exp", 3)
    assert model_of(replace(model.score_sum, base=(5000.0,))).predict(rows)[0] == np.inf


@pytest.mark.parametrize("link", list(CLASSES))
@pytest.mark.parametrize("arrays", ["inline", "beside"])
def test_a_file_gives_the_same_model_back(link: str, arrays: Any, tmp_path: Path) -> None:
    if arrays == "beside":
        pytest.importorskip("safetensors")
    for seed in range(4):
        model, rows = random_sum(link, seed)
        quercus.save(model, tmp_path / "model.json", arrays=arrays)
        loaded = quercus.load(tmp_path / "model.json")
        assert isinstance(loaded, Model) and loaded.forest == model.forest
        assert (loaded.shares(loaded.encode_rows(rows)) == model.shares(model.encode_rows(rows))).all()
        assert pickle.loads(pickle.dumps(model)).forest == model.forest


def test_a_forest_is_saved_too(tmp_path: Path) -> None:
    forest = quercus.RandomForestClassifier(3, random_state=0).fit({"x": [1, 2, 3, 4]}, ["a", "a", "b", "b"]).forest_
    quercus.save(forest, tmp_path / "forest.json")
    loaded = quercus.load(tmp_path / "forest.json")
    assert loaded.forest == forest and loaded.predict({"x": [1, 4]}).tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"link":"softmax"', '"link":"exp"', "softmax is for classes"),
        ('"places":[', '"places":[7,', "places must name one score"),
        ('"link":"softmax"', '"link":"probit"', "must be one of"),
    ],
)
def test_a_damaged_file_names_the_place(old: str, new: str, words: str, tmp_path: Path) -> None:
    import json

    from quercus.models.document import checksum

    path = tmp_path / "model.json"
    quercus.save(random_sum("softmax", 0)[0], path)
    text = path.read_text()
    assert old in text
    document = json.loads(text.replace(old, new, 1))
    document["checksum"] = checksum(document)
    path.write_text(json.dumps(document))
    with pytest.raises(FileError, match=f"/model.*{words}"):
        quercus.load(path)


def test_parts_that_do_not_belong_together_are_refused() -> None:
    scores = random_sum("softmax", 0)[0].score_sum
    for wrong in (
        {"link": "exp"},
        {"link": "probit"},
        {"base": (0.0,)},
        {"base": (0.0, math.nan, 0.0)},
        {"places": (0,)},
        {"places": (3,) * 7},
        {"target_kind": kind_of(None)},
    ):
        with pytest.raises(DataError):
            replace(scores, **wrong)


@pytest.mark.parametrize("link", list(CLASSES))
def test_stages_end_at_the_whole(link: str) -> None:
    model, rows = random_sum(link, 5)
    dataset = model.encode_rows(rows)
    stages = list(model.score_sum.staged(dataset, [2, 5, 7]))
    assert np.allclose(stages[-1], model.shares(dataset), rtol=1e-12)
    first = replace(model.score_sum, trees=model.score_sum.trees.first(2), places=model.score_sum.places[:2])
    assert np.allclose(stages[0], model_of(first).shares(dataset), rtol=1e-12)
    truth = model.predict(rows)
    curve = model.curve({"test": (rows, truth)}, points=3)
    assert curve["trees"].tolist() == [3, 6, 7] and curve["test"][-1] < 1e-12


def test_what_a_model_is_asked() -> None:
    model, rows = random_sum("softmax", 6)
    truth = model.predict(rows)
    assert str(model) == repr(model.forest) and "ScoreSum, 7 members" in repr(model)
    assert evaluate(model, rows, truth).test.accuracy == model.score(rows, truth) == 1.0
    assert math.isclose(model.feature_importances_.sum(), 1.0)
    assert quercus.importance(model).names == ("x", "c")
    assert quercus.importance(model, rows, truth, by="permutation").values.max() > 0
    assert model.apply(rows).shape == (60, 7)
    assert quercus.partial_dependence(model, rows, "c").average.shape == (4, 3)
    member = model.member_model(2)
    assert member.tree == model.score_sum.trees.tree(2) and member.to_svg().startswith("<svg")
    assert len(member.rules()) == member.get_n_leaves()
    distilled = quercus.distill(model, rows)
    assert "7 trees" in str(distilled)


def test_a_report_shows_its_importances(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    from quercus.report import write_report

    model, _ = random_sum("softmax", 6)
    write_report(model, tmp_path / "page.html")
    assert "importance" in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize(
    "ask",
    [
        lambda model, rows: model.consult(),
        lambda model, rows: model.rules(),
        lambda model, rows: model.to_svg(),
        lambda model, rows: model.summary(),
        lambda model, rows: model.trace(rows, model.predict(rows)),
    ],
)
def test_what_needs_one_tree_says_so(ask: Any) -> None:
    with pytest.raises(ModelKindError, match="one tree; this is a ScoreSum"):
        ask(*random_sum("softmax", 7))


def test_trees_that_add_up_neither_vote_nor_agree() -> None:
    model, rows = random_sum("softmax", 8)
    for ask in (model.votes, model.agreement, random_sum("exp", 8)[0].spread):
        with pytest.raises(ParameterError, match="neither vote nor agree"):
            ask(rows)
    with pytest.raises(ParameterError, match="has no estimator"):
        model.as_estimator()
    with pytest.raises(ParameterError, match="has no bag"):
        quercus.importance(model, rows, model.predict(rows), by="unbiased")


def test_costs_choose_by_shares() -> None:
    model, rows = random_sum("softmax", 9, classes=("no", "yes"))
    careful = replace(model, decision=Decision(threshold=0.2))
    shares = careful.predict_proba(rows)
    assert careful.predict(rows).tolist() == ["yes" if share >= 0.2 else "no" for share in shares[:, 1]]

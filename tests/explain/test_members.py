"""Models of many trees explained: their votes, their reasons, and the smallest changes, against brute force."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from oracle.tables import random_case

import quercus
from quercus.data import Dataset
from quercus.datasets import load_play_tennis
from quercus.errors import ModelKindError, ParameterError
from quercus.explain.counterfactual.members import thresholds
from quercus.fitted.model import Model, model_of
from quercus.growing.forest import Sampling, grow_forest


def tennis(model: Any) -> tuple[Any, Any]:
    X, y = load_play_tennis()
    return model.fit(X, y), X


@pytest.mark.parametrize(
    "model",
    (
        quercus.RandomForestClassifier(20, random_state=0),
        quercus.RandomForestClassifier(20, vote="majority", random_state=0),
        quercus.BaggingClassifier(n_estimators=7, random_state=0),
        quercus.BoostedClassifier(n_estimators=5),
        quercus.BaggingClassifier(quercus.PARTClassifier(), n_estimators=5, random_state=0),
    ),
    ids=("forest", "majority", "bagged", "boosted", "rules"),
)
def test_an_answer_tells_the_votes_and_what_adds_up_to_it(model: Any) -> None:
    fitted, X = tennis(model)
    for row in range(14):
        answer = fitted.explain(X, row)
        assert answer.label == fitted.predict(X)[row]
        assert len(answer.members) == len(fitted.forest_)
        counts = [answer.members.count(label) for label in fitted.classes_]
        if not isinstance(fitted, quercus.BoostedClassifier):
            assert counts == fitted.votes(X)[row].tolist()
        assert answer.agreement == pytest.approx(float(fitted.agreement(X)[row]))
        assert len(answer.dissenters) == len(answer.members) - answer.members.count(answer.label)
        assert str(answer).endswith(".") and answer.to_dict()["label"] == answer.label
        assert len(answer.to_frame()) == len(answer.members)
        if answer.reasons is None:
            continue
        total = answer.reasons.base + sum(reason.contribution for reason in answer.reasons.all)
        assert total == pytest.approx(answer.reasons.result, abs=1e-12)
        shares = fitted.predict_proba(X)[row]
        assert answer.reasons.result == pytest.approx(shares[fitted.classes_.tolist().index(answer.label)], abs=1e-12)


def test_numbers_tell_how_far_the_members_are_apart() -> None:
    X, _ = load_play_tennis()
    forest = quercus.RandomForestRegressor(15, random_state=0).fit(X, np.arange(14.0))
    answer = forest.explain(X, 3)
    assert np.mean(answer.members) == pytest.approx(forest.predict(X)[3])
    assert answer.agreement is None and answer.votes == {} and answer.dissenters == ()
    assert "eight of ten lie from" in str(answer)
    reasons = forest.reason_codes(X, 3, n=2)
    assert len(reasons) == 2 and reasons.scale == "value"
    assert reasons.result == pytest.approx(forest.predict(X)[3])


def test_reasons_of_another_class_and_side() -> None:
    forest, X = tennis(quercus.RandomForestClassifier(20, random_state=0))
    for_no, for_yes = forest.reason_codes(X, 0, label="No", n=None), forest.reason_codes(X, 0, label="Yes", n=None)
    assert [r.contribution for r in for_no.all] == pytest.approx([-r.contribution for r in for_yes.all])
    assert all(reason.supports for reason in forest.reason_codes(X, 0, only="for"))
    with pytest.raises(ParameterError, match="scale"):
        forest.reason_codes(X, 0, scale="log_odds")
    with pytest.raises(ParameterError, match="only"):
        forest.reason_codes(X, 0, only="most")  # type: ignore[arg-type]


def test_scores_of_an_imported_booster_are_explained() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 3))
    booster = lightgbm.LGBMClassifier(n_estimators=5, verbose=-1).fit(X, X[:, 0] + X[:, 1] > 0)
    model = quercus.from_lightgbm(booster)
    found = model.shap_values(X)
    scores = model.model_.score_sum.scores(model.encode_rows(X))
    np.testing.assert_allclose(found.base_values + found.values.sum(axis=1), scores, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.values[:, :, 1], booster.booster_.predict(X, pred_contrib=True)[:, :-1], atol=1e-9)
    assert "add up their scores" in str(model.explain(X, 0))
    assert model.reason_codes(X, 0).scale == "score"
    assert model.counterfactuals(X, 0)[0].label != model.predict(X)[0]


def small_forest(seed: int) -> tuple[Model, Dataset] | None:
    """Three small trees of a random table, where forests can be grown from it."""
    case = random_case(seed)
    if case.dataset.n_rows < 8 or len(case.dataset.schema) > 4:
        return None
    try:
        forest = grow_forest(case.dataset, case.target, case.recipe, Sampling(), n_trees=3, seed=seed)
    except ParameterError:
        return None
    return model_of(forest), case.dataset.take(np.array([0]))


def brute_force(model: Model, one: Dataset, most: int = 5000) -> float | None:
    """The least number of attributes to change for another class; None: none does, NaN: too many rows to try."""
    choices = []
    for place, cuts in enumerate(thresholds(model.need_trees("a test"))):
        attribute, now = model.schema[place], one.columns[place][0]
        if not attribute.is_numeric:
            values = {float(code) for code in range(attribute.n_values)}
        elif attribute.values:
            values = {float(code) for code in range(len(attribute.values))}
        else:
            values = {v for cut in cuts.tolist() for v in (cut, math.nextafter(cut, math.inf))}
        choices.append([now, *(value for value in sorted(values) if value != now)])
    if math.prod(map(len, choices)) > most:
        return math.nan
    rows = np.array(list(product(*choices)), dtype=np.float64)
    columns = tuple(np.ascontiguousarray(rows[:, i], dtype=c.dtype) for i, c in enumerate(one.columns))
    answers = model.codes(Dataset(one.schema, columns, len(rows)))
    now_row = np.array([float(column[0]) for column in one.columns])
    changed = ((rows != now_row) & ~(np.isnan(rows) & np.isnan(now_row))).sum(axis=1)
    other = answers != model.codes(one)[0]
    return None if not other.any() else float(changed[other].min())


def test_the_smallest_change_is_that_of_brute_force() -> None:
    tried = 0
    for seed in range(250):
        made = small_forest(seed)
        if made is None or not made[0].target_kind.has_shares:
            continue
        model, one = made
        least = brute_force(model, one)
        if least is not None and math.isnan(least):
            continue
        found = model.counterfactuals(one)
        tried += 1
        assert found.complete
        assert (found[0].cost if found else None) == least, f"seed {seed}"
        for change in found:
            assert change.label != found.now
    assert tried > 40


def test_a_search_that_is_cut_short_gives_the_best_found_and_says_so() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 6))
    forest = quercus.RandomForestClassifier(30, random_state=0).fit(X, X.sum(axis=1) > 2.0)
    row = int(np.argmin(X.sum(axis=1)))
    short = forest.counterfactuals(X, row, max_steps=10)
    assert not short.complete and len(short) == 1 and short[0].label != short.now
    assert "cut short" in str(short)
    changed = X[row].copy()
    for change in short[0].changes:
        changed[int(change.attribute[1:])] = change.value
    assert forest.predict(changed[None])[0] == short[0].label
    numbers = quercus.RandomForestRegressor(30, random_state=0).fit(X, X.sum(axis=1))
    assert numbers.counterfactuals(X, row, above=1.0, max_steps=5)[0].label > 1.0


def test_bounds_are_kept_and_what_blocks_is_named() -> None:
    forest, X = tennis(quercus.RandomForestClassifier(30, random_state=0))
    free = forest.counterfactuals(X, 0, n=3)
    assert len(free) == 3 and free.complete
    fixed = forest.counterfactuals(X, 0, fixed=["Outlook", "Humidity"])
    assert not fixed and fixed.blocked == ("Outlook",)
    dear = forest.counterfactuals(X, 0, change_costs={"Outlook": 10.0})
    assert [change.attribute for change in dear[0].changes] == ["Humidity"]


def test_members_that_are_rules_have_no_changes_to_search() -> None:
    model, X = tennis(quercus.BaggingClassifier(quercus.PARTClassifier(), n_estimators=3, random_state=0))
    with pytest.raises(ModelKindError, match="needs trees"):
        model.counterfactuals(X, 0)
    with pytest.raises(ModelKindError, match="needs trees"):
        model.reason_codes(X, 0)

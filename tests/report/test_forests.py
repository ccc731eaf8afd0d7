"""The report of a collection: quality out of the bag, importances, the curve, data and origin, and no tree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import quercus
from quercus import BaggingClassifier, BoostedClassifier, PARTClassifier, RandomForestClassifier, RandomForestRegressor
from quercus.evaluation.out_of_bag import evaluate_out_of_bag
from quercus.models import read_model
from quercus.report import collect_evidence, report_html

HOSTILE = "<img src=x onerror=alert(1)>"


def table(n_rows: int = 150) -> tuple[dict[str, Any], np.ndarray]:
    rng = np.random.default_rng(1)
    X = {HOSTILE: rng.normal(size=n_rows), "colour": rng.choice(["red", "green"], n_rows)}
    return X, np.where((X[HOSTILE] > 0) ^ (rng.random(n_rows) < 0.2), "yes", "no")


def test_the_report_of_a_forest_has_all_but_a_tree() -> None:
    X, y = table()
    model = RandomForestClassifier(30, oob_score=True).fit(X, y)
    page = report_html(model, X=X, y=y, test=(X, y), provenance={"command": "quercus fit"})
    assert f"{100 * model.oob_score_:.1f} %</dd>" in page and "out-of-bag accuracy" in page
    for words in ("Out-of-bag error against the number of trees", "Importance of the attributes", "Confusion matrix",
                  "The data", "How it was made", "Many trees answer together here"):  # fmt: skip
        assert words in page
    for words in ('id="canvas"', 'id="case-form"', 'id="rules"', "#rules-heading", HOSTILE):
        assert words not in page


def test_the_evidence_of_a_model_file_is_enough(tmp_path: Path) -> None:
    X, y = table()
    model = RandomForestClassifier(30, oob_score=True, random_state=3).fit(X, y)
    evidence = collect_evidence(model, X, y)
    quercus.save(model, tmp_path / "m.json", evidence=evidence)
    file = read_model(tmp_path / "m.json")
    assert report_html(file.model, evidence=file.evidence) == report_html(model, X=X, y=y)
    assert evidence["evaluation"]["out_of_bag"]["accuracy"] == model.oob_score_
    assert not {"trace", "pruning", "curves"} & set(evidence)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (BoostedClassifier(n_estimators=5), "Error against the number of trees"),
        (BaggingClassifier(PARTClassifier(), 3, oob_score=True, vote="majority"), "Many rule lists answer together"),
        (RandomForestClassifier(3), "training accuracy"),
    ],
    ids=lambda given: type(given).__name__,
)
@pytest.mark.filterwarnings("ignore:.* rows were drawn for every member")
def test_other_collections(model: Any, words: str) -> None:
    X, y = table()
    assert words in report_html(model.fit(X, y), X=X, y=y)


def test_numbers_out_of_the_bag() -> None:
    X, _ = table()
    y = X[HOSTILE] * 3
    model = RandomForestRegressor(30, oob_score=True).fit(X, y)
    found = evaluate_out_of_bag(model, y)
    assert found is not None and found.test.r2 == pytest.approx(model.oob_score_, abs=1e-12)
    assert f"out-of-bag R²</dt><dd>{model.oob_score_:.3f}" in report_html(model, X=X, y=y)


@pytest.mark.filterwarnings("ignore:.* rows were drawn for every member")
def test_rows_that_all_members_have_seen_do_not_count() -> None:
    X, y = table()
    weights = np.arange(150) % 3 + 1.0
    model = RandomForestClassifier(2, oob_score=True, cost_matrix={("yes", "no"): 3.0}).fit(X, y, weights)
    found = evaluate_out_of_bag(model, y, weights)
    answered = ~np.isnan(model.oob_decision_function_[:, 0])
    assert found is not None and 0 < answered.sum() < 150 and found.test.weight == weights[answered].sum()
    assert found.test.accuracy == pytest.approx(model.oob_score_)
    assert found.test.mean_cost == pytest.approx(model.oob_curve_["mean cost"][-1])
    assert evaluate_out_of_bag(model, y[:10]) is None
    assert evaluate_out_of_bag(RandomForestClassifier(2).fit(X, y), y) is None

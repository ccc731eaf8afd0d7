"""Mean costs stand beside the cheapest constant answer, and pruning that leaves costs out is told."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quercus import BaggingClassifier, C45Classifier, CARTClassifier
from quercus.evaluation import compare_models, evaluate
from quercus.fitted import Decision
from quercus.report.content import _figures
from quercus.report.quality import measure_table
from quercus.report.subject import subject_of

PULSE: dict[str, list[Any]] = {"Pulse": [50, 55, 60, 62, 64, 66, 70, 72, 75, 90]}
STATE = ["well"] * 5 + ["ill"] + ["well"] * 3 + ["ill"]
COSTS = {("ill", "well"): 10, ("well", "ill"): 1}
MODEL = CARTClassifier(max_depth=1, cost_matrix=COSTS).fit(PULSE, STATE)


def test_evaluate_names_the_cheapest_constant_answer() -> None:
    scores = evaluate(MODEL, PULSE, STATE).test
    assert (scores.mean_cost, scores.cheapest, scores.cheapest_cost) == (pytest.approx(0.3), "ill", pytest.approx(0.8))
    assert scores.measures()["mean cost"] == '0.3 (always "ill": 0.8)'
    assert list(scores.measures())[2:4] == ["always the largest class", "mean cost"]
    found = scores.to_dict()
    assert (found["cheapest"], found["cheapest_cost"]) == ("ill", pytest.approx(0.8))


def test_costs_side_by_side_have_one_number_of_decimals_and_the_headline_names_the_constant_too() -> None:
    weights = [1.0, 2.0] * 5
    scores = evaluate(MODEL, PULSE, STATE, sample_weight=weights).test
    mean, constant = (part.split(".")[1] for part in (scores.cost_text.split()[0], scores.cost_text[:-1].split()[-1]))
    assert len(mean) == len(constant) and f"mean cost {scores.cost_text} on" in scores.headline()
    lines = str(
        compare_models({"a": MODEL, "b": CARTClassifier()}, PULSE, STATE, folds=2, cost_matrix=COSTS)
    ).splitlines()
    places = {len(line.split()[1].split(".")[1]) for line in lines[2:4]}
    assert len(places) == 1, lines


def test_without_costs_there_is_no_yardstick() -> None:
    scores = evaluate(CARTClassifier().fit(PULSE, STATE), PULSE, STATE).test
    assert scores.cheapest_cost is None and "mean cost" not in scores.measures()


def test_compare_names_the_cheapest_constant_answer() -> None:
    models = {"a": MODEL, "b": CARTClassifier(cost_matrix=COSTS)}
    found = compare_models(models, PULSE, STATE, folds=2, cost_matrix=COSTS)
    assert (found.cheapest, found.cheapest_cost) == ("ill", pytest.approx(0.8))
    assert '\nalways "ill": 0.8' in str(found)
    assert found.to_dict()["cheapest"] == "ill"
    assert "always" not in str(compare_models(models, PULSE, STATE, folds=2))


def test_the_report_has_the_yardstick_beside_the_mean_cost() -> None:
    table = measure_table({"evaluation": evaluate(MODEL, PULSE, STATE).to_dict()})
    assert table is not None
    assert ("mean cost", ['0.3 (always "ill": 0.8)']) in table["rows"]
    made = subject_of(MODEL)
    evidence = {"evaluation": evaluate(MODEL, PULSE, STATE).to_dict()}
    assert ("test mean cost", '0.3 (always "ill": 0.8)') in _figures(made, evidence)
    old = {"evaluation": {"test": {"rows": 5, "mean_cost": 0.5}}}  # evidence of an older file
    assert ("mean cost", ["0.5"]) in (measure_table(old) or {})["rows"]


def test_fit_prints_the_yardstick(tmp_path: Path) -> None:
    from tests.cli.calling import text

    table = tmp_path / "patients.csv"
    rows = zip(PULSE["Pulse"], STATE, strict=True)
    table.write_text("pulse,state\n" + "".join(f"{pulse},{state}\n" for pulse, state in rows))
    assert '(always "ill": 0.8)' in text("fit", table, "-a", "cart", "-t", "state", "--costs", "ill:well=10")


def test_python_is_warned_where_pruning_leaves_costs_out() -> None:
    with pytest.warns(UserWarning, match='error_based pruning counts errors only.*prune="cost_complexity"') as told:
        C45Classifier(cost_matrix=COSTS).fit(PULSE, STATE)
    assert len(told) == 1
    with pytest.warns(UserWarning, match="error_based pruning counts errors only") as told:
        BaggingClassifier(C45Classifier(cost_matrix=COSTS), 3, random_state=0).fit(PULSE, STATE)
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        C45Classifier(cost_matrix=COSTS, prune=False).fit(PULSE, STATE)
        C45Classifier(cost_matrix=COSTS, prune="cost_complexity", folds=2).fit(PULSE, STATE)
        C45Classifier().fit(PULSE, STATE)


@pytest.mark.parametrize(
    ("options", "shares"),
    [({"cost_matrix": COSTS}, (1 / 11, 10 / 11)), ({"decision_threshold": 0.7}, (0.3, 0.7)), ({}, (None, None))],
)
def test_the_share_from_which_a_class_is_answered(options: dict[str, Any], shares: tuple[float, float]) -> None:
    decision = Decision.read(["ill", "well"], **options)
    assert [decision.answered_from(0), decision.answered_from(1)] == [pytest.approx(share) for share in shares]
    for code, share in enumerate(shares):
        for moved in (1e-6, -1e-6) if share is not None else ():
            second = share + moved if code == 1 else 1 - share - moved
            assert (decision.codes(np.array([[1 - second, second]]))[0] == code) == (moved > 0)


def test_rules_reasons_and_counterfactuals_say_why_an_unlikely_class_is_answered() -> None:
    why = "ill is answered from 9.09 % on, since answering well where ill is true costs 10 times the other mistake."
    assert why in str(MODEL.rules()).splitlines()
    row = {"Pulse": [70]}  # 2 of 5 are ill here
    assert MODEL.reason_codes(row).why == why and str(MODEL.reason_codes(row)).endswith(why)
    assert MODEL.counterfactuals(row).why == why and str(MODEL.counterfactuals(row)).endswith(why)
    assert "→ ill, 2 of 5" in str(MODEL.explain(row))
    sure = {"Pulse": [50]}  # all are well here
    assert MODEL.reason_codes(sure).why == ""
    plain = CARTClassifier(max_depth=1).fit(PULSE, STATE)
    assert "answered from" not in f"{plain.rules()}{plain.reason_codes(row)}{plain.counterfactuals(row)}"


def test_a_threshold_is_a_reason_too() -> None:
    model = CARTClassifier(max_depth=1, decision_threshold=0.95).fit(PULSE, STATE)
    assert model.reason_codes({"Pulse": [70]}).why == "ill is answered from 5 % on, by the decision threshold."

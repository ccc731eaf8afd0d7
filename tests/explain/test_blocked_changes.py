"""Counterfactuals: values that people would write, changes that cannot be, and what blocks a wanted answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from quercus import CARTClassifier, RIPPERClassifier
from quercus.explain.counterfactual.lasting import impossible

PATIENTS: dict[str, list[Any]] = {
    "age": [70, 68, 66, 40, 30, 20, 72, 75],
    "bili": [1.4, 2.1, 2.5, 1.2, 1.1, 1.4, 1.9, 3.0],
}
STATE = ["died", "died", "died", "alive", "alive", "alive", "died", "died"]
MODEL = CARTClassifier().fit(PATIENTS, STATE)


def test_a_change_that_cannot_be_is_marked_with_the_way_to_leave_it_out() -> None:
    found = MODEL.counterfactuals(PATIENTS)
    assert found[0].changes[0].impossible == "age cannot go down"
    assert "(any age <= 53; age cannot go down)" in str(found)
    assert str(found).endswith("To leave out what cannot change: fixed=['age'], on the command line --fixed age.")
    young = MODEL.counterfactuals(PATIENTS, row=3)
    assert young[0].changes[0].impossible == "" and "fixed" not in str(young)


@pytest.mark.parametrize(
    "options", [{"fixed": ["age"]}, {"directions": {"age": "up"}}, {"change_costs": {"age": np.inf}}]
)
def test_what_blocks_a_wanted_answer_is_named(options: dict[str, Any]) -> None:
    found = MODEL.counterfactuals(PATIENTS, **options)
    assert (len(found), found.blocked) == (0, ("age",))
    assert found.unblocked is not None and found.unblocked.label == "alive"
    assert "What blocks it: age is not free to change. If it were: age from 70 to 53" in str(found)
    assert found.to_dict()["blocked"] == ["age"]


def test_an_answer_that_the_model_never_gives_is_said_to_be_one() -> None:
    model = CARTClassifier(max_depth=1).fit(PATIENTS, ["a", "b", "c", "a", "a", "a", "b", "b"])
    found = model.counterfactuals(PATIENTS, target="c")
    assert (len(found), found.blocked, found.unblocked) == (0, (), None)
    assert str(found) == "Now: a. Wanted: c: no change gives it, for the model answers so nowhere."


def test_rules_name_what_blocks_as_well() -> None:
    model = RIPPERClassifier().fit({"age": list(range(40))}, ["young"] * 20 + ["old"] * 20)
    found = model.counterfactuals({"age": [39]}, fixed=["age"])
    assert (len(found), found.blocked) == (0, ("age",))


def test_values_of_narrow_numbers_are_written_as_people_do() -> None:
    bili = np.array([1.4, 1.9, 2.0, 2.4], dtype=np.float32)
    model = CARTClassifier().fit({"bili": bili}, ["alive", "alive", "died", "died"])
    assert str(model.counterfactuals({"bili": bili})[0]).startswith("bili from 1.4 to 2 (")


def test_only_whole_words_of_names_count() -> None:
    assert [impossible(name, up=False) for name in ("wage", "Language", "sextant")] == [""] * 3
    assert impossible("Age", up=True) == "" and impossible("patient_age", up=False) == "patient_age cannot go down"
    assert impossible("PatientSex", up=None) == "PatientSex cannot change"

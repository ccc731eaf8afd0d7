"""R's rpart: CART with surrogates, losses and priors asks the same questions, with the same stand-ins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from quercus import CARTClassifier, CARTRegressor
from quercus.tree.node import Node
from quercus.tree.surrogate import Surrogate

from .figures import read
from .tables import bundled, uneven_weights, with_gaps

# surrogatestyle=1 judges a surrogate over the rows where it is known, as we do; style 0 counts unknown as disagreement.
CASES = [case for case in read("rpart")["cases"] if case.get("style", 1) == 1]


def name_of(case: dict[str, Any]) -> str:
    """The case in a few words."""
    words = [case["table"], *("gaps" for _ in range(case["gaps"])), *("nominal" for _ in case["nominal"][:1])]
    words += [case["criterion"], *(key for key in ("weights", "losses", "priors") if key in case)]
    return "-".join([*words, f"leaf={case['min_samples_leaf']}"])


def fitted(case: dict[str, Any]) -> tuple[CARTClassifier | CARTRegressor, pd.DataFrame]:
    """Our tree for a case, and the training rows."""
    if case["gaps"]:
        frame, target = with_gaps(case["table"], tuple(case["nominal"]))
    else:
        matrix, target = bundled(case["table"])
        frame = pd.DataFrame({f"x{j}": matrix[:, j] for j in range(matrix.shape[1])})
    parameters = {
        key: case[key] for key in ("criterion", "min_samples_split", "min_samples_leaf", "priors") if key in case
    }
    if "losses" in case:
        parameters["cost_matrix"] = np.array(case["losses"], dtype=float)
    estimator = CARTRegressor if case["criterion"] == "squared_error" else CARTClassifier
    model = estimator(missing="surrogate", max_surrogates=5, **parameters)
    weights = uneven_weights(len(target)) if case.get("weights") == "uneven" else None
    return model.fit(frame, target, sample_weight=weights), frame


def question(asked: Node | Surrogate) -> dict[str, Any]:
    """A node's test or a surrogate in the words of the figures: the branch of the low side or of each value."""
    test, children = asked.test, getattr(asked, "children", (0, 1))
    children = children if isinstance(asked, Surrogate) else (0, 1)
    if test.attribute.is_numeric:
        return {"variable": test.attribute.name, "threshold": test.threshold, "low": children[0]}
    branch = {test.attribute.values[code]: children[i] for i, codes in enumerate(test.groups) for code in codes}
    return {"variable": test.attribute.name, "values": {value: branch.get(value) for value in test.attribute.values}}


def same_question(ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """Equal but for the last digits of a threshold."""
    keys = [key for key in ("variable", "low", "values") if key in theirs]
    same = all(ours.get(key) == theirs[key] for key in keys)
    return same and ours.get("threshold", 0.0) == pytest.approx(theirs.get("threshold", 0.0), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_same_questions(case: dict[str, Any]) -> None:
    model, _ = fitted(case)
    ours = list(model.tree_.walk())
    for mine, theirs in zip(ours, case["nodes"], strict=False):
        assert mine.count == theirs["n"]
        assert mine.is_leaf == ("variable" not in theirs), mine
        if not mine.is_leaf:
            assert same_question(question(mine), theirs), (mine, theirs)
    assert len(ours) == case["n_nodes"]


@pytest.mark.parametrize("case", [case for case in CASES if case["gaps"]], ids=name_of)
def test_same_surrogates(case: dict[str, Any]) -> None:
    model, _ = fitted(case)
    for mine, theirs in zip(model.tree_.walk(), case["nodes"], strict=True):
        expected = theirs.get("surrogates", [])
        assert len(mine.surrogates) == len(expected), mine
        for surrogate, figure in zip(mine.surrogates, expected, strict=True):
            assert surrogate.agreement == pytest.approx(figure["agreement"], rel=1e-9)
            assert surrogate.adjusted == pytest.approx(figure["adjusted"], rel=1e-9)
            assert same_question(question(surrogate), figure), (mine, surrogate, figure)


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_same_answers(case: dict[str, Any]) -> None:
    model, frame = fitted(case)
    value = {node.id: theirs["value"] for node, theirs in zip(model.tree_.walk(), case["nodes"], strict=True)}
    expected = np.array([value[leaf] for leaf in model.apply(frame)])
    predictions = model.predict(frame)
    if isinstance(model, CARTRegressor):
        np.testing.assert_allclose(predictions, expected, rtol=1e-9)
    else:
        np.testing.assert_array_equal(predictions + 1, expected)

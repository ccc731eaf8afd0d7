"""R's rpart: the improvements of all competing splits at every node, and importances with surrogates, are the same.

rpart counts entropy in nats, and scales costs so that the root keeps its weight; of numbers it gives the share of the
node's deviation. Importances under losses are left out: rpart weighs nodes by cost there, ours by their examples.
"""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np
import pytest

from quercus import CARTClassifier, CARTRegressor
from quercus.explain import competition, gain_importance

from .figures import read
from .tables import table_of, uneven_weights

CASES = read("rpart_competing")["cases"]


def name_of(case: dict[str, Any]) -> str:
    """The case in a few words."""
    gaps = "complete" if case["gaps"] is None else f"gaps-in-x{case['gaps']}"
    return "-".join([case["table"], gaps, case["criterion"], *(["losses"] if "losses" in case else [])])


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_same_improvements_of_all_competing_splits(case: dict[str, Any]) -> None:
    frame, target = table_of(case)
    weights = uneven_weights(len(target))
    parameters = {key: case[key] for key in ("criterion", "min_samples_split", "min_samples_leaf")}
    if "losses" in case:
        parameters["cost_matrix"] = np.array(case["losses"], dtype=float)
    estimator = CARTRegressor if case["criterion"] == "squared_error" else CARTClassifier
    model = estimator(missing="surrogate", max_surrogates=30, **parameters).fit(frame, target, sample_weight=weights)
    trace = model.trace(frame, target, weights)
    factor = log(2) if case["criterion"] == "entropy" else trace.node(0).weight / trace.node(0).total
    for node, theirs in zip(model.tree_.walk(), case["nodes"], strict=True):
        found = competition(trace, node.id)
        assert (found is None) == ("improve" not in theirs)
        if found is None:
            continue
        scale = factor / (model.tree_.value[node.id, 2] if model.tree_.is_regression else 1.0)
        ours = {one.attribute: one.improvement * scale for one in (found.primary, *found.competitors)}
        for variable, improve in theirs["improve"].items():
            assert ours.pop(variable) == pytest.approx(improve, rel=1e-9), (node, variable)
        assert all(abs(improvement) < 1e-9 for improvement in ours.values()), (node, ours)
    if "losses" not in case:
        importance = gain_importance(model.tree_, surrogates=True)
        ours = {name: value * factor for name, value in zip(importance.attributes, importance.values, strict=True)}
        assert {name: value for name, value in ours.items() if value > 0} == pytest.approx(case["importance"], rel=1e-9)

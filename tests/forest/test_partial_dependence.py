"""Partial dependence and individual curves against asking ``predict`` about changed tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from quercus import (
    BaggingClassifier,
    BoostedClassifier,
    C45Classifier,
    C45RulesClassifier,
    CARTRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    RIPPERClassifier,
)
from quercus.errors import DataError, ParameterError
from quercus.estimators.inspection import partial_dependence


def table(n_rows: int = 60) -> tuple[Any, Any, Any]:
    """Numbers, names, an order and a date; a class and a number to answer."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "x": random.normal(size=n_rows).round(1),
            "group": random.choice(["a", "b", "c"], n_rows),
            "size": pd.Categorical(random.choice(["S", "M", "L"], n_rows), ["S", "M", "L"], ordered=True),
            "flag": random.random(n_rows) < 0.5,
        }
    )
    number = frame["x"] * 2 + (frame["group"] == "b") + random.normal(size=n_rows) / 10
    frame.loc[3, "x"] = np.nan
    return frame, np.where(number > 0.5, "up", "down"), number


@pytest.mark.parametrize(
    "model",
    [
        C45Classifier(smoothing="laplace"),
        C45RulesClassifier(),
        RIPPERClassifier(),
        RandomForestClassifier(n_estimators=5),
        BaggingClassifier(C45Classifier(), n_estimators=3),
        BoostedClassifier(n_estimators=4),
    ],
)
@pytest.mark.parametrize("name", ["x", "group", "size", "flag"])
def test_curves_of_classifiers_are_those_of_changed_tables(model: Any, name: str) -> None:
    frame, y, _ = table()
    model.fit(frame, y)
    found = partial_dependence(model, frame, name, grid_size=5, individual=True)
    assert found.classes == ("down", "up") and found.individual is not None
    for place, value in enumerate(found.values[0]):
        changed = frame.copy()
        kind = frame[name].dtype
        changed[name] = pd.Categorical([value] * len(frame), ["S", "M", "L"], ordered=True) if name == "size" else value
        if name != "size":
            changed[name] = changed[name].astype(kind)
        expected = model.predict_proba(changed)
        np.testing.assert_array_equal(found.individual[:, place], expected)
        np.testing.assert_allclose(found.average[place], expected.mean(axis=0), atol=1e-12)
    np.testing.assert_array_equal(found.curve(), found.curve("up"))


@pytest.mark.parametrize("model", [CARTRegressor(max_depth=4), RandomForestRegressor(n_estimators=4)])
def test_surface_of_two_attributes(model: Any) -> None:
    frame, _, number = table()
    model.fit(frame, number)
    weights = np.arange(len(frame), dtype=float)
    found = partial_dependence(model, frame, ["group", "x"], grid={"x": [-1, 0.5]}, sample_weight=weights)
    assert found.average.shape == (3, 2, 1) and found.individual is None
    for i, group in enumerate(found.values[0]):
        for j, x in enumerate([-1, 0.5]):
            expected = model.predict(frame.assign(group=group, x=x))
            assert found.average[i, j, 0] == pytest.approx(np.average(expected, weights=weights))
    assert found.curve().shape == (3, 2)
    assert str(found).splitlines()[0].split() == ["group", "x", "answer"]


def test_grids_are_domains_distinct_values_or_quantiles() -> None:
    frame, y, _ = table()
    model = RandomForestClassifier(n_estimators=2).fit(frame, y)
    known = np.sort(frame["x"].dropna().to_numpy())
    few = partial_dependence(model, frame, "x", grid_size=4)
    assert few.values[0][0] == known[0] and few.values[0][-1] == known[-1] and len(few.values[0]) == 4
    assert set(few.values[0]) <= set(known)
    every = partial_dependence(model, frame, "x", grid_size=1000)
    np.testing.assert_array_equal(every.codes[0], np.unique(known))
    assert partial_dependence(model, frame, "size").values[0] == ("S", "M", "L")
    ice = partial_dependence(model, frame, "x", individual=True)
    assert (ice.centered()[:, 0] == 0).all() and ice.centered().any()
    assert partial_dependence(model, frame, "size").to_dict()["values"] == [["S", "M", "L"]]


def test_what_cannot_be_asked_is_refused() -> None:
    frame, y, _ = table()
    model = RandomForestClassifier(n_estimators=2).fit(frame, y)
    for attributes in ([], ["x", "x"], ["x", "group", "flag"]):
        with pytest.raises(ParameterError, match="one name, or two"):
            partial_dependence(model, frame, attributes)
    with pytest.raises(DataError, match="no attribute 'xx'"):
        partial_dependence(model, frame, "xx")
    with pytest.raises(ParameterError, match="no value 'z'"):
        partial_dependence(model, frame, "group", grid={"group": ["a", "z"]})
    with pytest.raises(ParameterError, match="not among the attributes"):
        partial_dependence(model, frame, "group", grid={"x": [1]})
    with pytest.raises(ParameterError, match="individual=True"):
        partial_dependence(model, frame, "x").centered()
    with pytest.raises(ParameterError, match="must be a fitted estimator"):
        partial_dependence("forest", frame, "x")

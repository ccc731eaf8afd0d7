"""Beside the package shap: the same values where it can run, its TreeExplainer and its plots."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import quercus
from quercus.explain.shap.values import shap_values

shap = pytest.importorskip("shap", reason="the package shap is not installed")


def numbers(n_rows: int = 300, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 6)).astype(np.float32).astype(np.float64)
    return X, X[:, 0] * X[:, 1] + np.abs(X[:, 2]) + 0.3 * random.normal(size=n_rows)


def fitted(kind: str, classes: int) -> tuple[Any, np.ndarray]:
    X, y = numbers()
    if classes:
        target = np.digitize(y, np.quantile(y, np.linspace(0, 1, classes + 1)[1:-1]))
        model = quercus.RandomForestClassifier(8, random_state=0) if kind == "forest" else quercus.CARTClassifier()
        return model.fit(X, target), X
    model = quercus.RandomForestRegressor(8, random_state=0) if kind == "forest" else quercus.CARTRegressor()
    return model.fit(X, y), X


@pytest.mark.parametrize("classes", (0, 2, 4))
@pytest.mark.parametrize("kind", ("tree", "forest"))
def test_values_are_those_of_shap(kind: str, classes: int) -> None:
    model, X = fitted(kind, classes)
    theirs = shap.TreeExplainer(model.to_sklearn())
    ours = model.shap_values(X[:40])
    assert isinstance(ours, shap.Explanation)
    np.testing.assert_allclose(ours.values, theirs.shap_values(X[:40]), rtol=0, atol=1e-9)
    np.testing.assert_allclose(ours.base_values[0], theirs.expected_value, rtol=0, atol=1e-9)
    pairs = theirs.shap_interaction_values(X[:5])
    np.testing.assert_allclose(model.shap_values(X[:5], interactions=True).values, pairs, rtol=0, atol=1e-9)
    beside = shap.TreeExplainer(model.to_sklearn(), X[200:220])
    found = model.shap_values(X[:20], background=X[200:220])
    np.testing.assert_allclose(found.values, beside.shap_values(X[:20]), rtol=0, atol=1e-6)  # it adds in float32
    np.testing.assert_allclose(found.base_values[0], beside.expected_value, rtol=0, atol=1e-6)


def test_tree_explainer_takes_our_models() -> None:
    X = {"x": [1.0, 2.0, np.nan, 4.0] * 5, "letter": list("abca") * 5}
    model = quercus.C45Classifier().fit(X, ["u", "v", "w", "u"] * 5)
    explainer = shap.TreeExplainer(model)
    assert isinstance(explainer, shap.TreeExplainer)
    expected = shap_values(model, X)
    np.testing.assert_array_equal(explainer.shap_values(X), expected.values)
    np.testing.assert_array_equal(explainer(X).values, expected.values)
    np.testing.assert_array_equal(explainer.expected_value, expected.base_values[0])
    np.testing.assert_array_equal(explainer.shap_interaction_values(X), shap_values(model, X, interactions=True).values)
    np.testing.assert_array_equal(
        shap.TreeExplainer(model, X).shap_values(X), shap_values(model, X, background=X).values
    )
    assert type(shap.Explainer(model)).__name__ == "TreeExplainer"


def test_tree_explainer_refuses_what_it_cannot_do() -> None:
    model, X = fitted("tree", 2)
    with pytest.raises(ValueError, match="raw"):
        shap.TreeExplainer(model, X, model_output="probability")
    with pytest.raises(ValueError, match="background"):
        shap.TreeExplainer(model, feature_perturbation="interventional")
    with pytest.raises(Exception, match="not yet supported"):
        shap.TreeExplainer(object())


@pytest.mark.parametrize("order", ("import shap, quercus", "import quercus, shap"))
def test_either_library_may_come_first(order: str) -> None:
    program = f"{order}\nmodel = quercus.CARTRegressor().fit([[1.0], [2.0]], [0.0, 1.0])\n"
    program += "print(shap.TreeExplainer(model).shap_values([[1.0]]))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[[-0.5]]"


@pytest.mark.parametrize("plot", ("waterfall", "beeswarm", "bar", "scatter", "heatmap"))
def test_plots_of_shap_take_the_explanation(plot: str) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    model, X = fitted("forest", 2)
    found = model.shap_values(X[:30])[:, :, 1]
    getattr(shap.plots, plot)(
        found[0] if plot == "waterfall" else found[:, 0] if plot == "scatter" else found, show=False
    )
    matplotlib.pyplot.close("all")

"""Other tools read what to_sklearn() gives; docs/exports.md lists them. Each is tried where it is installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

import quercus as q


def trees() -> tuple[Any, Any, Any]:
    """A tree and a forest as scikit-learn has them, and rows of float32."""
    X, y = load_iris(return_X_y=True)
    X = X.astype(np.float32)
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    tree = q.CARTClassifier(missing="most_common").fit(X, y)
    forest = q.RandomForestClassifier(5, random_state=0, missing="most_common").fit(X, y)
    return tree.to_sklearn(), forest.to_sklearn(), X


def test_shap_adds_up_to_the_answers_also_of_unknown_values() -> None:
    shap = pytest.importorskip("shap", reason="shap is not installed")
    *models, X = trees()
    for model in models:
        explainer = shap.TreeExplainer(model)
        parts = np.asarray(explainer.shap_values(X, check_additivity=False))
        assert np.allclose(parts.sum(axis=1) + explainer.expected_value, model.predict_proba(X), rtol=0, atol=1e-12)


def test_treelite_imports_a_forest() -> None:
    treelite = pytest.importorskip("treelite", reason="treelite is not installed")
    _, forest, X = trees()
    answers = treelite.gtil.predict(treelite.sklearn.import_model(forest), X)
    assert np.array_equal(answers.reshape(len(X), -1), forest.predict_proba(X))


def test_m2cgen_answers_known_values() -> None:
    m2cgen = pytest.importorskip("m2cgen", reason="m2cgen is not installed")
    *models, X = trees()
    known = X[~np.isnan(X).any(axis=1)]
    for model in models:
        names: dict[str, Any] = {}
        exec(m2cgen.export_to_python(model), names)
        answers = [names["score"](row) for row in known.astype(float).tolist()]
        assert np.allclose(answers, model.predict_proba(known), rtol=0, atol=1e-12)


def test_eli5_explains() -> None:
    eli5 = pytest.importorskip("eli5", reason="eli5 is not installed")
    *models, X = trees()
    for model in models:
        assert "not supported" not in eli5.format_as_text(eli5.explain_weights(model))
        assert eli5.explain_prediction(model, X[0]).targets


def test_supertree_draws(tmp_path: Any) -> None:
    supertree = pytest.importorskip("supertree", reason="supertree is not installed")
    pandas = pytest.importorskip("pandas")
    X, y = load_iris(return_X_y=True)
    for model in (q.CARTClassifier(), q.RandomForestClassifier(3, random_state=0)):
        theirs = model.fit(X, y).to_sklearn()
        frame = pandas.DataFrame(X, columns=list("abcd"))
        supertree.SuperTree(theirs, frame, pandas.Series(y), list("abcd"), ["u", "v", "w"]).save_html(
            str(tmp_path / "tree.html")
        )
        assert (tmp_path / "tree.html").stat().st_size > 10_000


def test_dtreeviz_explains_a_path() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    dtreeviz = pytest.importorskip("dtreeviz", reason="dtreeviz is not installed")
    X, y = load_iris(return_X_y=True)
    theirs = q.CARTClassifier(max_depth=2).fit(X, y).to_sklearn()
    view = dtreeviz.model(theirs, X, y, feature_names=list("abcd"), target_name="y", class_names=["u", "v", "w"])
    assert "c < 2.45" in view.explain_prediction_path(X[0])

"""Shapley values: equal to the sum over all coalitions, to the package shap, and to the answers when added up."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from oracle.tables import random_case

import quercus
from explain.shap_games import against, by_shares, shapley_interactions, shapley_values
from quercus.data import Dataset
from quercus.explain.shap.values import shap_values
from quercus.fitted.model import model_of
from quercus.growing.grow import grow
from quercus.tree.forest import Forest
from quercus.tree.tree import Tree

#: Seeds of the quick run, and of the long one.
QUICK, MANY = range(300), range(300, 2600)


@pytest.fixture(autouse=True)
def no_shap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Importing shap takes seconds; tests that need it ask for it."""
    monkeypatch.setitem(sys.modules, "shap", None)


def small_case(seed: int) -> tuple[Tree, Dataset]:
    """A random tree, and rows to explain: some of its table, with cells made unknown or mixed."""
    case = random_case(seed)
    tree = grow(case.dataset, case.target, case.recipe, **case.arguments())
    random = np.random.default_rng(seed)
    taken = random.integers(0, case.dataset.n_rows, (3, len(case.dataset.schema)))
    columns = []
    for a, (attribute, column) in enumerate(zip(case.dataset.schema, case.dataset.columns, strict=True)):
        cells = column[taken[:, a]].copy()
        unknown = random.random(3) < 0.25
        cells[unknown] = -1 if np.issubdtype(cells.dtype, np.integer) else np.nan
        if not attribute.is_numeric and random.random() < 0.3:
            cells[0] = random.integers(0, attribute.n_values)
        columns.append(np.ascontiguousarray(cells))
    return tree, Dataset(case.dataset.schema, tuple(columns), 3)


def outputs(values: np.ndarray, ndim: int = 3) -> np.ndarray:
    """With an axis of outputs, if there is none."""
    return values if values.ndim == ndim else values[..., None]


def check_tree(seed: int) -> None:
    tree, rows = small_case(seed)
    found = shap_values(tree, rows)
    values, said = outputs(found.values), tree.distributions()
    scale = max(1.0, float(np.abs(said).max()))
    for row in range(rows.n_rows):
        expected = shapley_values(by_shares(tree, said, rows, row), len(rows.schema))
        np.testing.assert_allclose(values[row], expected, rtol=0, atol=1e-12 * scale, err_msg=f"seed {seed}, row {row}")
    answers = outputs(found.base_values, 2) + values.sum(axis=1)
    np.testing.assert_allclose(answers, model_of(tree).shares(rows), rtol=0, atol=1e-12 * scale, err_msg=f"seed {seed}")


@pytest.mark.parametrize("chunk", range(3))
def test_values_are_those_of_all_coalitions(chunk: int) -> None:
    for seed in QUICK[chunk::3]:
        check_tree(seed)


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(8))
def test_values_are_those_of_all_coalitions_of_many_trees(chunk: int) -> None:
    for seed in MANY[chunk::8]:
        check_tree(seed)


def check_background(seed: int) -> None:
    tree, rows = small_case(seed)
    _, others = small_case(seed)
    background = others.take(np.array([2, 1])) if seed % 2 else random_case(seed).dataset.take(np.array([0]))
    found = shap_values(tree, rows, background=background)
    said = tree.distributions()
    scale = max(1.0, float(np.abs(said).max()))
    values = outputs(found.values)
    for row in range(rows.n_rows):
        game = against(tree, said, rows, row, background)
        expected = shapley_values(game, len(rows.schema))
        np.testing.assert_allclose(values[row], expected, rtol=0, atol=1e-12 * scale, err_msg=f"seed {seed}, row {row}")
    answers = outputs(found.base_values, 2) + values.sum(axis=1)
    np.testing.assert_allclose(answers, model_of(tree).shares(rows), rtol=0, atol=1e-12 * scale, err_msg=f"seed {seed}")


def test_values_against_a_background_are_those_of_mixed_rows() -> None:
    for seed in QUICK[:150]:
        check_background(seed)


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(4))
def test_values_against_a_background_are_those_of_mixed_rows_of_many_trees(chunk: int) -> None:
    for seed in MANY[chunk::8]:
        check_background(seed)


def check_interactions(seed: int) -> None:
    tree, rows = small_case(seed)
    pairs = outputs(shap_values(tree, rows, interactions=True).values, 4)
    said = tree.distributions()
    scale = max(1.0, float(np.abs(said).max()))
    for row in range(rows.n_rows):
        expected = shapley_interactions(by_shares(tree, said, rows, row), len(rows.schema))
        np.testing.assert_allclose(pairs[row], expected, rtol=0, atol=1e-12 * scale, err_msg=f"seed {seed}, row {row}")
    np.testing.assert_allclose(pairs.sum(axis=2), outputs(shap_values(tree, rows).values), rtol=0, atol=1e-12 * scale)


def test_interactions_are_those_of_all_coalitions() -> None:
    for seed in QUICK[:120]:
        check_interactions(seed)


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(4))
def test_interactions_are_those_of_all_coalitions_of_many_trees(chunk: int) -> None:
    for seed in MANY[chunk::12]:
        check_interactions(seed)


def test_values_of_a_forest_are_the_weighted_mean_of_its_trees() -> None:
    for seed in range(60):
        case = random_case(seed)
        tree = grow(case.dataset, case.target, case.recipe, **case.arguments())
        stump = tree.collapse(np.arange(tree.n_nodes) == 1) if tree.n_nodes > 3 else tree
        _, rows = small_case(seed)
        found = shap_values(Forest.from_trees([tree, stump], [2.0, 1.0]), rows)
        mean = (2 * shap_values(tree, rows).values + shap_values(stump, rows).values) / 3
        np.testing.assert_allclose(found.values, mean, rtol=0, atol=1e-12 * max(1.0, np.abs(mean).max()))


def mixed_table(n_rows: int, seed: int = 0) -> tuple[dict[str, Any], np.ndarray]:
    """Numbers, codes and unknown cells; the target depends on all."""
    random = np.random.default_rng(seed)
    x, z, letter = random.normal(size=n_rows), random.integers(0, 5, n_rows), random.choice(list("abcd"), n_rows)
    y = x + (letter == "a") * z + (letter == "c")
    gaps = random.random(n_rows) < 0.15
    return {"x": np.where(gaps, np.nan, x), "z": z.astype(float), "letter": letter}, y


MODELS = {
    "forest": lambda: quercus.RandomForestClassifier(12, random_state=0),
    "majority": lambda: quercus.RandomForestClassifier(12, vote="majority", random_state=0),
    "bagged": lambda: quercus.BaggingClassifier(quercus.C45Classifier(), n_estimators=6, random_state=0),
    "boosted": lambda: quercus.BoostedClassifier(n_estimators=6),
    "C4.5": lambda: quercus.C45Classifier(),
    "ID3": lambda: quercus.ID3Classifier(missing="fractional"),
    "smoothed": lambda: quercus.CARTClassifier(smoothing="laplace"),
}


@pytest.mark.parametrize("classes", (2, 3))
@pytest.mark.parametrize("name", MODELS)
def test_values_of_classifiers_add_up_to_their_shares(name: str, classes: int) -> None:
    X, y = mixed_table(200)
    target = np.digitize(y, [0.8] if classes == 2 else [0.3, 2.0])
    if name in ("majority", "boosted"):  # a vote of a row in several leaves is one class, not a sum over leaves
        X = {**X, "x": np.nan_to_num(X["x"])}
    model = MODELS[name]().fit(X, target)
    for background in (None, {key: column[:7] for key, column in X.items()}):
        found = model.shap_values(X, background=background)
        assert found.values.shape == (200, 3, classes)
        assert found.output_names == [str(label) for label in range(classes)]
        np.testing.assert_allclose(found.base_values + found.values.sum(1), model.predict_proba(X), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "model",
    (
        quercus.CARTRegressor(missing="surrogate", max_surrogates=2),
        quercus.CARTRegressor(criterion="absolute_error"),
        quercus.RandomForestRegressor(10, random_state=1),
        quercus.BaggingRegressor(n_estimators=5, random_state=1),
    ),
    ids=lambda model: type(model).__name__,
)
def test_values_of_regressors_add_up_to_their_numbers(model: Any) -> None:
    X, y = mixed_table(200)
    model.fit(X, y)
    found = model.shap_values(X)
    assert found.values.shape == (200, 3)
    np.testing.assert_allclose(found.base_values + found.values.sum(1), model.predict(X), rtol=0, atol=1e-12)
    pairs = model.shap_values(X, interactions=True).values
    np.testing.assert_allclose(pairs.sum(2), found.values, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(pairs, pairs.transpose(0, 2, 1))


def test_each_quantile_has_its_values() -> None:
    X, y = mixed_table(150)
    model = quercus.CARTRegressor(criterion="pinball", quantiles=(0.1, 0.5, 0.9), min_samples_leaf=5).fit(X, y)
    found = model.shap_values(X)
    assert found.values.shape == (150, 3, 3)
    answers = found.base_values + found.values.sum(1)
    np.testing.assert_allclose(answers, model.predict_quantiles(X), rtol=0, atol=1e-12)


def test_rows_and_threads_do_not_change_a_value() -> None:
    X, y = mixed_table(300)
    model = quercus.RandomForestRegressor(5, random_state=0).fit(X, y)
    rows = model.encode_rows(X)
    all_at_once = shap_values(model, rows).values
    np.testing.assert_array_equal(shap_values(model, rows, n_jobs=3).values, all_at_once)
    for row in (0, 7, 13, 299):
        np.testing.assert_array_equal(shap_values(model, rows.take(np.array([row]))).values[0], all_at_once[row])


def test_a_long_chain_is_explained() -> None:
    n = 3000
    model = quercus.CARTRegressor().fit({"x": np.arange(n), "z": np.arange(n) % 2}, 1.5 ** (np.arange(n) % 60))
    X = {"x": [5, 2000], "z": [0, 1]}
    found = model.shap_values(X)
    scale = 1.5**60
    np.testing.assert_allclose(found.base_values + found.values.sum(1), model.predict(X), rtol=0, atol=1e-12 * scale)


def test_many_attributes_on_one_path() -> None:
    X = np.tri(81, 80, -1)  # row i has ones in its first i columns: the best questions make a chain
    model = quercus.CARTRegressor(max_depth=None).fit(X, 1.3 ** np.arange(81.0))
    found = model.shap_values(X)
    scale = 1.3**80
    np.testing.assert_allclose(found.base_values + found.values.sum(1), model.predict(X), rtol=0, atol=1e-12 * scale)


@pytest.mark.parametrize(
    ("arguments", "message"),
    (
        ({"background": {"x": [], "z": [], "letter": []}}, "no rows"),
        ({"background": {"x": [1.0], "z": [1.0], "letter": ["a"]}, "interactions": True}, "cannot be combined"),
        ({"background": {"x": [1.0]}}, "letter"),
    ),
)
def test_what_cannot_be_explained_is_refused(arguments: dict[str, Any], message: str) -> None:
    X, y = mixed_table(60)
    model = quercus.CARTRegressor().fit(X, y)
    with pytest.raises(ValueError, match=message):
        model.shap_values(X, **arguments)


def test_rules_are_refused() -> None:
    X, y = mixed_table(60)
    model = quercus.PARTClassifier().fit(X, y > 1)
    with pytest.raises(Exception, match="needs trees"):
        shap_values(model, X)


def test_an_explanation_without_shap_is_taken_apart_as_shaps() -> None:
    X, y = mixed_table(30)
    found = quercus.CARTClassifier().fit(X, y > 1).shap_values(X)
    assert found.feature_names == ["x", "z", "letter"] and found.data.shape == (30, 3) and len(found) == 30
    one = found[4, :, 1]
    assert one.values.shape == (3,) and one.base_values == found.base_values[4, 1] and one.output_names == "True"
    assert found[:, :, 0].values.shape == (30, 3) and found[2:5].base_values.shape == (3, 2)
    assert "z = " in str(one)

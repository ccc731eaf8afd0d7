"""Tiny and huge weights: every estimator answers as with weights near 1, or names the limit in the user's words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from quercus import (
    BaggingClassifier,
    BoostedClassifier,
    C45Classifier,
    C45RulesClassifier,
    CARTClassifier,
    CARTRegressor,
    ID3Classifier,
    PARTClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    RIPPERClassifier,
)
from quercus.data import encode, encode_classes
from quercus.data.case_weight import GREATEST_MEAN, LEAST_MEAN
from quercus.errors import DataError
from quercus.growing.cart import cart_recipe
from quercus.growing.grow import grow
from quercus.growing.reference.grower import grow_reference

RANDOM = np.random.default_rng(3)
X = np.round(RANDOM.normal(size=(120, 3)), 2)
X[RANDOM.random(X.shape) < 0.1] = np.nan
Y = (X[:, 0] + RANDOM.normal(size=120) > 0).astype(int) + (X[:, 1] > 0.6)
WEIGHTS = RANDOM.choice([0.5, 1.0, 2.0], 120)
WEIGHTS /= WEIGHTS.mean()
SCALES = [1e-300, 1e-8, 1e153, 1e200, 1e300]

MODELS: dict[str, Any] = {
    "CART": lambda scale: CARTClassifier(),
    "CART, fractions": lambda scale: CARTClassifier(missing="fractional", min_weight_fraction_leaf=0.07),
    "CART, surrogates": lambda scale: CARTClassifier(missing="surrogate", criterion="entropy"),
    "CART, balanced": lambda scale: CARTClassifier(class_weight="balanced", min_samples_leaf=3),
    "CART, priors": lambda scale: CARTClassifier(priors=[0.2, 0.5, 0.3]),
    "CART, costs": lambda scale: CARTClassifier(cost_matrix=[[0, 1, 2], [3, 0, 1], [1, 1, 0]]),
    "CART, best first": lambda scale: CARTClassifier(max_leaf_nodes=7),
    "CART, cost complexity": lambda scale: CARTClassifier(prune="cost_complexity", ccp_alpha=0.02),
    "CART, cross-validated cost complexity": lambda scale: CARTClassifier(prune="cost_complexity"),
    "regression, cross-validated cost complexity": lambda scale: CARTRegressor(prune="cost_complexity"),
    "CART, reduced error": lambda scale: CARTClassifier(prune="reduced_error"),
    "CART, minimum error": lambda scale: CARTClassifier(prune="minimum_error"),
    "CART, description length": lambda scale: CARTClassifier(prune="mdl"),
    "CART, chi-square": lambda scale: CARTClassifier(prune="chi_square"),
    "CART, critical value": lambda scale: CARTClassifier(prune="critical_value"),
    "CART, Laplace": lambda scale: CARTClassifier(max_depth=4, smoothing="laplace"),
    "CART, m-estimate": lambda scale: CARTClassifier(max_depth=4, smoothing=("m", 3.0)),
    "regression": lambda scale: CARTRegressor(max_depth=4),
    "regression, absolute": lambda scale: CARTRegressor(criterion="absolute_error", max_depth=4),
    "regression, poisson": lambda scale: CARTRegressor(criterion="poisson", max_depth=4),
    "ID3": lambda scale: ID3Classifier(significance=0.05),
    "C4.5": lambda scale: C45Classifier(min_objects=2 * scale),
    "C4.5, unpruned": lambda scale: C45Classifier(min_objects=2 * scale, prune=False),
    "C4.5 R8": lambda scale: C45Classifier(preset="r8", min_objects=2 * scale),
    "J48": lambda scale: C45Classifier(preset="j48", min_objects=2 * scale),
    "forest": lambda scale: RandomForestClassifier(5),
    "forest, drawn thresholds": lambda scale: RandomForestClassifier(5, random_thresholds=True),
    "forest of numbers": lambda scale: RandomForestRegressor(5),
    "bagged C4.5": lambda scale: BaggingClassifier(C45Classifier(min_objects=2 * scale, prune=False), 5),
    "boosting": lambda scale: BoostedClassifier(n_estimators=5),
    "boosting by trials": lambda scale: BoostedClassifier(C45Classifier(min_objects=2 * scale), 5, method="trials"),
    "C4.5's rules": lambda scale: C45RulesClassifier(min_objects=2 * scale),
    "PART": lambda scale: PARTClassifier(min_objects=2 * scale),
    "RIPPER": lambda scale: RIPPERClassifier(min_objects=2 * scale),
}


def answers(model: Any) -> np.ndarray:
    """Shares of the classes, or numbers."""
    return np.asarray(model.predict_proba(X) if hasattr(model, "predict_proba") else model.predict(X))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("scale", SCALES)
def test_the_scale_of_weights_changes_no_answer(name: str, scale: float) -> None:
    plain = MODELS[name](1.0).fit(X, Y, sample_weight=WEIGHTS)
    scaled = MODELS[name](scale).fit(X, Y, sample_weight=WEIGHTS * scale)
    np.testing.assert_allclose(answers(scaled), answers(plain), rtol=1e-6, atol=1e-9)
    if hasattr(plain, "tree_"):
        assert scaled.tree_.n_nodes == plain.tree_.n_nodes
        np.testing.assert_allclose(scaled.tree_.weight / scale, plain.tree_.weight, rtol=1e-9)
    elif hasattr(plain, "rules_"):
        shown, said = str(scaled.rules_).splitlines(), str(plain.rules_).splitlines()
        assert [line.split(" (")[0] for line in shown] == [line.split(" (")[0] for line in said]


def test_the_models_split() -> None:
    """So that the test above compares more than single leaves."""
    for name in ("C4.5", "J48", "CART, description length", "CART, minimum error", "ID3"):
        assert MODELS[name](1.0).fit(X, Y, sample_weight=WEIGHTS).tree_.n_leaves > 1, name


def test_pruned_members_of_a_bag() -> None:
    """One case is the mean row that was drawn, some of them several times."""

    def made(scale: float) -> BaggingClassifier:
        member = C45Classifier(min_objects=2 * scale)
        return BaggingClassifier(member, 5).fit(X, Y, sample_weight=WEIGHTS * scale)

    np.testing.assert_allclose(answers(made(1e200)), answers(made(1e-8)), rtol=1e-6)


@pytest.mark.parametrize("weight", [1e-8, 1e-300, 1e200])
@pytest.mark.parametrize("preset", ["c45", "r8", "j48"])
def test_equal_weights_of_any_size_are_weights_of_1(weight: float, preset: str) -> None:
    rows = [[float(i), "ab"[i % 2]] for i in range(20)]
    classes = ["low"] * 10 + ["high"] * 10
    plain = C45Classifier(preset=preset, min_objects=1).fit(rows, classes)
    same = C45Classifier(preset=preset, min_objects=weight).fit(rows, classes, sample_weight=np.full(20, weight))
    assert plain.tree_.n_leaves == 2
    for name in ("kind", "attribute", "threshold", "gain", "count"):
        np.testing.assert_array_equal(getattr(same.tree_, name), getattr(plain.tree_, name))


def test_overflowing_gini() -> None:
    model = CARTClassifier().fit([[1.0], [2.0], [3.0]], [0, 1, 0], sample_weight=[1e200] * 3)
    assert model.predict([[1.0], [2.0], [3.0]]).tolist() == [0, 1, 0]


@pytest.mark.parametrize("model", [CARTClassifier(), CARTRegressor(), RandomForestClassifier(2), PARTClassifier()])
def test_a_sum_beyond_float64_is_refused_by_name(model: Any) -> None:
    with pytest.raises(DataError, match=r"sample weights add up to more than 1\.8e308.*largest of them is 1e\+308"):
        model.fit([[1.0], [2.0], [3.0]], [0, 1, 0], sample_weight=[1e308] * 3)


@pytest.mark.parametrize("model", [CARTClassifier, C45RulesClassifier, RIPPERClassifier, RandomForestClassifier])
def test_class_weights_beyond_float64_are_refused_by_name(model: Any) -> None:
    with pytest.raises(DataError, match="weights of their classes add up"):
        model(class_weight={0: 1e300, 1: 1.0}).fit([[1.0], [2.0], [3.0]], [0, 1, 0], sample_weight=[1e30] * 3)


@pytest.mark.parametrize("scale", SCALES)
def test_the_standard_errors_of_tuning_count_cases(scale: float) -> None:
    def errors(factor: float) -> list[float]:
        table = CARTClassifier().tune(X, Y, sample_weight=WEIGHTS * factor, depths=[1, 2, 3])
        return [choice.standard_error for choice in table.choices if choice.parameter == "max_depth"]

    assert errors(scale) == pytest.approx(errors(1.0), rel=1e-6)


@pytest.mark.parametrize(
    "model", [CARTRegressor(), RandomForestRegressor(2), CARTRegressor(criterion="absolute_error")]
)
@pytest.mark.parametrize("largest", [1e155, 1e308])
def test_targets_whose_squares_are_beyond_float64_are_refused_by_name(model: Any, largest: float) -> None:
    with pytest.raises(DataError, match="Divide the target by a large number"):
        model.fit([[1.0], [2.0]], [0.0, largest])


def test_squares_beyond_float64_are_refused_by_name() -> None:
    with pytest.raises(DataError, match="Divide all weights, or the target"):
        CARTRegressor().fit([[1.0], [2.0]], [0.0, 1e10], sample_weight=[1e300] * 2)


@pytest.mark.parametrize("mean", [2 * LEAST_MEAN, 0.1, 7.3, GREATEST_MEAN / 2])
def test_numbers_of_cases_stay_as_they_are(mean: float) -> None:
    """Within the range nothing is divided."""
    data, classes = encode({"x": X[:, 0]}), encode_classes(Y)
    weights = np.random.default_rng(0).random(120)
    weights *= mean / weights.mean()
    for grower in (grow, grow_reference):
        tree = grower(data, classes, cart_recipe(max_depth=1), weights=weights)
        assert tree.case_weight == 1.0
        assert tree.value[0].tolist() == pytest.approx(np.bincount(classes.codes, weights).tolist(), rel=1e-14)


def test_very_unequal_weights_keep_every_row() -> None:
    """The light rows are nothing in any sum, but they are rows."""
    model = CARTClassifier().fit([[1.0], [2.0], [3.0]], [0, 1, 0], sample_weight=[1e300, 1e-300, 1e300])
    assert model.tree_.count[0] == 3
    assert model.predict([[2.0]]).tolist() in ([0], [1])

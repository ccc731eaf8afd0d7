"""Importances, the cost of use, competing splits and the summary."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.datasets import load_iris

from quercus import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
from quercus.data import encode_classes, encode_like
from quercus.datasets import load_play_tennis
from quercus.errors import DataError, ParameterError
from quercus.explain import (
    competing_frame,
    competitions,
    cost_of_use,
    gain_importance,
    permutation_importance,
    summarize,
)

RANDOM = np.random.default_rng(5)


def medical_table(n_rows: int = 300) -> tuple[dict[str, list[object]], list[str]]:
    """Numbers and names with gaps, and a class that follows them."""
    x, z = RANDOM.normal(size=n_rows), RANDOM.integers(0, 3, n_rows)
    noise = RANDOM.normal(size=n_rows)
    y = np.where(x + 0.3 * noise + (z == 1) > 0.3, "ill", "well")
    gaps = RANDOM.random(n_rows) < 0.15
    table: dict[str, list[object]] = {
        "pulse": [None if gap else float(value) for gap, value in zip(gaps, x, strict=True)],
        "near": (x + 0.1 * noise).tolist(),
        "group": [["a", "b", "c"][code] for code in z],
        "noise": RANDOM.normal(size=n_rows).tolist(),
    }
    return table, y.tolist()


def test_gain_importance_is_what_the_estimator_shares() -> None:
    X, y = medical_table()
    for model in (C45Classifier(prune=False), CARTClassifier(), ID3Classifier(max_depth=4)):
        model.fit(X, y)
        np.testing.assert_allclose(gain_importance(model.tree_).shares, model.feature_importances_, atol=1e-12)


def test_surrogates_lift_the_attribute_that_comes_second() -> None:
    X, y = medical_table()
    tree = CARTClassifier(missing="surrogate", max_depth=1).fit(X, y).tree_
    asked = tree.root.attribute.name
    plain, lifted = gain_importance(tree), gain_importance(tree, surrogates=True)
    other = "near" if asked == "pulse" else "pulse"
    assert plain.of(other) == 0
    surrogate = next(one for one in tree.root.surrogates if one.test.attribute.name == other)
    assert lifted.of(other) == pytest.approx(tree.root.weight * tree.root.gain * surrogate.adjusted)


def test_permutation_is_deterministic_and_finds_what_matters() -> None:
    X, y = medical_table()
    model = CARTClassifier(max_depth=4).fit(X, y)
    rows, target = encode_like(X, model.schema_), encode_classes(y)
    one = permutation_importance(model.tree_, rows, target, repeats=4, random_state=3)
    two = permutation_importance(model.tree_, rows, target, repeats=4, random_state=3)
    other = permutation_importance(model.tree_, rows, target, repeats=4, random_state=4)
    assert one == two
    assert one != other
    assert one.baseline == pytest.approx(1 - model.score(X, y))
    asked = {model.tree_.schema[int(a)].name for a in model.tree_.attribute[model.tree_.kind != 0]}
    for name in one.attributes:
        assert (one.of(name) == 0) or name in asked
    best = one.attributes[one.ranked[0]]
    assert best in ("pulse", "near")
    assert one.spread is not None
    assert one.spread[one.attributes.index(best)] > 0
    assert sum(one.shares) == pytest.approx(1)


def test_permutation_by_hand() -> None:
    """The importance is the mean loss of the shuffled tables less the loss as it is, with weights and numbers too."""
    x = np.arange(30.0)
    y = np.where(x < 15, 1.0, 5.0)
    weights = 1 + np.arange(30) % 3
    model = CARTRegressor().fit({"x": x}, y, sample_weight=weights)
    rows = encode_like({"x": x}, model.schema_)
    found = permutation_importance(model.tree_, rows, y, weights=weights, repeats=2, random_state=1)
    losses = []
    for number in range(2):
        order = np.random.default_rng([1, number, *b"x"]).permutation(30)
        losses.append(np.average((model.predict({"x": x[order]}) - y) ** 2, weights=weights))
    assert found.of("x") == pytest.approx(np.mean(losses))
    assert found.baseline == 0
    with pytest.raises(ParameterError, match="repeats is 0"):
        permutation_importance(model.tree_, rows, y, repeats=0)
    with pytest.raises(DataError, match="does not fit the tree"):
        permutation_importance(model.tree_, rows, encode_classes(["a"] * 30))


def test_cost_of_use_is_the_mean_of_the_rows() -> None:
    X, y = medical_table()
    costs = {"pulse": 1.0, "near": 20.0, "group": 3.0, "noise": 150.0}
    for model in (C45Classifier(attribute_costs=costs), CARTClassifier(attribute_costs=costs, max_depth=5)):
        model.fit(X, y)
        rows = encode_like(X, model.schema_)
        for weights in (None, RANDOM.random(len(y))):
            found = cost_of_use(model.tree_, rows, weights=weights)
            assert found.mean == pytest.approx(np.average(model.expected_test_cost(X), weights=weights))
            by_leaf = sum(found.leaf_costs[leaf] * found.leaf_shares[leaf] for leaf in found.leaf_costs)
            assert by_leaf == pytest.approx(found.mean)
            assert sum(found.leaf_shares.values()) == pytest.approx(1)
        unpruned = cost_of_use(model.unpruned_tree_)
        grown = np.mean(model.prune_with(False).expected_test_cost(X))
        assert unpruned.mean == pytest.approx(grown, rel=1e-9)


def test_competing_splits_of_every_node() -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = CARTClassifier(missing="surrogate").fit(X, y)
    trace = model.trace(X, y)
    found = list(competitions(trace))
    assert len(found) == np.count_nonzero(model.tree_.kind)
    for one in found:
        node = model.tree_.node(one.node)
        assert one.primary.improvement == pytest.approx(node.gain * node.weight)
        margins = [competitor.margin for competitor in one.competitors]
        assert margins == sorted(margins)
        assert [s.agreement for s in one.surrogates] == [s.agreement for s in node.surrogates]
    frame = competing_frame(trace, limit=2)
    assert set(frame["role"]) == {"primary", "competing", "surrogate"}
    assert (frame.groupby(["node", "role"]).size() <= 2).all()


def test_surrogates_on_demand_are_those_of_the_policy() -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    kept = CARTClassifier(missing="surrogate", max_depth=3).fit(X, y).trace(X, y)
    model = CARTClassifier(max_depth=3).fit(X, y)
    from quercus.explain import trace_growing

    rows, target = encode_like(X, model.schema_), encode_classes(y)
    looked = trace_growing(model.tree_, rows, target, model.recipe_, surrogates=True)
    for one, other in zip(kept, looked, strict=True):
        assert [s.text for s in one.surrogates] == [s.text for s in other.surrogates]
    assert looked.node(0).surrogates
    assert not trace_growing(model.tree_, rows, target, model.recipe_).node(0).surrogates


def test_summary_of_all_kinds() -> None:
    X, y = medical_table()
    model = CARTClassifier(missing="surrogate", prune=True, folds=3, attribute_costs={"pulse": 2}).fit(X, y)
    text = str(model.summary(X, y, limit=3))
    for part in (
        "Options:",
        "The price of a leaf",
        "Importance (gain with surrogates)",
        "Cost of use",
        "primary splits",
    ):
        assert part in text
    assert "surrogate splits" in text
    assert "unknown" in text
    assert json.loads(json.dumps(model.summary(X, y).to_dict(), allow_nan=False))["nodes"] == model.tree_.n_nodes
    assert "asks" in str(model.summary())
    assert "primary splits" not in str(model.summary())
    C45Classifier().fit(X, y).summary(X, y).to_text()
    C45Classifier(cost_matrix={("ill", "well"): 9}).fit(X, y).summary(X, y).to_text()
    numbers = CARTRegressor(max_depth=2).fit({"x": [1, 2, 3, 4]}, [1.0, 2.0, 3.0, 9.0])
    assert "variance" in str(numbers.summary())
    assert str(ID3Classifier().fit({"x": ["a", "b"]}, ["n", "n"]).summary()).endswith("probabilities: n 1.000")


def test_summary_wants_the_trace_of_its_tree() -> None:
    X, y = load_play_tennis()
    model = ID3Classifier().fit(X, y)
    with pytest.raises(DataError, match="tree has 8"):
        summarize(model.tree_, trace=ID3Classifier(max_depth=1).fit(X, y).trace(X, y))
    many = CARTClassifier().fit(*medical_table(2000)).summary()
    assert "more; to_text() shows all" in str(many)
    assert "more; to_text() shows all" not in many.to_text()

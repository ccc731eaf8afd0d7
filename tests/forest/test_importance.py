"""Importances of attributes: against plain loops, and on tables in which no attribute says anything."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine

from quercus import (
    BaggingClassifier,
    BoostedClassifier,
    C45Classifier,
    C45RulesClassifier,
    CARTClassifier,
    PARTClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from quercus.data import encode, encode_classes
from quercus.errors import ParameterError
from quercus.estimators.inspection import importance
from quercus.forests.importance import (
    Importance,
    Losses,
    crossed_gains,
    impurity_importances,
    out_of_bag_permutation_importances,
    permutation_importances,
    shuffled,
    unbiased_importances,
)
from quercus.forests.impurity_importance import impurity_importance
from quercus.growing.cart import cart_recipe
from quercus.growing.forest import Sampling, drawn_counts, grow_forest
from quercus.growing.grow import grow
from quercus.predict import tally
from quercus.predict.predict import predict_distribution


def mixed_table(seed: int, n_rows: int = 120, noise: float = 0.2) -> tuple[dict[str, Any], Any]:
    """A class that hangs on x and a group; two attributes that say nothing; some values unknown."""
    random = np.random.default_rng(seed)
    x, z = random.normal(size=(2, n_rows))
    group = random.choice(list("abc"), n_rows)
    y = ((x > 0) ^ (group == "a")) ^ (random.random(n_rows) < noise)
    x[random.random(n_rows) < 0.05] = np.nan
    many = [f"v{value}" for value in random.integers(0, 12, n_rows)]
    return {"x": x, "group": list(group), "z": z, "many": many}, np.where(y, "Yes", "No")


def null_table(seed: int, n_rows: int = 100) -> tuple[dict[str, Any], Any]:
    """Nothing says anything; the attributes have two values, twelve, and all different ones."""
    random = np.random.default_rng(seed)
    table = {
        "two": list(random.choice(["a", "b"], n_rows)),
        "twelve": [f"v{value}" for value in random.integers(0, 12, n_rows)],
        "number": random.normal(size=n_rows),
    }
    return table, random.choice(["No", "Yes"], n_rows)


def test_impurity_is_the_mean_over_the_trees_with_its_spread() -> None:
    X, y = mixed_table(1)
    forest = RandomForestClassifier(n_estimators=20).fit(X, y)
    found = importance(forest)
    each = np.array([tree.feature_importances_ for tree in forest.estimators_])
    np.testing.assert_allclose(found.values, each.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(found.values, forest.feature_importances_, atol=1e-12)
    np.testing.assert_allclose(found.spread, each.std(axis=0), atol=1e-12)
    half = 1.959964 * each.std(axis=0, ddof=1) / np.sqrt(20)
    np.testing.assert_allclose(found.high - found.values, half, rtol=1e-6)
    boosted = BoostedClassifier(CARTClassifier(max_depth=2), n_estimators=5).fit(X, y)
    np.testing.assert_allclose(importance(boosted).values, impurity_importance(boosted.forest_), atol=1e-12)
    assert found.ranking[0] in ("x", "group") and found["x"] == found.values[0]
    assert found.to_dict()["names"] == ["x", "group", "z", "many"]


def test_permutation_out_of_the_bag_is_the_plain_loop() -> None:
    X, y = mixed_table(2, n_rows=60)
    data, target = encode(X), encode_classes(y)
    sampling = Sampling(attributes_per_node=2)
    forest = grow_forest(data, target, cart_recipe(), sampling, 6, seed=4)
    weights = np.random.default_rng(0).integers(1, 3, 60).astype(float)
    found = out_of_bag_permutation_importances(
        forest, data, Losses.of(target, forest.classes), sampling, 4, weights=weights
    )
    each = np.zeros((6, 4))
    for number, tree in enumerate(forest):
        rows = np.flatnonzero(drawn_counts(sampling, 4, number, 60) == 0)
        part = data.take(rows)
        before = predict_distribution(tree, part).argmax(axis=1) != target.codes[rows]
        for position in range(4):
            after = predict_distribution(tree, shuffled(part, position, [4, number, position])).argmax(axis=1)
            wrong = after != target.codes[rows]
            each[number, position] = np.average(wrong.astype(float) - before, weights=weights[rows])
    np.testing.assert_allclose(found.values, each.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(found.spread, each.std(axis=0), atol=1e-12)
    assert sorted(shuffled(data, 3, [0, 1]).columns[3].tolist()) == sorted(data.columns[3].tolist())


def test_permutation_on_given_rows_is_the_plain_loop() -> None:
    X, y = mixed_table(3, n_rows=200)
    model = CARTClassifier(max_depth=4).fit(X, y)
    new, truth = mixed_table(4, n_rows=80)
    found = importance(model, new, truth, by="permutation", repeats=3, random_state=7)
    data, codes = model.encode_rows(new), encode_classes(truth).codes
    before = (predict_distribution(model.tree_, data).argmax(axis=1) != codes).astype(float)
    for position in range(4):
        after = [
            predict_distribution(model.tree_, shuffled(data, position, [7, position, r])).argmax(axis=1) != codes
            for r in range(3)
        ]
        worse = np.array(after, dtype=float) - before
        assert found.values[position] == pytest.approx(worse.mean())
        assert found.spread[position] == pytest.approx(worse.mean(axis=1).std(ddof=1))
        half = 1.959964 * worse.mean(axis=0).std() / np.sqrt(80)
        assert found.high[position] - found.values[position] == pytest.approx(half, rel=1e-6)
    assert (found.values >= found.low).all() and found.ranking[0] in ("x", "group")


def test_crossed_gains_of_the_own_rows_are_the_plain_gains() -> None:
    for seed in range(5):
        X, y = mixed_table(seed)
        data, target = encode(X), encode_classes(y)
        tree = grow(data, target, cart_recipe("gini"))
        asks = tree.kind != 0
        plain = np.bincount(tree.attribute[asks], tree.weight[asks] * tree.gain[asks], minlength=4) / tree.weight[0]
        np.testing.assert_allclose(crossed_gains(tree, tally(tree, data, target)), plain, atol=1e-12)
    X, y = load_diabetes(return_X_y=True)
    data = encode(X)
    tree = grow(data, y, cart_recipe("squared_error", max_depth=5))
    asks = tree.kind != 0
    plain = np.bincount(tree.attribute[asks], tree.weight[asks] * tree.gain[asks], minlength=10) / tree.weight[0]
    np.testing.assert_allclose(crossed_gains(tree, tally(tree, data, y)), plain, rtol=1e-9)


def test_unbiased_is_zero_in_the_mean_where_nothing_says_anything() -> None:
    """Plain impurity prefers many values; on unseen rows all attributes are 0 but for chance."""
    sampling = Sampling(attributes_per_node=2)
    plain, unbiased = [], []
    for seed in range(60):
        X, y = null_table(seed)
        data, target = encode(X), encode_classes(y)
        forest = grow_forest(data, target, cart_recipe(), sampling, 15, seed)
        plain.append(impurity_importances(forest, normalized=False).values)
        unbiased.append(unbiased_importances(forest, data, target, sampling, seed).values)
    mean, error = np.mean(unbiased, axis=0), np.std(unbiased, axis=0) / np.sqrt(60)
    assert (np.abs(mean) < 3 * error).all(), (mean, error)
    biased = np.mean(plain, axis=0)
    assert biased[2] > biased[1] > 3 * biased[0] > 0.01
    assert (np.abs(mean) < 0.1 * biased.max()).all()


def test_unbiased_finds_what_matters_in_classes_and_numbers() -> None:
    X, y = mixed_table(5, n_rows=300)
    found = importance(RandomForestClassifier(n_estimators=60).fit(X, y), X, y, by="unbiased")
    assert set(found.ranking[:2]) == {"x", "group"}
    assert found.low[0] > 0.02 and found.low[1] > 0.02
    assert np.abs(found.values[2:]).max() < 0.1 * found.values.max()
    random = np.random.default_rng(0)
    numbers = random.normal(size=(200, 3))
    y = numbers[:, 1] * 3 + random.normal(size=200)
    found = importance(RandomForestRegressor(n_estimators=40).fit(numbers, y), numbers, y, by="unbiased")
    assert found.ranking[0] == "x1" and found.low[1] > 1


def test_sample_weights_of_zero_are_left_out() -> None:
    X, y = load_wine(return_X_y=True)
    weights = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    forest = RandomForestClassifier(n_estimators=10).fit(X, y, weights)
    kept = weights > 0
    other = RandomForestClassifier(n_estimators=10).fit(X[kept], y[kept], weights[kept])
    for options in ({"by": "unbiased"}, {"by": "permutation", "out_of_bag": True}):
        mine = importance(forest, X, y, sample_weight=weights, **options)
        theirs = importance(other, X[kept], y[kept], sample_weight=weights[kept], **options)
        np.testing.assert_array_equal(mine.values, theirs.values)


@pytest.mark.parametrize(
    "model",
    [
        C45Classifier(prune=False),
        C45RulesClassifier(),
        PARTClassifier(),
        BaggingClassifier(C45RulesClassifier(), n_estimators=3),
        BoostedClassifier(n_estimators=5),
        CARTClassifier(cost_matrix={("No", "Yes"): 3}),
    ],
)
def test_permutation_serves_every_classifier(model: Any) -> None:
    X, y = mixed_table(6)
    model.fit(X, y)
    found = importance(model, X, y, by="permutation", repeats=1)
    assert found.values[:2].max() > 0
    same = importance(model, X, y, by="permutation", repeats=1)
    np.testing.assert_array_equal(found.values, same.values)


def test_what_cannot_be_asked_is_refused() -> None:
    X, y = mixed_table(7, n_rows=30)
    tree = CARTClassifier().fit(X, y)
    with pytest.raises(ParameterError, match="has no bag"):
        importance(tree, X, y, by="unbiased")
    with pytest.raises(ParameterError, match="needs rows"):
        importance(tree, by="permutation")
    with pytest.raises(ParameterError, match="was fitted with rules"):
        importance(BaggingClassifier(PARTClassifier(), n_estimators=2).fit(X, y))
    with pytest.raises(ParameterError, match="Without draws"):
        importance(RandomForestClassifier(bootstrap=False, n_estimators=2).fit(X, y), X, y, by="unbiased")
    with pytest.raises(ParameterError, match="must be one of"):
        importance(tree, by="gain")
    data = encode(X)
    with pytest.raises(ParameterError, match="at least 1"):
        permutation_importances(lambda t: predict_distribution(tree.tree_, t), data, Losses(np.zeros(30)), repeats=0)


@pytest.mark.parametrize("level", [0.0, 1.0, 95, float("nan")])
def test_a_level_is_a_confidence(level: float) -> None:
    model = CARTClassifier().fit([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(ParameterError, match="give a confidence between 0 and 1"):
        importance(model, level=level)


@pytest.mark.parametrize(("scale", "first"), [(1.0, "0.500"), (1e-4, "0.0000500"), (1e6, "500,000")])
def test_figures_of_any_size_stand_in_columns(scale: float, first: str) -> None:
    value = np.array([0.25, 0.5]) * scale
    found = Importance("by hand", ("x <= 1", "a\nb"), value, value / 10, value / 2, value * 1.5)
    lines = str(found).splitlines()
    assert len(lines) == 4 and len({len(line) for line in lines[1:]}) == 1
    assert lines[2].split()[-4] == first and lines[3].startswith('"x <= 1"')
    assert found.text(limit=1).splitlines()[-1] == "… and 1 more"


def test_rows_that_are_given_are_used() -> None:
    X, y = mixed_table(2)
    forest = RandomForestClassifier(n_estimators=5).fit(X, y)
    found, expected = importance(forest, X, y), importance(forest, X, y, by="permutation")
    np.testing.assert_array_equal(found.values, expected.values)
    assert importance(forest).title == "importance by impurity"
    with pytest.raises(ParameterError, match="uses no rows"):
        importance(forest, X, y, by="impurity")


def test_one_tree_has_no_interval() -> None:
    X, y = mixed_table(2)
    found = importance(CARTClassifier().fit(X, y))
    assert found.spread is None and found.low is None and found.high is None and found.intervals is None
    assert str(found).splitlines()[1].split() == ["attribute", "value"]
    assert found.to_dict()["low"] is None
    assert importance(RandomForestClassifier(n_estimators=3).fit(X, y)).intervals is not None


def test_importance_by_impurity_says_what_it_favours() -> None:
    X, y = mixed_table(2)
    assert "favours attributes of many values" in str(importance(CARTClassifier().fit(X, y)))


def test_an_importance_is_drawn_as_it_is() -> None:
    from quercus.draw import importance_chart
    from quercus.explain import gain_importance

    X, y = mixed_table(2)
    forest, tree = RandomForestClassifier(n_estimators=5).fit(X, y), CARTClassifier().fit(X, y)
    chart = importance_chart(importance(forest))
    assert chart.title == "Importance by impurity" and len(chart.marks) == 2 and "favours" in chart.note
    assert len(importance_chart(importance(tree)).marks) == 1
    assert importance_chart(gain_importance(tree.tree_)).y.names == importance_chart(importance(tree)).y.names

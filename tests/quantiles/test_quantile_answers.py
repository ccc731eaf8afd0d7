"""What is asked of quantile models: order, levels, unknown values, scores, messages, pruning, partial dependence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quercus import BaggingRegressor, CARTClassifier, CARTRegressor, RandomForestRegressor, load, save
from quercus.data import encode
from quercus.errors import ParameterError
from quercus.estimators.inspection import partial_dependence
from quercus.evaluation import evaluate
from quercus.evaluation.out_of_bag import evaluate_out_of_bag
from quercus.growing.forest import drawn_counts
from quercus.predict import decision_path
from quercus.predict.forest import forest_leaves, forest_parts
from quercus.pruning.node_errors import node_errors
from quercus.targets import Quantiles, weighted_quantiles
from quercus.targets.pinball import pinball_loss

X = np.random.default_rng(0).normal(size=(200, 3))
Y = X[:, 0] + (1 + np.abs(X[:, 1])) * np.random.default_rng(1).normal(size=200)


def gaps(seed: int = 0) -> tuple[dict[str, Any], np.ndarray]:
    """Numbers and names, some unknown."""
    rng = np.random.default_rng(seed)
    number, name = rng.normal(size=150), rng.choice(list("uvwx"), 150)
    y = number + (name == "u") + rng.normal(size=150)
    hidden = rng.random((2, 150)) < 0.25
    table = {
        "number": [None if gone else float(value) for value, gone in zip(number, hidden[0], strict=True)],
        "name": [None if gone else str(value) for value, gone in zip(name, hidden[1], strict=True)],
    }
    return table, y


# Quantile forests


def test_a_row_with_a_gap_counts_in_each_leaf_by_its_part() -> None:
    rows = {"x": [1.0, 1.0, 1.0, 2.0, 2.0, 2.0, None, None]}
    y = [0.0, 0.0, 0.0, 10.0, 10.0, 10.0, 30.0, 30.0]
    options: dict[str, Any] = {"missing": "fractional", "bootstrap": False, "max_depth": 1, "min_samples_leaf": 2}
    forest = RandomForestRegressor(1, keep_targets=True, **options).fit(rows, y)
    new = {"x": [1.0, 2.0, None]}
    assert forest.predict_quantiles(new, [0.7, 0.8, 0.9]).tolist() == [[0, 30, 30], [10, 30, 30], [10, 30, 30]]
    means = forest.predict_quantiles(new, np.linspace(0.0005, 0.9995, 1000)).mean(axis=1)
    np.testing.assert_allclose(means, forest.predict(new))


@pytest.mark.parametrize("missing", ["fractional", "most_common", "own_value", "surrogate"])
@pytest.mark.parametrize("weighed", [False, True])
def test_the_mean_of_the_distribution_is_what_the_forest_predicts(missing: str, weighed: bool) -> None:
    table, y = gaps()
    weights = np.random.default_rng(2).random(150) + 0.1 if weighed else None
    forest = RandomForestRegressor(8, keep_targets=True, min_samples_leaf=4, missing=missing, random_state=1)
    forest.fit(table, y, weights)
    means = forest.predict_quantiles(table, np.linspace(0.0005, 0.9995, 1000)).mean(axis=1)
    np.testing.assert_allclose(means, forest.predict(table), atol=0.01)
    known = {"number": [0.5], "name": ["u"]}  # a row without a gap, in leaves that hold parts of rows
    means = forest.predict_quantiles(known, np.linspace(0.0005, 0.9995, 1000)).mean(axis=1)
    np.testing.assert_allclose(means, forest.predict(known), atol=0.01)


def test_the_weights_of_divided_rows_by_a_plain_twin() -> None:
    table, y = gaps(3)
    forest = RandomForestRegressor(5, keep_targets=True, bootstrap=False, max_features=1, missing="fractional")
    forest.set_params(min_samples_leaf=5).fit(table, y)
    dataset, weights = forest.encode_rows(table), np.zeros((150, 150))
    for tree in forest.forest_:
        leaf = tree.n_children == 0
        part = decision_path(tree, dataset, weights=True).toarray()[:, leaf]
        weights += part @ (part / part.sum(axis=0)).T
    found = forest.predict_quantiles(table, [0.9, 0.2])
    for row in range(150):
        np.testing.assert_allclose(found[row], weighted_quantiles(y, [0.9, 0.2], weights[row]))
    np.testing.assert_allclose(weights @ y / 5, forest.predict(table))


def test_parts_are_one_leaf_where_rows_are_whole() -> None:
    forest = RandomForestRegressor(4, max_depth=3).fit(X, Y).forest_
    rows = encode(X)
    parts, begin = forest_parts(forest, rows)
    whole = forest_leaves(forest, rows)
    assert parts.toarray()[np.arange(200)[:, None], whole + begin[:-1]].min() == 1.0 and parts.sum() == 800


def test_a_quantile_forest_is_scored_by_its_quantiles() -> None:
    forest = RandomForestRegressor(10, keep_targets=True, min_samples_leaf=5, quantiles=(0.2, 0.8))
    forest.fit(X[:120], Y[:120])
    found = evaluate(forest, X[120:], Y[120:])
    answers = forest.predict_quantiles(X[120:])
    inside = np.mean((Y[120:] >= answers[:, 0]) & (Y[120:] <= answers[:, 1]))
    assert found.test.quantiles.coverage == pytest.approx(inside)
    assert "R²" in str(found) and "coverage" in str(found) and "(wanted: 0.600)" in str(found)
    assert found.to_dict()["test"]["coverage"] == pytest.approx(inside)
    loss = pinball_loss(Y[120:, None], answers, (0.2, 0.8)).mean(axis=0)
    assert found.to_dict()["test"]["quantiles"]["pinball"] == pytest.approx(loss.tolist())
    assert evaluate(RandomForestRegressor(3).fit(X, Y), X, Y).test.quantiles is None


# Levels


@pytest.mark.parametrize("options", [{"criterion": "pinball", "max_depth": 2}, {"keep_targets": True, "max_depth": 2}])
def test_quantiles_come_in_the_order_asked_for(options: dict[str, Any]) -> None:
    forest = RandomForestRegressor(5, **options).fit(X, Y)
    low, middle, high = forest.predict_quantiles(X).T
    np.testing.assert_array_equal(forest.predict_quantiles(X, [0.9, 0.1, 0.9, 0.5]).T, [high, low, high, middle])
    np.testing.assert_array_equal(forest.model_.predict_quantiles(X, [0.9, 0.1]).T, [high, low])


def test_messages_say_what_the_model_answers(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="Quantiles are of numbers, but this CARTClassifier answers 2 classes"):
        CARTClassifier().fit(X, Y > 0).model_.predict_quantiles(X)
    assert not hasattr(CARTClassifier(), "predict_quantiles")
    with pytest.raises(ParameterError, match='answers numbers, no quantiles; fit with criterion="pinball"'):
        CARTRegressor().fit(X, Y).predict_quantiles(X)
    with pytest.raises(ParameterError, match=r"quantiles 0\.1, 0\.5, 0\.9, but is asked for 0\.2, 0\.3\."):
        CARTRegressor(criterion="pinball", max_depth=1).fit(X, Y).predict_quantiles(X, [0.2, 0.5, 0.3])
    save(RandomForestRegressor(3, keep_targets=True).fit(X, Y), tmp_path / "f.json")
    with pytest.raises(ParameterError, match="a model file does not keep them"):
        load(tmp_path / "f.json").predict_quantiles(X)


def test_a_model_answers_and_scores_as_its_estimator() -> None:
    tree = CARTRegressor(criterion="pinball", max_depth=2).fit(X, Y)
    np.testing.assert_array_equal(tree.model_.predict_quantiles(X), tree.predict_quantiles(X))
    weights = np.linspace(0, 1, 200)
    assert tree.model_.score(X, Y, weights) == pytest.approx(tree.score(X, Y, weights))
    classes = CARTClassifier(max_depth=2, class_weight="balanced").fit(X, Y > 0)
    np.testing.assert_array_equal(classes.model_.predict_log_proba(X), classes.predict_log_proba(X))
    assert classes.model_.score(X, Y > 0, weights) == pytest.approx(classes.score(X, Y > 0, weights))
    with pytest.raises(ParameterError, match="predict_proba is for classes"):
        tree.model_.predict_log_proba(X)


# Words, warnings


def test_a_level_that_is_no_median_is_named() -> None:
    words = Quantiles((0.7, 0.9)).words()
    assert words.answer(0.0, np.array([0.0, 30.0])) == "0 (quantile 0.7; 0.9: 30)"
    assert Quantiles((0.9,)).words().answer(30.0, np.array([30.0])) == "30 (quantile 0.9)"
    assert Quantiles((0.1, 0.5)).words().answer(7.0, np.array([3.0, 7.0])) == "7 (0.1: 3)"
    assert Quantiles((0.5,)).words().answer(7.0, np.array([7.0])) == "7"


@pytest.mark.parametrize(
    "model",
    [
        CARTRegressor(criterion="pinball"),
        RandomForestRegressor(3, criterion="pinball"),
        BaggingRegressor(CARTRegressor(criterion="pinball"), 3),
    ],
)
def test_leaves_too_small_for_a_range_are_told(model: Any) -> None:
    with pytest.warns(UserWarning, match=r"one number for all quantiles.*min_samples_leaf=10"):
        model.fit(X, Y)


@pytest.mark.filterwarnings("error")
def test_leaves_of_many_rows_are_not_told() -> None:
    CARTRegressor(criterion="pinball", min_samples_leaf=10).fit(X, Y)
    CARTRegressor(criterion="pinball", quantiles=0.5).fit(X, Y)
    CARTRegressor(criterion="pinball", max_depth=2).fit(X, np.zeros(200))  # all the same, of many rows
    RandomForestRegressor(3, keep_targets=True, quantiles=(0.05, 0.95)).fit(X, Y)


@pytest.mark.parametrize(
    "model",
    [CARTRegressor(quantiles=(0.05, 0.95)), BaggingRegressor(CARTRegressor(quantiles=(0.05, 0.95)), 2)],
)
def test_levels_that_do_not_count_are_told(model: Any) -> None:
    with pytest.warns(UserWarning, match=r"quantiles=\(0\.05, 0\.95\) does not count"):
        model.fit(X, Y)


# Pruning, partial dependence, out of the bag


def test_every_method_for_numbers_prunes_a_tree_of_quantiles() -> None:
    tree = CARTRegressor(criterion="pinball", max_depth=5).fit(X[:120], Y[:120])
    table = tree.compare_prunings(X, Y)
    assert table.measure == "mean pinball loss"
    assert {"unpruned", "reduced_error", "stop_by_validation", "cost_complexity"} <= {row.method for row in table}
    pruned = tree.prune_with("reduced_error", X[120:], Y[120:])
    assert pruned.tree_.n_leaves < tree.tree_.n_leaves
    scores = [sum(evaluate(model, X[120:], Y[120:]).test.pinball) for model in (pruned, tree)]
    assert scores[0] < scores[1]


@pytest.mark.parametrize("weighed", [False, True])
def test_the_pinball_losses_of_nodes_by_row(weighed: bool) -> None:
    table, y = gaps(5)
    weights = np.random.default_rng(0).random(150) if weighed else None
    model = CARTRegressor(criterion="pinball", quantiles=(0.2, 0.7), max_depth=3, missing="fractional").fit(table, y)
    tree, rows = model.tree_, model.encode_rows(table)
    errors = node_errors(tree, rows, y, weights)
    parts = decision_path(tree, rows, weights=True).toarray() * (1.0 if weights is None else weights[:, None])
    for node, answer in enumerate(tree.distributions()):
        losses = pinball_loss(y[:, None], answer, (0.2, 0.7)).sum(axis=1)
        assert errors.as_leaf[node] == pytest.approx(parts[:, node] @ losses)
    if weights is None:  # the rows of growing
        np.testing.assert_allclose(errors.as_leaf, tree.target_kind.node_losses(tree.value))


@pytest.mark.parametrize(
    "model",
    [
        CARTRegressor(criterion="pinball", max_depth=2),
        RandomForestRegressor(3, criterion="pinball", max_depth=2),
        BaggingRegressor(CARTRegressor(criterion="pinball", max_depth=2), 3),
    ],
)
def test_partial_dependence_has_a_column_for_each_quantile(model: Any) -> None:
    model.fit(X, Y)
    found = partial_dependence(model, X, "x0", grid_size=4, individual=True)
    assert found.average.shape == (4, 3) and found.individual is not None and found.individual.shape == (200, 4, 3)
    changed = X.copy()
    changed[:, 0] = found.values[0][2]
    np.testing.assert_allclose(found.average[2], model.predict_quantiles(changed).mean(axis=0))
    np.testing.assert_array_equal(found.curve(), found.average[:, 1])
    np.testing.assert_array_equal(found.curve(0.9), found.average[:, 2])
    assert "quantile 0.1" in str(found) and "quantile 0.1" in found.to_frame().columns
    assert found.to_dict()["quantiles"] == [0.1, 0.5, 0.9]
    with pytest.raises(ParameterError, match="give one of the levels"):
        found.curve(0.2)


@pytest.mark.parametrize("attributes", [2, None, [0], ["x0", "x0"], []])
def test_partial_dependence_refuses_what_is_no_name(attributes: Any) -> None:
    with pytest.raises(ParameterError, match="give one name, or two"):
        partial_dependence(CARTRegressor(max_depth=1).fit(X, Y), X, attributes)


def test_out_of_the_bag_a_forest_by_pinball_answers_its_median(tmp_path: Path) -> None:
    forest = RandomForestRegressor(30, criterion="pinball", max_depth=3, oob_score=True).fit(X, Y)
    draws, leaves = forest.model_.draws, forest.apply(X)
    assert draws is not None and draws.sampling is not None
    sums, used = np.zeros((200, 3)), np.zeros(200)
    for number, tree in enumerate(forest.forest_):
        outside = drawn_counts(draws.sampling, draws.seed, number, 200) == 0
        sums[outside] += tree.distributions()[leaves[outside, number]]
        used[outside] += 1
    np.testing.assert_allclose(forest.oob_prediction_, sums[:, 1] / used)
    assert forest.oob_score_ == pytest.approx(forest.model_.target_kind.score(sums[:, 1] / used, Y, np.ones(200)))
    found = evaluate_out_of_bag(forest, Y)
    low, high = (sums / used[:, None])[:, [0, 2]].T
    assert found is not None and found.test.coverage == pytest.approx(np.mean((low <= Y) & (high >= Y)))
    save(forest, tmp_path / "f.json")
    np.testing.assert_array_equal(load(tmp_path / "f.json").oob_prediction_, forest.oob_prediction_)

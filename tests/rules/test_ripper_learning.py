"""RIPPER as a learner: order of the classes, optimisation, seeds, unknown values, and tables with nothing to learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

from quercus.data import encode, encode_classes
from quercus.datasets import load_play_tennis
from quercus.errors import DataError, ParameterError
from quercus.estimators.ripper import RIPPERClassifier
from quercus.rules.ripper import ClassProblem, ripper
from quercus.rules.ripper_growing import rank_cells


@parametrize_with_checks([RIPPERClassifier(), RIPPERClassifier(prune=False, class_weight="balanced")])  # type: ignore[untyped-decorator]
def test_estimator_keeps_the_contract_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


def test_play_tennis_unpruned_is_consistent() -> None:
    X, y = load_play_tennis()
    model = RIPPERClassifier(prune=False).fit(X, y)
    assert (model.predict(X) == np.asarray(y)).all()
    assert [rule.label for rule in model.rules_] == ["No", "No"]
    assert model.rules_.default_label == "Yes"


def test_classes_come_rarest_first_and_the_most_frequent_is_the_default() -> None:
    x = np.arange(300)
    y = np.where(x < 40, "b", np.where(x < 110, "a", "c"))
    rules = ripper(encode({"x": x}), encode_classes(y))
    assert [rule.label for rule in rules] == ["b", "a"]
    assert rules.default_label == "c"
    assert (rules.predict(encode({"x": x})) == np.searchsorted(["a", "b", "c"], y)).mean() > 0.98


def test_noise_gets_no_rules() -> None:
    rng = np.random.default_rng(0)
    data = encode({f"x{j}": rng.normal(size=500) for j in range(5)})
    rules = ripper(data, encode_classes(rng.random(500) < 0.3))
    assert len(rules) <= 1


def test_the_same_seed_gives_the_same_rules() -> None:
    matrix, y = load_iris(return_X_y=True)
    y = np.where(np.random.default_rng(0).random(150) < 0.1, (y + 1) % 3, y)
    fits = [RIPPERClassifier(random_state=seed).fit(matrix, y).rules_ for seed in (0, 0, 1, 2, 3)]
    assert fits[0] == fits[1]
    assert any(fits[0] != other for other in fits[2:])


def test_neither_compression_nor_optimisation_lengthens_the_description() -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(600, 4))
    positive = ((x[:, 0] > 0.5) & (x[:, 1] > 0)) | (x[:, 2] > 1.3) | (rng.random(600) < 0.05)
    cells = rank_cells(encode({f"x{j}": x[:, j] for j in range(4)}))
    problem = ClassProblem(cells, positive, np.ones(600), 2.0, np.random.default_rng(0))
    members = problem.cover([])
    before = problem.compressed(members)[1]
    assert before <= problem.length([], np.zeros(600, dtype=np.intp))
    assert problem.compressed(problem.optimise(members))[1] <= before + 1e-9


def test_compression_drops_a_rule_that_repeats_another() -> None:
    x = np.arange(200)
    cells = rank_cells(encode({"x": x}))
    problem = ClassProblem(cells, x < 50, np.ones(200), 2.0, np.random.default_rng(0))
    members = problem.cover([])
    assert len(problem.compressed([*members, *members])[0]) == len(members)


def test_weight_three_is_three_copies_where_nothing_is_drawn() -> None:
    matrix, y = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    matrix[rng.random(matrix.shape) < 0.1] = np.nan
    weights = rng.integers(0, 4, len(y))
    weighed = RIPPERClassifier(prune=False).fit(matrix, y, sample_weight=weights)
    copied = RIPPERClassifier(prune=False).fit(np.repeat(matrix, weights, axis=0), np.repeat(y, weights))
    assert weighed.rules_ == copied.rules_


def test_figures_are_what_each_rule_decides_on_the_training_rows() -> None:
    matrix, y = load_iris(return_X_y=True)
    matrix[::7, 2] = np.nan
    model = RIPPERClassifier().fit(matrix, y)
    fired = model.fired(matrix)
    for position, rule in enumerate(model.rules_):
        assert rule.class_weights == tuple(np.bincount(y[fired == position], minlength=3))
    assert model.rules_.default_weights == tuple(np.bincount(y[fired == -1], minlength=3))


def test_unknown_fails_a_condition() -> None:
    matrix, y = load_iris(return_X_y=True)
    model = RIPPERClassifier().fit(matrix, y)
    assert model.fired(np.full((1, 4), np.nan)).tolist() == [-1]


@pytest.mark.parametrize("prune", [True, False])
@pytest.mark.parametrize(
    ("table", "y"),
    [
        ({"x": [1, 2, 3, 4]}, ["a"] * 4),
        ({"x": [1]}, ["a"]),
        ({"x": [None] * 6, "c": [None] * 6}, ["a", "b", "a", "a", "b", "a"]),
        ({"x": [5] * 6, "c": ["u"] * 6}, ["b", "a", "a", "a", "b", "a"]),
    ],
    ids=["one class", "one row", "all unknown", "constant"],
)
def test_nothing_to_learn_from_gives_the_default_alone(table: dict[str, Any], y: list[str], prune: bool) -> None:
    kinds: dict[str, Any] = {"x": "numeric"} | ({"c": "nominal"} if "c" in table else {})
    rules = ripper(encode(table, kinds=kinds), encode_classes(y), prune=prune)
    assert (len(rules), rules.default_label) == (0, "a")


def test_costs_move_the_answer_to_the_dear_class() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(400, 2))
    y = np.where(x[:, 0] + rng.normal(size=400) > 0.5, "ill", "well")
    plain = RIPPERClassifier().fit(x, y).predict(x)
    model = RIPPERClassifier(cost_matrix={("ill", "well"): 10.0}).fit(x, y)
    missed = [((answer == "well") & (y == "ill")).sum() for answer in (plain, model.predict(x))]
    assert missed[1] < missed[0] / 2


@pytest.mark.parametrize("wrong", [{"optimisations": -1}, {"min_objects": 0}, {"prune": 2}])
def test_wrong_parameters_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        RIPPERClassifier(**wrong).fit([[1.0], [2.0]], ["a", "b"])


def test_wrong_weights_are_refused() -> None:
    data, target = encode({"x": [1, 2]}), encode_classes(["a", "b"])
    with pytest.raises(DataError, match="weight 0"):
        ripper(data, target, weights=np.zeros(2))
    with pytest.raises(DataError, match="not negative"):
        ripper(data, target, weights=np.array([1.0, -1.0]))

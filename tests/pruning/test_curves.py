"""Curves: every point is what predicting with that tree gives; the shapes are those of the lecture."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pruning.cases import errors_by_predicting, grown_case
from quercus.data import ClassTarget, Dataset, encode, encode_classes
from quercus.errors import DataError, ParameterError
from quercus.growing.cart import cart_recipe
from quercus.growing.grow import grow
from quercus.pruning import cost_complexity_path, keep_depth, mdl, reduced_error
from quercus.pruning.curves import growing_curve, learning_curve, pruning_curve


def noisy(n_rows: int, seed: int) -> tuple[Dataset, ClassTarget]:
    """Ten attributes of which two decide, a quarter of the labels turned."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(n_rows, 10))
    y = ((x[:, 0] > 0) & (x[:, 1] > -0.5)) ^ (random.random(n_rows) < 0.25)
    return encode(x), encode_classes(np.where(y, "yes", "no"))


def make(rows: Dataset, target: Any, weights: Any) -> Any:
    """A full tree."""
    return grow(rows, target, cart_recipe(), weights=weights)


TRAINING, VALIDATION, TEST = noisy(600, 1), noisy(600, 2), noisy(600, 3)
SETS = {"training": TRAINING, "validation": VALIDATION, "test": TEST}
TREE = make(*TRAINING, None)


def test_growing_overfits() -> None:
    curve = growing_curve(TREE, SETS)
    assert curve["leaves"].tolist() == list(range(1, TREE.n_leaves + 1))
    assert (np.diff(curve["training"]) >= -1e-12).all() and curve["training"][-1] == 1.0
    peak = int(curve["test"].argmax())
    assert curve["leaves"][peak] < TREE.n_leaves / 5
    assert curve["test"][peak] > curve["test"][-1] + 0.05
    assert str(curve).startswith("accuracy while growing, by size\nnodes  leaves  training")


def test_best_first_points_are_trees_grown_best_first() -> None:
    curve = growing_curve(TREE, SETS)
    for leaves in (2, 3, 5, 9, 20, 60):
        small = grow(*TRAINING, cart_recipe(max_leaf_nodes=leaves))
        for name, (rows, target) in SETS.items():
            right = 1 - errors_by_predicting(small, rows, target) / rows.n_rows
            assert curve[name][leaves - 1] == pytest.approx(right)


def test_points_by_depth() -> None:
    curve = growing_curve(TREE, SETS, by="depth", measure="error")
    assert curve["depth"].tolist() == list(range(TREE.depth + 1))
    for depth in (0, 1, 3, TREE.depth):
        small = keep_depth(TREE, depth).tree
        assert curve["leaves"][depth] == small.n_leaves and curve["nodes"][depth] == small.n_nodes
        assert curve["test"][depth] == pytest.approx(errors_by_predicting(small, *TEST) / 600)


def test_pruning_raises_validation_accuracy() -> None:
    pruned = reduced_error(TREE, *VALIDATION)
    curve = pruning_curve(pruned, SETS)
    assert (np.diff(curve["validation"]) >= -1e-12).all()
    assert curve["validation"][-1] > curve["validation"][0] + 0.08
    assert curve["test"][-1] > curve["test"][0] + 0.05
    assert curve["leaves"][0] == TREE.n_leaves and curve["leaves"][-1] == pruned.tree.n_leaves
    assert (np.diff(curve["leaves"]) < 0).all()
    for place, cut in enumerate(pruned.sequence, start=1):
        assert (curve["nodes"][place], curve["leaves"][place]) == (cut.n_nodes, cut.n_leaves)


def test_alpha_path_as_a_curve() -> None:
    path = cost_complexity_path(TREE)
    curve = pruning_curve(path, {"training": TRAINING, "test": TEST}, measure="error")
    np.testing.assert_allclose(curve["training"], path.errors, atol=1e-12)
    assert curve["test"].min() < curve["test"][0] - 0.05
    for place in range(0, len(path), 5):
        wrong = errors_by_predicting(path.tree(path.alphas[place]), *TEST)
        assert curve["test"][place] == pytest.approx(wrong / 600)


@pytest.mark.parametrize("seed", range(8))
def test_any_tree_and_unknown_values(seed: int) -> None:
    tree, _, _, rows, target = grown_case(seed, unknown=0.2)
    path = cost_complexity_path(tree)
    curve = pruning_curve(path, {"test": (rows, target)})
    for alpha, accuracy in zip(path.alphas, curve["test"], strict=True):
        assert accuracy == pytest.approx(1 - errors_by_predicting(path.tree(alpha), rows, target) / rows.n_rows)


def test_learning_curve_rises() -> None:
    curve = learning_curve(make, *TRAINING, test=TEST, sizes=[20, 100, 600], repeats=4)
    assert curve["test"][-1] > curve["test"][0]
    assert curve["test spread"][-1] == 0  # all rows: every draw is the same
    assert (np.diff(curve["leaves"]) > 0).all()
    right = 1 - errors_by_predicting(TREE, *TEST) / 600
    assert curve["test"][-1] == pytest.approx(right)
    assert list(curve.to_frame()) == ["examples", "leaves", "training", "test", "test spread"]
    assert len(learning_curve(make, *TRAINING, test=TEST, repeats=1)) == 10


def test_numbers_and_costs() -> None:
    random = np.random.default_rng(0)
    rows, y = encode(random.normal(size=(80, 2))), random.normal(size=80)
    tree = grow(rows, y, cart_recipe("squared_error"))
    curve = growing_curve(tree, {"training": (rows, y, np.ones(80))})
    assert curve["training"][0] == pytest.approx(np.var(y)) and curve["training"][-1] == pytest.approx(0)
    costs = [[0, 10], [1, 0]]
    priced = growing_curve(TREE, {"training": TRAINING}, cost_matrix=costs)
    assert priced.title.startswith("mean cost") and priced["training"][0] <= 10 * 0.5
    single = grow(encode({"x": [1, 2]}), encode_classes(["a", "a"]), cart_recipe())
    assert len(growing_curve(single, {"t": (encode({"x": [1]}), encode_classes(["a"]))})) == 1


def test_mistakes_are_named() -> None:
    for error, call, words in (
        (ParameterError, lambda: growing_curve(TREE, SETS, by="leaves"), "'size', 'depth'"),  # type: ignore[arg-type]
        (ParameterError, lambda: growing_curve(TREE, SETS, measure="f1"), "'accuracy', 'error'"),  # type: ignore[arg-type]
        (ParameterError, lambda: growing_curve(TREE, {"leaves": TEST}), "column already"),
        (DataError, lambda: growing_curve(TREE, {"test": TEST[:1]}), "must be a tuple"),
        (ParameterError, lambda: pruning_curve(mdl(TREE), SETS), "no sequence"),
        (ParameterError, lambda: learning_curve(make, *TRAINING, test=TEST, sizes=[0]), "between 1 and"),
        (ParameterError, lambda: growing_curve(TREE, SETS)["size"], "The column is 'size'"),
    ):
        with pytest.raises(error, match=words):
            call()

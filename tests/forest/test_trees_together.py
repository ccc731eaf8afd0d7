"""Forests of given trees: followed together they answer as tree after tree does, and the trees stay what they were."""

from __future__ import annotations

import pickle
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from long_tail import most_slow
from oracle.tables import random_case
from predict import twin
from predict.random_trees import random_rows, random_schema, random_tree
from sklearn.datasets import load_wine

from quercus import BaggingClassifier, BoostedClassifier, C45Classifier, CARTClassifier, _core, load, save
from quercus.data import Attribute, Dataset, Schema, encode, encode_classes
from quercus.errors import DataError
from quercus.forests.boosting import staged_shares
from quercus.growing.cart import cart_recipe
from quercus.growing.forest import Sampling, drawn_counts
from quercus.growing.grow import grow
from quercus.predict import apply
from quercus.predict.forest import forest_distribution, forest_leaves, tree_answer
from quercus.tree import Tree
from quercus.tree.forest import Forest
from quercus.tree.packing import asks_binary, is_packed

WAYS: list[dict[str, Any]] = [
    {},
    {"vote": "majority"},
    {"smoothing": "laplace"},
    {"smoothing": ("m", 2.5)},
    {"smoothing": ("m", 0.5), "vote": "majority"},
]


def plain_answers(forest: Forest, rows: Dataset, way: dict[str, Any], drawn: Any = None) -> tuple[Any, Any]:
    """Tree after tree: the weighted answers are added, then divided by the weights."""
    width = forest.target_kind.width
    sums, used = np.zeros((rows.n_rows, width)), np.zeros(rows.n_rows)
    weights = np.ones(len(forest)) if forest.weights is None else forest.weights
    for number, (tree, weight) in enumerate(zip(forest, weights, strict=True)):
        answers = tree_answer(tree, rows, **way)
        for row in range(rows.n_rows):
            if drawn is None or drawn[number][row] == 0:
                sums[row] += weight * answers[row]
                used[row] += weight
    with np.errstate(invalid="ignore"):
        return sums / used[:, None], used


def binary_trees(random: np.random.Generator, schema: Schema, n_classes: int, policy: str) -> list[Tree]:
    found = []
    while len(found) < 4:
        tree = random_tree(random, schema, policy, n_classes, most_nodes=int(random.choice([1, 3, 9, 40])))
        found += [tree] if asks_binary(tree.arrays) else []
    return found


def forest_of_random_trees(random: np.random.Generator, n_classes: int, policy: str) -> Forest:
    schema = random_schema(random, str(random.choice(["numbers", "codes", "mixed"])))
    weights = None if random.random() < 0.4 else random.random(4) + 0.01
    return Forest.from_trees(binary_trees(random, schema, n_classes, policy), weights)


@pytest.mark.parametrize("n_classes", [0, 2, *(pytest.param(k, marks=pytest.mark.slow) for k in (1, 3, 7))])
def test_random_trees_answer_together_as_one_after_the_other(n_classes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    together: list[bool] = []
    monkeypatch.setattr(_core, "predict_forest", _counted(_core.predict_forest, together))
    for seed in range(60):
        random = np.random.default_rng([seed, n_classes])
        policy = ["child", "child", "spread"][seed % 3]
        forest = forest_of_random_trees(random, n_classes, policy)
        given = list(forest)
        rows = random_rows(random, forest.schema, int(random.choice([1, 3, 50, 300])), [0.0, 0.3][seed % 2])
        for way in WAYS if n_classes else WAYS[:2]:
            shares, used = forest_distribution(forest, rows, **way)
            expected, expected_used = plain_answers(forest, rows, way)
            assert np.array_equal(shares, expected) and np.array_equal(used, expected_used), (seed, way)
        leaves = forest_leaves(forest, rows)
        assert np.array_equal(leaves, np.column_stack([apply(tree, rows) for tree in given]))
        assert all(tree == one for tree, one in zip(forest, given, strict=True))
        assert not any(is_packed(arrays) for arrays in forest.stored)
    asked = len(WAYS) if n_classes else 2
    assert len(together) == 60 * asked and sum(together) > 40 * asked


def _counted(plain: Any, done: list[bool]) -> Any:
    def counting(*arguments: Any) -> Any:
        found = plain(*arguments)
        done.append(found is not None)
        return found

    return counting


def test_random_trees_answer_as_the_routing_rules_in_plain_python_say() -> None:
    for seed in range(40):
        random = np.random.default_rng([seed, 99])
        forest = forest_of_random_trees(random, int(random.choice([0, 2, 3])), "child")
        rows = random_rows(random, forest.schema, 30)
        sums, weights = 0.0, np.ones(4) if forest.weights is None else forest.weights
        for tree, weight in zip(forest, weights, strict=True):
            sums = sums + weight * twin.distributions(twin.all_reached(tree, rows), tree.distributions())
        assert np.allclose(forest_distribution(forest, rows)[0], sums / weights.sum(), rtol=1e-14, atol=0), seed


@pytest.mark.parametrize("chunk", most_slow(4, 1))
def test_grown_trees_of_weighted_rows_answer_together_as_one_after_the_other(chunk: int) -> None:
    packed = 0
    for seed in range(chunk * 50, chunk * 50 + 50):
        case = random_case(seed)
        random = np.random.default_rng(seed)
        n = case.dataset.n_rows
        recipe = cart_recipe("squared_error") if case.recipe.is_regression else cart_recipe()
        recipe = case.recipe if seed % 3 == 0 else recipe
        trees = []
        for _ in range(3):
            arguments = {**case.arguments(), "weights": random.random(n) + 0.001}
            trees.append(grow(case.dataset, case.target, recipe, **arguments))
        forest = Forest.from_trees(trees, random.random(3) + 0.01)
        sampling = Sampling(bootstrap="without", share=0.5)
        drawn = [drawn_counts(sampling, seed, number, n) for number in range(2, 5)]
        assert forest.classes is None or len(forest.classes) < 8
        for way in WAYS if forest.classes else WAYS[:1]:
            for bag, seen in ((None, None), ((sampling, seed, 2), drawn)):
                shares, used = forest_distribution(forest, case.dataset, **way, out_of_bag=bag)
                expected, expected_used = plain_answers(forest, case.dataset, way, seen)
                assert np.array_equal(used, expected_used)
                assert np.array_equal(shares, expected, equal_nan=True), (seed, way)
        assert all(tree == one for tree, one in zip(forest, trees, strict=True))
        packed += forest.questions is not None
    assert packed > 25


@pytest.mark.parametrize("n_classes", [8, 30])
def test_many_classes_of_weighted_rows_differ_in_the_last_bits_only(n_classes: int) -> None:
    """NumPy adds eight and more numbers in another order than one after the other."""
    random = np.random.default_rng(n_classes)
    data = encode(random.normal(size=(400, 3)))
    codes = np.repeat(np.arange(n_classes), 400 // n_classes + 1)[:400]
    target = encode_classes(random.permutation(codes))
    for whole in (False, True):
        weights = [random.integers(1, 9, 400) * (1.0 if whole else random.random(400)) for _ in range(5)]
        trees = [grow(data, target, cart_recipe(max_depth=3), weights=one) for one in weights]
        forest = Forest.from_trees(trees)
        assert forest.questions is not None
        for way in WAYS:
            shares, expected = forest_distribution(forest, data, **way)[0], plain_answers(forest, data, way)[0]
            assert np.allclose(shares, expected, rtol=1e-14, atol=0)
            if "vote" in way or (whole and way in WAYS[:3]):  # an m-estimate adds fractions
                assert np.array_equal(shares, expected)


def test_other_questions_and_mixed_forests_are_answered_too() -> None:
    random = np.random.default_rng(3)
    schema = Schema((Attribute("x", "numeric"), Attribute("c", "nominal", ("a", "b", "c"))))
    rows = random_rows(random, schema, 200)
    multiway = next(
        tree for tree in (random_tree(random, schema, "child") for _ in range(99)) if not asks_binary(tree.arrays)
    )
    forest = Forest.from_trees([*binary_trees(random, schema, 3, "child"), multiway])
    assert forest.questions is None
    assert np.array_equal(forest_distribution(forest, rows)[0], plain_answers(forest, rows, {})[0])
    grown = BaggingClassifier(CARTClassifier(), 3).fit(*load_wine(return_X_y=True)).forest_
    mixed = grown.extended(Forest.from_trees(list(grown)))
    data = replace(encode(load_wine().data), schema=grown.schema)
    assert mixed.questions is not None and not mixed.is_packed
    for way in WAYS:
        assert np.array_equal(forest_distribution(mixed, data, **way)[0], plain_answers(mixed, data, way)[0])


@pytest.mark.parametrize("method", ["samme", "trials"])
@pytest.mark.parametrize("member", [CARTClassifier(max_depth=3), C45Classifier(max_depth=2)])
def test_boosted_trees_answer_as_their_last_stage(method: str, member: Any) -> None:
    X, y = load_wine(return_X_y=True)
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.05, np.nan, X)
    for given in (X, np.nan_to_num(X)):
        model = BoostedClassifier(member, 12, method=method).fit(given, y)
        *_, last = staged_shares(model.forest_, model.encode_rows(given), model.model_.asking())
        assert np.array_equal(model.predict_proba(given), last)
        assert model.forest_.questions is not None


def test_what_is_made_for_prediction_is_neither_pickled_nor_saved(tmp_path: Any) -> None:
    X, y = load_wine(return_X_y=True)
    model = BoostedClassifier(CARTClassifier(max_depth=3), 12).fit(X, y)
    save(model, tmp_path / "before.json")
    size = len(pickle.dumps(model.forest_))
    answers = model.predict_proba(X)
    assert model.forest_.leaf_answers and len(pickle.dumps(model.forest_)) == size
    save(model, tmp_path / "after.json")
    assert (tmp_path / "before.json").read_bytes() == (tmp_path / "after.json").read_bytes()
    for again in (pickle.loads(pickle.dumps(model)), deepcopy(model), load(tmp_path / "after.json")):
        assert np.array_equal(again.predict_proba(X), answers)
        assert again.forest_ == model.forest_


def test_rows_of_another_schema_are_refused() -> None:
    X, y = load_wine(return_X_y=True)
    packed = BaggingClassifier(CARTClassifier(), 3).fit(X, y).forest_
    for forest in (packed, Forest.from_trees(list(packed))):
        for answer in (forest_distribution, forest_leaves):
            with pytest.raises(DataError, match="attributes, but the tree was grown with 13"):
                answer(forest, encode(X[:, :4]))
            with pytest.raises(DataError, match="is not encoded like"):
                answer(forest, encode({f"y{i}": X[:, i] for i in range(13)}))

"""Cost-complexity pruning beside scikit-learn's path and rpart's cp table.

scikit-learn: the same alphas, impurities and sizes on its bundled sets, from its own grown trees. It cuts one node at a
time and lists equal alphas again and again; ours appear once.

rpart: the same table for the same folds, but for three things. A left-out row that lies on a threshold goes right in
rpart (x < t) and left here (x <= t); the trees compared have their thresholds one step lower, so that it goes right.
One CP of diabetes with equal weights (RPART_CP_OF_ITS_OWN) is not the rise of rpart's own error per split; ours is.
With asymmetric losses rpart's xerror and xstd price left-out rows by the transposed matrix; ours by the one given.
Losses are compared with uneven weights only: collect/cost_complexity.py says why.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from quercus.data import encode, encode_classes, encode_numbers
from quercus.data.schema import Attribute, Schema
from quercus.growing.cart import cart_recipe
from quercus.growing.grow import grow
from quercus.predict import label_codes, predict_distribution
from quercus.pruning.alpha_table import CVTable, cross_validated_alphas, midpoints
from quercus.pruning.cost_complexity import cost_complexity_path
from quercus.tree import Tree
from quercus.tree.numbering import renumbered

from .collect.cost_complexity import folds_of
from .figures import read
from .tables import bundled, uneven_weights

CASES = read("cost_complexity")["cases"]
SETS = [(name, criterion) for name in ("iris", "wine", "breast_cancer", "digits") for criterion in ("gini", "entropy")]
SETS.append(("diabetes", "squared_error"))


def from_scikit_learn(model: Any, criterion: str) -> Tree:
    """scikit-learn's own tree as ours: siblings are put side by side first."""
    grown = model.tree_
    leaf = grown.children_left < 0
    order, first = [0], np.zeros(grown.node_count, dtype=np.int32)
    for node in order:
        if not leaf[node]:
            first[node] = len(order)
            order += [grown.children_left[node], grown.children_right[node]]
    at = np.array(order)
    weight = grown.weighted_n_node_samples[at]
    classes = list(range(len(model.classes_))) if hasattr(model, "classes_") else None
    mean = grown.value[at, 0, 0]
    value = np.c_[mean, mean, grown.impurity[at] * weight] if classes is None else grown.value[at, 0] * weight[:, None]
    inner = ~leaf[at]
    arrays = {
        "kind": inner.astype(np.uint8),
        "attribute": np.where(inner, grown.feature[at], 0),
        "threshold": np.where(inner, grown.threshold[at], np.nan),
        "first_child": first[at],
        "n_children": 2 * inner,
        "missing_child": np.full(len(at), -1),
        "weight": weight,
        "count": grown.n_node_samples[at],
        "gain": np.zeros(len(at)),
        "value": value,
    }
    schema = Schema(tuple(Attribute(f"x{j}", "numeric") for j in range(model.n_features_in_)))
    return Tree.from_arrays(renumbered(arrays), schema, classes, criterion=criterion)


@pytest.mark.parametrize(("name", "criterion"), SETS)
def test_path_of_scikit_learn(name: str, criterion: str) -> None:
    matrix, target = bundled(name)
    estimator = DecisionTreeRegressor if name == "diabetes" else DecisionTreeClassifier
    model = estimator(criterion=criterion, random_state=0).fit(matrix, target)
    theirs = model.cost_complexity_pruning_path(matrix, target)
    path = cost_complexity_path(from_scikit_learn(model, criterion), risk="impurity")
    alphas, impurities = theirs.ccp_alphas, theirs.impurities
    last = np.append(np.diff(alphas) > 1e-12 * alphas[1:] + 1e-13 * impurities[-1], True)  # of equal alphas
    np.testing.assert_allclose(path.alphas, alphas[last], rtol=1e-9, atol=1e-13 * impurities[-1])
    np.testing.assert_allclose(path.risks, impurities[last], rtol=1e-9, atol=1e-12 * impurities[-1])
    prices = midpoints(path.alphas)[1:-1]
    for price in prices[:: max(1, len(prices) // 6)]:
        pruned = estimator(criterion=criterion, random_state=0, ccp_alpha=price).fit(matrix, target)
        assert path.tree(price).n_leaves == pruned.get_n_leaves() == path.n_leaves[path.step(price)]


@pytest.mark.parametrize(("name", "criterion"), [("wine", "gini"), ("breast_cancer", "entropy"), ("digits", "gini")])
def test_both_grow_and_prune_alike_with_uneven_weights(name: str, criterion: str) -> None:
    matrix, target = bundled(name)
    weights = uneven_weights(len(target))
    model = DecisionTreeClassifier(criterion=criterion, random_state=0)
    theirs = model.cost_complexity_pruning_path(matrix, target, sample_weight=weights).ccp_alphas
    tree = grow(encode(matrix), encode_classes(target), cart_recipe(criterion), weights=weights)
    ours = cost_complexity_path(tree, risk="impurity").alphas
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-13)


# 31 splits: CP 0.001804, but rel error rises by 0.005444 for 3 splits, 0.001815 each.
RPART_CP_OF_ITS_OWN = {"diabetes-squared_error-equal": [31]}


def name_of(case: dict[str, Any]) -> str:
    """The case in a few words."""
    words = [case["table"], case["criterion"], "weighted" if case["weighted"] else "equal"]
    return "-".join([*words, *([str(case["losses"])] if case["losses"] else [])])


def at_threshold_right(tree: Tree) -> Tree:
    """The tree that asks x < t for every x <= t."""
    threshold = np.where(tree.kind == 1, np.nextafter(tree.threshold, -np.inf), tree.threshold)
    arrays = {**tree.arrays, "threshold": threshold}
    return Tree.from_arrays(arrays, tree.schema, tree.classes, criterion=tree.criterion, empty_leaf=tree.empty_leaf)


def our_table(case: dict[str, Any]) -> CVTable:
    """Our table for a case of rpart's."""
    matrix, numbers = bundled(case["table"])
    regression = case["criterion"] == "squared_error"
    target = encode_numbers(numbers) if regression else encode_classes(numbers)
    costs = None if case["losses"] is None else np.array(case["losses"], dtype=float)
    recipe = cart_recipe(case["criterion"], min_samples_split=20, min_samples_leaf=7)
    return cross_validated_alphas(
        lambda *parts: at_threshold_right(grow(parts[0], parts[1], recipe, weights=parts[2], cost_matrix=costs)),
        encode(matrix),
        target,
        folds=folds_of(len(matrix)),
        weights=uneven_weights(len(matrix)) if case["weighted"] else None,
        cost_matrix=costs,
    )


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_cp_table_of_rpart(case: dict[str, Any]) -> None:
    table, theirs = our_table(case), np.array(case["cptable"])[::-1]
    ours = np.c_[table.path.n_leaves - 1, table.training_error]
    np.testing.assert_allclose(ours, theirs[:, 1:3], rtol=1e-9, atol=1e-12)
    cp = table.path.relative_alphas
    np.testing.assert_allclose(cp[1:], np.diff(theirs[:, 2]) / -np.diff(theirs[:, 1]), rtol=1e-9)
    unlike = ~np.isclose(cp, theirs[:, 0], rtol=1e-9, atol=1e-12)
    assert theirs[unlike, 1].tolist() == RPART_CP_OF_ITS_OWN.get(name_of(case), [])
    if case["losses"] is None:
        np.testing.assert_allclose(table.cv_error, theirs[:, 3], rtol=1e-9)
        np.testing.assert_allclose(table.standard_error, theirs[:, 4], rtol=1e-9)


@pytest.mark.parametrize("case", [case for case in CASES if case["losses"]], ids=name_of)
def test_losses_are_not_transposed(case: dict[str, Any]) -> None:
    """Every left-out row's answer and its price, one by one: ours is the mean price; rpart's, of the transposed."""
    table, theirs = our_table(case), np.array(case["cptable"])[::-1]
    matrix, labels = bundled(case["table"])
    dataset, fold = encode(matrix), folds_of(len(matrix))
    weights, costs = uneven_weights(len(matrix)), np.array(case["losses"], dtype=float)
    right, transposed = np.zeros(len(table)), np.zeros(len(table))
    for number, path in zip(np.unique(fold), table.fold_paths, strict=True):
        left_out = np.flatnonzero(fold == number)
        for place, price in enumerate(midpoints(table.path.alphas)):
            answers = label_codes(predict_distribution(path.tree(price), dataset.take(left_out)), costs)
            for row, answer in zip(left_out, answers, strict=True):
                right[place] += weights[row] * costs[labels[row], answer]
                transposed[place] += weights[row] * costs[answer, labels[row]]
    scale = weights.sum() * table.root_error
    np.testing.assert_allclose(table.cv_error, right / scale, rtol=1e-12)
    np.testing.assert_allclose(theirs[:, 3], transposed / scale, rtol=1e-9)
    assert table.cv_error[-1] == pytest.approx(1.0)  # one leaf against itself; rpart says 10
    assert theirs[-1, 3] == pytest.approx(10.0)

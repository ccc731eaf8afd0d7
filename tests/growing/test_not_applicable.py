"""Numbers that do not apply: a companion column divides as C5.0's question of three branches (N/A, <= t, > t) does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from long_tail import most_slow

from quercus.data import Attribute, Dataset, Schema, encode_like
from quercus.data.dataset import ClassTarget
from quercus.growing.grow import grow
from quercus.growing.id3 import id3_recipe
from quercus.measures import gain
from quercus.predict import predict_distribution
from quercus.tree import Multiway, Tree
from quercus.tree.questions import Threshold

UNKNOWN, NOT_APPLICABLE = np.nan, np.inf  # of the plain form of these tests; no table of the library holds such numbers
CLASSES = 3


def companion(values: np.ndarray) -> list[str | None]:
    return [None if np.isnan(value) else "N/A" if np.isinf(value) else "yes" for value in values]


def random_column(random: np.random.Generator, n_rows: int) -> np.ndarray:
    values = random.integers(0, 8, n_rows) / 2
    values[random.random(n_rows) < 0.25] = NOT_APPLICABLE
    values[random.random(n_rows) < 0.2] = UNKNOWN
    return values


def counts(labels: np.ndarray, weights: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return np.bincount(labels[rows], weights[rows], CLASSES)


def cut_apart(values: np.ndarray, labels: np.ndarray, weights: np.ndarray, cut: float) -> list[np.ndarray]:
    """The classes of the numbers up to a cut, and of those above it."""
    low, high = np.isfinite(values) & (values <= cut), np.isfinite(values) & (values > cut)
    return [counts(labels, weights, low), counts(labels, weights, high)]


def test_the_gain_of_three_branches_is_that_of_the_companion_and_that_of_the_threshold() -> None:
    """To rounding, whatever is unknown: so both ways have the same best threshold."""
    for seed in range(500):
        random = np.random.default_rng(seed)
        n_rows = int(random.integers(6, 40))
        values, labels = random_column(random, n_rows), random.integers(0, CLASSES, n_rows)
        weights = random.choice([1.0, 0.5, 2.5], n_rows)
        applies, not_applicable, unknown = np.isfinite(values), np.isinf(values), np.isnan(values)
        if not applies.any():
            continue
        lost, elsewhere = weights[unknown].sum(), counts(labels, weights, not_applicable)
        both = gain([elsewhere, counts(labels, weights, applies)], unknown=lost)
        three, two = [], []
        for cut in np.unique(values[applies])[:-1]:
            sides = [
                counts(labels, weights, applies & (values <= cut)),
                counts(labels, weights, applies & (values > cut)),
            ]
            three.append(gain([elsewhere, *sides], unknown=lost))
            two.append(gain(sides, unknown=lost + elsewhere.sum()))
        np.testing.assert_allclose(three, both + np.array(two), atol=1e-12)


@pytest.mark.parametrize("seed", most_slow(40, 10))
def test_the_grower_finds_the_threshold_that_three_branches_would_have(seed: int) -> None:
    random = np.random.default_rng([seed, 1])
    values, labels = random_column(random, 60), random.integers(0, CLASSES, 60)
    schema = Schema((Attribute("x", "numeric"),))
    dataset = encode_like({"x": np.where(np.isinf(values), np.nan, values)}, schema)
    target = ClassTarget(np.array(["a", "b", "c"], dtype=object), labels.astype(np.int32))
    tree = grow(dataset, target, id3_recipe(missing="fractional", max_depth=1))
    applies, weights = np.isfinite(values), np.ones(60)
    rest = [counts(labels, weights, np.isinf(values))]
    cuts = np.unique(values[applies])
    lost = float(np.isnan(values).sum())
    gains = [gain([*rest, *cut_apart(values, labels, weights, cut)], unknown=lost) for cut in cuts[:-1]]
    best = np.flatnonzero(np.array(gains) >= max(gains) - 1e-12)[0]
    assert tree.threshold[0] == (cuts[best] + cuts[best + 1]) / 2


@dataclass
class Three:
    """A node of a tree that asks with three branches; without them a leaf."""

    weight: float
    shares: np.ndarray
    attribute: int = -1
    threshold: float = np.nan
    branches: tuple[Three, ...] = ()  # does not apply, up to the threshold, above it


def random_three(random: np.random.Generator, depth: int, n_columns: int) -> Three:
    if depth == 0 or random.random() < 0.2:
        values = random.random(CLASSES)
        return Three(float(random.choice([1.0, 2.0, 3.5])), values / values.sum())
    below = tuple(random_three(random, depth - 1, n_columns) for _ in range(3))
    threshold = float(random.integers(0, 7)) / 2 + 0.25
    total = sum(branch.weight for branch in below)
    return Three(total, np.zeros(CLASSES), int(random.integers(n_columns)), threshold, below)


def answer(node: Three, row: np.ndarray) -> np.ndarray:
    """What three branches answer: an unknown value goes down all of them by their weights."""
    if not node.branches:
        return node.shares
    value = row[node.attribute]
    if np.isnan(value):
        return sum((b.weight / node.weight * answer(b, row) for b in node.branches), np.zeros(CLASSES))
    return answer(node.branches[0 if np.isinf(value) else 1 if value <= node.threshold else 2], row)


def as_two(root: Three, schema: Schema) -> Tree:
    """The same tree with the companion asked first and the threshold below it."""
    nodes: list[dict[str, object]] = [{}]

    def place(number: int, node: Three) -> None:
        nodes[number] = {"weight": node.weight, "value": node.shares * node.weight}
        if not node.branches:
            return
        applies = Three(node.branches[1].weight + node.branches[2].weight, np.zeros(CLASSES))
        first = len(nodes)
        nodes[number] |= {"kind": Multiway.kind, "attribute": 2 * node.attribute + 1, "first": first}
        nodes.extend([{}, {}])
        nodes[first] = {"weight": applies.weight, "value": applies.shares, "kind": Threshold.kind}
        nodes[first] |= {"attribute": 2 * node.attribute, "threshold": node.threshold, "first": len(nodes)}
        below = len(nodes)
        nodes.extend([{}, {}])
        place(below, node.branches[1])
        place(below + 1, node.branches[2])
        place(first + 1, node.branches[0])

    place(0, root)

    def column(name: str, plain: float) -> np.ndarray:
        return np.array([node.get(name, plain) for node in nodes])

    arrays = {
        "kind": column("kind", 0),
        "attribute": column("attribute", 0),
        "threshold": column("threshold", np.nan),
        "first_child": column("first", 0),
        "n_children": np.where(column("kind", 0) > 0, 2, 0),
        "missing_child": np.full(len(nodes), -1),
        "weight": column("weight", 0.0),
        "count": np.ones(len(nodes), dtype=np.int64),
        "gain": np.zeros(len(nodes)),
        "value": np.array([node["value"] for node in nodes]),
    }
    return Tree.from_arrays(arrays, schema, ["a", "b", "c"], criterion="entropy")


def test_every_tree_of_three_branches_can_be_written_with_companions() -> None:
    """And answers every row alike, whatever is unknown or does not apply."""
    n_columns = 3
    attributes = []
    for number in range(n_columns):
        attributes.append(Attribute(f"x{number}", "numeric"))
        attributes.append(Attribute(f"x{number} applicable", "nominal", ("yes", "N/A")))
    schema = Schema(tuple(attributes))
    for seed in range(150):
        random = np.random.default_rng([seed, 2])
        root = random_three(random, 3, n_columns)
        rows = np.column_stack([random_column(random, 30) for _ in range(n_columns)])
        columns: list[np.ndarray] = []
        for values in rows.T:
            columns.append(np.where(np.isinf(values), np.nan, values))
            columns.append(np.select([np.isnan(values), np.isinf(values)], [-1, 1], 0).astype(np.int32))
        ours = predict_distribution(as_two(root, schema), Dataset(schema, tuple(columns), len(rows)))
        np.testing.assert_allclose(ours, [answer(root, row) for row in rows], atol=1e-12)


def test_what_differs_is_which_of_the_two_is_asked_first() -> None:
    """Where applying tells nothing of the class, the threshold alone is asked, and N/A counts as unknown in it."""
    values = np.array([1.0, 1, 1, 2, 2, 2, np.inf, np.inf])
    labels = np.array([0, 0, 0, 1, 1, 1, 0, 1])
    schema = Schema((Attribute("x", "numeric"), Attribute("x applicable", "nominal", ("yes", "N/A"))))
    table = {"x": np.where(np.isinf(values), np.nan, values), "x applicable": companion(values)}
    target = ClassTarget(np.array(["a", "b"], dtype=object), labels.astype(np.int32))
    tree = grow(encode_like(table, schema), target, id3_recipe(missing="fractional"))
    assert str(tree.root.test) == "x <= 1.5"
    assert [str(step) for step in tree.node(3).path()] == ["x <= 1.5", "x applicable = yes"]
    shares = predict_distribution(tree, encode_like({"x": [None], "x applicable": ["N/A"]}, schema))[0]
    np.testing.assert_allclose(shares, [0.5, 0.5])

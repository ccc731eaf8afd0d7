"""PART in the core against a slow twin: partial trees in plain Python, whose splits come from trees of depth one."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from long_tail import most_slow
from scipy.stats import norm

from quercus.data import ClassTarget, Dataset, encode, encode_classes
from quercus.growing.c45 import c45_recipe
from quercus.growing.grow import grow
from quercus.rules.condition import Condition, Interval, ValueSet, merged
from quercus.rules.part import part

CONFIDENCE = 0.25


def upper_errors(n: float, e: float) -> float:
    """Errors and what is added to them, by the formulas of C4.5's book, z exact."""
    z = float(norm.ppf(1 - CONFIDENCE))
    if e < 1:
        none = n * (1 - math.pow(CONFIDENCE, 1 / n))
        return none if e == 0 else none + e * (upper_errors(n, 1.0) - 1.0 - none) + e
    if e + 0.5 >= n:
        return max(n, e)
    half = e + 0.5
    p = (half + z * z / 2 + z * math.sqrt(half * (1 - half / n) + z * z / 4)) / (n + z * z)
    return n * p


class Twin:
    """The same list as part() makes, one small tree per node."""

    def __init__(self, data: Dataset, target: ClassTarget, weights: np.ndarray) -> None:
        self.data, self.target, self.weights = data, target, weights
        self.k = len(target.classes)

    def learn(self) -> list[tuple[tuple[Condition, ...], list[float]]]:
        left = np.arange(self.data.n_rows)
        found: list[tuple[tuple[Condition, ...], list[float]]] = []
        while len(left):
            self.leaves: list[tuple[Condition, ...]] = []
            is_leaf = self.expand(left, self.weights[left], ())
            best, most = None, 0.0
            for path in [()] if is_leaf else self.leaves:
                rows = self.covered(path, left)
                if self.weights[rows].sum() > most + 1e-9:
                    best, most = path, float(self.weights[rows].sum())
            if not best:
                break
            rows = self.covered(best, left)
            found.append((merged(best), self.counts(rows, self.weights[rows]).tolist()))
            left = np.setdiff1d(left, rows)
        return [*found, ((), self.counts(left, self.weights[left]).tolist())]

    def covered(self, path: tuple[Condition, ...], rows: np.ndarray) -> np.ndarray:
        for condition in path:
            rows = rows[condition.holds(self.data.column(condition.name)[rows])]
        return rows

    def counts(self, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return np.bincount(self.target.codes[rows], weights, self.k)

    def errors(self, rows: np.ndarray, weights: np.ndarray) -> float:
        counts = self.counts(rows, weights)
        return upper_errors(float(counts.sum()), float(counts.sum() - counts.max()))

    def expand(self, rows: np.ndarray, weights: np.ndarray, path: tuple[Condition, ...]) -> bool:
        """Expand a node; True if it ends as a leaf. Leaves that count are noted in the order of the core's nodes."""
        branches = self.split(rows, weights, path)
        if branches is None:
            return True
        mark = len(self.leaves)
        found: list[list[tuple[Condition, ...]]] = [[] for _ in branches]
        order = [b for b, branch in enumerate(branches) if len(branch[1])]
        order.sort(key=lambda b: (self.entropy(branches[b]), -branches[b][2].sum()))
        all_leaves, below = True, 0.0
        for b in order:
            condition, at, heavy = branches[b]
            child = (*path, condition)
            if self.expand(at, heavy, child):
                found[b] = [child]
                below += self.errors(at, heavy)
            else:
                found[b] = self.leaves[mark:]
                del self.leaves[mark:]
                all_leaves = False
                break
        if all_leaves and self.errors(rows, weights) <= below + 0.1:
            return True
        # the core numbers a node's own leaves before those further down
        shallow = [paths for paths in found if len(paths) == 1 and len(paths[0]) == len(path) + 1]
        deep = [paths for paths in found if paths and len(paths[0]) > len(path) + 1]
        for paths in [*shallow, *deep]:
            self.leaves += paths
        return False

    def entropy(self, branch: tuple[Condition, np.ndarray, np.ndarray]) -> float:
        shares = self.counts(branch[1], branch[2]) / branch[2].sum()
        return float(sum(-p * math.log2(p) for p in shares if p > 0))

    def split(self, rows: np.ndarray, weights: np.ndarray, path: Any) -> Any:
        plain = c45_recipe()
        share = plain.wide_share * self.data.n_rows / len(rows)
        recipe = replace(plain, collapse="no", max_depth=1, threshold="midpoint", wide_share=share)
        target = ClassTarget(self.target.classes, self.target.codes[rows])
        tree = grow(self.data.take(rows), target, recipe, weights=weights)
        if tree.n_nodes == 1:
            return None
        position = int(tree.attribute[0])
        attribute, column = self.data.schema.attributes[position], self.data.columns[position]
        conditions: list[Condition]
        if attribute.is_numeric:
            bound = float(column[column <= tree.threshold[0]].max())
            conditions = [Interval(attribute, high=bound), Interval(attribute, low=bound)]
        else:
            conditions = [ValueSet(attribute, [code]) for code in range(attribute.n_values)]
        cells = column[rows]
        unknown = np.isnan(cells) if attribute.is_numeric else cells < 0
        known = weights[~unknown].sum()
        branches = []
        for condition in conditions:
            inside = condition.holds(cells)
            part_of = weights[inside].sum() / known
            both = inside | unknown if inside.any() else inside
            branches.append((condition, rows[both], np.where(unknown, weights * part_of, weights)[both]))
        return branches


def made_table(seed: int, unknown: float, n: int = 90) -> tuple[Dataset, ClassTarget]:
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(size=(n, 3)), 1)
    letters = rng.integers(0, 3, size=(n, 2))
    score = x[:, 0] + (letters[:, 0] == 1) - (letters[:, 1] == 2) * x[:, 1] + 0.5 * rng.normal(size=n)
    y = np.digitize(score, [-0.5, 0.9][: 1 + seed % 2])
    frame: dict[str, Any] = {f"x{j}": [None if rng.random() < unknown else v for v in x[:, j]] for j in range(3)}
    for j in range(2):
        frame[f"c{j}"] = [None if rng.random() < unknown else "abc"[v] for v in letters[:, j]]
    return encode(frame), encode_classes(y)


@pytest.mark.parametrize("unknown", [0.0, 0.1])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", most_slow(10, 4))
def test_core_learns_the_rules_of_the_twin(seed: int, weighted: bool, unknown: float) -> None:
    data, target = made_table(seed, unknown)
    weights = np.ones(data.n_rows)
    if weighted:
        weights = np.random.default_rng(seed).choice([0.5, 1.0, 1.5, 2.0], data.n_rows)
    expected = Twin(data, target, weights).learn()
    rules = part(data, target, weights=weights)
    assert [rule.conditions for rule in rules] == [conditions for conditions, _ in expected[:-1]]
    assert [rule.class_weights for rule in rules] == [tuple(counts) for _, counts in expected[:-1]]
    if sum(expected[-1][1]) > 0:
        assert rules.default_weights == tuple(expected[-1][1])
        assert rules.default == int(np.argmax(expected[-1][1]))

"""C4.5's rules by brute force: the same steps, spelled out row by row on small random tables, give the same rules."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

from quercus import _core
from quercus.data import ClassTarget, Dataset, encode
from quercus.growing.c45 import c45_recipe
from quercus.growing.grow import grow
from quercus.pruning.error_based import exact_deviate
from quercus.rules.path_conditions import ConditionLists, condition_arrays, path_rules
from quercus.rules.post_pruning import c45_rules
from quercus.rules.subset_choice import (
    Covers,
    choose_subsets,
    condition_bits,
    description_length,
    order_rules,
    rule_bits,
)
from quercus.tree.tree import Tree

CONFIDENCE = 0.25
Z = exact_deviate(CONFIDENCE)


def random_table(seed: int, n: int = 60, k: int = 3) -> tuple[Dataset, ClassTarget, np.ndarray]:
    """Numbers, names and gaps, classes that depend on them a little, and uneven weights of whole numbers."""
    random = np.random.default_rng(seed)
    x, z = random.integers(0, 8, n).astype(float), random.normal(size=n)
    a, b = random.choice(list("pqr"), n).astype(object), random.choice(list("uvwx"), n).astype(object)
    signal = x + 3 * (a == "p") + 2 * z + random.normal(size=n)
    codes = np.searchsorted(np.quantile(signal, np.arange(1, k) / k), signal).astype(np.int32)
    x[random.random(n) < 0.1] = np.nan
    b[random.random(n) < 0.1] = None
    data = encode({"x": x, "a": a, "z": z, "b": b}, kinds={"a": "nominal", "b": "nominal"})
    return data, ClassTarget(np.arange(k), codes), random.integers(0, 4, n).astype(float)


def pessimistic(n: float, e: float) -> float:
    """The pessimistic error rate, straight from the formula."""

    def added(e: float) -> float:
        if e < 1:
            none = n * (1 - CONFIDENCE ** (1 / n))
            return none + e * (added(1.0) - none) if e > 0 else none
        if e + 0.5 >= n:
            return max(0.0, 0.67 * (n - e))
        half = e + 0.5
        p = (half + Z * Z / 2 + Z * math.sqrt(half * (1 - half / n) + Z * Z / 4)) / (n + Z * Z)
        return n * p - e

    return (e + added(e)) / n if n > 0 else 1.0


def judged(rows: np.ndarray, wrong: np.ndarray, weights: np.ndarray, plain_only: bool) -> tuple[float, float, float]:
    """(pessimistic rate, plain rate, errors) of a rule that covers these rows."""
    n, e = float(weights[rows].sum()), float(weights[rows & wrong].sum())
    if n <= 0:
        return 1.0, 1.0, 0.0
    return (e / n if plain_only else pessimistic(n, e)), e / n, e


def dropped_by_hand(
    path: list[int], holds: np.ndarray, wrong: np.ndarray, weights: np.ndarray, plain_only: bool
) -> list[int]:
    """The rule that is left when conditions are dropped one by one."""
    rule = list(path)
    while rule:
        rate, plain, _ = judged(holds[rule].all(axis=0), wrong, weights, plain_only)
        options = []
        for place in range(len(rule)):
            less = rule[:place] + rule[place + 1 :]
            rows = holds[less].all(axis=0) if less else np.ones(len(wrong), dtype=bool)
            new_rate, new_plain, errors = judged(rows, wrong, weights, plain_only)
            if new_rate <= rate + 1e-9 or new_plain <= plain + 1e-9:
                options.append((round(new_rate, 9), errors, -place))
        if not options:
            break
        del rule[-min(options)[2]]
    return rule


def grown(seed: int, k: int = 3) -> tuple[Tree, Dataset, ClassTarget, np.ndarray]:
    data, target, weights = random_table(seed, k=k)
    return grow(data, target, c45_recipe(min_objects=1), weights=weights + 1), data, target, weights


def core_drop(
    tree: Tree, lists: ConditionLists, data: Dataset, codes: np.ndarray, weights: Any, plain: bool, threads: int = 1
) -> ConditionLists:
    arrays = condition_arrays(lists.conditions, tree.schema)
    order = np.random.default_rng(0).permutation(data.n_rows).astype(np.int32)
    estimate = np.array([CONFIDENCE, Z, 0.67, 1.0])
    result = _core.drop_conditions(
        data.columns, data.n_rows, codes, 3, weights, arrays, lists.arrays, order, estimate, plain, threads
    )
    return ConditionLists(lists.conditions, *result)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_conditions_are_dropped_as_by_hand(seed: int, plain: bool, weighted: bool) -> None:
    tree, data, target, weights = grown(seed)
    lists = path_rules(tree, least=0.0)
    holds = np.array([condition.holds(data.column(condition.name)) for condition in lists.conditions])
    counts = weights if weighted else np.ones(data.n_rows)
    expected: dict[tuple[int, frozenset[int]], None] = {}
    for rule in range(len(lists)):
        label = int(lists.label[rule])
        left = dropped_by_hand(lists.numbers(rule).tolist(), holds, target.codes != label, counts, plain)
        expected.setdefault((label, frozenset(left)))
    found = core_drop(tree, lists, data, target.codes, weights if weighted else None, plain)
    got = [(int(found.label[rule]), frozenset(found.numbers(rule).tolist())) for rule in range(len(found))]
    assert got == list(expected)
    again = core_drop(tree, lists, data, target.codes, weights if weighted else None, plain, threads=3)
    assert all(np.array_equal(mine, theirs) for mine, theirs in zip(found.arrays, again.arrays, strict=True))


def random_covers(seed: int, n_rules: int, weighted: bool) -> tuple[Covers, np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    n = 50
    codes, labels = random.integers(0, 3, n).astype(np.int32), random.integers(0, 3, n_rules).astype(np.int32)
    covered = (random.random((n_rules, n)) < 0.08) | ((codes == labels[:, None]) & (random.random((n_rules, n)) < 0.4))
    start = np.concatenate([[0], np.cumsum(covered.sum(axis=1))]).astype(np.int64)
    rows = np.concatenate([*(np.flatnonzero(one) for one in covered), []]).astype(np.int32)
    weights = random.integers(1, 4, n).astype(float) if weighted else None
    return Covers(start, rows, codes, 3, weights), labels, covered, random.uniform(4.0, 20.0, n_rules)


def length_by_hand(subset: list[int], label: int, covers: Covers, covered: np.ndarray, bits: np.ndarray) -> float:
    weights = np.ones(len(covers.labels)) if covers.weights is None else covers.weights
    union = covered[subset].any(axis=0) if subset else np.zeros(len(covers.labels), dtype=bool)
    right = covers.labels == label
    return description_length(
        bits[subset].tolist(),
        float(weights[union].sum()),
        float(weights[~union].sum()),
        float(weights[union & ~right].sum()),
        float(weights[~union & right].sum()),
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_the_best_of_all_subsets_is_chosen(seed: int, weighted: bool) -> None:
    covers, labels, covered, bits = random_covers(seed, 24, weighted)
    chosen, lengths = choose_subsets(covers, labels, bits)
    for label in range(3):
        rules = np.flatnonzero(labels == label)
        if len(rules) > 10:
            continue
        best = min(
            length_by_hand(rules[np.array(bits_set, dtype=bool)].tolist(), label, covers, covered, bits)
            for bits_set in product([0, 1], repeat=len(rules))
        )
        kept = [int(rule) for rule in rules if chosen[rule]]
        assert length_by_hand(kept, label, covers, covered, bits) == pytest.approx(best, abs=1e-8)
        assert lengths[label] == pytest.approx(best, abs=1e-8)


@pytest.mark.parametrize("seed", range(6))
def test_the_search_ends_where_no_single_change_helps(seed: int) -> None:
    covers, labels, covered, bits = random_covers(seed, 80, weighted=seed % 2 == 1)
    chosen, lengths = choose_subsets(covers, labels, bits, seed=seed)
    for label in range(3):
        rules = np.flatnonzero(labels == label)
        assert len(rules) > 10
        kept = {int(rule) for rule in rules if chosen[rule]}
        length = length_by_hand(sorted(kept), label, covers, covered, bits)
        assert lengths[label] == pytest.approx(length, abs=1e-7)
        for rule in rules.tolist():
            assert length_by_hand(sorted(kept ^ {rule}), label, covers, covered, bits) > length - 1e-6
    assert np.array_equal(chosen, choose_subsets(covers, labels, bits, seed=seed, n_threads=3)[0])


def random_numbers(state: int) -> Iterator[int]:
    """The numbers of 64 bits that the core draws by."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        yield z ^ z >> 31


def search_by_hand(rules: list[int], seed: int, length: Callable[[set[int]], float]) -> set[int]:
    """The local search, every rule tried at every step."""

    def downhill(subset: set[int]) -> set[int]:
        while True:
            lengths = [length(subset ^ {rule}) for rule in rules]
            if min(lengths) >= length(subset) - 1e-9:
                return subset
            subset = subset ^ {rules[next(i for i, each in enumerate(lengths) if each < min(lengths) + 1e-10)]}

    best = min(downhill(set()), downhill(set(rules)), key=lambda subset: round(length(subset), 8))
    drawn = random_numbers((seed * 0x9E3779B97F4A7C15 + len(rules)) % 2**64)
    for _ in range(min(max(20_000 // len(rules), 10), 200)):
        subset = set(best)
        for _ in range(2 + next(drawn) % 4):
            subset ^= {rules[next(drawn) % len(rules)]}
        subset = downhill(subset)
        if length(subset) < length(best) - 1e-9:
            best = subset
    return best


@pytest.mark.parametrize("seed", range(4))
def test_the_search_goes_as_by_hand(seed: int) -> None:
    covers, labels, covered, bits = random_covers(seed, 60, weighted=seed % 2 == 1)
    bits = np.round(bits / 4) * 4  # few kinds of rules, so that many changes are equally good
    chosen, _ = choose_subsets(covers, labels, bits, seed=seed)
    for label in range(3):
        rules = np.flatnonzero(labels == label).tolist()
        known: dict[frozenset[int], float] = {}

        def length(subset: set[int], label: int = label, known: dict[frozenset[int], float] = known) -> float:
            key = frozenset(subset)
            if key not in known:
                known[key] = length_by_hand(sorted(subset), label, covers, covered, bits)
            return known[key]

        assert {rule for rule in rules if chosen[rule]} == search_by_hand(rules, seed, length)


def test_the_search_finds_what_trying_all_subsets_finds() -> None:
    found = 0
    for seed in range(20):
        covers, labels, covered, bits = random_covers(seed, 36, weighted=False)
        _, lengths = choose_subsets(covers, labels, bits)
        rules = np.flatnonzero(labels == 0)
        if not 11 <= len(rules) <= 13:
            continue
        best = min(
            length_by_hand(rules[np.array(bits_set, dtype=bool)].tolist(), 0, covers, covered, bits)
            for bits_set in product([0, 1], repeat=len(rules))
        )
        assert lengths[0] == pytest.approx(best, abs=1e-8)
        found += 1
    assert found >= 3


def answers(order: list[int], default: int, labels: np.ndarray, covered: np.ndarray) -> np.ndarray:
    result = np.full(covered.shape[1], default)
    for rule in reversed(order):
        result[covered[rule]] = labels[rule]
    return result


def ordered_by_hand(
    covers: Covers, labels: np.ndarray, covered: np.ndarray, rank: np.ndarray, costs: np.ndarray
) -> tuple[list[int], int]:
    """Class order, default and clean-up, counted anew at each step."""
    codes, weights = covers.labels, np.ones(len(covers.labels)) if covers.weights is None else covers.weights
    union = [covered[labels == label].any(axis=0) for label in range(3)]
    own = np.array([union[code][row] for row, code in enumerate(codes)])
    left, todo, order = np.ones(len(codes), dtype=bool), [0, 1, 2], []
    while todo:
        paid = {label: weights * costs[codes, label] * (union[label] & left) for label in todo}
        label = min(todo, key=lambda label: (paid[label][own].sum(), paid[label].sum(), label))
        todo.remove(label)
        order += sorted(np.flatnonzero(labels == label).tolist(), key=lambda rule: (rank[rule], rule))
        left &= ~union[label]

    def total(order: list[int], default: int) -> float:
        return float((weights * costs[codes, answers(order, default, labels, covered)]).sum())

    def paid_by_default(default: int) -> tuple[float, float, int]:
        free = ~covered[order].any(axis=0) if order else np.ones(len(codes), dtype=bool)
        paid = weights * costs[codes, default]
        return float(paid[free].sum()), float(paid.sum()), default

    default = min(range(3), key=paid_by_default)
    while True:
        while order:
            without = [total(order[:place] + order[place + 1 :], default) for place in range(len(order))]
            if min(without) >= total(order, default) - 1e-9:
                break
            del order[int(np.argmin(without))]
        better = min(range(3), key=paid_by_default)
        if paid_by_default(better)[0] >= paid_by_default(default)[0] - 1e-9:
            return order, default
        default = better


@pytest.mark.parametrize("costly", [False, True])
@pytest.mark.parametrize("seed", range(15))
def test_rules_are_ordered_and_cleaned_up_as_by_hand(seed: int, costly: bool) -> None:
    covers, labels, covered, _ = random_covers(seed, 12, weighted=seed % 2 == 1)
    rank = np.random.default_rng(seed).random(12)
    costs = np.array([[0.0, 1, 4], [2, 0, 1], [3, 5, 0]]) if costly else 1.0 - np.eye(3)
    order, default, dropped = order_rules(covers, labels, rank, costs)
    assert (order.tolist(), default) == ordered_by_hand(covers, labels, covered, rank, costs)
    assert sorted([*order.tolist(), *dropped.tolist()]) == list(range(12))


@pytest.mark.parametrize("seed", range(8))
def test_the_whole_is_its_parts(seed: int) -> None:
    data, target, _ = random_table(seed)
    tree = grow(data, target, c45_recipe())
    rules = c45_rules(tree, data, target)
    lists = path_rules(tree)
    lists = core_drop(tree, lists, data, target.codes, None, False)
    holds = np.array([condition.holds(data.column(condition.name)) for condition in lists.conditions])
    covered = np.array([holds[lists.numbers(rule)].all(axis=0) for rule in range(len(lists))])
    share = np.bincount(target.codes, minlength=3) / data.n_rows
    wrong = np.array(
        [
            judged(rows, target.codes != label, np.ones(60), False)
            for rows, label in zip(covered, lists.label, strict=True)
        ]
    )
    kept = (np.diff(lists.start) > 0) & covered.any(axis=1) & (wrong[:, 1] < 1 - share[lists.label] - 1e-12)
    lists, covered, wrong = lists.take(kept), covered[kept], wrong[kept]
    start = np.concatenate([[0], np.cumsum(covered.sum(axis=1))]).astype(np.int64)
    covers = Covers(start, np.nonzero(covered)[1].astype(np.int32), target.codes, 3, None)
    chosen, _ = choose_subsets(covers, lists.label, rule_bits(lists, condition_bits(lists.conditions, data)))
    lists, covered, wrong, covers = (
        lists.take(chosen),
        covered[chosen],
        wrong[chosen],
        covers.take(np.flatnonzero(chosen)),
    )
    order, default = ordered_by_hand(covers, lists.label, covered, wrong[:, 0], 1.0 - np.eye(3))
    assert rules.default == default
    assert [rule.conditions for rule in rules] == [lists.merged(rule) for rule in order]
    assert np.array_equal(rules.predict(data), answers(order, default, lists.label, covered))

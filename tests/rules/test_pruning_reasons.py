"""Why rule post-pruning dropped a condition or a rule: the story ends in the rules that the core makes, and its numbers
say what they are said to say."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from quercus import C45RulesClassifier
from quercus.data import ClassTarget, Dataset, encode
from quercus.datasets import load_play_tennis, make_monks
from quercus.errors import DataError
from quercus.growing.c45 import c45_recipe
from quercus.growing.grow import grow
from quercus.rules import RulePruning, explain_c45_rules
from quercus.rules.post_pruning import c45_rules

COSTS = [[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [1.0, 1.0, 0.0]]


def random_table(seed: int, n: int = 90) -> tuple[Dataset, ClassTarget, np.ndarray]:
    random = np.random.default_rng(seed)
    x, z = random.integers(0, 8, n).astype(float), random.normal(size=n)
    a, b = random.choice(list("pqr"), n).astype(object), random.choice(list("uvwx"), n).astype(object)
    signal = x + 3 * (a == "p") + 2 * z + random.normal(size=n)
    codes = np.searchsorted(np.quantile(signal, [1 / 3, 2 / 3]), signal).astype(np.int32)
    x[random.random(n) < 0.1] = np.nan
    b[random.random(n) < 0.1] = None
    data = encode({"x": x, "a": a, "z": z, "b": b}, kinds={"a": "nominal", "b": "nominal"})
    return data, ClassTarget(np.arange(3), codes), random.integers(1, 4, n).astype(float)


def check(story: RulePruning) -> None:
    """Every leaf ends somewhere, and every reason holds."""
    kept = [leaf for leaf in story if leaf.fate == "kept"]
    assert sorted(leaf.place for leaf in kept if leaf.place is not None) == list(range(len(story.rules)))
    for leaf in kept:
        assert leaf.place is not None
        assert leaf.rule.conditions == story.rules[leaf.place].conditions
    for leaf in story:
        assert (leaf.fate == "kept") == (leaf.reason == "") or leaf.fate == "repeated"
        for entry in leaf.dropped:
            by_rate = entry.figures["rate_without"] <= entry.figures["rate_with"] + 1e-9
            assert by_rate or entry.figures["plain_without"] <= entry.figures["plain_with"] + 1e-9
            assert entry.figures["covered_without"] >= entry.figures["covered_with"] - 1e-9
        if leaf.fate == "not chosen":
            assert leaf.figures["bits_with"] > leaf.figures["bits_without"] - 1e-6
        if leaf.fate == "guessing":
            assert leaf.figures["plain"] >= leaf.figures["guessing"] - 1e-9


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("how", ["plain", "weighted", "costs", "validation", "r8"])
def test_the_story_ends_in_the_rules(seed: int, how: str) -> None:
    data, target, weights = random_table(seed)
    other, other_target, _ = random_table(seed + 100)
    options: dict[str, Any] = {
        "plain": {},
        "weighted": {"weights": weights},
        "costs": {"weights": weights, "cost_matrix": COSTS},
        "validation": {"validation": (other, other_target)},
        "r8": {"preset": "r8", "confidence": 0.1},
    }[how]
    tree = grow(data, target, c45_recipe(min_objects=1), weights=options.get("weights"))
    story = explain_c45_rules(tree, data, target, **options)
    assert story.rules == c45_rules(tree, data, target, **options)
    check(story)
    assert all("validation rows" in str(entry) for leaf in story for entry in leaf.dropped) or how != "validation"


def test_every_fate_is_told() -> None:
    fates: Counter[str] = Counter()
    for seed in range(40):
        data, target, _ = random_table(seed, n=60)
        story = explain_c45_rules(grow(data, target, c45_recipe(min_objects=1)), data, target)
        fates.update(leaf.fate for leaf in story)
        assert all(str(leaf).startswith(f"Leaf {leaf.leaf}: IF ") for leaf in story)
    assert {"kept", "repeated", "not chosen", "cleaned up"} <= set(fates)


def test_play_tennis() -> None:
    X, y = load_play_tennis()
    story = C45RulesClassifier().fit(X, y).rule_pruning(X, y)
    assert str(story).splitlines()[0] == "5 leaves → 5 rules: 1 condition and 0 rules dropped"
    (entry,) = (entry for leaf in story for entry in leaf.dropped)
    assert (entry.figures["errors_without"], entry.figures["covered_without"]) == (1, 7)
    assert repr(story) == "<RulePruning: 5 leaves → 5 rules>"


@pytest.mark.parametrize("options", [{}, {"validation_fraction": 0.3}, {"class_weight": "balanced"}])
def test_the_estimator_tells_its_own_rules(options: dict[str, Any]) -> None:
    X, y = make_monks(problem=2, n_rows=150, random_state=3)
    model = C45RulesClassifier(**options).fit(X, y)
    story = model.rule_pruning(X, y)
    assert story.rules == model.rules_
    check(story)
    with pytest.raises(DataError, match="not the rows of fitting"):
        model.rule_pruning(X[:100], y[:100])

"""C4.5's rules of a table whose numbers are transformed: the same rules, if the thresholds stand between the same rows.

A threshold is the largest training value not above the midpoint of two values at a node (specification). Which value of
the whole column that is depends on distances, not only on order. The tree sends its rows the same way either way; but a
rule that has lost conditions also covers rows of other branches, and of these some may lie between the two values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from quercus import C45RulesClassifier

TRANSFORMS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "cube": lambda x: x**3,
    "exponential": np.exp,
    "ranks": lambda x: np.searchsorted(np.unique(x), x).astype(np.float64),
    "line": lambda x: 4 * x + 8,
}
DISTANCES_MATTER = 34  # the table where a threshold moves past a row of another branch


def table(seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    n = int(random.integers(40, 150))
    rows = np.round(random.normal(size=(n, 3)), 2)
    classes = ((rows[:, 0] > 0.2) ^ (rows[:, 1] > 0)).astype(int)
    noise = random.random(n) < 0.2
    return rows, np.where(noise, 1 - classes, classes)


def shape(model: C45RulesClassifier) -> list[Any]:
    """The attributes and the class of every rule."""
    return [(rule.label, sorted(c.attribute.name for c in rule.conditions)) for rule in model.rules_.rules]


def places(model: C45RulesClassifier, rows: np.ndarray) -> list[int]:
    """How many values of the column lie at or below each threshold."""
    tree = model.tree_
    return [
        int(np.searchsorted(np.unique(rows[:, tree.attribute[node]]), tree.threshold[node], side="right"))
        for node in np.flatnonzero(tree.kind == 1)
    ]


@pytest.mark.parametrize("seed", [*range(12), DISTANCES_MATTER])
@pytest.mark.parametrize("name", TRANSFORMS)
def test_rules_depend_on_order_and_on_the_places_of_thresholds(seed: int, name: str) -> None:
    rows, classes = table(seed)
    changed = rows.copy()
    changed[:, 0] = TRANSFORMS[name](rows[:, 0])
    one, other = (C45RulesClassifier().fit(numbers, classes) for numbers in (rows, changed))
    assert one.tree_.value.tolist() == other.tree_.value.tolist()  # the same tree but for its thresholds
    if places(one, rows) == places(other, changed):
        assert shape(one) == shape(other)


def test_a_threshold_that_moves_past_other_rows_changes_the_rules() -> None:
    rows, classes = table(DISTANCES_MATTER)
    changed = rows.copy()
    changed[:, 0] = rows[:, 0] ** 3
    one, other = (C45RulesClassifier().fit(numbers, classes) for numbers in (rows, changed))
    assert places(one, rows) != places(other, changed)
    assert shape(one) != shape(other)
